/* Margins: closed forms, in continuous and in discrete time; and gains of random loops just inside and just outside their borders. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/random.h"

enum { MOST = 8, INPUTS = 3, SCRATCH = 1 << 14 };

static double scratch[SCRATCH];
static hml_margin inputs[INPUTS];
static hml_disk S, T, both;

static void solve(size_t n, size_t m, const double *A, const double *B, const double *K, double step,
                  hml_status expected)
{
    assert_true(hml_margins_scratch_doubles(n, m) <= SCRATCH);
    for (size_t i = 0; i < SCRATCH; i++) scratch[i] = NAN;
    const hml_margins problem = HML_STRUCT(hml_margins, .n = n, .m = m, .A = A, .B = B, .K = K, .step = step,
                                           .inputs = inputs, .sensitivity = &S, .complementary = &T, .balanced = &both);
    assert_int_equal(hml_margins_solve(&problem, scratch), expected);
}

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

/* L = k / (s − a): S = (s − a)/(s − a + k) has its peak at 0 or at infinity */
static void test_first_order(void **state)
{
    (void)state;
    const double B = 1;
    for (int i = -3; i <= 3; i++) {
        const double a = i, k = 4.5, w = sqrt(k * k - a * a);
        solve(1, 1, &a, &B, &k, 0, HML_OK);
        near(inputs[0].gain[0], a / k, 1e-14), near(inputs[0].gain_frequency[0], 0, 0);
        assert_true(isinf(inputs[0].gain[1]) && isnan(inputs[0].gain_frequency[1]));
        near(inputs[0].phase, acos(a / k), 1e-13), near(inputs[0].phase_frequency, w, 1e-13 * w);
        near(inputs[0].delay, acos(a / k) / w, 1e-13);
        near(S.peak, fmax(1, fabs(a) / (k - a)), 2e-7 * S.peak);
        near(T.peak, k / (k - a), 2e-7 * T.peak), near(T.frequency, 0, 1e-3);
        near(both.peak, fmax(0.5, (k + a) / (k - a) / 2), 2e-7 * both.peak);
        near(T.gain[1], 1 + (k - a) / k, 1e-6);
    }
}

/* L = k / (s (s + 1) (s + 2)) has the angle −π at √2, where it is −k/6 */
static void test_third_order(void **state)
{
    (void)state;
    const double A[9] = {0, 1, 0, 0, 0, 1, 0, -2, -3}, B[3] = {0, 0, 1};
    for (double k = 0.5; k < 6; k += 0.5) {
        const double K[3] = {k, 0, 0};
        solve(3, 1, A, B, K, 0, HML_OK);
        near(inputs[0].gain[1], 6 / k, 1e-12 / k), near(inputs[0].gain_frequency[1], sqrt(2), 1e-12);
        near(inputs[0].gain[0], 0, 0);
        const double w = inputs[0].phase_frequency, pi = acos(-1);
        near(w * sqrt(1 + w * w) * sqrt(4 + w * w), k, 1e-11);
        near(inputs[0].phase, pi / 2 - atan(w) - atan(w / 2), 1e-12);
        near(inputs[0].delay * w, inputs[0].phase, 1e-12);
        assert_true(1 / (1 - 1 / S.peak) <= 6 / k && S.phase <= inputs[0].phase && both.phase <= inputs[0].phase);
    }
    const double K[3] = {6.001, 0, 0};
    solve(3, 1, A, B, K, 0, HML_NOT_STABILIZABLE);
}

/* stable for gains in an interval only: L = k (s + 1)² / s³ needs k > 1/2 */
static void test_conditional(void **state)
{
    (void)state;
    const double A[9] = {0, 1, 0, 0, 0, 1, 0, 0, 0}, B[3] = {0, 0, 1}, K[3] = {2, 4, 2};
    solve(3, 1, A, B, K, 0, HML_OK);
    near(inputs[0].gain[0], 0.25, 1e-13), near(inputs[0].gain_frequency[0], 1, 1e-13);
    assert_true(isinf(inputs[0].gain[1]));
}

/* L = k / (z − 1): z = −1 at the gain 2/k */
static void test_discrete(void **state)
{
    (void)state;
    const double A = 1, B = 1, pi = acos(-1);
    for (int i = 1; i < 20; i++) {
        const double k = 0.1 * i, step = 0.02, w = 2 * asin(k / 2);
        solve(1, 1, &A, &B, &k, step, HML_OK);
        near(inputs[0].gain[1], 2 / k, 1e-13 / k), near(inputs[0].gain_frequency[1], pi / step, 1e-10);
        near(inputs[0].gain[0], 0, 0);
        near(inputs[0].phase_frequency, w / step, 1e-11 * w / step);
        near(inputs[0].phase, pi / 2 - w / 2, 1e-12);
        near(inputs[0].delay, (pi / 2 - w / 2) / w * step, 1e-12);
        near(S.peak, 2 / (2 - k), 3e-7 * S.peak); /* |z − 1| / |z − 1 + k| at −1 */
    }
}

/* ---- random loops ---- */

static double growth(size_t n, const double *closed, double step)
{
    double room[1 << 13], worst = -HUGE_VAL, values[2 * MOST];
    assert_true(hml_modes_scratch_doubles(n, 0, 0, n) <= 1 << 13);
    hml_modes problem = HML_STRUCT(hml_modes, .n = n, .A = closed, .eigenvalues = values);
    assert_int_equal(hml_modes_solve(&problem, room, NULL), HML_OK);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, step > 0 ? hypot(values[2 * i], values[2 * i + 1]) - 1 : values[2 * i]);
    return worst;
}

static double growth_with(size_t n, size_t m, const double *A, const double *B, const double *K, const double *g,
                          double step)
{
    double closed[MOST * MOST];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            closed[i * n + j] = A[i * n + j];
            for (size_t k = 0; k < m; k++) closed[i * n + j] -= B[i * m + k] * g[k] * K[k * n + j];
        }
    return growth(n, closed, step);
}

static double far_gain(double g, int low) { return isinf(g) ? (low ? -1e3 : 1e3) : g; }

static void check_gains(size_t n, size_t m, const double *A, const double *B, const double *K, double step,
                        hml_rng *rng)
{
    for (size_t i = 0; i < m; i++) {
        double g[INPUTS] = {1, 1, 1};
        const double low = far_gain(inputs[i].gain[0], 1), high = far_gain(inputs[i].gain[1], 0);
        for (int k = 0; k <= 20; k++) {
            g[i] = low + (high - low) * (1e-6 + (1 - 2e-6) * k / 20);
            if (!(growth_with(n, m, A, B, K, g, step) < 1e-9))
                fail_msg("input %zu: unstable inside, at %.12g", i, g[i]);
        }
        for (int side = 0; side < 2; side++) {
            if (isinf(inputs[i].gain[side])) continue;
            const double border = inputs[i].gain[side], out = border + (side ? 1e-5 : -1e-5) * (1 + fabs(border));
            g[i] = out;
            if (!(growth_with(n, m, A, B, K, g, step) > -1e-9)) fail_msg("input %zu: stable outside, at %.12g", i, out);
        }
    }
    const hml_disk *const disks[] = {&S, &T, &both};
    for (size_t k = 0; k < 3; k++) {
        for (int draw = 0; draw < 8; draw++) {
            double g[INPUTS];
            for (size_t i = 0; i < m; i++) g[i] = hml_rng_uniform(rng, disks[k]->gain[0], fmin(disks[k]->gain[1], 1e3));
            if (!(growth_with(n, m, A, B, K, g, step) < 1e-9)) fail_msg("unstable inside disk %zu", k);
        }
    }
}

/* the regulator of a random system: at least half and any times the gain, 60° and a sensitivity of at most 1 */
static void test_random_regulators(void **state)
{
    (void)state;
    static double A[MOST * MOST], B[MOST * INPUTS], Q[MOST * MOST], R[INPUTS * INPUTS], K[MOST * INPUTS], room[1 << 12];
    const double pi = acos(-1);
    hml_rng rng;
    hml_rng_seed(&rng, 11);
    for (int round = 0; round < 80; round++) {
        const size_t n = 1 + (size_t)(hml_rng_uniform(&rng, 0, 1) * MOST),
                     m = 1 + (size_t)(hml_rng_uniform(&rng, 0, 1) * INPUTS);
        const double step = round % 2 ? 0.05 : 0;
        for (size_t i = 0; i < n * n; i++) A[i] = hml_rng_uniform(&rng, -1, 1), Q[i] = i % (n + 1) == 0;
        for (size_t i = 0; i < n * m; i++) B[i] = hml_rng_uniform(&rng, -1, 1);
        for (size_t i = 0; i < m * m; i++) R[i] = i % (m + 1) == 0;
        assert_true(hml_lqr_scratch_doubles(n, m) <= 1 << 12);
        const hml_lqr lqr = HML_STRUCT(hml_lqr, .n = n, .m = m, .A = A, .B = B, .Q = Q, .R = R, .K = K);
        assert_int_equal((step > 0 ? hml_lqr_solve_discrete : hml_lqr_solve)(&lqr, room, NULL), HML_OK);
        solve(n, m, A, B, K, step, HML_OK);
        check_gains(n, m, A, B, K, step, &rng);
        if (step > 0) continue;
        assert_true(S.peak <= 1 + 2e-7 && S.phase >= pi / 3 - 1e-6);
        for (size_t i = 0; i < m; i++) {
            assert_true(inputs[i].gain[0] <= 0.5 && isinf(inputs[i].gain[1]));
            assert_true(inputs[i].phase >= pi / 3 - 1e-9);
        }
        /* any stable loop: with a part of the gain it has smaller margins */
        for (size_t i = 0; i < n * m; i++) K[i] *= 1.2 + hml_rng_uniform(&rng, -0.1, 0.1);
        const double ones[INPUTS] = {1, 1, 1};
        if (!(growth_with(n, m, A, B, K, ones, 0) < -1e-3)) continue;
        solve(n, m, A, B, K, 0, HML_OK);
        check_gains(n, m, A, B, K, 0, &rng);
    }
}

/* units of states and inputs do not matter where `scale` follows them */
static void test_units(void **state)
{
    (void)state;
    const double A[4] = {0, 1, 2, -0.3}, B[4] = {1, 0.5, 0.2, 1}, K[4] = {3, 2, 1, 4}, u[2] = {1e3, 1e-2},
                 x[2] = {1e4, 1};
    double A2[4], B2[4], K2[4];
    hml_disk plain, scaled;
    hml_margin first[2], second[2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            A2[2 * i + j] = A[2 * i + j] * x[i] / x[j];
            B2[2 * i + j] = B[2 * i + j] * x[i] / u[j];
            K2[2 * i + j] = K[2 * i + j] * u[i] / x[j];
        }
    const hml_margins one =
        HML_STRUCT(hml_margins, .n = 2, .m = 2, .A = A, .B = B, .K = K, .inputs = first, .balanced = &plain);
    const hml_margins two = HML_STRUCT(hml_margins, .n = 2, .m = 2, .A = A2, .B = B2, .K = K2, .scale = u,
                                       .inputs = second, .balanced = &scaled);
    assert_int_equal(hml_margins_solve(&one, scratch), HML_OK);
    assert_int_equal(hml_margins_solve(&two, scratch), HML_OK);
    near(plain.peak, scaled.peak, 1e-7 * plain.peak);
    for (int i = 0; i < 2; i++)
        near(first[i].gain[0], second[i].gain[0], 1e-10), near(first[i].phase, second[i].phase, 1e-10);
}

static void test_arguments(void **state)
{
    (void)state;
    const double A = 0, B = 1, K = 1, nan = NAN, zero = 0;
    solve(1, 1, &A, &B, &zero, 0, HML_NOT_STABILIZABLE);
    solve(1, 1, &A, &B, &nan, 0, HML_NOT_FINITE);
    solve(1, 1, &A, &B, &K, -1, HML_INVALID_ARGUMENT);
    solve(0, 1, &A, &B, &K, 0, HML_INVALID_ARGUMENT);
    solve(1, 1, NULL, &B, &K, 0, HML_INVALID_ARGUMENT);
    const double minus = -1; /* A − B K = −1 in discrete time: on the border */
    solve(1, 1, &minus, &B, &zero, 1, HML_NOT_STABILIZABLE);
    const hml_margins scaled = HML_STRUCT(hml_margins, .n = 1, .m = 1, .A = &A, .B = &B, .K = &K, .scale = &zero);
    assert_int_equal(hml_margins_solve(&scaled, scratch), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_margins_solve(NULL, scratch), HML_INVALID_ARGUMENT);
    assert_true(hml_margins_scratch_doubles(SIZE_MAX / 4, 1) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_order),       cmocka_unit_test(test_third_order),
        cmocka_unit_test(test_conditional),       cmocka_unit_test(test_discrete),
        cmocka_unit_test(test_random_regulators), cmocka_unit_test(test_units),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
