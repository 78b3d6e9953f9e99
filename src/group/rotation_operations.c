/* Operations on rotations of any parameterization, and their derivatives: hamel/rotation.h over double. */
#include <string.h>

#include "group/rotation_derivatives.h"
#include "group/rotation_kinds.h"

static const struct {
    const char *name;
    int size;
} KINDS[] = {{"matrix", 9}, {"quat", 4}, {"angle_axis", 4}, {"rotvec", 3}, {"euler_zyx", 3}, {"euler_xyz", 3}};

static int known(hml_rotation kind) { return kind >= HML_ROTATION_MATRIX && kind <= HML_ROTATION_EULER_XYZ; }

int hml_rotation_count(hml_rotation kind) { return known(kind) ? KINDS[kind].size : 0; }
const char *hml_rotation_name(hml_rotation kind) { return known(kind) ? KINDS[kind].name : NULL; }

hml_status hml_rotation_from_name(const char *name, hml_rotation *kind)
{
    if (!name || !kind) return HML_INVALID_ARGUMENT;
    for (int i = 0; i < (int)(sizeof KINDS / sizeof *KINDS); i++) {
        if (strcmp(name, KINDS[i].name) != 0) continue;
        *kind = (hml_rotation)i;
        return HML_OK;
    }
    return HML_NOT_FOUND;
}

hml_status hml_rotation_convert(hml_rotation from, const double *x, hml_rotation to, double *y)
{
    quat q;
    TRY(rotation_in(from, x, &q));
    return rotation_out(to, q, y);
}

/* ---- reading ---- */

static hml_status read_sided(hml_side side, hml_rotation kind, const double *x, quat *q)
{
    TRY(read_side(side));
    return rotation_in(kind, x, q);
}

/* a and b, and v = a ⊟ b */
static hml_status read_difference(hml_side side, hml_rotation kind, const double *a, const double *b, vec3 *v)
{
    quat p, q;
    TRY(read_sided(side, kind, a, &p));
    TRY(rotation_in(kind, b, &q));
    *v = so3_log_quat(side == HML_GLOBAL ? quat_mul(p, quat_conj(q)) : quat_mul(quat_conj(q), p));
    return HML_OK;
}

static hml_status read_time(double t, num *s)
{
    TRY(read_number(t, s));
    return rotation_abs(*s) > 1e150 ? HML_INVALID_ARGUMENT : HML_OK;
}

static void put_mat3(mat3 A, double *out)
{
    if (out) write_mat3(A, out);
}

/* ---- operations ---- */

hml_status hml_rotation_compose(hml_rotation kind, const double *a, const double *b, double *out)
{
    quat p, q;
    TRY(rotation_in(kind, a, &p));
    TRY(rotation_in(kind, b, &q));
    return rotation_result(kind, quat_mul(p, q), out);
}

hml_status hml_rotation_invert(hml_rotation kind, const double *x, double *out)
{
    quat q;
    TRY(rotation_in(kind, x, &q));
    return rotation_result(kind, quat_conj(q), out);
}

hml_status hml_rotation_rotate(hml_rotation kind, const double *x, const double r[3], double rotated[3])
{
    quat q;
    vec3 v;
    TRY(rotation_in(kind, x, &q));
    TRY(read_vec3(r, &v));
    return write_vec3(quat_rotate(q, v), rotated);
}

hml_status hml_rotation_boxplus(hml_rotation kind, hml_side side, const double *x, const double v[3], double *out)
{
    quat q;
    vec3 phi;
    TRY(read_sided(side, kind, x, &q));
    TRY(read_rotvec(v, &phi));
    quat e = so3_exp_quat(phi);
    return rotation_result(kind, side == HML_GLOBAL ? quat_mul(e, q) : quat_mul(q, e), out);
}

hml_status hml_rotation_boxminus(hml_rotation kind, hml_side side, const double *a, const double *b, double v[3])
{
    vec3 d;
    TRY(read_difference(side, kind, a, b, &d));
    return write_vec3(d, v);
}

hml_status hml_rotation_slerp(hml_rotation kind, const double *a, const double *b, double t, double *out)
{
    quat p, q;
    num s;
    TRY(rotation_in(kind, a, &p));
    TRY(rotation_in(kind, b, &q));
    TRY(read_time(t, &s));
    return rotation_result(kind, quat_slerp(p, q, s), out);
}

/* ---- derivatives ---- */

hml_status hml_rotation_compose_derivatives(hml_rotation kind, hml_side side, const double *a, const double *b,
                                            double Da[9], double Db[9])
{
    quat p, q;
    TRY(read_sided(side, kind, a, &p));
    TRY(rotation_in(kind, b, &q));
    put_mat3(side == HML_GLOBAL ? mat3_identity() : mat3_transpose(quat_to_mat3(q)), Da);
    put_mat3(side == HML_GLOBAL ? quat_to_mat3(p) : mat3_identity(), Db);
    return HML_OK;
}

hml_status hml_rotation_invert_derivative(hml_rotation kind, hml_side side, const double *x, double D[9])
{
    quat q;
    TRY(read_sided(side, kind, x, &q));
    mat3 C = quat_to_mat3(q);
    put_mat3(mat3_scale(K(-1), side == HML_GLOBAL ? mat3_transpose(C) : C), D);
    return HML_OK;
}

hml_status hml_rotation_rotate_derivatives(hml_rotation kind, hml_side side, const double *x, const double r[3],
                                           double Dx[9], double Dr[9])
{
    quat q;
    vec3 v;
    TRY(read_sided(side, kind, x, &q));
    TRY(read_vec3(r, &v));
    mat3 C = quat_to_mat3(q);
    put_mat3(side == HML_GLOBAL ? mat3_hat(vec3_neg(mat3_mul_vec(C, v))) : mat3_mul(C, mat3_hat(vec3_neg(v))), Dx);
    put_mat3(C, Dr);
    return HML_OK;
}

hml_status hml_rotation_boxplus_derivatives(hml_rotation kind, hml_side side, const double *x, const double v[3],
                                            double Dx[9], double Dv[9])
{
    quat q;
    vec3 phi;
    mat3 A, B;
    TRY(read_sided(side, kind, x, &q));
    TRY(read_rotvec(v, &phi));
    boxplus_derivatives(side, phi, &A, &B);
    put_mat3(A, Dx);
    put_mat3(B, Dv);
    return HML_OK;
}

hml_status hml_rotation_boxminus_derivatives(hml_rotation kind, hml_side side, const double *a, const double *b,
                                             double Da[9], double Db[9])
{
    vec3 v;
    mat3 A, B;
    TRY(read_difference(side, kind, a, b, &v));
    boxminus_derivatives(side, v, &A, &B);
    put_mat3(A, Da);
    put_mat3(B, Db);
    return HML_OK;
}

hml_status hml_rotation_slerp_derivatives(hml_rotation kind, hml_side side, const double *a, const double *b, double t,
                                          double Da[9], double Db[9], double Dt[3])
{
    vec3 v;
    num s;
    mat3 A, B;
    TRY(read_difference(side, kind, b, a, &v));
    TRY(read_time(t, &s));
    slerp_derivatives(side, v, s, &A, &B);
    put_mat3(A, Da);
    put_mat3(B, Db);
    if (Dt) write_vec3(v, Dt);
    return HML_OK;
}

/* ---- rates as matrices: both are linear, and here are their columns ---- */

typedef hml_status rate_function(hml_side, const double *, const double *, double *);

static rate_function *const RATES[] = {hml_matrix_rate, hml_quat_rate,      hml_angle_axis_rate,
                                       hml_rotvec_rate, hml_euler_zyx_rate, hml_euler_xyz_rate};
static rate_function *const VELOCITIES[] = {hml_matrix_velocity, hml_quat_velocity,      hml_angle_axis_velocity,
                                            hml_rotvec_velocity, hml_euler_zyx_velocity, hml_euler_xyz_velocity};

/* rows × columns from the images of the unit vectors */
static hml_status write_linear(rate_function *f, hml_side side, const double *x, int rows, int columns, double *out)
{
    double matrix[3 * HML_ROTATION_MAX_COUNT], unit[HML_ROTATION_MAX_COUNT], image[HML_ROTATION_MAX_COUNT];
    if (!out) return HML_INVALID_ARGUMENT;
    for (int c = 0; c < columns; c++) {
        for (int k = 0; k < columns; k++) unit[k] = k == c;
        TRY(f(side, x, unit, image));
        for (int r = 0; r < rows; r++) matrix[r * columns + c] = image[r];
    }
    memcpy(out, matrix, (size_t)(rows * columns) * sizeof *out);
    return HML_OK;
}

hml_status hml_rotation_velocity_matrix(hml_rotation kind, hml_side side, const double *x, double *E)
{
    if (!known(kind)) return HML_INVALID_ARGUMENT;
    return write_linear(VELOCITIES[kind], side, x, 3, KINDS[kind].size, E);
}

hml_status hml_rotation_rate_matrix(hml_rotation kind, hml_side side, const double *x, double *F)
{
    if (!known(kind)) return HML_INVALID_ARGUMENT;
    return write_linear(RATES[kind], side, x, KINDS[kind].size, 3, F);
}
