/*
 * Poses of all bodies of a pack of states, over num; and how numbers of all states are loaded and stored.
 */
#ifndef HML_KERNEL_PACK_POSES_H
#define HML_KERNEL_PACK_POSES_H

#include "base/layout.h"
#include "kernel/call.h"
#include "kernel/composite.h"
#include "kernel/simd/memory.h"

/* ---- loads and stores ---- */

/* n entries of every state; the last pack of entries overlaps the one before */
static inline void load_row(kernel_input in, int count, int32_t n, num *x)
{
#if LANES > 1
    if (n > LANES && n % LANES) {
        kernel_input last = in;
        last.data += n - LANES;
        kernel_load_all(last, count, LANES, x + n - LANES);
        kernel_load_all(in, count, n - n % LANES, x);
        return;
    }
#endif
    kernel_load_all(in, count, n, x);
}

/*
 * Where the states of a pack are written. Unused lanes repeat the first state, bit for bit, and may be written over it:
 * so a pack is always stored as a whole, without a branch, from registers.
 */
typedef struct lane_places {
    lane *at[LANES];
} lane_places;

static inline lane_places places_of(kernel_output out, int count)
{
    lane_places p;
    for (int l = 0; l < LANES; l++) p.at[l] = out.data ? out.data + kernel_state(count, l) * out.stride : NULL;
    return p;
}

/* LANES entries of every state */
NUM_INLINE void places_store(const lane_places *p, size_t index, num *x)
{
    num_transpose(x);
    for (int l = 0; l < LANES; l++) *(num_anywhere *)(p->at[l] + index) = x[l];
}

/* 4x4, row-major, of every state */
NUM_INLINE void store_pose(const lane_places *p, int32_t body, pose A)
{
    const size_t at = 16 * (size_t)body;
#if LANES == 8
    num x[] = {A.R.x.x, A.R.y.x, A.R.z.x, A.p.x, A.R.x.y, A.R.y.y, A.R.z.y, A.p.y};
    num y[] = {A.R.x.z, A.R.y.z, A.R.z.z, A.p.z, K(0), K(0), K(0), K(1)};
    places_store(p, at, x);
    places_store(p, at + 8, y);
#else
    num x[16] = {A.R.x.x, A.R.y.x, A.R.z.x, A.p.x, A.R.x.y, A.R.y.y, A.R.z.y, A.p.y,
                 A.R.x.z, A.R.y.z, A.R.z.z, A.p.z, K(0),    K(0),    K(0),    K(1)};
    for (int k = 0; k < 16; k += LANES) places_store(p, at + (size_t)k, x + k);
#endif
}

/* ---- poses ---- */

/* the pose of a body in its parent's frame, see plan_motion; s, c: sine and cosine of a revolute joint */
NUM_INLINE pose motion_pose(const plan_motion *b, const num *q, const num *s, const num *c)
{
    num x[12], y[12];
    if (b->type == HML_JOINT_REVOLUTE) {
        for (int k = 0; k < 12; k++) x[k] = K(b->rows[0][k]) + *c * K(b->rows[1][k]) + *s * K(b->rows[2][k]);
        return pose_at(x);
    }
    for (int k = 0; k < 12; k++) x[k] = K(b->rows[0][k]), y[k] = K(b->rows[1][k]);
    if (b->type == HML_JOINT_FREE && b->quarter_turn) {
        return pose_of(quat_to_mat3(quat_normalize(quat_at(q + 3))), vec3_at(q));
    }
    if (b->type != HML_JOINT_PRISMATIC) {
        return pose_mul(joint_move(b->type, pose_at(x), K(b->pitch), q), pose_at(y));
    }
    for (int k = 3; k < 12; k += 4) x[k] += q[0] * y[k];
    return pose_at(x);
}

/* the same after the pose P, for a revolute joint about axis k of a quarter turn: one column stays and two turn */
NUM_INLINE pose quarter_turn_pose(const plan_motion *b, const pose *P, num s, num c, int k)
{
    const vec3 *from = &P->R.x;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    int at[3];
    double sign[3];
    vec3 out[3];
    plan_quarter_turn(b->quarter_turn, at, sign);
    const num si = s * K(b->axis & 4 ? -sign[i] : sign[i]), sj = s * K(b->axis & 4 ? -sign[j] : sign[j]);
    out[k] = vec3_scale(K(sign[k]), from[at[k]]);
    out[i] = vec3_axpy(sj, from[at[j]], vec3_scale(c * K(sign[i]), from[at[i]]));
    out[j] = vec3_axpy(-si, from[at[i]], vec3_scale(c * K(sign[j]), from[at[j]]));
    return pose_of(mat3_of(out[0], out[1], out[2]),
                   pose_act(*P, vec3_of(K(b->rows[0][3]), K(b->rows[0][7]), K(b->rows[0][11]))));
}

typedef struct pose_scratch {
    num *q, *s, *c; /* nq each */
    pose *W;        /* levels: bodies in the world */
} pose_scratch;

static inline size_t pose_scratch_lay(const hml_plan *plan, void *memory, pose_scratch *k)
{
    layout_cursor at = layout_begin(memory);
    k->q = (num *)layout_take(&at, (size_t)plan->nq * sizeof(num));
    k->W = (pose *)layout_take(&at, (size_t)plan->levels * sizeof(pose));
    k->s = (num *)layout_take(&at, (size_t)plan->nq * sizeof(num));
    k->c = (num *)layout_take(&at, (size_t)plan->nq * sizeof(num));
    return at.used;
}

/* returns the lanes with a bad state */
static inline unsigned pack_poses(const jacobian_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_motion *b = plan_motions(plan);
    pose_scratch k;
    pose_scratch_lay(plan, call->scratch, &k);
    num *q = k.q, *s = k.s, *c = k.c;
    pose *W = k.W;
    const lane_places H = places_of(call->H, call->count);
    load_row(call->q, call->count, plan->nq, q);
    for (int32_t a = plan->angles_begin; a < plan->angles_end; a++) num_sincos(q[a], &s[a], &c[a]);
    for (int32_t i = 0; i < plan->nbodies; i++, b++) {
        pose *to = &W[b->level],
             *parent = b->level ? to - 1 : NULL; /* depth first: the parent is the last body of that level */
        if (parent && b->quarter_turn && b->type == HML_JOINT_REVOLUTE) { /* elsewhere it means: no placement */
            const num sine = s[b->q], cosine = c[b->q];
            switch (b->axis & 3) {
            case 0: *to = quarter_turn_pose(b, parent, sine, cosine, 0); break;
            case 1: *to = quarter_turn_pose(b, parent, sine, cosine, 1); break;
            default: *to = quarter_turn_pose(b, parent, sine, cosine, 2); break;
            }
        } else {
            const pose M = motion_pose(b, q + b->q, s + b->q, c + b->q);
            *to = parent ? pose_mul(*parent, M) : M;
        }
        store_pose(&H, i, *to);
    }
    return num_lanes(kernel_bad_state(plan, q, NULL, NULL));
}

#endif
