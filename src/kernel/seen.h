/*
 * What a frame sees, over num: twists in its own axes, at its origin, and how they change. Formulas:
 * algo/kinematics/frame_seen.h, frame_derivatives.h.
 */
#ifndef HML_KERNEL_SEEN_H
#define HML_KERNEL_SEEN_H

#include "group/spatial.h"
#include "hamel/se3.h"

/* a twist U as the frame at H sees it, in a representation */
static inline twist seen_in(hml_representation rep, pose H, twist U)
{
    switch (rep) {
    case HML_LEFT: return U;
    case HML_RIGHT: return pose_ad(H, U);
    case HML_MIXED: return twist_of(mat3_mul_vec(H.R, U.v), mat3_mul_vec(H.R, U.w));
    default: return twist_of(mat3_mul_vec(H.R, U.v), U.w);
    }
}

/* its derivative there, where U has the derivative dU, and H moves with the twist V */
static inline twist seen_rate_in(hml_representation rep, pose H, twist V, twist U, twist dU)
{
    if (rep == HML_RIGHT) dU = twist_add(dU, twist_cross(V, U));
    if (rep == HML_MIXED || rep == HML_SPLIT) dU.v = vec3_add(dU.v, vec3_cross(V.w, U.v));
    if (rep == HML_MIXED) dU.w = vec3_add(dU.w, vec3_cross(V.w, U.w));
    return seen_in(rep, H, dU);
}

/* the frame, when all of its path is known */
typedef struct seen_place {
    hml_representation representation;
    pose H; /* in the world */
    twist V, A;
    vec3 linear; /* of A; of mixed and split A.v + ω × V.v */
} seen_place;

static inline int seen_classical(hml_representation rep) { return rep == HML_MIXED || rep == HML_SPLIT; }

static inline vec3 seen_linear(hml_representation rep, twist V, twist A)
{
    return seen_classical(rep) ? vec3_add(A.v, vec3_cross(V.w, V.v)) : A.v;
}

/* a change of A in the frame's axes, in those of the representation; S: how the frame moves meanwhile */
static inline twist seen_acceleration_change(const seen_place *x, twist S, twist dV, twist dA)
{
    if (seen_classical(x->representation))
        dA.v = vec3_add(dA.v, vec3_add(vec3_cross(dV.w, x->V.v), vec3_cross(x->V.w, dV.v)));
    return seen_rate_in(x->representation, x->H, S, twist_of(x->linear, x->A.w), dA);
}

/* a joint on the way: twist and acceleration of the body before it, and the twist of its own; all as the frame sees them */
typedef struct seen_joint {
    twist Vp, Ap, Vi;
} seen_joint;

/* ∂V/∂q, ∂A/∂q and ∂A/∂ν by its column J */
static inline twist seen_twist_q(const seen_place *x, const seen_joint *j, twist J)
{
    return seen_rate_in(x->representation, x->H, J, x->V, twist_cross(j->Vp, J));
}

static inline twist seen_acceleration_q(const seen_place *x, const seen_joint *j, twist J)
{
    const twist dV = twist_cross(j->Vp, J), rest = twist_cross(dV, twist_sub(x->V, j->Vp));
    return seen_acceleration_change(x, J, dV, twist_add(twist_cross(j->Ap, J), rest));
}

static inline twist seen_acceleration_v(const seen_place *x, const seen_joint *j, twist J)
{
    const twist dA = twist_add(twist_cross(J, twist_sub(x->V, j->Vp)), twist_cross(j->Vi, J));
    return seen_acceleration_change(x, twist_zero(), J, dA);
}

#endif
