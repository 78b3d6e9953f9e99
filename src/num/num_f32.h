/* num = float. See num.h. */
#ifndef HML_NUM_F32_H
#define HML_NUM_F32_H

#include <math.h>

typedef float num;
typedef float lane;
typedef int32_t mask;

#define LANES            1
#define NUM_SINGLE       1 /* a lane is a float */
#define HML_NUM_NAME     "f32"
#define NUM_SERIES_TERMS 6
#define NUM_EPS          0x1p-23

static inline num K(double c) { return (num)c; }
static inline num num_pi(void) { return 0x1.921fb6p+1f; }
static inline num num_sqrt(num x) { return sqrtf(x); }
static inline num num_fma(num a, num b, num c) { return a * b + c; }
static inline num num_atan2(num y, num x) { return atan2f(y, x); }
static inline mask num_lt(num a, num b) { return -(mask)(a < b); }
static inline num num_select(mask m, num a, num b) { return m ? a : b; }
static inline unsigned num_lanes(mask m) { return m ? 1u : 0u; }
static inline int num_any(mask m) { return m != 0; }
static inline lane num_get(num x, int i) { return (void)i, x; }
static inline void num_set(num *x, int i, lane value) { (void)i, *x = value; }

static inline void num_sincos(num x, num *s, num *c)
{
    *s = sinf(x);
    *c = cosf(x);
}

static inline void num_sinccos(num t, num *sinc, num *c)
{
    num x = sqrtf(t);
    *sinc = x > 0 ? sinf(x) / x : 1;
    *c = cosf(x);
}

#endif
