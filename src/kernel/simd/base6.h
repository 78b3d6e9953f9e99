/*
 * Registers across columns, over num.
 *
 * In a pack a lane is a state, and a row of a matrix is a row of packs. In a single call the lanes of a register are
 * neighbouring columns of the same state. Both are written once, over a small type: six, the numbers that belong to a
 * free root, a row of T, S⁻¹, a force. It is a struct of registers (`cols`), not an array, so that compilers keep it in
 * registers.
 *
 *                        cols            six
 *   packs                num             6 packs
 *   double, AVX2         4 doubles       2 registers
 *   double, otherwise    2               4
 *   other scalars        num             6 numbers
 */
#ifndef HML_KERNEL_SIMD_BASE6_H
#define HML_KERNEL_SIMD_BASE6_H

#include <string.h>

#include "num/num.h"

#if defined HML_NUM_X2 || defined HML_NUM_X4 || defined HML_NUM_X8 || defined HML_NUM_C64 || defined HML_NUM_F128 ||   \
    defined HML_NUM_F32
typedef num cols;
#define COLS 1
#else
#if !defined HML_COLUMNS
#define HML_COLUMNS 2
#endif
#define COLS HML_COLUMNS
typedef double cols __attribute__((vector_size(8 * COLS), may_alias));
#endif

/* six numbers take SIX_SPAN places in memory: two of padding behind them, zero, where registers are filled by columns
 */
#if COLS == 4
#define SIX_EACH(X) X(0) X(1)
#define SIX_SPAN    8
#elif COLS == 2
#define SIX_EACH(X) X(0) X(1) X(2) X(3)
#define SIX_SPAN    8
#else
#define SIX_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define SIX_SPAN    6
#endif

/* a panel of columns, of the kinds whose registers are packs: as many as fit a pack when it is turned */
#if LANES == 8
#define PANEL_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define PANEL         8
#elif LANES == 4
#define PANEL_EACH(X) X(0) X(1) X(2) X(3)
#define PANEL         4
#else
#define PANEL_EACH(X) X(0) X(1)
#define PANEL         2
#endif

#define LANES_MEMBER(k) cols r##k;
typedef struct six {
    SIX_EACH(LANES_MEMBER)
} six;
#undef LANES_MEMBER

/* x: SIX_SPAN numbers, aligned to a register */
NUM_INLINE six six_load(const num *x)
{
    six a;
#define X(k) a.r##k = ((const cols *)x)[k];
    SIX_EACH(X)
#undef X
    return a;
}

NUM_INLINE void six_store(six a, num *x)
{
#define X(k) ((cols *)x)[k] = a.r##k;
    SIX_EACH(X)
#undef X
}

NUM_INLINE six six_zero(void)
{
    six a;
    const cols zero = {0};
#define X(k) a.r##k = zero;
    SIX_EACH(X)
#undef X
    return a;
}

/* six numbers in a row, from anywhere; what stands behind them is read and of no use */
NUM_INLINE six six_of(const num *x)
{
    six a;
#if COLS > 1
    memcpy(&a, x, sizeof a);
#else
    a = six_load(x);
#endif
    return a;
}

/* w x + sum */
NUM_INLINE six six_axpy(num w, six x, six sum)
{
#define X(k) sum.r##k += w * x.r##k;
    SIX_EACH(X)
#undef X
    return sum;
}

NUM_INLINE six six_add(six x, six y)
{
#define X(k) x.r##k += y.r##k;
    SIX_EACH(X)
#undef X
    return x;
}

NUM_INLINE six six_scale(num w, six x)
{
#define X(k) x.r##k *= w;
    SIX_EACH(X)
#undef X
    return x;
}

/* entry d to to[d·stride] */
NUM_INLINE void six_scatter(six a, num *to, int32_t stride)
{
#if COLS == 1
    to[0] = a.r0, to[stride] = a.r1, to[2 * stride] = a.r2;
    to[3 * stride] = a.r3, to[4 * stride] = a.r4, to[5 * stride] = a.r5;
#else
    double x[SIX_SPAN] __attribute__((aligned(64)));
    six_store(a, x);
    for (int32_t d = 0; d < 6; d++) to[d * stride] = x[d];
#endif
}

#endif
