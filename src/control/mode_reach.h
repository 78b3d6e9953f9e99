/* Whether inputs move a mode: the test of Popov, Belevitch and Hautus in its left subspace. By duality, whether outputs show it. */
#ifndef HML_CONTROL_MODE_REACH_H
#define HML_CONTROL_MODE_REACH_H

#include "control/mode_space.h"

typedef struct mode_reach {
    cplx *L, *T; /* n × n each: an orthonormal basis of the left subspace; A on it, less the eigenvalue */
    cplx *AL, *basis;
    cplx *inputs, *driven; /* n × inputs each */
    cplx *both;            /* (n + inputs) × n */
    double *sizes;         /* n */
} mode_reach;

void hmli_mode_reach_lay_out(size_t n, size_t inputs, layout_cursor *c, mode_reach *w);

/*
 * The smallest singular value of [T, B] in the left subspace (dual: of Aᵀ and the outputs in the right one), or 0 where it is
 * not larger than the tolerance; lost: how many directions the inputs and what they drive there leave. B: n × m.
 */
double hmli_mode_reach(const mode_spaces *s, const mode_space *e, int dual, size_t m, const cplx *B, double tolerance,
                       mode_reach *w, int32_t *lost);

#endif
