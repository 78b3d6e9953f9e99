#include "control/staircase.h"

#include "control/eigenvalues.h"
#include "control/matrix.h"
#include "control/reflector.h"

/* the column from k on with the largest norm below row k */
static size_t largest_column(size_t rows, size_t columns, const double *W, size_t k, double *norm)
{
    size_t best = k;
    *norm = 0;
    for (size_t j = k; j < columns; j++) {
        double sum = 0;
        for (size_t i = k; i < rows; i++) sum += W[i * columns + j] * W[i * columns + j];
        if (sum > *norm) *norm = sum, best = j;
    }
    *norm = sqrt(*norm);
    return best;
}

/*
 * W (rows × columns) to echelon form by reflections with exchanges of columns; the same reflections change the basis of
 * the last `rows` states in A. Returns the rank.
 */
static size_t reduce(size_t n, size_t rows, size_t columns, double *W, double least, double *A)
{
    const size_t first = n - rows;
    size_t k = 0;
    for (; k < rows && k < columns; k++) {
        double norm, beta;
        const size_t pivot = largest_column(rows, columns, W, k, &norm);
        if (!(norm > least)) break;
        for (size_t i = 0; i < rows && pivot != k; i++) {
            const double t = W[i * columns + k];
            W[i * columns + k] = W[i * columns + pivot], W[i * columns + pivot] = t;
        }
        double *v = W + k * columns + k;
        (void)reflector_make(rows - k, v, columns, &beta);
        reflector_rows(rows - k, v, columns, beta, columns - k - 1, v + 1, columns);
        reflector_rows(rows - k, v, columns, beta, n, A + (first + k) * n, n);
        reflector_columns(rows - k, v, columns, beta, n, A + first + k, n);
    }
    return k;
}

hml_status hmli_uncontrollable(size_t n, size_t m, double *A, double *B, double tolerance, double *room, double *values,
                               size_t *count)
{
    const double least = tolerance * matrix_norm(n * n, A);
    size_t found = reduce(n, n, m, B, tolerance * matrix_norm(n * m, B), A), begin = found;
    while (found > 0 && begin < n) {
        const size_t rows = n - begin;
        for (size_t i = 0; i < rows; i++) matrix_copy(found, A + (begin + i) * n + begin - found, room + i * found);
        found = reduce(n, rows, found, room, least, A);
        begin += found;
    }
    *count = n - begin;
    for (size_t i = begin; i < n; i++) matrix_copy(n - begin, A + i * n + begin, room + (i - begin) * (n - begin));
    return hmli_eigenvalues(n - begin, room, values);
}
