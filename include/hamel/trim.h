/*
 * Trim: where and how a robot is at rest, or moves steadily, near a guess.
 *
 *   hml_trim                   q, the torques, the thrusts and the forces of the holds
 *   hml_trim_scratch_doubles   doubles of scratch that it needs
 *
 * Given ν (zero: at rest), it finds a configuration q, torques τ of the actuated coordinates, thrusts u and forces λ of
 * the holds with
 *
 *   τ̂(q, ν, ν̇ = 0) = S τ + Σ u_k J_kᵀ w_k + Jᵀλ          nothing accelerates
 *   e(q) = 0                                             what is held stays where it is in the guess
 *
 * within the limits of positions, torques and thrusts, with contact forces that push and stay in their friction cones.
 * S τ puts the torques on their coordinates. Where there are many solutions it takes the one of least
 *
 *   ½ Σ (τ/effort)² + ½ posture · |q ⊖ guess|²
 *
 * in the neighbourhood of the guess (a thrust counts like a torque; λ has a share of 1e-6, so that it is unique too).
 *
 * The method is Newton's on the robot's group. Each step q ⊕ z solves the linearized equations, with exact derivatives,
 * under the linearized limits, at least cost: a quadratic program that an active-set method solves in finitely many
 * steps. Steps that lower the cost are followed by steps back to the equations, so that every point that counts is a
 * trim, and each is a better one than the one before.
 *
 * A steady motion is one with constant ν. Whether it stays steady for longer than an instant is a matter of the caller's
 * ν: a satellite that spins about a principal axis does, one that tumbles does not.
 *
 * Conventions are those of dynamics.h and constraint.h. Nothing allocates.
 */
#ifndef HAMEL_TRIM_H
#define HAMEL_TRIM_H

#include "hamel/constraint.h"

/* a propeller, a jet or a muscle: u times a wrench that moves with its frame */
typedef struct hml_thruster {
    int32_t frame;       /* hml_model_find_frame */
    double wrench[6];    /* [force; torque] in the frame for u = 1; a propeller: 0 0 1, 0 0 ±drag */
    double lower, upper; /* of u; ±infinity where there is none */
} hml_thruster;

/* what came out; the pointer to it may be NULL */
typedef struct hml_trim_report {
    size_t struct_size;
    double residual;    /* largest entry of `residual`: N, N m */
    double relative;    /* the same, divided by the largest force or torque that was balanced (1 at least) */
    double position;    /* largest error of a hold: m, rad */
    double cost;        /* of the formula above */
    int32_t iterations; /* quadratic programs that were solved */
    int32_t coordinate; /* that of the largest residual */
    int32_t at_limit;   /* limits of positions, torques, thrusts and contacts that are in force */
    int optimal; /* 1: no small step makes it cheaper; 0: the iterations ran out before, at a trim all the same */
} hml_trim_report;

/* members that are zero or NULL take their defaults; outputs may be NULL: not wanted */
typedef struct hml_trim_problem {
    size_t struct_size;
    const double *guess;          /* nq */
    const double *v;              /* nv; NULL: at rest */
    const hml_constraints *holds; /* NULL: none. Damping is not read; with stiffness the frame goes to `pose`; loops
                                      close */
    const double
        *friction;   /* one per hold, not per loop: a held point with μ > 0 is a contact: its force pushes along the
                                      hold's normal and stays in the cone. 0: held. NULL: all are held */
    const int *free; /* nv marks, 1: this coordinate may move; NULL: all may */
    const int *actuated;           /* nv marks, 1: this coordinate has a motor; NULL: as the model says */
    const hml_thruster *thrusters; /* nthrusters */
    int32_t nthrusters;
    const double *wrenches;  /* nbodies × 6: other loads, in the bodies' frames, moving with them */
    const double *weights;   /* nv: of τ² in the cost, > 0; NULL: 1/effort² */
    double posture;          /* default 0.01: weight of the way from the guess, per rad² or m² */
    int ignore_limits;       /* 1: of positions, torques and thrusts; contacts still push */
    int release_positions;   /* 1: the equations e = 0 are left out: holds give forces and may slide */
    int32_t iterations;      /* quadratic programs; default 500 */
    double tolerance;        /* of `relative` and `position`; default 1e-10 */
    double *q;               /* nq; may be guess */
    double *tau;             /* nv: zero where there is no motor */
    double *lambda;          /* hml_constraint_rows(holds): acts on the robot, as constraint.h says */
    double *thrust;          /* nthrusters: u */
    double *residual;        /* nv: τ̂ − S τ − …, what is not balanced */
    hml_trim_report *report; /* with a struct_size of its own */
} hml_trim_problem;

/* 0 if the problem is invalid */
HML_API size_t hml_trim_scratch_doubles(const hml_model *model, const hml_trim_problem *problem);

/*
 * HML_OK: a trim. HML_INCONSISTENT: there is none near the guess; the outputs are the point where the least is left, and
 * `error` names what cannot be balanced or held, and which limits are in the way. HML_NOT_CONVERGED: the iterations ran
 * out, with the same outputs. HML_UNSUPPORTED: friction of a hold that is not a point. error may be NULL. The
 * workspace needs HML_USE_ALL; scratch: hml_trim_scratch_doubles.
 */
HML_API hml_status hml_trim(const hml_model *model, hml_work *work, const hml_trim_problem *problem, double *scratch,
                            hml_error *error);

#endif
