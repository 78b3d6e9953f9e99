/* All Jacobians at once, one state or many: pack/jacobians.h behind hamel/kinematics.h. */
#include "algo/states.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "hamel/kinematics.h"

static hml_status check(const hml_model *model, const hml_work *work, const hml_jacobian_columns *x)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !x || x->struct_size != sizeof *x || !x->q.data) {
        return HML_INVALID_ARGUMENT;
    }
    if (!output_fits(x->H, 16 * (size_t)model->nbodies) || !output_fits(x->J, (size_t)model->nv)) {
        return HML_INVALID_ARGUMENT;
    }
    return model->nfollowers ? HML_UNSUPPORTED : HML_OK;
}

static jacobian_call call_at(const hml_work *work, const hml_jacobian_columns *x, size_t first, int count)
{
    const hml_model *model = work->model;
    jacobian_call call = {.plan = model_plan(model), .scratch = work->scratch, .count = count};
    call.q = states_input(x->q, first);
    call.H = output_at(states_output(x->H, 1, 16 * (size_t)model->nbodies), first);
    call.J = output_at(states_output(x->J, 6, (size_t)model->nv), first);
    return call;
}

/* are the results of a state, in a call's pack, numbers? */
static hml_status finite_state(const hml_model *model, const jacobian_call *call, size_t l)
{
    const kernel_output H = output_at(call->H, l), J = output_at(call->J, l);
    hml_status status = H.data ? finite_array(H.data, 16 * (size_t)model->nbodies) : HML_OK;
    for (size_t r = 0; J.data && !status && r < 6; r++) status = finite_array(J.data + r * J.ld, (size_t)model->nv);
    return status;
}

/* a state that failed, in a call's pack */
static void fail(const hml_model *model, const jacobian_call *call, size_t l)
{
    output_fill_nan(output_at(call->H, l), 1, 16 * (size_t)model->nbodies);
    output_fill_nan(output_at(call->J, l), 6, (size_t)model->nv);
}

hml_status hml_jacobians(const hml_model *model, hml_work *work, const hml_jacobian_columns *arguments)
{
    hml_status status = check(model, work, arguments);
    if (status) return status;
    const kernel_choice *choice = &work->choice;
    jacobian_call call = call_at(work, arguments, 0, 1);
    status = hmli_work_check_state(model, arguments->q.data, NULL, NULL, NULL);
    if (!status) {
        const unsigned before = overflow_watch();
        if (choice->single->single_jacobians)
            choice->single->single_jacobians(&call);
        else
            choice->fallback->pack_jacobians(&call);
        if (overflow_seen(before)) status = finite_state(model, &call, 0);
    }
    if (status) fail(model, &call, 0);
    return status;
}

hml_status hml_jacobians_batch(const hml_model *model, hml_work *work, size_t n, const hml_jacobian_columns *arguments,
                               hml_status *status)
{
    hml_status worst = check(model, work, arguments);
    if (worst) return worst;
    const size_t lanes = (size_t)work->choice.batch->lanes;
    for (size_t i = 0; i < n; i += lanes) {
        const size_t count = n - i < lanes ? n - i : lanes;
        const jacobian_call call = call_at(work, arguments, i, (int)count);
        const unsigned before = overflow_watch();
        const unsigned bad_lanes = work->choice.batch->pack_jacobians(&call);
        const int overflow = overflow_seen(before);
        for (size_t l = 0; l < count; l++) {
            hml_status each = HML_OK;
            if (bad_lanes >> l & 1) {
                each = hmli_work_check_state(model, input_at(arguments->q, i + l), NULL, NULL, NULL);
            }
            if (!each && overflow) each = finite_state(model, &call, l);
            if (each) fail(model, &call, l);
            if (status) status[i + l] = each;
            if (!worst) worst = each;
        }
    }
    return worst;
}
