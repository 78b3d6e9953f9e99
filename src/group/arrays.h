/*
 * Between the arrays of the public functions and the values of spatial.h: num = double. Reading checks: a missing array
 * is HML_INVALID_ARGUMENT, NaN or infinity HML_NOT_FINITE. Everything is read before anything is written, so that an
 * output may be one of the inputs.
 */
#ifndef HML_GROUP_ARRAYS_H
#define HML_GROUP_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

#include "base/finite.h"
#include "group/se3.h"
#include "hamel/base.h"

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        hml_status status_ = (call);                                                                                   \
        if (status_ != HML_OK) return status_;                                                                         \
    } while (0)

/* ---- reading ---- */

static inline hml_status read_check(const double *x, int n)
{
    if (!x) return HML_INVALID_ARGUMENT;
    return finite_array(x, (size_t)n);
}

/* [v; ω] of a 4x4 matrix [ω^ v; 0 0], Notation (8); of the upper left block the skew part */
static inline twist array_vee(const double x[16])
{
    vec3 twice = vec3_of(x[9] - x[6], x[2] - x[8], x[4] - x[1]);
    return twist_of(vec3_of(x[3], x[7], x[11]), vec3_scale(K(0.5), twice));
}

static inline hml_status read_number(double x, num *out)
{
    *out = x;
    return read_check(&x, 1);
}

static inline hml_status read_vec3(const double x[3], vec3 *a)
{
    TRY(read_check(x, 3));
    *a = vec3_at(x);
    return HML_OK;
}

static inline hml_status read_twist(const double x[6], twist *V)
{
    TRY(read_check(x, 6));
    *V = twist_at(x);
    return HML_OK;
}

static inline hml_status read_wrench(const double x[6], wrench *F)
{
    TRY(read_check(x, 6));
    *F = wrench_at(x);
    return HML_OK;
}

static inline hml_status read_rotation(const double x[9], mat3 *R)
{
    TRY(read_check(x, 9));
    *R = mat3_at(x, 3);
    return HML_OK;
}

/* the first three rows; the fourth is never read */
static inline hml_status read_pose(const double H[16], pose *A)
{
    TRY(read_check(H, 12));
    *A = pose_at(H);
    return HML_OK;
}

/* RᵀR within 1e-3 of the identity and right-handed, else HML_NOT_NORMALIZED */
static inline hml_status rotation_check(mat3 R)
{
    mat3 E = mat3_sub(mat3_tmul(R, R), mat3_identity());
    const double *e = (const double *)&E;
    for (int i = 0; i < 9; i++) {
        if (!(e[i] <= 1e-3 && e[i] >= -1e-3)) return HML_NOT_NORMALIZED;
    }
    return vec3_dot(vec3_cross(R.x, R.y), R.z) > 0 ? HML_OK : HML_NOT_NORMALIZED;
}

/* a pose whose rotation must be one, because its logarithm is taken */
static inline hml_status read_placement(const double H[16], pose *A)
{
    TRY(read_pose(H, A));
    return rotation_check(A->R);
}

/* ---- writing ---- */

static inline hml_status write_number(num x, double *out)
{
    if (!out) return HML_INVALID_ARGUMENT;
    *out = x;
    return HML_OK;
}

static inline hml_status write_vec3(vec3 a, double out[3])
{
    if (!out) return HML_INVALID_ARGUMENT;
    vec3_put(a, out);
    return HML_OK;
}

static inline hml_status write_pair(vec3 a, vec3 b, double out[6])
{
    TRY(write_vec3(a, out));
    return write_vec3(b, out + 3);
}

static inline hml_status write_twist(twist V, double out[6]) { return write_pair(V.v, V.w, out); }
static inline hml_status write_wrench(wrench F, double out[6]) { return write_pair(F.f, F.t, out); }

static inline hml_status write_pose(pose A, double H[16])
{
    if (!H) return HML_INVALID_ARGUMENT;
    pose_matrix(A, H);
    return HML_OK;
}

#endif
