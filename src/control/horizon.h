/* The backward pass of hamel/control/horizon.h, over a horizon or a period. */
#ifndef HML_CONTROL_HORIZON_H
#define HML_CONTROL_HORIZON_H

#include "control/stage.h"
#include "hamel/control/horizon.h"

typedef struct horizon_space {
    double *P;      /* n × n: of the step behind, then of this one */
    double *S;      /* m × m: R + BᵀPB, and its factor */
    double *K;      /* m × n */
    double *BP;     /* m × n; then R K − Nᵀ */
    double *closed; /* n × n: A − B K */
    double *T, *U;  /* n × n */
} horizon_space;

void hmli_horizon_lay_out(size_t n, size_t m, layout_cursor *c, horizon_space *s);

/* are all arrays there that must be? */
int hmli_horizon_fits(const hml_lqr_horizon *p);

/* K and P of all steps where they are wanted, from the P behind the last step, in the space, to that of the first, there too */
hml_status hmli_horizon_pass(const hml_lqr_horizon *p, horizon_space *s, size_t *step);

static inline stage hmli_horizon_stage(const hml_lqr_horizon *p, size_t k)
{
    const hml_input N = p->N;
    return (stage){p->A.data + k * p->A.stride, p->B.data + k * p->B.stride, p->Q.data + k * p->Q.stride,
                   p->R.data + k * p->R.stride, N.data ? N.data + k * N.stride : NULL};
}

#endif
