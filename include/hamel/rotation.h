/*
 * Rotations in any of six parameterizations, with the same operations for each.
 *
 *   Kinds                 hml_rotation_count  hml_rotation_name  hml_rotation_from_name
 *   Conversions           hml_rotation_convert
 *   Operations            hml_rotation_compose  hml_rotation_invert  hml_rotation_rotate
 *                         hml_rotation_boxplus  hml_rotation_boxminus  hml_rotation_slerp
 *   Derivatives of those  hml_rotation_compose_derivatives  hml_rotation_invert_derivative
 *                         hml_rotation_rotate_derivatives  hml_rotation_boxplus_derivatives
 *                         hml_rotation_boxminus_derivatives  hml_rotation_slerp_derivatives
 *   Rates as matrices     hml_rotation_velocity_matrix  hml_rotation_rate_matrix
 *
 * The parameters of each kind and the two sides of a tangent vector are those of so3.h, which also has the functions
 * for one kind alone. Kindr writes ⊞, ⊟ and the interpolation on the global side; `side` chooses.
 *
 * Which form a result has. A rotation can be written in several ways: q and −q, φ and φ + 2π n. An operation on
 * quaternions keeps the sign of the product: compose([0,1,0,0], [0,1,0,0]) is [−1,0,0,0], q ⊞ v follows v without a
 * jump through any number of turns, and slerp starts at a itself. Angles, axes and rotation vectors come out in their
 * unique form, because no choice for them is continuous. hml_rotation_convert gives unique forms, quaternions included.
 *
 * Statuses are those of so3.h. Outputs may be the inputs, except that matrices of derivatives must not. NULL for a
 * matrix of derivatives: not computed.
 */
#ifndef HAMEL_ROTATION_H
#define HAMEL_ROTATION_H

#include "hamel/so3.h"

typedef enum hml_rotation {
    HML_ROTATION_MATRIX = 0,     /* 9 numbers */
    HML_ROTATION_QUAT = 1,       /* 4 */
    HML_ROTATION_ANGLE_AXIS = 2, /* 4 */
    HML_ROTATION_ROTVEC = 3,     /* 3 */
    HML_ROTATION_EULER_ZYX = 4,  /* 3 */
    HML_ROTATION_EULER_XYZ = 5   /* 3 */
} hml_rotation;

enum { HML_ROTATION_MAX_COUNT = 9 };

/* how many doubles; 0 for an unknown kind */
HML_API int hml_rotation_count(hml_rotation kind);

/* "matrix", "quat", "angle_axis", "rotvec", "euler_zyx", "euler_xyz"; NULL for an unknown kind */
HML_API const char *hml_rotation_name(hml_rotation kind);
HML_API hml_status hml_rotation_from_name(const char *name, hml_rotation *kind);

/* the unique form of x in another kind, or in its own */
HML_API hml_status hml_rotation_convert(hml_rotation from, const double *x, hml_rotation to, double *y);

/* ---- operations ---- */

/* a ⊗ b: first b, then a */
HML_API hml_status hml_rotation_compose(hml_rotation kind, const double *a, const double *b, double *out);
HML_API hml_status hml_rotation_invert(hml_rotation kind, const double *x, double *out);

/* C(x) r */
HML_API hml_status hml_rotation_rotate(hml_rotation kind, const double *x, const double r[3], double rotated[3]);

/* x ⊞ v: exp(v) ⊗ x globally, x ⊗ exp(v) locally */
HML_API hml_status hml_rotation_boxplus(hml_rotation kind, hml_side side, const double *x, const double v[3],
                                        double *out);

/* v = a ⊟ b with b ⊞ v = a: log(a ⊗ b⁻¹) globally, log(b⁻¹ ⊗ a) locally; |v| <= π */
HML_API hml_status hml_rotation_boxminus(hml_rotation kind, hml_side side, const double *a, const double *b,
                                         double v[3]);

/* a ⊞ t (b ⊟ a), the same from both sides: a at t = 0, b at t = 1, the shorter way with constant angular velocity */
HML_API hml_status hml_rotation_slerp(hml_rotation kind, const double *a, const double *b, double t, double *out);

/*
 * ---- derivatives ----
 *
 * 3x3 matrices D: the result changes by ⊞ D u (the vector results by D u) when a rotation changes by ⊞ u or a vector by
 * u, everything on the given side. They do not depend on the kind. As derivatives of the numbers: y = f(x) has
 * ∂y/∂x = F(y) D E(x) with the matrices of the next section.
 */

/* of a ⊗ b. Globally Da = I, Db = C(a); locally Da = C(b)ᵀ, Db = I */
HML_API hml_status hml_rotation_compose_derivatives(hml_rotation kind, hml_side side, const double *a, const double *b,
                                                    double Da[9], double Db[9]);

/* of x⁻¹. Globally −C(x)ᵀ, locally −C(x) */
HML_API hml_status hml_rotation_invert_derivative(hml_rotation kind, hml_side side, const double *x, double D[9]);

/* of C(x) r. Dr = C(x); globally Dx = −(C r)^, locally Dx = −C r^ */
HML_API hml_status hml_rotation_rotate_derivatives(hml_rotation kind, hml_side side, const double *x, const double r[3],
                                                   double Dx[9], double Dr[9]);

/* of x ⊞ v. Globally Dx = exp(v^), Dv = Γ(v); locally Dx = exp(−v^), Dv = Γ(−v) */
HML_API hml_status hml_rotation_boxplus_derivatives(hml_rotation kind, hml_side side, const double *x,
                                                    const double v[3], double Dx[9], double Dv[9]);

/*
 * of v = a ⊟ b. Globally Da = Γ(v)⁻¹, Db = −Γ(−v)⁻¹; locally Da = Γ(−v)⁻¹, Db = −Γ(v)⁻¹. Where a and b are half a turn
 * apart, v jumps from one half-turn to the other, and these are the derivatives on the side of the returned v.
 */
HML_API hml_status hml_rotation_boxminus_derivatives(hml_rotation kind, hml_side side, const double *a, const double *b,
                                                     double Da[9], double Db[9]);

/*
 * of slerp(a, b, t), v = b ⊟ a. Globally Db = t Γ(tv) Γ(v)⁻¹, Da = exp(tv^) − t Γ(tv) Γ(−v)⁻¹; locally the same with −v
 * in every place. Dt, 3, is v: the angular velocity per unit of t.
 */
HML_API hml_status hml_rotation_slerp_derivatives(hml_rotation kind, hml_side side, const double *a, const double *b,
                                                  double t, double Da[9], double Db[9], double Dt[3]);

/*
 * ---- rates as matrices ----
 *
 * With n numbers in x and the angular velocity ω on the given side, Kindr's E(χ), (1)-(8), and its inverse:
 *
 *   ω = E(x) ẋ     E: 3 × n      for a quaternion 2 H, for a rotation vector Γ, for Euler angles the axes of rotation
 *   ẋ = F(x) ω     F: n × 3      for a quaternion ½ Hᵀ, for a rotation vector Γ⁻¹; E F = I
 *
 * F E is the projection on the rates that x can have. Where F does not exist, the status is
 * HML_SINGULAR_PARAMETERIZATION: see "rates" in so3.h.
 */
HML_API hml_status hml_rotation_velocity_matrix(hml_rotation kind, hml_side side, const double *x, double *E);
HML_API hml_status hml_rotation_rate_matrix(hml_rotation kind, hml_side side, const double *x, double *F);

#endif
