/*
 * A frame's motion as the frame sees it, over num: everything in the frame's own axes, at its origin.
 *
 * The walk goes from the frame to the root. H is the frame in the plan frame of the body at hand, so every column of a
 * joint is an axis of that plan frame seen through H, J = Ad_H⁻¹ S; nothing is turned twice, and distance from the
 * world's origin does not enter. With V the frame's twist and V_i that of body i,
 *
 *   J̇_k = (V_i − V) × J_k            V_i − V = −Σ J ν over the joints between body i and the frame
 *   V = Σ J ν      A = Σ J ν̇ + J̇ ν
 *
 * which is `left`. Where the frame is at H in the world, with axes R, a twist U of those is
 *
 *   right   Ad_H U, and its derivative is Ad_H (U̇ + V × U)
 *   mixed   [R u; R w] for U = [u; w], and the derivative of R u is R (u̇ + ω × u), ω the angular part of V
 *   split   linear part of mixed, angular part of left
 *
 * Not with mimic followers, unless a function says so.
 */
#ifndef HML_ALGO_KINEMATICS_FRAME_SEEN_H
#define HML_ALGO_KINEMATICS_FRAME_SEEN_H

#include "algo/kinematics/motion_series.h"
#include "kernel/seen.h"

/* a turn about axis k of the frame in which H is, or a slide along it, as H sees them */
static inline twist turn_seen(pose H, int k)
{
    const mat3 R = H.R;
    const vec3 p = H.p;
    if (k == 0) {
        const vec3 v = vec3_of(R.x.z * p.y - R.x.y * p.z, R.y.z * p.y - R.y.y * p.z, R.z.z * p.y - R.z.y * p.z);
        return twist_of(v, vec3_of(R.x.x, R.y.x, R.z.x));
    }
    if (k == 1) {
        const vec3 v = vec3_of(R.x.x * p.z - R.x.z * p.x, R.y.x * p.z - R.y.z * p.x, R.z.x * p.z - R.z.z * p.x);
        return twist_of(v, vec3_of(R.x.y, R.y.y, R.z.y));
    }
    const vec3 v = vec3_of(R.x.y * p.x - R.x.x * p.y, R.y.y * p.x - R.y.x * p.y, R.z.y * p.x - R.z.x * p.y);
    return twist_of(v, vec3_of(R.x.z, R.y.z, R.z.z));
}

static inline twist slide_seen(pose H, int k)
{
    const mat3 R = H.R;
    const vec3 x = vec3_of(R.x.x, R.y.x, R.z.x), y = vec3_of(R.x.y, R.y.y, R.z.y), z = vec3_of(R.x.z, R.y.z, R.z.z);
    return twist_of(k == 0 ? x : k == 1 ? y : z, vec3_zero());
}

/* the columns of a joint, Ad_H⁻¹ S */
static inline void columns_seen(const plan_body *p, pose H, twist *J)
{
    if (p->type == HML_JOINT_REVOLUTE) {
        J[0] = turn_seen(H, 2);
        return;
    }
    if (p->type == HML_JOINT_HELICAL) {
        J[0] = twist_axpy(K(p->pitch), slide_seen(H, 2), turn_seen(H, 2));
        return;
    }
    const joint_axes j = joint_axes_of(p->type);
    for (int k = 0; k < 3; k++)
        if (j.slides >> k & 1) *J++ = slide_seen(H, k);
    for (int k = 0; k < 3; k++)
        if (j.turns >> k & 1) *J++ = turn_seen(H, k);
}

static inline vec3 turned_z(vec3 a, num s, num c) { return vec3_of(c * a.x - s * a.y, s * a.x + c * a.y, a.z); }

/* H seen from the parent's plan frame, or from the world; q: the joint's own */
static inline pose seen_from_parent(const plan_body *p, const num *q, pose H)
{
    const pose X = plan_pose(p->X);
    num s, c;
    if (p->type != HML_JOINT_REVOLUTE) return pose_mul(joint_move(p->type, X, K(p->pitch), q), H);
    num_sincos(q[0], &s, &c);
    H.R = mat3_of(turned_z(H.R.x, s, c), turned_z(H.R.y, s, c), turned_z(H.R.z, s, c));
    H.p = turned_z(H.p, s, c);
    return pose_mul(X, H);
}

/* what is wanted of a frame's motion; a pointer that is NULL is not */
typedef struct frame_seen {
    num *J, *Jdot; /* 6 × nv; Jdot in other representations wants J too */
    twist V, A;
} frame_seen;

/* columns of one joint: J̇, and what they add to V and A; later: V − V_i */
static inline void frame_seen_joint(const hml_model *m, const plan_body *p, const state_series *state, pose H,
                                    twist later, frame_seen *out)
{
    twist J[HML_JOINT_MAX_NV];
    const num *v = state->rates[0], *a = state->rates[1];
    columns_seen(p, H, J);
    for (int32_t k = 0; k < p->nv; k++) {
        const int32_t c = p->v + k;
        if (out->J) matrix_put_column(out->J, m->nv, c, J[k]);
        if (!v) continue;
        const twist Jdot = twist_cross(J[k], later);
        if (out->Jdot) matrix_put_column(out->Jdot, m->nv, c, Jdot);
        out->V = twist_axpy(v[c], J[k], out->V);
        out->A = twist_axpy(v[c], Jdot, out->A);
        if (a) out->A = twist_axpy(a[c], J[k], out->A);
    }
}

/* left; returns the frame's pose in the world. Columns beside the path are set to zero */
static inline pose frame_seen_walk(const hml_model *m, const model_frame *f, const state_series *state, frame_seen *out)
{
    const plan_body *pb = plan_bodies(model_plan(m));
    pose H = frame_placement(m, f);
    out->V = out->A = twist_zero();
    for (int32_t i = 0; i < 6 * m->nv && out->J; i++) out->J[i] = K(0);
    for (int32_t i = 0; i < 6 * m->nv && out->Jdot; i++) out->Jdot[i] = K(0);
    for (int32_t i = f->body; i >= 0; i = pb[i].parent) {
        if (pb[i].nv) frame_seen_joint(m, &pb[i], state, H, out->V, out);
        H = seen_from_parent(&pb[i], state->q + pb[i].q, H);
    }
    return H;
}

/* from left to another representation */
static inline void frame_seen_express(const hml_model *m, int32_t body, hml_representation rep, pose H, frame_seen *x)
{
    const plan_body *pb = plan_bodies(model_plan(m));
    const twist V = x->V;
    x->A = seen_rate_in(rep, H, V, V, x->A);
    x->V = seen_in(rep, H, V);
    for (int32_t i = body; x->J && i >= 0; i = pb[i].parent) {
        for (int32_t c = pb[i].v; c < pb[i].v + pb[i].nv; c++) {
            const twist U = matrix_column(x->J, m->nv, c);
            if (x->Jdot) {
                const twist dU = matrix_column(x->Jdot, m->nv, c);
                matrix_put_column(x->Jdot, m->nv, c, seen_rate_in(rep, H, V, U, dU));
            }
            matrix_put_column(x->J, m->nv, c, seen_in(rep, H, U));
        }
    }
}

#endif
