/*
 * Maps of rows: LANES rows of memory become one pack per entry, with row i in lane i, and back.
 */
#ifndef HML_KERNEL_PACK_ROW_MAP_H
#define HML_KERNEL_PACK_ROW_MAP_H

#include <string.h>

#include "kernel/simd/transpose.h"

/*
 * A body maps one pack of rows: x[k] is entry k of LANES rows, y[k] is entry k of their results. Up to LANES − 1
 * entries behind the rows are read. Always inlined, so that the body and the lengths of the rows are known.
 */
enum { ROWS_LONGEST = 36 }; /* a 6x6 matrix */
typedef void rows_body(const num *x, num *y);

/* writes up to LANES − 1 entries behind x[ins − 1] */
NUM_INLINE void rows_load(int ins, const lane *in, num *x)
{
    for (int k = 0; k < ins; k += LANES) {
        for (int i = 0; i < LANES; i++) x[k + i] = *(const num_anywhere *)(in + i * ins + k);
        num_transpose(x + k);
    }
}

NUM_INLINE void rows_store(int outs, num *y, lane *out)
{
    int full = outs - outs % LANES; /* a constant, as is the length of the rest: no call of memcpy remains */
    for (int k = 0; k < full; k += LANES) {
        num_transpose(y + k);
        for (int i = 0; i < LANES; i++) *(num_anywhere *)(out + i * outs + k) = y[k + i];
    }
    if (full == outs) return;
    for (int k = outs; k < full + LANES; k++) y[k] = K(0);
    num_transpose(y + full);
    for (int i = 0; i < LANES; i++) memcpy(out + i * outs + full, &y[full + i], (size_t)(outs - full) * sizeof *out);
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
 * n rows of `ins` entries to n rows of `outs` entries. The last rows go through a copy, padded to a full pack with the
 * last row, so that a result depends neither on n nor on its place in the batch.
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
