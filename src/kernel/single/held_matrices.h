/*
 * D_q, D_ν, D_τ and ∂λ of one state whose feet the world holds, and the walk of a held tree.
 *
 * With r = −∂τ/∂x of the motion with λ given (single/columns.h) and ∂c (single/held_rates.h), for x = q, ν
 *
 *   [ D  ]     [ r  ]          [ D_τ   −P ]
 *   [ ∂λ ] = Q [ ∂c ]      Q = [ −Pᵀ   −Λ ]      Λ = K⁻¹    P = W Λ    D_τ = M⁻¹ − P Wᵀ    ∂λ/∂τ = −Pᵀ
 *
 * Q is the inverse of the whole system, and symmetric. r and ∂c are sparse: a column of a leg meets the root's rows, its
 * own leg's and those of its own feet. λ of ∂λ moves with its body; that of a point is turned. A free root's own columns
 * D⁰ of the motion with λ given are known (single/free_base.h): D = D⁰ − P E, ∂λ = −Λ E with E = J D⁰ + ∂c. The force of a
 * plane keeps its direction, which is one more r.
 *
 * Where K is near to singular, E of the result is what is left of the equations; a second step takes it away.
 */
#ifndef HML_KERNEL_SINGLE_HELD_MATRICES_H
#define HML_KERNEL_SINGLE_HELD_MATRICES_H

#include "kernel/single/held_base.h"

NUM_INLINE rhs_pair *held_rhs(const held_call *h) { return (rhs_pair *)h->rhs; }

/* ---- Q ---- */

/* the root's rows of V: s as M⁻¹ = G s + N has it */
static inline void held_right_factor(const single_solver *m, const held_call *h)
{
    const single_tree *t = &m->t;
    const size_t nd = h->nd, n = 6 + (size_t)t->n;
    for (int32_t at = 0; at < t->n; at += LANES) {
        num R[ROW8];
        rows8_in(m->R + at * ROW8, ROW8, R);
        for (int d = 0; d < 6; d++) {
            double *to = h->V + (size_t)d * nd + 6 + at;
            if (at + LANES <= t->n)
                pack_put(to, -R[row8_index(d)]);
            else
                num_store_part(to, t->n - at, -R[row8_index(d)]);
        }
    }
    for (size_t d = 0; d < 6; d++) {
        for (size_t k = 0; k < 6; k++) h->V[d * nd + k] = d == k;
        for (size_t k = n; k < nd; k++) h->V[d * nd + k] = 0;
    }
}

/* R rows of −P, P registers from `at` on */
NUM_INLINE void held_left_rows(const held_call *h, const int R, const int P, int32_t row, size_t at)
{
    const double *W = h->W + (size_t)row * h->kd;
    double *to = h->Q + (size_t)row * h->qd + h->nd + at;
    num x[HELD_ROWS][HELD_PACKS];
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) x[r][k] = K(0);
    }
    for (int32_t i = 0; i < h->rows; i++) held_madd(R, P, W + i, h->kd, h->K + (size_t)i * h->kd + at, x);
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) pack_put(to + (size_t)r * h->qd + (size_t)(k * LANES), -x[r][k]);
    }
}

/* rows in groups of HELD_ROWS, and those that are left */
#define HELD_EACH_ROWS(n, i, call)                                                                                     \
    for (; (i) + HELD_ROWS <= (n); (i) += HELD_ROWS) call(HELD_ROWS);                                                  \
    switch ((n) - (i)) {                                                                                               \
    case 3: call(3); break;                                                                                            \
    case 2: call(2); break;                                                                                            \
    case 1: call(1); break;                                                                                            \
    default: break;                                                                                                    \
    }

NUM_INLINE void held_left_columns(const held_call *h, const int P, int32_t n, size_t at)
{
    int32_t i = 0;
#define X(R) held_left_rows(h, R, P, i, at)
    HELD_EACH_ROWS(n, i, X)
#undef X
}

/* −P */
static inline void held_left_factor(const held_call *h, int32_t n)
{
    for (size_t at = 0; at < (size_t)h->rows;) {
        const size_t left = ((size_t)h->rows - at + LANES - 1) / LANES;
        if (left >= HELD_PACKS) {
            held_left_columns(h, HELD_PACKS, n, at);
            at += HELD_PACKS * LANES;
        } else if (left >= 2) {
            held_left_columns(h, 2, n, at);
            at += 2 * LANES;
        } else {
            held_left_columns(h, 1, n, at);
            at += LANES;
        }
    }
}

/* the same in groups of HELD_TALL */
#define HELD_EACH_TALL(n, i, call)                                                                                     \
    for (; (i) + HELD_TALL <= (n); (i) += HELD_TALL) call(HELD_TALL);                                                  \
    switch ((n) - (i)) {                                                                                               \
    case 5: call(HELD_TALL > 5 ? 5 : 1); break;                                                                        \
    case 4: call(HELD_TALL > 4 ? 4 : 1); break;                                                                        \
    case 3: call(3); break;                                                                                            \
    case 2: call(2); break;                                                                                            \
    case 1: call(1); break;                                                                                            \
    default: break;                                                                                                    \
    }

/* R rows of G s − P Wᵀ, up to the diagonal, as many registers of columns at a time as `nd` is a multiple of */
NUM_INLINE void held_inverse_rows(const single_solver *m, const held_call *h, const int R, int32_t row)
{
    const int32_t base = m->t.tree->base;
    const double *G = m->response + (size_t)row * ROW8, *P = h->Q + (size_t)row * h->qd + h->nd;
    const int pair = LANES < HELD_PACK ? 2 : 1;
    for (int32_t at = 0; at < row + R; at += pair * LANES) {
        const double *V = h->V + at;
        double *to = h->Q + (size_t)row * h->qd + at;
        num x[HELD_TALL][HELD_PACKS];
        for (int r = 0; r < R; r++) {
            for (int k = 0; k < pair; k++) x[r][k] = K(0);
        }
        for (int32_t d = 0; d < base; d++, V += h->nd) held_madd(R, pair, G + row8_index(d), ROW8, V, x);
        for (int32_t i = 0; i < h->rows; i++, V += h->nd) held_madd(R, pair, P + i, h->qd, V, x);
        for (int r = 0; r < R; r++, to += h->qd) {
            for (int k = 0; k < pair; k++) pack_put(to + k * LANES, x[r][k]);
        }
    }
}

/* Q; the upper half of D_τ mirrors the lower one, and N joins both */
static inline void held_inverse(const single_solver *m, const held_call *h)
{
    const single_tree *t = &m->t;
    const int32_t base = t->tree->base, n = base + t->n;
    const size_t qd = h->qd;
    int32_t i = 0;
    if (base) held_right_factor(m, h);
    held_left_factor(h, n);
#define X(R) held_inverse_rows(m, h, R, i)
    HELD_EACH_TALL(n, i, X)
#undef X
    for (i = LANES; i < n; i += LANES) {
        held_transpose(h->Q + (size_t)i * qd, qd, n - i, i, h->Q + i, qd);
    }
    for (int32_t begin = 0, end; begin < t->n; begin = end) {
        end = plan_block_end(t->call->plan, t->tree, t->below + begin) - t->below;
        for (int32_t r = begin; r < end; r++) {
            const double *N = m->N + (size_t)r * m->ld;
            double *to = h->Q + (size_t)(base + r) * qd + base;
            for (int32_t k = begin / LANES * LANES; k < end; k += LANES)
                pack_put(to + k, pack_at(to + k) + pack_at(N + k));
        }
    }
    for (i = 0; i < n; i += LANES)
        held_transpose(h->Q + (size_t)i * qd + h->nd, qd, n - i, h->rows, h->Q + (size_t)n * qd + i, qd);
    for (i = 0; i < h->rows; i++) {
        double *to = h->Q + (size_t)(n + i) * qd + h->nd;
        for (int32_t k = 0; k < h->rows; k += LANES) pack_put(to + k, -pack_at(h->K + (size_t)i * h->kd + k));
    }
}

/* ---- results of a few columns ---- */

/* LANES columns or fewer on their way: where rows of D_q and D_ν, or of D_τ, go, and those of ∂λ */
typedef struct held_panel {
    const held_call *h;
    int32_t n;          /* rows of D */
    int32_t nlist;      /* right-hand sides, see held_call.list */
    int32_t width;      /* columns */
    int with_q, with_v; /* are the matrices there? */
    output_rows q, v, force_q, force_v;
} held_panel;

/* what a sum begins with: nothing, what is there, the turn of λ */
enum { HELD_NEW, HELD_ADD, HELD_TURN };

NUM_INLINE num held_load(const double *from, int n, const int full_width)
{
    return full_width ? pack_at(from) : num_load_part(from, n);
}

NUM_INLINE output_rows held_row(output_rows x, int32_t row)
{
    x.to += (size_t)row * x.ld;
    return x;
}

/* R rows of Q from `row` on times the right-hand sides: of ∂λ, where row n is the first, or of D */
NUM_INLINE void held_product(const held_panel *p, const int R, const int full_width, const int forces, const int begin,
                             int32_t row)
{
    const held_call *h = p->h;
    const size_t qd = h->qd;
    const double *Q = h->Q + (size_t)(forces ? p->n + row : row) * qd;
    const rhs_pair *rhs = held_rhs(h);
    double *to_q[HELD_TALL], *to_v[HELD_TALL];
    num q[HELD_TALL], v[HELD_TALL];
    for (int r = 0; r < R; r++) {
        to_q[r] = forces ? held_row(p->force_q, h->out[row + r]).to : held_row(p->q, row + r).to;
        to_v[r] = forces ? held_row(p->force_v, h->out[row + r]).to : held_row(p->v, row + r).to;
        q[r] = v[r] = K(0);
        if (begin == HELD_TURN) q[r] = pack_at(h->turn + (row + r) * LANES);
        if (begin == HELD_ADD) {
            q[r] = held_load(to_q[r], p->width, full_width);
            v[r] = held_load(to_v[r], p->width, full_width);
        }
    }
    for (const int32_t *k = h->list, *end = k + p->nlist; k < end; k++) {
        const num bq = rhs[*k].q, bv = rhs[*k].v;
        for (int r = 0; r < R; r++) {
            const double e = Q[(size_t)r * qd + (size_t)*k];
            q[r] += e * bq, v[r] += e * bv;
        }
    }
    for (int r = 0; r < R; r++) {
        store_lanes(to_q[r], p->width, full_width, q[r]);
        store_lanes(to_v[r], p->width, full_width, v[r]);
    }
}

/* all rows of D, or what is to be added to them */
NUM_INLINE void held_motion_out(const held_panel *p, const int full_width, const int begin)
{
    int32_t i = 0;
#define X(R) held_product(p, R, full_width, 0, begin, i)
    HELD_EACH_TALL(p->n, i, X)
#undef X
}

/* the same of ∂λ */
NUM_INLINE void held_forces_out(const held_panel *p, const int full_width, const int begin)
{
    int32_t i = 0;
#define X(R) held_product(p, R, full_width, 1, begin, i)
    HELD_EACH_TALL(p->h->rows, i, X)
#undef X
}

/* R rows of a foot: J D added to ∂c */
NUM_INLINE void held_foot_motion(const single_tree *t, const held_panel *p, const int R, const held_foot *f,
                                 int32_t row)
{
    const held_call *h = p->h;
    const int32_t base = t->tree->base;
    rhs_pair *c = held_rhs(h) + h->nd + row, e[3];
    for (int r = 0; r < R; r++) e[r] = c[r];
    for (int32_t k = 0; k < base + f->depth; k++) {
        const int32_t own = k < base ? k : f->path[k - base] - t->below;
        const double *J = (k < base ? h->X : h->J) + (size_t)own * h->ld + row;
        const int32_t i = k < base ? own : base + own;
        const num q = num_load_part(held_row(p->q, i).to, p->width), v = num_load_part(held_row(p->v, i).to, p->width);
        for (int r = 0; r < R; r++) e[r].q += J[r] * q, e[r].v += J[r] * v;
    }
    for (int r = 0; r < R; r++) {
        c[r].q = p->with_q ? e[r].q : K(0);
        c[r].v = p->with_v ? e[r].v : K(0);
    }
}

/* E = J D + ∂c takes the place of ∂c, and the right-hand sides are those alone */
static inline void held_residual(const single_tree *t, held_panel *p)
{
    const held_call *h = p->h;
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        if (f->rows == 1) held_foot_motion(t, p, 1, f, f->row);
        for (int32_t r = 0; r + 3 <= f->rows; r += 3) held_foot_motion(t, p, 3, f, f->row + r);
    }
    for (int32_t r = 0; r < h->rows; r++) h->list[r] = (int32_t)h->nd + r;
    p->nlist = h->rows;
}

static inline void held_refine(const single_tree *t, held_panel *p)
{
    held_residual(t, p);
    held_motion_out(p, 0, HELD_ADD);
    held_forces_out(p, 0, HELD_ADD);
}

/* columns `at` … end − 1 of the tree, LANES of them or fewer */
static inline held_panel held_panel_of(const single_tree *t, const single_panel *p, const held_call *h, int32_t at,
                                       int32_t end)
{
    const int32_t begin = t->tree->begin;
    held_panel x;
    x.h = h;
    x.n = t->tree->end - begin, x.nlist = 0;
    x.width = end - at < LANES ? end - at : LANES;
    x.with_q = h->call.Dq.data != NULL, x.with_v = h->call.Dv.data != NULL;
    x.q = output_rows_at(p, h->call.Dq, begin, begin + at), x.v = output_rows_at(p, h->call.Dv, begin, begin + at);
    x.force_q = output_rows_at(p, h->force_q, 0, begin + at);
    x.force_v = output_rows_at(p, h->force_v, 0, begin + at);
    return x;
}

/* ---- D_τ ---- */

static inline void held_copy(const double *from, int32_t n, double *to)
{
    int32_t k = 0;
    for (; k + LANES <= n; k += LANES) pack_put(to + k, pack_at(from + k));
    if (k < n) num_store_part(to + k, n - k, pack_at(from + k));
}

static inline void held_inverse_out(const single_solver *m, const single_panel *p, const held_call *h)
{
    const single_tree *t = &m->t;
    const int32_t begin = t->tree->begin, n = t->tree->end - begin;
    const output_rows D = output_rows_at(p, h->call.Minv, begin, begin);
    const kernel_output no_output = {NULL, 0, 0};
    for (int32_t i = 0; i < n && h->call.Minv.data; i++) held_copy(h->Q + (size_t)i * h->qd, n, held_row(D, i).to);
    for (int32_t i = 0; i < h->nfeet && h->force_tau.data; i++) {
        const held_foot *f = &h->feet[i];
        for (int32_t r = 0; r < f->rows; r++)
            held_copy(h->Q + (size_t)(n + f->row + r) * h->qd, n,
                      h->force_tau.data + (size_t)(f->out + r) * h->force_tau.ld + begin);
    }
    for (int32_t at = 0; at < n && h->found->refine && h->call.Minv.data; at += LANES) {
        held_panel x = held_panel_of(t, p, h, at, n);
        x.q = D, x.q.to += at, x.with_q = 1;
        x.force_q = output_rows_at(p, h->force_tau, 0, begin + at);
        x.v = x.force_v = output_rows_at(p, no_output, 0, 0), x.with_v = 0;
        for (int32_t r = 0; r < h->rows; r++) held_rhs(h)[h->nd + (size_t)r].q = K(0);
        held_refine(t, &x);
    }
}

/* ---- the columns of a free root ---- */

/* what the force of a plane adds to r, since it keeps its direction */
static inline void held_add_shadow(const single_tree *t, const held_call *h, const held_foot *f)
{
    const int32_t base = t->tree->base;
    rhs_pair *b = held_rhs(h);
    for (int32_t d = 0; d < 3; d++) {
        const num turn = pack_at(h->turn + (f->shadow + d) * LANES);
        const double *X = h->X + f->shadow + d, *J = h->J + f->shadow + d;
        for (int32_t k = 0; k < base; k++) b[k].q += X[(size_t)k * h->ld] * turn;
        for (int32_t k = 0; k < f->depth; k++) {
            const int32_t own = f->path[k] - t->below;
            b[base + own].q += J[(size_t)own * h->ld] * turn;
        }
    }
}

/* columns `at` … end − 1 of the root, LANES of them or fewer */
static inline void held_base_columns(const single_tree *t, const single_panel *p, const held_call *h, int32_t at,
                                     int32_t end)
{
    const rhs_pair zero = {K(0), K(0)};
    held_panel x = held_panel_of(t, p, h, at, end);
    for (int32_t i = 0; i < h->nfeet; i++) held_base_rates(t, h, &h->feet[i], at);
    held_residual(t, &x);
    for (int32_t i = 0; i < x.n && h->shadows; i++) held_rhs(h)[i] = zero, h->list[x.nlist++] = i;
    for (int32_t i = 0; i < h->nfeet && h->shadows; i++) {
        if (h->feet[i].rows == 1) held_add_shadow(t, h, &h->feet[i]);
    }
    held_motion_out(&x, 0, HELD_ADD);
    held_forces_out(&x, 0, HELD_TURN);
    if (!h->found->refine) return;
    for (int32_t i = 0; i < h->nfeet; i++) held_base_rates(t, h, &h->feet[i], at);
    held_refine(t, &x);
}

static inline void held_base(const single_solver *m, const single_panel *p, const held_call *h)
{
    const single_tree *t = &m->t;
    for (int32_t at = 3; at < 6; at += LANES) held_base_columns(t, p, h, at, 6);
    if (held_notices_place(h)) {
        for (int32_t at = 0; at < 3; at += LANES) held_base_columns(t, p, h, at, 3);
        return;
    }
    held_clear_place(t, h, h->force_q);
    held_clear_place(t, h, h->force_v);
}

/* ---- the columns below it ---- */

/* rows of the bodies behind loops that have no right-hand sides yet join the list, with zeros. Returns its end */
static inline int32_t *held_loop_list(const single_tree *t, const single_panel *p, const held_call *h, int32_t *list)
{
    const rhs_pair zero = {K(0), K(0)};
    const int32_t base = t->tree->base;
    memset(h->moved, 0, (size_t)t->n);
    for (int32_t k = 0; k < p->nruns; k++)
        memset(h->moved + p->runs[k].begin, 1, (size_t)(p->runs[k].end - p->runs[k].begin));
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        if (f->other < 0 || !lanes_any(f->above, p->at)) continue;
        for (int32_t d = 0; d < f->other_depth; d++) {
            const int32_t own = f->other_path[d] - t->below;
            if (h->moved[own]) continue;
            h->moved[own] = 1;
            held_rhs(h)[base + own] = zero;
            *list++ = base + own;
        }
    }
    return list;
}

/* the wrench on the other body of a loop moves with its first one: −σ J_Bᵀ (S × λ) */
static inline void held_loop_rhs(const single_tree *t, const held_call *h, const held_foot *f, int32_t k)
{
    const int32_t base = t->tree->base;
    const lane_set lanes = lanes_of(f->above, k * LANES);
    const num sign = lanes_where(lanes, lanes_select(lanes_of(f->behind, k * LANES), K(-1), K(1)));
    const twist S = twist_scale(sign, t->pack[k].S);
    const pair4 F = held_force(h, f);
    double x[ROW8];
    quads_put(x, F.v, F.w + quad_cross(quad_from(f->p), F.v));
    const vec3 force = held_spread(x), torque = held_spread(x + 4);
    const wrench U = wrench_of(vec3_neg(vec3_cross(S.w, force)),
                               vec3_neg(vec3_add(vec3_cross(S.w, torque), vec3_cross(S.v, force))));
    rhs_pair *b = held_rhs(h);
    for (int32_t d = 0; d < base; d++) b[d].q += (&U.f.x)[d];
    for (int32_t d = 0; d < f->other_depth; d++) {
        const int32_t own = f->other_path[d] - t->below;
        b[base + own].q += row8_dot_wrench(t->S + own * ROW8, &U);
    }
}

/* ∂c of all feet in the LANES columns from `at` on; those that are touched join the list. Returns its end */
static inline int32_t *held_panel_rates(const single_tree *t, const held_call *h, int32_t at, int32_t *list)
{
    const rhs_pair zero = {K(0), K(0)};
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        const int touched = f->above && lanes_any(f->above, at);
        if (touched) held_pack_rates(t, h, f, at / LANES);
        for (int32_t d = 0; d < f->rows && touched; d++) *list++ = (int32_t)h->nd + f->row + d;
        for (int32_t d = 0; d < f->rows && !touched; d++) {
            held_rhs(h)[h->nd + (size_t)(f->row + d)] = zero;
            pack_put(h->turn + (f->row + d) * LANES, K(0));
        }
        if (f->rows == 1 && touched) held_add_shadow(t, h, f);
        if (f->other >= 0 && touched) held_loop_rhs(t, h, f, at / LANES);
    }
    return list;
}

/* LANES columns from `at` on; p->b is behind the root's right-hand sides */
static inline void held_columns_out(const single_solver *m, single_panel *p, const held_call *h, int32_t at)
{
    const single_tree *t = &m->t;
    const int32_t base = t->tree->base;
    const column_pack *c = &t->pack[at / LANES];
    rhs_pair *root = held_rhs(h);
    int32_t *list = h->list;
    panel_place(m, p, at);
    panel_runs(p, t->below);
    column_rhs_fill(t, p, c);
    if (t->call->passive) column_rhs_passive(t, p, &p->b->q, 2);
    for (int32_t d = 0; d < base; d++) {
        root[d].q = (&c->q.U.f.x)[d], root[d].v = (&c->v.U.f.x)[d];
        *list++ = d;
    }
    for (int32_t k = 0; k < p->nruns; k++) {
        for (int32_t i = p->runs[k].begin; i < p->runs[k].end; i++) *list++ = base + i;
    }
    held_panel x = held_panel_of(t, p, h, base + at, base + t->n);
    if (h->loops) list = held_loop_list(t, p, h, list);
    list = held_panel_rates(t, h, at, list);
    x.nlist = (int32_t)(list - h->list);
    if (x.width == LANES) {
        held_motion_out(&x, 1, HELD_NEW);
        held_forces_out(&x, 1, HELD_TURN);
    } else {
        held_motion_out(&x, 0, HELD_NEW);
        held_forces_out(&x, 0, HELD_TURN);
    }
    if (h->found->refine) held_refine(t, &x);
}

/* ---- the whole ---- */

/* all results but ν̇ and λ */
static inline void held_matrices(const single_solver *m, single_panel *p, const held_call *h)
{
    const single_tree *t = &m->t;
    single_panel panel = *p;
    if (h->rows == 0) {
        single_tree_matrices(m, p, 0);
        return;
    }
    const int by_rows = held_base_goes_by_rows(h);
    if (t->tree->base && !by_rows) base_panel(m, p);
    for (int32_t i = 0; i < h->nfeet; i++) {
        held_foot *f = &h->feet[i];
        if (f->rows == 1) *(quad_anywhere *)f->rate = held_rate(t, f, t->a + f->slot * ROW8).v;
        if (f->other >= 0) held_loop_acceleration(t, f);
    }
    held_inverse(m, h);
    held_inverse_out(m, p, h);
    if (t->tree->base && by_rows) held_base_by_rows(m, p, h);
    if (t->tree->base && !by_rows) held_base(m, p, h);
    panel.b = held_rhs(h) + t->tree->base;
    for (int32_t at = 0; at < t->n; at += LANES) held_columns_out(m, &panel, h, at);
}

/* 1: the kernel declines, and nothing has been written that the caller asked for */
static inline unsigned held_tree(single_solver *m, single_panel *p, const held_call *h)
{
    single_tree *t = &m->t;
    single_tree_begin(t, h->tree);
    single_tree_motion(m, 0);
    if (pivot_vanished(m) || !held_solve(m, h)) return 1;
    if (h->derivatives) {
        add_accelerations(t);
        held_add_forces(t, h);
        column_effects(t);
        held_matrices(m, p, h);
    }
    single_base_acceleration(t);
    for (int32_t i = 0; i < h->nfeet && h->force; i++) {
        const held_foot *f = &h->feet[i];
        memcpy(h->force + f->out, h->lambda + f->row, (size_t)f->rows * sizeof(double));
    }
    if (h->call.acceleration.data)
        memcpy(h->call.acceleration.data + t->tree->begin, t->x + t->tree->begin,
               (size_t)(t->tree->end - t->tree->begin) * sizeof *t->x);
    return 0;
}

/* one tree of one state. 1: not for this kernel; the first tree's call looks at the whole state */
static inline unsigned single_held(const held_call *h)
{
    single_solver m;
    single_panel p;
    num *passive;
    if (h->call.long_chain || (h->tree == 0 && (single_unfit(&h->call) || !single_call_is_good(&h->call)))) return 1;
    single_scratch_lay(h->call.plan, 0, h->call.scratch, &m, &p, &passive);
    if (h->tree == 0) {
        single_load_state(&h->call, &m.t, passive);
        single_clear_between(&h->call);
    }
    p.springs = h->call.passive ? passive + h->call.plan->nq + 2 * h->call.plan->nv : NULL;
    m.t.call = &h->call, m.t.nu = h->call.v.data;
    m.pivot_score = 0;
    return held_tree(&m, &p, h);
}

#endif
