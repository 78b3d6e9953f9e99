/* The gait of a predictive controller: what is held when, and the problem with one phase for each of its slots. */
#ifndef HML_CONTROL_MPC_H
#define HML_CONTROL_MPC_H

#include "control/problem.h"
#include "hamel/control/mpc.h"

typedef struct mpc_gait {
    hml_problem problem; /* phases and terms are those below, the other arrays the caller's */
    hml_phase *phases;   /* one for each slot, with all knots of the window */
    hml_term *terms;
    double *ends; /* seconds from the beginning of slot 0 to the end of each; NULL: no gait */
    size_t nslots;
    double begin;
} mpc_gait;

/* checks the problem in all slots; hmli_gait_free in any case */
hml_status hmli_gait_init(mpc_gait *gait, const hml_problem *problem, const hml_mpc_settings *settings,
                          hml_error *error);
void hmli_gait_free(mpc_gait *gait);

/* the slot of a time; *seconds, if not NULL, is what is left of it: infinity without a gait */
size_t hmli_gait_slot(const mpc_gait *gait, double time, double *seconds);

#endif
