/*
 * Products in the groups of joints, over num, in the position numbers of joint.h:
 *
 *   joint_product   numbers of g(q₁)·g(q₂)
 *   joint_inverse   numbers of g(q)⁻¹
 *   joint_adjoint   Ad_g, m×m row-major, in the joint's velocity coordinates: g exp(v) g⁻¹ = exp(Ad_g v)
 *
 * Like ⊕ they depend on the type alone, not on axis, point or pitch. Angles add and are never wrapped. Branches look at
 * the type only.
 */
#ifndef HML_GROUP_JOINT_PRODUCT_H
#define HML_GROUP_JOINT_PRODUCT_H

#include "group/joint.h"

/* out may be one of them */
static inline void joint_product(int type, const num a[], const num b[], num out[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES: {
        num s, c;
        num_sincos(a[m - 1], &s, &c);
        vec2 p = vec2_turn(c, s, vec2_of(b[0], b[1]));
        out[0] = a[0] + p.x;
        out[1] = a[1] + p.y;
        for (int i = 2; i < m; i++) out[i] = a[i] + b[i];
        break;
    }
    case HML_JOINT_SPHERICAL: quat_put(quat_tidy(quat_mul(quat_at(a), quat_at(b))), out); break;
    case HML_JOINT_FREE: {
        quat r = quat_tidy(quat_mul(quat_at(a + 3), quat_at(b + 3)));
        vec3_put(vec3_add(vec3_at(a), mat3_mul_vec(quat_to_mat3(quat_at(a + 3)), vec3_at(b))), out);
        quat_put(r, out + 3);
        break;
    }
    default:
        for (int i = 0; i < m; i++) out[i] = a[i] + b[i];
        break;
    }
}

/* out may be q */
static inline void joint_inverse(int type, const num q[], num out[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_PLANAR:
    case HML_JOINT_SCHOENFLIES: {
        num s, c;
        num_sincos(q[m - 1], &s, &c);
        vec2 p = vec2_turn(c, -s, vec2_of(q[0], q[1]));
        out[0] = -p.x;
        out[1] = -p.y;
        for (int i = 2; i < m; i++) out[i] = -q[i];
        break;
    }
    case HML_JOINT_SPHERICAL: quat_put(quat_conj(quat_at(q)), out); break;
    case HML_JOINT_FREE: {
        quat r = quat_at(q + 3);
        vec3_put(vec3_neg(mat3_tmul_vec(quat_to_mat3(r), vec3_at(q))), out);
        quat_put(quat_conj(r), out + 3);
        break;
    }
    default:
        for (int i = 0; i < m; i++) out[i] = -q[i];
        break;
    }
}

static inline void joint_adjoint(int type, const num q[], num Ad[])
{
    int m = joint_nv(type);
    switch (type) {
    case HML_JOINT_SPHERICAL: mat3_put(quat_to_mat3(quat_at(q)), Ad, m); break;
    case HML_JOINT_FREE: pose_ad_matrix(pose_of(quat_to_mat3(quat_at(q + 3)), vec3_at(q)), Ad); break;
    default:
        for (int i = 0; i < m * m; i++) Ad[i] = K(i % (m + 1) == 0);
        if (type != HML_JOINT_PLANAR && type != HML_JOINT_SCHOENFLIES) break;
        num s, c;
        num_sincos(q[m - 1], &s, &c);
        Ad[0] = c, Ad[1] = -s, Ad[m - 1] = q[1];
        Ad[m] = s, Ad[m + 1] = c, Ad[2 * m - 1] = -q[0];
        break;
    }
}

#endif
