/*
 * Packs of results on their way to memory, up to four columns at a time. Transposing 8 columns of 8 states takes 24
 * shuffles, 4 columns take 8; and where a matrix is mostly zeros, narrow groups of columns waste less. kernel/call.h
 * stores whole rows.
 */
#ifndef HML_KERNEL_SIMD_STORE4_H
#define HML_KERNEL_SIMD_STORE4_H

#include "kernel/call.h"

#if LANES > 1
enum { STORE_WIDTH = LANES < 4 ? LANES : 4 };
typedef lane cols4 __attribute__((vector_size(sizeof(lane) * STORE_WIDTH)));
typedef cols4 cols4_anywhere __attribute__((aligned(sizeof(lane)), may_alias));

NUM_INLINE void put_cols4(lane *to, cols4 x) { *(cols4_anywhere *)to = x; }

#if defined NUM_SINGLE /* 128 bits of a pack: its states 4k … 4k + 3 */
#define num_quarter(x, k) __builtin_shufflevector(x, x, 4 * (k), 4 * (k) + 1, 4 * (k) + 2, 4 * (k) + 3)
#elif LANES == 8 && defined __AVX512F__ /* the instruction that stores the upper half needs no shuffle */
#define num_half(x, k) ((cols4)_mm512_extractf64x4_pd((__m512d)(x), k))
#elif LANES == 8
#define num_half(x, k) __builtin_shufflevector(x, x, 4 * (k), 4 * (k) + 1, 4 * (k) + 2, 4 * (k) + 3)
#endif

/*
 * STORE_WIDTH neighbouring columns of all states, one column every `step` packs. Two of these cost two thirds of a
 * transposition of 8 columns.
 */
NUM_INLINE void store_cols4(lane *to, size_t stride, const num *x, int32_t step)
{
#if defined NUM_SINGLE
    num a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
    num_transpose4(&a, &b, &c, &d);
#define FOUR_STATES(k)                                                                                                 \
    put_cols4(to + (size_t)(4 * (k)) * stride, num_quarter(a, k));                                                     \
    put_cols4(to + (size_t)(4 * (k) + 1) * stride, num_quarter(b, k));                                                 \
    put_cols4(to + (size_t)(4 * (k) + 2) * stride, num_quarter(c, k));                                                 \
    put_cols4(to + (size_t)(4 * (k) + 3) * stride, num_quarter(d, k));
    FOUR_STATES(0)
#if LANES >= 8
    FOUR_STATES(1)
#endif
#if LANES == 16
    FOUR_STATES(2) FOUR_STATES(3)
#endif
#undef FOUR_STATES
#elif LANES == 8
#define HALVES(l, t)                                                                                                   \
    put_cols4(to + (l)*stride, num_half(t, 0));                                                                        \
    put_cols4(to + ((l) + 4) * stride, num_half(t, 1));
    num a = __builtin_shufflevector(x[0], x[step], 0, 8, 2, 10, 4, 12, 6, 14);
    num b = __builtin_shufflevector(x[0], x[step], 1, 9, 3, 11, 5, 13, 7, 15);
    num c = __builtin_shufflevector(x[2 * step], x[3 * step], 0, 8, 2, 10, 4, 12, 6, 14);
    num d = __builtin_shufflevector(x[2 * step], x[3 * step], 1, 9, 3, 11, 5, 13, 7, 15);
    num t0 = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    num t1 = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    num t2 = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    num t3 = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
    HALVES(0, t0) HALVES(1, t1) HALVES(2, t2) HALVES(3, t3)
#undef HALVES
#elif LANES == 4
    num t[4] = {x[0], x[step], x[2 * step], x[3 * step]};
    num_transpose(t);
    put_cols4(to, t[0]), put_cols4(to + stride, t[1]);
    put_cols4(to + 2 * stride, t[2]), put_cols4(to + 3 * stride, t[3]);
#else
    put_cols4(to, __builtin_shufflevector(x[0], x[step], 0, 2));
    put_cols4(to + stride, __builtin_shufflevector(x[0], x[step], 1, 3));
#endif
}

NUM_INLINE void store_zero_cols4(lane *to, size_t stride)
{
    const cols4 zero = {0};
    for (int l = 0; l < LANES; l++, to += stride) put_cols4(to, zero);
}

#endif

/* n entries of a row of every state */
static inline void store_row(kernel_output out, int count, int32_t row, int32_t n, const num *x)
{
#if LANES > 1
    if (count == LANES && n >= STORE_WIDTH) {
        lane *to = out.data + (size_t)row * out.ld;
        for (int32_t c = 0; c < n; c += STORE_WIDTH) {
            const int32_t from = c + STORE_WIDTH > n ? n - STORE_WIDTH : c; /* the last columns overlap those before */
            store_cols4(to + from, out.stride, x + from, 1);
        }
        return;
    }
#endif
    kernel_store_run(out, count, row, 0, n, x);
}

#endif
