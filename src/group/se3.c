/* Poses, 6x6 matrices, exponential, logarithm and their Jacobians: the public functions of hamel/se3.h over double. */
#include "hamel/se3.h"

#include "group/arrays.h"

/* ---- poses ---- */

hml_status hml_se3_identity(double H[16]) { return write_pose(pose_identity(), H); }

hml_status hml_se3_make(const double R[9], const double p[3], double H[16])
{
    pose A;
    TRY(read_rotation(R, &A.R));
    TRY(read_vec3(p, &A.p));
    return write_pose(A, H);
}

hml_status hml_se3_from_quaternion(const double q[4], const double p[3], double H[16])
{
    vec3 o;
    TRY(read_check(q, 4));
    TRY(read_vec3(p, &o));
    if (!quat_is_unit(quat_at(q))) return HML_NOT_NORMALIZED;
    return write_pose(pose_of(quat_to_mat3(quat_normalize(quat_at(q))), o), H);
}

hml_status hml_se3_to_quaternion(const double H[16], double q[4], double p[3])
{
    pose A;
    TRY(read_placement(H, &A));
    quat r = so3_unique(quat_normalize(mat3_to_quat(A.R)));
    TRY(write_number(r.w, q));
    TRY(write_vec3(vec3_of(r.x, r.y, r.z), q + 1));
    return write_vec3(A.p, p);
}

hml_status hml_se3_check(const double H[16])
{
    pose A;
    return read_placement(H, &A);
}

hml_status hml_se3_compose(const double H_ab[16], const double H_bc[16], double H_ac[16])
{
    pose A, B;
    TRY(read_pose(H_ab, &A));
    TRY(read_pose(H_bc, &B));
    return write_pose(pose_mul(A, B), H_ac);
}

hml_status hml_se3_inverse(const double H_ab[16], double H_ba[16])
{
    pose A;
    TRY(read_pose(H_ab, &A));
    return write_pose(pose_inverse(A), H_ba);
}

hml_status hml_se3_between(const double H_ab[16], const double H_ac[16], double H_bc[16])
{
    pose A, B;
    TRY(read_pose(H_ab, &A));
    TRY(read_pose(H_ac, &B));
    return write_pose(pose_between(A, B), H_bc);
}

hml_status hml_se3_act_point(const double H_ab[16], const double point[3], double out[3])
{
    pose A;
    vec3 a;
    TRY(read_pose(H_ab, &A));
    TRY(read_vec3(point, &a));
    return write_vec3(pose_act(A, a), out);
}

hml_status hml_se3_act_vector(const double H_ab[16], const double vector[3], double out[3])
{
    pose A;
    vec3 a;
    TRY(read_pose(H_ab, &A));
    TRY(read_vec3(vector, &a));
    return write_vec3(mat3_mul_vec(A.R, a), out);
}

hml_status hml_se3_hat(const double xi[6], double matrix[16])
{
    twist V;
    TRY(read_twist(xi, &V));
    if (!matrix) return HML_INVALID_ARGUMENT;
    twist_hat_matrix(V, matrix);
    return HML_OK;
}

hml_status hml_se3_vee(const double matrix[16], double xi[6])
{
    TRY(read_check(matrix, 12));
    return write_twist(array_vee(matrix), xi);
}

/* ---- 6x6 matrices ---- */

hml_status hml_se3_adjoint(const double H_ab[16], double X[36])
{
    pose A;
    TRY(read_pose(H_ab, &A));
    if (!X) return HML_INVALID_ARGUMENT;
    pose_ad_matrix(A, X);
    return HML_OK;
}

hml_status hml_se3_adjoint_dual(const double H_ab[16], double X[36])
{
    pose A;
    TRY(read_pose(H_ab, &A));
    if (!X) return HML_INVALID_ARGUMENT;
    pose_ad_dual_matrix(A, X);
    return HML_OK;
}

hml_status hml_se3_cross(const double V[6], double ad[36])
{
    twist U;
    TRY(read_twist(V, &U));
    if (!ad) return HML_INVALID_ARGUMENT;
    twist_cross_matrix(U, ad);
    return HML_OK;
}

hml_status hml_se3_cross_dual(const double V[6], double ad[36])
{
    twist U;
    TRY(read_twist(V, &U));
    if (!ad) return HML_INVALID_ARGUMENT;
    twist_cross_dual_matrix(U, ad);
    return HML_OK;
}

hml_status hml_se3_ad_tilde(const double F[6], double ad[36])
{
    wrench W;
    TRY(read_wrench(F, &W));
    if (!ad) return HML_INVALID_ARGUMENT;
    wrench_cross_matrix(W, ad);
    return HML_OK;
}

/* ---- the same, applied ---- */

hml_status hml_twist_transform(const double H_ab[16], const double V_b[6], double V_a[6])
{
    pose A;
    twist V;
    TRY(read_pose(H_ab, &A));
    TRY(read_twist(V_b, &V));
    return write_twist(pose_ad(A, V), V_a);
}

hml_status hml_wrench_transform(const double H_ab[16], const double F_b[6], double F_a[6])
{
    pose A;
    wrench F;
    TRY(read_pose(H_ab, &A));
    TRY(read_wrench(F_b, &F));
    return write_wrench(pose_ad_dual(A, F), F_a);
}

hml_status hml_twist_cross(const double V[6], const double U[6], double out[6])
{
    twist A, B;
    TRY(read_twist(V, &A));
    TRY(read_twist(U, &B));
    return write_twist(twist_cross(A, B), out);
}

hml_status hml_wrench_cross(const double V[6], const double F[6], double out[6])
{
    twist A;
    wrench B;
    TRY(read_twist(V, &A));
    TRY(read_wrench(F, &B));
    return write_wrench(twist_cross_dual(A, B), out);
}

hml_status hml_wrench_power(const double F[6], const double V[6], double *power)
{
    wrench A;
    twist B;
    TRY(read_wrench(F, &A));
    TRY(read_twist(V, &B));
    return write_number(wrench_dot(A, B), power);
}

/* ---- exponential ---- */

hml_status hml_se3_exp(const double xi[6], double H[16])
{
    twist V;
    TRY(read_twist(xi, &V));
    return write_pose(se3_exp(V), H);
}

hml_status hml_se3_log(const double H[16], double xi[6])
{
    pose A;
    TRY(read_placement(H, &A));
    return write_twist(se3_log(A), xi);
}

/* the four functions of one Jacobian */
#define JACOBIAN(name)                                                                                                 \
    hml_status hml_##name(const double xi[6], double J[36])                                                            \
    {                                                                                                                  \
        twist V;                                                                                                       \
        TRY(read_twist(xi, &V));                                                                                       \
        if (!J) return HML_INVALID_ARGUMENT;                                                                           \
        se3_jacobian_matrix(name(V), J);                                                                               \
        return HML_OK;                                                                                                 \
    }                                                                                                                  \
    hml_status hml_##name##_apply(const double xi[6], const double eta[6], double out[6])                              \
    {                                                                                                                  \
        twist V, U;                                                                                                    \
        TRY(read_twist(xi, &V));                                                                                       \
        TRY(read_twist(eta, &U));                                                                                      \
        return write_twist(name##_apply(V, U), out);                                                                   \
    }                                                                                                                  \
    hml_status hml_##name##_apply_dual(const double xi[6], const double F[6], double out[6])                           \
    {                                                                                                                  \
        twist V;                                                                                                       \
        wrench W;                                                                                                      \
        TRY(read_twist(xi, &V));                                                                                       \
        TRY(read_wrench(F, &W));                                                                                       \
        return write_wrench(name##_apply_dual(V, W), out);                                                             \
    }                                                                                                                  \
    hml_status hml_##name##_derivative(const double xi[6], const double delta[6], const double eta[6], double out[6])  \
    {                                                                                                                  \
        twist V, D, U;                                                                                                 \
        TRY(read_twist(xi, &V));                                                                                       \
        TRY(read_twist(delta, &D));                                                                                    \
        TRY(read_twist(eta, &U));                                                                                      \
        return write_twist(name##_derivative(V, D, U), out);                                                           \
    }

JACOBIAN(se3_dexp_left)
JACOBIAN(se3_dexp_right)
JACOBIAN(se3_dexp_left_inverse)
JACOBIAN(se3_dexp_right_inverse)

/* ---- between poses ---- */

hml_status hml_se3_interpolate(const double A[16], const double B[16], double t, double H[16])
{
    pose P, Q;
    num s;
    TRY(read_placement(A, &P));
    TRY(read_placement(B, &Q));
    TRY(read_number(t, &s));
    return write_pose(pose_mul(P, se3_exp(twist_scale(s, se3_log(pose_between(P, Q))))), H);
}

hml_status hml_se3_interpolate_split(const double A[16], const double B[16], double t, double H[16])
{
    pose P, Q;
    num s;
    TRY(read_placement(A, &P));
    TRY(read_placement(B, &Q));
    TRY(read_number(t, &s));
    vec3 phi = so3_log_quat(mat3_to_quat(mat3_tmul(P.R, Q.R)));
    mat3 R = mat3_mul(P.R, so3_exp(vec3_scale(s, phi)));
    return write_pose(pose_of(R, vec3_add(vec3_scale(1 - s, P.p), vec3_scale(s, Q.p))), H);
}

hml_status hml_se3_distance(const double A[16], const double B[16], double length, double *distance)
{
    pose P, Q;
    num l;
    TRY(read_placement(A, &P));
    TRY(read_placement(B, &Q));
    TRY(read_number(length, &l));
    if (l < 0) return HML_INVALID_ARGUMENT;
    vec3 d = vec3_sub(Q.p, P.p), phi = vec3_scale(l, so3_log_quat(mat3_to_quat(mat3_tmul(P.R, Q.R))));
    return write_number(hypot(hypot(hypot(d.x, d.y), d.z), vec3_norm(phi)), distance);
}
