/*
 * Joints over num: what a joint's position numbers and velocity mean. From, Definition 4.1: a configuration g of a
 * subgroup of SE(3), a velocity v ∈ ℝᵐ in the successor frame, a constant 6×m matrix S, and g⁻¹ġ = S v.
 *
 *   joint_nq          numbers in a position q
 *   joint_nv          m, coordinates of a velocity v
 *   joint_commutes    whether the group is commutative
 *   joint_neutral     q of the identity
 *   joint_element     g(q), the element of the group
 *   joint_pose        T(point) · g(q) · T(−point), the pose of the successor in the predecessor frame
 *   joint_columns     S, column by column, for joint_pose: constant, in the successor frame
 *   joint_ad          ad_v, m×m
 *   joint_jacobian    S(φ), m×m, right Jacobian of exp; joint_jacobian_inverse S(φ)⁻¹
 *   joint_integrate   q ⊕ v, the numbers of g(q) · exp(v)
 *   joint_difference  q₁ ⊖ q₀, log( g(q₀)⁻¹ g(q₁) )
 *
 * `type` is an hml_joint_type; the order of the numbers is written there. Branches look at the type only. A universal
 * joint is no group and never comes here: it is two revolutes. `axis` is unit. Quaternions are unit on the way in, and
 * again on the way out. q, v and S are the joint's own: q[0] is its first number.
 *
 * Neither ad, S(φ), ⊕ nor ⊖ depends on axis, point or pitch: conjugation by T(point) and the choice of the axis change
 * S, not the group's structure.
 */
#ifndef HML_GROUP_JOINT_H
#define HML_GROUP_JOINT_H

#include "group/axis.h"
#include "group/se2.h"
#include "group/se3.h"
#include "hamel/model.h"

static inline int joint_nq(int type)
{
    switch (type) {
    case HML_JOINT_REVOLUTE:
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_HELICAL: return 1;
    case HML_JOINT_CYLINDRICAL:
    case HML_JOINT_TRANSLATION2: return 2;
    case HML_JOINT_PLANAR:
    case HML_JOINT_TRANSLATION3: return 3;
    case HML_JOINT_SPHERICAL:
    case HML_JOINT_SCHOENFLIES: return 4;
    case HML_JOINT_FREE: return 7;
    default: return 0;
    }
}

static inline int joint_nv(int type)
{
    int nq = joint_nq(type); /* a quaternion has one number too many */
    return type == HML_JOINT_SPHERICAL || type == HML_JOINT_FREE ? nq - 1 : nq;
}

/* does the joint's group commute? Then ad = 0, S(φ) = 1, and numbers simply add up */
static inline int joint_commutes(int type)
{
    return type != HML_JOINT_PLANAR && type != HML_JOINT_SPHERICAL && type != HML_JOINT_SCHOENFLIES &&
           type != HML_JOINT_FREE;
}

/* where the quaternion begins among a joint's numbers; −1: there is none */
static inline int quaternion_at(int32_t type)
{
    return type == HML_JOINT_FREE ? 3 : type == HML_JOINT_SPHERICAL ? 0 : -1;
}

/* where the angle stands among a joint's numbers; −1: there is none */
static inline int joint_angle_at(int32_t type)
{
    switch (type) {
    case HML_JOINT_REVOLUTE:
    case HML_JOINT_HELICAL: return 0;
    case HML_JOINT_CYLINDRICAL: return 1;
    case HML_JOINT_PLANAR: return 2;
    case HML_JOINT_SCHOENFLIES: return 3;
    default: return -1;
    }
}

/* is coordinate k of a velocity a length? */
static inline int joint_is_length(int32_t type, int32_t k)
{
    switch (type) {
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_TRANSLATION3: return 1;
    case HML_JOINT_CYLINDRICAL: return k == 0;
    case HML_JOINT_PLANAR: return k < 2;
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE: return k < 3;
    default: return 0;
    }
}

/* the axes of its frame along which a joint slides first, then those about which it turns; bit k: axis k */
typedef struct joint_axes {
    int slides, turns;
} joint_axes;

/* a helical joint does both at once and is not among them */
static inline joint_axes joint_axes_of(int type)
{
    joint_axes j = {0, 0};
    switch (type) {
    case HML_JOINT_REVOLUTE: j.turns = 4; break;
    case HML_JOINT_PRISMATIC: j.slides = 4; break;
    case HML_JOINT_CYLINDRICAL: j.slides = 4, j.turns = 4; break;
    case HML_JOINT_TRANSLATION2: j.slides = 3; break;
    case HML_JOINT_PLANAR: j.slides = 3, j.turns = 4; break;
    case HML_JOINT_SPHERICAL: j.turns = 7; break;
    case HML_JOINT_TRANSLATION3: j.slides = 7; break;
    case HML_JOINT_SCHOENFLIES: j.slides = 7, j.turns = 4; break;
    case HML_JOINT_FREE: j.slides = 7, j.turns = 7; break;
    default: break;
    }
    return j;
}

static inline void joint_neutral(int type, num q[])
{
    int nq = joint_nq(type);
    for (int i = 0; i < nq; i++) q[i] = K(0);
    if (type == HML_JOINT_SPHERICAL) q[0] = K(1);
    if (type == HML_JOINT_FREE) q[3] = K(1);
}

/* ---- pose ---- */

static inline pose joint_element(int type, vec3 axis, num pitch, const num q[])
{
    switch (type) {
    case HML_JOINT_REVOLUTE: return pose_of(axis_rotation(axis, q[0]), vec3_zero());
    case HML_JOINT_PRISMATIC: return pose_of(mat3_identity(), vec3_scale(q[0], axis));
    case HML_JOINT_HELICAL: return pose_of(axis_rotation(axis, q[0]), vec3_scale(pitch * q[0], axis));
    case HML_JOINT_CYLINDRICAL: return pose_of(axis_rotation(axis, q[1]), vec3_scale(q[0], axis));
    case HML_JOINT_TRANSLATION2: return pose_of(mat3_identity(), vec3_of(q[0], q[1], K(0)));
    case HML_JOINT_PLANAR: return pose_of(z_rotation(q[2]), vec3_of(q[0], q[1], K(0)));
    case HML_JOINT_SPHERICAL: return pose_of(quat_to_mat3(quat_at(q)), vec3_zero());
    case HML_JOINT_TRANSLATION3: return pose_of(mat3_identity(), vec3_at(q));
    case HML_JOINT_SCHOENFLIES: return pose_of(z_rotation(q[3]), vec3_at(q));
    case HML_JOINT_FREE: return pose_of(quat_to_mat3(quat_at(q + 3)), vec3_at(q));
    default: return pose_identity();
    }
}

static inline pose joint_pose(int type, vec3 axis, vec3 point, num pitch, const num q[])
{
    pose g = joint_element(type, axis, pitch, q);
    g.p = vec3_add(g.p, vec3_sub(point, mat3_mul_vec(g.R, point)));
    return g;
}

/* ---- S ---- */

/* in a frame where the joint's own x, y, z are the columns of R; axis: of those that have one */
static inline void joint_columns_in(int type, mat3 R, vec3 axis, vec3 point, num pitch, twist S[])
{
    switch (type) {
    case HML_JOINT_REVOLUTE: S[0] = turn_column(axis, point); break;
    case HML_JOINT_PRISMATIC: S[0] = slide_column(axis); break;
    case HML_JOINT_HELICAL: S[0] = twist_axpy(pitch, slide_column(axis), turn_column(axis, point)); break;
    case HML_JOINT_CYLINDRICAL:
        S[0] = slide_column(axis);
        S[1] = turn_column(axis, point);
        break;
    case HML_JOINT_SPHERICAL:
        S[0] = turn_column(R.x, point);
        S[1] = turn_column(R.y, point);
        S[2] = turn_column(R.z, point);
        break;
    case HML_JOINT_TRANSLATION2:
    case HML_JOINT_PLANAR:
        S[0] = slide_column(R.x);
        S[1] = slide_column(R.y);
        if (type == HML_JOINT_PLANAR) S[2] = turn_column(R.z, point);
        break;
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE:
        S[0] = slide_column(R.x);
        S[1] = slide_column(R.y);
        S[2] = slide_column(R.z);
        if (type == HML_JOINT_SCHOENFLIES) S[3] = turn_column(R.z, point);
        if (type != HML_JOINT_FREE) break;
        S[3] = turn_column(R.x, point);
        S[4] = turn_column(R.y, point);
        S[5] = turn_column(R.z, point);
        break;
    default: break;
    }
}

static inline void joint_columns(int type, vec3 axis, vec3 point, num pitch, twist S[])
{
    joint_columns_in(type, mat3_identity(), axis, point, pitch, S);
}

/* ---- ad, S(φ) ---- */

/* ad_v, m×m row-major, From (6), (8), (78), (89); zero for the commutative groups */
static inline void joint_ad(int type, const num v[], num ad[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES: se2_ad_matrix(vec2_of(v[0], v[1]), v[m - 1], 0, 1, m - 1, m, ad); break;
    case HML_JOINT_SPHERICAL: mat3_put(mat3_hat(vec3_at(v)), ad, m); break;
    case HML_JOINT_FREE: twist_cross_matrix(twist_at(v), ad); break;
    default:
        for (int i = 0; i < m * m; i++) ad[i] = K(0);
        break;
    }
}

/* S(φ) = 1 − ad_φ/2 + ad_φ²/6 − …, m×m row-major: d/dt exp(φ) = exp(φ) · S(φ) φ̇ */
static inline void joint_jacobian(int type, const num phi[], num S[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES:
        se2_matrix(se2_dexp_right(vec2_of(phi[0], phi[1]), phi[m - 1]), 0, 1, m - 1, m, S);
        break;
    case HML_JOINT_SPHERICAL: mat3_put(so3_dexp_right(vec3_at(phi)), S, m); break;
    case HML_JOINT_FREE: se3_jacobian_matrix(se3_dexp_right(twist_at(phi)), S); break;
    default:
        for (int i = 0; i < m * m; i++) S[i] = K(i % (m + 1) == 0);
        break;
    }
}

/* S(φ)⁻¹: how the difference q₁ ⊖ q₀ = φ changes with a motion of q₁ */
static inline void joint_jacobian_inverse(int type, const num phi[], num S[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES:
        se2_matrix(se2_dexp_right_inverse(vec2_of(phi[0], phi[1]), phi[m - 1]), 0, 1, m - 1, m, S);
        break;
    case HML_JOINT_SPHERICAL: mat3_put(so3_dexp_right_inverse(vec3_at(phi)), S, m); break;
    case HML_JOINT_FREE: se3_jacobian_matrix(se3_dexp_right_inverse(twist_at(phi)), S); break;
    default:
        for (int i = 0; i < m * m; i++) S[i] = K(i % (m + 1) == 0);
        break;
    }
}

/* ---- q ⊕ v and q₁ ⊖ q₀ ---- */

/* out may be q */
static inline void joint_integrate(int type, const num q[], const num v[], num out[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES: { /* turned by the angle there is, along the arc of exp */
        num s, c;
        num_sincos(q[m - 1], &s, &c);
        vec2 u = vec2_turn(c, s, se2_exp(vec2_of(v[0], v[1]), v[m - 1]));
        out[0] = q[0] + u.x;
        out[1] = q[1] + u.y;
        for (int i = 2; i < m; i++) out[i] = q[i] + v[i];
        break;
    }
    case HML_JOINT_SPHERICAL: quat_put(quat_tidy(quat_mul(quat_at(q), so3_exp_quat(vec3_at(v)))), out); break;
    case HML_JOINT_FREE: { /* p + R p_exp, R R_exp */
        quat r = quat_at(q + 3), e;
        vec3 p;
        se3_exp_quat(twist_at(v), &e, &p);
        vec3_put(vec3_add(vec3_at(q), mat3_mul_vec(quat_to_mat3(r), p)), out);
        quat_put(quat_tidy(quat_mul(r, e)), out + 3);
        break;
    }
    default:
        for (int i = 0; i < m; i++) out[i] = q[i] + v[i];
        break;
    }
}

/*
 * v with q1 = q0 ⊕ v. Angles are subtracted, never wrapped, so that a wheel that turned ten times is ten turns away;
 * quaternions know no turns, their difference is at most π.
 */
static inline void joint_difference(int type, const num q0[], const num q1[], num v[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES: {
        num s, c;
        num_sincos(q0[m - 1], &s, &c);
        vec2 d = vec2_turn(c, -s, vec2_of(q1[0] - q0[0], q1[1] - q0[1]));
        for (int i = 2; i < m; i++) v[i] = q1[i] - q0[i];
        d = se2_log(d, v[m - 1]);
        v[0] = d.x;
        v[1] = d.y;
        break;
    }
    case HML_JOINT_SPHERICAL: vec3_put(so3_log_quat(quat_mul(quat_conj(quat_at(q0)), quat_at(q1))), v); break;
    case HML_JOINT_FREE: {
        quat r = quat_at(q0 + 3);
        vec3 p = mat3_tmul_vec(quat_to_mat3(r), vec3_sub(vec3_at(q1), vec3_at(q0)));
        twist d = se3_log_quat(quat_mul(quat_conj(r), quat_at(q1 + 3)), p);
        twist_put(d, v);
        break;
    }
    default:
        for (int i = 0; i < m; i++) v[i] = q1[i] - q0[i];
        break;
    }
}

#endif
