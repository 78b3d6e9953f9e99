/* Operations on unit quaternions, and the quaternion matrices: the public functions of hamel/so3.h over double. */
#include "group/rotation_arrays.h"
#include "hamel/rotation.h"

/* ---- the quaternion as one of the parameterizations of hamel/rotation.h ---- */

hml_status hml_quat_compose(const double a[4], const double b[4], double q[4])
{
    return hml_rotation_compose(HML_ROTATION_QUAT, a, b, q);
}

hml_status hml_quat_invert(const double q[4], double inverse[4])
{
    return hml_rotation_invert(HML_ROTATION_QUAT, q, inverse);
}

hml_status hml_quat_rotate(const double q[4], const double r[3], double rotated[3])
{
    return hml_rotation_rotate(HML_ROTATION_QUAT, q, r, rotated);
}

hml_status hml_quat_boxplus(hml_side side, const double q[4], const double v[3], double sum[4])
{
    return hml_rotation_boxplus(HML_ROTATION_QUAT, side, q, v, sum);
}

hml_status hml_quat_boxminus(hml_side side, const double a[4], const double b[4], double v[3])
{
    return hml_rotation_boxminus(HML_ROTATION_QUAT, side, a, b, v);
}

hml_status hml_quat_slerp(const double a[4], const double b[4], double t, double q[4])
{
    return hml_rotation_slerp(HML_ROTATION_QUAT, a, b, t, q);
}

hml_status hml_quat_compose_derivatives(hml_side side, const double a[4], const double b[4], double Da[9], double Db[9])
{
    return hml_rotation_compose_derivatives(HML_ROTATION_QUAT, side, a, b, Da, Db);
}

hml_status hml_quat_invert_derivative(hml_side side, const double q[4], double D[9])
{
    return hml_rotation_invert_derivative(HML_ROTATION_QUAT, side, q, D);
}

hml_status hml_quat_rotate_derivatives(hml_side side, const double q[4], const double r[3], double Dq[9], double Dr[9])
{
    return hml_rotation_rotate_derivatives(HML_ROTATION_QUAT, side, q, r, Dq, Dr);
}

/* ---- operations of its own ---- */

hml_status hml_quat_rotate_inverse(const double q[4], const double r[3], double rotated[3])
{
    quat p;
    vec3 v;
    TRY(read_quat(q, &p));
    TRY(read_vec3(r, &v));
    return write_vec3(quat_rotate(quat_conj(p), v), rotated);
}

hml_status hml_quat_distance(const double a[4], const double b[4], double *angle)
{
    quat p, q;
    TRY(read_quat(a, &p));
    TRY(read_quat(b, &q));
    return write_number(quat_distance(p, q), angle);
}

/* ---- matrices ---- */

/* Q and Q̄ differ in the sign of the skew part of the lower right block */
static hml_status write_product_matrix(const double q[4], double sign, double Q[16])
{
    quat p;
    TRY(read_hypercomplex(q, &p));
    if (!Q) return HML_INVALID_ARGUMENT;
    double x = sign * p.x, y = sign * p.y, z = sign * p.z;
    const double entries[16] = {p.w, -p.x, -p.y, -p.z, p.x, p.w, -z, y, p.y, z, p.w, -x, p.z, -y, x, p.w};
    for (int i = 0; i < 16; i++) Q[i] = entries[i];
    return HML_OK;
}

hml_status hml_quat_left_matrix(const double q[4], double Q[16]) { return write_product_matrix(q, 1, Q); }
hml_status hml_quat_right_matrix(const double q[4], double Q[16]) { return write_product_matrix(q, -1, Q); }

/* the last three rows of Q̄(q*), which is H, or of Q(q*), which is H̄ */
hml_status hml_quat_velocity_matrix(hml_side side, const double q[4], double H[12])
{
    quat p;
    double c[4], Q[16];
    TRY(read_side(side));
    TRY(read_hypercomplex(q, &p));
    if (!H) return HML_INVALID_ARGUMENT;
    TRY(write_quat(quat_conj(p), c));
    TRY(write_product_matrix(c, side == HML_GLOBAL ? -1 : 1, Q));
    for (int i = 0; i < 12; i++) H[i] = Q[4 + i];
    return HML_OK;
}
