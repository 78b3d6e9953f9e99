/*
 * All Jacobians of one state: the results of pack/jacobians.h, with other lanes.
 *
 * A quad holds a column of a 4x4 matrix: an axis [x; 0] or a position [p; 1] in the world. A frame is four quads, so
 * products of poses are sums of quads times numbers, and the last row needs no care. For instruction sets whose
 * registers hold a quad.
 */
#ifndef HML_KERNEL_SINGLE_JACOBIANS_H
#define HML_KERNEL_SINGLE_JACOBIANS_H

#include "kernel/single/poses.h"

/* ---- columns ---- */

/* column `to` of a matrix with rows ld apart: linear v, angular w */
NUM_INLINE void put_quads(double *to, size_t ld, quad v, quad w)
{
    to[0] = v[0], to[ld] = v[1], to[2 * ld] = v[2];
    to[3 * ld] = w[0], to[4 * ld] = w[1], to[5 * ld] = w[2];
}

static inline void put_joint(const plan_body *b, const frame4 *A, double *J, size_t ld)
{
    const quad zero = {0, 0, 0, 0}, axes[3] = {A->x, A->y, A->z};
    double *to = J + b->v;
    if (b->nv == 1) {
        const pair4 S = joint_axis8(b, A);
        put_quads(to, ld, S.v, S.w);
        return;
    }
    const joint_axes along = joint_axes_of(b->type);
    for (int k = 0; k < 3; k++) {
        if (along.slides >> k & 1) put_quads(to++, ld, axes[k], zero);
    }
    for (int k = 0; k < 3; k++) {
        if (along.turns >> k & 1) put_quads(to++, ld, quad_cross(A->p, axes[k]), axes[k]);
    }
}

static inline unsigned single_jacobians(const jacobian_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const size_t n = (size_t)plan->nbodies;
    const double *q = call->q.data;
    const frame4 world = frame4_world();
    double *s, *c;
    layout_cursor at = single_scratch_begin(plan, call->scratch, &s, &c);
    frame4 *W = (frame4 *)layout_take(&at, n * sizeof(frame4));
    sincos_range(q, plan->angles_begin, plan->angles_end, s, c);
    for (size_t i = 0; i < n; i++) {
        const plan_body *b = &pb[i];
        frame_behind_joint(b, q, s, c, b->parent < 0 ? &world : &W[b->parent], &W[i]);
        if (call->J.data) put_joint(b, &W[i], call->J.data, call->J.ld);
        if (call->H.data) {
            frame4 body = frame4_mul(&W[i], b->to_body);
            put_frame(call->H.data + 16 * i, &body);
        }
    }
    return 0;
}

#endif
