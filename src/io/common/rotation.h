/* Rotations as files give them. All angles in radians. */
#ifndef HML_IO_COMMON_ROTATION_H
#define HML_IO_COMMON_ROTATION_H

#include <math.h>

#include "model/pose.h"

/* about x (0), y (1) or z (2) */
static inline mat3 rotation_about(int axis, double angle)
{
    double s = sin(angle), c = cos(angle);
    if (axis == 0) return mat3_of(vec3_of(1, 0, 0), vec3_of(0, c, s), vec3_of(0, -s, c));
    if (axis == 1) return mat3_of(vec3_of(c, 0, -s), vec3_of(0, 1, 0), vec3_of(s, 0, c));
    return mat3_of(vec3_of(c, s, 0), vec3_of(-s, c, 0), vec3_of(0, 0, 1));
}

/* URDF: roll about x, then pitch about y, then yaw about z, all in the fixed frame */
static inline mat3 rotation_of_rpy(const double rpy[3])
{
    return mat3_mul(rotation_about(2, rpy[2]), mat3_mul(rotation_about(1, rpy[1]), rotation_about(0, rpy[0])));
}

/* w x y z of any length; the length, 0 for none */
static inline double rotation_of_quaternion(const double q[4], mat3 *R)
{
    double length = hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
    if (length > 0) {
        double w = q[0] / length, x = q[1] / length, y = q[2] / length, z = q[3] / length;
        *R = quat_to_mat3(
            quat_normalize(quat_of(w, x, y, z))); /* twice: the first length may have over- or underflowed */
    }
    return length;
}

static inline double length3(const double a[3]) { return hypot(hypot(a[0], a[1]), a[2]); }

/* about a unit axis */
static inline mat3 rotation_of_axis_angle(vec3 axis, double angle)
{
    double s = sin(0.5 * angle);
    return quat_to_mat3(quat_normalize(quat_of(cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z)));
}

/* the smallest rotation that takes z to the unit vector a; from z to −z it is half a turn about x */
static inline mat3 rotation_of_z_axis(vec3 a)
{
    double s = hypot(a.x, a.y);
    if (s == 0) return a.z > 0 ? mat3_identity() : mat3_diagonal(1, -1, -1);
    return rotation_of_axis_angle(vec3_of(-a.y / s, a.x / s, 0), atan2(s, a.z));
}

#endif
