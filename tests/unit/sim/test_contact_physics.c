/*
 * Contact where friction is awkward or scales lie far apart: Painlevé's rod, a box that spins, a pair of gears with a
 * mass ratio of 1e4, a restart, a robot that stands. And which shapes touch each other.
 */
#include "contact_check.h"
#include "hamel/io.h"

static const double g = 9.81;

/* ---- Painlevé ---- */

/*
 * A rod of mass 1 and length 2, thin, in the plane y = 0; its lower end touches the floor, it leans by `angle` from the
 * vertical, and slides towards the side to which its upper end leans. K_nn − μ K_nt is the normal acceleration that a
 * normal force makes together with its friction:
 *
 *   K_nn = 1/m + l² sin²/I,  K_nt = l² sin cos / I,  I = m l²/3
 *
 * For μ > (1 + 3 sin²) / (3 sin cos) it is negative: no finite force keeps the tip on the floor (Painlevé's paradox).
 */
static void open_rod(scene *s, hml_plane *plane, hml_shape shape[2], double angle, double friction)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_error error = {0};
    const double thin = 1e-6;
    hml_inertia_spec I = {1, {0}, {1.0 / 3, 0, 0, 0, 1.0 / 3, 0, 0, 0, thin}};
    hml_joint_spec_init(&joint, HML_JOINT_FREE);
    joint.name = "j";
    OK(hml_builder_add_body(b, "rod", NULL, &joint, &I, &error));
    s->model = finish(b, 0);
    *plane = floor_plane(friction, 0);
    for (int i = 0; i < 2; i++) {
        shape[i] = shape_on(0, HML_SHAPE_POINT, 0, 0, 0);
        shape[i].position[2] = i ? 1 : -1;
    }
    s->settings = (hml_contact_settings){.planes = plane, .nplanes = 1, .shapes = shape, .nshapes = 2};
    open_scene(s);
    s->q[2] = cos(angle) - 1e-9; /* the tip a nanometre deep */
    s->q[3] = cos(angle / 2), s->q[5] = sin(angle / 2);
}

static double energy_of(scene *s)
{
    double M[36], h[6];
    hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = h};
    OK(hml_dynamics(s->model, s->work, s->q, s->v, NULL, NULL, &x));
    return x.kinetic_energy + x.potential_energy;
}

static void rod(double angle, double friction, double sliding)
{
    scene s = {0};
    hml_plane plane;
    hml_shape shape[2];
    open_rod(&s, &plane, shape, angle, friction);
    s.v[0] = sliding * cos(angle), s.v[2] = sliding * sin(angle); /* along the world's x, in the rod's axes */
    const double first = energy_of(&s);
    double before = first, lifted = 0, deepest = 0, gain = 0;
    for (int i = 0; i < 2000; i++) {
        run(&s, 1e-3, 1, NULL);
        const double now = energy_of(&s);
        assert_true(now <= first);
        gain = fmax(gain, now - before);
        assert_int_equal(s.result.relaxed, 0);
        before = now;
        lifted = fmax(lifted, s.q[2]);
        deepest = fmax(deepest, s.result.penetration);
    }
    assert_true(lifted < cos(angle) + sliding * sliding / (2 * g)); /* it is not thrown higher than its energy */
    assert_true(gain <= 0.2 * g * deepest); /* what takes a fifth of an overlap out lifts it a little */
    assert_true(deepest < 1e-2);
    assert_all_close(s.v, (double[6]){0}, 6, 1e-6); /* it has come to lie */
    assert_true(fabs(s.q[2]) < 2e-4);
    close_scene(&s);
}

static void test_painleve(void **state)
{
    (void)state;
    const double angle = 0.6, edge = (1 + 3 * sin(angle) * sin(angle)) / (3 * sin(angle) * cos(angle));
    rod(angle, 0.5 * edge, 3); /* an ordinary case */
    rod(angle, 1.3 * edge, 3); /* the paradox: the tip jams, and the rod tumbles over it */
    rod(angle, 1.3 * edge, -3);
}

/* in the paradox the first step already stops the tip: an impact without a collision */
static void test_painleve_jams(void **state)
{
    (void)state;
    scene s = {0};
    hml_plane plane;
    hml_shape shape[2];
    const double angle = 0.6, edge = (1 + 3 * sin(angle) * sin(angle)) / (3 * sin(angle) * cos(angle));
    for (int jams = 0; jams < 2; jams++) {
        memset(&s, 0, sizeof s);
        open_rod(&s, &plane, shape, angle, jams ? 1.3 * edge : 0.7 * edge);
        s.v[0] = -3 * cos(angle), s.v[2] = -3 * sin(angle);
        run(&s, 1e-4, 1, NULL);
        /* velocity of the tip along x: that of the rod's centre, turned, plus ω × (−l) */
        const double c = cos(angle), n = sin(angle), tip = c * s.v[0] + n * s.v[2] - s.v[4] * c;
        if (jams)
            assert_close(tip, 0, 1e-3); /* zero at the middle of the step; the rod turns until its end */
        else
            assert_close(tip, -3, 0.02);
        close_scene(&s);
    }
}

/* ---- spinning ---- */

/* a box that spins flat on the floor: friction of its corners, which are r from the axis, makes ω̇ = −μ m g r / I */
static void test_spinning_box(void **state)
{
    (void)state;
    scene s = {0};
    const double a = 0.2, c = 0.1, r = a * sqrt(2), friction = 0.3, spin = 20, h = 1e-3;
    hml_builder *b = hml_builder_new();
    add_solid(b, "box", HML_JOINT_FREE, a, a, c);
    s.model = finish(b, 0);
    hml_plane plane = floor_plane(friction, 0);
    hml_shape shape = shape_on(0, HML_SHAPE_BOX, a, a, c);
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
    open_scene(&s);
    hml_body_info body = {.struct_size = sizeof body};
    OK(hml_model_body(s.model, 0, &body));
    s.q[2] = c - 1e-6, s.v[5] = spin;
    const double slowing = friction * body.mass * g * r / body.moment[8];
    const int steps = (int)(0.5 * spin / slowing / h);
    run(&s, h, steps, NULL);
    assert_close(s.v[5], spin - slowing * h * steps, 2e-3);
    assert_all_close(s.v, (double[5]){0}, 5, 1e-3); /* it does not wander */
    run(&s, h, (int)(0.6 * spin / slowing / h), NULL);
    assert_all_close(s.v, (double[6]){0}, 6, 1e-8); /* it has stopped, and stays */
    assert_int_equal(s.result.contacts, 4);
    close_scene(&s);
}

/* ---- gears ---- */

/*
 * Two wheels on parallel axes that touch at their rims, 1e4 times as heavy the one as the other. The heavy one turns;
 * friction, with a weak servo pressing them together, drives the light one until both rims have the same speed.
 */
static void test_gears(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    hml_joint_spec joint;
    hml_shape shapes[2];
    for (int i = 0; i < 2; i++) {
        const double mass = i ? 1e-2 : 100, r = 0.1, about = 0.5 * mass * r * r;
        hml_inertia_spec I = {mass, {0}, {about, 0, 0, 0, about, 0, 0, 0, about}};
        if (i) { /* the light one sits on a slide that presses it on */
            hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
            joint.name = "slide", joint.axis[0] = 1, joint.axis[2] = 0;
            joint.position[0] = 0.2 - 1e-6;
            OK(hml_builder_add_body(b, "slide", NULL, &joint, &I, &error));
        }
        hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
        joint.name = i ? "light" : "heavy", joint.axis[2] = 1;
        OK(hml_builder_add_body(b, joint.name, i ? "slide" : NULL, &joint, &I, &error));
    }
    s.model = finish(b, 0);
    for (int i = 0; i < 2; i++) {
        shapes[i] = shape_on(hml_model_find_frame(s.model, i ? "light" : "heavy"), HML_SHAPE_SPHERE, 0.1, 0, 0);
        shapes[i].friction = 0.8;
    }
    s.settings = (hml_contact_settings){.shapes = shapes, .nshapes = 2, .options = HML_CONTACT_PAIRS};
    open_scene(&s);
    const int32_t heavy = 0, slide = 1, light = 2;
    double tau[3] = {0};
    tau[slide] = -1; /* N */
    s.v[heavy] = 10;
    run(&s, 1e-3, 500, tau);
    assert_close(s.v[heavy] + s.v[light], 0, 1e-7); /* rims roll on each other */
    /* angular momentum goes over by the same impulse at both rims: I₁ (10 − ω₁) = I₂ |ω₂| */
    assert_close(s.v[heavy], 10 / (1 + 1e-4), 1e-6);
    assert_int_equal(s.result.relaxed, 0);
    close_scene(&s);
}

/* ---- limits ---- */

/* a table that turns, with a slide on it that may not come nearer than 1 m, and is at 0.1 m */
static scene open_slide(void)
{
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    hml_joint_spec joint;
    const hml_inertia_spec I = {1, {0}, {0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01}};
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
    joint.name = "table", joint.axis[2] = 1;
    OK(hml_builder_add_body(b, "table", NULL, &joint, &I, &error));
    hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
    joint.name = "slide", joint.axis[0] = 1, joint.axis[2] = 0, joint.lower[0] = 1;
    OK(hml_builder_add_body(b, "slide", "table", &joint, &I, &error));
    s.model = finish(b, 0);
    open_scene(&s);
    s.q[1] = 0.1, s.v[0] = 5;
    return s;
}

/* a slide on a turntable, far outside its limit: what moves it back out must not speed the turntable's load up */
static void test_limits_make_no_energy(void **state)
{
    (void)state;
    scene s = open_slide();
    const double first = energy_of(&s);
    for (int i = 0; i < 60; i++) {
        run(&s, 1e-4, 1, NULL);
        assert_true(energy_of(&s) <= first * (1 + 1e-4)); /* 1e-6 in each step */
    }
    assert_true(s.q[1] > 0.99);
    close_scene(&s);
}

/* what the guard knows of the step before is what it would find: with a new problem in every step, the same bits */
static void test_the_guard_remembers_no_wrong(void **state)
{
    (void)state;
    scene s = open_slide();
    int removed = 0;
    for (int i = 0; i < 60; i++) {
        scene other = open_slide();
        double memory[64];
        assert_true(hml_contact_memory_doubles(s.contact) <= 64);
        OK(hml_contact_get_memory(s.contact, memory));
        OK(hml_contact_set_memory(other.contact, memory));
        memcpy(other.q, s.q, sizeof s.q);
        memcpy(other.v, s.v, sizeof s.v);
        run(&s, 1e-4, 1, NULL);
        run(&other, 1e-4, 1, NULL);
        assert_memory_equal(other.q, s.q, sizeof s.q);
        assert_memory_equal(other.v, s.v, sizeof s.v);
        removed += s.result.removed > 0;
        close_scene(&other);
    }
    assert_true(removed > 10); /* it had something to do */
    close_scene(&s);
}

/* a point 10 mm deep, 50 mm from the axis of an arm of a metre: what lifts it does not swing the arm's end far */
static void test_displacement_has_a_reach(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    hml_joint_spec joint;
    const hml_inertia_spec I = {1, {0.5, 0, 0}, {0.01, 0, 0, 0, 0.1, 0, 0, 0, 0.1}};
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
    joint.name = "j", joint.axis[1] = -1, joint.axis[2] = 0;
    OK(hml_builder_add_body(b, "arm", NULL, &joint, &I, &error));
    s.model = finish(b, 0);
    hml_plane plane = floor_plane(0, 0);
    hml_shape shapes[2] = {shape_on(0, HML_SHAPE_POINT, 0, 0, 0), shape_on(0, HML_SHAPE_POINT, 0, 0, 0)};
    shapes[0].position[0] = 0.05, shapes[0].position[2] = -0.01;
    shapes[1].position[0] = 1, shapes[1].position[2] = 0.5;
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = shapes, .nshapes = 2};
    open_scene(&s);
    run(&s, 1e-3, 1, NULL);
    const double correction = 0.2 * (0.01 - 1e-4), reach = hypot(1, 0.5);
    assert_true(s.q[0] > 0);
    assert_true(s.q[0] <= 3 * correction / reach * (1 + 1e-9)); /* not correction / 0.05, seven times as much */
    run(&s, 1e-3, 500, NULL);
    assert_true(s.result.penetration < 1.1e-4); /* it comes out all the same */
    close_scene(&s);
}

/* ---- standing ---- */

typedef struct robot {
    hml_model *model;
    hml_work *work;
    hml_contact *contact;
    void *memory;
    double q[19], v[18];
    hml_contact_result result;
} robot;

static const double stance[3] = {0, 0.8, -1.6};

static void open_robot(robot *r)
{
    const hml_plane ground = {.normal = {0, 0, 1}, .friction = 0.8};
    const hml_contact_settings s = HML_STRUCT(hml_contact_settings, .planes = &ground, .nplanes = 1);
    double stiffness[18] = {0}, damping[18] = {0};
    hml_error error = {0};
    memset(r, 0, sizeof *r);
    OK(hml_load(HAMEL_SOURCE_DIR "/robots/quadruped.json", NULL, &r->model, &error));
    OK(hml_work_new(r->model, HML_ISA_BEST, HML_USE_ALL, &r->work));
    const size_t size = hml_contact_size(r->model, &s);
    r->memory = malloc(size);
    assert_non_null(r->memory);
    OK(hml_contact_init(r->memory, size, r->model, &s, &r->contact));
    OK(hml_configuration_neutral(r->model, r->q));
    for (int i = 0; i < 12; i++) r->q[7 + i] = stance[i % 3];
    OK(hml_contact_place(r->model, r->work, r->contact, 0, 0, r->q));
    for (int i = 6; i < 18; i++) stiffness[i] = 200, damping[i] = 5;
    OK(hml_contact_set_servo(r->contact, r->q, stiffness, damping));
}

static void walk(robot *r, int steps)
{
    r->result = HML_STRUCT(hml_contact_result, .contacts = 0);
    for (int i = 0; i < steps; i++)
        OK(hml_contact_step(r->model, r->work, r->contact,
                            &HML_STRUCT(hml_contact_motion, .h = 1e-3, .q = r->q, .v = r->v, .q_next = r->q,
                                        .v_next = r->v, .result = &r->result)));
}

static void close_robot(robot *r)
{
    free(r->memory);
    hml_work_free(r->work);
    hml_model_free(r->model);
}

/* saved in the middle of a fall and a landing, and gone on with in a new problem: the same bits */
static void test_restart(void **state)
{
    (void)state;
    robot a, b;
    open_robot(&a);
    a.q[2] += 0.1, a.v[3] = 2; /* dropped, and turning */
    for (int part = 0; part < 4; part++) {
        walk(&a, 97);
        open_robot(&b);
        memcpy(b.q, a.q, sizeof b.q);
        memcpy(b.v, a.v, sizeof b.v);
        const size_t n = hml_contact_memory_doubles(a.contact);
        double *memory = malloc(n * sizeof *memory);
        assert_non_null(memory);
        OK(hml_contact_get_memory(a.contact, memory));
        OK(hml_contact_set_memory(b.contact, memory));
        hml_contact_set_servo(b.contact, NULL, NULL, NULL), hml_contact_set_servo(a.contact, NULL, NULL, NULL);
        walk(&a, 50);
        walk(&b, 50);
        assert_memory_equal(a.q, b.q, sizeof a.q);
        assert_memory_equal(a.v, b.v, sizeof a.v);
        memory[0] = -1;
        assert_int_equal(hml_contact_set_memory(b.contact, memory), HML_INVALID_ARGUMENT);
        memory[0] = NAN;
        assert_int_equal(hml_contact_set_memory(b.contact, memory), HML_NOT_FINITE);
        free(memory);
        close_robot(&b);
    }
    close_robot(&a);
}

/* the short version of `stand_contact 1000`: once it has settled nothing moves any more */
static void test_stands_still(void **state)
{
    (void)state;
    robot r;
    double q[19];
    open_robot(&r);
    walk(&r, 10000); /* its slowest motion dies out by a factor of e in about a second */
    memcpy(q, r.q, sizeof q);
    walk(&r, 10000);
    assert_all_close(r.q, q, 19, 1e-8);
    assert_int_equal(r.result.contacts, 4);
    close_robot(&r);
}

/* ---- which shapes touch each other ---- */

/* two balls that overlap, and what keeps them from touching */
static int32_t touching(uint32_t a_type, uint32_t a_affinity, uint32_t b_type, uint32_t b_affinity, int excluded)
{
    scene s = {0};
    hml_error error = {0};
    hml_builder *b = hml_builder_new();
    hml_shape shape = shape_on(0, HML_SHAPE_SPHERE, 0.1, 0, 0);
    add_solid(b, "a", HML_JOINT_FREE, 0.1, 0.1, 0.1);
    add_solid(b, "b", HML_JOINT_FREE, 0.1, 0.1, 0.1);
    shape.contype = a_type, shape.conaffinity = a_affinity;
    OK(hml_builder_add_shape(b, "a", &shape, &error));
    shape.contype = b_type, shape.conaffinity = b_affinity;
    OK(hml_builder_add_shape(b, "b", &shape, &error));
    if (excluded) OK(hml_builder_add_exclusion(b, "b", "a", &error));
    s.model = finish(b, 0);
    s.settings = (hml_contact_settings){.options = HML_CONTACT_PAIRS};
    open_scene(&s);
    s.q[0] = 0.15;
    run(&s, 1e-3, 1, NULL);
    const int32_t contacts = s.result.contacts;
    int32_t count = -1;
    OK(hml_contact_exclude(s.model, s.work, s.contact, s.q, &count));
    assert_int_equal(count, contacts);
    run(&s, 1e-3, 1, NULL);
    assert_int_equal(s.result.contacts, 0);
    close_scene(&s);
    return contacts;
}

static void test_exclusions(void **state)
{
    (void)state;
    assert_int_equal(touching(0, 0, 0, 0, 0), 1);
    assert_int_equal(touching(0, 0, 0, 0, 1), 0);
    assert_int_equal(touching(1, 0, 0, 0, 0), 1); /* 1 and 0 meets 1 and 1 */
    assert_int_equal(touching(1, 0, 1, 0, 0), 0);
    assert_int_equal(touching(2, 0, 0, 2, 0), 1);
    assert_int_equal(touching(0, 4, 4, 0, 0), 1);
    assert_int_equal(touching(2, 2, 4, 4, 0), 0);
    assert_int_equal(touching(2, 2, 0, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_painleve),
        cmocka_unit_test(test_painleve_jams),
        cmocka_unit_test(test_spinning_box),
        cmocka_unit_test(test_gears),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_stands_still),
        cmocka_unit_test(test_exclusions),
        cmocka_unit_test(test_limits_make_no_energy),
        cmocka_unit_test(test_the_guard_remembers_no_wrong),
        cmocka_unit_test(test_displacement_has_a_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
