/* Poses of all bodies, one state or many: pack/jacobians.h and single/poses.h behind hamel/kinematics.h. */
#include "algo/for_each_pack.h"
#include "algo/states.h"
#include "algo/work.h"
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

/* a batch, as for_each_pack hands it around */
typedef struct batch {
    const hml_work *work;
    hml_input q;
    kernel_output H;
    size_t row; /* numbers of a result */
} batch;

static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    const hml_work *work = b->work;
    (void)each;
    if (work->model->nfollowers) {
        const jacobian_call call = pose_call(work, input_at(b->q, first), output_at(b->H, first).data);
        work->choice.single->single_poses(&call);
        return 0;
    }
    const jacobian_call call = {.plan = model_plan(work->model),
                                .scratch = work->scratch,
                                .count = count,
                                .q = states_input(b->q, first),
                                .H = output_at(b->H, first)};
    return work->choice.batch->pack_poses(&call);
}

static hml_status check(const void *data, size_t state)
{
    const batch *b = data;
    return hmli_work_check_state(b->work->model, input_at(b->q, state), NULL, NULL, NULL);
}

static hml_status finite(const void *data, size_t state)
{
    const batch *b = data;
    return output_finite(output_at(b->H, state), 1, b->row);
}

static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    (void)status; /* only states that failed come here */
    output_fill_nan(output_at(b->H, state), 1, b->row);
}

hml_status hml_body_poses_batch(const hml_model *model, hml_work *work, size_t n, hml_input q, hml_output H,
                                hml_status *status)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q.data || !H.data) return HML_INVALID_ARGUMENT;
    const size_t row = 16 * (size_t)model->nbodies;
    if (!output_fits(H, row)) return HML_INVALID_ARGUMENT;
    const batch b = {work, q, states_output(H, 1, row), row};
    static const pack_functions functions = {.run = run, .check = check, .finite = finite, .finish = finish};
    const pack_loop loop = {
        .batch = &b,
        .lanes = model->nfollowers ? 1 : (size_t)work->choice.batch->lanes,
        .check_all = model->nfollowers > 0,
    };
    return for_each_pack(&functions, &loop, n, status);
}
