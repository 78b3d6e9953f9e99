/* The matrices of a linear-quadratic problem, or of one step of it: x' = A x + B u, costs Q, R and N. */
#ifndef HML_CONTROL_STAGE_H
#define HML_CONTROL_STAGE_H

#include "base/finite.h"
#include "base/layout.h"
#include "control/matrix.h"

enum { STAGE_MOST = 0xffff }; /* states or inputs: what scratch can be counted for */

typedef struct stage {
    const double *A, *B, *Q, *R, *N; /* n × n, n × m, n × n, m × m, n × m; N may be NULL */
} stage;

static inline int stage_size_fits(size_t n, size_t m) { return n >= 1 && m >= 1 && n <= STAGE_MOST && m <= STAGE_MOST; }

typedef struct stage_space {
    double *L;    /* m × m: R = L Lᵀ */
    double *B;    /* n × m: B L⁻ᵀ */
    double *N;    /* n × m: N L⁻ᵀ */
    double *T;    /* n × n */
    double *turn; /* m × n */
} stage_space;

void hmli_stage_lay_out(size_t n, size_t m, layout_cursor *c, stage_space *s);

/*
 * A ← A − B R⁻¹ Nᵀ, G ← B R⁻¹ Bᵀ, Q ← Q − N R⁻¹ Nᵀ: the same problem without a cross term. HML_INVALID_ARGUMENT where R is not
 * positive definite or Q not positive semidefinite, HML_NOT_FINITE where something overflows. L and B stay in the space.
 */
hml_status hmli_stage_reduce(size_t n, size_t m, const stage *g, const stage_space *s, double *A, double *G, double *Q);

/* B L⁻ᵀ into the space once more */
void hmli_stage_inputs(size_t n, size_t m, const double *B, const stage_space *s);

/* are they numbers, and the weights symmetric? */
static inline hml_status stage_check(size_t n, size_t m, const stage *g)
{
    if (!all_finite(g->A, n * n) || !all_finite(g->B, n * m) || !all_finite(g->Q, n * n) || !all_finite(g->R, m * m) ||
        (g->N && !all_finite(g->N, n * m)))
        return HML_NOT_FINITE;
    return matrix_is_symmetric(n, g->Q) && matrix_is_symmetric(m, g->R) ? HML_OK : HML_INVALID_ARGUMENT;
}

#endif
