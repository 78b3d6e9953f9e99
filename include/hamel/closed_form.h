/*
 * The equations of motion in closed form: every body's Newton-Euler equations, projected on what its joints allow.
 *
 *   hml_euler_jourdain        τ = Σ J_iᵀ (M_i V̇_i − ad_{V_i}ᵀ M_i V_i − W_i), in the bodies' frames       Müller (78)
 *   hml_body_momenta          Π_i = M_i J_i ν, in the world                                              (79), line 2
 *   hml_momentum_velocities   ν from Π, the same line solved
 *   hml_body_momentum_rates   Π̇_i along a motion, in the world                                                (36),
 * (79) hml_momentum_dynamics     ν and Π̇ from q, Π and τ: (79) as a system of first order hml_momentum_forces       τ =
 * Σ J_iᵀ (Π̇_i − W_i), in the world                                       (79), line 1
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
 * ν whose momenta these are. For momenta that no motion has, the one that leaves the least kinetic energy,
 * Σ ½ (Π_i − M_i J_i ν)ᵀ M_i⁺ (Π_i − M_i J_i ν): a robot with a free base keeps the total momentum of Π. A body's
 * inertia may be singular, that of the cross of a universal joint or of a point mass, as long as all bodies together
 * determine ν; HML_SINGULAR where they do not. Armature is no part of Π.
 */
HML_API hml_status hml_momentum_velocities(const hml_model *model, void *scratch, const double *q,
                                           const double *momenta, double *v);

/* rates: nbodies × 6, dΠ/dt where ν changes with a: Π̇_i = W_i in the world, all that acts on body i */
HML_API hml_status hml_body_momentum_rates(const hml_model *model, void *scratch, const double *q, const double *v,
                                           const double *a, double *rates);

/*
 * (79) solved for both of its unknowns: v (nv), with which q moves, and rates (nbodies × 6), with which Π changes,
 * under joint forces tau (nv, or NULL) and wrenches; weights, damping, springs and armature count as in hml_aba.
 * Integrated, by whatever scheme, the sum of Π changes as the outer forces say, to rounding; the single Π_i drift away
 * from M_i J_i ν with the error of the scheme. HML_SCHEME_MOMENTUM of integrate.h does without that drift: it carries
 * as many momenta as there are velocities.
 */
HML_API hml_status hml_momentum_dynamics(const hml_model *model, void *scratch, const double *q, const double *momenta,
                                         const double *tau, const double *wrenches, double *v, double *rates);

/*
 * rates: nbodies × 6, dΠ/dt. W is the bodies' weight and the external wrenches. Armature, damping and springs act on
 * joints, not on bodies: they are no part of this τ.
 */
HML_API hml_status hml_momentum_forces(const hml_model *model, void *scratch, const double *q, const double *rates,
                                       const double *wrenches, double *tau);

#endif
