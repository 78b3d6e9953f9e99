/* Bodies and frames: the first two orders of motion_series.h behind hamel/kinematics.h. */
#include "hamel/kinematics.h"

#include "algo/kinematics/frame_call.h"
#include "algo/kinematics/frame_seen.h"
#include "algo/kinematics/scratch.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"

static int frame_or_world(const hml_model *m, int32_t frame) { return frame >= HML_WORLD && frame < m->nframes; }

static int representation_exists(hml_representation rep) { return rep >= HML_LEFT && rep <= HML_SPLIT; }

/* ---- all of them ---- */

static void walk_bodies(const hml_model *model, const state_series *state, int order, body_motion *bodies)
{
    path_walk w;
    for (int32_t i = 0; i < model->nbodies; i++) {
        int32_t parent = model_bodies(model)[i].parent;
        walk_start(&w, order);
        if (parent >= 0) {
            w.world = bodies[parent].world;
            w.H = bodies[parent].H;
            for (int n = 0; n <= order; n++) w.V[n] = bodies[parent].V[n];
        }
        walk_step(&w, model, i, state);
        bodies[i].world = w.world;
        bodies[i].H = w.H;
        for (int n = 0; n <= order; n++) bodies[i].V[n] = w.V[n];
    }
}

hml_status hml_frame_motions(const hml_model *model, hml_work *work, int32_t count, hml_representation representation,
                             const double *q, const double *v, const double *a, double *H, double *V, double *A)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !representation_exists(representation)) {
        return HML_INVALID_ARGUMENT;
    }
    if (count < 0 || count > model->nframes || ((V || A) && !v) || (A && !a)) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    const unsigned before = overflow_watch();
    body_motion *bodies = hmli_work_kinematics(work).bodies;
    state_series state = {.q = q, .rates = {v, a}};
    int order = A != NULL;
    walk_bodies(model, &state, order, bodies);
    for (int32_t i = 0; i < count; i++) {
        const model_frame *f = &model_frames(model)[i];
        path_walk w;
        expression x;
        walk_start(&w, order);
        if (f->body >= 0) {
            w.world = bodies[f->body].world;
            w.H = bodies[f->body].H;
            for (int n = 0; n <= order; n++) w.V[n] = bodies[f->body].V[n];
        }
        w.H = pose_mul(w.H, frame_placement(model, f));
        expression_of_walk(&x, representation, &w);
        series_express(&x, order, w.V);
        if (H) write_pose(pose_mul(w.world, w.H), H + 16 * (size_t)i);
        if (V) write_twist(w.V[0], V + 6 * (size_t)i);
        if (A) write_twist(w.V[1], A + 6 * (size_t)i);
    }
    return OVERFLOW_STATUS(before, {H, 16 * (size_t)count}, {V, 6 * (size_t)count}, {A, 6 * (size_t)count});
}

/* ---- one frame ---- */

/*
 * Is there a way from the frame to the root that frame_seen.h can take? Bodies on fixed ones of the world are roots of
 * the plan, whose placements say where they are.
 */
static int can_be_seen(const hml_model *model, int32_t frame, int32_t reference)
{
    return reference == HML_WORLD && !model->nfollowers && model_frames(model)[frame].body >= 0;
}

static int valid(const hml_frame_motion *motion, const double *v, const double *a)
{
    if (!motion) return 0;
    if (motion->acceleration && !a) return 0;
    return v || !(motion->Jdot || motion->twist || motion->acceleration);
}

static pose seen(const hml_model *model, const hml_work *work, int32_t frame, hml_representation representation,
                 const state_series *state, const hml_frame_motion *motion)
{
    const int moving = motion->Jdot || motion->twist || motion->acceleration;
    const state_series still = {.q = state->q};
    frame_seen x = {.J = motion->J, .Jdot = motion->Jdot};
    if (!x.J && x.Jdot && representation != HML_LEFT) x.J = hmli_work_kinematics(work).J;
    const pose H = frame_seen_walk(model, &model_frames(model)[frame], moving ? state : &still, &x);
    if (representation != HML_LEFT) frame_seen_express(model, body_of(model, frame), representation, H, &x);
    if (motion->twist) write_twist(x.V, motion->twist);
    if (motion->acceleration) write_twist(x.A, motion->acceleration);
    return H;
}

/* the same by a kernel, the pose too */
static void seen_by_kernel(const hml_work *work, int32_t frame, hml_representation representation,
                           const state_series *state, const hml_frame_motion *motion)
{
    const size_t nv = (size_t)work->model->nv;
    const int moving = motion->Jdot || motion->twist || motion->acceleration;
    frame_call call;
    frame_call_begin(work, frame, representation, &call);
    call.q.data = state->q;
    if (moving) call.v.data = state->rates[0], call.a.data = state->rates[1];
    call.pose.data = motion->pose, call.twist.data = motion->twist, call.acceleration.data = motion->acceleration;
    call.J.data = motion->J, call.J.ld = nv;
    call.Jdot.data = motion->Jdot, call.Jdot.ld = nv;
    work->choice.single->single_frame(&call);
}

static pose series(const hml_model *model, const hml_work *work, int32_t frame, int32_t reference,
                   hml_representation representation, const state_series *state, const hml_frame_motion *motion)
{
    twist twists[SERIES_LENGTH];
    jacobian_series J = {.order = motion->Jdot != NULL, .nv = model->nv, .J = {motion->J, motion->Jdot}};
    if (!motion->J) J.J[0] = hmli_work_kinematics(work).J; /* J̇ grows out of J */
    const pose H = frame_series(model, frame, reference, representation, state, motion->Jdot || motion->acceleration,
                                twists, motion->J || motion->Jdot ? &J : NULL);
    if (motion->twist) write_twist(twists[0], motion->twist);
    if (motion->acceleration) write_twist(twists[1], motion->acceleration);
    return H;
}

hml_status hml_frame_relative(const hml_model *model, hml_work *work, int32_t frame, int32_t reference,
                              hml_representation representation, const double *q, const double *v, const double *a,
                              const hml_frame_motion *given)
{
    hml_frame_motion room;
    const hml_frame_motion *motion = STRUCT_TAKE(hml_frame_motion, given, &room, pose);
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !valid(motion, v, a)) return HML_INVALID_ARGUMENT;
    if (frame < 0 || frame >= model->nframes || !frame_or_world(model, reference) ||
        !representation_exists(representation)) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    const unsigned before = overflow_watch();
    const state_series state = {.q = q, .rates = {v, a}};
    const int near = can_be_seen(model, frame, reference);
    if (near && work->choice.single->single_frame) {
        seen_by_kernel(work, frame, representation, &state, motion);
    } else {
        const pose H = near ? seen(model, work, frame, representation, &state, motion)
                            : series(model, work, frame, reference, representation, &state, motion);
        if (motion->pose) write_pose(H, motion->pose);
    }
    const size_t nv = (size_t)model->nv;
    return OVERFLOW_STATUS(before, {motion->pose, 16}, {motion->twist, 6}, {motion->acceleration, 6},
                           {motion->J, 6 * nv}, {motion->Jdot, 6 * nv});
}

hml_status hml_frame(const hml_model *model, hml_work *work, int32_t frame, hml_representation representation,
                     const double *q, const double *v, const double *a, const hml_frame_motion *motion)
{
    return hml_frame_relative(model, work, frame, HML_WORLD, representation, q, v, a, motion);
}

hml_status hml_frame_acceleration(const hml_model *model, hml_work *work, int32_t frame, hml_acceleration_kind kind,
                                  int32_t expressed, const double *q, const double *v, const double *a,
                                  double acceleration[6])
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !v || !a || !acceleration) return HML_INVALID_ARGUMENT;
    if (frame < 0 || frame >= model->nframes || !frame_or_world(model, expressed)) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    state_series state = {.q = q, .rates = {v, a}};
    path_walk e, c;
    walk_start(&e, 1);
    walk_to(&e, model, frame, &state, 1, NULL);
    walk_start_beside(&c, &e);
    walk_to(&c, model, expressed, &state, 1, NULL);
    write_twist(frame_acceleration(kind, &e, &c), acceleration);
    return finite_array(acceleration, 6);
}
