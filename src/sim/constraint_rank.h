/*
 * A rank-revealing complete orthogonal factorization on the caller's memory.
 *
 *   G P = Q [R; 0]      column-pivoted Householder QR; rank r: |R_kk| > tolerance · |R_00| for k < r
 *   Rᵀ  = Z [T; 0]      where r < m, so that solutions of least norm can be had
 *
 * G is n × m and is handed over by columns: m vectors of n numbers. K = GᵀG is never formed for solving, which would
 * square the condition.
 */
#ifndef HML_SIM_CONSTRAINT_RANK_H
#define HML_SIM_CONSTRAINT_RANK_H

#include "base/layout.h"

typedef struct rank_factor {
    size_t n, m, rank;
    double *columns;  /* m × n: G; then R above the diagonal, reflectors from there on */
    double *diagonal; /* m: of R */
    double *beta;     /* m: of the reflectors */
    double *Z;        /* m × m: the same for Rᵀ */
    double *z_diagonal, *z_beta;
    double *x;     /* m: permuted */
    size_t *order; /* m: column k of R is column order[k] of G */
} rank_factor;

/* lays a factor out, or measures it (base/layout.h) */
void hmli_rank_lay_out(size_t n, size_t m, layout_cursor *c, rank_factor *f);

/* f->columns holds G */
void hmli_rank_factor(rank_factor *f, double tolerance);

/* x = (GᵀG)⁺ b, of least norm; returns the norm of what of b no x can reach. x may be b */
double hmli_rank_solve_gram(const rank_factor *f, const double *b, double *x);

/* G x = c in the least-squares sense, of least norm; c (n numbers) is overwritten; returns the norm of what is left */
double hmli_rank_solve(const rank_factor *f, double *c, double *x);

/* x, n numbers, becomes its part in the span of G's columns */
void hmli_rank_project(const rank_factor *f, double *x);

/* n numbers: vector k of an orthonormal basis of what is perpendicular to all columns of G, k < n − rank */
void hmli_rank_null(const rank_factor *f, size_t k, double *x);

#endif
