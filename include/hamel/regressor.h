/*
 * Regressors: what is linear in the inertial parameters, as a matrix.
 *
 *   hml_parameters           π, ten numbers a body
 *   hml_model_set_parameters the same numbers put back, or others, in place
 *   hml_regressor            Y with τ = Y π + what does not depend on π
 *   hml_energy_regressor     rows with kinetic and potential energy = row · π
 *   hml_momentum_regressor   6 × 10n with momentum about the world's origin = matrix · π
 *   hml_base_parameters      which of the parameters joint forces can tell, the others being lumped with them
 *
 * The parameters of a body are m, m c (3), and J about the body frame's origin: xx xy xz yy yz zz. They are ordered
 * body after body, 10·nbodies in all. Armature, damping and springs are no part of π. scratch and errors are those of
 * recursive.h.
 */
#ifndef HAMEL_REGRESSOR_H
#define HAMEL_REGRESSOR_H

#include "hamel/random.h"

enum { HML_BODY_PARAMETERS = 10 };

HML_API hml_status hml_parameters(const hml_model *model, double *parameters);

/*
 * Bodies first … first + count − 1 get these parameters, 10·count of them; before the model is shared. A negative mass,
 * or a first moment without a mass, is refused with HML_BAD_MODEL, NaN with HML_NOT_FINITE; the model stays as it was.
 * Whether a body can be like that is a question for hml_inertia_check: fitted parameters need not be.
 */
HML_API hml_status hml_model_set_parameters(hml_model *model, int32_t first, int32_t count, const double *parameters);

/* Y: nv × 10·nbodies */
HML_API hml_status hml_regressor(const hml_model *model, void *scratch, const double *q, const double *v,
                                 const double *a, double *Y);

/* kinetic, potential: 10·nbodies each; either may be NULL. Gravity's potential alone, zero at the world's origin */
HML_API hml_status hml_energy_regressor(const hml_model *model, void *scratch, const double *q, const double *v,
                                        double *kinetic, double *potential);

/* 6 × 10·nbodies: linear, then angular */
HML_API hml_status hml_momentum_regressor(const hml_model *model, void *scratch, const double *q, const double *v,
                                          double *regressor);

/* doubles of memory for hml_base_parameters */
HML_API size_t hml_base_parameters_size(const hml_model *model);

/*
 * The base parameters: a largest set of columns of Y that are independent over all motions, earlier columns first.
 * marks: 10·nbodies, 1 for the columns of the set; count: how many. A column that is not marked is a fixed combination
 * of marked ones before it. Motions are drawn with rng; the answer does not depend on them but with probability zero.
 */
HML_API hml_status hml_base_parameters(const hml_model *model, void *scratch, hml_rng *rng, double *memory, int *marks,
                                       int32_t *count);

#endif
