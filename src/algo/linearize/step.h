/* What the parts of a step share: hamel/discrete.h. */
#ifndef HML_ALGO_STEP_H
#define HML_ALGO_STEP_H

#include "algo/dynamics/stiffness.h"
#include "algo/work.h"
#include "hamel/discrete.h"

/*
 * The step is an integration of x = (θ, ν) from (0, ν), q = q₀ ⊕ θ. Its tangent is d(θ, ν) by z_q, the perturbation of
 * q₀, by z_ν and by w: kernel/single/step.h.
 */
typedef struct one_step {
    const hml_model *model;
    hml_work *work;
    const double *q0, *v, *tau;
    size_t n;
    double h;
    double *q;                     /* nq: of the stage */
    double *x, *rate, *sum;        /* 2n: stage, its derivative, weighted sum of derivatives */
    model_coordinate *coordinates; /* tree_nv: of an implicit step */
    stiffness_map map;
    /* n × n each, and K, n × 3n: of implicit steps whose springs turn with their joint; in the place of `tangent` */
    double *left, *springs, *factor, *dq, *dv, *K;
    step_call tangent;
    int limbs;      /* 1: stages of Munthe-Kaas keep the limbs of a free root apart */
    int wanted;     /* 1: the tangent is */
    int linearized; /* 1: the acceleration of an Euler step is in rate, and, if wanted, D_q, D_ν, M⁻¹ are in place */
} one_step;

enum { STEP_ROW_PACK = 8 }; /* rows of the tangent are whole packs of the widest registers, and as many lie behind */

/* doubles of scratch, and where things are in it */
size_t hmli_step_lay_out(const hml_model *model, double *at, one_step *s);

/* are the arguments there, and do outputs not overlap themselves? */
int hmli_step_valid(const hml_model *model, const hml_discrete_step *x);

static inline int hmli_step_supports(hml_scheme scheme)
{
    return scheme == HML_SCHEME_EULER || scheme == HML_SCHEME_RK2 || scheme == HML_SCHEME_RK4;
}

/* the step, and A_d and B_d where they are wanted */
hml_status hmli_step_run(one_step *s, hml_scheme scheme, double *q_next, double *v_next);

/* ---- step_implicit.c ---- */

typedef enum step_kind { STEP_EXPLICIT, STEP_DIAGONAL, STEP_GENERAL } step_kind;

/* how an Euler step takes dampers and springs; where they are on M's diagonal, the coordinates of the model that has
 * them there */
step_kind hmli_step_elastic(const hml_model *model, double h, model_coordinate *coordinates);

/* the acceleration over a step with dampers and springs at its end, in rate, and its tangent in K; see the source */
hml_status hmli_step_implicit(const one_step *s);

/* ---- step_tangent.c ---- */

/* θ̇ = S(θ)⁻¹ ν; tangent: and what its tangent needs */
void hmli_step_angle_rates(one_step *s, int tangent);

/* A_d and B_d of an Euler step whose D_q, D_ν, M⁻¹ are in their lower halves; θ of the step is in x */
void hmli_step_euler_tangent(one_step *s);

/* a stage of Munthe-Kaas: its acceleration in rate, and its tangent */
hml_status hmli_step_stage_tangent(one_step *s, int stage);

/* A_d and B_d from the tangents of all stages; θ of the step is in x */
void hmli_step_sum_tangent(one_step *s);

#endif
