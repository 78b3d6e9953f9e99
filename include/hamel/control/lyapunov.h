/*
 * Lyapunov equations: the covariance of a stable system that is driven by noise, or with Aᵀ in place of A its cost.
 *
 *   hml_lyapunov_scratch_doubles   memory that the next two functions need
 *   hml_lyapunov_solve             A X + X Aᵀ + Q = 0
 *   hml_lyapunov_solve_discrete    A X Aᵀ − X + Q = 0
 *
 * Part of libhamel-control. Matrices are n × n, row-major and packed; nothing is allocated.
 */
#ifndef HAMEL_CONTROL_LYAPUNOV_H
#define HAMEL_CONTROL_LYAPUNOV_H

#include <stddef.h>

#include "hamel/base.h"

HML_API size_t hml_lyapunov_scratch_doubles(size_t n);

/*
 * Q is symmetric, which HML_INVALID_ARGUMENT insists on; X is symmetric. HML_NOT_STABILIZABLE where A is not stable: all
 * real parts of its eigenvalues are below 0, or all absolute values below 1. residual, if not NULL, takes
 * ‖A X + X Aᵀ + Q‖ / (2 ‖A X‖ + ‖Q‖), or ‖A X Aᵀ − X + Q‖ / (‖A X Aᵀ‖ + ‖X‖ + ‖Q‖).
 */
HML_API hml_status hml_lyapunov_solve(size_t n, const double *A, const double *Q, double *scratch, double *X,
                                      double *residual);

HML_API hml_status hml_lyapunov_solve_discrete(size_t n, const double *A, const double *Q, double *scratch, double *X,
                                               double *residual);

#endif
