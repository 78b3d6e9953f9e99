/* Bodies and frames: the first two orders of motion_series.h behind hamel/kinematics.h. */
#include "hamel/kinematics.h"

#include <string.h>

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

/* ---- pose and J alone ---- */

/*
 * From the frame to the root, as the frame sees it: H is the frame in the plan frame of the body at hand, and every
 * column is one of z's. Nothing is turned twice, and what the path does not carry is not touched.
 */

/* Ad_H⁻¹ S of a joint with one coordinate, whose axis is z */
static twist column_seen(int32_t type, pose H, double pitch)
{
    const vec3 z = vec3_of(H.R.x.z, H.R.y.z, H.R.z.z), p = H.p;
    if (type == HML_JOINT_PRISMATIC) return twist_of(z, vec3_zero());
    const vec3 v = vec3_of(H.R.x.y * p.x - H.R.x.x * p.y, H.R.y.y * p.x - H.R.y.x * p.y, H.R.z.y * p.x - H.R.z.x * p.y);
    return twist_of(type == HML_JOINT_HELICAL ? vec3_axpy(pitch, z, v) : v, z);
}

static vec3 turned_z(vec3 a, double s, double c) { return vec3_of(c * a.x - s * a.y, s * a.x + c * a.y, a.z); }

/* H seen from the parent's plan frame */
static pose seen_from_parent(const plan_body *p, const double *q, pose H)
{
    const pose X = plan_pose(p->X);
    double s, c;
    if (p->type != HML_JOINT_REVOLUTE) return pose_mul(joint_move(p->type, X, p->pitch, q), H);
    num_sincos(q[0], &s, &c);
    H.R = mat3_of(turned_z(H.R.x, s, c), turned_z(H.R.y, s, c), turned_z(H.R.z, s, c));
    H.p = turned_z(H.p, s, c);
    return pose_mul(X, H);
}

/* the pose of a frame that a body carries, and its left Jacobian; not with mimic followers */
static pose frame_seen(const hml_model *model, const model_frame *f, const double *q, double *J)
{
    const plan_body *pb = plan_bodies(model_plan(model));
    pose H = frame_placement(model, f);
    memset(J, 0, 6 * (size_t)model->nv * sizeof *J);
    for (int32_t i = f->body; i >= 0; i = pb[i].parent) {
        const plan_body *p = &pb[i];
        if (p->nv == 1) {
            matrix_put_column(J, model->nv, p->v, column_seen(p->type, H, p->pitch));
        } else if (p->nv) {
            twist S[HML_JOINT_MAX_NV];
            joint_columns_at(p->type, pose_identity(), p->pitch, S);
            for (int32_t k = 0; k < p->nv; k++) matrix_put_column(J, model->nv, p->v + k, pose_ad_inverse(H, S[k]));
        }
        H = seen_from_parent(p, q + p->q, H);
    }
    return H;
}

/* a left Jacobian becomes one in the world's axes, in the columns of the path; the angular part too, or not */
static void turn_columns(const hml_model *model, int32_t body, mat3 R, int angular, double *J)
{
    const plan_body *pb = plan_bodies(model_plan(model));
    for (int32_t i = body; i >= 0; i = pb[i].parent) {
        for (int32_t c = pb[i].v; c < pb[i].v + pb[i].nv; c++) {
            const twist U = matrix_column(J, model->nv, c);
            const vec3 w = angular ? mat3_mul_vec(R, U.w) : U.w;
            matrix_put_column(J, model->nv, c, twist_of(mat3_mul_vec(R, U.v), w));
        }
    }
}

/* can it be done so? Bodies on fixed ones of the world are roots of the plan, whose placements say where they are */
static int can_be_seen(const hml_model *model, int32_t frame, int32_t reference, hml_representation representation,
                       const hml_frame_motion *motion)
{
    return reference == HML_WORLD && representation != HML_RIGHT && !model->nfollowers && motion->J && !motion->Jdot &&
           !motion->twist && !motion->acceleration && model_frames(model)[frame].body >= 0;
}

/* ---- one frame ---- */

static int valid(const hml_frame_motion *motion, const double *v, const double *a)
{
    if (!motion) return 0;
    if (motion->acceleration && !a) return 0;
    return v || !(motion->Jdot || motion->twist || motion->acceleration);
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
    if (can_be_seen(model, frame, reference, representation, motion)) {
        const pose H = frame_seen(model, &model_frames(model)[frame], q, motion->J);
        if (representation != HML_LEFT)
            turn_columns(model, body_of(model, frame), H.R, representation == HML_MIXED, motion->J);
        if (motion->pose) write_pose(H, motion->pose);
        return OVERFLOW_STATUS(before, {motion->pose, 16}, {motion->J, 6 * (size_t)model->nv});
    }
    state_series state = {.q = q, .rates = {v, a}};
    twist twists[SERIES_LENGTH];
    jacobian_series J = {.order = motion->Jdot != NULL, .nv = model->nv, .J = {motion->J, motion->Jdot}};
    if (!motion->J) J.J[0] = hmli_work_kinematics(work).J; /* J̇ grows out of J */
    pose H = frame_series(model, frame, reference, representation, &state, motion->Jdot || motion->acceleration, twists,
                          motion->J || motion->Jdot ? &J : NULL);
    if (motion->pose) write_pose(H, motion->pose);
    if (motion->twist) write_twist(twists[0], motion->twist);
    if (motion->acceleration) write_twist(twists[1], motion->acceleration);
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
