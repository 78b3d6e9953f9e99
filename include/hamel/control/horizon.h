/*
 * The regulator of a system that changes from step to step: the feedback along a trajectory, over a finite horizon, or of
 * steps that repeat for ever, such as those of a gait.
 *
 *   x_{k+1} = A_k x_k + B_k u_k,      Σ_{k<steps} x_kᵀQ_k x_k + 2 x_kᵀN_k u_k + u_kᵀR_k u_k  +  xᵀ Q_end x at the end
 *
 *   hml_lqr_horizon_scratch_doubles    memory that the next function needs
 *   hml_lqr_horizon_solve              u_k = −K_k x_k, and the cost x_kᵀP_k x_k from step k on
 *   hml_lqr_periodic_scratch_doubles   memory that the next function needs
 *   hml_lqr_periodic_solve             the same where step `steps` is step 0 again, and so on without end
 *
 * Part of libhamel-control. Matrices are row-major and packed; nothing is allocated. A_k and B_k of a robot are those of
 * hml_step_linearize_batch.
 */
#ifndef HAMEL_CONTROL_HORIZON_H
#define HAMEL_CONTROL_HORIZON_H

#include "hamel/control/lqr.h"
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
    /* for hml_lqr_periodic_solve */
    double *multipliers; /* n × 2: eigenvalues of the closed loop over a period, real and imaginary part; or NULL */
} hml_lqr_horizon;

HML_API size_t hml_lqr_horizon_scratch_doubles(size_t n, size_t m);

/*
 * HML_INVALID_ARGUMENT where a matrix of weights is not symmetric; HML_SINGULAR where R_k + B_kᵀP_{k+1}B_k is not positive
 * definite, so that no input of step k is the best; *step, if not NULL, is that step, or the one that the other statuses
 * are about. HML_NOT_FINITE for NaN, infinity, and a cost that overflows. R_k may be singular where the steps behind it
 * weigh every input.
 */
HML_API hml_status hml_lqr_horizon_solve(const hml_lqr_horizon *problem, double *scratch, size_t *step);

HML_API size_t hml_lqr_periodic_scratch_doubles(size_t n, size_t m);

/*
 * The K_k and P_k that repeat with the period: P behind the last step is that of the first, and the closed loop over a period is
 * stable: the absolute values of its multipliers are below 1. Q_end is NULL.
 *
 * Statuses are those of hml_lqr_solve_discrete, and HML_INVALID_ARGUMENT or HML_NOT_FINITE with *step where the matrices of that
 * step are at fault; *step is `steps` where it is the period. The mode of the report is a multiplier: what a period makes of a
 * perturbation that no input of the period moves. The residual is the difference of P before and behind the period,
 * computed step by step, relative to P. step and report may be NULL. On failure the outputs hold nothing of use.
 */
HML_API hml_status hml_lqr_periodic_solve(const hml_lqr_horizon *problem, double *scratch, size_t *step,
                                          hml_lqr_report *report);

#endif
