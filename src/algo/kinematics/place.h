/*
 * Places, over num: the frame O[C] that has its origin with one frame and its axes with another (Notation, section 5.2,
 * B[A] there), how it moves, and what a frame E does for an observer on F when its twist is written there.
 *
 * Everything is in the F₀ of motion_series.h. A walk that has come to O and one that has come to C make a third, the
 * place's: pose (R_C, p_O), and the twist with ω_C that carries the point p_O along with O,
 *
 *   ω = ω_C,      v = ṗ_O − ω_C × p_O,      ṗ_O = v_O + ω_O × p_O.
 *
 * Of the motion of E relative to F, with U = V_E − V_F and U̇ = V̇_E − V̇_F in F₀, the place D has
 *
 *   twist         ᴰX U                            apparent     ᴰX (U̇ − V_D × U)                  Notation (45)
 *   intrinsic     ᴰX (U̇ − V_F × U)                classical    the apparent one at E[F], turned into the axes of D
 */
#ifndef HML_ALGO_KINEMATICS_PLACE_H
#define HML_ALGO_KINEMATICS_PLACE_H

#include "algo/kinematics/motion_series.h"

/* o becomes the walk of the place o[c]; both of order 1 at most and in one F₀ */
static inline void walk_turn(path_walk *o, const path_walk *c)
{
    vec3 velocity = vec3_add(o->V[0].v, vec3_cross(o->V[0].w, o->H.p));
    o->H.R = c->H.R;
    o->V[0] = twist_of(vec3_sub(velocity, vec3_cross(c->V[0].w, o->H.p)), c->V[0].w);
}

/* to a place, beside another walk; base, where not NULL, stands for HML_BASE */
static inline void walk_to_place(path_walk *w, const path_walk *beside, const path_walk *base, const hml_model *m,
                                 hml_place place, const state_series *state)
{
    path_walk c;
    if (base && place.origin == HML_BASE) {
        *w = *base;
    } else {
        walk_start_beside(w, beside);
        walk_to(w, m, place.origin, state, K(1), NULL);
    }
    if (place.axes == place.origin) return;
    if (base && place.axes == HML_BASE) {
        walk_turn(w, base);
        return;
    }
    walk_start_beside(&c, beside);
    walk_to(&c, m, place.axes, state, K(1), NULL);
    walk_turn(w, &c);
}

/* the frame of a body's joint, where its velocity is counted: the plan frame */
static inline void walk_to_body(path_walk *w, const hml_model *m, int32_t body, const state_series *state)
{
    int32_t i = model_bodies(m)[body].root;
    for (walk_step(w, m, i, state); i != body; walk_step(w, m, i, state)) i = path_next(m, i, body);
}

/* the motion of E relative to F: e's twist and its derivative become U and U̇ */
static inline void walk_subtract(path_walk *e, const path_walk *f)
{
    for (int n = 0; n <= e->order; n++) e->V[n] = twist_sub(e->V[n], f->V[n]);
}

/* e: E relative to F, by walk_subtract; E's own pose */
static inline twist relative_acceleration(hml_acceleration_kind kind, const path_walk *e, const path_walk *f,
                                          const path_walk *d)
{
    if (kind == HML_CLASSICAL) {
        path_walk at = *e; /* E[F]: there the numbers are ȯ and ω as F sees them */
        at.V[0] = twist_add(e->V[0], f->V[0]);
        walk_turn(&at, f);
        twist a = pose_ad_inverse(at.H, twist_sub(e->V[1], twist_cross(at.V[0], e->V[0])));
        mat3 R = mat3_tmul(d->H.R, at.H.R);
        return twist_of(mat3_mul_vec(R, a.v), mat3_mul_vec(R, a.w));
    }
    return pose_ad_inverse(d->H, twist_sub(e->V[1], twist_cross(kind == HML_INTRINSIC ? f->V[0] : d->V[0], e->V[0])));
}

#endif
