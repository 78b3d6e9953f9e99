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

/* ∂c of a foot's rows, and how its force turns, in LANES columns; lanes: those on its path */
NUM_INLINE void held_put_rates(const held_call *h, const held_foot *f, const held_columns *c, lane_set lanes)
{
    const vec3 p = held_spread(f->p);
    const held_rates r = held_foot_rates(f, c, p);
    const int stiff = f->rows == 6 && f->stiffness > 0;
    const twist spring = stiff ? held_spring_rates(f, c, p) : twist_zero();
    rhs_pair *to = (rhs_pair *)h->rhs + h->nd + f->row;
    for (int d = 0; d < f->rows; d++) {
        const double *axis = f->axis[d % 3];
        num x = held_part(axis, d < 3 ? r.q.v : r.q.w);
        if (stiff) x += (&spring.v.x)[d];
        to[d].q = lanes_where(lanes, x);
        to[d].v = lanes_where(lanes, held_part(axis, d < 3 ? r.v.v : r.v.w));
    }
    if (f->rows != 3) {
        for (int d = 0; d < f->rows; d++) pack_put(h->turn + (f->row + d) * LANES, K(0));
        if (f->rows == 6) return;
    }
    double force[4];
    *(quad_anywhere *)force = held_force(h, f).v;
    const vec3 turned = vec3_cross(c->S.w, held_spread(force));
    double *turn = h->turn + (f->rows == 3 ? f->row : f->shadow) * LANES;
    for (int d = 0; d < 3; d++) {
        const num x = f->rows == 3 ? held_part(f->axis[d], turned) : -(&turned.x)[d];
        pack_put(turn + d * LANES, lanes_where(lanes, x));
    }
}

/* columns `at` … of a free root, which are the identity; its parent, the world, does not move */
static inline void held_base_rates(const single_tree *t, const held_call *h, const held_foot *f, int32_t at)
{
    static const double unit[6 + HELD_PACK][ROW8] = {
        {1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 1}};
    const vec3 u = held_spread(t->velocity);
    held_columns c;
    c.Pd = c.Pdd = twist_zero();
    c.v = twist_of(vec3_add(held_spread(f->v), u), held_spread(f->v + 4));
    c.g = c.u = vec3_zero();
    c.S = twists_in(unit[at]);
    c.PS = twist_cross(twist_of(u, held_spread(t->v + ROW8 + 4)), c.S);
    held_put_rates(h, f, &c, lanes_in(~0u));
}

/* register k of the columns below a free root */
static inline void held_pack_rates(const single_tree *t, const held_call *h, const held_foot *f, int32_t k)
{
    const column_pack *pack = &t->pack[k];
    double u[4];
    held_columns c;
    *(quad_anywhere *)u = held_velocity(t);
    c.S = pack->S, c.Pd = pack->Pd, c.PS = pack->PS;
    c.Pdd = twist_neg(pack->q.P);
    c.v = twist_of(held_spread(f->v), held_spread(f->v + 4));
    c.g = held_spread(t->gravity), c.u = held_spread(u);
    held_put_rates(h, f, &c, lanes_of(f->above, k * LANES));
}

#endif
