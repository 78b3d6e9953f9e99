/* The linearization about a robot's state, for the commands that show it or go on with it. */
#ifndef CLI_LINEAR_H
#define CLI_LINEAR_H

#include "robot.h"

typedef struct linearized {
    double *A, *B, *acceleration;             /* 2nv × 2nv, 2nv × nv and then 2nv × ninputs, nv */
    double *J;                                /* 6 × nv, scratch */
    double *driven;                           /* 2nv × actuators, and scratch */
    const char **input_names, **input_labels; /* as in files, and for people */
    int ninputs;
    double *memory;
} linearized;

/* what the columns of B are */
enum { LINEAR_ACTUATED, LINEAR_ALL, LINEAR_ACTUATORS };

/* linear_free is due either way */
hml_status linear_compute(const robot *r, hml_representation representation, int inputs, linearized *l);

void linear_free(linearized *l);

/* which columns of nv are inputs, in columns (room for nv), and their names; how many there are */
size_t linear_inputs(const robot *r, int all, size_t *columns, const char **names);

/* "q knee" for the perturbation of the configuration, "v knee" for that of the velocity; NULL when out of memory */
char **linear_state_names(const robot *r);
void linear_free_names(char **names, int n);

#endif
