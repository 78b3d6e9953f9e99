/* Lyapunov equations: closed forms, the equation itself with slow and fast modes together, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/random.h"

enum { MOST = 10, SCRATCH = 1 << 10 };

static double scratch[SCRATCH], X[MOST * MOST], residual;

typedef hml_status solver(size_t, const double *, const double *, double *, double *, double *);

static void solve(solver *solve_it, size_t n, const double *A, const double *Q, hml_status expected)
{
    assert_true(hml_lyapunov_scratch_doubles(n) <= SCRATCH);
    for (size_t i = 0; i < SCRATCH; i++) scratch[i] = NAN;
    assert_int_equal(solve_it(n, A, Q, scratch, X, &residual), expected);
}

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

/* a damped oscillator pushed by noise: ẍ + 2 d ẋ + w² x = noise has the variances 1/(4 d w²) and 1/(4 d) */
static void test_oscillator(void **state)
{
    (void)state;
    const double Q[4] = {0, 0, 0, 1};
    for (int k = -6; k <= 6; k++) {
        const double w = pow(10, k / 2.0), d = 0.1, A[4] = {0, 1, -w * w, -2 * d};
        solve(hml_lyapunov_solve, 2, A, Q, HML_OK);
        near(X[0], 1 / (4 * d * w * w), 1e-12 / (4 * d * w * w));
        near(X[3], 1 / (4 * d), 1e-12 / d), near(X[1], 0, 1e-12 / d / w);
        assert_true(residual < 1e-14);
    }
}

/* modes from one to 10⁻⁶ of the border, in a basis that mixes them; X_ij = q_ij / (1 − a_i a_j) or −q_ij / (a_i + a_j) */
static void test_diagonal(void **state)
{
    (void)state;
    double A[MOST * MOST] = {0}, Q[MOST * MOST];
    hml_rng rng;
    hml_rng_seed(&rng, 3);
    for (int discrete = 0; discrete < 2; discrete++) {
        for (int i = 0; i < MOST; i++) {
            const double gap = pow(10, -6.0 * i / (MOST - 1));
            A[i * MOST + i] = discrete ? 1 - gap : -gap;
            for (int j = 0; j <= i; j++) Q[i * MOST + j] = Q[j * MOST + i] = hml_rng_uniform(&rng, -1, 1);
        }
        solve(discrete ? hml_lyapunov_solve_discrete : hml_lyapunov_solve, MOST, A, Q, HML_OK);
        for (int i = 0; i < MOST; i++) {
            for (int j = 0; j < MOST; j++) {
                const double a = A[i * MOST + i], b = A[j * MOST + j];
                const double x = discrete ? Q[i * MOST + j] / (1 - a * b) : -Q[i * MOST + j] / (a + b);
                near(X[i * MOST + j], x, 1e-9 * fabs(x)); /* 10⁻¹⁶ of the rounded eigenvalue, 10⁶ from the border */
            }
        }
    }
}

static void test_arguments(void **state)
{
    (void)state;
    const double swing[4] = {0, 1, -1, 0}, I[4] = {1, 0, 0, 1}, skew[4] = {1, 1, 0, 1}, stable[4] = {-0.5, 0, 0, -0.5};
    const double nan[4] = {NAN, 0, 0, 0};
    solve(hml_lyapunov_solve, 2, swing, I, HML_NOT_STABILIZABLE);
    solve(hml_lyapunov_solve_discrete, 2, swing, I, HML_NOT_STABILIZABLE);
    solve(hml_lyapunov_solve_discrete, 2, I, I, HML_NOT_STABILIZABLE);
    solve(hml_lyapunov_solve, 2, stable, skew, HML_INVALID_ARGUMENT);
    solve(hml_lyapunov_solve, 2, nan, I, HML_NOT_FINITE);
    solve(hml_lyapunov_solve, 2, stable, nan, HML_NOT_FINITE);
    solve(hml_lyapunov_solve, 0, stable, I, HML_INVALID_ARGUMENT);
    solve(hml_lyapunov_solve, 2, NULL, I, HML_INVALID_ARGUMENT);
    assert_int_equal(hml_lyapunov_solve(2, stable, I, NULL, X, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_lyapunov_solve(2, stable, I, scratch, X, NULL), HML_OK);
    near(X[0], 1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_diagonal),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
