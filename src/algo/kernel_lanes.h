/*
 * Registers across columns, over num.
 *
 * In a pack a lane is a state, and a row of a matrix is a row of packs. In a single call the lanes of a register are
 * neighbouring columns of the same state. Both are written once, over two small types:
 *
 *   six         the six numbers that belong to a free root: a row of T, S⁻¹, a force
 *   panel_row   one row of a panel of PANEL columns, waiting to be solved for
 *
 * Both are structs of registers (`cols`), not arrays, so that compilers keep them in registers.
 *
 *                        cols            six           panel_row
 *   packs                num             6 packs       LANES packs
 *   double, AVX-512      8 doubles       1 register    2 registers
 *   double, AVX2         4               2             2
 *   double, otherwise    2               4             4
 *   other scalars        num             6 numbers     2 numbers
 */
#ifndef HML_ALGO_KERNEL_LANES_H
#define HML_ALGO_KERNEL_LANES_H

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
#if COLS == 8
#include <immintrin.h>
#endif
typedef double cols __attribute__((vector_size(8 * COLS), may_alias));
#endif

/* six numbers take SIX_SPAN places in memory: two of padding behind them, zero, where registers are filled by columns
 */
#if COLS == 8
#define SIX_EACH(X) X(0)
#define SIX_SPAN    8
#elif COLS == 4
#define SIX_EACH(X) X(0) X(1)
#define SIX_SPAN    8
#elif COLS == 2
#define SIX_EACH(X) X(0) X(1) X(2) X(3)
#define SIX_SPAN    8
#else
#define SIX_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define SIX_SPAN    6
#endif

#if COLS == 1 && LANES == 8
#define PANEL_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define PANEL         8
#elif COLS == 2 || (COLS == 1 && LANES == 4)
#define PANEL_EACH(X) X(0) X(1) X(2) X(3)
#define PANEL         (4 * COLS)
#else
#define PANEL_EACH(X) X(0) X(1)
#define PANEL         (2 * COLS)
#endif

#define LANES_MEMBER(k) cols r##k;
typedef struct six {
    SIX_EACH(LANES_MEMBER)
} six;
typedef struct panel_row {
    PANEL_EACH(LANES_MEMBER)
} panel_row;
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

NUM_INLINE panel_row panel_axpy(num w, const panel_row *x, panel_row sum)
{
#define X(k) sum.r##k += w * x->r##k;
    PANEL_EACH(X)
#undef X
    return sum;
}

/* a row that several sums share: loaded once, where compilers would rather load it with every product */
NUM_INLINE panel_row panel_load(const panel_row *x)
{
    panel_row y = *x;
#if LANES == 8 && defined __AVX512F__
#define X(k) __asm__("" : "+v"(y.r##k));
    PANEL_EACH(X)
#undef X
#endif
    return y;
}

NUM_INLINE panel_row panel_add(const panel_row *x, panel_row sum)
{
#define X(k) sum.r##k += x->r##k;
    PANEL_EACH(X)
#undef X
    return sum;
}

/* PANEL numbers in a row, from anywhere */
NUM_INLINE panel_row panel_add_from(const num *x, panel_row sum)
{
    panel_row a;
    memcpy(&a, x, sizeof a);
    return panel_add(&a, sum);
}

NUM_INLINE panel_row panel_axpy_from(num w, const num *x, panel_row sum)
{
    panel_row a;
    memcpy(&a, x, sizeof a);
    return panel_axpy(w, &a, sum);
}

NUM_INLINE panel_row panel_zero(void)
{
    panel_row y;
    const cols zero = {0};
#define X(k) y.r##k = zero;
    PANEL_EACH(X)
#undef X
    return y;
}

NUM_INLINE panel_row panel_scale(num w, const panel_row *x)
{
    panel_row y;
#define X(k) y.r##k = w * x->r##k;
    PANEL_EACH(X)
#undef X
    return y;
}

#endif
