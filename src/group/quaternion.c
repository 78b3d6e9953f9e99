/* Operations on unit quaternions, their derivatives and matrices: the public functions of hamel/so3.h over double. */
#include "group/rotation_arrays.h"
#include "hamel/so3.h"

static hml_status read_two(const double a[4], const double b[4], quat *p, quat *q)
{
    TRY(read_quat(a, p));
    return read_quat(b, q);
}

hml_status hml_quat_compose(const double a[4], const double b[4], double q[4])
{
    quat p, r;
    TRY(read_two(a, b, &p, &r));
    return write_quat(so3_unique(quat_mul(p, r)), q);
}

hml_status hml_quat_invert(const double q[4], double inverse[4])
{
    quat p;
    TRY(read_quat(q, &p));
    return write_quat(so3_unique(quat_conj(p)), inverse);
}

hml_status hml_quat_rotate(const double q[4], const double r[3], double rotated[3])
{
    quat p;
    vec3 v;
    TRY(read_quat(q, &p));
    TRY(read_vec3(r, &v));
    return write_vec3(quat_rotate(p, v), rotated);
}

hml_status hml_quat_rotate_inverse(const double q[4], const double r[3], double rotated[3])
{
    quat p;
    vec3 v;
    TRY(read_quat(q, &p));
    TRY(read_vec3(r, &v));
    return write_vec3(quat_rotate(quat_conj(p), v), rotated);
}

/* ---- increments ---- */

hml_status hml_quat_boxplus(hml_side side, const double q[4], const double v[3], double sum[4])
{
    quat p;
    vec3 phi;
    TRY(read_side(side));
    TRY(read_quat(q, &p));
    TRY(read_rotvec(v, &phi));
    quat e = so3_exp_quat(phi);
    return write_quat(so3_unique(side == HML_GLOBAL ? quat_mul(e, p) : quat_mul(p, e)), sum);
}

hml_status hml_quat_boxminus(hml_side side, const double a[4], const double b[4], double v[3])
{
    quat p, q;
    TRY(read_side(side));
    TRY(read_two(a, b, &p, &q));
    q = quat_conj(q);
    return write_vec3(so3_log_quat(side == HML_GLOBAL ? quat_mul(p, q) : quat_mul(q, p)), v);
}

hml_status hml_quat_slerp(const double a[4], const double b[4], double t, double q[4])
{
    quat p, r;
    num s;
    TRY(read_two(a, b, &p, &r));
    TRY(read_number(t, &s));
    if (rotation_abs(s) > 1e150) return HML_INVALID_ARGUMENT;
    return write_quat(so3_unique(quat_slerp(p, r, s)), q);
}

hml_status hml_quat_distance(const double a[4], const double b[4], double *angle)
{
    quat p, q;
    TRY(read_two(a, b, &p, &q));
    return write_number(quat_distance(p, q), angle);
}

/* ---- derivatives; Kindr, "Derivatives" ---- */

hml_status hml_quat_compose_derivatives(hml_side side, const double a[4], const double b[4], double Da[9], double Db[9])
{
    quat p, q;
    TRY(read_side(side));
    TRY(read_two(a, b, &p, &q));
    mat3 I = mat3_identity();
    TRY(write_mat3(side == HML_GLOBAL ? I : mat3_transpose(quat_to_mat3(q)), Da));
    return write_mat3(side == HML_GLOBAL ? quat_to_mat3(p) : I, Db);
}

hml_status hml_quat_invert_derivative(hml_side side, const double q[4], double D[9])
{
    quat p;
    TRY(read_side(side));
    TRY(read_quat(q, &p));
    mat3 C = quat_to_mat3(p);
    return write_mat3(mat3_scale(K(-1), side == HML_GLOBAL ? mat3_transpose(C) : C), D);
}

hml_status hml_quat_rotate_derivatives(hml_side side, const double q[4], const double r[3], double Dq[9], double Dr[9])
{
    quat p;
    vec3 v;
    TRY(read_side(side));
    TRY(read_quat(q, &p));
    TRY(read_vec3(r, &v));
    mat3 C = quat_to_mat3(p), D;
    if (side == HML_GLOBAL)
        D = mat3_hat(vec3_neg(mat3_mul_vec(C, v)));
    else
        D = mat3_mul(C, mat3_hat(vec3_neg(v)));
    TRY(write_mat3(D, Dq));
    return write_mat3(C, Dr);
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
