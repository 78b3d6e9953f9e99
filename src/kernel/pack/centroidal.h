/*
 * Centre of mass, centroidal momentum and their derivatives, over num; in the world's axes, momenta about the com.
 *
 * The formulas are those of algo/kinematics/centroidal.h and centroidal_derivatives.c. The momentum is that of the whole
 * robot as one composite body, and the force which its motion needs is its rate: neither goes through A ν.
 */
#ifndef HML_KERNEL_PACK_CENTROIDAL_H
#define HML_KERNEL_PACK_CENTROIDAL_H

#include "kernel/pack/robot.h"

/* Ψ̇ and Ψ̈ of a column */
typedef struct centroidal_rates {
    twist Pd, Pdd;
} centroidal_rates;

typedef struct centroidal_scratch {
    robot_scratch robot;
    centroidal_rates *rates;                /* nv */
    num *A, *Adot, *by_q, *rate_q, *rate_v; /* 6 × nv each */
    num *x;                                 /* 3 × nv */
    /* the whole robot */
    num mass;
    vec3 com, com_first;   /* in the world; in the root frame of the first tree */
    vec3 velocity;         /* of the com */
    wrench momentum, rate; /* about the com */
} centroidal_scratch;

static inline size_t centroidal_scratch_lay(const hml_plan *plan, void *memory, centroidal_scratch *k)
{
    layout_cursor at = layout_begin(memory);
    const size_t nv = (size_t)plan->nv, matrix = 6 * nv * sizeof(num);
    robot_scratch_lay(plan, &at, &k->robot);
    k->rates = (centroidal_rates *)layout_take(&at, nv * sizeof(centroidal_rates));
    k->A = (num *)layout_take(&at, matrix);
    k->Adot = (num *)layout_take(&at, matrix);
    k->by_q = (num *)layout_take(&at, matrix);
    k->rate_q = (num *)layout_take(&at, matrix);
    k->rate_v = (num *)layout_take(&at, matrix);
    k->x = (num *)layout_take(&at, 3 * nv * sizeof(num));
    return at.used;
}

/* how far the motion must be known: 0 poses, 1 velocities, 2 accelerations */
static inline int centroidal_order(const robot_call *c)
{
    if (c->com_acceleration.data || c->momentum_rate.data || c->momentum_rate_q.data) return 2;
    return c->com_Jdot.data || c->com_velocity.data || c->Adot.data || c->momentum.data || c->com_velocity_q.data ||
           c->momentum_q.data || c->momentum_rate_v.data;
}

static inline int centroidal_derivatives(const robot_call *c)
{
    return c->com_velocity_q.data || c->momentum_q.data || c->momentum_rate_q.data || c->momentum_rate_v.data;
}

NUM_INLINE void centroidal_walk(const int order, const robot_call *call, const centroidal_scratch *k)
{
    const plan_body *pb = plan_bodies(call->plan);
    const int derivatives = centroidal_derivatives(call);
    for (int32_t t = 0; t < call->plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(call->plan)[t];
        for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
            robot_out(order, &k->robot, &pb[i], t, NULL);
            robot_own(order, &k->robot, &pb[i], i);
            for (int32_t c = pb[i].v; order && derivatives && c < pb[i].v + pb[i].nv; c++) {
                const twist S = k->robot.columns[c].S, zero = twist_zero();
                const robot_link *up = pb[i].parent < 0 ? NULL : &k->robot.links[pb[i].level - 1];
                const twist Pd = up ? twist_cross(up->v, S) : zero;
                k->rates[c].Pd = Pd;
                if (order > 1) k->rates[c].Pdd = up ? twist_add(twist_cross(up->a, S), twist_cross(up->v, Pd)) : zero;
            }
            for (int32_t j = i; j >= 0 && pb[j].end == i + 1; j = pb[j].parent) robot_join(order, &k->robot, &pb[j], j);
        }
    }
}

/* the com as the root of a tree sees it */
static inline vec3 centroidal_com_from(const centroidal_scratch *k, int32_t tree)
{
    if (!tree) return k->com_first;
    return pose_act_inverse(pose_between(k->robot.roots[0], k->robot.roots[tree]), k->com_first);
}

/* all trees together; the com in the frame of the first, so that no digits are lost far from the world's origin */
static inline void centroidal_whole(const int order, const hml_plan *plan, centroidal_scratch *k)
{
    const plan_tree *trees = plan_trees(plan);
    vec3 first = vec3_zero(), p = vec3_zero();
    k->mass = K(0);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const composite *s = &k->robot.sums[trees[t].body_begin];
        const pose X = t ? pose_between(k->robot.roots[0], k->robot.roots[t]) : pose_identity();
        k->mass += s->I.m;
        first = vec3_add(first, vec3_axpy(s->I.m, X.p, mat3_mul_vec(X.R, s->I.h)));
        if (order > 0) p = vec3_add(p, mat3_mul_vec(k->robot.roots[t].R, s->n));
    }
    const num per_mass = K(1) / k->mass;
    k->com_first = vec3_scale(per_mass, first);
    k->com = pose_act(k->robot.roots[0], k->com_first);
    k->velocity = vec3_scale(per_mass, p);
    k->momentum = k->rate = wrench_zero();
    for (int32_t t = 0; t < plan->ntrees && order > 0; t++) {
        const composite *s = &k->robot.sums[trees[t].body_begin];
        const mat3 R = k->robot.roots[t].R;
        const vec3 c = centroidal_com_from(k, t);
        const vec3 L = mat3_mul_vec(R, vec3_sub(s->t, vec3_cross(c, s->n)));
        k->momentum = wrench_add(k->momentum, wrench_of(mat3_mul_vec(R, s->n), L));
        if (order < 2) continue;
        const vec3 torque = mat3_mul_vec(R, vec3_sub(s->f.t, vec3_cross(c, s->f.f)));
        k->rate = wrench_add(k->rate, wrench_of(mat3_mul_vec(R, s->f.f), torque));
    }
}

/* a momentum about the root frame's origin, as column c of a matrix: about the com, which moves, and turned */
NUM_INLINE void centroidal_put(num *to, int32_t nv, const mat3 *R, vec3 c, wrench F, vec3 taken)
{
    const vec3 t = vec3_sub(F.t, vec3_add(vec3_cross(c, F.f), taken));
    put_column(to, nv, twist_of(mat3_mul_vec(*R, F.f), mat3_mul_vec(*R, t)));
}

/* the columns of one tree */
NUM_INLINE void centroidal_columns(const int order, const robot_call *call, const centroidal_scratch *k, int32_t t)
{
    const plan_tree *tree = &plan_trees(call->plan)[t];
    const plan_column *pc = plan_columns(call->plan);
    const int32_t nv = call->plan->nv;
    const mat3 R = k->robot.roots[t].R;
    const vec3 c = centroidal_com_from(k, t), cd = mat3_tmul_vec(R, k->velocity);
    const vec3 p = mat3_tmul_vec(R, k->momentum.f), f = mat3_tmul_vec(R, k->rate.f);
    const num per_mass = K(1) / k->mass;
    const int rates = call->Adot.data || call->com_Jdot.data;
    for (int32_t i = tree->begin; i < tree->end; i++) {
        const composite *s = &k->robot.sums[pc[i].body];
        const twist S = k->robot.columns[i].S;
        const wrench F = inertia_mul(s->I, S);
        centroidal_put(k->A + i, nv, &R, c, F, vec3_zero());
        if (order > 0 && rates) {
            const wrench turned = inertia_mul(inertia_of(K(0), s->n, s->k), S); /* İ S */
            const wrench Fd = wrench_add(turned, inertia_mul(s->I, k->robot.columns[i].Sd));
            centroidal_put(k->Adot + i, nv, &R, c, Fd, vec3_cross(cd, F.f));
        }
        if (order > 0 && centroidal_derivatives(call)) {
            const vec3 moved = vec3_scale(per_mass, F.f);
            const twist Pd = k->rates[i].Pd;
            if (call->momentum_q.data || call->com_velocity_q.data) {
                const wrench h = wrench_add(twist_cross_dual(S, wrench_of(s->n, s->t)), inertia_mul(s->I, Pd));
                centroidal_put(k->by_q + i, nv, &R, c, h, vec3_cross(moved, p));
            }
            if (order > 1 && call->momentum_rate_q.data)
                centroidal_put(k->rate_q + i, nv, &R, c, composite_Uq(s, S, Pd, k->rates[i].Pdd), vec3_cross(moved, f));
            if (call->momentum_rate_v.data)
                centroidal_put(k->rate_v + i, nv, &R, c, composite_Uv(s, S, twist_add(Pd, k->robot.columns[i].Sd)),
                               vec3_zero());
        }
    }
}

/* the upper half of a matrix over the mass */
static inline void centroidal_store_com(kernel_output out, const robot_call *call, const centroidal_scratch *k,
                                        const num *A)
{
    const int32_t nv = call->plan->nv;
    const num per_mass = K(1) / k->mass;
    if (!out.data) return;
    for (int32_t i = 0; i < 3 * nv; i++) k->x[i] = per_mass * A[i];
    for (int32_t r = 0; r < 3; r++) store_row(out, call->count, r, nv, k->x + r * nv);
}

static inline void centroidal_store_vec3(kernel_output out, int count, vec3 a)
{
    num x[3] = {a.x, a.y, a.z};
    if (out.data) kernel_store_run(out, count, 0, 0, 3, x);
}

static inline void centroidal_store_wrench(kernel_output out, int count, wrench F)
{
    num x[6] = {F.f.x, F.f.y, F.f.z, F.t.x, F.t.y, F.t.z};
    if (out.data) kernel_store_run(out, count, 0, 0, 6, x);
}

/* ---- ∂ of the com's Jacobian ---- */

/* ∂ of the com's column j by q of column k, in the root frame and times the mass; one of their bodies carries the other
 */
static inline vec3 centroidal_change(const centroidal_scratch *s, const plan_column *pc, int32_t j, int32_t k)
{
    const twist Sj = s->robot.columns[j].S, Sk = s->robot.columns[k].S;
    if (pc[k].body <= pc[j].body) return vec3_cross(Sk.w, inertia_mul(s->robot.sums[pc[j].body].I, Sj).f);
    const inertia I = s->robot.sums[pc[k].body].I;
    return vec3_sub(vec3_cross(Sk.w, inertia_mul(I, Sj).f), inertia_mul(I, twist_cross(Sk, Sj)).f);
}

/* nv × 3 × nv: the columns that column k carries, those of its joint, and those that carry it */
static inline void centroidal_store_changes(const robot_call *call, const centroidal_scratch *s)
{
    const hml_plan *plan = call->plan;
    const plan_column *pc = plan_columns(plan);
    const plan_body *pb = plan_bodies(plan);
    const int32_t nv = plan->nv;
    const num per_mass = K(1) / s->mass;
    num *x = s->x;
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        const mat3 R = s->robot.roots[t].R;
        for (int32_t k = tree->begin; k < tree->end; k++) {
            for (int32_t i = 0; i < 3 * nv; i++) x[i] = K(0);
            for (int32_t i = pc[k].body; i >= 0; i = pb[i].parent) {
                const int32_t end = i == pc[k].body ? pc[k].subtree_end : pb[i].v + pb[i].nv;
                for (int32_t j = pb[i].v; j < end; j++) {
                    const vec3 y = mat3_mul_vec(R, vec3_scale(per_mass, centroidal_change(s, pc, j, k)));
                    x[j] = y.x, x[nv + j] = y.y, x[2 * nv + j] = y.z;
                }
            }
            for (int32_t r = 0; r < 3; r++) store_row(call->com_J_q, call->count, 3 * k + r, nv, x + r * nv);
        }
    }
}

NUM_INLINE void centroidal_run(const int order, const robot_call *call, centroidal_scratch *k)
{
    const int32_t nv = call->plan->nv;
    const int count = call->count;
    centroidal_walk(order, call, k);
    centroidal_whole(order, call->plan, k);
    for (int32_t t = 0; t < call->plan->ntrees; t++) centroidal_columns(order, call, k, t);
    centroidal_store_com(call->com_J, call, k, k->A);
    centroidal_store_com(call->com_Jdot, call, k, k->Adot);
    centroidal_store_com(call->com_velocity_q, call, k, k->by_q);
    if (call->A.data) store_columns(call->A, count, nv, k->A);
    if (call->Adot.data) store_columns(call->Adot, count, nv, k->Adot);
    if (call->momentum_q.data) store_columns(call->momentum_q, count, nv, k->by_q);
    if (call->momentum_rate_q.data) store_columns(call->momentum_rate_q, count, nv, k->rate_q);
    if (call->momentum_rate_v.data) store_columns(call->momentum_rate_v, count, nv, k->rate_v);
    centroidal_store_vec3(call->com, count, k->com);
    centroidal_store_vec3(call->com_velocity, count, k->velocity);
    centroidal_store_vec3(call->com_acceleration, count, vec3_scale(K(1) / k->mass, k->rate.f));
    centroidal_store_wrench(call->momentum, count, k->momentum);
    centroidal_store_wrench(call->momentum_rate, count, k->rate);
    if (call->com_J_q.data) centroidal_store_changes(call, k);
}

static inline unsigned pack_centroidal(const robot_call *call)
{
    centroidal_scratch k;
    centroidal_scratch_lay(call->plan, call->scratch, &k);
    robot_load(call, &k.robot);
    switch (centroidal_order(call)) {
    case 0: centroidal_run(0, call, &k); break;
    case 1: centroidal_run(1, call, &k); break;
    default: centroidal_run(2, call, &k); break;
    }
    return robot_bad(call, &k.robot);
}

#endif
