/* Integral action: gains on paper, outputs that come back under a constant disturbance, and outputs that cannot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/discrete.h"
#include "hamel/random.h"

enum { MOST = 8, ALL = 10, SCRATCH = 1 << 13 };

static double scratch[SCRATCH], K[2 * MOST], Ki[4], A_all[ALL * ALL], B_all[2 * ALL], K_all[2 * ALL], poles[2 * ALL];

static hml_status solve(size_t n, size_t m, size_t p, const double *A, const double *B, const double *C,
                        const double *Q, const double *Qi, const double *R, double step, hml_lqr_report *report)
{
    assert_true(hml_lqr_integral_scratch_doubles(n, m, p) <= SCRATCH);
    for (size_t i = 0; i < SCRATCH; i++) scratch[i] = NAN;
    const hml_lqr_integral problem =
        HML_STRUCT(hml_lqr_integral, .n = n, .m = m, .p = p, .A = A, .B = B, .C = C, .Q = Q, .Qi = Qi, .R = R,
                   .step = step, .K = K, .Ki = Ki, .A_all = A_all, .B_all = B_all, .K_all = K_all, .poles = poles);
    return hml_lqr_integral_solve(&problem, scratch, report);
}

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

/* ẋ = u, ξ̇ = x with weights 1, w, 1: the double integrator, whose Ki = √w and K = √(1 + 2 √w) */
static void test_on_paper(void **state)
{
    (void)state;
    const double A = 0, B = 1, C = 1, one = 1;
    for (double w = 0.01; w < 1e3; w *= 10) {
        assert_int_equal(solve(1, 1, 1, &A, &B, &C, &one, &w, &one, 0, NULL), HML_OK);
        near(Ki[0], sqrt(w), 1e-12 * sqrt(w)), near(K[0], sqrt(1 + 2 * sqrt(w)), 1e-12 * K[0]);
    }
}

static int poles_are_stable(size_t all, double step)
{
    for (size_t i = 0; i < all; i++)
        if (!((step > 0 ? hypot(poles[2 * i], poles[2 * i + 1]) - 1 : poles[2 * i]) < 0)) return 0;
    return 1;
}

/*
 * x⁺ = A x + B u + E d with constant d ends where (A_all − B_all K_all) is at rest: its outputs are zero, those of K x alone are
 * not. In continuous time steps of an exact solution come to the same end.
 */
static void test_disturbance(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 3);
    for (int round = 0; round < 40; round++) {
        const size_t n = 2 + (size_t)hml_rng_below(&rng, MOST - 2), m = 2, p = 1 + (size_t)(round % 2), all = n + p;
        double A[MOST * MOST], B[2 * MOST], C[2 * MOST], Q[MOST * MOST], E[ALL] = {0}, x[ALL] = {0}, Ad[ALL * ALL],
                                                                         Bd[ALL], closed[ALL * ALL], room[4096];
        const double R[4] = {1, 0, 0, 1}, Qi[4] = {2, 0, 0, 1}, step = round % 4 < 2 ? 0 : 0.1;
        for (size_t i = 0; i < n * n; i++)
            A[i] = hml_rng_uniform(&rng, -1, 1) * (step > 0 ? 0.6 : 1), Q[i] = i % (n + 1) == 0;
        for (size_t i = 0; i < n * m; i++) B[i] = hml_rng_uniform(&rng, -1, 1);
        for (size_t i = 0; i < n * p; i++) C[i] = hml_rng_uniform(&rng, -1, 1);
        for (size_t i = 0; i < n; i++) E[i] = hml_rng_uniform(&rng, -1, 1);
        assert_int_equal(solve(n, m, p, A, B, C, Q, Qi, R, step, NULL), HML_OK);
        assert_true(poles_are_stable(all, step));
        for (size_t i = 0; i < all; i++)
            for (size_t j = 0; j < all; j++) {
                closed[i * all + j] = A_all[i * all + j];
                for (size_t k = 0; k < m; k++) closed[i * all + j] -= B_all[i * m + k] * K_all[k * all + j];
            }
        memcpy(Ad, closed, sizeof closed), memcpy(Bd, E, sizeof E);
        if (!(step > 0)) {
            assert_true(hml_discretize_scratch_doubles(all, 1) <= 4096);
            assert_int_equal(hml_discretize(all, 1, closed, E, 0.5, room, Ad, Bd), HML_OK);
        }
        double largest = 0;
        for (int k = 0; k < 40000; k++) {
            double next[ALL];
            for (size_t i = 0; i < all; i++) {
                next[i] = Bd[i];
                for (size_t j = 0; j < all; j++) next[i] += Ad[i * all + j] * x[j];
            }
            memcpy(x, next, sizeof next);
            for (size_t i = 0; i < p; i++) {
                double y = 0;
                for (size_t j = 0; j < n; j++) y += C[i * n + j] * x[j];
                largest = fmax(largest, fabs(y));
                if (k == 39999) near(y, 0, 1e-9);
            }
        }
        assert_true(largest > 1e-3); /* it was disturbed */
    }
}

static void test_refusals(void **state)
{
    (void)state;
    const double A[4] = {0, 1, 0, 0}, B[2] = {0, 1}, both[4] = {1, 0, 1, 0}, speed[2] = {0, 1}, I[4] = {1, 0, 0, 1},
                 nan = NAN;
    hml_lqr_report report = {.struct_size = sizeof report};
    /* two outputs of one input, and a velocity that no constant force holds at another value */
    assert_int_equal(solve(2, 1, 2, A, B, both, I, I, I, 0, &report), HML_NOT_STABILIZABLE);
    near(report.mode[0], 0, 1e-9);
    assert_int_equal(solve(2, 1, 1, A, B, speed, I, I, I, 0, &report), HML_NOT_STABILIZABLE);
    assert_int_equal(solve(1, 1, 1, A, B + 1, &nan, I, I, I, 0, NULL), HML_NOT_FINITE);
    assert_int_equal(solve(1, 1, 0, A, B + 1, I, I, I, I, 0, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(solve(1, 1, 1, A, B + 1, I, I, I, I, -1, NULL), HML_INVALID_ARGUMENT);
    assert_true(hml_lqr_integral_scratch_doubles(SIZE_MAX / 2, 1, SIZE_MAX / 2) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_on_paper), cmocka_unit_test(test_disturbance),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
