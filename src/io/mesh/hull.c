/*
 * The convex hull of points, by quickhull (Barber, Dobkin and Huhdanpaa 1996) with the farthest point of all faces first,
 * so that a hull that may have a few vertices only has the best of them.
 *
 * A face keeps the list of points that lie outside it; a point is in one list only. The point that is farthest outside
 * its face becomes a vertex: the faces that it sees go, and new ones lead from their rim to it and share their points.
 * A step costs as much as there are points in the lists of the faces that go, so that all of them together cost at most
 * the number of points times that of the vertices.
 *
 * All is decided with margins far above rounding: a point counts as outside beyond 1e-7 of the extent of all points, the
 * precision of the float of an STL file, and a face is seen from beyond 1e-9 of it. So the triangles of a hull are never
 * needles, and the rim is one ring; if it were not, the point would be passed over. Points in a plane get one more that
 * lies off it, which is taken out in the end; points on a line have their two ends as their hull.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "io/mesh/mesh.h"

enum { NONE = -1, MOST_PASSED = 256 };

typedef struct face {
    int32_t v[3], beside[3]; /* beside[i]: the face at the edge from v[i] to v[i + 1] */
    vec3 normal;             /* unit, outwards */
    int32_t points, far;     /* list of points outside; the farthest of them */
    double distance;         /* of the farthest one */
    int used, seen;
} face;

typedef struct rim {
    int32_t from, to, outer, edge; /* outer: the face that stays, and which of its edges it is */
} rim;

typedef struct maker {
    const double *points;
    const double *scale;
    size_t n; /* the point after the last one is `extra` */
    vec3 extra;
    double outside, visible; /* margins, m */
    int32_t *next;           /* in the list of a face */
    face *faces;
    int32_t *unused, *stack;
    rim *ring;
    size_t nfaces, faces_capacity, unused_capacity, stack_capacity, ring_capacity;
    size_t nunused, nstack, nring;
    int32_t round;
} maker;

static vec3 at(const maker *k, int32_t i)
{
    const double *p = k->points + 3 * (size_t)i;
    return (size_t)i == k->n ? k->extra : vec3_of(k->scale[0] * p[0], k->scale[1] * p[1], k->scale[2] * p[2]);
}

static double length(vec3 a) { return sqrt(vec3_dot(a, a)); }

static double height(const maker *k, const face *f, vec3 p) { return vec3_dot(f->normal, vec3_sub(p, at(k, f->v[0]))); }

/* ---- faces ---- */

/* a face without neighbours; NONE when out of memory */
static int32_t new_face(maker *k, int32_t a, int32_t b, int32_t c)
{
    int32_t index = k->nunused ? k->unused[--k->nunused] : (int32_t)k->nfaces;
    if (index == (int32_t)k->nfaces) {
        if (k->nfaces >= INT32_MAX || !array_grow(&k->faces, &k->faces_capacity, k->nfaces + 1, sizeof *k->faces))
            return NONE;
        k->nfaces++;
    }
    const vec3 p = at(k, a), n = vec3_cross(vec3_sub(at(k, b), p), vec3_sub(at(k, c), p));
    const double size = length(n);
    face f = {.v = {a, b, c}, .beside = {NONE, NONE, NONE}, .points = NONE, .far = NONE, .used = 1};
    f.normal = size > 0 ? vec3_scale(1 / size, n) : vec3_zero(); /* nothing lies outside a needle */
    k->faces[index] = f;
    return index;
}

/* into the list of the face that it is farthest outside of, if it is outside */
static void share(maker *k, int32_t point, const int32_t *faces, size_t n)
{
    const vec3 p = at(k, point);
    double most = k->outside;
    face *best = NULL;
    for (size_t i = 0; i < n; i++) {
        face *f = &k->faces[faces[i]];
        const double d = height(k, f, p);
        if (d > most) most = d, best = f;
    }
    if (!best) return;
    k->next[point] = best->points;
    best->points = point;
    if (most > best->distance) best->distance = most, best->far = point;
}

/* ---- a new vertex ---- */

static int push(maker *k, int32_t index)
{
    if (!array_grow(&k->stack, &k->stack_capacity, k->nstack + 1, sizeof *k->stack)) return 0;
    k->stack[k->nstack++] = index;
    return 1;
}

/* all faces that p sees, from one of them on, into the stack, and their rim; 0 when out of memory */
static int look(maker *k, int32_t first, vec3 p)
{
    k->nstack = k->nring = 0;
    k->round++;
    k->faces[first].seen = k->round;
    if (!push(k, first)) return 0;
    for (size_t i = 0; i < k->nstack; i++) {
        const face f = k->faces[k->stack[i]];
        for (int e = 0; e < 3; e++) {
            face *other = &k->faces[f.beside[e]];
            if (other->seen == k->round) continue;
            if (height(k, other, p) > k->visible) {
                other->seen = k->round;
                if (!push(k, f.beside[e])) return 0;
                continue;
            }
            if (!array_grow(&k->ring, &k->ring_capacity, k->nring + 1, sizeof *k->ring)) return 0;
            int edge = 0;
            while (edge < 2 && other->beside[edge] != k->stack[i]) edge++;
            k->ring[k->nring++] = (rim){f.v[e], f.v[(e + 1) % 3], f.beside[e], edge};
        }
    }
    return 1;
}

/* the rim in its order, each edge from where the last one led; 0 if it is not one ring */
static int order(maker *k)
{
    for (size_t i = 1; i < k->nring; i++) {
        size_t j = i;
        while (j < k->nring && k->ring[j].from != k->ring[i - 1].to) j++;
        if (j == k->nring) return 0;
        rim swap = k->ring[i];
        k->ring[i] = k->ring[j];
        k->ring[j] = swap;
    }
    return k->nring >= 3 && k->ring[k->nring - 1].to == k->ring[0].from;
}

/* takes the farthest point of a face out of its list for good */
static void pass_over(maker *k, face *f)
{
    int32_t list = f->points;
    const int32_t point = f->far;
    f->points = f->far = NONE;
    f->distance = 0;
    for (int32_t i = list, next; i != NONE; i = next) {
        next = k->next[i];
        if (i == point) continue;
        const double d = height(k, f, at(k, i));
        k->next[i] = f->points;
        f->points = i;
        if (d > f->distance) f->distance = d, f->far = i;
    }
}

/* faces from the rim to the point, and what the old ones had outside; 0 when out of memory */
static int replace(maker *k, int32_t point)
{
    const size_t nold = k->nstack, n = k->nring;
    if (!array_grow(&k->unused, &k->unused_capacity, k->nunused + nold, sizeof *k->unused)) return 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t made = new_face(k, k->ring[i].from, k->ring[i].to, point);
        if (made == NONE || !push(k, made)) return 0;
        k->faces[made].beside[0] = k->ring[i].outer;
        k->faces[k->ring[i].outer].beside[k->ring[i].edge] = made;
    }
    const int32_t *made = k->stack + nold;
    for (size_t i = 0; i < n; i++) {
        k->faces[made[i]].beside[1] = made[(i + 1) % n];
        k->faces[made[i]].beside[2] = made[(i + n - 1) % n];
    }
    for (size_t i = 0; i < nold; i++) {
        face *old = &k->faces[k->stack[i]];
        for (int32_t p = old->points, next; p != NONE; p = next) {
            next = k->next[p];
            if (p != point) share(k, p, made, n);
        }
        old->used = 0;
        k->unused[k->nunused++] = k->stack[i];
    }
    return 1;
}

/* the face with the farthest point; NULL: none has a point outside */
static face *farthest(const maker *k)
{
    face *best = NULL;
    for (size_t i = 0; i < k->nfaces; i++)
        if (k->faces[i].used && k->faces[i].far != NONE && (!best || k->faces[i].distance > best->distance))
            best = &k->faces[i];
    return best;
}

/* ---- the beginning ---- */

/* the point that is farthest from a, from the line a b, from the plane a b c: how many are given; *distance: how far */
static int32_t extreme(const maker *k, const int32_t *given, int count, double *distance)
{
    const vec3 a = at(k, given[0]);
    vec3 n = vec3_zero();
    int32_t best = given[0];
    if (count > 1) n = vec3_sub(at(k, given[1]), a);
    if (count > 2) n = vec3_cross(n, vec3_sub(at(k, given[2]), a));
    if (count > 1) n = vec3_scale(1 / length(n), n);
    *distance = 0;
    for (size_t i = 0; i < k->n; i++) {
        const vec3 r = vec3_sub(at(k, (int32_t)i), a);
        const double along = vec3_dot(n, r);
        const double d = count == 3 ? fabs(along) : length(vec3_axpy(-along, n, r));
        if (d > *distance) *distance = d, best = (int32_t)i;
    }
    return best;
}

/* a tetrahedron; *count: how many of its corners are points of their own, 4 in the end. 0 when out of memory */
static int begin(maker *k, int32_t v[4], int *count)
{
    static const int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    double distance = 0;
    int32_t made[4];
    v[0] = 0;
    v[0] = extreme(k, v, 1, &distance);
    v[1] = extreme(k, v, 1, &distance);
    k->outside = 1e-7 * distance;
    k->visible = 1e-9 * distance;
    *count = distance > 1e-12 ? 2 : 1;
    if (*count < 2) return 1;
    v[2] = extreme(k, v, 2, &distance);
    if (!(distance > k->outside)) return 1;
    *count = 3;
    v[3] = extreme(k, v, 3, &distance);
    const vec3 a = at(k, v[0]);
    vec3 n = vec3_cross(vec3_sub(at(k, v[1]), a), vec3_sub(at(k, v[2]), a));
    if (distance > k->outside)
        *count = 4;
    else {
        v[3] = (int32_t)k->n;
        k->extra = vec3_axpy(length(vec3_sub(at(k, v[1]), a)) / length(n), n, a);
    }
    if (vec3_dot(n, vec3_sub(at(k, v[3]), a)) > 0) { /* outwards is away from the fourth */
        const int32_t swap = v[1];
        v[1] = v[2];
        v[2] = swap;
    }
    for (int i = 0; i < 4; i++) {
        const int *c = corners[i];
        made[i] = new_face(k, v[c[0]], v[c[1]], v[c[2]]);
        if (made[i] == NONE) return 0;
    }
    for (int i = 0; i < 4; i++) /* the face that has the same edge the other way round */
        for (int e = 0; e < 3; e++)
            for (int o = 0; o < 4; o++)
                for (int x = 0; x < 3; x++)
                    if (corners[o][x] == corners[i][(e + 1) % 3] && corners[o][(x + 1) % 3] == corners[i][e])
                        k->faces[made[i]].beside[e] = made[o];
    for (size_t i = 0; i < k->n; i++) share(k, (int32_t)i, made, 4);
    return 1;
}

/* ---- the result ---- */

static void add_vertex(const maker *k, hull *h, int32_t index)
{
    const vec3 p = at(k, index);
    double *x = h->vertices + 3 * h->nvertices++;
    x[0] = p.x, x[1] = p.y, x[2] = p.z;
}

/* the vertices of faces that are in use, numbered in the order in which they are met; 0 when out of memory */
static int gather(maker *k, hull *h)
{
    size_t faces = 0;
    for (size_t i = 0; i < k->nfaces; i++) faces += k->faces[i].used != 0;
    h->vertices = malloc((faces / 2 + 3) * 3 * sizeof *h->vertices);
    h->corners = malloc((faces + 1) * 3 * sizeof *h->corners);
    if (!h->vertices || !h->corners) return 0;
    for (size_t i = 0; i < k->n; i++) k->next[i] = NONE; /* the lists are done: now the number of a vertex */
    for (size_t i = 0; i < k->nfaces; i++) {
        const face *f = &k->faces[i];
        int flat = 0;
        for (int c = 0; c < 3; c++) flat = flat || (size_t)f->v[c] == k->n;
        for (int c = 0; f->used && c < 3; c++) {
            int32_t *number = &k->next[f->v[c]];
            if ((size_t)f->v[c] == k->n || *number != NONE) continue;
            *number = (int32_t)h->nvertices;
            add_vertex(k, h, f->v[c]);
        }
        if (!f->used || flat) continue;
        uint32_t *t = h->corners + 3 * h->ntriangles++;
        for (int c = 0; c < 3; c++) t[c] = (uint32_t)k->next[f->v[c]];
    }
    return 1;
}

static int ends_only(const maker *k, const int32_t *v, int count, hull *h)
{
    h->vertices = malloc(2 * 3 * sizeof *h->vertices);
    if (!h->vertices) return 0;
    for (int i = 0; i < count; i++) add_vertex(k, h, v[i]);
    return 1;
}

static int make(maker *k, size_t most, hull *h)
{
    int32_t v[4];
    int count;
    if (!begin(k, v, &count)) return 0;
    if (count < 3) return ends_only(k, v, count, h);
    if (count == 3) most++; /* the extra one does not count */
    size_t nvertices = 4, passed = 0;
    for (face *f = farthest(k); f && nvertices < most && passed < MOST_PASSED; f = farthest(k)) {
        const int32_t point = f->far;
        if (!look(k, (int32_t)(f - k->faces), at(k, point))) return 0;
        if (!order(k)) {
            pass_over(k, f);
            passed++;
            continue;
        }
        if (!replace(k, point)) return 0;
        nvertices++;
    }
    const face *left = farthest(k);
    h->outside = left ? left->distance : 0;
    if (!gather(k, h)) return 0;
    if (count == 3) h->ntriangles = 0; /* it has no volume */
    return 1;
}

hml_status hmli_hull_make(const double *points, size_t n, const double scale[3], size_t most, hull *h)
{
    memset(h, 0, sizeof *h);
    if (n < 1 || n >= INT32_MAX || most < 4) return HML_INVALID_ARGUMENT;
    maker k = {.points = points, .scale = scale, .n = n, .extra = vec3_zero()};
    k.next = malloc((n + 1) * sizeof *k.next);
    const int made = k.next && make(&k, most, h);
    free(k.next);
    free(k.faces);
    free(k.unused);
    free(k.stack);
    free(k.ring);
    return made ? HML_OK : HML_OUT_OF_MEMORY;
}

void hmli_hull_free(hull *h)
{
    free(h->vertices);
    free(h->corners);
    memset(h, 0, sizeof *h);
}
