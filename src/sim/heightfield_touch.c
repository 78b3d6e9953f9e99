/*
 * Where a convex shape touches a grid of heights. Everything is in the axes of the field, z up.
 *
 * The surface is made of triangles, and contacts are what is left of the shape's distance to it: places where both come
 * nearest to each other locally. There are three kinds.
 *
 *   facets   a corner of the shape below a triangle; a ball or the end of a capsule over one. Of a corner between two
 *            triangles that make a valley, both
 *   edges    a ridge between two triangles, and anything of the shape. A normal n counts if the surface beside the edge
 *            lies below the plane that it makes, n·(x − edge) ≤ 0 at both triangles
 *   peaks    a point of the grid, by the same rule for all its neighbours
 *
 * Edges inside of flat ground are no ridges, and edges of valleys are none either: so a ball that rolls over the grid
 * does not feel it. Distances of edges and peaks are those of convex.h, where a cylinder is a prism of 16 sides; its
 * rims on facets are exact.
 */
#include <math.h>

#include "group/se3.h"
#include "sim/convex.h"
#include "sim/heightfield.h"

enum {
    FOUND = 64,       /* contacts that are looked at, at most; the deepest ones */
    CORNERS = 64,     /* features of a corner: its number, and CORNERS times a number of the facet */
    FACETS = 4,       /* of a corner, at most */
    EDGE_KINDS = 4,   /* along a row, along a column, along a diagonal; a peak */
    MANIFOLD_ROOM = 8 /* of features for the points of an edge */
};

typedef struct search {
    const heightfield *f;
    const collision_shape *s;
    pose X;
    convex body;
    vec3 low, high;   /* corners of a box that holds the shape */
    double flat;      /* metres: what is less is no ridge */
    int32_t first[2]; /* row and column of the first and the last cell below the shape */
    int32_t last[2];
    touch found[FOUND];
    int32_t n;
    touch last_resort; /* where the shape overlaps and no contact was found; its gap is −∞ without overlap */
} search;

static double dot(vec3 a, vec3 b) { return vec3_dot(a, b); }

static void add(search *k, vec3 normal, vec3 point, double gap, int32_t feature)
{
    const touch t = {.feature = feature, .normal = normal, .point = point, .gap = gap};
    int32_t at = k->n;
    for (int32_t i = 0; i < k->n; i++) {
        const vec3 way = vec3_sub(k->found[i].point, point);
        const double near = 1e3 * k->flat;
        if (dot(k->found[i].normal, normal) > 1 - 1e-12 && dot(way, way) <= near * near) return;
    }
    if (k->n < FOUND) {
        k->found[k->n++] = t;
        return;
    }
    for (int32_t i = 0; i < k->n; i++)
        if (at == k->n || k->found[i].gap > k->found[at].gap) at = i;
    if (gap < k->found[at].gap) k->found[at] = t;
}

/* ---- facets ---- */

static int on_grid(const heightfield *f, int32_t row, int32_t column)
{
    return row >= 0 && column >= 0 && row < f->rows - 1 && column < f->columns - 1;
}

/* a point below the surface, or the centre of a ball there: the facet over it, and those that make a valley with it */
static void touch_corner(search *k, vec3 p, double radius, int32_t feature)
{
    int32_t row, column;
    int upper;
    if (!hmli_heightfield_under(k->f, p.x, p.y, &row, &column, &upper)) return;
    const facet over = hmli_heightfield_facet(k->f, row, column, upper);
    const double gap = dot(over.normal, vec3_sub(p, over.corner)) - radius;
    if (!(gap <= 0)) return;
    add(k, over.normal, vec3_axpy(-radius, over.normal, p), gap, feature);
    for (int i = 0; i < 3; i++) { /* the one across the diagonal, and those across the two other sides */
        const int32_t step = upper ? 1 : -1, r = row + (i == 1 ? step : 0), c = column - (i == 2 ? step : 0);
        if (!on_grid(k->f, r, c)) continue;
        const facet beside = hmli_heightfield_facet(k->f, r, c, !upper);
        const double other = dot(beside.normal, vec3_sub(p, beside.corner)) - radius;
        const double lower = other / beside.normal.z - gap / over.normal.z; /* of the surface, at p */
        if (other <= 0 && lower > k->flat)
            add(k, beside.normal, vec3_axpy(-radius, beside.normal, p), other, feature + CORNERS * (i + 1));
    }
}

static int holds(const heightfield *f, int32_t row, int32_t column, int upper, vec3 p)
{
    const double little = 1e-9;
    const vec3 corner = hmli_heightfield_corner(f, row, column);
    const double u = (p.x - corner.x) / f->spacing[0], v = (p.y - corner.y) / f->spacing[1];
    return upper ? u >= -little && v <= 1 + little && v >= u - little
                 : u <= 1 + little && v >= -little && u >= v - little;
}

/* a ball whose centre is over the surface: every facet that it is nearest to */
static void touch_ball(search *k, vec3 c, double radius, int32_t feature)
{
    const heightfield *f = k->f;
    int32_t row, column, count = 0;
    int upper;
    if (hmli_heightfield_under(f, c.x, c.y, &row, &column, &upper)) {
        const facet over = hmli_heightfield_facet(f, row, column, upper);
        if (dot(over.normal, vec3_sub(c, over.corner)) < 0) {
            touch_corner(k, c, radius, feature);
            return;
        }
    }
    const int32_t rows[2] = {hmli_heightfield_cell(f, 1, c.y - radius), hmli_heightfield_cell(f, 1, c.y + radius)};
    const int32_t columns[2] = {hmli_heightfield_cell(f, 0, c.x - radius), hmli_heightfield_cell(f, 0, c.x + radius)};
    for (row = rows[0]; row <= rows[1]; row++)
        for (column = columns[0]; column <= columns[1]; column++)
            for (upper = 0; upper < 2; upper++) {
                const facet t = hmli_heightfield_facet(f, row, column, upper);
                const double d = dot(t.normal, vec3_sub(c, t.corner));
                if (d < 0 || d > radius || !holds(f, row, column, upper, vec3_axpy(-d, t.normal, c))) continue;
                add(k, t.normal, vec3_axpy(-radius, t.normal, c), d - radius, feature + CORNERS * (count % FACETS));
                count++;
            }
}

/* a point of a cylinder's rim is the lowest one for the facet over it, which a few tries find */
static void touch_rim(search *k, int32_t feature)
{
    int32_t row, column;
    int upper;
    vec3 normal = vec3_of(0, 0, 1), p = vec3_zero();
    for (int i = 0; i < 4; i++) {
        p = hmli_collision_low_point(k->s, k->X, normal, feature);
        if (!hmli_heightfield_under(k->f, p.x, p.y, &row, &column, &upper)) return;
        normal = hmli_heightfield_facet(k->f, row, column, upper).normal;
    }
    touch_corner(k, p, 0, feature);
}

static void touch_facets(search *k)
{
    const collision_shape *s = k->s;
    const int ball = s->kind == HML_SHAPE_SPHERE || s->kind == HML_SHAPE_CAPSULE;
    const int32_t rims = s->kind == HML_SHAPE_CYLINDER ? hmli_collision_points(s->kind) : 0;
    for (int32_t i = 0; i < rims; i++) touch_rim(k, i);
    if (k->n) return;
    for (int32_t i = 0; i < k->body.n; i++) { /* of a cylinder: other points of its rims */
        if (ball)
            touch_ball(k, k->body.v[i], k->body.radius, i);
        else
            touch_corner(k, k->body.v[i], 0, rims + i);
    }
}

/* ---- edges and peaks ---- */

static int32_t feature_of(const search *k, int32_t row, int32_t column, int32_t kind)
{
    const int32_t point = row * k->f->columns + column;
    return CORNERS * FACETS + MANIFOLD_ROOM * (EDGE_KINDS * point + kind);
}

/* how far the shape is over the edge from a to b along a unit vector */
static double apart(const search *k, vec3 normal, vec3 a, vec3 b)
{
    double least = INFINITY;
    for (int32_t i = 0; i < k->body.n; i++) least = fmin(least, dot(normal, k->body.v[i]));
    return least - k->body.radius - fmax(dot(normal, a), dot(normal, b));
}

static int parts(const search *k, vec3 normal, vec3 a, vec3 b) { return apart(k, normal, a, b) > 0; }

/*
 * The shape overlaps so far that its nearest way out is one that the surface forbids, as where a spike is deep inside of
 * a box. Then it goes out along a normal that the surface allows, unless there are other contacts.
 */
static void add_last_resort(search *k, vec3 normal, vec3 a, vec3 b, int32_t feature)
{
    const double gap = apart(k, normal, a, b);
    if (gap > k->last_resort.gap)
        k->last_resort = (touch){.feature = feature, .normal = normal, .point = a, .gap = gap};
}

static vec3 upward(vec3 a, vec3 b, vec3 c)
{
    const vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    return vec3_scale((n.z < 0 ? -1 : 1) / sqrt(dot(n, n)), n);
}

/* the edge from a to b between triangles whose third corners are c and d */
static void touch_edge(search *k, vec3 a, vec3 b, vec3 c, vec3 d, int32_t feature)
{
    if (fmax(a.z, b.z) < k->low.z) return;
    const vec3 n1 = upward(a, b, c), n2 = upward(a, b, d), along = vec3_sub(b, a);
    if (dot(n1, vec3_sub(d, a)) > -k->flat) return;
    const vec3 sum = vec3_add(n1, n2), middle = vec3_scale(1 / sqrt(dot(sum, sum)), sum);
    if (parts(k, middle, a, b) || parts(k, n1, a, b) || parts(k, n2, a, b)) return;
    convex edge = {.n = 2, .v = {a, b}};
    convex_gap g;
    manifold_point points[MANIFOLD_POINTS];
    if (!hmli_convex_gap(&k->body, &edge, &g) || !(g.gap <= 0)) return;
    const double rounding = 1e-6 * sqrt(dot(along, along));
    if (fabs(dot(g.normal, along)) > rounding || dot(g.normal, vec3_sub(c, a)) > rounding ||
        dot(g.normal, vec3_sub(d, a)) > rounding) { /* an end of the edge is nearer, or a facet */
        add_last_resort(k, middle, a, b, feature);
        return;
    }
    const int32_t n = hmli_convex_manifold(&k->body, &edge, &g, points);
    for (int32_t i = 0; i < n; i++) add(k, g.normal, points[i].point, points[i].gap, feature + i);
}

/*
 * A normal that the surface lies strictly below of. Neighbours on opposite sides are equally far away, so the sum of
 * their heights says whether there is one: on flat ground and in valleys there is none.
 */
static void touch_peak(search *k, int32_t row, int32_t column)
{
    static const int32_t around[6][2] = {{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}};
    const heightfield *f = k->f;
    const vec3 top = hmli_heightfield_corner(f, row, column);
    vec3 ways[6];
    if (top.z < k->low.z || row < 1 || column < 1 || row > f->rows - 2 || column > f->columns - 2) return;
    for (int i = 0; i < 6; i++)
        ways[i] = vec3_sub(hmli_heightfield_corner(f, row + around[i][0], column + around[i][1]), top);
    for (int i = 0; i < 3; i++)
        if (ways[i].z + ways[i + 3].z > -k->flat) return;
    convex point = {.n = 1, .v = {top}};
    convex_gap g;
    if (parts(k, vec3_of(0, 0, 1), top, top) || !hmli_convex_gap(&k->body, &point, &g) || !(g.gap <= 0)) return;
    for (int i = 0; i < 6; i++)
        if (dot(g.normal, ways[i]) > -k->flat) return; /* one of its edges overlaps, too */
    add(k, g.normal, top, g.gap, feature_of(k, row, column, 3));
}

static void touch_edges(search *k)
{
    const heightfield *f = k->f;
    for (int32_t r = k->first[0]; r <= k->last[0] + 1; r++)
        for (int32_t c = k->first[1]; c <= k->last[1] + 1; c++) {
            if (r < f->rows - 1 && c < f->columns - 1) {
                const vec3 at = hmli_heightfield_corner(f, r, c), across = hmli_heightfield_corner(f, r + 1, c + 1);
                const vec3 east = hmli_heightfield_corner(f, r, c + 1), north = hmli_heightfield_corner(f, r + 1, c);
                if (r > 0)
                    touch_edge(k, at, east, across, hmli_heightfield_corner(f, r - 1, c), feature_of(k, r, c, 0));
                if (c > 0)
                    touch_edge(k, at, north, across, hmli_heightfield_corner(f, r, c - 1), feature_of(k, r, c, 1));
                touch_edge(k, at, across, east, north, feature_of(k, r, c, 2));
            }
            touch_peak(k, r, c);
        }
}

/* ---- all of them ---- */

/* 0: the shape is over the highest point, or beside the grid */
static int begin(search *k)
{
    const heightfield *f = k->f;
    const vec3 centre = pose_act(k->X, k->s->centre);
    const double radius = k->s->radius;
    if (centre.z - radius > f->highest || fabs(centre.x) - radius > 0.5 * (f->columns - 1) * f->spacing[0] ||
        fabs(centre.y) - radius > 0.5 * (f->rows - 1) * f->spacing[1])
        return 0;
    hmli_collision_convex(k->s, k->X, &k->body);
    k->low = k->high = k->body.v[0];
    for (int32_t i = 1; i < k->body.n; i++) {
        const vec3 v = k->body.v[i];
        k->low = vec3_of(fmin(k->low.x, v.x), fmin(k->low.y, v.y), fmin(k->low.z, v.z));
        k->high = vec3_of(fmax(k->high.x, v.x), fmax(k->high.y, v.y), fmax(k->high.z, v.z));
    }
    const vec3 around = vec3_of(k->body.radius, k->body.radius, k->body.radius);
    k->low = vec3_sub(k->low, around);
    k->high = vec3_add(k->high, around);
    k->first[0] = hmli_heightfield_cell(f, 1, k->low.y), k->last[0] = hmli_heightfield_cell(f, 1, k->high.y);
    k->first[1] = hmli_heightfield_cell(f, 0, k->low.x), k->last[1] = hmli_heightfield_cell(f, 0, k->high.x);
    k->flat = 1e-9 * fmin(f->spacing[0], f->spacing[1]);
    k->n = 0;
    k->last_resort.gap = -INFINITY;
    return 1;
}

/* the deepest, and those farthest along eight directions that are askew to shapes and grids */
static int32_t choose(const search *k, touch touches[HEIGHTFIELD_POINTS])
{
    static const double directions[HEIGHTFIELD_POINTS][2] = {{0, 0},   {3, 1},   {1, 3},  {-1, 3}, {-3, 1},
                                                             {-3, -1}, {-1, -3}, {1, -3}, {3, -1}};
    int32_t taken[HEIGHTFIELD_POINTS], count = 0;
    for (int d = 0; d < HEIGHTFIELD_POINTS; d++) {
        int32_t best = -1;
        double most = -INFINITY;
        for (int32_t i = 0; i < k->n; i++) {
            const touch *t = &k->found[i];
            const double score = d ? directions[d][0] * t->point.x + directions[d][1] * t->point.y : -t->gap;
            if (score > most) most = score, best = i;
        }
        int again = best < 0;
        for (int32_t i = 0; i < count; i++) again |= taken[i] == best;
        if (again) continue;
        taken[count] = best;
        touches[count++] = k->found[best];
    }
    return count;
}

int32_t hmli_heightfield_touch(const heightfield *f, const collision_shape *s, pose X, int any,
                               touch touches[HEIGHTFIELD_POINTS])
{
    search k;
    k.f = f;
    k.s = s;
    k.X = X;
    if (!begin(&k)) return 0;
    touch_facets(&k);
    if (!any || !k.n) touch_edges(&k);
    if (!k.n && k.last_resort.gap > -INFINITY) k.found[k.n++] = k.last_resort;
    if (k.n > HEIGHTFIELD_POINTS) return choose(&k, touches);
    for (int32_t i = 0; i < k.n; i++) touches[i] = k.found[i];
    return k.n;
}
