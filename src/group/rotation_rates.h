/*
 * Time derivatives of the rotation parameterizations from the angular velocity, and back. See Kindr, "Time derivatives
 * of position & orientation"; its rate formulas are right.
 *
 * The velocity is local, _Bω_IB = ω in the body, or global, _Iω_IB = C_IB ω. A parameterization with a singularity
 * answers 0 there and leaves the rate alone. Singular means that a rounding of the parameters moves the rate by more
 * than √ε of its size: the quotient below keeps less than half its digits.
 */
#ifndef HML_GROUP_ROTATION_RATES_H
#define HML_GROUP_ROTATION_RATES_H

#include "group/rotation.h"
#include "hamel/so3.h"

static inline num rotation_singular(void) { return num_sqrt(K(NUM_EPS)); }

/* ---- matrix: Ċ = ω^ C globally, C ω^ locally ---- */

static inline mat3 mat3_rate(hml_side side, mat3 C, vec3 w)
{
    return side == HML_GLOBAL ? mat3_mul(mat3_hat(w), C) : mat3_mul(C, mat3_hat(w));
}

/* of the product its skew part: what is not tangent to SO(3) is left out */
static inline vec3 mat3_velocity(hml_side side, mat3 C, mat3 rate)
{
    mat3 W = side == HML_GLOBAL ? mat3_mul(rate, mat3_transpose(C)) : mat3_tmul(C, rate);
    return vec3_scale(K(0.5), vec3_of(W.y.z - W.z.y, W.z.x - W.x.z, W.x.y - W.y.x));
}

/* ---- quaternion: q̇ = ½ (0, ω) q globally, ½ q (0, ω) locally; these are ½ Hᵀω and ½ H̄ᵀω ---- */

static inline quat quat_rate(hml_side side, quat q, vec3 w)
{
    quat p = quat_of(K(0), K(0.5) * w.x, K(0.5) * w.y, K(0.5) * w.z);
    return side == HML_GLOBAL ? quat_mul(p, q) : quat_mul(q, p);
}

static inline vec3 quat_velocity(hml_side side, quat q, quat rate)
{
    quat c = quat_conj(q), p = side == HML_GLOBAL ? quat_mul(rate, c) : quat_mul(c, rate);
    return vec3_of(K(2) * p.x, K(2) * p.y, K(2) * p.z);
}

/* ---- angle and axis: ω = n θ̇ + ṅ sin θ ± (1 − cos θ) n × ṅ, + globally ---- */

static inline vec3 angle_axis_velocity(hml_side side, angle_axis a, angle_axis rate)
{
    num s, c;
    num_sincos(K(0.5) * a.angle, &s, &c);
    num x = K(2) * s * s; /* 1 − cos θ */
    vec3 w = vec3_axpy(side == HML_GLOBAL ? x : -x, vec3_cross(a.axis, rate.axis), vec3_scale(rate.angle, a.axis));
    return vec3_axpy(K(2) * s * c, rate.axis, w);
}

/* θ̇ = n·ω, ṅ = ½ cot(θ/2) (ω − n θ̇) ∓ ½ n × ω; singular at θ = 0 and at every full turn, where the axis is any */
static inline int angle_axis_rate(hml_side side, angle_axis a, vec3 w, angle_axis *rate)
{
    num s, c, h = K(side == HML_GLOBAL ? -0.5 : 0.5);
    num_sincos(K(0.5) * a.angle, &s, &c);
    if (!num_lt(rotation_singular() * rotation_abs(K(0.5) * a.angle), rotation_abs(s))) return 0;
    rate->angle = vec3_dot(a.axis, w);
    vec3 across = vec3_axpy(-rate->angle, a.axis, w);
    rate->axis = vec3_axpy(h, vec3_cross(a.axis, w), vec3_scale(K(0.5) * c / s, across));
    return 1;
}

/* ---- rotation vector: ω = Γ(±φ) φ̇, + globally ---- */

static inline vec3 rotvec_velocity(hml_side side, vec3 phi, vec3 rate)
{
    return side == HML_GLOBAL ? so3_dexp_left_apply(phi, rate) : so3_dexp_right_apply(phi, rate);
}

/* singular at every full turn but 0 */
static inline int rotvec_rate(hml_side side, vec3 phi, vec3 w, vec3 *rate)
{
    num s, c;
    so3_half(vec3_dot(phi, phi), &s, &c);
    if (!num_lt(rotation_singular(), rotation_abs(s))) return 0;
    *rate = side == HML_GLOBAL ? so3_dexp_left_inverse_apply(phi, w) : so3_dexp_right_inverse_apply(phi, w);
    return 1;
}

/* ---- Euler angles: ω = [f m l] (first˙, middle˙, last˙), the columns being the axes of the three turns ---- */

static inline mat3 euler_axes(hml_side side, euler_order order, euler e)
{
    num s, c, sm, cm, zero = K(0), one = K(1);
    num_sincos(e.middle, &sm, &cm);
    num_sincos(side == HML_GLOBAL ? e.first : e.last, &s, &c);
    if (order == EULER_ZYX) {
        if (side == HML_GLOBAL) /* Kindr (5) */
            return mat3_of(vec3_of(zero, zero, one), vec3_of(-s, c, zero), vec3_of(cm * c, cm * s, -sm));
        return mat3_of(vec3_of(-sm, cm * s, cm * c), vec3_of(zero, c, -s), vec3_of(one, zero, zero));
    }
    if (side == HML_GLOBAL) return mat3_of(vec3_of(one, zero, zero), vec3_of(zero, c, s), vec3_of(sm, -s * cm, c * cm));
    return mat3_of(vec3_of(c * cm, -s * cm, sm), vec3_of(s, c, zero), vec3_of(zero, zero, one));
}

static inline vec3 euler_velocity(hml_side side, euler_order order, euler e, euler rate)
{
    return mat3_mul_vec(euler_axes(side, order, e), vec3_of(rate.first, rate.middle, rate.last));
}

/* the reciprocal basis: det [f m l] = ε cos(middle); singular at middle = ±90° */
static inline int euler_rate(hml_side side, euler_order order, euler e, vec3 w, euler *rate)
{
    mat3 E = euler_axes(side, order, e);
    num s, c;
    num_sincos(e.middle, &s, &c);
    if (!num_lt(rotation_singular(), rotation_abs(c))) return 0;
    num r = K(order) / c;
    rate->first = r * vec3_dot(vec3_cross(E.y, E.z), w);
    rate->middle = vec3_dot(E.y, w);
    rate->last = r * vec3_dot(vec3_cross(E.x, E.y), w);
    return 1;
}

#endif
