/*
 * Contact with friction where the answer is known: inclines, falls, bounces, cradles, stacks, stops.
 *
 * A body that slides or rests has a constant force: the scheme is exact for those up to rounding and the solver's
 * tolerance, 1e-10 m/s a step.
 */
#include "contact_check.h"
#include "draw.h"

static const double g = 9.81;

/* a box on its face on a plane that is inclined by `angle` about y; downhill is along its x */
static void open_incline(scene *s, hml_plane *plane, hml_shape *shape, double angle, double friction)
{
    hml_builder *b = hml_builder_new();
    add_solid(b, "box", HML_JOINT_FREE, 0.2, 0.15, 0.1);
    s->model = finish(b, 0);
    *plane = floor_plane(friction, 0);
    plane->normal[0] = sin(angle), plane->normal[2] = cos(angle);
    *shape = shape_on(0, HML_SHAPE_BOX, 0.2, 0.15, 0.1);
    s->settings = (hml_contact_settings){.planes = plane, .nplanes = 1, .shapes = shape, .nshapes = 1};
    open_scene(s);
    s->q[3] = cos(angle / 2), s->q[5] = sin(angle / 2);
    for (int i = 0; i < 3; i++) s->q[i] = (0.1 - 1e-6) * plane->normal[i];
}

static void test_incline_sticks(void **state)
{
    (void)state;
    scene s = {0};
    hml_plane plane;
    hml_shape shape;
    const double friction = 0.5, angle = atan(friction) - 0.01;
    double q[7];
    open_incline(&s, &plane, &shape, angle, friction);
    memcpy(q, s.q, sizeof q);
    run(&s, 1e-3, 1000, NULL);
    assert_all_close(s.q, q, 7, 1e-9);
    assert_all_close(s.v, (double[6]){0}, 6, 1e-9); /* a turn of 1e-9 rad/s moves a corner by 1e-10 m/s */
    assert_int_equal(s.result.contacts, 4);
    close_scene(&s);
}

static void test_incline_slides(void **state)
{
    (void)state;
    scene s = {0};
    hml_plane plane;
    hml_shape shape;
    const double friction = 0.5, angle = atan(friction) + 0.1, h = 1e-3;
    const double a = g * (sin(angle) - friction * cos(angle));
    open_incline(&s, &plane, &shape, angle, friction);
    run(&s, h, 1000, NULL);
    assert_close(s.v[0], a * 1000 * h, 1e-7); /* a thousand steps of 1e-10 */
    assert_all_close(s.v + 1, (double[5]){0}, 5, 1e-7);
    hml_contact_point p;
    double force[3] = {0};
    for (int32_t i = 0; i < hml_contact_count(s.contact); i++) {
        OK(hml_contact_get(s.contact, i, &p));
        for (int k = 0; k < 3; k++) force[k] += p.impulse[k] / h;
    }
    assert_close(force[0], 2 * a * cos(angle), 1e-6); /* m a, along the world's x and z */
    assert_close(force[2], 2 * (g - a * sin(angle)), 1e-6);
    close_scene(&s);
}

static void test_free_flight(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    add_solid(b, "ball", HML_JOINT_TRANSLATION3, 0.1, 0.1, 0.1);
    s.model = finish(b, 0);
    open_scene(&s);
    s.v[0] = 1, s.v[2] = 3;
    run(&s, 1e-2, 100, NULL);
    assert_close(s.q[0], 1, 1e-12);
    assert_close(s.q[2], 3 - 0.5 * g, 1e-12); /* the midpoint rule is exact for a parabola */
    close_scene(&s);
}

static void test_ball_rolls(void **state)
{
    (void)state;
    scene s = {0};
    const double angle = 0.3, r = 0.1, I = 0.4 * 2 * r * r, h = 1e-3;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_error error = {0};
    hml_inertia_spec inertia = {2, {0}, {I, 0, 0, 0, I, 0, 0, 0, I}};
    hml_joint_spec_init(&joint, HML_JOINT_FREE);
    joint.name = "j";
    OK(hml_builder_add_body(b, "ball", NULL, &joint, &inertia, &error));
    s.model = finish(b, 0);
    hml_plane plane = floor_plane(1, 0);
    hml_shape shape = shape_on(0, HML_SHAPE_SPHERE, r, 0, 0);
    plane.normal[0] = sin(angle), plane.normal[2] = cos(angle);
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
    open_scene(&s);
    for (int i = 0; i < 3; i++) s.q[i] = (r - 1e-6) * plane.normal[i];
    run(&s, h, 1000, NULL);
    const double a = g * sin(angle) * 5 / 7; /* a solid ball that rolls */
    double speed = sqrt(s.v[0] * s.v[0] + s.v[1] * s.v[1] + s.v[2] * s.v[2]);
    /* its centre is a slop lower than its radius, 1e-5 of it */
    assert_close(speed, a * 1000 * h, 1e-4);
    assert_close(s.v[4] * r, speed, 1e-4);
    close_scene(&s);
}

static void test_bounce(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    add_solid(b, "ball", HML_JOINT_TRANSLATION3, 0.1, 0.1, 0.1);
    s.model = finish(b, 0);
    hml_plane plane = floor_plane(0.3, 0);
    hml_shape shape = shape_on(0, HML_SHAPE_SPHERE, 0.1, 0, 0);
    shape.restitution = 0.5;
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
    open_scene(&s);
    s.q[2] = 1.1;
    double before = 0;
    while (s.result.bounces == 0) {
        before = s.v[2];
        run(&s, 1e-3, 1, NULL);
        assert_true(s.result.penetration <= 5e-3); /* h times the speed */
    }
    assert_close(s.v[2], -0.5 * before - 1e-3 * g, 1e-12); /* the bounce, then a step of free fall */
    double peak = 0;
    for (int i = 0; i < 400; i++) {
        run(&s, 1e-3, 1, NULL);
        peak = fmax(peak, s.q[2] - 0.1);
    }
    assert_close(peak, 0.25, 5e-3);
    run(&s, 1e-3, 5000, NULL); /* it comes to rest, within the slop */
    assert_close(s.v[2], 0, 1e-10);
    assert_true(s.result.penetration <= 1e-4 * 1.01);
    close_scene(&s);
}

enum { BALLS = 5 };

/* five balls on a line, touching; the first ones come in with speed 1 */
static void cradle(int moving)
{
    scene s = {0};
    char name[8];
    hml_builder *b = hml_builder_new();
    hml_shape shapes[BALLS];
    for (int i = 0; i < BALLS; i++) {
        snprintf(name, sizeof name, "b%d", i);
        add_solid(b, name, HML_JOINT_PRISMATIC, 0.1, 0.1, 0.1);
        shapes[i] = shape_on(i, HML_SHAPE_SPHERE, 0.1, 0, 0);
        shapes[i].restitution = 1;
    }
    s.model = finish(b, 0);
    s.settings = (hml_contact_settings){.shapes = shapes, .nshapes = BALLS, .options = HML_CONTACT_PAIRS};
    open_scene(&s);
    for (int i = 0; i < BALLS; i++) {
        s.q[i] = i * (0.2 - 1e-6) - (i < moving ? 0.0505 : 0);
        s.v[i] = i < moving;
    }
    run(&s, 1e-3, 100, NULL);
    for (int i = 0; i < BALLS; i++) assert_close(s.v[i], i >= BALLS - moving, 1e-12);
    close_scene(&s);
}

static void test_cradle(void **state)
{
    (void)state;
    for (int moving = 1; moving < BALLS; moving++) cradle(moving);
}

enum { STACK = 10 };

/* balls on top of each other, each ten times as heavy as the one below every other time, guided along z */
static void test_stack(void **state)
{
    (void)state;
    scene s = {0};
    char name[8];
    hml_builder *b = hml_builder_new();
    hml_shape shapes[STACK];
    for (int i = 0; i < STACK; i++) {
        hml_joint_spec joint;
        hml_error error = {0};
        hml_inertia_spec I = {i % 2 ? 10 : 1, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
        snprintf(name, sizeof name, "b%d", i);
        joint.name = name;
        joint.axis[2] = 1;
        OK(hml_builder_add_body(b, name, NULL, &joint, &I, &error));
        shapes[i] = shape_on(i, HML_SHAPE_SPHERE, 0.1, 0, 0);
    }
    s.model = finish(b, 0);
    hml_plane plane = floor_plane(0.5, 0);
    s.settings = (hml_contact_settings){
        .planes = &plane, .nplanes = 1, .shapes = shapes, .nshapes = STACK, .options = HML_CONTACT_PAIRS};
    open_scene(&s);
    for (int i = 0; i < STACK; i++) s.q[i] = 0.1 + 0.21 * i; /* a centimetre between them: they fall */
    double fastest = 0, deepest = 0;
    for (int i = 0; i < 2000; i++) {
        run(&s, 1e-3, 1, NULL);
        for (int k = 0; k < STACK; k++) fastest = fmax(fastest, s.v[k]);
        deepest = fmax(deepest, s.result.penetration);
    }
    assert_true(fastest <= 1e-9);   /* nothing ever goes up */
    assert_true(deepest <= 2.5e-3); /* h times the speed of the fall of nine centimetres, and the slop */
    assert_int_equal(s.result.contacts, STACK);
    for (int k = 0; k < STACK; k++) assert_close(s.v[k], 0, 1e-10);
    assert_true(s.result.penetration <= 1.01e-4);
    hml_contact_point p;
    double floor = 0;
    for (int32_t i = 0; i < hml_contact_count(s.contact); i++) {
        OK(hml_contact_get(s.contact, i, &p));
        if (p.other == -1) floor = p.impulse[2] / 1e-3;
    }
    assert_close(floor, 55 * g, 1e-6); /* the whole weight */
    close_scene(&s);
}

static void test_joint_friction(void **state)
{
    (void)state;
    scene s = {0};
    const double f[1] = {3};
    hml_builder *b = hml_builder_new();
    add_solid(b, "slider", HML_JOINT_PRISMATIC, 0.1, 0.1, 0.1);
    s.model = finish(b, 0);
    s.settings = (hml_contact_settings){.joint_friction = f};
    open_scene(&s);
    s.v[0] = 1;
    run(&s, 1e-3, 500, NULL);
    assert_close(s.v[0], 1 - 1.5 * 0.5, 1e-12);
    run(&s, 1e-3, 500, NULL);
    assert_close(s.v[0], 0, 1e-12);
    run(&s, 1e-3, 100, (double[]){2.9}); /* less than friction holds */
    assert_close(s.v[0], 0, 1e-12);
    run(&s, 1e-3, 100, (double[]){5});
    assert_close(s.v[0], (5 - 3) / 2.0 * 0.1, 1e-12);
    close_scene(&s);
}

/* friction in the model, a follower's too: f + |multiplier| f of it, against the mass of both */
static void test_joint_friction_of_the_model(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec I = {2, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
    joint.axis[0] = 1;
    joint.name = "leader";
    joint.friction[0] = 3;
    OK(hml_builder_add_body(b, "one", NULL, &joint, &I, NULL));
    joint.name = "follower";
    joint.mimic = "leader";
    joint.multiplier = -2;
    joint.friction[0] = 0.5;
    OK(hml_builder_add_body(b, "two", NULL, &joint, &I, NULL));
    s.model = finish(b, 0);
    open_scene(&s);
    s.v[0] = 1;
    run(&s, 1e-3, 500, NULL);
    assert_close(s.v[0], 1 - 0.5 * (3 + 2 * 0.5) / (2 + 4 * 2), 1e-12);
    run(&s, 1e-3, 100, (double[]){0});
    s.v[0] = 0;
    run(&s, 1e-3, 100, (double[]){3.9});
    assert_close(s.v[0], 0, 1e-12);
    const double none[1] = {0}; /* the settings have the last word */
    scene t = {.model = s.model, .settings = {.joint_friction = none}};
    open_scene(&t);
    t.v[0] = 1;
    run(&t, 1e-3, 10, NULL);
    assert_close(t.v[0], 1, 1e-15);
    free(t.contact);
    hml_work_free(t.work);
    close_scene(&s);
}

static void test_joint_limit(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_error error = {0};
    hml_inertia_spec I = {2, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec_init(&joint, HML_JOINT_PRISMATIC);
    joint.name = "j";
    joint.axis[0] = 1;
    joint.lower[0] = -0.5;
    joint.upper[0] = 0.2;
    OK(hml_builder_add_body(b, "slider", NULL, &joint, &I, &error));
    s.model = finish(b, 0);
    open_scene(&s);
    s.v[0] = 1;
    run(&s, 1e-3, 1000, (double[]){4});
    assert_close(s.v[0], 0, 1e-12);
    assert_true(s.q[0] >= 0.2 && s.q[0] <= 0.2 + 1.01e-4);
    assert_int_equal(s.result.limits, 1);
    run(&s, 1e-3, 2000, (double[]){-4});
    assert_close(s.v[0], 0, 1e-12);
    assert_true(s.q[0] <= -0.5 && s.q[0] >= -0.5 - 1.01e-4);
    close_scene(&s);

    scene open = {.settings = {.options = HML_CONTACT_NO_LIMITS}};
    b = hml_builder_new();
    OK(hml_builder_add_body(b, "slider", NULL, &joint, &I, &error));
    open.model = finish(b, 0);
    open_scene(&open);
    run(&open, 1e-3, 1000, (double[]){4});
    assert_close(open.q[0], 1, 1e-2);
    close_scene(&open);
}

/* all shapes come to rest on a floor, at the height that they should */
static void test_shapes_at_rest(void **state)
{
    (void)state;
    const struct {
        double size[3], height;
        hml_shape_kind kind;
        int contacts;
    } cases[] = {{{0.1, 0, 0}, 0.1, HML_SHAPE_SPHERE, 1},
                 {{0.1, 0.2, 0}, 0.1, HML_SHAPE_CAPSULE, 2},
                 {{0.1, 0.2, 0}, 0.1, HML_SHAPE_CYLINDER, 2},
                 {{0.1, 0.2, 0.3}, 0.1, HML_SHAPE_BOX, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s = {0};
        hml_builder *b = hml_builder_new();
        add_solid(b, "body", HML_JOINT_FREE, 0.1, 0.1, 0.2);
        s.model = finish(b, 0);
        hml_plane plane = floor_plane(0.6, 0);
        hml_shape shape = shape_on(0, cases[i].kind, cases[i].size[0], cases[i].size[1], cases[i].size[2]);
        s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
        open_scene(&s);
        s.q[2] = cases[i].height + 0.01;
        s.q[3] = s.q[5] = sqrt(0.5); /* z lies down, x points up or down */
        run(&s, 1e-3, 1000, NULL);
        assert_int_equal(s.result.contacts, cases[i].contacts);
        assert_close(s.q[2], cases[i].height, 1.1e-4);
        for (int k = 0; k < 6; k++) assert_close(s.v[k], 0, 1e-9);
        close_scene(&s);
    }
}

/* a cylinder stands on its end */
static void test_cylinder_stands(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    add_solid(b, "body", HML_JOINT_FREE, 0.1, 0.1, 0.2);
    s.model = finish(b, 0);
    hml_plane plane = floor_plane(0.6, 0);
    hml_shape shape = shape_on(0, HML_SHAPE_CYLINDER, 0.1, 0.2, 0);
    s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
    open_scene(&s);
    s.q[2] = 0.2 - 1e-5;
    run(&s, 1e-3, 500, NULL);
    assert_int_equal(s.result.contacts, 4);
    assert_close(s.q[2], 0.2 - 1e-5, 1e-9);
    close_scene(&s);
}

/* a capsule falls across one that lies in the world, and a ball beside it, on the end of the same one */
static void test_pairs(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    add_solid(b, "rod", HML_JOINT_TRANSLATION3, 0.1, 0.1, 0.1);
    add_solid(b, "ball", HML_JOINT_TRANSLATION3, 0.1, 0.1, 0.1);
    s.model = finish(b, 0);
    const double along_x[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0}, along_y[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
    hml_shape shapes[3] = {shape_on(-1, HML_SHAPE_CAPSULE, 0.1, 1, 0), shape_on(0, HML_SHAPE_CAPSULE, 0.05, 0.5, 0),
                           shape_on(1, HML_SHAPE_SPHERE, 0.2, 0, 0)};
    memcpy(shapes[0].rotation, along_x, sizeof along_x);
    memcpy(shapes[1].rotation, along_y, sizeof along_y);
    shapes[0].friction = 0.5;
    s.settings = (hml_contact_settings){.shapes = shapes, .nshapes = 3, .options = HML_CONTACT_PAIRS};
    open_scene(&s);
    s.q[1] = 0.2, s.q[2] = 0.3; /* not in the middle */
    s.q[3] = 1, s.q[5] = 0.4;
    run(&s, 1e-3, 1000, NULL);
    assert_int_equal(s.result.contacts, 2);
    assert_close(s.q[2], 0.15, 1.1e-4);
    assert_close(s.q[5], 0.3, 1.1e-4);
    for (int k = 0; k < 6; k++) assert_close(s.v[k], 0, 1e-9);
    close_scene(&s);
}

/* a table: a ball lands on it, another one falls past it */
static void test_terrain(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    add_solid(b, "one", HML_JOINT_TRANSLATION3, 0.1, 0.1, 0.1);
    add_solid(b, "two", HML_JOINT_TRANSLATION3, 0.1, 0.1, 0.1);
    s.model = finish(b, 0);
    hml_plane planes[2] = {floor_plane(0.5, 0), floor_plane(0.5, 0)};
    planes[1].point[2] = 0.5;
    planes[1].axis[0] = 1;
    planes[1].size[0] = planes[1].size[1] = 0.3;
    planes[1].depth = 0.1;
    hml_shape shapes[2] = {shape_on(0, HML_SHAPE_SPHERE, 0.1, 0, 0), shape_on(1, HML_SHAPE_SPHERE, 0.1, 0, 0)};
    s.settings = (hml_contact_settings){.planes = planes, .nplanes = 2, .shapes = shapes, .nshapes = 2};
    open_scene(&s);
    s.q[0] = 0.2, s.q[2] = 1;
    s.q[3] = 0.4, s.q[5] = 1;
    run(&s, 1e-3, 1000, NULL);
    assert_close(s.q[2], 0.6, 1.1e-4);
    assert_close(s.q[5], 0.1, 1.1e-4);
    close_scene(&s);
}

/* what goes wrong is said, and the state stays the last good one */
static void test_failures(void **state)
{
    (void)state;
    scene s = {0};
    hml_plane plane;
    hml_shape shape;
    double q[7], v[6];
    open_incline(&s, &plane, &shape, 0.8, 0.5);
    free(s.contact);
    s.settings.tolerance = 1e-30; /* nobody can */
    s.settings.options = HML_CONTACT_STRICT;
    size_t size = hml_contact_size(s.model, &s.settings);
    void *memory = malloc(size);
    OK(hml_contact_init(memory, size, s.model, &s.settings, &s.contact));
    s.v[3] = 1;
    memcpy(q, s.q, sizeof q);
    memcpy(v, s.v, sizeof v);
#define STEP(h) one_step(&s, h, NULL)
    assert_int_equal(STEP(1e-3), HML_NOT_CONVERGED);
    assert_true(s.result.residual > 0);
    assert_int_equal(STEP(0), HML_INVALID_ARGUMENT);
    assert_int_equal(STEP(-1), HML_INVALID_ARGUMENT);
    assert_int_equal(STEP(NAN), HML_NOT_FINITE);
    assert_all_close(s.q, q, 7, 0);
    assert_all_close(s.v, v, 6, 0);
    assert_int_equal(hml_contact_count(s.contact), 0);
    s.v[0] = NAN;
    assert_int_equal(STEP(1e-3), HML_NOT_FINITE);
    memset(s.v, 0, sizeof s.v);
    s.settings.max_contacts = 3; /* of four */
    s.settings.tolerance = 0;
    OK(hml_contact_init(memory, size, s.model, &s.settings, &s.contact));
    OK(STEP(1e-3));
    assert_int_equal(s.result.contacts, 3);
    assert_int_equal(s.result.left_out, 1);
    s.settings.tolerance = 1e-30; /* without strictness there is an answer, and it says what it is */
    s.settings.max_contacts = 4, s.settings.options = 0;
    OK(hml_contact_init(memory, size, s.model, &s.settings, &s.contact));
    memcpy(s.q, q, sizeof q);
    s.v[3] = 1;
    OK(STEP(1e-3));
    assert_true(s.result.relaxed && s.result.residual > 0 && s.result.work <= 0);
#undef STEP
    assert_int_equal(hml_contact_init(memory, 8, s.model, &s.settings, &s.contact), HML_INVALID_ARGUMENT);
    plane.normal[0] = plane.normal[2] = 0;
    assert_int_equal(hml_contact_size(s.model, &s.settings), 0);
    plane.normal[2] = 1;
    plane.friction = -1;
    assert_int_equal(hml_contact_init(memory, size, s.model, &s.settings, &s.contact), HML_INVALID_ARGUMENT);
    plane.friction = NAN;
    assert_int_equal(hml_contact_init(memory, size, s.model, &s.settings, &s.contact), HML_NOT_FINITE);
    plane.friction = 1;
    shape.size[1] = 0;
    assert_int_equal(hml_contact_init(memory, size, s.model, &s.settings, &s.contact), HML_INVALID_ARGUMENT);
    shape.size[1] = 1;
    shape.frame = 2;
    assert_int_equal(hml_contact_init(memory, size, s.model, &s.settings, &s.contact), HML_INVALID_ARGUMENT);
    s.contact = memory;
    close_scene(&s);
}

/* more contacts than memory could hold have no size: not one that has wrapped around to a small number */
static void test_sizes_that_do_not_exist(void **state)
{
    (void)state;
    scene s = {0};
    hml_plane plane;
    hml_shape shape;
    open_incline(&s, &plane, &shape, 0.8, 0.5);
    size_t before = 0;
    for (int32_t n = 1; n > 0; n = n < INT32_MAX / 2 ? 2 * n : n == INT32_MAX ? 0 : INT32_MAX) {
        s.settings.max_contacts = n;
        size_t size = hml_contact_size(s.model, &s.settings);
        if (n <= 1 << 27) assert_true(size > before);
        if (n > 1 << 29) assert_true(size == 0);
        if (size) assert_true(size > before && size / 8 / 9 / (size_t)n >= (size_t)n); /* K alone has (3n)² numbers */
        if (size) before = size;
    }
    s.settings.max_contacts = 290 * 1000 * 1000;
    size_t size = hml_contact_size(s.model, &s.settings);
    assert_true(size == 0 || size > (size_t)1 << 60);
    double room[64];
    hml_contact *contact = NULL;
    s.settings.max_contacts = INT32_MAX;
    assert_int_equal(hml_contact_init(room, SIZE_MAX, s.model, &s.settings, &contact), HML_INVALID_ARGUMENT);
    assert_null(contact);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_that_do_not_exist),
        cmocka_unit_test(test_incline_sticks),
        cmocka_unit_test(test_incline_slides),
        cmocka_unit_test(test_free_flight),
        cmocka_unit_test(test_ball_rolls),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_joint_friction),
        cmocka_unit_test(test_joint_friction_of_the_model),
        cmocka_unit_test(test_joint_limit),
        cmocka_unit_test(test_shapes_at_rest),
        cmocka_unit_test(test_cylinder_stands),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_terrain),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
