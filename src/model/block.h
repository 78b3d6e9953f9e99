/* Laying out, finishing and checking the block of a model. */
#ifndef HML_MODEL_BLOCK_H
#define HML_MODEL_BLOCK_H

#include "model/model.h"
#include "model/names.h"

/*
 * The lookup section: for bodies, joints and frames a hash table of index + 1 (0: empty), names_capacity(n) slots each;
 * then, for each coordinate of the user's velocity, its joint.
 */
typedef struct model_lookup {
    uint32_t *bodies, *joints, *frames;
    int32_t *velocity_joint;
} model_lookup;

model_lookup hml_block_lookup(const hml_model *m);

/* the offsets of all sections from the counts of the header, and the size up to the plan, which is empty */
void hml_block_layout(hml_model *m);

/* zeroed memory for a block of this size; NULL when out of memory. hml_model_free gives it back */
hml_model *hml_block_new(uint64_t size);

/* a model from a draft whose sections up to `names` are filled: adds what is derived. The draft stays the caller's */
hml_status hml_block_finish(const hml_model *draft, hml_model **model);

/* 1 if the sections up to `names` are consistent: every index in range, every number finite. The layout is right */
int hml_block_valid(const hml_model *m);

#endif
