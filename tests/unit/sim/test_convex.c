/*
 * Convex bodies: the gap is certified by what proves it. Apart: the nearest points lie in both bodies, and a plane across
 * their way has the bodies on both sides. Overlapping boxes: the least overlap along the fifteen axes that can part them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "contact_check.h"
#include "draw.h"
#include "sim/convex.h"

static convex draw_box(uint64_t *seed, double apart, double R[9], double half[3])
{
    convex x = {.n = 8};
    double p[3];
    draw_rotation(seed, R);
    for (int k = 0; k < 3; k++) half[k] = 0.1 + 0.4 * fabs(draw(seed)), p[k] = apart * draw(seed);
    for (int i = 0; i < 8; i++) {
        double v[3] = {p[0], p[1], p[2]};
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) v[c] += R[3 * c + k] * (i >> k & 1 ? half[k] : -half[k]);
        x.v[i] = vec3_at(v);
    }
    return x;
}

static double least(const convex *x, vec3 n)
{
    double s = INFINITY;
    for (int32_t i = 0; i < x->n; i++) s = fmin(s, vec3_dot(n, x->v[i]));
    return s;
}

/* by how much two bodies are apart along an axis: negative if they overlap */
static double parted(const convex *a, const convex *b, vec3 n)
{
    return fmax(least(a, n) + least(b, vec3_neg(n)), least(b, n) + least(a, vec3_neg(n)));
}

static double by_axes(const convex *a, const double *Ra, const convex *b, const double *Rb)
{
    double most = -INFINITY;
    for (int i = 0; i < 15; i++) {
        vec3 n = i < 3 ? vec3_of(Ra[i], Ra[3 + i], Ra[6 + i]) : vec3_of(Rb[i % 3], Rb[3 + i % 3], Rb[6 + i % 3]);
        if (i >= 6) {
            const int k = (i - 6) / 3, l = (i - 6) % 3;
            n = vec3_cross(vec3_of(Ra[k], Ra[3 + k], Ra[6 + k]), vec3_of(Rb[l], Rb[3 + l], Rb[6 + l]));
        }
        const double size = sqrt(vec3_dot(n, n));
        if (size > 1e-6) most = fmax(most, parted(a, b, vec3_scale(1 / size, n)));
    }
    return most;
}

static void test_boxes(void **state)
{
    (void)state;
    uint64_t seed = 11;
    int apart = 0, overlapping = 0;
    for (int i = 0; i < 4000; i++) {
        double Ra[9], Rb[9], half[3];
        const convex a = draw_box(&seed, 0.7, Ra, half), b = draw_box(&seed, 0.7, Rb, half);
        convex_gap g;
        assert_int_equal(hmli_convex_gap(&a, &b, &g), 1);
        assert_true(fabs(vec3_dot(g.normal, g.normal) - 1) < 1e-12);
        const double along = least(&a, g.normal) + least(&b, vec3_neg(g.normal));
        const vec3 way = vec3_sub(g.on_a, g.on_b);
        assert_true(fabs(along - g.gap) < 1e-8);                   /* no plane across lies nearer to either */
        assert_true(fabs(vec3_dot(way, g.normal) - g.gap) < 1e-8); /* and the points are as far apart */
        if (g.gap < 0) assert_true(fabs(by_axes(&a, Ra, &b, Rb) - g.gap) < 1e-8);
        convex far_a = a, far_b = b;
        for (int k = 0; k < a.n; k++) far_a.v[k].x += 1e6;
        for (int k = 0; k < b.n; k++) far_b.v[k].x += 1e6;
        convex_gap far;
        assert_int_equal(hmli_convex_gap(&far_a, &far_b, &far), 1);
        assert_true(fabs(far.gap - g.gap) < 1e-8); /* a thousand kilometres away the corners are rounded to 1e-10 m */
        apart += g.gap > 0, overlapping += g.gap < 0;
    }
    assert_true(apart > 500 && overlapping > 500);
}

/* hulls of any form, points and segments with radii */
static void test_others(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 4000; i++) {
        convex x[2];
        convex_gap g;
        for (int k = 0; k < 2; k++) {
            x[k].n = 1 + (int32_t)(fabs(draw(&seed)) * (i % 5 == 0 ? 3 : 63));
            x[k].radius = i % 3 ? 0 : 0.2;
            for (int32_t p = 0; p < x[k].n; p++)
                x[k].v[p] = vec3_of(draw(&seed) + 0.9 * k, draw(&seed), (i % 7 == 0 ? 0 : 1) * draw(&seed) + 0.9 * k);
        }
        if (!hmli_convex_gap(&x[0], &x[1], &g)) {
            assert_true(i % 7 == 0 || x[0].n + x[1].n < 6); /* both in one plane, or too few points for a volume */
            continue;
        }
        const double along = least(&x[0], g.normal) + least(&x[1], vec3_neg(g.normal)) - x[0].radius - x[1].radius;
        assert_true(fabs(along - g.gap) < 1e-8);
    }
}

static convex box_at(double x, double y, double z, double turn)
{
    convex b = {.n = 8};
    for (int i = 0; i < 8; i++) {
        const double u = i & 1 ? 0.5 : -0.5, v = i & 2 ? 0.5 : -0.5;
        b.v[i] =
            vec3_of(x + cos(turn) * u - sin(turn) * v, y + sin(turn) * u + cos(turn) * v, z + (i & 4 ? 0.5 : -0.5));
    }
    return b;
}

static int32_t points_of(const convex *a, const convex *b, manifold_point p[MANIFOLD_POINTS], convex_gap *g)
{
    assert_int_equal(hmli_convex_gap(a, b, g), 1);
    return hmli_convex_manifold(a, b, g, p);
}

static void test_manifolds(void **state)
{
    (void)state;
    manifold_point p[MANIFOLD_POINTS];
    convex_gap g;
    const convex below = box_at(0, 0, 0, 0), shifted = box_at(0.4, 0.2, 0.999, 0), turned = box_at(0, 0, 0.999, 0.7);
    double low[2] = {9, 9}, high[2] = {-9, -9};
    assert_int_equal(points_of(&shifted, &below, p, &g), 4);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(p[i].gap + 1e-3) < 1e-9 && fabs(p[i].point.z - 0.4995) < 1e-9);
        low[0] = fmin(low[0], p[i].point.x), low[1] = fmin(low[1], p[i].point.y);
        high[0] = fmax(high[0], p[i].point.x), high[1] = fmax(high[1], p[i].point.y);
        for (int k = 0; k < i; k++) assert_int_not_equal(p[i].feature, p[k].feature);
    }
    assert_true(fabs(low[0] + 0.1) + fabs(low[1] + 0.3) + fabs(high[0] - 0.5) + fabs(high[1] - 0.5) < 1e-6);
    assert_true(points_of(&turned, &below, p, &g) >= 4);
    convex capsule = {.v = {{-0.3, 0, 0.6}, {0.8, 0, 0.6}}, .n = 2, .radius = 0.101};
    assert_int_equal(points_of(&capsule, &below, p, &g), 2); /* as far as the box goes */
    assert_true(fabs(fmax(p[0].point.x, p[1].point.x) - 0.5) < 1e-6 && fabs(p[0].gap + 1e-3) < 1e-9);
    convex tip = {.v = {{0.1, 0.1, 0.499}, {0, 0, 2}, {1, 0, 2}, {0, 1, 2}}, .n = 4};
    assert_int_equal(points_of(&tip, &below, p, &g), 1);
    assert_true(fabs(p[0].gap + 1e-3) < 1e-9);
}

/* ---- physics ---- */

/* ten boxes on each other, so far from the origin: nothing moves, and the floor carries all of them */
static void stand_tower(double away)
{
    enum { N = 10 };
    scene s = {0};
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    hml_shape shapes[N];
    const hml_plane ground = floor_plane(0.6, 0);
    for (int i = 0; i < N; i++) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        add_solid(b, name, HML_JOINT_FREE, 0.2, 0.2, 0.1);
    }
    OK(hml_builder_build(b, 0, &s.model, &error));
    hml_builder_free(b);
    for (int i = 0; i < N; i++) shapes[i] = shape_on(i, HML_SHAPE_BOX, 0.2, 0.2, 0.1), shapes[i].friction = 0.6;
    s.settings = (hml_contact_settings){.planes = &ground, .nplanes = 1, .shapes = shapes, .nshapes = N};
    s.settings.options = HML_CONTACT_PAIRS;
    open_scene(&s);
    for (int i = 0; i < N; i++) s.q[7 * i] = away + 0.01 * (i % 3), s.q[7 * i + 2] = 0.1 + 0.2 * i;
    double q[7 * N];
    run(&s, 1e-3, 200, NULL);
    memcpy(q, s.q, sizeof q);
    run(&s, 1e-3, 800, NULL);
    double carried = 0;
    for (int32_t i = 0; i < hml_contact_count(s.contact); i++) {
        hml_contact_point p;
        OK(hml_contact_get(s.contact, i, &p));
        if (p.other < 0) carried += p.impulse[2] / 1e-3;
    }
    assert_true(fabs(carried - 2 * N * 9.81) < 1e-6);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) assert_true(fabs(s.q[7 * i + k] - q[7 * i + k]) < 1e-4);
    for (int i = 0; i < N; i++) assert_true(fabs(s.q[7 * i + 2] - 0.1 - 0.2 * i) < 2e-4 * (i + 1));
    close_scene(&s);
}

static void test_tower(void **state)
{
    (void)state;
    stand_tower(0);
    stand_tower(1e6);
}

/* a box, and the same box as a hull, dropped on a corner: they come to rest alike */
static void test_hull_is_a_box(void **state)
{
    (void)state;
    double rest[2];
    for (int k = 0; k < 2; k++) {
        scene s = {0};
        hml_builder *b = hml_builder_new();
        hml_error error = {0};
        double corners[24];
        const hml_plane ground = floor_plane(0.6, 0);
        add_solid(b, "box", HML_JOINT_FREE, 0.2, 0.3, 0.1);
        OK(hml_builder_build(b, 0, &s.model, &error));
        hml_builder_free(b);
        for (int i = 0; i < 8; i++)
            corners[3 * i] = i & 1 ? 0.2 : -0.2, corners[3 * i + 1] = i & 2 ? 0.3 : -0.3,
                        corners[3 * i + 2] = i & 4 ? 0.1 : -0.1;
        hml_shape shape = shape_on(0, k ? HML_SHAPE_HULL : HML_SHAPE_BOX, 0.2, 0.3, 0.1);
        if (k) shape.nvertices = 8, shape.vertices = corners;
        s.settings = (hml_contact_settings){.planes = &ground, .nplanes = 1, .shapes = &shape, .nshapes = 1};
        open_scene(&s);
        memset(corners, 0, sizeof corners); /* the contact problem has its own copy */
        s.q[2] = 0.5;
        s.v[3] = 1;
        run(&s, 1e-3, 3000, NULL);
        rest[k] = s.q[2];
        assert_int_equal(s.result.contacts, 4);
        for (int i = 0; i < 6; i++) assert_true(fabs(s.v[i]) < 1e-6);
        close_scene(&s);
    }
    assert_true(fabs(rest[0] - rest[1]) < 2e-4 && rest[0] > 0.0998);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes), cmocka_unit_test(test_others),        cmocka_unit_test(test_manifolds),
        cmocka_unit_test(test_tower), cmocka_unit_test(test_hull_is_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
