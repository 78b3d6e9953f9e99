/*
 * Eigenvalues of a real matrix: Hessenberg form by reflections, then Francis' double-shift QR steps (Golub and Van Loan,
 * Matrix Computations, 4th edition, algorithms 7.4.2 and 7.5.1).
 */
#ifndef HML_CONTROL_EIGENVALUES_H
#define HML_CONTROL_EIGENVALUES_H

#include <stddef.h>

#include "hamel/base.h"

/* A, n × n, is destroyed; values: n pairs of real and imaginary part, conjugate ones side by side */
hml_status hmli_eigenvalues(size_t n, double *A, double *values);

#endif
