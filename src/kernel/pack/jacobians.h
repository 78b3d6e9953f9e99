/*
 * All Jacobians of a robot, over num: the right-trivialized column of every coordinate, and the poses of all bodies.
 *
 * All quantities are in the world frame, as the results are. The Jacobian of body i consists of the columns of the
 * joints that carry it: in this representation a column belongs to its joint alone, Müller (104).
 *
 * Most joints are revolute, and most of their placements are quarter turns: then an axis is one of the parent's,
 * perhaps reversed. A body at the end of a branch needs no rotation at all, unless its pose is asked for: its column
 * depends on its axis only.
 */
#ifndef HML_KERNEL_PACK_JACOBIANS_H
#define HML_KERNEL_PACK_JACOBIANS_H

#include "kernel/pack/poses.h"
#include "kernel/simd/store4.h"

/* x: 6 × nv; without gaps between its rows the matrix is one long row */
static inline void store_columns(kernel_output out, int count, int32_t nv, num *x)
{
    if (out.ld == (size_t)nv) {
        store_row(out, count, 0, 6 * nv, x);
        return;
    }
    for (int32_t r = 0; r < 6; r++) store_row(out, count, r, nv, x + r * nv);
}

static inline void put_column(num *to, int32_t nv, twist S)
{
    to[0] = S.v.x, to[nv] = S.v.y, to[2 * nv] = S.v.z;
    to[3 * nv] = S.w.x, to[4 * nv] = S.w.y, to[5 * nv] = S.w.z;
}

/* the frame after a revolute joint; its axes x and y only if `all_axes` */
static inline void move_revolute(const plan_body *b, const pose *P, num angle, int all_axes, pose *out)
{
    const double *X = b->X;
    const vec3 *axes = &P->R.x;
    int at[3];
    double sign[3];
    const int quarter = plan_quarter_turn(b->quarter_turn, at, sign);
    out->p = pose_act(*P, vec3_of(K(X[9]), K(X[10]), K(X[11])));
    out->R.z = quarter ? vec3_scale(K(sign[2]), axes[at[2]]) : mat3_mul_vec(P->R, vec3_of(K(X[2]), K(X[5]), K(X[8])));
    if (!all_axes) return;
    num s, c;
    vec3 x, y;
    num_sincos(angle, &s, &c);
    if (quarter) {
        num sx = s * K(sign[0]), cx = c * K(sign[0]), sy = s * K(sign[1]), cy = c * K(sign[1]);
        x = axes[at[0]], y = axes[at[1]];
        out->R.x = vec3_axpy(sy, y, vec3_scale(cx, x));
        out->R.y = vec3_axpy(-sx, x, vec3_scale(cy, y));
    } else {
        x = mat3_mul_vec(P->R, vec3_of(K(X[0]), K(X[3]), K(X[6])));
        y = mat3_mul_vec(P->R, vec3_of(K(X[1]), K(X[4]), K(X[7])));
        out->R.x = vec3_axpy(s, y, vec3_scale(c, x));
        out->R.y = vec3_axpy(-s, x, vec3_scale(c, y));
    }
}

/* any joint: its pose and its columns */
static inline void move_any(const plan_body *p, const pose *parent, const num *q, pose *out, num *columns, int32_t nv)
{
    twist c[HML_JOINT_MAX_NV];
    num pitch = K(p->pitch);
    pose X = plan_pose(p->X);
    if (parent) X = pose_mul(*parent, X);
    *out = joint_move(p->type, X, pitch, q);
    joint_columns_at(p->type, *out, pitch, c);
    for (int32_t k = 0; k < p->nv; k++) put_column(columns + k, nv, c[k]);
}

typedef struct jacobian_scratch {
    num *q, *columns; /* nq; 6 × nv */
    pose *W;          /* nbodies: plan frames in the world, by depth */
    int32_t *depth;   /* nbodies */
} jacobian_scratch;

static inline size_t jacobian_scratch_lay(const hml_plan *plan, void *memory, jacobian_scratch *k)
{
    layout_cursor at = layout_begin(memory);
    k->q = (num *)layout_take(&at, (size_t)plan->nq * sizeof(num));
    k->columns = (num *)layout_take(&at, 6 * (size_t)plan->nv * sizeof(num));
    k->W = (pose *)layout_take(&at, (size_t)plan->nbodies * sizeof(pose));
    k->depth = (int32_t *)layout_take(&at, (size_t)plan->nbodies * sizeof(int32_t));
    return at.used;
}

/* returns the lanes with a bad state */
static inline unsigned pack_jacobians(const jacobian_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const int32_t nv = plan->nv, n = plan->nbodies;
    jacobian_scratch k;
    jacobian_scratch_lay(plan, call->scratch, &k);
    num *q = k.q, *columns = k.columns;
    pose *W = k.W;
    int32_t *depth = k.depth;
    const lane_places H = places_of(call->H, call->count);
    load_row(call->q, call->count, plan->nq, q);
    for (int32_t i = 0; i < n; i++) {
        const plan_body *p = &pb[i];
        const int32_t d = depth[i] = p->parent < 0 ? 0 : depth[p->parent] + 1; /* depth first: its parent is at d − 1 */
        if (p->type == HML_JOINT_REVOLUTE && d > 0) {
            int carries = i + 1 < n && pb[i + 1].parent == i;
            move_revolute(p, &W[d - 1], q[p->q], carries || call->H.data, &W[d]);
            put_column(columns + p->v, nv, turn_column(W[d].R.z, W[d].p));
        } else {
            move_any(p, d ? &W[d - 1] : NULL, &q[p->q], &W[d], columns + p->v, nv);
        }
        if (call->H.data) store_pose(&H, i, pose_mul(W[d], plan_pose(p->to_body)));
    }
    if (call->J.data) store_columns(call->J, call->count, nv, columns);
    return num_lanes(kernel_bad_state(plan, q, NULL, NULL));
}

#endif
