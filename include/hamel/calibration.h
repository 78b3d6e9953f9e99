/*
 * Calibration: how poses and Jacobians change with the constant placements of the joints (Müller, section 6.2).
 *
 *   hml_placement_derivatives    of a frame's pose and Jacobian
 *
 * Parameters. Six for every joint j of the model, in the order of hml_model_joint: its placement in the parent's body
 * becomes origin · exp(π), π = [linear; angular] in the predecessor frame. Then six for the placement of the frame
 * itself in its body, F · exp(π). np = 6 (njoints + 1) in all. Offsets of positions need no parameters of their own:
 * their derivatives are the Jacobian's columns.
 */
#ifndef HAMEL_CALIBRATION_H
#define HAMEL_CALIBRATION_H

#include "hamel/kinematics.h"

/*
 * dpose: 6 × np, the twist of the frame for a unit rate of each parameter, in the representation: H⁻¹ ∂H for left, and
 * so on. dJ: np × 6 × nv, dJ[k] is the derivative of the numbers of the Jacobian. Either may be NULL.
 */
HML_API hml_status hml_placement_derivatives(const hml_model *model, hml_work *work, int32_t frame,
                                             hml_representation representation, const double *q, double *dpose,
                                             double *dJ);

#endif
