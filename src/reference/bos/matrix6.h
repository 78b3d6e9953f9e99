/*
 * Six by six matrices and blocks of six rows, for the reference algorithms: plain loops over double.
 *
 *   mat6      double[36], row-major
 *   vec6      double[6], twists [v; ω] and wrenches [f; τ]
 *   block     double[6·c], 6 × c row-major: c derivatives of a vec6, one a column
 */
#ifndef HML_REFERENCE_BOS_MATRIX6_H
#define HML_REFERENCE_BOS_MATRIX6_H

#include <string.h>

/* ---- vec6 ---- */

static inline void vec6_add(double *y, const double *x)
{
    for (int i = 0; i < 6; i++) y[i] += x[i];
}

static inline double vec6_dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += x[i] * y[i];
    return sum;
}

static inline void cross3_add(const double *a, const double *b, double *y)
{
    y[0] += a[1] * b[2] - a[2] * b[1];
    y[1] += a[2] * b[0] - a[0] * b[2];
    y[2] += a[0] * b[1] - a[1] * b[0];
}

/* y += a × b, Bos (18) */
static inline void vec6_add_cross(double *y, const double *a, const double *b)
{
    cross3_add(a + 3, b, y);
    cross3_add(a, b + 3, y);
    cross3_add(a + 3, b + 3, y + 3);
}

/* y += a ×* f, the dual: a ×* = −(a ×)ᵀ */
static inline void vec6_add_cross_dual(double *y, const double *a, const double *f)
{
    cross3_add(a + 3, f, y);
    cross3_add(a + 3, f + 3, y + 3);
    cross3_add(a, f, y + 3);
}

/* ---- blocks; a mat6 is a block of six columns ---- */

/* C += A B */
static inline void block_add_product(int c, double *C, const double *A, const double *B)
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < c; j++) C[i * c + j] += A[6 * i + k] * B[k * c + j];
        }
    }
}

/* C += Aᵀ B */
static inline void block_add_tproduct(int c, double *C, const double *A, const double *B)
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < c; j++) C[i * c + j] += A[6 * k + i] * B[k * c + j];
        }
    }
}

static inline void block_zero(int c, double *C) { memset(C, 0, 6 * (size_t)c * sizeof *C); }

/* C = A B */
static inline void block_product(int c, double *C, const double *A, const double *B)
{
    block_zero(c, C);
    block_add_product(c, C, A, B);
}

static inline void block_add_column(int c, double *C, int j, const double *x)
{
    for (int i = 0; i < 6; i++) C[i * c + j] += x[i];
}

static inline void block_column(int c, const double *C, int j, double *x)
{
    for (int i = 0; i < 6; i++) x[i] = C[i * c + j];
}

/* every column D_j of D: C_j += D_j × x */
static inline void block_add_cross(int c, double *C, const double *D, const double *x)
{
    for (int j = 0; j < c; j++) {
        double d[6], y[6] = {0};
        block_column(c, D, j, d);
        vec6_add_cross(y, d, x);
        block_add_column(c, C, j, y);
    }
}

/* C_j += D_j ×* f */
static inline void block_add_cross_dual_of(int c, double *C, const double *D, const double *f)
{
    for (int j = 0; j < c; j++) {
        double d[6], y[6] = {0};
        block_column(c, D, j, d);
        vec6_add_cross_dual(y, d, f);
        block_add_column(c, C, j, y);
    }
}

/* C_j += v ×* D_j */
static inline void block_add_cross_dual_by(int c, double *C, const double *v, const double *D)
{
    for (int j = 0; j < c; j++) {
        double d[6], y[6] = {0};
        block_column(c, D, j, d);
        vec6_add_cross_dual(y, v, d);
        block_add_column(c, C, j, y);
    }
}

/* row = Γᵀ C */
static inline void block_row(int c, const double *Gamma, const double *C, double *row)
{
    for (int j = 0; j < c; j++) {
        row[j] = 0;
        for (int i = 0; i < 6; i++) row[j] += Gamma[i] * C[i * c + j];
    }
}

/* ---- mat6 ---- */

/* y = A x, y = Aᵀ x */
static inline void mat6_apply(double *y, const double *A, const double *x) { block_product(1, y, A, x); }

static inline void mat6_tapply(double *y, const double *A, const double *x)
{
    block_zero(1, y);
    block_add_tproduct(1, y, A, x);
}

/* C += Xᵀ A Y */
static inline void mat6_add_sandwich(double *C, const double *X, const double *A, const double *Y)
{
    double AY[36];
    block_product(6, AY, A, Y);
    block_add_tproduct(6, C, X, AY);
}

/* a × as a matrix */
static inline void mat6_cross(double *A, const double *a)
{
    static const double I[36] = {[0] = 1, [7] = 1, [14] = 1, [21] = 1, [28] = 1, [35] = 1};
    block_zero(6, A);
    for (int j = 0; j < 6; j++) {
        double e[6], y[6] = {0};
        block_column(6, I, j, e);
        vec6_add_cross(y, a, e);
        block_add_column(6, A, j, y);
    }
}

#endif
