/* Sines and cosines of a robot's angles, over num. */
#ifndef HML_KERNEL_PACK_SINCOS_H
#define HML_KERNEL_PACK_SINCOS_H

#include "kernel/simd/base6.h"
#include "kernel/table.h"
#include "model/plan.h"

/* of all angles at once, before the walk, since they do not depend on each other; with AVX2 four per register */
static inline void sincos_all(const hml_plan *plan, const num *q, num *s, num *c)
{
#if COLS == 4
    hmli_kernels_avx2_x4.sincos(q, plan->angles_begin, plan->angles_end, s, c);
#else
    for (int32_t k = plan->angles_begin; k < plan->angles_end; k++) num_sincos(q[k], &s[k], &c[k]);
#endif
}

#endif
