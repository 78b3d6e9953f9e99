/*
 * ∂c of the feet that the world holds, one register of columns at a time: see single/held_matrices.h.
 *
 * The formulas are in kernel/held_column.h; a lane is a column. λ moves with the body as c does, and turns by S_ω × λ
 * in the world. c of a plane is a part of p̈, of which the rest is not zero, and its force keeps its direction: p̈ and
 * the force are turned explicitly.
 */
#ifndef HML_KERNEL_SINGLE_HELD_RATES_H
#define HML_KERNEL_SINGLE_HELD_RATES_H

#include "kernel/held_column.h"
#include "kernel/single/held_solve.h"

NUM_INLINE vec3 held_spread(const double *x) { return vec3_of(K(x[0]), K(x[1]), K(x[2])); }
NUM_INLINE num held_part(const double *axis, vec3 x) { return axis[0] * x.x + axis[1] * x.y + axis[2] * x.z; }

/* of a frame's stiffness, in its own axes */
static inline twist held_spring_rates(const held_foot *f, const held_columns *c, vec3 p)
{
    const mat3 R = mat3_of(held_spread(f->axis[0]), held_spread(f->axis[1]), held_spread(f->axis[2]));
    return held_frame_stiffness(c, p, R, f->stiffness, twist_of(held_spread(f->error), held_spread(f->error + 4)));
}

/* ∂c of a frame's rows in LANES columns; lanes: those on its path */
NUM_INLINE void held_put_frame(const held_call *h, const held_foot *f, const held_columns *c, held_rates r,
                               lane_set lanes)
{
    const int stiff = f->stiffness > 0;
    const twist spring = stiff ? held_spring_rates(f, c, held_spread(f->p)) : twist_zero();
    rhs_pair *to = (rhs_pair *)h->rhs + h->nd + f->row;
    for (int d = 0; d < 6; d++) {
        const double *axis = f->axis[d % 3];
        num x = held_part(axis, d < 3 ? r.q.v : r.q.w);
        if (stiff) x += (&spring.v.x)[d];
        to[d].q = lanes_where(lanes, x);
        to[d].v = lanes_where(lanes, held_part(axis, d < 3 ? r.v.v : r.v.w));
        pack_put(h->turn + (f->row + d) * LANES, K(0));
    }
}

/* the same of a point, or of a plane, which has one row; and how its force turns */
NUM_INLINE void held_put_point(const held_call *h, const held_foot *f, const int rows, vec3 turning, vec3 q, vec3 v,
                               lane_set lanes)
{
    double force[4];
    *(quad_anywhere *)force = held_force(h, f).v;
    const vec3 turned = vec3_cross(turning, held_spread(force));
    rhs_pair *to = (rhs_pair *)h->rhs + h->nd + f->row;
    double *turn = h->turn + (rows == 3 ? f->row : f->shadow) * LANES;
    if (rows == 1) {
        pack_put(h->turn + f->row * LANES, K(0));
        q = vec3_add(q, vec3_cross(turning, held_spread(f->rate)));
    }
    for (int d = 0; d < 3; d++) {
        if (d < rows) {
            to[d].q = lanes_where(lanes, held_part(f->axis[d], q));
            to[d].v = lanes_where(lanes, held_part(f->axis[d], v));
        }
        const num x = rows == 3 ? held_part(f->axis[d], turned) : -(&turned.x)[d];
        pack_put(turn + d * LANES, lanes_where(lanes, x));
    }
}

/* a loop does not notice how its root moves */
static inline void held_clear_rates(const held_call *h, const held_foot *f)
{
    const rhs_pair zero = {K(0), K(0)};
    for (int32_t r = f->row; r < f->row + f->rows; r++) {
        ((rhs_pair *)h->rhs)[h->nd + (size_t)r] = zero;
        pack_put(h->turn + r * LANES, K(0));
    }
}

/*
 * Columns `at` … of a free root, which are the identity; its parent, the world, does not move. Nothing but stiffness
 * depends on where it is
 */
static inline void held_base_rates(const single_tree *t, const held_call *h, const held_foot *f, int32_t at)
{
    static const double unit[6 + HELD_PACK][ROW8] = {
        {1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 1}};
    const vec3 u = held_spread(t->velocity), p = held_spread(f->p);
    held_columns c;
    if (f->other >= 0) {
        held_clear_rates(h, f);
        return;
    }
    c.Pd = c.Pdd = twist_zero();
    c.v = twist_of(vec3_add(held_spread(f->v), u), held_spread(f->v + 4));
    c.g = c.u = vec3_zero();
    c.S = twists_in(unit[at]);
    c.PS = twist_cross(twist_of(u, held_spread(t->v + ROW8 + 4)), c.S);
    if (f->rows == 6) {
        held_rates r = {twist_zero(), held_frame_rate_v(&c, p, f->damping)};
        held_put_frame(h, f, &c, r, lanes_in(~0u));
        return;
    }
    const vec3 v = held_point_rate_v(&c, p, held_moved(c.v, p), f->damping);
    vec3 q = vec3_zero();
    if (f->stiffness > 0) q = held_point_spring(&c, p, f->stiffness, held_spread(f->error), q);
    if (f->rows == 3)
        held_put_point(h, f, 3, c.S.w, q, v, lanes_in(~0u));
    else
        held_put_point(h, f, 1, c.S.w, q, v, lanes_in(~0u));
}

NUM_INLINE twist held_spread_twist(const double *x) { return twist_of(held_spread(x), held_spread(x + 4)); }

/* those of a loop in register k of the columns below a free root: single/held_loop.h */
static inline void held_loop_rates(const single_tree *t, const held_call *h, const held_foot *f, int32_t k)
{
    const column_pack *pack = &t->pack[k];
    const lane_set lanes = lanes_of(f->above, k * LANES);
    const num sign = lanes_select(lanes_of(f->behind, k * LANES), K(-1), K(1));
    const twist a = held_spread_twist(f->other_a), v = held_spread_twist(f->v), w = held_spread_twist(f->other_v);
    const vec3 p = held_spread(f->p), g = held_spread(t->gravity);
    double velocity[4];
    *(quad_anywhere *)velocity = held_velocity(t);
    const vec3 u = held_spread(velocity);
    const twist S = twist_scale(sign, pack->S);
    twist Pd = twist_scale(sign, pack->Pd), Pdd = twist_scale(-sign, pack->q.P), PS = twist_scale(sign, pack->PS);
    const vec3 carried = vec3_cross(u, S.w); /* what was left out of Ψ̇ and of Ṡ */
    Pdd.v = vec3_add(Pdd.v, vec3_axpy(K(2), vec3_cross(u, Pd.w), vec3_cross(g, S.w)));
    Pd.v = vec3_add(Pd.v, carried);
    PS.v = vec3_axpy(K(2), carried, PS.v);
    const twist moved = twist_add(Pd, twist_cross(S, w));
    twist q = twist_sub(twist_add(Pdd, twist_cross(S, a)), twist_add(twist_cross(v, moved), twist_cross(w, Pd)));
    twist by_v = twist_sub(PS, twist_cross(twist_add(v, w), S));
    if (f->damping > 0) {
        q = twist_axpy(K(f->damping), moved, q);
        by_v = twist_axpy(K(f->damping), S, by_v);
    }
    if (f->rows == 6) {
        const held_rates r = {twist_of(held_moved(q, p), q.w), twist_of(held_moved(by_v, p), by_v.w)};
        held_columns c;
        c.S = S; /* all that a spring reads */
        held_put_frame(h, f, &c, r, lanes);
        return;
    }
    const vec3 turning = vec3_sub(v.w, w.w), at = held_moved(twist_sub(v, w), p), jump = held_moved(S, p);
    vec3 by_place =
        vec3_add(held_moved(q, p), vec3_add(vec3_cross(moved.w, at), vec3_cross(turning, held_moved(moved, p))));
    const vec3 by_rate = vec3_add(held_moved(by_v, p), vec3_add(vec3_cross(S.w, at), vec3_cross(turning, jump)));
    if (f->stiffness > 0)
        by_place = vec3_axpy(K(f->stiffness), vec3_sub(jump, vec3_cross(S.w, held_spread(f->error))), by_place);
    held_put_point(h, f, 3, S.w, by_place, by_rate, lanes);
}

/* register k of the columns below a free root */
static inline void held_pack_rates(const single_tree *t, const held_call *h, const held_foot *f, int32_t k)
{
    const column_pack *pack = &t->pack[k];
    const vec3 p = held_spread(f->p);
    const lane_set lanes = lanes_of(f->above, k * LANES);
    double u[4];
    held_columns c;
    if (f->other >= 0) {
        held_loop_rates(t, h, f, k);
        return;
    }
    *(quad_anywhere *)u = held_velocity(t);
    c.S = pack->S, c.Pd = pack->Pd, c.PS = pack->PS;
    c.Pdd = twist_neg(pack->q.P);
    c.v = twist_of(held_spread(f->v), held_spread(f->v + 4));
    c.g = held_spread(t->gravity), c.u = held_spread(u);
    if (f->rows == 6) {
        held_put_frame(h, f, &c, held_frame_rates(&c, p, f->damping), lanes);
        return;
    }
    const vec3 error = f->stiffness > 0 ? held_spread(f->error) : vec3_zero();
    const held_rates r = held_point_rates(&c, p, f->damping, f->stiffness, error);
    if (f->rows == 3)
        held_put_point(h, f, 3, c.S.w, r.q.v, r.v.v, lanes);
    else
        held_put_point(h, f, 1, c.S.w, r.q.v, r.v.v, lanes);
}

#endif
