/*
 * Inverse dynamics, over num: the recursive Newton-Euler algorithm, motions out, forces back, every body in its own
 * frame.
 *
 * With the acceleration a of a body's origin, which includes −gravity, angular velocity ω and angular acceleration α, a
 * point r of the body accelerates by a + A r, A = α^ + ω^ω^. So linear velocities are needed only for joints that
 * slide:
 *
 *   ω = Rᵀ ω_p + ω_J      α = Rᵀ α_p + α_J + Rᵀω_p × ω_J
 *   a = Rᵀ (a_p + A_p r) + 2 Rᵀω_p × v_J + v̇_J + ω_J × v_J
 *   f = m a + A h         n = h × a + J α + ω × J ω
 *
 * r is the origin in the parent's frame, [v_J; ω_J] = S ν. The world stands still and accelerates against gravity.
 */
#ifndef HML_KERNEL_PACK_INVERSE_DYNAMICS_H
#define HML_KERNEL_PACK_INVERSE_DYNAMICS_H

#include "kernel/pack/body_frames.h"

/* the bodies on the current path, one per level of the tree */
typedef struct torque_link {
    num w[3], d[3], a[3]; /* ω, α, a */
    num A[9];             /* row-major */
    num f[3], n[3];       /* force and torque of the part of the subtree that is done */
    pose H;               /* in the parent's frame; only of joints that are not revolute */
} torque_link;

typedef struct torque_scratch {
    num *q, *v, *a, *b, *x, *s, *c, *springs;
    torque_link *links;
} torque_scratch;

static inline size_t torque_scratch_lay(const hml_plan *plan, void *memory, torque_scratch *k)
{
    layout_cursor at = layout_begin(memory);
    const size_t nv = (size_t)plan->nv * sizeof(num);
    k->q = (num *)layout_take(&at, (size_t)plan->nq * sizeof(num));
    k->v = (num *)layout_take(&at, nv);
    k->a = (num *)layout_take(&at, nv);
    k->b = (num *)layout_take(&at, nv);
    k->x = (num *)layout_take(&at, nv);
    k->s = (num *)layout_take(&at, sincos_size(plan));
    k->c = (num *)layout_take(&at, sincos_size(plan));
    k->links = (torque_link *)layout_take(&at, (size_t)plan->levels * sizeof(torque_link));
    k->springs = (num *)layout_take(&at, PASSIVE_LD * nv);
    return at.used;
}

/* A and the force of one body. Jα + ω × Jω is written out, since A has the same products of ω. */
NUM_INLINE void torque_body(torque_link *o, const double *I, vec3 w, vec3 d, vec3 a)
{
    num xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    num Axy = xy - d.z, Ayx = xy + d.z, Axz = xz + d.y, Azx = xz - d.y, Ayz = yz - d.x, Azy = yz + d.x;
    num Axx = -(yy + zz), Ayy = -(xx + zz), Azz = -(xx + yy);
    num m = K(I[0]), hx = K(I[1]), hy = K(I[2]), hz = K(I[3]);
    num Jxx = K(I[4]), Jxy = K(I[5]), Jxz = K(I[6]), Jyy = K(I[7]), Jyz = K(I[8]), Jzz = K(I[9]);
    vec3_put(w, o->w), vec3_put(d, o->d), vec3_put(a, o->a);
    o->A[0] = Axx, o->A[1] = Axy, o->A[2] = Axz;
    o->A[3] = Ayx, o->A[4] = Ayy, o->A[5] = Ayz;
    o->A[6] = Azx, o->A[7] = Azy, o->A[8] = Azz;
    o->f[0] = m * a.x + Axx * hx + Axy * hy + Axz * hz;
    o->f[1] = m * a.y + Ayx * hx + Ayy * hy + Ayz * hz;
    o->f[2] = m * a.z + Azx * hx + Azy * hy + Azz * hz;
    o->n[0] = (hy * a.z - hz * a.y) + (Jxx * d.x + K(I[9] - I[7]) * yz) + (Jyz * (yy - zz) + Jxz * Ayx - Jxy * Azx);
    o->n[1] = (hz * a.x - hx * a.z) + (Jyy * d.y + K(I[4] - I[9]) * xz) + (Jxz * (zz - xx) + Jxy * Azy - Jyz * Axy);
    o->n[2] = (hx * a.y - hy * a.x) + (Jzz * d.z + K(I[7] - I[4]) * xy) + (Jxy * (xx - yy) + Jyz * Axz - Jxz * Ayz);
}

/* a + A r: the acceleration of the point r of a body */
NUM_INLINE vec3 torque_carry(const torque_link *u, num x, num y, num z)
{
    const num *a = u->a, *A = u->A;
    return vec3_of(a[0] + A[0] * x + A[1] * y + A[2] * z, a[1] + A[3] * x + A[4] * y + A[5] * z,
                   a[2] + A[6] * x + A[7] * y + A[8] * z);
}

/* out: a revolute joint */
NUM_INLINE void torque_out_revolute(torque_link *o, const plan_body *p, num s, num c, num v, num vd, int quarter)
{
    const torque_link *u = o - 1;
    const revolute g = revolute_of(p, s, c, quarter);
    num at[3];
    vec3_put(torque_carry(u, K(p->X[9]), K(p->X[10]), K(p->X[11])), at);
    vec3 w = revolute_turn(&g, revolute_enter(&g, u->w)), d = revolute_turn(&g, revolute_enter(&g, u->d));
    vec3 a = revolute_turn(&g, revolute_enter(&g, at));
    d.x += w.y * v, d.y -= w.x * v, d.z += vd;
    w.z += v;
    torque_body(o, p->I, w, d, a);
}

/* out: any joint; gravity: of a root, otherwise NULL */
RARE_JOINT void torque_out(torque_link *o, const plan_body *p, const num *q, const num *v, const num *vd,
                           const double *gravity)
{
    const torque_link *u = o - 1;
    const pose H = body_frame_pose(p, q);
    twist J = body_frame_motion(p, v), Jd = body_frame_motion(p, vd);
    vec3 w = vec3_zero(), d = Jd.w, a = vec3_add(Jd.v, vec3_cross(J.w, J.v)), from;
    if (gravity) {
        from = vec3_of(K(-gravity[0]), K(-gravity[1]), K(-gravity[2]));
    } else {
        w = mat3_tmul_vec(H.R, vec3_at(u->w));
        d = vec3_add(d, vec3_add(mat3_tmul_vec(H.R, vec3_at(u->d)), vec3_cross(w, J.w)));
        a = vec3_add(a, vec3_scale(K(2), vec3_cross(w, J.v)));
        from = torque_carry(u, H.p.x, H.p.y, H.p.z);
    }
    o->H = H;
    torque_body(o, p->I, vec3_add(w, J.w), d, vec3_add(a, mat3_tmul_vec(H.R, from)));
}

/* an external wrench, given in the body's own frame, not the plan's */
RARE_JOINT void torque_wrench(const kernel_call *call, int32_t i, torque_link *o)
{
    wrench F = body_wrench(call, i, pose_identity());
    o->f[0] -= F.f.x, o->f[1] -= F.f.y, o->f[2] -= F.f.z;
    o->n[0] -= F.t.x, o->n[1] -= F.t.y, o->n[2] -= F.t.z;
}

/* back: the joint's torque; the force is added to the parent's */
NUM_INLINE void torque_back_revolute(torque_link *o, const plan_body *p, num s, num c, num *tau, int quarter)
{
    const revolute g = revolute_of(p, s, c, quarter);
    vec3 f = revolute_return(&g, vec3_at(o->f)), n = revolute_return(&g, vec3_at(o->n));
    *tau = n.z;
    revolute_join(&g, f, o[-1].f);
    revolute_join(&g, vec3_add(n, vec3_cross(revolute_place(&g), f)), o[-1].n);
}

RARE_JOINT void torque_back(torque_link *o, const plan_body *p, num *tau)
{
    wrench F = wrench_of(vec3_at(o->f), vec3_at(o->n));
    body_frame_power(p, F, tau);
    if (p->parent < 0) return;
    F = pose_ad_dual(o->H, F);
    vec3_put(vec3_add(vec3_at(o[-1].f), F.f), o[-1].f);
    vec3_put(vec3_add(vec3_at(o[-1].n), F.t), o[-1].n);
}

/* armature, damping and springs */
RARE_JOINT void torque_passive(const kernel_call *call, const num *q, const num *v, const num *vd, torque_scratch *k)
{
    const hml_plan *plan = call->plan;
    const model_coordinate *passive = call->coordinates;
    for (int32_t c = 0; c < plan->nv; c++) k->x[c] = K(0);
    for (int32_t t = 0; t < plan->ntrees && call->passive; t++) {
        passive_forces(plan, &plan_trees(plan)[t], passive, q, v, k->x, k->springs);
    }
    for (int32_t c = 0; c < plan->nv; c++) k->b[c] += K(passive[c].armature) * vd[c] - k->x[c];
}

static inline unsigned pack_inverse_dynamics(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    torque_scratch k;
    torque_scratch_lay(plan, call->scratch, &k);
    const num *q = body_frame_input(call->q, call->count, plan->nq, k.q);
    const num *v = body_frame_input(call->v, call->count, plan->nv, k.v);
    const num *vd = body_frame_input(call->a, call->count, plan->nv, k.a);
    sincos_all(plan, q, k.s, k.c);
    for (int32_t i = 0; i < plan->nbodies; i++) {
        const plan_body *p = &pb[i];
        torque_link *o = &k.links[p->level];
        if (!is_revolute(p))
            torque_out(o, p, &q[p->q], &v[p->v], &vd[p->v], p->parent < 0 ? call->gravity : NULL);
        else if (p->quarter_turn)
            torque_out_revolute(o, p, k.s[p->q], k.c[p->q], v[p->v], vd[p->v], 1);
        else
            torque_out_revolute(o, p, k.s[p->q], k.c[p->q], v[p->v], vd[p->v], 0);
        if (call->wrenches.data) torque_wrench(call, i, o);
        for (int32_t j = i; j >= 0 && pb[j].end == i + 1; j = pb[j].parent) {
            o = &k.links[pb[j].level];
            if (!is_revolute(&pb[j]))
                torque_back(o, &pb[j], &k.b[pb[j].v]);
            else if (pb[j].quarter_turn)
                torque_back_revolute(o, &pb[j], k.s[pb[j].q], k.c[pb[j].q], &k.b[pb[j].v], 1);
            else
                torque_back_revolute(o, &pb[j], k.s[pb[j].q], k.c[pb[j].q], &k.b[pb[j].v], 0);
        }
    }
    if (plan->passive) torque_passive(call, q, v, vd, &k);
    kernel_store_run(call->torque, call->count, 0, 0, plan->nv, k.b);
    return num_lanes(kernel_bad_state(plan, q, v, vd));
}

#endif
