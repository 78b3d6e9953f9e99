/*
 * The product of a stage of Munthe-Kaas, single/step.h: rows of K += factors times rows of earlier stages, and reading and
 * writing rows whose lanes are columns.
 *
 * Joints do not feel where a free robot is, how it is turned (it falls in whatever direction) and how fast it moves as a
 * whole: in their rows D_q has zeros in the root's columns, D_ν in its linear ones, and so K in the root's columns of z_q.
 * The product leaves these out where they are zero in the numbers, which springs and wrenches may prevent: factors of
 * them come first, and the columns have packs of their own.
 */
#ifndef HML_KERNEL_SINGLE_STEP_PRODUCT_H
#define HML_KERNEL_SINGLE_STEP_PRODUCT_H

#include "kernel/call.h"

/* rows and packs of columns that a product keeps in registers, at most */
#if defined __AVX512VL__ || defined __aarch64__
enum { STEP_ROWS = 6, STEP_PACKS = 4 };
#else
enum { STEP_ROWS = 4, STEP_PACKS = 3 };
#endif

NUM_INLINE num step_load(const lane *x)
{
    num y;
    memcpy(&y, x, sizeof y);
    return y;
}

NUM_INLINE void step_store(lane *x, num y) { memcpy(x, &y, sizeof y); }

/* what is left of n numbers behind whole packs */
NUM_INLINE num step_load_rest(const lane *x, size_t n)
{
#if LANES > 1
    return num_load_part(x, (int)n);
#else
    (void)n;
    return *x;
#endif
}

NUM_INLINE void step_store_rest(lane *x, size_t n, num y)
{
#if LANES > 1
    num_store_part(x, (int)n, y);
#else
    (void)n;
    *x = y;
#endif
}

/* is the column zero in all R rows? */
NUM_INLINE int step_zeros(const int R, const lane *column, size_t ld)
{
    int zero = 1;
    for (int r = 0; r < R; r++) zero &= column[(size_t)r * ld] == 0;
    return zero;
}

/* R rows and C packs of `to` += factor · rows[0 … inner − 1] */
NUM_INLINE void step_tile(const int R, const int C, size_t inner, const lane *factor, size_t ldf,
                          const lane *const *rows, size_t at, lane *to, size_t ld)
{
    num sum[STEP_ROWS][STEP_PACKS];
    size_t k = 0;
    for (int r = 0; r < R; r++) {
        for (int c = 0; c < C; c++) sum[r][c] = step_load(to + (size_t)r * ld + (size_t)(c * LANES));
    }
    while (k < inner && step_zeros(R, factor + k, ldf)) k++; /* most rows do not feel where a free root is */
    for (; k < inner; k++) {
        const lane *row = rows[k] + at;
        num b[STEP_PACKS];
        for (int c = 0; c < C; c++) b[c] = step_load(row + c * LANES);
        for (int r = 0; r < R; r++) {
            const num a = K(factor[(size_t)r * ldf + k]);
            for (int c = 0; c < C; c++) sum[r][c] += a * b[c];
        }
    }
    for (int r = 0; r < R; r++) {
        for (int c = 0; c < C; c++) step_store(to + (size_t)r * ld + (size_t)(c * LANES), sum[r][c]);
    }
}

/* rows begin … end − 1 are shared out evenly, so that no tile is small */
NUM_INLINE void step_panel(const int C, const step_call *s, size_t inner, size_t begin, size_t end, size_t at)
{
    const size_t ld = s->ld, ldf = 2 * s->n;
    const lane *factor = s->factor + begin * ldf;
    lane *to = s->K[s->stage] + begin * ld + at;
    size_t left = end - begin;
    for (size_t tiles = (left + STEP_ROWS - 1) / STEP_ROWS, R; tiles > 0; tiles--) {
        R = (left + tiles - 1) / tiles;
        switch (R) {
#if defined __AVX512VL__ || defined __aarch64__
        case 6: step_tile(6, C, inner, factor, ldf, s->rows, at, to, ld); break;
        case 5: step_tile(5, C, inner, factor, ldf, s->rows, at, to, ld); break;
#endif
        case 4: step_tile(4, C, inner, factor, ldf, s->rows, at, to, ld); break;
        case 3: step_tile(3, C, inner, factor, ldf, s->rows, at, to, ld); break;
        case 2: step_tile(2, C, inner, factor, ldf, s->rows, at, to, ld); break;
        default: step_tile(1, C, inner, factor, ldf, s->rows, at, to, ld); break;
        }
        left -= R, factor += R * ldf, to += R * ld;
    }
}

/* some rows, and the packs of columns from `at` to `end` */
static inline void step_block(const step_call *s, size_t inner, size_t begin, size_t last, size_t at, size_t end)
{
    size_t packs = (end - at) / LANES;
    for (size_t panels = (packs + STEP_PACKS - 1) / STEP_PACKS, C; panels > 0; panels--) {
        C = (packs + panels - 1) / panels;
        switch (C) {
#if defined __AVX512VL__ || defined __aarch64__
        case 4: step_panel(4, s, inner, begin, last, at); break;
#endif
        case 3: step_panel(3, s, inner, begin, last, at); break;
        case 2: step_panel(2, s, inner, begin, last, at); break;
        default: step_panel(1, s, inner, begin, last, at); break;
        }
        packs -= C, at += C * LANES;
    }
}

/* does the product leave the head of all rows behind the free root as it is? */
static inline int step_head_stays(const step_call *s, size_t inner)
{
    for (size_t k = 0; k < inner; k++) {
        int other = 0;
        for (size_t c = 0; c < STEP_HEAD; c += LANES) {
            const num x = step_load(s->rows[k] + c);
            other |= num_any(num_lt(x, K(0)) | num_lt(K(0), x));
        }
        for (size_t r = 6; other && r < s->n; r++) {
            if (s->factor[r * 2 * s->n + k] != 0) return 0;
        }
    }
    return 1;
}

static inline void step_product(const step_call *s, size_t inner)
{
    const size_t root = s->begin ? 6 : 0, head = s->begin ? STEP_HEAD : 0;
    if (head) {
        step_block(s, inner, 0, root, 0, s->ld);
        if (s->n > root && !step_head_stays(s, inner)) step_block(s, inner, root, s->n, 0, head);
    }
    step_block(s, inner, root, s->n, head, s->ld);
}

#endif
