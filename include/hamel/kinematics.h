/*
 * Kinematics of frames: where they are, how they move, and the Jacobians.
 *
 * Representations of the results (Notation, section 5; see docs/conventions.md):
 *   left   in the frame itself; right: in the world frame; mixed: origin of the frame, axes of the world;
 *   split  linear part in world axes, angular part in the frame's axes.
 */
#ifndef HAMEL_KINEMATICS_H
#define HAMEL_KINEMATICS_H

#include "hamel/representation.h"
#include "hamel/work.h"

/* poses of all bodies in the world: nbodies × 16, each a row-major 4x4 */
HML_API hml_status hml_body_poses(const hml_model *model, hml_work *work, const double *q, double *H);

/* what a frame does; pointers may be NULL */
typedef struct hml_frame_motion {
    size_t struct_size;
    double *pose;         /* 16: H of the frame in the world */
    double *J;            /* 6 × nv: twist = J ν, ν left-trivialized */
    double *Jdot;         /* 6 × nv: d/dt J in the chosen representation (apparent: derivative of the numbers) */
    double *twist;        /* 6 */
    double *acceleration; /* 6: J ν̇ + J̇ ν; needs a */
} hml_frame_motion;

HML_API hml_status hml_frame(const hml_model *model, hml_work *work, int32_t frame, hml_representation representation,
                             const double *q, const double *v, const double *a, hml_frame_motion *motion);

#endif
