/*
 * Joints over num: what a joint's position numbers and velocity mean. From, Definition 4.1: a configuration g of a
 * subgroup of SE(3), a velocity v ∈ ℝᵐ in the successor frame, a constant 6×m matrix S, and g⁻¹ġ = S v.
 *
 *   joint_nq          numbers in a position q
 *   joint_nv          m, coordinates of a velocity v
 *   joint_neutral     q of the identity
 *   joint_element     g(q), the element of the group
 *   joint_pose        T(point) · g(q) · T(−point), the pose of the successor in the predecessor frame
 *   joint_columns     S, column by column, for joint_pose: constant, in the successor frame
 *   joint_ad          ad_v, m×m
 *   joint_integrate   q ⊕ v, the numbers of g(q) · exp(v)
 *   joint_difference  q₁ ⊖ q₀, log( g(q₀)⁻¹ g(q₁) )
 *
 * `type` is an hml_joint_type; the order of the numbers is written there. Branches look at the type only. A universal
 * joint is no group and never comes here: it is two revolutes. `axis` is unit. Quaternions are unit on the way in, and
 * again on the way out. q, v and S are the joint's own: q[0] is its first number.
 *
 * Neither ad, ⊕ nor ⊖ depends on axis, point or pitch: conjugation by T(point) and the choice of the axis change S, not
 * the group's structure.
 */
#ifndef HML_GROUP_JOINT_H
#define HML_GROUP_JOINT_H

#include "group/se2.h"
#include "group/so3.h"
#include "group/spatial.h"
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

static inline void joint_neutral(int type, num q[])
{
    int nq = joint_nq(type);
    for (int i = 0; i < nq; i++) q[i] = K(0);
    if (type == HML_JOINT_SPHERICAL) q[0] = K(1);
    if (type == HML_JOINT_FREE) q[3] = K(1);
}

/* ---- pose ---- */

/* rotation by an angle about a unit axis n: c I + s n^ + (1 − c) n nᵀ */
static inline mat3 axis_rotation(vec3 n, num angle)
{
    num s, c;
    num_sincos(angle, &s, &c);
    vec3 sn = vec3_scale(s, n), t = vec3_scale(K(1) - c, n);
    return mat3_of(vec3_of(t.x * n.x + c, t.x * n.y + sn.z, t.x * n.z - sn.y),
                   vec3_of(t.y * n.x - sn.z, t.y * n.y + c, t.y * n.z + sn.x),
                   vec3_of(t.z * n.x + sn.y, t.z * n.y - sn.x, t.z * n.z + c));
}

/* rotation by an angle about z */
static inline mat3 z_rotation(num angle)
{
    num s, c;
    num_sincos(angle, &s, &c);
    return mat3_of(vec3_of(c, s, K(0)), vec3_of(-s, c, K(0)), vec3_of(K(0), K(0), K(1)));
}

static inline pose joint_element(int type, vec3 axis, num pitch, const num q[])
{
    switch (type) {
    case HML_JOINT_REVOLUTE: return pose_of(axis_rotation(axis, q[0]), vec3_zero());
    case HML_JOINT_PRISMATIC: return pose_of(mat3_identity(), vec3_scale(q[0], axis));
    case HML_JOINT_HELICAL: return pose_of(axis_rotation(axis, q[0]), vec3_scale(pitch * q[0], axis));
    case HML_JOINT_CYLINDRICAL: return pose_of(axis_rotation(axis, q[1]), vec3_scale(q[0], axis));
    case HML_JOINT_TRANSLATION2: return pose_of(mat3_identity(), vec3_of(q[0], q[1], K(0)));
    case HML_JOINT_PLANAR: return pose_of(z_rotation(q[2]), vec3_of(q[0], q[1], K(0)));
    case HML_JOINT_SPHERICAL: return pose_of(quat_to_mat3(quat_of(q[0], q[1], q[2], q[3])), vec3_zero());
    case HML_JOINT_TRANSLATION3: return pose_of(mat3_identity(), vec3_of(q[0], q[1], q[2]));
    case HML_JOINT_SCHOENFLIES: return pose_of(z_rotation(q[3]), vec3_of(q[0], q[1], q[2]));
    case HML_JOINT_FREE: return pose_of(quat_to_mat3(quat_of(q[3], q[4], q[5], q[6])), vec3_of(q[0], q[1], q[2]));
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

/* sliding along n */
static inline twist slide_column(vec3 n) { return twist_of(n, vec3_zero()); }

/* turning about the line through the point along n: Ad of T(point) on [0; n] */
static inline twist turn_column(vec3 n, vec3 point) { return twist_of(vec3_cross(point, n), n); }

static inline void joint_columns(int type, vec3 axis, vec3 point, num pitch, twist S[])
{
    const vec3 x = vec3_of(K(1), K(0), K(0)), y = vec3_of(K(0), K(1), K(0)), z = vec3_of(K(0), K(0), K(1));
    switch (type) {
    case HML_JOINT_REVOLUTE: S[0] = turn_column(axis, point); break;
    case HML_JOINT_PRISMATIC: S[0] = slide_column(axis); break;
    case HML_JOINT_HELICAL: S[0] = twist_axpy(pitch, slide_column(axis), turn_column(axis, point)); break;
    case HML_JOINT_CYLINDRICAL:
        S[0] = slide_column(axis);
        S[1] = turn_column(axis, point);
        break;
    case HML_JOINT_TRANSLATION2:
        S[0] = slide_column(x);
        S[1] = slide_column(y);
        break;
    case HML_JOINT_PLANAR:
        S[0] = slide_column(x);
        S[1] = slide_column(y);
        S[2] = turn_column(z, point);
        break;
    case HML_JOINT_SPHERICAL:
        S[0] = turn_column(x, point);
        S[1] = turn_column(y, point);
        S[2] = turn_column(z, point);
        break;
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE:
        S[0] = slide_column(x);
        S[1] = slide_column(y);
        S[2] = slide_column(z);
        if (type == HML_JOINT_SCHOENFLIES) S[3] = turn_column(z, point);
        if (type != HML_JOINT_FREE) break;
        S[3] = turn_column(x, point);
        S[4] = turn_column(y, point);
        S[5] = turn_column(z, point);
        break;
    default: break;
    }
}

/* ---- ad ---- */

/* writes the 3×3 block a^ into a row-major matrix with leading dimension ld */
static inline void put_hat(vec3 a, num *block, int ld)
{
    block[0] = K(0), block[1] = -a.z, block[2] = a.y;
    block[ld] = a.z, block[ld + 1] = K(0), block[ld + 2] = -a.x;
    block[2 * ld] = -a.y, block[2 * ld + 1] = a.x, block[2 * ld + 2] = K(0);
}

/* ad_v, m×m row-major, From (6), (8), (78), (89); zero for the commutative groups */
static inline void joint_ad(int type, const num v[], num ad[])
{
    int m = joint_nv(type);
    for (int i = 0; i < m * m; i++) ad[i] = K(0);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES:
        ad[1] = -v[m - 1], ad[m - 1] = v[1];
        ad[m] = v[m - 1], ad[2 * m - 1] = -v[0];
        break;
    case HML_JOINT_SPHERICAL: put_hat(vec3_of(v[0], v[1], v[2]), ad, m); break;
    case HML_JOINT_FREE:
        put_hat(vec3_of(v[3], v[4], v[5]), ad, m);
        put_hat(vec3_of(v[0], v[1], v[2]), ad + 3, m);
        put_hat(vec3_of(v[3], v[4], v[5]), ad + 3 * m + 3, m);
        break;
    default: break;
    }
}

/* ---- q ⊕ v and q₁ ⊖ q₀ ---- */

static inline quat joint_quat(const num q[]) { return quat_of(q[0], q[1], q[2], q[3]); }
static inline void joint_put_quat(quat r, num q[]) { q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z; }

/* out may be q */
static inline void joint_integrate(int type, const num q[], const num v[], num out[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES: { /* turned by the angle there is, along the arc of exp */
        num s, c;
        vec2 u;
        u.x = v[0], u.y = v[1];
        num_sincos(q[m - 1], &s, &c);
        u = vec2_turn(c, s, se2_exp(u, v[m - 1]));
        out[0] = q[0] + u.x;
        out[1] = q[1] + u.y;
        for (int i = 2; i < m; i++) out[i] = q[i] + v[i];
        break;
    }
    case HML_JOINT_SPHERICAL:
        joint_put_quat(quat_normalize(quat_mul(joint_quat(q), so3_exp_quat(vec3_of(v[0], v[1], v[2])))), out);
        break;
    case HML_JOINT_FREE: { /* p + R Γ(ω) v, R exp(ω) */
        vec3 w = vec3_of(v[3], v[4], v[5]);
        quat r = joint_quat(q + 3);
        vec3 p = mat3_mul_vec(quat_to_mat3(r), so3_dexp_left_apply(w, vec3_of(v[0], v[1], v[2])));
        out[0] = q[0] + p.x;
        out[1] = q[1] + p.y;
        out[2] = q[2] + p.z;
        joint_put_quat(quat_normalize(quat_mul(r, so3_exp_quat(w))), out + 3);
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
        vec2 d;
        d.x = q1[0] - q0[0], d.y = q1[1] - q0[1];
        num_sincos(q0[m - 1], &s, &c);
        for (int i = 2; i < m; i++) v[i] = q1[i] - q0[i];
        d = se2_log(vec2_turn(c, -s, d), v[m - 1]);
        v[0] = d.x;
        v[1] = d.y;
        break;
    }
    case HML_JOINT_SPHERICAL: {
        vec3 w = so3_log_quat(quat_mul(quat_conj(joint_quat(q0)), joint_quat(q1)));
        v[0] = w.x, v[1] = w.y, v[2] = w.z;
        break;
    }
    case HML_JOINT_FREE: { /* Γ(ω)⁻¹ Rᵀ (p₁ − p₀) */
        quat r = joint_quat(q0 + 3);
        vec3 w = so3_log_quat(quat_mul(quat_conj(r), joint_quat(q1 + 3)));
        vec3 d = vec3_of(q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]);
        vec3 u = so3_dexp_left_inverse_apply(w, mat3_tmul_vec(quat_to_mat3(r), d));
        v[0] = u.x, v[1] = u.y, v[2] = u.z;
        v[3] = w.x, v[4] = w.y, v[5] = w.z;
        break;
    }
    default:
        for (int i = 0; i < m; i++) v[i] = q1[i] - q0[i];
        break;
    }
}

#endif
