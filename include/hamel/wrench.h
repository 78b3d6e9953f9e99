/*
 * External wrenches at frames, as the dynamics want them: one wrench a body, in the body's frame.
 *
 *   hml_wrench_add              a wrench at a frame, added to the wrenches of the bodies
 *   hml_wrench_world_derivative what a wrench that keeps its direction in the world adds to D_q
 *
 * A wrench is [force; torque] at the origin of its frame. In the frame's axes it moves with the body, and
 * hml_linearize knows all about it. In the world's axes it keeps its direction while the body turns: a thrust does the
 * first, a weight the second.
 */
#ifndef HAMEL_WRENCH_H
#define HAMEL_WRENCH_H

#include "hamel/work.h"

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
