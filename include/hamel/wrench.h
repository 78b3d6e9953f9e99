/*
 * External wrenches at frames, as the dynamics want them: one wrench a body, in the body's frame.
 *
 *   hml_generalized_force       τ = Σ Jᵀ f of forces and torques at frames and points              Kindr
 *   hml_wrench_add              a wrench at a frame, added to the wrenches of the bodies
 *   hml_wrench_world_derivative what a wrench that keeps its direction in the world adds to D_q
 *
 * A wrench is [force; torque] at the origin of its frame. In the frame's axes it moves with the body, and
 * hml_linearize knows all about it. In the world's axes it keeps its direction while the body turns: a thrust does the
 * first, a weight the second.
 */
#ifndef HAMEL_WRENCH_H
#define HAMEL_WRENCH_H

#include "hamel/jacobian.h"

/* a force and a torque on a frame; the force acts at a point of it */
typedef struct hml_frame_load {
    int32_t frame;
    hml_axes axes;    /* whose axes `wrench` is written in */
    double point[3];  /* in the frame; zero: its origin */
    double wrench[6]; /* force; torque */
} hml_frame_load;

/*
 * Kindr's f = Σ (J_Qᵀ f + J_Rᵀ t): what the loads do to the joints, with the same power on every velocity. tau: nv,
 * dual to ν in the representation; what is in it is overwritten. Frames that stand in the world carry their loads
 * without an effect. O(count · depth).
 */
HML_API hml_status hml_generalized_force(const hml_model *model, hml_work *work, const double *q, int32_t count,
                                         const hml_frame_load *loads, hml_representation representation, double *tau);

/*
 * in_world 0: the numbers are in the frame's axes; 1: in the world's. wrenches: nbodies × 6, as hml_dynamics takes
 * them. On the world itself a wrench does nothing.
 */
HML_API hml_status hml_wrench_add(const hml_model *model, hml_work *work, const double *q, int32_t frame, int in_world,
                                  const double wrench[6], double *wrenches);

/*
 * The linearization took the wrench as moving with its body; this corrects D_q for one that keeps its six numbers in
 * the world's axes. J: 6 × nv, packed, the frame's Jacobian by hml_frame with HML_MIXED; Minv: nv × nv, packed; Dq:
 * nv × nv with leading dimension ld, changed in place.
 */
HML_API hml_status hml_wrench_world_derivative(int32_t nv, const double *J, const double wrench[6], const double *Minv,
                                               double *Dq, size_t ld);

#endif
