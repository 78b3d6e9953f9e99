/* Many states at once: see hamel/dynamics.h. */
#include "hamel/linearize.h"

#include <stdint.h>
#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/overflow.h"

/* ---- dynamics ---- */

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

static hml_status check(const hml_model *model, const hml_dynamics_states *x, size_t state)
{
    const hml_input in[] = {x->q, x->v, x->tau, x->a, x->wrenches};
    const double *at[5];
    for (int k = 0; k < 5; k++) at[k] = input_at(in[k], state);
    hml_status status = hmli_work_check_state(model, at[0], at[1], at[2], at[4]);
    return status ? status : hmli_work_check_state(model, at[0], at[3], NULL, NULL);
}

/* are the results of a state numbers? */
static hml_status finite_state(const hml_model *model, const hml_dynamics_states *x, size_t state)
{
    const size_t nv = (size_t)model->nv;
    const hml_output outputs[] = {x->acceleration, x->torque, x->M, x->Minv};
    for (int k = 0; k < 4; k++) {
        const size_t rows = k < 2 ? 1 : nv;
        const kernel_output out = output_at(states_output(outputs[k], rows, nv), state);
        for (size_t r = 0; out.data && r < rows; r++) {
            if (finite_array(out.data + r * out.ld, nv)) return HML_NOT_FINITE;
        }
    }
    return HML_OK;
}

/* `count` states from `first` on; returns the lanes that failed */
static unsigned run_pack(const hml_work *work, const hml_dynamics_states *x, size_t first, int count)
{
    const hml_model *model = work->model;
    const size_t nv = (size_t)model->nv;
    unsigned failed = 0;
    kernel_call call = hmli_work_call(work);
    call.count = count;
    call.q = states_input(x->q, first);
    call.v = states_input(x->v, first);
    call.wrenches = states_input(x->wrenches, first);
    if (x->acceleration.data || x->Minv.data) {
        kernel_call forward = call;
        forward.tau = states_input(x->tau, first);
        forward.acceleration = output_at(states_output(x->acceleration, 1, nv), first);
        forward.Minv = output_at(states_output(x->Minv, nv, nv), first);
        if (model->nfollowers) {
            failed |= hmli_mimic_linearize(work, &forward);
        } else {
            if (x->acceleration.data) failed |= work->choice.batch->pack_forward_dynamics(&forward);
            forward.tau.data = NULL; /* M⁻¹ does not read them, and so must not look at them either */
            if (x->Minv.data) failed |= inverse_mass(work, &forward);
        }
    }
    if (x->torque.data || x->M.data) {
        kernel_call inverse = call;
        inverse.a = states_input(x->a, first);
        inverse.torque = output_at(states_output(x->torque, 1, nv), first);
        inverse.M = output_at(states_output(x->M, nv, nv), first);
        if (model->nfollowers) {
            hmli_mimic_inverse_dynamics(work, &inverse);
        } else {
            if (x->torque.data) failed |= work->choice.batch->pack_inverse_dynamics(&inverse);
            if (x->M.data) failed |= mass(work, &inverse);
        }
    }
    return failed;
}

hml_status hml_dynamics_batch(const hml_model *model, hml_work *work, size_t n, const hml_dynamics_states *x,
                              hml_status *status)
{
    if (hmli_work_check_forward(model, work) || !x || x->struct_size != sizeof *x || !x->q.data) {
        return HML_INVALID_ARGUMENT;
    }
    if ((x->M.data || x->Minv.data) && hmli_work_check(model, work, HML_USE_FACTOR)) return HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)model->nv;
    if (!output_fits(x->acceleration, nv) || !output_fits(x->torque, nv) || !output_fits(x->M, nv) ||
        !output_fits(x->Minv, nv)) {
        return HML_INVALID_ARGUMENT;
    }
    const size_t lanes = model->nfollowers ? 1 : (size_t)work->choice.batch->lanes;
    const int check_all = model->nfollowers || x->wrenches.data; /* the kernels look at the rest themselves */
    hml_status worst = HML_OK;
    for (size_t i = 0; i < n; i += lanes) {
        int count = (int)(n - i < lanes ? n - i : lanes);
        const unsigned before = overflow_watch();
        unsigned failed = run_pack(work, x, i, count);
        const int overflow = overflow_seen(before);
        for (size_t s = i; s < i + (size_t)count; s++) {
            hml_status each = HML_OK;
            const int bad = (int)(failed >> (s - i) & 1);
            if (check_all || bad) each = check(model, x, s);
            if (!each && bad) each = HML_SINGULAR;
            if (!each && overflow) each = finite_state(model, x, s);
            if (each) {
                output_fill_nan(output_at(states_output(x->acceleration, 1, nv), s), 1, nv);
                output_fill_nan(output_at(states_output(x->torque, 1, nv), s), 1, nv);
                output_fill_nan(output_at(states_output(x->M, nv, nv), s), nv, nv);
                output_fill_nan(output_at(states_output(x->Minv, nv, nv), s), nv, nv);
            }
            if (status) status[s] = each;
            if (!worst) worst = each;
        }
    }
    return worst;
}

/* ---- linearization on all cores ---- */

typedef struct parallel_job {
    const hml_model *model;
    const hml_parallel *parallel;
    const hml_linearization *arguments;
    hml_status *status;
    size_t n, chunk, outputs[6]; /* strides of the outputs, resolved */
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

static void chunk_task(void *data, size_t index, size_t worker)
{
    const parallel_job *job = data;
    hml_work *work = job->parallel->works[worker];
    const size_t first = index * job->chunk, left = job->n - first, count = left < job->chunk ? left : job->chunk;
    hml_linearization x = *job->arguments;
    hml_input *inputs[] = {&x.q, &x.v, &x.tau, &x.wrenches};
    hml_output *outputs[] = {&x.acceleration, &x.Dq, &x.Dv, &x.Minv, &x.A, &x.B};
    for (int k = 0; k < 4; k++) move_input(inputs[k], first);
    for (int k = 0; k < 6; k++) move_output(outputs[k], job->outputs[k], first);
    hml_status status = hml_linearize_batch(job->model, work, count, &x, job->status ? job->status + first : NULL);
    if (status && first < work->first_failed) work->first_failed = first, work->failure = status;
    if (job->parallel->done) job->parallel->done(job->parallel->context, first, count, worker);
}

static int valid(const hml_model *model, const hml_parallel *p, const hml_linearization *x)
{
    if (!p || p->struct_size != sizeof *p || !p->nworks || !p->works) return 0;
    if (!model || !x || x->struct_size != sizeof *x || !x->q.data || !x->v.data) return 0;
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
    if (!valid(model, parallel, arguments)) return HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)model->nv;
    const hml_linearization *x = arguments;
    const hml_output outputs[] = {x->acceleration, x->Dq, x->Dv, x->Minv, x->A, x->B};
    const size_t rows[] = {1, nv, nv, nv, 2 * nv, 2 * nv}, columns[] = {nv, nv, nv, nv, 2 * nv, nv};
    parallel_job job = {.model = model, .parallel = parallel, .arguments = x, .status = status, .n = n};
    job.chunk = parallel->chunk ? parallel->chunk : 64;
    for (int k = 0; k < 6; k++) job.outputs[k] = states_output(outputs[k], rows[k], columns[k]).stride;
    for (size_t k = 0; k < parallel->nworks; k++) {
        parallel->works[k]->first_failed = SIZE_MAX;
        parallel->works[k]->failure = HML_OK;
    }
    const size_t tasks = (n + job.chunk - 1) / job.chunk;
    if (parallel->parallel_for) {
        parallel->parallel_for(parallel->context, tasks, chunk_task, &job);
    } else {
        for (size_t i = 0; i < tasks; i++) chunk_task(&job, i, 0);
    }
    size_t first = SIZE_MAX;
    hml_status worst = HML_OK;
    for (size_t k = 0; k < parallel->nworks; k++) {
        if (parallel->works[k]->first_failed >= first) continue;
        first = parallel->works[k]->first_failed;
        worst = parallel->works[k]->failure;
    }
    return worst;
}
