/*
 * The inside of hml_model: one block, offsets instead of pointers.
 *
 *   header | bodies | joints | frames | coordinates | rest | shapes | vertices | loops | keyframes | keys | actuators | warnings |
 *   names | lookup | plan
 *
 * `bodies` is the tree the algorithms walk: one elementary joint each, depth first. `joints` is what a file and a user
 * name: a universal joint is one of these and two of those. Coordinates and rest positions follow the tree, mimic
 * followers included; the user's numbers leave the followers out (see mimic.h).
 *
 * Frame i is body i's own frame for i < nbodies; merged links follow, then the frames a file names. `lookup` and `plan`
 * are derived from the rest: whoever receives a block makes them anew.
 */
#ifndef HML_MODEL_MODEL_H
#define HML_MODEL_MODEL_H

#include <stdint.h>

#include "hamel/model.h"

#define HML_MODEL_MAGIC   "HAMELMDL"
#define HML_MODEL_VERSION 9u
#define HML_MODEL_ALIGN   64u /* of the block and of every section */

typedef struct model_body {
    int32_t parent;      /* −1: the world */
    int32_t type;        /* hml_joint_type, never universal */
    int32_t q, nq;       /* its numbers in a tree configuration */
    int32_t v, nv;       /* its coordinates in a tree velocity */
    int32_t subtree_end; /* the subtree is this body … subtree_end − 1 */
    int32_t depth;       /* 0 for a root */
    int32_t root;        /* the tree's root body */
    int32_t joint;       /* index into joints */
    uint32_t name;       /* offset into names */
    int32_t reserved;
    double R[9], p[3]; /* placement of the predecessor frame in the parent's body frame, row-major */
    double axis[3];    /* unit, for the types that have one */
    double point[3];   /* of the axis or centre, in the predecessor frame */
    double pitch;
    double mass, com[3], moment[6]; /* moment about the com: xx xy xz yy yz zz */
} model_body;

typedef struct model_joint {
    uint32_t name;
    int32_t type;          /* hml_joint_type, universal included */
    int32_t body, nbodies; /* its elementary joints are body … body + nbodies − 1 */
    int32_t q, nq;         /* in the user's configuration; −1, 0 for a follower */
    int32_t v, nv;         /* in the user's velocity; −1, 0 for a follower */
    int32_t actuated;
    int32_t leader; /* the joint a follower follows, or −1 */
    double multiplier, offset;
} model_joint;

typedef struct model_frame {
    uint32_t name;
    int32_t body; /* −1: the world */
    int32_t kind; /* hml_frame_kind */
    int32_t reserved;
    double R[9], p[3]; /* placement in the body frame, row-major */
} model_frame;

/* a collision shape */
typedef struct model_shape {
    int32_t body; /* −1: the world */
    int32_t kind; /* hml_shape_kind */
    double size[3];
    double R[9], p[3]; /* placement in the body frame, row-major */
    double friction, restitution;
    int32_t first, nvertices; /* of a hull: in the section of vertices, three numbers each */
    uint32_t contype, conaffinity;
} model_shape;

/* two bodies whose shapes do not touch each other; −1: the world */
typedef struct model_exclusion {
    int32_t body[2];
} model_exclusion;

/* frames tied to each other */
typedef struct model_loop {
    uint32_t name;
    int32_t kind;         /* hml_constraint_kind */
    int32_t frame, other; /* other −1: the world */
    double normal[3], distance;
    double damping, stiffness;
    double R[9], p[3]; /* goal of frame in other, row-major */
} model_loop;

/*
 * A state with a name: what it says about joints that are not neutral and at rest is keys first … first + count − 1, in
 * the order of the joints
 */
typedef struct model_keyframe {
    uint32_t name;
    int32_t first, count;
    int32_t reserved;
} model_keyframe;

typedef struct model_key {
    int32_t joint, reserved;
    double position[HML_JOINT_MAX_NQ], velocity[HML_JOINT_MAX_NV]; /* as many as the joint has; the others are zero */
} model_key;

/* hml_actuator */
typedef struct model_actuator {
    uint32_t name;
    int32_t transmission, target;
    int32_t reserved;
    double gear[6], gain, bias[3];
    double lower, upper, force_lower, force_upper;
} model_actuator;

/* one for every coordinate of the tree velocity */
typedef struct model_coordinate {
    double armature, damping, stiffness;
    double friction; /* dry */
    double lower, upper, velocity, effort;
} model_coordinate;

struct hml_model {
    char magic[8];
    uint32_t version, header_size;
    uint64_t size; /* of the whole block, bytes */
    int32_t nbodies, njoints, nframes, nwarnings;
    int32_t nq, nv;           /* the user's: followers left out */
    int32_t tree_nq, tree_nv; /* the tree's */
    int32_t nfollowers;       /* joints that follow another */
    int32_t depth;            /* the deepest body's depth + 1 */
    int32_t passive;          /* 1 if any armature, damping or stiffness is not zero */
    uint32_t name;
    int32_t nloader_warnings; /* the first of the warnings: a loader's; the others came with building */
    int32_t nshapes, nvertices;
    int32_t nkeyframes, nkeys, nactuators, nloops, nexclusions;
    double gravity[3];
    double world_mass, world_com[3], world_moment[6]; /* links fixed to the world, lumped: they move nowhere */
    uint64_t bodies, joints, frames, coordinates, rest, shapes, vertices; /* offsets of sections, bytes */
    uint64_t loops, exclusions, keyframes, keys, actuators, warnings, names, lookup, plan;
    uint64_t names_size, plan_size;
};

static inline const void *model_at(const hml_model *m, uint64_t offset) { return (const char *)m + offset; }
static inline const model_body *model_bodies(const hml_model *m) { return (const model_body *)model_at(m, m->bodies); }
static inline const model_joint *model_joints(const hml_model *m)
{
    return (const model_joint *)model_at(m, m->joints);
}
static inline const model_frame *model_frames(const hml_model *m)
{
    return (const model_frame *)model_at(m, m->frames);
}
static inline const model_shape *model_shapes(const hml_model *m)
{
    return (const model_shape *)model_at(m, m->shapes);
}
static inline const double *model_vertices(const hml_model *m) { return (const double *)model_at(m, m->vertices); }
static inline const model_loop *model_loops(const hml_model *m) { return (const model_loop *)model_at(m, m->loops); }
static inline const model_exclusion *model_exclusions(const hml_model *m)
{
    return (const model_exclusion *)model_at(m, m->exclusions);
}
static inline const model_keyframe *model_keyframes(const hml_model *m)
{
    return (const model_keyframe *)model_at(m, m->keyframes);
}
static inline const model_key *model_keys(const hml_model *m) { return (const model_key *)model_at(m, m->keys); }
static inline const model_actuator *model_actuators(const hml_model *m)
{
    return (const model_actuator *)model_at(m, m->actuators);
}
static inline const double *model_rest(const hml_model *m) { return (const double *)model_at(m, m->rest); }
static inline const uint32_t *model_warnings(const hml_model *m) { return (const uint32_t *)model_at(m, m->warnings); }
static inline const char *model_text(const hml_model *m, uint32_t name)
{
    return (const char *)model_at(m, m->names) + name;
}

static inline const model_coordinate *model_coordinates(const hml_model *m)
{
    return (const model_coordinate *)model_at(m, m->coordinates);
}

#endif
