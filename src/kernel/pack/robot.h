/*
 * A robot in motion, over num: what the Coriolis matrix, the regressor and the centroidal momentum share.
 *
 * All quantities of a tree are in the plan frame of its root body at this instant, as in kernel/composite.h; but here
 * nothing is left out of the motion of a free root. Gravity is left out unless a kernel lets the world accelerate.
 */
#ifndef HML_KERNEL_PACK_ROBOT_H
#define HML_KERNEL_PACK_ROBOT_H

#include "kernel/pack/body_frames.h"
#include "kernel/pack/walk.h"

/* the bodies on the current path, one per level of the tree */
typedef struct robot_link {
    pose H;
    twist v, a;
} robot_link;

typedef struct robot_column {
    twist S, Sd; /* Sd = Ṡ = v × S, v that of its own body */
} robot_column;

typedef struct robot_scratch {
    num *q, *v, *a, *s, *c;
    robot_link *links;     /* levels */
    pose *roots;           /* ntrees: root frames in the world */
    composite *sums;       /* nbodies */
    robot_column *columns; /* nv */
} robot_scratch;

static inline void robot_scratch_lay(const hml_plan *plan, layout_cursor *at, robot_scratch *k)
{
    const size_t nv = (size_t)plan->nv;
    k->q = (num *)layout_take(at, (size_t)plan->nq * sizeof(num));
    k->v = (num *)layout_take(at, nv * sizeof(num));
    k->a = (num *)layout_take(at, nv * sizeof(num));
    k->s = (num *)layout_take(at, sincos_size(plan));
    k->c = (num *)layout_take(at, sincos_size(plan));
    k->links = (robot_link *)layout_take(at, (size_t)plan->levels * sizeof(robot_link));
    k->roots = (pose *)layout_take(at, (size_t)plan->ntrees * sizeof(pose));
    k->sums = (composite *)layout_take(at, (size_t)plan->nbodies * sizeof(composite));
    k->columns = (robot_column *)layout_take(at, nv * sizeof(robot_column));
}

/* the state into packs; what is not given is zero */
static inline void robot_load(const robot_call *call, const robot_scratch *k)
{
    const hml_plan *plan = call->plan;
    load_row(call->q, call->count, plan->nq, k->q);
    kernel_load_all(call->v, call->count, plan->nv, k->v);
    kernel_load_all(call->a, call->count, plan->nv, k->a);
    sincos_all(plan, k->q, k->s, k->c);
}

static inline unsigned robot_bad(const robot_call *call, const robot_scratch *k)
{
    return num_lanes(kernel_bad_state(call->plan, k->q, k->v, k->a));
}

/* out: pose and columns; order 1: with velocities, 2: with accelerations. gravity: of a world that accelerates, or NULL
 */
NUM_INLINE void robot_out(const int order, const robot_scratch *k, const plan_body *p, int32_t tree,
                          const double *gravity)
{
    robot_link *own = &k->links[p->level];
    const num *nu = &k->v[p->v], *nud = &k->a[p->v], pitch = K(p->pitch);
    robot_column *c = &k->columns[p->v];
    twist v = twist_zero(), a = twist_zero();
    if (p->parent < 0) {
        const pose W = joint_move(p->type, plan_pose(p->X), pitch, &k->q[p->q]);
        k->roots[tree] = W;
        own->H = pose_identity();
        if (gravity) a.v = mat3_tmul_vec(W.R, vec3_of(K(-gravity[0]), K(-gravity[1]), K(-gravity[2])));
    } else {
        pose H = link_predecessor(&own[-1].H, p);
        if (p->type == HML_JOINT_REVOLUTE)
            H.R = turn_z_by(H.R, k->s[p->q], k->c[p->q]);
        else
            H = joint_move(p->type, H, pitch, &k->q[p->q]);
        own->H = H;
        if (order > 0) v = own[-1].v;
        if (order > 1) a = own[-1].a;
    }
    if (p->nv == 1) { /* S × S is zero */
        const twist S = joint_column_at(p->type, own->H, pitch);
        c->S = S;
        if (order > 0) {
            const twist Sd = twist_cross(v, S);
            c->Sd = Sd;
            if (order > 1) a = twist_axpy(nu[0], Sd, twist_axpy(nud[0], S, a));
            v = twist_axpy(nu[0], S, v);
        }
    } else if (p->nv) {
        twist S[HML_JOINT_MAX_NV], vJ = twist_zero();
        joint_columns_at(p->type, own->H, pitch, S);
        for (int32_t i = 0; i < p->nv; i++) c[i].S = S[i];
        if (order > 0) {
            for (int32_t i = 0; i < p->nv; i++) vJ = twist_axpy(nu[i], S[i], vJ);
            if (order > 1) a = twist_add(a, twist_cross(v, vJ));
            for (int32_t i = 0; order > 1 && i < p->nv; i++) a = twist_axpy(nud[i], S[i], a);
            v = twist_add(v, vJ);
            for (int32_t i = 0; i < p->nv; i++) c[i].Sd = twist_cross(v, S[i]);
        }
    }
    if (order > 0) own->v = v;
    if (order > 1) own->a = a;
}

/* a body's inertia, momentum and k, and its force, as far as the order goes */
NUM_INLINE void robot_own(const int order, const robot_scratch *k, const plan_body *p, int32_t i)
{
    const robot_link *own = &k->links[p->level];
    const inertia I = inertia_transform(own->H, plan_inertia(p->I));
    composite *sum = &k->sums[i];
    if (order == 0) {
        sum->I = I;
        return;
    }
    const composite b = composite_of(I, own->v, order > 1 ? own->a : twist_zero());
    sum->I = I, sum->n = b.n, sum->t = b.t, sum->k = b.k;
    if (order > 1) sum->f = b.f;
}

/* a finished subtree joins its parent's */
NUM_INLINE void robot_join(const int order, const robot_scratch *k, const plan_body *p, int32_t i)
{
    if (p->parent < 0) return;
    composite *to = &k->sums[p->parent];
    const composite *from = &k->sums[i];
    to->I = inertia_add(to->I, from->I);
    if (order == 0) return;
    to->n = vec3_add(to->n, from->n), to->t = vec3_add(to->t, from->t), to->k = sym3_add(to->k, from->k);
    if (order > 1) to->f = wrench_add(to->f, from->f);
}

#endif
