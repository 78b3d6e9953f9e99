/*
 * Constrained dynamics: the equations themselves, redundancy, contradictions, inverse dynamics, impulses.
 *
 * Tolerance 1e-10: accelerations and forces here are below 1e3, and K's condition number below 1e4.
 */
#include "constraint_check.h"

static const double tight = 1e-10;

/* Jᵀλ of a constraint, by the frame's own Jacobian, added to f; and J ν̇ + J̇ν of its rows must be `target` */
static void check_rows(stage *s, const hml_constraint *c, const double *lambda, const double *target, double *f)
{
    double J[6 * MOST], V[6], A[6], n[3], size = 0;
    hml_frame_motion x = {.struct_size = sizeof x, .J = J, .twist = V, .acceleration = A};
    int held = c->kind == HML_HOLD_FRAME;
    ASSERT_OK(hml_frame(s->model, s->work, c->frame, held ? HML_LEFT : HML_MIXED, s->q, s->v, s->a, &x));
    for (int i = 0; i < 3; i++) size += c->normal[i] * c->normal[i];
    for (int i = 0; i < 3; i++) n[i] = c->normal[i] / sqrt(size);
    for (int r = 0; r < (held ? 6 : 3); r++) {
        double force = c->kind == HML_HOLD_PLANE ? n[r] * lambda[0] : lambda[r];
        for (int k = 0; k < s->nv; k++) f[k] += J[r * s->nv + k] * force;
        if (c->kind != HML_HOLD_PLANE) assert_close(A[r], target ? target[r] : 0, tight);
    }
    if (c->kind == HML_HOLD_PLANE) {
        assert_close(n[0] * A[0] + n[1] * A[1] + n[2] * A[2], target ? target[0] : 0, tight);
    }
}

/* M ν̇ + h = τ + f */
static void check_motion(stage *s, const double *tau, const double *f)
{
    double got[MOST];
    ASSERT_OK(hml_inverse_dynamics(s->model, s->work, s->q, s->v, s->a, NULL, got));
    for (int k = 0; k < s->nv; k++) assert_close(got[k], tau[k] + f[k], 10 * tight);
}

static void test_forward(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double f[MOST] = {0};
    hml_constraint_report report = {.struct_size = sizeof report};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[1] = hold(s.model, HML_HOLD_POINT, "left_foot");
    s.items[2] = hold(s.model, HML_HOLD_PLANE, "trunk");
    open_stage(&s, 3);
    assert_int_equal(s.m, 10);
    ASSERT_OK(forward(&s, &report));
    assert_int_equal(report.rank, 10);
    check_rows(&s, &s.items[0], s.lambda, NULL, f);
    check_rows(&s, &s.items[1], s.lambda + 6, NULL, f);
    check_rows(&s, &s.items[2], s.lambda + 9, NULL, f);
    check_motion(&s, s.tau, f);
    close_stage(&s);
}

static void test_baumgarte(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double pose[16], V[6], target[6], f[MOST] = {0};
    s.items[0] = hold(s.model, HML_HOLD_POINT, "foot");
    s.items[0].damping = 3;
    s.items[0].stiffness = 7;
    open_stage(&s, 1);
    hml_frame_motion x = {.struct_size = sizeof x, .pose = pose, .twist = V};
    ASSERT_OK(hml_frame(s.model, s.work, s.items[0].frame, HML_MIXED, s.q, s.v, NULL, &x));
    ASSERT_OK(forward(&s, NULL));
    for (int i = 0; i < 3; i++) target[i] = -3 * V[i] - 7 * pose[4 * i + 3]; /* its goal is the world's origin */
    check_rows(&s, &s.items[0], s.lambda, target, f);
    close_stage(&s);
}

/* the same foot three times: the motion of one, each with a third of its wrench, which is the least norm */
static void test_redundant(void **state)
{
    (void)state;
    stage one = {.model = biped()}, three = {.model = biped()};
    hml_constraint_report report = {.struct_size = sizeof report};
    for (int i = 0; i < 3; i++) three.items[i] = hold(three.model, HML_HOLD_FRAME, "foot");
    one.items[0] = three.items[0];
    open_stage(&one, 1);
    open_stage(&three, 3);
    memcpy(three.v, one.v, sizeof one.v);
    memcpy(three.tau, one.tau, sizeof one.tau);
    ASSERT_OK(forward(&one, NULL));
    ASSERT_OK(forward(&three, &report));
    assert_int_equal(report.rank, 6);
    assert_int_equal(report.rows, 18);
    assert_all_close(three.a, one.a, one.nv, tight);
    for (int i = 0; i < 18; i++) assert_close(3 * three.lambda[i], one.lambda[i % 6], tight);
    close_stage(&one);
    close_stage(&three);
}

/* one foot pulled to two places at once */
static void test_contradiction(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    hml_constraint_report report = {.struct_size = sizeof report};
    for (int i = 0; i < 2; i++) {
        s.items[i] = hold(s.model, HML_HOLD_POINT, "foot");
        s.items[i].stiffness = 10;
        s.items[i].pose[3] = i;
    }
    open_stage(&s, 2);
    assert_int_equal(forward(&s, &report), HML_INCONSISTENT);
    assert_int_equal(report.rank, 3);
    assert_close(report.residual, 10 / sqrt(2), 1e-6);
    close_stage(&s);
}

static void test_inverse(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double tau[MOST], lambda[MOST], f[MOST] = {0}, least = 0, other = 0;
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[1] = hold(s.model, HML_HOLD_POINT, "left_foot");
    open_stage(&s, 2);
    memset(s.tau, 0, 6 * sizeof(double)); /* the base has no motor */
    ASSERT_OK(forward(&s, NULL));
    ASSERT_OK(hml_constrained_inverse_dynamics(
        s.model, s.work, &s.set, s.scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = s.q, .v = s.v, .a = s.a, .torque = tau, .lambda = lambda)));
    check_rows(&s, &s.items[0], lambda, NULL, f);
    check_rows(&s, &s.items[1], lambda + 6, NULL, f);
    check_motion(&s, tau, f);
    assert_all_close(tau, (double[6]){0}, 6, 0);
    for (int i = 0; i < s.m; i++) least += lambda[i] * lambda[i], other += s.lambda[i] * s.lambda[i];
    assert_true(least < other);
    close_stage(&s);
}

/* in the air nothing can lift the base */
static void test_inverse_in_the_air(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double tau[MOST], lambda[MOST];
    s.items[0] = hold(s.model, HML_HOLD_PLANE, "foot");
    open_stage(&s, 1);
    memset(s.a, 0, sizeof s.a);
    assert_int_equal(hml_constrained_inverse_dynamics(s.model, s.work, &s.set, s.scratch,
                                                      &HML_STRUCT(hml_constrained_dynamics, .q = s.q, .v = s.v,
                                                                  .a = s.a, .torque = tau, .lambda = lambda)),
                     HML_INCONSISTENT);
    close_stage(&s);
}

static double kinetic_energy(stage *s, const double *v)
{
    double M[MOST * MOST], h[MOST];
    hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = h};
    ASSERT_OK(hml_dynamics(s->model, s->work, s->q, v, NULL, NULL, &x));
    return x.kinetic_energy;
}

static void test_impulse(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double next[MOST], impulse[MOST], before[6], after[6];
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[1] = hold(s.model, HML_HOLD_PLANE, "left_foot");
    open_stage(&s, 2);
    for (double e = 0; e <= 1; e += 0.5) {
        hml_frame_motion x = {.struct_size = sizeof x, .twist = before}, y = {.struct_size = sizeof y, .twist = after};
        ASSERT_OK(hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                          &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .restitution = e,
                                                      .v_next = next, .impulse = impulse)));
        ASSERT_OK(hml_frame(s.model, s.work, s.items[0].frame, HML_LEFT, s.q, s.v, NULL, &x));
        ASSERT_OK(hml_frame(s.model, s.work, s.items[0].frame, HML_LEFT, s.q, next, NULL, &y));
        for (int i = 0; i < 6; i++) assert_close(after[i], -e * before[i], tight);
        double lost = kinetic_energy(&s, s.v) - kinetic_energy(&s, next);
        if (e < 1) assert_true(lost > 0.1);
        if (e == 1) assert_close(lost, 0, 1e-9);
    }
    close_stage(&s);
}

static void test_refused(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_PLANE, "foot");
    open_stage(&s, 1);
    s.items[0].normal[0] = NAN;
    assert_int_equal(forward(&s, NULL), HML_NOT_FINITE);
    memset(s.items[0].normal, 0, sizeof s.items[0].normal);
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    s.items[0].normal[2] = 1;
    s.items[0].damping = -1;
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    s.items[0].damping = 0;
    s.items[0].frame = hml_model_nframes(s.model);
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    s.items[0].frame = 0;
    s.v[0] = INFINITY;
    assert_int_equal(forward(&s, NULL), HML_NOT_FINITE);
    s.v[0] = 0;
    s.set.tolerance = 1;
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    s.set.tolerance = 0;
    assert_int_equal(hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                             &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .restitution = 1.5,
                                                         .v_next = s.a, .impulse = s.lambda)),
                     HML_INVALID_ARGUMENT);
    s.items[0].kind = (hml_constraint_kind)9;
    assert_int_equal(hml_constraint_rows(&s.set), -1);
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    close_stage(&s);
}

/* a point on the axis of a joint does not move: to hold it changes nothing, however its position was rounded */
static void test_a_point_on_the_axis(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        hml_builder *b = hml_builder_new();
        hml_joint_spec joint;
        hml_error error = {0};
        const hml_inertia_spec I = {2, {0.1, 0.2, 0.3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        double at[3], free[MOST], length = 0, along = draw(-1, 1);
        hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
        joint.name = "hinge";
        draw_array(joint.axis, 3, 1), draw_array(joint.point, 3, 1), draw_array(joint.position, 3, 1);
        for (int i = 0; i < 3; i++) length += joint.axis[i] * joint.axis[i];
        for (int i = 0; i < 3; i++) at[i] = joint.point[i] + along * joint.axis[i] / sqrt(length);
        ASSERT_OK(hml_builder_add_body(b, "door", NULL, &joint, &I, &error));
        ASSERT_OK(hml_builder_add_frame(b, "pin", "door", at, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, &error));
        stage s = {0};
        ASSERT_OK(hml_builder_build(b, 0, &s.model, &error));
        hml_builder_free(b);
        s.items[0] = hold(s.model, k % 2 ? HML_HOLD_PLANE : HML_HOLD_POINT, "pin");
        if (k % 4 > 1) s.items[0].damping = 3;
        open_stage(&s, 1);
        s.q[0] = draw(-3, 3);
        hml_constraint_report report = {.struct_size = sizeof report};
        ASSERT_OK(hml_forward_dynamics(s.model, s.work, s.q, s.v, s.tau, NULL, free));
        ASSERT_OK(forward(&s, &report));
        assert_int_equal(report.rank, 0);
        assert_close(s.a[0], free[0], tight);
        ASSERT_OK(hml_constrained_impulse(
            s.model, s.work, &s.set, s.scratch,
            &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .v_next = s.a, .impulse = s.lambda)));
        assert_close(s.a[0], s.v[0], tight);
        close_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_point_on_the_axis),
        cmocka_unit_test(test_forward),
        cmocka_unit_test(test_baumgarte),
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_inverse_in_the_air),
        cmocka_unit_test(test_impulse),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
