/* Conversions, unique forms and operations of rotations: the public functions of hamel/so3.h over double. */
#include "group/projection.h"
#include "group/rotation_kinds.h"
#include "hamel/so3.h"

/* ---- conversions ---- */

/* name and length of what is given, name and length of what is wanted */
#define CONVERT(from, n, to, m)                                                                                        \
    hml_status hml_##from##_to_##to(const double x[n], double y[m])                                                    \
    {                                                                                                                  \
        quat q;                                                                                                        \
        TRY(from##_in(x, &q));                                                                                         \
        return to##_out(q, y);                                                                                         \
    }

CONVERT(matrix, 9, quat, 4)
CONVERT(matrix, 9, angle_axis, 4)
CONVERT(matrix, 9, rotvec, 3)
CONVERT(matrix, 9, euler_zyx, 3)
CONVERT(matrix, 9, euler_xyz, 3)
CONVERT(quat, 4, matrix, 9)
CONVERT(quat, 4, angle_axis, 4)
CONVERT(quat, 4, rotvec, 3)
CONVERT(quat, 4, euler_zyx, 3)
CONVERT(quat, 4, euler_xyz, 3)
CONVERT(angle_axis, 4, matrix, 9)
CONVERT(angle_axis, 4, quat, 4)
CONVERT(angle_axis, 4, rotvec, 3)
CONVERT(angle_axis, 4, euler_zyx, 3)
CONVERT(angle_axis, 4, euler_xyz, 3)
CONVERT(rotvec, 3, matrix, 9)
CONVERT(rotvec, 3, quat, 4)
CONVERT(rotvec, 3, angle_axis, 4)
CONVERT(rotvec, 3, euler_zyx, 3)
CONVERT(rotvec, 3, euler_xyz, 3)
CONVERT(euler_zyx, 3, matrix, 9)
CONVERT(euler_zyx, 3, quat, 4)
CONVERT(euler_zyx, 3, angle_axis, 4)
CONVERT(euler_zyx, 3, rotvec, 3)
CONVERT(euler_zyx, 3, euler_xyz, 3)
CONVERT(euler_xyz, 3, matrix, 9)
CONVERT(euler_xyz, 3, quat, 4)
CONVERT(euler_xyz, 3, angle_axis, 4)
CONVERT(euler_xyz, 3, rotvec, 3)
CONVERT(euler_xyz, 3, euler_zyx, 3)

/* ---- unique forms ---- */

hml_status hml_quat_unique(const double q[4], double unique[4])
{
    quat p;
    TRY(read_quat(q, &p));
    return write_quat(so3_unique(p), unique);
}

hml_status hml_angle_axis_unique(const double a[4], double unique[4])
{
    angle_axis b;
    TRY(read_angle_axis(a, &b));
    return write_angle_axis(angle_axis_unique(b), unique);
}

hml_status hml_rotvec_unique(const double phi[3], double unique[3])
{
    vec3 v;
    TRY(read_rotvec(phi, &v));
    return write_vec3(rotvec_unique(v), unique);
}

hml_status hml_euler_zyx_unique(const double e[3], double unique[3])
{
    euler f;
    TRY(read_euler(e, &f));
    return write_euler(euler_unique(EULER_ZYX, f), unique);
}

hml_status hml_euler_xyz_unique(const double e[3], double unique[3])
{
    euler f;
    TRY(read_euler(e, &f));
    return write_euler(euler_unique(EULER_XYZ, f), unique);
}

/* ---- any matrix, any numbers ---- */

hml_status hml_matrix_project(const double A[9], double C[9])
{
    mat3 B;
    quat q;
    TRY(read_rotation(A, &B));
    if (!projection_quat(B, &q)) return HML_SINGULAR;
    return write_mat3(quat_to_mat3(q), C);
}

hml_status hml_quat_random(const double u[3], double q[4])
{
    vec3 v;
    TRY(read_vec3(u, &v));
    for (int i = 0; i < 3; i++) {
        if (u[i] < 0 || u[i] > 1) return HML_INVALID_ARGUMENT;
    }
    return write_quat(so3_unique(quat_of_uniform(v)), q);
}
