/*
 * Derivatives of the dynamics with respect to the parameters of the model: for identification, calibration and design.
 *
 *   hml_inverse_dynamics_parameters   ∂τ/∂p at q, ν, ν̇
 *   hml_forward_dynamics_parameters   ∂ν̇/∂p = −M⁻¹ ∂τ/∂p at q, ν, τ
 *   hml_parameters_scratch_doubles    doubles of scratch that the two need
 *   hml_parameters_coordinates        coordinates of the tree, mimic followers included
 *
 * A body means one of hml_model_nbodies; the two axes of a universal joint are two bodies, the first of them massless.
 * In the order of the columns:
 *
 *   inertia     10 per body: m, m c (3), J (xx xy xz yy yz zz), first moment and rotational inertia about the origin of
 *               the body's frame. τ is linear in these: ∂τ/∂p is the regressor Y, and τ = Y p plus the forces of
 *               armature, damping, springs and external wrenches
 *   gravity     3, in the world
 *   armature, damping, stiffness   one for every coordinate of the tree
 *   placement   6 per body: the predecessor frame in the parent becomes origin · exp(π), π = [linear; angular] (Müller,
 *               section 6.2, and kinematics_derivatives.h)
 *   screw       7 per body: point + δ (3); the axis rotated about that point, ∂axis = ε × axis (3); pitch (1).
 *               Parameters that a joint does not have give zero columns: ε without an axis, pitch if the joint is not
 *               helical
 *
 * The velocity coordinates ν and ν̇ are held constant while the joints change. Matrices are row-major and packed, nv
 * rows each; NULL: not computed. The workspace must be made with HML_USE_FACTOR. Nothing is allocated.
 */
#ifndef HAMEL_PARAMETERS_H
#define HAMEL_PARAMETERS_H

#include "hamel/dynamics.h"
#include "hamel/random.h"

/* numbers per body: of its inertia, of its placement, of its joint's screw */
enum { HML_INERTIA_PARAMETERS = 10, HML_PLACEMENT_PARAMETERS = 6, HML_SCREW_PARAMETERS = 7 };

typedef struct hml_parameter_derivatives {
    size_t struct_size;
    double *inertia;   /* nv × 10 nbodies */
    double *gravity;   /* nv × 3 */
    double *armature;  /* nv × hml_parameters_coordinates */
    double *damping;   /* likewise */
    double *stiffness; /* likewise */
    double *placement; /* nv × 6 nbodies */
    double *screw;     /* nv × 7 nbodies */
} hml_parameter_derivatives;

HML_API size_t hml_parameters_scratch_doubles(const hml_model *model);
HML_API int32_t hml_parameters_coordinates(const hml_model *model);

/* a NULL: zero */
HML_API hml_status hml_inverse_dynamics_parameters(const hml_model *model, hml_work *work, const double *q,
                                                   const double *v, const double *a, const double *wrenches,
                                                   double *scratch, const hml_parameter_derivatives *derivatives);

/* tau NULL: zero */
HML_API hml_status hml_forward_dynamics_parameters(const hml_model *model, hml_work *work, const double *q,
                                                   const double *v, const double *tau, const double *wrenches,
                                                   double *scratch, const hml_parameter_derivatives *derivatives);

/* ---- regressors ---- */

/*
 * Regressors: matrices of the quantities that are linear in the inertial parameters.
 *
 *   hml_model_parameters     π, ten numbers per body
 *   hml_regressor            Y with τ = Y π + what does not depend on π
 *   hml_energy_regressor     rows with kinetic and potential energy = row · π
 *   hml_momentum_regressor   6 × 10n with momentum about the world's origin = matrix · π
 *   hml_base_parameters      which of the parameters joint forces can identify; the others are combined with them
 *
 * The parameters of a body are m, m c (3), and J about the body frame's origin: xx xy xz yy yz zz. They are ordered
 * body after body, 10·nbodies in all. Armature, damping and springs are not part of π. scratch and errors are those of
 * reference/textbook.h.
 *
 * hml_regressor is Y from the textbook, next to the energies' and the momentum's. hml_inverse_dynamics_parameters with
 * `inertia` has the same numbers, of any tree, mimic followers too; one test holds the two together.
 */

HML_API hml_status hml_model_parameters(const hml_model *model, double *parameters);

/* Y: nv × 10·nbodies */
HML_API hml_status hml_regressor(const hml_model *model, void *scratch, const double *q, const double *v,
                                 const double *a, double *Y);

/* kinetic, potential: 10·nbodies each; either may be NULL. Gravity's potential alone, zero at the world's origin */
HML_API hml_status hml_energy_regressor(const hml_model *model, void *scratch, const double *q, const double *v,
                                        double *kinetic, double *potential);

/* 6 × 10·nbodies: linear, then angular */
HML_API hml_status hml_momentum_regressor(const hml_model *model, void *scratch, const double *q, const double *v,
                                          double *regressor);

/* bytes of scratch for hml_base_parameters, aligned as a double is; 0 for a model with mimic followers */
HML_API size_t hml_base_parameters_size(const hml_model *model);

/*
 * The base parameters: a largest set of columns of Y that are independent over all motions, earlier columns first.
 * marks: 10·nbodies, 1 for the columns of the set; count: how many. A column that is not marked is a fixed combination
 * of marked ones before it. Motions are drawn with rng; with probability one the result does not depend on them.
 */
HML_API hml_status hml_base_parameters(const hml_model *model, void *scratch, hml_rng *rng, int *marks, int32_t *count);

#endif
