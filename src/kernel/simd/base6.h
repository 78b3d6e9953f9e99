/*
 * The six numbers of a free root in registers, over num: a row of T or of S⁻¹, a force.
 *
 * In a pack a lane is a state, and the six numbers are six packs. In a scalar object the lanes of a register are
 * neighbouring columns of the same state. Both are written once, over the type base6. It is a struct of registers
 * (`cols`), not an array, so that compilers keep it in registers.
 *
 *                        cols            base6
 *   packs                num             6 packs
 *   double, AVX2         4 doubles       2 registers
 *   double, otherwise    2               4
 *   other scalars        num             6 numbers
 */
#ifndef HML_KERNEL_SIMD_BASE6_H
#define HML_KERNEL_SIMD_BASE6_H

#include <string.h>

#include "num/num.h"

#if LANES > 1 || defined HML_NUM_C64 || defined HML_NUM_F128 || defined NUM_SINGLE
typedef num cols;
#define COLS 1
#else
#if !defined SCALAR_COLUMN_LANES
#define SCALAR_COLUMN_LANES 2
#endif
#define COLS SCALAR_COLUMN_LANES
typedef double cols __attribute__((vector_size(8 * COLS), may_alias));
#endif

/* doubles from one base6 in memory to the next; in scalar objects the last two are padding, and zero */
#if COLS == 4
#define BASE6_EACH(X) X(0) X(1)
#define BASE6_STRIDE  8
#elif COLS == 2
#define BASE6_EACH(X) X(0) X(1) X(2) X(3)
#define BASE6_STRIDE  8
#else
#define BASE6_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define BASE6_STRIDE  6
#endif

/* a panel: as many columns as a pack holds after a transposition */
#if LANES == 16
#define PANEL_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define PANEL         16
#elif LANES == 8
#define PANEL_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define PANEL         8
#elif LANES == 4
#define PANEL_EACH(X) X(0) X(1) X(2) X(3)
#define PANEL         4
#else
#define PANEL_EACH(X) X(0) X(1)
#define PANEL         2
#endif

#define BASE6_MEMBER(k) cols r##k;
typedef struct base6 {
    BASE6_EACH(BASE6_MEMBER)
} base6;
#undef BASE6_MEMBER

/* x: BASE6_STRIDE numbers, aligned to a register */
NUM_INLINE base6 base6_load(const num *x)
{
    base6 a;
#define X(k) a.r##k = ((const cols *)x)[k];
    BASE6_EACH(X)
#undef X
    return a;
}

NUM_INLINE void base6_store(base6 a, num *x)
{
#define X(k) ((cols *)x)[k] = a.r##k;
    BASE6_EACH(X)
#undef X
}

NUM_INLINE base6 base6_zero(void)
{
    base6 a;
    const cols zero = {0};
#define X(k) a.r##k = zero;
    BASE6_EACH(X)
#undef X
    return a;
}

/* six numbers in a row, of any alignment; in scalar objects two more are read, and unused */
NUM_INLINE base6 base6_of(const num *x)
{
    base6 a;
#if COLS > 1
    memcpy(&a, x, sizeof a);
#else
    a = base6_load(x);
#endif
    return a;
}

/* w x + sum */
NUM_INLINE base6 base6_axpy(num w, base6 x, base6 sum)
{
#define X(k) sum.r##k += w * x.r##k;
    BASE6_EACH(X)
#undef X
    return sum;
}

NUM_INLINE base6 base6_add(base6 x, base6 y)
{
#define X(k) x.r##k += y.r##k;
    BASE6_EACH(X)
#undef X
    return x;
}

NUM_INLINE base6 base6_scale(num w, base6 x)
{
#define X(k) x.r##k *= w;
    BASE6_EACH(X)
#undef X
    return x;
}

/* entry d to to[d·stride] */
NUM_INLINE void base6_scatter(base6 a, num *to, int32_t stride)
{
#if COLS == 1
    to[0] = a.r0, to[stride] = a.r1, to[2 * stride] = a.r2;
    to[3 * stride] = a.r3, to[4 * stride] = a.r4, to[5 * stride] = a.r5;
#else
    double x[BASE6_STRIDE] __attribute__((aligned(64)));
    base6_store(a, x);
    for (int32_t d = 0; d < 6; d++) to[d * stride] = x[d];
#endif
}

#endif
