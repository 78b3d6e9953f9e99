/*
 * ∂c of the feet that the world holds, and the walk of a held tree: see single/held.h.
 *
 * The formulas are in kernel/held_column.h; a lane is a column. λ moves with the body as c does, and turns by S_ω × λ
 * in the world. c of a plane is a part of p̈, of which the rest is not zero, and its force keeps its direction: p̈ and
 * the force are turned explicitly.
 */
#ifndef HML_KERNEL_SINGLE_HELD_RATES_H
#define HML_KERNEL_SINGLE_HELD_RATES_H

#include "kernel/held_column.h"
#include "kernel/single/held.h"

NUM_INLINE vec3 held_spread(const double *x) { return vec3_of(K(x[0]), K(x[1]), K(x[2])); }
NUM_INLINE num held_part(const double *axis, vec3 x) { return axis[0] * x.x + axis[1] * x.y + axis[2] * x.z; }

/* ∂c of a foot in the root's axes; without a frame's stiffness */
NUM_INLINE held_rates held_foot_rates(const held_foot *f, const held_columns *c, vec3 p)
{
    if (f->rows == 6) return held_frame_rates(c, p, f->damping);
    const vec3 error = f->stiffness > 0 ? held_spread(f->error) : vec3_zero();
    held_rates r = held_point_rates(c, p, f->damping, f->stiffness, error);
    if (f->rows == 1) r.q.v = vec3_add(r.q.v, vec3_cross(c->S.w, held_spread(f->rate)));
    return r;
}

/* of a frame's stiffness, in its own axes */
static inline twist held_spring_rates(const held_foot *f, const held_columns *c, vec3 p)
{
    const mat3 R = mat3_of(held_spread(f->axis[0]), held_spread(f->axis[1]), held_spread(f->axis[2]));
    return held_frame_stiffness(c, p, R, f->stiffness, twist_of(held_spread(f->error), held_spread(f->error + 4)));
}

/* ∂c of a foot's rows in the columns from `at` on; lanes: those on its path */
NUM_INLINE void held_put_rates(const held_call *h, const held_foot *f, const held_columns *c, lane_set lanes, size_t at)
{
    const vec3 p = held_spread(f->p);
    const held_rates r = held_foot_rates(f, c, p);
    const int stiff = f->rows == 6 && f->stiffness > 0;
    const twist spring = stiff ? held_spring_rates(f, c, p) : twist_zero();
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

/* is there anything but frames? Their λ moves with the body */
static inline int held_turns(const held_call *h)
{
    for (int32_t i = 0; i < h->nfeet; i++) {
        if (h->feet[i].rows != 6) return 1;
    }
    return 0;
}

/* ∂c of all feet; ν̇ is known, and a has it */
static inline void held_all_rates(const single_tree *t, const held_call *h)
{
    const size_t base = (size_t)t->tree->base;
    double u[4];
    *(quad_anywhere *)u = held_velocity(t);
    memset(h->cq, 0, (size_t)h->rows * h->cd * sizeof(double));
    memset(h->cv, 0, (size_t)h->rows * h->cd * sizeof(double));
    if (held_turns(h)) memset(h->turn, 0, h->ld * h->cd * sizeof(double));
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
