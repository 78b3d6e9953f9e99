/*
 * An attitude-and-arm controller of the drone with arm, in single precision and without memory of its own. Inputs are
 * what the robot has: the thrust of all rotors along the drone's z axis, their three torques, and the motors of the arm.
 *
 *   u = inverse dynamics of the reference (the generated code, in float) − K · error
 *
 * K is a linear-quadratic regulator about hovering; gains.c computes it on the host, from the generated derivatives of a
 * time step.
 */
#ifndef CONTROLLER_H
#define CONTROLLER_H

enum { NQ = 12, NV = 11, BASE = 6, STATES = 2 * NV, INPUTS = NV - 2 }; /* without forces along the drone's x and y */

static const double TICK = 0.002; /* s, of the controller */

/* what the drone should do: hover at a place, while its arm moves */
typedef struct reference {
    float q[NQ], v[NV], a[NV];
} reference;

void reference_at(float t, reference *r);

/* forces of all coordinates at a state; clipped to what rotors and motors can do. Returns the status of the robot's code */
int controller_run(const reference *r, const float *q, const float *v, float *tau);

#endif
