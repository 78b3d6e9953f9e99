/*
 * Regulators over a finite horizon: against the least squares problem of all inputs at once, which knows no recursion;
 * a long horizon is the regulator of hml_lqr_solve_discrete; and what is refused.
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

enum { N = 4, M = 2, STEPS = 6, ALL = STEPS * M, SCRATCH = 1 << 12 };

static double scratch[SCRATCH], A[STEPS][N * N], B[STEPS][N * M], Q[STEPS + 1][N * N], R[STEPS][M * M],
    cross[STEPS][N * M];
static double K[STEPS][M * N], P[STEPS + 1][N * N];

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

static void draw(hml_rng *rng)
{
    for (int k = 0; k <= STEPS; k++) {
        double X[(N + M) * (N + M)], W[(N + M) * (N + M)];
        for (int i = 0; i < (N + M) * (N + M); i++) X[i] = hml_rng_uniform(rng, -1, 1);
        for (int i = 0; i < N + M; i++)
            for (int j = 0; j < N + M; j++) W[i * (N + M) + j] = dense_dot(N + M, X + i * (N + M), X + j * (N + M));
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) Q[k][i * N + j] = W[i * (N + M) + j];
        if (k == STEPS) break;
        for (int i = 0; i < N * N; i++) A[k][i] = hml_rng_uniform(rng, -1, 1);
        for (int i = 0; i < N * M; i++) B[k][i] = hml_rng_uniform(rng, -1, 1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < M; j++) cross[k][i * M + j] = W[i * (N + M) + N + j];
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++) R[k][i * M + j] = W[(N + i) * (N + M) + N + j];
    }
}

static hml_lqr_horizon problem(void)
{
    return HML_STRUCT(hml_lqr_horizon, .n = N, .m = M, .steps = STEPS, .A = {A[0], N * N}, .B = {B[0], N * M},
                      .Q = {Q[0], N * N}, .R = {R[0], M * M}, .N = {cross[0], N * M}, .Q_end = Q[STEPS], .K = K[0],
                      .P = P[0]);
}

static double form(const double *W, int rows, int columns, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) sum += x[i] * W[i * columns + j] * y[j];
    return sum;
}

static void advance(int k, const double *x, const double *u, double *next)
{
    for (int i = 0; i < N; i++) next[i] = dense_dot(N, A[k] + i * N, x) + dense_dot(M, B[k] + i * M, u);
}

static double cost_of(const double *x0, const double *inputs)
{
    double x[N], next[N], sum = 0;
    memcpy(x, x0, sizeof x);
    for (int k = 0; k < STEPS; k++) {
        const double *u = inputs + k * M;
        sum += form(Q[k], N, N, x, x) + 2 * form(cross[k], N, M, x, u) + form(R[k], M, M, u, u);
        advance(k, x, u, next);
        memcpy(x, next, sizeof x);
    }
    return sum + form(Q[STEPS], N, N, x, x);
}

/* the cost is quadratic in all inputs: its gradient and Hessian are exact differences, and one solution finds the least */
static void best_inputs(const double *x0, double *inputs)
{
    double H[ALL * ALL], e[ALL] = {0}, minus[ALL], base = cost_of(x0, e);
    double up[ALL];
    for (int i = 0; i < ALL; i++) {
        e[i] = 1, up[i] = cost_of(x0, e), e[i] = -1;
        inputs[i] = -(up[i] - cost_of(x0, e)) / 2, e[i] = 0;
    }
    for (int i = 0; i < ALL; i++) {
        for (int j = 0; j < ALL; j++) {
            memset(minus, 0, sizeof minus);
            minus[i] += 1, minus[j] += 1;
            H[i * ALL + j] = cost_of(x0, minus) - up[i] - up[j] + base;
        }
    }
    assert_int_equal(dense_eliminate(ALL, H, 1e-12, 1, inputs), 0);
}

static void test_least_squares(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 11);
    assert_true(hml_lqr_horizon_scratch_doubles(N, M) <= SCRATCH);
    for (int trial = 0; trial < 20; trial++) {
        double x[N], next[N], inputs[ALL], u[M];
        size_t step;
        draw(&rng);
        const hml_lqr_horizon all = problem();
        assert_int_equal(hml_lqr_horizon_solve(&all, scratch, &step), HML_OK);
        for (int i = 0; i < N; i++) x[i] = hml_rng_uniform(&rng, -1, 1);
        best_inputs(x, inputs);
        near(form(P[0], N, N, x, x), cost_of(x, inputs), 1e-9);
        for (int k = 0; k < STEPS; k++) { /* the Hessian's condition is a few thousand */
            for (int i = 0; i < M; i++) u[i] = -dense_dot(N, K[k] + i * N, x), near(u[i], inputs[k * M + i], 1e-9);
            advance(k, x, u, next);
            memcpy(x, next, sizeof x);
        }
        near(form(P[STEPS], N, N, x, x), form(Q[STEPS], N, N, x, x), 1e-12);
    }
}

/* constant matrices over a long horizon, from a wrong end */
static void test_long_horizon(void **state)
{
    (void)state;
    enum { LONG = 400 };
    static double gains[LONG * 2];
    const double A2[4] = {1, 0.1, 0, 1}, B2[2] = {0.005, 0.1}, I[4] = {1, 0, 0, 1}, one = 1;
    double steady[2], values[4];
    const hml_lqr_horizon all = HML_STRUCT(hml_lqr_horizon, .n = 2, .m = 1, .steps = LONG, .A = {A2, 0}, .B = {B2, 0},
                                           .Q = {I, 0}, .R = {&one, 0}, .K = gains);
    assert_int_equal(hml_lqr_horizon_solve(&all, scratch, NULL), HML_OK);
    const hml_lqr forever =
        HML_STRUCT(hml_lqr, .n = 2, .m = 1, .A = A2, .B = B2, .Q = I, .R = &one, .K = steady, .poles = values);
    assert_int_equal(hml_lqr_solve_discrete(&forever, scratch, NULL), HML_OK);
    for (int i = 0; i < 2; i++) near(gains[i], steady[i], 1e-12);
    near(gains[2 * (LONG - 1)], 0, 0); /* the last input changes nothing that costs */
}

static void test_arguments(void **state)
{
    (void)state;
    size_t step = 99;
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    draw(&rng);
    hml_lqr_horizon all = problem();
    assert_int_equal(hml_lqr_horizon_solve(NULL, scratch, &step), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_lqr_horizon_solve(&all, NULL, &step), HML_INVALID_ARGUMENT);
    all.steps = 0;
    assert_int_equal(hml_lqr_horizon_solve(&all, scratch, &step), HML_INVALID_ARGUMENT);
    all = problem(), all.A.data = NULL;
    assert_int_equal(hml_lqr_horizon_solve(&all, scratch, &step), HML_INVALID_ARGUMENT);
    all = problem(), Q[3][1] += 1;
    assert_int_equal(hml_lqr_horizon_solve(&all, scratch, &step), HML_INVALID_ARGUMENT);
    assert_int_equal(step, 3);
    Q[3][1] -= 1, A[2][5] = NAN;
    assert_int_equal(hml_lqr_horizon_solve(&all, scratch, &step), HML_NOT_FINITE);
    assert_int_equal(step, 2);
    draw(&rng);
    R[4][0] = -100;
    assert_int_equal(hml_lqr_horizon_solve(&all, scratch, &step), HML_SINGULAR);
    assert_int_equal(step, 4);
    draw(&rng);
    assert_int_equal(hml_lqr_horizon_solve(&all, scratch, NULL), HML_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_squares),
        cmocka_unit_test(test_long_horizon),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
