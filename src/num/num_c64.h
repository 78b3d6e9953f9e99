/*
 * num = double _Complex, for complex-step derivatives in tests: f(x + ih) = f(x) + ih f'(x) with h = 1e-200, so the
 * imaginary part is the derivative to round-off. Comparisons and branches look at real parts only. See num.h.
 */
#ifndef HML_NUM_C64_H
#define HML_NUM_C64_H

#include <complex.h>
#include <math.h>

#undef I /* the imaginary unit of <complex.h>; here I is an inertia */

typedef double _Complex num;
typedef double _Complex lane;
typedef int64_t mask;

#define LANES            1
#define HML_NUM_NAME     "c64"
#define NUM_SERIES_TERMS 10
#define NUM_EPS          0x1p-52

static inline num K(double c) { return c; }
static inline num num_pi(void) { return 0x1.921fb54442d18p+1; }
static inline num num_fma(num a, num b, num c) { return a * b + c; }
static inline mask num_lt(num a, num b) { return -(mask)(creal(a) < creal(b)); }
static inline num num_select(mask m, num a, num b) { return m ? a : b; }
static inline unsigned num_lanes(mask m) { return m ? 1u : 0u; }
static inline int num_any(mask m) { return m != 0; }
static inline lane num_get(num x, int i) { return (void)i, x; }
static inline void num_set(num *x, int i, lane value) { (void)i, *x = value; }

/* first order in the imaginary part, which is all a complex step has: no squares of 1e-200 are lost in libm */
static inline num num_first_order(double value, double slope, num x)
{
    return __builtin_complex(value, slope * cimag(x));
}

static inline num num_sqrt(num x)
{
    double r = sqrt(creal(x));
    return num_first_order(r, r > 0 ? 0.5 / r : 0.0, x);
}

static inline void num_sincos(num x, num *s, num *c)
{
    double sr = sin(creal(x)), cr = cos(creal(x));
    *s = num_first_order(sr, cr, x);
    *c = num_first_order(cr, -sr, x);
}

/* the slope of sin(√t)/√t is (cos − sinc)/2t, which cancels towards 0: there it is Σ (−1)^j j t^(j−1)/(2j+1)!.
 * A square of a complex step at 0 has a real part of −0 or less. */
static inline void num_sinccos(num t, num *sinc, num *c)
{
    double u = creal(t) > 0 ? creal(t) : 0, x = sqrt(u), s = x > 0 ? sin(x) / x : 1, cr = cos(x), slope = 0;
    for (int j = 12; j >= 1; j--) slope = (j - u * slope) / ((2 * j) * (2 * j + 1));
    *sinc = num_first_order(s, u < 1 ? -slope : (cr - s) / (2 * u), t);
    *c = num_first_order(cr, -0.5 * s, t);
}

static inline num num_atan2(num y, num x)
{
    double a = creal(x), b = creal(y), n = a * a + b * b;
    return __builtin_complex(atan2(b, a), n > 0 ? (a * cimag(y) - b * cimag(x)) / n : 0.0);
}

#endif
