/* q ⊕ v and q1 ⊖ q0 of many states: pack/configuration.h behind hamel/configuration.h. */
#include "algo/states.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "hamel/configuration.h"
#include "hamel/linearize.h"
#include "model/coordinates.h"

typedef unsigned pack_kernel(const configuration_call *call);

typedef struct batch {
    const hml_model *model;
    const hml_work *work;
    pack_kernel *kernel;
    int difference;
    hml_input q, with;
    kernel_output out;
    size_t row; /* numbers of a result */
} batch;

static hml_status check(const batch *b, size_t state)
{
    const double *q = input_at(b->q, state), *with = input_at(b->with, state);
    hml_status status = b->difference ? configuration_status(b->model, with) : finite_numbers(with, b->model->nv);
    return status ? status : configuration_status(b->model, q);
}

/* a pack with bad states among its own: they become NaN, and the others what they would have become anyway */
static hml_status run_bad(const batch *b, configuration_call *call, size_t first, hml_status *each)
{
    hml_status worst = HML_OK;
    for (size_t l = 0; l < (size_t)call->count; l++) {
        each[l] = check(b, first + l); /* before anything is written: out may be q */
        if (!worst) worst = each[l];
    }
    call->skip_checks = 1;
    b->kernel(call);
    for (size_t l = 0; l < (size_t)call->count; l++)
        if (each[l]) output_fill_nan(output_at(call->out, l), 1, b->row);
    return worst;
}

/* results that no number holds become NaN; each (may be NULL): the statuses so far. Returns the first that is bad */
static hml_status check_results(const batch *b, size_t first, size_t count, hml_status *each)
{
    hml_status worst = HML_OK;
    for (size_t l = 0; l < count; l++) {
        const kernel_output out = output_at(b->out, first + l);
        hml_status status = each && each[l] ? each[l] : finite_array(out.data, b->row);
        if (status) output_fill_nan(out, 1, b->row);
        if (each) each[l] = status;
        if (!worst) worst = status;
    }
    return worst;
}

static configuration_call call_at(const batch *b, size_t first, size_t count)
{
    configuration_call call = {.plan = model_plan(b->model), .nq = b->model->nq, .nv = b->model->nv};
    call.count = (int)count;
    call.q = states_input(b->q, first);
    call.with = states_input(b->with, first);
    call.out = output_at(b->out, first);
    return call;
}

static hml_status run_packs(const batch *b, size_t first, size_t end, hml_status *status)
{
    const size_t lanes = (size_t)b->work->choice.batch->lanes;
    hml_status worst = HML_OK;
    for (size_t i = first; i < end; i += lanes) {
        hml_status each[HML_ISA_X8] = {HML_OK};
        configuration_call call = call_at(b, i, end - i < lanes ? end - i : lanes);
        const unsigned before = overflow_watch();
        hml_status bad = b->kernel(&call) ? run_bad(b, &call, i, each) : HML_OK;
        if (overflow_seen(before)) bad = check_results(b, i, (size_t)call.count, each);
        if (!worst) worst = bad;
        if (status) memcpy(status + i, each, (size_t)call.count * sizeof *each);
    }
    return worst;
}

/* do all numbers add up, and lie side by side? Then packs do not matter */
static int one_array(const batch *b)
{
    const hml_plan *plan = model_plan(b->model);
    const size_t n = b->row;
    return plan->nruns == 1 && plan_runs(plan)->type == HML_JOINT_FIXED && b->q.stride == n && b->with.stride == n &&
           b->out.stride == n;
}

static hml_status run(const batch *b, size_t n, hml_status *status)
{
    enum { CHUNK = 64 }; /* states; stays in the nearest cache, in case of a second look */
    hml_status worst = HML_OK;
    if (!one_array(b)) return run_packs(b, 0, n, status);
    for (size_t i = 0; i < n; i += CHUNK) {
        const size_t count = n - i < CHUNK ? n - i : CHUNK;
        configuration_call call = call_at(b, i, count);
        const unsigned before = overflow_watch();
        const unsigned failed = b->kernel(&call);
        const int overflow = overflow_seen(before);
        hml_status bad = HML_OK;
        if (failed) {
            bad = run_packs(b, i, i + count, status);
        } else {
            if (status) memset(status + i, 0, count * sizeof *status);
            if (overflow) bad = check_results(b, i, count, status ? status + i : NULL);
        }
        if (!worst) worst = bad;
    }
    return worst;
}

static int valid(const hml_model *model, const hml_work *work, const double *q, const double *with)
{
    return !hmli_work_check(model, work, 0) && q && with;
}

hml_status hml_configuration_integrate_batch(const hml_model *model, const hml_work *work, size_t n, hml_input q,
                                             hml_input v, hml_output out, hml_status *status)
{
    if (!valid(model, work, q.data, v.data)) return HML_INVALID_ARGUMENT;
    const size_t row = (size_t)model->nq;
    if (!out.data || !output_fits(out, row)) return HML_INVALID_ARGUMENT;
    const batch b = {model, work, work->choice.batch->pack_integrate, 0, q, v, states_output(out, 1, row), row};
    return run(&b, n, status);
}

hml_status hml_configuration_difference_batch(const hml_model *model, const hml_work *work, size_t n, hml_input q0,
                                              hml_input q1, hml_output v, hml_status *status)
{
    if (!valid(model, work, q0.data, q1.data)) return HML_INVALID_ARGUMENT;
    const size_t row = (size_t)model->nv;
    if (!v.data || !output_fits(v, row)) return HML_INVALID_ARGUMENT;
    const batch b = {model, work, work->choice.batch->pack_difference, 1, q0, q1, states_output(v, 1, row), row};
    return run(&b, n, status);
}
