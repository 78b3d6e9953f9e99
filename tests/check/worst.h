/* How far two arrays are apart. */
#ifndef HML_TESTS_WORST_H
#define HML_TESTS_WORST_H

#include <math.h>
#include <stdint.h>

/* the largest difference; NaN where one is not a number */
static inline double worst(const double *x, const double *y, int32_t n)
{
    double off = 0;
    for (int32_t i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= off) && !isnan(off)) off = fabs(x[i] - y[i]);
    return off;
}

#endif
