/*
 * Actuation: what the actuators of a model (hamel/model.h) do to it.
 *
 *   hml_actuation_compute     forces of the actuators, and how they push the robot: τ and wrenches, and the map N
 *   hml_actuation_hold        inputs at which servos hold a configuration
 *   hml_actuation_linearize   A and B with the actuators' inputs u as inputs, servo gains included
 *
 * With the forces f(u, q, ν) of hamel/model.h,
 *
 *   M ν̇ + h = τ + N(q) f,      ż = A z + B w,      w a change of u
 *
 * N is constant for actuators on joints. A wrench of an actuator on a frame moves with its body, so that its components
 * do not change with q; N changes through the Jacobian alone, and A has this in it exactly. Where a limit holds a force,
 * or the input is outside its range, the force does not change: its part of A and its column of B are zero.
 */
#ifndef HAMEL_ACTUATION_H
#define HAMEL_ACTUATION_H

#include "hamel/linearize.h"

typedef struct hml_actuation {
    size_t struct_size;
    const double *q;
    const double *v;  /* nv; NULL: at rest */
    const double *u;  /* nactuators; NULL: zero */
    double *force;    /* nactuators: f. Results may be NULL: not computed */
    double *tau;      /* nv: forces of the joints from actuators on joints */
    double *wrenches; /* nbodies × 6, in the bodies' frames: from actuators on frames */
    double *map;      /* nactuators × nv: Nᵀ, row i is what f_i = 1 does to the coordinates; both kinds */
    double *slopes; /* nactuators × 3: ∂f/∂u, ∂f/∂length, ∂f/∂speed; zero where a limit holds the force */
} hml_actuation;

HML_API hml_status hml_actuation_compute(const hml_model *model, hml_work *work, const hml_actuation *arguments);

/* u: nactuators, at which position servos hold q, without force there or at the end of their range; of others 0 */
HML_API hml_status hml_actuation_hold(const hml_model *model, const double *q, double *u);

typedef struct hml_actuated_linearization {
    size_t struct_size;
    const double *q, *v;    /* v NULL: at rest */
    const double *u;        /* nactuators; NULL: zero */
    const double *tau;      /* nv: other forces of the joints; NULL: zero */
    const double *wrenches; /* nbodies × 6: other wrenches; NULL: zero */
    double *acceleration;   /* nv; results may be NULL */
    double *A;              /* 2nv × 2nv */
    double *B;              /* 2nv × nactuators */
} hml_actuated_linearization;

/* scratch: hml_actuation_doubles */
HML_API hml_status hml_actuation_linearize(const hml_model *model, hml_work *work, double *scratch,
                                           const hml_actuated_linearization *arguments);
HML_API size_t hml_actuation_doubles(const hml_model *model);

#endif
