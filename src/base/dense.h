/*
 * Small dense systems on the caller's memory: A = L D Lᵀ without pivoting, for positive definite A; elimination with
 * exchanges of rows for others.
 */
#ifndef HML_BASE_DENSE_H
#define HML_BASE_DENSE_H

#include <math.h>
#include <stddef.h>

/*
 * n × n, packed; the lower triangle becomes L, the diagonal D. Returns 1 if a pivot vanished against its diagonal
 * entry; marks, if not NULL, tells which.
 */
static inline int dense_factor(size_t n, double *A, int *marks)
{
    const double tiny = 0x1p-46;
    int failed = 0;
    for (size_t k = 0; k < n; k++) {
        double original = A[k * n + k], pivot = original;
        for (size_t j = 0; j < k; j++) pivot -= A[k * n + j] * A[k * n + j] * A[j * n + j];
        int regular = pivot * pivot > tiny * tiny * original * original;
        if (marks) marks[k] = !regular;
        if (!regular) failed = 1, pivot = 1;
        A[k * n + k] = pivot;
        for (size_t i = k + 1; i < n; i++) {
            double sum = A[i * n + k];
            for (size_t j = 0; j < k; j++) sum -= A[i * n + j] * A[k * n + j] * A[j * n + j];
            A[i * n + k] = sum / pivot;
        }
    }
    return failed;
}

/* x ← A⁻¹ x */
static inline void dense_solve(size_t n, const double *A, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) x[i] -= A[i * n + j] * x[j];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] /= A[i * n + i];
        for (size_t j = i + 1; j < n; j++) x[i] -= A[j * n + i] * x[j];
    }
}

static inline void dense_exchange(size_t n, double *a, double *b)
{
    for (size_t i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* the row from k on with the largest entry in column k */
static inline size_t dense_pivot(size_t n, const double *A, size_t k)
{
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
    return pivot;
}

/* four rows less f times x: x goes through memory once for all of them */
static inline void dense_subtract(size_t n, const double f[4], const double *restrict x, double *restrict p,
                                  double *restrict q, double *restrict r, double *restrict s)
{
    const double a = f[0], b = f[1], c = f[2], d = f[3];
    for (size_t j = 0; j < n; j++) p[j] -= a * x[j], q[j] -= b * x[j], r[j] -= c * x[j], s[j] -= d * x[j];
}

/*
 * X ← A⁻¹ X, n × columns, packed; A is destroyed. Returns 1, and X is of no use, where a pivot is not larger than
 * `least`.
 */
static inline int dense_eliminate(size_t n, double *A, double least, size_t columns, double *X)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = dense_pivot(n, A, k);
        if (!(fabs(A[pivot * n + k]) > least)) return 1;
        if (pivot != k)
            dense_exchange(n, A + k * n, A + pivot * n), dense_exchange(columns, X + k * columns, X + pivot * columns);
        size_t i = k + 1;
        for (double f[4]; i + 4 <= n; i += 4) {
            for (size_t r = 0; r < 4; r++) f[r] = A[(i + r) * n + k] / A[k * n + k];
            if (f[0] == 0 && f[1] == 0 && f[2] == 0 && f[3] == 0) continue;
            double *a = A + i * n + k + 1, *x = X + i * columns;
            dense_subtract(n - k - 1, f, A + k * n + k + 1, a, a + n, a + 2 * n, a + 3 * n);
            dense_subtract(columns, f, X + k * columns, x, x + columns, x + 2 * columns, x + 3 * columns);
        }
        for (; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            if (f == 0) continue;
            for (size_t j = k + 1; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            for (size_t j = 0; j < columns; j++) X[i * columns + j] -= f * X[k * columns + j];
        }
    }
    for (size_t k = n; k-- > 0;) {
        double *row = X + k * columns;
        for (size_t j = k + 1; j < n; j++) {
            const double f = A[k * n + j];
            for (size_t c = 0; f != 0 && c < columns; c++) row[c] -= f * X[j * columns + c];
        }
        for (size_t c = 0; c < columns; c++) row[c] /= A[k * n + k];
    }
    return 0;
}

/* C += f A B, A: n × n, B: n × columns with rows of `ldb`, C with rows of `ldc` */
static inline void dense_add_product(size_t n, size_t columns, double f, const double *A, const double *B, size_t ldb,
                                     double *C, size_t ldc)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const double a = f * A[i * n + k], *from = B + k * ldb;
            for (size_t c = 0; a != 0 && c < columns; c++) C[i * ldc + c] += a * from[c];
        }
    }
}

static inline double dense_dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

#endif
