/* Series of a frame's motion: motion_series.h behind hamel/kinematics_derivatives.h. */
#include "hamel/kinematics_derivatives.h"

#include "algo/kinematics/motion_series.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "group/arrays.h"

_Static_assert((int)HML_ORDER_MAX == (int)SERIES_MAX, "the public bound is the one of the series");

hml_status hml_frame_series(const hml_model *model, hml_work *work, int32_t frame, int32_t reference,
                            hml_representation representation, int32_t order, const double *q, const double *rates,
                            double *twists, double *J)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !rates || order < 0 || order > SERIES_MAX) {
        return HML_INVALID_ARGUMENT;
    }
    if (frame < 0 || frame >= model->nframes || reference < HML_WORLD || reference >= model->nframes ||
        representation < HML_LEFT || representation > HML_SPLIT) {
        return HML_INVALID_ARGUMENT;
    }
    const size_t nv = (size_t)model->nv;
    state_series state = {.q = q};
    jacobian_series series = {.order = order, .nv = model->nv};
    twist V[SERIES_LENGTH];
    for (size_t n = 0; n <= (size_t)order; n++) {
        TRY(hmli_work_check_state(model, q, rates + n * nv, NULL, NULL));
        state.rates[n] = rates + n * nv;
        series.J[n] = J ? J + n * 6 * nv : NULL;
    }
    frame_series(model, frame, reference, representation, &state, order, V, J ? &series : NULL);
    for (size_t n = 0; twists && n <= (size_t)order; n++) write_twist(V[n], twists + 6 * n);
    return FINITE_STATUS({twists, 6 * ((size_t)order + 1)}, {J, 6 * nv * ((size_t)order + 1)});
}
