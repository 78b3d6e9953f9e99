/*
 * Periodic regulators: constant matrices are the regulator of hml_lqr_solve_discrete, a long horizon comes to the same gains
 * step by step, multipliers are those of the product of the closed loops, and what is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/dense.h"
#include "hamel/control.h"
#include "hamel/random.h"

enum { N = 4, M = 2, STEPS = 5, PERIODS = 60, LONG = STEPS * PERIODS, SCRATCH = 1 << 12 };

static double scratch[SCRATCH], A[LONG][N * N], B[LONG][N * M], Q[LONG][N * N], R[LONG][M * M], cross[LONG][N * M];
static double K[LONG][M * N], P[LONG + 1][N * N], gains[STEPS][M * N], values[STEPS + 1][N * N], multipliers[2 * N];

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

/* a period, again and again; `growth` makes the robot fall between its steps */
static void draw(hml_rng *rng, double growth)
{
    for (int k = 0; k < STEPS; k++) {
        double X[(N + M) * (N + M)], W[(N + M) * (N + M)];
        for (int i = 0; i < (N + M) * (N + M); i++) X[i] = hml_rng_uniform(rng, -1, 1);
        for (int i = 0; i < N + M; i++)
            for (int j = 0; j < N + M; j++) W[i * (N + M) + j] = dense_dot(N + M, X + i * (N + M), X + j * (N + M));
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) Q[k][i * N + j] = W[i * (N + M) + j];
        for (int i = 0; i < N * N; i++) A[k][i] = growth * hml_rng_uniform(rng, -1, 1);
        for (int i = 0; i < N * M; i++) B[k][i] = hml_rng_uniform(rng, -1, 1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++) cross[k][i * M + j] = W[i * (N + M) + N + j];
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++) R[k][i * M + j] = W[(N + i) * (N + M) + N + j];
    }
    for (int k = STEPS; k < LONG; k++) {
        memcpy(A[k], A[k % STEPS], sizeof A[k]), memcpy(B[k], B[k % STEPS], sizeof B[k]);
        memcpy(Q[k], Q[k % STEPS], sizeof Q[k]), memcpy(R[k], R[k % STEPS], sizeof R[k]);
        memcpy(cross[k], cross[k % STEPS], sizeof cross[k]);
    }
}

static hml_lqr_horizon problem(size_t steps)
{
    return HML_STRUCT(hml_lqr_horizon, .n = N, .m = M, .steps = steps, .A = {A[0], N * N}, .B = {B[0], N * M},
                      .Q = {Q[0], N * N}, .R = {R[0], M * M}, .N = {cross[0], N * M});
}

static hml_lqr_horizon period(void)
{
    hml_lqr_horizon all = problem(STEPS);
    all.K = gains[0], all.P = values[0], all.multipliers = multipliers;
    return all;
}

static double size_of(size_t count, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* the closed loop of a whole period */
static void loop(double *product)
{
    double next[N * N], closed[N * N];
    for (int i = 0; i < N * N; i++) product[i] = i % (N + 1) == 0;
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                closed[i * N + j] = A[k][i * N + j];
                for (int l = 0; l < M; l++) closed[i * N + j] -= B[k][i * M + l] * gains[k][l * N + j];
            }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                next[i * N + j] = 0;
                for (int l = 0; l < N; l++) next[i * N + j] += closed[i * N + l] * product[l * N + j];
            }
        memcpy(product, next, sizeof next);
    }
}

/* with growth 3 the open loop makes 10⁴ of a perturbation in a period */
static void test_long_horizon(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 5);
    assert_true(hml_lqr_periodic_scratch_doubles(N, M) <= SCRATCH);
    for (int trial = 0; trial < 30; trial++) {
        hml_lqr_report report = {.struct_size = sizeof report};
        double product[N * N], square[N * N], trace[2] = {0}, sums[2] = {0};
        size_t step = 99;
        draw(&rng, trial % 3 + 1);
        hml_lqr_horizon all = problem(LONG);
        all.K = K[0], all.P = P[0];
        assert_int_equal(hml_lqr_horizon_solve(&all, scratch, NULL), HML_OK);
        all = period();
        for (int i = 0; i < SCRATCH; i++) scratch[i] = NAN;
        assert_int_equal(hml_lqr_periodic_solve(&all, scratch, &step, &report), HML_OK);
        assert_int_equal(step, STEPS);
        assert_true(report.residual < 1e-12);
        for (int k = 0; k < STEPS; k++) { /* condition of R + BᵀPB, and of P: up to 10⁴ */
            for (int i = 0; i < M * N; i++) near(gains[k][i], K[k][i], 1e-10 * size_of(M * N, K[k]));
            for (int i = 0; i < N * N; i++) near(values[k][i], P[k][i], 1e-10 * size_of(N * N, P[k]));
        }
        for (int i = 0; i < N * N; i++) near(values[STEPS][i], values[0][i], 1e-11 * size_of(N * N, P[0]));
        loop(product);
        for (int i = 0; i < N * N; i++) square[i] = product[i];
        for (int i = 0; i < N; i++) {
            const double *x = multipliers + 2 * i;
            trace[0] += product[i * N + i];
            for (int j = 0; j < N; j++) trace[1] += square[i * N + j] * square[j * N + i];
            sums[0] += x[0], sums[1] += x[0] * x[0] - x[1] * x[1];
            assert_true(hypot(x[0], x[1]) < 1);
        }
        near(sums[0], trace[0], 1e-9), near(sums[1], trace[1], 1e-9);
    }
}

static void test_constant(void **state)
{
    (void)state;
    const double A2[4] = {1, 0.1, 0.3, 1}, B2[2] = {0.005, 0.1}, I[4] = {1, 0, 0, 1}, one = 1;
    double steady[2], P2[4], poles[4], all_K[7][2], all_P[8][4], over[4];
    const hml_lqr forever =
        HML_STRUCT(hml_lqr, .n = 2, .m = 1, .A = A2, .B = B2, .Q = I, .R = &one, .K = steady, .P = P2, .poles = poles);
    assert_int_equal(hml_lqr_solve_discrete(&forever, scratch, NULL), HML_OK);
    for (size_t steps = 1; steps <= 7; steps++) {
        const hml_lqr_horizon all =
            HML_STRUCT(hml_lqr_horizon, .n = 2, .m = 1, .steps = steps, .A = {A2, 0}, .B = {B2, 0}, .Q = {I, 0},
                       .R = {&one, 0}, .K = all_K[0], .P = all_P[0], .multipliers = over);
        assert_int_equal(hml_lqr_periodic_solve(&all, scratch, NULL, NULL), HML_OK);
        for (size_t k = 0; k <= steps; k++) {
            for (int i = 0; i < 4; i++) near(all_P[k][i], P2[i], 1e-12 * P2[0]);
            for (int i = 0; i < 2 && k < steps; i++) near(all_K[k][i], steady[i], 1e-12 * fabs(steady[0]));
        }
        double product[2] = {1, 1}, wanted[2] = {1, 1}; /* of both multipliers */
        for (size_t k = 0; k < steps; k++) wanted[0] *= poles[0] * poles[2] - poles[1] * poles[3];
        product[0] = over[0] * over[2] - over[1] * over[3];
        near(product[0], wanted[0], 1e-12);
    }
}

/* one state of two has an input, in one of two steps; the other grows in one step and fades in the next */
static hml_status solve_two(double first, double second, double weight, hml_lqr_report *report)
{
    const double all_A[2][4] = {{first, 0, 0, 3}, {second, 0, 0, 1}}, all_B[2][2] = {{0, 1}, {0, 0}},
                 all_Q[4] = {weight, 0, 0, 1}, one = 1;
    double all_K[2][2];
    const hml_lqr_horizon all = HML_STRUCT(hml_lqr_horizon, .n = 2, .m = 1, .steps = 2, .A = {all_A[0], 4},
                                           .B = {all_B[0], 2}, .Q = {all_Q, 0}, .R = {&one, 0}, .K = all_K[0]);
    const hml_status status = hml_lqr_periodic_solve(&all, scratch, NULL, report);
    if (status) return status;
    /* p = 2 before the other step's cost: 1 + (1 + p) of x⁺ = 3x + u, least at u = −(1+p)3x/(2+p), p = P of the first step */
    double p = 1;
    for (int i = 0; i < 200; i++) p = 1 + 9 * (1 + p) / (2 + p);
    near(all_K[0][1], 3 * (1 + p) / (2 + p), 1e-12), near(all_K[0][0], 0, 1e-12), near(all_K[1][1], 0, 0);
    return HML_OK;
}

static void test_unstabilizable(void **state)
{
    (void)state;
    hml_lqr_report report = {.struct_size = sizeof report};
    assert_int_equal(solve_two(2, 0.25, 1, &report), HML_OK);
    assert_int_equal(report.uncontrollable, 1);
    assert_int_equal(solve_two(2, 0.75, 1, &report), HML_NOT_STABILIZABLE);
    assert_false(report.unseen);
    near(report.mode[0], 1.5, 1e-9), near(report.mode[1], 0, 1e-9);
    assert_int_equal(solve_two(-2, 0.5, 1, &report), HML_NOT_STABILIZABLE); /* on the border */
    near(report.mode[0], -1, 1e-9);
}

static void test_arguments(void **state)
{
    (void)state;
    size_t step = 99;
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    draw(&rng, 1);
    hml_lqr_horizon all = period();
    assert_int_equal(hml_lqr_periodic_solve(NULL, scratch, &step, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_lqr_periodic_solve(&all, NULL, &step, NULL), HML_INVALID_ARGUMENT);
    all.Q_end = Q[0];
    assert_int_equal(hml_lqr_periodic_solve(&all, scratch, &step, NULL), HML_INVALID_ARGUMENT);
    all = period(), all.steps = 0;
    assert_int_equal(hml_lqr_periodic_solve(&all, scratch, &step, NULL), HML_INVALID_ARGUMENT);
    all = period(), R[3][0] = -1;
    assert_int_equal(hml_lqr_periodic_solve(&all, scratch, &step, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(step, 3);
    draw(&rng, 1), B[2][1] = NAN;
    assert_int_equal(hml_lqr_periodic_solve(&all, scratch, &step, NULL), HML_NOT_FINITE);
    assert_int_equal(step, 2);
    draw(&rng, 1);
    hml_lqr_report broken = {.struct_size = 1};
    assert_int_equal(hml_lqr_periodic_solve(&all, scratch, &step, &broken), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_lqr_periodic_solve(&all, scratch, NULL, NULL), HML_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_horizon),
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_unstabilizable),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
