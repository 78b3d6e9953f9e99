/*
 * SO(3) over num: exponential, logarithm, their Jacobians and the derivatives of those. Works in packs.
 *
 *   φ ∈ ℝ³   rotation vector, θ = |φ|, t = θ²          φ^   the matrix with φ^ u = φ × u
 *   R = exp(φ^) = I + a φ^ + b φ^²                     a = sin θ/θ, b = (1 − cos θ)/θ², c = (θ − sin θ)/θ³
 *   Γ(φ)  = I + b φ^ + c φ^² = a I + b φ^ + c φ φᵀ     left Jacobian, Kindr's Γ: Ṙ Rᵀ = (Γ(φ) φ̇)^, global velocity
 *   Γ(φ)ᵀ = Γ(−φ)                                      right Jacobian: Rᵀ Ṙ = (Γ(−φ) φ̇)^, local velocity
 *   Γ(φ)⁻¹ = I − ½ φ^ + e φ^² = k I − ½ φ^ + e φ φᵀ     k = (θ/2) cot(θ/2), e = (1 − k)/θ²
 *
 * Derivatives of the coefficients are with respect to t = θ², as D f = 2 df/dt = (1/θ) df/dθ, so that for a change δ of
 * φ the coefficient f changes by (D f) φ·δ, with no square root and no division at φ = 0.
 *
 *   D a = c − b        D b = (a − 2b)/t       D c = (b − 3c)/t         D k = (k − 1/σ²)/t, σ = sin(θ/2)/(θ/2)
 *   D²a = Dc − Db      D²b = (Da − 4Db)/t     D²c = (Db − 5Dc)/t       D e = −(D k + 2e)/t
 *
 * a and b are products of σ and cos(θ/2), which cancel nowhere: sin θ = 2 sin(θ/2) cos(θ/2), 1 − cos θ = 2 sin²(θ/2). c
 * and the derivatives are Taylor polynomials in t below t = 2 and closed forms above. Both are computed, one is
 * selected. The border is as far out as NUM_SERIES_TERMS terms reach round-off, because the closed forms cancel less
 * there than at θ = 1.
 */
#ifndef HML_GROUP_SO3_H
#define HML_GROUP_SO3_H

#include "group/spatial.h"

/* ---- coefficients ---- */

typedef struct {
    num a, b, c;
} so3_abc; /* of exp and Γ */

typedef struct {
    num k, e;
} so3_ke; /* of Γ⁻¹ */

NUM_INLINE mask so3_is_small(num t) { return num_lt(t, K(2)); }

/*
 * c_n(t) = Σ (−t)^j / (2j + n)!, n = 3 … 8, below the border. They are the family of a = c₁, b = c₂, c = c₃: going down
 * c_n = 1/n! − t c_{n+2} loses nothing for small t, and D c_n = n c_{n+2} − c_{n+1}. The compiler folds the
 * coefficients into constants.
 */
NUM_INLINE num so3_series(num t, int n)
{
    num c[NUM_SERIES_TERMS], f = K(1);
    for (int i = 2; i <= n; i++) f = f * K(i);
    c[0] = K(1) / f;
    for (int j = 1; j < NUM_SERIES_TERMS; j++) c[j] = c[j - 1] * (K(-1) / K((2 * j + n) * (2 * j + n - 1)));
    f = c[NUM_SERIES_TERMS - 1];
    for (int j = NUM_SERIES_TERMS - 2; j >= 0; j--) f = c[j] + t * f;
    return f;
}

/* σ = sin(θ/2)/(θ/2) and cos(θ/2) */
NUM_INLINE void so3_half(num t, num *sinc, num *cosine) { num_sinccos(K(0.25) * t, sinc, cosine); }

/* a, b, c with σ and cos(θ/2) known; beyond the border only where there is something */
NUM_INLINE so3_abc so3_coefficients_of_half(num t, num s, num h)
{
    mask small = so3_is_small(t);
    so3_abc f;
    f.a = s * h;
    f.b = K(0.5) * s * s;
    f.c = so3_series(t, 3);
    if (num_any(~small)) f.c = num_select(small, f.c, (K(1) - f.a) / num_select(small, K(2), t));
    return f;
}

/* a, b, c and their first and, where wanted (order 2), second D; those not wanted are left alone */
NUM_INLINE void so3_coefficients_to(int order, num t, so3_abc *f, so3_abc *f1, so3_abc *f2)
{
    mask small = so3_is_small(t);
    num r = K(1) / num_select(small, K(2), t), s, h;
    so3_half(t, &s, &h);
    f->a = s * h;
    f->b = K(0.5) * s * s;
    num c = (K(1) - f->a) * r;
    num c4, c5, c6 = K(0), c7 = K(0);
    if (order < 2) {
        c5 = so3_series(t, 5), c4 = so3_series(t, 4);
    } else {
        c7 = so3_series(t, 7), c6 = so3_series(t, 6);
        c5 = K(1) / K(120) - t * c7, c4 = K(1) / K(24) - t * c6;
    }
    num c3 = K(1) / K(6) - t * c5;
    f->c = num_select(small, c3, c);
    num b1 = (f->a - K(2) * f->b) * r, c1 = (f->b - K(3) * c) * r;
    f1->b = num_select(small, K(2) * c4 - c3, b1);
    f1->c = num_select(small, K(3) * c5 - c4, c1);
    f1->a = f->c - f->b;
    if (order < 2) return;
    f2->b = num_select(small, K(8) * c6 + (c4 - K(5) * c5), ((c - f->b) - K(4) * b1) * r);
    f2->c = num_select(small, K(15) * c7 + (c5 - K(7) * c6), (b1 - K(5) * c1) * r);
    f2->a = f1->c - f1->b;
}

static inline so3_abc so3_coefficients(num t)
{
    num s, h;
    so3_half(t, &s, &h);
    return so3_coefficients_of_half(t, s, h);
}

static inline void so3_coefficients_1(num t, so3_abc *f, so3_abc *f1) { so3_coefficients_to(1, t, f, f1, 0); }

static inline void so3_coefficients_2(num t, so3_abc *f, so3_abc *f1, so3_abc *f2)
{
    so3_coefficients_to(2, t, f, f1, f2);
}

/*
 * k, e and, where wanted, their first and second D. Below the border e = −D b/(2b), because θ/2 cot(θ/2) = a/(2b); its pole at
 * θ = 2π is the true one of Γ⁻¹. D (1/2b) = 2 e/(2b).
 */
NUM_INLINE void so3_inverse_coefficients_to(int order, num t, so3_ke *f, so3_ke *f1, so3_ke *f2)
{
    mask small = so3_is_small(t);
    num r = K(1) / num_select(small, K(2), t), s, h;
    so3_half(t, &s, &h);
    num i = K(1) / s, k = h * i, e = (K(1) - k) * r, i2 = i * i; /* 1/2b = 1/σ² */

    num c7 = K(0), c8 = K(0), c5, c6;
    if (order < 2) {
        c6 = so3_series(t, 6), c5 = so3_series(t, 5);
    } else {
        c8 = so3_series(t, 8), c7 = so3_series(t, 7);
        c6 = K(1) / K(720) - t * c8, c5 = K(1) / K(120) - t * c7;
    }
    num c4 = K(1) / K(24) - t * c6, c3 = K(1) / K(6) - t * c5;
    num b1 = K(2) * c4 - c3;
    f->k = k;
    f->e = num_select(small, -b1 * i2, e);
    if (order < 1) return;
    num b2 = K(8) * c6 + (c4 - K(5) * c5), k1 = (k - i2) * r;
    f1->e = num_select(small, (K(2) * b1 * b1 * i2 - b2) * i2, -(k1 + K(2) * e) * r);
    f1->k = num_select(small, -(K(2) * f->e + t * f1->e), k1);
    if (order < 2) return;
    num b3 = K(48) * c8 - K(33) * c7 + (K(9) * c6 - c5), k2 = -(k1 + K(2) * e * i2) * r;
    num e2 = -(b3 + K(4) * f->e * (b2 + b1 * f->e) + K(2) * b1 * f1->e) * i2;
    f2->e = num_select(small, e2, -(k2 + K(4) * f1->e) * r);
    f2->k = num_select(small, -(K(4) * f1->e + t * f2->e), k2);
}

static inline so3_ke so3_inverse_coefficients(num t)
{
    so3_ke f;
    so3_inverse_coefficients_to(0, t, &f, 0, 0);
    return f;
}

static inline void so3_inverse_coefficients_1(num t, so3_ke *f, so3_ke *f1)
{
    so3_inverse_coefficients_to(1, t, f, f1, 0);
}

static inline void so3_inverse_coefficients_2(num t, so3_ke *f, so3_ke *f1, so3_ke *f2)
{
    so3_inverse_coefficients_to(2, t, f, f1, f2);
}

/* ---- exponential and logarithm ---- */

/* (cos(θ/2), sin(θ/2) φ/θ) */
static inline quat so3_exp_quat(vec3 phi)
{
    num s, c;
    so3_half(vec3_dot(phi, phi), &s, &c);
    s = K(0.5) * s;
    return quat_of(c, s * phi.x, s * phi.y, s * phi.z);
}

static inline mat3 so3_exp(vec3 phi) { return quat_to_mat3(so3_exp_quat(phi)); }

/* per lane: which of q and −q is the other's unwanted twin? The first component that is not zero shall be positive. */
NUM_INLINE mask so3_is_twin(quat q)
{
    num zero = K(0);
    mask z = num_lt(q.z, zero);
    mask y = num_lt(q.y, zero) | (~num_lt(zero, q.y) & z);
    mask x = num_lt(q.x, zero) | (~num_lt(zero, q.x) & y);
    return num_lt(q.w, zero) | (~num_lt(zero, q.w) & x);
}

/* the one of the two quaternions of a rotation with w > 0; if w = 0, with a positive first entry that is not zero */
NUM_INLINE quat so3_unique(quat q)
{
    num s = num_select(so3_is_twin(q), K(-1), K(1));
    return quat_of(s * q.w, s * q.x, s * q.y, s * q.z);
}

/*
 * φ = 2 atan2(|v|, w) v/|v| with |φ| <= π, for q = (w, v) of any length; q and −q give the same bits. Below
 * |v| = w/8 the quotient atan2(|v|, w)/|v| is (1 − z g(z))/w with z = |v|²/w² = tan²(θ/2), g = 1/3 − z/5 + z²/7 − …
 * The coefficients of Γ(φ)⁻¹ come along without another sine: k = (θ/2) cot(θ/2) is that quotient times w.
 */
static inline vec3 so3_log_quat_inverse(quat q, so3_ke *f)
{
    q = so3_unique(q);
    vec3 v = vec3_of(q.x, q.y, q.z);
    num n2 = vec3_dot(v, v);
    mask small = num_lt(K(64) * n2, q.w * q.w);
    num n = num_sqrt(num_select(small, K(1), n2));
    num r = K(1) / num_select(small, q.w, n);
    num z = num_select(small, n2 * r * r, K(0)), g = K(0);
    for (int j = NUM_SERIES_TERMS; j >= 1; j--) g = K(1) / K(2 * j + 1) - z * g;
    num closed = num_atan2(n, num_select(small, K(1), q.w));
    num half = num_select(small, K(1) - z * g, closed); /* θ/2, or its quotient with tan(θ/2) */
    f->k = num_select(small, half, half * q.w * r);
    f->e = num_select(small, g, K(1) - f->k) / (K(4) * half * half);
    return vec3_scale(K(2) * half * r, v);
}

static inline vec3 so3_log_quat(quat q)
{
    so3_ke f;
    return so3_log_quat_inverse(q, &f);
}

/*
 * A quaternion of the rotation, of length 2 to 4: the row of 4 q qᵀ with a diagonal entry of at least 1, the entries of
 * which are sums of entries of R. No root, no branch, no digits lost at any angle.
 */
NUM_INLINE quat mat3_to_quat(mat3 R)
{
    num wx = R.y.z - R.z.y, wy = R.z.x - R.x.z, wz = R.x.y - R.y.x;
    num xy = R.x.y + R.y.x, xz = R.x.z + R.z.x, yz = R.y.z + R.z.y;
    num sum = R.x.x + R.y.y, gap = R.x.x - R.y.y, up = K(1) + R.z.z, down = K(1) - R.z.z;
    mask level = num_lt(R.z.z, K(0)); /* the axis is nearer to the xy plane than to z */
    mask first = num_lt(K(0), gap), last = num_lt(sum, K(0));
    quat flat = quat_of(num_select(first, wx, wy), num_select(first, down + gap, xy), num_select(first, xy, down - gap),
                        num_select(first, xz, yz));
    quat tall = quat_of(num_select(last, wz, up + sum), num_select(last, xz, wx), num_select(last, yz, wy),
                        num_select(last, up - sum, wz));
    return quat_of(num_select(level, flat.w, tall.w), num_select(level, flat.x, tall.x),
                   num_select(level, flat.y, tall.y), num_select(level, flat.z, tall.z));
}

/* ---- Jacobians ---- */

/* s I + x φ^ + y φ φᵀ */
NUM_INLINE mat3 so3_combine(num s, num x, num y, vec3 phi)
{
    vec3 w = vec3_scale(x, phi), v = vec3_scale(y, phi);
    num xy = v.x * phi.y, xz = v.x * phi.z, yz = v.y * phi.z;
    return mat3_of(vec3_of(s + v.x * phi.x, xy + w.z, xz - w.y), vec3_of(xy - w.z, s + v.y * phi.y, yz + w.x),
                   vec3_of(xz + w.y, yz - w.x, s + v.z * phi.z));
}

/* (s I + x φ^ + y φ φᵀ) u */
NUM_INLINE vec3 so3_combine_apply(num s, num x, num y, vec3 phi, vec3 u)
{
    vec3 r = vec3_scale(y * vec3_dot(phi, u), phi);
    return vec3_axpy(s, u, vec3_axpy(x, vec3_cross(phi, u), r));
}

/* Γ(φ) */
static inline mat3 so3_dexp_left(vec3 phi)
{
    so3_abc f = so3_coefficients(vec3_dot(phi, phi));
    return so3_combine(f.a, f.b, f.c, phi);
}

/* Γ(φ) u */
static inline vec3 so3_dexp_left_apply(vec3 phi, vec3 u)
{
    so3_abc f = so3_coefficients(vec3_dot(phi, phi));
    return so3_combine_apply(f.a, f.b, f.c, phi, u);
}

/* Γ(φ)⁻¹ */
static inline mat3 so3_dexp_left_inverse(vec3 phi)
{
    so3_ke f = so3_inverse_coefficients(vec3_dot(phi, phi));
    return so3_combine(f.k, K(-0.5), f.e, phi);
}

/* Γ(φ)⁻¹ u */
static inline vec3 so3_dexp_left_inverse_apply(vec3 phi, vec3 u)
{
    so3_ke f = so3_inverse_coefficients(vec3_dot(phi, phi));
    return so3_combine_apply(f.k, K(-0.5), f.e, phi, u);
}

static inline mat3 so3_dexp_right(vec3 phi) { return so3_dexp_left(vec3_neg(phi)); }
static inline vec3 so3_dexp_right_apply(vec3 phi, vec3 u) { return so3_dexp_left_apply(vec3_neg(phi), u); }
static inline mat3 so3_dexp_right_inverse(vec3 phi) { return so3_dexp_left_inverse(vec3_neg(phi)); }
static inline vec3 so3_dexp_right_inverse_apply(vec3 phi, vec3 u)
{
    return so3_dexp_left_inverse_apply(vec3_neg(phi), u);
}

/* ---- derivatives of the Jacobians ---- */

/* y (δ φᵀ + φ δᵀ) + x δ^ */
NUM_INLINE mat3 so3_combine_change(num x, num y, vec3 phi, vec3 delta)
{
    mat3 S = mat3_outer(vec3_scale(y, delta), phi);
    return mat3_add(mat3_add(S, mat3_transpose(S)), mat3_hat(vec3_scale(x, delta)));
}

/* d/dε Γ(φ + ε δ), the derivative in direction δ: the upper right block of the Jacobian of SE(3)'s exp */
static inline mat3 so3_dexp_left_derivative(vec3 phi, vec3 delta)
{
    so3_abc f, f1;
    so3_coefficients_1(vec3_dot(phi, phi), &f, &f1);
    num s = vec3_dot(phi, delta);
    return mat3_add(so3_combine(s * f1.a, s * f1.b, s * f1.c, phi), so3_combine_change(f.b, f.c, phi, delta));
}

/* d/dε Γ(φ + ε δ)⁻¹ */
static inline mat3 so3_dexp_left_inverse_derivative(vec3 phi, vec3 delta)
{
    so3_ke f, f1;
    so3_inverse_coefficients_1(vec3_dot(phi, phi), &f, &f1);
    num s = vec3_dot(phi, delta);
    return mat3_add(so3_combine(s * f1.k, K(0), s * f1.e, phi), so3_combine_change(K(-0.5), f.e, phi, delta));
}

/* ∂(Γ(φ) u)/∂φ: column j is the change of Γ(φ) u with φ_j */
static inline mat3 so3_dexp_left_gradient(vec3 phi, vec3 u)
{
    so3_abc f, f1;
    so3_coefficients_1(vec3_dot(phi, phi), &f, &f1);
    num s = vec3_dot(phi, u), cs = f.c * s;
    mat3 A = mat3_outer(so3_combine_apply(f1.a, f1.b, f1.c, phi, u), phi);
    mat3 B = mat3_outer(vec3_scale(f.c, phi), u);
    return mat3_add(mat3_add(A, B), mat3_sub(mat3_diagonal(cs, cs, cs), mat3_hat(vec3_scale(f.b, u))));
}

/* ∂(Γ(φ)⁻¹ u)/∂φ, with the coefficients of φ */
static inline mat3 so3_inverse_gradient_of(so3_ke f, so3_ke f1, vec3 phi, vec3 u)
{
    num s = vec3_dot(phi, u), es = f.e * s;
    mat3 A = mat3_outer(so3_combine_apply(f1.k, K(0), f1.e, phi, u), phi);
    mat3 B = mat3_outer(vec3_scale(f.e, phi), u);
    return mat3_add(mat3_add(A, B), mat3_add(mat3_diagonal(es, es, es), mat3_hat(vec3_scale(K(0.5), u))));
}

static inline mat3 so3_dexp_left_inverse_gradient(vec3 phi, vec3 u)
{
    so3_ke f, f1;
    so3_inverse_coefficients_1(vec3_dot(phi, phi), &f, &f1);
    return so3_inverse_gradient_of(f, f1, phi, u);
}

/* how ∂(Γ(φ)⁻¹ u)/∂φ · v changes with φ, with the coefficients of φ and their D */
static inline mat3 so3_inverse_gradient_change(so3_ke f, so3_ke f1, so3_ke f2, vec3 phi, vec3 v, vec3 u)
{
    num r = vec3_dot(phi, v), s = vec3_dot(phi, u), m = vec3_dot(v, u), d = f1.e * r * s + f.e * m;
    mat3 A = mat3_outer(u, vec3_axpy(f2.k * r, phi, vec3_scale(f1.k, v)));
    mat3 B = mat3_outer(v, vec3_axpy(f1.e * s, phi, vec3_scale(f.e, u)));
    vec3 along = vec3_axpy(f2.e * r * s + f1.e * m, phi, vec3_scale(f1.e * s, v));
    mat3 C = mat3_outer(phi, vec3_axpy(f1.e * r, u, along));
    return mat3_add(mat3_add(A, B), mat3_add(C, mat3_diagonal(d, d, d)));
}

static inline mat3 so3_dexp_right_derivative(vec3 phi, vec3 delta)
{
    return so3_dexp_left_derivative(vec3_neg(phi), vec3_neg(delta));
}
static inline mat3 so3_dexp_right_inverse_derivative(vec3 phi, vec3 delta)
{
    return so3_dexp_left_inverse_derivative(vec3_neg(phi), vec3_neg(delta));
}
static inline mat3 so3_dexp_right_gradient(vec3 phi, vec3 u)
{
    return so3_dexp_left_gradient(vec3_neg(phi), vec3_neg(u));
}
static inline mat3 so3_dexp_right_inverse_gradient(vec3 phi, vec3 u)
{
    return so3_dexp_left_inverse_gradient(vec3_neg(phi), vec3_neg(u));
}

/* ∂²/∂ε∂η Γ(φ + ε δ + η γ): what the derivative of the Jacobian of SE(3)'s exp is made of */
static inline mat3 so3_dexp_left_second_derivative(vec3 phi, vec3 delta, vec3 gamma)
{
    so3_abc f, f1, f2;
    so3_coefficients_2(vec3_dot(phi, phi), &f, &f1, &f2);
    num s = vec3_dot(phi, delta), r = vec3_dot(phi, gamma), m = vec3_dot(delta, gamma), sr = s * r;
    mat3 S = mat3_outer(vec3_scale(f.c, delta), gamma);
    mat3 A = so3_combine(m * f1.a + sr * f2.a, m * f1.b + sr * f2.b, m * f1.c + sr * f2.c, phi);
    mat3 B = so3_combine_change(s * f1.b, s * f1.c, phi, gamma);
    mat3 C = so3_combine_change(r * f1.b, r * f1.c, phi, delta);
    return mat3_add(mat3_add(A, mat3_add(B, C)), mat3_add(S, mat3_transpose(S)));
}

#endif
