/*
 * Rows of eight numbers, and how they become lanes.
 *
 * A recursion along the tree passes on rows: a twist or a wrench, the linear part at 0 … 2, the angular part at 4 … 6;
 * number 3 (ROW8_SPARE) may carry one more. What no body has to wait for is computed for LANES bodies or columns at
 * once, one lane each: rows are transposed to eight packs for that, and back.
 */
#ifndef HML_KERNEL_SIMD_ROW8_H
#define HML_KERNEL_SIMD_ROW8_H

#include "group/spatial.h"
#include "kernel/simd/transpose.h"

/* numbers of a row; the one between the linear and the angular part */
enum { ROW8 = 8, ROW8_SPARE = 3 };

#if LANES == 8
#define ROW8_EACH(X) X(0)
#elif LANES == 4
#define ROW8_EACH(X) X(0) X(1)
#else
#define ROW8_EACH(X) X(0) X(1) X(2) X(3)
#endif

#define ROW8_MEMBER(k) num r##k;
typedef struct row8 {
    ROW8_EACH(ROW8_MEMBER)
} row8;
#undef ROW8_MEMBER

NUM_INLINE num pack_at(const double *x) { return *(const num_anywhere *)x; }
NUM_INLINE void pack_put(double *x, num a) { *(num_anywhere *)x = a; }

NUM_INLINE row8 row8_at(const double *x)
{
    row8 a;
#define X(k) a.r##k = pack_at(x + k * LANES);
    ROW8_EACH(X)
#undef X
    return a;
}

NUM_INLINE void row8_put(double *x, row8 a)
{
#define X(k) pack_put(x + k * LANES, a.r##k);
    ROW8_EACH(X)
#undef X
}

NUM_INLINE row8 row8_zero(void)
{
    row8 a;
#define X(k) a.r##k = K(0);
    ROW8_EACH(X)
#undef X
    return a;
}

NUM_INLINE row8 row8_scale(double w, row8 a)
{
#define X(k) a.r##k *= w;
    ROW8_EACH(X)
#undef X
    return a;
}

/* sum + w a */
NUM_INLINE row8 row8_axpy(double w, row8 a, row8 sum)
{
#define X(k) sum.r##k += w * a.r##k;
    ROW8_EACH(X)
#undef X
    return sum;
}

/* from − w a, w in every lane */
NUM_INLINE row8 row8_minus(num w, row8 a, row8 from)
{
#define X(k) from.r##k -= w * a.r##k;
    ROW8_EACH(X)
#undef X
    return from;
}

NUM_INLINE row8 row8_less(double w, row8 a, row8 from) { return row8_minus(K(w), a, from); }

NUM_INLINE row8 row8_add(row8 a, row8 b)
{
#define X(k) a.r##k += b.r##k;
    ROW8_EACH(X)
#undef X
    return a;
}

/* the place of number d of a twist or a wrench */
NUM_INLINE int row8_index(int d) { return d < 3 ? d : d + 1; }

/* ---- rows to lanes and back ---- */

/* rows at[0], at[1], …: number k of all of them is t[k] */
NUM_INLINE void rows8_transpose(const double *const at[LANES], num t[ROW8])
{
    for (int h = 0; h < ROW8; h += LANES) {
        for (int l = 0; l < LANES; l++) t[h + l] = pack_at(at[l] + h);
        num_transpose(t + h);
    }
}

/* rows `step` numbers apart */
NUM_INLINE void rows8_in(const double *from, size_t step, num t[ROW8])
{
    const double *at[LANES];
    for (int l = 0; l < LANES; l++) at[l] = from + (size_t)l * step;
    rows8_transpose(at, t);
}

/* the rows of an array in the given slots */
NUM_INLINE void rows8_from(const double *array, const int32_t slots[LANES], num t[ROW8])
{
    const double *at[LANES];
    for (int l = 0; l < LANES; l++) at[l] = array + (size_t)slots[l] * ROW8;
    rows8_transpose(at, t);
}

NUM_INLINE void rows8_out(num t[ROW8], double *to, size_t step)
{
    for (int h = 0; h < ROW8; h += LANES) {
        num_transpose(t + h);
        for (int l = 0; l < LANES; l++) pack_put(to + (size_t)l * step + h, t[h + l]);
    }
}

NUM_INLINE twist twist_of_packs(const num t[ROW8]) { return twist_of(vec3_at(t), vec3_of(t[4], t[5], t[6])); }
NUM_INLINE wrench wrench_of_packs(const num t[ROW8]) { return wrench_of(vec3_at(t), vec3_of(t[4], t[5], t[6])); }

NUM_INLINE twist twists_in(const double *from)
{
    num t[ROW8];
    rows8_in(from, ROW8, t);
    return twist_of_packs(t);
}

NUM_INLINE twist twists_from(const double *array, const int32_t slots[LANES])
{
    num t[ROW8];
    rows8_from(array, slots, t);
    return twist_of_packs(t);
}

NUM_INLINE void twists_out(twist a, double *to)
{
    num t[ROW8] = {a.v.x, a.v.y, a.v.z, K(0), a.w.x, a.w.y, a.w.z, K(0)};
    rows8_out(t, to, ROW8);
}

/* ---- sets of lanes ---- */

#if LANES == 8 && defined __AVX512F__
typedef __mmask8 lane_set;
NUM_INLINE lane_set lanes_in(unsigned set) { return (lane_set)set; }
NUM_INLINE num lanes_where(lane_set m, num x) { return (num)_mm512_maskz_mov_pd(m, (__m512d)x); }
NUM_INLINE num lanes_select(lane_set m, num a, num b) { return (num)_mm512_mask_mov_pd((__m512d)b, m, (__m512d)a); }
#elif LANES == 4 && defined __AVX512VL__
typedef __mmask8 lane_set;
NUM_INLINE lane_set lanes_in(unsigned set) { return (lane_set)set; }
NUM_INLINE num lanes_where(lane_set m, num x) { return (num)_mm256_maskz_mov_pd(m, (__m256d)x); }
NUM_INLINE num lanes_select(lane_set m, num a, num b) { return (num)_mm256_mask_mov_pd((__m256d)b, m, (__m256d)a); }
#else
typedef mask lane_set;
NUM_INLINE lane_set lanes_in(unsigned set)
{
#if LANES == 4
    const bits each = {1, 2, 4, 8};
#else
    const bits each = {1, 2};
#endif
    return (mask)((set & each) == each);
}
NUM_INLINE num lanes_where(lane_set m, num x) { return (num)(m & (mask)x); }
NUM_INLINE num lanes_select(lane_set m, num a, num b) { return num_select(m, a, b); }
#endif

/* which of the LANES columns from `at` on are in a set? at is a multiple of LANES */
NUM_INLINE lane_set lanes_of(const uint8_t *set, int32_t at)
{
#if LANES == 8
    return lanes_in(set[(uint32_t)at / 8]);
#else
    return lanes_in((unsigned)(set[(uint32_t)at / 8] >> (uint32_t)at % 8));
#endif
}

/* is any of them? */
NUM_INLINE int lanes_any(const uint8_t *set, int32_t at)
{
    return (set[(uint32_t)at / 8] >> (uint32_t)at % 8 & ((1u << LANES) - 1)) != 0;
}

/* Σ a[d] x[d] for a row and six packs */
NUM_INLINE num row8_dot(const double *a, const num *x)
{
    return a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + (a[4] * x[3] + a[5] * x[4] + a[6] * x[5]);
}

NUM_INLINE num row8_dot_wrench(const double *a, const wrench *F) { return row8_dot(a, &F->f.x); }
NUM_INLINE num row8_dot_twist(const double *a, const twist *V) { return row8_dot(a, &V->v.x); }

/* ---- one number of a row: `at` is a constant ---- */

#if LANES == 8
#define ROW8_SPREAD(r, at) __builtin_shufflevector((r).r0, (r).r0, at, at, at, at, at, at, at, at)
#elif LANES == 4
#define ROW8_SPREAD(r, at)                                                                                             \
    ((at) < 4 ? __builtin_shufflevector((r).r0, (r).r0, (at) % 4, (at) % 4, (at) % 4, (at) % 4)                        \
              : __builtin_shufflevector((r).r1, (r).r1, (at) % 4, (at) % 4, (at) % 4, (at) % 4))
#else
#define ROW8_SPREAD(r, at)                                                                                             \
    ((at) < 4 ? ROW8_SPREAD_2((at) < 2 ? (r).r0 : (r).r1, at) : ROW8_SPREAD_2((at) < 6 ? (r).r2 : (r).r3, at))
#define ROW8_SPREAD_2(x, at) __builtin_shufflevector(x, x, (at) % 2, (at) % 2)
#endif

/* a row with x in the place of number `at` */
NUM_INLINE row8 row8_but(row8 r, int at, num x)
{
#define X(k)                                                                                                           \
    if (at / LANES == k) r.r##k = lanes_select(lanes_in(1u << at % LANES), x, r.r##k);
    ROW8_EACH(X)
#undef X
    return r;
}

#endif
