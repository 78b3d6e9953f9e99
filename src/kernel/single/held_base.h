/*
 * The columns of a free root of one state whose feet the world holds. As in single/free_base.h they are few, so a lane
 * is a row of the results, or a row of the constraints, and three columns go together: the linear velocity or the
 * angular one. With D⁰ of the motion with λ given, E = J D⁰ + ∂c:
 *
 *   D = D⁰ − P E     ∂λ = −Λ E
 *
 * D⁰_q is gravity × e in the root's rows, so that J D⁰_q = x × gravity. D⁰_ν of the angular velocity is M⁻¹ r, and
 * J M⁻¹ r = Wᵀ r; what the passes leave out adds e × ω and u × e.
 */
#ifndef HML_KERNEL_SINGLE_HELD_BASE_H
#define HML_KERNEL_SINGLE_HELD_BASE_H

#include "kernel/single/held_rates.h"

/* three columns by q and by ν */
typedef struct held_three {
    vec3 q, v;
} held_three;

/* planes, whose forces keep their direction, and refined results are left to registers of columns */
static inline int held_base_goes_by_rows(const held_call *h) { return LANES >= 4 && !h->shadows && !h->found->refine; }

/* without stiffness nothing depends on where it is; without damping points do not notice how fast it moves along */
static inline int held_notices_place(const held_call *h)
{
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        if (f->rows == 6 || f->stiffness > 0 || f->damping > 0) return 1;
    }
    return 0;
}

/* zeros in the first three columns of ∂λ */
static inline void held_clear_place(const single_tree *t, const held_call *h, kernel_output out)
{
    for (int32_t i = 0; i < h->nfeet && out.data; i++) {
        for (int32_t r = h->feet[i].out; r < h->feet[i].out + h->feet[i].rows; r++) {
            double *to = out.data + (size_t)r * out.ld + t->tree->begin;
            to[0] = to[1] = to[2] = 0;
        }
    }
}

/* the first three columns of LANES rows of registers, `step` numbers apart; rows from `count` on are zero */
NUM_INLINE vec3 held_three_columns(const double *rows, size_t step, int32_t count)
{
    num t[LANES < 4 ? 4 : LANES];
    for (int l = 0; l < 4 || l < LANES; l++) t[l] = l < LANES && l < count ? pack_at(rows + (size_t)l * step) : K(0);
    num_transpose(t);
    return vec3_of(t[0], t[1], t[2]);
}

/* what was left out of three columns, in the root's linear rows: a × e each */
NUM_INLINE vec3 held_cross_columns(const double *a)
{
    const double columns[3][HELD_PACK] = {{0, a[2], -a[1]}, {-a[2], 0, a[0]}, {a[1], -a[0], 0}};
    return vec3_of(pack_at(columns[0]), pack_at(columns[1]), pack_at(columns[2]));
}

/* gravity, and what stands in for it by ν: u, or −ω for the linear velocity */
typedef struct held_left_out {
    double g[3], u[3];
} held_left_out;

static inline held_left_out held_left_out_of(const single_tree *t, int32_t first)
{
    const double *g = t->gravity, *u = t->velocity, *w = t->v + ROW8 + 4;
    held_left_out x;
    for (int d = 0; d < 3; d++) x.g[d] = first ? g[d] : 0, x.u[d] = first ? u[d] : -w[d];
    return x;
}

/* E of LANES rows of the constraints, from row i on; c: right-hand sides of the angular velocity, or NULL */
NUM_INLINE held_three held_base_motion(const held_call *h, const base_three_rhs *c, const held_left_out *left,
                                       int32_t n, int32_t i)
{
    const double *rates = h->rhs + (h->nd + (size_t)i) * 2 * LANES, *X = h->X + i, *W = h->W + i;
    const vec3 x = vec3_of(pack_at(X), pack_at(X + h->ld), pack_at(X + 2 * h->ld));
    held_three E;
    E.q = held_three_columns(rates, 2 * LANES, h->rows - i);
    E.v = held_three_columns(rates + LANES, 2 * LANES, h->rows - i);
    E.q = vec3_add(E.q, vec3_cross(x, held_spread(left->g)));
    E.v = vec3_add(E.v, vec3_cross(x, held_spread(left->u)));
    for (int32_t d = 0; c && d < 6; d++, W += h->kd) {
        const num w = pack_at(W);
        const int e = row8_index(d);
        E.v.x += c->root[0][e] * w, E.v.y += c->root[1][e] * w, E.v.z += c->root[2][e] * w;
    }
    for (int32_t k = 0; c && k < n; k++, W += h->kd) {
        const double *b = c->b + k;
        const num w = pack_at(W);
        E.v.x += b[0] * w, E.v.y += b[c->ld] * w, E.v.z += b[2 * c->ld] * w;
    }
    return E;
}

/* x + Σ A E over the rows of the constraints; A: LANES columns of −Pᵀ or −Λ */
NUM_INLINE held_three held_base_product(const held_call *h, const double *A, held_three x)
{
    const double *E = h->E;
    for (int32_t j = 0; j < h->rows; j++, A += h->qd, E++) {
        const num a = pack_at(A);
        x.q.x += E[0] * a, x.q.y += E[h->kd] * a, x.q.z += E[2 * h->kd] * a;
        x.v.x += E[3 * h->kd] * a, x.v.y += E[4 * h->kd] * a, x.v.z += E[5 * h->kd] * a;
    }
    return x;
}

/* ∂λ of LANES rows, from row i on */
NUM_INLINE void held_base_forces(const single_tree *t, const single_panel *p, const held_call *h, int32_t first,
                                 int32_t i)
{
    const int32_t column = t->tree->begin + first, n = 6 + t->n;
    const output_rows q = output_rows_at(p, h->force_q, 0, column), v = output_rows_at(p, h->force_v, 0, column);
    held_three x = {held_three_columns(h->turn + i * LANES, LANES, h->rows - i), vec3_zero()};
    x = held_base_product(h, h->Q + (size_t)n * h->qd + h->nd + i, x);
    double rows[2][4 * HELD_PACK];
    store_three_columns(x.q, rows[0], 4, LANES);
    store_three_columns(x.v, rows[1], 4, LANES);
    for (int32_t l = 0; l < LANES && i + l < h->rows; l++) {
        const size_t out = (size_t)h->out[i + l];
        memcpy(q.to + out * q.ld, rows[0] + 4 * l, 3 * sizeof(double));
        memcpy(v.to + out * v.ld, rows[1] + 4 * l, 3 * sizeof(double));
    }
}

/* columns `first` … first + 2; c: of the angular velocity, or NULL */
static inline void held_base_three(const single_solver *m, const single_panel *p, const held_call *h, base_three_rhs *c,
                                   int32_t first)
{
    const single_tree *t = &m->t;
    const int32_t begin = t->tree->begin, n = 6 + t->n;
    const output_rows q = output_rows_at(p, h->call.Dq, begin, begin + first);
    const output_rows v = output_rows_at(p, h->call.Dv, begin, begin + first);
    const held_left_out left = held_left_out_of(t, first);
    const double *P = h->Q + (size_t)n * h->qd;
    base_walk walk = {0, 0};
    for (int32_t i = 0; i < h->nfeet; i++) held_base_rates(t, h, &h->feet[i], first);
    for (int32_t i = 0; i < h->rows; i += LANES) {
        const held_three E = held_base_motion(h, c, &left, t->n, i);
        const num *q_first = &E.q.x, *v_first = &E.v.x;
        for (int k = 0; k < 3; k++) {
            pack_put(h->E + (size_t)k * h->kd + i, q_first[k]);
            pack_put(h->E + (size_t)(k + 3) * h->kd + i, v_first[k]);
        }
    }
    for (int32_t i = 0; i < h->rows; i += LANES) held_base_forces(t, p, h, first, i);
    for (int32_t i = 0; i < n;) {
        const int32_t rows = i < 6 && 6 - i < LANES ? 6 - i : LANES;
        held_three x = {vec3_zero(), vec3_zero()};
        if (i == 0) x.q = held_cross_columns(left.g), x.v = held_cross_columns(left.u);
        if (c && i < 6) x.v = vec3_add(x.v, base_rows_product(m->response + i * ROW8, c->s));
        if (c && i >= 6) x.v = base_rows_below(m, c, &walk, i - 6);
        x = held_base_product(h, P + i, x);
        store_three_columns(x.q, q.to + (size_t)i * q.ld, q.ld, rows < n - i ? rows : n - i);
        store_three_columns(x.v, v.to + (size_t)i * v.ld, v.ld, rows < n - i ? rows : n - i);
        i += rows;
    }
}

static inline void held_base_by_rows(const single_solver *m, const single_panel *p, const held_call *h)
{
    const single_tree *t = &m->t;
    const int32_t begin = t->tree->begin;
    const output_rows q = output_rows_at(p, h->call.Dq, begin, begin), v = output_rows_at(p, h->call.Dv, begin, begin);
    base_three_rhs c = base_three_rhs_of(m, p);
    if (held_notices_place(h)) {
        held_base_three(m, p, h, NULL, 0);
    } else {
        base_clear_rows(m, q, v);
        for (int d = 0; d < 3; d++) {
            const double *w = t->v + ROW8 + 4, turned[3][3] = {{0, w[2], -w[1]}, {-w[2], 0, w[0]}, {w[1], -w[0], 0}};
            memcpy(v.to + (size_t)d * v.ld, turned[d], sizeof turned[d]);
        }
        held_clear_place(t, h, h->force_q);
        held_clear_place(t, h, h->force_v);
    }
    held_base_three(m, p, h, &c, 3);
}

#endif
