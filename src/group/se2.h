/*
 * SE(2) over num: motions of a plane, and the plane's part of the Schönflies group. Works in packs.
 *
 *   φ = (u, δ)    u ∈ ℝ² the translation's part, δ the angle        J u = (−u₂, u₁): a quarter turn
 *   a, b, c, k, e the coefficients of so3.h at t = δ²
 *
 *   exp(φ)        rotation by δ, position (a + δ b J) u
 *   S(φ)          [ a − δ b J    b J u + δ c u ;  0 1 ]             right Jacobian, From (29) summed up
 *   S(φ)⁻¹        [ k + ½ δ J   −½ J u + δ e u ;  0 1 ]
 *
 * The angle is used as it is, beyond π too. At δ = ±2π, ±4π, … a translation has no logarithm: k has its pole there.
 */
#ifndef HML_GROUP_SE2_H
#define HML_GROUP_SE2_H

#include "group/so3.h"

typedef struct {
    num x, y;
} vec2;

static inline vec2 vec2_of(num x, num y)
{
    vec2 u;
    u.x = x, u.y = y;
    return u;
}

/* (s + r J) u */
static inline vec2 vec2_turn(num s, num r, vec2 u) { return vec2_of(s * u.x - r * u.y, r * u.x + s * u.y); }

/* position of exp(u, δ) */
static inline vec2 se2_exp(vec2 u, num angle)
{
    so3_abc f = so3_coefficients(angle * angle);
    return vec2_turn(f.a, angle * f.b, u);
}

/* u of the element with this position and angle */
static inline vec2 se2_log(vec2 position, num angle)
{
    so3_ke f = so3_inverse_coefficients(angle * angle);
    return vec2_turn(f.k, K(-0.5) * angle, position);
}

/* S(φ): its upper left block is diagonal + skew·J, its last column (column, 1) */
typedef struct {
    num diagonal, skew;
    vec2 column;
} se2_jacobian;

static inline se2_jacobian se2_dexp_right(vec2 u, num angle)
{
    so3_abc f = so3_coefficients(angle * angle);
    se2_jacobian S;
    S.diagonal = f.a;
    S.skew = -angle * f.b;
    S.column = vec2_turn(angle * f.c, f.b, u);
    return S;
}

static inline se2_jacobian se2_dexp_right_inverse(vec2 u, num angle)
{
    so3_ke f = so3_inverse_coefficients(angle * angle);
    se2_jacobian S;
    S.diagonal = f.k;
    S.skew = K(0.5) * angle;
    S.column = vec2_turn(angle * f.e, K(-0.5), u);
    return S;
}

/* S(φ) or its inverse among m coordinates, of which i, j are the plane's and `angle` the angle; m×m, row-major */
static inline void se2_matrix(se2_jacobian S, int i, int j, int angle, int m, num out[])
{
    for (int r = 0; r < m * m; r++) out[r] = K(r % (m + 1) == 0);
    out[i * m + i] = S.diagonal, out[i * m + j] = -S.skew, out[i * m + angle] = S.column.x;
    out[j * m + i] = S.skew, out[j * m + j] = S.diagonal, out[j * m + angle] = S.column.y;
}

/* ad_φ = [ δ J  −J u; 0 0 ], From (78), (89), among m coordinates */
static inline void se2_ad_matrix(vec2 u, num delta, int i, int j, int angle, int m, num out[])
{
    for (int r = 0; r < m * m; r++) out[r] = K(0);
    out[i * m + j] = -delta, out[i * m + angle] = u.y;
    out[j * m + i] = delta, out[j * m + angle] = -u.x;
}

#endif
