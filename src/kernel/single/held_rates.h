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

/* register k of the columns below a free root */
static inline void held_pack_rates(const single_tree *t, const held_call *h, const held_foot *f, int32_t k)
{
    const column_pack *pack = &t->pack[k];
    const vec3 p = held_spread(f->p);
    const lane_set lanes = lanes_of(f->above, k * LANES);
    double u[4];
    held_columns c;
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
