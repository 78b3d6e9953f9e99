/*
 * Bodies in their own frames, over num: what inverse dynamics and the mass matrix share.
 *
 * Nothing is expressed in the world or in the root frame here, so inertias stay the constants of the plan, and an axis
 * stays z. Only what passes through a joint is rotated, by the joint. Most joints are revolute and most placements are
 * quarter turns: then rotating a vector takes four products, and the quarter turn renames its components, which costs
 * nothing where they come from memory.
 */
#ifndef HML_KERNEL_PACK_BODY_FRAMES_H
#define HML_KERNEL_PACK_BODY_FRAMES_H

#include "kernel/pack/sincos.h"
#include "kernel/passes.h"
#include "kernel/passive.h"
#include "kernel/scratch.h"

/* rare joint types are not inlined: their spills would slow down the path of revolute joints */
#if defined __GNUC__
#define RARE_JOINT static __attribute__((noinline))
#else
#define RARE_JOINT static
#endif

/* n entries of every state; a single state is read in place */
static inline const num *body_frame_input(kernel_input in, int count, int32_t n, num *room)
{
#if LANES == 1
    if (in.data) return in.data;
#endif
    kernel_load_all(in, count, n, room);
    return room;
}

/* ---- joints ---- */

/*
 * A revolute joint: the placement, then a rotation about z. If the placement is a quarter turn, component k in the
 * predecessor frame is sign[k] times component at[k] in the parent's; otherwise the rotation X is multiplied out.
 * `quarter` is a constant wherever these functions are inlined.
 */
typedef struct revolute {
    int quarter;
    size_t at[3];
    double sign[3];
    const double *X;
    num s, c;
} revolute;

static inline int is_revolute(const plan_body *p) { return p->type == HML_JOINT_REVOLUTE && p->parent >= 0; }

NUM_INLINE revolute revolute_of(const plan_body *p, num s, num c, int quarter)
{
    revolute g;
    g.quarter = quarter;
    if (quarter) {
        int at[3];
        plan_quarter_turn(p->quarter_turn, at, g.sign);
        for (int k = 0; k < 3; k++) g.at[k] = (size_t)at[k];
    }
    g.X = p->X;
    g.s = s, g.c = c;
    return g;
}

/* a vector in the parent's frame, to the predecessor frame */
NUM_INLINE vec3 revolute_enter(const revolute *g, const num *a)
{
    const double *X = g->X;
    if (g->quarter) {
        return vec3_of(K(g->sign[0]) * a[g->at[0]], K(g->sign[1]) * a[g->at[1]], K(g->sign[2]) * a[g->at[2]]);
    }
    return vec3_of(K(X[0]) * a[0] + K(X[3]) * a[1] + K(X[6]) * a[2], K(X[1]) * a[0] + K(X[4]) * a[1] + K(X[7]) * a[2],
                   K(X[2]) * a[0] + K(X[5]) * a[1] + K(X[8]) * a[2]);
}

/* adds a vector in the predecessor frame to one in the parent's */
NUM_INLINE void revolute_join(const revolute *g, vec3 a, num *sum)
{
    const double *X = g->X;
    if (g->quarter) {
        sum[g->at[0]] += K(g->sign[0]) * a.x;
        sum[g->at[1]] += K(g->sign[1]) * a.y;
        sum[g->at[2]] += K(g->sign[2]) * a.z;
        return;
    }
    for (int k = 0; k < 3; k++) sum[k] += K(X[3 * k]) * a.x + K(X[3 * k + 1]) * a.y + K(X[3 * k + 2]) * a.z;
}

/* position of the joint, in the predecessor frame */
NUM_INLINE vec3 revolute_place(const revolute *g)
{
    const double *X = g->X, *p = X + 9;
    if (g->quarter) {
        return vec3_of(K(g->sign[0] * p[g->at[0]]), K(g->sign[1] * p[g->at[1]]), K(g->sign[2] * p[g->at[2]]));
    }
    return vec3_of(K(X[0] * p[0] + X[3] * p[1] + X[6] * p[2]), K(X[1] * p[0] + X[4] * p[1] + X[7] * p[2]),
                   K(X[2] * p[0] + X[5] * p[1] + X[8] * p[2]));
}

/* about z, from the predecessor frame to the body's and back */
NUM_INLINE vec3 revolute_turn(const revolute *g, vec3 a)
{
    return vec3_of(g->c * a.x + g->s * a.y, g->c * a.y - g->s * a.x, a.z);
}

NUM_INLINE vec3 revolute_return(const revolute *g, vec3 a)
{
    return vec3_of(g->c * a.x - g->s * a.y, g->s * a.x + g->c * a.y, a.z);
}

/* the body's frame in the parent's, for any other joint */
static inline pose body_frame_pose(const plan_body *p, const num *q)
{
    return joint_move(p->type, plan_pose(p->X), K(p->pitch), q);
}

/* S x of a joint, in the body's frame */
static inline twist body_frame_motion(const plan_body *p, const num *x)
{
    twist S[HML_JOINT_MAX_NV], sum = twist_zero();
    if (p->type == HML_JOINT_FREE) return twist_at(x);
    joint_columns_at(p->type, pose_identity(), K(p->pitch), S);
    for (int32_t k = 0; k < p->nv; k++) sum = twist_axpy(x[k], S[k], sum);
    return sum;
}

/* Sᵀ F of a joint, F in the body's frame */
static inline void body_frame_power(const plan_body *p, wrench F, num *x)
{
    twist S[HML_JOINT_MAX_NV];
    if (p->type == HML_JOINT_FREE) {
        x[0] = F.f.x, x[1] = F.f.y, x[2] = F.f.z, x[3] = F.t.x, x[4] = F.t.y, x[5] = F.t.z;
        return;
    }
    joint_columns_at(p->type, pose_identity(), K(p->pitch), S);
    for (int32_t k = 0; k < p->nv; k++) x[k] = wrench_dot(F, S[k]);
}

#endif
