/*
 * Dense matrices of any size on the caller's memory, row-major and packed: what the Riccati and Lyapunov equations need.
 * Results may not overlap arguments unless a function says so.
 */
#ifndef HML_CONTROL_MATRIX_H
#define HML_CONTROL_MATRIX_H

#include <math.h>
#include <stddef.h>
#include <string.h>

static inline void matrix_copy(size_t count, const double *from, double *to)
{
    if (count) memcpy(to, from, count * sizeof *to);
}

/* C = A B: A is n × k, B is k × m */
static inline void matrix_multiply(size_t n, size_t k, size_t m, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) C[i * m + j] = 0;
        for (size_t l = 0; l < k; l++) {
            const double a = A[i * k + l];
            for (size_t j = 0; j < m; j++) C[i * m + j] += a * B[l * m + j];
        }
    }
}

/* C = Aᵀ B: A is k × n, B is k × m */
static inline void matrix_multiply_tn(size_t n, size_t k, size_t m, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n * m; i++) C[i] = 0;
    for (size_t l = 0; l < k; l++) {
        for (size_t i = 0; i < n; i++) {
            const double a = A[l * n + i];
            for (size_t j = 0; j < m; j++) C[i * m + j] += a * B[l * m + j];
        }
    }
}

/* C = A Bᵀ: A is n × k, B is m × k */
static inline void matrix_multiply_nt(size_t n, size_t k, size_t m, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++) sum += A[i * k + l] * B[j * k + l];
            C[i * m + j] = sum;
        }
    }
}

/* B = Aᵀ: A is n × m */
static inline void matrix_transpose(size_t n, size_t m, const double *A, double *B)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) B[j * n + i] = A[i * m + j];
}

/* A ← (A + Aᵀ) / 2 */
static inline void matrix_symmetrize(size_t n, double *A)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) A[i * n + j] = A[j * n + i] = 0.5 * A[i * n + j] + 0.5 * A[j * n + i];
}

static inline double matrix_largest(size_t count, const double *A)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(A[i]));
    return most;
}

/* up to 2⁻⁴⁰ of the largest entry */
static inline int matrix_is_symmetric(size_t n, const double *A)
{
    const double least = 0x1p-40 * matrix_largest(n * n, A);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(A[i * n + j] - A[j * n + i]) > least) return 0;
    return 1;
}

/* the Frobenius norm, without overflow in the squares */
static inline double matrix_norm(size_t count, const double *A)
{
    const double most = matrix_largest(count, A);
    if (!(most > 0) || !isfinite(most)) return most;
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (A[i] / most) * (A[i] / most);
    return most * sqrt(sum);
}

/* n × n, A ← its lower Cholesky factor with zeros above; 1 if A is not positive definite */
static inline int matrix_cholesky(size_t n, double *A)
{
    for (size_t j = 0; j < n; j++) {
        const double original = A[j * n + j];
        double pivot = original;
        for (size_t k = 0; k < j; k++) pivot -= A[j * n + k] * A[j * n + k];
        if (!(pivot > 0x1p-46 * original)) return 1;
        const double root = A[j * n + j] = sqrt(pivot);
        for (size_t i = j + 1; i < n; i++) {
            double sum = A[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = sum / root;
            A[j * n + i] = 0;
        }
    }
    return 0;
}

/* X ← L⁻¹ X, n × columns, with the factor of matrix_cholesky */
static inline void matrix_solve_lower(size_t n, const double *L, size_t columns, double *X)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            for (size_t c = 0; c < columns; c++) X[i * columns + c] -= L[i * n + k] * X[k * columns + c];
        for (size_t c = 0; c < columns; c++) X[i * columns + c] /= L[i * n + i];
    }
}

/* X ← L⁻ᵀ X */
static inline void matrix_solve_upper(size_t n, const double *L, size_t columns, double *X)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            for (size_t c = 0; c < columns; c++) X[i * columns + c] -= L[k * n + i] * X[k * columns + c];
        for (size_t c = 0; c < columns; c++) X[i * columns + c] /= L[i * n + i];
    }
}

#endif
