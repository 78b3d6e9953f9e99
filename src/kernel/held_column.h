/*
 * ∂c of a foot that the world holds, over num: what a unit of q and of ν in a column does to the acceleration of its
 * rows. A lane is a column in single/held_rates.h and a state in pack/held.h.
 *
 * c of a foot is written in axes that move with its body, which changes nothing where c = 0. Everything beyond joint k
 * moves rigidly with it, so that with (x)_P = x_lin + x_ang × p and true v and a
 *
 *   frame    ∂c/∂q_k = Ψ̈ − v × Ψ̇               ∂c/∂ν_k = Ψ̇ + Ṡ − v × S            at P
 *   point    ∂c/∂q_k = (Ψ̈)_P + 2 Ψ̇_ω × v_P     ∂c/∂ν_k = (Ψ̇ + Ṡ)_P + 2 S_ω × v_P
 *
 * which are the vectors of the linearization. The passes leave out gravity g and the linear velocity u of a free root,
 * as if the robot were watched from something that falls beside it: they come back here.
 */
#ifndef HML_KERNEL_HELD_COLUMN_H
#define HML_KERNEL_HELD_COLUMN_H

#include "group/se3.h"
#include "kernel/composite.h"

/* a column: S, Ψ̇, Ψ̈ and Ψ̇ + Ṡ, and what was left out of them */
typedef struct held_columns {
    twist S, Pd, Pdd, PS;
    twist v; /* of the foot's body */
    vec3 g, u;
} held_columns;

typedef struct held_rates {
    twist q, v;
} held_rates;

NUM_INLINE vec3 held_moved(twist x, vec3 p) { return vec3_add(x.v, vec3_cross(x.w, p)); }

/* ∂c/∂ν of a frame, at its point and in the root's axes */
NUM_INLINE twist held_frame_rate_v(const held_columns *c, vec3 p, double damping)
{
    twist v = twist_sub(c->PS, twist_cross(c->v, c->S));
    v.v = vec3_add(v.v, vec3_cross(c->u, c->S.w));
    if (damping > 0) v = twist_axpy(K(damping), c->S, v);
    return twist_of(held_moved(v, p), v.w);
}

/* both; ∂c/∂q without stiffness */
NUM_INLINE held_rates held_frame_rates(const held_columns *c, vec3 p, double damping)
{
    const vec3 carried = vec3_cross(c->u, c->S.w); /* what u adds to Ψ̇ */
    twist q = twist_sub(c->Pdd, twist_cross(c->v, c->Pd));
    q.v = vec3_add(
        q.v, vec3_add(vec3_cross(c->g, c->S.w), vec3_sub(vec3_cross(c->u, c->Pd.w), vec3_cross(c->v.w, carried))));
    if (damping > 0) q = twist_axpy(K(damping), twist_of(vec3_add(c->Pd.v, carried), c->Pd.w), q);
    held_rates r = {twist_of(held_moved(q, p), q.w), held_frame_rate_v(c, p, damping)};
    return r;
}

/* ∂c/∂ν of a point; at: its velocity as the passes have it, of a free root with u */
NUM_INLINE vec3 held_point_rate_v(const held_columns *c, vec3 p, vec3 at, double damping)
{
    const vec3 v = vec3_axpy(K(2), vec3_cross(c->S.w, at), held_moved(c->PS, p));
    return damping > 0 ? vec3_axpy(K(damping), held_moved(c->S, p), v) : v;
}

/* what stiffness adds to ∂c/∂q of a point; error: its distance from the goal */
NUM_INLINE vec3 held_point_spring(const held_columns *c, vec3 p, double stiffness, vec3 error, vec3 q)
{
    return vec3_axpy(K(stiffness), vec3_sub(held_moved(c->S, p), vec3_cross(c->S.w, error)), q);
}

/* both of a point: linear parts alone */
NUM_INLINE held_rates held_point_rates(const held_columns *c, vec3 p, double damping, double stiffness, vec3 error)
{
    const vec3 at = held_moved(c->v, p);
    vec3 q = vec3_axpy(K(2), vec3_cross(c->Pd.w, at), vec3_add(held_moved(c->Pdd, p), vec3_cross(c->g, c->S.w)));
    if (damping > 0) q = vec3_axpy(K(damping), vec3_add(held_moved(c->Pd, p), vec3_cross(c->u, c->S.w)), q);
    if (stiffness > 0) q = held_point_spring(c, p, stiffness, error, q);
    held_rates r = {twist_of(q, vec3_zero()), twist_of(held_point_rate_v(c, p, at, damping), vec3_zero())};
    return r;
}

/* stiffness · ∂log of a frame, in its own axes, whose columns are those of R: J through the Jacobian of log */
static inline twist held_frame_stiffness(const held_columns *c, vec3 p, mat3 R, double stiffness, twist error)
{
    const twist J = twist_of(mat3_tmul_vec(R, held_moved(c->S, p)), mat3_tmul_vec(R, c->S.w));
    return twist_scale(K(stiffness), se3_dexp_right_inverse_apply(error, J));
}

#endif
