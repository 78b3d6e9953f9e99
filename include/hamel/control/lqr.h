/*
 * Linear-quadratic regulators: the feedback u = −K x that makes ∫ xᵀQx + 2 xᵀNu + uᵀRu dt least.
 *
 *   hml_lqr_scratch_doubles   memory that the next two functions need
 *   hml_lqr_solve             ẋ = A x + B u
 *   hml_lqr_solve_discrete    x⁺ = A x + B u, with a sum in place of the integral
 *
 * The solution P of the Riccati equation is the one that makes A − B K stable; xᵀPx is the cost from x on. Part of
 * libhamel-control. Matrices are row-major and packed; nothing is allocated.
 */
#ifndef HAMEL_CONTROL_LQR_H
#define HAMEL_CONTROL_LQR_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/base.h"

/* what is given and, where not NULL, what is wanted */
typedef struct hml_lqr {
    size_t struct_size;
    size_t n, m;     /* states, inputs: at least one of each */
    const double *A; /* n × n */
    const double *B; /* n × m */
    const double *Q; /* n × n, symmetric; Q − N R⁻¹ Nᵀ positive semidefinite */
    const double *R; /* m × m, symmetric, positive definite */
    const double *N; /* n × m, or NULL: zero */
    double *K;       /* m × n: u = −K x */
    double *P;       /* n × n, symmetric */
    double *closed;  /* n × n: A − B K */
    double *poles;   /* n × 2: eigenvalues of A − B K, real and imaginary part */
} hml_lqr;

typedef struct hml_lqr_report {
    size_t struct_size;
    /*
     * ‖AᵀP + PA − KᵀRK + Q‖ / (2 ‖AᵀP‖ + ‖KᵀRK‖ + ‖Q‖) with Frobenius norms; discrete:
     * ‖AᵀPA − P − Kᵀ(R + BᵀPB)K + Q‖ / (‖AᵀPA‖ + ‖P‖ + ‖Kᵀ(R + BᵀPB)K‖ + ‖Q‖)
     */
    double residual;
    int32_t iterations;     /* doubling steps */
    int32_t refinements;    /* steps of Newton's method that were kept */
    int32_t uncontrollable; /* modes that no input moves, stable ones too */
    int32_t unseen;         /* 1: the inputs suffice, but Q does not see a mode on the border of stability */
    double mode[2];         /* that one, or the least stable uncontrollable one: real, imaginary part; or 0 */
} hml_lqr_report;

HML_API size_t hml_lqr_scratch_doubles(size_t n, size_t m);

/*
 * HML_INVALID_ARGUMENT where Q or R is not symmetric (to 2⁻⁴⁰ of its largest entry), R is not positive definite, or
 * Q − N R⁻¹ Nᵀ is not positive semidefinite.
 *
 * HML_NOT_STABILIZABLE where no K makes A − B K stable: the report has the mode. A mode counts as uncontrollable where
 * the inputs reach it by less than 2⁻³⁶ of the norm of the balanced A (discrete: of A − I), and as unstable where its
 * real part, or its absolute value less 1, is above −2⁻³⁶ of the norm of A. The same status with `unseen` in the report
 * where a mode on the border of stability has no weight in Q: no solution of the Riccati equation is stabilizing then.
 * Where doubling and Newton's method fail although neither is found, a mode that the inputs reach by less than 2⁻²⁴ of
 * the norm counts as uncontrollable too; HML_NOT_CONVERGED where there is none: rounding hides a P that is very large.
 * The same where the residual is above 2⁻¹³.
 *
 * report may be NULL. On failure the outputs hold nothing of use.
 */
HML_API hml_status hml_lqr_solve(const hml_lqr *problem, double *scratch, hml_lqr_report *report);

HML_API hml_status hml_lqr_solve_discrete(const hml_lqr *problem, double *scratch, hml_lqr_report *report);

#endif
