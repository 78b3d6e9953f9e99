/* A frame of many states, and derivatives of its motion: pack/frame.h behind hamel/kinematics.h. */
#include "algo/for_each_pack.h"
#include "algo/kinematics/frame_call.h"
#include "algo/kinematics/motion_series.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/struct_size.h"
#include "hamel/kinematics_derivatives.h"

/* a batch, as for_each_pack hands it around; call: that of the first pack */
typedef struct batch {
    hml_work *work;
    const hml_frame_states *x;
    int32_t frame;
    double placement[12];
    frame_call call;
} batch;

static frame_call call_at(const batch *b, size_t first, int count)
{
    frame_call call = b->call;
    call.count = count;
    call.q = states_input(b->x->q, first), call.v = states_input(b->x->v, first);
    call.a = states_input(b->x->a, first);
    call.pose = output_at(call.pose, first);
    call.J = output_at(call.J, first), call.Jdot = output_at(call.Jdot, first);
    call.twist = output_at(call.twist, first), call.acceleration = output_at(call.acceleration, first);
    call.twist_q = output_at(call.twist_q, first);
    call.acceleration_q = output_at(call.acceleration_q, first);
    call.acceleration_v = output_at(call.acceleration_v, first);
    return call;
}

static uint64_t run(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    const frame_call call = call_at(b, first, count);
    (void)each;
    return b->work->choice.batch->pack_frame(&call);
}

/* one state of a model with mimic joints */
static uint64_t run_one(const void *data, size_t first, int count, hml_status *each)
{
    const batch *b = data;
    const frame_call c = call_at(b, first, count);
    const hml_frame_motion motion = {.struct_size = sizeof motion,
                                     .pose = c.pose.data,
                                     .J = c.J.data,
                                     .Jdot = c.Jdot.data,
                                     .twist = c.twist.data,
                                     .acceleration = c.acceleration.data};
    const hml_frame_derivative derivative = {.struct_size = sizeof derivative,
                                             .twist_q = c.twist_q.data,
                                             .acceleration_q = c.acceleration_q.data,
                                             .acceleration_v = c.acceleration_v.data};
    const hml_representation rep = (hml_representation)c.representation;
    each[0] = hml_frame(b->work->model, b->work, b->frame, rep, c.q.data, c.v.data, c.a.data, &motion);
    if (!each[0] && (c.twist_q.data || c.acceleration_q.data || c.acceleration_v.data))
        each[0] =
            hml_frame_derivatives(b->work->model, b->work, b->frame, rep, c.q.data, c.v.data, c.a.data, &derivative);
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
    const frame_call c = call_at(b, state, 1);
    const size_t nv = (size_t)b->work->model->nv;
    hml_status status = output_finite(c.pose, 1, 16);
    if (!status) status = output_finite(c.J, 6, nv);
    if (!status) status = output_finite(c.Jdot, 6, nv);
    if (!status) status = output_finite(c.twist, 1, 6);
    if (!status) status = output_finite(c.twist_q, 6, nv);
    if (!status) status = output_finite(c.acceleration_q, 6, nv);
    if (!status) status = output_finite(c.acceleration_v, 6, nv);
    return status ? status : output_finite(c.acceleration, 1, 6);
}

static void finish(const void *data, size_t state, hml_status status)
{
    const batch *b = data;
    const frame_call c = call_at(b, state, 1);
    const size_t nv = (size_t)b->work->model->nv;
    (void)status; /* only states that failed come here */
    output_fill_nan(c.pose, 1, 16);
    output_fill_nan(c.J, 6, nv), output_fill_nan(c.Jdot, 6, nv);
    output_fill_nan(c.twist_q, 6, nv);
    output_fill_nan(c.acceleration_q, 6, nv), output_fill_nan(c.acceleration_v, 6, nv);
    output_fill_nan(c.twist, 1, 6), output_fill_nan(c.acceleration, 1, 6);
}

/* is there what the outputs need? */
static int valid(const hml_frame_states *x)
{
    const int derivatives = x->twist_q.data || x->acceleration_q.data || x->acceleration_v.data;
    if (!x->q.data || ((x->acceleration.data || x->acceleration_q.data) && !x->a.data)) return 0;
    return x->v.data || !(x->Jdot.data || x->twist.data || x->acceleration.data || derivatives);
}

static int fits(const hml_frame_states *x, size_t nv)
{
    return output_fits(x->pose, 16) && output_fits(x->J, nv) && output_fits(x->Jdot, nv) && output_fits(x->twist, 6) &&
           output_fits(x->acceleration, 6) && output_fits(x->twist_q, nv) && output_fits(x->acceleration_q, nv) &&
           output_fits(x->acceleration_v, nv);
}

/* do the rows of all matrices lie side by side? */
static int packed(const hml_frame_states *x, size_t nv)
{
    const hml_output matrices[] = {x->J, x->Jdot, x->twist_q, x->acceleration_q, x->acceleration_v};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        if (matrices[i].ld > nv) return 0;
    return 1;
}

hml_status hml_frame_batch(const hml_model *model, hml_work *work, int32_t frame, hml_representation representation,
                           size_t n, const hml_frame_states *arguments, hml_status *status)
{
    hml_frame_states room;
    const hml_frame_states *x = STRUCT_TAKE(hml_frame_states, arguments, &room, a);
    if (hmli_work_check(model, work, HML_USE_TREE) || !x || !valid(x)) return HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)model->nv;
    if (frame < 0 || frame >= model->nframes || representation < HML_LEFT || representation > HML_SPLIT || !fits(x, nv))
        return HML_INVALID_ARGUMENT;
    if (model->nfollowers && !packed(x, nv)) return HML_UNSUPPORTED;
    batch b = {.work = work, .x = x, .frame = frame};
    frame_call_begin(work, frame, representation, &b.call);
    const pose F = frame_placement(model, &model_frames(model)[frame]);
    mat3_put(F.R, b.placement, 3), vec3_put(F.p, b.placement + 9);
    b.call.R = b.placement, b.call.p = b.placement + 9;
    b.call.pose = states_output(x->pose, 1, 16);
    b.call.J = states_output(x->J, 6, nv), b.call.Jdot = states_output(x->Jdot, 6, nv);
    b.call.twist = states_output(x->twist, 1, 6), b.call.acceleration = states_output(x->acceleration, 1, 6);
    b.call.twist_q = states_output(x->twist_q, 6, nv);
    b.call.acceleration_q = states_output(x->acceleration_q, 6, nv);
    b.call.acceleration_v = states_output(x->acceleration_v, 6, nv);
    static const pack_functions packs = {.run = run, .check = check, .finite = finite, .finish = finish};
    static const pack_functions singles = {.run = run_one, .judges = 1, .finite = finite, .finish = finish};
    const pack_loop loop = {.batch = &b, .lanes = model->nfollowers ? 1 : (size_t)work->choice.batch->lanes};
    return model->nfollowers ? for_each_pack(&singles, &loop, n, status) : for_each_pack(&packs, &loop, n, status);
}
