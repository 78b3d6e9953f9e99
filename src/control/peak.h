/*
 * The largest singular value of a response over all frequencies (Boyd, Balakrishnan 1990; Bruinsma, Steinbuch 1990): a
 * Hamiltonian matrix has the eigenvalue jω where, and only where, a singular value at ω is γ. γ just above the largest value known
 * either finds frequencies with larger ones or proves that there are none.
 */
#ifndef HML_CONTROL_PEAK_H
#define HML_CONTROL_PEAK_H

#include "control/response.h"

typedef struct peaks {
    double *D;            /* m × m: the constant part */
    double *R;            /* m × m, and its inverse */
    double *RB, *RDC;     /* m × n each: R⁻¹Bᵀ, R⁻¹DᵀC */
    double *DC;           /* m × n */
    double *H, *room;     /* 2n × 2n each */
    unsigned char *marks; /* 2n × 2n */
    double *d, *values;   /* 2n, 2n × 2 */
    double *omega;        /* 2n, or the grid */
    cplx *at, *copy;      /* m × m each */
    double *sizes;        /* m */
} peaks;

/* of G = sign·T + shift, with the units of inputs in `scale` (NULL: 1) */
typedef struct peak_of {
    double sign, shift;
    const double *scale;
} peak_of;

void hmli_peaks_lay_out(size_t n, size_t m, layout_cursor *c, peaks *w);
/* bound: no singular value is larger; omega: where one is nearly as large */
hml_status hmli_peak_find(response *r, peak_of which, peaks *w, double *bound, double *omega);

#endif
