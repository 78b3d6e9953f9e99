/*
 * Contact problems that are hard: points near the axes of joints, redundant and contradicting contacts, mass ratios,
 * everything sunk in the ground. A step always answers, with numbers, without energy, and says how well.
 */
#include "contact_check.h"
#include "draw.h"

/* one step; energy of all impulses may not be positive, and no coordinate goes further than it flies or is pushed out */
static void step_within_reason(scene *s, double h, int *relaxed)
{
    const size_t nv = (size_t)hml_model_nv(s->model), nq = (size_t)hml_model_nq(s->model);
    double q[64], v[64], gone[64], fastest = 0;
    memcpy(q, s->q, nq * sizeof *q);
    memcpy(v, s->v, nv * sizeof *v);
    hml_status status = one_step(s, h, NULL);
    if (status) fail_msg("%s", hml_status_message(status));
    assert_true(isfinite(s->result.residual) && isfinite(s->result.work) && isfinite(s->result.penetration));
    OK(hml_configuration_difference(s->model, q, s->q, gone));
    for (size_t i = 0; i < nv; i++) fastest = fmax(fastest, fmax(fabs(v[i]), fabs(s->v[i])));
    for (size_t i = 0; i < nv; i++) assert_true(fabs(gone[i]) <= h * fastest + 0.0501);
    *relaxed += s->result.relaxed;
    assert_true(s->result.relaxed || s->result.residual <= 1e-8);
    assert_true(s->result.residual < 0.01);
}

/* a hinge with a point r off its axis, below a floor one millimetre above */
static void test_point_near_an_axis(void **state)
{
    (void)state;
    for (int k = 1; k < 19; k++) {
        scene s = {0};
        hml_builder *b = hml_builder_new();
        hml_joint_spec joint;
        hml_inertia_spec I = {.mass = 1, .com = {0.05, 0, 0}, .moment = {0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01}};
        hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
        joint.name = "hinge";
        joint.axis[1] = 1;
        OK(hml_builder_add_body(b, "b", NULL, &joint, &I, NULL));
        s.model = finish(b, 0);
        hml_shape shape = shape_on(0, HML_SHAPE_POINT, 0, 0, 0);
        shape.position[0] = k == 18 ? 0 : pow(10, -k);
        hml_plane plane = floor_plane(0.7, 0);
        plane.point[2] = 1e-3;
        s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
        open_scene(&s);
        int relaxed = 0;
        for (int i = 0; i < 100; i++) step_within_reason(&s, 1e-3, &relaxed);
        assert_int_equal(relaxed, 0);
        assert_true(fabs(s.v[0]) < 4); /* a tenth of a second of falling at 39 rad/s² */
        close_scene(&s);
    }
}

/* points that rounding alone keeps off the axis once gave 2e227 rad/s and work NaN, HML_OK */
static void test_points_on_the_axis(void **state)
{
    (void)state;
    static const double positions[4][3] = {{0.2696597980025708, 0.1130977488215261, -0.17480917165100734},
                                           {-0.026027635047163544, -0.09301965042526142, -0.0149101717761317},
                                           {0.053267718508883066, -0.007816529999221083, -0.024324227214444605},
                                           {-0.00766808985747465, -0.03776814424647408, 0.007836700328343868}};
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec I = {.mass = 1, .com = {0.05, 0, 0}, .moment = {0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01}};
    hml_shape shapes[4];
    hml_plane plane = floor_plane(0.7, 0);
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
    joint.name = "hinge";
    memcpy(joint.axis, (const double[3]){0.7915241275446071, 0.3319723485418634, -0.5131119910100991},
           sizeof joint.axis);
    memcpy(joint.position, (const double[3]){-0.24636590679360268, -0.015842343879095333, -0.11513802345453508},
           sizeof joint.position);
    memcpy(joint.rotation,
           (const double[9]){0.2680325350857492, -0.7638207999701063, -0.5871425258559744, -0.7239960737004765,
                             0.24237812622410926, -0.6458192697608085, 0.6356006965082723, 0.5981894595035226,
                             -0.4880380365679322},
           sizeof joint.rotation);
    OK(hml_builder_add_body(b, "b", NULL, &joint, &I, NULL));
    OK(hml_builder_build(b, 0, &s.model, NULL));
    hml_builder_free(b);
    for (int i = 0; i < 4; i++) {
        shapes[i] = shape_on(0, i ? HML_SHAPE_SPHERE : HML_SHAPE_POINT, i ? 0.05 : 0, 0, 0);
        memcpy(shapes[i].position, positions[i], sizeof positions[i]);
    }
    plane.point[2] = 2;
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = shapes, .nshapes = 4};
    open_scene(&s);
    hml_work_free(s.work); /* the last bits decide */
    OK(hml_work_new(s.model, HML_ISA_BEST, HML_USE_ALL, &s.work));
    s.q[0] = 0.20917058302370028, s.v[0] = -1.4055194554743442;
    hml_status status = one_step(&s, 1e-3, NULL);
    assert_int_equal(status, HML_OK);
    assert_true(!s.result.relaxed && isfinite(s.result.work));
    assert_true(fabs(s.v[0]) < 2 && fabs(s.q[0] - 0.2) < 0.1); /* it began with 1.4 rad/s at 0.2 rad */
    close_scene(&s);
}

/* arms of one to three joints with points on their axes or a hair beside them, over, at and under a floor */
static void test_random_arms(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int relaxed = 0;
    for (int n = 0; n < 400; n++) {
        scene s = {0};
        hml_builder *b = hml_builder_new();
        hml_shape shapes[9];
        hml_plane plane = floor_plane(0.7, n % 3 == 0 ? 0.5 : 0);
        const int joints = 1 + n % 3;
        char name[2][8] = {"", ""};
        for (int j = 0; j < joints; j++) {
            hml_joint_spec joint;
            hml_inertia_spec I = {.mass = 1, .com = {0.05, 0, 0}, .moment = {0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01}};
            double R[9];
            hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
            snprintf(name[j % 2], sizeof name[0], "b%d", j);
            joint.name = name[j % 2];
            draw_rotation(&seed, joint.rotation);
            draw_rotation(&seed, R);
            for (int k = 0; k < 3; k++) joint.axis[k] = R[k], joint.position[k] = 0.3 * draw(&seed);
            OK(hml_builder_add_body(b, name[j % 2], j ? name[(j + 1) % 2] : NULL, &joint, &I, NULL));
            for (int i = 0; i < 3; i++) {
                hml_shape *at = &shapes[3 * j + i];
                *at = shape_on(j, HML_SHAPE_POINT, 0, 0, 0);
                double along = 0.3 * draw(&seed), off = i == 0 ? 0 : pow(10, -1 - 15 * fabs(draw(&seed)));
                for (int k = 0; k < 3; k++) at->position[k] = along * R[k] + off * R[3 + k];
            }
        }
        s.model = finish(b, 0);
        plane.point[2] = draw(&seed) > 0 ? 2 : draw(&seed);
        s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = shapes, .nshapes = 3 * joints};
        open_scene(&s);
        for (int j = 0; j < joints; j++) s.q[j] = draw(&seed), s.v[j] = 2 * draw(&seed);
        for (int k = 0; k < 50; k++) step_within_reason(&s, 1e-3, &relaxed);
        for (int j = 0; j < joints; j++) assert_true(fabs(s.v[j]) < 20);
        close_scene(&s);
    }
    /* of 20,000: arms with all their points two metres under the floor get stuck, with impulses beyond all bounds */
    assert_true(relaxed < 1000);
}

/* a heavy box lies on a light one of a millionth of its mass, and that on the floor: 16 redundant corners */
static void test_mass_ratio(void **state)
{
    (void)state;
    const double g = 9.81, h = 1e-3;
    for (int k = 0; k < 7; k++) {
        scene s = {0};
        const double light = 2 * pow(10, -k), heavy = 2;
        hml_builder *b = hml_builder_new();
        for (int i = 0; i < 2; i++) {
            const double m = i ? heavy : light, c = m / 3 * (0.01 + 0.01);
            hml_joint_spec joint;
            hml_inertia_spec I = {m, {0}, {c, 0, 0, 0, c, 0, 0, 0, c}};
            hml_joint_spec_init(&joint, i ? HML_JOINT_FREE : HML_JOINT_TRANSLATION3);
            joint.name = i ? "upper" : "lower";
            OK(hml_builder_add_body(b, joint.name, NULL, &joint, &I, NULL));
        }
        s.model = finish(b, 0);
        hml_plane plane = floor_plane(0.8, 0);
        hml_shape shapes[8]; /* a ball on the floor, and on it a body on four balls of which one rests on the first */
        shapes[0] = shape_on(0, HML_SHAPE_SPHERE, 0.1, 0, 0);
        shapes[1] = shape_on(1, HML_SHAPE_SPHERE, 0.1, 0, 0);
        s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = shapes, .nshapes = 2};
        s.settings.options = HML_CONTACT_PAIRS;
        open_scene(&s);
        s.q[2] = 0.1 - 1e-6, s.q[5] = 0.3 - 2e-6;
        run(&s, h, 200, NULL);
        assert_int_equal(s.result.relaxed, 0);
        double force = 0;
        for (int32_t i = 0; i < hml_contact_count(s.contact); i++) {
            hml_contact_point p;
            OK(hml_contact_get(s.contact, i, &p));
            if (p.other < 0) force += p.impulse[2] / h;
        }
        assert_close(force, (light + heavy) * g, 1e-6 * heavy * g);
        close_scene(&s);
    }
}

/* the laws hold whatever the unit of length: a box slides, in metres and in micrometres */
static void test_units_do_not_matter(void **state)
{
    (void)state;
    double end[3] = {0};
    for (int k = 0; k < 3; k++) {
        const double unit = k == 0 ? 1 : k == 1 ? 1e6 : 1e-6, m = 2, x = 0.2 * unit, y = 0.15 * unit, z = 0.1 * unit;
        const double gravity[3] = {0.5 * unit, 0, -9.81 * unit};
        scene s = {0};
        hml_builder *b = hml_builder_new();
        hml_joint_spec joint;
        hml_inertia_spec I = {m, {0}, {0}};
        I.moment[0] = m / 3 * (y * y + z * z), I.moment[4] = m / 3 * (x * x + z * z);
        I.moment[8] = m / 3 * (x * x + y * y);
        hml_joint_spec_init(&joint, HML_JOINT_FREE);
        joint.name = "free";
        OK(hml_builder_add_body(b, "box", NULL, &joint, &I, NULL));
        OK(hml_builder_set_gravity(b, gravity));
        s.model = finish(b, 0);
        hml_plane plane = floor_plane(0.3, 0);
        hml_shape shape = shape_on(0, HML_SHAPE_BOX, x, y, z);
        s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
        s.settings.slop = 1e-4 * unit, s.settings.bounce = 1e-2 * unit;
        open_scene(&s);
        s.q[2] = z * (1 - 1e-5);
        s.v[0] = unit, s.v[1] = 0.5 * unit, s.v[5] = 3;
        for (int i = 0; i < 300; i++) {
            run(&s, 1e-3, 1, NULL);
            assert_int_equal(s.result.relaxed, 0);
        }
        end[k] = s.q[0] / unit;
        close_scene(&s);
    }
    assert_close(end[1], end[0], 1e-6);
    assert_close(end[2], end[0], 1e-6);
}

/* a robot that begins sunk comes up without a velocity of its own */
static void test_sunk(void **state)
{
    (void)state;
    scene s = {0};
    hml_plane plane = floor_plane(0.8, 0);
    hml_builder *b = hml_builder_new();
    add_solid(b, "box", HML_JOINT_FREE, 0.2, 0.15, 0.1);
    s.model = finish(b, 0);
    hml_shape shape = shape_on(0, HML_SHAPE_BOX, 0.2, 0.15, 0.1);
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
    open_scene(&s);
    s.q[2] = -0.5;
    s.q[3] = cos(0.2), s.q[4] = sin(0.2);
    int relaxed = 0;
    for (int i = 0; i < 1000; i++) {
        double before = s.q[2];
        run(&s, 1e-3, 1, NULL);
        relaxed += s.result.relaxed;
        assert_true(s.q[2] - before < 0.2 * 0.9); /* a fifth of the depth at most */
        for (int k = 0; k < 6; k++) assert_true(fabs(s.v[k]) < 5);
    }
    assert_int_equal(relaxed, 0);
    assert_close(s.q[2], 0.1, 2e-4);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_point_near_an_axis),  cmocka_unit_test(test_points_on_the_axis),
        cmocka_unit_test(test_random_arms),         cmocka_unit_test(test_mass_ratio),
        cmocka_unit_test(test_units_do_not_matter), cmocka_unit_test(test_sunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
