/*
 * Newton and Euler with the classical acceleration of a point of the body: Müller (54) and (55), in any axes that stand
 * still at this instant.
 */
#ifndef HML_REFERENCE_MULLER_NEWTON_EULER_H
#define HML_REFERENCE_MULLER_NEWTON_EULER_H

#include "group/spatial.h"

/* the same inertia about the same origin, in the axes that R turns the body's into: (47), (51), (76a) */
static inline inertia inertia_turn(mat3 R, inertia I)
{
    return inertia_of(I.m, mat3_mul_vec(R, I.h), sym3_rotate(R, I.J));
}

/* force and torque at the origin of a body whose origin has the acceleration a = r̈; all in the same axes */
static inline wrench newton_euler_classical(inertia I, vec3 a, vec3 w, vec3 dw)
{
    vec3 f = vec3_add(vec3_scale(I.m, a), vec3_add(vec3_cross(dw, I.h), vec3_cross(w, vec3_cross(w, I.h))));
    vec3 t = vec3_add(sym3_mul(I.J, dw), vec3_add(vec3_cross(w, sym3_mul(I.J, w)), vec3_cross(I.h, a)));
    return wrench_of(f, t);
}

#endif
