/*
 * The reference linearization: Bos, Tables 4 to 9, line by line.
 *
 *   hml_reference_size                           bytes of scratch
 *   hml_reference_inverse_dynamics               EIDAmb, Table 4: the extended inverse dynamics [τ_b; τ]
 *   hml_reference_consistent_dynamics            the same with the base's acceleration made consistent, Definition 3.1
 *   hml_reference_inverse_dynamics_derivatives   Tables 5 to 8
 *   hml_reference_inverse_mass_matrix            IMMAmb, Table 9
 *   hml_reference_linearize                      A and B of (22), (31), (42)
 *   hml_reference_check                          whether the paper covers such a robot, and if not, why
 *   hml_reference_model                          the nearest robot that it covers
 *
 * These are the paper's algorithms as the paper writes them, in plain double, to be read beside it and to check the
 * fast ones with. They cost O(n³) and more memory than they need. For real work use hml_linearize.
 *
 * They cover the robots of the paper: one free root on the world, every other joint revolute, prismatic or helical (or
 * two of those in a universal joint), no armature, damping or springs, no followers, no external wrenches. Other robots
 * give HML_UNSUPPORTED. The centre of the free root may lie anywhere in its body: the paper's base frame is then the
 * one at that point, and its velocity is the joint's. Quaternions are assumed to be unit. The order is base first,
 * [H; s] and [v; r], as everywhere in the library.
 *
 * scratch: hml_reference_size bytes, aligned as a double is. Nothing allocates. Matrices are row-major and packed.
 */
#ifndef HAMEL_REFERENCE_BOS_H
#define HAMEL_REFERENCE_BOS_H

#include "hamel/model.h"
#include "hamel/se3.h"

/* bytes; 0 for a model that the tables do not cover */
HML_API size_t hml_reference_size(const hml_model *model);

/* HML_OK if the tables cover the robot; else HML_UNSUPPORTED, and the error names the joint and the reason */
HML_API hml_status hml_reference_check(const hml_model *model, hml_error *error);

/*
 * A robot that the tables cover, made from any other; the caller frees it. It is not the same robot any more:
 *
 *   - armature, damping and springs are dropped; followers are independent joints;
 *   - a joint of several coordinates becomes a chain of joints of one coordinate with massless links between them:
 *     prismatic along x, y, z, then revolute about them. The last joint keeps the name, those before it are name.0,
 *     name.1, … Coordinates that are lengths and angles keep their values; a rotation in space becomes three angles, x,
 *     then y, then z;
 *   - if no root is free, the world becomes the free base: a body with the inertia of what is fixed to the world, plus
 *     `base` (NULL: nothing). HML_UNSUPPORTED if that has no mass.
 *
 * Shapes are kept, and so are the limits of coordinates that are kept. HML_UNSUPPORTED for several roots of which one
 * is free.
 */
HML_API hml_status hml_reference_model(const hml_model *model, const hml_inertia_spec *base, hml_model **result,
                                       hml_error *error);

/* τ = [τ_b; τ_j] at q, ν, ν̇: Table 4 */
HML_API hml_status hml_reference_inverse_dynamics(const hml_model *model, void *scratch, const double *q,
                                                  const double *v, const double *a, double *tau);

/*
 * The joints alone move the base: the first six entries of a are not read but written, so that τ_b = 0. a holds ν̇,
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

/* nv × nv; HML_SINGULAR if M is singular */
HML_API hml_status hml_reference_inverse_mass_matrix(const hml_model *model, void *scratch, const double *q,
                                                     double *Minv);

/* a: nv; A: 2nv × 2nv; B: 2nv × nv, all columns. tau may be NULL: zero */
HML_API hml_status hml_reference_linearize(const hml_model *model, void *scratch, const double *q, const double *v,
                                           const double *tau, double *a, double *A, double *B);

#endif
