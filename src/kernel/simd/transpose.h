/*
 * Transposing LANES packs in registers: lane j of pack i becomes lane i of pack j.
 *
 * log2(LANES) rounds of exchanges: the round of width s swaps, between packs i and i + s, the lanes whose number
 * differs in the bit s.
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

#endif
