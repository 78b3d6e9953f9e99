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

/* lane j of pack i becomes lane i of pack j: LANES packs of one number each become LANES states of LANES numbers each */
static inline void num_transpose(num x[LANES])
{
#if LANES == 8
    num t[8];
    for (int i = 0; i < 8; i += 2) { /* pairs */
        t[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) { /* pairs of pairs */
        for (int k = 0; k < 2; k++) {
            x[i + k] = __builtin_shufflevector(t[i + k], t[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            x[i + k + 2] = __builtin_shufflevector(t[i + k], t[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int k = 0; k < 4; k++) { /* halves */
        num low = x[k], high = x[k + 4];
        x[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
        x[k + 4] = __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
    }
#elif LANES == 4
    num t[4];
    for (int i = 0; i < 4; i += 2) {
        t[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 4, 2, 6);
        t[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 1, 5, 3, 7);
    }
    for (int k = 0; k < 2; k++) {
        x[k] = __builtin_shufflevector(t[k], t[k + 2], 0, 1, 4, 5);
        x[k + 2] = __builtin_shufflevector(t[k], t[k + 2], 2, 3, 6, 7);
    }
#elif LANES == 2
    num low = __builtin_shufflevector(x[0], x[1], 0, 2);
    x[1] = __builtin_shufflevector(x[0], x[1], 1, 3);
    x[0] = low;
#else
    (void)x; /* a number is its own pack */
#endif
}

#endif
