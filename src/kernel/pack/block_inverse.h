/*
 * The inverse of a block of M, over num. A tree falls into blocks: the subtrees that hang on a free root; under any
 * other root the whole tree is one block. A block and its inverse N = M_bb⁻¹ are small and dense. With M = Lᵀ D L
 * (pack/ltdl.h) both N and T = −N M_b,root are computed row by row, root to leaves.
 */
#ifndef HML_KERNEL_PACK_BLOCK_INVERSE_H
#define HML_KERNEL_PACK_BLOCK_INVERSE_H

#include "kernel/pack/ltdl.h"

typedef struct block_inverse {
    num *rows; /* nv rows of ld: row c, by columns of its block from the first on */
    int32_t ld;
} block_inverse;

/* row c of N; entry 0 belongs to the first column of the block */
static inline num *block_row(const block_inverse *N, int32_t c) { return N->rows + (int64_t)c * N->ld; }

/* ---- products with rows of N ---- */

/* how many entries of the result are computed at once */
#if (LANES == 8 && !defined NUM_SINGLE) || LANES == 16 || (LANES == 4 && defined __AVX512VL__)
#define PRODUCT 8
#else
#define PRODUCT 4
#endif
#define PRODUCT_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

/* −Σ b_k N[(row_k − first)·ld + r] for r = 0 … R − 1, to[r] */
NUM_INLINE void product_one(const int R, int32_t n, const num *N, int32_t ld, const int32_t *row, int32_t first,
                            const num *b, num *to)
{
#define X(r) num x##r = K(0);
    PRODUCT_EACH(X)
#undef X
    for (int32_t k = 0; k < n; k++) {
        const num *from = N + (row[k] - first) * ld, y = b[k];
#define X(r)                                                                                                           \
    if (R > r) x##r -= y * from[r];
        PRODUCT_EACH(X)
#undef X
    }
#define X(r)                                                                                                           \
    if (R > r) to[r] = x##r;
    PRODUCT_EACH(X)
#undef X
}

/* the rows of a block in which a column has right-hand sides: `above` of its path, then n from `first` on */
typedef struct block_rows {
    const int32_t *path;
    int32_t above, first, n;
    int32_t block; /* where its block begins */
} block_rows;

/* −Σ N_rk b_k over these k, in R rows of N, for two interleaved b at once; to[r·step] and to[r·step + gap] */
NUM_INLINE void product_two(const int R, const block_rows *rows, const num *N, int32_t ld, const num *b, num *to,
                            int32_t step, int32_t gap)
{
#define X(r)                                                                                                           \
    num x##r = K(0), y##r = K(0);                                                                                      \
    const num *row##r = N + (R > r ? r : 0) * (int64_t)ld;
    PRODUCT_EACH(X)
#undef X
#define X(r)                                                                                                           \
    if (R > r) {                                                                                                       \
        const num e = row##r[j];                                                                                       \
        x##r -= e * p, y##r -= e * q;                                                                                  \
    }
    for (int32_t k = 0; k < rows->above; k++, b += 2) {
        const int64_t j = rows->path[k] - rows->block;
        const num p = b[0], q = b[1];
        PRODUCT_EACH(X)
    }
    for (int64_t j = rows->first - rows->block, end = j + rows->n; j < end; j++, b += 2) {
        const num p = b[0], q = b[1];
        PRODUCT_EACH(X)
    }
#undef X
    num *second = to + gap;
#define X(r)                                                                                                           \
    if (R > r) *to = x##r, *second = y##r, to += step, second += step;
    PRODUCT_EACH(X)
#undef X
}

/* a remainder of R < PRODUCT entries; R is a constant in each case */
#if PRODUCT == 8
#define PRODUCT_REST(CALL) CALL(1) CALL(2) CALL(3) CALL(4) CALL(5) CALL(6) CALL(7)
#else
#define PRODUCT_REST(CALL) CALL(1) CALL(2) CALL(3)
#endif

NUM_INLINE void block_product_one(int32_t rows, int32_t n, const num *N, int32_t ld, const int32_t *row, int32_t first,
                                  const num *b, num *to)
{
    for (; rows >= PRODUCT; rows -= PRODUCT, N += PRODUCT, to += PRODUCT) {
        product_one(PRODUCT, n, N, ld, row, first, b, to);
    }
    switch (rows) {
#define CALL(R)                                                                                                        \
    case R: product_one(R, n, N, ld, row, first, b, to); break;
        PRODUCT_REST(CALL)
#undef CALL
    default: break;
    }
}

/* at most PRODUCT entries */
static inline void block_product_two(int32_t size, const block_rows *rows, const num *N, int32_t ld, const num *b,
                                     num *to, int32_t step, int32_t gap)
{
    switch (size) {
#define CALL(R)                                                                                                        \
    case R: product_two(R, rows, N, ld, b, to, step, gap); break;
        PRODUCT_REST(CALL)
        CALL(PRODUCT)
#undef CALL
    default: break;
    }
}

/* ---- rows ---- */

/*
 * x_c of a half-solved b, and row c of T and of N, root to leaves. M_bb = Lᵀ D L, so row c of N up to the diagonal is
 * −(row c of L) N of the rows above, and its diagonal is D⁻¹ minus the same product with the row just found. Entries
 * after the diagonal are written with the rows below. T overwrites the six entries of L.
 */
static inline num inverse_row(const hml_plan *plan, const plan_paths *t, const plan_tree *tree, const mass_factor *f,
                              const block_inverse *N, int32_t block, int32_t c, const num *b, const num *x)
{
    const int32_t base = tree->base, n = c - block, above = plan_columns(plan)[c].depth - base, ld = N->ld;
    const int32_t *path = column_path(t, c) + base;
    const num *own = factor_own(f, tree, c) + base;
    num *first = block_row(N, block), *row = first + (int64_t)n * ld, diagonal = f->diagonal[c];
    num solution = diagonal * b[c];
    if (base) {
        const num *root = &x[tree->begin];
        num *T = factor_row(f, c);
        base6 sum = base6_scale(K(-1), base6_load(T));
        solution -= T[0] * root[0] + T[1] * root[1] + T[2] * root[2];
        solution -= T[3] * root[3] + T[4] * root[4] + T[5] * root[5];
        for (int32_t d = 0; d < above; d++) {
            solution -= own[d] * x[path[d]];
            sum = base6_axpy(-own[d], base6_load(factor_row(f, path[d])), sum);
        }
        base6_store(sum, T);
    } else {
        for (int32_t d = 0; d < above; d++) solution -= own[d] * x[path[d]];
    }
    block_product_one(n, above, first, ld, path, block, own, row);
    for (int32_t d = 0; d < above; d++) diagonal -= own[d] * row[path[d] - block];
    for (int32_t j = 0; j < n; j++, first += ld) first[n] = row[j];
    row[n] = diagonal;
    return solution;
}

#endif
