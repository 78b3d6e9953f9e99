/*
 * ν̇ and λ of one state whose feet the world holds, and what their derivatives need: the linearization of one state
 * with a stop in the middle. Notation and formulas: kernel/held.h, kernel/composite.h.
 *
 *   M ν̇ + h = τ + Jᵀλ,  c = 0     W = M⁻¹ Jᵀ     K = J W     λ = −K⁻¹ c₀     ν̇ = ν̇₀ + W λ
 *
 * ν̇₀ and c₀ are those without λ. M⁻¹ is there as N and G (single/block_inverse.h) before ν̇ is used, so λ fits in
 * between: afterwards it is one more wrench on its body, and all goes on as if it had been given. Lanes are rows of the
 * constraints here.
 *
 * K squares the condition of the rows. Where a pivot of it says that digits are lost, λ is refined by one step; where
 * it says that too many are, the kernel declines, and the caller decides about the rank by orthogonal factors.
 */
#ifndef HML_KERNEL_SINGLE_HELD_SOLVE_H
#define HML_KERNEL_SINGLE_HELD_SOLVE_H

#include "kernel/single/held_loop.h"

/* ---- rows ---- */

/* x, J, c without ν̇, and the columns that move any foot; 0: a row moves nothing */
static inline int held_rows(const single_tree *t, const held_call *h)
{
    memset(h->X, 0, 6 * h->ld * sizeof(double));
    memset(h->J, 0, (size_t)t->n * h->ld * sizeof(double));
    memset(h->c, 0, h->kd * sizeof(double));
    memset(h->moved, 0, (size_t)t->n);
    int moves = 1;
    for (int32_t i = 0; i < h->nfeet; i++) {
        held_foot *f = &h->feet[i];
        if (f->other < 0) {
            f->behind = NULL;
            held_place(t, f);
            held_wrenches(h, f);
            held_put_rate(f, held_rate(t, f, t->a + f->slot * ROW8), h->c + f->row);
        } else { /* its wrenches cancel each other on a root */
            held_loop_place(t, f);
            held_put_rate(f, held_loop_rate(t, f), h->c + f->row);
        }
        held_jacobian(t, h, f);
        moves &= held_moves(t, h, f);
        for (int32_t k = 0; k < f->depth; k++) h->moved[f->path[k] - t->below] = 1;
        for (int32_t d = 0; d < f->rows; d++) h->out[f->row + d] = f->out + d;
    }
    h->found->nactive = 0;
    for (int32_t k = 0; k < t->n; k++) {
        h->active[h->found->nactive] = k;
        h->found->nactive += h->moved[k];
    }
    return moves;
}

/* ---- W, K and its inverse ---- */

/* a few registers of neighbouring columns of W and K at once, and rows at once, so that sums do not wait for each other */
#if defined __AVX512VL__
enum { HELD_PACKS = 3, HELD_ROWS = 4, HELD_TALL = 6 }; /* TALL: rows of two registers */
#else
enum { HELD_PACKS = 2, HELD_ROWS = 4, HELD_TALL = 4 };
#endif

/* some columns of W: from `at` on */
typedef struct held_responses {
    const single_solver *m;
    const held_call *h;
    size_t at;
    num B[6][HELD_PACKS]; /* of a free root: x less what the columns below it take away */
} held_responses;

/* x + Σ a y: R rows by P registers; a: one number per row, `step` apart */
NUM_INLINE void held_madd(const int R, const int P, const double *a, size_t step, const double *y, num x[][HELD_PACKS])
{
    num b[HELD_PACKS];
    for (int k = 0; k < P; k++) b[k] = pack_at(y + k * LANES);
    for (int r = 0; r < R; r++) {
        const double w = a[(size_t)r * step];
        for (int k = 0; k < P; k++) x[r][k] += w * b[k];
    }
}

NUM_INLINE void held_root_forces(held_responses *s, const int P)
{
    const held_call *h = s->h;
    num B[6][HELD_PACKS];
    for (int d = 0; d < 6; d++) {
        for (int k = 0; k < P; k++) B[d][k] = pack_at(h->X + (size_t)d * h->ld + s->at + (size_t)(k * LANES));
    }
    for (int32_t i = 0; i < h->found->nactive; i++) {
        const double *R = s->m->R + h->active[i] * ROW8, *J = h->J + (size_t)h->active[i] * h->ld + s->at;
        num j[HELD_PACKS];
        for (int k = 0; k < P; k++) j[k] = pack_at(J + k * LANES);
        for (int d = 0; d < 6; d++) {
            for (int k = 0; k < P; k++) B[d][k] -= R[row8_index(d)] * j[k];
        }
    }
    for (int d = 0; d < 6; d++) {
        for (int k = 0; k < P; k++) s->B[d][k] = B[d][k];
    }
}

/* R rows of W from `row` on, of a block that has the active columns from … to */
NUM_INLINE void held_response_rows(const held_responses *s, const int R, const int P, int32_t row, const int32_t *from,
                                   const int32_t *to)
{
    const single_solver *m = s->m;
    const held_call *h = s->h;
    const int32_t base = m->t.tree->base;
    const double *G = m->response + (size_t)(base + row) * ROW8;
    double *W = h->W + (size_t)(base + row) * h->kd + s->at;
    num x[HELD_ROWS][HELD_PACKS];
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) x[r][k] = K(0);
    }
    for (int d = 0; d < base; d++) held_madd(R, P, G + row8_index(d), ROW8, (const double *)s->B[d], x);
    for (; from < to; from++)
        held_madd(R, P, m->N + (size_t)row * m->ld + *from, m->ld, h->J + (size_t)*from * h->ld + s->at, x);
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) pack_put(W + (size_t)r * h->kd + (size_t)(k * LANES), x[r][k]);
    }
}

NUM_INLINE void held_response_block(const held_responses *s, const int P, int32_t begin, int32_t end,
                                    const int32_t *from, const int32_t *to)
{
    int32_t i = begin;
    for (; i + HELD_ROWS <= end; i += HELD_ROWS) held_response_rows(s, HELD_ROWS, P, i, from, to);
    switch (end - i) {
    case 3: held_response_rows(s, 3, P, i, from, to); break;
    case 2: held_response_rows(s, 2, P, i, from, to); break;
    case 1: held_response_rows(s, 1, P, i, from, to); break;
    default: break;
    }
}

/* P registers of columns of W */
NUM_INLINE void held_response_columns(held_responses *s, const int P)
{
    const single_tree *t = &s->m->t;
    const held_call *h = s->h;
    if (t->tree->base) {
        held_root_forces(s, P);
        held_response_rows(s, 3, P, -6, NULL, NULL);
        held_response_rows(s, 3, P, -3, NULL, NULL);
    }
    const int32_t *from = h->active, *last = from + h->found->nactive, *to = from;
    for (int32_t begin = 0, end; begin < t->n; begin = end, from = to) {
        end = plan_block_end(t->call->plan, t->tree, t->below + begin) - t->below;
        while (to < last && *to < end) to++;
        held_response_block(s, P, begin, end, from, to);
    }
}

/* R rows of K of a foot, P registers of columns from `at` on */
NUM_INLINE void held_gram_rows(const single_tree *t, const held_call *h, const int R, const int P, const held_foot *f,
                               int32_t row, size_t at)
{
    const int32_t base = t->tree->base;
    const double *W = h->W + at, *own = W + (size_t)base * h->kd;
    double *to = h->K + (size_t)row * h->kd + at;
    num x[HELD_ROWS][HELD_PACKS];
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) x[r][k] = K(0);
    }
    for (int d = 0; d < base; d++) held_madd(R, P, h->X + (size_t)d * h->ld + row, 1, W + (size_t)d * h->kd, x);
    for (int32_t k = 0; k < f->depth; k++) {
        const size_t c = (size_t)(f->path[k] - t->below);
        held_madd(R, P, h->J + c * h->ld + row, 1, own + c * h->kd, x);
    }
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) pack_put(to + (size_t)r * h->kd + (size_t)(k * LANES), x[r][k]);
    }
}

NUM_INLINE void held_gram_columns(const single_tree *t, const held_call *h, const int P, size_t at)
{
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        if (f->rows == 1) {
            held_gram_rows(t, h, 1, P, f, f->row, at);
            continue;
        }
        for (int32_t r = 0; r < f->rows; r += 3) held_gram_rows(t, h, 3, P, f, f->row + r, at);
    }
}

static inline void held_all_columns(const single_solver *m, const held_call *h)
{
    const size_t end = (size_t)h->rows;
    held_responses s;
    s.m = m, s.h = h;
    for (s.at = 0; s.at < end;) {
        const size_t left = (end - s.at + LANES - 1) / LANES;
        if (left >= HELD_PACKS) {
            held_response_columns(&s, HELD_PACKS);
            s.at += HELD_PACKS * LANES;
        } else if (left >= 2) {
            held_response_columns(&s, 2);
            s.at += 2 * LANES;
        } else {
            held_response_columns(&s, 1);
            s.at += LANES;
        }
    }
}

static inline void held_gram(const single_tree *t, const held_call *h)
{
    for (size_t at = 0; at < (size_t)h->rows;) {
        const size_t left = ((size_t)h->rows - at + LANES - 1) / LANES;
        if (left >= HELD_PACKS) {
            held_gram_columns(t, h, HELD_PACKS, at);
            at += HELD_PACKS * LANES;
        } else if (left >= 2) {
            held_gram_columns(t, h, 2, at);
            at += 2 * LANES;
        } else {
            held_gram_columns(t, h, 1, at);
            at += LANES;
        }
    }
}

/* packs of K's rows that stay in registers */
enum { HELD_REGISTERS = 4 };

/* the largest ratio of a diagonal entry to its pivot so far, or NaN; returns 1/pivot */
NUM_INLINE double held_reciprocal(double pivot, double diagonal, double *worst)
{
    const double inverse = 1 / pivot, ratio = diagonal * inverse;
    *worst = ratio > *worst ? ratio : ratio > 0.5 ? *worst : NAN;
    return inverse;
}

/* the inverse of three rows and columns of K from its diagonal on, by LDLᵀ */
NUM_INLINE void held_invert_three(const double *K3, size_t kd, const double *diagonal, double B[3][3], double *worst)
{
    const double *r0 = K3, *r1 = K3 + kd, *r2 = K3 + 2 * kd;
    const double d0 = held_reciprocal(r0[0], diagonal[0], worst), l1 = r0[1] * d0, l2 = r0[2] * d0;
    const double d1 = held_reciprocal(r1[1] - l1 * r0[1], diagonal[1], worst), below = r1[2] - l2 * r0[1];
    const double l = below * d1;
    const double d2 = held_reciprocal(r2[2] - l2 * r0[2] - l * below, diagonal[2], worst);
    const double far = l * l1 - l2; /* of L⁻¹, whose other entries are −l1 and −l */
    B[2][2] = d2, B[1][2] = B[2][1] = -l * d2, B[0][2] = B[2][0] = far * d2;
    B[1][1] = d1 + l * l * d2, B[0][1] = B[1][0] = -l1 * d1 - far * l * d2;
    B[0][0] = d0 + l1 * l1 * d1 + far * far * d2;
}

/* `pivots` of them from row p on: their rows, which become x, and then all others */
NUM_INLINE void held_eliminate(const held_call *h, const int packs, const int pivots, size_t p, double B[3][3])
{
    const size_t kd = h->kd, m = (size_t)h->rows;
    double *rows = h->K + p * kd;
    num x[3][HELD_REGISTERS], was[3];
    lane_set but[HELD_REGISTERS];
    for (int k = 0; k < packs; k++) {
        const unsigned own = ((1u << pivots) - 1) << p >> k * LANES; /* lanes of the pivots' own columns */
        but[k] = lanes_in(~own);
        for (int c = 0; c < pivots; c++)
            was[c] = lanes_where(but[k], pack_at(rows + (size_t)c * kd + (size_t)(k * LANES)));
        for (int r = 0; r < pivots; r++) {
            num sum = K(0);
            for (int c = 0; c < pivots; c++) {
                const lane_set unit = lanes_in((1u << c) << p >> k * LANES);
                sum += B[r][c] * lanes_select(unit, K(1), was[c]);
            }
            x[r][k] = sum;
        }
    }
    for (size_t i = 0; i < m; i++) {
        double *other = h->K + i * kd;
        double f[3];
        if (i == p) {
            i += (size_t)pivots - 1;
            continue;
        }
        for (int c = 0; c < pivots; c++) f[c] = other[p + (size_t)c];
        for (int k = 0; k < packs; k++) {
            num sum = lanes_where(but[k], pack_at(other + k * LANES));
            for (int c = 0; c < pivots; c++) sum -= f[c] * x[c][k];
            pack_put(other + k * LANES, sum);
        }
    }
    for (int r = 0; r < pivots; r++) {
        for (int k = 0; k < packs; k++) pack_put(rows + (size_t)r * kd + (size_t)(k * LANES), x[r][k]);
    }
}

/*
 * K ← K⁻¹ by Gauss-Jordan elimination, three pivots at a time, as feet have them; returns the largest ratio of a
 * diagonal entry to its pivot, or NaN
 */
NUM_INLINE double held_invert_packs(const held_call *h, const int packs)
{
    const size_t m = (size_t)h->rows;
    double worst = 1, B[3][3];
    size_t p = 0;
    for (; p + 3 <= m; p += 3) {
        held_invert_three(h->K + p * (h->kd + 1), h->kd, h->diagonal + p, B, &worst);
        held_eliminate(h, packs, 3, p, B);
    }
    for (; p < m; p++) {
        B[0][0] = held_reciprocal(h->K[p * (h->kd + 1)], h->diagonal[p], &worst);
        held_eliminate(h, packs, 1, p, B);
    }
    return worst;
}

/* the same for any number of rows */
static inline double held_invert_wide(const held_call *h)
{
    const size_t kd = h->kd, m = (size_t)h->rows;
    double worst = 1;
    for (size_t p = 0; p < m; p++) {
        double *row = h->K + p * kd, *other = h->K;
        const double inverse = held_reciprocal(row[p], h->diagonal[p], &worst);
        row[p] = 1;
        for (size_t k = 0; k < m; k += LANES) pack_put(row + k, inverse * pack_at(row + k));
        for (size_t i = 0; i < m; i++, other += kd) {
            if (i == p) continue;
            const double f = other[p];
            other[p] = 0;
            for (size_t k = 0; k < m; k += LANES) pack_put(other + k, pack_at(other + k) - f * pack_at(row + k));
        }
    }
    return worst;
}

static inline double held_invert(const held_call *h)
{
    switch ((h->rows + LANES - 1) / LANES) {
    case 1: return held_invert_packs(h, 1);
    case 2: return held_invert_packs(h, 2);
    case 3: return held_invert_packs(h, 3);
    case 4: return held_invert_packs(h, 4);
    default: return held_invert_wide(h);
    }
}

/* 0: it is too near to singular, or the caller's tolerance may say so */
static inline int held_factor(const held_call *h)
{
    const size_t m = (size_t)h->rows;
    double largest = 0, smallest, ratio;
    for (size_t r = 0; r < m; r++) {
        h->diagonal[r] = h->K[r * (h->kd + 1)];
        if (h->diagonal[r] > largest) largest = h->diagonal[r];
    }
    ratio = held_invert(h);
    smallest = largest;
    for (size_t r = 0; r < m; r++) {
        if (!(h->diagonal[r] >= smallest)) smallest = h->diagonal[r];
    }
    h->found->refine = !(ratio < HELD_REFINE);
    /* a pivot is at least smallest / ratio; the tolerance speaks of lengths, and K of their squares */
    return ratio < HELD_DECLINE && smallest > 100 * h->tolerance * h->tolerance * largest * ratio;
}

/* ---- λ and ν̇ ---- */

/* c += J x, for x of the columns from the root on; what the columns below it add is summed apart */
static inline void held_add_motion(const single_tree *t, const held_call *h, const double *x, double *c)
{
    for (size_t at = 0; at < (size_t)h->rows; at += LANES) {
        num sum = pack_at(c + at), more = K(0);
        for (int32_t d = 0; d < t->tree->base; d++) sum += x[d] * pack_at(h->X + (size_t)d * h->ld + at);
        for (int32_t i = 0; i < h->found->nactive; i++) {
            const int32_t k = h->active[i];
            more += x[t->tree->base + k] * pack_at(h->J + (size_t)k * h->ld + at);
        }
        pack_put(c + at, sum + more);
    }
}

/* LANES rows to columns */
NUM_INLINE void held_transpose_full(const double *from, size_t ld, int32_t count, double *to, size_t step)
{
    int32_t k = 0;
    num t[LANES];
    for (; k + LANES <= count; k += LANES) {
        for (int l = 0; l < LANES; l++) t[l] = pack_at(from + (size_t)l * ld + k);
        num_transpose(t);
        for (int l = 0; l < LANES; l++) pack_put(to + (size_t)(k + l) * step, t[l]);
    }
    if (k == count) return;
    for (int l = 0; l < LANES; l++) t[l] = pack_at(from + (size_t)l * ld + k);
    num_transpose(t);
    for (int l = 0; k + l < count; l++) pack_put(to + (size_t)(k + l) * step, t[l]);
}

/* the same, of which `rows` are there; the others are zero */
NUM_INLINE void held_transpose(const double *from, size_t ld, int32_t rows, int32_t count, double *to, size_t step)
{
    if (rows >= LANES) {
        held_transpose_full(from, ld, count, to, step);
        return;
    }
    for (int32_t k = 0; k < count; k += LANES) {
        num t[LANES];
        for (int l = 0; l < LANES; l++) t[l] = l < rows ? pack_at(from + (size_t)l * ld + k) : K(0);
        num_transpose(t);
        for (int l = 0; l < LANES && k + l < count; l++) pack_put(to + (size_t)(k + l) * step, t[l]);
    }
}

/* Wᵀ, below the root's rows of V; columns beyond the tree's are zero */
static inline void held_transposed_responses(const single_tree *t, const held_call *h)
{
    const int32_t base = t->tree->base, n = base + t->n;
    double *V = h->V + (size_t)base * h->nd;
    int32_t i = 0;
    for (; i < n; i += LANES) held_transpose(h->W + (size_t)i * h->kd, h->kd, n - i, h->rows, V + i, h->nd);
    for (; i < (int32_t)h->nd; i += LANES) {
        for (int32_t r = 0; r < h->rows; r++) pack_put(V + (size_t)r * h->nd + i, K(0));
    }
}

/* λ += y and ν̇ += W y with y = −K⁻¹ c */
static inline void held_step(const single_tree *t, const held_call *h, const double *c, double *y)
{
    const int32_t n = t->tree->base + t->n;
    double *x = t->x + t->tree->begin;
    const size_t m = (size_t)h->rows;
    for (size_t at = 0; at < m; at += LANES) {
        num sum = K(0), more = K(0);
        size_t s = 0;
        for (; s + 2 <= m; s += 2) {
            sum -= c[s] * pack_at(h->K + s * h->kd + at);
            more -= c[s + 1] * pack_at(h->K + (s + 1) * h->kd + at);
        }
        if (s < m) sum -= c[s] * pack_at(h->K + s * h->kd + at);
        sum += more;
        pack_put(y + at, sum);
        pack_put(h->lambda + at, pack_at(h->lambda + at) + sum);
    }
    for (int32_t i = 0; i < n; i += LANES) {
        const double *V = h->V + (size_t)t->tree->base * h->nd + i;
        num sum = K(0), more = K(0);
        size_t r = 0;
        for (; r + 2 <= m; r += 2, V += 2 * h->nd) sum += y[r] * pack_at(V), more += y[r + 1] * pack_at(V + h->nd);
        if (r < m) sum += y[r] * pack_at(V);
        sum += more;
        if (i + LANES <= n)
            pack_put(x + i, pack_at(x + i) + sum);
        else
            num_store_part(x + i, n - i, num_load_part(x + i, n - i) + sum);
    }
}

/* λ, and ν̇ with it; 0: the kernel declines */
static inline int held_solve(single_solver *m, const held_call *h)
{
    const single_tree *t = &m->t;
    double *x = t->x + t->tree->begin;
    h->found->refine = 0;
    if (h->rows == 0) return 1;
    if (!held_rows(t, h)) return 0;
    held_all_columns(m, h);
    held_gram(t, h);
    if (!held_factor(h)) return 0;
    held_transposed_responses(t, h);
    memset(h->lambda, 0, h->kd * sizeof(double));
    for (int step = 0; step <= h->found->refine; step++) {
        memcpy(h->rest, h->c, h->kd * sizeof(double));
        held_add_motion(t, h, x, h->rest);
        held_step(t, h, h->rest, h->step);
    }
    if (t->tree->base) {
        const pair4 root = pair4_from(x);
        quads_put(t->da + ROW8, root.v, root.w);
    }
    return 1;
}

/* the force of a foot and, of a frame, its torque, in the root's axes */
NUM_INLINE pair4 held_force(const held_call *h, const held_foot *f)
{
    const double *l = h->lambda + f->row;
    const quad zero = {0, 0, 0, 0}, x = quad_from(f->axis[0]), y = quad_from(f->axis[1]), z = quad_from(f->axis[2]);
    pair4 F = {x * l[0], zero};
    if (f->rows > 1) F.v += y * l[1] + z * l[2];
    if (f->rows == 6) F.w = x * l[3] + y * l[4] + z * l[5];
    return F;
}

NUM_INLINE pair4 held_opposite(pair4 F)
{
    const pair4 x = {-F.v, -F.w};
    return x;
}

/* a wrench on a body joins the forces of all subtrees that it is in */
static inline void held_add_force(const single_tree *t, int32_t slot, pair4 F)
{
    for (; slot > 0; slot = t->parent[slot - 1]) {
        double *G = t->G + slot * ROW8;
        quads_put(G, quad_from(G) - F.v, quad_from(G + 4) - F.w);
    }
}

/* λ of all feet; the other body of a loop feels the opposite */
static inline void held_add_forces(const single_tree *t, const held_call *h)
{
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        const pair4 F = held_force(h, f);
        const pair4 there = {F.v, F.w + quad_cross(quad_from(f->p), F.v)};
        held_add_force(t, f->slot, there);
        if (f->other >= 0) held_add_force(t, f->other_slot, held_opposite(there));
    }
}

#endif
