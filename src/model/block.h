/* Laying out, finishing and checking the block of a model. */
#ifndef HML_MODEL_BLOCK_H
#define HML_MODEL_BLOCK_H

#include "model/model.h"
#include "model/names.h"

/*
 * The lookup section: for bodies, joints and frames each a list of n pairs, ordered by the hash of the name and then by
 * the name itself; then, for each coordinate of the user's velocity, its joint. Names of one hash are found by halving
 * too, so that no choice of names makes it slow, and nothing about the order is random: a model has one block.
 */
typedef struct model_name {
    uint32_t hash;
    int32_t index;
} model_name;

typedef struct model_lookup {
    model_name *bodies, *joints, *frames;
    int32_t *velocity_joint;
} model_lookup;

model_lookup hmli_block_lookup(const hml_model *m);

/* the place in a model's names of body, joint or frame i */
typedef uint32_t model_name_of(const hml_model *m, int32_t i);

static inline uint32_t model_body_name(const hml_model *m, int32_t i) { return model_bodies(m)[i].name; }
static inline uint32_t model_joint_name(const hml_model *m, int32_t i) { return model_joints(m)[i].name; }
static inline uint32_t model_frame_name(const hml_model *m, int32_t i) { return model_frames(m)[i].name; }

/* the index of a name among n pairs, or −1 */
int32_t hmli_block_find(const hml_model *m, const model_name *pairs, int32_t n, model_name_of *name,
                        const char *wanted);

/* the offsets of all sections from the counts of the header, and the size up to the plan, which is empty */
void hmli_block_layout(hml_model *m);

/* zeroed memory for a block of this size; NULL when out of memory. hml_model_free gives it back */
hml_model *hmli_block_new(uint64_t size);

/* a model from a draft whose sections up to `names` are filled: adds what is derived. The draft stays the caller's */
hml_status hmli_block_finish(const hml_model *draft, hml_model **model);

/* 1 if the sections up to `names` are consistent: every index in range, every number finite. The layout is right */
int hmli_block_valid(const hml_model *m);

#endif
