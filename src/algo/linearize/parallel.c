/* hml_linearize_batch in chunks, on as many workers as there are workspaces: see hamel/linearize.h. */
#include "hamel/linearize.h"

#include "algo/share.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/struct_size.h"

typedef struct parallel_job {
    const hml_model *model;
    hml_work *const *works;
    const hml_linearization *arguments;
    hml_status *status;
    size_t outputs[6]; /* strides of the outputs, resolved */
} parallel_job;

static void move_input(hml_input *in, size_t states)
{
    if (in->data) in->data += states * in->stride;
}

static void move_output(hml_output *out, size_t stride, size_t states)
{
    out->stride = stride;
    if (out->data) out->data += states * stride;
}

static hml_status run_chunk(const void *batch, size_t worker, size_t first, size_t count)
{
    const parallel_job *job = batch;
    hml_linearization x = *job->arguments;
    hml_input *inputs[] = {&x.q, &x.v, &x.tau, &x.wrenches};
    hml_output *outputs[] = {&x.acceleration, &x.Dq, &x.Dv, &x.Minv, &x.A, &x.B};
    for (int k = 0; k < 4; k++) move_input(inputs[k], first);
    for (int k = 0; k < 6; k++) move_output(outputs[k], job->outputs[k], first);
    return hml_linearize_batch(job->model, job->works[worker], count, &x, job->status ? job->status + first : NULL);
}

static int valid(const hml_model *model, const hml_parallel *p, const hml_linearization *x)
{
    if (!share_fits(p) || !model || !x || !x->q.data || !x->v.data) return 0;
    const hml_output outputs[] = {x->acceleration, x->Dq, x->Dv, x->Minv, x->B, x->A};
    for (int k = 0; k < 6; k++) {
        if (!output_fits(outputs[k], (k < 5 ? 1 : 2) * (size_t)model->nv)) return 0;
    }
    for (size_t k = 0; k < p->nworks; k++) {
        if (hmli_work_check(model, p->works[k], HML_USE_FACTOR)) return 0;
    }
    return 1;
}

hml_status hml_linearize_parallel(const hml_model *model, const hml_parallel *parallel, size_t n,
                                  const hml_linearization *arguments, hml_status *status)
{
    hml_parallel parallel_room;
    hml_linearization room;
    const hml_parallel *p = STRUCT_TAKE(hml_parallel, parallel, &parallel_room, works);
    const hml_linearization *x = STRUCT_TAKE(hml_linearization, arguments, &room, v);
    if (!valid(model, p, x)) return HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)model->nv;
    const hml_output outputs[] = {x->acceleration, x->Dq, x->Dv, x->Minv, x->A, x->B};
    const size_t rows[] = {1, nv, nv, nv, 2 * nv, 2 * nv}, columns[] = {nv, nv, nv, nv, 2 * nv, nv};
    parallel_job job = {.model = model, .works = p->works, .arguments = x, .status = status};
    for (int k = 0; k < 6; k++) job.outputs[k] = states_output(outputs[k], rows[k], columns[k]).stride;
    return hmli_share_out(p, n, run_chunk, &job);
}
