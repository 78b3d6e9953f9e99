/*
 * Collision shapes: what of a robot can touch something.
 *
 *   hml_builder_add_shape   a shape on a body, while a model is being built
 *   hml_model_nshapes       how many a model has
 *   hml_model_shape         one of them
 *
 * Readers take spheres, boxes, capsules and cylinders from URDF (<collision>) and MJCF (<geom> that can collide), and
 * these and points from Hamel's own files. Meshes and other surfaces are left out: docs/contact.md.
 */
#ifndef HAMEL_SHAPE_H
#define HAMEL_SHAPE_H

#include "hamel/model.h"

typedef enum hml_shape_kind {
    HML_SHAPE_POINT = 0,
    HML_SHAPE_SPHERE = 1,  /* size: radius */
    HML_SHAPE_BOX = 2,     /* size: half lengths along x, y, z */
    HML_SHAPE_CAPSULE = 3, /* size: radius, half length of its axis, which is z; the ends are half balls */
    HML_SHAPE_CYLINDER = 4 /* size: radius, half length; along z */
} hml_shape_kind;

typedef struct hml_shape {
    int32_t frame; /* hml_model_find_frame: bodies, merged links and named frames; −1: the world */
    hml_shape_kind kind;
    double size[3];
    double position[3], rotation[9]; /* in the frame; row-major */
    double friction;                 /* μ; the larger one of two that touch counts. Negative: the other's */
    double restitution;              /* in [0, 1]; the larger one counts */
} hml_shape;

/* "point", "sphere", … as in model files; NULL for an unknown kind */
HML_API const char *hml_shape_kind_name(hml_shape_kind kind);
HML_API hml_status hml_shape_kind_from_name(const char *name, hml_shape_kind *kind);
HML_API int32_t hml_shape_kind_sizes(hml_shape_kind kind); /* how many numbers of size count; −1: unknown kind */

/* body NULL: the world; it may be added later. shape->frame is not read: position and rotation are in the body's frame.
 * A shape of a link that is merged goes to the body that carries it. */
HML_API hml_status hml_builder_add_shape(hml_builder *builder, const char *body, const hml_shape *shape,
                                         hml_error *error);

HML_API int32_t hml_model_nshapes(const hml_model *model);

/* frame: that of the body, or −1 */
HML_API hml_status hml_model_shape(const hml_model *model, int32_t index, hml_shape *shape);

#endif
