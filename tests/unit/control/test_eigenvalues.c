/* Eigenvalues of symmetric and rotated matrices that are known, in clusters as narrow as rounding allows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "control/eigenvalues.h"
#include "hamel/random.h"

enum { MOST = 40 };

/* A ← H A H with the reflection H = 1 − 2 u uᵀ/uᵀu */
static void reflect(size_t n, const double *u, double *A)
{
    double square = 0;
    for (size_t i = 0; i < n; i++) square += u[i] * u[i];
    for (size_t j = 0; j < n; j++) {
        double left = 0;
        for (size_t i = 0; i < n; i++) left += 2 / square * u[i] * A[i * n + j];
        for (size_t i = 0; i < n; i++) A[i * n + j] -= left * u[i];
    }
    for (size_t i = 0; i < n; i++) {
        double right = 0;
        for (size_t j = 0; j < n; j++) right += 2 / square * u[j] * A[i * n + j];
        for (size_t j = 0; j < n; j++) A[i * n + j] -= right * u[j];
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* four clusters, each with differences of 10⁻ᵏ between its members: a rotation of a diagonal matrix */
static void test_clusters(void **state)
{
    (void)state;
    static double A[MOST * MOST], u[MOST], values[2 * MOST], expected[MOST], found[MOST];
    hml_rng rng;
    hml_rng_seed(&rng, 11);
    for (int k = 2; k <= 17; k++) {
        for (size_t n = 4; n <= MOST; n += 9) {
            for (size_t i = 0; i < n * n; i++) A[i] = 0;
            for (size_t i = 0; i < n; i++) {
                static const double centres[] = {0.99, 1, -0.5, 0.1};
                expected[i] = A[i * n + i] = centres[i % 4] + pow(10, -k) * (double)(i / 4);
            }
            for (int turn = 0; turn < 6; turn++) {
                for (size_t i = 0; i < n; i++) u[i] = hml_rng_normal(&rng);
                reflect(n, u, A);
            }
            if (hmli_eigenvalues(n, A, values)) fail_msg("no eigenvalues: %d states, clusters of 1e-%d", (int)n, k);
            for (size_t i = 0; i < n; i++) {
                found[i] = values[2 * i];
                if (!(fabs(values[2 * i + 1]) < 1e-7)) fail_msg("imaginary part %g", values[2 * i + 1]);
            }
            qsort(expected, n, sizeof *expected, by_size);
            qsort(found, n, sizeof *found, by_size);
            for (size_t i = 0; i < n; i++) assert_float_equal(found[i], expected[i], 1e-7);
        }
    }
}

/* a block of equal numbers with differences of 10⁻¹⁰ beside it: sums and products of shifts lose them */
static void test_nearly_equal(void **state)
{
    (void)state;
    static const double small[3] = {8.86e-11, 2.26e-11, -5.04e-10};
    double A[16] = {0}, values[8];
    for (int i = 0; i < 4; i++) {
        A[5 * i] = 0.990045;
        if (i < 3) A[4 * i + i + 1] = A[4 * (i + 1) + i] = small[i];
    }
    assert_int_equal(hmli_eigenvalues(4, A, values), HML_OK);
    for (int i = 0; i < 4; i++) assert_float_equal(values[2 * i], 0.990045, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clusters), cmocka_unit_test(test_nearly_equal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
