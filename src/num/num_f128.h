/*
 * num = 113-bit floating point, for references in tests: long double where it has 113 bits (AArch64), else __float128
 * with libquadmath. The prototypes stand here so that clang, which does not ship quadmath.h, can use it too. See num.h.
 */
#ifndef HML_NUM_F128_H
#define HML_NUM_F128_H

#include <float.h>
#include <math.h>

#if LDBL_MANT_DIG == 113
typedef long double num;
#define HML_Q(f) f##l
#else
__extension__ typedef __float128 num;
#define HML_Q(f) f##q
extern num sqrtq(num), sinq(num), cosq(num), atan2q(num, num);
#endif

typedef num lane;
typedef int64_t mask;

#define LANES            1
#define HML_NUM_NAME     "f128"
#define NUM_SERIES_TERMS 18
#define NUM_EPS          0x1p-112

static inline num K(double c) { return (num)c; }
static inline num num_pi(void)
{
    return (num)0x1.921fb54442d18p+1 + (num)0x1.1a62633145c07p-53 - (num)0x1.f1976b7ed8fbcp-109;
}
static inline num num_sqrt(num x) { return HML_Q(sqrt)(x); }
static inline num num_fma(num a, num b, num c) { return a * b + c; }
static inline num num_atan2(num y, num x) { return HML_Q(atan2)(y, x); }
static inline mask num_lt(num a, num b) { return -(mask)(a < b); }
static inline num num_select(mask m, num a, num b) { return m ? a : b; }
static inline unsigned num_lanes(mask m) { return m ? 1u : 0u; }
static inline int num_any(mask m) { return m != 0; }
static inline lane num_get(num x, int i) { return (void)i, x; }
static inline void num_set(num *x, int i, lane value) { (void)i, *x = value; }

static inline void num_sincos(num x, num *s, num *c)
{
    *s = HML_Q(sin)(x);
    *c = HML_Q(cos)(x);
}

static inline void num_sinccos(num t, num *sinc, num *c)
{
    num x = HML_Q(sqrt)(t);
    *sinc = x > 0 ? HML_Q(sin)(x) / x : 1;
    *c = HML_Q(cos)(x);
}

#endif
