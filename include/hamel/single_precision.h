/*
 * Batches in single precision: states and results are floats, and a pack holds twice as many states as one of doubles.
 *
 *   hml_linearize_batch_f32        hml_linearize_batch        linearize.h
 *   hml_dynamics_batch_f32         hml_dynamics_batch         dynamics.h
 *   hml_body_poses_batch_f32       hml_body_poses_batch       kinematics.h
 *   hml_all_jacobians_batch_f32    hml_all_jacobians_batch    kinematics.h
 *
 * For those who feed learning and small computers, or whose batches are bound by memory. Arguments, statuses and
 * conventions are those of the functions in double; the model stays in double, and so do workspaces. docs/accuracy.md
 * says how far results are from those in double: 1e-6 of the largest entry for forces, 1e-6 to 3e-3 where M is
 * inverted. M counts as singular where a pivot is below 64 ε of float (7.6e-6) of its entry: states that double can
 * just solve give HML_SINGULAR here. Positions far from the origin lose digits in their input already.
 *
 * Models with mimic followers, and chains of 28 joints and more, are computed in double, state by state, and rounded.
 */
#ifndef HAMEL_SINGLE_PRECISION_H
#define HAMEL_SINGLE_PRECISION_H

#include "hamel/linearize.h"

/* as hml_input, of floats: stride from one state to the next; 0: the same for every state */
typedef struct hml_input_f32 {
    const float *data;
    size_t stride;
} hml_input_f32;

/* as hml_output, of floats: data NULL: not computed; ld and stride 0: packed */
typedef struct hml_output_f32 {
    float *data;
    size_t ld;
    size_t stride;
} hml_output_f32;

typedef struct hml_linearization_f32 {
    size_t struct_size;
    hml_input_f32 q, v, tau, wrenches; /* tau and wrenches may be NULL: zero */
    hml_output_f32 acceleration;       /* nv */
    hml_output_f32 Dq, Dv, Minv;       /* nv × nv each */
    hml_output_f32 A, B;               /* 2nv × 2nv, 2nv × nv */
} hml_linearization_f32;

/* status, if not NULL, takes one hml_status per state; a state that fails becomes NaN */
HML_API hml_status hml_linearize_batch_f32(const hml_model *model, hml_work *work, size_t n,
                                           const hml_linearization_f32 *arguments, hml_status *status);

typedef struct hml_dynamics_states_f32 {
    size_t struct_size;
    hml_input_f32 q, v, tau, a, wrenches; /* v NULL: at rest; tau, a, wrenches NULL: zero */
    hml_output_f32 acceleration;          /* nv: forward dynamics of tau */
    hml_output_f32 torque;                /* nv: inverse dynamics of a */
    hml_output_f32 M, Minv;               /* nv × nv */
    hml_output_f32 dtau_dq, dtau_dv;      /* nv × nv: derivatives of inverse dynamics of a */
} hml_dynamics_states_f32;

HML_API hml_status hml_dynamics_batch_f32(const hml_model *model, hml_work *work, size_t n,
                                          const hml_dynamics_states_f32 *arguments, hml_status *status);

/* H: nbodies × 16 per state */
HML_API hml_status hml_body_poses_batch_f32(const hml_model *model, hml_work *work, size_t n, hml_input_f32 q,
                                            hml_output_f32 H, hml_status *status);

typedef struct hml_jacobian_columns_f32 {
    size_t struct_size;
    hml_input_f32 q;
    hml_output_f32 H; /* nbodies × 16, as one row */
    hml_output_f32 J; /* 6 × nv */
} hml_jacobian_columns_f32;

/* models with mimic followers: HML_UNSUPPORTED, as in double */
HML_API hml_status hml_all_jacobians_batch_f32(const hml_model *model, hml_work *work, size_t n,
                                               const hml_jacobian_columns_f32 *arguments, hml_status *status);

#endif
