/*
 * Steps and their Jacobians: against differences of the steps themselves, against each other as h goes to zero, and the
 * zero-order hold against known exponentials and against the steps.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/configuration.h"
#include "hamel/discrete.h"

enum { NV = 64, NQ = 80 };

typedef struct setup {
    hml_model *model;
    hml_work *work;
    double *scratch;
    size_t n;
    double q[NQ], v[NV], tau[NV];
    double q1[NQ], v1[NV];
    double A[4 * NV * NV], B[2 * NV * NV];
} setup;

static setup s;

static void open_setup(uint64_t *seed, const draw_tree_spec *spec)
{
    s.model = draw_tree(seed, spec);
    assert_non_null(s.model);
    s.n = (size_t)hml_model_nv(s.model);
    assert_true(s.n <= NV);
    assert_int_equal(hml_work_new(s.model, HML_ISA_BEST, HML_USE_ALL, &s.work), HML_OK);
    s.scratch = calloc(hml_step_scratch_doubles(s.model), sizeof *s.scratch);
    draw_configuration(seed, s.model, 1.0, s.q);
    for (size_t i = 0; i < s.n; i++) s.v[i] = draw(seed), s.tau[i] = draw(seed);
}

static void close_setup(void)
{
    free(s.scratch);
    hml_work_free(s.work);
    hml_model_free(s.model);
}

/* (q, v, τ) moved by eps along coordinate `column` of (z_q, z_ν, w), stepped, seen from the nominal end */
static void perturbed(hml_integrator integrator, double h, size_t column, double eps, double *z)
{
    double q[NQ], v[NV], tau[NV], d[NV] = {0}, q1[NQ], v1[NV];
    memcpy(v, s.v, sizeof v);
    memcpy(tau, s.tau, sizeof tau);
    if (column < s.n)
        d[column] = eps;
    else if (column < 2 * s.n)
        v[column - s.n] += eps;
    else
        tau[column - 2 * s.n] += eps;
    assert_int_equal(hml_configuration_integrate(s.model, s.q, d, q), HML_OK);
    assert_int_equal(hml_step(s.model, s.work, integrator, h, q, v, tau, s.scratch, q1, v1), HML_OK);
    assert_int_equal(hml_configuration_difference(s.model, s.q1, q1, z), HML_OK);
    for (size_t i = 0; i < s.n; i++) z[s.n + i] = v1[i] - s.v1[i];
}

/* worst difference of A_d, B_d from fourth-order central differences of the step, against the largest entry */
static double jacobian_error(hml_integrator integrator, double h)
{
    const double eps = 1e-3;
    double worst = 0, size = 0;
    assert_int_equal(
        hml_step_linearize(s.model, s.work, integrator, h, s.q, s.v, s.tau, s.scratch, s.q1, s.v1, s.A, s.B), HML_OK);
    for (size_t c = 0; c < 3 * s.n; c++) {
        double p1[2 * NV], m1[2 * NV], p2[2 * NV], m2[2 * NV];
        perturbed(integrator, h, c, eps, p1);
        perturbed(integrator, h, c, -eps, m1);
        perturbed(integrator, h, c, 2 * eps, p2);
        perturbed(integrator, h, c, -2 * eps, m2);
        for (size_t r = 0; r < 2 * s.n; r++) {
            double difference = (8 * (p1[r] - m1[r]) - (p2[r] - m2[r])) / (12 * eps);
            double exact = c < 2 * s.n ? s.A[r * 2 * s.n + c] : s.B[r * s.n + c - 2 * s.n];
            if (fabs(exact) > size) size = fabs(exact);
            if (!(fabs(exact - difference) <= worst)) worst = fabs(exact - difference);
        }
    }
    return worst / size;
}

static const draw_tree_spec specs[] = {
    {.nbodies = 6, .root = HML_JOINT_FREE},
    {.nbodies = 6, .root = HML_JOINT_SPHERICAL, .points = 1},
    {.nbodies = 6, .root = HML_JOINT_PLANAR, .forest = 1},
    {.nbodies = 5, .root = HML_JOINT_SCHOENFLIES, .passive = 1},
};

/* eps⁴ and round-off over eps meet near 1e-11; curvature of the dynamics takes two digits of it */
static void test_jacobians_are_those_of_the_step(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        open_setup(&seed, &specs[i]);
        assert_true(jacobian_error(HML_SEMI_IMPLICIT_EULER, 0.05) < 2e-9);
        assert_true(jacobian_error(HML_MUNTHE_KAAS_4, 0.05) < 2e-9);
        close_setup();
    }
}

/* distance of one step of h from two of h/2, as the step shrinks: the order of the scheme plus one */
static double order(hml_integrator integrator)
{
    double gap[2];
    for (int k = 0; k < 2; k++) {
        double h = 0.02 / (1 << k), q[NQ], v[NV], z[NV];
        hml_step(s.model, s.work, integrator, h, s.q, s.v, s.tau, s.scratch, s.q1, s.v1);
        hml_step(s.model, s.work, integrator, h / 2, s.q, s.v, s.tau, s.scratch, q, v);
        hml_step(s.model, s.work, integrator, h / 2, q, v, s.tau, s.scratch, q, v);
        hml_configuration_difference(s.model, s.q1, q, z);
        gap[k] = 0;
        for (size_t i = 0; i < s.n; i++) gap[k] += z[i] * z[i] + (v[i] - s.v1[i]) * (v[i] - s.v1[i]);
    }
    return 0.5 * log2(gap[0] / gap[1]) - 1;
}

static void test_orders_of_the_integrators(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        open_setup(&seed, &specs[i]);
        assert_true(fabs(order(HML_SEMI_IMPLICIT_EULER) - 1) < 0.1);
        assert_true(fabs(order(HML_MUNTHE_KAAS_4) - 4) < 0.25);
        close_setup();
    }
}

/* exp of a rotation's generator is a rotation; of a double integrator, the textbook's matrices; at every size */
static void test_zero_order_hold_of_known_systems(void **state)
{
    (void)state;
    const double hs[] = {1e-6, 0.1, 3, 40, 500};
    for (size_t i = 0; i < sizeof hs / sizeof *hs; i++) {
        double h = hs[i], scratch[7 * 9], Ad[4], Bd[2];
        const double turn[4] = {0, -1, 1, 0}, none[2] = {0, 0}, integrator[4] = {0, 1, 0, 0}, push[2] = {0, 1};
        assert_true(hml_discretize_scratch_doubles(2, 1) <= 7 * 9);
        assert_int_equal(hml_discretize(2, 1, turn, none, h, scratch, Ad, Bd), HML_OK);
        double tolerance = 1e-14 * (1 + h); /* the phase itself is uncertain by ε h */
        assert_true(fabs(Ad[0] - cos(h)) < tolerance && fabs(Ad[2] - sin(h)) < tolerance);
        assert_true(fabs(Ad[1] + sin(h)) < tolerance && fabs(Ad[3] - cos(h)) < tolerance);
        assert_int_equal(hml_discretize(2, 1, integrator, push, h, scratch, Ad, Bd), HML_OK);
        assert_true(fabs(Ad[1] - h) < 1e-14 * h && fabs(Bd[0] - h * h / 2) < 1e-13 * h * h &&
                    fabs(Bd[1] - h) < 1e-14 * h);
    }
}

/* at an instant's state the hold of A, B and the Jacobians of a fourth-order step agree to second order in h */
static void test_zero_order_hold_against_the_step(void **state)
{
    (void)state;
    static double A[4 * NV * NV], B[2 * NV * NV], Ad[4 * NV * NV], Bd[2 * NV * NV];
    uint64_t seed = 13;
    open_setup(&seed, &specs[0]);
    hml_linearization at = {.struct_size = sizeof at};
    at.q.data = s.q, at.v.data = s.v, at.tau.data = s.tau, at.A.data = A, at.B.data = B;
    assert_int_equal(hml_linearize(s.model, s.work, &at), HML_OK);
    double *scratch = calloc(hml_discretize_scratch_doubles(2 * s.n, s.n), sizeof *scratch), gap[2];
    for (int k = 0; k < 2; k++) {
        double h = 1e-3 / (1 << k);
        assert_int_equal(hml_discretize(2 * s.n, s.n, A, B, h, scratch, Ad, Bd), HML_OK);
        hml_step_linearize(s.model, s.work, HML_MUNTHE_KAAS_4, h, s.q, s.v, s.tau, s.scratch, s.q1, s.v1, s.A, s.B);
        gap[k] = 0;
        for (size_t i = 0; i < 4 * s.n * s.n; i++) gap[k] = fmax(gap[k], fabs(Ad[i] - s.A[i]));
    }
    assert_true(gap[1] > 0 && fabs(log2(gap[0] / gap[1]) - 2) < 0.1);
    free(scratch);
    close_setup();
}

static void test_bad_input(void **state)
{
    (void)state;
    double x[16], scratch[64];
    const double bad[1] = {NAN}, good[1] = {1};
    assert_int_equal(hml_discretize(1, 0, bad, NULL, 1, scratch, x, NULL), HML_NOT_FINITE);
    assert_int_equal(hml_discretize(1, 0, good, NULL, INFINITY, scratch, x, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_discretize(1, 0, NULL, NULL, 1, scratch, x, NULL), HML_INVALID_ARGUMENT);
    uint64_t seed = 14;
    open_setup(&seed, &specs[0]);
    assert_int_equal(hml_step(s.model, s.work, (hml_integrator)9, 0.1, s.q, s.v, NULL, s.scratch, s.q1, s.v1),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_step(s.model, s.work, HML_MUNTHE_KAAS_4, NAN, s.q, s.v, NULL, s.scratch, s.q1, s.v1),
                     HML_INVALID_ARGUMENT);
    s.v[0] = NAN;
    assert_int_equal(hml_step(s.model, s.work, HML_MUNTHE_KAAS_4, 0.1, s.q, s.v, NULL, s.scratch, s.q1, s.v1),
                     HML_NOT_FINITE);
    assert_int_equal(hml_step_scratch_doubles(NULL), 0);
    close_setup();
}

static void test_discretizing_more_than_memory_holds(void **state)
{
    (void)state;
    double one[16] = {0};
    assert_true(hml_discretize_scratch_doubles(2, 1) == 63);
    assert_true(hml_discretize_scratch_doubles(SIZE_MAX, 1) == 0);
    assert_true(hml_discretize_scratch_doubles((size_t)1 << 31, (size_t)1 << 31) == 0);
    assert_int_equal(hml_discretize(SIZE_MAX, 1, one, one, 1, one, one, one), HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_discretizing_more_than_memory_holds),
        cmocka_unit_test(test_jacobians_are_those_of_the_step),
        cmocka_unit_test(test_orders_of_the_integrators),
        cmocka_unit_test(test_zero_order_hold_of_known_systems),
        cmocka_unit_test(test_zero_order_hold_against_the_step),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
