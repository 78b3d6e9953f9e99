/*
 * The group G₁×…×G_n: product, inverse, adjoint, increments on the other side, and the two groups of states. Judges:
 * 4x4 matrices of the joints' poses, curves through the identity, and differences of a product of moving
 * configurations.
 */
#include "representation_check.h"

/* ---- one joint: products of numbers are products of matrices ---- */

static const hml_joint_type types[] = {
    HML_JOINT_REVOLUTE, HML_JOINT_PRISMATIC, HML_JOINT_HELICAL,      HML_JOINT_CYLINDRICAL, HML_JOINT_TRANSLATION2,
    HML_JOINT_PLANAR,   HML_JOINT_SPHERICAL, HML_JOINT_TRANSLATION3, HML_JOINT_SCHOENFLIES, HML_JOINT_FREE};

static hml_model *one_joint(hml_joint_type type)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(type, "joint");
    joint.position[0] = 0;
    joint.axis[0] = 0.48, joint.axis[1] = 0.6, joint.axis[2] = 0.64;
    add_spec(b, "body", NULL, &joint);
    return finish(b, 0);
}

static void products_are_products_of_matrices(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        hml_model *model = one_joint(types[t]);
        hml_work *work;
        hml_rng rng;
        ASSERT_OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_TREE, &work));
        hml_rng_seed(&rng, 7);
        for (int i = 0; i < 50; i++) {
            double q1[7], q2[7], q[7], H1[16], H2[16], H[16], product[16], one[16];
            ASSERT_OK(hml_configuration_random(model, &rng, q1));
            ASSERT_OK(hml_configuration_random(model, &rng, q2));
            ASSERT_OK(hml_configuration_product(model, q1, q2, q));
            ASSERT_OK(hml_body_poses(model, work, q1, H1));
            ASSERT_OK(hml_body_poses(model, work, q2, H2));
            ASSERT_OK(hml_body_poses(model, work, q, H));
            multiply(4, 4, 4, H1, H2, product);
            CHECK(H, product, 16, 1e-14);
            ASSERT_OK(hml_configuration_inverse(model, q1, q));
            ASSERT_OK(hml_body_poses(model, work, q, H));
            multiply(4, 4, 4, H, H1, product);
            identity(4, one);
            CHECK(product, one, 16, 1e-14);
            ASSERT_OK(hml_configuration_product(model, q1, q2, q1)); /* in place */
            ASSERT_OK(hml_body_poses(model, work, q1, H));
            multiply(4, 4, 4, H1, H2, product);
            CHECK(H, product, 16, 1e-14);
        }
        hml_work_free(work);
        hml_model_free(model);
    }
}

/* ---- a robot ---- */

static stage s;

static int setup(void **state)
{
    (void)state;
    s.model = creature();
    open_stage(&s, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    close_stage(&s);
    return 0;
}

/* quaternions have two signs: configurations are compared by their difference */
static void assert_same(const double *q1, const double *q2, double tolerance)
{
    double distance, zero = 0;
    ASSERT_OK(hml_configuration_distance(s.model, q1, q2, &distance));
    CHECK(&distance, &zero, 1, tolerance);
}

static void neutral_moved(const double *v, double *q)
{
    ASSERT_OK(hml_configuration_neutral(s.model, q));
    ASSERT_OK(hml_configuration_integrate(s.model, q, v, q));
}

/* g exp(v) = q ⊕ v = exp(Ad v) g, and log(g₁ g₀⁻¹) undoes exp(v)·g */
static void adjoint_moves_increments_across(void **state)
{
    (void)state;
    const int n = s.nv;
    double Ad[MOST * MOST], inverse[MOST * MOST], product[MOST * MOST], one[MOST * MOST];
    double v[MOST], moved[MOST], e[MOST], a[MOST], b[MOST], back[MOST];
    ASSERT_OK(hml_configuration_adjoint(s.model, s.q, Ad, inverse));
    multiply(n, n, n, Ad, inverse, product);
    identity(n, one);
    CHECK(product, one, n * n, 1e-13);
    draw_array(v, n, 1);
    multiply(n, n, 1, Ad, v, moved);
    ASSERT_OK(hml_configuration_integrate(s.model, s.q, v, a));
    neutral_moved(v, e);
    ASSERT_OK(hml_configuration_product(s.model, s.q, e, b));
    assert_same(a, b, 1e-13);
    neutral_moved(moved, e);
    ASSERT_OK(hml_configuration_product(s.model, e, s.q, b));
    assert_same(a, b, 1e-13);
    ASSERT_OK(hml_configuration_integrate_global(s.model, s.q, v, b));
    neutral_moved(v, e);
    ASSERT_OK(hml_configuration_product(s.model, e, s.q, a));
    assert_same(a, b, 1e-13);
    ASSERT_OK(hml_configuration_difference_global(s.model, s.q, b, back));
    CHECK(back, v, n, 1e-13);
}

/* ---- states ---- */

typedef struct state_of {
    double q[MOST], v[MOST];
} state_of;

static state_of drawn(uint64_t seed)
{
    state_of x;
    hml_rng rng;
    hml_rng_seed(&rng, seed);
    ASSERT_OK(hml_configuration_random(s.model, &rng, x.q));
    draw_array(x.v, s.nv, 1);
    return x;
}

static state_of times(hml_state_group group, const state_of *a, const state_of *b)
{
    state_of x;
    ASSERT_OK(hml_state_group_product(s.model, group, a->q, a->v, b->q, b->v, x.q, x.v));
    return x;
}

static void states_form_groups(void **state)
{
    (void)state;
    static const hml_state_group groups[] = {HML_STATE_DIRECT, HML_STATE_TANGENT};
    for (int g = 0; g < 2; g++) {
        state_of a = drawn(11), b = drawn(12), c = drawn(13), inverse, one, ab = times(groups[g], &a, &b);
        state_of bc = times(groups[g], &b, &c), left = times(groups[g], &ab, &c), right = times(groups[g], &a, &bc);
        const double zero[MOST] = {0};
        assert_same(left.q, right.q, 1e-13);
        CHECK(left.v, right.v, s.nv, 1e-12);
        ASSERT_OK(hml_state_group_inverse(s.model, groups[g], a.q, a.v, inverse.q, inverse.v));
        ASSERT_OK(hml_configuration_neutral(s.model, one.q));
        left = times(groups[g], &a, &inverse), right = times(groups[g], &inverse, &a);
        assert_same(left.q, one.q, 1e-13);
        assert_same(right.q, one.q, 1e-13);
        CHECK(left.v, zero, s.nv, 1e-12);
        CHECK(right.v, zero, s.nv, 1e-12);
        if (groups[g] == HML_STATE_TANGENT) continue;
        for (int i = 0; i < s.nv; i++) { /* Bos (17) */
            double sum = a.v[i] + b.v[i];
            CHECK(&ab.v[i], &sum, 1, 0);
        }
    }
}

/* the tangent group: its velocity is that of the product of two configurations that move */
typedef struct pair {
    const state_of *a, *b;
    const double *nominal;
} pair;

static void moving_product(const void *context, double t, double *out)
{
    const pair *p = context;
    double step[MOST], qa[MOST], qb[MOST], q[MOST];
    for (int i = 0; i < s.nv; i++) step[i] = t * p->a->v[i];
    ASSERT_OK(hml_configuration_integrate(s.model, p->a->q, step, qa));
    for (int i = 0; i < s.nv; i++) step[i] = t * p->b->v[i];
    ASSERT_OK(hml_configuration_integrate(s.model, p->b->q, step, qb));
    ASSERT_OK(hml_configuration_product(s.model, qa, qb, q));
    ASSERT_OK(hml_configuration_difference(s.model, p->nominal, q, out));
}

static void tangent_product_is_the_velocity_of_the_product(void **state)
{
    (void)state;
    state_of a = drawn(21), b = drawn(22), ab = times(HML_STATE_TANGENT, &a, &b);
    pair p = {&a, &b, ab.q};
    double rate[MOST];
    difference(moving_product, &p, (size_t)s.nv, rate);
    CHECK(ab.v, rate, s.nv, DIFFERENCE_TOL);
}

/* ---- perturbations on the other side ---- */

static void forward_along(const void *context, double t, double *out)
{
    const direction *d = context;
    double q[MOST], v[MOST], tau[MOST], a[MOST];
    move_along(d, t, q, v, tau);
    ASSERT_OK(hml_forward_dynamics(s.model, s.work, q, v, tau, NULL, a));
    ASSERT_OK(hml_acceleration_to_representation(s.model, d->representation, q, v, a, out));
}

/* where the nominal and the perturbed state are after a short time, and how far apart */
typedef struct pair_of_states {
    const direction *d;
    const double *q, *v;
} pair_of_states;

static void apart_after(const void *context, double t, double *out)
{
    const pair_of_states *p = context;
    double step[MOST], qa[MOST], qb[MOST];
    for (int i = 0; i < s.nv; i++) step[i] = t * s.v[i];
    ASSERT_OK(hml_configuration_integrate(s.model, s.q, step, qa));
    for (int i = 0; i < s.nv; i++) step[i] = t * p->v[i];
    ASSERT_OK(hml_configuration_integrate(s.model, p->q, step, qb));
    ASSERT_OK(hml_configuration_difference_global(s.model, qa, qb, out));
}

/* d/dt of log(g′ g⁻¹) of a state that is perturbed by t along the direction */
static void rate_of_the_perturbation(const void *context, double t, double *out)
{
    const direction *d = context;
    double q[MOST], v[MOST], tau[MOST];
    move_along(d, t, q, v, tau);
    pair_of_states p = {d, q, v};
    difference(apart_after, &p, (size_t)s.nv, out);
}

static void linearization_for_perturbations_on_the_left(void **state)
{
    (void)state;
    const int n = s.nv;
    static double A[4 * MOST * MOST], B[2 * MOST * MOST], A0[4 * MOST * MOST], B0[2 * MOST * MOST];
    double a[MOST], Dq[MOST * MOST], Dq_local[MOST * MOST];
    hml_linearization x = {.struct_size = sizeof x,
                           .q = {s.q, 0},
                           .v = {s.v, 0},
                           .tau = {s.tau, 0},
                           .acceleration = {a, 0, 0},
                           .Dq = {Dq_local, 0, 0},
                           .A = {A0, 0, 0},
                           .B = {B0, 0, 0}};
    ASSERT_OK(hml_linearize(s.model, s.work, &x));
    memcpy(Dq, Dq_local, sizeof Dq);
    ASSERT_OK(hml_gradient_to_global(s.model, s.q, n, Dq));
    check_columns(&s, HML_LEFT, 1, forward_along, n, 0, n, Dq, n, 10 * DIFFERENCE_TOL);
    ASSERT_OK(hml_gradient_from_global(s.model, s.q, n, Dq));
    CHECK(Dq, Dq_local, n * n, ROUND_OFF * 10);
    for (int k = 0; k < 4; k++) {
        memcpy(A, A0, sizeof A), memcpy(B, B0, sizeof B);
        ASSERT_OK(hml_linearization_to_representation(s.model, ALL[k], s.q, s.v, a, n, A, B));
        ASSERT_OK(hml_linearization_to_global(s.model, s.q, s.v, n, A, B));
        check_columns(&s, ALL[k], 1, rate_of_the_perturbation, n, 0, 2 * n, A, 2 * n,
                      1e-7); /* differences of differences */
        check_columns(&s, ALL[k], 1, forward_along, n, 0, 2 * n, A + n * 2 * n, 2 * n, 10 * DIFFERENCE_TOL);
        check_columns(&s, ALL[k], 1, forward_along, n, 2 * n, 3 * n, B + n * n, n, 10 * DIFFERENCE_TOL);
        for (int i = 0; i < n && k == 0; i++) { /* the upper left block vanishes */
            const double zero[MOST] = {0};
            CHECK(A + i * 2 * n, zero, n, ROUND_OFF);
        }
        ASSERT_OK(hml_linearization_from_global(s.model, s.q, s.v, n, A, B));
        ASSERT_OK(hml_linearization_from_representation(s.model, ALL[k], s.q, s.v, a, n, A, B));
        CHECK(A, A0, 4 * n * n, ROUND_OFF * 10);
        CHECK(B, B0, 2 * n * n, ROUND_OFF * 10);
    }
}

/* ---- derivatives of what a frame does ---- */

static int32_t hook;

static void twist_along(const void *context, double t, double *out)
{
    double q[MOST], v[MOST], tau[MOST];
    move_along(context, t, q, v, tau);
    hml_frame_motion motion = {.struct_size = sizeof motion, .twist = out, .acceleration = out + 6};
    ASSERT_OK(hml_frame(s.model, s.work, hook, HML_MIXED, q, v, s.tau, &motion));
}

static void jacobian_along(const void *context, double t, double *out)
{
    double q[MOST], v[MOST], tau[MOST], J[6 * MOST];
    move_along(context, t, q, v, tau);
    hml_frame_motion motion = {.struct_size = sizeof motion, .J = J};
    ASSERT_OK(hml_frame(s.model, s.work, hook, HML_MIXED, q, NULL, NULL, &motion));
    memcpy(out, J + 2 * s.nv, (size_t)s.nv * sizeof *out); /* one row is as good as six */
}

static void frames_for_perturbations_on_the_left(void **state)
{
    (void)state;
    const int n = s.nv;
    double both[12 * MOST], *twist_q = both, *acceleration_q = both + 6 * n;
    double *H = malloc((size_t)(6 * n * n) * sizeof *H), *H0 = malloc((size_t)(6 * n * n) * sizeof *H0),
           row[MOST * MOST];
    hml_frame_derivative D = {.struct_size = sizeof D, .twist_q = twist_q, .acceleration_q = acceleration_q};
    hook = hml_model_find_frame(s.model, "hook");
    ASSERT_OK(hml_frame_derivatives(s.model, s.work, hook, HML_MIXED, s.q, s.v, s.tau, &D));
    ASSERT_OK(hml_gradient_to_global(s.model, s.q, 12, both));
    check_columns(&s, HML_LEFT, 1, twist_along, 12, 0, n, both, n, DIFFERENCE_TOL);
    ASSERT_OK(hml_frame_hessian(s.model, s.work, hook, HML_MIXED, HML_LEFT, s.q, H));
    memcpy(H0, H, (size_t)(6 * n * n) * sizeof *H);
    ASSERT_OK(hml_hessian_to_global(s.model, s.q, 6 * n, H));
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) row[i * n + k] = H[(k * 6 + 2) * n + i];
    }
    check_columns(&s, HML_LEFT, 1, jacobian_along, n, 0, n, row, n, DIFFERENCE_TOL);
    ASSERT_OK(hml_hessian_from_global(s.model, s.q, 6 * n, H));
    CHECK(H, H0, 6 * n * n, ROUND_OFF);
    free(H), free(H0);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    double q[MOST], out[MOST], D[MOST * MOST] = {0}, bad[MOST];
    memcpy(q, s.q, sizeof q), memcpy(bad, s.q, sizeof bad);
    bad[3] = NAN;
    assert_int_equal(hml_configuration_product(s.model, q, NULL, out), HML_INVALID_ARGUMENT);
    for (int k = 0; k < 4; k++) { /* one is missing at a time */
        const hml_model *m = k == 0 ? NULL : s.model;
        const double *one = k == 1 ? NULL : q, *other = k == 2 ? NULL : q;
        double *to = k == 3 ? NULL : out;
        assert_int_equal(hml_configuration_product(m, one, other, to), HML_INVALID_ARGUMENT);
        assert_int_equal(hml_configuration_difference_global(m, one, other, to), HML_INVALID_ARGUMENT);
        assert_int_equal(hml_configuration_integrate_global(m, one, other, to), HML_INVALID_ARGUMENT);
        if (k != 2) assert_int_equal(hml_configuration_inverse(m, one, to), HML_INVALID_ARGUMENT);
    }
    assert_int_equal(hml_configuration_product(s.model, q, bad, out), HML_NOT_FINITE);
    assert_int_equal(hml_configuration_inverse(s.model, bad, out), HML_NOT_FINITE);
    assert_int_equal(hml_configuration_adjoint(NULL, q, D, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_gradient_to_global(s.model, bad, 1, D), HML_NOT_FINITE);
    assert_int_equal(hml_gradient_to_global(s.model, q, -1, D), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_gradient_to_global(s.model, q, 1, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_state_group_product(s.model, (hml_state_group)2, q, s.v, q, s.v, out, D),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_state_group_product(s.model, HML_STATE_DIRECT, q, s.v, q, s.v, q, D), HML_INVALID_ARGUMENT);
    bad[3] = 3;
    assert_int_equal(hml_configuration_product(s.model, q, bad, out), HML_NOT_NORMALIZED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_products_of_matrices),
        cmocka_unit_test(adjoint_moves_increments_across),
        cmocka_unit_test(states_form_groups),
        cmocka_unit_test(tangent_product_is_the_velocity_of_the_product),
        cmocka_unit_test(linearization_for_perturbations_on_the_left),
        cmocka_unit_test(frames_for_perturbations_on_the_left),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
