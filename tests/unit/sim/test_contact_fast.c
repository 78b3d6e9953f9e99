/*
 * Robots that tumble and whirl in steps of contact: the order of the scheme, energy, substeps, joints without mass.
 */
#include "contact_check.h"
#include "draw.h"

static double energy(const scene *s)
{
    double M[64 * 64], h[64];
    hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = h};
    OK(hml_dynamics(s->model, s->work, s->q, s->v, NULL, NULL, &x));
    return x.kinetic_energy + x.potential_energy;
}

/* the error of free flight after a quarter of a second, against dopri5 */
static double flight_error(uint64_t tree, int steps)
{
    scene s = {0};
    uint64_t seed = tree;
    const draw_tree_spec spec = {.nbodies = 5, .root = HML_JOINT_FREE};
    double exact[64], gap[64], worst = 0;
    s.model = draw_tree(&seed, &spec);
    s.settings.options = HML_CONTACT_NO_LIMITS;
    open_scene(&s);
    for (int i = 0; i < hml_model_nv(s.model); i++) s.v[i] = 2 * draw(&seed);
    hml_motion *m = NULL;
    OK(hml_motion_new(s.model, s.work, NULL, NULL, 0, s.q, s.v, &m));
    OK(hml_motion_advance(m, 0.25));
    memcpy(exact, hml_motion_position(m), (size_t)hml_model_nq(s.model) * sizeof *exact);
    hml_motion_free(m);
    run(&s, 0.25 / steps, steps, NULL);
    OK(hml_configuration_difference(s.model, exact, s.q, gap));
    for (int i = 0; i < hml_model_nv(s.model); i++) worst = fmax(worst, fabs(gap[i]));
    close_scene(&s);
    return worst;
}

static void test_flight_is_of_second_order(void **state)
{
    (void)state;
    for (uint64_t tree = 1; tree <= 5; tree++) {
        const double coarse = flight_error(tree, 40), fine = flight_error(tree, 320);
        assert_true(log2(coarse / fine) > 3 * 1.6); /* repetitions end with an error, which does not go down evenly */
    }
}

/* chains of light and heavy links thrown with up to 200 rad/s: energy does not grow in a second */
static void test_whirling_gains_nothing(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int n = 0; n < 40; n++) {
        scene s = {0};
        hml_builder *b = hml_builder_new();
        hml_plane plane = floor_plane(0.7, 0);
        hml_shape shapes[4];
        char name[2][8] = {"", ""};
        for (int i = 0; i < 4; i++) {
            hml_joint_spec joint;
            hml_inertia_spec I;
            const double m = pow(10, -3.0 * (i > 0) * fabs(draw(&seed)));
            draw_inertia(&seed, &I);
            I.mass *= m;
            for (int k = 0; k < 9; k++) I.moment[k] *= 0.1 * m;
            hml_joint_spec_init(&joint, i ? HML_JOINT_REVOLUTE : HML_JOINT_FREE);
            if (i) draw_rotation(&seed, joint.rotation);
            for (int k = 0; i && k < 3; k++) joint.axis[k] = draw(&seed), joint.position[k] = 0.3 * draw(&seed);
            snprintf(name[i % 2], sizeof name[0], "b%d", i);
            joint.name = name[i % 2];
            OK(hml_builder_add_body(b, name[i % 2], i ? name[(i + 1) % 2] : NULL, &joint, &I, NULL));
            shapes[i] = shape_on(i, HML_SHAPE_SPHERE, 0.05, 0, 0);
        }
        s.model = finish(b, 0);
        s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = shapes, .nshapes = 4};
        open_scene(&s);
        s.q[2] = 3;
        for (int i = 3; i < 9; i++) s.v[i] = (n < 20 ? 10 : 200) * draw(&seed);
        const double h = n % 2 ? 1e-3 : 5e-3, first = energy(&s);
        for (int i = 0; i < 1 / h; i++) {
            run(&s, h, 1, NULL);
            assert_true(energy(&s) - first < 1e-2 * (fabs(first) + 10)); /* errors of second order */
        }
        close_scene(&s);
    }
}

/* a trunk with two legs on hinges, whose limits leave the neutral posture out */
static hml_model *crouched(void)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    const hml_inertia_spec leg = {0.7, {0, 0, -0.2}, {0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.002}};
    add_solid(b, "trunk", HML_JOINT_FREE, 0.2, 0.1, 0.05);
    for (int i = 0; i < 2; i++) {
        hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
        joint.name = i ? "left" : "right";
        joint.axis[0] = 0, joint.axis[1] = 1, joint.axis[2] = 0;
        joint.position[0] = i ? 0.15 : -0.15;
        joint.lower[0] = 0.6, joint.upper[0] = 2.5;
        OK(hml_builder_add_body(b, i ? "left_leg" : "right_leg", "trunk", &joint, &leg, NULL));
    }
    return finish(b, 0);
}

/* how much momentum half a second of free fall adds, less the weight times that, against what there is; legs turn with `speed` */
static double lost_momentum(double h, double speed, double gain)
{
    scene s = {.model = crouched()};
    double M[64], bias[8], before[6], after[6], worst = 0, stiffness[8] = {0}, target[9] = {0};
    open_scene(&s);
    target[3] = 1, stiffness[6] = stiffness[7] = gain;
    s.v[6] = speed, s.v[7] = -0.5 * speed;
    if (gain > 0) OK(hml_contact_set_servo(s.contact, target, stiffness, NULL));
    hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = bias, .momentum = before};
    OK(hml_dynamics(s.model, s.work, s.q, s.v, NULL, NULL, &x));
    run(&s, h, (int)lround(0.5 / h), NULL);
    x.momentum = after;
    OK(hml_dynamics(s.model, s.work, s.q, s.v, NULL, NULL, &x));
    const double weight = 9.81 * (2 + 2 * 0.7) * 0.5;
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(after[k] - before[k] + (k == 2) * weight));
    close_scene(&s);
    return worst / (weight + 0.14 * speed); /* a leg has 0.14 kg m of its speed */
}

/* neither limits that push joints back, nor energy taken from fast ones, brake a fall */
static void test_falls_keep_their_momentum(void **state)
{
    (void)state;
    for (double h = 5e-4; h < 5e-3; h *= 2) {
        assert_true(lost_momentum(h, 0, 0) < 1e-3);
        assert_true(lost_momentum(h, 0, 200) < 2e-3);
        assert_true(lost_momentum(h, 200, 0) < 0.1); /* of the scheme: limits are hit with 200 rad/s */
    }
}

/* a ball with 1000 rad/s lands: substeps, and impulses that sum up to the change of momentum */
static void test_substeps(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec I = {2, {0}, {0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01}};
    hml_joint_spec_init(&joint, HML_JOINT_FREE);
    joint.name = "free";
    OK(hml_builder_add_body(b, "ball", NULL, &joint, &I, NULL));
    s.model = finish(b, 0);
    hml_plane plane = floor_plane(0.3, 0);
    hml_shape shape = shape_on(0, HML_SHAPE_SPHERE, 0.1, 0, 0);
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
    open_scene(&s);
    s.q[2] = 0.103, s.v[2] = -3, s.v[4] = 1000;
    int touched = 0;
    for (int i = 0; i < 20; i++) {
        const double h = 1e-3, g = 9.81;
        double before[6], after[6], sum[3] = {0};
        OK(hml_velocity_to_representation(s.model, HML_MIXED, s.q, s.v, before));
        run(&s, h, 1, NULL);
        OK(hml_velocity_to_representation(s.model, HML_MIXED, s.q, s.v, after));
        assert_true(s.result.substeps >= 2 && s.result.substeps <= 32);
        for (int32_t k = 0; k < hml_contact_count(s.contact); k++) {
            hml_contact_point p;
            OK(hml_contact_get(s.contact, k, &p));
            for (int c = 0; c < 3; c++) sum[c] += p.impulse[c];
        }
        for (int c = 0; c < 3; c++) assert_close(2 * (after[c] - before[c]), sum[c] - (c == 2) * 2 * g * h, 1e-9);
        touched += sum[2] > 0;
    }
    assert_true(touched > 10);
    s.v[4] = 1, s.v[3] = s.v[5] = 0;
    run(&s, 1e-3, 1, NULL);
    assert_int_equal(s.result.substeps, 1);
    close_scene(&s);
}

/* the last link of a chain has neither mass nor inertia: M is singular, and the others move as if it were not there */
static void test_joints_without_mass(void **state)
{
    (void)state;
    double end[2];
    for (int with = 0; with < 2; with++) {
        scene s = {0};
        hml_builder *b = hml_builder_new();
        for (int i = 0; i < 2 + with; i++) {
            hml_joint_spec joint;
            hml_inertia_spec I = {
                i < 2, {0.1, 0, 0}, {0.01 * (i < 2), 0, 0, 0, 0.01 * (i < 2), 0, 0, 0, 0.01 * (i < 2)}};
            hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
            joint.name = i == 0 ? "a" : i == 1 ? "b" : "c";
            joint.axis[1] = 1;
            joint.position[0] = 0.3 * (i > 0);
            OK(hml_builder_add_body(b, joint.name, i == 0 ? NULL : i == 1 ? "a" : "b", &joint, &I, NULL));
        }
        s.model = finish(b, 0);
        open_scene(&s);
        run(&s, 1e-3, 300, NULL);
        assert_int_equal(s.result.massless, with);
        end[with] = s.q[1];
        close_scene(&s);
    }
    assert_close(end[1], end[0], 1e-6); /* the armature of every joint is 1e-9 of the largest inertia */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flight_is_of_second_order), cmocka_unit_test(test_whirling_gains_nothing),
        cmocka_unit_test(test_falls_keep_their_momentum), cmocka_unit_test(test_substeps),
        cmocka_unit_test(test_joints_without_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
