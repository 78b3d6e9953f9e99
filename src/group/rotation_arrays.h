/* Between the arrays of hamel/so3.h and the values of rotation.h: num = double. Reading checks and normalizes. */
#ifndef HML_GROUP_ROTATION_ARRAYS_H
#define HML_GROUP_ROTATION_ARRAYS_H

#include "group/arrays.h"
#include "group/rotation_rates.h"

/* ---- reading ---- */

static inline hml_status read_side(hml_side side)
{
    return side == HML_LOCAL || side == HML_GLOBAL ? HML_OK : HML_INVALID_ARGUMENT;
}

/* the square of its length must not overflow */
static inline hml_status read_rotvec(const double x[3], vec3 *phi)
{
    TRY(read_vec3(x, phi));
    return rotation_norm(*phi) <= 1e150 ? HML_OK : HML_INVALID_ARGUMENT;
}

static inline hml_status read_matrix(const double x[9], mat3 *C)
{
    TRY(read_rotation(x, C));
    return rotation_check(*C);
}

/* any quaternion */
static inline hml_status read_hypercomplex(const double x[4], quat *q)
{
    TRY(read_check(x, 4));
    *q = quat_at(x);
    return HML_OK;
}

/* may a length be normalized to 1, and by what? One that is 1 up to the last bit is left alone. */
static inline hml_status read_length(double length, double *divisor)
{
    *divisor = rotation_abs(length - 1) <= NUM_EPS ? 1 : length;
    return square_is_unit(length * length) ? HML_OK : HML_NOT_NORMALIZED;
}

static inline hml_status read_quat(const double x[4], quat *q)
{
    double d;
    TRY(read_hypercomplex(x, q));
    TRY(read_length(sqrt(quat_square(*q)), &d));
    *q = quat_of(q->w / d, q->x / d, q->y / d, q->z / d);
    return HML_OK;
}

static inline hml_status read_angle_axis(const double x[4], angle_axis *a)
{
    TRY(read_check(x, 4));
    vec3 n = vec3_at(x + 1);
    double d;
    TRY(read_length(vec3_norm(n), &d));
    *a = angle_axis_of(x[0], vec3_of(n.x / d, n.y / d, n.z / d));
    return HML_OK;
}

static inline hml_status read_euler(const double x[3], euler *e)
{
    TRY(read_check(x, 3));
    *e = euler_of(x[0], x[1], x[2]);
    return HML_OK;
}

/* ---- writing ---- */

static inline hml_status write_mat3(mat3 A, double out[9])
{
    mat3 r = mat3_transpose(A);
    TRY(write_vec3(r.x, out));
    TRY(write_vec3(r.y, out + 3));
    return write_vec3(r.z, out + 6);
}

static inline hml_status write_quat(quat q, double out[4])
{
    if (!out) return HML_INVALID_ARGUMENT;
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
    return HML_OK;
}

static inline hml_status write_angle_axis(angle_axis a, double out[4])
{
    return write_quat(quat_of(a.angle, a.axis.x, a.axis.y, a.axis.z), out);
}

static inline hml_status write_euler(euler e, double out[3])
{
    return write_vec3(vec3_of(e.first, e.middle, e.last), out);
}

#endif
