/* The linear system near a robot's state, with held frames or without: for the commands that go on with it. */
#ifndef CLI_SYSTEM_H
#define CLI_SYSTEM_H

#include "robot.h"

typedef struct linear_state {
    size_t n, m;         /* states, inputs */
    double *A, *B;       /* n × n, n × m; with holds in the coordinates that they leave */
    double *Z, *X, *P;   /* nv × n/2, nv × n/2, n/2 × nv: z = Z y, w = X y + Z u and y = P z; NULL without holds */
    const char **inputs; /* names */
    double acceleration; /* the largest of a coordinate at the state, and the coordinate: none at an equilibrium */
    int32_t fastest;
    double *memory;
} linear_state;

/* an exit status; with holds that leave no motion, a message. system_free is due either way */
int system_read(const cli_options *options, const robot *r, linear_state *s);

void system_free(linear_state *s);

#endif
