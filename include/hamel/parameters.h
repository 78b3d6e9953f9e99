/*
 * Derivatives of the dynamics by the numbers of the model: for identification, calibration and design.
 *
 *   hml_inverse_dynamics_parameters   ∂τ/∂p at q, ν, ν̇
 *   hml_forward_dynamics_parameters   ∂ν̇/∂p = −M⁻¹ ∂τ/∂p at q, ν, τ
 *   hml_parameters_scratch_size       doubles the two need
 *   hml_parameters_coordinates        coordinates of the tree, mimic followers included
 *
 * A body means one of hml_model_nbodies; the two axes of a universal joint are two bodies, the first of them massless.
 * In the order of the columns:
 *
 *   inertia     10 a body: m, m c (3), J (xx xy xz yy yz zz), first moment and rotational inertia about the origin of
 *               the body's frame. τ is linear in these: ∂τ/∂p is the regressor Y, and τ = Y p plus what armature,
 *               damping, springs and external wrenches make
 *   gravity     3, in the world
 *   armature, damping, stiffness   one for every coordinate of the tree
 *   placement   6 a body: the predecessor frame in the parent becomes origin · exp(π), π = [linear; angular] (Müller,
 *               section 6.2, and hamel/calibration.h)
 *   screw       7 a body: point + δ (3); the axis turned about that point, ∂axis = ε × axis (3); pitch (1). Numbers
 * that a joint does not have are zero columns: ε where there is no axis, pitch where the joint is not helical
 *
 * The velocity coordinates are held: ν and ν̇ mean what the changed joint makes of them. Matrices are row-major and
 * packed, nv rows each; NULL: not wanted. The workspace must be made with HML_USE_FACTOR. Nothing is allocated.
 */
#ifndef HAMEL_PARAMETERS_H
#define HAMEL_PARAMETERS_H

#include "hamel/dynamics.h"

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

HML_API size_t hml_parameters_scratch_size(const hml_model *model);
HML_API int32_t hml_parameters_coordinates(const hml_model *model);

/* a NULL: zero */
HML_API hml_status hml_inverse_dynamics_parameters(const hml_model *model, hml_work *work, const double *q,
                                                   const double *v, const double *a, const double *wrenches,
                                                   double *scratch, const hml_parameter_derivatives *derivatives);

/* tau NULL: zero */
HML_API hml_status hml_forward_dynamics_parameters(const hml_model *model, hml_work *work, const double *q,
                                                   const double *v, const double *tau, const double *wrenches,
                                                   double *scratch, const hml_parameter_derivatives *derivatives);

#endif
