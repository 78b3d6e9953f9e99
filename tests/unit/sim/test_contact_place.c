/* The lowest point of shapes over a plane, against the support functions of convex bodies; robots put on planes. */
#include "contact_check.h"
#include "draw.h"

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* the least nᵀx over a shape whose centre and axes are given: h(−n) of its support function */
static double least(const hml_shape *s, const double *c, double axes[3][3], const double *n)
{
    const double z = fabs(dot(axes[2], n)), middle = dot(c, n), *size = s->size;
    switch (s->kind) {
    case HML_SHAPE_SPHERE: return middle - size[0];
    case HML_SHAPE_CAPSULE: return middle - size[0] - size[1] * z;
    case HML_SHAPE_CYLINDER: return middle - size[1] * z - size[0] * sqrt(fmax(0, 1 - z * z));
    case HML_SHAPE_BOX: return middle - size[0] * fabs(dot(axes[0], n)) - size[1] * fabs(dot(axes[1], n)) - size[2] * z;
    default: return middle;
    }
}

static double expected(const scene *s, const hml_shape *shape, const double *n, const double *point)
{
    double H[16 * 8], c[3], axes[3][3];
    OK(hml_body_poses(s->model, s->work, s->q, H));
    const double *P = H + 16 * (size_t)shape->frame;
    for (int i = 0; i < 3; i++) {
        c[i] = P[4 * i + 3] + dot(P + 4 * i, shape->position) - point[i];
        for (int k = 0; k < 3; k++) {
            const double column[3] = {shape->rotation[k], shape->rotation[3 + k], shape->rotation[6 + k]};
            axes[k][i] = dot(P + 4 * i, column);
        }
    }
    return least(shape, c, axes, n);
}

static void the_lowest_point_is_that_of_the_support_function(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 200; trial++) {
        hml_shape shapes[5];
        hml_plane plane = {.friction = 0.5};
        scene s = {.settings = {.planes = &plane, .nplanes = 1, .shapes = shapes, .nshapes = 5}};
        hml_contact_point lowest;
        double R[9], least_gap = INFINITY;
        int32_t which = -1;
        hml_builder *b = hml_builder_new();
        add_solid(b, "one", HML_JOINT_FREE, 0.1, 0.2, 0.3);
        add_solid(b, "two", HML_JOINT_FREE, 0.1, 0.2, 0.3);
        OK(hml_builder_build(b, 0, &s.model, NULL));
        hml_builder_free(b);
        for (int i = 0; i < 5; i++) {
            shapes[i] = shape_on(i % 2, (hml_shape_kind)i, 0.3, 0.2, 0.1);
            draw_rotation(&seed, shapes[i].rotation);
            for (int k = 0; k < 3; k++) shapes[i].position[k] = 0.3 * draw(&seed);
        }
        draw_rotation(&seed, R);
        for (int k = 0; k < 3; k++) plane.normal[k] = R[k], plane.point[k] = draw(&seed);
        open_scene(&s);
        for (int k = 0; k < 14; k++) s.q[k] += 0.5 * draw(&seed);
        for (int k = 3; k < 14; k += 7) {
            double length = sqrt(dot(s.q + k, s.q + k) + s.q[k + 3] * s.q[k + 3]);
            for (int i = 0; i < 4; i++) s.q[k + i] /= length;
        }
        OK(hml_contact_lowest(s.model, s.work, s.contact, s.q, 0, &lowest));
        for (int i = 0; i < 5; i++) {
            double gap = expected(&s, &shapes[i], plane.normal, plane.point);
            if (gap < least_gap) least_gap = gap, which = i;
        }
        const double at[3] = {lowest.position[0] - plane.point[0], lowest.position[1] - plane.point[1],
                              lowest.position[2] - plane.point[2]};
        assert_int_equal(lowest.shape, which);
        assert_int_equal(lowest.other, -1);
        assert_true(fabs(lowest.gap - least_gap) < 1e-13);
        assert_true(fabs(dot(at, plane.normal) - least_gap) < 1e-13);
        close_scene(&s);
    }
}

/* roots of every kind that goes everywhere, one of them on a kept fixed body that is turned; all keep their distances */
static void a_robot_moves_along_the_normal(void **state)
{
    (void)state;
    const hml_plane planes[2] = {{.normal = {1, 0, 0}, .point = {-50, 0, 0}, .friction = 1},
                                 {.normal = {0.6, 0, 1.6}, .point = {0.3, 1, -2}, .friction = 1}};
    scene s = {.settings = {.planes = planes, .nplanes = 2}};
    hml_shape shapes[4];
    hml_joint_spec fixed = some_joint(HML_JOINT_FIXED, "bolt");
    const double turned[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    double before[16 * 8], after[16 * 8], gap;
    hml_contact_point lowest;
    hml_builder *b = hml_builder_new();
    memcpy(fixed.rotation, turned, sizeof turned);
    add_spec(b, "rock", NULL, &fixed);
    add_link(b, "ship", "rock", HML_JOINT_FREE);
    add_link(b, "mast", "ship", HML_JOINT_REVOLUTE);
    add_link(b, "gantry", NULL, HML_JOINT_TRANSLATION3);
    add_link(b, "drone", NULL, HML_JOINT_SCHOENFLIES);
    add_link(b, "arm", NULL, HML_JOINT_REVOLUTE);
    OK(hml_builder_build(b, HML_BUILD_KEEP_FIXED, &s.model, NULL));
    hml_builder_free(b);
    static const char *const names[4] = {"mast", "gantry", "drone", "ship"};
    for (int i = 0; i < 4; i++) {
        shapes[i] = shape_on(hml_model_find_frame(s.model, names[i]), HML_SHAPE_BOX, 0.1, 0.2, 0.3);
    }
    s.settings.shapes = shapes, s.settings.nshapes = 4;
    open_scene(&s);
    hml_body_poses(s.model, s.work, s.q, before);
    OK(hml_contact_lowest(s.model, s.work, s.contact, s.q, 1, &lowest));
    gap = lowest.gap;
    OK(hml_contact_place(s.model, s.work, s.contact, 1, 0.25, s.q));
    OK(hml_contact_lowest(s.model, s.work, s.contact, s.q, 1, &lowest));
    assert_true(fabs(lowest.gap - 0.25) < 1e-14);
    assert_true(fabs(gap - 0.25) > 0.1);
    hml_body_poses(s.model, s.work, s.q, after);
    const double length = hypot(0.6, 1.6), way[3] = {(0.25 - gap) * 0.6 / length, 0, (0.25 - gap) * 1.6 / length};
    for (int32_t i = 0; i < hml_model_nbodies(s.model); i++) {
        hml_body_info body = {.struct_size = sizeof body};
        OK(hml_model_body(s.model, i, &body));
        const int moves = strcmp(body.name, "rock") != 0 && strcmp(body.name, "arm") != 0;
        for (int k = 0; k < 16; k++) {
            const double change = k % 4 == 3 && k < 12 && moves ? way[k / 4] : 0;
            assert_true(fabs(after[16 * i + k] - before[16 * i + k] - change) < 1e-14);
        }
    }
    close_scene(&s);
}

/* points beside a rectangle are not over it, however deep they are; its depth does not matter */
static void rectangles(void **state)
{
    (void)state;
    hml_plane table = {.normal = {0, 0, 1}, .axis = {1, 0, 0}, .size = {1, 1}, .depth = 0.05, .friction = 1};
    hml_shape shapes[2] = {shape_on(0, HML_SHAPE_POINT, 0, 0, 0), shape_on(0, HML_SHAPE_POINT, 0, 0, 0)};
    scene s = {.settings = {.planes = &table, .nplanes = 1, .shapes = shapes, .nshapes = 2}};
    hml_contact_point lowest;
    hml_builder *b = hml_builder_new();
    add_solid(b, "one", HML_JOINT_FREE, 0.1, 0.2, 0.3);
    OK(hml_builder_build(b, 0, &s.model, NULL));
    hml_builder_free(b);
    shapes[0].position[2] = -0.5;
    shapes[1].position[0] = 2;
    shapes[1].position[2] = -3;
    open_scene(&s);
    OK(hml_contact_lowest(s.model, s.work, s.contact, s.q, 0, &lowest));
    assert_int_equal(lowest.shape, 0);
    assert_true(lowest.gap == -0.5);
    OK(hml_contact_place(s.model, s.work, s.contact, 0, 0, s.q));
    assert_true(s.q[2] == 0.5);
    s.q[0] = 100;
    OK(hml_contact_lowest(s.model, s.work, s.contact, s.q, 0, &lowest));
    assert_int_equal(lowest.shape, -1);
    assert_true(isinf(lowest.gap));
    assert_int_equal(hml_contact_place(s.model, s.work, s.contact, 0, 0, s.q), HML_UNSUPPORTED);
    assert_true(s.q[2] == 0.5);
    close_scene(&s);
}

/* what touched in the last step is still known, and the next step is the same as without the questions */
static void questions_do_not_disturb(void **state)
{
    (void)state;
    const hml_plane ground = floor_plane(0.5, 0);
    double ends[2][7];
    for (int ask = 0; ask < 2; ask++) {
        hml_shape ball = shape_on(0, HML_SHAPE_SPHERE, 0.1, 0, 0);
        scene s = {.settings = {.planes = &ground, .nplanes = 1, .shapes = &ball, .nshapes = 1}};
        hml_contact_point lowest;
        double elsewhere[7] = {0, 0, 5, 1, 0, 0, 0};
        hml_builder *b = hml_builder_new();
        add_solid(b, "one", HML_JOINT_FREE, 0.1, 0.1, 0.1);
        OK(hml_builder_build(b, 0, &s.model, NULL));
        hml_builder_free(b);
        open_scene(&s);
        OK(hml_contact_place(s.model, s.work, s.contact, 0, 0, s.q));
        assert_true(s.q[2] == 0.1);
        s.v[0] = 1;
        run(&s, 1e-3, 20, NULL);
        if (ask) OK(hml_contact_lowest(s.model, s.work, s.contact, elsewhere, 0, &lowest));
        assert_int_equal(hml_contact_count(s.contact), 1);
        run(&s, 1e-3, 20, NULL);
        memcpy(ends[ask], s.q, sizeof ends[ask]);
        close_scene(&s);
    }
    assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
}

static void what_is_refused(void **state)
{
    (void)state;
    const hml_plane ground = floor_plane(0.5, 0);
    scene s = {.settings = {.planes = &ground, .nplanes = 1}};
    hml_contact_point lowest;
    hml_builder *b = hml_builder_new();
    add_solid(b, "arm", HML_JOINT_REVOLUTE, 0.1, 0.1, 0.1);
    OK(hml_builder_build(b, 0, &s.model, NULL));
    hml_builder_free(b);
    open_scene(&s);
    OK(hml_contact_lowest(s.model, s.work, s.contact, s.q, 0, &lowest)); /* there are no shapes */
    assert_int_equal(lowest.shape, -1);
    assert_int_equal(hml_contact_place(s.model, s.work, s.contact, 0, 0, s.q), HML_UNSUPPORTED);
    assert_int_equal(hml_contact_lowest(s.model, s.work, s.contact, s.q, 1, &lowest), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_lowest(s.model, s.work, s.contact, s.q, -1, &lowest), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_lowest(s.model, s.work, s.contact, s.q, 0, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_lowest(s.model, s.work, s.contact, NULL, 0, &lowest), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_lowest(s.model, s.work, NULL, s.q, 0, &lowest), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_lowest(s.model, NULL, s.contact, s.q, 0, &lowest), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_lowest(NULL, s.work, s.contact, s.q, 0, &lowest), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_place(s.model, s.work, s.contact, 2, 0, s.q), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_place(s.model, s.work, s.contact, 0, 0, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_place(s.model, s.work, s.contact, 0, NAN, s.q), HML_NOT_FINITE);
    s.q[0] = NAN;
    assert_int_equal(hml_contact_lowest(s.model, s.work, s.contact, s.q, 0, &lowest), HML_NOT_FINITE);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_point_is_that_of_the_support_function),
        cmocka_unit_test(a_robot_moves_along_the_normal),
        cmocka_unit_test(rectangles),
        cmocka_unit_test(questions_do_not_disturb),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
