/* Complex matrices on the caller's memory, row-major and packed: Schur's form, singular values, inverses. */
#ifndef HML_CONTROL_COMPLEX_MATRIX_H
#define HML_CONTROL_COMPLEX_MATRIX_H

#include <complex.h>
#include <stddef.h>

#include "hamel/base.h"

typedef double complex cplx;

static inline double cplx_square(cplx z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }

/*
 * T, n × n, becomes upper triangular, and the old T is Q T Qᴴ: rotations to Hessenberg form, then QR steps with Wilkinson's
 * shift (Golub and Van Loan, Matrix Computations, 4th edition, sections 7.4 and 7.5).
 */
hml_status hmli_schur(size_t n, cplx *T, cplx *Q);

/* exchanges entries k and k + 1 of the diagonal of a Schur form by a rotation (LAPACK's ztrexc) */
void hmli_schur_exchange(size_t n, cplx *T, cplx *Q, size_t k);

/*
 * Orthogonal columns by Jacobi's rotations from the right (Hestenes 1958): M, rows × n, becomes M V, whose columns are as
 * long as the singular values; V, n × n, or NULL.
 */
void hmli_singular(size_t rows, size_t n, cplx *M, cplx *V, double *values);

/* A, n × n, is destroyed; 1 where it is singular */
int hmli_inverse(size_t n, cplx *A, cplx *inverse);

/* C = A B: A is n × k, B is k × m */
static inline void cplx_multiply(size_t n, size_t k, size_t m, const cplx *A, const cplx *B, cplx *C)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) C[i * m + j] = 0;
        for (size_t l = 0; l < k; l++)
            for (size_t j = 0; j < m; j++) C[i * m + j] += A[i * k + l] * B[l * m + j];
    }
}

/* C = Aᴴ B: A is k × n, B is k × m */
static inline void cplx_multiply_hn(size_t n, size_t k, size_t m, const cplx *A, const cplx *B, cplx *C)
{
    for (size_t i = 0; i < n * m; i++) C[i] = 0;
    for (size_t l = 0; l < k; l++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < m; j++) C[i * m + j] += conj(A[l * n + i]) * B[l * m + j];
}

#endif
