/*
 * One axis, over num: the rotation about it, the angle of that rotation, and the twists that slide along it and turn
 * about it. n is a unit vector.
 */
#ifndef HML_GROUP_AXIS_H
#define HML_GROUP_AXIS_H

#include "group/spatial.h"

/* rotation by an angle about n: c I + s n^ + (1 − c) n nᵀ */
static inline mat3 axis_rotation(vec3 n, num angle)
{
    num s, c;
    num_sincos(angle, &s, &c);
    vec3 sn = vec3_scale(s, n), t = vec3_scale(K(1) - c, n);
    return mat3_of(vec3_of(t.x * n.x + c, t.x * n.y + sn.z, t.x * n.z - sn.y),
                   vec3_of(t.y * n.x - sn.z, t.y * n.y + c, t.y * n.z + sn.x),
                   vec3_of(t.z * n.x + sn.y, t.z * n.y - sn.x, t.z * n.z + c));
}

/* the same about z */
static inline mat3 z_rotation(num angle)
{
    num s, c;
    num_sincos(angle, &s, &c);
    return mat3_of(vec3_of(c, s, K(0)), vec3_of(-s, c, K(0)), vec3_of(K(0), K(0), K(1)));
}

/* angle in [−π, π] of a rotation about n: R − Rᵀ = 2 s n^, trace R = 1 + 2c, so atan2 sees both with full digits */
static inline num axis_angle(vec3 n, mat3 R)
{
    vec3 sine = vec3_of(R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x);
    return num_atan2(vec3_dot(n, sine), R.x.x + R.y.y + R.z.z - K(1));
}

/* sliding along n */
static inline twist slide_column(vec3 n) { return twist_of(n, vec3_zero()); }

/* turning about the line through the point along n: Ad of T(point) on [0; n] */
static inline twist turn_column(vec3 n, vec3 point) { return twist_of(vec3_cross(point, n), n); }

#endif
