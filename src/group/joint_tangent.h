/*
 * What the derivative of a step on the group wants of a joint: q ⊕ θ moved by a perturbation of q or of θ, and the rate of θ,
 * θ̇ = S(θ)⁻¹ ν, moved by θ. S is the right Jacobian of exp (Müller, section 7). Matrices are m × m, row-major.
 */
#ifndef HML_GROUP_JOINT_TANGENT_H
#define HML_GROUP_JOINT_TANGENT_H

#include "group/joint.h"

/* E of a free joint by blocks: with S = [A B; 0 A], ad of [v; w] and rows a of A, b of B it is [E₀ E₁; 0 E₀] with the rows
 * e − a × w and −(a × v + b × w) */
static inline void free_end_tangent(const num theta[6], const num S[36], num E[36])
{
    const vec3 v = vec3_at(theta), w = vec3_at(theta + 3);
    for (int i = 0; i < 3; i++) {
        const vec3 a = vec3_at(S + 6 * i), b = vec3_at(S + 6 * i + 3), e = vec3_of(K(i == 0), K(i == 1), K(i == 2));
        const vec3 x = vec3_sub(e, vec3_cross(a, w)), y = vec3_neg(vec3_add(vec3_cross(a, v), vec3_cross(b, w)));
        const num upper[6] = {x.x, x.y, x.z, y.x, y.y, y.z};
        for (int k = 0; k < 6; k++) E[6 * i + k] = upper[k], E[6 * (i + 3) + k] = k < 3 ? K(0) : upper[k - 3];
    }
}

/* E = Ad of exp(−θ) = 1 − S(θ) ad_θ, and S: (q ⊕ z) ⊕ (θ + δ) is (q ⊕ θ) ⊕ (E z + S δ) to first order */
static inline void joint_end_tangent(int type, const num theta[], num E[], num S[])
{
    const int m = joint_nv(type);
    num ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
    joint_jacobian(type, theta, S);
    if (type == HML_JOINT_FREE) {
        free_end_tangent(theta, S, E);
        return;
    }
    joint_ad(type, theta, ad);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++) {
            num sum = K(i == k);
            for (int e = 0; e < m; e++) sum = sum - S[i * m + e] * ad[e * m + k];
            E[i * m + k] = sum;
        }
    }
}

/* Σ a_k S_k: an element of a joint's algebra as one of se(3), where its Jacobians are known in closed form */
static inline twist joint_embed(int m, const twist *S, const num a[])
{
    twist V = twist_zero();
    for (int k = 0; k < m; k++) V = twist_axpy(a[k], S[k], V);
    return V;
}

/* x ↦ Sᵀ D S x, m × m: a map of se(3) as one of a joint's algebra, whose columns S are orthonormal */
static inline void joint_restrict(int m, const twist *S, se3_jacobian D, num out[])
{
    for (int c = 0; c < m; c++) {
        const twist d = se3_jacobian_apply(D, S[c]);
        for (int r = 0; r < m; r++) out[r * m + c] = vec3_dot(S[r].v, d.v) + vec3_dot(S[r].w, d.w);
    }
}

/* S⁻¹, and T: the derivative of S⁻¹ ν by θ */
static inline void joint_rate_tangent(int type, const num theta[], const num nu[], num inverse[], num T[])
{
    const int m = joint_nv(type);
    twist S[HML_JOINT_MAX_NV];
    joint_columns(type, vec3_of(K(0), K(0), K(1)), vec3_zero(), K(0), S);
    const twist at = joint_embed(m, S, theta), eta = joint_embed(m, S, nu); /* S(θ) is dexp on the left at −θ */
    se3_jacobian I, D = se3_dexp_left_inverse_gradient(twist_neg(at), twist_neg(eta), &I);
    if (type == HML_JOINT_FREE) {
        se3_jacobian_matrix(I, inverse), se3_jacobian_matrix(D, T);
        return;
    }
    joint_restrict(m, S, I, inverse);
    joint_restrict(m, S, D, T);
}

#endif
