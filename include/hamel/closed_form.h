/*
 * The equations of motion in closed form: every body's Newton-Euler equations, projected on what its joints allow.
 *
 *   hml_euler_jourdain        τ = Σ J_iᵀ (M_i V̇_i − ad_{V_i}ᵀ M_i V_i − W_i), in the bodies' frames       Müller (78)
 *   hml_body_momenta          Π_i = M_i J_i ν, in the world                                              (79), line 2
 *   hml_momentum_velocities   ν from Π, the same line solved
 *   hml_momentum_forces       τ = Σ J_iᵀ (Π̇_i − W_i), in the world                                       (79), line 1
 *
 * They go by the names of Euler and Jourdain, of Kane, whose partial velocities the columns of J are, and of the
 * natural orthogonal complement. In (78) no twist, acceleration or wrench is handed from body to body: a body costs as
 * much as it has joints between itself and the root. hamel/recursive.h does the same work in O(n).
 *
 * scratch, wrenches and errors are those of recursive.h.
 */
#ifndef HAMEL_CLOSED_FORM_H
#define HAMEL_CLOSED_FORM_H

#include "hamel/model.h"

/* inverse dynamics, with all that hml_rnea has in it */
HML_API hml_status hml_euler_jourdain(const hml_model *model, void *scratch, const double *q, const double *v,
                                      const double *a, const double *wrenches, double *tau);

/* momenta: nbodies × 6, linear, then angular about the world's origin */
HML_API hml_status hml_body_momenta(const hml_model *model, void *scratch, const double *q, const double *v,
                                    double *momenta);

/*
 * ν whose momenta these are, from the root to the leaves: with hml_momentum_forces, (79) is a system of first order in
 * q and Π. For momenta that no motion has, ν is the nearest joint by joint. HML_SINGULAR where a body has no mass or no
 * moment of inertia, the cross of a universal joint for example: its motion leaves no trace in Π.
 */
HML_API hml_status hml_momentum_velocities(const hml_model *model, void *scratch, const double *q,
                                           const double *momenta, double *v);

/*
 * rates: nbodies × 6, dΠ/dt. W is the bodies' weight and the external wrenches. Armature, damping and springs act on
 * joints, not on bodies: they are no part of this τ.
 */
HML_API hml_status hml_momentum_forces(const hml_model *model, void *scratch, const double *q, const double *rates,
                                       const double *wrenches, double *tau);

#endif
