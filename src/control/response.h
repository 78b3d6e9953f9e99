/*
 * The frequency response C (jω − F)⁻¹ B + D of a stable system in a basis in which F is triangular, which makes each frequency
 * cost n² products. Discrete time becomes continuous time by z = (1 + w)/(1 − w), which maps the unit circle to the axis.
 */
#ifndef HML_CONTROL_RESPONSE_H
#define HML_CONTROL_RESPONSE_H

#include "base/layout.h"
#include "control/complex_matrix.h"

enum { RESPONSE_GRID = 96 };

typedef struct response {
    size_t n, m;
    double step;           /* seconds, 0: continuous */
    double *F, *B, *C, *D; /* n × n, n × m, m × n, m × m: balanced */
    cplx *T, *Q;           /* n × n each: F = Q T Qᴴ */
    cplx *TB, *TC;         /* n × m, m × n: QᴴB, C Q */
    cplx *X;               /* n × m: of one frequency */
    double *TX;            /* n × m */
    double *room, *room2;  /* n × n each */
    double *d;             /* n */
    unsigned char *marks;  /* n × n */
} response;

void hmli_response_lay_out(size_t n, size_t m, layout_cursor *c, response *r);

/* T = K (s − A + B K)⁻¹ B; HML_NOT_STABILIZABLE where A − B K is not stable */
hml_status hmli_response_set(const double *A, const double *B, const double *K, response *r);

/* m × m, at w = jω */
void hmli_response_at(response *r, double omega, cplx *out);

/* entry i of its diagonal */
cplx hmli_response_entry(response *r, double omega, size_t i);

/* rad/s of w = jω */
double hmli_response_frequency(const response *r, double omega);

/* frequencies of the poles, and then RESPONSE_GRID evenly spread over their range and far beyond: so many, in no order */
size_t hmli_response_grid_count(size_t n);
void hmli_response_grid(const response *r, double *omega);

#endif
