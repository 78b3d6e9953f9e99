/* Where A and B are not zero: in the terminal, and as a picture. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "robot.h"

/* A: 2nv × 2nv, B: 2nv × ninputs, packed */
typedef struct linear_system {
    const double *A, *B;
    int ninputs;
    const char *const *input_names, *const *input_labels; /* as in files, and for people */
} linear_system;

/* "A is 6 x 6, 9 of 36 entries are not zero; B is …" */
void picture_describe(const robot *r, const linear_system *s, char *text, size_t size);

void picture_spy(const robot *r, const linear_system *s);

/* an SVG file; an exit status */
int picture_write(const robot *r, const linear_system *s, const char *path);

#endif
