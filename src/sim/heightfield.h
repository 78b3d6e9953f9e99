/* Ground that is a grid of heights: where shapes touch it. */
#ifndef HML_SIM_HEIGHTFIELD_H
#define HML_SIM_HEIGHTFIELD_H

#include "sim/collision.h"

enum { HEIGHTFIELD_POINTS = 9 }; /* of a shape on a field, at most */

typedef struct heightfield {
    int32_t rows, columns;
    const double *heights;
    double spacing[2];
    pose place;
    double friction, restitution;
    double lowest, highest; /* of the heights */
} heightfield;

/* a cell is two triangles: below the diagonal from (row, column) to (row + 1, column + 1), and above it */
typedef struct facet {
    vec3 corner, normal; /* in the field's axes; the normal points up */
} facet;

hml_status hmli_heightfield_check(const hml_heightfield *f);

/* its heights are copied to `heights`, rows × columns */
heightfield hmli_heightfield_resolve(const hml_heightfield *f, double *heights);

/* grid points are numbered from 0; a place that is not on the grid must not be asked for */
vec3 hmli_heightfield_corner(const heightfield *f, int32_t row, int32_t column);
facet hmli_heightfield_facet(const heightfield *f, int32_t row, int32_t column, int upper);

/* the cell over which x (axis 0) or y (axis 1) is, or the nearest one */
int32_t hmli_heightfield_cell(const heightfield *f, int axis, double x);

/* 0 if (x, y) is beside the grid */
int hmli_heightfield_under(const heightfield *f, double x, double y, int32_t *row, int32_t *column, int *upper);

/*
 * Up to HEIGHTFIELD_POINTS contacts of a shape whose pose in the field's axes is X: normal, point, gap and feature, in
 * the field's axes. any: one is enough. Returns how many.
 */
int32_t hmli_heightfield_touch(const heightfield *f, const collision_shape *s, pose X, int any,
                               touch touches[HEIGHTFIELD_POINTS]);

/* contacts whose gap is not positive; the first field is called `first` in hml_contact_point.other */
void hmli_collide_heightfields(const collision_shape *shapes, int32_t nshapes, const heightfield *fields,
                               int32_t nfields, int32_t first, const double *H, touch_list *list);

/* how far a shape can go down along the field's z until it touches it; infinite if it is beside the grid */
touch hmli_heightfield_lowest(const collision_shape *shape, const heightfield *field, const double *H);

#endif
