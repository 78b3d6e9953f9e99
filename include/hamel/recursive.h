/*
 * The textbook recursions, for trees whose joints are groups: readable, in plain double, each proven against the
 * others. dynamics.h has the fast ones.
 *
 *   hml_recursive_size     bytes of scratch for every function here, in coriolis.h and in regressor.h
 *   hml_rnea               inverse dynamics by Newton-Euler recursion, in any of the four representations of twists
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
 * which need them. No external wrenches. Springs on joints whose group does not commute answer HML_UNSUPPORTED.
 */
HML_API hml_status hml_force_rates(const hml_model *model, void *scratch, const double *q, const double *v,
                                   const double *a, const double *jerk, const double *snap, double *tau, double *dtau,
                                   double *ddtau);

#endif
