/*
 * Inverse dynamics and its derivatives, over num: τ, ∂τ/∂q, ∂τ/∂ν and M at q, ν, ν̇.
 *
 * The columns of ∂τ are the right-hand sides of pack/columns.h. A free root: with s = g − ω × u, the part of its linear
 * acceleration that the passes leave out, τ(q, ν, ν̇) = τ′(q, ω, ν̇ − s) where τ′ depends neither on gravity nor on u. So
 * ∂τ/∂(base) = ∂τ′/∂(base) − M ∂s/∂(base).
 */
#ifndef HML_KERNEL_PACK_INVERSE_DYNAMICS_DERIVATIVES_H
#define HML_KERNEL_PACK_INVERSE_DYNAMICS_DERIVATIVES_H

#include "kernel/pack/layout.h"

#include "kernel/passes.h"

/* row c of M [a; 0], without armature, for a linear acceleration a of a free root: its columns are the identity */
static inline num base_mass_row(const column_state *column, vec3 a) { return vec3_dot(column->F.f, a); }

/* ∂τ/∂q_c and ∂τ/∂ν_c of one column, see pack/columns.h */
static inline void inverse_column(const kernel_call *call, int32_t index, const kernel_scratch *k, int32_t c)
{
    const hml_plan *plan = call->plan;
    const plan_tree *tree = &plan_trees(plan)[index];
    const plan_column *pc = &plan_columns(plan)[c];
    const int32_t *path = column_path(call->paths, c);
    const column_state *columns = k->kept.columns, *col = &columns[c];
    const composite *b = &k->kept.bodies[pc->body].sum;
    const double damping = call->passive ? call->coordinates[c].damping : 0;
    int32_t depth = plan_columns(plan)[pc->first].depth, j = c - tree->begin, m = plan_bodies(plan)[pc->body].nv;
    wrench Uq = composite_Uq(b, col->S, col->Pd, col->Pdd), Uv = composite_Uv(b, col->S, col->PS);
    for (int32_t d = 0; d < depth; d++) {
        twist S = columns[path[d]].S;
        if (call->dtau_dq.data) kernel_store(call->dtau_dq, call->count, path[d], c, wrench_dot(Uq, S));
        if (call->dtau_dv.data) kernel_store(call->dtau_dv, call->count, path[d], c, wrench_dot(Uv, S));
    }
    vec3 dq = vec3_zero(), dv = vec3_zero();
    if (j < tree->base) base_derivative(j, &k->kept.base[index], &k->kept.v[tree->begin], &dq, &dv);
    for (int32_t i = pc->first; i < pc->subtree_end; i++) {
        const column_state *s = &columns[i];
        num q = K(0), v = K(0);
        if (j >= tree->base) q = vec3_dot(s->g, col->Pd.w) + wrench_dot(s->F, col->Pdd);
        if (j >= tree->base || j >= 3) v = vec3_dot(s->g, col->S.w) + wrench_dot(s->F, col->PS);
        q -= base_mass_row(s, dq);
        v -= base_mass_row(s, dv);
        if (call->passive && i < pc->first + m) q += k->kept.springs[i * PASSIVE_LD + c - pc->first];
        if (i == c) v += K(damping);
        if (call->dtau_dq.data) kernel_store(call->dtau_dq, call->count, i, c, q);
        if (call->dtau_dv.data) kernel_store(call->dtau_dv, call->count, i, c, v);
    }
}

/* M of a tree into both triangles */
static inline void inverse_mass_matrix(const kernel_call *call, const plan_tree *tree, const kernel_scratch *k)
{
    const plan_column *pc = plan_columns(call->plan);
    const model_coordinate *passive = call->coordinates;
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(call->paths, c);
        wrench F = k->kept.columns[c].F;
        for (int32_t d = 0; d < pc[c].depth; d++) {
            num m = wrench_dot(F, k->kept.columns[path[d]].S);
            kernel_store(call->M, call->count, c, path[d], m);
            kernel_store(call->M, call->count, path[d], c, m);
        }
        kernel_store(call->M, call->count, c, c, wrench_dot(F, k->kept.columns[c].S) + K(passive[c].armature));
    }
}

/* the caller clears all outputs but the torque: entries between different branches are not written */
static inline unsigned pack_inverse_dynamics_derivatives(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_column *pc = plan_columns(plan);
    const model_coordinate *passive = call->coordinates;
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->a, call->count, plan->nv, k.kept.tau);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        const kept_scratch s = k.kept;
        tree_forward(plan, tree, call->gravity, k.kept.q, k.kept.v, s.bodies, s.columns, &s.base[t]);
        apply_wrenches(call, tree, s.bodies);
        tree_composite(plan, tree, s.bodies, s.columns);
        for (int32_t c = tree->begin; c < tree->end; c++) s.x[c] = k.kept.tau[c];
        if (tree->base) {
            vec3 left_out = base_acceleration(&s.base[t], &k.kept.v[tree->begin]);
            add_vec3(&s.x[tree->begin], vec3_neg(left_out));
        }
        tree_accelerate(plan, tree, s.x, s.bodies, s.columns, s.G);
        for (int32_t c = tree->begin; c < tree->end; c++) {
            num force = wrench_dot(s.bodies[pc[c].body].sum.f, s.columns[c].S);
            s.b[c] = -(force + K(passive[c].armature) * k.kept.tau[c]);
        }
        if (call->passive) passive_forces(plan, tree, call->coordinates, k.kept.q, k.kept.v, s.b, s.springs);
        for (int32_t c = tree->begin; c < tree->end && (call->dtau_dq.data || call->dtau_dv.data); c++) {
            inverse_column(call, t, &k, c);
        }
        if (call->M.data) inverse_mass_matrix(call, tree, &k);
        for (int32_t c = tree->begin; c < tree->end && call->torque.data; c++) {
            kernel_store(call->torque, call->count, 0, c, -s.b[c]);
        }
    }
    return 0;
}

#endif
