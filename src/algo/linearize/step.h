/* What the parts of a step share: hamel/discrete.h. */
#ifndef HML_ALGO_STEP_H
#define HML_ALGO_STEP_H

#include "algo/dynamics/stiffness.h"
#include "algo/work.h"

/*
 * The step is an integration of x = (θ, ν) from (0, ν), q = q₀ ⊕ θ. Its tangent is a matrix X of 2n rows, d(θ, ν), and
 * 3n columns: by z_q, the perturbation of q₀, by z_ν and by w.
 */
typedef struct one_step {
    const hml_model *model;
    hml_work *work;
    const double *q0, *tau;
    size_t n;
    int tangent;            /* 1: the Jacobians are wanted */
    double *q;              /* nq: of the stage */
    double *x, *rate, *sum; /* 2n: stage, its derivative, weighted sum of derivatives */
    double *Dq, *Dv, *Minv; /* n × n */
    double *dq, *dv;        /* n × n: Ad of exp(−θ), S(θ) */
    double *X, *K, *Sum;    /* 2n × 3n */
    stiffness_map map;
} one_step;

/* the acceleration over a step with dampers and springs at its end, in rate, and its tangent in K; see the source */
hml_status hmli_step_implicit(const one_step *s, const double *v, double h);

#endif
