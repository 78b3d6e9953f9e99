/*
 * The linearization without its matrices: A z + B w, Aᵀ y and Bᵀ y.
 *
 *   hml_directional_size      doubles that a point takes
 *   hml_directional_update    everything that depends on the state alone, into the point
 *   hml_directional_forward   ż = A z + B w: the derivative of the dynamics along a direction
 *   hml_directional_reverse   Aᵀ y, Bᵀ y: the gradient of yᵀ(A z + B w)
 *
 * A and B are those of hml_linearize (hamel/dynamics.h). A product is four passes over the tree: its cost, like that of
 * an update and the size of a point, grows with the number of bodies, not with nv² and not with the depth. Only mimic
 * followers keep a dense mass matrix in the point. Shooting, adjoint methods and iterative solvers that never look at
 * an entry of A want this. A workspace made with HML_USE_TREE is enough; mimic followers need HML_USE_FACTOR.
 *
 * A point is the caller's memory and stays what it is until the next update, whatever else the workspace is used for.
 * Any number of products may follow one update, on several threads too. Vectors have nv numbers: z and y are split into
 * their configuration and velocity halves. Nothing is allocated.
 */
#ifndef HAMEL_DIRECTIONAL_H
#define HAMEL_DIRECTIONAL_H

#include "hamel/dynamics.h"

HML_API size_t hml_directional_size(const hml_model *model);

/* tau and wrenches may be NULL: zero. acceleration, if not NULL, takes ν̇ */
HML_API hml_status hml_directional_update(const hml_model *model, hml_work *work, const double *q, const double *v,
                                          const double *tau, const double *wrenches, double *point,
                                          double *acceleration);

/*
 * rate_q = −ad_ν z_q + z_ν, rate_v = D_q z_q + D_ν z_ν + M⁻¹ w. zq, zv, w NULL: zero. rate_q, rate_v NULL: not wanted;
 * they may not be inputs. scratch: hml_directional_scratch_size doubles.
 */
HML_API hml_status hml_directional_forward(const hml_model *model, const hml_work *work, const double *point,
                                           const double *zq, const double *zv, const double *w, double *scratch,
                                           double *rate_q, double *rate_v);

/* [zq; zv] = Aᵀ [yq; yv], w = Bᵀ [yq; yv] = M⁻¹ yv. Inputs NULL: zero; outputs NULL: not wanted */
HML_API hml_status hml_directional_reverse(const hml_model *model, const hml_work *work, const double *point,
                                           const double *yq, const double *yv, double *scratch, double *zq, double *zv,
                                           double *w);

HML_API size_t hml_directional_scratch_size(const hml_model *model);

#endif
