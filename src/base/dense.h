/* Small dense symmetric systems on the caller's memory: A = L D Lᵀ without pivoting, for positive definite A. */
#ifndef HML_BASE_DENSE_H
#define HML_BASE_DENSE_H

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

#endif
