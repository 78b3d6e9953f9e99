/* Packs anywhere in memory, and the transposition of LANES packs in registers. */
#ifndef HML_KERNEL_SIMD_TRANSPOSE_H
#define HML_KERNEL_SIMD_TRANSPOSE_H

#include "num/num.h"

/* a pack anywhere in memory; memcpy would go through narrower registers */
#if LANES > 1
typedef lane num_anywhere __attribute__((vector_size(LANES * sizeof(lane)), aligned(sizeof(lane)), may_alias));
#else
typedef lane num_anywhere;
#endif

#if defined NUM_SINGLE && LANES > 1
/*
 * Packs of floats: their 128-bit quarters first, then 4 × 4 floats in each quarter, which instructions interleave
 * without crossing it.
 */
#if LANES == 16
#define QUARTERS(x, y, a, b, c, d)                                                                                     \
    __builtin_shufflevector(x, y, 4 * (a), 4 * (a) + 1, 4 * (a) + 2, 4 * (a) + 3, 4 * (b), 4 * (b) + 1, 4 * (b) + 2,   \
                            4 * (b) + 3, 4 * (c), 4 * (c) + 1, 4 * (c) + 2, 4 * (c) + 3, 4 * (d), 4 * (d) + 1,         \
                            4 * (d) + 2, 4 * (d) + 3)
#define PAIRS_LOW(x, y)  __builtin_shufflevector(x, y, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define PAIRS_HIGH(x, y) __builtin_shufflevector(x, y, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define TWOS_LOW(x, y)   __builtin_shufflevector(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define TWOS_HIGH(x, y)  __builtin_shufflevector(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#elif LANES == 8
#define PAIRS_LOW(x, y)  __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define PAIRS_HIGH(x, y) __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define TWOS_LOW(x, y)   __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define TWOS_HIGH(x, y)  __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define PAIRS_LOW(x, y)  __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define PAIRS_HIGH(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define TWOS_LOW(x, y)   __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define TWOS_HIGH(x, y)  __builtin_shufflevector(x, y, 2, 3, 6, 7)
#endif

/* lane 4k + j of pack i becomes lane 4k + i of pack j */
NUM_INLINE void num_transpose4(num *a, num *b, num *c, num *d)
{
    const num ab = PAIRS_LOW(*a, *b), AB = PAIRS_HIGH(*a, *b), cd = PAIRS_LOW(*c, *d), CD = PAIRS_HIGH(*c, *d);
    *a = TWOS_LOW(ab, cd), *b = TWOS_HIGH(ab, cd), *c = TWOS_LOW(AB, CD), *d = TWOS_HIGH(AB, CD);
}

NUM_INLINE void num_transpose_f32(num x[LANES])
{
#if LANES == 16
    num t[16];
    for (int k = 0; k < 8; k++) { /* halves */
        t[k] = QUARTERS(x[k], x[k + 8], 0, 1, 4, 5);
        t[k + 8] = QUARTERS(x[k], x[k + 8], 2, 3, 6, 7);
    }
    for (int i = 0; i < 16; i += 8) { /* quarters */
        for (int k = i; k < i + 4; k++) {
            x[k] = QUARTERS(t[k], t[k + 4], 0, 4, 2, 6);
            x[k + 4] = QUARTERS(t[k], t[k + 4], 1, 5, 3, 7);
        }
    }
#elif LANES == 8
    for (int k = 0; k < 4; k++) { /* halves */
        const num low = x[k], high = x[k + 4];
        x[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
        x[k + 4] = __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
    }
#endif
    for (int k = 0; k < LANES; k += 4) num_transpose4(&x[k], &x[k + 1], &x[k + 2], &x[k + 3]);
}
#endif

/*
 * Lane j of pack i becomes lane i of pack j: LANES packs of one number each become LANES states of LANES numbers each.
 *
 * log2(LANES) rounds: the round of width w exchanges, between packs i and i + w, the lanes whose number differs in the
 * bit w. The widest round comes first, where packs are loaded from memory: there an exchange of halves is a load.
 */
NUM_INLINE void num_transpose(num x[LANES])
{
#if defined NUM_SINGLE && LANES > 1
    num_transpose_f32(x);
#elif LANES == 8
    num t[8];
    for (int k = 0; k < 4; k++) { /* halves */
        t[k] = __builtin_shufflevector(x[k], x[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        t[k + 4] = __builtin_shufflevector(x[k], x[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int i = 0; i < 8; i += 4) { /* quarters */
        for (int k = i; k < i + 2; k++) {
            x[k] = __builtin_shufflevector(t[k], t[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            x[k + 2] = __builtin_shufflevector(t[k], t[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 8; i += 2) { /* neighbours */
        const num low = x[i], high = x[i + 1];
        x[i] = __builtin_shufflevector(low, high, 0, 8, 2, 10, 4, 12, 6, 14);
        x[i + 1] = __builtin_shufflevector(low, high, 1, 9, 3, 11, 5, 13, 7, 15);
    }
#elif LANES == 4
    num t[4];
    for (int k = 0; k < 2; k++) { /* halves */
        t[k] = __builtin_shufflevector(x[k], x[k + 2], 0, 1, 4, 5);
        t[k + 2] = __builtin_shufflevector(x[k], x[k + 2], 2, 3, 6, 7);
    }
    for (int i = 0; i < 4; i += 2) { /* neighbours */
        x[i] = __builtin_shufflevector(t[i], t[i + 1], 0, 4, 2, 6);
        x[i + 1] = __builtin_shufflevector(t[i], t[i + 1], 1, 5, 3, 7);
    }
#elif LANES == 2
    const num low = __builtin_shufflevector(x[0], x[1], 0, 2);
    x[1] = __builtin_shufflevector(x[0], x[1], 1, 3);
    x[0] = low;
#else
    (void)x; /* a number is its own pack */
#endif
}

#endif
