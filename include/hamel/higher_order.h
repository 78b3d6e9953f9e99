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
#ifndef HAMEL_HIGHER_ORDER_H
#define HAMEL_HIGHER_ORDER_H

#include "hamel/kinematics.h"

enum { HML_ORDER_MAX = 12 };

/*
 * Time derivatives of a frame's motion, for an observer on `reference` (HML_WORLD: the world).
 *
 *   rates    (order + 1) × nv   ν, ν̇, ν̈, …: derivatives of the left-trivialized velocity
 *   twists   (order + 1) × 6    the twist, and the derivatives of its numbers: acceleration, jerk, jounce, …
 *   J        (order + 1) × 6 × nv   the Jacobian, and the derivatives of its numbers: J̇, J̈, …
 *
 * order: 0 … HML_ORDER_MAX. twists and J may be NULL.
 */
HML_API hml_status hml_frame_series(const hml_model *model, hml_work *work, int32_t frame, int32_t reference,
                                    hml_representation representation, int32_t order, const double *q,
                                    const double *rates, double *twists, double *J);

/*
 * Which screws stand in X; the rest of the product goes into A.
 *
 *   moving      the joints' columns as they are now, at their own bodies, in the representation
 *   body        X^b, the columns in the bodies' own frames: constant         J^s = A^sb X^b of (112) is this in right
 *   reference   Y, the columns in the world where every joint is at its identity: constant             A^s Y^s of (112)
 */
typedef enum hml_screws { HML_SCREWS_MOVING = 0, HML_SCREWS_BODY = 1, HML_SCREWS_REFERENCE = 2 } hml_screws;

/*
 * Müller's system matrices, dense, for all n = nbodies bodies at once. They are there to be looked at and to judge
 * faster code by: time and memory grow with n². Rows are bodies, six each, joints as columns of J and X.
 *
 *   J = A X        J̇ = Ȧ X + A a X for moving screws, J̇ = Ȧ X for constant ones and in left
 *
 * With moving screws, block (i, j) of A, body j on the way to i:
 *
 *   left    X_ij, and X is constant: the joints' own columns S; a: ad of S_i ν_i. Also J̇ = −A a (J − X): for joints of
 *           one coordinate a X = 0, and (8) follows as printed
 *   right   the identity; X: the columns in the world; a: ad of V_i                                          (18), (19)
 *   mixed   moves the point from o_j to o_i; X: the columns at their bodies' origins, in the world's axes; a: ad of ω_i
 *   split   the same, with angular parts turned from body j into body i; a turns the linear parts alone
 */
typedef struct hml_system {
    size_t struct_size;
    double *A;    /* 6n × 6n */
    double *X;    /* 6n × nv */
    double *a;    /* 6n × 6n, block diagonal; needs v; the same whatever the screws */
    double *J;    /* 6n × nv */
    double *Jdot; /* 6n × nv; needs v and J */
    double *Adot; /* 6n × 6n, dA/dt; needs v */
    double *D;    /* 6n × 6n, with A⁻¹ = I − D for moving screws: block (i, parent of i) of that A       (11) */
    hml_screws screws; /* in; 0: moving */
} hml_system;

HML_API hml_status hml_system_matrices(const hml_model *model, hml_work *work, hml_representation representation,
                                       const double *q, const double *v, hml_system *system);

/*
 * The coordinates' velocities and accelerations from the motion of the bodies: V and A are n × 6, twists in the
 * representation and the derivatives of their numbers. What of them no joint can do is dropped, joint by joint, in the
 * sense of least squares in the body's frame: the answer does not depend on the representation. With mimic followers
 * the leader's own joint decides.
 */
HML_API hml_status hml_joint_velocities(const hml_model *model, hml_work *work, hml_representation representation,
                                        const double *q, const double *V, double *v);
HML_API hml_status hml_joint_accelerations(const hml_model *model, hml_work *work, hml_representation representation,
                                           const double *q, const double *V, const double *A, double *a);

#endif
