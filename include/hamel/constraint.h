/*
 * Dynamics under constraints: frames and points of the robot that the world holds, or that hold each other: loops.
 *
 *   M ν̇ + h = τ + Jᵀλ,    J ν̇ + J̇ ν = −damping · J ν − stiffness · e                        Notation (79)-(82)
 *
 * A point that rests on a plane is pushed, never pulled: with c the left side minus the right side of its row,
 *
 *   0 ≤ λ ⊥ c ≥ 0: it carries (λ > 0, c = 0) or it leaves (λ = 0, c > 0)                          Kindr's unilateral λ
 *
 *   hml_constraint_rows                  m: the size of λ
 *   hml_constraint_scratch_doubles       doubles that every function here needs
 *   hml_constrained_forward_dynamics     ν̇ and λ from q, ν, τ
 *   hml_constrained_inverse_dynamics     τ of the actuated joints and λ from q, ν, ν̇
 *   hml_constrained_impulse              ν⁺ and the impulse Λ where the constraints come into force at once   Kindr
 *   hml_constrained_linearize            D_q, D_ν, D_τ, A, B and the derivatives of λ, exact
 *   hml_constrained_linearize_batch      the same of many states under the same constraints
 *   hml_constrained_linearize_parallel   that in chunks, on as many workers as there are workspaces
 *   hml_configuration_close              a configuration near a guess that keeps loops and holds
 *   hml_closing_scratch_doubles          doubles that it needs
 *   hml_constrained_freedom              how many motions the constraints leave
 *   hml_constrained_reduce               A and B on these motions alone, and the basis
 *   hml_constrained_to_representation    the results of hml_constrained_linearize in right, mixed or split velocities
 *   hml_impulse_to_representation        the same for the impulse
 *
 * Rows. A held frame has six: its left twist is zero, and its λ is a wrench [force; torque] in the frame. A held point
 * has three: the velocity of the frame's origin in the world's axes is zero, λ is a force in these axes. A point on a
 * plane has one: the same velocity along the plane's normal, and λ is the size of the force along it; a point that
 * touches a plane has the same row, one-sided. λ acts on the robot.
 *
 * A loop ties a frame to another frame of the robot, `other`. Its rows are those of a hold with `other` in the place of
 * the world: with H = H_other⁻¹ H_frame = (R, r) and V its left twist,
 *
 *   frame      V = 0            λ: wrench on `frame`, in its axes                 e = log(H*⁻¹ H)
 *   point      ṙ = R V.v = 0    λ: force on the origin of `frame`, in axes of `other`   e = r − r*
 *   plane      nᵀṙ = 0          λ: size of the force along n, which is in axes of `other`   e = nᵀ(r − r*)
 *   distance   d/dt |r| = 0     λ: size of the force that pushes the two origins apart      e = |r| − d*
 *
 * `other` feels the opposite wrench at the same place. λ of loops comes after that of holds.
 *
 * Constraints may be redundant: two feet on one stiff leg, four legs of a table. A QR factorization with column
 * pivoting finds the rank of J M^(−1/2): a column is dropped once its remainder is below `tolerance` times the first. ν̇
 * is unique all the same, and of all λ that give it the one of least norm is returned (metres and radians count alike).
 * HML_INCONSISTENT if the constraints contradict each other. HML_SINGULAR if M is singular, or if the two origins of a
 * distance coincide, because then it has no direction.
 *
 * One-sided rows are solved exactly, not by iteration: ν̇ is the motion nearest to the free one (Gauss's principle), a
 * quadratic program in λ that an active-set method solves in finitely many steps. ν̇ is unique; of all λ ≥ 0 that give
 * it the shortest one is returned. The report certifies the solution: the largest negative c and the largest λ c are
 * round-off, and λ ≥ 0 holds exactly. HML_INCONSISTENT: no motion keeps all rows. The condition is on accelerations: it
 * assumes that the contacts are closed and do not move along their normals. If they do, it is an impact:
 * hml_constrained_impulse; with friction, hml_contact_impulse (contact.h).
 *
 * Conventions are those of dynamics.h. The workspace needs HML_USE_ALL. Nothing allocates. Matrices are packed.
 */
#ifndef HAMEL_CONSTRAINT_H
#define HAMEL_CONSTRAINT_H

#include "hamel/linearize.h"

typedef struct hml_constraint {
    hml_constraint_kind kind;
    int32_t frame;    /* hml_model_find_frame */
    double normal[3]; /* of the plane, in the world; need not be unit; the side on which the robot may be */
    double damping;   /* Baumgarte's terms, 1/s and 1/s²; zero: none */
    double stiffness; /* pulls the frame to `pose` */
    double pose[16];  /* read where stiffness is not zero; point and plane use its position alone */
} hml_constraint;

typedef struct hml_constraints {
    size_t struct_size;
    const hml_constraint *items;
    int32_t count;
    double tolerance; /* of the rank; 0: 1e-10 */
    const hml_loop *loops;
    int32_t loop_count;
} hml_constraints;

/* the report of a solution; the pointer to it may be NULL */
typedef struct hml_constraint_report {
    size_t struct_size;
    int32_t rows, rank;     /* rank: of the rows in force */
    double residual;        /* by how much the constraints are violated, in their own units, if they contradict each
                               other */
    int32_t carrying;       /* one-sided rows with λ > 0 */
    int32_t grazing;        /* one-sided rows with λ = 0 and c = 0: any small perturbation decides about them */
    double violation;       /* the largest −c of a one-sided row; an impulse: of w⁺ + e w⁻ */
    double complementarity; /* the largest λ |c| of one */
    double restitution;     /* impulses: factor on the restitution that the energy allowed; almost always 1 */
} hml_constraint_report;

/* −1 if the constraints are invalid */
HML_API int32_t hml_constraint_rows(const hml_constraints *constraints);

HML_API size_t hml_constraint_scratch_doubles(const hml_model *model, const hml_constraints *constraints);

/* one state under constraints, for the two functions below. Outputs and the report may be NULL: not computed */
typedef struct hml_constrained_dynamics {
    size_t struct_size;
    const double *q, *v;
    const double *tau;             /* nv: forward dynamics read it; NULL: zero */
    const double *a;               /* nv: inverse dynamics read it */
    const double *wrenches;        /* nbodies × 6, in the bodies' frames; NULL: zero */
    double *acceleration;          /* nv: of forward dynamics */
    double *torque;                /* nv: of inverse dynamics */
    double *lambda;                /* m */
    hml_constraint_report *report; /* with a struct_size of its own */
} hml_constrained_dynamics;

/* scratch: hml_constraint_scratch_doubles, here and below */
HML_API hml_status hml_constrained_forward_dynamics(const hml_model *model, hml_work *work,
                                                    const hml_constraints *constraints, double *scratch,
                                                    const hml_constrained_dynamics *arguments);

/*
 * M ν̇ + h = τ + Jᵀλ with τ zero where a joint is not actuated: those rows determine λ, of least norm, and the others
 * give τ. HML_INCONSISTENT if no λ can produce the motion, with all legs in the air for instance. ν̇ is used as given,
 * whether it respects the constraints or not.
 */
HML_API hml_status hml_constrained_inverse_dynamics(const hml_model *model, hml_work *work,
                                                    const hml_constraints *constraints, double *scratch,
                                                    const hml_constrained_dynamics *arguments);

/*
 * M (ν⁺ − ν) = JᵀΛ,  J ν⁺ = −restitution · J ν. Baumgarte's terms have no part in it. A touching point:
 * 0 ≤ Λ ⊥ w⁺ + restitution · min(w, 0) ≥ 0 with w = J ν, Newton's law for what closes. If a point that was leaving is hit
 * by the others, this law can create energy. Then the restitution is lowered, for all rows alike, until it does not,
 * and the report says by how much. Energy never grows.
 *
 * Derivatives are by perturbations of q (q ⊕ z) and ν. With one-sided rows they are HML_UNSUPPORTED: hold the rows that
 * carry.
 */
typedef struct hml_constrained_impact {
    size_t struct_size;
    const double *q, *v;           /* before the impulse */
    double restitution;            /* in [0, 1] */
    double *v_next;                /* nv: ν⁺; may be v */
    double *impulse;               /* m: Λ */
    double *next_q, *next_v;       /* nv × nv: of ν⁺ */
    double *impulse_q, *impulse_v; /* m × nv: of Λ */
    hml_constraint_report *report; /* with a struct_size of its own */
} hml_constrained_impact;

HML_API hml_status hml_constrained_impulse(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                           double *scratch, const hml_constrained_impact *arguments);

/*
 * Outputs may be NULL. Where rank < rows, ν̇ and its derivatives are those of every motion that keeps the constraints
 * compatible; the derivatives of λ are then one solution of the differentiated equations, the one of least norm. Of
 * one-sided rows those that carry are kept and those that leave are dropped; HML_SINGULAR if a row grazes, because then
 * there is no derivative.
 */
typedef struct hml_constrained_linearization {
    size_t struct_size;
    const double *q, *v, *tau, *wrenches;     /* tau and wrenches may be NULL: zero */
    double *acceleration;                     /* nv */
    double *lambda;                           /* m */
    double *Dq, *Dv, *Dtau;                   /* nv × nv: ∂ν̇/∂q, ∂ν̇/∂ν, ∂ν̇/∂τ */
    double *lambda_q, *lambda_v, *lambda_tau; /* m × nv */
    double *A;                                /* 2nv × 2nv: [ −ad_ν  I ; D_q  D_ν ] */
    double *B;                                /* 2nv × nv: [ 0 ; D_τ ] */
    hml_constraint_report *report;            /* with a struct_size of its own */
} hml_constrained_linearization;

HML_API hml_status hml_constrained_linearize(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                             double *scratch, const hml_constrained_linearization *arguments);

/*
 * Many states under the same constraints. Matrices are packed here too: ld is 0, or the number of columns; states may be
 * any stride apart. Frames and points go through in packs: the last digits may be other than those of
 * hml_constrained_linearize, and do not depend on which states stand beside. Planes, one-sided rows and states whose rows
 * depend on each other go one by one, and so do loops. Without matrices among the outputs it is forward dynamics, in packs as well. A
 * state that fails becomes NaN in all outputs and does not affect the others. status, if not NULL, takes one hml_status per state; the return value is
 * the first failure.
 */
typedef struct hml_constrained_states {
    size_t struct_size;
    hml_input q, v, tau, wrenches;             /* tau and wrenches may be NULL: zero */
    hml_output acceleration;                   /* nv */
    hml_output lambda;                         /* m */
    hml_output Dq, Dv, Dtau;                   /* nv × nv */
    hml_output lambda_q, lambda_v, lambda_tau; /* m × nv */
    hml_output A;                              /* 2nv × 2nv */
    hml_output B;                              /* 2nv × nv */
} hml_constrained_states;

HML_API hml_status hml_constrained_linearize_batch(const hml_model *model, hml_work *work,
                                                   const hml_constraints *constraints, double *scratch, size_t n,
                                                   const hml_constrained_states *arguments, hml_status *status);

/* scratch: nworks times hml_constraint_scratch_doubles */
HML_API hml_status hml_constrained_linearize_parallel(const hml_model *model, const hml_parallel *parallel,
                                                      const hml_constraints *constraints, double *scratch, size_t n,
                                                      const hml_constrained_states *arguments, hml_status *status);

/*
 * A configuration in which the loops are closed, near a guess in which they are not: e(q) = 0 in all rows. Holds with
 * stiffness go to their `pose`, the others stay where they are in the guess.
 *
 * Steps of Levenberg and Marquardt on the robot's group with exact derivatives, of least length where rows depend on each
 * other; from nearby configurations too where one ends in a dead centre, a linkage that is stretched out for instance.
 * Then steps along the constraints towards the guess: no small one makes |q ⊖ guess| less (`nearest`), metres and
 * radians counting alike. Limits of positions are kept. ν that fits: hml_constrained_impulse with restitution 0.
 */
typedef struct hml_closing_report {
    size_t struct_size;
    double error;       /* the largest |e| of a row: m, rad */
    int32_t worst;      /* its constraint: holds first, then loops; −1: there is none */
    double change;      /* |q ⊖ guess| */
    int32_t iterations; /* steps that were tried */
    int32_t attempts;   /* starts that were made */
    int nearest;        /* 1: least change; 0: the iterations ran out before, at a closed configuration all the same */
} hml_closing_report;

/* settings that are zero or NULL take their defaults */
typedef struct hml_closing {
    size_t struct_size;
    const double *guess;        /* nq */
    double *q;                  /* nq; may be guess */
    const int *locked;          /* nv marks, 1: this coordinate stays; NULL: none does */
    int ignore_limits;          /* 1: positions may leave the limits of the model */
    int32_t iterations;         /* of all attempts together; default 1000 */
    int32_t attempts;           /* default 8; 1: from the guess alone */
    double tolerance;           /* of each row; default 1e-10 */
    hml_closing_report *report; /* with a struct_size of its own */
} hml_closing;

/* 0 if the constraints are invalid */
HML_API size_t hml_closing_scratch_doubles(const hml_model *model, const hml_constraints *constraints);

/*
 * HML_OK: closed. HML_INCONSISTENT: it cannot be, near the guess; q is where the least is left, and `error` says which
 * frames stay apart and how far. HML_NOT_CONVERGED: the iterations ran out, with the same outputs. HML_UNSUPPORTED with
 * one-sided rows. The workspace needs HML_USE_ALL; error may be NULL.
 */
HML_API hml_status hml_configuration_close(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                           double *scratch, const hml_closing *arguments, hml_error *error);

/*
 * Motions that the constraints leave at q: nv minus the rank of their rows. HML_UNSUPPORTED with one-sided rows, here
 * and below: hold the rows that carry.
 */
HML_API hml_status hml_constrained_freedom(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                           double *scratch, const double *q, int32_t *freedom);

/*
 * The linearization in minimal coordinates. A perturbation (z, w) of q and ν stays on the constraints, J z = 0 and
 * J w + ∂(J ν)/∂q z = 0, exactly where
 *
 *   z = Z y,  w = X y + Z u,      y = P z,  u = P w
 *
 * with r = freedom columns in Z, J Z = 0, ZᵀM Z = 1, P = ZᵀM, and X perpendicular to Z in the metric M. Then
 *
 *   ẏ = u,  u̇ = K y + D u + Zᵀ δτ:      A = [ 0  1 ; K  D ],  B = [ 0 ; Zᵀ ]
 *
 * for any motion that keeps the constraints, not at rest alone: Z moves with the robot, Ż = −ad_ν Z up to what J Z = 0
 * asks for, and X with it. At rest X = 0 and A is [ P 0 ; 0 P ] A_full [ Z 0 ; 0 Z ].
 *
 * ν must keep the constraints: HML_INCONSISTENT where a row of J ν is more than 1e-6 of what its terms add up to, and
 * more than 1e-9 m/s or rad/s. Baumgarte's terms have no part in the result. HML_INVALID_ARGUMENT if freedom is not what hml_constrained_freedom says. Outputs may be
 * NULL. Z is one basis of many and does not depend smoothly on q.
 */
typedef struct hml_constrained_reduction {
    size_t struct_size;
    const double *q, *v, *tau, *wrenches; /* tau and wrenches may be NULL: zero */
    int32_t freedom;                      /* r: hml_constrained_freedom */
    double *Z, *X;                        /* nv × r */
    double *P;                            /* r × nv */
    double *A;                            /* 2r × 2r */
    double *B;                            /* 2r × nv */
} hml_constrained_reduction;

HML_API hml_status hml_constrained_reduce(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                          double *scratch, const hml_constrained_reduction *arguments);

/*
 * Left to another representation of a free root's velocity, in place: acceleration (needed, as is v), Dq (needs Dv),
 * Dv, Dtau, A, B, lambda_q (needs lambda_v) and lambda_v; members that are NULL are skipped. rows: hml_constraint_rows.
 * λ and its derivative by τ do not change, nor do the inputs of Dtau and B.
 */
HML_API hml_status hml_constrained_to_representation(const hml_model *model, hml_representation representation,
                                                     int32_t rows, const hml_constrained_linearization *arguments);

/* q, v (left) and v_next are needed; next_q needs next_v, impulse_q needs impulse_v */
HML_API hml_status hml_impulse_to_representation(const hml_model *model, hml_representation representation,
                                                 int32_t rows, const hml_constrained_impact *arguments);

#endif
