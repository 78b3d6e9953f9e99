/*
 * Ground that is a grid of heights. On a grid that is flat every shape moves as on the plane. Over random hills shapes
 * touch where prisms under the triangles, one by one, say that they do. Nothing gains energy; bad grids are refused.
 */
#include "contact_check.h"
#include "draw.h"
#include "hamel/io.h"
#include "sim/collision.h"
#include "sim/convex.h"

static const double octahedron[18] = {0.2, 0, 0, -0.2, 0, 0, 0, 0.15, 0, 0, -0.15, 0, 0, 0, 0.25, 0, 0, -0.25};

enum { KINDS = 6 };

static hml_shape shape_of(int kind)
{
    static const hml_shape_kind kinds[KINDS] = {HML_SHAPE_SPHERE,   HML_SHAPE_CAPSULE, HML_SHAPE_BOX,
                                                HML_SHAPE_CYLINDER, HML_SHAPE_HULL,    HML_SHAPE_POINT};
    hml_shape s = shape_on(0, kinds[kind], 0.1, 0.2, 0.15);
    if (kinds[kind] == HML_SHAPE_HULL) s.nvertices = 6, s.vertices = octahedron;
    return s;
}

/* a free body with one shape */
static void open_body(scene *s, const hml_shape *shape, const hml_plane *plane, const hml_heightfield *field)
{
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    add_solid(b, "body", HML_JOINT_FREE, 0.15, 0.2, 0.1);
    if (hml_builder_build(b, 0, &s->model, &error)) fail_msg("%s", error.message);
    hml_builder_free(b);
    s->settings = (hml_contact_settings){.planes = plane, .nplanes = plane != NULL, .shapes = shape, .nshapes = 1};
    s->settings.heightfields = field;
    s->settings.nheightfields = field != NULL;
    open_scene(s);
}

static double energy(scene *s)
{
    double M[36], h[6];
    hml_dynamics_result x = {.struct_size = sizeof x, .M = M, .h = h};
    OK(hml_dynamics(s->model, s->work, s->q, s->v, NULL, NULL, &x));
    return x.kinetic_energy + x.potential_energy;
}

/* ---- a grid that is a plane ---- */

static const double slope[2] = {0.3, -0.1};

static void tilt(hml_heightfield *f, double *heights)
{
    for (int r = 0; r < f->rows; r++)
        for (int c = 0; c < f->columns; c++)
            heights[r * f->columns + c] = slope[0] * (c - 0.5 * (f->columns - 1)) * f->spacing[0] +
                                          slope[1] * (r - 0.5 * (f->rows - 1)) * f->spacing[1];
    f->heights = heights;
}

static void test_flat_grid_is_plane(void **state)
{
    (void)state;
    double heights[41 * 31];
    hml_heightfield field = {.rows = 31, .columns = 41, .spacing = {0.17, 0.13}, .friction = 0.6};
    const hml_plane plane = {.normal = {-slope[0], -slope[1], 1}, .friction = 0.6};
    tilt(&field, heights);
    for (int kind = 0; kind < KINDS; kind++) {
        scene on_plane = {0}, on_grid = {0};
        const hml_shape shape = shape_of(kind);
        open_body(&on_plane, &shape, &plane, NULL);
        open_body(&on_grid, &shape, NULL, &field);
        hml_contact_point a, b;
        on_plane.q[2] = on_grid.q[2] = 0.5;
        OK(hml_contact_place(on_grid.model, on_grid.work, on_grid.contact, 0, 0.02, on_grid.q));
        memcpy(on_plane.q, on_grid.q, sizeof on_plane.q);
        OK(hml_contact_lowest(on_plane.model, on_plane.work, on_plane.contact, on_plane.q, 0, &a));
        OK(hml_contact_lowest(on_grid.model, on_grid.work, on_grid.contact, on_grid.q, 0, &b));
        assert_close(b.gap, 0.02, 1e-12);
        assert_close(a.gap, b.gap * a.normal[2], 1e-12); /* across the plane, and straight down */
        int touched = 0;
        for (int i = 0; i < 400; i++) {
            run(&on_plane, 1e-3, 1, NULL);
            run(&on_grid, 1e-3, 1, NULL);
            assert_int_equal(on_plane.result.contacts, on_grid.result.contacts);
            touched += on_grid.result.contacts;
        }
        assert_true(touched > 0);
        for (int i = 0; i < 7; i++) /* rounding of contacts, over 400 steps */
            if (!(fabs(on_plane.q[i] - on_grid.q[i]) <= 1e-9))
                fail_msg("shape %d, q[%d]: %.12g on the plane, %.12g on the grid", kind, i, on_plane.q[i],
                         on_grid.q[i]);
        close_scene(&on_plane);
        close_scene(&on_grid);
    }
}

/* 5/7 g sin α along the slope */
static void test_ball_rolls_down_a_ramp(void **state)
{
    (void)state;
    double heights[81 * 5];
    hml_heightfield field = {.rows = 5, .columns = 81, .spacing = {0.05, 0.4}, .friction = 0.8};
    for (int i = 0; i < 5 * 81; i++) heights[i] = -0.3 * (i % 81 - 40) * 0.05;
    field.heights = heights;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    const double r = 0.1, k = 0.4 * 2 * r * r, down = atan(0.3);
    hml_joint_spec joint;
    hml_inertia_spec I = {2, {0}, {k, 0, 0, 0, k, 0, 0, 0, k}};
    hml_joint_spec_init(&joint, HML_JOINT_FREE);
    joint.name = "joint";
    OK(hml_builder_add_body(b, "ball", NULL, &joint, &I, &error));
    OK(hml_builder_build(b, 0, &s.model, &error));
    hml_builder_free(b);
    const hml_shape ball = shape_on(0, HML_SHAPE_SPHERE, r, 0, 0);
    s.settings = (hml_contact_settings){.heightfields = &field, .nheightfields = 1, .shapes = &ball, .nshapes = 1};
    open_scene(&s);
    s.q[0] = -1.5;
    OK(hml_contact_place(s.model, s.work, s.contact, 0, 0, s.q));
    const double x = s.q[0];
    for (int i = 0; i < 1000; i++) {
        run(&s, 1e-3, 1, NULL);
        assert_int_equal(s.result.contacts, 1);
    }
    const double way = (s.q[0] - x) / cos(down), expected = 0.5 * 5.0 / 7 * 9.81 * sin(down);
    assert_close(way, expected, 1e-4 * expected); /* the slop, as on a plane */
    close_scene(&s);
}

/* ---- hills ---- */

static void draw_hills(hml_heightfield *f, double *heights, double high, uint64_t *seed)
{
    for (int i = 0; i < f->rows * f->columns; i++) heights[i] = high * draw(seed);
    f->heights = heights;
}

/* a triangle and all that is below it */
static convex prism(const hml_heightfield *f, int row, int column, int upper)
{
    convex x = {.n = 6};
    for (int i = 0; i < 3; i++) {
        const int r = row + (i == 1 || (i == 2 && upper)), c = column + (i == 1 || (i == 2 && !upper));
        const vec3 top = vec3_of((c - 0.5 * (f->columns - 1)) * f->spacing[0],
                                 (r - 0.5 * (f->rows - 1)) * f->spacing[1], f->heights[r * f->columns + c]);
        x.v[i] = top;
        x.v[3 + i] = vec3_of(top.x, top.y, -20);
    }
    return x;
}

static int overlaps(const hml_heightfield *f, const collision_shape *s, pose X)
{
    convex body;
    convex_gap g;
    hmli_collision_convex(s, X, &body);
    for (int r = 0; r < f->rows - 1; r++)
        for (int c = 0; c < f->columns - 1; c++)
            for (int upper = 0; upper < 2; upper++) {
                const convex under = prism(f, r, c, upper);
                if (hmli_convex_gap(&body, &under, &g) && g.gap <= 0) return 1;
            }
    return 0;
}

static void test_touches_hills(void **state)
{
    (void)state;
    uint64_t seed = 4;
    double heights[9 * 8];
    hml_heightfield field = {.rows = 9, .columns = 8, .spacing = {0.2, 0.15}, .friction = 0.5};
    for (int trial = 0; trial < 120; trial++) {
        const int kind = trial % KINDS;
        const hml_shape shape = shape_of(kind);
        collision_shape given = {.body = -1, .kind = shape.kind, .nvertices = shape.nvertices};
        scene s = {0};
        hml_contact_point lowest;
        double R[9];
        given.vertices = shape.vertices;
        memcpy(given.size, shape.size, sizeof given.size);
        draw_hills(&field, heights, 0.05 + 0.03 * (trial / KINDS % 10), &seed);
        open_body(&s, &shape, NULL, &field);
        draw_rotation(&seed, R);
        OK(hml_matrix_to_quat(R, s.q + 3));
        for (int k = 0; k < 3; k++) s.q[k] = k < 2 ? 0.25 * draw(&seed) : 0.8;
        OK(hml_contact_lowest(s.model, s.work, s.contact, s.q, 0, &lowest));
        double over = 0, inside = 1.6;
        for (int i = 0; i < 40; i++) {
            const double middle = 0.5 * (over + inside);
            const pose X = pose_of(mat3_at(R, 3), vec3_of(s.q[0], s.q[1], s.q[2] - middle));
            if (overlaps(&field, &given, X))
                inside = middle;
            else
                over = middle;
        }
        /* a cylinder: rims here, an inscribed prism of 16 sides there, 0.1 (1 − cos π/16) within it, on slopes */
        const double tolerance = shape.kind == HML_SHAPE_CYLINDER ? 5e-3 : 1e-7;
        if (!(fabs(lowest.gap - inside) <= tolerance))
            fail_msg("trial %d, shape %d: %.9g m down, and by prisms %.9g", trial, kind, lowest.gap, inside);
        close_scene(&s);
    }
}

static void test_energy_is_not_gained(void **state)
{
    (void)state;
    uint64_t seed = 8;
    double heights[21 * 21];
    hml_heightfield field = {.rows = 21, .columns = 21, .spacing = {0.25, 0.25}, .friction = 0.7};
    for (int trial = 0; trial < 3 * KINDS; trial++) {
        const hml_shape shape = shape_of(trial % KINDS);
        scene s = {0};
        draw_hills(&field, heights, 0.04, &seed);
        field.restitution = trial < KINDS ? 0.5 : 0;
        open_body(&s, &shape, NULL, &field);
        for (int k = 0; k < 6; k++) s.v[k] = draw(&seed);
        OK(hml_contact_place(s.model, s.work, s.contact, 0, 0.3, s.q));
        const double begin = energy(&s), fall = 2 * 9.81 * 0.3;
        for (int i = 0; i < 1000; i++) {
            run(&s, 1e-3, 1, NULL);
            if (!(energy(&s) <= begin + 1e-3 * fall))
                fail_msg("trial %d, step %d: %g J more than at the start", trial, i, energy(&s) - begin);
            assert_int_equal(s.result.relaxed, 0);
            if (!(s.result.penetration < 0.02))
                fail_msg("trial %d, step %d: %g m deep", trial, i, s.result.penetration);
        }
        close_scene(&s);
    }
}

static void test_quadruped_stands_on_hills(void **state)
{
    (void)state;
    uint64_t seed = 21;
    double heights[41 * 41], stiffness[18] = {0}, damping[18] = {0};
    hml_heightfield field = {.rows = 41, .columns = 41, .spacing = {0.06, 0.06}, .friction = 0.9};
    scene s = {0};
    hml_error error = {0};
    draw_hills(&field, heights, 0.015, &seed);
    if (hml_load(HAMEL_SOURCE_DIR "/robots/quadruped.json", NULL, &s.model, &error)) fail_msg("%s", error.message);
    s.settings = (hml_contact_settings){.heightfields = &field, .nheightfields = 1};
    open_scene(&s);
    for (int i = 0; i < 12; i++) {
        s.q[7 + i] = i % 3 == 1 ? 0.8 : i % 3 == 2 ? -1.6 : 0;
        stiffness[6 + i] = 200, damping[6 + i] = 10;
    }
    OK(hml_contact_set_servo(s.contact, s.q, stiffness, damping));
    OK(hml_contact_place(s.model, s.work, s.contact, 0, 0, s.q));
    const double height = s.q[2];
    run(&s, 1e-3, 1500, NULL);
    assert_true(s.result.contacts >= 4);
    assert_true(fabs(s.q[2] - height) < 0.05);
    double fastest = 0, weight = 0;
    for (int i = 0; i < 18; i++) fastest = fmax(fastest, fabs(s.v[i]));
    assert_true(fastest < 1e-3); /* it stands */
    for (int32_t i = 0; i < hml_contact_count(s.contact); i++) {
        hml_contact_point p;
        OK(hml_contact_get(s.contact, i, &p));
        assert_int_equal(p.other, -1);
        weight += p.impulse[2] / 1e-3;
    }
    assert_close(weight, 9.81 * hml_model_mass(s.model), 1e-2 * weight);
    close_scene(&s);
}

/* ---- what is refused ---- */

static void test_bad_fields(void **state)
{
    (void)state;
    double heights[4] = {0, 0, 0, 0}, bad[4] = {0, 0, NAN, 0}, high[4] = {0, 0, 0, 1e10};
    const hml_shape shape = shape_of(0);
    scene s = {0};
    const hml_heightfield good = {.heights = heights, .rows = 2, .columns = 2, .spacing = {1, 1}, .friction = 0.5};
    open_body(&s, &shape, NULL, &good);
    for (int i = 0; i < 12; i++) {
        hml_heightfield f = good;
        hml_contact_settings settings = s.settings;
        char memory[64];
        hml_contact *contact;
        settings.heightfields = &f;
        if (i == 0) f.heights = bad;
        if (i == 1) f.rows = 1, f.columns = 1;
        if (i == 2) f.spacing[1] = -1;
        if (i == 3) f.spacing[0] = 0;
        if (i == 4) f.heights = NULL;
        if (i == 5) f.rows = INT32_MAX;
        if (i == 6) f.friction = -1;
        if (i == 7) f.rotation[0] = 2;
        if (i == 8) settings.heightfields = NULL;
        if (i == 9) f.spacing[0] = 1e200; /* the normals would overflow */
        if (i == 10) f.spacing[1] = 1e-200;
        if (i == 11) f.heights = high;
        assert_int_equal(hml_contact_size(s.model, &settings), 0);
        assert_true(hml_contact_init(memory, sizeof memory, s.model, &settings, &contact) != HML_OK);
    }
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat_grid_is_plane),
        cmocka_unit_test(test_ball_rolls_down_a_ramp),
        cmocka_unit_test(test_touches_hills),
        cmocka_unit_test(test_energy_is_not_gained),
        cmocka_unit_test(test_quadruped_stands_on_hills),
        cmocka_unit_test(test_bad_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
