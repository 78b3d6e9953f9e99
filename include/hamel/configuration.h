/*
 * Configurations: points of the robot's group G₁×…×G_n, and the way between them.
 *
 *   hml_configuration_neutral       every joint at the identity
 *   hml_configuration_random        within the limits
 *   hml_configuration_check         whether q is a configuration
 *   hml_configuration_normalize     unit quaternions
 *   hml_configuration_integrate     q ⊕ v: g·exp(v), joint by joint
 *   hml_configuration_difference    q1 ⊖ q0: log(g0⁻¹ g1)
 *   hml_configuration_integrate_batch, hml_configuration_difference_batch    both for many states
 *   hml_configuration_interpolate   q0 ⊕ s·(q1 ⊖ q0)
 *   hml_configuration_distance      |q1 ⊖ q0|
 *   hml_configuration_integrate_jacobians, hml_configuration_difference_jacobians
 *   hml_configuration_product       q₁·q₂: g₁ g₂, joint by joint
 *   hml_configuration_inverse       q⁻¹
 *   hml_configuration_adjoint       Ad_g, nv × nv
 *   hml_configuration_integrate_global, hml_configuration_difference_global    exp(v)·g and log(g1 g0⁻¹)
 *   hml_state_group_product, hml_state_group_inverse    of states (q, ν)                            Bos (16)-(17)
 *   hml_configuration_rate          q̇ = F(q) ν
 *   hml_configuration_velocity      ν from q̇
 *   hml_configuration_rate_matrix   F(q)
 *
 *   hml_coordinates_count, hml_coordinates_from_configuration, hml_coordinates_to_configuration
 *                                   q with its rotations in another parameterization
 *   hml_coordinates_rate_matrix, hml_coordinates_velocity_matrix
 *                                   Kindr's F and F̄ for it, with ν in any representation
 *
 *   hml_limit_margin                how far the nearest joint limit is away
 *
 * Velocities in other representations than left: hamel/representation.h.
 *
 * q has hml_model_nq coordinates, v hml_model_nv. Mimic followers have none: they follow their leader. Angles are never
 * wrapped: ⊖ subtracts. Quaternions within 1e-3 of unit are normalized on input, others give HML_NOT_NORMALIZED; NaN
 * and infinity give HML_NOT_FINITE. Matrices are row-major and packed.
 */
#ifndef HAMEL_CONFIGURATION_H
#define HAMEL_CONFIGURATION_H

#include "hamel/random.h"
#include "hamel/rotation.h"
#include "hamel/se3.h"
#include "hamel/work.h"

HML_API hml_status hml_configuration_neutral(const hml_model *model, double *q);

/*
 * Uniform within the limits. Without limits, angles are within ±π and lengths within ±1 metre; with one limit, the
 * range has the same width and begins there. Rotations of spherical and free joints are uniform over all rotations.
 */
HML_API hml_status hml_configuration_random(const hml_model *model, hml_rng *rng, double *q);

HML_API hml_status hml_configuration_check(const hml_model *model, const double *q);

/* any quaternion but zero becomes unit */
HML_API hml_status hml_configuration_normalize(const hml_model *model, double *q);

/* out may be q. If a function fails, it writes nothing. */
HML_API hml_status hml_configuration_integrate(const hml_model *model, const double *q, const double *v, double *out);
HML_API hml_status hml_configuration_difference(const hml_model *model, const double *q0, const double *q1, double *v);

/* q ⊕ v and q1 ⊖ q0 of n states; out may be q, with the same stride */
HML_API hml_status hml_configuration_integrate_batch(const hml_model *model, const hml_work *work, size_t n,
                                                     hml_input q, hml_input v, hml_output out, hml_status *status);
HML_API hml_status hml_configuration_difference_batch(const hml_model *model, const hml_work *work, size_t n,
                                                      hml_input q0, hml_input q1, hml_output v, hml_status *status);

/* s = 0: q0, s = 1: q1 (its quaternions perhaps with the other sign); s may lie outside [0, 1]. q may be q0 or q1 */
HML_API hml_status hml_configuration_interpolate(const hml_model *model, const double *q0, const double *q1, double s,
                                                 double *q);

/* length of the difference; metres and radians count alike */
HML_API hml_status hml_configuration_distance(const hml_model *model, const double *q0, const double *q1,
                                              double *distance);

/*
 * Derivatives in the sense of the whole library, a perturbation z of a configuration being q ⊕ z. nv × nv each, block
 * diagonal with one block per joint; NULL: not computed.
 *
 *   (q ⊕ z) ⊕ v = (q ⊕ v) ⊕ (dq z + …)          dq = Ad of exp(−v)
 *   q ⊕ (v + z) = (q ⊕ v) ⊕ (dv z + …)          dv = right Jacobian of exp at v
 *   q1 ⊖ (q0 ⊕ z) = (q1 ⊖ q0) + dq0 z + …       dq0 = −(left Jacobian)⁻¹ at q1 ⊖ q0
 *   (q1 ⊕ z) ⊖ q0 = (q1 ⊖ q0) + dq1 z + …       dq1 = (right Jacobian)⁻¹ there
 */
HML_API hml_status hml_configuration_integrate_jacobians(const hml_model *model, const double *q, const double *v,
                                                         double *dq, double *dv);
HML_API hml_status hml_configuration_difference_jacobians(const hml_model *model, const double *q0, const double *q1,
                                                          double *dq0, double *dq1);

/* ---- the group ---- */

/*
 * Joint by joint; universal joints, which are not groups, add their angles. Angles add and are never wrapped. q may be
 * q1 or q2, inverse may be q.
 */
HML_API hml_status hml_configuration_product(const hml_model *model, const double *q1, const double *q2, double *q);
HML_API hml_status hml_configuration_inverse(const hml_model *model, const double *q, double *inverse);

/* nv × nv, block diagonal with one block per joint: g exp(z) = exp(Ad z) g. Ad or its inverse may be NULL */
HML_API hml_status hml_configuration_adjoint(const hml_model *model, const double *q, double *Ad, double *inverse);

/*
 * Increments on the other side, right-trivialized, in each joint's predecessor frame: exp(v)·g and log(g1 g0⁻¹). They
 * are what hml_linearization_to_global (representation.h) takes a perturbation to be. out may be q.
 */
HML_API hml_status hml_configuration_integrate_global(const hml_model *model, const double *q, const double *v,
                                                      double *out);
HML_API hml_status hml_configuration_difference_global(const hml_model *model, const double *q0, const double *q1,
                                                       double *v);

/* which group the states (q, ν) are made into; ν left-trivialized */
typedef enum hml_state_group {
    HML_STATE_DIRECT = 0, /* (q₁ q₂, ν₁ + ν₂): Bos (17), whose linearization is hml_linearize's A and B */
    HML_STATE_TANGENT = 1 /* (q₁ q₂, Ad_q₂⁻¹ ν₁ + ν₂): the tangent group, whose velocity is that of the product */
} hml_state_group;

/* q may be q1; otherwise outputs do not overlap inputs */
HML_API hml_status hml_state_group_product(const hml_model *model, hml_state_group group, const double *q1,
                                           const double *v1, const double *q2, const double *v2, double *q, double *v);
HML_API hml_status hml_state_group_inverse(const hml_model *model, hml_state_group group, const double *q,
                                           const double *v, double *q_inverse, double *v_inverse);

/* ---- rates ---- */

/* q̇ = F(q) ν: what Kindr calls generalized coordinates' rates. A quaternion's is ½ q ⊗ (0, ω) */
HML_API hml_status hml_configuration_rate(const hml_model *model, const double *q, const double *v, double *qdot);

/* ν with F(q) ν = q̇; the part of q̇ that changes the length of a quaternion is ignored */
HML_API hml_status hml_configuration_velocity(const hml_model *model, const double *q, const double *qdot, double *v);

/* F: nq × nv */
HML_API hml_status hml_configuration_rate_matrix(const hml_model *model, const double *q, double *F);

/*
 * Generalized coordinates x: those of q, but the rotations of spherical and free joints in another parameterization. A
 * robot with a free base and Euler angles has x = (r, z, y, x, φ₁ … φ_n), Kindr's q. Returns the number of coordinates;
 * 0 if the model is NULL or the kind unknown.
 */
HML_API int32_t hml_coordinates_count(const hml_model *model, hml_rotation kind);

/* unique forms, both ways. The arrays must not overlap */
HML_API hml_status hml_coordinates_from_configuration(const hml_model *model, hml_rotation kind, const double *q,
                                                      double *x);
HML_API hml_status hml_coordinates_to_configuration(const hml_model *model, hml_rotation kind, const double *x,
                                                    double *q);

/*
 * ẋ = F(x) ν_rep and ν_rep = F̄(x) ẋ, Kindr, "Generalized coordinates": F is nx × nv, F̄ is nv × nx, F̄ F = I. With
 * HML_ROTATION_QUAT and HML_SPLIT they are the ones printed there. In F a rotation may be singular:
 * HML_SINGULAR_PARAMETERIZATION.
 */
HML_API hml_status hml_coordinates_rate_matrix(const hml_model *model, hml_rotation kind,
                                               hml_representation representation, const double *x, double *F);
HML_API hml_status hml_coordinates_velocity_matrix(const hml_model *model, hml_rotation kind,
                                                   hml_representation representation, const double *x, double *F);

/* ---- limits ---- */

/*
 * The smallest distance of a joint's position from its limits, negative beyond them; *coordinate its index, −1 and
 * infinity if no joint has limits. Quaternions have none; the limits of a follower count, with its leader's coordinate.
 * HML_NOT_FINITE if q is not finite. As an event: hml_limit_event of motion.h.
 */
HML_API hml_status hml_limit_margin(const hml_model *model, const double *q, double *margin, int32_t *coordinate);

#endif
