/* The root locus: crossings on paper, branches that pass through each other, the same eigenvalues as of each matrix by itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/random.h"

enum { MOST = 8, POINTS = 401, ROOM = 16, SCRATCH = 1 << 13 };

static double scratch[SCRATCH], values[POINTS], found[POINTS * MOST * 2];
static hml_locus_crossing crossings[ROOM];

static size_t solve(size_t n, const double *A, const double *D, int discrete, size_t points, double from, double to)
{
    size_t count = 99;
    assert_true(hml_locus_scratch_doubles(n) <= SCRATCH);
    for (size_t i = 0; i < SCRATCH; i++) scratch[i] = NAN;
    for (size_t i = 0; i < points; i++) values[i] = from + (to - from) * (double)i / (double)(points - 1);
    const hml_locus problem = HML_STRUCT(hml_locus, .n = n, .A = A, .D = D, .discrete = discrete, .points = points,
                                         .values = values, .eigenvalues = found, .room = ROOM, .crossings = crossings);
    assert_int_equal(hml_locus_solve(&problem, scratch, &count), HML_OK);
    return count;
}

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

static void check(size_t i, double value, double imaginary, int unstable)
{
    near(crossings[i].value, value, 1e-9), near(crossings[i].eigenvalue[0], 0, 1e-8);
    near(crossings[i].eigenvalue[1], imaginary, 1e-6), assert_int_equal(crossings[i].unstable, unstable);
}

static void test_on_paper(void **state)
{
    (void)state;
    /* ẍ + v ẋ + x: undamped at v = 0 */
    const double swing[4] = {0, 1, -1, 0}, damper[4] = {0, 0, 0, -1};
    assert_int_equal(solve(2, swing, damper, 0, 8, 1, -1), 1), check(0, 0, 1, 1);
    assert_int_equal(solve(2, swing, damper, 0, 8, -1, 1), 1), check(0, 0, 1, 0);
    /* s (s + 1) (s + 2) + v: −6 at ±√2 i */
    const double chain[9] = {0, 1, 0, 0, 0, 1, 0, -2, -3}, gain[9] = {0, 0, 0, 0, 0, 0, -1, 0, 0};
    assert_int_equal(solve(3, chain, gain, 0, 30, 0.01, 20), 1), check(0, 6, sqrt(2), 1);
    /* ẍ = (v − 0.3) x: what swings for ever falls over from there on */
    const double rod[4] = {0, 1, -0.3, 0}, load[4] = {0, 0, 1, 0};
    assert_int_equal(solve(2, rod, load, 0, 12, -1, 1), 1), check(0, 0.3, 0, 1);
    /* integrators stay where they are, and do not cross */
    const double twice[9] = {0, 1, 0, 0, 0, 0, 0, 0, -1}, third[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    assert_int_equal(solve(3, twice, third, 0, 9, 0, 2), 1), check(0, 1, 0, 1);
}

/* x⁺ = v R x with a rotation R: |v| = 1; and x⁺ = v x */
static void test_steps(void **state)
{
    (void)state;
    const double zero[4] = {0}, turn[4] = {0.6, -0.8, 0.8, 0.6};
    assert_int_equal(solve(2, zero, turn, 1, 7, 0.5, 1.7), 1);
    near(crossings[0].value, 1, 1e-12), near(crossings[0].eigenvalue[0], 0.6, 1e-12);
    near(crossings[0].eigenvalue[1], 0.8, 1e-12);
    const double one = 1;
    assert_int_equal(solve(1, zero, &one, 1, 5, -2.2, 1.9), 2);
    near(crossings[0].value, -1, 1e-12), assert_int_equal(crossings[0].unstable, 0);
    near(crossings[1].value, 1, 1e-12), assert_int_equal(crossings[1].unstable, 1);
}

/* diag(v, −v, 2v + 1, …) in another basis: straight lines that cross each other */
static void test_straight_lines(void **state)
{
    (void)state;
    enum { N = 4 };
    const double slope[N] = {1, -1, 2, -0.5}, begin[N] = {0, 0.1, 1, -0.7};
    double T[N * N], inverse[N * N] = {0}, A[N * N] = {0}, D[N * N] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) T[i * N + j] = j < i ? 0 : j == i ? 1 : 0.3 * (i + 1) / (j + 1);
    for (int c = 0; c < N; c++)
        for (int i = N - 1; i >= 0; i--) {
            inverse[i * N + c] = i == c;
            for (int k = i + 1; k < N; k++) inverse[i * N + c] -= T[i * N + k] * inverse[k * N + c];
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                A[i * N + j] += T[i * N + k] * begin[k] * inverse[k * N + j];
                D[i * N + j] += T[i * N + k] * slope[k] * inverse[k * N + j];
            }
    (void)solve(N, A, D, 0, 41, -2, 2.1);
    for (int b = 0; b < N; b++) {
        /* which line is it at the start? it is the same one at the end */
        int own = -1;
        for (int k = 0; k < N; k++)
            if (fabs(found[2 * b] - (begin[k] - 2 * slope[k])) < 1e-9) own = k;
        assert_true(own >= 0);
        for (int p = 0; p < 41; p++) near(found[2 * (p * N + b)], begin[own] + values[p] * slope[own], 1e-6);
    }
}

/* all branches at a value are the eigenvalues there, and finer steps lead to the same ends */
static void test_random(void **state)
{
    (void)state;
    static double A[MOST * MOST], D[MOST * MOST], end[2 * MOST];
    hml_rng rng;
    hml_rng_seed(&rng, 5);
    for (int round = 0; round < 20; round++) {
        const size_t n = 2 + (size_t)hml_rng_below(&rng, MOST - 1);
        double traces[2] = {0};
        for (size_t i = 0; i < n * n; i++) A[i] = hml_rng_uniform(&rng, -1, 1), D[i] = hml_rng_uniform(&rng, -1, 1);
        const size_t coarse = solve(n, A, D, 0, 101, 0, 1);
        for (size_t i = 0; i < 2 * n; i++) end[i] = found[100 * 2 * n + i];
        for (size_t i = 0; i < n; i++) {
            traces[0] += A[i * n + i] + 0.5 * D[i * n + i];
            traces[1] += found[50 * 2 * n + 2 * i];
        }
        near(traces[0], traces[1], 1e-10);
        for (size_t p = 1; p < 101; p++)
            for (size_t i = 0; i < n; i++) {
                const double *now = found + 2 * (p * n + i), *last = now - 2 * n;
                assert_true(hypot(now[0] - last[0], now[1] - last[1]) < 0.4); /* no jump */
            }
        for (size_t k = 0; k < coarse; k++) {
            /* det(A + v D − jω) = 0 there: the smallest growth of a mode of that matrix is 0 */
            double here[MOST * MOST], poles[2 * MOST], room[1 << 13], least = 1;
            for (size_t i = 0; i < n * n; i++) here[i] = A[i] + crossings[k].value * D[i];
            const hml_modes modes = HML_STRUCT(hml_modes, .n = n, .A = here, .eigenvalues = poles);
            assert_int_equal(hml_modes_solve(&modes, room, NULL), HML_OK);
            for (size_t i = 0; i < n; i++)
                least = fmin(least, hypot(poles[2 * i], poles[2 * i + 1] - crossings[k].eigenvalue[1]));
            near(least, 0, 1e-8);
        }
        assert_int_equal(solve(n, A, D, 0, POINTS, 0, 1), coarse);
        double sums[2] = {0};
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < 2; k++)
                sums[k] += fabs(end[2 * i + k]) - fabs(found[(POINTS - 1) * 2 * n + 2 * i + k]);
        near(sums[0], 0, 1e-9), near(sums[1], 0, 1e-9);
    }
}

/* distances whose squares overflow, and values whose differences have no product */
static void test_extremes(void **state)
{
    (void)state;
    const double far[4] = {-9e153, 0, 0, 1}, back[4] = {9e153, 0, 0, 0}, zero = 0, steep = 1e200;
    assert_int_equal(solve(1, far, back, 0, 2, 0, 2), 1);
    near(found[0], -9e153, 1e140), near(found[2], 9e153, 1e140);
    assert_int_equal(solve(2, far, back, 0, 2, 0, 2), 1);
    const int branch = found[0] > -1e150; /* the one that moves */
    near(found[2 * branch], -9e153, 1e140), near(found[2 * (2 + branch)], 9e153, 1e140);
    near(found[2 * (1 - branch)], 1, 1), near(found[2 * (3 - branch)], 1, 1); /* zero up to rounding */
    assert_int_equal(crossings[0].branch, branch), near(crossings[0].value, 1, 1e-12);
    assert_int_equal(solve(1, &zero, &steep, 0, 3, -1e-200, 1e-200), 1);
    near(crossings[0].value, 0, 1e-213);
}

static hml_status fails(void *context, double value, double *A)
{
    A[0] = value;
    return value > *(const double *)context ? HML_SINGULAR : HML_OK;
}

static void test_arguments(void **state)
{
    (void)state;
    const double A = 1, line[3] = {0, 1, 2}, folded[3] = {0, 1, 0.5};
    double border = 1.5;
    hml_locus p = HML_STRUCT(hml_locus, .n = 1, .points = 3, .values = line, .A = &A, .D = &A);
    assert_int_equal(hml_locus_solve(&p, scratch, NULL), HML_OK);
    p.values = folded;
    assert_int_equal(hml_locus_solve(&p, scratch, NULL), HML_INVALID_ARGUMENT);
    p.values = line, p.matrix = fails, p.context = &border;
    assert_int_equal(hml_locus_solve(&p, scratch, NULL), HML_SINGULAR);
    p.matrix = NULL, p.D = NULL;
    assert_int_equal(hml_locus_solve(&p, scratch, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_locus_solve(NULL, scratch, NULL), HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_on_paper),       cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_straight_lines), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_extremes),       cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
