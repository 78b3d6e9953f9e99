/*
 * hml_linearize and its batch: inputs checked, packs of states through the kernel, A and B put around its blocks.
 *
 *   A = [ −ad_ν  I ; D_q  D_ν ]      B = [ 0 ; M⁻¹ ]
 *
 * D_q, D_ν and M⁻¹ are written straight into A and B where those are wanted and they are not.
 */
#include "hamel/linearize.h"
#include "hamel/dynamics.h"

#include "algo/dynamics/mimic.h"
#include "algo/for_each_pack.h"
#include "algo/linearize/blocks.h"
#include "algo/linearize/outputs.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"

/* a batch of linearizations, as for_each_pack hands it around */
typedef struct batch {
    const hml_work *work;
    const model_coordinate *coordinates; /* NULL: the model's */
    const hml_linearization *x;
    outputs o;
    int single; /* 1: state by state, in the lanes of the kernel for one */
} batch;

/* everything around the kernel for one state that came out with the given status */
static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    finish_outputs(b->work->model, &b->o, input_at(b->x->v, state), state, status);
}

static hml_status finite(const void *data, size_t state)
{
    const batch *b = data;
    return finite_outputs_of(b->work->model, &b->o, state);
}

static hml_status check(const void *data, size_t state)
{
    const batch *b = data;
    const hml_linearization *x = b->x;
    return hmli_work_check_state(b->work->model, input_at(x->q, state), input_at(x->v, state), input_at(x->tau, state),
                                 input_at(x->wrenches, state));
}

/* one state, in lanes where that can be done */
static unsigned linearize_single(const hml_work *work, const kernel_call *call)
{
    if (work->choice.single->single_linearize && !work->choice.single->single_linearize(call)) return 0;
    return work->choice.fallback->pack_linearize(call);
}

/* states through one pack of a kernel; or one state through the one for that */
static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    const hml_work *work = b->work;
    kernel_call call;
    work_call(work, &call);
    (void)each;
    if (b->coordinates) call.coordinates = b->coordinates;
    call.count = count;
    call.q = states_input(b->x->q, first);
    call.v = states_input(b->x->v, first);
    call.tau = states_input(b->x->tau, first);
    call.wrenches = states_input(b->x->wrenches, first);
    call.acceleration = output_at(b->o.acceleration, first);
    call.Dq = output_at(b->o.Dq, first);
    call.Dv = output_at(b->o.Dv, first);
    call.Minv = output_at(b->o.Minv, first);
    if (work->model->nfollowers) return hmli_mimic_linearize(work, &call);
    return b->single ? linearize_single(work, &call) : work->choice.batch_matrices->pack_linearize(&call);
}

/* n states, their outputs found once; single: state by state */
static hml_status run_all(const hml_work *work, const model_coordinate *coordinates, int single, size_t n,
                          const hml_linearization *arguments, hml_status *status)
{
    static const pack_functions functions = {.run = run, .check = check, .finite = finite, .finish = finish};
    const hml_model *model = work->model;
    batch b;
    b.work = work, b.coordinates = coordinates, b.x = arguments, b.single = single;
    resolve_all(arguments, (size_t)model->nv, &b.o);
    const pack_loop loop = {
        .batch = &b,
        .lanes = model->nfollowers || single ? 1 : (size_t)work->choice.batch_matrices->lanes,
        .check_all = model->nfollowers || arguments->wrenches.data, /* the kernels look at the rest themselves */
        .finish_all = b.o.A.data || b.o.B.data,
        .failure = HML_SINGULAR,
    };
    return for_each_pack(&functions, &loop, n, status);
}

hml_status hmli_linearize(const hml_work *work, const model_coordinate *coordinates, const hml_linearization *arguments)
{
    return run_all(work, coordinates, 1, 1, arguments, NULL);
}

hml_status hmli_linearize_batch(const hml_work *work, const model_coordinate *coordinates, size_t n,
                                const hml_linearization *arguments, hml_status *status)
{
    return run_all(work, coordinates, work->choice.one_by_one, n, arguments, status);
}

int hmli_limbs_pay(const hml_work *work)
{
    const hml_plan *plan = model_plan(work->model);
    const int one_free_tree = plan->ntrees == 1 && plan_trees(plan)->base && !work->model->nfollowers;
    return one_free_tree && plan->nv > 6 && plan->nv - plan->block >= STEP_LIMB_SHARED && !work->choice.long_chain &&
           work->choice.batch->single_linearize;
}

int hmli_linearize_limbs(const hml_work *work, const hml_linearization *x, limb_results *limbs)
{
    kernel_call call;
    work_call(work, &call);
    call.limbs = limbs;
    call.q.data = x->q.data, call.v.data = x->v.data, call.tau.data = x->tau.data;
    call.acceleration.data = x->acceleration.data;
    call.Dq.data = x->Dq.data, call.Dq.ld = x->Dq.ld;
    call.Dv.data = x->Dv.data, call.Dv.ld = x->Dv.ld;
    call.Minv.data = x->Minv.data, call.Minv.ld = x->Minv.ld;
    return !work->choice.batch->single_linearize(&call);
}

hml_status hml_linearize(const hml_model *model, hml_work *work, const hml_linearization *arguments)
{
    hml_linearization room;
    const hml_linearization *x = STRUCT_TAKE(hml_linearization, arguments, &room, v);
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !linearization_fits(model, x)) return HML_INVALID_ARGUMENT;
    return hmli_linearize(work, NULL, x);
}

hml_status hml_linearize_batch(const hml_model *model, hml_work *work, size_t n, const hml_linearization *arguments,
                               hml_status *status)
{
    hml_linearization room;
    const hml_linearization *x = STRUCT_TAKE(hml_linearization, arguments, &room, v);
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !linearization_fits(model, x)) return HML_INVALID_ARGUMENT;
    return hmli_linearize_batch(work, NULL, n, x, status);
}

hml_status hml_inverse_mass_derivative(const hml_model *model, hml_work *work, const double *q, const double *b,
                                       double *D)
{
    static const double weightless[3] = {0, 0, 0};
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !b || !D) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, NULL, b, NULL);
    if (status) return status;
    kernel_call call;
    work_call(work, &call);
    call.gravity = weightless;
    call.passive = 0;
    call.q.data = q;
    call.tau.data = b;
    call.Dq.data = D;
    call.Dq.ld = (size_t)model->nv;
    const unsigned before = overflow_watch();
    unsigned failed =
        model->nfollowers ? hmli_mimic_linearize(work, &call) : work->choice.fallback->pack_linearize(&call);
    status = OVERFLOW_STATUS(before, {D, (size_t)model->nv * (size_t)model->nv});
    return failed ? HML_SINGULAR : status;
}
