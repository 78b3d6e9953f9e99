/*
 * Robots in contact: a quadruped that stands, with its energy, and a robot with a mimic joint. The long runs are in
 * docs/contact.md; tests/tools/stand_contact.c makes them.
 */
#include "contact_check.h"
#include "hamel/io.h"

static double energy(scene *s)
{
    static double M[64 * 64], h[64];
    hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = h};
    OK(hml_dynamics(s->model, s->work, s->q, s->v, NULL, NULL, &x));
    return x.kinetic_energy + x.potential_energy;
}

static void test_quadruped_stands(void **state)
{
    (void)state;
    scene s = {0};
    hml_error error = {0};
    const double h = 1e-3, damping[3] = {0.08, 0.08, 0.1};
    hml_plane plane = floor_plane(0.8, 0);
    if (hml_load(HAMEL_SOURCE_DIR "/robots/quadruped.json", NULL, &s.model, &error)) fail_msg("%s", error.message);
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1}; /* its own feet */
    open_scene(&s);
    s.q[2] = 2 * 0.21 * cos(0.8) + 0.02 - 5e-5;
    for (int i = 0; i < 12; i++) s.q[7 + i] = i % 3 == 1 ? 0.8 : i % 3 == 2 ? -1.6 : 0;
    double tau[18] = {0}, goal[12], work = 0, begin = energy(&s);
    memcpy(goal, s.q + 7, sizeof goal);
    for (int n = 0; n < 1000; n++) {
        double v[18];
        memcpy(v, s.v, sizeof v);
        for (int i = 0; i < 12; i++) tau[6 + i] = 100 * (goal[i] - s.q[7 + i]) - 2 * v[6 + i];
        run(&s, h, 1, tau);
        assert_int_equal(s.result.contacts, 4);
        assert_int_equal(s.result.iterations, 0); /* all feet stick: the guess is the solution */
        assert_true(s.result.penetration <= 1e-4);
        work += s.result.work;
        for (int i = 6; i < 18; i++) work += 0.5 * h * (v[i] + s.v[i]) * (tau[i] - damping[i % 3] * v[i]);
    }
    /* the scheme is of first order where forces depend on the velocity: 2e-6 of 40 J while it settles */
    assert_close(energy(&s), begin + work, 5e-6);
    close_scene(&s);
}

/* leader and follower slide together along z; the follower's ball carries both */
static void test_mimic(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_error error = {0};
    hml_inertia_spec I = {2, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
    joint.axis[2] = 1;
    joint.name = "leader";
    OK(hml_builder_add_body(b, "one", NULL, &joint, &I, &error));
    joint.name = "follower";
    joint.mimic = "leader";
    joint.multiplier = 2;
    joint.position[0] = 1;
    OK(hml_builder_add_body(b, "two", NULL, &joint, &I, &error));
    s.model = finish(b, 0);
    hml_plane plane = floor_plane(0.8, 0);
    hml_shape shape = shape_on(1, HML_SHAPE_SPHERE, 0.1, 0, 0);
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
    open_scene(&s);
    s.q[0] = 0.1; /* the follower is at 0.2, a decimetre over the floor */
    run(&s, 1e-3, 1000, NULL);
    assert_close(s.v[0], 0, 1e-10);
    assert_close(2 * s.q[0], 0.1, 1.1e-4);
    hml_contact_point p;
    OK(hml_contact_get(s.contact, 0, &p));
    assert_close(p.impulse[2], 1e-3 * (2 + 2 / 2.0) * 9.81, 1e-9); /* the leader's weight through the lever of 2 */
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadruped_stands),
        cmocka_unit_test(test_mimic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
