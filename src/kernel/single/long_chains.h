/*
 * Linearization and M⁻¹ of one state without M, for robots with long chains: M⁻¹ b by sweeps along the tree, one column
 * per lane.
 *
 * M of a chain of n columns and its inverse are full, so N b of single/block_inverse.h takes n operations per entry.
 * With articulated bodies an entry takes about two dozen, however long the chain. I^A is computed leaves first, column
 * by column; the columns of one joint are treated as joints in a row.
 *
 *   W = I^A S / D      D = S·I^A S      I^A of the parent += I^A − D W Wᵀ
 *
 *   in    u = b − S·p      p of the parent += W u
 *   out   x = u / D − W·a  a = a of the parent + S x
 *
 * A free root is last on the way in and first on the way out: a = −(I^A)⁻¹ p. What a motion of a column does to the
 * forces of its ancestors is one wrench U; it is added to p at its joint, so ancestors need no right-hand sides.
 *
 * p and a stay in registers along a segment of the tree (model/plan.h) and are stored where segments meet.
 */
#ifndef HML_KERNEL_SINGLE_LONG_CHAINS_H
#define HML_KERNEL_SINGLE_LONG_CHAINS_H

#include "kernel/single/free_base.h"

/* ---- articulated inertias ---- */

/* inertias of the single bodies, before composites are summed over subtrees */
static inline void sweep_inertias(const single_solver *m)
{
    static const double zero[6] = {0};
    const double *I = m->t.sum + COMPOSITE_STRIDE;
    double *to = m->sweep.IA + 6 * ROW8;
    for (int32_t i = 0; i < m->t.nbodies; i++, I += COMPOSITE_STRIDE, to += 6 * ROW8) {
        row8 rows[6];
        inertia_rows8(I, zero, rows);
        for (int d = 0; d < 6; d++) row8_put(to + d * ROW8, rows[d]);
    }
}

NUM_INLINE double sweep_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + (a[4] * b[4] + a[5] * b[5] + a[6] * b[6]);
}

/* eliminates a column: W, with 1/D in ROW8_SPARE */
NUM_INLINE void sweep_column(single_solver *m, int32_t c, row8 I[6])
{
    const single_tree *t = &m->t;
    const double *S = t->S + c * ROW8, armature = t->call->coordinates[t->below + c].armature;
    double *W = m->sweep.W + c * ROW8, U[ROW8];
    row8 low = row8_axpy(S[2], I[2], row8_axpy(S[1], I[1], row8_scale(S[0], I[0])));
    row8 high = row8_axpy(S[6], I[5], row8_axpy(S[5], I[4], row8_scale(S[4], I[3])));
    const row8 u = row8_add(low, high);
    row8_put(U, u);
    const double D = sweep_dot(S, U) + armature, diagonal = sweep_dot(S, t->F + c * ROW8) + armature;
    const double inverse = pivot_reciprocal(D, diagonal, &m->pivot_score);
    const row8 w = row8_scale(inverse, u);
    for (int d = 0; d < 6; d++) I[d] = row8_less(U[row8_index(d)], w, I[d]);
    row8_put(W, w);
    W[ROW8_SPARE] = inverse;
}

/* W of all columns; the articulated inertia of a free root stays in its six rows */
static inline void sweep_eliminate(single_solver *m)
{
    const single_tree *t = &m->t;
    const int32_t base = t->tree->base != 0;
    int32_t c = t->n;
    for (int32_t i = t->nbodies - 1; i >= base; i--) {
        const double *own = m->sweep.IA + (i + 1) * 6 * ROW8;
        double *up = m->sweep.IA + t->parent[i] * 6 * ROW8;
        row8 I[6];
        for (int d = 0; d < 6; d++) I[d] = row8_at(own + d * ROW8);
        for (int32_t k = t->bodies[i].nv; k > 0; k--) sweep_column(m, --c, I);
        for (int d = 0; d < 6 && i > 0; d++) row8_put(up + d * ROW8, row8_add(row8_at(up + d * ROW8), I[d]));
    }
}

/* ---- ν̇ ---- */

/* one right-hand side, a number at a time; a of a body is what ν̇ adds to its acceleration: da */
static inline void sweep_accelerations(single_solver *m)
{
    const single_tree *t = &m->t;
    const int32_t base = t->tree->base, n = t->n;
    double *x = t->x + t->below;
    const double *S = t->S + n * ROW8, *W = m->sweep.W + n * ROW8, *F = t->F + n * ROW8;
    for (int32_t i = 0; i <= t->nbodies; i++) row8_put(m->sweep.p + i * ROW8, row8_zero());
    int32_t c = n;
    for (int32_t i = t->nbodies - 1; i >= (base != 0); i--) {
        double *p = m->sweep.p + (i + 1) * ROW8, *up = m->sweep.p + t->parent[i] * ROW8;
        for (int32_t k = t->bodies[i].nv; k > 0; k--) {
            c--, S -= ROW8, W -= ROW8, F -= ROW8;
            x[c] = F[ROW8_SPARE] - sweep_dot(S, p);
            row8_put(p, row8_axpy(x[c], row8_at(W), row8_at(p)));
        }
        row8_put(up, row8_add(row8_at(up), row8_at(p)));
    }
    if (base) {
        const double *I = m->sweep.IA + 6 * ROW8, *f = t->sum + COMPOSITE_STRIDE + COMPOSITE_FORCE,
                     *tau = t->tau + t->tree->begin, *p = m->sweep.p + ROW8;
        row8 r[6];
        for (int d = 0; d < 6; d++)
            r[d] = row8_but(row8_at(I + d * ROW8), ROW8_SPARE, K(tau[d] - f[d] - p[row8_index(d)]));
        root_invert(m, r);
    }
    for (int32_t i = base != 0; i < t->nbodies; i++) {
        double *a = t->da + (i + 1) * ROW8;
        row8_put(a, row8_at(t->da + t->parent[i] * ROW8));
        for (int32_t k = t->bodies[i].nv; k > 0; k--) {
            x[c] = x[c] * W[ROW8_SPARE] - sweep_dot(W, a);
            row8_put(a, row8_axpy(x[c], row8_at(S), row8_at(a)));
            c++, S += ROW8, W += ROW8;
        }
    }
}

static inline void sweep_solve(single_solver *m)
{
    sweep_eliminate(m);
    sweep_accelerations(m);
}

/* ---- panels ---- */

/*
 * A panel writes a few columns of every row. From SWEEP_LARGE columns on (measured) the results do not stay in the
 * caches between panels: there SWEEP_STAGE columns are gathered before they are written, as whole cache lines.
 */
enum { SWEEP_STAGE = 32, SWEEP_LARGE = 128 };

/* a step inwards: u; p passes on */
NUM_INLINE num sweep_in(const double *S, const double *W, num b, num p[6])
{
    const num u = b - row8_dot(S, p);
    p[0] += W[0] * u, p[1] += W[1] * u, p[2] += W[2] * u;
    p[3] += W[4] * u, p[4] += W[5] * u, p[5] += W[6] * u;
    return u;
}

/* a step outwards: x */
NUM_INLINE num sweep_out(const double *S, const double *W, num u, num a[6])
{
    const num x = W[ROW8_SPARE] * u - row8_dot(W, a);
    a[0] += S[0] * x, a[1] += S[1] * x, a[2] += S[2] * x;
    a[3] += S[4] * x, a[4] += S[5] * x, a[5] += S[6] * x;
    return x;
}

NUM_INLINE void sweep_add(num to[6], const num x[6])
{
    for (int d = 0; d < 6; d++) to[d] += x[d];
}

/* to += x, for the three results */
NUM_INLINE void sweep_add_all(base_rhs *to, const base_rhs *x)
{
    sweep_add(to->q, x->q), sweep_add(to->v, x->v), sweep_add(to->m, x->m);
}

NUM_INLINE void sweep_less(lane_set lanes, const wrench *U, num p[6])
{
    const num *u = &U->f.x;
    for (int d = 0; d < 6; d++) p[d] -= lanes_where(lanes, u[d]);
}

/* right-hand sides in rows begin … end − 1: the panel's columns and their descendants */
static inline void sweep_sides(const single_sweep *s, const single_tree *t, const single_panel *p, const column_side *q,
                               const column_side *v, int32_t begin, int32_t end)
{
    const size_t bytes = t->call->paths->bytes;
    const int masked = p->at >= 0; /* a free root carries everything */
    const uint8_t *above = masked ? columns_above(t, begin) : NULL;
    const double *F = t->F + begin * ROW8, *g = t->g + begin * ROW8;
    const vec3 qw = q->w, vw = v->w;
    const twist qP = q->P, vP = v->P;
    result_row *u = s->u + begin;
    for (int32_t i = begin; i < end; i++, F += ROW8, g += ROW8, u++) {
        num bq = row8_dot_twist(F, &qP) + row8_dot3(g, &qw), bv = row8_dot_twist(F, &vP) + row8_dot3(g, &vw);
        if (masked) {
            const lane_set down = lanes_of(above, p->at);
            bq = lanes_where(down, bq), bv = lanes_where(down, bv);
            above += bytes;
        }
        u->q = bq, u->v = bv;
    }
}

/* inwards along a segment */
NUM_INLINE void sweep_segment_in(const single_sweep *s, const single_tree *t, const single_panel *p,
                                 const int with_motion, const column_side *q, const column_side *v, int32_t segment)
{
    const plan_segment *own = &plan_segments(t->call->plan)[segment];
    const plan_column *pc = plan_columns(t->call->plan) + t->below;
    const int32_t begin = own->begin > t->below ? own->begin - t->below : 0, at = p->at;
    const int32_t first = p->joint > begin ? p->joint : begin, last = p->end > first ? p->end : first;
    int32_t c = own->end - t->below;
    base_rhs x = s->ends[segment];
    const double *S = t->S + c * ROW8, *W = s->W + c * ROW8;
    result_row *u = s->u + c;
    s->touched[segment] = at;
    for (; c > last; c--) { /* M⁻¹ has no right-hand sides further out than the columns themselves */
        S -= ROW8, W -= ROW8, u--;
        if (with_motion) u->q = sweep_in(S, W, u->q, x.q), u->v = sweep_in(S, W, u->v, x.v);
        u->m = K(0);
    }
    for (; c > first; c--) {
        S -= ROW8, W -= ROW8, u--;
        const int32_t row = c - 1, from = pc[row].first - t->below, lane_of = row - at;
        const num unit = lanes_where(lanes_in(lane_of >= 0 ? 1u << lane_of : 0), K(1));
        if (with_motion) u->q = sweep_in(S, W, u->q, x.q), u->v = sweep_in(S, W, u->v, x.v);
        u->m = sweep_in(S, W, unit, x.m);
        if (with_motion && from == row) { /* from its joint inwards, U replaces the right-hand sides */
            const int32_t end = from + plan_bodies(t->call->plan)[pc[row].body].nv;
            const int32_t low = from > at ? from - at : 0, high = end < p->end ? end - at : p->end - at;
            const lane_set lanes = lanes_in((1u << high) - (1u << low));
            sweep_less(lanes, &q->U, x.q), sweep_less(lanes, &v->U, x.v);
        }
    }
    for (; c > begin; c--) {
        S -= ROW8, W -= ROW8, u--;
        if (with_motion) u->q = sweep_in(S, W, K(0), x.q), u->v = sweep_in(S, W, K(0), x.v);
        u->m = sweep_in(S, W, K(0), x.m);
    }
    if (own->parent >= 0)
        sweep_add_all(&s->ends[own->parent], &x);
    else
        *s->root = x;
}

/* prefetches a row that will be written soon: rows of large matrices are too far apart for the processor to foresee */
NUM_INLINE void sweep_ahead(output_rows out)
{
    const size_t rows = 12; /* measured */
    __builtin_prefetch((const void *)((uintptr_t)out.to + rows * out.ld * sizeof *out.to), 1);
}

/* stores a row of the results, and advances to the next */
NUM_INLINE void sweep_store(single_panel *p, const int full_width, const int with_motion, result_row x)
{
    const int n = p->width;
    if (with_motion) {
        sweep_ahead(p->Dq), sweep_ahead(p->Dv);
        store_lanes(p->Dq.to, n, full_width, x.q), store_lanes(p->Dv.to, n, full_width, x.v);
        p->Dq.to += p->Dq.ld, p->Dv.to += p->Dv.ld;
    }
    sweep_ahead(p->Minv);
    store_lanes(p->Minv.to, n, full_width, x.m);
    p->Minv.to += p->Minv.ld;
}

/*
 * outwards along a segment; rows that the way in did not touch have no right-hand side, only the motion of their parent
 */
NUM_INLINE void sweep_segment_out(const single_sweep *s, const single_tree *t, single_panel *p, const int full_width,
                                  const int with_motion, int32_t segment)
{
    const plan_segment *own = &plan_segments(t->call->plan)[segment];
    const int32_t begin = own->begin > t->below ? own->begin - t->below : 0, end = own->end - t->below;
    const int touched = s->touched[segment] == p->at;
    const double *S = t->S + begin * ROW8, *W = s->W + begin * ROW8;
    const result_row *u = s->u + begin, none = {K(0), K(0), K(0)};
    base_rhs a = own->parent >= 0 ? s->ends[own->parent] : *s->root;
    result_row x = none;
    for (int32_t c = begin; c < end; c++, S += ROW8, W += ROW8, u++) {
        const result_row from = touched ? *u : none;
        if (with_motion) x.q = sweep_out(S, W, from.q, a.q), x.v = sweep_out(S, W, from.v, a.v);
        x.m = sweep_out(S, W, from.m, a.m);
        sweep_store(p, full_width, with_motion, x);
    }
    s->ends[segment] = a;
}

/* a = −(I^A)⁻¹ p of a free root, whose columns are the identity: six rows of the results */
NUM_INLINE void sweep_root(const single_solver *m, single_panel *p, const int full_width, const int with_motion)
{
    const double *B = m->response;
    const base_rhs s = *m->sweep.root;
    base_rhs a = s;
    for (int d = 0; d < 6; d++, B += ROW8) {
        result_row x = {K(0), K(0), K(0)};
        if (with_motion) x.q = a.q[d] = -row8_dot(B, s.q), x.v = a.v[d] = -row8_dot(B, s.v);
        x.m = a.m[d] = -row8_dot(B, s.m);
        sweep_store(p, full_width, with_motion, x);
    }
    *m->sweep.root = a;
}

NUM_INLINE void sweep_panel_out(const single_solver *m, single_panel *p, const int full_width, const int with_motion)
{
    const single_tree *t = &m->t;
    const plan_column *pc = plan_columns(t->call->plan);
    if (t->tree->base)
        sweep_root(m, p, full_width, with_motion);
    else
        memset(m->sweep.root, 0, sizeof *m->sweep.root);
    for (int32_t k = pc[t->tree->begin].segment; k <= pc[t->tree->end - 1].segment; k++)
        sweep_segment_out(&m->sweep, t, p, full_width, with_motion, k);
}

/* p = 0 at the ends of all segments */
static inline void sweep_clear(const single_solver *m)
{
    const plan_column *pc = plan_columns(m->t.call->plan);
    const int32_t first = pc[m->t.tree->begin].segment, last = pc[m->t.tree->end - 1].segment;
    memset(m->sweep.ends + first, 0, (size_t)(last - first + 1) * sizeof *m->sweep.ends);
}

/* where the results of a panel go in the stage */
NUM_INLINE output_rows sweep_staged(const single_solver *m, const single_panel *p, kernel_output out, int which)
{
    output_rows o = {p->discard, 0};
    if (!out.data) return o;
    o.to = m->sweep.stage + (size_t)which * (size_t)m->t.call->plan->nv * SWEEP_STAGE + p->at % SWEEP_STAGE;
    o.ld = SWEEP_STAGE;
    return o;
}

/* columns begin … end − 1 of a result, from the stage to the output, row by row */
NUM_INLINE void sweep_unstage(const single_solver *m, kernel_output out, int which, int32_t begin, int32_t end)
{
    const single_tree *t = &m->t;
    const int32_t rows = t->tree->end - t->tree->begin, n = end - begin;
    if (!out.data) return;
    const double *from = m->sweep.stage + (size_t)which * (size_t)t->call->plan->nv * SWEEP_STAGE;
    output_rows to = {out.data + (size_t)t->tree->begin * out.ld + (size_t)(t->below + begin), out.ld};
    for (int32_t i = 0; i < rows; i++, from += SWEEP_STAGE, to.to += to.ld) {
        int32_t k = 0;
        for (; k + LANES <= n; k += LANES) {
            const output_rows piece = {to.to + k, to.ld};
            sweep_ahead(piece);
            pack_put(to.to + k, pack_at(from + k));
        }
        if (k < n) num_store_part(to.to + k, n - k, pack_at(from + k));
    }
}

/* LANES columns from `at` on */
NUM_INLINE void sweep_panel_columns(const single_solver *m, single_panel *p, const int with_motion, int32_t at)
{
    const single_tree *t = &m->t;
    const single_sweep *s = &m->sweep;
    const kernel_call *call = t->call;
    const plan_column *pc = plan_columns(call->plan) + t->below;
    const column_pack *c = &t->pack[at / LANES];
    panel_place(m, p, at);
    sweep_clear(m);
    if (with_motion) sweep_sides(s, t, p, &c->q, &c->v, p->joint, p->carried);
    if (with_motion && call->passive) column_rhs_passive(t, p, &s->u->q, 3);
    const int32_t own = pc[at].segment;
    for (int32_t k = pc[p->carried - 1].segment; k > own; k--) sweep_segment_in(s, t, p, with_motion, &c->q, &c->v, k);
    for (int32_t k = own; k >= 0; k = plan_segments(call->plan)[k].parent)
        sweep_segment_in(s, t, p, with_motion, &c->q, &c->v, k);
    if (s->stage) {
        p->Dq = sweep_staged(m, p, call->Dq, 0);
        p->Dv = sweep_staged(m, p, call->Dv, 1);
        p->Minv = sweep_staged(m, p, call->Minv, 2);
        sweep_panel_out(m, p, 1, with_motion);
        if (p->end % SWEEP_STAGE && p->end < t->n) return;
        const int32_t begin = at / SWEEP_STAGE * SWEEP_STAGE;
        if (with_motion) sweep_unstage(m, call->Dq, 0, begin, p->end), sweep_unstage(m, call->Dv, 1, begin, p->end);
        sweep_unstage(m, call->Minv, 2, begin, p->end);
    } else if (p->width == LANES) {
        sweep_panel_out(m, p, 1, with_motion);
    } else {
        sweep_panel_out(m, p, 0, with_motion);
    }
}

/* LANES columns of a free root from `at` on; their right-hand sides are those of base_panel */
NUM_INLINE void sweep_base_columns(const single_solver *m, single_panel *p, const int with_motion, int32_t at)
{
    const single_tree *t = &m->t;
    const single_sweep *s = &m->sweep;
    const kernel_call *call = t->call;
    const int32_t row = t->tree->begin, own = plan_columns(call->plan)[row].segment;
    const int32_t last = plan_columns(call->plan)[t->tree->end - 1].segment;
    column_side q, v;
    memset(&q, 0, sizeof q);
    memset(&v, 0, sizeof v);
    p->at = at - 6;
    p->joint = p->end = 0;
    p->width = 6 - at < LANES ? 6 - at : LANES;
    p->Dq = output_rows_at(p, call->Dq, row, row + at);
    p->Dv = output_rows_at(p, call->Dv, row, row + at);
    p->Minv = output_rows_at(p, call->Minv, row, row + at);
    sweep_clear(m);
    if (with_motion) {
        const double *w = t->v + ROW8 + 4;
        double U[3][ROW8];
        base_root_rhs(t->sum + COMPOSITE_STRIDE, w, U);
        for (int k = 0; k < p->width; k++) {
            const int e = at + k - 3;
            if (e < 0) continue;
            const quad turned = quad_cross(quad_from(w), unit4[e]);
            num *axis = &v.w.x, *P = &v.P.w.x, *force = &v.U.f.x;
            axis[e][k] = -1;
            for (int d = 0; d < 3; d++) P[d][k] = -turned[d];
            for (int d = 0; d < 6; d++) force[d][k] = U[e][row8_index(d)];
        }
        sweep_sides(s, t, p, &q, &v, 0, t->n);
    }
    for (int32_t k = last; k >= own; k--) sweep_segment_in(s, t, p, with_motion, &q, &v, k);
    for (int k = 0; k < p->width; k++) s->root->m[at + k][k] -= 1; /* the unit vectors of M⁻¹ */
    sweep_less(lanes_in((1u << LANES) - 1), &v.U, s->root->v);
    sweep_panel_out(m, p, 0, with_motion);
}

/* the matrices of a tree */
NUM_INLINE void sweep_matrices(const single_solver *m, single_panel *p, const int with_motion)
{
    const single_tree *t = &m->t;
    for (int32_t k = 0; k < t->call->plan->nsegments; k++) m->sweep.touched[k] = INT32_MIN;
    for (int32_t at = 0; at < t->tree->base; at += LANES) sweep_base_columns(m, p, with_motion, at);
    if (with_motion && t->tree->base) {
        const int32_t row = t->tree->begin;
        base_motion_columns(t, output_rows_at(p, t->call->Dq, row, row), output_rows_at(p, t->call->Dv, row, row));
    }
    for (int32_t at = 0; at < t->n; at += LANES) sweep_panel_columns(m, p, with_motion, at);
}

#endif
