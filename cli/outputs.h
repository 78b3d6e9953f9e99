/* What hamel lqr --integral brings back to where it was: coordinates, and positions of frames. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "system.h"

/* an output is a coordinate, or an entry of the position of a frame in the world */
typedef struct output {
    int32_t coordinate; /* −1: of a frame */
    int32_t frame, axis;
    double at; /* of a frame: where it was */
} output;

typedef struct output_set {
    size_t count;
    output *items;
    char **names;
    double *C; /* count × nv: derivatives by the perturbation of the configuration */
} output_set;

/* of --integral, at the state; none where it was not given. An exit status; outputs_free is due either way */
int outputs_read(const cli_options *options, const robot *r, output_set *o);
void outputs_free(output_set *o);

/* C for the states of a system, count × n: with holds, in the coordinates that they leave */
void outputs_reduce(const robot *r, const linear_state *s, const output_set *o, double *C);

/* where they are taken to be from now on, and how far they are from there: z is the perturbation of the configuration */
hml_status outputs_begin(const robot *r, const double *q, output_set *o);
hml_status outputs_error(const robot *r, const double *q, const double *z, const output_set *o, double *error);

#endif
