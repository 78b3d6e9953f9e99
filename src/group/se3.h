/*
 * SE(3) over num: exponential, logarithm, their Jacobians, the derivatives of those, and the 4x4 and 6x6 matrices.
 * Works in packs. Linear first everywhere.
 *
 *   ξ = (v; ω)              twist, θ = |ω|                    H = exp(ξ^) = [exp(ω^)  Γ(ω) v; 0 1]
 *   dexp_ξ                  left Jacobian: (d/dt H) H⁻¹ = (dexp_ξ ξ̇)^, the right-trivialized (spatial) velocity
 *   dexp_−ξ                 right Jacobian: H⁻¹ (d/dt H) = (dexp_−ξ ξ̇)^, the left-trivialized (body) velocity
 *
 * A twist is a rotation vector over the dual numbers: ω + ε v, ε² = 0. Then ad_ξ is the dual matrix ω^ + ε v^, and for
 * every power series f, f(ad_ξ) = f(ω^) + ε d/dε f((ω + ε v)^). So with Γ(ω) = a I + b ω^ + c ω ωᵀ of SO(3)
 *
 *   dexp_ξ = [ Γ(ω)  Q(ω, v) ]      Q(ω, v) = d/dε Γ(ω + ε v) = s (Da I + Db ω^ + Dc ω ωᵀ) + b v^ + c (v ωᵀ + ω vᵀ)
 *            [   0     Γ(ω)  ]      s = ω·v
 *
 * and the same with k, −½, e for the inverse. Coefficients and their D come from so3.h, accurate at every angle; so is
 * this. A matrix of the form s I + x ω^ + y ω ωᵀ is transposed by ω → −ω, and Q by (ω, v) → (−ω, −v): hence
 * dexp_ξᵀ is dexp_−ξ with force and torque in each other's place.
 */
#ifndef HML_GROUP_SE3_H
#define HML_GROUP_SE3_H

#include "group/so3.h"

NUM_INLINE twist twist_neg(twist A) { return twist_of(vec3_neg(A.v), vec3_neg(A.w)); }

/* ---- exponential and logarithm ---- */

NUM_INLINE pose se3_exp(twist xi)
{
    num t = vec3_dot(xi.w, xi.w);
    so3_abc f = so3_coefficients(t);
    mat3 R = so3_combine(K(1) - f.b * t, f.a, f.b, xi.w); /* cos θ I + a ω^ + b ω ωᵀ */
    return pose_of(R, so3_combine_apply(f.a, f.b, f.c, xi.w, xi.v));
}

static inline void se3_exp_quat(twist xi, quat *q, vec3 *p)
{
    num t = vec3_dot(xi.w, xi.w), s, h;
    so3_half(t, &s, &h);
    so3_abc f = so3_coefficients_of_half(t, s, h);
    s = K(0.5) * s;
    *q = quat_of(h, s * xi.w.x, s * xi.w.y, s * xi.w.z);
    *p = so3_combine_apply(f.a, f.b, f.c, xi.w, xi.v);
}

/* the twist with |ω| <= π; q of any length, q and −q give the same */
NUM_INLINE twist se3_log_quat(quat q, vec3 p)
{
    so3_ke f;
    vec3 w = so3_log_quat_inverse(q, &f);
    return twist_of(so3_combine_apply(f.k, K(-0.5), f.e, w, p), w);
}

static inline twist se3_log(pose H) { return se3_log_quat(mat3_to_quat(H.R), H.p); }

/* ---- Jacobians ---- */

/* coefficients of I, ω^, ω ωᵀ and their D */
typedef struct {
    num s, x, y, s1, x1, y1;
} se3_coefficients;

/* [J Q; 0 J] */
typedef struct {
    mat3 J, Q;
} se3_jacobian;

NUM_INLINE se3_coefficients se3_dexp_coefficients(vec3 w)
{
    so3_abc f, f1;
    se3_coefficients g;
    so3_coefficients_1(vec3_dot(w, w), &f, &f1);
    g.s = f.a, g.x = f.b, g.y = f.c, g.s1 = f1.a, g.x1 = f1.b, g.y1 = f1.c;
    return g;
}

NUM_INLINE se3_coefficients se3_dexp_inverse_coefficients(vec3 w)
{
    so3_ke f, f1;
    se3_coefficients g;
    so3_inverse_coefficients_1(vec3_dot(w, w), &f, &f1);
    g.s = f.k, g.x = K(-0.5), g.y = f.e, g.s1 = f1.k, g.x1 = K(0), g.y1 = f1.e;
    return g;
}

/* J = s I + x ω^ + y ω ωᵀ and its change with ω in direction v */
NUM_INLINE se3_jacobian se3_blocks(se3_coefficients g, twist xi)
{
    num r = vec3_dot(xi.w, xi.v);
    se3_jacobian D;
    D.J = so3_combine(g.s, g.x, g.y, xi.w);
    D.Q = mat3_add(so3_combine(r * g.s1, r * g.x1, r * g.y1, xi.w), so3_combine_change(g.x, g.y, xi.w, xi.v));
    return D;
}

/* x δ×u + y (δ (ω·u) + ω (δ·u)) + (ω·δ)(s1 u + x1 ω×u + y1 ω (ω·u)): the change of J u with ω in direction δ */
NUM_INLINE vec3 se3_change_apply(se3_coefficients g, vec3 w, vec3 delta, vec3 u)
{
    num wu = vec3_dot(w, u), r = vec3_dot(w, delta);
    vec3 along = vec3_scale(g.y * vec3_dot(delta, u) + r * g.y1 * wu, w);
    vec3 across = vec3_axpy(g.x, vec3_cross(delta, u), vec3_scale(r * g.x1, vec3_cross(w, u)));
    return vec3_add(vec3_add(along, across), vec3_axpy(g.y * wu, delta, vec3_scale(r * g.s1, u)));
}

NUM_INLINE twist se3_blocks_apply(se3_coefficients g, twist xi, twist eta)
{
    vec3 v = so3_combine_apply(g.s, g.x, g.y, xi.w, eta.v);
    return twist_of(vec3_add(v, se3_change_apply(g, xi.w, xi.v, eta.w)), so3_combine_apply(g.s, g.x, g.y, xi.w, eta.w));
}

/* the transposed matrix on a wrench: the blocks of −ξ, force and torque in each other's place */
static inline wrench se3_blocks_apply_dual(se3_coefficients g, twist xi, wrench F)
{
    twist r = se3_blocks_apply(g, twist_neg(xi), twist_of(F.t, F.f));
    return wrench_of(r.w, r.v);
}

static inline se3_jacobian se3_dexp_left(twist xi) { return se3_blocks(se3_dexp_coefficients(xi.w), xi); }
static inline se3_jacobian se3_dexp_left_inverse(twist xi)
{
    return se3_blocks(se3_dexp_inverse_coefficients(xi.w), xi);
}
static inline twist se3_dexp_left_apply(twist xi, twist eta)
{
    return se3_blocks_apply(se3_dexp_coefficients(xi.w), xi, eta);
}
static inline twist se3_dexp_left_inverse_apply(twist xi, twist eta)
{
    return se3_blocks_apply(se3_dexp_inverse_coefficients(xi.w), xi, eta);
}
static inline wrench se3_dexp_left_apply_dual(twist xi, wrench F)
{
    return se3_blocks_apply_dual(se3_dexp_coefficients(xi.w), xi, F);
}
static inline wrench se3_dexp_left_inverse_apply_dual(twist xi, wrench F)
{
    return se3_blocks_apply_dual(se3_dexp_inverse_coefficients(xi.w), xi, F);
}

static inline se3_jacobian se3_dexp_right(twist xi) { return se3_dexp_left(twist_neg(xi)); }
static inline se3_jacobian se3_dexp_right_inverse(twist xi) { return se3_dexp_left_inverse(twist_neg(xi)); }
static inline twist se3_dexp_right_apply(twist xi, twist eta) { return se3_dexp_left_apply(twist_neg(xi), eta); }
static inline twist se3_dexp_right_inverse_apply(twist xi, twist eta)
{
    return se3_dexp_left_inverse_apply(twist_neg(xi), eta);
}
static inline wrench se3_dexp_right_apply_dual(twist xi, wrench F)
{
    return se3_dexp_left_apply_dual(twist_neg(xi), F);
}
static inline wrench se3_dexp_right_inverse_apply_dual(twist xi, wrench F)
{
    return se3_dexp_left_inverse_apply_dual(twist_neg(xi), F);
}

/* [J Q; 0 J] η */
static inline twist se3_jacobian_apply(se3_jacobian D, twist eta)
{
    return twist_of(vec3_add(mat3_mul_vec(D.J, eta.v), mat3_mul_vec(D.Q, eta.w)), mat3_mul_vec(D.J, eta.w));
}

/* [J Q; 0 J]ᵀ F */
static inline wrench se3_jacobian_apply_dual(se3_jacobian D, wrench F)
{
    return wrench_of(mat3_tmul_vec(D.J, F.f), vec3_add(mat3_tmul_vec(D.Q, F.f), mat3_tmul_vec(D.J, F.t)));
}

/* ---- derivatives of the Jacobians ---- */

/*
 * d/dε dexp_{ξ + ε δ} η. The same dual numbers once more: the derivative of Γ(ω) in direction δ_ω, and its own change
 * when ω moves by v, and δ_ω by δ_v.
 */
static inline void se3_derivative_coefficients(vec3 w, se3_coefficients *g, se3_coefficients *g1)
{
    so3_abc f, f1, f2;
    so3_coefficients_2(vec3_dot(w, w), &f, &f1, &f2);
    g->s = f.a, g->x = f.b, g->y = f.c, g->s1 = f1.a, g->x1 = f1.b, g->y1 = f1.c;
    g1->s = f1.a, g1->x = f1.b, g1->y = f1.c, g1->s1 = f2.a, g1->x1 = f2.b, g1->y1 = f2.c;
}

/* with the coefficients of ξ, which several δ share */
static inline twist se3_derivative_apply(se3_coefficients g, se3_coefficients g1, twist xi, twist delta, twist eta)
{
    vec3 w = xi.w, v = xi.v, dw = delta.w, dv = delta.v, u = eta.w;
    num wv = vec3_dot(w, v), wd = vec3_dot(w, dw), vd = vec3_dot(v, dw);

    /* ∂²Γ in directions v and δ_ω, on u: (ω·v) of the change with D coefficients, the rest by the product rule */
    vec3 second = vec3_scale(wv, se3_change_apply(g1, w, dw, u));
    second = vec3_add(second, vec3_scale(vd, so3_combine_apply(g1.s, g1.x, g1.y, w, u)));
    vec3 mixed = vec3_axpy(g1.y * vec3_dot(v, u), w, vec3_axpy(g1.y * vec3_dot(w, u), v, vec3_zero()));
    mixed = vec3_axpy(g1.x, vec3_cross(v, u), mixed);
    second = vec3_axpy(wd, mixed, second);
    second = vec3_axpy(g.y * vec3_dot(dw, u), v, vec3_axpy(g.y * vec3_dot(v, u), dw, second));

    vec3 lin = vec3_add(se3_change_apply(g, w, dw, eta.v), se3_change_apply(g, w, dv, u));
    return twist_of(vec3_add(lin, second), se3_change_apply(g, w, dw, u));
}

static inline twist se3_dexp_left_derivative(twist xi, twist delta, twist eta)
{
    se3_coefficients g, g1;
    se3_derivative_coefficients(xi.w, &g, &g1);
    return se3_derivative_apply(g, g1, xi, delta, eta);
}

/* d/dε dexp⁻¹_{ξ + ε δ} η = −dexp⁻¹ (d dexp) dexp⁻¹ η */
static inline twist se3_dexp_left_inverse_derivative(twist xi, twist delta, twist eta)
{
    se3_coefficients g = se3_dexp_inverse_coefficients(xi.w);
    twist u = se3_blocks_apply(g, xi, eta);
    return twist_neg(se3_blocks_apply(g, xi, se3_dexp_left_derivative(xi, delta, u)));
}

static inline twist se3_dexp_right_derivative(twist xi, twist delta, twist eta)
{
    return se3_dexp_left_derivative(twist_neg(xi), twist_neg(delta), eta);
}
static inline twist se3_dexp_right_inverse_derivative(twist xi, twist delta, twist eta)
{
    return se3_dexp_left_inverse_derivative(twist_neg(xi), twist_neg(delta), eta);
}

/* dexp⁻¹_ξ, and ∂(dexp⁻¹_ξ η)/∂ξ, which has the same blocks: a linear direction does what the same angular one does to the
 * angular part */
static inline se3_jacobian se3_dexp_left_inverse_gradient(twist xi, twist eta, se3_jacobian *inverse)
{
    so3_ke f, f1, f2;
    se3_jacobian D;
    so3_inverse_coefficients_2(vec3_dot(xi.w, xi.w), &f, &f1, &f2);
    const se3_coefficients g = {f.k, K(-0.5), f.e, f1.k, K(0), f1.e};
    *inverse = se3_blocks(g, xi);
    D.J = so3_inverse_gradient_of(f, f1, xi.w, eta.w);
    D.Q = mat3_add(so3_inverse_gradient_of(f, f1, xi.w, eta.v),
                   so3_inverse_gradient_change(f, f1, f2, xi.w, xi.v, eta.w));
    return D;
}

/* ---- matrices, row-major ---- */

/* [A B; C D] */
NUM_INLINE void mat6_store(mat3 A, mat3 B, mat3 C, mat3 D, num out[36])
{
    mat3_put(A, out, 6), mat3_put(B, out + 3, 6);
    mat3_put(C, out + 18, 6), mat3_put(D, out + 21, 6);
}

/* Notation (12) */
NUM_INLINE void pose_matrix(pose A, num out[16])
{
    mat3_put(A.R, out, 4);
    out[3] = A.p.x, out[7] = A.p.y, out[11] = A.p.z;
    out[12] = out[13] = out[14] = K(0), out[15] = K(1);
}

/* V^, Notation (7) */
static inline void twist_hat_matrix(twist V, num out[16])
{
    mat3_put(mat3_hat(V.w), out, 4);
    out[3] = V.v.x, out[7] = V.v.y, out[11] = V.v.z;
    out[12] = out[13] = out[14] = out[15] = K(0);
}

/* X_ab = [R p^R; 0 R], Notation (27) */
static inline void pose_ad_matrix(pose A, num out[36])
{
    mat3 pR = mat3_of(vec3_cross(A.p, A.R.x), vec3_cross(A.p, A.R.y), vec3_cross(A.p, A.R.z));
    mat6_store(A.R, pR, mat3_zero(), A.R, out);
}

/* the wrench transform [R 0; p^R R], Notation (59) */
static inline void pose_ad_dual_matrix(pose A, num out[36])
{
    mat3 pR = mat3_of(vec3_cross(A.p, A.R.x), vec3_cross(A.p, A.R.y), vec3_cross(A.p, A.R.z));
    mat6_store(A.R, mat3_zero(), pR, A.R, out);
}

/* V× = [ω^ v^; 0 ω^], Notation (38) */
static inline void twist_cross_matrix(twist V, num out[36])
{
    mat6_store(mat3_hat(V.w), mat3_hat(V.v), mat3_zero(), mat3_hat(V.w), out);
}

/* V×* = [ω^ 0; v^ ω^], Notation (62) */
static inline void twist_cross_dual_matrix(twist V, num out[36])
{
    mat6_store(mat3_hat(V.w), mat3_zero(), mat3_hat(V.v), mat3_hat(V.w), out);
}

/* ãd_F with ãd_F V = −ad_Vᵀ F for every V: [0 −f^; −f^ −t^] */
static inline void wrench_cross_matrix(wrench F, num out[36])
{
    mat3 f = mat3_hat(vec3_neg(F.f));
    mat6_store(mat3_zero(), f, f, mat3_hat(vec3_neg(F.t)), out);
}

static inline void se3_jacobian_matrix(se3_jacobian D, num out[36]) { mat6_store(D.J, D.Q, mat3_zero(), D.J, out); }

/* [m I, −h^; h^, J], Notation (68) */
static inline void inertia_matrix(inertia I, num out[36])
{
    mat3 h = mat3_hat(I.h);
    mat6_store(mat3_diagonal(I.m, I.m, I.m), mat3_transpose(h), h, mat3_of_sym(I.J), out);
}

#endif
