/* num = double. See num.h. */
#ifndef HML_NUM_F64_H
#define HML_NUM_F64_H

#include <math.h>
#include <string.h>

typedef double num;
typedef double lane;
typedef int64_t mask;
typedef uint64_t bits; /* the representation of a num, for sign tricks */

#define LANES            1
#define HML_NUM_NAME     "f64"
#define NUM_SERIES_TERMS 10 /* Taylor terms in θ² that reach round-off for θ < 1 */
#define NUM_EPS          0x1p-52

static inline num K(double c) { return c; }
static inline num num_pi(void) { return 0x1.921fb54442d18p+1; }
static inline num num_sqrt(num x) { return sqrt(x); }
static inline num num_fma(num a, num b, num c) { return a * b + c; }
static inline num num_atan2(num y, num x) { return atan2(y, x); }
static inline mask num_lt(num a, num b) { return -(mask)(a < b); }
static inline num num_select(mask m, num a, num b) { return m ? a : b; }
static inline unsigned num_lanes(mask m) { return m ? 1u : 0u; }
static inline int num_any(mask m) { return m != 0; }
static inline lane num_get(num x, int i) { return (void)i, x; }
static inline void num_set(num *x, int i, lane value) { (void)i, *x = value; }

static inline bits num_to_bits(num x)
{
    bits b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline num num_from_bits(bits b)
{
    num x;
    memcpy(&x, &b, sizeof x);
    return x;
}

#include "num/sincos.h"

#endif
