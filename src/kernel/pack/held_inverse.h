/*
 * The inverse of the whole system of a pack of states whose feet the world holds, which is symmetric: pack/held_columns.h
 * multiplies right-hand sides by it.
 *
 *       [ D_τ   −P ]
 *   Q = [ −Pᵀ   −Λ ]      Λ = K⁻¹    P = W Λ    D_τ = M⁻¹ − P Wᵀ    ∂λ/∂τ = −Pᵀ
 */
#ifndef HML_KERNEL_PACK_HELD_INVERSE_H
#define HML_KERNEL_PACK_HELD_INVERSE_H

#include "kernel/pack/held.h"
#include "kernel/simd/memory.h"
#include "kernel/simd/store4.h"

#if defined __AVX512F__
enum { FEET_ROWS = 8 }; /* at once, of two sums each: as many as the registers hold */
#else
enum { FEET_ROWS = 4 };
#endif

/* the next of n rows that go together: groups of equal size, so that the last one does not wait for its own sums */
static inline int32_t feet_share(int32_t n)
{
    const int32_t groups = (n + FEET_ROWS - 1) / FEET_ROWS;
    return (n + groups - 1) / groups;
}

/* call(R) for all rows i < n, R of them at once; rows: R, for the loop */
#define FEET_CASE(R, call)                                                                                             \
    case R:                                                                                                            \
        call(R <= FEET_ROWS ? R : 1);                                                                                  \
        break;
#define FEET_EACH_ROWS(n, i, call)                                                                                     \
    for (int32_t rows; (i) < (n); (i) += rows) {                                                                       \
        rows = feet_share((n) - (i));                                                                                  \
        switch (rows) {                                                                                                \
            FEET_CASE(8, call)                                                                                         \
            FEET_CASE(7, call)                                                                                         \
            FEET_CASE(6, call)                                                                                         \
            FEET_CASE(5, call)                                                                                         \
            FEET_CASE(4, call)                                                                                         \
            FEET_CASE(3, call)                                                                                         \
            FEET_CASE(2, call)                                                                                         \
        default: call(1);                                                                                              \
        }                                                                                                              \
    }

/* R rows of −P in C columns from r on */
NUM_INLINE void feet_left_tile(const int R, const int C, const tree_feet *p, int32_t i, int32_t r)
{
    const int32_t m = p->m, n = p->columns, ld = n + m;
    const num *W = p->W + i * m, *inverse = p->K + r * m; /* it is symmetric */
    num x[FEET_ROWS][2];
    for (int k = 0; k < R; k++) x[k][0] = x[k][1] = K(0);
    for (int32_t s = 0; s < m; s++) {
        for (int k = 0; k < R; k++) {
            const num a = num_keep(W[k * m + s]);
            for (int c = 0; c < C; c++) x[k][c] -= a * inverse[c * m + s];
        }
    }
    for (int k = 0; k < R; k++) {
        for (int c = 0; c < C; c++) p->Q[(i + k) * ld + n + r + c] = p->Q[(n + r + c) * ld + i + k] = x[k][c];
    }
}

NUM_INLINE void feet_left_rows(const int R, const tree_feet *p, int32_t i)
{
    int32_t r = 0;
    for (; r + 2 <= p->m; r += 2) feet_left_tile(R, 2, p, i, r);
    if (r < p->m) feet_left_tile(R, 1, p, i, r);
}

/* R rows of G s − P Wᵀ in C columns from j on, all of a free root or none, and their mirror */
NUM_INLINE void feet_inverse_tile(const int R, const int C, const tree_feet *p, const tree_walk *w, const num *G,
                                  int32_t i, int32_t j)
{
    const int32_t m = p->m, n = p->columns, ld = n + m, base = w->tree->base;
    const num *W = p->W + j * m, *P = p->Q + i * ld + n;
    num x[FEET_ROWS][2];
    for (int k = 0; k < R; k++) {
        for (int c = 0; c < C; c++) x[k][c] = j < base ? G[(i + k) * BASE6_STRIDE + j + c] : K(0);
    }
    if (base && j >= base) { /* s of a column is its row of T */
        const num *T = factor_row(&w->f, w->tree->begin + j),
                  *next = C > 1 ? factor_row(&w->f, w->tree->begin + j + 1) : T;
        for (int d = 0; d < 6; d++) {
            for (int k = 0; k < R; k++) {
                const num g = G[(i + k) * BASE6_STRIDE + d];
                x[k][0] += g * T[d];
                if (C > 1) x[k][1] += g * next[d];
            }
        }
    }
    for (int32_t r = 0; r < m; r++) {
        for (int k = 0; k < R; k++) {
            const num a = num_keep(P[k * ld + r]);
            for (int c = 0; c < C; c++) x[k][c] += a * W[c * m + r];
        }
    }
    for (int k = 0; k < R; k++) {
        for (int c = 0; c < C; c++) p->Q[(i + k) * ld + j + c] = p->Q[(j + c) * ld + i + k] = x[k][c];
    }
}

/* up to the diagonal; an even number of columns is a free root's */
NUM_INLINE void feet_inverse_rows(const int R, const tree_feet *p, const tree_walk *w, const num *G, int32_t i)
{
    const int32_t end = i + R;
    int32_t j = 0;
    for (; j + 2 <= end; j += 2) feet_inverse_tile(R, 2, p, w, G, i, j);
    if (j < end) feet_inverse_tile(R, 1, p, w, G, i, j);
}

static inline void feet_inverse_matrix(const tree_feet *p, const tree_walk *w, const num *G)
{
    const plan_tree *tree = w->tree;
    const int32_t m = p->m, n = p->columns, ld = n + m;
    int32_t i = 0;
#define X(R) feet_left_rows(R, p, i)
    FEET_EACH_ROWS(n, i, X)
#undef X
    i = 0;
#define X(R) feet_inverse_rows(R, p, w, G, i)
    FEET_EACH_ROWS(n, i, X)
#undef X
    for (int32_t block = tree_below(tree), stop; block < tree->end; block = stop) {
        stop = plan_block_end(w->plan, tree, block);
        for (int32_t c = block; c < stop; c++) {
            const num *N = block_row(&w->N, c);
            num *to = p->Q + (c - tree->begin) * ld + block - tree->begin;
            for (int32_t k = 0; k < stop - block; k++) to[k] += N[k];
        }
    }
    for (int32_t r = 0; r < m; r++) {
        for (int32_t s = 0; s < m; s++) p->Q[(n + r) * ld + n + s] = -p->K[r * m + s];
    }
}

/* n packs of a row, from a column on */
static inline void feet_store(kernel_output out, int count, int32_t row, int32_t column, int32_t n, const num *from)
{
    if (!out.data) return;
    out.data += column;
    store_row(out, count, row, n, from);
}

/* D_τ and ∂λ/∂τ */
static inline void feet_inverse_out(const tree_feet *p, const tree_walk *w)
{
    const int32_t begin = w->tree->begin, n = p->columns, ld = n + p->m, count = p->h->call.count;
    for (int32_t i = 0; i < n; i++) feet_store(p->h->call.Minv, count, begin + i, begin, n, p->Q + i * ld);
    for (int32_t r = 0; r < p->m; r++) feet_store(p->h->force_tau, count, p->out[r], begin, n, p->Q + (n + r) * ld);
}

#endif
