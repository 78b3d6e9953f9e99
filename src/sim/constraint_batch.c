/*
 * hml_constrained_linearize of many states, and of many on several workers: constraint.h. The constraints are checked
 * once; states then go through in packs. Where a pack cannot tell about a state, and where there are no packs for the
 * constraints, it goes where a single call goes.
 */
#include "algo/share.h"
#include "algo/states.h"
#include "group/arrays.h"
#include "sim/constraint.h"
#include "sim/constraint_held.h"

enum { OUTPUTS = 10 };

/* the outputs of a batch in one order, with their strides resolved */
typedef struct states_outputs {
    kernel_output at[OUTPUTS];
    size_t rows[OUTPUTS], columns[OUTPUTS];
} states_outputs;

/* 0: rows of an output are not packed */
static int resolve(const hml_model *model, size_t m, const hml_constrained_states *x, states_outputs *o)
{
    const size_t n = (size_t)model->nv;
    const hml_output given[OUTPUTS] = {x->acceleration, x->lambda,   x->Dq,         x->Dv, x->Dtau,
                                       x->lambda_q,     x->lambda_v, x->lambda_tau, x->A,  x->B};
    const size_t rows[OUTPUTS] = {1, 1, n, n, n, m, m, m, 2 * n, 2 * n};
    const size_t columns[OUTPUTS] = {n, m, n, n, n, n, n, n, 2 * n, n};
    for (int k = 0; k < OUTPUTS; k++) {
        o->rows[k] = rows[k], o->columns[k] = columns[k];
        o->at[k] = states_output(given[k], rows[k], columns[k]);
        if (given[k].data && rows[k] > 1 && o->at[k].ld != columns[k]) return 0;
    }
    return 1;
}

static hml_constrained_linearization one_state(const hml_constrained_states *x, const states_outputs *o, size_t state)
{
    double *out[OUTPUTS];
    for (int k = 0; k < OUTPUTS; k++) out[k] = output_at(o->at[k], state).data;
    return (hml_constrained_linearization){.struct_size = sizeof(hml_constrained_linearization),
                                           .q = input_at(x->q, state),
                                           .v = input_at(x->v, state),
                                           .tau = input_at(x->tau, state),
                                           .wrenches = input_at(x->wrenches, state),
                                           .acceleration = out[0],
                                           .lambda = out[1],
                                           .Dq = out[2],
                                           .Dv = out[3],
                                           .Dtau = out[4],
                                           .lambda_q = out[5],
                                           .lambda_v = out[6],
                                           .lambda_tau = out[7],
                                           .A = out[8],
                                           .B = out[9]};
}

typedef struct states_job {
    const hml_model *model;
    const hml_constraints *set;
    const hml_constrained_states *x;
    states_outputs o;
    double *scratch;
    size_t scratch_doubles; /* of one worker */
    hml_status *status;
    hml_work *const *works;
} states_job;

/* one state by itself */
static hml_status run_single(const states_job *job, hml_work *work, double *scratch, size_t state)
{
    const hml_constrained_linearization x = one_state(job->x, &job->o, state);
    hml_constraint_report report = {0};
    const hml_status status = hmli_constrained_linearize(job->model, work, job->set, scratch, &x, &report);
    for (int k = 0; status && k < OUTPUTS; k++)
        output_fill_nan(output_at(job->o.at[k], state), job->o.rows[k], job->o.columns[k]);
    return status;
}

static held_states all_states(const states_job *job)
{
    const kernel_output *o = job->o.at;
    return (held_states){job->x->q, job->x->v, job->x->tau, job->x->wrenches, o[0], o[1], o[2], o[3], o[4], o[5], o[6],
                         o[7],      o[8],      o[9]};
}

/* states first … first + count − 1 */
static hml_status run_states(const void *batch, size_t worker, size_t first, size_t count)
{
    const states_job *job = batch;
    hml_work *work = job->works[worker];
    double *scratch = job->scratch + worker * job->scratch_doubles;
    const size_t lanes = hmli_held_lanes(work, job->set), step = lanes ? lanes : 1, end = first + count;
    const held_states all = all_states(job);
    hml_status worst = HML_OK;
    for (size_t s = first; s < end; s += step) {
        const size_t n = end - s < step ? end - s : step;
        const unsigned left = lanes ? hmli_held_pack(work, job->set, scratch, &all, s, n) : 1;
        for (size_t l = 0; l < n; l++) {
            hml_status status = HML_OK;
            if (left >> l & 1) {
                status = run_single(job, work, scratch, s + l);
            } else {
                const hml_constrained_linearization x = one_state(job->x, &job->o, s + l);
                hmli_held_complete(job->model, &x);
            }
            if (job->status) job->status[s + l] = status;
            if (!worst) worst = status;
        }
    }
    return worst;
}

/* what both functions check: everything but the states, and the workspaces of several workers */
static hml_status states_open(const hml_work *work, double *scratch, states_job *job)
{
    if (!job->x || !job->x->q.data || !job->x->v.data || !scratch) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_check(job->model, work, job->set));
    job->scratch = scratch;
    job->scratch_doubles = hml_constraint_scratch_doubles(job->model, job->set);
    const size_t m = (size_t)hml_constraint_rows(job->set);
    return resolve(job->model, m, job->x, &job->o) ? HML_OK : HML_INVALID_ARGUMENT;
}

hml_status hml_constrained_linearize_batch(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                           double *scratch, size_t n, const hml_constrained_states *arguments,
                                           hml_status *status)
{
    hml_constraints constraints_room;
    hml_constrained_states room;
    states_job job = {.model = model, .status = status, .works = &work};
    job.set = constraints_take(constraints, &constraints_room);
    job.x = STRUCT_TAKE(hml_constrained_states, arguments, &room, v);
    TRY(states_open(work, scratch, &job));
    return run_states(&job, 0, 0, n);
}

hml_status hml_constrained_linearize_parallel(const hml_model *model, const hml_parallel *parallel,
                                              const hml_constraints *constraints, double *scratch, size_t n,
                                              const hml_constrained_states *arguments, hml_status *status)
{
    hml_constraints constraints_room;
    hml_constrained_states room;
    hml_parallel parallel_room;
    states_job job = {.model = model, .status = status};
    const hml_parallel *p = STRUCT_TAKE(hml_parallel, parallel, &parallel_room, works);
    job.set = constraints_take(constraints, &constraints_room);
    job.x = STRUCT_TAKE(hml_constrained_states, arguments, &room, v);
    if (!share_fits(p)) return HML_INVALID_ARGUMENT;
    for (size_t k = 0; k < p->nworks; k++) TRY(states_open(p->works[k], scratch, &job));
    job.works = p->works;
    return hmli_share_out(p, n, run_states, &job);
}
