/*
 * Poses of all bodies of one state. A row of a 4x4 matrix is one register, so a product of poses is a sum of rows times
 * numbers, and rows are stored straight to the output, where a body also reads its parent's pose.
 *
 * Sines and cosines of all angles are computed first, one pack of angles at a time. See plan_motion for the rest.
 */
#ifndef HML_KERNEL_SINGLE_POSES_H
#define HML_KERNEL_SINGLE_POSES_H

#include "base/layout.h"
#include "group/joint.h"
#include "kernel/call.h"
#include "kernel/simd/memory.h"
#include "kernel/single/joint.h"

/* g(q) of a free joint: position, then quaternion of any length. R = (1 − n v²) 1 + n v vᵀ + n w v^, n = 2/|r|² */
NUM_INLINE void free_rows(const double *q, rows3 *M)
{
    const double w = q[3], x = q[4], y = q[5], z = q[6], square = x * x + y * y + z * z, n = 2 / (square + w * w);
    const double d = 1 - n * square, wx = n * w * x, wy = n * w * y, wz = n * w * z;
    const quad v = {x, y, z, 0}, a = {d, -wz, wy, q[0]}, b = {wz, d, -wx, q[1]}, c = {-wy, wx, d, q[2]};
    M->r[0] = v * (n * x) + a;
    M->r[1] = v * (n * y) + b;
    M->r[2] = v * (n * z) + c;
}

/* finite and on the group? Without followers the runs of the plan are those of the tree */
static inline int state_is_good(const hml_plan *plan, const double *q)
{
    if (num_any((mask)(not_finite_bits((size_t)plan->nq, q, num_to_bits(K(0))) != 0))) return 0;
    for (const plan_run *r = plan_runs(plan), *end = r + plan->nruns; r < end; r++) {
        const int at = quaternion_at(r->type);
        if (at < 0) continue;
        const double *x = q + r->q + at;
        if (!num_any(square_is_unit(K(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3])))) return 0;
    }
    return 1;
}

/* the pose of a body in its parent's frame */
static inline void motion_rows(const plan_motion *b, const double *q, const double *s, const double *c, rows3 *M)
{
    if (b->type == HML_JOINT_REVOLUTE || b->type == HML_JOINT_PRISMATIC) {
        rows3 C, A, B;
        rows3_load(b->rows[0], &C), rows3_load(b->rows[1], &A), rows3_load(b->rows[2], &B);
        const int turns = b->type == HML_JOINT_REVOLUTE; /* of a displacement s is not set */
        const double x = turns ? c[b->q] : q[b->q], y = turns ? s[b->q] : 0;
        for (int k = 0; k < 3; k++) M->r[k] = C.r[k] + A.r[k] * x + B.r[k] * y;
        return;
    }
    if (b->type == HML_JOINT_FREE && b->quarter_turn) {
        free_rows(q + b->q, M);
        return;
    }
    double g[16];
    rows3 T, moved;
    const frame4 A = frame4_joint(b->type, b->pitch, frame4_world(), q + b->q, s + b->q, c + b->q);
    put_frame(g, &A);
    rows3_load(b->rows[1], &T);
    rows3_mul(g, &T, &moved);
    rows3_mul(b->rows[0], &moved, M);
}

/* room for sines and cosines; returns where a kernel's own scratch begins */
static inline layout_cursor single_scratch_begin(const hml_plan *plan, void *memory, double **s, double **c)
{
    const size_t room = ((size_t)plan->nq + LANES) * sizeof(double);
    layout_cursor at = layout_begin(memory);
    *s = (double *)layout_take(&at, room);
    *c = (double *)layout_take(&at, room);
    return at;
}

/* 1: the state is bad, and nothing was written */
static inline unsigned single_poses(const jacobian_call *call)
{
    const hml_plan *plan = call->plan;
    if (!call->skip_checks && !state_is_good(plan, call->q.data)) return 1;
    const plan_motion *b = plan_motions(plan), *end = b + plan->nbodies;
    const double *q = call->q.data;
    double *s, *c, *H = call->H.data;
    single_scratch_begin(plan, call->scratch, &s, &c);
    sincos_range(q, plan->angles_begin, plan->angles_end, s, c);
    for (; b < end; b++, H += 16) {
        rows3 M, W;
        motion_rows(b, q, s, c, &M);
        if (b->parent >= 0) rows3_mul(call->H.data + 16 * (size_t)b->parent, &M, &W);
        rows3_store(b->parent >= 0 ? &W : &M, H);
    }
    return 0;
}

#endif
