/*
 * Regulators with integral action: outputs y = C x come back to zero under constant disturbances that nobody has measured.
 *
 *   hml_lqr_integral_scratch_doubles   memory that the next function needs
 *   hml_lqr_integral_solve             u = −K x − Ki ξ with ξ̇ = C x, or in discrete time ξ⁺ = ξ + step C x
 *
 * It is the regulator of the states (x, ξ). Part of libhamel-control. Matrices are row-major and packed; nothing is allocated.
 */
#ifndef HAMEL_CONTROL_INTEGRAL_H
#define HAMEL_CONTROL_INTEGRAL_H

#include "hamel/control/lqr.h"

/* what is given and, where not NULL, what is wanted */
typedef struct hml_lqr_integral {
    size_t struct_size;
    size_t n, m, p;   /* states, inputs, outputs: at least one of each */
    const double *A;  /* n × n */
    const double *B;  /* n × m */
    const double *C;  /* p × n */
    const double *Q;  /* n × n, symmetric and positive semidefinite */
    const double *Qi; /* p × p, symmetric and positive definite: weight of ξ */
    const double *R;  /* m × m, symmetric and positive definite */
    double step;      /* seconds; 0: ẋ = A x + B u, otherwise x⁺ = A x + B u */
    double *K;        /* m × n */
    double *Ki;       /* m × p */
    double *P;        /* (n + p) × (n + p): the cost of (x, ξ) */
    double *A_all;    /* (n + p) × (n + p): [A 0; C 0], or [A 0; step C 1], for hml_margins_solve */
    double *B_all;    /* (n + p) × m: [B; 0] */
    double *K_all;    /* m × (n + p): [K Ki] */
    double *poles;    /* (n + p) × 2: of A_all − B_all K_all, real and imaginary part */
} hml_lqr_integral;

HML_API size_t hml_lqr_integral_scratch_doubles(size_t n, size_t m, size_t p);

/*
 * Statuses and report are those of hml_lqr_solve. HML_NOT_STABILIZABLE with a mode at 0 (in discrete time: at 1) where the inputs
 * cannot hold all outputs: more outputs than inputs, two that are the same, or one that no constant input changes.
 */
HML_API hml_status hml_lqr_integral_solve(const hml_lqr_integral *problem, double *scratch, hml_lqr_report *report);

#endif
