/*
 * Many states at once: dynamics in packs, and linearization on all cores.
 *
 *   hml_dynamics_batch       ν̇, τ, M, M⁻¹ of n states, as wide as the workspace's instruction set
 *   hml_linearize_parallel   hml_linearize_batch in chunks, on as many workers as there are workspaces
 *
 * Trajectories are the main case: n knots of one robot. Results do not depend on n, on where in the batch a state is,
 * or on the number of workers. A state that fails becomes NaN and does not disturb its neighbours.
 *
 * The library starts no threads. A caller brings a parallel_for of its own, whatever its program uses: a thread pool,
 * OpenMP, a loop.
 */
#ifndef HAMEL_BATCH_H
#define HAMEL_BATCH_H

#include "hamel/dynamics.h"

typedef struct hml_dynamics_states {
    size_t struct_size;
    hml_input q, v, tau, a, wrenches; /* v NULL: at rest; tau, a, wrenches NULL: zero */
    hml_output acceleration;          /* nv: forward dynamics of tau */
    hml_output torque;                /* nv: inverse dynamics of a */
    hml_output M, Minv;               /* nv × nv */
} hml_dynamics_states;

/* status, if not NULL, takes one hml_status a state; the return value is the first failure */
HML_API hml_status hml_dynamics_batch(const hml_model *model, hml_work *work, size_t n,
                                      const hml_dynamics_states *arguments, hml_status *status);

/* one task of a loop: index counts the tasks, worker says whose workspace it uses */
typedef void hml_task(void *data, size_t index, size_t worker);

typedef struct hml_parallel {
    size_t struct_size;
    size_t nworks;
    hml_work *const *works; /* one a worker, all for the same model */
    /*
     * Calls task(data, i, worker) once for each i below count, worker < nworks, never two at a time with the same
     * worker, and returns when all are done. NULL: one after the other, on the first workspace.
     */
    void (*parallel_for)(void *context, size_t count, hml_task *task, void *data);
    /* if not NULL: states first … first + count − 1 are there, and still in this worker's cache */
    void (*done)(void *context, size_t first, size_t count, size_t worker);
    void *context;
    size_t chunk; /* states a task; 0: 64 */
} hml_parallel;

HML_API hml_status hml_linearize_parallel(const hml_model *model, const hml_parallel *parallel, size_t n,
                                          const hml_linearization *arguments, hml_status *status);

#endif
