/* Every parameterization to the quaternion, the quaternion to every parameterization: arrays of hamel/rotation.h. */
#ifndef HML_GROUP_ROTATION_KINDS_H
#define HML_GROUP_ROTATION_KINDS_H

#include "group/rotation_arrays.h"
#include "hamel/rotation.h"

/* ---- by name ---- */

static inline hml_status matrix_in(const double *x, quat *q)
{
    mat3 C;
    TRY(read_matrix(x, &C));
    *q = quat_normalize(mat3_to_quat(C));
    return HML_OK;
}

static inline hml_status quat_in(const double *x, quat *q) { return read_quat(x, q); }

static inline hml_status angle_axis_in(const double *x, quat *q)
{
    angle_axis a;
    TRY(read_angle_axis(x, &a));
    *q = quat_of_angle_axis(a);
    return HML_OK;
}

static inline hml_status rotvec_in(const double *x, quat *q)
{
    vec3 phi;
    TRY(read_rotvec(x, &phi));
    *q = so3_exp_quat(phi);
    return HML_OK;
}

static inline hml_status euler_in(euler_order order, const double *x, quat *q)
{
    euler e;
    TRY(read_euler(x, &e));
    *q = quat_of_euler(order, e);
    return HML_OK;
}

static inline hml_status euler_zyx_in(const double *x, quat *q) { return euler_in(EULER_ZYX, x, q); }
static inline hml_status euler_xyz_in(const double *x, quat *q) { return euler_in(EULER_XYZ, x, q); }

static inline hml_status matrix_out(quat q, double *y) { return write_mat3(quat_to_mat3(q), y); }
static inline hml_status quat_out(quat q, double *y) { return write_quat(so3_unique(q), y); }
static inline hml_status angle_axis_out(quat q, double *y) { return write_angle_axis(angle_axis_of_quat(q), y); }
static inline hml_status rotvec_out(quat q, double *y) { return write_vec3(so3_log_quat(q), y); }
static inline hml_status euler_zyx_out(quat q, double *y) { return write_euler(euler_of_quat(EULER_ZYX, q), y); }
static inline hml_status euler_xyz_out(quat q, double *y) { return write_euler(euler_of_quat(EULER_XYZ, q), y); }

/* ---- by kind ---- */

static inline hml_status rotation_in(hml_rotation kind, const double *x, quat *q)
{
    switch (kind) {
    case HML_ROTATION_MATRIX: return matrix_in(x, q);
    case HML_ROTATION_QUAT: return quat_in(x, q);
    case HML_ROTATION_ANGLE_AXIS: return angle_axis_in(x, q);
    case HML_ROTATION_ROTVEC: return rotvec_in(x, q);
    case HML_ROTATION_EULER_ZYX: return euler_zyx_in(x, q);
    case HML_ROTATION_EULER_XYZ: return euler_xyz_in(x, q);
    default: return HML_INVALID_ARGUMENT;
    }
}

/* unique forms */
static inline hml_status rotation_out(hml_rotation kind, quat q, double *y)
{
    switch (kind) {
    case HML_ROTATION_MATRIX: return matrix_out(q, y);
    case HML_ROTATION_QUAT: return quat_out(q, y);
    case HML_ROTATION_ANGLE_AXIS: return angle_axis_out(q, y);
    case HML_ROTATION_ROTVEC: return rotvec_out(q, y);
    case HML_ROTATION_EULER_ZYX: return euler_zyx_out(q, y);
    case HML_ROTATION_EULER_XYZ: return euler_xyz_out(q, y);
    default: return HML_INVALID_ARGUMENT;
    }
}

/* the result of an operation: a quaternion keeps its sign */
static inline hml_status rotation_result(hml_rotation kind, quat q, double *y)
{
    return kind == HML_ROTATION_QUAT ? write_quat(q, y) : rotation_out(kind, q, y);
}

#endif
