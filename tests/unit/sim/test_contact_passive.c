/*
 * Dampers, springs and servos in a step of contact are implicit: by hand on one coordinate, stiff ones, and a servo
 * against the same spring in the model.
 */
#include "contact_check.h"
#include "draw.h"

/* a slider of mass 2 along x, without gravity along it */
static void open_slider(scene *s, double damping, double stiffness)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec I = {2, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
    joint.name = "slide";
    joint.axis[0] = 1;
    joint.damping[0] = damping;
    joint.stiffness[0] = stiffness;
    OK(hml_builder_add_body(b, "b", NULL, &joint, &I, NULL));
    s->model = finish(b, 0);
    open_scene(s);
}

/* m (u⁺ − u) = −h (d u⁺ + k (q + h u⁺)),  q⁺ = q + ½h (u + u⁺) */
static void test_one_coordinate_by_hand(void **state)
{
    (void)state;
    const double hs[] = {1e-4, 1e-2, 1};
    for (int i = 0; i < 27; i++) {
        const double h = hs[i % 3], d = i / 3 % 3 == 0 ? 0 : pow(10, 4 * (i / 3 % 3) - 3);
        const double k = i / 9 == 0 ? 0 : pow(10, 5 * (i / 9) - 4), m = 2, q = 0.3, u = -1.7;
        scene s = {0};
        open_slider(&s, d, k);
        s.q[0] = q, s.v[0] = u;
        run(&s, h, 1, NULL);
        const double after = (m * u - h * k * q) / (m + h * d + h * h * k);
        assert_close(s.v[0], after, 1e-13 * (1 + fabs(after) + fabs(u))); /* a difference of numbers like u and after */
        assert_close(s.q[0], q + 0.5 * h * (u + after), 1e-13 * (1 + h * fabs(u)));
        close_scene(&s);
    }
}

/* eigenvalues of −9,300/s at 2 ms, and springs as stiff: explicit steps double the velocity every time */
static void test_stiff_ones_come_to_rest(void **state)
{
    (void)state;
    const double d[] = {1e2, 1e5, 1e9, 0, 0}, k[] = {0, 0, 1e3, 1e6, 1e12};
    for (int i = 0; i < 5; i++) {
        scene s = {0};
        open_slider(&s, d[i], k[i]);
        s.q[0] = 0.1, s.v[0] = 3;
        double speed = 3;
        for (int n = 0; n < 2000; n++) {
            run(&s, 2e-3, 1, NULL);
            speed = fmax(speed, fabs(s.v[0]));
        }
        assert_true(speed <= fmax(3, 0.1 / 2e-3)); /* a spring may bring it home in a step, and not faster */
        assert_close(s.v[0], 0, 1e-6);
        if (k[i] > 1e5) assert_close(s.q[0], 0, 1e-6);
        close_scene(&s);
    }
}

/* a spring turned in a ball joint or a free one pulls as far as a right angle, stiff as can be */
static void test_stiff_joints_that_turn(void **state)
{
    (void)state;
    const hml_joint_type types[] = {HML_JOINT_SPHERICAL, HML_JOINT_FREE, HML_JOINT_PLANAR, HML_JOINT_SCHOENFLIES};
    for (int t = 0; t < 4; t++) {
        scene s = {0};
        hml_builder *b = hml_builder_new();
        hml_joint_spec joint;
        hml_inertia_spec I = {2, {0}, {1, 0, 0, 0, 0.1, 0, 0, 0, 0.95}};
        hml_joint_spec_init(&joint, types[t]);
        joint.name = "ball";
        for (int i = 0; i < hml_joint_type_nv(types[t]); i++) joint.stiffness[i] = 1e7 * (i + 1);
        OK(hml_builder_add_body(b, "b", NULL, &joint, &I, NULL));
        s.model = finish(b, 0);
        open_scene(&s);
        const double turn[6] = {0.4, -0.3, 0.9, 0.5, -0.6, 0.7};
        OK(hml_configuration_integrate(s.model, s.q, turn, s.q));
        run(&s, 2e-3, 500, NULL);
        double rest[8], left[6];
        OK(hml_configuration_neutral(s.model, rest));
        OK(hml_configuration_difference(s.model, rest, s.q, left));
        for (int i = 0; i < hml_model_nv(s.model); i++) assert_close(left[i], 0, 1e-5); /* its weight: 2e-6 m */
        close_scene(&s);
    }
}

/* a chain of joints that turn and slide, with dampers and springs or without; the springs rest where `target` says */
static hml_model *chain(uint64_t seed, int passive, double *target, double *stiffness, double *damping)
{
    static const hml_joint_type types[] = {HML_JOINT_FREE,       HML_JOINT_REVOLUTE, HML_JOINT_SPHERICAL,
                                           HML_JOINT_PLANAR,     HML_JOINT_HELICAL,  HML_JOINT_PRISMATIC,
                                           HML_JOINT_SCHOENFLIES};
    hml_builder *b = hml_builder_new();
    char name[2][8] = {"", ""};
    for (int i = 0; i < 7; i++) {
        hml_joint_spec joint;
        hml_inertia_spec I;
        hml_joint_spec_init(&joint, types[i]);
        draw_inertia(&seed, &I);
        draw_rotation(&seed, joint.rotation);
        for (int k = 0; k < 3; k++) joint.axis[k] = draw(&seed), joint.position[k] = draw(&seed);
        for (int k = 0; k < hml_joint_type_nv(types[i]); k++) {
            *stiffness = 10 * fabs(draw(&seed)), *damping = fabs(draw(&seed));
            joint.stiffness[k] = passive ? *stiffness : 0, joint.damping[k] = passive ? *damping : 0;
            stiffness++, damping++;
        }
        if (types[i] == HML_JOINT_REVOLUTE || types[i] == HML_JOINT_PRISMATIC) joint.rest[0] = draw(&seed);
        for (int k = 0; k < hml_joint_type_nq(types[i]); k++) *target++ = joint.rest[k];
        snprintf(name[i % 2], sizeof name[0], "b%d", i);
        joint.name = name[i % 2];
        OK(hml_builder_add_body(b, name[i % 2], i ? name[(i + 1) % 2] : NULL, &joint, &I, NULL));
    }
    return finish(b, 0);
}

/* dampers and springs in the model, or the same from a servo */
static void test_servo_is_a_spring_of_the_model(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 6; n++) {
        scene s = {0}, t = {0};
        uint64_t seed = n;
        double target[64], stiffness[64], damping[64];
        s.model = chain(n, 1, target, stiffness, damping);
        t.model = chain(n, 0, target, stiffness, damping);
        open_scene(&s);
        open_scene(&t);
        OK(hml_contact_set_servo(t.contact, target, stiffness, damping));
        for (int i = 0; i < hml_model_nv(s.model); i++) s.v[i] = t.v[i] = draw(&seed);
        run(&s, 1e-2, 20, NULL);
        run(&t, 1e-2, 20, NULL);
        assert_all_close(s.q, t.q, hml_model_nq(s.model), 1e-10); /* another order of the same sums */
        assert_all_close(s.v, t.v, hml_model_nv(s.model), 1e-10);
        close_scene(&s);
        close_scene(&t);
    }
}

/* without gains a servo changes no bit */
static void test_servo_without_gains(void **state)
{
    (void)state;
    scene s = {0}, t = {0};
    uint64_t seed = 3, again = 3;
    const draw_tree_spec spec = {.nbodies = 6, .root = HML_JOINT_FREE};
    s.model = draw_tree(&seed, &spec);
    t.model = draw_tree(&again, &spec);
    open_scene(&s);
    open_scene(&t);
    OK(hml_contact_set_servo(t.contact, t.q, NULL, NULL));
    for (int i = 0; i < hml_model_nv(s.model); i++) s.v[i] = t.v[i] = draw(&seed);
    run(&s, 1e-2, 10, NULL);
    run(&t, 1e-2, 10, NULL);
    assert_memory_equal(s.q, t.q, sizeof s.q);
    assert_memory_equal(s.v, t.v, sizeof s.v);
    close_scene(&s);
    close_scene(&t);
}

/* the damper of a follower that slides f times as far takes f² as much: m + f² m, d + f² d */
static void test_dampers_of_followers(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec I = {2, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
    joint.axis[0] = 1;
    joint.name = "leader";
    OK(hml_builder_add_body(b, "one", NULL, &joint, &I, NULL));
    joint.name = "follower";
    joint.mimic = "leader";
    joint.multiplier = -3;
    joint.damping[0] = 1e5;
    joint.stiffness[0] = 1e6;
    OK(hml_builder_add_body(b, "two", NULL, &joint, &I, NULL));
    s.model = finish(b, 0);
    open_scene(&s);
    s.q[0] = 0.2, s.v[0] = 1;
    const double h = 1e-3, m = 2 + 9 * 2, d = 9 * 1e5, k = 9 * 1e6;
    run(&s, h, 1, NULL);
    assert_close(s.v[0], (m * 1 - h * k * 0.2) / (m + h * d + h * h * k), 1e-13);
    close_scene(&s);
}

static void test_bad_servos(void **state)
{
    (void)state;
    scene s = {0};
    open_slider(&s, 0, 0);
    const double one = 1, bad = NAN, less = -1;
    assert_int_equal(hml_contact_set_servo(NULL, &one, &one, &one), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_set_servo(s.contact, &bad, &one, &one), HML_NOT_FINITE);
    assert_int_equal(hml_contact_set_servo(s.contact, &one, &bad, &one), HML_NOT_FINITE);
    assert_int_equal(hml_contact_set_servo(s.contact, &one, &one, &less), HML_INVALID_ARGUMENT);
    s.v[0] = 1;
    run(&s, 1e-3, 1, NULL);
    assert_close(s.v[0], 1, 0); /* what was refused left nothing behind */
    OK(hml_contact_set_servo(s.contact, &one, &one, &one));
    OK(hml_contact_set_servo(s.contact, NULL, &one, &one));
    run(&s, 1e-3, 1, NULL);
    assert_close(s.v[0], 1, 0);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_coordinate_by_hand),
        cmocka_unit_test(test_stiff_ones_come_to_rest),
        cmocka_unit_test(test_stiff_joints_that_turn),
        cmocka_unit_test(test_servo_is_a_spring_of_the_model),
        cmocka_unit_test(test_servo_without_gains),
        cmocka_unit_test(test_dampers_of_followers),
        cmocka_unit_test(test_bad_servos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
