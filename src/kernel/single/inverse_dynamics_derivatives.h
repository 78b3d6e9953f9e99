/*
 * ∂τ/∂q, ∂τ/∂ν and M of one state, at q, ν, ν̇: the linearization of one state up to its right-hand sides, which are
 * −∂τ (single/columns.h). Columns of a free root: pack/inverse_dynamics_derivatives.h.
 */
#ifndef HML_KERNEL_SINGLE_INVERSE_DYNAMICS_DERIVATIVES_H
#define HML_KERNEL_SINGLE_INVERSE_DYNAMICS_DERIVATIVES_H

#include "kernel/single/linearize.h"

/* ν̇ as the passes want it: less gravity − ω × u on a free root */
static inline void dtau_accelerations(const single_tree *t)
{
    const kernel_call *call = t->call;
    const size_t nv = (size_t)call->plan->nv;
    double *x = t->x + t->tree->begin;
    if (t->tree->begin == 0) {
        memset(t->x, 0, nv * sizeof *t->x);
        if (call->a.data) memcpy(t->x, call->a.data, nv * sizeof *t->x);
    }
    if (!t->tree->base) return;
    const quad w = quad_from(t->v + ROW8 + 4);
    const quad left_out = quad_from(t->gravity) - quad_cross(w, quad_from(t->velocity));
    for (int d = 0; d < 3; d++) x[d] -= left_out[d];
    const pair4 root = pair4_from(x);
    quads_put(t->da + ROW8, root.v, root.w);
}

/* six numbers in rows 0 … 5 of a free root */
NUM_INLINE void dtau_root_rows(output_rows to, int width, const wrench *x, const double sign)
{
    const num rows[6] = {x->f.x, x->f.y, x->f.z, x->t.x, x->t.y, x->t.z};
    for (int d = 0; d < 6; d++, to.to += to.ld) store_lanes(to.to, width, 0, sign * rows[d]);
}

/* M in the rows of ancestors, of the columns' own joints and of what they carry */
static inline void dtau_mass_panel(const single_tree *t, const single_panel *p, const column_pack *c, output_rows M)
{
    const size_t bytes = t->call->paths->bytes;
    for (int32_t d = 0; d < p->above; d++) {
        const int32_t i = p->path[d] - t->below;
        const num m = lanes_where(lanes_of(columns_below(t, i), p->at), row8_dot_wrench(t->S + i * ROW8, &c->F));
        store_lanes(M.to + (size_t)i * M.ld, p->width, 0, m);
    }
    const uint8_t *above = columns_above(t, p->joint), *below = columns_below(t, p->joint);
    for (int32_t i = p->joint; i < p->carried; i++, above += bytes, below += bytes) {
        num m = lanes_where(lanes_of(above, p->at), row8_dot_twist(t->F + i * ROW8, &c->S));
        if (i < p->end) {
            const num up = row8_dot_wrench(t->S + i * ROW8, &c->F);
            m = lanes_select(lanes_of(above, p->at), m, lanes_where(lanes_of(below, p->at), up));
        }
        store_lanes(M.to + (size_t)i * M.ld, p->width, 0, m);
    }
    for (int32_t i = p->at; i < p->end; i++)
        M.to[(size_t)i * M.ld + (size_t)(i - p->at)] += t->call->coordinates[t->below + i].armature;
}

static inline void dtau_panel(const single_tree *t, single_panel *p, const single_solver *m, int32_t at)
{
    const kernel_call *call = t->call;
    const column_pack *c = &t->pack[at / LANES];
    const int32_t row = t->tree->begin, below = t->below;
    panel_place(m, p, at);
    panel_runs(p, below);
    column_rhs_fill(t, p, c);
    if (call->passive) column_rhs_passive(t, p, &p->b->q, 2);
    const output_rows q = output_rows_at(p, call->dtau_dq, below, below + at);
    const output_rows v = output_rows_at(p, call->dtau_dv, below, below + at);
    for (const panel_run *run = p->runs, *last = run + p->nruns; run < last; run++) {
        for (int32_t i = run->begin; i < run->end; i++) {
            store_lanes(q.to + (size_t)i * q.ld, p->width, 0, -p->b[i].q);
            store_lanes(v.to + (size_t)i * v.ld, p->width, 0, -p->b[i].v);
        }
    }
    if (t->tree->base) {
        dtau_root_rows(output_rows_at(p, call->dtau_dq, row, below + at), p->width, &c->q.U, -1);
        dtau_root_rows(output_rows_at(p, call->dtau_dv, row, below + at), p->width, &c->v.U, -1);
        dtau_root_rows(output_rows_at(p, call->M, row, below + at), p->width, &c->F, 1);
    }
    if (call->M.data) dtau_mass_panel(t, p, c, output_rows_at(p, call->M, below, below + at));
}

/* three neighbouring numbers of a row */
NUM_INLINE void dtau_put3(kernel_output out, int32_t row, int32_t column, quad x)
{
    double three[4];
    *(quad_anywhere *)three = x;
    if (out.data) memcpy(out.data + (size_t)row * out.ld + (size_t)column, three, 3 * sizeof *three);
}

/* the columns of a free root, in the rows below it */
static inline void dtau_base_below(const single_tree *t)
{
    const kernel_call *call = t->call;
    const int32_t begin = t->tree->begin;
    const quad w = quad_from(t->v + ROW8 + 4), g = quad_from(t->gravity), u = quad_from(t->velocity);
    for (int32_t i = 0; i < t->n; i++) {
        const double *F = t->F + i * ROW8;
        const quad f = {F[0], F[1], F[2], 0}, moment = quad_from(F + 4);
        dtau_put3(call->dtau_dq, t->below + i, begin + 3, -quad_cross(f, g));
        dtau_put3(call->dtau_dv, t->below + i, begin, quad_cross(f, w));
        dtau_put3(call->dtau_dv, t->below + i, begin + 3,
                  quad_from(t->g + i * ROW8) + quad_cross(moment, w) - quad_cross(f, u));
        dtau_put3(call->M, t->below + i, begin, f);
        dtau_put3(call->M, t->below + i, begin + 3, moment);
    }
}

/* a column [f; t] in the rows of the root */
NUM_INLINE void dtau_root_column(const single_tree *t, kernel_output out, int32_t column, quad f, quad moment)
{
    if (!out.data) return;
    double *to = out.data + (size_t)t->tree->begin * out.ld + (size_t)(t->tree->begin + column);
    for (int d = 0; d < 3; d++) to[(size_t)d * out.ld] = f[d], to[(size_t)(d + 3) * out.ld] = moment[d];
}

/* the same in the root's own rows */
static inline void dtau_base_root(const single_tree *t)
{
    const kernel_call *call = t->call;
    const double *I = t->sum + COMPOSITE_STRIDE, *omega = t->v + ROW8 + 4;
    const quad w = quad_from(omega), g = quad_from(t->gravity), u = quad_from(t->velocity), h = quad_from(I + 1);
    double s[3][ROW8];
    quad J[3];
    quads_of_sym(I + 4, J);
    base_root_rhs(I, omega, s);
    for (int k = 0; k < 3; k++) {
        const quad e = unit4[k], falls = quad_cross(g, e), turns = quad_cross(e, w), moves = quad_cross(u, e);
        dtau_root_column(t, call->dtau_dq, k + 3, -I[0] * falls, -quad_cross(h, falls));
        dtau_root_column(t, call->dtau_dv, k, -I[0] * turns, -quad_cross(h, turns));
        dtau_root_column(t, call->dtau_dv, k + 3, -quad_from(s[k]) - I[0] * moves,
                         -quad_from(s[k] + 4) - quad_cross(h, moves));
        dtau_root_column(t, call->M, k, I[0] * e, quad_cross(h, e));
        dtau_root_column(t, call->M, k + 3, quad_cross(e, h), J[k]);
    }
}

static inline void dtau_tree(single_solver *m, single_panel *p)
{
    single_tree *t = &m->t;
    poses_out(t);
    column_rates(t);
    accumulate_rows(t, t->a, t->Pd, t->nu);
    composites_of_bodies(t, 1);
    composites_of_subtrees(t, 1);
    column_forces(t, 1);
    dtau_accelerations(t);
    add_accelerations(t);
    column_effects(t);
    if (t->tree->base) {
        dtau_base_below(t);
        dtau_base_root(t);
    }
    for (int32_t at = 0; at < t->n; at += LANES) dtau_panel(t, p, m, at);
}

/*
 * The state was checked, and the caller has cleared the outputs, as for pack_inverse_dynamics_derivatives. Returns 1 if
 * it is not for this kernel.
 */
static inline unsigned single_inverse_dynamics_derivatives(const kernel_call *call)
{
    single_solver m;
    single_panel p;
    num *passive;
    if (call->long_chain || call->torque.data || single_unfit(call)) return 1;
    single_scratch_lay(call->plan, 0, call->scratch, &m, &p, &passive);
    p.springs = single_load_state(call, &m.t, passive);
    m.t.call = call, m.t.nu = call->v.data;
    m.pivot_score = 0;
    for (int32_t i = 0; i < call->plan->ntrees; i++) {
        single_tree_begin(&m.t, i);
        dtau_tree(&m, &p);
    }
    return 0;
}

#endif
