/* Householder reflections I − β v vᵀ on the caller's memory. */
#ifndef HML_CONTROL_REFLECTOR_H
#define HML_CONTROL_REFLECTOR_H

#include <math.h>
#include <stddef.h>

/*
 * v, n entries `stride` apart, becomes the reflector that maps it to a multiple of the first unit vector; returns the
 * multiple. β is 0 where nothing is to be done.
 */
static inline double reflector_make(size_t n, double *v, size_t stride, double *beta)
{
    double most = 0, sum = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(v[i * stride]));
    *beta = 0;
    if (!(most > 0)) return 0;
    for (size_t i = 0; i < n; i++) {
        v[i * stride] /= most;
        sum += v[i * stride] * v[i * stride];
    }
    const double norm = v[0] > 0 ? -sqrt(sum) : sqrt(sum);
    v[0] -= norm;
    *beta = -1 / (norm * v[0]);
    return norm * most;
}

/* A ← (I − β v vᵀ) A: n rows of A, `columns` columns, rows `width` apart */
static inline void reflector_rows(size_t n, const double *v, size_t stride, double beta, size_t columns, double *A,
                                  size_t width)
{
    for (size_t j = 0; j < columns; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += v[i * stride] * A[i * width + j];
        for (size_t i = 0; i < n; i++) A[i * width + j] -= beta * sum * v[i * stride];
    }
}

/* A ← A (I − β v vᵀ): n columns of A, `rows` rows */
static inline void reflector_columns(size_t n, const double *v, size_t stride, double beta, size_t rows, double *A,
                                     size_t width)
{
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += v[j * stride] * A[i * width + j];
        for (size_t j = 0; j < n; j++) A[i * width + j] -= beta * sum * v[j * stride];
    }
}

#endif
