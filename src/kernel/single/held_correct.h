/*
 * From D of a motion with λ given to D of the held motion, a column in each lane (kernel/held.h):
 *
 *   E = J D + ∂c     Y = −K⁻¹ E     D ← D + W Y     ∂λ = Y, of a point turned with its body
 *
 * for q and ν, and for τ with D = M⁻¹ and ∂c = 0. All is dense but J, and all the work is here: columns go through in
 * chunks of a few registers, four rows at a time. Where K is near to singular, E of the result is what is left of the
 * equations, and a second step takes it away.
 */
#ifndef HML_KERNEL_SINGLE_HELD_CORRECT_H
#define HML_KERNEL_SINGLE_HELD_CORRECT_H

#include "kernel/single/held.h"

/* one of D_q, D_ν, D_τ on its way */
typedef struct held_matrix {
    double *D; /* the tree's own block */
    size_t ld;
    const double *c, *turn; /* ∂c, and how λ turns; or NULL */
    double *force;          /* ∂λ, in the tree's columns, or NULL */
    size_t force_ld;
    int32_t columns;
    int32_t at; /* of the chunk */
    int last;   /* columns of its last register */
} held_matrix;

/* register k of a chunk of P, of which the last may not be full */
NUM_INLINE num held_get(const held_matrix *x, const int P, const double *from, int k)
{
    return k + 1 < P ? pack_at(from + k * LANES) : num_load_part(from + k * LANES, x->last);
}

NUM_INLINE void held_set(const held_matrix *x, const int P, double *to, int k, num a)
{
    if (k + 1 < P)
        pack_put(to + k * LANES, a);
    else
        num_store_part(to + k * LANES, x->last, a);
}

/* R rows of E from one foot */
NUM_INLINE void held_foot_rows(const held_call *h, const held_matrix *x, const int R, const int P, const held_foot *f,
                               int32_t row)
{
    const plan_tree *tree = &plan_trees(h->call.plan)[h->tree];
    const double *D = x->D + x->at;
    num e[3][HELD_PACKS];
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++)
            e[r][k] = x->c ? pack_at(x->c + (size_t)(row + r) * h->cd + x->at + k * LANES) : K(0);
    }
    for (int32_t d = 0; d < tree->base + f->depth; d++) {
        const int32_t own = d < tree->base ? d : f->path[d - tree->base] - tree->begin;
        const double *J = d < tree->base ? h->X + (size_t)d * h->ld : h->J + (size_t)(own - tree->base) * h->ld;
        for (int k = 0; k < P; k++) {
            const num y = held_get(x, P, D + (size_t)own * x->ld, k);
            for (int r = 0; r < R; r++) e[r][k] += J[row + r] * y;
        }
    }
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) pack_put(h->E + (row + r) * HELD_CHUNK + k * LANES, e[r][k]);
    }
}

NUM_INLINE void held_residual(const held_call *h, const held_matrix *x, const int P)
{
    for (int32_t i = 0; i < h->nfeet; i++) {
        const held_foot *f = &h->feet[i];
        if (f->rows == 1) {
            held_foot_rows(h, x, 1, P, f, f->row);
            continue;
        }
        held_foot_rows(h, x, 3, P, f, f->row);
        if (f->rows == 6) held_foot_rows(h, x, 3, P, f, f->row + 3);
    }
}

/* sums of R rows: x + Σ a_i b_i, b in rows of `step` */
NUM_INLINE void held_sums(const int R, const int P, int32_t m, const double *a, size_t ld, const double *b, size_t step,
                          num x[HELD_ROWS][HELD_PACKS])
{
    for (int32_t i = 0; i < m; i++, b += step) {
        num y[HELD_PACKS];
        for (int k = 0; k < P; k++) y[k] = pack_at(b + k * LANES);
        for (int r = 0; r < R; r++) {
            const double w = a[(size_t)r * ld + (size_t)i];
            for (int k = 0; k < P; k++) x[r][k] += w * y[k];
        }
    }
}

/* R rows of Y = −K⁻¹ E */
NUM_INLINE void held_forces(const held_call *h, const int R, const int P, int32_t row, double *Y)
{
    num x[HELD_ROWS][HELD_PACKS];
    double *to = Y + row * HELD_CHUNK;
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) x[r][k] = K(0);
    }
    held_sums(R, P, h->rows, h->K + (size_t)row * h->kd, h->kd, h->E, HELD_CHUNK, x);
    for (int r = 0; r < R; r++, to += HELD_CHUNK) {
        for (int k = 0; k < P; k++) pack_put(to + k * LANES, -x[r][k]);
    }
}

NUM_INLINE void held_solve_rows(const held_call *h, const int P, double *Y)
{
    int32_t row = 0;
    for (; row + HELD_ROWS <= h->rows; row += HELD_ROWS) held_forces(h, HELD_ROWS, P, row, Y);
    switch (h->rows - row) {
    case 3: held_forces(h, 3, P, row, Y); break;
    case 2: held_forces(h, 2, P, row, Y); break;
    case 1: held_forces(h, 1, P, row, Y); break;
    default: break;
    }
}

/* R rows of D += W Y: `m` columns of W, rows of Y `step` numbers apart */
NUM_INLINE void held_motion(const held_matrix *x, const int R, const int P, int32_t row, const double *W, size_t ld,
                            int32_t m, const double *Y, size_t step)
{
    num d[HELD_ROWS][HELD_PACKS];
    double *D = x->D + (size_t)row * x->ld + x->at;
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) d[r][k] = held_get(x, P, D + (size_t)r * x->ld, k);
    }
    held_sums(R, P, m, W + (size_t)row * ld, ld, Y, step, d);
    for (int r = 0; r < R; r++) {
        for (int k = 0; k < P; k++) held_set(x, P, D + (size_t)r * x->ld, k, d[r][k]);
    }
}

NUM_INLINE void held_add(const held_matrix *x, const int P, const double *W, size_t ld, int32_t m, const double *Y,
                         size_t step)
{
    int32_t row = 0;
    for (; row + HELD_ROWS <= x->columns; row += HELD_ROWS) held_motion(x, HELD_ROWS, P, row, W, ld, m, Y, step);
    switch (x->columns - row) {
    case 3: held_motion(x, 3, P, row, W, ld, m, Y, step); break;
    case 2: held_motion(x, 2, P, row, W, ld, m, Y, step); break;
    case 1: held_motion(x, 1, P, row, W, ld, m, Y, step); break;
    default: break;
    }
}

/* ∂λ to the caller's rows */
NUM_INLINE void held_forces_out(const held_call *h, const held_matrix *x, const int P)
{
    for (int32_t i = 0; i < h->nfeet && x->force; i++) {
        const held_foot *f = &h->feet[i];
        for (int32_t r = 0; r < f->rows; r++) {
            const double *Y = h->Y + (f->row + r) * HELD_CHUNK;
            const double *turn = x->turn ? x->turn + (size_t)(f->row + r) * h->cd + x->at : NULL;
            double *to = x->force + (size_t)(f->out + r) * x->force_ld + x->at;
            for (int k = 0; k < P; k++) {
                num y = pack_at(Y + k * LANES);
                if (turn && f->rows == 3) y += pack_at(turn + k * LANES);
                held_set(x, P, to, k, y);
            }
        }
    }
}

/* a chunk of P registers */
NUM_INLINE void held_chunk(const held_call *h, held_matrix *x, const int P)
{
    const int32_t m = h->rows;
    const int32_t left = x->columns - x->at - (P - 1) * LANES;
    x->last = left < LANES ? left : LANES;
    if (x->turn && h->shadows) held_add(x, P, h->W + h->kd, h->ld, h->shadows, x->turn + h->kd * h->cd + x->at, h->cd);
    held_residual(h, x, P);
    held_solve_rows(h, P, h->Y);
    held_add(x, P, h->W, h->ld, m, h->Y, HELD_CHUNK);
    if (h->found->refine) {
        held_residual(h, x, P);
        held_solve_rows(h, P, h->rest);
        held_add(x, P, h->W, h->ld, m, h->rest, HELD_CHUNK);
        for (int32_t i = 0; i < m * HELD_CHUNK; i++) h->Y[i] += h->rest[i];
    }
    held_forces_out(h, x, P);
}

static inline void held_correct_matrix(const held_call *h, held_matrix x)
{
    while (x.at < x.columns) {
        const int32_t left = (x.columns - x.at + LANES - 1) / LANES;
        if (left >= 3 && left != 4 && HELD_PACKS == 3) { /* two and two rather than three and one */
            held_chunk(h, &x, HELD_PACKS == 3 ? 3 : 2);
            x.at += 3 * LANES;
        } else if (left >= 2) {
            held_chunk(h, &x, 2);
            x.at += 2 * LANES;
        } else {
            held_chunk(h, &x, 1);
            x.at += LANES;
        }
    }
}

static inline held_matrix held_matrix_of(const held_call *h, kernel_output D, kernel_output force)
{
    const plan_tree *tree = &plan_trees(h->call.plan)[h->tree];
    const size_t begin = (size_t)tree->begin;
    held_matrix x;
    x.D = D.data + begin * D.ld + begin, x.ld = D.ld;
    x.c = x.turn = NULL;
    x.force = force.data ? force.data + begin : NULL, x.force_ld = force.ld;
    x.columns = tree->end - tree->begin;
    x.at = x.last = 0;
    return x;
}

/*
 * Without stiffness nothing depends on where a free root is: three columns of D_q, which are zero, stay so. Returns the
 * first column that is left.
 */
static inline int32_t held_without_place(const held_call *h, const held_matrix *x)
{
    if (!plan_trees(h->call.plan)[h->tree].base) return 0;
    for (int32_t i = 0; i < h->nfeet; i++) {
        if (h->feet[i].stiffness > 0) return 0;
    }
    for (int32_t i = 0; i < h->nfeet && x->force; i++) {
        for (int32_t r = h->feet[i].out; r < h->feet[i].out + h->feet[i].rows; r++) {
            double *to = x->force + (size_t)r * x->force_ld;
            to[0] = to[1] = to[2] = 0;
        }
    }
    return 3;
}

/* D_q, D_ν and M⁻¹ where they are wanted, in place */
static inline unsigned held_correct(const held_call *h)
{
    held_matrix x;
    if (h->rows == 0) return 0;
    if (h->call.Dq.data) {
        x = held_matrix_of(h, h->call.Dq, h->force_q);
        x.c = h->cq, x.turn = h->turn;
        x.at = held_without_place(h, &x);
        held_correct_matrix(h, x);
    }
    if (h->call.Dv.data) {
        x = held_matrix_of(h, h->call.Dv, h->force_v);
        x.c = h->cv;
        held_correct_matrix(h, x);
    }
    if (h->call.Minv.data) held_correct_matrix(h, held_matrix_of(h, h->call.Minv, h->force_tau));
    return 0;
}

#endif
