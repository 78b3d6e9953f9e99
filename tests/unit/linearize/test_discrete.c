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
#include "hamel/edit.h"
#include "hamel/io.h"

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

static void open_states(uint64_t *seed)
{
    s.n = (size_t)hml_model_nv(s.model);
    assert_true(s.n <= NV);
    assert_int_equal(hml_work_new(s.model, HML_ISA_BEST, HML_USE_ALL, &s.work), HML_OK);
    s.scratch = calloc(hml_step_scratch_doubles(s.model), sizeof *s.scratch);
    draw_configuration(seed, s.model, 1.0, s.q);
    for (size_t i = 0; i < s.n; i++) s.v[i] = draw(seed), s.tau[i] = draw(seed);
}

static void open_setup(uint64_t *seed, const draw_tree_spec *spec)
{
    s.model = draw_tree(seed, spec);
    assert_non_null(s.model);
    open_states(seed);
}

static void close_setup(void)
{
    free(s.scratch);
    hml_work_free(s.work);
    hml_model_free(s.model);
}

/* (q, v, τ) moved by eps along coordinate `column` of (z_q, z_ν, w), stepped, seen from the nominal end */
static void perturbed(hml_scheme scheme, double h, size_t column, double eps, double *z)
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
    assert_int_equal(hml_step(s.model, s.work, s.scratch,
                              &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = h, .q.data = q, .v.data = v,
                                          .tau.data = tau, .q_next.data = q1, .v_next.data = v1)),
                     HML_OK);
    assert_int_equal(hml_configuration_difference(s.model, s.q1, q1, z), HML_OK);
    for (size_t i = 0; i < s.n; i++) z[s.n + i] = v1[i] - s.v1[i];
}

/* worst difference of A_d, B_d from fourth-order central differences of the step, against the largest entry */
static double jacobian_error(hml_scheme scheme, double h)
{
    const double eps = 1e-3;
    double worst = 0, size = 0;
    assert_int_equal(hml_step(s.model, s.work, s.scratch,
                              &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = h, .q.data = s.q, .v.data = s.v,
                                          .tau.data = s.tau, .q_next.data = s.q1, .v_next.data = s.v1, .Ad.data = s.A,
                                          .Bd.data = s.B)),
                     HML_OK);
    for (size_t c = 0; c < 3 * s.n; c++) {
        double p1[2 * NV], m1[2 * NV], p2[2 * NV], m2[2 * NV];
        perturbed(scheme, h, c, eps, p1);
        perturbed(scheme, h, c, -eps, m1);
        perturbed(scheme, h, c, 2 * eps, p2);
        perturbed(scheme, h, c, -2 * eps, m2);
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

static const struct {
    hml_scheme scheme;
    int order;
} schemes[] = {{HML_SCHEME_EULER, 1}, {HML_SCHEME_RK2, 2}, {HML_SCHEME_RK4, 4}};

/* eps⁴ and round-off over eps meet near 1e-11; curvature of the dynamics takes two digits of it */
static void test_jacobians_are_those_of_the_step(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        open_setup(&seed, &specs[i]);
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
            assert_true(jacobian_error(schemes[k].scheme, 0.05) < 2e-9);
        close_setup();
    }
}

/*
 * A chain with joints that do not commute, with dampers and springs `stiff` times as strong as in the other trees.
 * straight: springs only on joints that commute, where they are on M's diagonal and take another path.
 */
static void open_stiff(uint64_t *seed, double stiff, int straight)
{
    static const hml_joint_type types[] = {HML_JOINT_FREE,   HML_JOINT_SPHERICAL, HML_JOINT_REVOLUTE,
                                           HML_JOINT_PLANAR, HML_JOINT_UNIVERSAL, HML_JOINT_SCHOENFLIES};
    hml_builder *b = hml_builder_new();
    char name[2][8] = {"", ""};
    for (int i = 0; i < 6; i++) {
        hml_joint_spec joint;
        hml_inertia_spec I;
        hml_joint_spec_init(&joint, types[i]);
        draw_inertia(seed, &I);
        draw_rotation(seed, joint.rotation);
        for (int k = 0; k < 3; k++) {
            joint.axis[k] = draw(seed), joint.axis2[k] = draw(seed), joint.position[k] = draw(seed);
        }
        for (int k = 0; k < hml_joint_type_nv(types[i]); k++) {
            joint.stiffness[k] = 5 * stiff * fabs(draw(seed)), joint.damping[k] = stiff * fabs(draw(seed));
            if (straight && types[i] != HML_JOINT_REVOLUTE && types[i] != HML_JOINT_UNIVERSAL) joint.stiffness[k] = 0;
        }
        snprintf(name[i % 2], sizeof name[0], "b%d", i);
        joint.name = name[i % 2];
        assert_int_equal(hml_builder_add_body(b, name[i % 2], i ? name[(i + 1) % 2] : NULL, &joint, &I, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, 0, &s.model, NULL), HML_OK);
    hml_builder_free(b);
    open_states(seed);
}

static void test_jacobians_of_stiff_steps(void **state)
{
    (void)state;
    uint64_t seed = 15;
    for (int i = 0; i < 8; i++) {
        const double stiff = pow(100, i / 2);
        open_stiff(&seed, stiff, i % 2);
        /* differences lose digits where forces are 1e6 times the motion's */
        const double tolerance = stiff < 1e3 ? 2e-9 : 2e-8;
        assert_true(jacobian_error(HML_SCHEME_EULER, 0.01) < tolerance);
        close_setup();
    }
}

/* M a = τ − h(q, ν) − h C a − h K (ν + h a) with the matrices of others: M, and C and K as derivatives of h */
static void test_stiff_step_keeps_its_equation(void **state)
{
    (void)state;
    static double M[NV * NV], by_q[NV * NV], by_v[NV * NV], free_q[NV * NV], free_v[NV * NV];
    uint64_t seed = 16;
    for (int round = 0; round < 8; round++) {
        const double h = 0.01;
        double bias[NV];
        open_stiff(&seed, pow(100, round / 2), round % 2);
        hml_model *bare = NULL;
        hml_work *work = NULL;
        char *text = NULL;
        hml_load_options options;
        hml_load_options_init(&options);
        options.build = HML_BUILD_NO_PASSIVE;
        size_t size = 0;
        assert_int_equal(hml_write_json(s.model, &text, &size, NULL), HML_OK);
        assert_int_equal(hml_load_memory(text, size, "x.json", &options, &bare, NULL), HML_OK);
        assert_int_equal(hml_work_new(bare, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
        hml_inverse_dynamics_derivatives(s.model, s.work, s.q, s.v, NULL, NULL, by_q, by_v, M);
        hml_inverse_dynamics_derivatives(bare, work, s.q, s.v, NULL, NULL, free_q, free_v, NULL);
        hml_inverse_dynamics(s.model, s.work, s.q, s.v, NULL, NULL, bias);
        assert_int_equal(
            hml_step(s.model, s.work, s.scratch,
                     &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_EULER, .h = h, .q.data = s.q, .v.data = s.v,
                                 .tau.data = s.tau, .q_next.data = s.q1, .v_next.data = s.v1)),
            HML_OK);
        for (size_t i = 0; i < s.n; i++) {
            double left = s.tau[i] - bias[i], size_of = fabs(s.tau[i]) + fabs(bias[i]);
            for (size_t k = 0; k < s.n; k++) {
                const double a = (s.v1[k] - s.v[k]) / h, C = by_v[i * s.n + k] - free_v[i * s.n + k];
                const double K = by_q[i * s.n + k] - free_q[i * s.n + k];
                left -= M[i * s.n + k] * a + h * C * a + h * K * s.v1[k];
                size_of += fabs(M[i * s.n + k] * a) + fabs(h * C * a) + fabs(h * K * s.v1[k]);
            }
            assert_true(fabs(left) < 1e-11 * size_of); /* a is a difference of velocities over h */
        }
        hml_text_free(text);
        hml_work_free(work);
        hml_model_free(bare);
        close_setup();
    }
}

/* without dampers and springs not a bit differs from ν + h ν̇; armature is neither of them */
static void test_step_without_dampers(void **state)
{
    (void)state;
    uint64_t seed = 17;
    double a[NV], q[NQ], v[NV], armature[NV];
    open_setup(&seed, &specs[0]);
    for (int with = 0; with < 2; with++) {
        hml_forward_dynamics(s.model, s.work, s.q, s.v, s.tau, NULL, a);
        for (size_t i = 0; i < s.n; i++) v[i] = s.v[i] + 0.01 * a[i], a[i] = 0.01 * v[i];
        assert_int_equal(hml_configuration_integrate(s.model, s.q, a, q), HML_OK);
        hml_step(s.model, s.work, s.scratch,
                 &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_EULER, .h = 0.01, .q.data = s.q, .v.data = s.v,
                             .tau.data = s.tau, .q_next.data = s.q1, .v_next.data = s.v1));
        assert_memory_equal(v, s.v1, s.n * sizeof *v);
        assert_memory_equal(q, s.q1, (size_t)hml_model_nq(s.model) * sizeof *q);
        if (with) break;
        for (size_t i = 0; i < s.n; i++) armature[i] = 0.3;
        hml_model *heavy = NULL;
        assert_int_equal(hml_model_with_armature(s.model, armature, &heavy), HML_OK);
        hml_work_free(s.work);
        hml_model_free(s.model);
        s.model = heavy;
        assert_int_equal(hml_work_new(s.model, HML_ISA_BEST, HML_USE_ALL, &s.work), HML_OK);
    }
    close_setup();
}

/* distance of one step of h from two of h/2, as the step shrinks: the order of the scheme plus one */
static double order(hml_scheme scheme)
{
    double gap[2];
    for (int k = 0; k < 2; k++) {
        double h = 0.005 / (1 << k), q[NQ], v[NV], z[NV];
        hml_step(s.model, s.work, s.scratch,
                 &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = h, .q.data = s.q, .v.data = s.v,
                             .tau.data = s.tau, .q_next.data = s.q1, .v_next.data = s.v1));
        hml_step(s.model, s.work, s.scratch,
                 &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = h / 2, .q.data = s.q, .v.data = s.v,
                             .tau.data = s.tau, .q_next.data = q, .v_next.data = v));
        hml_step(s.model, s.work, s.scratch,
                 &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = h / 2, .q.data = q, .v.data = v,
                             .tau.data = s.tau, .q_next.data = q, .v_next.data = v));
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
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
            assert_true(fabs(order(schemes[k].scheme) - schemes[k].order) < (schemes[k].order < 4 ? 0.1 : 0.25));
        close_setup();
    }
}

/* exp of a rotation's generator is a rotation; of a double scheme, the textbook's matrices; at every size */
static void test_zero_order_hold_of_known_systems(void **state)
{
    (void)state;
    const double hs[] = {1e-6, 0.1, 3, 40, 500};
    for (size_t i = 0; i < sizeof hs / sizeof *hs; i++) {
        double h = hs[i], scratch[7 * 9], Ad[4], Bd[2];
        const double turn[4] = {0, -1, 1, 0}, none[2] = {0, 0}, scheme[4] = {0, 1, 0, 0}, push[2] = {0, 1};
        assert_true(hml_discretize_scratch_doubles(2, 1) <= 7 * 9);
        assert_int_equal(hml_discretize(2, 1, turn, none, h, scratch, Ad, Bd), HML_OK);
        double tolerance = 1e-14 * (1 + h); /* the phase itself is uncertain by ε h */
        assert_true(fabs(Ad[0] - cos(h)) < tolerance && fabs(Ad[2] - sin(h)) < tolerance);
        assert_true(fabs(Ad[1] + sin(h)) < tolerance && fabs(Ad[3] - cos(h)) < tolerance);
        assert_int_equal(hml_discretize(2, 1, scheme, push, h, scratch, Ad, Bd), HML_OK);
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
        hml_step(s.model, s.work, s.scratch,
                 &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_RK4, .h = h, .q.data = s.q, .v.data = s.v,
                             .tau.data = s.tau, .q_next.data = s.q1, .v_next.data = s.v1, .Ad.data = s.A,
                             .Bd.data = s.B));
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
    assert_int_equal(hml_step(s.model, s.work, s.scratch,
                              &HML_STRUCT(hml_discrete_step, .scheme = (hml_scheme)9, .h = 0.1, .q.data = s.q,
                                          .v.data = s.v, .q_next.data = s.q1, .v_next.data = s.v1)),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_step(s.model, s.work, s.scratch,
                              &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_VARIATIONAL, .h = 0.1, .q.data = s.q,
                                          .v.data = s.v, .q_next.data = s.q1, .v_next.data = s.v1)),
                     HML_UNSUPPORTED);
    assert_int_equal(hml_step(s.model, s.work, s.scratch,
                              &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_RK4, .h = NAN, .q.data = s.q,
                                          .v.data = s.v, .q_next.data = s.q1, .v_next.data = s.v1)),
                     HML_INVALID_ARGUMENT);
    s.v[0] = NAN;
    assert_int_equal(hml_step(s.model, s.work, s.scratch,
                              &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_RK4, .h = 0.1, .q.data = s.q,
                                          .v.data = s.v, .q_next.data = s.q1, .v_next.data = s.v1)),
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
        cmocka_unit_test(test_jacobians_of_stiff_steps),
        cmocka_unit_test(test_stiff_step_keeps_its_equation),
        cmocka_unit_test(test_step_without_dampers),
        cmocka_unit_test(test_orders_of_the_integrators),
        cmocka_unit_test(test_zero_order_hold_of_known_systems),
        cmocka_unit_test(test_zero_order_hold_against_the_step),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
