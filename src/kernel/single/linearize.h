/*
 * The linearization of one state, where lanes are bodies and columns: the stages in order. The passes are in
 * single/passes.h, M⁻¹ in single/block_inverse.h, columns in single/columns.h, those of a free root in
 * single/free_base.h, long chains in single/long_chains.h.
 *
 * For the stages of a step the limbs of a free root stay apart: limb_results in kernel/call.h. With G = W S⁻¹, M⁻¹ b = G s + N b
 * is W times the root's rows, and N b.
 *
 * Armature, damping or springs on a free root, and pivots that vanish, are left to the fallback, pack/linearize.h.
 */
#ifndef HML_KERNEL_SINGLE_LINEARIZE_H
#define HML_KERNEL_SINGLE_LINEARIZE_H

#include "kernel/single/long_chains.h"

/* ---- D_q, D_ν, M⁻¹ ---- */

static inline size_t single_scratch_lay(const hml_plan *plan, int long_chain, void *memory, single_solver *m,
                                        single_panel *p, num **passive)
{
    const size_t packs = ((size_t)plan->nv + LANES - 1) / LANES, columns = packs * LANES;
    const size_t slots = (size_t)plan->nbodies + 1 + LANES, row = ROW8 * sizeof(double);
    const size_t forces = (size_t)plan->nq + (size_t)plan->nv * (2 + PASSIVE_LD);
    single_tree *t = &m->t;
    layout_cursor c = layout_begin(memory);
    t->sine = (double *)layout_take(&c, ((size_t)plan->nq + LANES) * sizeof(double));
    t->cosine = (double *)layout_take(&c, ((size_t)plan->nq + LANES) * sizeof(double));
    t->tau = (double *)layout_take(&c, ((size_t)plan->nv + LANES) * sizeof(double));
    t->x = (double *)layout_take(&c, (size_t)plan->nv * sizeof(double));
    t->H = (frame4 *)layout_take(&c, slots * sizeof(frame4));
    t->v = (double *)layout_take(&c, slots * row);
    t->a = (double *)layout_take(&c, slots * row);
    t->da = (double *)layout_take(&c, slots * row);
    t->G = (double *)layout_take(&c, slots * row);
    t->sum = (double *)layout_take(&c, slots * COMPOSITE_STRIDE * sizeof(double));
    t->S = (double *)layout_take(&c, columns * row);
    t->Pd = (double *)layout_take(&c, columns * row);
    t->F = (double *)layout_take(&c, columns * row);
    t->g = (double *)layout_take(&c, columns * row);
    t->pack = (column_pack *)layout_take(&c, packs * sizeof(column_pack));
    m->response = (double *)layout_take(&c, (columns + 6) * row);
    if (long_chain) {
        const size_t ends = (size_t)plan->nsegments;
        m->sweep.IA = (double *)layout_take(&c, slots * 6 * row);
        m->sweep.W = (double *)layout_take(&c, columns * row);
        m->sweep.p = (double *)layout_take(&c, slots * row);
        m->sweep.u = (result_row *)layout_take(&c, columns * sizeof(result_row));
        m->sweep.ends = (base_rhs *)layout_take(&c, ends * sizeof(base_rhs));
        m->sweep.root = (base_rhs *)layout_take(&c, sizeof(base_rhs));
        m->sweep.touched = (int32_t *)layout_take(&c, ends * sizeof(int32_t));
        m->sweep.stage = NULL;
        if (plan->nv >= SWEEP_LARGE)
            m->sweep.stage = (double *)layout_take(&c, 3 * (size_t)plan->nv * SWEEP_STAGE * sizeof(double));
    } else {
        m->R = (double *)layout_take(&c, columns * row);
        m->diagonal = (double *)layout_take(&c, columns * sizeof(double));
        m->ld = columns;
        m->N = (double *)layout_take(&c, (size_t)plan->nv * columns * sizeof(double));
        p->b = (rhs_pair *)layout_take(&c, columns * sizeof(rhs_pair));
        p->runs = (panel_run *)layout_take(&c, (columns + 1) * sizeof(panel_run));
        p->clipped = (panel_run *)layout_take(&c, (columns + 1) * sizeof(panel_run));
    }
    p->discard = (double *)layout_take(&c, row);
    *passive = (num *)layout_take(&c, plan->passive ? forces * sizeof(num) : 0);
    return c.used;
}

static inline size_t single_scratch_size(const hml_plan *plan, int long_chain)
{
    single_solver m;
    single_panel p;
    num *passive;
    return single_scratch_lay(plan, long_chain, NULL, &m, &p, &passive);
}

static inline void single_tree_begin(single_tree *t, int32_t index)
{
    const hml_plan *plan = t->call->plan;
    const plan_paths *paths = t->call->paths;
    const plan_tree *tree = &plan_trees(plan)[index];
    t->tree = tree;
    t->bodies = plan_bodies(plan) + tree->body_begin;
    t->parent = paths->parent + tree->body_begin;
    t->body_slot = paths->body_slot + paths_columns(tree, index);
    t->parent_slot = paths->parent_slot + paths_columns(tree, index);
    t->nbodies = tree->body_end - tree->body_begin;
    t->below = tree_below(tree);
    t->n = tree->end - t->below;
    t->packs = (t->n + LANES - 1) / LANES;
}

/* from poses and motions to ν̇ and the factors of M⁻¹ */
NUM_INLINE void single_tree_solve(single_solver *m, const int long_chain, const int with_motion)
{
    single_tree *t = &m->t;
    composites_of_bodies(t, with_motion);
    if (long_chain) sweep_inertias(m);
    composites_of_subtrees(t, with_motion);
    column_forces(t, with_motion);
    if (long_chain)
        sweep_solve(m);
    else
        solve_blocks(m);
}

/* from the state to ν̇ */
NUM_INLINE void single_tree_motion(single_solver *m, const int long_chain)
{
    single_tree *t = &m->t;
    poses_out(t);
    column_rates(t);
    accumulate_rows(t, t->a, t->Pd, t->nu);
    single_tree_solve(m, long_chain, 1);
}

/* the results, from what a motion of the columns does */
NUM_INLINE void single_tree_matrices(const single_solver *m, single_panel *p, const int long_chain)
{
    const single_tree *t = &m->t;
    if (long_chain) {
        sweep_matrices(m, p, 1);
        return;
    }
    if (t->tree->base) base_panel(m, p);
    for (int32_t c = 0; c < t->n; c += LANES) panel_solve(m, p, c);
}

/* gravity − ω × u, which the passes leave out of the motion of a free root */
NUM_INLINE void single_base_acceleration(const single_tree *t)
{
    if (!t->tree->base) return;
    const double *w = t->v + ROW8 + 4, *u = t->velocity;
    double *x = t->x + t->tree->begin;
    x[0] += t->gravity[0] - (w[1] * u[2] - w[2] * u[1]);
    x[1] += t->gravity[1] - (w[2] * u[0] - w[0] * u[2]);
    x[2] += t->gravity[2] - (w[0] * u[1] - w[1] * u[0]);
}

static inline void single_tree_linearize(single_solver *m, single_panel *p)
{
    single_tree *t = &m->t;
    const int long_chain = t->call->long_chain;
    single_tree_motion(m, long_chain);
    add_accelerations(t);
    column_effects(t);
    single_tree_matrices(m, p, long_chain);
    single_base_acceleration(t);
}

/* too few columns for lanes, or armature, damping or a spring on a free root? */
static inline int single_unfit(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    if (plan->nv < 3) return 1;
    if (!plan->passive) return 0;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        const plan_tree *tree = &plan_trees(plan)[i];
        const model_coordinate *c = call->coordinates + tree->begin;
        for (int32_t k = 0; k < tree->base; k++) {
            if (c[k].armature != 0 || c[k].damping != 0 || c[k].stiffness != 0) return 1;
        }
    }
    return 0;
}

/* τ less the forces of damping and springs; those are rare, and computed in packs. Returns ∂h/∂q of the springs */
static inline const num *single_passive_forces(const kernel_call *call, num *q, double *left)
{
    const hml_plan *plan = call->plan;
    num *v = q + plan->nq, *tau = v + plan->nv, *springs = tau + plan->nv;
    kernel_spread(call->q, plan->nq, q);
    kernel_spread(call->v, plan->nv, v);
    kernel_spread(call->tau, plan->nv, tau);
    for (int32_t i = 0; i < plan->ntrees; i++)
        passive_forces(plan, &plan_trees(plan)[i], call->coordinates, q, v, tau, springs);
    for (int32_t c = 0; c < plan->nv; c++) left[c] = num_get(tau[c], 0);
    return springs;
}

static inline int single_call_is_good(const kernel_call *call)
{
    const size_t nv = (size_t)call->plan->nv;
    bits bad = not_finite_bits(nv, call->v.data, num_to_bits(K(0)));
    if (call->tau.data) bad = not_finite_bits(nv, call->tau.data, bad);
    return !num_any((mask)(bad != 0)) && state_is_good(call->plan, call->q.data);
}

/* τ, sines and cosines; returns the springs' ∂h/∂q */
NUM_INLINE const num *single_load_state(const kernel_call *call, const single_tree *t, num *passive)
{
    const hml_plan *plan = call->plan;
    const size_t nv = (size_t)plan->nv;
    const num *springs = NULL;
    memset(t->tau, 0, (nv + LANES) * sizeof *t->tau);
    if (call->tau.data) memcpy(t->tau, call->tau.data, nv * sizeof *t->tau);
    if (call->passive) springs = single_passive_forces(call, passive, t->tau);
    sincos_range(call->q.data, plan->angles_begin, plan->angles_end, t->sine, t->cosine);
    return springs;
}

/* zeros where a row and a column are of different trees */
NUM_INLINE void single_clear_between(const kernel_call *call)
{
    if (call->plan->ntrees < 2) return;
    clear_between(call, call->Dq);
    clear_between(call, call->Dv);
    clear_between(call, call->Minv);
}

/* returns 1 if the state is not for this kernel; its outputs are then invalid */
static inline unsigned single_linearize(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const size_t nv = (size_t)plan->nv;
    single_solver m;
    single_panel p;
    single_tree *t = &m.t;
    num *passive;
    if (single_unfit(call) || !single_call_is_good(call)) return 1;
    single_scratch_lay(plan, call->long_chain, call->scratch, &m, &p, &passive);
    p.springs = single_load_state(call, t, passive);
    single_clear_between(call);
    t->call = call, t->nu = call->v.data;
    m.pivot_score = 0;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        single_tree_begin(t, i);
        single_tree_linearize(&m, &p);
    }
    if (pivot_vanished(&m)) return 1;
    if (call->acceleration.data) memcpy(call->acceleration.data, t->x, nv * sizeof *t->x);
    return 0;
}

/* ---- M⁻¹ alone ---- */

static inline void single_tree_inverse(single_solver *m, single_panel *p)
{
    single_tree *t = &m->t;
    const kernel_call *call = t->call;
    const int32_t base = t->tree->base, row = t->tree->begin, below = t->below;
    const int long_chain = call->long_chain;
    poses_out(t);
    for (int32_t k = 0; k < t->packs; k++) t->pack[k].S = twists_in(t->S + k * LANES * ROW8);
    single_tree_solve(m, long_chain, 0);
    if (long_chain) {
        sweep_matrices(m, p, 0);
        return;
    }
    if (base) inverse_base_columns(m, output_rows_at(p, call->Minv, row, row), base + t->n);
    for (int32_t at = 0; at < t->n; at += LANES)
        inverse_panel_columns(m, output_rows_at(p, call->Minv, row, below + at), at);
}

/* returns 1 if the state is not for this kernel; its outputs are then invalid */
static inline unsigned single_inverse_mass_matrix(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    single_solver m;
    single_panel p;
    single_tree *t = &m.t;
    num *passive;
    if (single_unfit(call)) return 1;
    single_scratch_lay(plan, call->long_chain, call->scratch, &m, &p, &passive);
    memset(t->tau, 0, ((size_t)plan->nv + LANES) * sizeof *t->tau);
    sincos_range(call->q.data, plan->angles_begin, plan->angles_end, t->sine, t->cosine);
    if (plan->ntrees > 1) clear_between(call, call->Minv);
    t->call = call, t->nu = t->tau;
    m.pivot_score = 0;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        single_tree_begin(t, i);
        single_tree_inverse(&m, &p);
    }
    return (unsigned)pivot_vanished(&m);
}

#endif
