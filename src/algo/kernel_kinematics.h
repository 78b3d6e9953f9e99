/*
 * All Jacobians of a robot, over num: the right-trivialized column of every coordinate, and the poses of all bodies.
 *
 * Everything is in the world here, because that is where the results are wanted. The Jacobian of body i consists of the
 * columns of the joints that carry it: in this representation a column belongs to its joint alone, Müller (104).
 */
#ifndef HML_ALGO_KERNEL_KINEMATICS_H
#define HML_ALGO_KERNEL_KINEMATICS_H

#include "algo/kernel_io.h"
#include "algo/kernel_tree.h"

typedef struct jacobian_call {
    const hml_plan *plan;
    void *scratch;      /* of a kernel of dynamics, which is more than enough */
    int count;          /* states in this pack, 1 … LANES */
    kernel_input q;     /* in the tree's numbering */
    kernel_output H, J; /* nbodies × 16 as one row; 6 × nv */
} jacobian_call;

static inline void *jacobian_room(char **at, size_t bytes)
{
    void *p = *at;
    *at += (bytes + 63) / 64 * 64;
    return p;
}

/* 4x4, row-major, of every state */
static inline void store_pose(kernel_output out, int count, int32_t body, pose A)
{
    num x[16] = {A.R.x.x, A.R.y.x, A.R.z.x, A.p.x, A.R.x.y, A.R.y.y, A.R.z.y, A.p.y,
                 A.R.x.z, A.R.y.z, A.R.z.z, A.p.z, K(0),    K(0),    K(0),    K(1)};
    for (int k = 0; k < 16; k += LANES) kernel_store_run(out, count, 0, 16 * body + k, LANES, x + k);
}

/* rows: 6 × nv, as they go out; the last run of a row overlaps the one before, so that all runs are whole */
static inline void store_rows(kernel_output out, int count, int32_t nv, const num *rows)
{
    for (int32_t r = 0; r < 6; r++) {
        for (int32_t c = 0; c < nv; c += LANES) {
            num x[LANES];
            int32_t n = nv < LANES ? nv : LANES, from = c + n > nv ? nv - n : c;
            for (int32_t k = 0; k < n; k++) x[k] = rows[r * nv + from + k];
            kernel_store_run(out, count, r, from, n, x);
        }
    }
}

static inline void kernel_jacobians(const jacobian_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const int32_t nv = plan->nv;
    char *at = (char *)call->scratch;
    num *q = (num *)jacobian_room(&at, (size_t)plan->nq * sizeof(num));
    num *rows = (num *)jacobian_room(&at, 6 * (size_t)nv * sizeof(num));
    pose *W = (pose *)jacobian_room(&at, (size_t)plan->nbodies * sizeof(pose)); /* plan frames in the world */
    kernel_load_all(call->q, call->count, plan->nq, q);
    for (int32_t i = 0; i < plan->nbodies; i++) {
        const plan_body *p = &pb[i];
        column_state c[HML_JOINT_MAX_NV];
        num pitch = K(p->pitch);
        pose X = plan_pose(p->X);
        W[i] = joint_move(p->type, p->parent < 0 ? X : pose_mul(W[p->parent], X), pitch, &q[p->q]);
        if (call->H.data) store_pose(call->H, call->count, i, pose_mul(W[i], plan_pose(p->to_body)));
        joint_columns_at(p->type, W[i], pitch, c);
        for (int32_t k = 0; k < p->nv; k++) {
            num *to = rows + p->v + k;
            to[0] = c[k].S.v.x, to[nv] = c[k].S.v.y, to[2 * nv] = c[k].S.v.z;
            to[3 * nv] = c[k].S.w.x, to[4 * nv] = c[k].S.w.y, to[5 * nv] = c[k].S.w.z;
        }
    }
    if (call->J.data) store_rows(call->J, call->count, nv, rows);
}

#endif
