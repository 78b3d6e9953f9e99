/* Derivatives by the placements of joints: placement_derivatives.h behind hamel/kinematics_derivatives.h. */
#include "hamel/kinematics_derivatives.h"

#include "algo/kinematics/placement_derivatives.h"
#include "algo/kinematics/scratch.h"
#include "algo/work.h"
#include "base/overflow.h"

hml_status hml_placement_derivatives(const hml_model *model, hml_work *work, int32_t frame,
                                     hml_representation representation, const double *q, double *dpose, double *dJ)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || frame < 0 || frame >= model->nframes ||
        representation < HML_LEFT || representation > HML_SPLIT) {
        return HML_INVALID_ARGUMENT;
    }
    hml_status status = hmli_work_check_state(model, q, NULL, NULL, NULL);
    if (status) return status;
    const unsigned before = overflow_watch();
    placement_derivatives(model, frame, representation, q, hmli_work_kinematics(work).path, dpose, dJ);
    const size_t np = 6 * ((size_t)model->njoints + 1);
    return OVERFLOW_STATUS(before, {dpose, 6 * np}, {dJ, 6 * np * (size_t)model->nv});
}
