/*
 * Rotation parameterizations over num, for kinds of one lane: here branches look at values.
 *
 *   mat3         C_IB takes coordinates from B to I              quat         Hamilton, w first, unit
 *   angle_axis   angle θ and unit axis n                          vec3         rotation vector φ = θ n
 *   euler        three angles about the axes of an order:         EULER_ZYX    C = C_z(first) C_y(middle) C_x(last)
 *                                                                 EULER_XYZ    C = C_x(first) C_y(middle) C_z(last)
 *
 * The quaternion is the hub: every conversion goes to it and from it, and loses no digit on the way at any angle.
 *
 * Unique forms (Kindr's ranges, but the middle angle includes +90°: no other triple describes that rotation):
 *   quat w > 0, at w = 0 the first non-zero entry positive; θ ∈ [0, π], at θ = 0 the axis is x; |φ| <= π;
 *   first, last ∈ [−π, π), middle ∈ [−π/2, π/2]; at ±π/2, where only first ± last counts, last = 0.
 */
#ifndef HML_GROUP_ROTATION_H
#define HML_GROUP_ROTATION_H

#include "group/so3.h"

#if LANES != 1
#error "rotation.h branches on values: one lane only"
#endif

typedef struct {
    num angle;
    vec3 axis;
} angle_axis;

typedef struct {
    num first, middle, last;
} euler;

/* the value is the sign ε by which the formulas of the two orders differ */
typedef enum { EULER_ZYX = -1, EULER_XYZ = 1 } euler_order;

static inline num rotation_abs(num x) { return num_select(num_lt(x, K(0)), -x, x); }
static inline num rotation_max(num a, num b) { return num_select(num_lt(a, b), b, a); }

/* |a| without underflow or overflow of the squares */
static inline num rotation_norm(vec3 a)
{
    num m = rotation_max(rotation_max(rotation_abs(a.x), rotation_abs(a.y)), rotation_abs(a.z));
    if (!num_lt(K(0), m)) return m;
    return m * vec3_norm(vec3_of(a.x / m, a.y / m, a.z / m));
}

/* the same angle in [−π, π) */
static inline num rotation_wrap(num angle)
{
    num pi = num_pi(), s, c;
    if (!num_lt(angle, -pi) && num_lt(angle, pi)) return angle;
    num_sincos(angle, &s, &c);
    angle = num_atan2(s, c);
    return num_lt(angle, pi) ? angle : -pi;
}

/* ---- angle and axis ---- */

static inline angle_axis angle_axis_of(num angle, vec3 axis)
{
    angle_axis a;
    a.angle = angle, a.axis = axis;
    return a;
}

static inline quat quat_of_angle_axis(angle_axis a)
{
    num s, c;
    num_sincos(K(0.5) * a.angle, &s, &c);
    return quat_of(c, s * a.axis.x, s * a.axis.y, s * a.axis.z);
}

/* unique form; atan2 where Kindr has arccos, which loses half the digits near the identity */
static inline angle_axis angle_axis_of_quat(quat q)
{
    q = so3_unique(q);
    vec3 v = vec3_of(q.x, q.y, q.z);
    num n = rotation_norm(v);
    if (!num_lt(K(0), n)) return angle_axis_of(K(0), vec3_of(K(1), K(0), K(0)));
    return angle_axis_of(K(2) * num_atan2(n, q.w), vec3_of(v.x / n, v.y / n, v.z / n));
}

/* |φ| <= π; what is there already stays as it is */
static inline vec3 rotvec_unique(vec3 phi)
{
    return num_lt(num_pi(), rotation_norm(phi)) ? so3_log_quat(so3_exp_quat(phi)) : phi;
}

static inline angle_axis angle_axis_unique(angle_axis a)
{
    if (!num_lt(K(0), a.angle) || num_lt(num_pi(), a.angle)) return angle_axis_of_quat(quat_of_angle_axis(a));
    return a;
}

/* ---- Euler angles ---- */

static inline euler euler_of(num first, num middle, num last)
{
    euler e;
    e.first = first, e.middle = middle, e.last = last;
    return e;
}

static inline quat quat_of_euler(euler_order order, euler e)
{
    num eps = K(order), sf, cf, sm, cm, sl, cl;
    num_sincos(K(0.5) * e.first, &sf, &cf);
    num_sincos(K(0.5) * e.middle, &sm, &cm);
    num_sincos(K(0.5) * e.last, &sl, &cl);
    num w = cf * cm * cl - eps * sf * sm * sl;
    num f = sf * cm * cl + eps * cf * sm * sl;
    num y = cf * sm * cl - eps * sf * cm * sl;
    num l = cf * cm * sl + eps * sf * sm * cl;
    return order == EULER_ZYX ? quat_of(w, l, y, f) : quat_of(w, f, y, l);
}

/*
 * With f, l the entries of q about the first and the last axis, the products above are sums and differences:
 *
 *   w + y = P cos p,  f + εl = P sin p,  p = (first + ε last)/2,  P = √2 cos(middle/2 − π/4)
 *   w − y = M cos m,  f − εl = M sin m,  m = (first − ε last)/2,  M = √2 cos(middle/2 + π/4),  P M = cos(middle)
 *
 * At the singularities P or M vanishes and with it all that its angle does to the rotation, so that the angles describe
 * the rotation to rounding there too. The usual atan2 of matrix entries loses half the digits nearby.
 */
static inline euler euler_of_quat(euler_order order, quat q)
{
    num eps = K(order), pi = num_pi();
    num f = order == EULER_ZYX ? q.z : q.x, l = eps * (order == EULER_ZYX ? q.x : q.z);
    num P = num_sqrt((q.w + q.y) * (q.w + q.y) + (f + l) * (f + l));
    num M = num_sqrt((q.w - q.y) * (q.w - q.y) + (f - l) * (f - l));
    num p = num_atan2(f + l, q.w + q.y), m = num_atan2(f - l, q.w - q.y);
    if (num_lt(M, K(NUM_EPS))) m = p;
    if (num_lt(P, K(NUM_EPS))) p = m;
    num a[2] = {p + m, eps * (p - m)};
    for (int i = 0; i < 2; i++) {
        if (!num_lt(a[i], pi)) a[i] = a[i] - K(2) * pi;
        if (num_lt(a[i], -pi)) a[i] = a[i] + K(2) * pi;
    }
    return euler_of(a[0], num_atan2(K(2) * (q.w * q.y + f * l), P * M), a[1]);
}

static inline euler euler_unique(euler_order order, euler e)
{
    num pi = num_pi(), half = K(0.5) * pi;
    e = euler_of(rotation_wrap(e.first), rotation_wrap(e.middle), rotation_wrap(e.last));
    if (num_lt(half, rotation_abs(e.middle))) {
        num turn = num_select(num_lt(e.middle, K(0)), -pi, pi);
        e = euler_of(rotation_wrap(e.first + pi), turn - e.middle, rotation_wrap(e.last + pi));
    }
    if (num_lt(half - K(NUM_EPS), rotation_abs(e.middle))) {
        num sign = num_select(num_lt(e.middle, K(0)), -K(order), K(order));
        e = euler_of(rotation_wrap(e.first + sign * e.last), e.middle, K(0));
    }
    return e;
}

/* ---- distance, increments, interpolation ---- */

/* active: the coordinates in I of a vector given in B */
static inline vec3 quat_rotate(quat q, vec3 r)
{
    vec3 v = vec3_of(q.x, q.y, q.z), t = vec3_cross(v, r);
    t = vec3_add(t, t);
    return vec3_add(vec3_axpy(q.w, t, r), vec3_cross(v, t));
}

/* the angle between two rotations, in [0, π] */
static inline num quat_distance(quat a, quat b) { return angle_axis_of_quat(quat_mul(a, quat_conj(b))).angle; }

/* a at t = 0, b at t = 1, with constant angular velocity along the shorter arc: Kindr's Φ₀ ⊞ ((Φ₁ ⊟ Φ₀) t) */
static inline quat quat_slerp(quat a, quat b, num t)
{
    vec3 v = so3_log_quat(quat_mul(b, quat_conj(a)));
    return quat_mul(so3_exp_quat(vec3_scale(t, v)), a);
}

/* uniform on SO(3) for u uniform on [0, 1)³ (Shoemake's map of the cube) */
static inline quat quat_of_uniform(vec3 u)
{
    num s1, c1, s2, c2, a = num_sqrt(K(1) - u.x), b = num_sqrt(u.x);
    num_sincos(K(2) * num_pi() * u.y, &s1, &c1);
    num_sincos(K(2) * num_pi() * u.z, &s2, &c2);
    return quat_of(b * c2, a * s1, a * c1, b * s2);
}

#endif
