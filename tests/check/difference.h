/* Central differences of eighth order: about 1e-13 for functions that vary by one unit over one unit of their argument.
 */
#ifndef HML_TESTS_DIFFERENCE_H
#define HML_TESTS_DIFFERENCE_H

#include <stddef.h>

enum { DIFFERENCE_MAX = 64 };

typedef void (*function_of_t)(const void *context, double t, double *out);

/* d/dt at t = 0 of a function with n values; a function that varies faster wants a shorter step */
static inline void difference_over(double step, function_of_t f, const void *context, size_t n, double *out)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    double ahead[DIFFERENCE_MAX], behind[DIFFERENCE_MAX];
    for (size_t i = 0; i < n; i++) out[i] = 0;
    for (int k = 4; k >= 1; k--) {
        f(context, k * step, ahead);
        f(context, -k * step, behind);
        for (size_t i = 0; i < n; i++) out[i] += weight[k - 1] / step * (ahead[i] - behind[i]);
    }
}

static inline void difference(function_of_t f, const void *context, size_t n, double *out)
{
    difference_over(0x1p-7, f, context, n, out);
}

#endif
