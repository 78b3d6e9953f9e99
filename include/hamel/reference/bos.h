/*
 * The reference linearization: Bos, Tables 4 to 9, line by line.
 *
 *   hml_reference_size                           bytes of scratch
 *   hml_reference_inverse_dynamics               EIDAmb, Table 4: the extended inverse dynamics [τ_b; τ]
 *   hml_reference_consistent_dynamics            the same with the base's acceleration made consistent, Definition 3.1
 *   hml_reference_inverse_dynamics_derivatives   Tables 5 to 8
 *   hml_reference_inverse_mass_matrix            IMMAmb, Table 9
 *   hml_reference_linearize                      A and B of (22), (31), (42)
 *   hml_reference_check                          does the paper know such a robot? If not, why?
 *   hml_reference_model                          the nearest robot that it knows
 *
 * These are the paper's algorithms as the paper writes them, in plain double, to be read beside it and to check the
 * fast ones with. They cost O(n³) and more memory than they need. Use hml_linearize to get work done.
 *
 * They know robots as the paper has them: one free root on the world, every other joint revolute, prismatic or helical
 * (or two of those in a universal joint), no armature, damping or springs, no followers, no external wrenches; others
 * answer HML_UNSUPPORTED. The centre of the free root may lie anywhere in its body: the paper's base frame is then the
 * one at that point, and its velocity is the joint's. Quaternions are taken as unit. The order is base first, [H; s]
 * and [v; r], as everywhere in the library.
 *
 * scratch: hml_reference_size bytes, aligned as a double is. Nothing allocates. Matrices are row-major and packed.
 */
#ifndef HAMEL_REFERENCE_BOS_H
#define HAMEL_REFERENCE_BOS_H

#include "hamel/model.h"
#include "hamel/se3.h"

/* 0 for a model that is not of this kind */
HML_API size_t hml_reference_size(const hml_model *model);

/* HML_OK if the tables know the robot; else HML_UNSUPPORTED, and the error names the joint and what it has too much */
HML_API hml_status hml_reference_check(const hml_model *model, hml_error *error);

/*
 * A robot that the tables know, made from any other, for the caller to free. It is not the same robot any more:
 *
 *   - armature, damping and springs are gone; followers are joints of their own;
 *   - a joint of several coordinates is a chain of joints of one, massless links between them: it slides along x, y, z,
 *     then turns about them. The last joint keeps the name, those before it are name.0, name.1, … Positions that are
 *     lengths and angles stay the same numbers; a rotation in space becomes three angles, x, then y, then z;
 *   - where no root is free, the world becomes the free base: a body with the inertia of what is fixed to the world,
 * and `base` on top of it (NULL: nothing). Without a mass there is no such base: HML_UNSUPPORTED.
 *
 * Shapes stay, limits stay where a coordinate does. HML_UNSUPPORTED for several roots of which one is free.
 */
HML_API hml_status hml_reference_model(const hml_model *model, const hml_inertia_spec *base, hml_model **result,
                                       hml_error *error);

/* τ = [τ_b; τ_j] at q, ν, ν̇: Table 4 */
HML_API hml_status hml_reference_inverse_dynamics(const hml_model *model, void *scratch, const double *q,
                                                  const double *v, const double *a, double *tau);

/*
 * The base is moved by its joints alone: a's first six numbers are not read but written, so that τ_b = 0. a holds ν̇,
 * base first; Definition 3.1 and the remark under Table 4.
 */
HML_API hml_status hml_reference_consistent_dynamics(const hml_model *model, void *scratch, const double *q,
                                                     const double *v, double *a, double *tau);

/*
 * ∂τ/∂(H, s) and ∂τ/∂(v, r), nv × nv each. held says which base velocity stays as it is while H changes: HML_LEFT is
 * the v of the state (Propositions 1 and 3), HML_RIGHT is ᴬv, which Table 5 holds as it is printed.
 */
HML_API hml_status hml_reference_inverse_dynamics_derivatives(const hml_model *model, void *scratch,
                                                              hml_representation held, const double *q, const double *v,
                                                              const double *a, double *dtau_dq, double *dtau_dv);

/* nv × nv; HML_SINGULAR if M is */
HML_API hml_status hml_reference_inverse_mass_matrix(const hml_model *model, void *scratch, const double *q,
                                                     double *Minv);

/* a: nv; A: 2nv × 2nv; B: 2nv × nv, all columns. tau may be NULL: zero */
HML_API hml_status hml_reference_linearize(const hml_model *model, void *scratch, const double *q, const double *v,
                                           const double *tau, double *a, double *A, double *B);

#endif
