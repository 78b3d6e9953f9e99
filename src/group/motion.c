/* Representations, accelerations and points: the public functions of hamel/se3.h about motions. */
#include "group/motion.h"

#include "group/arrays.h"
#include "hamel/se3.h"

static hml_status check_representation(hml_representation r)
{
    return (int)r >= HML_LEFT && (int)r <= HML_SPLIT ? HML_OK : HML_INVALID_ARGUMENT;
}

hml_status hml_representation_matrix(const double H[16], hml_representation representation, double T[36])
{
    pose A;
    TRY(read_pose(H, &A));
    TRY(check_representation(representation));
    if (!T) return HML_INVALID_ARGUMENT;
    mat3 one = mat3_identity(), zero = mat3_zero();
    switch (representation) {
    case HML_RIGHT: pose_ad_matrix(A, T); break;
    case HML_MIXED: mat6_store(A.R, zero, zero, A.R, T); break;
    case HML_SPLIT: mat6_store(A.R, zero, zero, one, T); break;
    default: mat6_store(one, zero, zero, one, T); break;
    }
    return HML_OK;
}

hml_status hml_twist_convert(const double H[16], hml_representation from, const double V[6], hml_representation to,
                             double out[6])
{
    pose A;
    twist U;
    TRY(check_representation(from));
    TRY(check_representation(to));
    TRY(read_pose(H, &A));
    TRY(read_twist(V, &U));
    return write_twist(from == to ? U : twist_from_left(to, A, twist_to_left(from, A, U)), out);
}

hml_status hml_wrench_convert(const double H[16], hml_representation from, const double F[6], hml_representation to,
                              double out[6])
{
    pose A;
    wrench W;
    TRY(check_representation(from));
    TRY(check_representation(to));
    TRY(read_pose(H, &A));
    TRY(read_wrench(F, &W));
    return write_wrench(from == to ? W : wrench_from_left(to, A, wrench_to_left(from, A, W)), out);
}

hml_status hml_se3_velocity(const double H[16], hml_representation representation, const double Hdot[16], double V[6])
{
    pose A, rate; /* Ṙ, ȯ: no pose, but the same places */
    TRY(check_representation(representation));
    TRY(read_placement(H, &A));
    TRY(read_pose(Hdot, &rate));
    mat3 W = mat3_tmul(A.R, rate.R); /* RᵀṘ, Notation (19) */
    vec3 twice = vec3_of(W.y.z - W.z.y, W.z.x - W.x.z, W.x.y - W.y.x);
    twist left = twist_of(mat3_tmul_vec(A.R, rate.p), vec3_scale(0.5, twice));
    return write_twist(twist_from_left(representation, A, left), V);
}

hml_status hml_se3_rate(const double H[16], hml_representation representation, const double V[6], double Hdot[16])
{
    pose A;
    twist U;
    TRY(check_representation(representation));
    TRY(read_pose(H, &A));
    TRY(read_twist(V, &U));
    U = twist_to_left(representation, A, U);
    TRY(write_pose(pose_of(mat3_mul(A.R, mat3_hat(U.w)), mat3_mul_vec(A.R, U.v)), Hdot));
    Hdot[15] = 0;
    return HML_OK;
}

hml_status hml_acceleration_convert(const double H[16], hml_representation from, const double V[6], const double dV[6],
                                    hml_representation to, double out[6])
{
    pose A;
    twist U, dU;
    TRY(check_representation(from));
    TRY(check_representation(to));
    TRY(read_pose(H, &A));
    TRY(read_twist(V, &U));
    TRY(read_twist(dV, &dU));
    if (from == to) return write_twist(dU, out);
    U = twist_to_left(from, A, U);
    return write_twist(acceleration_from_left(to, A, U, acceleration_to_left(from, A, U, dU)), out);
}

hml_status hml_acceleration_apparent(const double H_CB[16], const double V_CB[6], const double V_AB[6],
                                     const double a[6], double out[6])
{
    pose H;
    twist C, B, x;
    TRY(read_pose(H_CB, &H));
    TRY(read_twist(V_CB, &C));
    TRY(read_twist(V_AB, &B));
    TRY(read_twist(a, &x));
    return write_twist(acceleration_apparent(H, C, B, x), out);
}

hml_status hml_acceleration_intrinsic(const double H_CB[16], const double V_CB[6], const double V_AB[6],
                                      const double apparent[6], double out[6])
{
    pose H;
    twist C, B, x;
    TRY(read_pose(H_CB, &H));
    TRY(read_twist(V_CB, &C));
    TRY(read_twist(V_AB, &B));
    TRY(read_twist(apparent, &x));
    return write_twist(acceleration_of_apparent(H, C, B, x), out);
}

hml_status hml_acceleration_add_frame(const double V_AC[6], const double V_AB[6], const double apparent[6],
                                      double out[6])
{
    twist C, B, x;
    TRY(read_twist(V_AC, &C));
    TRY(read_twist(V_AB, &B));
    TRY(read_twist(apparent, &x));
    return write_twist(twist_add(x, twist_cross(C, B)), out);
}

hml_status hml_acceleration_drop_frame(const double V_AC[6], const double V_AB[6], const double intrinsic[6],
                                       double out[6])
{
    twist C, B, x;
    TRY(read_twist(V_AC, &C));
    TRY(read_twist(V_AB, &B));
    TRY(read_twist(intrinsic, &x));
    return write_twist(twist_sub(x, twist_cross(C, B)), out);
}

/* NULL: the point does not move in B */
static hml_status read_rate(const double *x, vec3 *rate)
{
    *rate = vec3_zero();
    return x ? read_vec3(x, rate) : HML_OK;
}

hml_status hml_point_velocity(const double H[16], const double V[6], const double point[3], const double rate[3],
                              double out[3])
{
    pose A;
    twist U;
    vec3 p, p1;
    TRY(read_pose(H, &A));
    TRY(read_twist(V, &U));
    TRY(read_vec3(point, &p));
    TRY(read_rate(rate, &p1));
    return write_vec3(point_velocity(A, U, p, p1), out);
}

hml_status hml_point_acceleration(const double H[16], const double V[6], const double dV[6], const double point[3],
                                  const double rate[3], const double second_rate[3], double out[3])
{
    pose A;
    twist U, dU;
    vec3 p, p1, p2;
    TRY(read_pose(H, &A));
    TRY(read_twist(V, &U));
    TRY(read_twist(dV, &dU));
    TRY(read_vec3(point, &p));
    TRY(read_rate(rate, &p1));
    TRY(read_rate(second_rate, &p2));
    return write_vec3(point_acceleration(A, U, dU, p, p1, p2), out);
}
