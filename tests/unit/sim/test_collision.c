/* Where shapes touch, against searches that know nothing of segments: nested sections for pairs, surfaces for planes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "draw.h"
#include "sim/collision.h"

enum { MOST = 16 };

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* poses of two bodies, 16 numbers each */
static void draw_poses(uint64_t *seed, double apart, double H[32])
{
    memset(H, 0, 32 * sizeof *H);
    for (int b = 0; b < 2; b++) {
        double R[9];
        draw_rotation(seed, R);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) H[16 * b + 4 * i + j] = R[3 * i + j];
            H[16 * b + 4 * i + 3] = apart * draw(seed);
        }
        H[16 * b + 15] = 1;
    }
}

static collision_shape draw_shape(uint64_t *seed, hml_shape_kind kind, int32_t body)
{
    double R[9];
    collision_shape s = {.body = body, .parent = -1, .kind = kind, .friction = 0.3, .restitution = 0.1};
    draw_rotation(seed, R);
    for (int k = 0; k < 3; k++) s.size[k] = 0.1 + 0.3 * fabs(draw(seed));
    s.place = pose_of(mat3_of(vec3_of(R[0], R[3], R[6]), vec3_of(R[1], R[4], R[7]), vec3_of(R[2], R[5], R[8])),
                      vec3_of(0.2 * draw(seed), 0.2 * draw(seed), 0.2 * draw(seed)));
    hmli_collision_bound(&s);
    return s;
}

/* centre and axes of a shape in the world, by plain products; axes by rows */
static void shape_in_world(const collision_shape *s, const double *H, double c[3], double axes[3][3])
{
    static const double one[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double *P = s->body < 0 ? one : H + 16 * s->body, p[3] = {s->place.p.x, s->place.p.y, s->place.p.z};
    const vec3 columns[3] = {s->place.R.x, s->place.R.y, s->place.R.z};
    for (int i = 0; i < 3; i++) {
        c[i] = dot(P + 4 * i, p) + P[4 * i + 3];
        for (int k = 0; k < 3; k++) axes[k][i] = dot(P + 4 * i, (double[3]){columns[k].x, columns[k].y, columns[k].z});
    }
}

/* ---- pairs ---- */

typedef struct round_shape {
    double c[3], z[3], half, radius;
} round_shape;

static round_shape round_in_world(const collision_shape *s, const double *H)
{
    round_shape r;
    double axes[3][3];
    shape_in_world(s, H, r.c, axes);
    memcpy(r.z, axes[2], sizeof r.z);
    r.half = s->kind == HML_SHAPE_CAPSULE ? s->size[1] : 0;
    r.radius = s->kind == HML_SHAPE_POINT ? 0 : s->size[0];
    return r;
}

static double distance_at(const round_shape *a, double s, const round_shape *b, double t)
{
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = a->c[i] + s * a->z[i] - b->c[i] - t * b->z[i];
    return sqrt(dot(d, d));
}

/* the distance of two segments is convex in both parameters: sections of sections find its least value */
static double least_over_b(const round_shape *a, double s, const round_shape *b, double *at)
{
    double low = -b->half, high = b->half;
    for (int k = 0; k < 90; k++) {
        const double t1 = low + (high - low) / 3, t2 = high - (high - low) / 3;
        if (distance_at(a, s, b, t1) < distance_at(a, s, b, t2))
            high = t2;
        else
            low = t1;
    }
    *at = 0.5 * (low + high);
    return distance_at(a, s, b, *at);
}

static double least(const round_shape *a, const round_shape *b, double *s, double *t)
{
    double low = -a->half, high = a->half;
    for (int k = 0; k < 90; k++) {
        const double s1 = low + (high - low) / 3, s2 = high - (high - low) / 3;
        if (least_over_b(a, s1, b, t) < least_over_b(a, s2, b, t))
            high = s2;
        else
            low = s1;
    }
    *s = 0.5 * (low + high);
    return least_over_b(a, *s, b, t);
}

static void check_tangents(const touch *t)
{
    const vec3 turned = vec3_cross(t->normal, t->t1);
    const double d[3] = {turned.x - t->t2.x, turned.y - t->t2.y, turned.z - t->t2.z};
    assert_true(fabs(vec3_dot(t->normal, t->normal) - 1) < 1e-12 && fabs(vec3_dot(t->t1, t->t1) - 1) < 1e-12);
    assert_true(fabs(vec3_dot(t->normal, t->t1)) < 1e-12 && sqrt(dot(d, d)) < 1e-12);
}

static void round_shapes_touch_where_they_are_nearest(void **state)
{
    (void)state;
    static const hml_shape_kind kinds[3] = {HML_SHAPE_POINT, HML_SHAPE_SPHERE, HML_SHAPE_CAPSULE};
    uint64_t seed = 5;
    int touching = 0, apart = 0;
    for (int k = 0; k < 900; k++) {
        double H[32], s, t;
        touch items[MOST];
        touch_list list = {items, 0, MOST, 0};
        draw_poses(&seed, 0.35, H);
        vec3 centres[2];
        collision_shape shapes[2] = {draw_shape(&seed, kinds[k % 3], 0), draw_shape(&seed, kinds[k / 3 % 3], 1)};
        if (k % 7 == 0) shapes[1].body = -1;
        /* the second is the one that is touched first: pairs come with the later shape in front */
        const round_shape a = round_in_world(&shapes[1], H), b = round_in_world(&shapes[0], H);
        const double gap = least(&a, &b, &s, &t) - a.radius - b.radius;
        hmli_collide_centres(shapes, 2, H, centres);
        hmli_collide_pairs(shapes, &(shape_pair){1, 0}, 1, H, centres, &list);
        if (fabs(gap) < 1e-6) continue;
        assert_int_equal(list.count, gap < 0);
        touching += gap<0, apart += gap> 0;
        if (gap > 0) continue;
        assert_true(fabs(items[0].gap - gap) < 1e-7);
        assert_true(items[0].shape == 1 && items[0].other == 0 && items[0].body == shapes[1].body);
        check_tangents(&items[0]);
        double n[3], from_a[3], from_b[3], point[3] = {items[0].point.x, items[0].point.y, items[0].point.z};
        for (int i = 0; i < 3; i++) {
            from_a[i] = point[i] - a.c[i] - s * a.z[i], from_b[i] = point[i] - b.c[i] - t * b.z[i];
            n[i] = from_b[i] - from_a[i];
        }
        const double length = sqrt(dot(n, n));
        if (length < 1e-2) continue; /* one inside the other: any direction is as good */
        const double normal[3] = {items[0].normal.x, items[0].normal.y, items[0].normal.z};
        assert_true(dot(n, normal) / length > 1 - 1e-6);
        /* half way between the surfaces */
        assert_true(fabs(dot(from_a, normal) + a.radius + 0.5 * gap) < 1e-6);
        assert_true(fabs(dot(from_b, normal) - b.radius - 0.5 * gap) < 1e-6);
    }
    assert_true(touching > 100 && apart > 100);
}

static void neighbours_do_not_touch(void **state)
{
    (void)state;
    collision_shape a = {.body = 0, .parent = -1, .kind = HML_SHAPE_SPHERE}, b = a;
    assert_false(hmli_collision_pair(&a, &b)); /* of one body */
    b.body = 1;
    assert_true(hmli_collision_pair(&a, &b));
    b.parent = 0;
    assert_false(hmli_collision_pair(&a, &b) || hmli_collision_pair(&b, &a));
    b.parent = 2, b.kind = HML_SHAPE_BOX;
    assert_int_equal(hmli_collision_pair(&a, &b), 5); /* what is not round touches in several points */
    b.kind = HML_SHAPE_CAPSULE, b.body = -1, b.parent = -1;
    assert_true(hmli_collision_pair(&a, &b) && hmli_collision_pair(&b, &a));
}

/* ---- planes ---- */

/* how far the lowest point of a shape lies below its centre, along a normal */
static double depth_of(const collision_shape *s, double axes[3][3], const double n[3])
{
    double depth = 0;
    switch (s->kind) {
    case HML_SHAPE_SPHERE: return s->size[0];
    case HML_SHAPE_CAPSULE: return s->size[0] + s->size[1] * fabs(dot(axes[2], n));
    case HML_SHAPE_BOX:
        for (int k = 0; k < 3; k++) depth += s->size[k] * fabs(dot(axes[k], n));
        return depth;
    case HML_SHAPE_CYLINDER:
        return s->size[1] * fabs(dot(axes[2], n)) + s->size[0] * sqrt(fmax(0, 1 - pow(dot(axes[2], n), 2)));
    default: return 0;
    }
}

static int on_the_surface(const collision_shape *s, double axes[3][3], const double d[3])
{
    const double x = fabs(dot(axes[0], d)), y = fabs(dot(axes[1], d)), z = fabs(dot(axes[2], d)), small = 1e-9;
    const double across = sqrt(x * x + y * y), beyond = z > s->size[1] ? z - s->size[1] : 0;
    switch (s->kind) {
    case HML_SHAPE_SPHERE: return fabs(sqrt(dot(d, d)) - s->size[0]) < small;
    case HML_SHAPE_CAPSULE: /* under the centre of an end; the upper one may lie inside */
        return sqrt(across * across + beyond * beyond) < s->size[0] + small;
    case HML_SHAPE_BOX: return fabs(x - s->size[0]) + fabs(y - s->size[1]) + fabs(z - s->size[2]) < small;
    case HML_SHAPE_CYLINDER: return fabs(across - s->size[0]) + fabs(z - s->size[1]) < small;
    default: return sqrt(dot(d, d)) < small;
    }
}

static void shapes_touch_planes_with_their_lowest_points(void **state)
{
    (void)state;
    static const hml_shape_kind kinds[5] = {HML_SHAPE_POINT, HML_SHAPE_SPHERE, HML_SHAPE_CAPSULE, HML_SHAPE_BOX,
                                            HML_SHAPE_CYLINDER};
    uint64_t seed = 9;
    for (int k = 0; k < 500; k++) {
        double H[32], R[9], c[3], axes[3][3], deepest = 0;
        touch items[MOST];
        touch_list list = {items, 0, MOST, 0};
        draw_poses(&seed, 0.4, H), draw_rotation(&seed, R);
        const collision_shape s = draw_shape(&seed, kinds[k % 5], k / 5 % 2);
        collision_plane plane = {.point = vec3_of(0.1 * draw(&seed), 0.1, 0), .friction = 0.5, .restitution = -1};
        plane.x = vec3_of(R[0], R[1], R[2]), plane.y = vec3_of(R[3], R[4], R[5]);
        plane.normal = vec3_of(R[6], R[7], R[8]);
        shape_in_world(&s, H, c, axes);
        const double to[3] = {c[0] - plane.point.x, c[1] - plane.point.y, c[2] - plane.point.z};
        const double lowest = dot(to, R + 6) - depth_of(&s, axes, R + 6);
        hmli_collide_planes(&s, 1, &plane, 1, H, &list);
        assert_int_equal(list.count > 0, lowest <= 0);
        for (int i = 0; i < list.count; i++) {
            const double p[3] = {items[i].point.x, items[i].point.y, items[i].point.z};
            const double d[3] = {p[0] - c[0], p[1] - c[1], p[2] - c[2]};
            deepest = fmin(deepest, items[i].gap);
            assert_true(on_the_surface(&s, axes, d));
            assert_true(fabs(dot(d, R + 6) + dot(to, R + 6) - items[i].gap) < 1e-12);
            assert_true(items[i].other == -1 && items[i].other_body == -1 && items[i].body == s.body);
            assert_true(items[i].friction == 0.5 && items[i].restitution == 0.1); /* the larger; −1: not said */
            check_tangents(&items[i]);
            for (int j = 0; j < i; j++) assert_true(items[j].feature != items[i].feature);
        }
        if (list.count) assert_true(fabs(deepest - lowest) < 1e-9);
    }
}

/* a plate of 2 × 4 metres that one falls through below half a metre */
static void plates_end(void **state)
{
    (void)state;
    const double H[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const collision_plane plate = {.normal = vec3_of(0, 0, 1),
                                   .x = vec3_of(1, 0, 0),
                                   .y = vec3_of(0, 1, 0),
                                   .size = {1, 2},
                                   .depth = 0.5,
                                   .friction = -1,
                                   .restitution = -1};
    static const struct {
        double at[3];
        int touches;
    } cases[] = {{{0, 0, -0.1}, 1},    {{0.9, 1.9, -0.1}, 1}, {{-0.9, -1.9, -0.1}, 1}, {{1.1, 0, -0.1}, 0},
                 {{-1.1, 0, -0.1}, 0}, {{0, 2.1, -0.1}, 0},   {{0, -2.1, -0.1}, 0},    {{0, 0, -0.4}, 1},
                 {{0, 0, -0.6}, 0},    {{0, 0, 0.1}, 0},      {{0, 1.5, -0.1}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        touch items[1];
        touch_list list = {items, 0, 1, 0};
        collision_shape s = {.kind = HML_SHAPE_POINT, .friction = -1, .restitution = -1};
        s.place = pose_of(mat3_of(vec3_of(1, 0, 0), vec3_of(0, 1, 0), vec3_of(0, 0, 1)),
                          vec3_of(cases[i].at[0], cases[i].at[1], cases[i].at[2]));
        hmli_collide_planes(&s, 1, &plate, 1, H, &list);
        assert_int_equal(list.count, cases[i].touches);
        if (list.count) assert_true(items[0].friction == 0 && items[0].restitution == 0); /* nobody said any */
        hmli_collide_planes(&s, 1, &plate, 1, H, &list);
        assert_int_equal(list.count, cases[i].touches); /* there is room for one */
        assert_int_equal(list.overflow, cases[i].touches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_shapes_touch_where_they_are_nearest),
        cmocka_unit_test(neighbours_do_not_touch),
        cmocka_unit_test(shapes_touch_planes_with_their_lowest_points),
        cmocka_unit_test(plates_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
