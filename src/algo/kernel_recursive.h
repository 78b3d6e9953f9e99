/*
 * Inverse dynamics alone and the mass matrix alone, over num: the walks of kernel_passes.h with nothing in them but
 * what these two need. Frames and formulas are those of kernel_tree.h.
 *
 *   torque   out: pose, velocity, acceleration, force of each body    back: τ = S·f, the force joins the parent (RNEA)
 *   mass     out: pose, inertia                                       back: F = I S, rows F·S, I joins the parent
 * (CRBA)
 */
#ifndef HML_ALGO_KERNEL_RECURSIVE_H
#define HML_ALGO_KERNEL_RECURSIVE_H

#include "algo/kernel_dynamics.h"

/* pose of a body at its level, and its columns; of a root in the root frame, which is its own */
static inline void link_place(const walk *w, const plan_body *p)
{
    link_state *own = &w->links[p->level];
    branch_column *c = &w->columns[p->v];
    num pitch = K(p->pitch);
    if (p->parent < 0) {
        pose W = joint_move(p->type, plan_pose(p->X), pitch, &w->q[p->q]);
        w->base->H = W;
        w->base->gravity = mat3_tmul_vec(W.R, vec3_of(K(w->gravity[0]), K(w->gravity[1]), K(w->gravity[2])));
        own->H = pose_identity();
    } else {
        own->H = joint_move(p->type, link_predecessor(&own[-1].H, p), pitch, &w->q[p->q]);
    }
    if (p->nv == 1) {
        c->S = joint_column_at(p->type, own->H, pitch);
    } else {
        twist S[HML_JOINT_MAX_NV];
        joint_columns_at(p->type, own->H, pitch, S);
        for (int32_t k = 0; k < p->nv; k++) c[k].S = S[k];
    }
}

static inline inertia link_inertia(const walk *w, const plan_body *p)
{
    return p->parent < 0 ? plan_inertia(p->I) : inertia_transform(w->links[p->level].H, plan_inertia(p->I));
}

/* ---- inverse dynamics ---- */

/* motion and force of a body; vd is ν̇ without what base_acceleration leaves out */
static inline void torque_out(const walk *w, const plan_body *p, const num *vd)
{
    link_state *own = &w->links[p->level];
    const branch_column *c = &w->columns[p->v];
    const int root = p->parent < 0, free_root = root && w->tree->base;
    twist vp = twist_zero(), vJ = twist_zero(), a;
    if (!root)
        vp = own[-1].v, a = own[-1].a;
    else
        a = free_root ? twist_zero() : twist_of(vec3_neg(w->base->gravity), vec3_zero());
    for (int32_t k = 0; k < p->nv; k++) {
        twist S = c[k].S;
        if (!free_root || k >= 3) vJ = twist_axpy(w->v[p->v + k], S, vJ);
        a = twist_axpy(vd[p->v + k], S, a);
    }
    twist v = root ? vJ : twist_add(vp, vJ);
    if (!root) a = twist_add(a, twist_cross(vp, vJ));
    inertia I = link_inertia(w, p);
    own->v = v;
    own->a = a;
    own->sum.f = wrench_add(inertia_mul(I, a), twist_cross_dual(v, inertia_mul(I, v)));
}

static inline unsigned kernel_torque(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const model_coordinate *passive = plan_coordinates(plan);
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->a, call->count, plan->nv, k.tau);
    mask bad = kernel_not_finite(k.tau, plan->nv, state_bad(call, &k));
    for (int32_t t = 0; t < plan->ntrees; t++) {
        walk w = kernel_walk(call, &k, t);
        const plan_tree *tree = w.tree;
        for (int32_t c = tree->begin; c < tree->end; c++) w.x[c] = k.tau[c], w.b[c] = K(0);
        if (call->passive) passive_forces(plan, tree, k.q, k.v, w.b, k.s.springs);
        for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
            link_place(&w, &pb[i]);
            if (i == tree->body_begin && tree->base) {
                const num *v = &k.v[tree->begin];
                w.base->u = vec3_of(v[0], v[1], v[2]);
                add_vec3(&w.x[tree->begin], vec3_neg(base_acceleration(w.base, v)));
            }
            torque_out(&w, &pb[i], w.x);
            link_state *own = &w.links[pb[i].level];
            if (call->wrenches.data) own->sum.f = wrench_sub(own->sum.f, body_wrench(call, i, own->H));
            for (int32_t j = i; j >= tree->body_begin && pb[j].end == i + 1; j = pb[j].parent) {
                link_state *at = &w.links[pb[j].level];
                wrench f = at->sum.f;
                for (int32_t c = pb[j].v; c < pb[j].v + pb[j].nv; c++) {
                    w.b[c] = wrench_dot(f, w.columns[c].S) + K(passive[c].armature) * k.tau[c] - w.b[c];
                }
                if (pb[j].parent >= 0) at[-1].sum.f = wrench_add(at[-1].sum.f, f);
            }
        }
    }
    kernel_store_run(call->torque, call->count, 0, 0, plan->nv, k.s.b);
    return lane_bits(bad);
}

/* ---- mass matrix ---- */

/* row c of M on the path of c, then everything of a joint to its parent */
static inline void mass_back(const walk *w, const plan_body *p)
{
    link_state *own = &w->links[p->level];
    for (int32_t c = p->v; c < p->v + p->nv; c++) {
        const int32_t *path = column_path(w->plan, w->paths, c);
        const int32_t depth = plan_columns(w->plan)[c].depth;
        num *row = factor_row(&w->f, c);
        twist S = w->columns[c].S;
        wrench F = inertia_mul(own->sum.I, S);
        w->f.diagonal[c] = wrench_dot(F, S) + K(plan_coordinates(w->plan)[c].armature);
        for (int32_t d = 0; d < depth; d++) row[d] = wrench_dot(F, w->columns[path[d]].S);
    }
    if (p->parent >= 0) own[-1].sum.I = inertia_add(own[-1].sum.I, own->sum.I);
}

static inline unsigned kernel_mass(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const plan_column *pc = plan_columns(plan);
    kernel_scratch k;
    kernel_load_state(call, &k);
    mask bad = state_bad(call, &k);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        walk w = kernel_walk(call, &k, t);
        for (int32_t i = w.tree->body_begin; i < w.tree->body_end; i++) {
            link_place(&w, &pb[i]);
            w.links[pb[i].level].sum.I = link_inertia(&w, &pb[i]);
            for (int32_t j = i; j >= w.tree->body_begin && pb[j].end == i + 1; j = pb[j].parent) mass_back(&w, &pb[j]);
        }
        for (int32_t i = w.tree->begin; i < w.tree->end; i++) {
            const int32_t *path = column_path(plan, call->paths, i);
            const num *row = factor_row(&w.f, i);
            num *run = k.s.x;
            for (int32_t c = 0; c < plan->nv; c++) run[c] = K(0);
            for (int32_t d = 0; d < pc[i].depth; d++) run[path[d]] = row[d];
            run[i] = w.f.diagonal[i];
            for (int32_t c = i + 1; c < pc[i].subtree_end; c++) run[c] = factor_row(&w.f, c)[pc[i].depth];
            kernel_store_run(call->M, call->count, i, 0, plan->nv, run);
        }
    }
    return lane_bits(bad);
}

/* ---- its inverse ---- */

static inline void inverse_back(const walk *w, const plan_body *p, mask *failed)
{
    link_state *own = &w->links[p->level];
    const inertia *I = &own->sum.I;
    if (p->parent < 0 && w->tree->base) {
        factor_root(w->plan, w->tree, I, &w->f, w->block, w->b, failed);
        return;
    }
    for (int32_t c = p->v + p->nv - 1; c >= p->v; c--) {
        w->columns[c].F = inertia_mul(*I, w->columns[c].S);
        factor_column(w->plan, w->paths, w->tree, c, w->columns, &w->f, w->block, w->b, failed);
    }
    if (p->parent >= 0) own[-1].sum.I = inertia_add(own[-1].sum.I, *I);
}

/* Wᵀ of the unit vector, which is row c of W */
static inline void inverse_unit(const walk *w, const panel *p, const int32_t *path, int32_t c, int32_t j)
{
    const int32_t depth = plan_columns(w->plan)[c].depth, begin = w->tree->begin, base = w->tree->base;
    const num *row = factor_row(&w->f, c), *own = factor_own(&w->f, w->tree, c);
    for (int32_t d = 0; d < base; d++) *panel_entry(p->sm, d, j) = c < begin + base ? K(begin + d == c) : row[d];
    if (c < begin + base) return;
    for (int32_t d = base; d < depth; d++) *panel_entry(p->m, path[d] - begin, j) = own[d];
    *panel_entry(p->m, c - begin, j) = K(1);
}

/* columns begin … begin + n − 1 of M⁻¹ = W D⁻¹ Wᵀ, or of what stands for it under a free root */
static inline void inverse_panel(const kernel_call *call, const walk *w, const panel *p, int32_t begin, int32_t n)
{
    const plan_tree *tree = w->tree;
    const plan_column *pc = plan_columns(w->plan);
    const int32_t *path = column_path(w->plan, w->paths, begin);
    const int32_t first = tree->begin, depth = pc[begin].depth;
    for (int32_t d = tree->base; d < depth; d++) p->m[path[d] - first] = panel_zero();
    for (int32_t k = begin; k < begin + n; k++) p->m[k - first] = panel_zero();
    for (int32_t j = 0; j < n; j++) inverse_unit(w, p, column_path(w->plan, w->paths, begin + j), begin + j, j);
    for (int32_t d = 0; d < tree->base; d++) {
        const num *row = p->base_inverse + d * SIX_SPAN;
        panel_row m = panel_scale(row[0], &p->sm[0]);
        for (int32_t e = 1; e < 6; e++) m = panel_axpy(row[e], &p->sm[e], m);
        p->m[d] = m;
    }
    for (int32_t d = tree->base; d < depth; d++) {
        p->m[path[d] - first] = panel_scale(w->f.diagonal[path[d]], &p->m[path[d] - first]);
    }
    for (int32_t k = begin < first + tree->base ? first + tree->base : begin; k < begin + n; k++) {
        p->m[k - first] = panel_scale(w->f.diagonal[k], &p->m[k - first]);
    }
    panel_reach(w, p, begin, begin + n, begin + n);
    for (int32_t i = 0; i < tree->base; i++) kernel_store_panel(call->Minv, call->count, first + i, begin, n, p->m[i]);
    for (int32_t i = first + tree->base; i < tree->end; i++) {
        const int32_t *up = column_path(w->plan, w->paths, i);
        const int32_t common = p->common[i - first];
        const num *row = factor_row(&w->f, i);
        panel_row m = common > pc[i].depth ? p->m[i - first] : panel_zero();
        int32_t d = 0;
        if (tree->base) {
            for (; d < 6; d++) m = panel_axpy(row[d], &p->m[d], m);
            row += SIX_SPAN - 6;
        }
        for (; d < common && d < pc[i].depth; d++) m = panel_axpy(row[d], &p->m[up[d] - first], m);
        kernel_store_panel(call->Minv, call->count, i, begin, n, m);
    }
}

static inline unsigned kernel_inverse_mass(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const plan_column *pc = plan_columns(plan);
    kernel_scratch k;
    kernel_load_state(call, &k);
    mask failed = state_bad(call, &k);
    if (plan->ntrees > 1) clear_between(call, call->Minv);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        walk w = kernel_walk(call, &k, t);
        const plan_tree *tree = w.tree;
        walk_clear(&w);
        for (int32_t c = tree->begin; c < tree->end; c++) w.b[c] = K(0);
        for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
            for (int32_t c = pb[i].v; c < pb[i].v + pb[i].nv; c++) factor_clear(&w.f, tree, c, pc[c].depth);
            link_place(&w, &pb[i]);
            w.links[pb[i].level].sum.I = link_inertia(&w, &pb[i]);
            for (int32_t j = i; j >= tree->body_begin && pb[j].end == i + 1; j = pb[j].parent) {
                inverse_back(&w, &pb[j], &failed);
            }
        }
        for (int32_t c = tree->begin + tree->base; c < tree->end; c++) {
            factor_invert(plan, call->paths, tree, c, &w.f);
        }
        if (tree->base) factor_base_inverse(tree, &w.f, k.p.base_inverse);
        for (int32_t c = tree->begin; c < tree->end; c += PANEL) {
            inverse_panel(call, &w, &k.p, c, tree->end - c < PANEL ? tree->end - c : PANEL);
        }
    }
    return lane_bits(failed);
}

#endif
