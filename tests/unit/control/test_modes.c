/*
 * Modes: closed forms, Jordan blocks, what no input moves, and everything that is refused. python/tests/test_modes.py compares
 * eigenvalues and ranks with LAPACK's.
 */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/control.h"
#include "hamel/random.h"

enum { MOST = 14, SCRATCH = 1 << 14 };

static double scratch[SCRATCH], values[2 * MOST], right[2 * MOST * MOST], left[2 * MOST * MOST], share[MOST * MOST];
static hml_mode modes[MOST];

/* fills what is wanted; the scratch is exactly as large as the library says */
static size_t solve(hml_modes problem, hml_status expected)
{
    const size_t n = problem.n, rows = problem.onto ? problem.rows : n;
    const size_t doubles = hml_modes_scratch_doubles(n, problem.m, problem.p, rows);
    size_t count = 0;
    assert_true(doubles < SCRATCH);
    for (size_t i = 0; i < SCRATCH; i++) scratch[i] = -7;
    problem.struct_size = sizeof problem;
    problem.eigenvalues = values, problem.right = right, problem.left = left;
    problem.participation = share, problem.modes = modes;
    assert_int_equal(hml_modes_solve(&problem, scratch, &count), expected);
    for (size_t i = doubles; i < SCRATCH; i++) assert_true(scratch[i] == -7);
    return count;
}

static void near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g within %g", x, y, tolerance);
}

static double complex right_at(size_t n, size_t i, size_t j)
{
    return right[2 * (i * n + j)] + I * right[2 * (i * n + j) + 1];
}
static double complex left_at(size_t n, size_t i, size_t j)
{
    return left[2 * (i * n + j)] + I * left[2 * (i * n + j) + 1];
}

/* what every answer fulfils: dual bases that A maps into themselves, shares that sum to one */
static void is_consistent(size_t n, const double *A, size_t count, double tolerance)
{
    size_t all = 0;
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(modes[k].first, all);
        all += (size_t)modes[k].multiplicity * (modes[k].eigenvalue[1] > 0 ? 2 : 1);
    }
    assert_int_equal(all, n);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) {
            double complex product = 0, image = 0; /* of left and right; of left, A and right */
            for (size_t k = 0; k < n; k++) {
                product += left_at(n, i, k) * right_at(n, k, j);
                for (size_t l = 0; l < n; l++) image += left_at(n, i, k) * A[k * n + l] * right_at(n, l, j);
            }
            near(cabs(product - (i == j)), 0, tolerance);
            const int same = hypot(values[2 * i] - values[2 * j], values[2 * i + 1] - values[2 * j + 1]) == 0;
            if (!same) near(cabs(image), 0, tolerance * 100);
            sum += share[i * n + j];
            assert_true(share[i * n + j] >= 0);
        }
        near(sum, 1, 1e-13);
    }
}

/* two point masses on strings of the same length: ω² = (2 ∓ √2) g / l; the mass matrix is [5 2; 2 1] l² for m = 1 */
static void double_pendulum(void **state)
{
    (void)state;
    const double l = 0.7, g = 9.81, mass[4] = {5 * l * l, 2 * l * l, 2 * l * l, l * l}, w = g / l;
    /* M⁻¹ = [1 −2; −2 5] / l², stiffness g l [3 1; 1 1] in the angles of the joints */
    const double A[16] = {0, 0, 1, 0, 0, 0, 0, 1, -w, w, 0, 0, w, -3 * w, 0, 0};
    const double B[4] = {0, 0, -2 / (l * l), 5 / (l * l)};
    const size_t count = solve((hml_modes){.n = 4, .m = 1, .A = A, .B = B, .mass = mass}, HML_OK);
    assert_int_equal(count, 2);
    is_consistent(4, A, count, 1e-12);
    for (int k = 0; k < 2; k++) {
        const double omega = sqrt((2 + (k ? 1 : -1) * sqrt(2)) * w), ratio = (k ? -1 : 1) * sqrt(2);
        near(modes[k].eigenvalue[1], omega, 1e-13 * omega), near(modes[k].eigenvalue[0], 0, 0);
        near(values[4 * k + 1], omega, 1e-13 * omega), near(values[4 * k + 3], -omega, 1e-13 * omega);
        const double complex upper = right_at(4, 0, 2 * (size_t)k), lower = right_at(4, 1, 2 * (size_t)k);
        near(creal((upper + lower) / upper), ratio, 1e-12); /* the lower angle against the vertical */
        assert_int_equal(modes[k].kind, HML_MODE_UNDAMPED);
        assert_int_equal(modes[k].unreachable, 0);
        assert_int_equal(modes[k].unseen, -1);
        assert_true(modes[k].reach > 0.01 && isnan(modes[k].sight));
    }
}

/*
 * A heavy symmetric top that sleeps upright with spin s: small tilts (a, b) seen without spin follow A a¨ + C s b˙ = m g l a and
 * A b¨ − C s a˙ = m g l b, so that λ = i ν with A ν² − C s ν + m g l = 0: two frequencies where (C s)² > 4 A m g l, growth
 * below.
 */
static void heavy_top(void **state)
{
    (void)state;
    const double a = 0.3, c = 0.1, mgl = 1.7, C[4] = {1, 0, 0, 0};
    for (int fast = 0; fast < 2; fast++) {
        const double s = fast ? 20 : 3, d = c * s * c * s - 4 * a * mgl;
        const double A[16] = {0, 0, 1, 0, 0, 0, 0, 1, mgl / a, 0, 0, -c * s / a, 0, mgl / a, c * s / a, 0};
        const size_t count = solve((hml_modes){.n = 4, .p = 1, .A = A, .C = C}, HML_OK);
        is_consistent(4, A, count, 1e-11);
        assert_int_equal(count, 2);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(modes[k].unseen, 0);
            assert_int_equal(modes[k].unreachable, -1);
            if (fast) {
                near(modes[k].eigenvalue[1], (c * s + (k ? 1 : -1) * sqrt(d)) / (2 * a), 1e-11);
                assert_int_equal(modes[k].kind, HML_MODE_UNDAMPED);
            } else {
                near(modes[k].eigenvalue[0], (k ? 1 : -1) * sqrt(-d) / (2 * a), 1e-11);
                near(modes[k].eigenvalue[1], c * s / (2 * a), 1e-11);
                assert_int_equal(modes[k].kind, k ? HML_MODE_UNSTABLE : HML_MODE_OSCILLATION);
            }
        }
    }
}

/*
 * A free body, round about its axis of spin Ω, in body axes: A = [−ad(ν) 1; 0 D]. Directions turn with Ω, it nutates with
 * Ω (C − A)/A; a drift across the axis is t exp(iΩt); along the axis there are two double integrators.
 */
static void spinning_satellite(void **state)
{
    (void)state;
    const double spin = 2, across = 3, along = 4.5, rate = spin * (along - across) / across;
    double A[144] = {0};
    for (size_t i = 0; i < 6; i++) A[i * 12 + 6 + i] = 1;
    for (size_t half = 0; half < 6; half += 3) { /* δṙ = δv − ω × δr, and so on */
        A[half * 12 + half + 1] = spin;
        A[(half + 1) * 12 + half] = -spin;
    }
    A[6 * 12 + 7] = spin, A[7 * 12 + 6] = -spin; /* v˙ = −ω × v */
    A[9 * 12 + 10] = -rate, A[10 * 12 + 9] = rate;
    const size_t count = solve((hml_modes){.n = 12, .A = A}, HML_OK);
    is_consistent(12, A, count, 1e-11);
    assert_int_equal(count, 3);
    const struct {
        double frequency;
        int multiplicity, chain;
        hml_mode_kind kind;
    } wanted[] = {{0, 4, 2, HML_MODE_INTEGRATOR}, {rate, 1, 1, HML_MODE_UNDAMPED}, {spin, 3, 2, HML_MODE_UNDAMPED}};
    for (size_t k = 0; k < 3; k++) {
        near(modes[k].eigenvalue[0], 0, 0), near(modes[k].eigenvalue[1], wanted[k].frequency, 1e-12);
        assert_int_equal(modes[k].multiplicity, wanted[k].multiplicity);
        assert_int_equal(modes[k].chain, wanted[k].chain);
        assert_int_equal(modes[k].kind, wanted[k].kind);
    }
    for (size_t i = 0; i < 12; i++) near(share[i], i % 3 == 2 ? 0.25 : 0, 1e-12);
}

/* a Jordan block whose last state alone has an input, and whose first one alone is seen; and the other way round */
static void chains(void **state)
{
    (void)state;
    const double A[9] = {-2, 1, 0, 0, -2, 1, 0, 0, -2}, first[3] = {1, 0, 0}, last[3] = {0, 0, 1};
    size_t count = solve((hml_modes){.n = 3, .m = 1, .p = 1, .A = A, .B = last, .C = first}, HML_OK);
    is_consistent(3, A, count, 1e-9);
    assert_int_equal(count, 1);
    near(modes[0].eigenvalue[0], -2, 1e-12);
    assert_int_equal(modes[0].multiplicity, 3), assert_int_equal(modes[0].chain, 3);
    assert_int_equal(modes[0].kind, HML_MODE_DECAY);
    assert_int_equal(modes[0].unreachable, 0), assert_int_equal(modes[0].unseen, 0);
    assert_true(modes[0].reach > 0.01 && modes[0].sight > 0.01);
    solve((hml_modes){.n = 3, .m = 1, .p = 1, .A = A, .B = first, .C = last}, HML_OK);
    assert_int_equal(modes[0].unreachable, 2), assert_int_equal(modes[0].unseen, 2);
    near(modes[0].reach, 0, 0), near(modes[0].sight, 0, 0);
    const double zero[4] = {0}, integrators[16] = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    assert_int_equal(solve((hml_modes){.n = 2, .A = zero}, HML_OK), 1);
    assert_int_equal(modes[0].multiplicity, 2), assert_int_equal(modes[0].chain, 1);
    assert_int_equal(solve((hml_modes){.n = 4, .A = integrators}, HML_OK), 1);
    assert_int_equal(modes[0].multiplicity, 4), assert_int_equal(modes[0].chain, 4);
    near(modes[0].eigenvalue[0], 0, 0), near(modes[0].eigenvalue[1], 0, 0);
}

/* one of two swings has a motor; in random states and other units the answer is the same, and seen through onto and back */
static void one_swing_of_two(void **state)
{
    (void)state;
    const double plain[16] = {0, 0, 1, 0, 0, 0, 0, 1, -4, 0, -0.2, 0, 0, -25, 0, -1};
    for (uint64_t seed = 1; seed < 20; seed++) {
        hml_rng rng;
        double S[16], A[16], B[4], back[16], inverse[16];
        hml_rng_seed(&rng, seed);
        /* S = D (1 + N) with small N has the inverse Σ (−N)ᵏ D⁻¹: N is upper triangular, k goes to 3 */
        double N[16] = {0}, power[16], next[16];
        for (size_t i = 0; i < 4; i++)
            for (size_t j = i + 1; j < 4; j++) N[i * 4 + j] = hml_rng_uniform(&rng, -0.5, 0.5);
        for (size_t i = 0; i < 16; i++) S[i] = N[i] + (i % 5 == 0), inverse[i] = i % 5 == 0, power[i] = i % 5 == 0;
        for (int k = 1; k < 4; k++) {
            for (size_t i = 0; i < 16; i++) {
                next[i] = 0;
                for (size_t l = 0; l < 4; l++) next[i] -= power[i / 4 * 4 + l] * N[l * 4 + i % 4];
            }
            memcpy(power, next, sizeof power);
            for (size_t i = 0; i < 16; i++) inverse[i] += power[i];
        }
        const double unit[4] = {1, 1e3, 1e-3, 10};
        for (size_t i = 0; i < 16; i++) S[i] *= unit[i / 4], back[i] = inverse[i] / unit[i % 4];
        for (size_t i = 0; i < 16; i++) {
            A[i] = 0;
            for (size_t k = 0; k < 4; k++)
                for (size_t l = 0; l < 4; l++) A[i] += S[i / 4 * 4 + k] * plain[k * 4 + l] * back[l * 4 + i % 4];
        }
        for (size_t i = 0; i < 4; i++) B[i] = S[i * 4 + 2];
        const size_t count =
            solve((hml_modes){.n = 4, .m = 1, .A = A, .B = B, .rows = 4, .onto = back, .back = S}, HML_OK);
        assert_int_equal(count, 2);
        near(modes[0].eigenvalue[0], -0.1, 1e-9), near(modes[0].eigenvalue[1], sqrt(3.99), 1e-9);
        near(modes[1].eigenvalue[0], -0.5, 1e-9), near(modes[1].eigenvalue[1], sqrt(24.75), 1e-9);
        assert_int_equal(modes[0].unreachable, 0), assert_int_equal(modes[1].unreachable, 1);
        near(share[0], 0.5, 1e-8), near(share[1], 0, 1e-8), near(share[2 * 4 + 1], 0.5, 1e-8);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    const double A[4] = {0, 1, -1, 0}, bad[4] = {0, 1, NAN, 0}, negative[1] = {-1}, I2[4] = {1, 0, 0, 1};
    const hml_modes good = {.n = 2, .A = A};
    const struct {
        hml_modes problem;
        hml_status status;
    } cases[] = {
        {{.n = 0, .A = A}, HML_INVALID_ARGUMENT},
        {{.n = 2}, HML_INVALID_ARGUMENT},
        {{.n = 2, .A = bad}, HML_NOT_FINITE},
        {{.n = 2, .m = 2, .A = A, .B = bad}, HML_NOT_FINITE},
        {{.n = 2, .p = 2, .A = A, .C = bad}, HML_NOT_FINITE},
        {{.n = 2, .A = A, .mass = negative}, HML_INVALID_ARGUMENT},
        {{.n = 2, .A = A, .tolerance = 1}, HML_INVALID_ARGUMENT},
        {{.n = 2, .A = A, .tolerance = NAN}, HML_INVALID_ARGUMENT},
        {{.n = 2, .A = A, .rows = 2, .onto = I2}, HML_INVALID_ARGUMENT},
        {{.n = 2, .A = A, .rows = 2, .onto = I2, .back = I2, .mass = I2}, HML_INVALID_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) solve(cases[i].problem, cases[i].status);
    assert_int_equal(solve(good, HML_OK), 1);
    assert_int_equal(hml_modes_solve(NULL, scratch, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_modes_solve(&good, scratch, NULL), HML_INVALID_ARGUMENT); /* no size */
    assert_true(hml_modes_scratch_doubles((size_t)1 << 40, 1, 1, 1) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum), cmocka_unit_test(heavy_top),        cmocka_unit_test(spinning_satellite),
        cmocka_unit_test(chains),          cmocka_unit_test(one_swing_of_two), cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
