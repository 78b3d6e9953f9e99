/* Between the arrays of a model (row-major) and the values of group/spatial.h. Doubles only. */
#ifndef HML_MODEL_POSE_H
#define HML_MODEL_POSE_H

#include "group/spatial.h"

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

static inline pose pose_of_arrays(const double R[9], const double p[3]) { return pose_of(mat3_at(R, 3), vec3_at(p)); }

static inline void pose_to_arrays(pose A, double R[9], double p[3])
{
    mat3_put(A.R, R, 3);
    vec3_put(A.p, p);
}

#endif
