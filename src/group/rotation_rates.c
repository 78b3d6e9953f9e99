/* Rates of the rotation parameterizations: the public functions of hamel/so3.h over double. */
#include "group/rotation_rates.h"

#include "group/rotation_arrays.h"
#include "hamel/so3.h"

static hml_status read_side_and_velocity(hml_side side, const double w[3], vec3 *v)
{
    TRY(read_side(side));
    return read_vec3(w, v);
}

/* ---- without a singularity ---- */

hml_status hml_matrix_rate(hml_side side, const double C[9], const double w[3], double rate[9])
{
    mat3 R;
    vec3 v;
    TRY(read_side_and_velocity(side, w, &v));
    TRY(read_matrix(C, &R));
    return write_mat3(mat3_rate(side, R, v), rate);
}

hml_status hml_matrix_velocity(hml_side side, const double C[9], const double rate[9], double w[3])
{
    mat3 R, D;
    TRY(read_side(side));
    TRY(read_matrix(C, &R));
    TRY(read_rotation(rate, &D));
    return write_vec3(mat3_velocity(side, R, D), w);
}

hml_status hml_quat_rate(hml_side side, const double q[4], const double w[3], double rate[4])
{
    quat p;
    vec3 v;
    TRY(read_side_and_velocity(side, w, &v));
    TRY(read_quat(q, &p));
    return write_quat(quat_rate(side, p, v), rate);
}

hml_status hml_quat_velocity(hml_side side, const double q[4], const double rate[4], double w[3])
{
    quat p, d;
    TRY(read_side(side));
    TRY(read_quat(q, &p));
    TRY(read_hypercomplex(rate, &d));
    return write_vec3(quat_velocity(side, p, d), w);
}

/* ---- with singularities ---- */

hml_status hml_angle_axis_rate(hml_side side, const double a[4], const double w[3], double rate[4])
{
    angle_axis b, d;
    vec3 v;
    TRY(read_side_and_velocity(side, w, &v));
    TRY(read_angle_axis(a, &b));
    if (!angle_axis_rate(side, b, v, &d)) return HML_SINGULAR_PARAMETERIZATION;
    TRY(write_angle_axis(d, rate));
    return read_check(rate, 4) == HML_OK ? HML_OK : HML_SINGULAR_PARAMETERIZATION; /* 1/θ may overflow */
}

hml_status hml_angle_axis_velocity(hml_side side, const double a[4], const double rate[4], double w[3])
{
    angle_axis b;
    TRY(read_side(side));
    TRY(read_angle_axis(a, &b));
    TRY(read_check(rate, 4));
    return write_vec3(angle_axis_velocity(side, b, angle_axis_of(rate[0], vec3_at(rate + 1))), w);
}

hml_status hml_rotvec_rate(hml_side side, const double phi[3], const double w[3], double rate[3])
{
    vec3 p, v, d;
    TRY(read_side_and_velocity(side, w, &v));
    TRY(read_rotvec(phi, &p));
    if (!rotvec_rate(side, p, v, &d)) return HML_SINGULAR_PARAMETERIZATION;
    return write_vec3(d, rate);
}

hml_status hml_rotvec_velocity(hml_side side, const double phi[3], const double rate[3], double w[3])
{
    vec3 p, d;
    TRY(read_side_and_velocity(side, rate, &d));
    TRY(read_rotvec(phi, &p));
    return write_vec3(rotvec_velocity(side, p, d), w);
}

static hml_status write_euler_rate(hml_side side, euler_order order, const double e[3], const double w[3],
                                   double rate[3])
{
    euler f, d;
    vec3 v;
    TRY(read_side_and_velocity(side, w, &v));
    TRY(read_euler(e, &f));
    if (!euler_rate(side, order, f, v, &d)) return HML_SINGULAR_PARAMETERIZATION;
    return write_euler(d, rate);
}

static hml_status write_euler_velocity(hml_side side, euler_order order, const double e[3], const double rate[3],
                                       double w[3])
{
    euler f, d;
    TRY(read_side(side));
    TRY(read_euler(e, &f));
    TRY(read_euler(rate, &d));
    return write_vec3(euler_velocity(side, order, f, d), w);
}

hml_status hml_euler_zyx_rate(hml_side side, const double e[3], const double w[3], double rate[3])
{
    return write_euler_rate(side, EULER_ZYX, e, w, rate);
}

hml_status hml_euler_zyx_velocity(hml_side side, const double e[3], const double rate[3], double w[3])
{
    return write_euler_velocity(side, EULER_ZYX, e, rate, w);
}

hml_status hml_euler_xyz_rate(hml_side side, const double e[3], const double w[3], double rate[3])
{
    return write_euler_rate(side, EULER_XYZ, e, w, rate);
}

hml_status hml_euler_xyz_velocity(hml_side side, const double e[3], const double rate[3], double w[3])
{
    return write_euler_velocity(side, EULER_XYZ, e, rate, w);
}
