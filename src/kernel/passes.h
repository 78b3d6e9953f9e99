/*
 * The passes of inverse dynamics and its derivatives, over num: kinematics root to leaves, composite bodies leaves to
 * root, then the same with accelerations. Formulas and frames are those of kernel/composite.h.
 */
#ifndef HML_KERNEL_PASSES_H
#define HML_KERNEL_PASSES_H

#include "kernel/call.h"
#include "kernel/composite.h"

/*
 * Root to leaves: poses, columns, velocities, accelerations with ν̇ = 0, inertias and forces of the single bodies. q and
 * v are in the tree's numbering. gravity is in the world frame.
 */
static inline void tree_forward(const hml_plan *plan, const plan_tree *tree, const double gravity[3], const num *q,
                                const num *v, body_state *bodies, column_state *columns, base_motion *base)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        const plan_body *p = &pb[i];
        body_state *b = &bodies[i];
        column_state *c = &columns[p->v];
        const num *nu = &v[p->v];
        num pitch = K(p->pitch);
        int root = p->parent < 0, free_root = root && tree->base;
        twist vp = twist_zero(), vJ = twist_zero();

        if (root) {
            pose W = joint_move(p->type, plan_pose(p->X), pitch, &q[p->q]);
            base->H = W;
            base->gravity = mat3_tmul_vec(W.R, vec3_of(K(gravity[0]), K(gravity[1]), K(gravity[2])));
            base->u = free_root ? vec3_at(nu) : vec3_zero();
            b->H = pose_identity();
            b->a = free_root ? twist_zero() : twist_of(vec3_neg(base->gravity), vec3_zero());
        } else {
            const body_state *parent = &bodies[p->parent];
            b->H = joint_move(p->type, pose_mul(parent->H, plan_pose(p->X)), pitch, &q[p->q]);
            vp = parent->v;
            b->a = parent->a;
        }
        twist S[HML_JOINT_MAX_NV];
        joint_columns_at(p->type, b->H, pitch, S);
        for (int32_t k = 0; k < p->nv; k++) c[k].S = S[k];
        for (int32_t k = free_root ? 3 : 0; k < p->nv; k++) vJ = twist_axpy(nu[k], c[k].S, vJ);
        b->v = twist_add(vp, vJ);
        b->a = twist_add(b->a, twist_cross(vp, vJ));
        for (int32_t k = 0; k < p->nv; k++) {
            c[k].Pd = root ? twist_zero() : twist_cross(vp, c[k].S);
            c[k].PS = twist_add(c[k].Pd, c[k].Pd);
            if (p->nv > 1) c[k].PS = twist_add(c[k].PS, twist_cross(vJ, c[k].S)); /* S × S is zero */
        }
        b->sum = composite_of(inertia_transform(b->H, plan_inertia(p->I)), b->v, b->a);
    }
}

/* Leaves to root: inertia, momentum, k and force of every subtree; F and g of every column. */
static inline void tree_composite(const hml_plan *plan, const plan_tree *tree, body_state *bodies,
                                  column_state *columns)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_end - 1; i >= tree->body_begin; i--) {
        const composite *b = &bodies[i].sum;
        for (int32_t k = 0; k < pb[i].nv; k++) {
            column_state *c = &columns[pb[i].v + k];
            c->F = inertia_mul(b->I, c->S);
            c->g = composite_2B_transposed(b, c->S);
        }
        if (pb[i].parent < 0) continue;
        body_state *p = &bodies[pb[i].parent];
        p->sum = composite_add(p->sum, *b);
    }
}

/*
 * With ν̇ known: accelerations and Ψ̈ root to leaves, then the forces of the subtrees leaves to root. A subtree's force
 * grows by I Δa_i + Σ F ν̇ over the columns it carries, so no body's own inertia is needed again. G is scratch.
 */
static inline void tree_accelerate(const hml_plan *plan, const plan_tree *tree, const num *vd, body_state *bodies,
                                   column_state *columns, wrench *G)
{
    const plan_body *pb = plan_bodies(plan);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        body_state *b = &bodies[i];
        int32_t p = pb[i].parent;
        twist ap = p < 0 ? b->a : bodies[p].a; /* a root's own acceleration at ν̇ = 0 is that of the world */
        twist vp = p < 0 ? twist_zero() : bodies[p].v;
        b->da = p < 0 ? twist_zero() : bodies[p].da;
        for (int32_t k = 0; k < pb[i].nv; k++) {
            column_state *c = &columns[pb[i].v + k];
            c->Pdd = twist_cross(ap, c->S);
            if (p >= 0) c->Pdd = twist_add(c->Pdd, twist_cross(vp, c->Pd));
            b->da = twist_axpy(vd[pb[i].v + k], c->S, b->da);
        }
        b->a = twist_add(b->a, b->da);
        G[i] = wrench_zero();
    }
    for (int32_t i = tree->body_end - 1; i >= tree->body_begin; i--) {
        body_state *b = &bodies[i];
        b->sum.f = wrench_add(b->sum.f, wrench_add(inertia_mul(b->sum.I, b->da), G[i]));
        if (pb[i].parent < 0) continue;
        wrench sum = G[i];
        for (int32_t k = 0; k < pb[i].nv; k++) {
            sum = wrench_add(sum, wrench_scale(vd[pb[i].v + k], columns[pb[i].v + k].F));
        }
        G[pb[i].parent] = wrench_add(G[pb[i].parent], sum);
    }
}

/* ---- external wrenches ---- */

/* the external wrench on body i, given in its own frame, in the root frame where its plan frame is H */
static inline wrench body_wrench(const kernel_call *call, int32_t i, pose H)
{
    num f[6];
    for (int32_t k = 0; k < 6; k++) f[k] = kernel_load(call->wrenches, call->count, 6 * i + k);
    return pose_ad_dual(pose_mul(H, plan_pose(plan_bodies(call->plan)[i].to_body)), wrench_at(f));
}

static inline void apply_wrenches(const kernel_call *call, const plan_tree *tree, body_state *bodies)
{
    for (int32_t i = tree->body_begin; call->wrenches.data && i < tree->body_end; i++) {
        bodies[i].sum.f = wrench_sub(bodies[i].sum.f, body_wrench(call, i, bodies[i].H));
    }
}

#endif
