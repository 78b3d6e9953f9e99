/*
 * num = pack of 4, 8 or 16 floats (GNU vector extension). See num.h.
 *
 * A pack of floats holds twice as many states as one of doubles in the same register. As with doubles, a pack wider
 * than the registers still computes the right lanes.
 */
#ifndef HML_NUM_PACK_F32_H
#define HML_NUM_PACK_F32_H

#include <math.h>

#if defined HML_NUM_F32X16
#define LANES        16
#define HML_NUM_NAME "f32x16"
#elif defined HML_NUM_F32X8
#define LANES        8
#define HML_NUM_NAME "f32x8"
#else
#define LANES        4
#define HML_NUM_NAME "f32x4"
#endif

#if defined __SSE2__
#include <immintrin.h>
#endif

typedef float num __attribute__((vector_size(4 * LANES)));
typedef int32_t mask __attribute__((vector_size(4 * LANES)));
typedef uint32_t bits __attribute__((vector_size(4 * LANES)));
typedef float lane;

#define NUM_SINGLE       1
#define NUM_SERIES_TERMS 6
#define NUM_EPS          0x1p-23

#include "num/pack_operators.h"

/* bit i: lane i is set */
static inline unsigned num_lanes(mask m)
{
#if LANES == 16 && defined __AVX512F__
    return _mm512_test_epi32_mask((__m512i)m, (__m512i)m);
#elif LANES == 8 && defined __AVX__
    return (unsigned)_mm256_movemask_ps((__m256)m);
#elif LANES == 4 && defined __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)m);
#else
    unsigned lanes = 0;
    for (int i = 0; i < LANES; i++) lanes |= (m[i] ? 1u : 0u) << i;
    return lanes;
#endif
}

static inline int num_any(mask m) { return num_lanes(m) != 0; }

static inline num num_sqrt(num x)
{
#if LANES == 16 && defined __AVX512F__
    return (num)_mm512_sqrt_ps((__m512)x);
#elif LANES == 8 && defined __AVX__
    return (num)_mm256_sqrt_ps((__m256)x);
#elif LANES == 4 && defined __SSE2__
    return (num)_mm_sqrt_ps((__m128)x);
#else
    for (int i = 0; i < LANES; i++) x[i] = sqrtf(x[i]);
    return x;
#endif
}

#if LANES == 8 && defined __AVX2__
/* lanes whose bits are set, as instructions for parts of a pack want them: bit i moved to the sign of lane i */
static inline __m256i num_part(unsigned part)
{
    return _mm256_sllv_epi32(_mm256_set1_epi32((int)part), _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24));
}
#endif

/* n numbers, 0 < n < LANES, and zeros */
static inline num num_load_part(const float *from, int n)
{
#if LANES == 16 && defined __AVX512F__
    return (num)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), from);
#elif LANES == 8 && defined __AVX2__
    return (num)_mm256_maskload_ps(from, num_part((1u << n) - 1));
#else
    num x = K(0);
    for (int i = 0; i < n; i++) x[i] = from[i];
    return x;
#endif
}

/* the first n lanes, 0 < n <= LANES */
static inline void num_store_part(float *to, int n, num x)
{
#if LANES == 16 && defined __AVX512F__
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << n) - 1), (__m512)x);
#elif LANES == 8 && defined __AVX2__
    _mm256_maskstore_ps(to, num_part((1u << n) - 1), (__m256)x);
#else
    for (int i = 0; i < n; i++) to[i] = x[i];
#endif
}

#include "num/sincos.h"

#include "num/atan2.h"

#endif
