/*
 * Predictive control: an optimal control problem over a window that moves with the time, solved a little further at each
 * tick. State in, first input and feedback out.
 *
 *   hml_mpc_new, hml_mpc_free    all memory is allocated here
 *   hml_mpc_tick                 the window moves to `time`, and the solver goes on from the motion of the last tick
 *   hml_mpc_slot                 which part of the gait a time belongs to
 *   hml_mpc_solution             the motion of the window
 *   hml_mpc_get_statistics       how many ticks, and how long they took
 *   hml_mpc_reset                forgets the motion and the statistics
 *
 * The problem has one phase: knots and step of the window, and its holds if nothing changes with the time. Knot k is at
 * time + k h. A gait says what is held when: slots that follow each other and begin anew after the last one; the step from
 * knot k is under the holds of the slot in its middle. Terms of forces and cones apply at the knots where their frame is
 * held. The arrays that terms point to are the caller's: references, weights of the knots and positions of holds that it
 * writes before a tick count in this tick.
 *
 * A tick moves the motion by the time since the last one, between the knots by interpolation, begins at the state given,
 * and does one iteration of the solver or as many as the options say. Constraints (HML_ROLE_CONSTRAINT) get new multipliers
 * at each tick. Results have the same bits for any number of workers. Part of libhamel-control; docs/optimal-control.md.
 */
#ifndef HAMEL_CONTROL_MPC_H
#define HAMEL_CONTROL_MPC_H

#include "hamel/control/solver.h"

typedef struct hml_mpc hml_mpc;

/* a part of a gait */
typedef struct hml_gait_slot {
    double seconds;               /* above 0 */
    const hml_constraints *holds; /* NULL: none */
} hml_gait_slot;

/* zeros are defaults */
typedef struct hml_mpc_settings {
    size_t struct_size;
    hml_isa isa;
    size_t workers;            /* threads that will work on it at most; 0: 1 */
    const hml_gait_slot *gait; /* copied, the holds are not. NULL: the holds of the problem's phase all the time */
    size_t nslots;
    double begin; /* the time at which slot 0 begins */
} hml_mpc_settings;

/* what a tick found; arrays are those of the mpc, valid until the next tick */
typedef struct hml_mpc_result {
    size_t struct_size;
    const double *u;     /* m: the input of the first step */
    const double *K;     /* m × 2nv: u + K (q' ⊖ q, ν' − ν) for a state (q', ν') near the one given */
    const double *force; /* nforces: λ of the holds of the first step, in their order; zero behind them */
    size_t ninputs, nforces;
    size_t slot; /* of the gait, of the first step */
} hml_mpc_result;

typedef struct hml_mpc_statistics {
    size_t struct_size;
    size_t ticks;
    size_t rejected;      /* ticks in which no step was accepted: the motion is the one before, moved */
    size_t failed;        /* ticks that returned no HML_OK though their arguments were valid */
    double p50, p90, p99; /* percentiles of the seconds of all ticks, to 1 % */
    double mean, most;    /* seconds */
} hml_mpc_statistics;

/* like hml_solver_new; the holds of the gait must outlive it too */
HML_API hml_status hml_mpc_new(const hml_problem *problem, const hml_mpc_settings *settings, hml_mpc **mpc,
                               hml_error *error);
HML_API void hml_mpc_free(hml_mpc *mpc);

/*
 * v NULL: at rest. options NULL or zero iterations: one; hml_solve_end says whether it converged. HML_INVALID_ARGUMENT: the
 * time is before that of the last tick. Where the motion cannot be computed the status says why, u is the motion of the last
 * tick, moved, and K that of the last tick that succeeded; then the next tick begins from a robot that stays where it is.
 * result and report may be NULL.
 */
HML_API hml_status hml_mpc_tick(hml_mpc *mpc, double time, const double *q, const double *v,
                                const hml_solve_options *options, hml_mpc_result *result, hml_solve_report *report);

/*
 * The number of the slot, and how long it lasts from this time on; seconds may be NULL. 0 and infinity without a gait; −1: no
 * mpc, or a time that is not finite.
 */
HML_API int32_t hml_mpc_slot(const hml_mpc *mpc, double time, double *seconds);

/* its times begin at 0, the time of the last tick */
HML_API hml_status hml_mpc_solution(const hml_mpc *mpc, hml_solution *solution);

HML_API hml_status hml_mpc_get_statistics(const hml_mpc *mpc, hml_mpc_statistics *statistics);

HML_API hml_status hml_mpc_reset(hml_mpc *mpc);

#endif
