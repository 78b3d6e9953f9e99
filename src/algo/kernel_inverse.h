/*
 * Inverse dynamics and its derivatives, over num: τ, ∂τ/∂q, ∂τ/∂ν and M at q, ν, ν̇.
 *
 * The columns of ∂τ are those of kernel_linearize.h before they are solved for. A free root: with s = g − ω × u the
 * part of its linear acceleration that Galilei gives, τ(q, ν, ν̇) = τ′(q, ω, ν̇ − s) where τ′ knows neither gravity nor
 * u, so that ∂τ/∂(base) = ∂τ′/∂(base) − M ∂s/∂(base).
 */
#ifndef HML_ALGO_KERNEL_INVERSE_H
#define HML_ALGO_KERNEL_INVERSE_H

#include "algo/kernel_dynamics.h"

/* M [a; 0] for a linear acceleration a of a free root, row c of M without armature: F of a column meets the identity */
static inline num base_mass_row(const column_state *column, vec3 a) { return vec3_dot(column->F.f, a); }

static inline void inverse_columns(const kernel_call *call, int32_t index, const kernel_scratch *k)
{
    const hml_plan *plan = call->plan;
    const plan_tree *tree = &plan_trees(plan)[index];
    const plan_column *pc = plan_columns(plan);
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(plan, call->paths, c);
        int32_t depth = pc[pc[c].first].depth;
        int base = c < tree->begin + tree->base;
        vec3 dq = vec3_zero(), dv = vec3_zero();
        column_right_hand_sides(plan, path, tree, c, &k->s);
        if (base) {
            base_derivative(c - tree->begin, &k->s.base[index], &k->v[tree->begin], &dq, &dv);
            base_right_hand_sides(tree, c - tree->begin, &k->s);
            for (int32_t i = tree->begin; i < tree->end; i++) {
                k->s.branch[i].q += base_mass_row(&k->s.columns[i], dq);
                k->s.branch[i].v += base_mass_row(&k->s.columns[i], dv);
            }
        }
        if (call->passive) passive_right_hand_sides(plan, c, &k->s);
        for (int32_t d = 0; d < depth; d++) {
            if (call->dtau_dq.data) kernel_store(call->dtau_dq, call->count, path[d], c, -k->s.path[d].q);
            if (call->dtau_dv.data) kernel_store(call->dtau_dv, call->count, path[d], c, -k->s.path[d].v);
        }
        for (int32_t i = pc[c].first; i < pc[c].subtree_end; i++) {
            if (call->dtau_dq.data) kernel_store(call->dtau_dq, call->count, i, c, -k->s.branch[i].q);
            if (call->dtau_dv.data) kernel_store(call->dtau_dv, call->count, i, c, -k->s.branch[i].v);
        }
    }
}

/* M of a tree into both triangles; the rows still hold M */
static inline void inverse_mass_matrix(const kernel_call *call, const plan_tree *tree, const kernel_scratch *k)
{
    const plan_column *pc = plan_columns(call->plan);
    for (int32_t c = tree->begin; c < tree->end; c++) {
        const int32_t *path = column_path(call->plan, call->paths, c);
        const num *row = factor_row(&k->s.f, c);
        for (int32_t d = 0; d < pc[c].depth; d++) {
            kernel_store(call->M, call->count, c, path[d], row[d]);
            kernel_store(call->M, call->count, path[d], c, row[d]);
        }
        kernel_store(call->M, call->count, c, c, k->s.f.diagonal[c]);
    }
}

/* outputs other than the torque must be zero beforehand: entries off the branches are not written */
static inline unsigned kernel_inverse_dynamics(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_column *pc = plan_columns(plan);
    const model_coordinate *passive = plan_coordinates(plan);
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->a, call->count, plan->nv, k.tau);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        linearize_scratch s = k.s;
        tree_forward(plan, tree, call->gravity, k.q, k.v, s.bodies, s.columns, &s.base[t]);
        apply_wrenches(call, tree, s.bodies);
        tree_composite(plan, tree, s.bodies, s.columns);
        for (int32_t c = tree->begin; c < tree->end; c++) s.x[c] = k.tau[c];
        if (tree->base) {
            vec3 left_out = base_acceleration(&s.base[t], &k.v[tree->begin]);
            add_vec3(&s.x[tree->begin], vec3_neg(left_out));
        }
        tree_accelerate(plan, tree, s.x, s.bodies, s.columns, s.G);
        for (int32_t c = tree->begin; c < tree->end; c++) {
            num force = wrench_dot(s.bodies[pc[c].body].f, s.columns[c].S);
            s.b[c] = -(force + K(passive[c].armature) * k.tau[c]);
        }
        if (call->passive) passive_forces(plan, tree, k.q, k.v, s.b, s.springs);
        if (call->dtau_dq.data || call->dtau_dv.data) inverse_columns(call, t, &k);
        if (call->M.data) {
            factor_mass_matrix(plan, call->paths, tree, s.columns, &s.f);
            inverse_mass_matrix(call, tree, &k);
        }
        for (int32_t c = tree->begin; c < tree->end && call->torque.data; c++) {
            kernel_store(call->torque, call->count, 0, c, -s.b[c]);
        }
    }
    return 0;
}

#endif
