/*
 * The Schönflies group X(n) over num: all translations, and turns about one axis n. φ = (u, δ), u ∈ ℝ³ in the frame's
 * axes, δ the angle; n is unit. From, section 4.4, where n is z.
 *
 *   u⊥ = u − n (n·u)      what a turn about n moves; a, b, c, k, e the coefficients of so3.h at t = δ²
 *
 *   exp(φ)     rotation by δ about n, position n (n·u) + (a + δ b n^) u⊥
 *   ad_φ       [ δ n^   u × n ;  0 0 ]                                                    From (89)
 *   ãd_p       [ 0   n × f ;  −(n × f)ᵀ   0 ], p = (f, t)                                 From, Table 1
 *   S(φ)       [ n nᵀ + a (1 − n nᵀ) − δ b n^    (b n^ + δ c) u⊥ ;  0 1 ]                 From (29) summed up
 *   S(φ)⁻¹     [ n nᵀ + k (1 − n nᵀ) + ½ δ n^    (−½ n^ + δ e) u⊥ ;  0 1 ]
 *
 * In the plane across n these are the formulas of se2.h.
 */
#ifndef HML_GROUP_SCHOENFLIES_H
#define HML_GROUP_SCHOENFLIES_H

#include "group/axis.h"
#include "group/se3.h"

/* u = along n + across n */
static inline vec3 axis_along(vec3 n, vec3 u) { return vec3_scale(vec3_dot(n, u), n); }
static inline vec3 axis_across(vec3 n, vec3 u) { return vec3_sub(u, axis_along(n, u)); }

/* n (n·u) + (s + r n^) u⊥ */
static inline vec3 axis_turn(vec3 n, num s, num r, vec3 u)
{
    vec3 across = axis_across(n, u);
    return vec3_add(axis_along(n, u), vec3_axpy(r, vec3_cross(n, across), vec3_scale(s, across)));
}

static inline pose schoenflies_exp(vec3 n, vec3 u, num angle)
{
    so3_abc f = so3_coefficients(angle * angle);
    return pose_of(axis_rotation(n, angle), axis_turn(n, f.a, angle * f.b, u));
}

/* u of the element with this position and angle */
static inline vec3 schoenflies_log(vec3 n, vec3 position, num angle)
{
    so3_ke f = so3_inverse_coefficients(angle * angle);
    return axis_turn(n, f.k, K(-0.5) * angle, position);
}

/* [ A column ; row last ], 4×4, row-major */
static inline void schoenflies_matrix(mat3 A, vec3 column, vec3 row, num last, num out[16])
{
    mat3_put(A, out, 4);
    out[3] = column.x, out[7] = column.y, out[11] = column.z;
    out[12] = row.x, out[13] = row.y, out[14] = row.z, out[15] = last;
}

static inline void schoenflies_ad(vec3 n, vec3 u, num angle, num out[16])
{
    schoenflies_matrix(mat3_hat(vec3_scale(angle, n)), vec3_cross(u, n), vec3_zero(), K(0), out);
}

static inline void schoenflies_ad_tilde(vec3 n, vec3 force, num out[16])
{
    vec3 turned = vec3_cross(n, force);
    schoenflies_matrix(mat3_zero(), turned, vec3_neg(turned), K(0), out);
}

/* [ n nᵀ + s (1 − n nᵀ) + r n^    (x n^ + y) u⊥ ;  0 1 ] */
static inline void schoenflies_jacobian_matrix(vec3 n, num s, num r, num x, num y, vec3 u, num out[16])
{
    mat3 along = mat3_outer(n, n), across = mat3_sub(mat3_identity(), along);
    mat3 A = mat3_add(mat3_add(along, mat3_scale(s, across)), mat3_hat(vec3_scale(r, n)));
    vec3 moved = axis_across(n, u);
    schoenflies_matrix(A, vec3_axpy(x, vec3_cross(n, moved), vec3_scale(y, moved)), vec3_zero(), K(1), out);
}

static inline void schoenflies_jacobian(vec3 n, vec3 u, num angle, num out[16])
{
    so3_abc f = so3_coefficients(angle * angle);
    schoenflies_jacobian_matrix(n, f.a, -angle * f.b, f.b, angle * f.c, u, out);
}

static inline void schoenflies_jacobian_inverse(vec3 n, vec3 u, num angle, num out[16])
{
    so3_ke f = so3_inverse_coefficients(angle * angle);
    schoenflies_jacobian_matrix(n, f.k, K(0.5) * angle, K(-0.5), angle * f.e, u, out);
}

#endif
