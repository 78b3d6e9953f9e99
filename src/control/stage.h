/* The matrices of a linear-quadratic problem, or of one step of it: x' = A x + B u, costs Q, R and N. */
#ifndef HML_CONTROL_STAGE_H
#define HML_CONTROL_STAGE_H

#include "base/finite.h"
#include "control/matrix.h"

enum { STAGE_MOST = 0xffff }; /* states or inputs: what scratch can be counted for */

typedef struct stage {
    const double *A, *B, *Q, *R, *N; /* n × n, n × m, n × n, m × m, n × m; N may be NULL */
} stage;

static inline int stage_size_fits(size_t n, size_t m) { return n >= 1 && m >= 1 && n <= STAGE_MOST && m <= STAGE_MOST; }

/* are they numbers, and the weights symmetric? */
static inline hml_status stage_check(size_t n, size_t m, const stage *g)
{
    if (!all_finite(g->A, n * n) || !all_finite(g->B, n * m) || !all_finite(g->Q, n * n) || !all_finite(g->R, m * m) ||
        (g->N && !all_finite(g->N, n * m)))
        return HML_NOT_FINITE;
    return matrix_is_symmetric(n, g->Q) && matrix_is_symmetric(m, g->R) ? HML_OK : HML_INVALID_ARGUMENT;
}

#endif
