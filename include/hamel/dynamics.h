/*
 * Dynamics: M(q) ν̇ + h(q, ν) = τ. Its exact geometric linearization is in linearize.h.
 *
 *   hml_dynamics                  everything at once: M, h, gravity, ν̇, energies, momentum, centre of mass
 *   hml_inverse_dynamics          τ from q, ν, ν̇
 *   hml_forward_dynamics          ν̇ from q, ν, τ
 *   hml_mass_matrix               M
 *   hml_inverse_mass_matrix       M⁻¹
 *   hml_inverse_dynamics_derivatives   ∂τ/∂q, ∂τ/∂ν, M at q, ν, ν̇
 *   hml_gravity_torque            G(q), the part of h due to gravity, and ∂G/∂q
 *   hml_static_torque             τ at rest under external wrenches, and ∂τ/∂q
 *   hml_dynamics_batch            ν̇, τ, M, M⁻¹, ∂τ, gravity, Coriolis matrix and regressor of n states
 *   hml_inverse_mass_derivative   ∂(M⁻¹ b)/∂q
 *   hml_singular_coordinates      which coordinates make M singular
 *   hml_generalized_force, hml_wrench_add, hml_wrench_world_derivative    forces and torques at frames
 *   hml_observer_wrenches         the wrenches that a moving and accelerating world frame adds
 *   hml_observer_derivatives      their derivatives
 *
 * Conventions. ν is left-trivialized (each joint's velocity in its successor frame). A perturbation of the
 * configuration is q ⊕ z, that is g·exp(z) joint by joint. h contains Coriolis forces, gravity, damping and springs;
 * armature is on M's diagonal. Matrices are row-major. Wrenches are external, one per body, [force; torque] in the
 * body's frame at its origin, and move with the body: nbodies × 6, or NULL.
 *
 * Every struct begins with struct_size = sizeof of itself. Set the members that you do not use to zero.
 */
#ifndef HAMEL_DYNAMICS_H
#define HAMEL_DYNAMICS_H

#include "hamel/kinematics.h"

/* ---- one state ---- */

typedef struct hml_dynamics_result {
    size_t struct_size;
    double *M;                   /* nv × nv; M and h must be given, the others may be NULL */
    double *h;                   /* nv */
    double *gravity;             /* nv: G(q), the part of h due to gravity */
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

/*
 * G(q), the forces at the joints that carry the robot's weight, nv, and ∂G/∂q, nv × nv, packed; without springs. Either
 * may be NULL.
 */
HML_API hml_status hml_gravity_torque(const hml_model *model, hml_work *work, const double *q, double *gravity,
                                      double *gravity_q);

/*
 * τ that keeps the robot at rest: it carries its weight, its springs and, less that, the wrenches, 6 per body in the
 * body's frame, NULL: none. tau: nv; tau_q: ∂τ/∂q with wrenches that move with their bodies, nv × nv, packed. Either may
 * be NULL.
 */
HML_API hml_status hml_static_torque(const hml_model *model, hml_work *work, const double *q, const double *wrenches,
                                     double *tau, double *tau_q);

/*
 * D = ∂(M(q)⁻¹ b)/∂q for a constant b, nv × nv, packed: the derivative of M⁻¹, contracted with a vector. It is D_q of a
 * robot at rest, without gravity and passive forces, under the force b.
 */
HML_API hml_status hml_inverse_mass_derivative(const hml_model *model, hml_work *work, const double *q, const double *b,
                                               double *D);

/*
 * Which coordinates make M singular at q: marks[i] = 1 for coordinate i whose pivot vanished, 0 otherwise (nv of them).
 * If M is regular, returns HML_OK and all zeros.
 */
HML_API hml_status hml_singular_coordinates(const hml_model *model, hml_work *work, const double *q, int *marks);

/* ---- observers that move ---- */

/*
 * The world frame A of a model need not be inertial: a robot on a ship, in a lift, on a turntable. `velocity` is the
 * twist of A relative to an inertial frame, `acceleration` the derivative of its six numbers, both in A
 * (left-trivialized, linear first). q, ν and everything computed stay relative to A, and gravity stays the model's, in
 * the axes of A.
 *
 * An acceleration acts like gravity of opposite sign. So −g as acceleration gives a gravity that rotates in A, and an
 * acceleration of six numbers with V = 0 is Bos's a_grav. An acceleration alone is enough only if A does not rotate: a
 * velocity with an angular part adds Coriolis and centrifugal forces, which act on a free base as on the joints. A
 * uniform linear velocity changes nothing. Armature is a rotor's inertia relative to its joint and takes no part.
 */
typedef struct hml_observer {
    double velocity[6], acceleration[6];
} hml_observer;

/*
 * Adds the inertial wrenches of that motion to `wrenches`, nbodies × 6 in the bodies' frames, for forward or inverse
 * dynamics or any function that takes wrenches. HML_USE_TREE is enough.
 */
HML_API hml_status hml_observer_wrenches(const hml_model *model, hml_work *work, const hml_observer *observer,
                                         const double *q, const double *v, double *wrenches);

HML_API size_t hml_observer_scratch_doubles(const hml_model *model);

/* Σ_i J_iᵀ ∂F_i/∂q and ∂F_i/∂ν of these wrenches F, nv × nv each: what they add to −∂τ/∂q and −∂τ/∂ν with F held */
HML_API hml_status hml_observer_derivatives(const hml_model *model, hml_work *work, const hml_observer *observer,
                                            const double *q, const double *v, double *scratch, double *by_q,
                                            double *by_v);

/* ---- many states ---- */

typedef struct hml_dynamics_states {
    size_t struct_size;
    hml_input q, v, tau, a, wrenches; /* v NULL: at rest; tau, a, wrenches NULL: zero */
    hml_output acceleration;          /* nv: forward dynamics of tau */
    hml_output torque;                /* nv: inverse dynamics of a */
    hml_output M, Minv;               /* nv × nv */
    hml_output dtau_dq, dtau_dv;      /* nv × nv: derivatives of inverse dynamics of a */
    hml_output gravity, gravity_q;    /* nv, nv × nv: hml_gravity_torque */
    hml_output coriolis, Mdot;        /* nv × nv: hml_coriolis_matrix (reference/textbook.h) */
    hml_output regressor;             /* nv × 10 nbodies: hml_regressor of v and a (parameters.h) */
} hml_dynamics_states;

/*
 * status, if not NULL, takes one hml_status per state; the return value is the first failure. Matrices need a workspace
 * with HML_USE_FACTOR, the regressor does not. coriolis, Mdot and regressor of a model with mimic followers are
 * HML_UNSUPPORTED, as one by one.
 */
HML_API hml_status hml_dynamics_batch(const hml_model *model, hml_work *work, size_t n,
                                      const hml_dynamics_states *arguments, hml_status *status);

/* ---- wrenches at frames ---- */

/*
 * External wrenches at frames, converted to the form that the dynamics take: one wrench per body, in the body's frame.
 *
 *   hml_generalized_force       τ = Σ Jᵀ f of forces and torques at frames and points              Kindr
 *   hml_wrench_add              a wrench at a frame, added to the wrenches of the bodies
 *   hml_wrench_world_derivative what a wrench that keeps its direction in the world adds to D_q
 *
 * A wrench is [force; torque] at the origin of its frame. A wrench in the frame's axes moves with the body, as a thrust
 * does; hml_linearize takes that into account. A wrench in the world's axes keeps its direction while the body rotates,
 * as a weight does.
 */

/* a force and a torque on a frame; the force acts at a point of it */
typedef struct hml_frame_load {
    int32_t frame;
    hml_axes axes;    /* whose axes `wrench` is written in */
    double point[3];  /* in the frame; zero: its origin */
    double wrench[6]; /* force; torque */
} hml_frame_load;

/*
 * Kindr's f = Σ (J_Qᵀ f + J_Rᵀ t): the generalized force with the same power as the loads, for every velocity. tau: nv,
 * dual to ν in the representation; it is overwritten. Loads on frames that are fixed in the world have no effect.
 * O(count · depth).
 */
HML_API hml_status hml_generalized_force(const hml_model *model, hml_work *work, const double *q, int32_t count,
                                         const hml_frame_load *loads, hml_representation representation, double *tau);

/*
 * in_world 0: the wrench is in the frame's axes; 1: in the world's. wrenches: nbodies × 6, as hml_dynamics takes
 * them. A wrench on the world itself has no effect.
 */
HML_API hml_status hml_wrench_add(const hml_model *model, hml_work *work, const double *q, int32_t frame, int in_world,
                                  const double wrench[6], double *wrenches);

/*
 * The linearization assumes that the wrench moves with its body. This corrects D_q for one whose six components are
 * constant in the world's axes. J: 6 × nv, packed, the frame's Jacobian by hml_frame with HML_MIXED; Minv: nv × nv,
 * packed; Dq: nv × nv with leading dimension ld, changed in place.
 */
HML_API hml_status hml_wrench_world_derivative(int32_t nv, const double *J, const double wrench[6], const double *Minv,
                                               size_t ld, double *Dq);

#endif
