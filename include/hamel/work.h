/*
 * Workspaces: the scratch memory of one thread for one model.
 *
 * Nothing in a computing function allocates: a workspace is sized and placed beforehand, on the caller's memory
 * (hml_work_size, hml_work_init) or on the heap (hml_work_new, hml_work_free). It is bound to its model, which must
 * outlive it, and to an instruction set: batches run in packs as wide as that or narrower. Threads share a model,
 * never a workspace.
 */
#ifndef HAMEL_WORK_H
#define HAMEL_WORK_H

#include <stddef.h>

#include "hamel/export.h"
#include "hamel/isa.h"
#include "hamel/model.h"
#include "hamel/status.h"

typedef struct hml_work hml_work;

/* what a workspace will be used for; a sum of these */
enum hml_work_use {
    HML_USE_TREE = 1,   /* kinematics, inverse and forward dynamics, products: memory grows with the number of bodies */
    HML_USE_FACTOR = 2, /* mass matrix, linearization, mimic followers: and with the square of the coordinates */
    HML_USE_ALL = 3
};

enum { HML_WORK_ALIGN = 64 };

/* bytes for hml_work_init; 0 if the instruction set is not to be had */
HML_API size_t hml_work_size(const hml_model *model, hml_isa isa, unsigned uses);

/* memory must be aligned to HML_WORK_ALIGN; *work points into it */
HML_API hml_status hml_work_init(void *memory, size_t size, const hml_model *model, hml_isa isa, unsigned uses,
                                 hml_work **work);

HML_API hml_status hml_work_new(const hml_model *model, hml_isa isa, unsigned uses, hml_work **work);
HML_API void hml_work_free(hml_work *work); /* only what hml_work_new made */
HML_API hml_isa hml_work_isa(const hml_work *work);

#endif
