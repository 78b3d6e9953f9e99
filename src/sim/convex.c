/*
 * GJK for the distance (Gilbert, Johnson and Keerthi 1988; nearest points of simplices as in Ericson, "Real-time
 * collision detection", 5.1), EPA for the depth of an overlap (van den Bergen 2001). Both look at the difference a − b of
 * the two hulls, whose extreme points are differences of extreme points, and ask for the origin: its distance from
 * outside, or the nearest face from inside. The bodies are polytopes with at most 64 corners, so both end after few
 * steps; bounds on their number stand where rounding alone would decide.
 */
#include "sim/convex.h"

#include <math.h>

enum { MOST_STEPS = 64, MOST_FACES = 160, MOST_CORNERS = 84 };

/* a point of the difference */
typedef struct corner {
    vec3 p;
    int32_t a, b;
} corner;

typedef struct simplex {
    corner c[4];
    double weight[4]; /* of the point nearest to the origin */
    int n;
} simplex;

static int32_t farthest(const convex *x, vec3 d)
{
    int32_t best = 0;
    double most = -INFINITY;
    for (int32_t i = 0; i < x->n; i++) {
        const double s = vec3_dot(x->v[i], d);
        if (s > most) most = s, best = i;
    }
    return best;
}

/* the point of a − b that is farthest along d */
static corner support(const convex *a, const convex *b, vec3 d)
{
    const int32_t i = farthest(a, d), k = farthest(b, vec3_neg(d));
    return (corner){vec3_sub(a->v[i], b->v[k]), i, k};
}

static vec3 combine(const simplex *s)
{
    vec3 p = vec3_zero();
    for (int i = 0; i < s->n; i++) p = vec3_axpy(s->weight[i], s->c[i].p, p);
    return p;
}

/* ---- the point of a simplex nearest to the origin: leaves the corners that carry it, with their weights ---- */

static void keep_one(simplex *s, int i)
{
    s->c[0] = s->c[i];
    s->weight[0] = 1;
    s->n = 1;
}

static void keep_two(simplex *s, int i, int k, double t)
{
    const corner a = s->c[i], b = s->c[k];
    s->c[0] = a, s->c[1] = b;
    s->weight[0] = 1 - t, s->weight[1] = t;
    s->n = 2;
}

static void nearest_of_segment(simplex *s)
{
    const vec3 a = s->c[0].p, d = vec3_sub(s->c[1].p, a);
    const double t = -vec3_dot(a, d), size = vec3_dot(d, d);
    if (t <= 0)
        keep_one(s, 0);
    else if (t >= size)
        keep_one(s, 1);
    else
        keep_two(s, 0, 1, t / size);
}

static void nearest_of_triangle(simplex *s)
{
    const vec3 a = s->c[0].p, b = s->c[1].p, c = s->c[2].p;
    const vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a);
    const double d1 = -vec3_dot(ab, a), d2 = -vec3_dot(ac, a), d3 = -vec3_dot(ab, b), d4 = -vec3_dot(ac, b);
    const double d5 = -vec3_dot(ab, c), d6 = -vec3_dot(ac, c);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) {
        keep_one(s, 0);
    } else if (d3 >= 0 && d4 <= d3) {
        keep_one(s, 1);
    } else if (d6 >= 0 && d5 <= d6) {
        keep_one(s, 2);
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        keep_two(s, 0, 1, d1 / (d1 - d3));
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        keep_two(s, 0, 2, d2 / (d2 - d6));
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        keep_two(s, 1, 2, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    } else {
        const double sum = va + vb + vc;
        s->weight[0] = va / sum, s->weight[1] = vb / sum, s->weight[2] = vc / sum;
    }
}

/* 1 if the origin is inside */
static int nearest_of_tetrahedron(simplex *s)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    simplex best = {.n = 0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        const int *f = faces[i];
        const vec3 a = s->c[f[0]].p, n = vec3_cross(vec3_sub(s->c[f[1]].p, a), vec3_sub(s->c[f[2]].p, a));
        const double origin = -vec3_dot(n, a), fourth = vec3_dot(n, vec3_sub(s->c[f[3]].p, a));
        if (origin * fourth > 0) continue; /* on the same side: this face does not look at the origin */
        simplex one = {.c = {s->c[f[0]], s->c[f[1]], s->c[f[2]]}, .n = 3};
        nearest_of_triangle(&one);
        const vec3 p = combine(&one);
        if (vec3_dot(p, p) < least) least = vec3_dot(p, p), best = one;
    }
    if (best.n == 0) return 1;
    *s = best;
    return 0;
}

static int nearest(simplex *s)
{
    if (s->n == 1) s->weight[0] = 1;
    if (s->n == 2) nearest_of_segment(s);
    if (s->n == 3) nearest_of_triangle(s);
    return s->n == 4 && nearest_of_tetrahedron(s);
}

static int has(const simplex *s, corner c)
{
    for (int i = 0; i < s->n; i++)
        if (s->c[i].a == c.a && s->c[i].b == c.b) return 1;
    return 0;
}

/* 1: apart, with the nearest points; 0: they overlap, and the simplex is in or at the difference */
static int distance(const convex *a, const convex *b, double size, simplex *s, convex_gap *g)
{
    const double rounding = 1e-10 * size;
    s->c[0] = support(a, b, vec3_sub(b->v[0], a->v[0]));
    s->n = 1;
    s->weight[0] = 1;
    vec3 p = s->c[0].p;
    for (int i = 0; i < MOST_STEPS; i++) {
        const double square = vec3_dot(p, p);
        if (!(square > rounding * rounding)) return 0;
        const corner c = support(a, b, vec3_neg(p));
        if (has(s, c) || square - vec3_dot(p, c.p) <= 1e-12 * square) break;
        s->c[s->n++] = c;
        if (nearest(s)) return 0;
        const vec3 next = combine(s);
        if (!(vec3_dot(next, next) < square)) break; /* rounding alone */
        p = next;
    }
    const double d = sqrt(vec3_dot(p, p));
    g->normal = vec3_scale(1 / d, p);
    g->gap = d;
    g->on_a = g->on_b = vec3_zero();
    for (int i = 0; i < s->n; i++) {
        g->on_a = vec3_axpy(s->weight[i], a->v[s->c[i].a], g->on_a);
        g->on_b = vec3_axpy(s->weight[i], b->v[s->c[i].b], g->on_b);
    }
    return 1;
}

/* ---- the depth ---- */

typedef struct epa_face {
    int v[3];
    vec3 normal; /* unit, outwards */
    double distance;
} epa_face;

typedef struct epa {
    corner c[MOST_CORNERS];
    epa_face f[MOST_FACES];
    int ncorners, nfaces;
} epa;

/* into the list, if it is no needle; 0: it is one, or there is no room */
static int add_face(epa *e, int a, int b, int c)
{
    const vec3 p = e->c[a].p, n = vec3_cross(vec3_sub(e->c[b].p, p), vec3_sub(e->c[c].p, p));
    const double size = sqrt(vec3_dot(n, n));
    if (e->nfaces == MOST_FACES || !(size > 0)) return 0;
    const vec3 normal = vec3_scale(1 / size, n);
    e->f[e->nfaces++] = (epa_face){{a, b, c}, normal, vec3_dot(normal, p)};
    return 1;
}

/* a tetrahedron from what the distance left behind, with more points of the difference; 0: the difference is flat */
static int begin(const convex *a, const convex *b, double size, const simplex *s, epa *e)
{
    static const vec3 axes[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    e->nfaces = 0;
    e->ncorners = 1;
    e->c[0] = s->c[0];
    for (int have = 1; have < 4; have++) {
        corner best = e->c[0];
        double most = 1e-9 * size;
        for (int i = 0; i < 6 + s->n; i++) {
            vec3 n = vec3_sub(e->c[have > 1 ? 1 : 0].p, e->c[0].p);
            if (have == 3) n = vec3_cross(n, vec3_sub(e->c[2].p, e->c[0].p));
            const double square = vec3_dot(n, n);
            vec3 d = i < 6 ? axes[i] : vec3_zero();
            if (have == 3 && i < 2) d = vec3_scale(i ? -1 : 1, n);
            const corner c = i < 6 ? support(a, b, d) : s->c[i - 6];
            const vec3 r = vec3_sub(c.p, e->c[0].p);
            const double along = vec3_dot(r, n) / sqrt(have > 1 ? square : 1);
            const vec3 across = have == 2 ? vec3_axpy(-along / sqrt(square), n, r) : r;
            const double far = have == 3 ? fabs(along) : sqrt(vec3_dot(across, across));
            if (far > most) most = far, best = c;
        }
        if (!(most > 1e-9 * size)) return 0;
        e->c[e->ncorners++] = best;
    }
    const vec3 p = e->c[0].p;
    const vec3 n = vec3_cross(vec3_sub(e->c[1].p, p), vec3_sub(e->c[2].p, p));
    if (vec3_dot(n, vec3_sub(e->c[3].p, p)) > 0) {
        const corner swap = e->c[1];
        e->c[1] = e->c[2];
        e->c[2] = swap;
    }
    return add_face(e, 0, 1, 2) && add_face(e, 0, 3, 1) && add_face(e, 1, 3, 2) && add_face(e, 2, 3, 0);
}

/* a new corner: the faces that it sees give way to those from their rim; 0: no room, or rounding alone */
static int expand(epa *e, corner c, double rounding)
{
    int rim[MOST_FACES][2], nrim = 0;
    if (e->ncorners == MOST_CORNERS) return 0;
    const int index = e->ncorners;
    for (int i = 0; i < e->nfaces;) {
        const epa_face f = e->f[i];
        if (vec3_dot(f.normal, c.p) - f.distance <= rounding) {
            i++;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const int from = f.v[k], to = f.v[(k + 1) % 3];
            int twin = 0;
            while (twin < nrim && !(rim[twin][0] == to && rim[twin][1] == from)) twin++;
            if (twin < nrim) {
                nrim--;
                rim[twin][0] = rim[nrim][0], rim[twin][1] = rim[nrim][1];
            } else {
                if (nrim == MOST_FACES) return 0;
                rim[nrim][0] = from, rim[nrim][1] = to;
                nrim++;
            }
        }
        e->f[i] = e->f[--e->nfaces];
    }
    e->c[e->ncorners++] = c;
    for (int i = 0; i < nrim; i++)
        if (!add_face(e, rim[i][0], rim[i][1], index)) return 0;
    return nrim > 2;
}

/* of a face: the depth, and the points of both bodies under the origin's foot on it */
static void read_face(const epa *e, const epa_face *f, const convex *a, const convex *b, convex_gap *g)
{
    simplex s = {.c = {e->c[f->v[0]], e->c[f->v[1]], e->c[f->v[2]]}, .n = 3};
    nearest(&s);
    g->normal = vec3_neg(f->normal); /* a leaves along −normal: the nearest way of the origin out of the difference */
    g->gap = -f->distance;
    g->on_a = g->on_b = vec3_zero();
    for (int i = 0; i < s.n; i++) {
        g->on_a = vec3_axpy(s.weight[i], a->v[s.c[i].a], g->on_a);
        g->on_b = vec3_axpy(s.weight[i], b->v[s.c[i].b], g->on_b);
    }
}

static int depth(const convex *a, const convex *b, double size, const simplex *s, convex_gap *g)
{
    epa e;
    if (!begin(a, b, size, s, &e)) return 0;
    for (int i = 0; i < MOST_CORNERS; i++) {
        int best = 0;
        for (int k = 1; k < e.nfaces; k++)
            if (e.f[k].distance < e.f[best].distance) best = k;
        const epa_face f = e.f[best];
        const corner c = support(a, b, f.normal);
        read_face(&e, &f, a, b, g);
        if (vec3_dot(f.normal, c.p) - f.distance <= 1e-9 * size || !expand(&e, c, 1e-12 * size)) break;
    }
    return 1;
}

int hmli_convex_gap(const convex *a, const convex *b, convex_gap *g)
{
    simplex s;
    double size = 0;
    for (int32_t i = 0; i < a->n; i++)
        size = fmax(size, fabs(a->v[i].x - b->v[0].x) + fabs(a->v[i].y - b->v[0].y) + fabs(a->v[i].z - b->v[0].z));
    for (int32_t i = 0; i < b->n; i++)
        size = fmax(size, fabs(b->v[i].x - a->v[0].x) + fabs(b->v[i].y - a->v[0].y) + fabs(b->v[i].z - a->v[0].z));
    if (!distance(a, b, size, &s, g) && !depth(a, b, size, &s, g)) return 0;
    g->gap -= a->radius + b->radius;
    return 1;
}
