/*
 * SE(3): poses, twists and wrenches, screws.
 *
 *   poses             hml_se3_identity            H = I
 *                     hml_se3_make                R, p → H                               Notation (12)
 *                     hml_se3_from_quaternion     q, p → H
 *                     hml_se3_to_quaternion       H → q, p
 *                     hml_se3_check               is this a pose?
 *                     hml_se3_compose             A B
 *                     hml_se3_inverse             A⁻¹
 *                     hml_se3_between             A⁻¹ B
 *                     hml_se3_act_point           R a + p                                Notation (13)
 *                     hml_se3_act_vector          R a
 *                     hml_se3_hat, hml_se3_vee    ξ ↔ ξ^                                 Notation (7), (8)
 *
 *   6x6 matrices      hml_se3_adjoint             X_ab = [R p^R; 0 R]                    Notation (27)
 *                     hml_se3_adjoint_dual        [R 0; p^R R]                           Notation (59)
 *                     hml_se3_cross               V× = ad_V = [ω^ v^; 0 ω^]              Notation (38)
 *                     hml_se3_cross_dual          V×* = −ad_Vᵀ                           Notation (62)
 *                     hml_se3_ad_tilde            ãd_F, with ãd_F V = −ad_Vᵀ F           From (68)
 *   applied           hml_twist_transform         X_ab V                                 Notation (28), (33)
 *                     hml_wrench_transform        X_ba ᵀ F                               Notation (58)
 *                     hml_twist_cross             V × U                                  Notation (39)
 *                     hml_wrench_cross            V ×* F                                 Notation (62)
 *                     hml_wrench_power            <F, V>                                 Notation (60)
 *
 *   exponential       hml_se3_exp, hml_se3_log    ξ ↔ H
 *                     hml_se3_dexp_…              Jacobians, 6x6; …_apply, …_apply_dual, …_derivative
 *                     hml_se3_interpolate         A exp(t log(A⁻¹ B)): a screw motion
 *                     hml_se3_interpolate_split   rotation and position each by itself
 *                     hml_se3_distance            of two poses
 *
 *   representations   hml_representation_matrix   T with V_rep = T V_left
 *                     hml_twist_convert           left, right, mixed, split              Notation (20), (25), (35)
 *                     hml_wrench_convert          the dual
 *                     hml_se3_velocity            H, Ḣ → twist: H⁻¹Ḣ, ḢH⁻¹, …         Notation (17)-(26), (35)
 *                     hml_se3_rate                H, twist → Ḣ                           Notation (36), (77)
 *                     hml_acceleration_convert    derivatives of the twists              Notation (44), (46), (52)-(55)
 *   accelerations     hml_acceleration_apparent   intrinsic in B → apparent in C         Notation (45)
 *                     hml_acceleration_intrinsic  apparent in C → intrinsic in B
 *                     hml_acceleration_add_frame  apparent → intrinsic, both in C        Notation (49)-(51)
 *                     hml_acceleration_drop_frame intrinsic → apparent, both in C
 *   points            hml_point_velocity          R (v + ω × a + ȧ)                Kindr
 *                     hml_point_acceleration      R (v̇ + ω × v + ω̇ × a + ω × (ω × a) + 2 ω × ȧ + ä)
 *
 *   screws            hml_screw_from_twist, hml_screw_to_twist                           Müller B.2
 *                     hml_screw_from_wrench, hml_screw_to_wrench   Poinsot
 *                     hml_screw_from_pose, hml_screw_to_pose       Chasles
 *                     hml_screw_reciprocal        ξ₁·η₂ + η₁·ξ₂
 *
 *   batches           hml_se3_exp_batch, hml_se3_log_batch, hml_se3_dexp_left_batch, hml_se3_dexp_left_inverse_batch,
 *                     hml_twist_transform_batch, hml_twist_cross_batch
 *
 * Poses are 4x4, row-major, H[16]: H_ab takes coordinates from b to a. The last row is written (0 0 0 1) and never
 * read. Twists [v; ω] and wrenches [f; τ] are linear first. Matrices are 6x6, row-major. An output may be one of the
 * inputs. Every function answers HML_INVALID_ARGUMENT if an array is missing and HML_NOT_FINITE if an input holds NaN
 * or infinity; what else can fail is written where it can.
 */
#ifndef HAMEL_SE3_H
#define HAMEL_SE3_H

#include <stddef.h>

#include "hamel/base.h"

/*
 * How the six numbers of a velocity are written. With the pose H = (R, o) of a moving frame B in A, and ω_A = R ω_B:
 *
 *   HML_LEFT     Rᵀ ȯ          ω_B     in B; Notation (20), Müller's body-fixed; the default everywhere
 *   HML_RIGHT    ȯ − ω_A × o   ω_A     in A; Notation (25), Müller's spatial
 *   HML_MIXED    ȯ             ω_A     origin of B, axes of A; Notation (35), Müller's hybrid
 *   HML_SPLIT    ȯ             ω_B     linear part in A's axes, angular part in B's; Müller's mixed, Kindr's u
 */
typedef enum hml_representation { HML_LEFT = 0, HML_RIGHT = 1, HML_MIXED = 2, HML_SPLIT = 3 } hml_representation;

/* ---- poses ---- */

/* HML_INVALID_ARGUMENT if H is NULL */
HML_API hml_status hml_se3_identity(double H[16]);

/* H = [R p; 0 1], Notation (12); R row-major, taken as it is */
HML_API hml_status hml_se3_make(const double R[9], const double p[3], double H[16]);

/* the quaternion, w first, is normalized; HML_NOT_NORMALIZED if its length is not within 1e-3 of 1 */
HML_API hml_status hml_se3_from_quaternion(const double q[4], const double p[3], double H[16]);

/* unit, w >= 0; HML_NOT_NORMALIZED as hml_se3_check */
HML_API hml_status hml_se3_to_quaternion(const double H[16], double q[4], double p[3]);

/* HML_NOT_NORMALIZED if an entry of RᵀR is more than 1e-3 from the identity's, or R is left-handed */
HML_API hml_status hml_se3_check(const double H[16]);

/* H_ac = H_ab H_bc */
HML_API hml_status hml_se3_compose(const double H_ab[16], const double H_bc[16], double H_ac[16]);

/* H_ba = H_ab⁻¹ = [Rᵀ −Rᵀp; 0 1] */
HML_API hml_status hml_se3_inverse(const double H_ab[16], double H_ba[16]);

/* H_bc = H_ab⁻¹ H_ac, without losing digits when both are far away */
HML_API hml_status hml_se3_between(const double H_ab[16], const double H_ac[16], double H_bc[16]);

/* a's coordinates of a point given in b: R a + p, Notation (13) */
HML_API hml_status hml_se3_act_point(const double H_ab[16], const double point[3], double out[3]);

/* the same for a vector that has no place: R a */
HML_API hml_status hml_se3_act_vector(const double H_ab[16], const double vector[3], double out[3]);

/* ξ^ = [ω^ v; 0 0], 4x4, Notation (7) */
HML_API hml_status hml_se3_hat(const double xi[6], double matrix[16]);

/* the inverse of hat, Notation (8), applied to the skew part of the upper left block */
HML_API hml_status hml_se3_vee(const double matrix[16], double xi[6]);

/* ---- 6x6 matrices ---- */

/* X_ab = Ad_H = [R p^R; 0 R], Notation (27): twists from b to a */
HML_API hml_status hml_se3_adjoint(const double H_ab[16], double X[36]);

/* the wrench transform [R 0; p^R R] = X_ba ᵀ, Notation (59): wrenches from b to a */
HML_API hml_status hml_se3_adjoint_dual(const double H_ab[16], double X[36]);

/* V× = ad_V = [ω^ v^; 0 ω^], Notation (38) */
HML_API hml_status hml_se3_cross(const double V[6], double ad[36]);

/* V×* = −ad_Vᵀ = [ω^ 0; v^ ω^], Notation (62) */
HML_API hml_status hml_se3_cross_dual(const double V[6], double ad[36]);

/* ãd_F = [0 −f^; −f^ −τ^], defined by ãd_F V = −ad_Vᵀ F for every twist V (From (68); Table 1 there has a wrong sign)
 */
HML_API hml_status hml_se3_ad_tilde(const double F[6], double ad[36]);

/* X_ab V = Ad_H V: the twist in another frame, Notation (28), (33). With H_cb it takes any twist from b to any c. */
HML_API hml_status hml_twist_transform(const double H_ab[16], const double V_b[6], double V_a[6]);

/* the wrench in another frame, Notation (58) */
HML_API hml_status hml_wrench_transform(const double H_ab[16], const double F_b[6], double F_a[6]);

/* V × U = ad_V U, Notation (38) */
HML_API hml_status hml_twist_cross(const double V[6], const double U[6], double out[6]);

/* V ×* F = −ad_Vᵀ F = ãd_F V, Notation (62) */
HML_API hml_status hml_wrench_cross(const double V[6], const double F[6], double out[6]);

/* <F, V> = f·v + τ·ω: power, the same in every frame, Notation (60) */
HML_API hml_status hml_wrench_power(const double F[6], const double V[6], double *power);

/* ---- exponential ---- */

/* H = exp(ξ^), for every ξ */
HML_API hml_status hml_se3_exp(const double xi[6], double H[16]);

/* the ξ with |ω| <= π and exp(ξ^) = H, accurate at every angle; HML_NOT_NORMALIZED as hml_se3_check */
HML_API hml_status hml_se3_log(const double H[16], double xi[6]);

/*
 * Jacobians of the exponential, 6x6. With H(t) = exp(ξ(t)^):
 *
 *   left            dexp_ξ   = Σ ad_ξⁿ/(n+1)!   (d/dt H) H⁻¹ = (dexp_ξ ξ̇)^: the right-trivialized twist
 *   right           dexp_−ξ  = Σ (−ad_ξ)ⁿ/(n+1)!   H⁻¹ (d/dt H) = (dexp_−ξ ξ̇)^: the left-trivialized twist
 *   left_inverse    dexp_ξ⁻¹, right_inverse   dexp_−ξ⁻¹: singular where |ω| is a multiple of 2π but not 0; the result
 *                   is then not finite or huge
 *
 *   (none)        J                                        _apply        J η
 *   _derivative   d/dε J(ξ + ε δ) η at ε = 0               _apply_dual   Jᵀ F
 */
HML_API hml_status hml_se3_dexp_left(const double xi[6], double J[36]);
HML_API hml_status hml_se3_dexp_left_apply(const double xi[6], const double eta[6], double out[6]);
HML_API hml_status hml_se3_dexp_left_apply_dual(const double xi[6], const double F[6], double out[6]);
HML_API hml_status hml_se3_dexp_left_derivative(const double xi[6], const double delta[6], const double eta[6],
                                                double out[6]);

HML_API hml_status hml_se3_dexp_right(const double xi[6], double J[36]);
HML_API hml_status hml_se3_dexp_right_apply(const double xi[6], const double eta[6], double out[6]);
HML_API hml_status hml_se3_dexp_right_apply_dual(const double xi[6], const double F[6], double out[6]);
HML_API hml_status hml_se3_dexp_right_derivative(const double xi[6], const double delta[6], const double eta[6],
                                                 double out[6]);

HML_API hml_status hml_se3_dexp_left_inverse(const double xi[6], double J[36]);
HML_API hml_status hml_se3_dexp_left_inverse_apply(const double xi[6], const double eta[6], double out[6]);
HML_API hml_status hml_se3_dexp_left_inverse_apply_dual(const double xi[6], const double F[6], double out[6]);
HML_API hml_status hml_se3_dexp_left_inverse_derivative(const double xi[6], const double delta[6], const double eta[6],
                                                        double out[6]);

HML_API hml_status hml_se3_dexp_right_inverse(const double xi[6], double J[36]);
HML_API hml_status hml_se3_dexp_right_inverse_apply(const double xi[6], const double eta[6], double out[6]);
HML_API hml_status hml_se3_dexp_right_inverse_apply_dual(const double xi[6], const double F[6], double out[6]);
HML_API hml_status hml_se3_dexp_right_inverse_derivative(const double xi[6], const double delta[6], const double eta[6],
                                                         double out[6]);

/* A exp(t log(A⁻¹ B)): the screw motion from A (t = 0) to B (t = 1); HML_NOT_NORMALIZED as hml_se3_check */
HML_API hml_status hml_se3_interpolate(const double A[16], const double B[16], double t, double H[16]);

/* in SO(3) × R³: a rotation about a fixed axis, while the origin moves on a straight line */
HML_API hml_status hml_se3_interpolate_split(const double A[16], const double B[16], double t, double H[16]);

/*
 * √(|p_A − p_B|² + (length·θ)²), θ the angle between the rotations. The length, >= 0, says how many metres count as
 * much as a radian. No distance on SE(3) is invariant on both sides; this one does not change when both poses are
 * moved, A → G A.
 */
HML_API hml_status hml_se3_distance(const double A[16], const double B[16], double length, double *distance);

/* ---- representations of a motion of B relative to A, H = H_AB ---- */

/* T, 6x6, with V_rep = T V_left: I, [R o^R; 0 R], [R 0; 0 R], [R 0; 0 I] */
HML_API hml_status hml_representation_matrix(const double H[16], hml_representation representation, double T[36]);

/* the same twist in another representation; HML_INVALID_ARGUMENT for an unknown one */
HML_API hml_status hml_twist_convert(const double H[16], hml_representation from, const double V[6],
                                     hml_representation to, double out[6]);

/* the wrench whose power on the twist of the same representation is the same: F_rep = T⁻ᵀ F_left */
HML_API hml_status hml_wrench_convert(const double H[16], hml_representation from, const double F[6],
                                      hml_representation to, double out[6]);

/*
 * The twist of a moving pose from its matrix and the rate of its matrix, Hdot = [Ṙ ȯ; 0 0], 4x4, whose last row is not
 * read: left H⁻¹Ḣ, right ḢH⁻¹, mixed (ȯ, ṘRᵀ), split (ȯ, RᵀṘ). Only the skew part of RᵀṘ is used, so that rates with
 * rounding or noise give the nearest angular velocity. HML_NOT_NORMALIZED as hml_se3_check.
 */
HML_API hml_status hml_se3_velocity(const double H[16], hml_representation representation, const double Hdot[16],
                                    double V[6]);

/* and back: Ḣ = H V^ for left, V^ H for right, Notation (36); the last row is written 0 */
HML_API hml_status hml_se3_rate(const double H[16], hml_representation representation, const double V[6],
                                double Hdot[16]);

/*
 * The derivative of the twist's six numbers, Notation (44), from one representation to another: V and dV = dV/dt are
 * both in `from`. Left and right give the intrinsic acceleration, (46); mixed gives the classical one, the second
 * derivative of the position and the angular acceleration, in A's axes, (52)-(55).
 */
HML_API hml_status hml_acceleration_convert(const double H[16], hml_representation from, const double V[6],
                                            const double dV[6], hml_representation to, double out[6]);

/*
 * Motion of B relative to A, seen from a third frame C that moves as well. V_CB and V_AB are twists of B relative to C
 * and to A, a is the derivative of V_AB, all three in B. out = d/dt (C_V_AB) = X_CB (V_CB × V_AB + a), Notation (45).
 */
HML_API hml_status hml_acceleration_apparent(const double H_CB[16], const double V_CB[6], const double V_AB[6],
                                             const double a[6], double out[6]);

/* the a, in B, whose apparent acceleration in C is the given one; X_CB of it is the intrinsic one in C, Notation (47)
 */
HML_API hml_status hml_acceleration_intrinsic(const double H_CB[16], const double V_CB[6], const double V_AB[6],
                                              const double apparent[6], double out[6]);

/* everything in C: intrinsic = apparent + V_AC × V_AB, Notation (49)-(51) */
HML_API hml_status hml_acceleration_add_frame(const double V_AC[6], const double V_AB[6], const double apparent[6],
                                              double out[6]);

/* everything in C: apparent = intrinsic − V_AC × V_AB */
HML_API hml_status hml_acceleration_drop_frame(const double V_AC[6], const double V_AB[6], const double intrinsic[6],
                                               double out[6]);

/*
 * Velocity in A of a point that may move in B, Kindr, "Linear velocity": R (v + ω × a + ȧ). V left; the point a and its
 * rate ȧ are coordinates in B; rate NULL: it is fixed in B. With the identity for H the result is in the axes of B.
 */
HML_API hml_status hml_point_velocity(const double H[16], const double V[6], const double point[3],
                                      const double rate[3], double out[3]);

/* its acceleration in A: R (v̇ + ω × v + ω̇ × a + ω × (ω × a) + 2 ω × ȧ + ä); V and dV left; rates NULL: zero */
HML_API hml_status hml_point_acceleration(const double H[16], const double V[6], const double dV[6],
                                          const double point[3], const double rate[3], const double second_rate[3],
                                          double out[3]);

/* ---- screws, Müller B.2 ---- */

/*
 * A line, a pitch and a magnitude. The twist of a screw is m (p × e + h e; e), its wrench m (e; p × e + h e); with an
 * infinite pitch m (e; 0) and m (0; e). From a twist, wrench or pose come the point of the axis nearest to the origin,
 * a magnitude >= 0, and point 0 where the pitch is infinite. Zero has the axis z, an infinite pitch and magnitude 0.
 */
typedef struct hml_screw {
    double axis[3];   /* e; unit on the way out, any length but 0 on the way in */
    double point[3];  /* p */
    double pitch;     /* h, metres per radian; ±infinity: pure translation, or couple */
    double magnitude; /* m: angular velocity, force or angle; with infinite pitch velocity, couple or distance */
} hml_screw;

HML_API hml_status hml_screw_from_twist(const double V[6], hml_screw *screw);
HML_API hml_status hml_screw_to_twist(const hml_screw *screw, double V[6]);

/* Poinsot: every wrench is a force along a line and a couple about it */
HML_API hml_status hml_screw_from_wrench(const double F[6], hml_screw *screw);
HML_API hml_status hml_screw_to_wrench(const hml_screw *screw, double F[6]);

/* Chasles: every pose is a rotation by m <= π about a line and a translation by m·h along it; HML_NOT_NORMALIZED as
 * hml_se3_check */
HML_API hml_status hml_screw_from_pose(const double H[16], hml_screw *screw);
HML_API hml_status hml_screw_to_pose(const hml_screw *screw, double H[16]);

/* v₁·ω₂ + ω₁·v₂ of two screws in twist coordinates; zero: a wrench along one does no work on a motion along the other
 */
HML_API hml_status hml_screw_reciprocal(const double V1[6], const double V2[6], double *product);

/*
 * ---- batches ----
 *
 * n rows in, n rows out, row after row without gaps, through the kernels of one instruction set; the arrays do not
 * overlap. A row that holds NaN or infinity gives a row of NaN, and so does the logarithm of a matrix that is not a
 * pose; other rows are not affected. The same row gives the same bits at any place and for any n. HML_INVALID_ARGUMENT
 * if the instruction set is not available or an array is missing. The versions for float run one row at a time.
 */

/* twists (n x 6) to poses (n x 16) */
HML_API hml_status hml_se3_exp_batch(hml_isa isa, size_t n, const double *xi, double *H);
HML_API hml_status hml_se3_exp_batch_f32(size_t n, const float *xi, float *H);

/* poses (n x 16) to twists (n x 6) */
HML_API hml_status hml_se3_log_batch(hml_isa isa, size_t n, const double *H, double *xi);
HML_API hml_status hml_se3_log_batch_f32(size_t n, const float *H, float *xi);

/* twists (n x 6) to left Jacobians and their inverses (n x 36); the right ones are those of −ξ */
HML_API hml_status hml_se3_dexp_left_batch(hml_isa isa, size_t n, const double *xi, double *J);
HML_API hml_status hml_se3_dexp_left_batch_f32(size_t n, const float *xi, float *J);
HML_API hml_status hml_se3_dexp_left_inverse_batch(hml_isa isa, size_t n, const double *xi, double *J);
HML_API hml_status hml_se3_dexp_left_inverse_batch_f32(size_t n, const float *xi, float *J);

/* poses (n x 16) and twists (n x 6) to X_ab V (n x 6) */
HML_API hml_status hml_twist_transform_batch(hml_isa isa, size_t n, const double *H, const double *V, double *out);
HML_API hml_status hml_twist_transform_batch_f32(size_t n, const float *H, const float *V, float *out);

/* twists V (n x 6) and U (n x 6) to V × U (n x 6) */
HML_API hml_status hml_twist_cross_batch(hml_isa isa, size_t n, const double *V, const double *U, double *out);
HML_API hml_status hml_twist_cross_batch_f32(size_t n, const float *V, const float *U, float *out);

#endif
