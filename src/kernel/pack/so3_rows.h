/*
 * Row maps of the group layer: n rows of numbers in, n rows out, LANES rows at a time. A body works on one pack:
 * x[k] holds entry k of LANES rows, y[k] entry k of their results.
 */
#ifndef HML_KERNEL_PACK_SO3_ROWS_H
#define HML_KERNEL_PACK_SO3_ROWS_H

#include "group/so3.h"
#include "kernel/pack/row_map.h"
#include "kernel/pack/se3_rows.h"
#include "kernel/table.h"

/* ---- rows of vectors, quaternions and matrices ---- */

static inline vec3 row_vec3(const num *x) { return vec3_of(x[0], x[1], x[2]); }
static inline quat row_quat(const num *x) { return quat_of(x[0], x[1], x[2], x[3]); }

static inline void vec3_to_row(vec3 a, num *y) { y[0] = a.x, y[1] = a.y, y[2] = a.z; }

static inline void mat3_to_row(mat3 A, num *y)
{
    mat3 r = mat3_transpose(A);
    vec3_to_row(r.x, y), vec3_to_row(r.y, y + 3), vec3_to_row(r.z, y + 6);
}

/* ---- bodies ---- */

static inline void so3_exp_row(const num *x, num *y) { mat3_to_row(so3_exp(row_vec3(x)), y); }
static inline void so3_dexp_row(const num *x, num *y) { mat3_to_row(so3_dexp_left(row_vec3(x)), y); }

/* an infinite entry alone would leave zeros in the result: x − x makes NaN of it, and zero of everything else */
static inline void so3_log_row(const num *x, num *y)
{
    num one = K(1) + ((x[0] - x[0]) + (x[1] - x[1]) + (x[2] - x[2]) + (x[3] - x[3]));
    vec3_to_row(vec3_scale(one, so3_log_quat(row_quat(x))), y);
}

/* normalizes lengths within 1e-3 of 1; a row beyond becomes NaN */
static inline void quat_to_matrix_row(const num *x, num *y)
{
    quat q = row_quat(x);
    num n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    mask good = num_lt(K(0.999 * 0.999), n2) & num_lt(n2, K(1.001 * 1.001));
    num s = K(1) / num_sqrt(num_select(good, n2, K(NAN)));
    mat3_to_row(quat_to_mat3(quat_of(s * q.w, s * q.x, s * q.y, s * q.z)), y);
}

/* ---- the functions of the table ---- */

#define ROWS(name, ins, outs)                                                                                          \
    static void name##_rows(size_t n, const lane *in, lane *out) { rows_map(n, ins, outs, name##_row, in, out); }
ROW_MAPS(ROWS)
#undef ROWS

#endif
