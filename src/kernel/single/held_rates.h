/*
 * ∂c of the feet that the world holds, and the walk of a held tree: see single/held.h.
 *
 * c of a foot is written in axes that move with its body, which changes nothing where c = 0. Everything beyond joint k
 * moves rigidly with it, so that with (x)_P = x_lin + x_ang × p and true v and a
 *
 *   frame    ∂c/∂q_k = Ψ̈ − v × Ψ̇               ∂c/∂ν_k = Ψ̇ + Ṡ − v × S            at P
 *   point    ∂c/∂q_k = (Ψ̈)_P + 2 Ψ̇_ω × v_P     ∂c/∂ν_k = (Ψ̇ + Ṡ)_P + 2 S_ω × v_P
 *
 * which are the vectors of the linearization. The passes leave out gravity g and the linear velocity u of a free root,
 * as if the robot were watched from something that falls beside it: they come back here. λ moves with the body as c
 * does, and turns by S_ω × λ in the world. c of a plane is a part of p̈, of which the rest is not zero, and its force
 * keeps its direction: p̈ and the force are turned explicitly. A column in each lane.
 */
#ifndef HML_KERNEL_SINGLE_HELD_RATES_H
#define HML_KERNEL_SINGLE_HELD_RATES_H

#include "kernel/single/held.h"

/* LANES columns: S, Ψ̇, Ψ̈ and Ψ̇ + Ṡ, and what was left out of them */
typedef struct held_columns {
    twist S, Pd, Pdd, PS;
    twist v; /* of the foot's body */
    vec3 g, u;
} held_columns;

typedef struct held_rates {
    twist q, v;
} held_rates;

NUM_INLINE vec3 held_spread(const double *x) { return vec3_of(K(x[0]), K(x[1]), K(x[2])); }
NUM_INLINE vec3 held_moved(twist x, vec3 p) { return vec3_add(x.v, vec3_cross(x.w, p)); }
NUM_INLINE num held_part(const double *axis, vec3 x) { return axis[0] * x.x + axis[1] * x.y + axis[2] * x.z; }

/* of a frame, at its point and in the root's axes; without stiffness */
NUM_INLINE held_rates held_frame_rates(const held_foot *f, const held_columns *c, vec3 p)
{
    const vec3 carried = vec3_cross(c->u, c->S.w); /* what u adds to Ψ̇ */
    twist q = twist_sub(c->Pdd, twist_cross(c->v, c->Pd)), v = twist_sub(c->PS, twist_cross(c->v, c->S));
    q.v = vec3_add(
        q.v, vec3_add(vec3_cross(c->g, c->S.w), vec3_sub(vec3_cross(c->u, c->Pd.w), vec3_cross(c->v.w, carried))));
    v.v = vec3_add(v.v, carried);
    if (f->damping > 0) {
        const num b = K(f->damping);
        q = twist_axpy(b, twist_of(vec3_add(c->Pd.v, carried), c->Pd.w), q);
        v = twist_axpy(b, c->S, v);
    }
    held_rates r = {twist_of(held_moved(q, p), q.w), twist_of(held_moved(v, p), v.w)};
    return r;
}

/* of a point, and of one on a plane: linear parts alone */
NUM_INLINE held_rates held_point_rates(const held_foot *f, const held_columns *c, vec3 p)
{
    const vec3 at = held_moved(c->v, p), jump = held_moved(c->S, p);
    vec3 q = vec3_axpy(K(2), vec3_cross(c->Pd.w, at), vec3_add(held_moved(c->Pdd, p), vec3_cross(c->g, c->S.w)));
    vec3 v = vec3_axpy(K(2), vec3_cross(c->S.w, at), held_moved(c->PS, p));
    if (f->damping > 0) {
        const num b = K(f->damping);
        q = vec3_axpy(b, vec3_add(held_moved(c->Pd, p), vec3_cross(c->u, c->S.w)), q);
        v = vec3_axpy(b, jump, v);
    }
    if (f->stiffness > 0) {
        const vec3 e = held_spread(f->error);
        q = vec3_axpy(K(f->stiffness), vec3_sub(jump, vec3_cross(c->S.w, e)), q);
    }
    if (f->rows == 1) q = vec3_add(q, vec3_cross(c->S.w, held_spread(f->rate)));
    held_rates r = {twist_of(q, vec3_zero()), twist_of(v, vec3_zero())};
    return r;
}

/* stiffness · ∂log: J in the frame's own axes, through the Jacobian of log */
static inline twist held_frame_stiffness(const held_foot *f, const held_columns *c, vec3 p)
{
    const vec3 jump = held_moved(c->S, p);
    const twist e = twist_of(held_spread(f->error), held_spread(f->error + 4));
    const twist J =
        twist_of(vec3_of(held_part(f->axis[0], jump), held_part(f->axis[1], jump), held_part(f->axis[2], jump)),
                 vec3_of(held_part(f->axis[0], c->S.w), held_part(f->axis[1], c->S.w), held_part(f->axis[2], c->S.w)));
    return twist_scale(K(f->stiffness), se3_dexp_right_inverse_apply(e, J));
}

/* ∂c of a foot's rows in the columns from `at` on; lanes: those on its path */
NUM_INLINE void held_put_rates(const held_call *h, const held_foot *f, const held_columns *c, lane_set lanes, size_t at)
{
    const vec3 p = held_spread(f->p);
    const held_rates r = f->rows == 6 ? held_frame_rates(f, c, p) : held_point_rates(f, c, p);
    const int stiff = f->rows == 6 && f->stiffness > 0;
    const twist spring = stiff ? held_frame_stiffness(f, c, p) : twist_zero();
    double *q = h->cq + (size_t)f->row * h->cd + at, *v = h->cv + (size_t)f->row * h->cd + at;
    for (int d = 0; d < f->rows; d++, q += h->cd, v += h->cd) {
        const double *axis = f->axis[d % 3];
        num x = held_part(axis, d < 3 ? r.q.v : r.q.w);
        if (stiff) x += (&spring.v.x)[d];
        pack_put(q, lanes_where(lanes, x));
        pack_put(v, lanes_where(lanes, held_part(axis, d < 3 ? r.v.v : r.v.w)));
    }
    if (f->rows == 6) return;
    double force[4];
    *(quad_anywhere *)force = held_force(h, f).v;
    const vec3 turned = vec3_cross(c->S.w, held_spread(force)), S = turned;
    const size_t row = (size_t)(f->rows == 3 ? f->row : f->shadow);
    for (size_t d = 0; d < 3; d++) {
        const num x = f->rows == 3 ? held_part(f->axis[d], S) : -(&S.x)[d];
        pack_put(h->turn + (row + d) * h->cd + at, lanes_where(lanes, x));
    }
}

/* the columns of a free root, which are the identity; its parent, the world, does not move */
static inline void held_base_rates(const single_tree *t, const held_call *h, const held_foot *f)
{
    static const double unit[8][ROW8] = {
        {1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 1}, {0}, {0}};
    const vec3 u = held_spread(t->velocity);
    const twist root = twist_of(u, held_spread(t->v + ROW8 + 4));
    held_columns c;
    c.Pd = c.Pdd = twist_zero();
    c.v = twist_of(vec3_add(held_spread(f->v), u), held_spread(f->v + 4));
    c.g = c.u = vec3_zero();
    for (int at = 0; at < 6; at += LANES) {
        c.S = twists_in(unit[at]);
        c.PS = twist_cross(root, c.S);
        held_put_rates(h, f, &c, lanes_in(~0u), (size_t)at);
    }
}

/* ∂c of all feet; ν̇ is known, and a has it */
static inline void held_all_rates(const single_tree *t, const held_call *h)
{
    const size_t base = (size_t)t->tree->base;
    double u[4];
    *(quad_anywhere *)u = held_velocity(t);
    memset(h->cq, 0, (size_t)h->rows * h->cd * sizeof(double));
    memset(h->cv, 0, (size_t)h->rows * h->cd * sizeof(double));
    memset(h->turn, 0, h->ld * h->cd * sizeof(double));
    for (int32_t i = 0; i < h->nfeet; i++) {
        held_foot *f = &h->feet[i];
        held_columns c;
        if (f->rows == 1) *(quad_anywhere *)f->rate = held_rate(t, f, t->a + f->slot * ROW8).v;
        if (base) held_base_rates(t, h, f);
        c.v = twist_of(held_spread(f->v), held_spread(f->v + 4));
        c.g = held_spread(t->gravity), c.u = held_spread(u);
        for (int32_t k = 0; k < t->packs && f->above; k++) {
            const column_pack *pack = &t->pack[k];
            if (!lanes_any(f->above, k * LANES)) continue;
            c.S = pack->S, c.Pd = pack->Pd, c.PS = pack->PS;
            c.Pdd = twist_neg(pack->q.P);
            held_put_rates(h, f, &c, lanes_of(f->above, k * LANES), base + (size_t)(k * LANES));
        }
    }
}

/* ---- the whole ---- */

/* 1: the kernel declines, and nothing has been written that the caller asked for */
static inline unsigned held_tree(single_solver *m, single_panel *p, const held_call *h)
{
    single_tree *t = &m->t;
    single_tree_begin(t, h->tree);
    single_tree_motion(m, 0);
    if (pivot_vanished(m) || !held_solve(m, h)) return 1;
    if (h->derivatives) {
        add_accelerations(t);
        held_add_forces(t, h);
        column_effects(t);
        held_all_rates(t, h);
        single_tree_matrices(m, p, 0);
    }
    single_base_acceleration(t);
    for (int32_t i = 0; i < h->nfeet && h->force; i++) {
        const held_foot *f = &h->feet[i];
        memcpy(h->force + f->out, h->lambda + f->row, (size_t)f->rows * sizeof(double));
    }
    if (h->call.acceleration.data)
        memcpy(h->call.acceleration.data + t->tree->begin, t->x + t->tree->begin,
               (size_t)(t->tree->end - t->tree->begin) * sizeof *t->x);
    return 0;
}

/* one tree of one state. 1: not for this kernel; the first tree's call looks at the whole state */
static inline unsigned single_held(const held_call *h)
{
    single_solver m;
    single_panel p;
    num *passive;
    if (h->call.long_chain || (h->tree == 0 && (single_unfit(&h->call) || !single_call_is_good(&h->call)))) return 1;
    single_scratch_lay(h->call.plan, 0, h->call.scratch, &m, &p, &passive);
    if (h->tree == 0) {
        single_load_state(&h->call, &m.t, passive);
        single_clear_between(&h->call);
    }
    p.springs = h->call.passive ? passive + h->call.plan->nq + 2 * h->call.plan->nv : NULL;
    m.t.call = &h->call, m.t.nu = h->call.v.data;
    m.pivot_score = 0;
    return held_tree(&m, &p, h);
}

#endif
