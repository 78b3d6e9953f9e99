/*
 * Jacobians expressed in other frames, over num: ᴰJ_{A,E/B} of Notation (75), contact Jacobians (81)-(82), points.
 *
 * A frame's columns and their derivatives are collected in F₀ (motion_series.h), then written in an expression frame D:
 * in D itself, or at its origin with the world's axes, D[A]. D moves by itself; it is E, another frame, the world, or a
 * contact frame that rolls over the link.
 */
#ifndef HML_ALGO_KINEMATICS_FRAME_JACOBIAN_H
#define HML_ALGO_KINEMATICS_FRAME_JACOBIAN_H

#include "algo/kinematics/motion_series.h"
#include "hamel/kinematics.h"

/* the columns of a frame, expressed where a walk has come to */
static inline void jacobian_express_at(const jacobian_series *j, const hml_model *m, int32_t frame, const path_walk *at,
                                       hml_axes axes)
{
    expression x;
    expression_of_walk(&x, axes == HML_AXES_OF_FRAME ? HML_LEFT : HML_MIXED, at);
    jacobian_express(j, m, &x, body_of(m, frame), -1);
}

/* the twist of `frame`, expressed in the frame `expressed` or in HML_WORLD */
static inline void jacobian_in_frame(const hml_model *m, int32_t frame, int32_t expressed, hml_axes axes,
                                     const state_series *state, const jacobian_series *j)
{
    path_walk e, d;
    jacobian_zero(j);
    walk_start(&e, j->order);
    walk_to(&e, m, frame, state, K(1), j);
    walk_start_beside(&d, &e);
    walk_to(&d, m, expressed, state, K(1), NULL);
    jacobian_express_at(j, m, frame, &d, axes);
}

/* the twist of a link, expressed in a contact frame with pose `contact` on it and twist `slip` relative to it, in C */
static inline void jacobian_in_contact(const hml_model *m, int32_t link, pose contact, twist slip, hml_axes axes,
                                       const state_series *state, const jacobian_series *j)
{
    path_walk w;
    jacobian_zero(j);
    walk_start(&w, j->order);
    walk_to(&w, m, link, state, K(1), j);
    w.H = pose_mul(w.H, contact);
    w.V[0] = twist_add(w.V[0], pose_ad(w.H, slip));
    jacobian_express_at(j, m, link, &w, axes);
}

/*
 * the frame, moved to one of its points, whose Jacobian is then the upper half of the mixed one; returns its position
 */
static inline pose jacobian_of_point(const hml_model *m, int32_t frame, vec3 point, const state_series *state,
                                     twist twists[SERIES_LENGTH], const jacobian_series *j)
{
    path_walk w;
    expression x;
    jacobian_zero(j);
    walk_start(&w, j->order);
    walk_to(&w, m, frame, state, K(1), j);
    w.H.p = pose_act(w.H, point);
    expression_of_walk(&x, HML_MIXED, &w);
    jacobian_express(j, m, &x, body_of(m, frame), -1);
    for (int n = 0; n <= j->order; n++) twists[n] = w.V[n];
    series_express(&x, j->order, twists);
    return pose_mul(w.world, w.H);
}

#endif
