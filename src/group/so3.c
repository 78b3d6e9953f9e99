/* Exponential, logarithm and Jacobians of SO(3): the public functions of hamel/so3.h over double. */
#include "hamel/so3.h"

#include "group/rotation_arrays.h"

hml_status hml_so3_hat(const double w[3], double W[9])
{
    vec3 v;
    TRY(read_vec3(w, &v));
    return write_mat3(mat3_hat(v), W);
}

hml_status hml_so3_vee(const double W[9], double w[3])
{
    mat3 A;
    TRY(read_rotation(W, &A)); /* no rotation, but the same places */
    vec3 twice = vec3_of(A.y.z - A.z.y, A.z.x - A.x.z, A.x.y - A.y.x);
    return write_vec3(vec3_scale(0.5, twice), w);
}

hml_status hml_so3_exp(const double phi[3], double C[9])
{
    vec3 v;
    TRY(read_rotvec(phi, &v));
    return write_mat3(so3_exp(v), C);
}

hml_status hml_so3_log(const double C[9], double phi[3])
{
    mat3 R;
    TRY(read_matrix(C, &R));
    return write_vec3(so3_log_quat(mat3_to_quat(R)), phi);
}

/* is Γ(φ) not invertible to half the digits? Its determinant is σ², σ = sin(θ/2)/(θ/2) */
static hml_status check_inverse(vec3 phi)
{
    num sinc, cosine;
    so3_half(vec3_dot(phi, phi), &sinc, &cosine);
    return rotation_abs(sinc) > rotation_singular() ? HML_OK : HML_SINGULAR_PARAMETERIZATION;
}

static hml_status check_nothing(vec3 phi)
{
    (void)phi;
    return HML_OK;
}

/* the four functions of one Jacobian */
#define JACOBIAN(name, check)                                                                                          \
    hml_status hml_##name(const double phi[3], double J[9])                                                            \
    {                                                                                                                  \
        vec3 v;                                                                                                        \
        TRY(read_rotvec(phi, &v));                                                                                     \
        TRY(check(v));                                                                                                 \
        return write_mat3(name(v), J);                                                                                 \
    }                                                                                                                  \
    hml_status hml_##name##_apply(const double phi[3], const double u[3], double out[3])                               \
    {                                                                                                                  \
        vec3 v, w;                                                                                                     \
        TRY(read_rotvec(phi, &v));                                                                                     \
        TRY(read_vec3(u, &w));                                                                                         \
        TRY(check(v));                                                                                                 \
        return write_vec3(name##_apply(v, w), out);                                                                    \
    }                                                                                                                  \
    hml_status hml_##name##_derivative(const double phi[3], const double delta[3], const double u[3], double out[3])   \
    {                                                                                                                  \
        vec3 v, d, w;                                                                                                  \
        TRY(read_rotvec(phi, &v));                                                                                     \
        TRY(read_vec3(delta, &d));                                                                                     \
        TRY(read_vec3(u, &w));                                                                                         \
        TRY(check(v));                                                                                                 \
        return write_vec3(mat3_mul_vec(name##_derivative(v, d), w), out);                                              \
    }                                                                                                                  \
    hml_status hml_##name##_gradient(const double phi[3], const double u[3], double G[9])                              \
    {                                                                                                                  \
        vec3 v, w;                                                                                                     \
        TRY(read_rotvec(phi, &v));                                                                                     \
        TRY(read_vec3(u, &w));                                                                                         \
        TRY(check(v));                                                                                                 \
        return write_mat3(name##_gradient(v, w), G);                                                                   \
    }

JACOBIAN(so3_dexp_left, check_nothing)
JACOBIAN(so3_dexp_right, check_nothing)
JACOBIAN(so3_dexp_left_inverse, check_inverse)
JACOBIAN(so3_dexp_right_inverse, check_inverse)
