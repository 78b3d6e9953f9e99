/*
 * Loops: a frame E tied to another frame O of the robot (hml_loop). A hold whose world is O: with H = H_O⁻¹ H_E = (R, r),
 * and V and A its left twist and the derivative of that twist,
 *
 *   frame      V,                  A
 *   point      ṙ = R V.v,          r̈ = R (A.v + V.w × V.v)
 *   plane      nᵀṙ,                nᵀr̈
 *   distance   uᵀṙ,                uᵀr̈ + (|ṙ|² − (uᵀṙ)²) / d             d = |r|, u = r / d
 */
#ifndef HML_SIM_CONSTRAINT_LOOP_H
#define HML_SIM_CONSTRAINT_LOOP_H

#include "sim/constraint.h"

/* how E moves for an observer on O */
typedef struct loop_motion {
    pose H;
    twist V, A; /* left-trivialized */
    vec3 u;     /* of a distance: r / |r|, in axes of O */
    double length;
} loop_motion;

/* 0: not a kind of loop */
int32_t hmli_loop_kind_rows(hml_constraint_kind kind);

/* of all loops; −1: invalid */
int32_t hmli_loop_rows(const hml_constraints *set);

hml_status hmli_loop_check(const hml_model *model, const hml_loop *c);

/* where E should be in O */
pose hmli_loop_goal(const hml_loop *c);

/* 0: the goal is the identity */
int hmli_loop_has_goal(const hml_loop *c);

/* the motion at q, ν, ν̇, each of the last two may be NULL; J: 6 × nv, left, or NULL. HML_SINGULAR: no direction */
hml_status hmli_loop_motion(const hml_model *model, const hml_loop *c, const double *q, const double *v,
                            const double *a, double *J, loop_motion *m);

/* e, in the rows of the loop */
void hmli_loop_error(const hml_loop *c, const loop_motion *m, double *out);

/* what c is without ν̇, Baumgarte's terms included: the motion at ν̇ = 0 */
void hmli_loop_drift(const hml_loop *c, const loop_motion *m, double *out);

/* a column of J, left, as the rows of the loop take it; `apart` from one row to the next */
void hmli_loop_put(const hml_loop *c, const loop_motion *m, twist column, size_t apart, double *out);

/* a column of ∂e/∂q, from the same column of J */
void hmli_loop_put_error(const hml_loop *c, const loop_motion *m, twist column, size_t apart, double *out);

/* the wrenches of λ on both bodies, added to those of all bodies */
hml_status hmli_loop_push(const hml_model *model, hml_work *work, const hml_loop *c, const double *q,
                          const loop_motion *m, const double *lambda, double *wrenches);

/*
 * ∂τ̂/∂q of λ where inverse dynamics has its two wrenches move with their bodies: what is missing, added to dq (n × n).
 * J_e, J_o: 6 × n, left, of the two frames
 */
void hmli_loop_turn(const hml_loop *c, const loop_motion *m, const double *lambda, int32_t n, const double *J_e,
                    const double *J_o, double *dq);

/* the rows of J and the drift of all loops, from a row on */
hml_status hmli_loop_evaluate(constraint_system *s, const double *q, const double *v, int drift, size_t row);

/* ∂c and the part of λ in ∂τ̂/∂q, as in constraint_linearize.c. a NULL: an impulse, c = J v */
hml_status hmli_loop_derivatives(const constraint_system *s, const double *q, const double *v, const double *a,
                                 size_t row);

#endif
