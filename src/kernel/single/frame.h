/*
 * A frame of one state: its pose, J, J̇, twist, acceleration, and the derivatives of the last two. Results and formulas
 * are those of algo/kinematics/frame_seen.h and frame_derivatives.h, with other lanes.
 *
 * A quad holds a column of a 4x4 matrix. B is the pose of the body at hand in the frame: where it goes, axes and origin
 * of the joints are seen by the frame, and columns of left need no turning. From a body to its parent B becomes
 * B g⁻¹ X⁻¹. The root's pose in the world is multiplied last, so that distance from the origin costs no digits.
 */
#ifndef HML_KERNEL_SINGLE_FRAME_H
#define HML_KERNEL_SINGLE_FRAME_H

#include "kernel/single/jacobians.h"

/* a column on the way; the last joint's come first */
typedef struct seen_column4 {
    pair4 J, Jdot;
    double rate, acceleration; /* of its coordinate */
    int32_t at, body;
} seen_column4;

/* the frame, when all of its path is known */
typedef struct seen_frame4 {
    hml_representation representation;
    frame4 H; /* in the world */
    pair4 V, A;
    quad linear; /* of A; of mixed and split with ω × V.v */
} seen_frame4;

typedef struct frame4_scratch {
    double *s, *c;                 /* of q's entries, on the path alone */
    double *angle, *sine, *cosine; /* one after the other */
    int32_t *place;                /* where they are in q */
    seen_column4 *columns;         /* nv */
} frame4_scratch;

static inline size_t frame4_scratch_lay(const hml_plan *plan, void *memory, frame4_scratch *k)
{
    const size_t room = ((size_t)plan->levels + LANES) * sizeof(double);
    layout_cursor at = single_scratch_begin(plan, memory, &k->s, &k->c);
    k->angle = (double *)layout_take(&at, room);
    k->sine = (double *)layout_take(&at, room);
    k->cosine = (double *)layout_take(&at, room);
    k->place = (int32_t *)layout_take(&at, (size_t)plan->levels * sizeof(int32_t));
    k->columns = (seen_column4 *)layout_take(&at, (size_t)plan->nv * sizeof(seen_column4));
    return at.used;
}

/* ---- twists ---- */

NUM_INLINE pair4 pair4_of(quad v, quad w)
{
    pair4 a;
    a.v = v, a.w = w;
    return a;
}

NUM_INLINE pair4 pair4_zero(void)
{
    const quad zero = {0, 0, 0, 0};
    return pair4_of(zero, zero);
}

NUM_INLINE pair4 pair4_add(pair4 a, pair4 b) { return pair4_of(a.v + b.v, a.w + b.w); }
NUM_INLINE pair4 pair4_sub(pair4 a, pair4 b) { return pair4_of(a.v - b.v, a.w - b.w); }
NUM_INLINE pair4 pair4_axpy(double x, pair4 a, pair4 b) { return pair4_of(b.v + a.v * x, b.w + a.w * x); }

/* a × b of twists */
NUM_INLINE pair4 pair4_cross(pair4 a, pair4 b)
{
    return pair4_of(quad_cross(a.w, b.v) + quad_cross(a.v, b.w), quad_cross(a.w, b.w));
}

NUM_INLINE quad quad_turned(const frame4 *H, quad a) { return H->x * a[0] + H->y * a[1] + H->z * a[2]; }

/* seen_in and seen_rate_in of frame_seen.h */
NUM_INLINE pair4 pair4_in(hml_representation rep, const frame4 *H, pair4 U)
{
    if (rep == HML_LEFT) return U;
    const quad v = quad_turned(H, U.v);
    if (rep == HML_SPLIT) return pair4_of(v, U.w);
    const quad w = quad_turned(H, U.w);
    return pair4_of(rep == HML_RIGHT ? v + quad_cross(H->p, w) : v, w);
}

NUM_INLINE pair4 pair4_rate_in(hml_representation rep, const frame4 *H, pair4 V, pair4 U, pair4 dU)
{
    if (rep == HML_RIGHT) dU = pair4_add(dU, pair4_cross(V, U));
    if (rep == HML_MIXED || rep == HML_SPLIT) dU.v += quad_cross(V.w, U.v);
    if (rep == HML_MIXED) dU.w += quad_cross(V.w, U.w);
    return pair4_in(rep, H, dU);
}

/* ---- to the root ---- */

/* sines and cosines of the angles on the path, in packs */
static inline void path_sincos(const frame_call *call, const frame4_scratch *k)
{
    const plan_body *pb = plan_bodies(call->plan);
    int32_t n = 0;
    for (int32_t i = call->body; i >= 0; i = pb[i].parent) {
        const int angle = joint_angle_at(pb[i].type);
        if (angle < 0) continue;
        k->place[n] = pb[i].q + angle;
        k->angle[n++] = call->q.data[pb[i].q + angle];
    }
    sincos_range(k->angle, 0, n, k->sine, k->cosine);
    for (int32_t i = 0; i < n; i++) k->s[k->place[i]] = k->sine[i], k->c[k->place[i]] = k->cosine[i];
}

/* B X⁻¹; X: R row-major with rows ld apart, and p */
NUM_INLINE frame4 frame4_undo(const frame4 *B, const double *X, int ld, double px, double py, double pz)
{
    frame4 to;
    to.x = B->x * X[0] + B->y * X[1] + B->z * X[2];
    to.y = B->x * X[ld] + B->y * X[ld + 1] + B->z * X[ld + 2];
    to.z = B->x * X[2 * ld] + B->y * X[2 * ld + 1] + B->z * X[2 * ld + 2];
    to.p = B->p - (to.x * px + to.y * py + to.z * pz);
    return to;
}

/* from a body to its parent */
NUM_INLINE frame4 frame4_up(const plan_body *p, const double *q, const double *s, const double *c, frame4 B)
{
    if (p->type == HML_JOINT_REVOLUTE) {
        B = frame4_turn_z(B, -s[p->q], c[p->q]);
        return frame4_undo(&B, p->X, 3, p->X[9], p->X[10], p->X[11]);
    }
    const frame4 world = frame4_world();
    frame4 G;
    double g[16];
    frame_behind_joint(p, q, s, c, &world, &G);
    put_frame(g, &G);
    return frame4_undo(&B, g, 4, g[3], g[7], g[11]);
}

NUM_INLINE void put_triple(double *to, quad a) { to[0] = a[0], to[1] = a[1], to[2] = a[2]; }

/* where the frame is, if it sees the root at B and the root is at W */
NUM_INLINE frame4 frame4_beside(const frame4 *W, const frame4 *B)
{
    double inverse[12], unused;
    put_triple(inverse, B->x), put_triple(inverse + 3, B->y), put_triple(inverse + 6, B->z);
    quad_sums(-B->x * B->p, -B->y * B->p, &inverse[9], &inverse[10]);
    quad_sums(-B->z * B->p, B->p, &inverse[11], &unused);
    return frame4_mul(W, inverse);
}

/* the columns of a joint; returns how many */
NUM_INLINE int32_t columns_seen4(const plan_body *p, const frame4 *B, seen_column4 *to)
{
    const quad zero = {0, 0, 0, 0}, axes[3] = {B->x, B->y, B->z};
    int32_t n = 0;
    if (p->nv == 1) {
        to[n++].J = joint_axis8(p, B);
        return n;
    }
    const joint_axes j = joint_axes_of(p->type);
    for (int k = 0; k < 3; k++)
        if (j.slides >> k & 1) to[n++].J = pair4_of(axes[k], zero);
    for (int k = 0; k < 3; k++)
        if (j.turns >> k & 1) to[n++].J = pair4_of(quad_cross(B->p, axes[k]), axes[k]);
    return n;
}

/* V, A, the pose, and all columns of the path, or J at once; returns how many columns it kept */
NUM_INLINE int32_t seen_path4(const int order, const frame_call *call, const frame4_scratch *k, seen_frame4 *f)
{
    const plan_body *pb = plan_bodies(call->plan), *p = &pb[call->body];
    const double *q = call->q.data;
    const frame4 world = frame4_world();
    const int direct = order == 0 && f->representation == HML_LEFT; /* no need to keep columns */
    frame4 B = frame4_undo(&world, call->R, 3, call->p[0], call->p[1], call->p[2]), W;
    B = frame4_undo(&B, p->to_body, 3, p->to_body[9], p->to_body[10], p->to_body[11]);
    int32_t n = 0;
    path_sincos(call, k);
    f->V = f->A = pair4_zero();
    for (int32_t i = call->body;; i = p->parent) {
        p = &pb[i];
        seen_column4 *to = &k->columns[n];
        const pair4 later = f->V;
        const int32_t m = direct ? 0 : columns_seen4(p, &B, to);
        if (direct && call->J.data) put_joint(p, &B, call->J.data, call->J.ld);
        for (int32_t e = 0; e < m; e++) {
            to[e].at = p->v + e, to[e].body = i;
            if (order == 0) continue;
            to[e].rate = call->v.data[p->v + e];
            to[e].acceleration = call->a.data ? call->a.data[p->v + e] : 0;
            to[e].Jdot = pair4_cross(to[e].J, later);
            f->V = pair4_axpy(to[e].rate, to[e].J, f->V);
            f->A = pair4_axpy(to[e].acceleration, to[e].J, pair4_axpy(to[e].rate, to[e].Jdot, f->A));
        }
        n += m;
        if (p->parent < 0) break;
        B = frame4_up(p, q, k->s, k->c, B);
    }
    frame_behind_joint(p, q, k->s, k->c, &world, &W);
    f->H = frame4_beside(&W, &B);
    f->linear = f->A.v;
    if (f->representation == HML_MIXED || f->representation == HML_SPLIT) f->linear += quad_cross(f->V.w, f->V.v);
    return n;
}

/* ---- back ---- */

NUM_INLINE void put_column4(kernel_output out, int32_t at, pair4 U)
{
    if (out.data) put_quads(out.data + at, out.ld, U.v, U.w);
}

/* a change of A in the frame's axes, in those of the representation; S: how the frame moves meanwhile */
NUM_INLINE pair4 acceleration_change4(const seen_frame4 *f, pair4 S, pair4 dV, pair4 dA)
{
    const hml_representation rep = f->representation;
    if (rep == HML_MIXED || rep == HML_SPLIT) dA.v += quad_cross(dV.w, f->V.v) + quad_cross(f->V.w, dV.v);
    return pair4_rate_in(rep, &f->H, S, pair4_of(f->linear, f->A.w), dA);
}

/* derivatives, by the columns of one joint; before: twist and acceleration of the parent, which become the body's */
NUM_INLINE void joint_derivatives4(const frame_call *call, const seen_frame4 *f, const seen_column4 *k, int32_t n,
                                   pair4 before[2])
{
    const pair4 Vp = before[0], Ap = before[1], dV = pair4_sub(f->V, Vp), still = pair4_zero();
    for (int32_t e = 0; e < n; e++) before[0] = pair4_axpy(k[e].rate, k[e].J, before[0]);
    for (int32_t e = 0; e < n; e++) {
        const pair4 J = k[e].J, Pd = pair4_cross(Vp, J);
        before[1] = pair4_axpy(k[e].rate, Pd, pair4_axpy(k[e].acceleration, J, before[1]));
        if (call->twist_q.data)
            put_column4(call->twist_q, k[e].at, pair4_rate_in(f->representation, &f->H, J, f->V, Pd));
        if (call->acceleration_q.data) {
            const pair4 dA = pair4_add(pair4_cross(Ap, J), pair4_cross(Pd, dV));
            put_column4(call->acceleration_q, k[e].at, acceleration_change4(f, J, Pd, dA));
        }
        if (call->acceleration_v.data) {
            const pair4 own = n == 1 ? Pd : pair4_cross(before[0], J); /* J × J is zero */
            const pair4 dA = pair4_add(pair4_cross(J, dV), own);
            put_column4(call->acceleration_v, k[e].at, acceleration_change4(f, still, J, dA));
        }
    }
}

static inline void frame_zero(const hml_plan *plan, kernel_output out)
{
    if (out.data) memset(out.data, 0, 6 * (size_t)plan->nv * sizeof *out.data);
}

NUM_INLINE void frame_run4(const int order, const frame_call *call)
{
    frame4_scratch k;
    seen_frame4 f;
    frame4_scratch_lay(call->plan, call->scratch, &k);
    f.representation = (hml_representation)call->representation;
    const hml_representation rep = f.representation;
    frame_zero(call->plan, call->J);
    const int32_t n = seen_path4(order, call, &k, &f);
    if (call->pose.data) put_frame(call->pose.data, &f.H);
    for (int32_t i = 0; i < n && call->J.data; i++)
        put_column4(call->J, k.columns[i].at, pair4_in(rep, &f.H, k.columns[i].J));
    if (order == 0) return;
    if (call->twist.data) put_quads(call->twist.data, 1, pair4_in(rep, &f.H, f.V).v, pair4_in(rep, &f.H, f.V).w);
    if (call->acceleration.data) {
        const pair4 A = pair4_rate_in(rep, &f.H, f.V, f.V, f.A);
        put_quads(call->acceleration.data, 1, A.v, A.w);
    }
    frame_zero(call->plan, call->Jdot);
    for (int32_t i = 0; i < n && call->Jdot.data; i++) {
        const seen_column4 *c = &k.columns[i];
        put_column4(call->Jdot, c->at, pair4_rate_in(rep, &f.H, f.V, c->J, c->Jdot));
    }
    if (!call->twist_q.data && !call->acceleration_q.data && !call->acceleration_v.data) return;
    frame_zero(call->plan, call->twist_q);
    frame_zero(call->plan, call->acceleration_q);
    frame_zero(call->plan, call->acceleration_v);
    pair4 before[2] = {pair4_zero(), pair4_zero()};
    for (int32_t end = n, m; end > 0; end -= m) {
        for (m = 1; m < end && k.columns[end - m - 1].body == k.columns[end - 1].body;) m++;
        joint_derivatives4(call, &f, &k.columns[end - m], m, before);
    }
}

/* a frame that a body carries, of a state that was checked; rows of matrices lie side by side */
static inline unsigned single_frame(const frame_call *call)
{
    if (call->v.data)
        frame_run4(1, call);
    else
        frame_run4(0, call);
    return 0;
}

#endif
