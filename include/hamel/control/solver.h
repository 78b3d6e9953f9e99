/*
 * Solves optimal control problems (problem.h) by multiple shooting: differential dynamic programming on the group with
 * second derivatives after Gauss and Newton, gaps between the knots that close on the way, inputs kept in their bounds
 * exactly, and other constraints by an augmented Lagrangian.
 *
 *   hml_solver_new, hml_solver_free    all memory is allocated here
 *   hml_solver_start                   the state of knot 0, if another one than the problem's
 *   hml_solver_guess                   where to begin; without it the robot stays where it starts
 *   hml_solver_shift                   the motion moved by some knots: the next beginning of a loop
 *   hml_solver_solve                   until it converges, or a limit ends it
 *   hml_solver_solution                the motion, the forces and the feedback
 *
 * A solver begins where it ended the last time. Results have the same bits for any number of workers. Nothing is allocated
 * after hml_solver_new. Part of libhamel-control; docs/optimal-control.md has the formulas.
 */
#ifndef HAMEL_CONTROL_SOLVER_H
#define HAMEL_CONTROL_SOLVER_H

#include "hamel/control/problem.h"

typedef struct hml_solver hml_solver;

/* what a solver is made for; zeros are defaults */
typedef struct hml_solver_settings {
    size_t struct_size;
    hml_isa isa;
    size_t workers; /* threads that will work on it at most; 0: 1 */
} hml_solver_settings;

/* why a solution ended */
typedef enum hml_solve_end {
    HML_END_CONVERGED = 0,
    HML_END_ITERATIONS = 1, /* as many as were allowed */
    HML_END_TIME = 2,       /* the time was up */
    HML_END_STOPPED = 3,    /* progress said so */
    HML_END_STUCK = 4, /* no step lowers the cost, however much it is regularized: is a Jacobian of your own wrong? */
    HML_END_INFEASIBLE = 5, /* a constraint cannot be kept: worst_term and worst_knot say which */
    HML_END_FAILED = 6,     /* the motion cannot be computed: the status says why */
    HML_END_SLOW =
        7 /* constraints are kept, and ten iterations have changed the cost by less than 1e-5 of 1 + |cost| */
} hml_solve_end;

typedef struct hml_solve_report {
    size_t struct_size;
    hml_solve_end end;
    int32_t iterations;    /* so far */
    double cost;           /* of costs and barriers */
    double gap;            /* the largest component of a gap between the knots */
    double violation;      /* the largest of a constraint, in its own unit */
    double slope;          /* expected change of the cost per unit of the step */
    double step;           /* that was taken: 1, ½, …; 0: none was accepted */
    double regularization; /* of the inputs' quadratic form */
    double penalty;        /* of the constraints */
    double seconds;        /* since it began */
    int32_t worst_term;    /* with the largest violation; −1: none */
    size_t worst_knot;
} hml_solve_report;

/* zeros are defaults */
typedef struct hml_solve_options {
    size_t struct_size;
    int32_t iterations; /* at most; 0: 200 */
    double seconds;     /* at most; 0: no limit */
    double tolerance;   /* of the expected decrease, relative to 1 + |cost|; 0: 1e-9 */
    double violation;   /* of constraints that counts as kept; 0: 1e-7 */
    double penalty;     /* of constraints, to begin with; 0: 100 */
    /* like that of hml_parallel; NULL: one knot after the other. worker is below the settings' workers */
    void (*parallel_for)(void *context, size_t count, hml_parallel_task *task, void *data);
    int (*progress)(void *context, const hml_solve_report *report); /* after each iteration; not 0: stop. May be NULL */
    void *context;                                                  /* of both */
} hml_solve_options;

/* The problem's arrays and the model must outlive the solver; the struct itself need not. settings and error may be NULL */
HML_API hml_status hml_solver_new(const hml_problem *problem, const hml_solver_settings *settings, hml_solver **solver,
                                  hml_error *error);
HML_API void hml_solver_free(hml_solver *solver);

/* v NULL: at rest. The guess of knot 0 becomes this state too */
HML_API hml_status hml_solver_start(hml_solver *solver, const double *q, const double *v);

/*
 * q: (N + 1) × nq, v: (N + 1) × nv, u: N × m; any may be NULL: left as it is. Steps need not lead from knot to knot. Inputs
 * are moved into their bounds. The multipliers of the constraints are forgotten.
 */
HML_API hml_status hml_solver_guess(hml_solver *solver, const double *q, const double *v, const double *u);

/* knot k becomes what knot k + knots was; the last ones repeat the end */
HML_API hml_status hml_solver_shift(hml_solver *solver, size_t knots);

/*
 * HML_OK: converged, or too slow to go on. HML_NOT_CONVERGED: a limit or `progress` ended it, or it is stuck; the best
 * motion so far is there, and if its gap is 0 it is a motion of the robot. HML_INCONSISTENT: infeasible. Others: the motion
 * of the guess cannot be computed.
 * options and report may be NULL.
 */
HML_API hml_status hml_solver_solve(hml_solver *solver, const hml_solve_options *options, hml_solve_report *report);

/* arrays of the solver: valid until it solves again or is freed */
typedef struct hml_solution {
    size_t struct_size;
    size_t knots, ninputs, nforces;
    const double *time;  /* N + 1 */
    const double *q, *v; /* (N + 1) × nq, (N + 1) × nv */
    const double *u;     /* N × m */
    const double *force; /* N × nforces: λ of the holds of the knot's phase, in their order; zero behind them */
    const double *K; /* N × m × 2nv: u + K (q' ⊖ q, ν' − ν) for a state (q', ν') nearby; zero before an iteration */
} hml_solution;

HML_API hml_status hml_solver_solution(const hml_solver *solver, hml_solution *solution);

#endif
