/*
 * Right-hand sides and results of the linearization of one state, LANES columns at a time: pack/columns.h with one
 * column per lane.
 */
#ifndef HML_KERNEL_SINGLE_COLUMNS_H
#define HML_KERNEL_SINGLE_COLUMNS_H

#include "kernel/single/block_inverse.h"

/* right-hand sides of D_q and D_ν in a row of the panel */
typedef struct rhs_pair {
    num q, v;
} rhs_pair;

/* rows in which a panel has right-hand sides: begin … end − 1 */
typedef struct panel_run {
    int32_t begin, end;
} panel_run;

/* LANES columns: their right-hand sides, and where their results go */
typedef struct single_panel {
    rhs_pair *b;         /* n */
    int32_t at, end;     /* columns */
    int32_t width;       /* how many */
    int32_t joint;       /* first column of the joint of column `at` */
    int32_t carried;     /* the end of their subtrees */
    const int32_t *path; /* rows above that joint, in the plan's numbering: `above` of them */
    int32_t above;
    panel_run *runs, *clipped; /* rows with right-hand sides; those in a block */
    int32_t nruns;
    output_rows Dq, Dv, Minv;
    double *discard;    /* a row for results that were not asked for */
    const num *springs; /* ∂h/∂q of the springs, see kernel/passive.h; only lane 0 counts */
} single_panel;

/* ---- right-hand sides ---- */

/* Σ a[d] x[d] for three numbers */
NUM_INLINE num row8_dot3(const double *a, const vec3 *x) { return a[0] * x->x + a[1] * x->y + a[2] * x->z; }

/* −(g·w + F·P) in the rows of descendants, −S·U in those of ancestors; the signs are in c->q and c->v */
static inline void column_rhs_fill(const single_tree *t, const single_panel *p, const column_pack *c)
{
    const size_t bytes = t->call->paths->bytes;
    const int32_t at = p->at, end = p->end, carried = p->carried, joint = p->joint;
    const column_side q = c->q, v = c->v;
    for (int32_t d = 0; d < p->above; d++) {
        const int32_t i = p->path[d] - t->below;
        const lane_set below = lanes_of(columns_below(t, i), at);
        const double *S = t->S + i * ROW8;
        p->b[i].q = lanes_where(below, row8_dot_wrench(S, &q.U));
        p->b[i].v = lanes_where(below, row8_dot_wrench(S, &v.U));
    }
    const double *F = t->F + joint * ROW8, *S = t->S + joint * ROW8, *g = t->g + joint * ROW8;
    const uint8_t *above = columns_above(t, joint), *below = columns_below(t, joint);
    rhs_pair *b = p->b + joint;
    for (int32_t i = joint; i < end; i++, F += ROW8, S += ROW8, g += ROW8, above += bytes, below += bytes, b++) {
        const lane_set down = lanes_of(above, at), up = lanes_of(below, at);
        b->q =
            lanes_select(down, row8_dot_twist(F, &q.P) + row8_dot3(g, &q.w), lanes_where(up, row8_dot_wrench(S, &q.U)));
        b->v =
            lanes_select(down, row8_dot_twist(F, &v.P) + row8_dot3(g, &v.w), lanes_where(up, row8_dot_wrench(S, &v.U)));
    }
    for (int32_t i = end; i < carried; i++, F += ROW8, g += ROW8, above += bytes, b++) {
        const lane_set down = lanes_of(above, at);
        b->q = lanes_where(down, row8_dot_twist(F, &q.P) + row8_dot3(g, &q.w));
        b->v = lanes_where(down, row8_dot_twist(F, &v.P) + row8_dot3(g, &v.w));
    }
}

/*
 * subtracts damping and springs, which have entries in the joints' own columns; b: `step` packs per row, q and v first
 */
static inline void column_rhs_passive(const single_tree *t, const single_panel *p, num *b, int32_t step)
{
    for (int32_t c = p->at; c < p->end; c++) {
        const plan_column *pc = &plan_columns(t->call->plan)[t->below + c];
        const int32_t nv = plan_bodies(t->call->plan)[pc->body].nv, lane_of = c - p->at;
        for (int32_t k = pc->first; k < pc->first + nv; k++) {
            b[(k - t->below) * step][lane_of] -= num_get(p->springs[k * PASSIVE_LD + t->below + c - pc->first], 0);
        }
        b[c * step + 1][lane_of] -= t->call->coordinates[t->below + c].damping;
    }
}

/* s = b_root + Tᵀ b with T = −N F and b_root = U; b has two packs per row */
NUM_INLINE void base_rhs_sum(const single_solver *m, const single_panel *p, const wrench *U, const num *b, num s[6])
{
    num s0 = U->f.x, s1 = U->f.y, s2 = U->f.z, s3 = U->t.x, s4 = U->t.y, s5 = U->t.z;
    for (const panel_run *run = p->runs, *last = run + p->nruns; run < last; run++) {
        const double *R = m->R + run->begin * ROW8;
        for (const num *x = b + 2 * run->begin, *end = b + 2 * run->end; x < end; x += 2, R += ROW8) {
            const num y = *x;
            s0 -= R[0] * y, s1 -= R[1] * y, s2 -= R[2] * y;
            s3 -= R[4] * y, s4 -= R[5] * y, s5 -= R[6] * y;
        }
    }
    s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3, s[4] = s4, s[5] = s5;
}

/* rows with right-hand sides: the path, as runs of neighbours, then the columns and their descendants */
static inline void panel_runs(single_panel *p, int32_t below)
{
    panel_run *run = p->runs;
    run->begin = run->end = p->above ? p->path[0] - below : p->joint;
    for (int32_t d = 0; d < p->above; d++) {
        const int32_t i = p->path[d] - below;
        if (run->end != i) run++, run->begin = i;
        run->end = i + 1;
    }
    if (run->end != p->joint) run++, run->begin = p->joint;
    run->end = p->carried;
    p->nruns = (int32_t)(run - p->runs) + 1;
}

/* the parts of these runs in a block */
static inline int32_t panel_clip(const single_panel *p, int32_t begin, int32_t end)
{
    int32_t n = 0;
    for (int32_t k = 0; k < p->nruns; k++) {
        const panel_run run = p->runs[k];
        if (run.begin >= end || run.end <= begin) continue;
        p->clipped[n].begin = run.begin > begin ? run.begin : begin;
        p->clipped[n++].end = run.end < end ? run.end : end;
    }
    return n;
}

/* ---- results ---- */

/* rows at once: their sums and what they share should fit into the registers */
enum { SINGLE_ROWS = 3 };

/* G s */
NUM_INLINE result_row result_row_of(const double *G, const base_rhs *s)
{
    result_row x = {G[0] * s->q[0], G[0] * s->v[0], G[0] * s->m[0]};
    for (int d = 1; d < 6; d++) {
        const double g = G[row8_index(d)];
        x.q += g * s->q[d], x.v += g * s->v[d], x.m += g * s->m[d];
    }
    return x;
}

/* stores a row of the three results, and advances to the next */
NUM_INLINE void result_row_out(int n, const int full_width, result_row x, output_rows to[3])
{
    store_lanes(to[0].to, n, full_width, x.q), store_lanes(to[1].to, n, full_width, x.v);
    store_lanes(to[2].to, n, full_width, x.m);
    for (int k = 0; k < 3; k++) to[k].to += to[k].ld;
}

/* rows of the three results in other blocks: only G s */
NUM_INLINE void rows_without_tile(single_panel *p, const base_rhs *sums, const int full_width, const double *G,
                                  int32_t rows)
{
    output_rows to[3] = {p->Dq, p->Dv, p->Minv};
    const base_rhs s = *sums;
    for (const double *end = G + rows * ROW8; G < end; G += ROW8)
        result_row_out(p->width, full_width, result_row_of(G, &s), to);
    p->Dq = to[0], p->Dv = to[1], p->Minv = to[2];
}

/* R rows of N b, and of G s under a free root; G and N at the first of them */
NUM_INLINE void tile_rows(const int R, const int base, const int full_width, const single_solver *m,
                          const single_panel *p, const base_rhs *s, const double *G, const double *N, int32_t nclipped,
                          output_rows to[3])
{
    const size_t ld = m->ld;
    const result_row zero = {K(0), K(0), K(0)};
    result_row x[SINGLE_ROWS];
    for (int r = 0; r < R; r++) {
        x[r] = base ? result_row_of(G + r * ROW8, s) : zero;
        x[r].m += pack_at(N + (size_t)r * ld + p->at);
    }
    for (const panel_run *run = p->clipped, *end = run + nclipped; run < end; run++) {
        const rhs_pair *b = p->b + run->begin;
        for (int32_t j = run->begin; j < run->end; j++, b++) {
            const num bq = b->q, bv = b->v;
            for (int r = 0; r < R; r++) {
                const double e = N[(size_t)r * ld + (size_t)j];
                x[r].q += e * bq, x[r].v += e * bv;
            }
        }
    }
    for (int r = 0; r < R; r++) result_row_out(p->width, full_width, x[r], to);
}

/* rows of the blocks that the panel touches */
NUM_INLINE void rows_with_tile(const single_solver *m, single_panel *p, const base_rhs *s, const int base,
                               const int full_width, const double *G, const double *N, int32_t rows, int32_t nclipped)
{
    output_rows to[3] = {p->Dq, p->Dv, p->Minv};
    for (; rows >= SINGLE_ROWS; rows -= SINGLE_ROWS, G += SINGLE_ROWS * ROW8, N += SINGLE_ROWS * m->ld)
        tile_rows(SINGLE_ROWS, base, full_width, m, p, s, G, N, nclipped, to);
    switch (rows) {
    case 2: tile_rows(2, base, full_width, m, p, s, G, N, nclipped, to); break;
    case 1: tile_rows(1, base, full_width, m, p, s, G, N, nclipped, to); break;
    default: break;
    }
    p->Dq = to[0], p->Dv = to[1], p->Minv = to[2];
}

static inline output_rows output_rows_at(const single_panel *p, kernel_output out, int32_t row, int32_t column)
{
    output_rows o = {p->discard, 0};
    if (!out.data) return o;
    o.to = out.data + (size_t)row * out.ld + (size_t)column;
    o.ld = out.ld;
    return o;
}

/* rows of the blocks that a panel touches, from row `begin` on; returns where they end */
NUM_INLINE int32_t panel_blocks(const single_solver *m, single_panel *p, const base_rhs *s, const int base,
                                const int full_width, int32_t begin)
{
    const single_tree *t = &m->t;
    const double *own = m->response + 6 * ROW8;
    for (int32_t end; begin < p->carried; begin = end) {
        end = plan_block_end(t->call->plan, t->tree, t->below + begin) - t->below;
        rows_with_tile(m, p, s, base, full_width, own + begin * ROW8, m->N + (size_t)begin * m->ld, end - begin,
                       panel_clip(p, begin, end));
    }
    return begin;
}

NUM_INLINE void panel_results(const single_solver *m, single_panel *p, const base_rhs *s, const int full_width)
{
    const single_tree *t = &m->t;
    const double *own = m->response + 6 * ROW8;
    const int32_t first = p->runs[0].begin;
    if (!t->tree->base) {
        rows_with_tile(m, p, s, 0, full_width, own, m->N, t->n, panel_clip(p, 0, t->n));
        return;
    }
    if (t->call->limbs) {
        rows_without_tile(p, s, full_width, m->response, 6);
        p->Dq.to += (size_t)first * p->Dq.ld, p->Dv.to += (size_t)first * p->Dv.ld;
        p->Minv.to += (size_t)first * p->Minv.ld;
        panel_blocks(m, p, s, 0, full_width, first);
        return;
    }
    rows_without_tile(p, s, full_width, m->response, first + 6);
    const int32_t end = panel_blocks(m, p, s, 1, full_width, first);
    rows_without_tile(p, s, full_width, own + end * ROW8, t->n - end);
}

/* which columns they are, and where their results go */
static inline void panel_place(const single_solver *m, single_panel *p, int32_t at)
{
    const single_tree *t = &m->t;
    const kernel_call *call = t->call;
    const int32_t base = t->tree->base, row = t->tree->begin;
    const plan_column *pc = plan_columns(call->plan) + t->below;
    p->at = at;
    p->end = at + LANES < t->n ? at + LANES : t->n;
    p->width = p->end - at;
    p->carried = p->end;
    for (int32_t k = at; k < p->end; k++) {
        const int32_t end = pc[k].subtree_end - t->below;
        if (end > p->carried) p->carried = end;
    }
    p->joint = pc[at].first - t->below;
    p->path = column_path(call->paths, t->below + at) + base;
    p->above = pc[p->joint].depth - base;
    p->Dq = output_rows_at(p, call->Dq, row, t->below + at);
    p->Dv = output_rows_at(p, call->Dv, row, t->below + at);
    p->Minv = output_rows_at(p, call->Minv, row, t->below + at);
}

static inline void panel_solve(const single_solver *m, single_panel *p, int32_t at)
{
    const single_tree *t = &m->t;
    const column_pack *c = &t->pack[at / LANES];
    base_rhs s;
    panel_place(m, p, at);
    panel_runs(p, t->below);
    column_rhs_fill(t, p, c);
    if (t->call->passive) column_rhs_passive(t, p, &p->b->q, 2);
    if (t->tree->base) {
        num R[ROW8];
        base_rhs_sum(m, p, &c->q.U, &p->b->q, s.q);
        base_rhs_sum(m, p, &c->v.U, &p->b->v, s.v);
        rows8_in(m->R + at * ROW8, ROW8, R);
        for (int d = 0; d < 6; d++) s.m[d] = -R[row8_index(d)];
    }
    if (p->width == LANES)
        panel_results(m, p, &s, 1);
    else
        panel_results(m, p, &s, 0);
}

#endif
