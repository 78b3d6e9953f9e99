/*
 * Loops: frames of a robot tied to each other. Their rows and forces against poses alone, which are asked for along a
 * curve: q(t) = q ⊕ (t ν + t²/2 ν̇) has the velocity ν and the acceleration ν̇ at its start, so that the second derivative
 * of what the loop keeps is what the loop's equation says. Their derivatives against differences of eighth order.
 */
#include "constraint_differences.h"

static void pose_of_frame(stage *s, int32_t frame, const double *q, double H[16])
{
    memset(H, 0, 16 * sizeof *H);
    for (int i = 0; i < 4; i++) H[5 * i] = 1;
    hml_frame_motion x = {.struct_size = sizeof x, .pose = H};
    if (frame != HML_WORLD) ASSERT_OK(hml_frame(s->model, s->work, frame, HML_LEFT, q, NULL, NULL, &x));
}

/* H_a⁻¹ H_b */
static void between(const double a[16], const double b[16], double out[16])
{
    double inverse[16];
    ASSERT_OK(hml_se3_inverse(a, inverse));
    ASSERT_OK(hml_se3_compose(inverse, b, out));
}

/* what loop i keeps, at q; of a frame the log of its motion since `start` (16 numbers, of frame in other) */
static int kept(stage *s, int i, const double *q, const double *start, double *out)
{
    const hml_loop *c = &s->loops[i];
    double E[16], O[16], H[16], moved[16];
    pose_of_frame(s, c->frame, q, E), pose_of_frame(s, c->other, q, O);
    between(O, E, H);
    const double r[3] = {H[3], H[7], H[11]}, *n = c->normal;
    switch (c->kind) {
    case HML_HOLD_FRAME:
        between(start, H, moved);
        ASSERT_OK(hml_se3_log(moved, out));
        return 6;
    case HML_HOLD_POINT: memcpy(out, r, sizeof r); return 3;
    case HML_HOLD_PLANE:
        out[0] = (n[0] * r[0] + n[1] * r[1] + n[2] * r[2]) / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        return 1;
    default: out[0] = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]); return 1;
    }
}

typedef struct curve {
    stage *s;
    int loop;
    const double *v, *a;
    double start[16];
} curve;

static void along_curve(const void *context, double t, double *out)
{
    const curve *x = context;
    double z[MOST], q[MOST];
    for (int i = 0; i < x->s->nv; i++) z[i] = t * x->v[i] + t * t / 2 * (x->a ? x->a[i] : 0);
    ASSERT_OK(hml_configuration_integrate(x->s->model, x->s->q, z, q));
    kept(x->s, x->loop, q, x->start, out);
}

typedef struct shifted {
    const curve *x;
    double t;
} shifted;

static void later(const void *context, double t, double *out)
{
    const shifted *s = context;
    along_curve(s->x, s->t + t, out);
}

static void rate_along(const void *context, double t, double *out)
{
    const shifted s = {context, t};
    difference(later, &s, 6, out);
}

/* e of a loop at the start, from its definition */
static void misfit(stage *s, int i, double *e)
{
    const hml_loop *c = &s->loops[i];
    double E[16], O[16], H[16], goal[16];
    pose_of_frame(s, c->frame, s->q, E), pose_of_frame(s, c->other, s->q, O);
    between(O, E, H);
    memcpy(goal, c->pose, sizeof goal);
    if (goal[15] == 0)
        for (int k = 0; k < 4; k++) goal[5 * k] = 1;
    kept(s, i, s->q, goal, e);
    if (c->kind == HML_HOLD_DISTANCE) e[0] -= c->distance;
    if (c->kind == HML_HOLD_POINT)
        for (int k = 0; k < 3; k++) e[k] -= goal[4 * k + 3];
    if (c->kind == HML_HOLD_PLANE) {
        const double *n = c->normal, size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) e[0] -= n[k] / size * goal[4 * k + 3];
    }
}

/* the equations of motion and of the loops, of what forward dynamics has found */
static void assert_equations(stage *s)
{
    double force[MOST], speed[6] = {0}, rate[6] = {0}, e[6] = {0}, power = 0, pushed = 0, w[MOST];
    hml_constraint_report report = {.struct_size = sizeof report};
    ASSERT_OK(forward(s, &report));
    assert_int_equal(report.rank, s->m);
    ASSERT_OK(hml_inverse_dynamics(s->model, s->work, s->q, s->v, s->a, s->wrenches, force));
    draw_array(w, s->nv, 1);
    for (int k = 0; k < s->nv; k++) power += (force[k] - s->tau[k]) * w[k], pushed += fabs(force[k] * w[k]);
    int row = 0;
    for (int i = 0; i < s->nloops; i++) {
        const hml_loop *c = &s->loops[i];
        double E[16], O[16];
        curve x = {.s = s, .loop = i, .v = s->v, .a = s->a};
        pose_of_frame(s, c->frame, s->q, E), pose_of_frame(s, c->other, s->q, O);
        between(O, E, x.start);
        const int rows = kept(s, i, s->q, x.start, e);
        difference(along_curve, &x, (size_t)rows, speed);
        difference(rate_along, &x, (size_t)rows, rate);
        misfit(s, i, e);
        for (int k = 0; k < rows; k++) assert_close(rate[k], -c->damping * speed[k] - c->stiffness * e[k], 3e-9);
        x.v = w, x.a = NULL;
        difference(along_curve, &x, (size_t)rows, speed);
        for (int k = 0; k < rows; k++) power -= s->lambda[row + k] * speed[k];
        row += rows;
    }
    assert_close(power / pushed, 0, 1e-9);
}

static void calm_down(stage *s)
{
    for (int i = 0; i < s->nv; i++) s->v[i] *= 0.3;
}

static const hml_constraint_kind kinds[] = {HML_HOLD_FRAME, HML_HOLD_POINT, HML_HOLD_PLANE, HML_HOLD_DISTANCE};

/* each kind, between two legs, with Baumgarte's terms and a goal off the place where it is */
static void test_kinds(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        stage s = {.model = biped(), .nloops = 1};
        s.loops[0] = loop(s.model, kinds[k], "foot", "left_foot");
        s.loops[0].damping = 2, s.loops[0].stiffness = 5;
        if (k < 3) {
            static const double goal[16] = {0, -1, 0, 0.1, 1, 0, 0, -0.2, 0, 0, 1, 0.3, 0, 0, 0, 1};
            memcpy(s.loops[0].pose, goal, sizeof goal);
        }
        open_stage(&s, 0);
        calm_down(&s);
        assert_equations(&s);
        check_all(&s);
        check_impulse(&s, 0.4);
        close_stage(&s);
    }
}

/* all of them at once, beside a hold; a frame and its own ancestor; the world as the other frame */
static void test_mixture(void **state)
{
    (void)state;
    stage s = {.model = biped(), .nloops = 3};
    double wrenches[6 * MOST];
    draw_array(wrenches, 6 * MOST, 2);
    s.wrenches = wrenches;
    s.items[0] = hold(s.model, HML_HOLD_POINT, "left_foot");
    s.loops[0] = loop(s.model, HML_HOLD_DISTANCE, "foot", "trunk");
    s.loops[1] = loop(s.model, HML_HOLD_PLANE, "left_shank", "thigh");
    s.loops[2] = loop(s.model, HML_HOLD_POINT, "foot", NULL);
    open_stage(&s, 1);
    calm_down(&s);
    check_all(&s);
    check_impulse(&s, 0);
    close_stage(&s);
}

/* a tree, or two, of joints of every type */
static hml_model *some_tree(int k)
{
    static const hml_joint_type types[] = {HML_JOINT_FREE,      HML_JOINT_REVOLUTE,     HML_JOINT_PRISMATIC,
                                           HML_JOINT_SPHERICAL, HML_JOINT_HELICAL,      HML_JOINT_CYLINDRICAL,
                                           HML_JOINT_UNIVERSAL, HML_JOINT_PLANAR,       HML_JOINT_TRANSLATION2,
                                           HML_JOINT_REVOLUTE,  HML_JOINT_TRANSLATION3, HML_JOINT_SCHOENFLIES};
    static const char *const names[] = {"a", "bb", "ccc", "dddd", "eeeee", "ffffff"};
    hml_builder *b = hml_builder_new();
    for (int i = 0; i < 6; i++) {
        char name[32];
        const int above = i ? (int)draw(0, i) : -1, root = i == 0 || (k % 2 && i == 3);
        snprintf(name, sizeof name, "j_%s", names[i]);
        hml_joint_spec joint = some_joint(types[i ? (int)draw(1, 12) : k % 12], name);
        double H[16];
        draw_pose(H);
        for (int r = 0; r < 9; r++) joint.rotation[r] = H[r / 3 * 4 + r % 3];
        for (int r = 0; r < 3; r++) joint.position[r] = H[4 * r + 3] / 2;
        if (k % 3 == 0)
            for (int r = 0; r < HML_JOINT_MAX_NV; r++) joint.damping[r] = 0.3, joint.stiffness[r] = 2;
        add_spec(b, names[i], root ? NULL : names[above], &joint);
    }
    return finish(b, 0);
}

static void test_random_trees(void **state)
{
    (void)state;
    int compared = 0;
    compare_step = 0x1p-9; /* frames come near each other */
    for (int k = 0; k < 24; k++) {
        stage s = {.model = some_tree(k), .nloops = 1};
        hml_constraint_report report = {.struct_size = sizeof report};
        s.loops[0] = loop(s.model, kinds[k / 2 % 4], "ffffff", k % 5 ? k % 2 ? "a" : "dddd" : NULL);
        s.loops[0].damping = 1;
        open_stage(&s, 0);
        calm_down(&s);
        if (forward(&s, &report) == HML_OK && report.rank == report.rows) {
            check_all(&s);
            assert_equations(&s);
            compared++;
        }
        close_stage(&s);
    }
    compare_step = 0x1p-7;
    assert_in_range(compared, 14, 24);
}

/* a loop to the world is a hold: the same numbers on another way */
static void test_like_holds(void **state)
{
    (void)state;
    static results one, two;
    for (int k = 0; k < 3; k++) {
        stage a = {.model = biped()}, b = {.model = biped(), .nloops = 1};
        a.items[0] = hold(a.model, kinds[k], "foot");
        b.loops[0] = loop(b.model, kinds[k], "foot", NULL);
        a.items[0].damping = b.loops[0].damping = 3;
        a.items[0].stiffness = b.loops[0].stiffness = 7;
        open_stage(&a, 1), open_stage(&b, 0);
        memcpy(b.v, a.v, sizeof a.v), memcpy(b.tau, a.tau, sizeof a.tau);
        linearize(&a, &one), linearize(&b, &two);
        const double scale = largest(one.Dq, a.nv * a.nv), force = largest(one.Lq, a.m * a.nv);
        for (int i = 0; i < a.nv * a.nv; i++) {
            assert_close(two.Dq[i] / scale, one.Dq[i] / scale, 1e-11);
            assert_close(two.Dv[i] / scale, one.Dv[i] / scale, 1e-11);
        }
        for (int i = 0; i < a.m * a.nv; i++) assert_close(two.Lq[i] / force, one.Lq[i] / force, 1e-11);
        assert_all_close(two.lambda, one.lambda, a.m, 1e-9);
        close_stage(&a), close_stage(&b);
    }
}

/* inverse dynamics finds the forces of the joints that make a motion, loops and all */
static void test_inverse(void **state)
{
    (void)state;
    stage s = {.model = biped(), .nloops = 1};
    double torque[MOST], lambda[MOST];
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot"); /* carries the trunk */
    s.loops[0] = loop(s.model, HML_HOLD_POINT, "left_foot", "foot");
    open_stage(&s, 1);
    for (int i = 0; i < 6; i++) s.tau[i] = 0;
    ASSERT_OK(forward(&s, NULL));
    ASSERT_OK(hml_constrained_inverse_dynamics(
        s.model, s.work, &s.set, s.scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = s.q, .v = s.v, .a = s.a, .torque = torque, .lambda = lambda)));
    memcpy(s.tau, torque, sizeof torque);
    double a[MOST];
    memcpy(a, s.a, sizeof a);
    ASSERT_OK(forward(&s, NULL)); /* other forces, the same motion */
    assert_all_close(s.a, a, s.nv, 1e-9);
    close_stage(&s);
}

/* the same loop twice, and from the other side; more rows than coordinates; contradictions */
static void test_redundant(void **state)
{
    (void)state;
    static results one, two;
    hml_constraint_report report = {.struct_size = sizeof report};
    stage a = {.model = biped(), .nloops = 1}, b = {.model = biped(), .nloops = 3};
    a.loops[0] = b.loops[0] = b.loops[1] = loop(a.model, HML_HOLD_FRAME, "foot", "left_foot");
    b.loops[2] = loop(a.model, HML_HOLD_FRAME, "left_foot", "foot");
    open_stage(&a, 0), open_stage(&b, 0);
    memset(a.v, 0, sizeof a.v), memset(b.v, 0, sizeof b.v);
    memcpy(b.tau, a.tau, sizeof a.tau);
    ASSERT_OK(forward(&b, &report));
    assert_int_equal(report.rows, 18); /* of 14 coordinates */
    assert_int_equal(report.rank, 6);
    linearize(&a, &one), linearize(&b, &two);
    const double scale = largest(one.Dq, a.nv * a.nv);
    for (int i = 0; i < a.nv * a.nv; i++) assert_close(two.Dq[i] / scale, one.Dq[i] / scale, 1e-10);
    b.loops[1].stiffness = 3; /* pulled where the others keep it */
    assert_int_equal(forward(&b, &report), HML_INCONSISTENT);
    assert_true(report.residual > 0.1);
    close_stage(&a), close_stage(&b);
}

/* a biped far from the origin: the loop does not see the distance */
static void test_far_away(void **state)
{
    (void)state;
    static results here, there;
    stage s = {.model = biped(), .nloops = 1};
    s.loops[0] = loop(s.model, HML_HOLD_FRAME, "foot", "left_foot");
    open_stage(&s, 0);
    linearize(&s, &here);
    s.q[0] += 1e7;
    linearize(&s, &there);
    assert_all_close(here.a, there.a, s.nv, 1e-9);
    assert_all_close(here.lambda, there.lambda, s.m, 1e-8);
    close_stage(&s);
}

/* a point on the axis of all joints that move it: no motion is forbidden, nothing but round-off is left of the rows */
static void test_common_axis(void **state)
{
    (void)state;
    hml_constraint_report report = {.struct_size = sizeof report};
    hml_builder *b = hml_builder_new();
    add_link(b, "one", NULL, HML_JOINT_REVOLUTE);
    add_link(b, "two", "one", HML_JOINT_REVOLUTE);
    stage s = {.model = finish(b, 0), .nloops = 1};
    s.loops[0] = loop(s.model, HML_HOLD_POINT, "two", "one"); /* both frames turn about the axis that they share */
    open_stage(&s, 0);
    ASSERT_OK(forward(&s, &report));
    assert_int_equal(report.rank, 0);
    close_stage(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    stage s = {.model = biped(), .nloops = 1};
    s.loops[0] = loop(s.model, HML_HOLD_POINT, "foot", "left_foot");
    open_stage(&s, 0);
    const hml_loop good = s.loops[0];
    hml_loop *c = &s.loops[0];
    ASSERT_OK(forward(&s, NULL));
    c->other = c->frame;
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    *c = good, c->other = hml_model_nframes(s.model);
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    *c = good, c->frame = HML_WORLD;
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    *c = good, c->pose[3] = NAN;
    assert_int_equal(forward(&s, NULL), HML_NOT_FINITE);
    *c = good, c->pose[3] = 1; /* not a pose */
    assert_int_equal(forward(&s, NULL), HML_NOT_NORMALIZED);
    *c = good, c->damping = -1;
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    *c = good, c->stiffness = INFINITY;
    assert_int_equal(forward(&s, NULL), HML_NOT_FINITE);
    *c = good, c->kind = HML_HOLD_PLANE, c->normal[0] = c->normal[1] = c->normal[2] = 0;
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    *c = good, c->kind = HML_HOLD_DISTANCE, c->distance = 0;
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    *c = good, c->kind = HML_TOUCH_PLANE;
    assert_int_equal(hml_constraint_rows(&s.set), -1);
    assert_int_equal(forward(&s, NULL), HML_INVALID_ARGUMENT);
    *c = good, c->kind = HML_HOLD_DISTANCE; /* two frames in one place: a distance without a direction */
    c->frame = hml_model_find_frame(s.model, "trunk"), c->other = HML_WORLD;
    s.q[0] = -0.5, s.q[1] = s.q[2] = 0; /* the base's joint is 0.5 m along x */
    assert_int_equal(forward(&s, NULL), HML_SINGULAR);
    s.set.loops = NULL;
    assert_int_equal(hml_constraint_rows(&s.set), -1);
    s.set.struct_size = offsetof(hml_constraints, loops); /* an older program knows of no loops */
    assert_int_equal(hml_constraint_rows(&s.set), 0);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),      cmocka_unit_test(test_mixture),     cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_like_holds), cmocka_unit_test(test_inverse),     cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_far_away),   cmocka_unit_test(test_common_axis), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
