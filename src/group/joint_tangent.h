/*
 * What the derivative of a step on the group wants of a joint: q ⊕ θ moved by a perturbation of q or of θ, and the rate of θ,
 * θ̇ = S(θ)⁻¹ ν, moved by θ. S is the right Jacobian of exp (Müller, section 7). Matrices are m × m, row-major.
 */
#ifndef HML_GROUP_JOINT_TANGENT_H
#define HML_GROUP_JOINT_TANGENT_H

#include "group/joint.h"

/* E = Ad of exp(−θ) = 1 − S(θ) ad_θ, and S: (q ⊕ z) ⊕ (θ + δ) is (q ⊕ θ) ⊕ (E z + S δ) to first order */
static inline void joint_end_tangent(int type, const num theta[], num E[], num S[])
{
    const int m = joint_nv(type);
    num ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
    joint_jacobian(type, theta, S);
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

/* T: the derivative of S⁻¹ ν by θ, −S⁻¹ (∂S/∂θ) S⁻¹ ν; inverse: S⁻¹, rate: S⁻¹ ν */
static inline void joint_rate_tangent(int type, const num theta[], const num rate[], const num inverse[], num T[])
{
    const int m = joint_nv(type);
    twist S[HML_JOINT_MAX_NV];
    se3_coefficients g, g1;
    joint_columns(type, vec3_of(K(0), K(0), K(1)), vec3_zero(), K(0), S);
    const twist back = twist_neg(joint_embed(m, S, theta)); /* S(θ) is dexp on the left at −θ */
    const twist u = joint_embed(m, S, rate);
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
