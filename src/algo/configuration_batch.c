/* q ⊕ v and q1 ⊖ q0 of many states: pack/configuration.h behind hamel/configuration.h. */
#include "algo/for_each_pack.h"
#include "algo/states.h"
#include "algo/work.h"
#include "hamel/configuration.h"
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

static hml_status finite(const void *data, size_t state)
{
    const batch *b = data;
    return output_finite(output_at(b->out, state), 1, b->row);
}

static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    (void)status; /* only states that failed come here */
    output_fill_nan(output_at(b->out, state), 1, b->row);
}

/* where a pack has bad states among its own, the others become what they would have become anyway */
static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    configuration_call call = {.plan = model_plan(b->model), .nq = b->model->nq, .nv = b->model->nv, .count = count};
    call.q = states_input(b->q, first);
    call.with = states_input(b->with, first);
    call.out = output_at(b->out, first);
    if (!b->kernel(&call)) return 0;
    for (size_t l = 0; l < (size_t)count; l++) each[l] = check(b, first + l); /* before it is written: out may be q */
    call.skip_checks = 1;
    b->kernel(&call);
    return 1;
}

/* do all numbers add up, and lie side by side? Then a pack may have any number of states */
static int one_array(const batch *b)
{
    const hml_plan *plan = model_plan(b->model);
    const size_t n = b->row;
    return plan->nruns == 1 && plan_runs(plan)->type == HML_JOINT_FIXED && b->q.stride == n && b->with.stride == n &&
           b->out.stride == n;
}

static hml_status run_all(const batch *b, size_t n, hml_status *status)
{
    static const pack_functions functions = {.run = run, .judges = 1, .finite = finite, .finish = finish};
    const pack_loop loop = {
        .batch = b,
        .lanes = one_array(b) ? PACK_MOST : (size_t)b->work->choice.batch->lanes,
    };
    return for_each_pack(&functions, &loop, n, status);
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
    return run_all(&b, n, status);
}

hml_status hml_configuration_difference_batch(const hml_model *model, const hml_work *work, size_t n, hml_input q0,
                                              hml_input q1, hml_output v, hml_status *status)
{
    if (!valid(model, work, q0.data, q1.data)) return HML_INVALID_ARGUMENT;
    const size_t row = (size_t)model->nv;
    if (!v.data || !output_fits(v, row)) return HML_INVALID_ARGUMENT;
    const batch b = {model, work, work->choice.batch->pack_difference, 1, q0, q1, states_output(v, 1, row), row};
    return run_all(&b, n, status);
}
