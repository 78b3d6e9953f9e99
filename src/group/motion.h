/*
 * The four representations of a twist, of the wrench dual to it and of its derivative, over num. See hamel/se3.h
 * and Notation, sections 5 and 6. H = (R, o) is the pose of B in A; T is the 6x6 matrix with V_rep = T V_left:
 *
 *            left    right           mixed        split
 *   T        I       [R o^R; 0 R]    [R 0; 0 R]   [R 0; 0 I]
 *   dT/dt V  0       0               R (ω × v) in the linear part, for mixed and split; v, ω left
 *
 *   twist         V_rep = T V             wrench   F_rep = T⁻ᵀ F, so that the power is the same
 *   acceleration  d/dt V_rep = T dV + dT/dt V: the derivative of the six numbers, Notation (44)
 */
#ifndef HML_GROUP_MOTION_H
#define HML_GROUP_MOTION_H

#include "group/spatial.h"
#include "hamel/se3.h"

static inline twist twist_from_left(hml_representation rep, pose H, twist V)
{
    switch (rep) {
    case HML_RIGHT: return pose_ad(H, V);
    case HML_MIXED: return twist_of(mat3_mul_vec(H.R, V.v), mat3_mul_vec(H.R, V.w));
    case HML_SPLIT: return twist_of(mat3_mul_vec(H.R, V.v), V.w);
    default: return V;
    }
}

static inline twist twist_to_left(hml_representation rep, pose H, twist V)
{
    switch (rep) {
    case HML_RIGHT: return pose_ad_inverse(H, V);
    case HML_MIXED: return twist_of(mat3_tmul_vec(H.R, V.v), mat3_tmul_vec(H.R, V.w));
    case HML_SPLIT: return twist_of(mat3_tmul_vec(H.R, V.v), V.w);
    default: return V;
    }
}

static inline wrench wrench_from_left(hml_representation rep, pose H, wrench F)
{
    switch (rep) {
    case HML_RIGHT: return pose_ad_dual(H, F);
    case HML_MIXED: return wrench_of(mat3_mul_vec(H.R, F.f), mat3_mul_vec(H.R, F.t));
    case HML_SPLIT: return wrench_of(mat3_mul_vec(H.R, F.f), F.t);
    default: return F;
    }
}

static inline wrench wrench_to_left(hml_representation rep, pose H, wrench F)
{
    switch (rep) {
    case HML_RIGHT: return pose_ad_dual_inverse(H, F);
    case HML_MIXED: return wrench_of(mat3_tmul_vec(H.R, F.f), mat3_tmul_vec(H.R, F.t));
    case HML_SPLIT: return wrench_of(mat3_tmul_vec(H.R, F.f), F.t);
    default: return F;
    }
}

static inline int representation_is_classical(hml_representation rep) { return rep == HML_MIXED || rep == HML_SPLIT; }

/* V: the left twist; dV: its derivative */
static inline twist acceleration_from_left(hml_representation rep, pose H, twist V, twist dV)
{
    if (representation_is_classical(rep)) dV.v = vec3_add(dV.v, vec3_cross(V.w, V.v));
    return twist_from_left(rep, H, dV);
}

/* V: the left twist; dV: the derivative of the twist in representation rep */
static inline twist acceleration_to_left(hml_representation rep, pose H, twist V, twist dV)
{
    twist a = twist_to_left(rep, H, dV);
    if (representation_is_classical(rep)) a.v = vec3_sub(a.v, vec3_cross(V.w, V.v));
    return a;
}

/* d/dt C_V_AB = C_X_B (B_V_CB × B_V_AB + d/dt B_V_AB), Notation (45); V_CB, V_AB, a in B */
static inline twist acceleration_apparent(pose H_CB, twist V_CB, twist V_AB, twist a)
{
    return pose_ad(H_CB, twist_add(twist_cross(V_CB, V_AB), a));
}

/* the a that acceleration_apparent turns into the given apparent one */
static inline twist acceleration_of_apparent(pose H_CB, twist V_CB, twist V_AB, twist apparent)
{
    return twist_sub(pose_ad_inverse(H_CB, apparent), twist_cross(V_CB, V_AB));
}

/* velocity in A of a point whose coordinates p in B change with the rate p1: R (v + ω × p + ṗ), Kindr; V left */
static inline vec3 point_velocity(pose H, twist V, vec3 p, vec3 p1)
{
    return mat3_mul_vec(H.R, vec3_add(vec3_add(V.v, vec3_cross(V.w, p)), p1));
}

/* its second derivative in A: R (v̇ + ω × v + ω̇ × p + ω × (ω × p) + 2 ω × ṗ + p̈) */
static inline vec3 point_acceleration(pose H, twist V, twist dV, vec3 p, vec3 p1, vec3 p2)
{
    vec3 carried = vec3_add(V.v, vec3_cross(V.w, p));
    vec3 rate = vec3_add(vec3_add(dV.v, vec3_cross(dV.w, p)), p2);
    return mat3_mul_vec(H.R, vec3_add(rate, vec3_cross(V.w, vec3_axpy(K(2), p1, carried))));
}

#endif
