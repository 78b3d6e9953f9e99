/*
 * CRC-32. See crc32.h.
 *
 * A message is a polynomial over GF(2), and its sum is the remainder by P = x³² + x²⁶ + … + 1, in bits that are
 * mirrored. Eight bytes at a time by tables; where the processor multiplies polynomials, 64 bytes at a time by folding:
 * V. Gopal et al., "Fast CRC computation for generic polynomials using PCLMULQDQ instruction", Intel, 2009. Its
 * constants are powers of x modulo P. Results are written while they are in the cache, so the sum must not be slower
 * than memory.
 */
#include "io/common/crc32.h"

#include <string.h>

#define POLYNOMIAL UINT32_C(0xedb88320) /* mirrored */

#if defined __x86_64__ && defined __GNUC__
#define FOLDING 1
#include <immintrin.h>
#else
#define FOLDING 0
#endif

void hmli_crc32_init(crc32_tables *tables)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t r = i;
        for (int k = 0; k < 8; k++) r = r & 1 ? r >> 1 ^ POLYNOMIAL : r >> 1;
        tables->byte[0][i] = r;
    }
    for (int k = 1; k < 8; k++) {
        for (int i = 0; i < 256; i++) {
            uint32_t before = tables->byte[k - 1][i];
            tables->byte[k][i] = before >> 8 ^ tables->byte[0][before & 0xff];
        }
    }
#if FOLDING
    tables->fold = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#else
    tables->fold = 0;
#endif
}

/* ---- by tables ---- */

static uint32_t by_tables(const crc32_tables *t, uint32_t r, const unsigned char *data, size_t size)
{
    for (; size >= 8; size -= 8, data += 8) {
        r ^= (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
        r = t->byte[7][r & 0xff] ^ t->byte[6][r >> 8 & 0xff] ^ t->byte[5][r >> 16 & 0xff] ^ t->byte[4][r >> 24] ^
            t->byte[3][data[4]] ^ t->byte[2][data[5]] ^ t->byte[1][data[6]] ^ t->byte[0][data[7]];
    }
    for (; size > 0; size--, data++) r = r >> 8 ^ t->byte[0][(r ^ *data) & 0xff];
    return r;
}

/* ---- by folding ---- */

#if FOLDING
#define FOLD_TARGET __attribute__((target("pclmul,sse4.1")))

FOLD_TARGET static inline __m128i load(const unsigned char *data) { return _mm_loadu_si128((const __m128i *)data); }

/* both halves of a, moved on by the powers in k, over b */
FOLD_TARGET static inline __m128i fold(__m128i a, __m128i k, __m128i b)
{
    __m128i low = _mm_clmulepi64_si128(a, k, 0x00), high = _mm_clmulepi64_si128(a, k, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), b);
}

/* 128 bits of remainder to 32: twice by powers of x, then Barrett's quotient */
FOLD_TARGET static inline uint32_t reduce(__m128i a, __m128i k)
{
    const __m128i k5 = _mm_set_epi64x(0, 0x163cd6124), barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i low32 = _mm_setr_epi32(-1, 0, -1, 0);
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, k, 0x10));
    a = _mm_xor_si128(_mm_srli_si128(a, 4), _mm_clmulepi64_si128(_mm_and_si128(a, low32), k5, 0x00));
    __m128i quotient = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(a, low32), barrett, 0x10), low32);
    a = _mm_xor_si128(a, _mm_clmulepi64_si128(quotient, barrett, 0x00));
    return (uint32_t)_mm_extract_epi32(a, 1);
}

/* size: a multiple of 16, 64 at least */
FOLD_TARGET static uint32_t by_folding(uint32_t r, const unsigned char *data, size_t size)
{
    const __m128i by512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4), by128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    __m128i a = _mm_xor_si128(load(data), _mm_cvtsi32_si128((int)r)), b = load(data + 16), c = load(data + 32),
            d = load(data + 48);
    for (size -= 64, data += 64; size >= 64; size -= 64, data += 64) {
        a = fold(a, by512, load(data));
        b = fold(b, by512, load(data + 16));
        c = fold(c, by512, load(data + 32));
        d = fold(d, by512, load(data + 48));
    }
    a = fold(fold(fold(a, by128, b), by128, c), by128, d);
    for (; size >= 16; size -= 16, data += 16) a = fold(a, by128, load(data));
    return reduce(a, by128);
}
#endif

uint32_t hmli_crc32(const crc32_tables *tables, uint32_t crc, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint32_t r = ~crc;
#if FOLDING
    if (tables->fold && size >= 64) {
        size_t whole = size & ~(size_t)15;
        r = by_folding(r, bytes, whole);
        bytes += whole;
        size -= whole;
    }
#endif
    return ~by_tables(tables, r, bytes, size);
}

/* ---- sums of parts ---- */

/* a·b modulo P; bit 31 is the coefficient of 1 */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
        if (a & bit) product ^= b;
        b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
    }
    return product;
}

uint32_t hmli_crc32_shift(uint64_t size)
{
    uint32_t power = UINT32_C(1) << 23, shift = UINT32_C(1) << 31; /* x⁸, 1 */
    for (; size; size >>= 1) {
        if (size & 1) shift = multiply(power, shift);
        power = multiply(power, power);
    }
    return shift;
}

uint32_t hmli_crc32_join(uint32_t first, uint32_t second, uint32_t shift) { return multiply(shift, first) ^ second; }
