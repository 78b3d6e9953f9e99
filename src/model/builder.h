/* The inside of hml_builder: what was added, in the order it was added, every item checked on its own. */
#ifndef HML_MODEL_BUILDER_H
#define HML_MODEL_BUILDER_H

#include "model/model.h"
#include "model/names.h"

#include "hamel/model.h"

typedef struct builder_link {
    uint32_t name, parent, joint_name, mimic; /* in the text pool; parent NO_TEXT: the world, mimic NO_TEXT: none */
    hml_joint_spec joint;                     /* its texts are NULL here */
    hml_inertia_spec inertia;
} builder_link;

typedef struct builder_frame {
    uint32_t name, body; /* body NO_TEXT: the world */
    int32_t kind;        /* hml_frame_kind: a link that was merged stays one when a model is taken apart */
    double position[3], rotation[9];
} builder_frame;

typedef struct builder_shape {
    uint32_t body; /* NO_TEXT: the world */
    size_t first;  /* of its vertices among the builder's; the shape's own pointer is NULL */
    hml_shape shape;
} builder_shape;

typedef struct builder_loop {
    uint32_t name, frame, other; /* name NO_TEXT: none; other NO_TEXT: the world */
    hml_loop loop;               /* with a pose */
} builder_loop;

/* NO_TEXT: the world */
typedef struct builder_exclusion {
    uint32_t body, other;
} builder_exclusion;

/* what a keyframe says about the joint of a link */
typedef struct builder_key {
    int32_t keyframe, link;
    double position[HML_JOINT_MAX_NQ], velocity[HML_JOINT_MAX_NV];
} builder_key;

typedef struct builder_actuator {
    uint32_t name, target;
    hml_actuator spec; /* its name is NULL here */
} builder_actuator;

struct hml_builder {
    uint32_t name; /* NO_TEXT: none */
    double gravity[3];
    hml_inertia_spec world; /* of links that were fixed to the world when a model was taken apart, or saved */
    builder_link *links;
    builder_frame *frames;
    builder_shape *shapes;
    double *vertices; /* of hulls, three numbers each */
    builder_loop *loops;
    builder_exclusion *exclusions;
    uint32_t *keyframes; /* names */
    builder_key *keys;
    builder_actuator *actuators;
    uint32_t *warnings;
    size_t nlinks, nframes, nshapes, nvertices, nloops, nexclusions, nkeyframes, nkeys, nactuators, nwarnings;
    size_t links_capacity, frames_capacity, shapes_capacity, vertices_capacity, loops_capacity, exclusions_capacity,
        keyframes_capacity, keys_capacity, actuators_capacity, warnings_capacity;
    text_pool text;
    name_table places; /* links as index + 1, frames as −(index + 1): they share one space of names */
    name_table joints; /* index of the link + 1 */
    name_table keyframe_names;
    name_table actuator_names;
};

#define CROSS ".cross" /* the massless body inside a universal joint is called after the link it carries */

/* lengths in the keys times `length` */
hml_status hmli_scale_keys(hml_builder *b, double length);

/* lengths by `length`, energies by `energy` */
hml_status hmli_scale_actuators(hml_builder *b, double length, double energy);

/* after a new base: actuators of joints that are gone or have several coordinates are left out, with a warning */
hml_status hmli_prune_actuators(hml_builder *b);

static inline const char *builder_text(const hml_builder *b, uint32_t text) { return b->text.data + text; }

#endif
