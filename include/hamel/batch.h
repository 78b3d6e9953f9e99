/*
 * Many states at once: dynamics, poses and configurations in packs, and linearization on all cores.
 *
 *   hml_dynamics_batch                   ν̇, τ, M, M⁻¹ of n states
 *   hml_body_poses_batch                 poses of all bodies
 *   hml_configuration_integrate_batch    q ⊕ v
 *   hml_configuration_difference_batch   q1 ⊖ q0
 *   hml_linearize_parallel               hml_linearize_batch in chunks, on as many workers as there are workspaces
 *
 * hml_jacobians_batch is in jacobian.h. Packs are as wide as the workspace's instruction set, or narrower where
 * that is faster.
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

/*
 * hml_body_poses of n states; H: nbodies × 16 as one row. Models with mimic joints go one state at a time. Rows that
 * begin at multiples of 64 bytes are written faster.
 */
HML_API hml_status hml_body_poses_batch(const hml_model *model, hml_work *work, size_t n, hml_input q, hml_output H,
                                        hml_status *status);

/* q ⊕ v and q1 ⊖ q0 of n states, as in configuration.h; out may be q, with the same stride */
HML_API hml_status hml_configuration_integrate_batch(const hml_model *model, const hml_work *work, size_t n,
                                                     hml_input q, hml_input v, hml_output out, hml_status *status);
HML_API hml_status hml_configuration_difference_batch(const hml_model *model, const hml_work *work, size_t n,
                                                      hml_input q0, hml_input q1, hml_output v, hml_status *status);

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
