/*
 * num = pack of 2, 4 or 8 doubles (GNU vector extension). See num.h.
 *
 * A pack that the instruction set does not hold in one register still computes the right lanes, so every width can be
 * tested on every machine; the library uses only the native one.
 */
#ifndef HML_NUM_PACK_H
#define HML_NUM_PACK_H

#include <math.h>

#if defined HML_NUM_X8
#define LANES        8
#define HML_NUM_NAME "x8"
#elif defined HML_NUM_X4
#define LANES        4
#define HML_NUM_NAME "x4"
#else
#define LANES        2
#define HML_NUM_NAME "x2"
#endif

#if defined __SSE2__
#include <immintrin.h>
#endif

typedef double num __attribute__((vector_size(8 * LANES)));
typedef int64_t mask __attribute__((vector_size(8 * LANES)));
typedef uint64_t bits __attribute__((vector_size(8 * LANES)));
typedef double lane;

#define NUM_SERIES_TERMS 10
#define NUM_EPS          0x1p-52

#include "num/pack_operators.h"

/* bit i: lane i is set */
static inline unsigned num_lanes(mask m)
{
#if LANES == 8 && defined __AVX512F__
    return _mm512_test_epi64_mask((__m512i)m, (__m512i)m);
#elif LANES == 4 && defined __AVX__
    return (unsigned)_mm256_movemask_pd((__m256d)m);
#elif LANES == 2 && defined __SSE2__
    return (unsigned)_mm_movemask_pd((__m128d)m);
#else
    unsigned lanes = 0;
    for (int i = 0; i < LANES; i++) lanes |= (m[i] ? 1u : 0u) << i;
    return lanes;
#endif
}

static inline int num_any(mask m) { return num_lanes(m) != 0; }

static inline num num_sqrt(num x)
{
#if LANES == 8 && defined __AVX512F__
    return (num)_mm512_sqrt_pd((__m512d)x);
#elif LANES == 4 && defined __AVX__
    return (num)_mm256_sqrt_pd((__m256d)x);
#elif LANES == 2 && defined __SSE2__
    return (num)_mm_sqrt_pd((__m128d)x);
#else
    for (int i = 0; i < LANES; i++) x[i] = sqrt(x[i]);
    return x;
#endif
}

#if LANES == 4 && defined __AVX__ && !defined __AVX512VL__
/* the first n lanes, as instructions for parts of a pack want them */
static inline __m256i num_first(int n)
{
    static const int64_t lanes[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    return _mm256_loadu_si256((const __m256i_u *)(lanes + 4 - n));
}
#endif

/* n numbers, 0 < n < LANES, and zeros */
static inline num num_load_part(const double *from, int n)
{
#if LANES == 8 && defined __AVX512F__
    return (num)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), from);
#elif LANES == 4 && defined __AVX512VL__
    return (num)_mm256_maskz_loadu_pd((__mmask8)((1u << n) - 1), from);
#elif LANES == 4 && defined __AVX__
    return (num)_mm256_maskload_pd(from, num_first(n));
#else
    num x = K(0);
    for (int i = 0; i < n; i++) x[i] = from[i];
    return x;
#endif
}

/* the first n lanes, 0 < n <= LANES */
static inline void num_store_part(double *to, int n, num x)
{
#if LANES == 8 && defined __AVX512F__
    _mm512_mask_storeu_pd(to, (__mmask8)((1u << n) - 1), (__m512d)x);
#elif LANES == 4 && defined __AVX512VL__
    _mm256_mask_storeu_pd(to, (__mmask8)((1u << n) - 1), (__m256d)x);
#elif LANES == 4 && defined __AVX__
    _mm256_maskstore_pd(to, num_first(n), (__m256d)x);
#else
    for (int i = 0; i < n; i++) to[i] = x[i];
#endif
}

#include "num/sincos.h"

#include "num/atan2.h"

#endif
