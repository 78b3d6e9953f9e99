/*
 * Where the response of one input crosses a line: all frequencies at which Re T = 1/2 (the loop has gain 1) or Im T = 0 (the
 * loop is real). Even and odd part of T are rational in x = s², with n poles: T(s) + T(−s) = 2D + 2 C F (x − F²)⁻¹ B and
 * T(s) − T(−s) = 2s C (x − F²)⁻¹ B. Eigenvalues of n × n matrices are their zeros. They tell where to look; between
 * two of them a function has one sign, so that a bisection of the response itself finds each crossing to the last digit.
 */
#ifndef HML_CONTROL_CROSSING_H
#define HML_CONTROL_CROSSING_H

#include "control/response.h"

typedef enum crossing_kind { CROSSING_UNIT_GAIN, CROSSING_REAL } crossing_kind;

typedef struct crossings {
    double *G;         /* n × n: F² */
    double *CF;        /* m × n: C F */
    double *N, *Y, *Z; /* n × n each */
    double *NB;        /* n × m */
    double *values;    /* n × 2 */
    double *omega;     /* hmli_crossing_most */
    double *found;     /* hmli_crossing_most */
    double *line;      /* n */
} crossings;

/* the most that there can be */
size_t hmli_crossing_most(size_t n);

void hmli_crossings_lay_out(size_t n, size_t m, layout_cursor *c, crossings *w);
void hmli_crossings_begin(const response *r, crossings *w);

/* of input i; found: how many there are in w->found, ω > 0 and rising */
hml_status hmli_crossings_find(response *r, size_t i, crossing_kind kind, crossings *w, size_t *found);

#endif
