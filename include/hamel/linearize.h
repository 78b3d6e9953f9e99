/*
 * The exact geometric linearization ż = A z + B w of M(q) ν̇ + h(q, ν) = τ about any state.
 *
 *   hml_linearize             ν̇, D_q = ∂ν̇/∂q, D_ν = ∂ν̇/∂ν, M⁻¹, A, B at q, ν, τ
 *   hml_linearize_batch       the same for many states, in packs
 *   hml_linearize_parallel    hml_linearize_batch in chunks, on as many workers as there are workspaces
 *   hml_observer_linearize    hml_linearize in a world frame that moves and accelerates
 *   hml_directional_…         A z + B w, Aᵀ y and Bᵀ y without the matrices
 *
 * Conventions are those of dynamics.h: ν is left-trivialized, and a perturbation of the configuration is q ⊕ z, that is
 * g·exp(z) joint by joint. Trajectories are the main case of batches: n knots of one robot. Results do not depend on n,
 * on where in the batch a state is, or on the number of workers.
 */
#ifndef HAMEL_LINEARIZE_H
#define HAMEL_LINEARIZE_H

#include "hamel/dynamics.h"

/* ---- linearization ---- */

typedef struct hml_linearization {
    size_t struct_size;
    hml_input q, v, tau, wrenches; /* tau and wrenches may be NULL: zero */
    hml_output acceleration;       /* nv */
    hml_output Dq, Dv, Minv;       /* nv × nv each: the primary results */
    hml_output A;                  /* 2nv × 2nv: [ −ad_ν  I ; D_q  D_ν ] */
    hml_output B;                  /* 2nv × nv: [ 0 ; M⁻¹ ], one column for every coordinate */
} hml_linearization;

HML_API hml_status hml_linearize(const hml_model *model, hml_work *work, const hml_linearization *arguments);

/*
 * N states. status, if not NULL, takes one hml_status per state. A state that fails becomes NaN and does not affect the
 * others; the return value is the first failure. Results do not depend on n or on where in the batch a state is.
 */
HML_API hml_status hml_linearize_batch(const hml_model *model, hml_work *work, size_t n,
                                       const hml_linearization *arguments, hml_status *status);

/* ---- on all cores ---- */

HML_API hml_status hml_linearize_parallel(const hml_model *model, const hml_parallel *parallel, size_t n,
                                          const hml_linearization *arguments, hml_status *status);

/* ---- observers that move ---- */

/*
 * hml_linearize of one state as the observer of dynamics.h sees it; wrenches are further ones. The observer's velocity
 * and acceleration are given functions of time: they do not change with the state.
 */
HML_API hml_status hml_observer_linearize(const hml_model *model, hml_work *work, const hml_observer *observer,
                                          double *scratch, const hml_linearization *arguments);

/* ---- products with A and B ---- */

/*
 * The linearization without its matrices: A z + B w, Aᵀ y and Bᵀ y.
 *
 *   hml_directional_doubles   doubles that a point takes
 *   hml_directional_update    everything that depends on the state alone, into the point
 *   hml_directional_forward   ż = A z + B w: the derivative of the dynamics along a direction
 *   hml_directional_reverse   Aᵀ y, Bᵀ y: the gradient of yᵀ(A z + B w)
 *
 * A and B are those of hml_linearize. A product is four passes over the tree: its cost, like that of
 * an update and the size of a point, grows with the number of bodies, not with nv² and not with the depth. Only models
 * with mimic followers keep a dense mass matrix in the point. This is for shooting, adjoint methods and iterative
 * solvers, which never read an entry of A. A workspace made with HML_USE_TREE is enough; mimic followers need
 * HML_USE_FACTOR.
 *
 * A point is in the caller's memory and stays valid until the next update, whatever else the workspace is used for.
 * Any number of products may follow one update, on several threads too. Vectors have nv entries: z and y are split into
 * their configuration and velocity halves. Nothing is allocated.
 */

HML_API size_t hml_directional_doubles(const hml_model *model);

/* tau and wrenches may be NULL: zero. acceleration, if not NULL, takes ν̇ */
HML_API hml_status hml_directional_update(const hml_model *model, hml_work *work, const double *q, const double *v,
                                          const double *tau, const double *wrenches, double *point,
                                          double *acceleration);

/*
 * rate_q = −ad_ν z_q + z_ν, rate_v = D_q z_q + D_ν z_ν + M⁻¹ w. zq, zv, w NULL: zero. rate_q, rate_v NULL: not
 * computed; they may not overlap inputs. scratch: hml_directional_scratch_doubles.
 */
HML_API hml_status hml_directional_forward(const hml_model *model, const hml_work *work, const double *point,
                                           const double *zq, const double *zv, const double *w, double *scratch,
                                           double *rate_q, double *rate_v);

/* [zq; zv] = Aᵀ [yq; yv], w = Bᵀ [yq; yv] = M⁻¹ yv. Inputs NULL: zero; outputs NULL: not computed */
HML_API hml_status hml_directional_reverse(const hml_model *model, const hml_work *work, const double *point,
                                           const double *yq, const double *yv, double *scratch, double *zq, double *zv,
                                           double *w);

HML_API size_t hml_directional_scratch_doubles(const hml_model *model);

#endif
