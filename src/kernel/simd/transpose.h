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

/*
 * Lane j of pack i becomes lane i of pack j: LANES packs of one number each become LANES states of LANES numbers each.
 *
 * log2(LANES) rounds: the round of width w exchanges, between packs i and i + w, the lanes whose number differs in the
 * bit w. The widest round comes first, where packs are loaded from memory: there an exchange of halves is a load.
 */
NUM_INLINE void num_transpose(num x[LANES])
{
#if LANES == 8
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
