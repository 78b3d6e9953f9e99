/* q ⊕ v and q1 ⊖ q0 of many states: kernel_configuration.h behind hamel/batch.h. */
#include "algo/kernel_configuration.h"

#include "algo/states.h"
#include "algo/work.h"
#include "hamel/batch.h"
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
    call->trust = 1;
    b->kernel(call);
    for (size_t l = 0; l < (size_t)call->count; l++)
        if (each[l]) output_fill_nan(output_at(call->out, l), 1, b->row);
    return worst;
}

static hml_status run(const batch *b, size_t n, hml_status *status)
{
    const size_t lanes = (size_t)b->work->pack->lanes;
    configuration_call call = {.plan = model_plan(b->model), .nq = b->model->nq, .nv = b->model->nv};
    hml_status worst = HML_OK;
    for (size_t i = 0; i < n; i += lanes) {
        hml_status each[HML_ISA_X8] = {HML_OK};
        call.count = (int)(n - i < lanes ? n - i : lanes);
        call.trust = 0;
        call.q = states_input(b->q, i);
        call.with = states_input(b->with, i);
        call.out = output_at(b->out, i);
        if (b->kernel(&call)) {
            hml_status bad = run_bad(b, &call, i, each);
            if (!worst) worst = bad;
        }
        if (status) memcpy(status + i, each, (size_t)call.count * sizeof *each);
    }
    return worst;
}

static int valid(const hml_model *model, const hml_work *work, const double *q, const double *with, const double *out)
{
    return !hml_work_check(model, work, 0) && q && with && out;
}

hml_status hml_configuration_integrate_batch(const hml_model *model, const hml_work *work, size_t n, hml_input q,
                                             hml_input v, hml_output out, hml_status *status)
{
    if (!valid(model, work, q.data, v.data, out.data)) return HML_INVALID_ARGUMENT;
    batch b = {model, work, work->pack->integrate, 0, q, v, states_output(out, 1, (size_t)model->nq), 0};
    b.row = (size_t)model->nq;
    return run(&b, n, status);
}

hml_status hml_configuration_difference_batch(const hml_model *model, const hml_work *work, size_t n, hml_input q0,
                                              hml_input q1, hml_output v, hml_status *status)
{
    if (!valid(model, work, q0.data, q1.data, v.data)) return HML_INVALID_ARGUMENT;
    batch b = {model, work, work->pack->difference, 1, q0, q1, states_output(v, 1, (size_t)model->nv), 0};
    b.row = (size_t)model->nv;
    return run(&b, n, status);
}
