/*
 * Scratch of one hml_builder_build. Links are what was added, numbered as added; bodies are what the model will have.
 * No step recurses and every step is linear: a chain of a hundred thousand links is a model like any other.
 */
#ifndef HML_MODEL_BUILD_H
#define HML_MODEL_BUILD_H

#include "model/builder.h"
#include "model/pose.h"

#include "hamel/model.h"

/* a key of the builder, where it goes in the model */
typedef struct build_key {
    int32_t keyframe, joint;
    uint32_t index; /* in the builder */
} build_key;

typedef struct build {
    const hml_builder *b;
    unsigned options;
    hml_error *error;
    int32_t n; /* links */

    /* for each link */
    int32_t *parent;             /* link, −1: the world */
    int32_t *child, *sibling;    /* first child and next sibling, in file order, −1: none; child[n] is the world's */
    int32_t *body;               /* the body that carries it, −1: the world */
    int32_t *joint;              /* the model's joint, −1 if the link is merged */
    pose *place;                 /* in the frame of its body */
    int32_t *leader;             /* link whose joint its joint follows, −1: none */
    double *multiplier, *offset; /* of the follower */

    int32_t *order; /* links, depth first */
    int32_t nbodies, njoints, nmerged;
    build_key *keys; /* in the model's order, one for each keyframe and joint */
    int32_t nkeys;
    int32_t *actuators; /* which of the builder's, in their order */
    int32_t nactuators;
    int32_t *merged; /* for each merged link: how many come before it */

    text_pool text;
    uint32_t *warnings; /* in text */
    size_t nwarnings, warnings_capacity;
} build;

static inline const builder_link *build_link(const build *w, int32_t i) { return &w->b->links[i]; }
static inline const char *build_link_name(const build *w, int32_t i) { return builder_text(w->b, w->b->links[i].name); }
static inline const char *build_joint_name(const build *w, int32_t i)
{
    return builder_text(w->b, w->b->links[i].joint_name);
}

static inline int build_merges(const build *w, int32_t i)
{
    return build_link(w, i)->joint.type == HML_JOINT_FIXED && !(w->options & HML_BUILD_KEEP_FIXED);
}

/* parents by name, depth-first order; fails on unknown parents and cycles, and on frames without a body */
hml_status hmli_build_tree(build *w);

/* leaders by name, chains resolved to their first leader */
hml_status hmli_build_mimic(build *w);

/* sorts what keyframes say, and leaves out what the model has no joints for; links are numbered */
hml_status hmli_build_keyframes(build *w);

/* what actuators act on; leaves out those of fixed joints; links are numbered */
hml_status hmli_build_actuators(build *w);

/* joint or frame of the model that the builder's actuator acts on; −1: none */
int32_t hmli_build_target(const build *w, const builder_actuator *a);

/* bodies by number; links are numbered */
hml_status hmli_build_exclusions(const build *w, model_exclusion *exclusions);

/* loops with the frames that their names stand for, but not their own names; links are numbered */
hml_status hmli_build_loops(const build *w, model_loop *loops);

/* everything odd that is no error; with HML_BUILD_STRICT the first of them is one */
hml_status hmli_build_warnings(build *w);

#endif
