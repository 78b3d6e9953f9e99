/*
 * Registers of neighbouring columns of one state: of the matrices that are assembled (colreg), of a row that is
 * eliminated (row_chunk), of a panel of M⁻¹ (panel_row). Each is a struct or a vector that compilers keep in registers.
 */
#ifndef HML_KERNEL_SIMD_COLUMNS_H
#define HML_KERNEL_SIMD_COLUMNS_H

#if defined __AVX2__
#include <immintrin.h>
#endif

#include "kernel/simd/base6.h"

/* ---- colreg: columns of the results ---- */

#if LANES == 1 && (defined HML_NUM_C64 || defined HML_NUM_F128 || defined NUM_SINGLE)
#define COLREG_WIDTH 1
#elif LANES > 1
#define COLREG_WIDTH LANES
#else
#define COLREG_WIDTH COLS
#endif

#if COLREG_WIDTH == 1
typedef num colreg;
#else
typedef lane colreg __attribute__((vector_size(sizeof(lane) * COLREG_WIDTH)));
typedef colreg colreg_anywhere __attribute__((aligned(sizeof(lane)), may_alias));
#endif

/* the widest registers: 1 where half a register of columns is worth a way of its own */
#define COLREG_HALVES (COLREG_WIDTH == 16 || (COLREG_WIDTH == 8 && sizeof(lane) == 8))

#if LANES > 1
typedef lane entry;
#else
typedef num entry;
#endif

NUM_INLINE colreg colreg_load(const entry *x)
{
#if COLREG_WIDTH == 1
    return *x;
#else
    return *(const colreg_anywhere *)x;
#endif
}

/*
 * sum + a x and sum − a x, as one instruction where there is one: otherwise compilers move the product out of branches
 */
NUM_INLINE colreg colreg_add(entry a, colreg x, colreg sum)
{
#if defined NUM_SINGLE && COLREG_WIDTH == 16 && defined __AVX512F__
    return (colreg)_mm512_fmadd_ps(_mm512_set1_ps(a), (__m512)x, (__m512)sum);
#elif defined NUM_SINGLE && COLREG_WIDTH == 8 && defined __FMA__
    return (colreg)_mm256_fmadd_ps(_mm256_set1_ps(a), (__m256)x, (__m256)sum);
#elif defined NUM_SINGLE
    return sum + a * x;
#elif COLREG_WIDTH == 8 && defined __AVX512F__
    return (colreg)_mm512_fmadd_pd(_mm512_set1_pd(a), (__m512d)x, (__m512d)sum);
#elif COLREG_WIDTH == 4 && defined __FMA__
    return (colreg)_mm256_fmadd_pd(_mm256_set1_pd(a), (__m256d)x, (__m256d)sum);
#else
    return sum + a * x;
#endif
}

NUM_INLINE colreg colreg_subtract(entry a, colreg x, colreg sum)
{
#if defined NUM_SINGLE && COLREG_WIDTH == 16 && defined __AVX512F__
    return (colreg)_mm512_fnmadd_ps(_mm512_set1_ps(a), (__m512)x, (__m512)sum);
#elif defined NUM_SINGLE && COLREG_WIDTH == 8 && defined __FMA__
    return (colreg)_mm256_fnmadd_ps(_mm256_set1_ps(a), (__m256)x, (__m256)sum);
#elif defined NUM_SINGLE
    return sum - a * x;
#elif COLREG_WIDTH == 8 && defined __AVX512F__
    return (colreg)_mm512_fnmadd_pd(_mm512_set1_pd(a), (__m512d)x, (__m512d)sum);
#elif COLREG_WIDTH == 4 && defined __FMA__
    return (colreg)_mm256_fnmadd_pd(_mm256_set1_pd(a), (__m256d)x, (__m256d)sum);
#else
    return sum - a * x;
#endif
}

#if COLREG_WIDTH == 4 && defined __AVX2__ && !defined __AVX512VL__ && !defined NUM_SINGLE
/* the mask of AVX2 instructions for a set of columns */
NUM_INLINE __m256i colreg_mask(uint64_t part)
{
    static const int64_t masks[16][4] __attribute__((aligned(32))) = {
        {0, 0, 0, 0},   {-1, 0, 0, 0},   {0, -1, 0, 0},   {-1, -1, 0, 0},  {0, 0, -1, 0},  {-1, 0, -1, 0},
        {0, -1, -1, 0}, {-1, -1, -1, 0}, {0, 0, 0, -1},   {-1, 0, 0, -1},  {0, -1, 0, -1}, {-1, -1, 0, -1},
        {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1}};
    return _mm256_load_si256((const __m256i *)masks[part]);
}
#endif

/* the columns whose bits are set in `part`; elsewhere zero, and nothing is read */
NUM_INLINE colreg colreg_load_part(const entry *x, uint64_t part)
{
#if defined NUM_SINGLE && COLREG_WIDTH == 16 && defined __AVX512F__
    return (colreg)_mm512_maskz_loadu_ps((__mmask16)part, x);
#elif defined NUM_SINGLE && COLREG_WIDTH == 8 && defined __AVX2__
    return (colreg)_mm256_maskload_ps(x, num_part((unsigned)part));
#elif COLREG_WIDTH == 1
    return part ? *x : K(0);
#elif defined NUM_SINGLE
    colreg y = {0};
    for (int i = 0; i < COLREG_WIDTH; i++) {
        if (part >> i & 1) y[i] = x[i];
    }
    return y;
#elif COLREG_WIDTH == 8 && defined __AVX512F__
    return (colreg)_mm512_maskz_loadu_pd((__mmask8)part, x);
#elif COLREG_WIDTH == 4 && defined __AVX512VL__
    return (colreg)_mm256_maskz_loadu_pd((__mmask8)part, x);
#elif COLREG_WIDTH == 4 && defined __AVX2__
    return (colreg)_mm256_maskload_pd(x, colreg_mask(part));
#else
    colreg y = {0};
    for (int i = 0; i < COLREG_WIDTH; i++) {
        if (part >> i & 1) y[i] = x[i];
    }
    return y;
#endif
}

/* the first n columns */
NUM_INLINE void colreg_store(lane *to, int32_t n, colreg x)
{
#if defined NUM_SINGLE && COLREG_WIDTH == 16 && defined __AVX512F__
    _mm512_mask_storeu_ps(to, (__mmask16)(65535u >> (16 - n)), (__m512)x);
#elif defined NUM_SINGLE && COLREG_WIDTH > 1
    if (n == COLREG_WIDTH)
        *(colreg_anywhere *)to = x;
    else
        num_store_part(to, n, x);
#elif COLREG_WIDTH == 8 && defined __AVX512F__
    _mm512_mask_storeu_pd(to, (__mmask8)(255u >> (8 - n)), (__m512d)x);
#elif COLREG_WIDTH == 4 && defined __AVX512VL__
    _mm256_mask_storeu_pd(to, (__mmask8)(15u >> (4 - n)), (__m256d)x);
#elif COLREG_WIDTH == 1
    (void)n;
    *to = num_get(x, 0);
#else
    if (n == COLREG_WIDTH) {
        *(colreg_anywhere *)to = x;
        return;
    }
#if COLREG_WIDTH == 4 && defined __AVX2__
    _mm256_maskstore_pd(to, colreg_mask((1u << n) - 1), (__m256d)x);
#else
    for (int32_t i = 0; i < n; i++) to[i] = x[i];
#endif
#endif
}

/*
 * half a register of columns or fewer: those of D_q in the lower half, those of D_ν, `gap` further, in the upper half
 */
NUM_INLINE colreg colreg_load_halves(const entry *x, int64_t gap, uint64_t part)
{
#if defined NUM_SINGLE && COLREG_WIDTH == 16 && defined __AVX512F__
    const __m512 low = _mm512_maskz_loadu_ps((__mmask16)part, x);
    return (colreg)_mm512_mask_loadu_ps(low, (__mmask16)(part << 8), x + gap - 8);
#elif COLREG_WIDTH == 8 && defined __AVX512F__ && !defined NUM_SINGLE
    const __m512d low = _mm512_maskz_loadu_pd((__mmask8)part, x);
    return (colreg)_mm512_mask_loadu_pd(low, (__mmask8)(part << 4), x + gap - 4);
#elif COLREG_WIDTH == 1
    (void)gap;
    return colreg_load_part(x, part);
#else
    colreg y = {0};
    for (int i = 0; i < COLREG_WIDTH / 2; i++) {
        if (part >> i & 1) y[i] = x[i], y[COLREG_WIDTH / 2 + i] = x[gap + i];
    }
    return y;
#endif
}

NUM_INLINE void colreg_store_halves(lane *low, lane *high, int32_t n, colreg x)
{
#if defined NUM_SINGLE && COLREG_WIDTH == 16 && defined __AVX512DQ__
    const __mmask8 part = (__mmask8)(255u >> (8 - n));
    _mm256_mask_storeu_ps(low, part, _mm512_castps512_ps256((__m512)x));
    _mm256_mask_storeu_ps(high, part, _mm512_extractf32x8_ps((__m512)x, 1));
#elif COLREG_WIDTH == 8 && defined __AVX512F__ && !defined NUM_SINGLE
    const __mmask8 part = (__mmask8)(15u >> (4 - n));
    _mm256_mask_storeu_pd(low, part, _mm512_castpd512_pd256((__m512d)x));
    _mm256_mask_storeu_pd(high, part, _mm512_extractf64x4_pd((__m512d)x, 1));
#elif COLREG_WIDTH == 1
    (void)low, (void)high, (void)n, (void)x;
#else
    for (int32_t i = 0; i < n; i++) low[i] = x[i], high[i] = x[COLREG_WIDTH / 2 + i];
#endif
}

/* ---- row_chunk: a few entries of a row of L ---- */

#if COLS > 1
#define ROW_CHUNK_EACH(X) X(0)
#define ROW_CHUNK         COLS
#define PANEL_ROW_EACH(X) X(0)
#define PANEL_WIDTH       COLS
#else
#define ROW_CHUNK_EACH(X) X(0) X(1) X(2) X(3)
#define ROW_CHUNK         4
#if LANES == 16 /* the sums of a row of a panel stay in registers */
#define PANEL_ROW_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define PANEL_WIDTH       8
#else
#define PANEL_ROW_EACH(X) PANEL_EACH(X)
#define PANEL_WIDTH       PANEL
#endif
#endif

#define CHUNK_MEMBER(k) cols r##k;
typedef struct row_chunk {
    ROW_CHUNK_EACH(CHUNK_MEMBER)
} row_chunk;
typedef struct panel_row {
    PANEL_ROW_EACH(CHUNK_MEMBER)
} panel_row;
#undef CHUNK_MEMBER

NUM_INLINE row_chunk row_chunk_zero(void)
{
    row_chunk a;
    const cols zero = {0};
#define X(k) a.r##k = zero;
    ROW_CHUNK_EACH(X)
#undef X
    return a;
}

NUM_INLINE row_chunk row_chunk_load(const num *x)
{
    row_chunk a;
#define X(k) a.r##k = ((const cols *)x)[k];
    ROW_CHUNK_EACH(X)
#undef X
    return a;
}

NUM_INLINE void row_chunk_store(num *x, row_chunk a)
{
#define X(k) ((cols *)x)[k] = a.r##k;
    ROW_CHUNK_EACH(X)
#undef X
}

/* sum − w x */
NUM_INLINE row_chunk row_chunk_less(num w, const num *x, row_chunk sum)
{
#define X(k) sum.r##k -= w * ((const cols *)x)[k];
    ROW_CHUNK_EACH(X)
#undef X
    return sum;
}

NUM_INLINE row_chunk row_chunk_scale(num w, row_chunk x)
{
#define X(k) x.r##k *= w;
    ROW_CHUNK_EACH(X)
#undef X
    return x;
}

/*
 * The unit vector d, 0 <= d < ROW_CHUNK, loaded as a whole: a load that follows the store of a single entry would wait
 * for it.
 */
NUM_INLINE row_chunk row_chunk_unit(int32_t d)
{
#if COLS > 1
    static const double one[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    row_chunk a;
    memcpy(&a, one + 8 - d, sizeof a);
    return a;
#else
    row_chunk a;
#define X(k) a.r##k = K(d == k);
    ROW_CHUNK_EACH(X)
#undef X
    return a;
#endif
}

/* ---- panel_row: a row of a panel of M⁻¹ ---- */

NUM_INLINE panel_row panel_row_zero(void)
{
    panel_row a;
    const cols zero = {0};
#define X(k) a.r##k = zero;
    PANEL_ROW_EACH(X)
#undef X
    return a;
}

NUM_INLINE panel_row panel_row_axpy(num w, const panel_row *x, panel_row sum)
{
#define X(k) sum.r##k += w * x->r##k;
    PANEL_ROW_EACH(X)
#undef X
    return sum;
}

#endif
