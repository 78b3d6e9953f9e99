/*
 * Shapes against planes by their lowest points; spheres, capsules and points against each other by the nearest points
 * of two segments.
 *
 *   point      itself                                  sphere    centre − r n
 *   capsule    both centres of its ends, − r n         box       its eight corners
 *   cylinder   four points of either rim, the first one lowest: on a flat end four touch, on its side two
 */
#include "sim/collision.h"

#include <math.h>

#include "group/arrays.h"
#include "group/se3.h"

int32_t hmli_collision_points(hml_shape_kind kind)
{
    switch (kind) {
    case HML_SHAPE_POINT:
    case HML_SHAPE_SPHERE: return 1;
    case HML_SHAPE_CAPSULE: return 2;
    case HML_SHAPE_BOX:
    case HML_SHAPE_CYLINDER: return 8;
    default: return 0;
    }
}

static pose shape_pose(const collision_shape *s, const double *H)
{
    const double *at = H + 16 * (size_t)(s->body < 0 ? 0 : s->body);
    return s->body < 0 ? s->place : pose_mul(pose_of(mat3_at(at, 4), vec3_of(at[3], at[7], at[11])), s->place);
}

static vec3 unit(vec3 a, vec3 otherwise)
{
    double n = sqrt(vec3_dot(a, a));
    return n > 1e-12 ? vec3_scale(1 / n, a) : otherwise;
}

/* point `feature` of a shape that lies lowest over a plane with this normal */
static vec3 low_point(const collision_shape *s, pose X, vec3 n, int32_t feature)
{
    const double *size = s->size;
    vec3 c = X.p, z = X.R.z;
    switch (s->kind) {
    case HML_SHAPE_SPHERE: return vec3_axpy(-size[0], n, c);
    case HML_SHAPE_CAPSULE: return vec3_axpy(-size[0], n, vec3_axpy(feature ? size[1] : -size[1], z, c));
    case HML_SHAPE_BOX:
        c = vec3_axpy(feature & 1 ? size[0] : -size[0], X.R.x, c);
        c = vec3_axpy(feature & 2 ? size[1] : -size[1], X.R.y, c);
        return vec3_axpy(feature & 4 ? size[2] : -size[2], z, c);
    case HML_SHAPE_CYLINDER: {
        static const double along[4] = {1, 0, -1, 0}, across[4] = {0, 1, 0, -1};
        vec3 down = unit(vec3_axpy(vec3_dot(n, z), z, vec3_neg(n)), X.R.x), side = vec3_cross(z, down);
        c = vec3_axpy(feature & 4 ? size[1] : -size[1], z, c);
        c = vec3_axpy(size[0] * along[feature & 3], down, c);
        return vec3_axpy(size[0] * across[feature & 3], side, c);
    }
    default: return c;
    }
}

void hmli_collide_tangents(touch *t)
{
    vec3 n = t->normal, e = fabs(n.x) < 0.7 ? vec3_of(1, 0, 0) : vec3_of(0, 1, 0);
    t->t1 = unit(vec3_axpy(-vec3_dot(n, e), n, e), e);
    t->t2 = vec3_cross(n, t->t1);
}

static double larger(double a, double b)
{
    if (a < 0) return b < 0 ? 0 : b;
    return a > b ? a : b;
}

/* where there is no room, the deepest ones stay */
static void add(touch_list *list, touch t)
{
    int32_t at = list->count;
    hmli_collide_tangents(&t);
    if (list->count < list->capacity) {
        list->items[list->count++] = t;
        return;
    }
    list->overflow++;
    for (int32_t i = 0; i < list->count; i++)
        if (at == list->count || list->items[i].gap > list->items[at].gap) at = i;
    if (at < list->count && t.gap < list->items[at].gap) list->items[at] = t;
}

static int over(const collision_plane *plane, vec3 p, double gap)
{
    vec3 d = vec3_sub(p, plane->point);
    if (plane->depth > 0 && gap < -plane->depth) return 0;
    if (plane->size[0] > 0 && fabs(vec3_dot(d, plane->x)) > plane->size[0]) return 0;
    return !(plane->size[1] > 0) || fabs(vec3_dot(d, plane->y)) <= plane->size[1];
}

void hmli_collide_planes(const collision_shape *shapes, int32_t nshapes, const collision_plane *planes, int32_t nplanes,
                         const double *H, touch_list *list)
{
    for (int32_t i = 0; i < nshapes; i++) {
        const collision_shape *s = &shapes[i];
        if (s->body < 0) continue;
        pose X = shape_pose(s, H);
        for (int32_t k = 0; k < nplanes; k++) {
            const collision_plane *plane = &planes[k];
            for (int32_t f = 0; f < hmli_collision_points(s->kind); f++) {
                vec3 p = low_point(s, X, plane->normal, f);
                double gap = vec3_dot(plane->normal, vec3_sub(p, plane->point));
                if (!(gap <= 0) || !over(plane, p, gap)) continue;
                touch t = {.shape = i, .other = -1 - k, .feature = f, .body = s->body, .other_body = -1, .point = p};
                t.normal = plane->normal;
                t.gap = gap;
                t.friction = larger(s->friction, plane->friction);
                t.restitution = larger(s->restitution, plane->restitution);
                add(list, t);
            }
        }
    }
}

touch hmli_collide_lowest(const collision_shape *s, const collision_plane *plane, const double *H)
{
    touch lowest = {.shape = -1, .body = s->body, .other_body = -1, .gap = INFINITY, .normal = plane->normal};
    collision_plane top = *plane;
    const pose X = shape_pose(s, H);
    top.depth = 0;
    lowest.point = lowest.total = vec3_zero();
    for (int32_t f = 0; f < hmli_collision_points(s->kind); f++) {
        vec3 p = low_point(s, X, plane->normal, f);
        double gap = vec3_dot(plane->normal, vec3_sub(p, plane->point));
        if (!(gap < lowest.gap) || !over(&top, p, gap)) continue;
        lowest.feature = f;
        lowest.point = p;
        lowest.gap = gap;
    }
    return lowest;
}

static int round_shape(const collision_shape *s)
{
    return s->kind == HML_SHAPE_POINT || s->kind == HML_SHAPE_SPHERE || s->kind == HML_SHAPE_CAPSULE;
}

int hmli_collision_pair(const collision_shape *a, const collision_shape *b)
{
    if (!round_shape(a) || !round_shape(b) || a->body == b->body) return 0;
    int joined = (a->parent >= 0 && a->parent == b->body) || (b->parent >= 0 && b->parent == a->body);
    return !joined; /* what stands in the world touches every body, also the ones that hang on it */
}

static double clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* the nearest points of p + s d and q + t e, s and t in [0, 1]; Ericson, "Real-time collision detection", 5.1.9 */
static void nearest(vec3 p, vec3 d, vec3 q, vec3 e, vec3 *on_p, vec3 *on_q)
{
    vec3 r = vec3_sub(p, q);
    double a = vec3_dot(d, d), b = vec3_dot(d, e), c = vec3_dot(d, r), f = vec3_dot(e, e), g = vec3_dot(e, r);
    double s = 0, t = 0, denominator = a * f - b * b;
    if (a > 0 && f > 0) {
        s = denominator > 1e-12 * a * f ? clamp((b * g - c * f) / denominator) : 0.5;
        t = (b * s + g) / f;
        if (t < 0 || t > 1) t = clamp(t), s = clamp((b * t - c) / a);
    } else if (a > 0) {
        s = clamp(-c / a);
    } else if (f > 0) {
        t = clamp(g / f);
    }
    *on_p = vec3_axpy(s, d, p);
    *on_q = vec3_axpy(t, e, q);
}

/* a round shape is what lies within its radius of a segment */
static double segment(const collision_shape *s, pose X, vec3 *p, vec3 *d)
{
    double half = s->kind == HML_SHAPE_CAPSULE ? s->size[1] : 0;
    *p = vec3_axpy(-half, X.R.z, X.p);
    *d = vec3_scale(2 * half, X.R.z);
    return s->kind == HML_SHAPE_POINT ? 0 : s->size[0];
}

void hmli_collide_pairs(const collision_shape *shapes, int32_t nshapes, const double *H, touch_list *list)
{
    for (int32_t i = 0; i < nshapes; i++) {
        for (int32_t k = 0; k < i; k++) {
            const collision_shape *a = &shapes[i], *b = &shapes[k];
            vec3 p, d, q, e, on_a, on_b;
            if (!hmli_collision_pair(a, b)) continue;
            double ra = segment(a, shape_pose(a, H), &p, &d), rb = segment(b, shape_pose(b, H), &q, &e);
            nearest(p, d, q, e, &on_a, &on_b);
            vec3 away = vec3_sub(on_a, on_b);
            double distance = sqrt(vec3_dot(away, away)), gap = distance - ra - rb;
            if (!(gap <= 0)) continue;
            touch t = {.shape = i, .other = k, .body = a->body, .other_body = b->body};
            t.normal = unit(away, vec3_of(0, 0, 1));
            t.point = vec3_axpy(-(ra + 0.5 * gap), t.normal, on_a);
            t.gap = gap;
            t.friction = larger(a->friction, b->friction);
            t.restitution = larger(a->restitution, b->restitution);
            add(list, t);
        }
    }
}
