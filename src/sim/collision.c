/*
 * Shapes against planes by their lowest points.
 *
 *   point      itself                                  sphere    centre − r n
 *   capsule    both centres of its ends, − r n         box       its eight corners
 *   cylinder   four points of either rim, the first one lowest: on a flat end four touch, on its side two
 *   hull       of its vertices below the plane the deepest, and those farthest along four directions
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
    case HML_SHAPE_HULL: return HULL_POINTS;
    default: return 0;
    }
}

pose hmli_collision_pose(const collision_shape *s, const double *H)
{
    const double *at = H + 16 * (size_t)(s->body < 0 ? 0 : s->body);
    return s->body < 0 ? s->place : pose_mul(pose_of(mat3_at(at, 4), vec3_of(at[3], at[7], at[11])), s->place);
}

static vec3 unit(vec3 a, vec3 otherwise)
{
    double n = sqrt(vec3_dot(a, a));
    return n > 1e-12 ? vec3_scale(1 / n, a) : otherwise;
}

vec3 hmli_collision_low_point(const collision_shape *s, pose X, vec3 n, int32_t feature)
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
    case HML_SHAPE_HULL: return pose_act(X, vec3_at(s->vertices + 3 * (size_t)feature));
    default: return c;
    }
}

/* how many points a shape has whose depth is worth a look */
static int32_t point_count(const collision_shape *s)
{
    return s->kind == HML_SHAPE_HULL ? s->nvertices : hmli_collision_points(s->kind);
}

void hmli_collide_tangents(touch *t)
{
    vec3 n = t->normal, e = fabs(n.x) < 0.7 ? vec3_of(1, 0, 0) : vec3_of(0, 1, 0);
    t->t1 = unit(vec3_axpy(-vec3_dot(n, e), n, e), e);
    t->t2 = vec3_cross(n, t->t1);
}

double hmli_collision_larger(double a, double b)
{
    if (a < 0) return b < 0 ? 0 : b;
    return a > b ? a : b;
}

/* where there is no room, the deepest ones stay */
void hmli_collision_add(touch_list *list, touch t)
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

/* a point of a shape below a plane */
static touch touch_of(const collision_shape *shapes, int32_t i, const collision_plane *planes, int32_t k, vec3 p)
{
    const collision_shape *s = &shapes[i];
    const collision_plane *plane = &planes[k];
    touch t = {.shape = i, .other = -1 - k, .body = s->body, .other_body = -1, .point = p, .normal = plane->normal};
    t.gap = vec3_dot(plane->normal, vec3_sub(p, plane->point));
    t.friction = hmli_collision_larger(s->friction, plane->friction);
    t.restitution = hmli_collision_larger(s->restitution, plane->restitution);
    return t;
}

/*
 * The best point of each of five orders: the deepest, and the farthest along four directions of the plane. The
 * directions are the world's, so that the choice is the same one in the next step. They are askew: of two corners of a
 * rectangle that are equally far along an axis, rounding would choose.
 */
static void collide_hull(const collision_shape *shapes, int32_t i, const collision_plane *planes, int32_t k, pose X,
                         touch_list *list)
{
    static const double directions[HULL_POINTS][2] = {{0, 0}, {1, 0.3}, {-0.3, 1}, {-1, -0.3}, {0.3, -1}};
    const collision_shape *s = &shapes[i];
    const vec3 down = mat3_tmul_vec(X.R, planes[k].normal); /* the normal in the axes of the hull */
    const double height = vec3_dot(planes[k].normal, vec3_sub(X.p, planes[k].point)), doubt = 1e-9 * s->radius;
    touch best[HULL_POINTS];
    double most[HULL_POINTS];
    touch axes = {.normal = planes[k].normal};
    hmli_collide_tangents(&axes);
    for (int d = 0; d < HULL_POINTS; d++) most[d] = -INFINITY;
    for (int32_t f = 0; f < s->nvertices; f++) {
        if (height + vec3_dot(down, vec3_at(s->vertices + 3 * (size_t)f)) > doubt) continue; /* most of them */
        touch t = touch_of(shapes, i, planes, k, hmli_collision_low_point(s, X, planes[k].normal, f));
        if (!(t.gap <= 0) || !over(&planes[k], t.point, t.gap)) continue;
        t.feature = f;
        for (int d = 0; d < HULL_POINTS; d++) {
            const double along =
                directions[d][0] * vec3_dot(t.point, axes.t1) + directions[d][1] * vec3_dot(t.point, axes.t2);
            const double score = d ? along : -t.gap;
            if (score > most[d]) most[d] = score, best[d] = t;
        }
    }
    for (int d = 0; d < HULL_POINTS; d++) {
        int again = !(most[d] > -INFINITY);
        for (int e = 0; e < d && !again; e++) again = best[e].feature == best[d].feature;
        if (!again) hmli_collision_add(list, best[d]);
    }
}

void hmli_collide_planes(const collision_shape *shapes, int32_t nshapes, const collision_plane *planes, int32_t nplanes,
                         const double *H, touch_list *list)
{
    for (int32_t i = 0; i < nshapes; i++) {
        const collision_shape *s = &shapes[i];
        if (s->body < 0) continue;
        const pose X = hmli_collision_pose(s, H);
        const vec3 centre = pose_act(X, s->centre);
        for (int32_t k = 0; k < nplanes; k++) {
            const collision_plane *plane = &planes[k];
            if (vec3_dot(plane->normal, vec3_sub(centre, plane->point)) > s->radius) continue;
            if (s->kind == HML_SHAPE_HULL) {
                collide_hull(shapes, i, planes, k, X, list);
                continue;
            }
            for (int32_t f = 0; f < hmli_collision_points(s->kind); f++) {
                touch t = touch_of(shapes, i, planes, k, hmli_collision_low_point(s, X, plane->normal, f));
                t.feature = f;
                if (t.gap <= 0 && over(plane, t.point, t.gap)) hmli_collision_add(list, t);
            }
        }
    }
}

/* a ball that holds the shape; a little larger, so that rounding leaves nothing out */
void hmli_collision_bound(collision_shape *s)
{
    const double *r = s->size;
    s->centre = vec3_zero();
    s->radius = 0;
    if (s->kind == HML_SHAPE_SPHERE) s->radius = r[0];
    if (s->kind == HML_SHAPE_CAPSULE) s->radius = r[0] + r[1];
    if (s->kind == HML_SHAPE_CYLINDER) s->radius = hypot(r[0], r[1]);
    if (s->kind == HML_SHAPE_BOX) s->radius = hypot(hypot(r[0], r[1]), r[2]);
    for (int pass = 0; s->kind == HML_SHAPE_HULL && pass < 2; pass++) {
        for (int32_t i = 0; i < s->nvertices; i++) {
            const vec3 v = vec3_at(s->vertices + 3 * (size_t)i), way = vec3_sub(v, s->centre);
            if (pass == 1) s->radius = fmax(s->radius, sqrt(vec3_dot(way, way)));
        }
        for (int32_t i = 0; pass == 0 && i < s->nvertices; i++)
            s->centre = vec3_axpy(1.0 / s->nvertices, vec3_at(s->vertices + 3 * (size_t)i), s->centre);
    }
    s->radius *= 1 + 1e-9;
}

touch hmli_collide_lowest(const collision_shape *s, const collision_plane *plane, const double *H)
{
    touch lowest = {.shape = -1, .body = s->body, .other_body = -1, .gap = INFINITY, .normal = plane->normal};
    collision_plane top = *plane;
    const pose X = hmli_collision_pose(s, H);
    top.depth = 0;
    lowest.point = lowest.total = vec3_zero();
    for (int32_t f = 0; f < point_count(s); f++) {
        vec3 p = hmli_collision_low_point(s, X, plane->normal, f);
        double gap = vec3_dot(plane->normal, vec3_sub(p, plane->point));
        if (!(gap < lowest.gap) || !over(&top, p, gap)) continue;
        lowest.feature = f;
        lowest.point = p;
        lowest.gap = gap;
    }
    return lowest;
}
