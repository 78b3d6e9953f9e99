/*
 * Results in other representations: what is left-trivialized made right, mixed or split, and back.
 *
 *   hml_representation_name              "left", "right", "mixed", "split"
 *   hml_representation_from_name         and back
 *
 *   hml_velocity_to_representation       ν_rep = T(q) ν
 *   hml_velocity_from_representation     ν = T(q)⁻¹ ν_rep
 *   hml_acceleration_to_representation   d/dt ν_rep = T ν̇ + Ṫ ν
 *   hml_force_to_representation          τ_rep = T⁻ᵀ τ, so that power stays the same
 *   hml_force_from_representation        τ = Tᵀ τ_rep
 *   hml_dynamics_to_representation       M and h, so that M_rep ν̇_rep + h_rep = τ_rep
 *   hml_jacobian_to_representation       the columns of J and J̇: twist = J_rep ν_rep
 *   hml_linearization_to_representation  A and B
 *
 * Only the six velocity numbers of a free root change (a free joint on the world); T is the identity for every other
 * joint. With o, R the pose of the root's frame in the world (docs/conventions.md; Notation, section 5):
 *
 *   right  T = [ R  o^R ]     mixed  T = [ R  0 ]     split  T = [ R  0 ]
 *              [ 0   R  ]                [ 0  R ]                [ 0  I ]
 *
 * Matrices are row-major and packed, and are changed in place; vectors may be changed in place. q is the configuration
 * of the state, v its left-trivialized velocity. The perturbation of the configuration stays q ⊕ z.
 */
#ifndef HAMEL_TRIVIALIZATION_H
#define HAMEL_TRIVIALIZATION_H

#include "hamel/model.h"
#include "hamel/representation.h"

HML_API const char *hml_representation_name(hml_representation representation); /* NULL if there is no such */
HML_API hml_status hml_representation_from_name(const char *name, hml_representation *representation);

HML_API hml_status hml_velocity_to_representation(const hml_model *model, hml_representation representation,
                                                  const double *q, const double *v, double *v_rep);
HML_API hml_status hml_velocity_from_representation(const hml_model *model, hml_representation representation,
                                                    const double *q, const double *v_rep, double *v);

/* a: the left-trivialized acceleration ν̇ */
HML_API hml_status hml_acceleration_to_representation(const hml_model *model, hml_representation representation,
                                                      const double *q, const double *v, const double *a, double *a_rep);

HML_API hml_status hml_force_to_representation(const hml_model *model, hml_representation representation,
                                               const double *q, const double *tau, double *tau_rep);
HML_API hml_status hml_force_from_representation(const hml_model *model, hml_representation representation,
                                                 const double *q, const double *tau_rep, double *tau);

/* M: nv × nv, h: nv. M_rep = T⁻ᵀ M T⁻¹, h_rep = T⁻ᵀ(h − M T⁻¹ Ṫ ν) */
HML_API hml_status hml_dynamics_to_representation(const hml_model *model, hml_representation representation,
                                                  const double *q, const double *v, double *M, double *h);

/*
 * J, Jdot: rows × nv; Jdot may be NULL. J_rep = J T⁻¹, J̇_rep = J̇ T⁻¹ + J d/dt(T⁻¹). The rows stay what they are:
 * hml_frame has already written them in the representation it was asked for.
 */
HML_API hml_status hml_jacobian_to_representation(const hml_model *model, hml_representation representation,
                                                  const double *q, const double *v, int32_t rows, double *J,
                                                  double *Jdot);

/*
 * A: 2nv × 2nv, B: 2nv × ninputs; either may be NULL. a: the left-trivialized acceleration. z = P z_rep with
 *
 *   P = [ I   0  ]     K = ∂(T⁻¹ ν_rep)/∂q at fixed ν_rep     A_rep = P⁻¹ (A P − Ṗ)     B_rep = P⁻¹ B
 *       [ K  T⁻¹ ]
 *
 * The inputs of B_rep are the same numbers as those of B.
 */
HML_API hml_status hml_linearization_to_representation(const hml_model *model, hml_representation representation,
                                                       const double *q, const double *v, const double *a,
                                                       int32_t ninputs, double *A, double *B);

#endif
