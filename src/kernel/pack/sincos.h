/* Sines and cosines of a robot's angles, over num. */
#ifndef HML_KERNEL_PACK_SINCOS_H
#define HML_KERNEL_PACK_SINCOS_H

#include "kernel/simd/base6.h"
#include "kernel/table.h"
#include "model/plan.h"

/* sines and cosines of all angles first, for none waits for another; in a single call the lanes of a pack are angles */
static inline void sincos_all(const hml_plan *plan, const num *q, num *s, num *c)
{
#if COLS == 4
    hmli_kernels_avx2_x4.sincos(q, plan->angles_begin, plan->angles_end, s, c);
#else
    for (int32_t k = plan->angles_begin; k < plan->angles_end; k++) num_sincos(q[k], &s[k], &c[k]);
#endif
}

#endif
