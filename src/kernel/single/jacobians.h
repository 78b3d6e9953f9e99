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

NUM_INLINE void put_slide(double *to, size_t ld, quad axis)
{
    const quad zero = {0, 0, 0, 0};
    put_quads(to, ld, axis, zero);
}

NUM_INLINE void put_turn(double *to, size_t ld, quad p, quad axis) { put_quads(to, ld, quad_cross(p, axis), axis); }

/* a switch of its own: joint_columns8 with its loop over axes costs 11 % of a call */
static inline void put_joint(const plan_body *b, const frame4 *A, double *J, size_t ld)
{
    double *to = J + b->v;
    switch (b->type) {
    case HML_JOINT_REVOLUTE: put_turn(to, ld, A->p, A->z); break;
    case HML_JOINT_PRISMATIC: put_slide(to, ld, A->z); break;
    case HML_JOINT_HELICAL: put_quads(to, ld, quad_cross(A->p, A->z) + A->z * b->pitch, A->z); break;
    case HML_JOINT_CYLINDRICAL:
        put_slide(to, ld, A->z);
        put_turn(to + 1, ld, A->p, A->z);
        break;
    case HML_JOINT_SPHERICAL:
        put_turn(to, ld, A->p, A->x);
        put_turn(to + 1, ld, A->p, A->y);
        put_turn(to + 2, ld, A->p, A->z);
        break;
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_PLANAR:
        put_slide(to, ld, A->x);
        put_slide(to + 1, ld, A->y);
        if (b->type == HML_JOINT_PLANAR) put_turn(to + 2, ld, A->p, A->z);
        break;
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE:
        put_slide(to, ld, A->x);
        put_slide(to + 1, ld, A->y);
        put_slide(to + 2, ld, A->z);
        if (b->type == HML_JOINT_SCHOENFLIES) put_turn(to + 3, ld, A->p, A->z);
        if (b->type != HML_JOINT_FREE) break;
        put_turn(to + 3, ld, A->p, A->x);
        put_turn(to + 4, ld, A->p, A->y);
        put_turn(to + 5, ld, A->p, A->z);
        break;
    default: break;
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
        W[i] = frame4_move(b, frame4_mul(b->parent < 0 ? &world : &W[b->parent], b->X), q + b->q, s + b->q, c + b->q);
        if (call->J.data) put_joint(b, &W[i], call->J.data, call->J.ld);
        if (call->H.data) {
            frame4 body = frame4_mul(&W[i], b->to_body);
            put_frame(call->H.data + 16 * i, &body);
        }
    }
    return 0;
}

#endif
