/*
 * Regulators: closed forms, the equation itself, the same problem in other units, and everything that is refused.
 * python/tests/test_control.py compares gains with SciPy's, which come from Schur's form.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/random.h"

enum { MOST = 12, SCRATCH = 1 << 13 };

typedef hml_status solver(const hml_lqr *, double *, hml_lqr_report *);

static double scratch[SCRATCH], K[MOST * MOST], P[MOST * MOST], closed[MOST * MOST], poles[2 * MOST];

static hml_lqr_report solve(solver *solve_it, size_t n, size_t m, const double *A, const double *B, const double *Q,
                            const double *R, const double *N, hml_status expected)
{
    hml_lqr_report report = {.struct_size = sizeof report};
    assert_true(hml_lqr_scratch_doubles(n, m) <= SCRATCH);
    for (size_t i = 0; i < SCRATCH; i++) scratch[i] = NAN;
    hml_lqr problem = HML_STRUCT(hml_lqr, .n = n, .m = m, .A = A, .B = B, .Q = Q, .R = R, .N = N, .K = K, .P = P,
                                 .closed = closed, .poles = poles);
    assert_int_equal(solve_it(&problem, scratch, &report), expected);
    return report;
}

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

static const double A2[4] = {0, 1, 0, 0}, B2[2] = {0, 1}, I2[4] = {1, 0, 0, 1}, I1[1] = {1};

/* ---- closed forms ---- */

/* Q = diag(q, s), R = r: K = (√(q/r), √(s/r + 2 √(q/r))) */
static void test_double_integrator(void **state)
{
    (void)state;
    for (int k = -8; k <= 8; k++) {
        const double q = pow(10, k), s = 3, r = 0.5, Q[4] = {q, 0, 0, s};
        const hml_lqr_report report = solve(hml_lqr_solve, 2, 1, A2, B2, Q, &r, NULL, HML_OK);
        const double k0 = sqrt(q / r), k1 = sqrt(s / r + 2 * k0);
        near(K[0], k0, 1e-13 * k0), near(K[1], k1, 1e-13 * k1);
        near(P[0], r * k0 * k1, 1e-13 * r * k0 * k1);
        near(closed[2], -k0, 1e-13 * k0), near(closed[0], 0, 0);
        near(poles[0] + poles[2], -k1, 1e-13 * k1);
        assert_true(report.residual < 1e-15 && report.uncontrollable == 0 && report.iterations > 0);
    }
}

/* x⁺ = a x + b u: P is the positive root of b² P² + (r (1 − a²) − b² q) P − q r = 0 */
static void test_discrete_scalar(void **state)
{
    (void)state;
    const double factors[] = {0, 0.5, 1, 1.5, -3};
    for (size_t i = 0; i < 5; i++) {
        const double a = factors[i], b = 2, q = 3, r = 0.25, p = r * (1 - a * a) - b * b * q;
        const double X = (-p + sqrt(p * p + 4 * b * b * q * r)) / (2 * b * b);
        solve(hml_lqr_solve_discrete, 1, 1, &a, &b, &q, &r, NULL, HML_OK);
        near(P[0], X, 1e-14 * X);
        near(K[0], b * X * a / (r + b * b * X), 1e-14);
        near(poles[0], a - b * K[0], 1e-14), near(poles[1], 0, 0);
    }
}

/* nothing weighs the state: the cheapest stabilizing feedback mirrors the unstable poles */
static void test_no_weight(void **state)
{
    (void)state;
    const double A[9] = {1, 0, 0, 0, 2, 0, 0, 0, -3}, B[3] = {1, 1, 1}, Q[9] = {0};
    solve(hml_lqr_solve, 3, 1, A, B, Q, I1, NULL, HML_OK);
    double sum = 0, product = 1;
    for (int i = 0; i < 3; i++) sum += poles[2 * i], product *= poles[2 * i], near(poles[2 * i + 1], 0, 1e-9);
    near(sum, -6, 1e-9), near(product, -6, 1e-9);
    const double D[4] = {2, 1, 0, 4};
    solve(hml_lqr_solve_discrete, 2, 1, D, B, Q, I1, NULL, HML_OK);
    near(poles[0] * poles[2], 0.125, 1e-12), near(poles[0] + poles[2], 0.75, 1e-12);
}

/* ---- the equation, and its units ---- */

static void random_matrix(hml_rng *rng, size_t count, double *x)
{
    for (size_t i = 0; i < count; i++) x[i] = hml_rng_uniform(rng, -1, 1);
}

/* X Xᵀ + 0.1 I of n + m rows is [Q N; Nᵀ R] */
static void random_weights(hml_rng *rng, size_t n, size_t m, double *Q, double *R, double *N)
{
    double X[4 * MOST * MOST];
    const size_t w = n + m;
    random_matrix(rng, w * w, X);
    for (size_t i = 0; i < w; i++) {
        for (size_t j = 0; j < w; j++) {
            double sum = i == j ? 0.1 : 0;
            for (size_t k = 0; k < w; k++) sum += X[i * w + k] * X[j * w + k];
            if (i < n && j < n) Q[i * n + j] = sum;
            if (i < n && j >= n) N[i * m + j - n] = sum;
            if (i >= n && j >= n) R[(i - n) * m + j - n] = sum;
        }
    }
}

/*
 * The same system with states in units that differ by ten orders: K times the units does not change. The relative error
 * of K is that of an equation whose condition is a few thousand.
 */
static void same_in_other_units(solver *solve_it, hml_rng *rng)
{
    const size_t n = 3 + (size_t)hml_rng_below(rng, MOST - 3), m = (n + 1) / 2;
    double A[MOST * MOST], B[MOST * MOST], Q[MOST * MOST], R[MOST * MOST], N[MOST * MOST], unit[MOST];
    double plain[MOST * MOST], most = 0;
    random_matrix(rng, n * n, A), random_matrix(rng, n * m, B), random_weights(rng, n, m, Q, R, N);
    hml_lqr_report report = solve(solve_it, n, m, A, B, Q, R, N, HML_OK);
    assert_true(report.residual < 1e-12);
    memcpy(plain, K, sizeof plain);
    for (size_t i = 0; i < n; i++) unit[i] = exp2(floor(hml_rng_uniform(rng, -17, 17)));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) A[i * n + j] *= unit[i] / unit[j], Q[i * n + j] /= unit[i] * unit[j];
        for (size_t j = 0; j < m; j++) B[i * m + j] *= unit[i], N[i * m + j] /= unit[i];
    }
    solve(solve_it, n, m, A, B, Q, R, N, HML_OK);
    for (size_t i = 0; i < m * n; i++) most = fmax(most, fabs(plain[i]));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) near(K[i * n + j] * unit[j], plain[i * n + j], 1e-10 * most);
}

static void test_units(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 7);
    for (int k = 0; k < 40; k++)
        same_in_other_units(hml_lqr_solve, &rng), same_in_other_units(hml_lqr_solve_discrete, &rng);
}

/* a cross term is the same as feedback of R⁻¹ Nᵀ in front: the poles are those of the transformed problem */
static void test_cross_term(void **state)
{
    (void)state;
    const double N[2] = {0.2, -0.3}, R = 2, Q[4] = {1, 0, 0, 1};
    solve(hml_lqr_solve, 2, 1, A2, B2, Q, &R, N, HML_OK);
    const double with[2] = {K[0], K[1]};
    const double A[4] = {0, 1, -N[0] / R, -N[1] / R};
    const double reduced[4] = {1 - N[0] * N[0] / R, -N[0] * N[1] / R, -N[0] * N[1] / R, 1 - N[1] * N[1] / R};
    solve(hml_lqr_solve, 2, 1, A, B2, reduced, &R, NULL, HML_OK);
    for (int i = 0; i < 2; i++) near(with[i], K[i] + N[i] / R, 1e-14);
}

/* ---- what is refused ---- */

static void test_not_stabilizable(void **state)
{
    (void)state;
    const double A[9] = {1, 0, 0, 0, -2, 0, 0, 0, -3}, B[3] = {0, 1, 1}, Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    hml_lqr_report report = solve(hml_lqr_solve, 3, 1, A, B, Q, I1, NULL, HML_NOT_STABILIZABLE);
    assert_true(report.uncontrollable == 1 && !report.unseen);
    near(report.mode[0], 1, 1e-14), near(report.mode[1], 0, 0);
    const double stable[9] = {-1, 0, 0, 0, -2, 0, 0, 0, -3};
    report = solve(hml_lqr_solve, 3, 1, stable, B, Q, I1, NULL, HML_OK);
    assert_int_equal(report.uncontrollable, 1);
    report = solve(hml_lqr_solve_discrete, 3, 1, A, B, Q, I1, NULL, HML_NOT_STABILIZABLE);
    assert_true(report.uncontrollable == 1);
    /* in another basis, and as a free motion: rounding hides neither */
    const double turned[4] = {0.5, 0.5, -0.5, -0.5}, nothing[2] = {0, 0};
    report = solve(hml_lqr_solve, 2, 1, turned, nothing, I2, I1, NULL, HML_NOT_STABILIZABLE);
    assert_int_equal(report.uncontrollable, 2);
}

/*
 * Two free masses in a basis that mixes them, beside one that is driven: the uncontrollable block has the eigenvalue 0
 * four times, defective, where iterations that wait for relative accuracy do not end.
 */
static void test_free_masses(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 5);
    for (int trial = 0; trial < 2000; trial++) {
        enum { S = 6 };
        double A[S * S] = {0}, B[S] = {0}, Q[S * S] = {0};
        A[0 * S + 3] = A[1 * S + 4] = A[2 * S + 5] = B[5] = 1;
        for (int i = 0; i < S; i++) Q[i * S + i] = 1;
        for (int turn = 0; turn < 12; turn++) {
            const int i = hml_rng_below(&rng, S), j = (i + 1 + hml_rng_below(&rng, S - 1)) % S;
            const double angle = hml_rng_uniform(&rng, -3, 3), c = cos(angle), s = sin(angle);
            for (int k = 0; k < S; k++) {
                const double a = A[i * S + k], b = A[j * S + k];
                A[i * S + k] = c * a - s * b, A[j * S + k] = s * a + c * b;
            }
            for (int k = 0; k < S; k++) {
                const double a = A[k * S + i], b = A[k * S + j];
                A[k * S + i] = c * a - s * b, A[k * S + j] = s * a + c * b;
            }
            const double a = B[i], b = B[j];
            B[i] = c * a - s * b, B[j] = s * a + c * b;
        }
        const hml_lqr_report report = solve(hml_lqr_solve, S, 1, A, B, Q, I1, NULL, HML_NOT_STABILIZABLE);
        assert_int_equal(report.uncontrollable, 4);
        near(hypot(report.mode[0], report.mode[1]), 0, 1e-6); /* the root of a rounding error, and a little more */
    }
}

/* a position that costs nothing stays where it is: no stabilizing solution */
static void test_unseen(void **state)
{
    (void)state;
    const double Q[4] = {0, 0, 0, 1};
    hml_lqr_report report = solve(hml_lqr_solve, 2, 1, A2, B2, Q, I1, NULL, HML_NOT_STABILIZABLE);
    assert_true(report.unseen == 1 && report.uncontrollable == 0);
    const double A[4] = {1, 0.1, 0, 1}, B[2] = {0.005, 0.1};
    report = solve(hml_lqr_solve_discrete, 2, 1, A, B, Q, I1, NULL, HML_NOT_STABILIZABLE);
    assert_int_equal(report.unseen, 1);
    near(report.mode[0], 1, 1e-9);
}

static void test_arguments(void **state)
{
    (void)state;
    const double skew[4] = {1, 0.5, 0, 1}, negative[4] = {1, 0, 0, -1e-3}, zero = 0, minus = -1, nan = NAN;
    const double cross[2] = {2, 0}, infinite[4] = {0, INFINITY, 0, 0}, saddle[4] = {0, 1, 1, 0};
    solve(hml_lqr_solve, 2, 1, A2, B2, skew, I1, NULL, HML_INVALID_ARGUMENT);
    solve(hml_lqr_solve, 2, 1, A2, B2, negative, I1, NULL, HML_INVALID_ARGUMENT);
    solve(hml_lqr_solve, 2, 1, A2, B2, saddle, I1, NULL, HML_INVALID_ARGUMENT);
    solve(hml_lqr_solve, 2, 1, A2, B2, I2, &zero, NULL, HML_INVALID_ARGUMENT);
    solve(hml_lqr_solve, 2, 1, A2, B2, I2, &minus, NULL, HML_INVALID_ARGUMENT);
    solve(hml_lqr_solve, 2, 1, A2, B2, I2, I1, cross, HML_INVALID_ARGUMENT);
    solve(hml_lqr_solve, 2, 1, A2, B2, I2, &nan, NULL, HML_NOT_FINITE);
    solve(hml_lqr_solve_discrete, 2, 1, infinite, B2, I2, I1, NULL, HML_NOT_FINITE);
    solve(hml_lqr_solve, 2, 1, NULL, B2, I2, I1, NULL, HML_INVALID_ARGUMENT);
    solve(hml_lqr_solve, 0, 1, A2, B2, I2, I1, NULL, HML_INVALID_ARGUMENT);
    solve(hml_lqr_solve, 2, 0, A2, B2, I2, I1, NULL, HML_INVALID_ARGUMENT);
    assert_int_equal(hml_lqr_solve(NULL, scratch, NULL), HML_INVALID_ARGUMENT);
    hml_lqr problem = HML_STRUCT(hml_lqr, .n = 2, .m = 1, .A = A2, .B = B2, .Q = I2, .R = I1);
    assert_int_equal(hml_lqr_solve(&problem, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_lqr_solve(&problem, scratch, NULL), HML_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_integrator), cmocka_unit_test(test_discrete_scalar),
        cmocka_unit_test(test_no_weight),         cmocka_unit_test(test_units),
        cmocka_unit_test(test_cross_term),        cmocka_unit_test(test_not_stabilizable),
        cmocka_unit_test(test_free_masses),       cmocka_unit_test(test_unseen),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
