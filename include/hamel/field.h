/*
 * The general statement: linearizing any field on a product of groups (Bos, (8)-(13)).
 *
 *   ġ = g λ(g, u, t)        ż = A z + B w        A = Dλ∘DL_g − ad_λ        B = ∂λ/∂u
 *
 * g is a list of factors, each one of the groups of hml_joint_type, in the numbers of a joint's position; λ ∈ ℝᵐ is the
 * left-trivialized velocity, factor after factor, in the numbers of a joint's velocity. A perturbation is g·exp(z), and
 * DL_g says that λ is differentiated along it. ℝⁿ is n factors HML_JOINT_PRISMATIC, or HML_JOINT_TRANSLATION3 and so
 * on.
 *
 *   hml_field_nq, hml_field_nv    numbers of g and of λ
 *   hml_field_scratch_doubles     doubles of scratch
 *   hml_field_linearize           λ, A, B at (g, u, t)
 *
 * The robots of this library are one such field, g = (q, ν) and λ = (ν, ν̇), and hml_linearize is far faster for them.
 * This is for everything else: kinematic models, filters, actuators and controllers with a state of their own, in
 * series with a robot or not.
 */
#ifndef HAMEL_FIELD_H
#define HAMEL_FIELD_H

#include <stddef.h>

#include "hamel/model.h"

/* λ(g, u, t); anything but HML_OK ends the computation and is returned */
typedef hml_status hml_field_velocity(void *user, const double *g, const double *u, double t, double *lambda);

/*
 * Dg: m × m, column k the derivative of λ along g·exp(s e_k) at s = 0. Du: m × ninputs. Row-major, packed, set to zero
 * before the call; NULL: not computed.
 */
typedef hml_status hml_field_derivatives(void *user, const double *g, const double *u, double t, double *Dg,
                                         double *Du);

typedef struct hml_field {
    size_t struct_size;
    size_t nfactors;
    const hml_joint_type *factors; /* never universal, which is not a group */
    size_t ninputs;
    hml_field_velocity *velocity;
    hml_field_derivatives *derivatives; /* NULL: differences */
    double step;                        /* of the differences; 0: 1/64 */
    void *user;
} hml_field;

HML_API size_t hml_field_nq(const hml_field *field);
HML_API size_t hml_field_nv(const hml_field *field);
HML_API size_t hml_field_scratch_doubles(const hml_field *field);

/*
 * lambda: m, A: m × m, B: m × ninputs, packed; NULL: not computed. u may be NULL where there are no inputs.
 *
 * Without derivatives, central differences of eighth order along exp are taken: 8 calls per column.
 * With step s (inputs larger than one: s|u|) the error is about ε|λ|·2/s from round-off and s⁸|λ⁽⁹⁾|/630 from
 * truncation: at 1/64, thirteen digits of a field that changes over lengths and angles near one. For a field that
 * changes over a length ℓ take ℓ/64. The field must be smooth within four steps.
 */
HML_API hml_status hml_field_linearize(const hml_field *field, const double *g, const double *u, double t,
                                       double *scratch, double *lambda, double *A, double *B);

#endif
