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

/* ---- bodies ---- */

static inline void so3_exp_row(const num *x, num *y) { mat3_put(so3_exp(vec3_at(x)), y, 3); }
static inline void so3_dexp_left_row(const num *x, num *y) { mat3_put(so3_dexp_left(vec3_at(x)), y, 3); }

/* a single infinite entry would leave zeros in the result: x − x is NaN there, and zero for finite x */
static inline void quat_to_rotvec_row(const num *x, num *y)
{
    num one = K(1) + ((x[0] - x[0]) + (x[1] - x[1]) + (x[2] - x[2]) + (x[3] - x[3]));
    vec3_put(vec3_scale(one, so3_log_quat(quat_at(x))), y);
}

/* normalizes lengths within 1e-3 of 1; any other row becomes NaN */
static inline void quat_to_matrix_row(const num *x, num *y)
{
    quat q = quat_at(x);
    num square = quat_square(q);
    num s = K(1) / num_sqrt(num_select(square_is_unit(square), square, K(NAN)));
    mat3_put(quat_to_mat3(quat_of(s * q.w, s * q.x, s * q.y, s * q.z)), y, 3);
}

/* ---- the functions of the table ---- */

#define ROWS(name, ins, outs)                                                                                          \
    static void name##_rows(size_t n, const lane *in, lane *out) { rows_map(n, ins, outs, name##_row, in, out); }
ROW_MAPS(ROWS)
#undef ROWS

#endif
