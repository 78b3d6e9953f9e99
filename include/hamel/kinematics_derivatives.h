/*
 * Derivatives of a frame's motion: of its placement, velocity and acceleration with respect to q, ν and ν̇, and the
 * kinematic Hessian.
 *
 *   hml_frame_derivatives        ∂(twist)/∂q, ∂(twist)/∂ν, ∂(acceleration)/∂q, ∂(acceleration)/∂ν, ∂(acceleration)/∂ν̇
 *   hml_frame_hessian            ∂J/∂q                            Müller (5), (15), (25); Kindr (15)-(18)
 *   hml_point_hessian            the same for a point
 *   hml_jacobian_partial         ∂ⁿJ_c/∂q_α1 … ∂q_αn              Müller (14), (23), and (25) to every order
 *   hml_centroidal_derivatives   ∂ of the com's Jacobian, of the centroidal momentum and of its rate
 *
 * A derivative with respect to coordinate k of q is d/dε at ε = 0 along q ⊕ ε e_k, as in the whole library. ν and ν̇ are
 * left-trivialized and held constant. A twist is a vector of six components in its representation, and these components
 * are differentiated. The derivative of the placement is the Jacobian in the same
 * representation: H⁻¹ ∂H = (J_left)^, ∂H H⁻¹ = (J_right)^, the first three rows of J_mixed are ∂o.
 *
 * Conventions are those of kinematics.h.
 */
#ifndef HAMEL_KINEMATICS_DERIVATIVES_H
#define HAMEL_KINEMATICS_DERIVATIVES_H

#include "hamel/kinematics.h"

/* 6 × nv each */
typedef struct hml_frame_derivative {
    size_t struct_size;
    double *placement_q;    /* the Jacobian */
    double *twist_q;        /* needs v */
    double *twist_v;        /* the Jacobian too */
    double *acceleration_q; /* needs v and a */
    double *acceleration_v; /* needs v */
    double *acceleration_a; /* the Jacobian too */
} hml_frame_derivative;

HML_API hml_status hml_frame_derivatives(const hml_model *model, hml_work *work, int32_t frame,
                                         hml_representation representation, const double *q, const double *v,
                                         const double *a, const hml_frame_derivative *derivative);

/*
 * H: nv × 6 × nv, J̇ = Σ H[k] ν_k. The rows of J are in `representation`; its columns, and the directions k, belong to
 * the velocity of a free root in the representation `base`: with T of representation.h, J = J_left T⁻¹ and
 * H[k] = Σ_j (T⁻¹)_jk ∂J/∂q_j. With HML_LEFT, H[k] = ∂J/∂q_k.
 */
HML_API hml_status hml_frame_hessian(const hml_model *model, hml_work *work, int32_t frame,
                                     hml_representation representation, hml_representation base, const double *q,
                                     double *H);

/* the Hessian of the position of a point of the frame, in the world's axes; H: nv × 3 × nv */
HML_API hml_status hml_point_hessian(const hml_model *model, hml_work *work, int32_t frame, const double point[3],
                                     hml_representation base, const double *q, double *H);

/*
 * The n-th partial derivative of column `column` of a frame's Jacobian: first by coordinate indices[0], then by
 * indices[1], and so on. The order matters within a joint of several coordinates, whose directions do not commute,
 * and nowhere else. n >= 0 is not bounded. In mixed and split, derivatives of high order do not vanish, because the
 * frame's origin moves with every joint. A coordinate that f joints follow on the path to the frame counts 1 + f times,
 * and the derivative is a sum over all choices; more than 2^24 choices give HML_UNSUPPORTED.
 */
HML_API hml_status hml_jacobian_partial(const hml_model *model, hml_work *work, int32_t frame,
                                        hml_representation representation, const double *q, int32_t column, int32_t n,
                                        const int32_t *indices, double derivative[6]);

/*
 * What hml_centroidal computes, by q and ν; all in the world's axes, momenta linear, then angular about the com. The
 * derivatives that are missing are its A and com_J: ∂momentum/∂ν = ∂momentum_rate/∂ν̇ = A, ∂com/∂q = com_J.
 */
typedef struct hml_centroidal_derivative {
    size_t struct_size;
    double *com_J_q;         /* nv × 3 × nv: com_J_q[k] = ∂com_J/∂q_k */
    double *com_velocity_q;  /* 3 × nv; needs v */
    double *momentum_q;      /* 6 × nv; needs v */
    double *momentum_rate_q; /* 6 × nv; needs v and a */
    double *momentum_rate_v; /* 6 × nv; needs v */
} hml_centroidal_derivative;

/* HML_SINGULAR if the robot has no mass */
HML_API hml_status hml_centroidal_derivatives(const hml_model *model, hml_work *work, const double *q, const double *v,
                                              const double *a, const hml_centroidal_derivative *derivative);

/* ---- higher order ---- */

/*
 * Kinematics of higher order, and the system matrices behind them.
 *
 *   hml_frame_series             twist, acceleration, jerk, jounce, … and J, J̇, J̈, …     Müller (6)-(33)
 *   hml_system_matrices          J = A X, J̇ = Ȧ X + A a X, …: all bodies at once           Müller (8)-(10), (18), (112)
 *   hml_joint_velocities         ν from the twists of the bodies
 *   hml_joint_accelerations      ν̇ from the accelerations of the bodies                   Müller (11)
 *
 * Conventions are those of kinematics.h. Müller's body-fixed representation is HML_LEFT, his spatial one HML_RIGHT, his
 * hybrid one HML_MIXED, his mixed one HML_SPLIT; his screws are angular first, ours linear first.
 */

enum { HML_ORDER_MAX = 12 };

/*
 * Time derivatives of a frame's motion, for an observer on `reference` (HML_WORLD: the world).
 *
 *   rates    (order + 1) × nv   ν, ν̇, ν̈, …: derivatives of the left-trivialized velocity
 *   twists   (order + 1) × 6    the twist, and the derivatives of its components: acceleration, jerk, jounce, …
 *   J        (order + 1) × 6 × nv   the Jacobian, and the derivatives of its entries: J̇, J̈, …
 *
 * order: 0 … HML_ORDER_MAX. twists and J may be NULL.
 */
HML_API hml_status hml_frame_series(const hml_model *model, hml_work *work, int32_t frame, int32_t reference,
                                    hml_representation representation, int32_t order, const double *q,
                                    const double *rates, double *twists, double *J);

/*
 * Which screws X contains; the rest of the product is in A.
 *
 *   moving      the joints' columns as they are now, at their own bodies, in the representation
 *   body        X^b, the columns in the bodies' own frames: constant         J^s = A^sb X^b of (112) is this in right
 *   reference   Y, the columns in the world where every joint is at its identity: constant             A^s Y^s of (112)
 */
typedef enum hml_screws { HML_SCREWS_MOVING = 0, HML_SCREWS_BODY = 1, HML_SCREWS_REFERENCE = 2 } hml_screws;

/*
 * Müller's system matrices, dense, for all n = nbodies bodies at once. They are for study and for checking faster code:
 * time and memory grow with n². Each body has six rows; joints are columns of J and X.
 *
 *   J = A X        J̇ = Ȧ X + A a X for moving screws, J̇ = Ȧ X for constant ones and in left
 *
 * With moving screws, block (i, j) of A, body j on the path to i:
 *
 *   left    X_ij, and X is constant: the joints' own columns S; a: ad of S_i ν_i. Also J̇ = −A a (J − X): for joints of
 *           one coordinate a X = 0, and (8) follows as printed
 *   right   the identity; X: the columns in the world; a: ad of V_i                                          (18), (19)
 *   mixed   moves the point from o_j to o_i; X: the columns at their bodies' origins, in the world's axes; a: ad of ω_i
 *   split   the same, with angular parts rotated from body j into body i; a rotates the linear parts alone
 */
typedef struct hml_system {
    size_t struct_size;
    double *A;    /* 6n × 6n */
    double *X;    /* 6n × nv */
    double *a;    /* 6n × 6n, block diagonal; needs v; the same for all kinds of screws */
    double *J;    /* 6n × nv */
    double *Jdot; /* 6n × nv; needs v and J */
    double *Adot; /* 6n × 6n, dA/dt; needs v */
    double *D;    /* 6n × 6n, with A⁻¹ = I − D for moving screws: block (i, parent of i) of that A       (11) */
    hml_screws screws; /* in; 0: moving */
} hml_system;

HML_API hml_status hml_system_matrices(const hml_model *model, hml_work *work, hml_representation representation,
                                       const double *q, const double *v, const hml_system *system);

/*
 * The coordinates' velocities and accelerations from the motion of the bodies: V and A are n × 6, twists in the
 * representation and the derivatives of their components. The part of V and A that a joint does not allow is dropped,
 * joint by joint, by least squares in the body's frame: the result does not depend on the representation. With mimic
 * followers only the leader's own joint counts.
 */
HML_API hml_status hml_joint_velocities(const hml_model *model, hml_work *work, hml_representation representation,
                                        const double *q, const double *V, double *v);
HML_API hml_status hml_joint_accelerations(const hml_model *model, hml_work *work, hml_representation representation,
                                           const double *q, const double *V, const double *A, double *a);

/* ---- calibration ---- */

/*
 * Calibration: how poses and Jacobians change with the constant placements of the joints (Müller, section 6.2).
 *
 *   hml_placement_derivatives    of a frame's pose and Jacobian
 *
 * Parameters. Six for every joint j of the model, in the order of hml_model_joint: its placement in the parent's body
 * becomes origin · exp(π), π = [linear; angular] in the predecessor frame. Then six for the placement of the frame
 * itself in its body, F · exp(π). np = 6 (njoints + 1) in all. Offsets of positions need no parameters of their own:
 * their derivatives are the Jacobian's columns.
 */

/*
 * dpose: 6 × np, the twist of the frame for a unit rate of each parameter, in the representation: H⁻¹ ∂H for left, and
 * so on. dJ: np × 6 × nv, dJ[k] is the derivative of the entries of the Jacobian. Either may be NULL.
 */
HML_API hml_status hml_placement_derivatives(const hml_model *model, hml_work *work, int32_t frame,
                                             hml_representation representation, const double *q, double *dpose,
                                             double *dJ);

#endif
