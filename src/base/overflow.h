/*
 * Has a computation left the numbers? A function that computes answers HML_NOT_FINITE where a result is NaN or
 * infinite, though its inputs were not.
 *
 * From finite inputs only an operation that raises one of three flags of the processor makes NaN or infinity: overflow,
 * invalid, division by zero (IEEE 754, section 7). So two looks at the flags, some twenty cycles, tell that all outputs
 * are finite; only where a flag is up the outputs themselves are looked at, for it may have been raised by something
 * that was thrown away.
 *
 *   unsigned before = overflow_watch();
 *   … compute, into memory …
 *   return OVERFLOW_STATUS(before, {tau, nv}, {M, nv * nv});      a pointer that is NULL is not looked at
 *
 * FINITE_STATUS({tau, nv}, …) looks at once, where speed does not matter.
 *
 * Which flags were up before, are up again, and ours beside them.
 */
#ifndef HML_BASE_OVERFLOW_H
#define HML_BASE_OVERFLOW_H

#include "base/finite.h"

/* nothing is computed earlier or later than it stands */
#if defined(__GNUC__)
#define OVERFLOW_FENCE() __asm__ volatile("" ::: "memory")
#else
#define OVERFLOW_FENCE() ((void)0)
#endif

#if defined(__SSE2__)
#include <xmmintrin.h>

enum { OVERFLOW_FLAGS = 0x0d }; /* of MXCSR: invalid, division by zero, overflow */

static inline unsigned overflow_watch(void)
{
    unsigned all = _mm_getcsr(), flags = all & OVERFLOW_FLAGS;
    if (flags) _mm_setcsr(all & ~flags);
    OVERFLOW_FENCE();
    return flags;
}

static inline int overflow_seen(unsigned before)
{
    OVERFLOW_FENCE();
    unsigned all = _mm_getcsr();
    if (before) _mm_setcsr(all | before);
    return (all & OVERFLOW_FLAGS) != 0;
}
#else
#include <fenv.h>

enum { OVERFLOW_FLAGS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };

static inline unsigned overflow_watch(void)
{
    int flags = fetestexcept(OVERFLOW_FLAGS);
    if (flags) feclearexcept(flags);
    OVERFLOW_FENCE();
    return (unsigned)flags;
}

static inline int overflow_seen(unsigned before)
{
    OVERFLOW_FENCE();
    int flags = fetestexcept(OVERFLOW_FLAGS);
    if (before) feraiseexcept((int)before);
    return flags != 0;
}
#endif

typedef struct overflow_output {
    const double *x;
    size_t n;
} overflow_output;

static inline hml_status finite_outputs(size_t count, const overflow_output *outputs)
{
    for (size_t i = 0; i < count; i++) {
        if (outputs[i].x && finite_array(outputs[i].x, outputs[i].n)) return HML_NOT_FINITE;
    }
    return HML_OK;
}

#define FINITE_STATUS(...)                                                                                             \
    finite_outputs(sizeof((const overflow_output[]){__VA_ARGS__}) / sizeof(overflow_output),                           \
                   (const overflow_output[]){__VA_ARGS__})
#define OVERFLOW_STATUS(before, ...) (overflow_seen(before) ? FINITE_STATUS(__VA_ARGS__) : HML_OK)

#endif
