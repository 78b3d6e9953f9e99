/*
 * Four doubles in a register: a column or a row of a 4x4 matrix, a 3-vector and a zero.
 */
#ifndef HML_KERNEL_SIMD_VEC4_H
#define HML_KERNEL_SIMD_VEC4_H

#include "num/num.h"

typedef double quad __attribute__((vector_size(32)));
typedef double quad_anywhere __attribute__((vector_size(32), aligned(8), may_alias));

/* three rows; the fourth is always 0 0 0 1 */
typedef struct rows3 {
    quad r[3];
} rows3;

NUM_INLINE void rows3_load(const double *from, rows3 *A)
{
    for (int k = 0; k < 3; k++) A->r[k] = *(const quad_anywhere *)(from + 4 * k);
}

/* A B; A is in memory, since its entries are needed one by one */
NUM_INLINE void rows3_mul(const double *A, const rows3 *B, rows3 *out)
{
    const quad last = {0, 0, 0, 1};
    for (int k = 0; k < 3; k++, A += 4) {
        out->r[k] = B->r[0] * A[0] + (B->r[1] * A[1] + (B->r[2] * A[2] + *(const quad_anywhere *)A * last));
    }
}

NUM_INLINE void rows3_store(const rows3 *A, double *to)
{
    const quad last = {0, 0, 0, 1};
    for (int k = 0; k < 3; k++) *(quad_anywhere *)(to + 4 * k) = A->r[k];
    *(quad_anywhere *)(to + 12) = last;
}

/* the rotation matrix of a quaternion of any length, into rows of four */
static inline void quaternion_rows(const double *r, double *g)
{
    const double w = r[0], x = r[1], y = r[2], z = r[3], n = 2 / (w * w + x * x + y * y + z * z);
    const double wn = w * n, xn = x * n, yn = y * n, zn = z * n;
    g[0] = 1 - (y * yn + z * zn), g[1] = x * yn - z * wn, g[2] = x * zn + y * wn;
    g[4] = x * yn + z * wn, g[5] = 1 - (x * xn + z * zn), g[6] = y * zn - x * wn;
    g[8] = x * zn - y * wn, g[9] = y * zn + x * wn, g[10] = 1 - (x * xn + y * yn);
}

/* ---- frames ---- */

typedef struct frame4 {
    quad x, y, z, p;
} frame4;

/* X: R row-major, then p */
NUM_INLINE quad frame4_turn(const frame4 *A, const double *X, int k)
{
    return A->x * X[k] + A->y * X[3 + k] + A->z * X[6 + k];
}

NUM_INLINE quad frame4_act(const frame4 *A, const double p[3])
{
    return A->x * p[0] + A->y * p[1] + A->z * p[2] + A->p;
}

NUM_INLINE frame4 frame4_mul(const frame4 *A, const double X[12])
{
    frame4 B;
    B.x = frame4_turn(A, X, 0);
    B.y = frame4_turn(A, X, 1);
    B.z = frame4_turn(A, X, 2);
    B.p = frame4_act(A, X + 9);
    return B;
}

NUM_INLINE frame4 frame4_turn_z(frame4 A, double s, double c)
{
    quad x = A.x;
    A.x = x * c + A.y * s;
    A.y = A.y * c - x * s;
    return A;
}

NUM_INLINE frame4 frame4_world(void)
{
    frame4 A;
    const quad x = {1, 0, 0, 0}, y = {0, 1, 0, 0}, z = {0, 0, 1, 0}, p = {0, 0, 0, 1};
    A.x = x, A.y = y, A.z = z, A.p = p;
    return A;
}

/* by the rotation of a quaternion */
NUM_INLINE frame4 frame4_rotate(frame4 A, const double *r)
{
    double g[12];
    frame4 B = A;
    quaternion_rows(r, g);
    B.x = A.x * g[0] + A.y * g[4] + A.z * g[8];
    B.y = A.x * g[1] + A.y * g[5] + A.z * g[9];
    B.z = A.x * g[2] + A.y * g[6] + A.z * g[10];
    return B;
}

/* p × axis */
NUM_INLINE quad quad_cross(quad a, quad b)
{
    quad t = a * __builtin_shufflevector(b, b, 1, 2, 0, 3) - __builtin_shufflevector(a, a, 1, 2, 0, 3) * b;
    return __builtin_shufflevector(t, t, 1, 2, 0, 3);
}

static inline void put_frame(double *H, const frame4 *A)
{
    quad a = __builtin_shufflevector(A->x, A->y, 0, 4, 2, 6), b = __builtin_shufflevector(A->x, A->y, 1, 5, 3, 7);
    quad c = __builtin_shufflevector(A->z, A->p, 0, 4, 2, 6), d = __builtin_shufflevector(A->z, A->p, 1, 5, 3, 7);
    *(quad_anywhere *)H = (quad_anywhere)__builtin_shufflevector(a, c, 0, 1, 4, 5);
    *(quad_anywhere *)(H + 4) = (quad_anywhere)__builtin_shufflevector(b, d, 0, 1, 4, 5);
    *(quad_anywhere *)(H + 8) = (quad_anywhere)__builtin_shufflevector(a, c, 2, 3, 6, 7);
    *(quad_anywhere *)(H + 12) = (quad_anywhere)__builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* ---- pairs: twists and wrenches ---- */

typedef double duo __attribute__((vector_size(16)));
typedef double double_anywhere __attribute__((may_alias));

/*
 * A twist or a wrench; in memory a row8. Copied by halves: a load that is wider than the stores before it has to wait
 * for them.
 */
typedef struct pair4 {
    quad v, w;
} pair4;

static const quad unit4[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

/* six numbers, three and three */
NUM_INLINE pair4 pair4_from(const double *x)
{
    const quad zero = {0, 0, 0, 0}, low = *(const quad_anywhere *)x, high = *(const quad_anywhere *)(x + 2);
    pair4 a;
    a.v = __builtin_shufflevector(low, zero, 0, 1, 2, 7);
    a.w = __builtin_shufflevector(high, zero, 1, 2, 3, 7);
    return a;
}

/* number k of a quad in memory */
NUM_INLINE double quad_at(const quad *x, int k) { return ((const double_anywhere *)x)[k]; }

/* sums of the lanes of a and of b */
NUM_INLINE duo quad_both(quad a, quad b)
{
    quad t = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    return __builtin_shufflevector(t, t, 0, 1) + __builtin_shufflevector(t, t, 2, 3);
}

NUM_INLINE void quad_sums(quad a, quad b, double *sum_a, double *sum_b)
{
    const duo sums = quad_both(a, b);
    *sum_a = sums[0];
    *sum_b = sums[1];
}

/* a vector of the world in the frame of a body there */
NUM_INLINE quad quad_seen_from(const frame4 *W, quad a)
{
    const quad zero = {0, 0, 0, 0};
    return __builtin_shufflevector(quad_both(W->x * a, W->y * a), quad_both(W->z * a, zero), 0, 1, 2, 3);
}

/* M x for the columns of a 3x3 matrix and a vector in memory */
NUM_INLINE quad quad_columns(const quad M[3], const quad *x)
{
    return M[0] * quad_at(x, 0) + M[1] * quad_at(x, 1) + M[2] * quad_at(x, 2);
}

NUM_INLINE quad quad_from(const double *x) { return *(const quad_anywhere *)x; }
NUM_INLINE void quads_put(double *row, quad v, quad w)
{
    *(quad_anywhere *)row = v;
    *(quad_anywhere *)(row + 4) = w;
}

#endif
