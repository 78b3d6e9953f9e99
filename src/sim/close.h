/* What the parts of hml_configuration_close share: close.c goes from step to step, close_steps.c makes them. */
#ifndef HML_SIM_CLOSE_H
#define HML_SIM_CLOSE_H

#include "algo/work.h"
#include "sim/constraint_loop.h"

typedef struct closer {
    const hml_model *model;
    const hml_closing *x;
    hml_loop *loops; /* all constraints; a hold is a loop to the world */
    int32_t count;
    size_t n, m;
    double *J;                         /* m × n: ∂e/∂q */
    double *block;                     /* 6 × n */
    double *e, *y;                     /* m */
    double *g, *z, *way;               /* n */
    double *keep;                      /* n: the slope, while steps go back to the constraints */
    double *side;                      /* n + m: a right-hand side */
    double *D;                         /* n × n: of q ⊖ guess */
    double *lower, *upper;             /* n */
    double *held;                      /* n: 1 if the coordinate stays in this step */
    double *start;                     /* nq: the guess with unit quaternions, within the limits */
    double *now, *trial, *best, *back; /* nq */
    rank_factor F;                     /* of [Jᵀ; √μ 1], n + m rows */
    double tolerance, size, worst;     /* |e| and its largest entry, where it was evaluated last */
    int32_t worst_at;                  /* its constraint */
    int32_t budget;                    /* steps that may still be tried */
} closer;

/* e at q with its size; J too if asked for */
void hmli_close_evaluate(closer *s, const double *q, int derivatives);

typedef enum close_end { CLOSE_CLOSED, CLOSE_STUCK, CLOSE_SPENT } close_end;

/* from s->now to a closed configuration, or to where no step helps */
close_end hmli_close_descend(closer *s);

/* along the constraints from the closed s->now to the one nearest to the guess; 1: it is */
int hmli_close_approach(closer *s);

/* |q ⊖ guess| */
double hmli_close_change(closer *s, const double *q);

#endif
