/*
 * Dynamics: M(q) ν̇ + h(q, ν) = τ, and its exact geometric linearization ż = A z + B w.
 *
 *   hml_dynamics                  everything at once: M, h, gravity, ν̇, energies, momentum, centre of mass
 *   hml_inverse_dynamics          τ from q, ν, ν̇
 *   hml_forward_dynamics          ν̇ from q, ν, τ
 *   hml_mass_matrix               M
 *   hml_inverse_mass_matrix       M⁻¹
 *   hml_inverse_dynamics_derivatives   ∂τ/∂q, ∂τ/∂ν, M at q, ν, ν̇
 *   hml_linearize                 ν̇, D_q = ∂ν̇/∂q, D_ν = ∂ν̇/∂ν, M⁻¹, A, B at q, ν, τ
 *   hml_linearize_batch           the same for many states
 *   hml_inverse_mass_derivative   ∂(M⁻¹ b)/∂q
 *   hml_observer_wrenches         what a world frame that moves and accelerates adds
 *   hml_observer_derivatives      its derivatives
 *   hml_observer_linearize        hml_linearize in such a frame
 *
 * Conventions. ν is left-trivialized (each joint's velocity in its successor frame). A perturbation of the
 * configuration is q ⊕ z, that is g·exp(z) joint by joint. h holds Coriolis, gravity, damping and springs; armature is
 * on M's diagonal. Matrices are row-major. Wrenches are external, one a body, [force; torque] in the body's frame at
 * its origin, and move with the body: nbodies × 6, or NULL.
 *
 * Every struct begins with struct_size = sizeof of itself; the rest is zero where it is not wanted.
 */
#ifndef HAMEL_DYNAMICS_H
#define HAMEL_DYNAMICS_H

#include "hamel/work.h"

/* A vector or matrix a state reads. stride: doubles from one state to the next; 0 repeats the same for every state. */
typedef struct hml_input {
    const double *data;
    size_t stride;
} hml_input;

/*
 * A vector or matrix a state writes. data NULL: not wanted. ld: doubles from one row to the next, 0 = packed.
 * stride: doubles from one state to the next, 0 = packed.
 */
typedef struct hml_output {
    double *data;
    size_t ld;
    size_t stride;
} hml_output;

/* ---- one state, everything a person would ask for ---- */

typedef struct hml_dynamics_result {
    size_t struct_size;
    double *M;                   /* nv × nv */
    double *h;                   /* nv */
    double *gravity;             /* nv: G(q), the part of h that gravity makes */
    double *acceleration;        /* nv: M⁻¹(τ − h) */
    double *com;                 /* 3, in the world */
    double *centroidal_momentum; /* 6: linear, then angular about the com, in world axes */
    double *momentum;            /* 6: linear, then angular about the world's origin */
    double kinetic_energy;
    double potential_energy; /* gravity and springs; zero where the com is at the world's origin and springs at rest */
} hml_dynamics_result;

HML_API hml_status hml_dynamics(const hml_model *model, hml_work *work, const double *q, const double *v,
                                const double *tau, const double *wrenches, hml_dynamics_result *result);

HML_API hml_status hml_inverse_dynamics(const hml_model *model, hml_work *work, const double *q, const double *v,
                                        const double *a, const double *wrenches, double *tau);

HML_API hml_status hml_forward_dynamics(const hml_model *model, hml_work *work, const double *q, const double *v,
                                        const double *tau, const double *wrenches, double *a);

/* nv × nv, packed; armature included */
HML_API hml_status hml_mass_matrix(const hml_model *model, hml_work *work, const double *q, double *M);
HML_API hml_status hml_inverse_mass_matrix(const hml_model *model, hml_work *work, const double *q, double *Minv);

/* outputs may be NULL; nv × nv, packed */
HML_API hml_status hml_inverse_dynamics_derivatives(const hml_model *model, hml_work *work, const double *q,
                                                    const double *v, const double *a, const double *wrenches,
                                                    double *dtau_dq, double *dtau_dv, double *M);

/* ---- linearization ---- */

typedef struct hml_linearization {
    size_t struct_size;
    hml_input q, v, tau, wrenches; /* tau and wrenches may be NULL: zero */
    hml_output acceleration;       /* nv */
    hml_output Dq, Dv, Minv;       /* nv × nv each: the primary results */
    hml_output A;                  /* 2nv × 2nv: [ −ad_ν  I ; D_q  D_ν ] */
    hml_output B;                  /* 2nv × nv: [ 0 ; M⁻¹ ], one column for every coordinate */
} hml_linearization;

HML_API hml_status hml_linearize(const hml_model *model, hml_work *work, const hml_linearization *arguments);

/*
 * N states. status, if not NULL, takes one hml_status a state; a state that fails becomes NaN and does not disturb its
 * neighbours; the return value is the first failure. Results do not depend on n or on where in the batch a state is.
 */
HML_API hml_status hml_linearize_batch(const hml_model *model, hml_work *work, size_t n,
                                       const hml_linearization *arguments, hml_status *status);

/*
 * D = ∂(M(q)⁻¹ b)/∂q for a constant b, nv × nv, packed: the derivative of M⁻¹, contracted with a vector. It is D_q of a
 * robot at rest, without gravity and passive forces, that b pushes.
 */
HML_API hml_status hml_inverse_mass_derivative(const hml_model *model, hml_work *work, const double *q, const double *b,
                                               double *D);

/*
 * Which coordinates make M singular at q: marks[i] = 1 for coordinate i whose pivot vanished, 0 otherwise (nv of them).
 * Returns HML_OK and all zeros where M is regular.
 */
HML_API hml_status hml_singular_coordinates(const hml_model *model, hml_work *work, const double *q, int *marks);

/* ---- observers that move ---- */

/*
 * The world frame A of a model need not be inertial: a robot on a ship, in a lift, on a turntable. `velocity` is the
 * twist of A relative to an inertial frame, `acceleration` the derivative of its six numbers, both in A
 * (left-trivialized, linear first). q, ν and everything computed stay relative to A, and gravity stays the model's, in
 * the axes of A.
 *
 * An acceleration acts like gravity of opposite sign: −g instead of it gives gravity that A sees turning, and six
 * numbers with V = 0 are Bos's a_grav. That is all of the answer only where A does not turn: a velocity with an angular
 * part adds Coriolis and centrifugal forces, and a free base sees them as well as the joints do. A uniform linear
 * velocity changes nothing. Armature is a rotor's inertia relative to its joint and takes no part.
 */
typedef struct hml_observer {
    double velocity[6], acceleration[6];
} hml_observer;

/*
 * The wrenches that make up for it, added to `wrenches`, nbodies × 6 in the bodies' frames: to be handed to forward or
 * inverse dynamics, or to any function that takes wrenches. HML_USE_TREE is enough.
 */
HML_API hml_status hml_observer_wrenches(const hml_model *model, hml_work *work, const hml_observer *observer,
                                         const double *q, const double *v, double *wrenches);

HML_API size_t hml_observer_scratch_doubles(const hml_model *model);

/* Σ_i J_iᵀ ∂F_i/∂q and ∂F_i/∂ν of these wrenches F, nv × nv each: what they add to −∂τ/∂q and −∂τ/∂ν with F held */
HML_API hml_status hml_observer_derivatives(const hml_model *model, hml_work *work, const hml_observer *observer,
                                            const double *q, const double *v, double *scratch, double *by_q,
                                            double *by_v);

/* hml_linearize of one state as the observer sees it; wrenches are further ones. The observer is held, as a function of
 * t */
HML_API hml_status hml_observer_linearize(const hml_model *model, hml_work *work, const hml_observer *observer,
                                          double *scratch, const hml_linearization *arguments);

#endif
