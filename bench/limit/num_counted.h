/*
 * num = a double that counts what is done to it. In place of num/num.h: the library's own source, compiled as C++,
 * says how many operations it takes.
 *
 * `number` is a double and nothing else; every + − × ÷ on two of them is counted, a product with a zero too. Sines and
 * cosines are left to the program: forms_count counts calls, limit_count what num/sincos.h computes.
 */
#ifndef BENCH_NUM_COUNTED_H
#define BENCH_NUM_COUNTED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

struct operations {
    long add, multiply, divide, root;
};
static operations count;

struct number {
    double x;
    number() = default;
    number(double value) : x(value) {}
};
static_assert(sizeof(number) == sizeof(double), "a model has the same bytes");

inline number operator+(number a, number b) { return count.add++, number(a.x + b.x); }
inline number operator-(number a, number b) { return count.add++, number(a.x - b.x); }
inline number operator*(number a, number b) { return count.multiply++, number(a.x * b.x); }
inline number operator/(number a, number b) { return count.divide++, number(a.x / b.x); }
inline number operator-(number a) { return number(-a.x); }
inline number &operator+=(number &a, number b) { return a = a + b; }
inline number &operator-=(number &a, number b) { return a = a - b; }
inline number &operator*=(number &a, number b) { return a = a * b; }
inline bool operator<(number a, number b) { return a.x < b.x; }

/* what num/num.h asks of a number */
#define HML_NUM_NUM_H
#define HML_NUM_F128     /* as there: one number a register, columns one by one */
#define NUM_INLINE       static inline
#define LANES            1
#define NUM_SERIES_TERMS 10
typedef number num;
typedef double lane;
typedef int64_t mask;
typedef uint64_t bits;
inline num K(double c) { return num(c); }
inline num num_sqrt(num x) { return count.root++, num(sqrt(x.x)); }
inline num num_fma(num a, num b, num c) { return a * b + c; }
inline mask num_lt(num a, num b) { return -(mask)(a < b); }
inline num num_select(mask m, num a, num b) { return m ? a : b; }
inline unsigned num_lanes(mask m) { return m ? 1u : 0u; }
inline int num_any(mask m) { return m != 0; }
inline lane num_get(num x, int) { return x.x; }
inline void num_set(num *x, int, lane value) { x->x = value; }

inline bits num_to_bits(num x)
{
    bits b;
    memcpy(&b, &x, sizeof b);
    return b;
}

inline num num_from_bits(bits b)
{
    num x;
    memcpy(&x, &b, sizeof x);
    return x;
}

#endif
