/* SO(3) */
#ifndef HAMEL_SO3_H
#define HAMEL_SO3_H

#include <stddef.h>

#include "hamel/isa.h"
#include "hamel/status.h"

/*
 * ---- batches ----
 *
 * n rows in, n rows out, row after row without gaps, through the kernels of one instruction set. A row that holds NaN,
 * infinity or a quaternion that is none becomes a row of NaN and does not touch its neighbours; the same row gives the
 * same bits whatever its place and whatever n. HML_INVALID_ARGUMENT if the instruction set is not there or an array is
 * missing. The versions for float run one row at a time.
 */

/* rotation vectors (n x 3) to rotation matrices (n x 9) */
HML_API hml_status hml_so3_exp_batch(hml_isa isa, size_t n, const double *phi, double *R);
HML_API hml_status hml_so3_exp_batch_f32(size_t n, const float *phi, float *R);

/* quaternions (n x 4, any length but zero) to rotation vectors (n x 3) */
HML_API hml_status hml_so3_log_batch(hml_isa isa, size_t n, const double *q, double *phi);
HML_API hml_status hml_so3_log_batch_f32(size_t n, const float *q, float *phi);

/* rotation vectors (n x 3) to left Jacobians Γ(φ) (n x 9) */
HML_API hml_status hml_so3_dexp_batch(hml_isa isa, size_t n, const double *phi, double *J);
HML_API hml_status hml_so3_dexp_batch_f32(size_t n, const float *phi, float *J);

/* quaternions (n x 4, length within 1e-3 of 1) to rotation matrices (n x 9) */
HML_API hml_status hml_quat_to_matrix_batch(hml_isa isa, size_t n, const double *q, double *R);
HML_API hml_status hml_quat_to_matrix_batch_f32(size_t n, const float *q, float *R);

#endif
