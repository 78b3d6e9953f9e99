/* A frame of many states: pack/frame.h behind hamel/kinematics.h. */
#include "algo/for_each_pack.h"
#include "algo/kinematics/frame_call.h"
#include "algo/states.h"
#include "algo/work.h"
#include "base/struct_size.h"
#include "hamel/kinematics.h"

/* a batch, as for_each_pack hands it around; call: that of the first pack */
typedef struct batch {
    hml_work *work;
    const hml_frame_states *x;
    int32_t frame;
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
    each[0] = hml_frame(b->work->model, b->work, b->frame, (hml_representation)c.representation, c.q.data, c.v.data,
                        c.a.data, &motion);
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
    output_fill_nan(c.twist, 1, 6), output_fill_nan(c.acceleration, 1, 6);
}

/* is there what the outputs need? */
static int valid(const hml_frame_states *x)
{
    if (!x->q.data || (x->acceleration.data && !x->a.data)) return 0;
    return x->v.data || !(x->Jdot.data || x->twist.data || x->acceleration.data);
}

static int fits(const hml_frame_states *x, size_t nv)
{
    return output_fits(x->pose, 16) && output_fits(x->J, nv) && output_fits(x->Jdot, nv) && output_fits(x->twist, 6) &&
           output_fits(x->acceleration, 6);
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
    if (model->nfollowers && (x->J.ld > nv || x->Jdot.ld > nv)) return HML_UNSUPPORTED;
    batch b = {.work = work, .x = x, .frame = frame, .call = frame_call_of(work, frame, representation)};
    b.call.pose = states_output(x->pose, 1, 16);
    b.call.J = states_output(x->J, 6, nv), b.call.Jdot = states_output(x->Jdot, 6, nv);
    b.call.twist = states_output(x->twist, 1, 6), b.call.acceleration = states_output(x->acceleration, 1, 6);
    static const pack_functions packs = {.run = run, .check = check, .finite = finite, .finish = finish};
    static const pack_functions singles = {.run = run_one, .judges = 1, .finite = finite, .finish = finish};
    const pack_loop loop = {.batch = &b, .lanes = model->nfollowers ? 1 : (size_t)work->choice.batch->lanes};
    return model->nfollowers ? for_each_pack(&singles, &loop, n, status) : for_each_pack(&packs, &loop, n, status);
}
