/*
 * Where two convex bodies touch: the corners of each that lie nearly as far along the normal as any, as polygons seen
 * along it, and what they have in common. A polygon may be a segment or a point. The gap at a common point is the
 * difference of the heights of both polygons there. Of more than four points those stay that lie farthest along four
 * directions, and the deepest.
 */
#include <math.h>
#include <string.h>

#include "sim/convex.h"

enum { MOST = 2 * CONVEX_POINTS };

/* a corner seen along the normal */
typedef struct spot {
    double x, y, height;
    int32_t id;
} spot;

typedef struct polygon {
    spot s[MOST];
    int n;
    double slope[2]; /* height = height of the first + slope · way from it, for three corners and more */
} polygon;

typedef struct view {
    vec3 n, t1, t2, origin;
} view;

static spot see(const view *w, vec3 p, int32_t id)
{
    const vec3 r = vec3_sub(p, w->origin);
    return (spot){vec3_dot(r, w->t1), vec3_dot(r, w->t2), vec3_dot(r, w->n), id};
}

static double turn(const spot *a, const spot *b, const spot *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static int before(const spot *a, const spot *b) { return a->x < b->x || (a->x == b->x && a->y < b->y); }

/* the convex hull in the plane (Andrew's chain), against the clock; ends of what is a line */
static void outline(const spot *in, int n, double rounding, polygon *out)
{
    spot sorted[CONVEX_POINTS] = {{0}};
    memset(out, 0, sizeof *out);
    out->n = 1;
    if (n < 1) return;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && before(&in[i], &sorted[k - 1]); k--) sorted[k] = sorted[k - 1];
        sorted[k] = in[i];
    }
    int m = 0;
    for (int pass = 0; pass < 2; pass++) {
        const int least = m + 1;
        for (int i = 0; i < n; i++) {
            const spot *s = &sorted[pass ? n - 1 - i : i];
            while (m > least && turn(&out->s[m - 2], &out->s[m - 1], s) <= rounding * rounding) m--;
            out->s[m++] = *s;
        }
        m--; /* the last one begins the other half */
    }
    out->n = m > 0 ? m : 1;
    if (m == 0) out->s[0] = sorted[0];
    const double dx = out->s[0].x - out->s[out->n - 1].x, dy = out->s[0].y - out->s[out->n - 1].y;
    if (out->n == 2 && dx * dx + dy * dy <= rounding * rounding) out->n = 1;
}

/* the plane through the polygon (Newell), as a slope */
static void tilt(polygon *p)
{
    double nx = 0, ny = 0, nz = 0;
    for (int i = 0; i < p->n; i++) {
        const spot *a = &p->s[i], *b = &p->s[(i + 1) % p->n];
        nx += (a->y - b->y) * (a->height + b->height);
        ny += (a->height - b->height) * (a->x + b->x);
        nz += (a->x - b->x) * (a->y + b->y);
    }
    p->slope[0] = p->slope[1] = 0;
    if (p->n > 2 && fabs(nz) > fabs(nx) + fabs(ny)) p->slope[0] = -nx / nz, p->slope[1] = -ny / nz;
}

/* corners of a body within `reach` of its extreme height; side 1: the lowest, −1: the highest */
static void feature(const view *w, const convex *body, double side, double reach, double rounding, polygon *p)
{
    spot near[CONVEX_POINTS];
    double least = INFINITY;
    int n = 0;
    for (int32_t i = 0; i < body->n; i++) least = fmin(least, side * see(w, body->v[i], i).height);
    for (int32_t i = 0; i < body->n; i++) {
        const spot s = see(w, body->v[i], i);
        if (side * s.height <= least + reach) near[n++] = s;
    }
    outline(near, n, rounding, p);
    tilt(p);
}

static double height_at(const polygon *p, double x, double y)
{
    const spot *a = &p->s[0], *b = &p->s[1];
    if (p->n > 2) return a->height + p->slope[0] * (x - a->x) + p->slope[1] * (y - a->y);
    if (p->n == 1) return a->height;
    const double dx = b->x - a->x, dy = b->y - a->y;
    const double t = ((x - a->x) * dx + (y - a->y) * dy) / (dx * dx + dy * dy);
    return a->height + t * (b->height - a->height);
}

/* what of p lies on the left of the line from a to b (Sutherland and Hodgman) */
static void cut(polygon *p, const spot *a, const spot *b, double rounding)
{
    polygon out = {.n = 0};
    const double length = hypot(b->x - a->x, b->y - a->y);
    const int edges = p->n == 2 ? 1 : p->n; /* a segment does not lead back */
    for (int i = 0; i < p->n; i++) {
        const spot *s = &p->s[i], *e = &p->s[(i + 1) % p->n];
        const double ds = turn(a, b, s) + rounding * length, de = turn(a, b, e) + rounding * length;
        if (ds >= 0 && out.n < MOST) out.s[out.n++] = *s;
        if (i >= edges || (ds >= 0) == (de >= 0) || out.n == MOST) continue;
        const double t = ds / (ds - de);
        spot c = {s->x + t * (e->x - s->x), s->y + t * (e->y - s->y), 0, 0};
        c.id = (int32_t)(((uint32_t)s->id * 131u + (uint32_t)e->id * 31u + (uint32_t)a->id + 7u) & 0x3fffffffu) + 1000;
        out.s[out.n++] = c;
    }
    p->n = out.n;
    for (int i = 0; i < out.n; i++) p->s[i] = out.s[i];
}

/* two segments that lie along each other: the ends of what they have in common; 0 if they cross */
static int overlap(const polygon *a, const polygon *b, polygon *out)
{
    const double dx = a->s[1].x - a->s[0].x, dy = a->s[1].y - a->s[0].y, size = dx * dx + dy * dy;
    const double ex = b->s[1].x - b->s[0].x, ey = b->s[1].y - b->s[0].y;
    const double across = dx * ey - dy * ex;
    if (across * across > 1e-4 * size * (ex * ex + ey * ey)) return 0;
    double t[2], from = 0, to = 1;
    for (int i = 0; i < 2; i++) t[i] = ((b->s[i].x - a->s[0].x) * dx + (b->s[i].y - a->s[0].y) * dy) / size;
    from = fmax(from, fmin(t[0], t[1]));
    to = fmin(to, fmax(t[0], t[1]));
    if (!(to > from)) return 0;
    out->n = 2;
    out->s[0] = (spot){a->s[0].x + from * dx, a->s[0].y + from * dy, 0, 1};
    out->s[1] = (spot){a->s[0].x + to * dx, a->s[0].y + to * dy, 0, 2};
    return 1;
}

/* 0 if they have nothing in common */
static int intersect(const polygon *a, const polygon *b, double rounding, polygon *out)
{
    const polygon *thin = a->n <= b->n ? a : b, *wide = a->n <= b->n ? b : a;
    if (wide->n < 3) return a->n == 2 && b->n == 2 && overlap(a, b, out);
    *out = *thin;
    for (int i = 0; i < wide->n && out->n; i++) cut(out, &wide->s[i], &wide->s[(i + 1) % wide->n], rounding);
    return out->n > 0;
}

/* the deepest and those farthest along four directions, each once */
static int32_t choose(const view *w, const polygon *p, const double *gaps, const double *heights,
                      manifold_point points[MANIFOLD_POINTS])
{
    static const double directions[4][2] = {{1, 0.3}, {-0.3, 1}, {-1, -0.3}, {0.3, -1}};
    int taken[MANIFOLD_POINTS];
    int32_t count = 0;
    for (int d = -1; d < 4; d++) {
        int best = -1;
        double most = -INFINITY;
        for (int i = 0; i < p->n; i++) {
            const double s = d < 0 ? -gaps[i] : directions[d][0] * p->s[i].x + directions[d][1] * p->s[i].y;
            if (gaps[i] <= 0 && s > most) most = s, best = i;
        }
        int new = best >= 0;
        for (int32_t i = 0; i < count; i++) new = new &&taken[i] != best;
        if (!new) continue;
        const spot *s = &p->s[best];
        const vec3 at = vec3_axpy(s->x, w->t1, vec3_axpy(s->y, w->t2, vec3_axpy(heights[best], w->n, w->origin)));
        taken[count] = best;
        points[count++] = (manifold_point){at, gaps[best], s->id};
    }
    return count;
}

int32_t hmli_convex_manifold(const convex *a, const convex *b, const convex_gap *g,
                             manifold_point points[MANIFOLD_POINTS])
{
    const vec3 n = g->normal, e = fabs(n.x) < 0.7 ? vec3_of(1, 0, 0) : vec3_of(0, 1, 0);
    const vec3 t1 = vec3_axpy(-vec3_dot(n, e), n, e), middle = vec3_scale(0.5, vec3_add(g->on_a, g->on_b));
    view w = {.n = n, .t1 = vec3_scale(1 / sqrt(vec3_dot(t1, t1)), t1), .origin = middle};
    polygon pa, pb, common;
    double gaps[MOST], heights[MOST], extent[2] = {0, 0};
    w.t2 = vec3_cross(n, w.t1);
    for (int k = 0; k < 2; k++) {
        const convex *body = k ? b : a;
        for (int32_t i = 0; i < body->n; i++) {
            const vec3 r = vec3_sub(body->v[i], middle);
            extent[k] = fmax(extent[k], sqrt(vec3_dot(r, r)));
        }
    }
    const double size = fmin(extent[0], extent[1]), rounding = 1e-7 * size;
    points[0] = (manifold_point){vec3_axpy(0.5 * (b->radius - a->radius), n, middle), g->gap, 0};
    feature(&w, a, 1, 0.03 * size, rounding, &pa);
    feature(&w, b, -1, 0.03 * size, rounding, &pb);
    if (!intersect(&pa, &pb, rounding, &common)) return g->gap <= 0;
    for (int i = 0; i < common.n; i++) {
        const double low = height_at(&pa, common.s[i].x, common.s[i].y) - a->radius;
        const double high = height_at(&pb, common.s[i].x, common.s[i].y) + b->radius;
        gaps[i] = low - high;
        heights[i] = 0.5 * (low + high);
    }
    const int32_t count = choose(&w, &common, gaps, heights, points);
    return count ? count : g->gap <= 0;
}
