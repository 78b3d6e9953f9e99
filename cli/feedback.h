/* A robot under feedback, pushed at the start: hamel lqr --simulate. */
#ifndef CLI_FEEDBACK_H
#define CLI_FEEDBACK_H

#include "outputs.h"

/* τ = tau − K z − Ki ∫ error at the motors, z from the state that is kept; at most what a motor can give */
typedef struct feedback {
    size_t ninputs;
    size_t *columns;          /* ninputs: coordinates that have a motor */
    const double *K;          /* ninputs × 2nv */
    output_set *outputs;      /* whose integrals are fed back too */
    const double *Ki;         /* ninputs × outputs */
    double *integral, *error; /* outputs each: how far they are from where they should be, and its integral */
    double last;              /* the time of the last update */
    double *q, *v;            /* nq, nv: the state that is kept */
    double *tau;              /* nv: forces of the motors now */
    double *most;             /* nv: what they can give; infinite where the file says nothing */
    double *z, *J;            /* 2nv, 6 × nv: scratch */
    double disturb[3];        /* N in the world at the same point, all the time; not known to the feedback */
    double push[3];           /* N s in the world, at the centre of mass of a body */
    int32_t frame;            /* that body */
    int now_saturated;        /* a motor gives all it has in this step */
    long steps, saturated;    /* that were made, and those in which a motor gave all it has */
    double largest, at_start; /* deviations: the largest entry of z; just after the push */
    double largest_time;      /* when */
    int32_t largest_entry;    /* and where */
    double end, settled;      /* at the end; when it fell below 5 % of that after the push for good; negative: never */
} feedback;

/* of the inputs that the options choose; K, outputs and Ki stay the caller's. feedback_free is due either way */
int feedback_make(const cli_options *options, const robot *r, const double *K, output_set *outputs, const double *Ki,
                  feedback *f);
void feedback_free(feedback *f);

/* the state is what is to be kept; then the robot is pushed, and its state has the velocity just after that */
hml_status feedback_push(const robot *r, feedback *f);

/* the forces for a step from this state at a time */
hml_status feedback_update(const robot *r, double time, const double *q, const double *v, feedback *f);

void feedback_print(const robot *r, const feedback *f);

#endif
