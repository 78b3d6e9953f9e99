/* All Jacobians at once, one state or many: pack/jacobians.h behind hamel/kinematics.h. */
#include "algo/for_each_pack.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/struct_size.h"
#include "hamel/kinematics.h"

static hml_status check(const hml_model *model, const hml_work *work, const hml_jacobian_columns *x)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !x || !x->q.data) {
        return HML_INVALID_ARGUMENT;
    }
    if (!output_fits(x->H, 16 * (size_t)model->nbodies) || !output_fits(x->J, (size_t)model->nv)) {
        return HML_INVALID_ARGUMENT;
    }
    return model->nfollowers ? HML_UNSUPPORTED : HML_OK;
}

/* a batch, as for_each_pack hands it around */
typedef struct batch {
    const hml_work *work;
    hml_input q;
    kernel_output H, J;
    size_t poses, nv; /* numbers of H; columns of J */
} batch;

static batch batch_of(const hml_work *work, const hml_jacobian_columns *x)
{
    batch b = {.work = work, .q = x->q, .poses = 16 * (size_t)work->model->nbodies, .nv = (size_t)work->model->nv};
    b.H = states_output(x->H, 1, b.poses);
    b.J = states_output(x->J, 6, b.nv);
    return b;
}

static jacobian_call call_at(const batch *b, size_t first, int count)
{
    jacobian_call call = {.plan = model_plan(b->work->model), .scratch = b->work->scratch, .count = count};
    call.q = states_input(b->q, first);
    call.H = output_at(b->H, first);
    call.J = output_at(b->J, first);
    return call;
}

static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    const jacobian_call call = call_at(b, first, count);
    (void)each;
    return b->work->choice.batch->pack_jacobians(&call);
}

static hml_status check_state(const void *data, size_t state)
{
    const batch *b = data;
    return hmli_work_check_state(b->work->model, input_at(b->q, state), NULL, NULL, NULL);
}

static hml_status finite(const void *data, size_t state)
{
    const batch *b = data;
    hml_status status = output_finite(output_at(b->H, state), 1, b->poses);
    return status ? status : output_finite(output_at(b->J, state), 6, b->nv);
}

static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    (void)status; /* only states that failed come here */
    output_fill_nan(output_at(b->H, state), 1, b->poses);
    output_fill_nan(output_at(b->J, state), 6, b->nv);
}

hml_status hml_all_jacobians(const hml_model *model, hml_work *work, const hml_jacobian_columns *arguments)
{
    hml_jacobian_columns room;
    const hml_jacobian_columns *x = STRUCT_TAKE(hml_jacobian_columns, arguments, &room, q);
    hml_status status = check(model, work, x);
    if (status) return status;
    const kernel_choice *choice = &work->choice;
    const batch b = batch_of(work, x);
    const jacobian_call call = call_at(&b, 0, 1);
    status = check_state(&b, 0);
    if (!status) {
        const unsigned before = overflow_watch();
        if (choice->single->single_jacobians)
            choice->single->single_jacobians(&call);
        else
            choice->fallback->pack_jacobians(&call);
        if (overflow_seen(before)) status = finite(&b, 0);
    }
    if (status) finish(&b, 0, status);
    return status;
}

hml_status hml_all_jacobians_batch(const hml_model *model, hml_work *work, size_t n,
                                   const hml_jacobian_columns *arguments, hml_status *status)
{
    hml_jacobian_columns room;
    const hml_jacobian_columns *x = STRUCT_TAKE(hml_jacobian_columns, arguments, &room, q);
    hml_status unfit = check(model, work, x);
    if (unfit) return unfit;
    const batch b = batch_of(work, x);
    static const pack_functions functions = {.run = run, .check = check_state, .finite = finite, .finish = finish};
    const pack_loop loop = {
        .batch = &b,
        .lanes = (size_t)work->choice.batch->lanes,
    };
    return for_each_pack(&functions, &loop, n, status);
}
