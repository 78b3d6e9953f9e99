/* Arrays in memory, one pack of entries at a time. */
#ifndef HML_KERNEL_SIMD_MEMORY_H
#define HML_KERNEL_SIMD_MEMORY_H

#include <stddef.h>

#include "kernel/simd/transpose.h"

/* fewer entries than a pack has */
#if LANES == 1
static inline num load_some(const lane *from, size_t n) { return (void)n, *from; }
static inline void store_some(lane *to, size_t n, num x) { (void)n, *to = x; }
#else
static inline num load_some(const lane *from, size_t n) { return num_load_part(from, (int)n); }
static inline void store_some(lane *to, size_t n, num x) { num_store_part(to, (int)n, x); }
#endif

#if !defined NUM_SINGLE && !defined HML_NUM_C64 && !defined HML_NUM_F128 /* doubles, alone or in packs */
/* all, and bits that are not zero where some x in memory is not finite: x − x is +0 exactly where x is finite */
static inline bits not_finite_bits(size_t n, const lane *x, bits all)
{
    size_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        num y = *(const num_anywhere *)(x + k);
        all |= num_to_bits(y - y);
    }
    if (k < n) {
        num y = load_some(x + k, n - k);
        all |= num_to_bits(y - y);
    }
    return all;
}
#endif

/*
 * A number that several products share, in a register. Where a product can read memory, gcc lets each of them read it
 * again, and the loads take longer than the products.
 */
NUM_INLINE num num_keep(num x)
{
#if defined __AVX512F__ && LANES == 8
    __asm__("" : "+v"(x));
#endif
    return x;
}

#endif
