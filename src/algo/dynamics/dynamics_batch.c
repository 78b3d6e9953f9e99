/* Dynamics of many states: see hamel/dynamics.h. */
#include "hamel/parameters.h"

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
    kernel_output gravity, gravity_q, coriolis, Mdot, regressor;
} batch;

/* what a batch may be asked for, and how large it is */
typedef struct batch_output {
    size_t at, arguments; /* in struct batch, in hml_dynamics_states */
    int square;           /* nv × nv; otherwise nv */
} batch_output;

#define BATCH_OUTPUT(name, square)                                                                                     \
    {                                                                                                                  \
        offsetof(batch, name), offsetof(hml_dynamics_states, name), square                                             \
    }
static const batch_output outputs[] = {
    BATCH_OUTPUT(acceleration, 0), BATCH_OUTPUT(torque, 0),  BATCH_OUTPUT(M, 1),         BATCH_OUTPUT(Minv, 1),
    BATCH_OUTPUT(dtau_dq, 1),      BATCH_OUTPUT(dtau_dv, 1), BATCH_OUTPUT(gravity, 0),   BATCH_OUTPUT(gravity_q, 1),
    BATCH_OUTPUT(coriolis, 1),     BATCH_OUTPUT(Mdot, 1),    BATCH_OUTPUT(regressor, 0), /* the last: see below */
};
enum { OUTPUTS = sizeof outputs / sizeof *outputs, REGRESSOR = OUTPUTS - 1 };

static kernel_output output_of(const batch *b, size_t k)
{
    return *(const kernel_output *)((const char *)b + outputs[k].at);
}

static size_t rows_of(const hml_model *m, size_t k) { return outputs[k].square || k == REGRESSOR ? (size_t)m->nv : 1; }

static size_t columns_of(const hml_model *m, size_t k)
{
    return k == REGRESSOR ? HML_INERTIA_PARAMETERS * (size_t)m->nbodies : (size_t)m->nv;
}

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
    const hml_model *m = b->work->model;
    hml_status status = HML_OK;
    for (size_t k = 0; k < OUTPUTS && !status; k++)
        status = output_finite(output_at(output_of(b, k), state), rows_of(m, k), columns_of(m, k));
    return status;
}

static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    const hml_model *m = b->work->model;
    (void)status; /* only states that failed come here */
    for (size_t k = 0; k < OUTPUTS; k++)
        output_fill_nan(output_at(output_of(b, k), state), rows_of(m, k), columns_of(m, k));
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

/* inverse dynamics at rest, and its derivative */
static unsigned run_gravity(const batch *b, const kernel_call *call, size_t first)
{
    const hml_work *work = b->work;
    unsigned failed = 0;
    kernel_call rest = *call;
    rest.v.data = rest.wrenches.data = NULL;
    rest.passive = 0;
    rest.torque = output_at(b->gravity, first);
    rest.dtau_dq = output_at(b->gravity_q, first);
    clear(rest.dtau_dq, (size_t)work->model->nv, call->count);
    if (work->model->nfollowers) {
        hmli_mimic_inverse_dynamics(work, &rest);
        return 0;
    }
    if (b->gravity.data) failed |= work->choice.batch->pack_inverse_dynamics(&rest);
    rest.torque.data = NULL; /* it is there */
    if (b->gravity_q.data) failed |= work->choice.batch->pack_inverse_dynamics_derivatives(&rest);
    return failed;
}

/* the Coriolis matrix and the regressor */
static unsigned run_robot(const batch *b, const kernel_call *call, size_t first)
{
    const kernel_table *kernels = b->work->choice.batch;
    unsigned failed = 0;
    robot_call robot = {.plan = call->plan,
                        .paths = call->paths,
                        .scratch = call->scratch,
                        .gravity = call->gravity,
                        .count = call->count,
                        .q = call->q,
                        .v = call->v};
    robot.coriolis = output_at(b->coriolis, first), robot.Mdot = output_at(b->Mdot, first);
    robot.regressor = output_at(b->regressor, first);
    if (b->coriolis.data || b->Mdot.data) failed |= kernels->pack_coriolis(&robot);
    robot.a = states_input(b->x->a, first);
    if (b->regressor.data) failed |= kernels->pack_regressor(&robot);
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
    if (b->gravity.data || b->gravity_q.data) failed |= run_gravity(b, &call, first);
    if (b->coriolis.data || b->Mdot.data || b->regressor.data) failed |= run_robot(b, &call, first);
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
    const int derivatives = x->dtau_dq.data || x->dtau_dv.data || x->gravity_q.data;
    const int robot = x->coriolis.data || x->Mdot.data;
    if ((x->M.data || x->Minv.data || derivatives || robot) && hmli_work_check(model, work, HML_USE_FACTOR))
        return HML_INVALID_ARGUMENT;
    batch b = {.work = work, .x = x};
    for (size_t k = 0; k < OUTPUTS; k++) {
        const hml_output *given = (const hml_output *)(const void *)((const char *)x + outputs[k].arguments);
        if (!output_fits(*given, columns_of(model, k))) return HML_INVALID_ARGUMENT;
        kernel_output *out = (kernel_output *)(void *)((char *)&b + outputs[k].at);
        *out = states_output(*given, rows_of(model, k), columns_of(model, k));
    }
    if (model->nfollowers && (robot || x->regressor.data)) return HML_UNSUPPORTED;
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
