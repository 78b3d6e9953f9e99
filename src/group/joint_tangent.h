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

/*
 * T of a free joint by blocks: the derivative of dexp at `back` on u is [W Z; 0 W], since a linear direction does what the
 * same angular one does to the angular part; inverse is [P Q; 0 P]
 */
static inline void free_rate_tangent(twist back, twist u, const num inverse[36], num T[36])
{
    se3_coefficients g, g1;
    se3_derivative_coefficients(back.w, &g, &g1);
    for (int c = 0; c < 3; c++) {
        const vec3 axis = vec3_of(K(c == 0), K(c == 1), K(c == 2));
        const twist d = se3_derivative_apply(g, g1, back, twist_of(vec3_zero(), axis), u);
        for (int r = 0; r < 3; r++) {
            const vec3 P = vec3_of(inverse[r * 6], inverse[r * 6 + 1], inverse[r * 6 + 2]);
            const vec3 Q = vec3_of(inverse[r * 6 + 3], inverse[r * 6 + 4], inverse[r * 6 + 5]);
            T[r * 6 + c] = T[(r + 3) * 6 + 3 + c] = vec3_dot(P, d.w);
            T[r * 6 + 3 + c] = vec3_dot(P, d.v) + vec3_dot(Q, d.w);
            T[(r + 3) * 6 + c] = K(0);
        }
    }
}

/* T: the derivative of S⁻¹ ν by θ, −S⁻¹ (∂S/∂θ) S⁻¹ ν; inverse: S⁻¹, rate: S⁻¹ ν */
static inline void joint_rate_tangent(int type, const num theta[], const num rate[], const num inverse[], num T[])
{
    const int m = joint_nv(type);
    twist S[HML_JOINT_MAX_NV];
    se3_coefficients g, g1;
    joint_columns(type, vec3_of(K(0), K(0), K(1)), vec3_zero(), K(0), S);
    const twist back = twist_neg(joint_embed(m, S, theta)); /* S(θ) is dexp on the left at −θ */
    const twist u = joint_embed(m, S, rate);
    if (type == HML_JOINT_FREE) {
        free_rate_tangent(back, u, inverse, T);
        return;
    }
    se3_derivative_coefficients(back.w, &g, &g1);
    for (int i = 0; i < m * m; i++) T[i] = K(0);
    for (int c = 0; c < m; c++) {
        const twist d = se3_derivative_apply(g, g1, back, S[c], u);
        for (int e = 0; e < m; e++) {
            const num x = vec3_dot(S[e].v, d.v) + vec3_dot(S[e].w, d.w);
            for (int r = 0; r < m; r++) T[r * m + c] = T[r * m + c] + inverse[r * m + e] * x;
        }
    }
}

#endif
