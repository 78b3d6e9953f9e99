/*
 * The textbook recursions, for trees whose joints are groups: readable, in plain double, each proven against the
 * others. dynamics.h has the fast ones.
 *
 *   hml_recursive_size     bytes of scratch for every function here, in coriolis.h and in regressor.h
 *   hml_rnea               inverse dynamics by Newton-Euler recursion, in any of the four representations of twists
 *   hml_joint_wrenches     what every joint carries: its whole wrench, the reaction in it, the ground's share
 *   hml_crba               M by composite bodies, in the bodies' frames or in the root's
 *   hml_aba                forward dynamics by articulated bodies
 *   hml_hybrid_dynamics    some joints prescribed in acceleration, the others in force
 *   hml_force_rates        τ, τ̇, τ̈ along a motion
 *
 * ν is left-trivialized throughout; a representation says in which form the recursion carries its twists, not what the
 * caller hands over. wrenches: nbodies × 6 in the bodies' frames, or NULL. Armature, damping and springs count as in
 * dynamics.h. Models with mimic followers answer HML_UNSUPPORTED, NaN and infinity HML_NOT_FINITE, quaternions that are
 * not unit HML_NOT_NORMALIZED. scratch is aligned as a double is; nothing allocates. Matrices are row-major, packed.
 */
#ifndef HAMEL_RECURSIVE_H
#define HAMEL_RECURSIVE_H

#include "hamel/model.h"
#include "hamel/representation.h"

/* 0 for a model with mimic followers */
HML_API size_t hml_recursive_size(const hml_model *model);

/*
 * left: twists in the body (Müller, section 4.1); right: in the world at its origin (4.2), which costs digits far away
 * from there; mixed: at the body's origin in the world's axes (4.3, his hybrid); split: ṙ in the world, ω in the body
 * (his mixed, which he leaves out).
 */
HML_API hml_status hml_rnea(const hml_model *model, void *scratch, hml_representation representation, const double *q,
                            const double *v, const double *a, const double *wrenches, double *tau);

/*
 * What joints carry along a motion q, ν, ν̇ under external wrenches. NULL: not wanted.
 *
 * W_i is the wrench that the predecessor exerts on body i through joint i: Müller (67a), (71b), (76b). Cut body i out,
 * and what acts on it is W_i, minus the W of its children, its weight and its external wrench: (77). The joint lets the
 * part Sᵀ W_i through as a force along its freedom; the rest is the reaction W^c_i, which does no work on the joint,
 * Sᵀ W^c_i = 0. How the part that works is applied is a matter of construction: here a coordinate that slides pushes
 * along its axis, and one that turns, a helical joint's too, twists about it. Armature is a number on M's diagonal and
 * presses on no bearing.
 */
typedef struct hml_joint_loads {
    size_t struct_size;
    double *wrenches;  /* nbodies × 6: W, in the representation, dual to the body's twist */
    double *reactions; /* nbodies × 6: W^c, in the same form */
    double *forces; /* nv: SᵀW, all that acts along the coordinate: τ − armature · ν̇ − damping · ν − springs */
    double *components; /* nbodies × 6: W in the joint's own frame: forces along x, y, z, torques about them */
    double *frames; /* nbodies × 16: that frame in the world. It is fixed in the body, its origin is the joint's point;
                       z is the axis of a joint that has one, else its axes are those of the body */
    double *ground; /* 6: the sum of W over the bodies that hang on the world, there, about its origin */
} hml_joint_loads;

HML_API hml_status hml_joint_wrenches(const hml_model *model, void *scratch, hml_representation representation,
                                      const double *q, const double *v, const double *a, const double *wrenches,
                                      hml_joint_loads *loads);

typedef enum hml_crba_frame {
    HML_CRBA_BODY = 0, /* inertias and columns move from body to body */
    HML_CRBA_ROOT = 1  /* everything in the frame of the tree's root */
} hml_crba_frame;

HML_API hml_status hml_crba(const hml_model *model, void *scratch, hml_crba_frame frame, const double *q, double *M);

/* HML_SINGULAR if M is */
HML_API hml_status hml_aba(const hml_model *model, void *scratch, const double *q, const double *v, const double *tau,
                           const double *wrenches, double *a);

/*
 * prescribed: one number a body of the model; not 0 where its joint's accelerations are given in a and its forces are
 * wanted in tau, 0 where it is the other way round. Both arrays are nv long, and filled up.
 */
HML_API hml_status hml_hybrid_dynamics(const hml_model *model, void *scratch, const int *prescribed, const double *q,
                                       const double *v, const double *wrenches, double *a, double *tau);

/*
 * τ and its first two derivatives from ν̇, ν̈, ν⃛ (Müller, section 6.3), in O(n): for drives with elastic transmissions,
 * which need them. wrenches: 3 × nbodies × 6, the external wrenches in the bodies' frames and the first two derivatives
 * of these numbers, or NULL; of a wrench that keeps its direction in the world they do not vanish. Outputs may be NULL.
 */
HML_API hml_status hml_force_rates(const hml_model *model, void *scratch, const double *q, const double *v,
                                   const double *a, const double *jerk, const double *snap, const double *wrenches,
                                   double *tau, double *dtau, double *ddtau);

#endif
