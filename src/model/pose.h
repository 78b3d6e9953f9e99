/* Between the arrays of a model (row-major) and the values of group/spatial.h. Doubles only. */
#ifndef HML_MODEL_POSE_H
#define HML_MODEL_POSE_H

#include "group/spatial.h"

static inline vec3 vec3_of_array(const double a[3]) { return vec3_of(a[0], a[1], a[2]); }
static inline void vec3_to_array(vec3 a, double out[3]) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

static inline mat3 mat3_of_rows(const double A[9])
{
    return mat3_of(vec3_of(A[0], A[3], A[6]), vec3_of(A[1], A[4], A[7]), vec3_of(A[2], A[5], A[8]));
}

static inline void mat3_to_rows(mat3 A, double out[9])
{
    out[0] = A.x.x, out[1] = A.y.x, out[2] = A.z.x;
    out[3] = A.x.y, out[4] = A.y.y, out[5] = A.z.y;
    out[6] = A.x.z, out[7] = A.y.z, out[8] = A.z.z;
}

/* xx xy xz yy yz zz */
static inline sym3 sym3_of_array(const double A[6]) { return sym3_of(A[0], A[1], A[2], A[3], A[4], A[5]); }

static inline void sym3_to_array(sym3 A, double out[6])
{
    out[0] = A.xx, out[1] = A.xy, out[2] = A.xz, out[3] = A.yy, out[4] = A.yz, out[5] = A.zz;
}

/* symmetric part of a row-major 3x3 */
static inline sym3 sym3_of_rows(const double A[9])
{
    return sym3_of(A[0], 0.5 * (A[1] + A[3]), 0.5 * (A[2] + A[6]), A[4], 0.5 * (A[5] + A[7]), A[8]);
}

static inline void sym3_array_to_rows(const double A[6], double out[9])
{
    out[0] = A[0], out[1] = A[1], out[2] = A[2];
    out[3] = A[1], out[4] = A[3], out[5] = A[4];
    out[6] = A[2], out[7] = A[4], out[8] = A[5];
}

static inline pose pose_of_arrays(const double R[9], const double p[3])
{
    return pose_of(mat3_of_rows(R), vec3_of_array(p));
}

static inline void pose_to_arrays(pose A, double R[9], double p[3])
{
    mat3_to_rows(A.R, R);
    vec3_to_array(A.p, p);
}

#endif
