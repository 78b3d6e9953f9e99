/* Where shapes touch planes and each other. All in the world, at given poses of the bodies. */
#ifndef HML_SIM_COLLISION_H
#define HML_SIM_COLLISION_H

#include "group/spatial.h"
#include "hamel/contact.h"

struct convex;

/* a shape on a body; −1: on the world */
typedef struct collision_shape {
    int32_t body, parent; /* parent: of the body */
    hml_shape_kind kind;
    double size[3];
    pose place; /* in the body's frame */
    double friction, restitution;
    uint32_t contype, conaffinity; /* both 0: as 1 and 1 */
    int32_t nvertices;             /* of a hull */
    const double *vertices;
    vec3 centre; /* of a ball that holds it, in the shape's axes */
    double radius;
} collision_shape;

enum { HULL_POINTS = 5 }; /* of a hull on a plane, at most */

typedef struct collision_plane {
    vec3 point, normal, x, y;
    double size[2], depth;
    double friction, restitution;
} collision_plane;

typedef struct touch {
    int32_t shape, other;     /* as in hml_contact_point */
    int32_t feature;          /* which point of the shape: the same one in the next step */
    int32_t body, other_body; /* −1: the world */
    int carried;              /* it is in the list of the next substep, too */
    vec3 point, normal, t1, t2;
    double gap, friction, restitution;
    double impulse[3]; /* along normal, t1, t2, of the last substep */
    vec3 total;        /* of all substeps, in the world */
} touch;

typedef struct touch_list {
    touch *items;
    int32_t count, capacity;
    int32_t overflow; /* contacts for which there was no room */
} touch_list;

/* the most points in which a shape can touch a plane */
int32_t hmli_collision_points(hml_shape_kind kind);

/* contacts whose gap is not positive; H: poses of the bodies, 16 numbers each */
void hmli_collide_planes(const collision_shape *shapes, int32_t nshapes, const collision_plane *planes, int32_t nplanes,
                         const double *H, touch_list *list);

/* centres of the balls about the shapes, in the world */
void hmli_collide_centres(const collision_shape *shapes, int32_t nshapes, const double *H, vec3 *centres);

/* two shapes that may touch each other */
typedef struct shape_pair {
    int32_t a, b;
} shape_pair;

/* contacts of pairs of shapes, whose centres are there */
void hmli_collide_pairs(const collision_shape *shapes, const shape_pair *pairs, int32_t npairs, const double *H,
                        const vec3 *centres, touch_list *list);

/* a shape's point that lies lowest over a plane, whatever its depth; an infinite gap if no point is over it */
touch hmli_collide_lowest(const collision_shape *shape, const collision_plane *plane, const double *H);

/* tangents of a normal, which do not jump while the normal turns a little */
void hmli_collide_tangents(touch *t);

/* in how many points two shapes can touch each other, at most: 0 if their bodies or their bits forbid it */
int32_t hmli_collision_pair(const collision_shape *a, const collision_shape *b);

/* point `feature` of a shape that lies lowest over a plane with this normal */
vec3 hmli_collision_low_point(const collision_shape *s, pose X, vec3 n, int32_t feature);

/* the shape at a pose X */
void hmli_collision_convex(const collision_shape *s, pose X, struct convex *x);

/* centre and radius */
void hmli_collision_bound(collision_shape *s);

pose hmli_collision_pose(const collision_shape *s, const double *H);

/* of two coefficients; a negative one does not count */
double hmli_collision_larger(double a, double b);

/* into the list; where there is no room, the deepest ones stay */
void hmli_collision_add(touch_list *list, touch t);

#endif
