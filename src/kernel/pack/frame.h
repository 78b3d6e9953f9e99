/*
 * A frame, over num: its pose, Jacobian and J̇, twist and acceleration, in any representation.
 *
 * The path from the root to the frame is walked in the root's frame at this instant, where the column of a joint has the
 * derivative Ṡ = v × S. With the frame at p, axes R, and twist V in there, a column U and its derivative are
 *
 *   left    Ad⁻¹ U             Ad⁻¹ (U̇ − V × U)
 *   right   U, in the world    U̇, in the world
 *   mixed   u = U.v + U.w × p, U.w, in the world's axes; u̇ = U̇.v + U̇.w × p + U.w × ṗ
 *   split   u as in mixed, U.w as in left
 *
 * Derivatives by q and ν: kernel/seen.h, for which twists of the path are moved into the frame.
 */
#ifndef HML_KERNEL_PACK_FRAME_H
#define HML_KERNEL_PACK_FRAME_H

#include "kernel/pack/robot.h"
#include "kernel/seen.h"

typedef struct frame_scratch {
    robot_scratch robot;
    num *J, *Jdot;                                  /* 6 × nv */
    num *twist_q, *acceleration_q, *acceleration_v; /* the same */
    int32_t *path;                                  /* levels: bodies, root first */
} frame_scratch;

static inline size_t frame_scratch_lay(const hml_plan *plan, void *memory, frame_scratch *k)
{
    layout_cursor at = layout_begin(memory);
    const size_t nv = (size_t)plan->nv;
    robot_scratch_lay(plan, &at, &k->robot);
    k->J = (num *)layout_take(&at, 6 * nv * sizeof(num));
    k->Jdot = (num *)layout_take(&at, 6 * nv * sizeof(num));
    k->twist_q = (num *)layout_take(&at, 6 * nv * sizeof(num));
    k->acceleration_q = (num *)layout_take(&at, 6 * nv * sizeof(num));
    k->acceleration_v = (num *)layout_take(&at, 6 * nv * sizeof(num));
    k->path = (int32_t *)layout_take(&at, (size_t)plan->levels * sizeof(int32_t));
    return at.used;
}

/* where columns are expressed */
typedef struct frame_place {
    hml_representation representation;
    pose world, H; /* root frame in the world; frame in the root frame */
    twist V;
    vec3 pd; /* velocity of the frame's origin */
} frame_place;

NUM_INLINE twist frame_column(const frame_place *at, twist U)
{
    const vec3 u = vec3_add(U.v, vec3_cross(U.w, at->H.p));
    switch (at->representation) {
    case HML_LEFT: return twist_of(mat3_tmul_vec(at->H.R, u), mat3_tmul_vec(at->H.R, U.w));
    case HML_RIGHT: return pose_ad(at->world, U);
    case HML_MIXED: return twist_of(mat3_mul_vec(at->world.R, u), mat3_mul_vec(at->world.R, U.w));
    default: return twist_of(mat3_mul_vec(at->world.R, u), mat3_tmul_vec(at->H.R, U.w));
    }
}

/* the derivative of frame_column, where U has the derivative Ud */
NUM_INLINE twist frame_column_rate(const frame_place *at, twist U, twist Ud)
{
    const vec3 ud = vec3_add(vec3_add(Ud.v, vec3_cross(Ud.w, at->H.p)), vec3_cross(U.w, at->pd));
    const vec3 wd = vec3_sub(Ud.w, vec3_cross(at->V.w, U.w));
    switch (at->representation) {
    case HML_LEFT: return pose_ad_inverse(at->H, twist_sub(Ud, twist_cross(at->V, U)));
    case HML_RIGHT: return pose_ad(at->world, Ud);
    case HML_MIXED: return twist_of(mat3_mul_vec(at->world.R, ud), mat3_mul_vec(at->world.R, Ud.w));
    default: return twist_of(mat3_mul_vec(at->world.R, ud), mat3_tmul_vec(at->H.R, wd));
    }
}

/* where it is in the plan frame of its body, or in the world */
static inline pose frame_given(const frame_call *call)
{
    const double *R = call->R, *p = call->p;
    return pose_of(mat3_of(vec3_of(K(R[0]), K(R[3]), K(R[6])), vec3_of(K(R[1]), K(R[4]), K(R[7])),
                           vec3_of(K(R[2]), K(R[5]), K(R[8]))),
                   vec3_of(K(p[0]), K(p[1]), K(p[2])));
}

/* the bodies of the path; returns how many */
static inline int32_t frame_path(const hml_plan *plan, int32_t body, int32_t *path)
{
    const plan_body *pb = plan_bodies(plan);
    const int32_t n = body < 0 ? 0 : pb[body].level + 1;
    for (int32_t i = body, d = n; i >= 0; i = pb[i].parent) path[--d] = i;
    return n;
}

/* ---- derivatives ---- */

static inline void frame_clear(kernel_output out, int32_t nv, num *x)
{
    for (int32_t i = 0; i < 6 * nv && out.data; i++) x[i] = K(0);
}

static inline int frame_differentiates(const frame_call *call)
{
    return call->twist_q.data || call->acceleration_q.data || call->acceleration_v.data;
}

/* the columns of the joints of the path, whose n links hold the motion of their bodies */
NUM_INLINE void frame_changes(const int order, const frame_call *call, const frame_scratch *k, const frame_place *at,
                              twist A, int32_t n)
{
    const int32_t nv = call->plan->nv;
    seen_place x;
    seen_joint j = {twist_zero(), twist_zero(), twist_zero()};
    x.representation = at->representation;
    x.H = pose_mul(at->world, at->H);
    x.V = pose_ad_inverse(at->H, at->V);
    x.A = order > 1 ? pose_ad_inverse(at->H, A) : twist_zero();
    x.linear = seen_linear(x.representation, x.V, x.A);
    for (int32_t d = 0; d < n; d++) {
        const robot_link *own = &k->robot.links[d];
        const plan_body *p = &plan_bodies(call->plan)[k->path[d]];
        j.Vi = pose_ad_inverse(at->H, own->v);
        for (int32_t c = p->v; c < p->v + p->nv; c++) {
            const twist J = pose_ad_inverse(at->H, k->robot.columns[c].S);
            if (call->twist_q.data) put_column(k->twist_q + c, nv, seen_twist_q(&x, &j, J));
            if (order > 1 && call->acceleration_q.data)
                put_column(k->acceleration_q + c, nv, seen_acceleration_q(&x, &j, J));
            if (call->acceleration_v.data) put_column(k->acceleration_v + c, nv, seen_acceleration_v(&x, &j, J));
        }
        j.Vp = j.Vi;
        if (order > 1) j.Ap = pose_ad_inverse(at->H, own->a);
    }
}

NUM_INLINE void frame_run(const int order, const frame_call *call, const frame_scratch *k)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    const int32_t nv = plan->nv, n = frame_path(plan, call->body, k->path);
    frame_place at;
    twist A = twist_zero();
    at.representation = (hml_representation)call->representation;
    at.V = twist_zero();
    for (int32_t d = 0; d < n; d++) robot_out(order, &k->robot, &pb[k->path[d]], 0, NULL);
    at.H = frame_given(call);
    at.world = pose_identity(); /* of a frame that stands in the world */
    if (n) {
        const robot_link *last = &k->robot.links[n - 1];
        at.world = k->robot.roots[0];
        at.H = pose_mul(last->H, at.H);
        if (order > 0) at.V = last->v;
        if (order > 1) A = last->a;
    }
    at.pd = vec3_add(at.V.v, vec3_cross(at.V.w, at.H.p));
    if (call->pose.data) {
        const lane_places H = places_of(call->pose, call->count);
        store_pose(&H, 0, pose_mul(at.world, at.H));
    }
    num x[6];
    if (call->twist.data) {
        twist_put(frame_column(&at, at.V), x);
        kernel_store_run(call->twist, call->count, 0, 0, 6, x);
    }
    if (call->acceleration.data) {
        twist_put(frame_column_rate(&at, at.V, A), x);
        kernel_store_run(call->acceleration, call->count, 0, 0, 6, x);
    }
    frame_clear(call->J, nv, k->J), frame_clear(call->Jdot, nv, k->Jdot);
    for (int32_t d = 0; d < n; d++) {
        const plan_body *p = &pb[k->path[d]];
        for (int32_t c = p->v; c < p->v + p->nv; c++) {
            const robot_column *column = &k->robot.columns[c];
            if (call->J.data) put_column(k->J + c, nv, frame_column(&at, column->S));
            if (order > 0 && call->Jdot.data)
                put_column(k->Jdot + c, nv, frame_column_rate(&at, column->S, column->Sd));
        }
    }
    if (call->J.data) store_columns(call->J, call->count, nv, k->J);
    if (call->Jdot.data) store_columns(call->Jdot, call->count, nv, k->Jdot);
    if (order == 0 || !frame_differentiates(call)) return;
    frame_clear(call->twist_q, nv, k->twist_q);
    frame_clear(call->acceleration_q, nv, k->acceleration_q);
    frame_clear(call->acceleration_v, nv, k->acceleration_v);
    frame_changes(order, call, k, &at, A, n);
    if (call->twist_q.data) store_columns(call->twist_q, call->count, nv, k->twist_q);
    if (call->acceleration_q.data) store_columns(call->acceleration_q, call->count, nv, k->acceleration_q);
    if (call->acceleration_v.data) store_columns(call->acceleration_v, call->count, nv, k->acceleration_v);
}

/* returns the lanes with a bad state */
static inline unsigned pack_frame(const frame_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    frame_scratch k;
    frame_scratch_lay(plan, call->scratch, &k);
    load_row(call->q, call->count, plan->nq, k.robot.q);
    kernel_load_all(call->v, call->count, plan->nv, k.robot.v);
    kernel_load_all(call->a, call->count, plan->nv, k.robot.a);
    for (int32_t i = call->body; i >= 0; i = pb[i].parent) {
        const int32_t angle = pb[i].q;
        if (is_revolute(&pb[i])) num_sincos(k.robot.q[angle], &k.robot.s[angle], &k.robot.c[angle]);
    }
    if (call->acceleration.data || call->acceleration_q.data)
        frame_run(2, call, &k);
    else if (call->Jdot.data || call->twist.data || frame_differentiates(call))
        frame_run(1, call, &k);
    else
        frame_run(0, call, &k);
    return num_lanes(kernel_bad_state(plan, k.robot.q, k.robot.v, k.robot.a));
}

#endif
