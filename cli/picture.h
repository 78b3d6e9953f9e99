/* Where A and B are not zero: in the terminal, and as a picture. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "robot.h"

/* A: 2nv × 2nv, B: 2nv × ninputs, packed */
typedef struct linear_system {
    const double *A, *B;
    int ninputs;
    const char *const *input_names;
} linear_system;

void picture_spy(const robot *r, const linear_system *s);

/* an SVG file; an exit status */
int picture_write(const robot *r, const linear_system *s, const char *path);

#endif
