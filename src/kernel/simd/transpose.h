/*
 * Rows in memory to packs in registers and back: LANES rows of numbers become one pack an entry, lane i holding row i.
 *
 * LANES consecutive entries of LANES rows are a square that is transposed in registers, log2(LANES) rounds of
 * exchanges: the round of width s swaps, between packs i and i + s, the lanes whose number differs in the bit s.
 */
#ifndef HML_KERNEL_SIMD_TRANSPOSE_H
#define HML_KERNEL_SIMD_TRANSPOSE_H

#include <stddef.h>
#include <string.h>

#include "num/num.h"

#if LANES > 1

#if defined __clang__ || __GNUC__ >= 12
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif

#if LANES == 8
#define LOW_4  0, 1, 2, 3, 8, 9, 10, 11
#define HIGH_4 4, 5, 6, 7, 12, 13, 14, 15
#define LOW_2  0, 1, 8, 9, 4, 5, 12, 13
#define HIGH_2 2, 3, 10, 11, 6, 7, 14, 15
#define LOW_1  0, 8, 2, 10, 4, 12, 6, 14
#define HIGH_1 1, 9, 3, 11, 5, 13, 7, 15
#elif LANES == 4
#define LOW_2  0, 1, 4, 5
#define HIGH_2 2, 3, 6, 7
#define LOW_1  0, 4, 2, 6
#define HIGH_1 1, 5, 3, 7
#else
#define LOW_1  0, 2
#define HIGH_1 1, 3
#endif

#define EXCHANGE(i, j, low, high) (w = v[i], v[i] = SHUFFLE(w, v[j], low), v[j] = SHUFFLE(w, v[j], high))

#endif

/* a pack anywhere in memory; memcpy would go through narrower registers */
#if LANES > 1
typedef lane num_anywhere __attribute__((vector_size(LANES * sizeof(lane)), aligned(sizeof(lane)), may_alias));
#else
typedef lane num_anywhere;
#endif

/* lane j of pack i becomes lane i of pack j */
NUM_INLINE void rows_transpose(num v[LANES])
{
    num w;
#if LANES == 8
    EXCHANGE(0, 4, LOW_4, HIGH_4), EXCHANGE(1, 5, LOW_4, HIGH_4);
    EXCHANGE(2, 6, LOW_4, HIGH_4), EXCHANGE(3, 7, LOW_4, HIGH_4);
    EXCHANGE(4, 6, LOW_2, HIGH_2), EXCHANGE(5, 7, LOW_2, HIGH_2);
#endif
#if LANES >= 4
    EXCHANGE(0, 2, LOW_2, HIGH_2), EXCHANGE(1, 3, LOW_2, HIGH_2);
#endif
#if LANES >= 2
    for (int i = 0; i < LANES; i += 2) EXCHANGE(i, i + 1, LOW_1, HIGH_1);
#endif
    (void)v, (void)w;
}

/*
 * One pack of rows through a body: x[k] is entry k of LANES rows, y[k] entry k of their results. Reads up to LANES − 1
 * numbers behind the rows. Inlined always, so that the body is known and the lengths of the rows are constants.
 */
enum { ROWS_LONGEST = 36 }; /* a 6x6 matrix */
typedef void rows_body(const num *x, num *y);

/* writes up to LANES − 1 entries behind x[ins − 1] */
NUM_INLINE void rows_load(int ins, const lane *in, num *x)
{
    for (int k = 0; k < ins; k += LANES) {
        for (int i = 0; i < LANES; i++) x[k + i] = *(const num_anywhere *)(in + i * ins + k);
        rows_transpose(x + k);
    }
}

NUM_INLINE void rows_store(int outs, num *y, lane *out)
{
    int whole = outs - outs % LANES; /* a constant, as is the length of the rest: no call of memcpy remains */
    for (int k = 0; k < whole; k += LANES) {
        rows_transpose(y + k);
        for (int i = 0; i < LANES; i++) *(num_anywhere *)(out + i * outs + k) = y[k + i];
    }
    if (whole == outs) return;
    for (int k = outs; k < whole + LANES; k++) y[k] = K(0);
    rows_transpose(y + whole);
    for (int i = 0; i < LANES; i++) memcpy(out + i * outs + whole, &y[whole + i], (size_t)(outs - whole) * sizeof *out);
}

NUM_INLINE void rows_pack(int ins, int outs, rows_body *body, const lane *in, lane *out)
{
#if LANES == 1 /* a row is its own pack */
    (void)ins, (void)outs;
    body(in, out);
#else
    num x[ROWS_LONGEST + LANES], y[ROWS_LONGEST + LANES];
    rows_load(ins, in, x);
    body(x, y);
    rows_store(outs, y, out);
#endif
}

/*
 * n rows of `ins` numbers to n rows of `outs` numbers. The last rows go through a copy that is padded with the last of
 * them to a full pack, so that a result depends neither on n nor on its place in the batch.
 */
NUM_INLINE void rows_map(size_t n, int ins, int outs, rows_body *body, const lane *in, lane *out)
{
    lane padded[LANES * (ROWS_LONGEST + 1)], result[LANES * ROWS_LONGEST];
    size_t from = (size_t)ins, to = (size_t)outs;
    for (; n >= 2 * LANES; n -= LANES, in += LANES * from, out += LANES * to) rows_pack(ins, outs, body, in, out);
    memset(padded, 0, sizeof padded);
    while (n > 0) {
        size_t some = n < LANES ? n : LANES;
        for (size_t i = 0; i < LANES; i++) {
            memcpy(padded + i * from, in + (i < some ? i : some - 1) * from, from * sizeof *in);
        }
        rows_pack(ins, outs, body, padded, result);
        memcpy(out, result, some * to * sizeof *out);
        n -= some, in += some * from, out += some * to;
    }
}

#endif
