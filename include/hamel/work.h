/*
 * Workspaces: the scratch memory of one thread for one model.
 *
 * Computing functions do not allocate. The caller makes a workspace beforehand, in its own memory (hml_work_size,
 * hml_work_init) or on the heap (hml_work_new, hml_work_free). A workspace is bound to its model, which must outlive
 * it, and to an instruction set: batches run in packs as wide as that or narrower. Threads share a model, never a
 * workspace.
 *
 * Also here: how functions take many states at once (hml_input, hml_output), and how a batch is distributed over the
 * cores (hml_parallel).
 */
#ifndef HAMEL_WORK_H
#define HAMEL_WORK_H

#include <stddef.h>

#include "hamel/model.h"

typedef struct hml_work hml_work;

/* what a workspace will be used for; a sum of these */
enum hml_work_use {
    HML_USE_TREE = 1,   /* kinematics, inverse and forward dynamics, products: memory grows with the number of bodies */
    HML_USE_FACTOR = 2, /* mass matrix, linearization, mimic followers: memory grows with nv² */
    HML_USE_ALL = 3
};

enum { HML_WORK_ALIGN = 64 };

/* bytes for hml_work_init; 0 if the instruction set is not available */
HML_API size_t hml_work_size(const hml_model *model, hml_isa isa, unsigned uses);

/* memory must be aligned to HML_WORK_ALIGN; *work points into it */
HML_API hml_status hml_work_init(void *memory, size_t size, const hml_model *model, hml_isa isa, unsigned uses,
                                 hml_work **work);

HML_API hml_status hml_work_new(const hml_model *model, hml_isa isa, unsigned uses, hml_work **work);
HML_API void hml_work_free(hml_work *work); /* only what hml_work_new made */
HML_API hml_isa hml_work_isa(const hml_work *work);

/* ---- many states ---- */

/* One input vector or matrix per state. stride: doubles from one state to the next; 0: the same for every state. */
typedef struct hml_input {
    const double *data;
    size_t stride;
} hml_input;

/*
 * One output vector or matrix per state. data NULL: not computed. ld: doubles from one row to the next, 0 = packed.
 * stride: doubles from one state to the next, 0 = packed.
 */
typedef struct hml_output {
    double *data;
    size_t ld;
    size_t stride;
} hml_output;

/* ---- many workers ---- */

/*
 * The library starts no threads. The caller provides a parallel_for: a thread pool, OpenMP, a loop.
 */
/* one task of a loop: index counts the tasks, worker says which workspace it uses */
typedef void hml_parallel_task(void *data, size_t index, size_t worker);

typedef struct hml_parallel {
    size_t struct_size;
    size_t nworks;
    hml_work *const *works; /* one per worker, all for the same model */
    /*
     * Calls task(data, i, worker) once for each i below count, worker < nworks, never two at a time with the same
     * worker, and returns when all are done. NULL: one after the other, on the first workspace.
     */
    void (*parallel_for)(void *context, size_t count, hml_parallel_task *task, void *data);
    /* if not NULL: called when states first … first + count − 1 are done, which are still in this worker's cache */
    void (*done)(void *context, size_t first, size_t count, size_t worker);
    void *context;
    size_t chunk; /* states per task; 0: 64 */
} hml_parallel;

#endif
