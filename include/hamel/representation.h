/*
 * Results in other representations: from left-trivialized to right, mixed or split, and back.
 *
 *   hml_representation_name              "left", "right", "mixed", "split"
 *   hml_representation_from_name         and back
 *
 *   hml_velocity_to_representation       ν_rep = T(q) ν
 *   hml_velocity_from_representation     ν = T(q)⁻¹ ν_rep
 *   hml_velocity_transform               Y = T⁻¹ and Ẏ as nv × nv matrices                           Notation (76)
 *   hml_acceleration_to_representation   d/dt ν_rep = T ν̇ + Ṫ ν
 *   hml_force_to_representation          τ_rep = T⁻ᵀ τ, so that power stays the same
 *   hml_force_from_representation        τ = Tᵀ τ_rep
 *   hml_dynamics_to_representation       M and h, so that M_rep ν̇_rep + h_rep = τ_rep
 *   hml_coriolis_to_representation       C and Ṁ, so that Ṁ_rep − 2 C_rep stays skew
 *   hml_jacobian_to_representation       the columns of J and J̇: twist = J_rep ν_rep
 *   hml_linearization_to_representation  A and B
 *   hml_step_to_representation           A_d and B_d of a discrete step
 *
 * and back to left, each the inverse of its namesake: hml_acceleration_from_representation,
 * hml_dynamics_from_representation, hml_coriolis_from_representation, hml_jacobian_from_representation,
 * hml_linearization_from_representation, hml_step_from_representation. Linearizations under constraints: constraint.h.
 *
 *   hml_gradient_to_global               ∂f/∂q for perturbations exp(z)·g of the configuration
 *   hml_hessian_to_global                the same where q's index comes first
 *   hml_linearization_to_global          A and B
 *   hml_step_to_global                   A_d and B_d; and each with _from_ instead of _to_
 *
 *   hml_substitute_velocity, hml_substitute_acceleration, hml_substitute_force, hml_substitute_dynamics,
 *   hml_substitute_jacobian              the same for any ū = B(q) u                                     Kindr
 *
 * Only the six velocity numbers of a free root change (a free joint on the world); T is the identity for every other
 * joint. With o, R the pose of the root's frame in the world (docs/conventions.md; Notation, section 5):
 *
 *   right  T = [ R  o^R ]     mixed  T = [ R  0 ]     split  T = [ R  0 ]
 *              [ 0   R  ]                [ 0  R ]                [ 0  I ]
 *
 * Matrices are row-major and packed, and are changed in place; vectors may be changed in place. q is the configuration
 * of the state, v its left-trivialized velocity, in both directions. The perturbation of the configuration stays q ⊕ z
 * unless it is changed by the functions at the end, which take it to exp(z)·g. NaN and infinity in q or v give
 * HML_NOT_FINITE, quaternions more than 1e-3 from unit HML_NOT_NORMALIZED.
 */
#ifndef HAMEL_REPRESENTATION_H
#define HAMEL_REPRESENTATION_H

#include "hamel/model.h"
#include "hamel/se3.h"

HML_API const char *hml_representation_name(hml_representation representation); /* NULL if it is unknown */
HML_API hml_status hml_representation_from_name(const char *name, hml_representation *representation);

HML_API hml_status hml_velocity_to_representation(const hml_model *model, hml_representation representation,
                                                  const double *q, const double *v, double *v_rep);
HML_API hml_status hml_velocity_from_representation(const hml_model *model, hml_representation representation,
                                                    const double *q, const double *v_rep, double *v);

/*
 * ᴮY_C of Notation (76) for the four representations: ν = Y ν_rep. Y, Ydot: nv × nv, either may be NULL; Ydot = dY/dt
 * needs v. Then M_rep = Yᵀ M Y, J_rep = J Y, and so on. Any other frame C: hml_base_transform in kinematics.h.
 */
HML_API hml_status hml_velocity_transform(const hml_model *model, hml_representation representation, const double *q,
                                          const double *v, double *Y, double *Ydot);

/* a: the left-trivialized acceleration ν̇ */
HML_API hml_status hml_acceleration_to_representation(const hml_model *model, hml_representation representation,
                                                      const double *q, const double *v, const double *a, double *a_rep);

HML_API hml_status hml_acceleration_from_representation(const hml_model *model, hml_representation representation,
                                                        const double *q, const double *v, const double *a_rep,
                                                        double *a);

HML_API hml_status hml_force_to_representation(const hml_model *model, hml_representation representation,
                                               const double *q, const double *tau, double *tau_rep);
HML_API hml_status hml_force_from_representation(const hml_model *model, hml_representation representation,
                                                 const double *q, const double *tau_rep, double *tau);

/* M: nv × nv, h: nv. M_rep = T⁻ᵀ M T⁻¹, h_rep = T⁻ᵀ(h − M T⁻¹ Ṫ ν) */
HML_API hml_status hml_dynamics_to_representation(const hml_model *model, hml_representation representation,
                                                  const double *q, const double *v, double *M, double *h);

HML_API hml_status hml_dynamics_from_representation(const hml_model *model, hml_representation representation,
                                                    const double *q, const double *v, double *M, double *h);

/*
 * C, Mdot: nv × nv, as hml_coriolis_matrix gives them; Mdot may be NULL. M: nv × nv, read only, in the representation C
 * comes in: left here, the other below. C_rep = T⁻ᵀ(C − M T⁻¹ Ṫ) T⁻¹, so that C_rep ν_rep is h_rep's part and Ṁ_rep =
 * C_rep + C_repᵀ.
 */
HML_API hml_status hml_coriolis_to_representation(const hml_model *model, hml_representation representation,
                                                  const double *q, const double *v, const double *M, double *C,
                                                  double *Mdot);
HML_API hml_status hml_coriolis_from_representation(const hml_model *model, hml_representation representation,
                                                    const double *q, const double *v, const double *M, double *C,
                                                    double *Mdot);

/*
 * J, Jdot: rows × nv; Jdot may be NULL. J_rep = J T⁻¹, J̇_rep = J̇ T⁻¹ + J d/dt(T⁻¹). The rows stay what they are:
 * hml_frame has already written them in the representation it was asked for.
 */
HML_API hml_status hml_jacobian_to_representation(const hml_model *model, hml_representation representation,
                                                  const double *q, const double *v, int32_t rows, double *J,
                                                  double *Jdot);
HML_API hml_status hml_jacobian_from_representation(const hml_model *model, hml_representation representation,
                                                    const double *q, const double *v, int32_t rows, double *J,
                                                    double *Jdot);

/*
 * A: 2nv × 2nv, B: 2nv × ninputs; either may be NULL. a: the left-trivialized acceleration. z = P z_rep with
 *
 *   P = [ I   0  ]     K = ∂(T⁻¹ ν_rep)/∂q at fixed ν_rep     A_rep = P⁻¹ (A P − Ṗ)     B_rep = P⁻¹ B
 *       [ K  T⁻¹ ]
 *
 * The inputs of B_rep are those of B.
 */
HML_API hml_status hml_linearization_to_representation(const hml_model *model, hml_representation representation,
                                                       const double *q, const double *v, const double *a,
                                                       int32_t ninputs, double *A, double *B);
HML_API hml_status hml_linearization_from_representation(const hml_model *model, hml_representation representation,
                                                         const double *q, const double *v, const double *a,
                                                         int32_t ninputs, double *A, double *B);

/*
 * Ad: 2nv × 2nv, Bd: 2nv × ninputs of hml_step; either may be NULL. q, v: the state at the step's start,
 * q_next, v_next at its end, velocities left-trivialized. A_d,rep = P(q⁺, ν⁺)⁻¹ A_d P(q, ν), B_d,rep = P(q⁺, ν⁺)⁻¹ B_d.
 */
HML_API hml_status hml_step_to_representation(const hml_model *model, hml_representation representation,
                                              const double *q, const double *v, const double *q_next,
                                              const double *v_next, int32_t ninputs, double *Ad, double *Bd);
HML_API hml_status hml_step_from_representation(const hml_model *model, hml_representation representation,
                                                const double *q, const double *v, const double *q_next,
                                                const double *v_next, int32_t ninputs, double *Ad, double *Bd);

/*
 * ---- perturbations on the other side ----
 *
 * The whole library perturbs a configuration as q ⊕ z, g·exp(z) in every joint: left-trivialized, in the successor's
 * frame ("local"). These functions take results to exp(z)·g, right-trivialized, in the predecessor's frame ("global"),
 * for every joint, and back. This change is independent of that of velocities, which stay in the representation they
 * are in. The two changes may be combined, the representation first (and last on the way back).
 */

/* D: rows × nv, derivatives by q: D_q, ∂τ/∂q, derivatives of twists and accelerations, of λ, … */
HML_API hml_status hml_gradient_to_global(const hml_model *model, const double *q, int32_t rows, double *D);
HML_API hml_status hml_gradient_from_global(const hml_model *model, const double *q, int32_t rows, double *D);

/* H: nv × size, the derivative by coordinate k in row k: hml_frame_hessian's, its base left, with size = 6 nv */
HML_API hml_status hml_hessian_to_global(const hml_model *model, const double *q, int32_t size, double *H);
HML_API hml_status hml_hessian_from_global(const hml_model *model, const double *q, int32_t size, double *H);

/* A: 2nv × 2nv, B: 2nv × ninputs, either may be NULL; v: left. With left velocities A becomes [ 0  Ad_g ; D_q Ad_g⁻¹
 * D_ν ] */
HML_API hml_status hml_linearization_to_global(const hml_model *model, const double *q, const double *v,
                                               int32_t ninputs, double *A, double *B);
HML_API hml_status hml_linearization_from_global(const hml_model *model, const double *q, const double *v,
                                                 int32_t ninputs, double *A, double *B);

/* Ad: 2nv × 2nv, Bd: 2nv × ninputs of a step from q to q_next; either may be NULL */
HML_API hml_status hml_step_to_global(const hml_model *model, const double *q, const double *q_next, int32_t ninputs,
                                      double *Ad, double *Bd);
HML_API hml_status hml_step_from_global(const hml_model *model, const double *q, const double *q_next, int32_t ninputs,
                                        double *Ad, double *Bd);

/*
 * ---- any other velocities ----
 *
 * ū = B(q) u: the m known velocities from n new ones; Kindr, "Transformation of equations of motion". B and its time
 * derivative Bdot, m × n, come from the caller. With m = n, u describes the same motions in other variables. With
 * n < m, u describes the motions that a constraint allows; the equations are then those on the constraint, and the
 * constraint forces drop out, because they have no power: Bᵀ Jᵀ λ = (J B)ᵀ λ = 0. In contrast to the functions above,
 * inputs are not changed, and outputs must not overlap them. These functions need no model.
 *
 *   velocity      ū = B u
 *   acceleration  ū̇ = B u̇ + Ḃ u
 *   force         τ = Bᵀ τ̄, so that τᵀu = τ̄ᵀū
 *   dynamics      M = Bᵀ M̄ B, h = Bᵀ (h̄ + M̄ Ḃ u), so that M u̇ + h = τ; Mbar: m × m, M: n × n; Bdot NULL: zero
 *   jacobian      J = J̄ B, J̇ = J̄̇ B + J̄ Ḃ: rows × m in, rows × n out; Jdot may be NULL
 */
HML_API hml_status hml_substitute_velocity(int32_t m, int32_t n, const double *B, const double *u, double *ubar);
HML_API hml_status hml_substitute_acceleration(int32_t m, int32_t n, const double *B, const double *Bdot,
                                               const double *u, const double *udot, double *ubardot);
HML_API hml_status hml_substitute_force(int32_t m, int32_t n, const double *B, const double *taubar, double *tau);
HML_API hml_status hml_substitute_dynamics(int32_t m, int32_t n, const double *B, const double *Bdot, const double *u,
                                           const double *Mbar, const double *hbar, double *M, double *h);
HML_API hml_status hml_substitute_jacobian(int32_t m, int32_t n, const double *B, const double *Bdot, int32_t rows,
                                           const double *Jbar, const double *Jbardot, double *J, double *Jdot);

#endif
