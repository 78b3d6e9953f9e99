/*
 * Batches in single precision (hamel/single_precision.h): packs of floats through the kernels of
 * kernel_choice.batch_f32. Where it is NULL, for mimic followers and long chains, each state is widened, computed by the
 * function in double and rounded.
 */
#define HML_NUM_F32 /* num and lane are float in this file, and kernel_call is kernel_call_f32 */
#include "hamel/single_precision.h"

#include "algo/for_each_pack.h"
#include "algo/linearize/outputs.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/struct_size.h"

enum { OUTPUTS = 6 };

/* one result: rows × columns per state, at every state's place */
typedef struct float_output {
    kernel_output to;
    size_t rows, columns;
} float_output;

/* a state in double, in hml_work.wide; NULL: not given, not wanted */
typedef struct wide_state {
    double *q, *v, *tau, *a, *wrenches;
    double *out[OUTPUTS];
} wide_state;

/* a batch of any kind, as for_each_pack hands it around */
typedef struct batch {
    hml_work *work;
    hml_input_f32 q, v, tau, a, wrenches;
    float_output out[OUTPUTS]; /* of which the first `count` are used */
    int count;
    const outputs *around; /* A and B of linearizations */
    /* states `first` … of a pack; returns the lanes to look at */
    unsigned (*pack)(const struct batch *b, const kernel_call *call, size_t first);
    /* one state in double */
    hml_status (*wide)(hml_work *work, const wide_state *x);
} batch;

/* ---- doubles ---- */

size_t hmli_single_precision_doubles(const hml_model *model, const kernel_choice *choice, int factor)
{
    const size_t nv = (size_t)model->nv, nb = (size_t)model->nbodies;
    const size_t inputs = (size_t)model->nq + 3 * nv + 6 * nb;
    const size_t dynamics = 2 * nv + (factor ? 4 * nv * nv : 0), kinematics = 16 * nb + 6 * nv;
    if (choice->batch_f32) return inputs; /* for checks alone */
    return inputs + (dynamics > kinematics ? dynamics : kinematics);
}

static double *widen(hml_input_f32 in, size_t state, int32_t n, double **room)
{
    const float *from = input_at(in, state);
    double *to = *room;
    if (!from) return NULL;
    for (int32_t i = 0; i < n; i++) to[i] = (double)from[i];
    *room += n;
    return to;
}

static wide_state widen_state(const batch *b, size_t state)
{
    const hml_model *model = b->work->model;
    double *room = b->work->wide;
    wide_state x;
    x.q = widen(b->q, state, model->nq, &room);
    x.v = widen(b->v, state, model->nv, &room);
    x.tau = widen(b->tau, state, model->nv, &room);
    x.a = widen(b->a, state, model->nv, &room);
    x.wrenches = widen(b->wrenches, state, 6 * model->nbodies, &room);
    for (int k = 0; k < OUTPUTS; k++) {
        const int wanted = !b->work->choice.batch_f32 && k < b->count && b->out[k].to.data;
        x.out[k] = wanted ? room : NULL;
        if (wanted) room += b->out[k].rows * b->out[k].columns;
    }
    return x;
}

/* a result that was computed in double */
static void narrow(const float_output *out, const double *from, size_t state)
{
    const kernel_output to = output_at(out->to, state);
    for (size_t r = 0; to.data && r < out->rows; r++) {
        for (size_t c = 0; c < out->columns; c++) to.data[r * to.ld + c] = (float)from[r * out->columns + c];
    }
}

/* ---- what all batches share ---- */

static hml_status check(const void *data, size_t state)
{
    const batch *b = data;
    const wide_state x = widen_state(b, state);
    hml_status status = hmli_work_check_state(b->work->model, x.q, x.v, x.tau, x.wrenches);
    return status ? status : hmli_work_check_state(b->work->model, x.q, x.a, NULL, NULL);
}

static hml_status finite(const void *data, size_t state)
{
    const batch *b = data;
    hml_status status = HML_OK;
    for (int k = 0; !status && k < b->count; k++) {
        status = output_finite(output_at(b->out[k].to, state), b->out[k].rows, b->out[k].columns);
    }
    return status;
}

static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    for (int k = 0; status && k < b->count; k++) {
        output_fill_nan(output_at(b->out[k].to, state), b->out[k].rows, b->out[k].columns);
    }
    if (b->around) finish_outputs(b->work->model, b->around, input_at(b->v, state), state, status);
}

static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    kernel_call call;
    work_call(b->work, &call);
    (void)each;
    call.count = count;
    call.q = states_input(b->q, first);
    call.v = states_input(b->v, first);
    call.wrenches = states_input(b->wrenches, first);
    return b->pack(b, &call, first);
}

static uint64_t run_wide(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    const wide_state x = widen_state(b, first);
    (void)count;
    each[0] = b->wide(b->work, &x);
    for (int k = 0; !each[0] && k < b->count; k++) narrow(&b->out[k], x.out[k], first);
    if (!each[0]) each[0] = finite(b, first); /* beyond what a float can hold */
    return each[0] != HML_OK;
}

static void add_output(batch *b, kernel_output to, size_t rows, size_t columns)
{
    float_output *out = &b->out[b->count++];
    out->to = to, out->rows = rows, out->columns = columns;
}

/* check_all: the kernels do not look at all inputs */
static hml_status run_batch(const batch *b, size_t n, int check_all, hml_status *status)
{
    static const pack_functions packs = {.run = run, .check = check, .finite = finite, .finish = finish};
    static const pack_functions one = {.run = run_wide, .judges = 1, .finite = finite, .finish = finish};
    const kernel_table_f32 *kernels = b->work->choice.batch_f32;
    const pack_loop loop = {.batch = b,
                            .lanes = kernels ? (size_t)kernels->lanes : 1,
                            .check_all = check_all && kernels,
                            .finish_all = b->around && (b->around->A.data || b->around->B.data),
                            .failure = HML_SINGULAR};
    return kernels ? for_each_pack(&packs, &loop, n, status) : for_each_pack(&one, &loop, n, status);
}

/* ---- linearization ---- */

static unsigned linearize_pack(const batch *b, const kernel_call *call, size_t first)
{
    kernel_call c = *call;
    c.tau = states_input(b->tau, first);
    c.acceleration = output_at(b->out[0].to, first);
    c.Dq = output_at(b->out[1].to, first);
    c.Dv = output_at(b->out[2].to, first);
    c.Minv = output_at(b->out[3].to, first);
    return b->work->choice.batch_f32->pack_linearize(&c);
}

static hml_status linearize_wide(hml_work *work, const wide_state *x)
{
    const hml_linearization all = {.struct_size = sizeof all,
                                   .q = {x->q, 0},
                                   .v = {x->v, 0},
                                   .tau = {x->tau, 0},
                                   .wrenches = {x->wrenches, 0},
                                   .acceleration.data = x->out[0],
                                   .Dq.data = x->out[1],
                                   .Dv.data = x->out[2],
                                   .Minv.data = x->out[3]};
    return hml_linearize_batch(work->model, work, 1, &all, NULL);
}

hml_status hml_linearize_batch_f32(const hml_model *model, hml_work *work, size_t n,
                                   const hml_linearization_f32 *arguments, hml_status *status)
{
    hml_linearization_f32 room;
    const hml_linearization_f32 *x = STRUCT_TAKE(hml_linearization_f32, arguments, &room, v);
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !linearization_fits(model, x)) return HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)model->nv;
    outputs o;
    resolve_all(x, nv, &o);
    batch b = {.work = work,
               .q = x->q,
               .v = x->v,
               .tau = x->tau,
               .wrenches = x->wrenches,
               .around = &o,
               .pack = linearize_pack,
               .wide = linearize_wide};
    add_output(&b, o.acceleration, 1, nv);
    add_output(&b, o.Dq, nv, nv);
    add_output(&b, o.Dv, nv, nv);
    add_output(&b, o.Minv, nv, nv);
    return run_batch(&b, n, x->wrenches.data != NULL, status);
}

/* ---- dynamics ---- */

enum { ACCELERATION, MINV, TORQUE, MASS, DTAU_DQ, DTAU_DV };

/* zeros: the kernel does not write entries between different branches */
static void clear(kernel_output out, size_t n, int count)
{
    for (size_t l = 0; out.data && l < (size_t)count; l++) {
        for (size_t r = 0; r < n; r++) memset(out.data + l * out.stride + r * out.ld, 0, n * sizeof(float));
    }
}

static unsigned dynamics_pack(const batch *b, const kernel_call *call, size_t first)
{
    const kernel_table_f32 *kernels = b->work->choice.batch_f32;
    kernel_call c = *call;
    unsigned failed = 0;
    c.tau = states_input(b->tau, first);
    c.acceleration = output_at(b->out[ACCELERATION].to, first);
    c.Minv = output_at(b->out[MINV].to, first);
    if (c.acceleration.data) failed |= kernels->pack_forward_dynamics(&c);
    c.tau.data = NULL; /* the others do not read it, and so must not look at it either */
    if (c.Minv.data) failed |= kernels->pack_inverse_mass_matrix(&c);
    c.a = states_input(b->a, first);
    c.torque = output_at(b->out[TORQUE].to, first);
    c.M = output_at(b->out[MASS].to, first);
    if (c.torque.data) failed |= kernels->pack_inverse_dynamics(&c);
    if (c.M.data) failed |= kernels->pack_mass_matrix(&c);
    c.dtau_dq = output_at(b->out[DTAU_DQ].to, first), c.dtau_dv = output_at(b->out[DTAU_DV].to, first);
    if (!c.dtau_dq.data && !c.dtau_dv.data) return failed;
    c.torque.data = c.M.data = NULL; /* they are there */
    clear(c.dtau_dq, b->out[DTAU_DQ].rows, c.count);
    clear(c.dtau_dv, b->out[DTAU_DV].rows, c.count);
    return failed | kernels->pack_inverse_dynamics_derivatives(&c);
}

static hml_status dynamics_wide(hml_work *work, const wide_state *x)
{
    const hml_dynamics_states all = {.struct_size = sizeof all,
                                     .q = {x->q, 0},
                                     .v = {x->v, 0},
                                     .tau = {x->tau, 0},
                                     .a = {x->a, 0},
                                     .wrenches = {x->wrenches, 0},
                                     .acceleration.data = x->out[ACCELERATION],
                                     .Minv.data = x->out[MINV],
                                     .torque.data = x->out[TORQUE],
                                     .M.data = x->out[MASS],
                                     .dtau_dq.data = x->out[DTAU_DQ],
                                     .dtau_dv.data = x->out[DTAU_DV]};
    return hml_dynamics_batch(work->model, work, 1, &all, NULL);
}

hml_status hml_dynamics_batch_f32(const hml_model *model, hml_work *work, size_t n,
                                  const hml_dynamics_states_f32 *arguments, hml_status *status)
{
    hml_dynamics_states_f32 room;
    const hml_dynamics_states_f32 *x = STRUCT_TAKE(hml_dynamics_states_f32, arguments, &room, q);
    if (hmli_work_check_forward(model, work) || !x || !x->q.data) return HML_INVALID_ARGUMENT;
    const int derivatives = x->dtau_dq.data || x->dtau_dv.data;
    if ((x->M.data || x->Minv.data || derivatives) && hmli_work_check(model, work, HML_USE_FACTOR))
        return HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)model->nv;
    const hml_output_f32 all[] = {x->acceleration, x->Minv, x->torque, x->M, x->dtau_dq, x->dtau_dv};
    batch b = {.work = work,
               .q = x->q,
               .v = x->v,
               .tau = x->tau,
               .a = x->a,
               .wrenches = x->wrenches,
               .pack = dynamics_pack,
               .wide = dynamics_wide};
    for (int k = 0; k < OUTPUTS; k++) {
        const size_t rows = k == ACCELERATION || k == TORQUE ? 1 : nv;
        if (!output_fits(all[k], nv)) return HML_INVALID_ARGUMENT;
        add_output(&b, states_output(all[k], rows, nv), rows, nv);
    }
    return run_batch(&b, n, x->wrenches.data || derivatives, status);
}

/* ---- kinematics ---- */

static jacobian_call kinematics_call(const batch *b, const kernel_call *call, size_t first)
{
    jacobian_call c = {.plan = call->plan, .scratch = call->scratch, .count = call->count, .q = call->q};
    c.H = output_at(b->out[0].to, first);
    c.J = output_at(b->out[1].to, first);
    return c;
}

static unsigned poses_pack(const batch *b, const kernel_call *call, size_t first)
{
    const jacobian_call c = kinematics_call(b, call, first);
    return b->work->choice.batch_f32->pack_poses(&c);
}

static unsigned jacobians_pack(const batch *b, const kernel_call *call, size_t first)
{
    const jacobian_call c = kinematics_call(b, call, first);
    return b->work->choice.batch_f32->pack_jacobians(&c);
}

static hml_status poses_wide(hml_work *work, const wide_state *x)
{
    return hml_body_poses(work->model, work, x->q, x->out[0]);
}

static hml_status jacobians_wide(hml_work *work, const wide_state *x)
{
    const hml_jacobian_columns all = {
        .struct_size = sizeof all, .q = {x->q, 0}, .H.data = x->out[0], .J.data = x->out[1]};
    return hml_all_jacobians(work->model, work, &all);
}

hml_status hml_body_poses_batch_f32(const hml_model *model, hml_work *work, size_t n, hml_input_f32 q, hml_output_f32 H,
                                    hml_status *status)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q.data || !H.data) return HML_INVALID_ARGUMENT;
    const size_t row = 16 * (size_t)model->nbodies;
    if (!output_fits(H, row)) return HML_INVALID_ARGUMENT;
    batch b = {.work = work, .q = q, .pack = poses_pack, .wide = poses_wide};
    add_output(&b, states_output(H, 1, row), 1, row);
    return run_batch(&b, n, 0, status);
}

hml_status hml_all_jacobians_batch_f32(const hml_model *model, hml_work *work, size_t n,
                                       const hml_jacobian_columns_f32 *arguments, hml_status *status)
{
    hml_jacobian_columns_f32 room;
    const hml_jacobian_columns_f32 *x = STRUCT_TAKE(hml_jacobian_columns_f32, arguments, &room, q);
    if (hmli_work_check(model, work, HML_USE_TREE) || !x || !x->q.data) return HML_INVALID_ARGUMENT;
    const size_t row = 16 * (size_t)model->nbodies, nv = (size_t)model->nv;
    if (!output_fits(x->H, row) || !output_fits(x->J, nv)) return HML_INVALID_ARGUMENT;
    if (model->nfollowers) return HML_UNSUPPORTED;
    batch b = {.work = work, .q = x->q, .pack = jacobians_pack, .wide = jacobians_wide};
    add_output(&b, states_output(x->H, 1, row), 1, row);
    add_output(&b, states_output(x->J, 6, nv), 6, nv);
    return run_batch(&b, n, 0, status);
}
