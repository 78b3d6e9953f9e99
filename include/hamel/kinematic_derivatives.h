/*
 * Derivatives of what a frame does: of its placement, velocity and acceleration with respect to q, ν and ν̇, and the
 * kinematic Hessian.
 *
 *   hml_frame_derivatives        ∂(twist)/∂q, ∂(twist)/∂ν, ∂(acceleration)/∂q, ∂(acceleration)/∂ν, ∂(acceleration)/∂ν̇
 *   hml_frame_hessian            ∂J/∂q                            Müller (5), (15), (25); Kindr (15)-(18)
 *   hml_point_hessian            the same for a point
 *   hml_jacobian_partial         ∂ⁿJ_c/∂q_α1 … ∂q_αn              Müller (14), (23), and (25) to every order
 *
 * A derivative with respect to coordinate k of q is d/dε at ε = 0 of q ⊕ ε e_k: the joint moves on by exp, as in the
 * whole library. ν and ν̇ are left-trivialized and held. A twist is a vector of six numbers in its representation, and
 * these numbers are what is differentiated. The derivative of the placement is the Jacobian in the same
 * representation: H⁻¹ ∂H = (J_left)^, ∂H H⁻¹ = (J_right)^, the first three rows of J_mixed are ∂o.
 *
 * Conventions are those of kinematics.h.
 */
#ifndef HAMEL_KINEMATIC_DERIVATIVES_H
#define HAMEL_KINEMATIC_DERIVATIVES_H

#include "hamel/kinematics.h"

/* 6 × nv each */
typedef struct hml_frame_derivative {
    size_t struct_size;
    double *placement_q;    /* the Jacobian */
    double *twist_q;        /* needs v */
    double *twist_v;        /* the Jacobian again */
    double *acceleration_q; /* needs v and a */
    double *acceleration_v; /* needs v */
    double *acceleration_a; /* and again */
} hml_frame_derivative;

HML_API hml_status hml_frame_derivatives(const hml_model *model, hml_work *work, int32_t frame,
                                         hml_representation representation, const double *q, const double *v,
                                         const double *a, hml_frame_derivative *derivative);

/*
 * H: nv × 6 × nv, J̇ = Σ H[k] ν_k. The rows of J are in `representation`; its columns, and the directions k, belong to
 * the velocity of a free root in the representation `base`: with T of trivialization.h, J = J_left T⁻¹ and
 * H[k] = Σ_j (T⁻¹)_jk ∂J/∂q_j. With HML_LEFT, H[k] = ∂J/∂q_k.
 */
HML_API hml_status hml_frame_hessian(const hml_model *model, hml_work *work, int32_t frame,
                                     hml_representation representation, hml_representation base, const double *q,
                                     double *H);

/* the Hessian of the position of a point of the frame, in the world's axes; H: nv × 3 × nv */
HML_API hml_status hml_point_hessian(const hml_model *model, hml_work *work, int32_t frame, const double point[3],
                                     hml_representation base, const double *q, double *H);

/*
 * The n-th partial derivative of column `column` of a frame's Jacobian: first by coordinate indices[0], then by
 * indices[1], and so on. The order matters within a joint of several coordinates, whose directions do not commute,
 * and nowhere else. n >= 0 is not bounded. In mixed and split no derivative vanishes for good: the frame's origin moves
 * along with every joint. A coordinate that f joints follow on the way to the frame counts 1 + f times, and the
 * derivative is a sum over all choices; more than 2^24 of them answer HML_UNSUPPORTED.
 */
HML_API hml_status hml_jacobian_partial(const hml_model *model, hml_work *work, int32_t frame,
                                        hml_representation representation, const double *q, int32_t column, int32_t n,
                                        const int32_t *indices, double derivative[6]);

#endif
