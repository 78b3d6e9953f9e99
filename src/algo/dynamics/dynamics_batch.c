/* Dynamics of many states: see hamel/dynamics.h. */
#include "hamel/dynamics.h"

#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/for_each_pack.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/struct_size.h"

/* M⁻¹ of all states; returns those that failed */
static unsigned inverse_mass(const hml_work *work, const kernel_call *call)
{
    if (!work->choice.one_by_one) return work->choice.batch->pack_inverse_mass_matrix(call);
    unsigned failed = 0;
    for (int l = 0; l < call->count; l++) {
        kernel_call one = *call;
        one.count = 1;
        one.q.data += (size_t)l * call->q.stride;
        one.Minv = output_at(call->Minv, (size_t)l);
        if (hmli_work_check_state(work->model, one.q.data, NULL, NULL, NULL))
            failed |= 1u << l;
        else if (work->choice.single->single_inverse_mass_matrix(&one))
            failed |= work->choice.fallback->pack_inverse_mass_matrix(&one) << l;
    }
    return failed;
}

/* M of all states, in packs that may be narrower; returns those that failed */
static unsigned mass(const hml_work *work, const kernel_call *call)
{
    const int lanes = work->choice.batch_matrices->lanes;
    unsigned failed = 0;
    for (int l = 0; l < call->count; l += lanes) {
        kernel_call part = *call;
        part.count = call->count - l < lanes ? call->count - l : lanes;
        part.q.data += (size_t)l * call->q.stride;
        part.M = output_at(call->M, (size_t)l);
        failed |= work->choice.batch_matrices->pack_mass_matrix(&part) << l;
    }
    return failed;
}

/* a batch, as for_each_pack hands it around */
typedef struct batch {
    const hml_work *work;
    const hml_dynamics_states *x;
    kernel_output acceleration, torque, M, Minv, dtau_dq, dtau_dv;
} batch;

static hml_status check(const void *data, size_t state)
{
    const batch *b = data;
    const hml_dynamics_states *x = b->x;
    const double *q = input_at(x->q, state);
    hml_status status = hmli_work_check_state(b->work->model, q, input_at(x->v, state), input_at(x->tau, state),
                                              input_at(x->wrenches, state));
    return status ? status : hmli_work_check_state(b->work->model, q, input_at(x->a, state), NULL, NULL);
}

static hml_status finite(const void *data, size_t state)
{
    const batch *b = data;
    const size_t nv = (size_t)b->work->model->nv;
    hml_status status = output_finite(output_at(b->acceleration, state), 1, nv);
    if (!status) status = output_finite(output_at(b->torque, state), 1, nv);
    if (!status) status = output_finite(output_at(b->M, state), nv, nv);
    if (!status) status = output_finite(output_at(b->Minv, state), nv, nv);
    if (!status) status = output_finite(output_at(b->dtau_dq, state), nv, nv);
    if (!status) status = output_finite(output_at(b->dtau_dv, state), nv, nv);
    return status;
}

static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    const size_t nv = (size_t)b->work->model->nv;
    (void)status; /* only states that failed come here */
    output_fill_nan(output_at(b->acceleration, state), 1, nv);
    output_fill_nan(output_at(b->torque, state), 1, nv);
    output_fill_nan(output_at(b->M, state), nv, nv);
    output_fill_nan(output_at(b->Minv, state), nv, nv);
    output_fill_nan(output_at(b->dtau_dq, state), nv, nv);
    output_fill_nan(output_at(b->dtau_dv, state), nv, nv);
}

/* ν̇ and M⁻¹ */
static unsigned run_forward(const batch *b, const kernel_call *call, size_t first)
{
    const hml_work *work = b->work;
    unsigned failed = 0;
    kernel_call forward = *call;
    forward.tau = states_input(b->x->tau, first);
    forward.acceleration = output_at(b->acceleration, first);
    forward.Minv = output_at(b->Minv, first);
    if (work->model->nfollowers) return hmli_mimic_linearize(work, &forward);
    if (b->acceleration.data) failed |= work->choice.batch->pack_forward_dynamics(&forward);
    forward.tau.data = NULL; /* M⁻¹ does not read them, and so must not look at them either */
    if (b->Minv.data) failed |= inverse_mass(work, &forward);
    return failed;
}

/* zeros: the kernel does not write entries between different branches */
static void clear(kernel_output out, size_t n, int count)
{
    for (size_t l = 0; out.data && l < (size_t)count; l++) {
        for (size_t r = 0; r < n; r++) memset(out.data + l * out.stride + r * out.ld, 0, n * sizeof(double));
    }
}

/* τ, M and the derivatives of τ */
static unsigned run_inverse(const batch *b, const kernel_call *call, size_t first)
{
    const hml_work *work = b->work;
    unsigned failed = 0;
    kernel_call inverse = *call;
    inverse.a = states_input(b->x->a, first);
    inverse.torque = output_at(b->torque, first);
    inverse.M = output_at(b->M, first);
    inverse.dtau_dq = output_at(b->dtau_dq, first), inverse.dtau_dv = output_at(b->dtau_dv, first);
    if (work->model->nfollowers) {
        hmli_mimic_inverse_dynamics(work, &inverse);
        return 0;
    }
    if (b->torque.data) failed |= work->choice.batch->pack_inverse_dynamics(&inverse);
    if (b->M.data) failed |= mass(work, &inverse);
    if (b->dtau_dq.data || b->dtau_dv.data) {
        inverse.torque.data = inverse.M.data = NULL; /* they are there */
        clear(inverse.dtau_dq, (size_t)work->model->nv, call->count);
        clear(inverse.dtau_dv, (size_t)work->model->nv, call->count);
        failed |= work->choice.batch->pack_inverse_dynamics_derivatives(&inverse);
    }
    return failed;
}

static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    unsigned failed = 0;
    kernel_call call;
    work_call(b->work, &call);
    (void)each;
    call.count = count;
    call.q = states_input(b->x->q, first);
    call.v = states_input(b->x->v, first);
    call.wrenches = states_input(b->x->wrenches, first);
    if (b->acceleration.data || b->Minv.data) failed |= run_forward(b, &call, first);
    if (b->torque.data || b->M.data || b->dtau_dq.data || b->dtau_dv.data) failed |= run_inverse(b, &call, first);
    return failed;
}

hml_status hml_dynamics_batch(const hml_model *model, hml_work *work, size_t n, const hml_dynamics_states *arguments,
                              hml_status *status)
{
    hml_dynamics_states room;
    const hml_dynamics_states *x = STRUCT_TAKE(hml_dynamics_states, arguments, &room, q);
    if (hmli_work_check_forward(model, work) || !x || !x->q.data) {
        return HML_INVALID_ARGUMENT;
    }
    const int derivatives = x->dtau_dq.data || x->dtau_dv.data;
    if ((x->M.data || x->Minv.data || derivatives) && hmli_work_check(model, work, HML_USE_FACTOR))
        return HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)model->nv;
    if (!output_fits(x->acceleration, nv) || !output_fits(x->torque, nv) || !output_fits(x->M, nv) ||
        !output_fits(x->Minv, nv) || !output_fits(x->dtau_dq, nv) || !output_fits(x->dtau_dv, nv)) {
        return HML_INVALID_ARGUMENT;
    }
    const batch b = {.work = work,
                     .x = x,
                     .acceleration = states_output(x->acceleration, 1, nv),
                     .torque = states_output(x->torque, 1, nv),
                     .M = states_output(x->M, nv, nv),
                     .Minv = states_output(x->Minv, nv, nv),
                     .dtau_dq = states_output(x->dtau_dq, nv, nv),
                     .dtau_dv = states_output(x->dtau_dv, nv, nv)};
    static const pack_functions functions = {.run = run, .check = check, .finite = finite, .finish = finish};
    const pack_loop loop = {
        .batch = &b,
        .lanes = model->nfollowers ? 1 : (size_t)work->choice.batch->lanes,
        /* the kernels look at the rest themselves, but for that of the derivatives */
        .check_all = model->nfollowers || x->wrenches.data || derivatives,
        .failure = HML_SINGULAR,
    };
    return for_each_pack(&functions, &loop, n, status);
}
