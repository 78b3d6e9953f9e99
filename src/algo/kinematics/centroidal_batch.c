/* Centre of mass and centroidal momentum of many states: pack/centroidal.h behind hamel/kinematics.h. */
#include "algo/for_each_pack.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/struct_size.h"
#include "hamel/kinematics_derivatives.h"

/* what a batch may be asked for: where it stands in a call and in the arguments; rows × nv, or as many numbers */
typedef struct batch_output {
    size_t at, arguments;
    int rows, numbers;
} batch_output;

#define MATRIX(name, rows)                                                                                             \
    {                                                                                                                  \
        offsetof(robot_call, name), offsetof(hml_centroidal_states, name), rows, 0                                     \
    }
#define VECTOR(name, n)                                                                                                \
    {                                                                                                                  \
        offsetof(robot_call, name), offsetof(hml_centroidal_states, name), 1, n                                        \
    }
static const batch_output outputs[] = {
    VECTOR(com, 3),
    VECTOR(com_velocity, 3),
    VECTOR(com_acceleration, 3),
    MATRIX(com_J, 3),
    MATRIX(com_Jdot, 3),
    MATRIX(A, 6),
    MATRIX(Adot, 6),
    VECTOR(momentum, 6),
    VECTOR(momentum_rate, 6),
    MATRIX(com_velocity_q, 3),
    MATRIX(momentum_q, 6),
    MATRIX(momentum_rate_q, 6),
    MATRIX(momentum_rate_v, 6),
    MATRIX(com_J_q, 0), /* the last: 3 nv rows */
};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

static size_t rows_of(const hml_model *m, size_t k)
{
    return outputs[k].rows ? (size_t)outputs[k].rows : 3 * (size_t)m->nv;
}

static size_t columns_of(const hml_model *m, size_t k)
{
    return outputs[k].numbers ? (size_t)outputs[k].numbers : (size_t)m->nv;
}

/* a batch, as for_each_pack hands it around; call: that of the first pack */
typedef struct batch {
    hml_work *work;
    const hml_centroidal_states *x;
    robot_call call;
} batch;

static kernel_output *output_of(robot_call *call, size_t k)
{
    return (kernel_output *)(void *)((char *)call + outputs[k].at);
}

static kernel_output output_in(const batch *b, size_t k, size_t state)
{
    return output_at(*(const kernel_output *)(const void *)((const char *)&b->call + outputs[k].at), state);
}

static robot_call call_at(const batch *b, size_t first, int count)
{
    robot_call call = b->call;
    call.count = count;
    call.q = states_input(b->x->q, first), call.v = states_input(b->x->v, first);
    call.a = states_input(b->x->a, first);
    for (size_t k = 0; k < OUTPUTS; k++) *output_of(&call, k) = output_in(b, k, first);
    return call;
}

/* one state of a model with mimic joints */
static hml_status run_single(const batch *b, size_t state)
{
    const hml_model *m = b->work->model;
    const robot_call c = call_at(b, state, 1);
    const double *q = c.q.data, *v = c.v.data, *a = c.a.data;
    const hml_centroidal_motion motion = {.struct_size = sizeof motion,
                                          .com = c.com.data,
                                          .com_J = c.com_J.data,
                                          .com_Jdot = c.com_Jdot.data,
                                          .com_velocity = c.com_velocity.data,
                                          .com_acceleration = c.com_acceleration.data,
                                          .A = c.A.data,
                                          .Adot = c.Adot.data,
                                          .momentum = c.momentum.data,
                                          .momentum_rate = c.momentum_rate.data};
    const hml_centroidal_derivative derivative = {.struct_size = sizeof derivative,
                                                  .com_J_q = c.com_J_q.data,
                                                  .com_velocity_q = c.com_velocity_q.data,
                                                  .momentum_q = c.momentum_q.data,
                                                  .momentum_rate_q = c.momentum_rate_q.data,
                                                  .momentum_rate_v = c.momentum_rate_v.data};
    const hml_status status = hml_centroidal(m, b->work, q, v, a, &motion);
    return status ? status : hml_centroidal_derivatives(m, b->work, q, v, a, &derivative);
}

static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    const robot_call call = call_at(b, first, count);
    (void)each;
    return b->work->choice.batch->pack_centroidal(&call);
}

static uint64_t run_one(const void *data, size_t first, int count, hml_status *each)
{
    (void)count; /* it is 1 */
    each[0] = run_single(data, first);
    return each[0] != HML_OK;
}

static hml_status check(const void *data, size_t state)
{
    const batch *b = data;
    return hmli_work_check_state(b->work->model, input_at(b->x->q, state), input_at(b->x->v, state),
                                 input_at(b->x->a, state), NULL);
}

static hml_status finite(const void *data, size_t state)
{
    const batch *b = data;
    const hml_model *m = b->work->model;
    hml_status status = HML_OK;
    for (size_t k = 0; k < OUTPUTS && !status; k++)
        status = output_finite(output_in(b, k, state), rows_of(m, k), columns_of(m, k));
    return status;
}

static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    const hml_model *m = b->work->model;
    (void)status; /* only states that failed come here */
    for (size_t k = 0; k < OUTPUTS; k++) output_fill_nan(output_in(b, k, state), rows_of(m, k), columns_of(m, k));
}

/* is there what the outputs need? */
static int valid(const hml_centroidal_states *x)
{
    const int accelerations = x->com_acceleration.data || x->momentum_rate.data || x->momentum_rate_q.data;
    const int velocities = x->com_Jdot.data || x->com_velocity.data || x->Adot.data || x->momentum.data ||
                           x->com_velocity_q.data || x->momentum_q.data || x->momentum_rate_v.data;
    return x->q.data && (x->v.data || !(velocities || accelerations)) && (x->a.data || !accelerations);
}

hml_status hml_centroidal_batch(const hml_model *model, hml_work *work, size_t n,
                                const hml_centroidal_states *arguments, hml_status *status)
{
    hml_centroidal_states room;
    const hml_centroidal_states *x = STRUCT_TAKE(hml_centroidal_states, arguments, &room, a);
    if (hmli_work_check(model, work, HML_USE_TREE) || !x || !valid(x)) return HML_INVALID_ARGUMENT;
    batch b = {.work = work, .x = x, .call = {.plan = model_plan(model), .scratch = work->scratch}};
    for (size_t k = 0; k < OUTPUTS; k++) {
        const hml_output *given = (const hml_output *)(const void *)((const char *)x + outputs[k].arguments);
        const size_t columns = columns_of(model, k);
        if (!output_fits(*given, columns)) return HML_INVALID_ARGUMENT;
        if (model->nfollowers && rows_of(model, k) > 1 && given->ld > columns) return HML_UNSUPPORTED;
        *output_of(&b.call, k) = states_output(*given, rows_of(model, k), columns);
    }
    if (!(hml_model_mass(model) > 0)) return HML_SINGULAR;
    static const pack_functions packs = {.run = run, .check = check, .finite = finite, .finish = finish};
    static const pack_functions singles = {.run = run_one, .judges = 1, .finite = finite, .finish = finish};
    const pack_loop loop = {.batch = &b, .lanes = model->nfollowers ? 1 : (size_t)work->choice.batch->lanes};
    return model->nfollowers ? for_each_pack(&singles, &loop, n, status) : for_each_pack(&packs, &loop, n, status);
}
