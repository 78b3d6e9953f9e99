/*
 * Contact of robots with loops: a four-bar that swings, against an adaptive integrator; one that is pressed on the floor,
 * against constraint forces; a table that falls on its feet; rows that loops hold; loops that are left open.
 */
#include "contact_check.h"
#include "linkage.h"

static const four_bar bars = {0.3, 0.9, 0.7, 1};

static hml_model *closed_four_bar(void)
{
    hml_builder *b = four_bar_builder(bars);
    hml_error error = {0};
    const hml_loop pin = {.kind = HML_HOLD_POINT};
    if (hml_builder_add_loop(b, "pin", "coupler_end", "rocker_end", &pin, &error)) fail_msg("%s", error.message);
    return finish(b, 0);
}

/* configuration of the four-bar with its crank at an angle */
static void assemble(double crank, double q[3])
{
    q[0] = crank;
    four_bar_solve(bars, crank, 1, &q[1], &q[2]);
}

/* how far the first loop of the model is open, m */
static double opening(const scene *s)
{
    hml_loop c;
    double H[16];
    hml_frame_motion x = {.struct_size = sizeof x, .pose = H};
    OK(hml_model_loop(s->model, 0, &c));
    OK(hml_frame_relative(s->model, s->work, c.frame, c.other, HML_LEFT, s->q, NULL, NULL, &x));
    return sqrt(H[3] * H[3] + H[7] * H[7] + H[11] * H[11]);
}

static double energy_of(const scene *s)
{
    double M[144], h[12];
    hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = h};
    OK(hml_dynamics(s->model, s->work, s->q, s->v, NULL, NULL, &x));
    return x.kinetic_energy + x.potential_energy;
}

/* ---- without ground ---- */

/* the crank after a second, by an integrator that shares nothing with steps of contact */
static double swung(hml_model *model, hml_work *work, const double *q0)
{
    const double still[3] = {0};
    hml_motion *motion = NULL;
    hml_motion_options options;
    hml_loop pin;
    OK(hml_model_loop(model, 0, &pin));
    pin.damping = 40, pin.stiffness = 400;
    const hml_constraints set = HML_STRUCT(hml_constraints, .loops = &pin, .loop_count = 1);
    double *scratch = malloc(hml_constraint_scratch_doubles(model, &set) * sizeof *scratch);
    hml_motion_options_init(&options);
    options.step = 0, options.tolerance = 1e-11, options.constraints = &set, options.constraint_scratch = scratch;
    OK(hml_motion_new(model, work, &options, NULL, 0, q0, still, &motion));
    OK(hml_motion_advance(motion, 1));
    const double crank = hml_motion_position(motion)[0];
    hml_motion_free(motion);
    free(scratch);
    return crank;
}

static void a_four_bar_swings(void **state)
{
    (void)state;
    double error[2];
    for (int halves = 0; halves < 2; halves++) {
        scene s = {.model = closed_four_bar()};
        const int steps = 1000 << halves;
        const double h = 1.0 / steps;
        double open = 0, lost = 0;
        open_scene(&s);
        assemble(0.4, s.q);
        const double exact = swung(s.model, s.work, s.q), before = energy_of(&s);
        for (int i = 0; i < steps; i++) {
            OK(one_step(&s, h, NULL));
            open = fmax(open, opening(&s));
            lost = fmax(lost, fabs(energy_of(&s) - before));
        }
        error[halves] = fabs(s.q[0] - exact);
        assert_true(open < 5e-6);
        assert_true(lost < 2e-3); /* of 8 J */
        assert_int_equal(s.result.relaxed, 0);
        close_scene(&s);
    }
    assert_true(error[0] < 2e-3);
    assert_true(error[1] < 0.6 * error[0]);
}

/* ---- on the ground ---- */

/* pressed on a floor under the end of the coupler: the force of a plane that holds this point */
static void a_four_bar_is_pressed_on_the_floor(void **state)
{
    (void)state;
    hml_model *model = closed_four_bar();
    const int32_t end = hml_model_find_frame(model, "coupler_end");
    hml_shape tip = shape_on(end, HML_SHAPE_SPHERE, 0.02, 0, 0);
    hml_plane floor = floor_plane(0, 0);
    scene s = {.model = model, .settings = {.planes = &floor, .nplanes = 1, .shapes = &tip, .nshapes = 1}};
    const double tau[3] = {-8, 0, 0}, h = 1e-6;
    double q[3], H[16], a[3], lambda[4];
    assemble(0.4, q);
    hml_work *work;
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
    const hml_frame_motion at = {.struct_size = sizeof at, .pose = H};
    OK(hml_frame_relative(model, work, end, HML_WORLD, HML_LEFT, q, NULL, NULL, &at));
    hml_work_free(work);
    floor.point[2] = H[11] - 0.02;
    s.settings.tolerance = 1e-12;
    open_scene(&s);
    memcpy(s.q, q, sizeof q);
    OK(one_step(&s, h, tau));
    hml_constraint held = hold(model, HML_TOUCH_PLANE, "coupler_end");
    held.normal[0] = held.normal[1] = 0, held.normal[2] = 1;
    hml_loop pin;
    OK(hml_model_loop(model, 0, &pin));
    const hml_constraints set = HML_STRUCT(hml_constraints, .items = &held, .count = 1, .loops = &pin, .loop_count = 1);
    double *scratch = malloc(hml_constraint_scratch_doubles(model, &set) * sizeof *scratch);
    const double still[3] = {0};
    OK(hml_constrained_forward_dynamics(
        model, s.work, &set, scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = still, .tau = tau, .acceleration = a, .lambda = lambda)));
    free(scratch);
    hml_contact_point point;
    assert_int_equal(hml_contact_count(s.contact), 1);
    OK(hml_contact_get(s.contact, 0, &point));
    assert_true(lambda[0] > 1);
    assert_close(point.impulse[2] / h, lambda[0], 1e-7 * lambda[0]);
    for (int k = 0; k < 3; k++) assert_close(s.v[k] / h, a[k], 1e-7);
    close_scene(&s);
}

/*
 * Swinging down on a floor with friction: a mechanism with one degree of freedom, so that the normal and the tangent of
 * its contact push the same way. What of a velocity is across the loop is none of their business.
 */
static void a_four_bar_lands_with_friction(void **state)
{
    (void)state;
    static const double starts[3][3] = {{0.5, -2, 1e-3}, {0.7, -5, 1e-2}, {0.4, -1, 2e-3}}; /* angle, speed, h */
    for (int k = 0; k < 3; k++) {
        hml_model *model = closed_four_bar();
        const int32_t end = hml_model_find_frame(model, "coupler_end");
        hml_shape tip = shape_on(end, HML_SHAPE_SPHERE, 0.02, 0, 0);
        hml_plane floor = floor_plane(0.5, 0);
        scene s = {.model = model, .settings = {.planes = &floor, .nplanes = 1, .shapes = &tip, .nshapes = 1}};
        const double angle = starts[k][0], d = 1e-6;
        double ahead[3], behind[3], q[3], H[16];
        hml_work *work;
        assemble(angle, q), assemble(angle + d, ahead), assemble(angle - d, behind);
        OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work));
        const hml_frame_motion at = {.struct_size = sizeof at, .pose = H};
        OK(hml_frame_relative(model, work, end, HML_WORLD, HML_LEFT, q, NULL, NULL, &at));
        hml_work_free(work);
        floor.point[2] = H[11] - 0.021;
        open_scene(&s);
        memcpy(s.q, q, sizeof q);
        for (int i = 0; i < 3; i++) s.v[i] = starts[k][1] * (ahead[i] - behind[i]) / (2 * d);
        const double before = energy_of(&s);
        for (int i = 0; i < 300; i++) {
            OK(one_step(&s, starts[k][2], NULL));
            assert_true(s.result.work < 1e-4); /* of 8 J */
            assert_int_equal(s.result.relaxed, 0);
            assert_true(energy_of(&s) < before + 0.02 * fabs(before) + 0.02); /* the errors of steps of 10 ms */
        }
        close_scene(&s);
    }
}

/* two free bodies with a ball joint between them, which turn: the joint holds, the guard of momenta does not tear it */
static void loops_between_trees_hold(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    add_solid(b, "one", HML_JOINT_FREE, 0.1, 0.2, 0.1);
    add_solid(b, "two", HML_JOINT_FREE, 0.1, 0.2, 0.1);
    add_end(b, "one_end", "one", 0.5);
    add_end(b, "two_end", "two", -0.5);
    const hml_loop ball = {.kind = HML_HOLD_POINT};
    if (hml_builder_add_loop(b, "ball", "one_end", "two_end", &ball, &error)) fail_msg("%s", error.message);
    const double weightless[3] = {0};
    hml_builder_set_gravity(b, weightless);
    scene s = {.model = finish(b, 0)};
    open_scene(&s);
    s.q[0] = -0.5, s.q[7] = 0.5; /* the joint is at the origin */
    const double turning = 30;
    s.v[1] = -0.5 * turning, s.v[5] = turning; /* both about z, as one */
    s.v[7] = 0.5 * turning, s.v[11] = turning;
    const double before = energy_of(&s);
    double open = 0;
    for (int i = 0; i < 100; i++) {
        OK(one_step(&s, 5e-3, NULL));
        open = fmax(open, opening(&s));
    }
    assert_true(open < 1e-2); /* errors of third order of a step with 0.15 rad */
    assert_close(energy_of(&s), before, 0.1 * before);
    close_scene(&s);
}

/*
 * A table top on a free joint, two legs on hinges and a foot between their ends: a parallelogram, cut at the end of the
 * second leg. A damped spring keeps the first hinge.
 */
static hml_model *table_on_a_parallelogram(void)
{
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    const double low[3] = {0.2, 0, 0}, end[3] = {0, 0, -0.4};
    const hml_inertia_spec leg = {0.5, {0, 0, -0.2}, {0.007, 0, 0, 0, 0.007, 0, 0, 0, 0.001}};
    const hml_inertia_spec sole = {0.8, {0.1, 0, 0}, {0.002, 0, 0, 0, 0.006, 0, 0, 0, 0.006}};
    add_solid(b, "top", HML_JOINT_FREE, 0.2, 0.1, 0.05);
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "first");
    joint.axis[0] = joint.axis[2] = 0, joint.axis[1] = 1;
    joint.position[0] = -0.1, joint.position[1] = joint.position[2] = 0;
    if (hml_builder_add_body(b, "leg", "top", &joint, &leg, &error)) fail_msg("%s", error.message);
    joint.name = "second", joint.position[0] = 0.1;
    if (hml_builder_add_body(b, "other_leg", "top", &joint, &leg, &error)) fail_msg("%s", error.message);
    joint.name = "ankle", joint.position[0] = 0, joint.position[2] = -0.4;
    if (hml_builder_add_body(b, "foot", "leg", &joint, &sole, &error)) fail_msg("%s", error.message);
    if (hml_builder_add_frame(b, "heel", "foot", low, identity9, &error)) fail_msg("%s", error.message);
    if (hml_builder_add_frame(b, "leg_end", "other_leg", end, identity9, &error)) fail_msg("%s", error.message);
    const hml_loop pin = {.kind = HML_HOLD_POINT};
    if (hml_builder_add_loop(b, "pin", "heel", "leg_end", &pin, &error)) fail_msg("%s", error.message);
    return finish(b, 0);
}

static void a_table_falls_on_its_foot_and_stands(void **state)
{
    (void)state;
    hml_model *model = table_on_a_parallelogram();
    hml_shape sole = shape_on(hml_model_find_frame(model, "foot"), HML_SHAPE_BOX, 0.15, 0.1, 0.02);
    sole.position[0] = 0.1;
    hml_plane floor = floor_plane(0.8, 0);
    scene s = {.model = model, .settings = {.planes = &floor, .nplanes = 1, .shapes = &sole, .nshapes = 1}};
    double target[10] = {0}, stiffness[9] = {0}, damping[9] = {0}, up = 0, open = 0;
    target[3] = 1, target[7] = 0.1, target[8] = -0.1, target[9] = 0.1;
    stiffness[6] = 400, damping[6] = 20;
    open_scene(&s);
    memcpy(s.q, target, sizeof target);
    s.q[2] = 0.6;
    OK(hml_contact_set_servo(s.contact, target, stiffness, damping));
    const double before = energy_of(&s);
    for (int i = 0; i < 3000; i++) {
        OK(one_step(&s, 1e-3, NULL));
        open = fmax(open, opening(&s));
        assert_true(energy_of(&s) < before + 1e-6);
        assert_int_equal(s.result.relaxed, 0);
    }
    for (int32_t i = 0; i < hml_contact_count(s.contact); i++) {
        hml_contact_point point;
        OK(hml_contact_get(s.contact, i, &point));
        up += point.impulse[2] / 1e-3;
    }
    assert_true(open < 1e-5);
    assert_int_equal(hml_contact_count(s.contact), 4);
    assert_close(up, 9.81 * (2 + 0.5 + 0.5 + 0.8), 1e-5);
    for (int k = 0; k < 9; k++) assert_close(s.v[k], 0, 1e-7);
    assert_close(s.q[7] - s.q[9], 0, 1e-6); /* it stayed a parallelogram */
    close_scene(&s);
}

/* ---- what loops hold ---- */

/* a bar whose end the world holds: no contact, limit or friction can move it, and none of them does any harm */
static void rows_that_loops_hold_are_idle(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    add_bar(b, "bar", NULL, 0, 1);
    add_end(b, "end", "bar", 1);
    const hml_loop nail = {.kind = HML_HOLD_POINT, .pose = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    if (hml_builder_add_loop(b, "nail", "end", NULL, &nail, &error)) fail_msg("%s", error.message);
    hml_model *model = finish(b, 0);
    hml_shape tip = shape_on(hml_model_find_frame(model, "end"), HML_SHAPE_SPHERE, 0.02, 0, 0);
    hml_plane floor = floor_plane(0.5, 0);
    const double friction[1] = {0.3};
    floor.point[2] = 0.01;
    scene s = {.model = model, .settings = {.planes = &floor, .nplanes = 1, .shapes = &tip, .nshapes = 1}};
    s.settings.joint_friction = friction;
    open_scene(&s);
    run(&s, 1e-3, 100, NULL);
    assert_close(s.q[0], 0, 1e-12);
    assert_close(s.v[0], 0, 1e-12);
    assert_int_equal(s.result.relaxed, 0);
    close_scene(&s);
}

/* loops that do not close at the start are closed, a little in each step */
static void an_open_loop_closes(void **state)
{
    (void)state;
    scene s = {.model = closed_four_bar()};
    open_scene(&s);
    assemble(0.4, s.q);
    s.q[1] += 0.3;
    const double before = opening(&s);
    run(&s, 1e-3, 200, NULL);
    assert_true(before > 0.2);
    assert_true(opening(&s) < 1e-5);
    close_scene(&s);
}

static void loops_can_be_left_open(void **state)
{
    (void)state;
    scene open = {.model = closed_four_bar(), .settings = {.options = HML_CONTACT_OPEN_LOOPS}};
    scene tree = {.model = four_bar_model(bars)};
    open_scene(&open);
    open_scene(&tree);
    assemble(0.4, open.q);
    assemble(0.4, tree.q);
    run(&open, 1e-3, 300, NULL);
    run(&tree, 1e-3, 300, NULL);
    assert_memory_equal(open.q, tree.q, 3 * sizeof(double));
    assert_memory_equal(open.v, tree.v, 3 * sizeof(double));
    assert_true(opening(&open) > 0.1);
    close_scene(&open);
    close_scene(&tree);
}

/* an impact moves the whole mechanism, and the loop stays closed */
static void an_impact_keeps_loops(void **state)
{
    (void)state;
    scene s = {.model = closed_four_bar()};
    open_scene(&s);
    assemble(0.4, s.q);
    const hml_contact_site site = {
        .frame = hml_model_find_frame(s.model, "coupler_end"), .other = HML_WORLD, .normal = {0, 0, 1}};
    double v[3], next[3], J[18], pose[16], closing = 0, after = 0, ahead[3], behind[3];
    const double d = 1e-6;
    /* a velocity along the loop, which brings the point down */
    assemble(0.4 + d, ahead), assemble(0.4 - d, behind);
    for (int k = 0; k < 3; k++) v[k] = (behind[k] - ahead[k]) / (2 * d);
    hml_contact_site at = site;
    const hml_frame_motion x = {.struct_size = sizeof x, .pose = pose, .J = J};
    OK(hml_frame_relative(s.model, s.work, site.frame, HML_WORLD, HML_MIXED, s.q, NULL, NULL, &x));
    for (int k = 0; k < 3; k++) at.position[k] = pose[4 * k + 3];
    const size_t size = hml_contact_impulse_size(s.model, 1);
    void *memory = malloc(size);
    OK(hml_contact_impulse(
        s.model, s.work, memory, size,
        &HML_STRUCT(hml_contact_collision, .sites = &at, .count = 1, .q = s.q, .v = v, .v_next = next)));
    free(memory);
    for (int k = 0; k < 3; k++) closing += J[6 + k] * v[k], after += J[6 + k] * next[k];
    assert_true(closing < -1e-3);
    assert_close(after, 0, 1e-9); /* one degree of freedom: it stops */
    for (int k = 0; k < 3; k++) assert_close(next[k], 0, 1e-6);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_swings),
        cmocka_unit_test(a_four_bar_is_pressed_on_the_floor),
        cmocka_unit_test(a_four_bar_lands_with_friction),
        cmocka_unit_test(loops_between_trees_hold),
        cmocka_unit_test(a_table_falls_on_its_foot_and_stands),
        cmocka_unit_test(rows_that_loops_hold_are_idle),
        cmocka_unit_test(an_open_loop_closes),
        cmocka_unit_test(loops_can_be_left_open),
        cmocka_unit_test(an_impact_keeps_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
