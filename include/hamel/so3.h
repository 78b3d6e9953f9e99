/*
 * Rotations: the group SO(3), six ways to write its elements down, their rates and derivatives.
 *
 *   The algebra           hml_so3_hat  hml_so3_vee
 *   The group             hml_so3_exp  hml_so3_log
 *                         hml_so3_dexp_left  hml_so3_dexp_right  hml_so3_dexp_left_inverse
 *                         hml_so3_dexp_right_inverse, each also with _apply, _derivative, _gradient
 *   Conversions           hml_<a>_to_<b> for every pair of matrix, quat, angle_axis, rotvec, euler_zyx, euler_xyz
 *   Unique forms          hml_quat_unique  hml_angle_axis_unique  hml_rotvec_unique
 *                         hml_euler_zyx_unique  hml_euler_xyz_unique
 *   Operations            hml_quat_compose  hml_quat_invert  hml_quat_rotate  hml_quat_rotate_inverse
 *                         hml_quat_boxplus  hml_quat_boxminus  hml_quat_slerp  hml_quat_distance
 *                         hml_quat_random  hml_matrix_project
 *   Derivatives of those  hml_quat_compose_derivatives  hml_quat_invert_derivative  hml_quat_rotate_derivatives
 *   Quaternion matrices   hml_quat_left_matrix  hml_quat_right_matrix  hml_quat_velocity_matrix
 *   Rates                 hml_<a>_rate and hml_<a>_velocity for each of the six; as matrices: rotation.h
 *   Batches               hml_so3_exp_batch  hml_so3_dexp_left_batch  hml_quat_to_rotvec_batch
 *                         hml_quat_to_matrix_batch  and the same with _f32
 *
 * C_IB, the rotation of a body B in a frame I, takes coordinates from B to I (active: it rotates the vector; its
 * inverse is Kindr's passive rotation). Its parameters:
 *
 *   matrix      C[9]          3x3, row-major
 *   quat        q[4]          w, x, y, z; Hamilton, unit; q and −q are the same rotation
 *   angle_axis  a[4]          angle, then the unit axis
 *   rotvec      phi[3]        angle times axis
 *   euler_zyx   e[3]          z, y, x: C = C_z(z) C_y(y) C_x(x), yaw-pitch-roll; singular at y = ±90°
 *   euler_xyz   e[3]          x, y, z: C = C_x(x) C_y(y) C_z(z), roll-pitch-yaw; singular at y = ±90°
 *
 * Every function returns a status. HML_INVALID_ARGUMENT: a NULL array, an unknown side, a rotation vector longer than
 * 1e150. HML_NOT_FINITE: NaN or infinity in an input. HML_NOT_NORMALIZED: a quaternion, axis or matrix whose lengths
 * (or right angles) are off by more than 1e-3; nearer quaternions and axes are normalized. Outputs may be the inputs.
 */
#ifndef HAMEL_SO3_H
#define HAMEL_SO3_H

#include <stddef.h>

#include "hamel/base.h"

/*
 * On which side of a rotation Φ a tangent vector v acts:
 *   local    in B: Φ exp(v), velocity _Bω_IB (left-trivialized)
 *   global   in I: exp(v) Φ, velocity _Iω_IB = C_IB _Bω_IB (right-trivialized); Kindr's ⊞ and ⊟
 */
typedef enum hml_side { HML_LOCAL = 0, HML_GLOBAL = 1 } hml_side;

/*
 * ---- the group ----
 *
 * With θ = |φ| and φ^ u = φ × u. Accurate at every angle from 0 to π and beyond.
 */

/* ω^, 3x3: ω^ u = ω × u, Notation (5) */
HML_API hml_status hml_so3_hat(const double w[3], double W[9]);

/* the inverse of hat, Notation (6), applied to the skew part of the matrix */
HML_API hml_status hml_so3_vee(const double W[9], double w[3]);

/* C = exp(φ^) = I + (sin θ/θ) φ^ + ((1 − cos θ)/θ²) φ^² */
HML_API hml_status hml_so3_exp(const double phi[3], double C[9]);

/* the φ with exp(φ^) = C and |φ| <= π */
HML_API hml_status hml_so3_log(const double C[9], double phi[3]);

/*
 * Jacobians of the exponential, 3x3. With C(t) = exp(φ(t)^):
 *
 *   left            Γ(φ) = I + ((1 − cos θ)/θ²) φ^ + ((θ − sin θ)/θ³) φ^², Kindr's Γ: the global velocity is Γ(φ) φ̇
 *   right           Γ(−φ) = Γ(φ)ᵀ: the local velocity is Γ(−φ) φ̇
 *   left_inverse    Γ(φ)⁻¹ = I − ½ φ^ + (1 − (θ/2) cot(θ/2))/θ² φ^²: the derivative of log, global
 *   right_inverse   Γ(−φ)⁻¹: the derivative of log, local
 *
 *   (none)        J                                        _apply      J u
 *   _derivative   d/dε J(φ + ε δ) u at ε = 0                _gradient   ∂(J(φ) u)/∂φ, 3x3
 *
 * The inverses return HML_SINGULAR_PARAMETERIZATION where θ is a multiple of 2π but not 0.
 */
HML_API hml_status hml_so3_dexp_left(const double phi[3], double J[9]);
HML_API hml_status hml_so3_dexp_left_apply(const double phi[3], const double u[3], double out[3]);
HML_API hml_status hml_so3_dexp_left_derivative(const double phi[3], const double delta[3], const double u[3],
                                                double out[3]);
HML_API hml_status hml_so3_dexp_left_gradient(const double phi[3], const double u[3], double G[9]);

HML_API hml_status hml_so3_dexp_right(const double phi[3], double J[9]);
HML_API hml_status hml_so3_dexp_right_apply(const double phi[3], const double u[3], double out[3]);
HML_API hml_status hml_so3_dexp_right_derivative(const double phi[3], const double delta[3], const double u[3],
                                                 double out[3]);
HML_API hml_status hml_so3_dexp_right_gradient(const double phi[3], const double u[3], double G[9]);

HML_API hml_status hml_so3_dexp_left_inverse(const double phi[3], double J[9]);
HML_API hml_status hml_so3_dexp_left_inverse_apply(const double phi[3], const double u[3], double out[3]);
HML_API hml_status hml_so3_dexp_left_inverse_derivative(const double phi[3], const double delta[3], const double u[3],
                                                        double out[3]);
HML_API hml_status hml_so3_dexp_left_inverse_gradient(const double phi[3], const double u[3], double G[9]);

HML_API hml_status hml_so3_dexp_right_inverse(const double phi[3], double J[9]);
HML_API hml_status hml_so3_dexp_right_inverse_apply(const double phi[3], const double u[3], double out[3]);
HML_API hml_status hml_so3_dexp_right_inverse_derivative(const double phi[3], const double delta[3], const double u[3],
                                                         double out[3]);
HML_API hml_status hml_so3_dexp_right_inverse_gradient(const double phi[3], const double u[3], double G[9]);

/*
 * ---- conversions ----
 *
 * Results are unique forms. All conversions are exact to rounding everywhere, at 180° and at the singularities of the
 * Euler angles too; the error is the angle between the given rotation and the result.
 */
HML_API hml_status hml_matrix_to_quat(const double C[9], double q[4]);
HML_API hml_status hml_matrix_to_angle_axis(const double C[9], double a[4]);
HML_API hml_status hml_matrix_to_rotvec(const double C[9], double phi[3]);
HML_API hml_status hml_matrix_to_euler_zyx(const double C[9], double e[3]);
HML_API hml_status hml_matrix_to_euler_xyz(const double C[9], double e[3]);

HML_API hml_status hml_quat_to_matrix(const double q[4], double C[9]);
HML_API hml_status hml_quat_to_angle_axis(const double q[4], double a[4]);
HML_API hml_status hml_quat_to_rotvec(const double q[4], double phi[3]);
HML_API hml_status hml_quat_to_euler_zyx(const double q[4], double e[3]);
HML_API hml_status hml_quat_to_euler_xyz(const double q[4], double e[3]);

HML_API hml_status hml_angle_axis_to_matrix(const double a[4], double C[9]);
HML_API hml_status hml_angle_axis_to_quat(const double a[4], double q[4]);
HML_API hml_status hml_angle_axis_to_rotvec(const double a[4], double phi[3]);
HML_API hml_status hml_angle_axis_to_euler_zyx(const double a[4], double e[3]);
HML_API hml_status hml_angle_axis_to_euler_xyz(const double a[4], double e[3]);

HML_API hml_status hml_rotvec_to_matrix(const double phi[3], double C[9]);
HML_API hml_status hml_rotvec_to_quat(const double phi[3], double q[4]);
HML_API hml_status hml_rotvec_to_angle_axis(const double phi[3], double a[4]);
HML_API hml_status hml_rotvec_to_euler_zyx(const double phi[3], double e[3]);
HML_API hml_status hml_rotvec_to_euler_xyz(const double phi[3], double e[3]);

HML_API hml_status hml_euler_zyx_to_matrix(const double e[3], double C[9]);
HML_API hml_status hml_euler_zyx_to_quat(const double e[3], double q[4]);
HML_API hml_status hml_euler_zyx_to_angle_axis(const double e[3], double a[4]);
HML_API hml_status hml_euler_zyx_to_rotvec(const double e[3], double phi[3]);
HML_API hml_status hml_euler_zyx_to_euler_xyz(const double e[3], double f[3]);

HML_API hml_status hml_euler_xyz_to_matrix(const double e[3], double C[9]);
HML_API hml_status hml_euler_xyz_to_quat(const double e[3], double q[4]);
HML_API hml_status hml_euler_xyz_to_angle_axis(const double e[3], double a[4]);
HML_API hml_status hml_euler_xyz_to_rotvec(const double e[3], double phi[3]);
HML_API hml_status hml_euler_xyz_to_euler_zyx(const double e[3], double f[3]);

/* ---- unique forms: an input that is in this form already comes back unchanged ---- */

/* w > 0; for w = 0 the first entry that is not zero is positive */
HML_API hml_status hml_quat_unique(const double q[4], double unique[4]);

/* angle in [0, π]; for angle 0 the axis is x */
HML_API hml_status hml_angle_axis_unique(const double a[4], double unique[4]);

/* length in [0, π] */
HML_API hml_status hml_rotvec_unique(const double phi[3], double unique[3]);

/* first and last angle in [−π, π), y in [−π/2, π/2]; at y = ±π/2, where only one sum of them counts, the last is 0 */
HML_API hml_status hml_euler_zyx_unique(const double e[3], double unique[3]);
HML_API hml_status hml_euler_xyz_unique(const double e[3], double unique[3]);

/* ---- operations ---- */

/*
 * q = a ⊗ b: first b, then a. The product itself, whatever its sign: [0,1,0,0] ⊗ [0,1,0,0] = [−1,0,0,0]. Unique forms
 * are for conversions; here and below the sign is that of the formula, so that motions have no jumps.
 */
HML_API hml_status hml_quat_compose(const double a[4], const double b[4], double q[4]);

HML_API hml_status hml_quat_invert(const double q[4], double inverse[4]);

/* _Ir = C_IB _Br and _Br = C_IBᵀ _Ir */
HML_API hml_status hml_quat_rotate(const double q[4], const double r[3], double rotated[3]);
HML_API hml_status hml_quat_rotate_inverse(const double q[4], const double r[3], double rotated[3]);

/* q ⊞ v: exp(v) ⊗ q globally, q ⊗ exp(v) locally; the local one is what hml_configuration_integrate does to a joint */
HML_API hml_status hml_quat_boxplus(hml_side side, const double q[4], const double v[3], double sum[4]);

/* v = a ⊟ b with b ⊞ v = a: log(a ⊗ b⁻¹) globally, log(b⁻¹ ⊗ a) locally; |v| <= π */
HML_API hml_status hml_quat_boxminus(hml_side side, const double a[4], const double b[4], double v[3]);

/*
 * a at t = 0, b (or −b, where that is nearer to a) at t = 1, in between the shorter way with constant angular velocity;
 * t may lie outside [0, 1]
 */
HML_API hml_status hml_quat_slerp(const double a[4], const double b[4], double t, double q[4]);

/* the angle |a ⊟ b|, in [0, π] */
HML_API hml_status hml_quat_distance(const double a[4], const double b[4], double *angle);

/* a rotation for three numbers in [0, 1]; uniform on SO(3) if they are uniform and independent */
HML_API hml_status hml_quat_random(const double u[3], double q[4]);

/*
 * The rotation C nearest to any 3x3 matrix A in Frobenius norm, with determinant +1. HML_SINGULAR where it is not
 * unique: rank 0 or 1, or a mirror image whose two smallest singular values are equal.
 */
HML_API hml_status hml_matrix_project(const double A[9], double C[9]);

/*
 * ---- derivatives of the operations ----
 *
 * 3x3 matrices D: the result changes by ⊞ D v when the argument changes by ⊞ v, both on the given side. NULL: not
 * computed. Those of exp and log are hml_so3_dexp and hml_so3_dexp_inverse; those of ⊞, ⊟ and slerp are in rotation.h,
 * with all these operations for the other parameterizations.
 */

/* of a ⊗ b. Globally Da = I, Db = C(a); locally Da = C(b)ᵀ, Db = I */
HML_API hml_status hml_quat_compose_derivatives(hml_side side, const double a[4], const double b[4], double Da[9],
                                                double Db[9]);

/* of q⁻¹. Globally −C(q)ᵀ, locally −C(q) */
HML_API hml_status hml_quat_invert_derivative(hml_side side, const double q[4], double D[9]);

/* of C(q) r. Dr = C(q); globally Dq = −(C r)^, locally Dq = −C r^ */
HML_API hml_status hml_quat_rotate_derivatives(hml_side side, const double q[4], const double r[3], double Dq[9],
                                               double Dr[9]);

/* ---- quaternion matrices; q here is any quaternion, unit or not ---- */

/* Kindr's Q(q), 4x4: q ⊗ p = Q(q) p */
HML_API hml_status hml_quat_left_matrix(const double q[4], double Q[16]);

/* Kindr's Q̄(q), 4x4: p ⊗ q = Q̄(q) p */
HML_API hml_status hml_quat_right_matrix(const double q[4], double Q[16]);

/* 3x4, Kindr's H(q) globally, H̄(q) locally: ω = 2 H q̇ and q̇ = ½ Hᵀ ω */
HML_API hml_status hml_quat_velocity_matrix(hml_side side, const double q[4], double H[12]);

/*
 * ---- rates ----
 *
 * rate: from the angular velocity w, local or global, to the time derivative of the parameters; velocity: back. Where
 * less than half the digits of a rate would be right, the function returns HML_SINGULAR_PARAMETERIZATION: Euler angles
 * near y = ±90°, angle and axis at angle 0, angle and axis and rotation vectors near whole turns.
 */
HML_API hml_status hml_matrix_rate(hml_side side, const double C[9], const double w[3], double rate[9]);
HML_API hml_status hml_matrix_velocity(hml_side side, const double C[9], const double rate[9], double w[3]);
HML_API hml_status hml_quat_rate(hml_side side, const double q[4], const double w[3], double rate[4]);
HML_API hml_status hml_quat_velocity(hml_side side, const double q[4], const double rate[4], double w[3]);
HML_API hml_status hml_angle_axis_rate(hml_side side, const double a[4], const double w[3], double rate[4]);
HML_API hml_status hml_angle_axis_velocity(hml_side side, const double a[4], const double rate[4], double w[3]);
HML_API hml_status hml_rotvec_rate(hml_side side, const double phi[3], const double w[3], double rate[3]);
HML_API hml_status hml_rotvec_velocity(hml_side side, const double phi[3], const double rate[3], double w[3]);
HML_API hml_status hml_euler_zyx_rate(hml_side side, const double e[3], const double w[3], double rate[3]);
HML_API hml_status hml_euler_zyx_velocity(hml_side side, const double e[3], const double rate[3], double w[3]);
HML_API hml_status hml_euler_xyz_rate(hml_side side, const double e[3], const double w[3], double rate[3]);
HML_API hml_status hml_euler_xyz_velocity(hml_side side, const double e[3], const double rate[3], double w[3]);

/*
 * ---- batches ----
 *
 * n rows in, n rows out, row after row without gaps, through the kernels of one instruction set. A row that holds NaN,
 * infinity or a quaternion that is none becomes a row of NaN and does not touch its neighbours; the same row gives the
 * same bits whatever its place and whatever n. HML_INVALID_ARGUMENT if the instruction set is not there or an array is
 * missing. Outputs must not overlap inputs. The versions for float run one row at a time.
 */

/* rotation vectors (n x 3) to rotation matrices (n x 9) */
HML_API hml_status hml_so3_exp_batch(hml_isa isa, size_t n, const double *phi, double *C);
HML_API hml_status hml_so3_exp_batch_f32(size_t n, const float *phi, float *C);

/* quaternions (n x 4, any length but zero) to rotation vectors (n x 3) */
HML_API hml_status hml_quat_to_rotvec_batch(hml_isa isa, size_t n, const double *q, double *phi);
HML_API hml_status hml_quat_to_rotvec_batch_f32(size_t n, const float *q, float *phi);

/* rotation vectors (n x 3) to left Jacobians Γ(φ) (n x 9) */
HML_API hml_status hml_so3_dexp_left_batch(hml_isa isa, size_t n, const double *phi, double *J);
HML_API hml_status hml_so3_dexp_left_batch_f32(size_t n, const float *phi, float *J);

/* quaternions (n x 4, length within 1e-3 of 1) to rotation matrices (n x 9) */
HML_API hml_status hml_quat_to_matrix_batch(hml_isa isa, size_t n, const double *q, double *C);
HML_API hml_status hml_quat_to_matrix_batch_f32(size_t n, const float *q, float *C);

#endif
