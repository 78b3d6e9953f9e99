/*
 * Are numbers finite? By their bits alone: no flag of the processor is raised, so that a program may run with traps on,
 * and all values of a loop are looked at together, as many at a time as the compiler can.
 */
#ifndef HML_BASE_FINITE_H
#define HML_BASE_FINITE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hamel/base.h"

/* of NaN and infinity all bits of the exponent are set: one more carries into the sign */
static inline int all_finite(const double *x, size_t n)
{
    const uint64_t one = UINT64_C(1) << 52, exponent = UINT64_C(0x7ff) << 52;
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t pattern;
        memcpy(&pattern, &x[i], sizeof pattern);
        carry |= (pattern & exponent) + one;
    }
    return carry >> 63 == 0;
}

static inline hml_status finite_array(const double *x, size_t n) { return all_finite(x, n) ? HML_OK : HML_NOT_FINITE; }

#endif
