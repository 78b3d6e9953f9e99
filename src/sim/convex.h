/*
 * The distance of two convex bodies, or how deep they overlap, and the points in which they touch.
 *
 * A body is the convex hull of points in the world, thickened by a radius: a ball is a point, a capsule a segment, a box
 * eight points.
 */
#ifndef HML_SIM_CONVEX_H
#define HML_SIM_CONVEX_H

#include "group/spatial.h"
#include "hamel/model.h"

enum { CONVEX_POINTS = HML_SHAPE_MAX_VERTICES, MANIFOLD_POINTS = 5 };

typedef struct convex {
    vec3 v[CONVEX_POINTS];
    int32_t n;
    double radius;
} convex;

typedef struct convex_gap {
    vec3 normal;     /* unit, from b to a */
    vec3 on_a, on_b; /* the nearest or deepest points of the hulls, without their radii */
    double gap;      /* with their radii; negative: how deep they overlap */
} convex_gap;

/* 0 if no direction parts them, as of two bodies without volume that lie in each other */
int hmli_convex_gap(const convex *a, const convex *b, convex_gap *g);

typedef struct manifold_point {
    vec3 point;
    double gap;
    int32_t feature; /* the same one in the next step, as long as the same corners and edges meet */
} manifold_point;

/* up to MANIFOLD_POINTS points whose gap is not positive; g is that of the two */
int32_t hmli_convex_manifold(const convex *a, const convex *b, const convex_gap *g,
                             manifold_point points[MANIFOLD_POINTS]);

#endif
