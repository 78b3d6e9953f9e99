/* Poses of all bodies, one state or many: pack/jacobians.h and single/poses.h behind hamel/kinematics.h. */
#include "algo/states.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "hamel/kinematics.h"
#include "hamel/linearize.h"
#include "model/mimic.h"

static jacobian_call pose_call(const hml_work *work, const double *q, double *H)
{
    jacobian_call call = {.plan = model_plan(work->model), .scratch = work->scratch, .count = 1};
    call.q.data = q;
    call.H.data = H;
    if (work->model->nfollowers) {
        model_expand_q(work->model, q, work->tree);
        call.q.data = work->tree;
        call.skip_checks = 1;
    }
    return call;
}

hml_status hml_body_poses(const hml_model *model, hml_work *work, const double *q, double *H)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !H) return HML_INVALID_ARGUMENT;
    if (model->nfollowers) {
        hml_status status = hmli_work_check_state(model, q, NULL, NULL, NULL);
        if (status) return status;
    }
    const jacobian_call call = pose_call(work, q, H);
    const unsigned before = overflow_watch();
    const unsigned suspect = work->choice.single->single_poses(&call);
    hml_status large = OVERFLOW_STATUS(before, {H, 16 * (size_t)model->nbodies});
    hml_status status = suspect ? hmli_work_check_state(model, q, NULL, NULL, NULL) : HML_OK;
    return status ? status : large;
}

hml_status hml_body_poses_batch(const hml_model *model, hml_work *work, size_t n, hml_input q, hml_output H,
                                hml_status *status)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q.data || !H.data) return HML_INVALID_ARGUMENT;
    const size_t row = 16 * (size_t)model->nbodies, lanes = model->nfollowers ? 1 : (size_t)work->choice.batch->lanes;
    const kernel_output out = states_output(H, 1, row);
    if (!output_fits(H, row)) return HML_INVALID_ARGUMENT;
    hml_status worst = HML_OK;
    for (size_t i = 0; i < n; i += lanes) {
        const size_t count = n - i < lanes ? n - i : lanes;
        jacobian_call call = pose_call(work, input_at(q, i), NULL);
        unsigned bad_lanes = 1;
        call.count = (int)count;
        call.q.stride = q.stride;
        call.H = output_at(out, i);
        const unsigned before = overflow_watch();
        if (model->nfollowers)
            work->choice.single->single_poses(&call);
        else
            bad_lanes = work->choice.batch->pack_poses(&call);
        const int overflow = overflow_seen(before);
        for (size_t l = 0; l < count; l++) {
            hml_status each = HML_OK;
            if (bad_lanes >> l & 1) each = hmli_work_check_state(model, input_at(q, i + l), NULL, NULL, NULL);
            if (!each && overflow) each = finite_array(output_at(out, i + l).data, row);
            if (each) output_fill_nan(output_at(out, i + l), 1, row);
            if (status) status[i + l] = each;
            if (!worst) worst = each;
        }
    }
    return worst;
}
