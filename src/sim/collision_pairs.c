/*
 * Shapes of a robot against each other. Spheres, capsules and points by the nearest points of two segments; all others
 * as convex bodies (convex.h), where a cylinder is a prism of 16 sides. Two shapes are looked at only where balls about
 * them meet.
 */
#include <math.h>

#include "group/se3.h"
#include "sim/collision.h"
#include "sim/convex.h"

static int round_shape(const collision_shape *s)
{
    return s->kind == HML_SHAPE_POINT || s->kind == HML_SHAPE_SPHERE || s->kind == HML_SHAPE_CAPSULE;
}

/* MuJoCo's rule */
static int bits_meet(const collision_shape *a, const collision_shape *b)
{
    const uint32_t usual_a = !a->contype && !a->conaffinity, usual_b = !b->contype && !b->conaffinity;
    return ((a->contype | usual_a) & (b->conaffinity | usual_b)) ||
           ((b->contype | usual_b) & (a->conaffinity | usual_a));
}

int32_t hmli_collision_pair(const collision_shape *a, const collision_shape *b)
{
    if (a->body == b->body) return 0;
    int joined = (a->parent >= 0 && a->parent == b->body) || (b->parent >= 0 && b->parent == a->body);
    if (joined) return 0; /* what stands in the world touches every body, also the ones that hang on it */
    if (!bits_meet(a, b)) return 0;
    return round_shape(a) && round_shape(b) ? 1 : MANIFOLD_POINTS;
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

static touch touch_of(const collision_shape *shapes, int32_t i, int32_t k)
{
    const collision_shape *a = &shapes[i], *b = &shapes[k];
    touch t = {.shape = i, .other = k, .body = a->body, .other_body = b->body};
    t.friction = hmli_collision_larger(a->friction, b->friction);
    t.restitution = hmli_collision_larger(a->restitution, b->restitution);
    return t;
}

static void collide_round(const collision_shape *shapes, int32_t i, int32_t k, const double *H, touch_list *list)
{
    const collision_shape *a = &shapes[i], *b = &shapes[k];
    vec3 p, d, q, e, on_a, on_b;
    double ra = segment(a, hmli_collision_pose(a, H), &p, &d), rb = segment(b, hmli_collision_pose(b, H), &q, &e);
    nearest(p, d, q, e, &on_a, &on_b);
    vec3 away = vec3_sub(on_a, on_b);
    double distance = sqrt(vec3_dot(away, away)), gap = distance - ra - rb;
    if (!(gap <= 0)) return;
    touch t = touch_of(shapes, i, k);
    t.normal = distance > 1e-12 ? vec3_scale(1 / distance, away) : vec3_of(0, 0, 1);
    t.point = vec3_axpy(-(ra + 0.5 * gap), t.normal, on_a);
    t.gap = gap;
    hmli_collision_add(list, t);
}

void hmli_collision_convex(const collision_shape *s, pose X, convex *x)
{
    enum { SIDES = 16 };
    const double *r = s->size;
    x->radius = s->kind == HML_SHAPE_SPHERE || s->kind == HML_SHAPE_CAPSULE ? r[0] : 0;
    x->n = 0;
    switch (s->kind) {
    case HML_SHAPE_CAPSULE:
        for (int i = -1; i < 2; i += 2) x->v[x->n++] = pose_act(X, vec3_of(0, 0, i * r[1]));
        break;
    case HML_SHAPE_BOX:
        for (int i = 0; i < 8; i++)
            x->v[x->n++] = pose_act(X, vec3_of(i & 1 ? r[0] : -r[0], i & 2 ? r[1] : -r[1], i & 4 ? r[2] : -r[2]));
        break;
    case HML_SHAPE_CYLINDER:
        for (int i = 0; i < 2 * SIDES; i++) {
            const int side = i / 2;
            const double angle = 6.283185307179586 / SIDES * side;
            x->v[x->n++] = pose_act(X, vec3_of(r[0] * cos(angle), r[0] * sin(angle), i & 1 ? r[1] : -r[1]));
        }
        break;
    case HML_SHAPE_HULL:
        for (int32_t i = 0; i < s->nvertices; i++) x->v[x->n++] = pose_act(X, vec3_at(s->vertices + 3 * (size_t)i));
        break;
    default: x->v[x->n++] = X.p;
    }
}

static void collide_convex(const collision_shape *shapes, int32_t i, int32_t k, const double *H, touch_list *list)
{
    convex a, b;
    convex_gap g;
    manifold_point points[MANIFOLD_POINTS];
    hmli_collision_convex(&shapes[i], hmli_collision_pose(&shapes[i], H), &a);
    hmli_collision_convex(&shapes[k], hmli_collision_pose(&shapes[k], H), &b);
    if (!hmli_convex_gap(&a, &b, &g) || !(g.gap <= 0)) return;
    const int32_t n = hmli_convex_manifold(&a, &b, &g, points);
    for (int32_t f = 0; f < n; f++) {
        touch t = touch_of(shapes, i, k);
        t.feature = points[f].feature;
        t.normal = g.normal;
        t.point = points[f].point;
        t.gap = points[f].gap;
        hmli_collision_add(list, t);
    }
}

void hmli_collide_centres(const collision_shape *shapes, int32_t nshapes, const double *H, vec3 *centres)
{
    for (int32_t i = 0; i < nshapes; i++) centres[i] = pose_act(hmli_collision_pose(&shapes[i], H), shapes[i].centre);
}

void hmli_collide_pairs(const collision_shape *shapes, const shape_pair *pairs, int32_t npairs, const double *H,
                        const vec3 *centres, touch_list *list)
{
    for (int32_t i = 0; i < npairs; i++) {
        const shape_pair pair = pairs[i];
        const collision_shape *a = &shapes[pair.a], *b = &shapes[pair.b];
        const vec3 way = vec3_sub(centres[pair.a], centres[pair.b]);
        const double reach = a->radius + b->radius;
        if (vec3_dot(way, way) > reach * reach) continue;
        if (round_shape(a) && round_shape(b))
            collide_round(shapes, pair.a, pair.b, H, list);
        else
            collide_convex(shapes, pair.a, pair.b, H, list);
    }
}
