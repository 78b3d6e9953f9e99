/*
 * Numbers as text. See number.h.
 *
 * A decimal number is D · 10^e with an integer D. If D fits 53 bits and 10^|e| is a double, one multiplication or
 * division rounds once and is right (Clinger, "How to read floating point numbers accurately", 1990). Otherwise
 * integers decide: D · 5^e, or D · 2^s / 5^−e with s large enough to leave 66 bits; division by 5^−e goes in steps of
 * 5^13, which is exact because ⌊⌊a/b⌋/c⌋ = ⌊a/(bc)⌋ and a remainder that is not zero only has to be remembered.
 */
#include "io/common/number.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_DIGITS = 800, /* more never matter, except for not being zero: a tie has at most 767 digits */
    MAX_WORDS = 128,  /* of 32 bits; the longest case, 800 digits below 1e-330, takes 2700 bits */
    FIVE_STEP = 13
};

static const uint32_t five_13 = 1220703125u; /* 5^13, the largest power of five in 32 bits */

typedef struct big {
    uint32_t word[MAX_WORDS]; /* least significant first */
    int n;
} big;

static void big_multiply_add(big *a, uint32_t factor, uint32_t carry)
{
    uint64_t c = carry;
    for (int i = 0; i < a->n; i++) {
        c += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)c;
        c >>= 32;
    }
    if (c && a->n < MAX_WORDS) a->word[a->n++] = (uint32_t)c;
}

/* returns 1 if there was a remainder */
static int big_divide(big *a, uint32_t divisor)
{
    uint64_t r = 0;
    for (int i = a->n - 1; i >= 0; i--) {
        r = r << 32 | a->word[i];
        a->word[i] = (uint32_t)(r / divisor);
        r %= divisor;
    }
    while (a->n > 0 && a->word[a->n - 1] == 0) a->n--;
    return r != 0;
}

static int big_bits(const big *a)
{
    if (a->n == 0) return 0;
    int bits = 32 * (a->n - 1);
    for (uint32_t top = a->word[a->n - 1]; top; top >>= 1) bits++;
    return bits;
}

static void big_shift_left(big *a, int bits)
{
    int words = bits / 32;
    for (int i = a->n - 1; i >= 0; i--) a->word[i + words] = a->word[i];
    memset(a->word, 0, (size_t)words * sizeof *a->word);
    a->n += words;
    if (bits % 32) big_multiply_add(a, UINT32_C(1) << bits % 32, 0);
}

/* the 64 most significant bits; bits below them are or-ed into *sticky; *exponent: a ≈ result · 2^exponent */
static uint64_t big_top(const big *a, int *exponent, int *sticky)
{
    int bits = big_bits(a), low = bits - 64; /* index of the lowest bit that is kept */
    uint64_t top = 0;
    for (int i = 0; i < a->n; i++) {
        int at = 32 * i - low; /* where this word's lowest bit goes */
        if (at >= 64) continue;
        if (at >= 0) {
            top |= (uint64_t)a->word[i] << at;
        } else if (at > -32) {
            top |= a->word[i] >> -at;
            *sticky |= (a->word[i] & ((UINT32_C(1) << -at) - 1)) != 0;
        } else {
            *sticky |= a->word[i] != 0;
        }
    }
    *exponent = low;
    return top;
}

/* m · 2^exponent, and a little more if sticky; the highest bit of m is set */
static double round_to_double(uint64_t m, int exponent, int sticky)
{
    int drop = 64 - DBL_MANT_DIG;
    int below = DBL_MIN_EXP - 1 - (63 + exponent); /* how far the highest bit is below the smallest normal number */
    if (below > 0) drop += below;
    if (drop > 64) return 0;
    uint64_t kept = drop == 64 ? 0 : m >> drop;
    uint64_t rest = drop == 64 ? m : m & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1)))) kept++;
    return ldexp((double)kept, exponent + drop);
}

/* digits: n of them, with or without a point among them; the value is digits · 10^e */
static double exact(const char *digits, int n, int e, int more)
{
    big a = {.n = 1};
    int done = 0, sticky = 0, exponent, s = 0;
    for (const char *c = digits; done < n; c++) {
        if (*c == '.') continue;
        big_multiply_add(&a, 10, (uint32_t)(*c - '0'));
        done++;
    }
    if (more) { /* digits beyond were left out, and not all zero: any digit that is not zero does */
        big_multiply_add(&a, 10, 1);
        e--;
    }
    if (e >= 0) {
        for (int i = 0; i < e; i++) big_multiply_add(&a, 5, 0);
    } else {
        int bits = 66 + (int)(2.3219280948873626 * -e) + 1; /* log2 5 = 2.32… */
        s = bits > big_bits(&a) ? bits - big_bits(&a) : 0;
        big_shift_left(&a, s);
        int left = -e;
        for (; left >= FIVE_STEP; left -= FIVE_STEP) sticky |= big_divide(&a, five_13);
        uint32_t divisor = 1;
        for (; left > 0; left--) divisor *= 5;
        sticky |= big_divide(&a, divisor);
    }
    uint64_t top = big_top(&a, &exponent, &sticky);
    return round_to_double(top, exponent - s + e, sticky);
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* the exponent after 'e', held within ±100000, which no sensible mantissa can make up for; NULL if there is none */
static const char *read_exponent(const char *text, int *exponent)
{
    int minus = *text == '-', value = 0;
    if (*text == '+' || *text == '-') text++;
    if (!is_digit(*text)) return NULL;
    for (; is_digit(*text); text++)
        if (value < 100000) value = 10 * value + (*text - '0');
    *exponent = minus ? -value : value;
    return text;
}

const char *hmli_number_read(const char *text, double *value)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int minus = *text == '-';
    if (*text == '+' || *text == '-') text++;

    const char *first = NULL; /* first digit that is not zero */
    int n = 0, seen = 0, point = 0, e = 0, more = 0;
    uint64_t small = 0; /* D, as long as it has at most 19 digits */
    for (;; text++) {
        if (*text == '.' && !point) {
            point = 1;
            continue;
        }
        if (!is_digit(*text)) break;
        seen = 1;
        if (!first && *text != '0') first = text;
        if (!first) {
            e -= point && e > -1000000;
        } else if (n < MAX_DIGITS) {
            if (n < 19) small = 10 * small + (uint64_t)(*text - '0');
            n++;
            e -= point;
        } else {
            more |= *text != '0';
            e += !point && e < 1000000;
        }
    }
    if (!seen) return NULL;
    if (*text == 'e' || *text == 'E') {
        int exponent;
        const char *end = read_exponent(text + 1, &exponent);
        if (!end) return NULL;
        text = end;
        e += exponent;
    }

    double x = 0;
    if (first && n + e > 310) return NULL;
    if (first && n + e >= -330) {
        if (FLT_EVAL_METHOD == 0 && n <= 19 && small <= (UINT64_C(1) << DBL_MANT_DIG) && e >= -22 && e <= 22)
            x = e < 0 ? (double)small / ten[-e] : (double)small * ten[e];
        else
            x = exact(first, n, e, more);
    }
    if (isinf(x)) return NULL;
    *value = minus ? -x : x;
    return text;
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int hmli_number_read_list(const char *text, int most, double values[])
{
    for (int n = 0;; n++) {
        while (is_space(*text)) text++;
        if (!*text || n == INT16_MAX) return n;
        double x;
        text = hmli_number_read(text, &x);
        if (!text || (*text && !is_space(*text))) return -1;
        if (n < most) values[n] = x;
    }
}

void hmli_number_write(double x, char text[NUMBER_SIZE])
{
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        decimal_text(text, digits, x);
        if (hmli_number_read(text, &back) && back == x) return;
    }
}
