/* Where shapes touch planes and each other. All in the world, at given poses of the bodies. */
#ifndef HML_SIM_COLLISION_H
#define HML_SIM_COLLISION_H

#include "group/spatial.h"
#include "hamel/contact.h"

/* a shape on a body; −1: on the world */
typedef struct collision_shape {
    int32_t body, parent; /* parent: of the body */
    hml_shape_kind kind;
    double size[3];
    pose place; /* in the body's frame */
    double friction, restitution;
} collision_shape;

typedef struct collision_plane {
    vec3 point, normal, x, y;
    double size[2], depth;
    double friction, restitution;
} collision_plane;

typedef struct touch {
    int32_t shape, other;     /* as in hml_contact_point */
    int32_t feature;          /* which point of the shape: the same one in the next step */
    int32_t body, other_body; /* −1: the world */
    vec3 point, normal, t1, t2;
    double gap, friction, restitution;
    double impulse[3]; /* along normal, t1, t2, of the last substep */
    vec3 total;        /* of all substeps, in the world */
    int carried;       /* it is in the list of the next substep, too */
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
void hmli_collide_pairs(const collision_shape *shapes, int32_t nshapes, const double *H, touch_list *list);

/* a shape's point that lies lowest over a plane, whatever its depth; an infinite gap if no point is over it */
touch hmli_collide_lowest(const collision_shape *shape, const collision_plane *plane, const double *H);

/* tangents of a normal, which do not jump while the normal turns a little */
void hmli_collide_tangents(touch *t);

/* can these two touch each other? */
int hmli_collision_pair(const collision_shape *a, const collision_shape *b);

#endif
