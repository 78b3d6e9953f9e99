/*
 * The regulator of a system that changes from step to step, over a finite horizon: the feedback along a trajectory.
 *
 *   x_{k+1} = A_k x_k + B_k u_k,      Σ_{k<steps} x_kᵀQ_k x_k + 2 x_kᵀN_k u_k + u_kᵀR_k u_k  +  xᵀ Q_end x at the end
 *
 *   hml_lqr_horizon_scratch_doubles   memory that the next function needs
 *   hml_lqr_horizon_solve             u_k = −K_k x_k, and the cost x_kᵀP_k x_k from step k on
 *
 * Part of libhamel-control. Matrices are row-major and packed; nothing is allocated. A_k and B_k of a robot are those of
 * hml_step_linearize_batch.
 */
#ifndef HAMEL_CONTROL_HORIZON_H
#define HAMEL_CONTROL_HORIZON_H

#include "hamel/work.h"

/* inputs: one matrix per step; stride 0: the same for all */
typedef struct hml_lqr_horizon {
    size_t struct_size;
    size_t n, m, steps;  /* states, inputs, steps: at least one of each */
    hml_input A, B;      /* n × n, n × m */
    hml_input Q, R;      /* n × n, m × m: symmetric */
    hml_input N;         /* n × m; data NULL: zero */
    const double *Q_end; /* n × n, symmetric; NULL: zero */
    double *K;           /* steps × m × n, or NULL */
    double *P;           /* (steps + 1) × n × n, or NULL */
} hml_lqr_horizon;

HML_API size_t hml_lqr_horizon_scratch_doubles(size_t n, size_t m);

/*
 * HML_INVALID_ARGUMENT where a matrix of weights is not symmetric; HML_SINGULAR where R_k + B_kᵀP_{k+1}B_k is not positive
 * definite, so that no input of step k is the best; *step, if not NULL, is that step, or the one that the other statuses
 * are about. HML_NOT_FINITE for NaN, infinity, and a cost that overflows. R_k may be singular where the steps behind it
 * weigh every input.
 */
HML_API hml_status hml_lqr_horizon_solve(const hml_lqr_horizon *problem, double *scratch, size_t *step);

#endif
