/*
 * The subgroups of SE(3), and one rigid body that moves on one of them (From, Tables 1 and 2, corrected).
 *
 *   hml_group_name                   "SE(3)", "X", …
 *   hml_group_dimension              m
 *   hml_subgroup_make                group, axis and pitch → hml_subgroup
 *   hml_subgroup_of_joint            the subgroup a joint of a model moves on
 *
 *   hml_subgroup_selection           S, 6×m                 twist = S v
 *   hml_subgroup_hat                 v^, 4×4                the element of the Lie algebra
 *   hml_subgroup_vee                 its inverse
 *   hml_subgroup_ad                  ad_v, m×m              ad_v w = [v, w]
 *   hml_subgroup_ad_tilde            ãd_p, m×m              ãd_p v = −ad_vᵀ p
 *   hml_subgroup_exp                 φ → exp(φ^), 4×4
 *   hml_subgroup_log                 exp's inverse
 *   hml_subgroup_jacobian            S(φ), m×m              v = S(φ) φ̇
 *   hml_subgroup_jacobian_inverse    S(φ)⁻¹, m×m
 *   hml_subgroup_jacobian_derivative ∂S(φ)/∂φ, m×m×m
 *
 *   hml_subgroup_mass                M = Sᵀ I S, m×m
 *   hml_subgroup_coriolis            C(v) = ãd_(Mv), m×m    M v̇ + C(v) v = τ
 *   hml_subgroup_gravity             potential and generalized force of gravity
 *   hml_subgroup_potential_force     of any potential U(φ): S(φ)⁻ᵀ ∂U/∂φ
 *   hml_subgroup_inverse_dynamics    v, v̇ → τ
 *   hml_subgroup_forward_dynamics    v, τ → v̇
 *
 *   hml_boltzmann_hamel_scratch_doubles         scratch the others need
 *   hml_boltzmann_hamel_gamma        γ_k of any v = S(q) q̇
 *   hml_boltzmann_hamel_coriolis     C of any v = S(q) q̇
 *   hml_boltzmann_hamel_potential    S⁻ᵀ ∂U/∂q
 *   hml_boltzmann_hamel_inverse_dynamics, hml_boltzmann_hamel_forward_dynamics    the whole equation
 *
 * Twists are linear first, velocities left-trivialized: v^ = g⁻¹ġ, seen from the body. Matrices are dense, row-major,
 * m columns wide unless the shape says otherwise. Outputs do not overlap inputs. NULL, an unknown group or a size out
 * of range give HML_INVALID_ARGUMENT, NaN or infinity HML_NOT_FINITE, an axis that is not unit HML_NOT_NORMALIZED.
 */
#ifndef HAMEL_SUBGROUP_H
#define HAMEL_SUBGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/model.h"

/* ---- the groups ---- */

/*
 * n is any unit axis. Where a group moves in the plane across n, i is the frame axis that follows the one nearest to n
 * (y after x, z after y, x after z; of equally near ones z before y before x), made perpendicular to n, and j = n × i.
 * For n = z they are x and y. The columns of hml_subgroup_selection show them.
 *
 *                                 m   coordinates of v             axis */
typedef enum hml_group {
    HML_GROUP_SE3 = 0,         /* 6   vx vy vz wx wy wz            – */
    HML_GROUP_X = 1,           /* 4   vx vy vz w_n                 n; Schönflies */
    HML_GROUP_R3 = 2,          /* 3   vx vy vz                     – */
    HML_GROUP_SE2 = 3,         /* 3   v_i v_j w_n                  n, normal to the plane */
    HML_GROUP_SO3 = 4,         /* 3   wx wy wz                     – */
    HML_GROUP_R2 = 5,          /* 2   v_i v_j                      n, normal to the plane */
    HML_GROUP_CYLINDRICAL = 6, /* 2   sliding, turning             n; R × SO(2) */
    HML_GROUP_R = 7,           /* 1   sliding                      n */
    HML_GROUP_H = 8,           /* 1   turning, pitch metres per rad n */
    HML_GROUP_SO2 = 9          /* 1   turning                      n */
} hml_group;

enum { HML_GROUP_COUNT = 10, HML_GROUP_MAX_DIMENSION = 6 };

/* axis is unit where the group has one, pitch is used by H alone */
typedef struct hml_subgroup {
    hml_group group;
    double axis[3];
    double pitch;
} hml_subgroup;

/* "SE(3)", "X", "R3", "SE(2)", "SO(3)", "R2", "RxSO(2)", "R", "H", "SO(2)"; NULL for an unknown group */
HML_API const char *hml_group_name(hml_group group);

/* m; 0 for an unknown group */
HML_API int32_t hml_group_dimension(hml_group group);

/* axis: any length but 0, NULL for z */
HML_API hml_status hml_subgroup_make(hml_group group, const double axis[3], double pitch, hml_subgroup *G);

/*
 * axis and pitch as in hml_joint_spec, where planar, translation2 and schoenflies joints have z. HML_INVALID_ARGUMENT
 * for fixed and universal joints, which do not move on one of these groups.
 */
HML_API hml_status hml_subgroup_of_joint(hml_joint_type type, const double axis[3], double pitch, hml_subgroup *G);

/* ---- the algebra ---- */

/* S, 6×m, constant: the twist of the body is S v (From, Definition 4.2, where it is called H) */
HML_API hml_status hml_subgroup_selection(const hml_subgroup *G, double S[]);

/* v^ = [ ω^ v; 0 0 ], 4×4, with [v; ω] = S v (From, Table 1) */
HML_API hml_status hml_subgroup_hat(const hml_subgroup *G, const double v[], double matrix[16]);

/* v of v^; HML_INVALID_ARGUMENT if the matrix is not in the group's algebra, to 1e-6 (beyond 1 relative to its size) */
HML_API hml_status hml_subgroup_vee(const hml_subgroup *G, const double matrix[16], double v[]);

/* ad_v, m×m: (ad_v w)^ = v^ w^ − w^ v^ (From (8), Table 1) */
HML_API hml_status hml_subgroup_ad(const hml_subgroup *G, const double v[], double ad[]);

/* ãd_p, m×m: ãd_p v = −ad_vᵀ p for every v (From (73), (83), Table 1) */
HML_API hml_status hml_subgroup_ad_tilde(const hml_subgroup *G, const double p[], double ad_tilde[]);

/* ---- the group ---- */

/* exp(φ^) = 1 + φ^ + φ^²/2 + …, 4×4 (From (59)) */
HML_API hml_status hml_subgroup_exp(const hml_subgroup *G, const double phi[], double H[16]);

/*
 * φ with exp(φ^) = H, rotation angle in [−π, π]; the angle of H(pitch ≠ 0) is not bounded, its displacement counts the
 * turns. HML_NOT_NORMALIZED if RᵀR is not 1, HML_INVALID_ARGUMENT if H is not in the group, both by more than 1e-6 (for
 * positions beyond a metre relative to their size). The tolerance accepts values that were once stored as floats.
 */
HML_API hml_status hml_subgroup_log(const hml_subgroup *G, const double H[16], double phi[]);

/* S(φ) = 1 − ad_φ/2 + ad_φ²/6 − …, m×m, in closed form: v = S(φ) φ̇ along g = exp(φ^) (From (29)) */
HML_API hml_status hml_subgroup_jacobian(const hml_subgroup *G, const double phi[], double jacobian[]);

/* S(φ)⁻¹, m×m; HML_SINGULAR_PARAMETERIZATION where the angle is a multiple of 2π other than 0 */
HML_API hml_status hml_subgroup_jacobian_inverse(const hml_subgroup *G, const double phi[], double inverse[]);

/* m×m×m, entry (i·m + j)·m + l is ∂S_ij/∂φ_l, in closed form: the dS of the Boltzmann-Hamel functions below */
HML_API hml_status hml_subgroup_jacobian_derivative(const hml_subgroup *G, const double phi[], double derivative[]);

/* ---- one rigid body ---- */

/*
 * M = Sᵀ I S, m×m (From (60)). spatial_inertia is 6×6, symmetric, linear first, in the body frame: a rigid body's, or
 * one with added mass.
 */
HML_API hml_status hml_subgroup_mass(const hml_subgroup *G, const double spatial_inertia[36], double M[]);

/* C(v) = ãd_(Mv), m×m: skew, and M v̇ + C(v) v = τ (From, Proposition 5.1) */
HML_API hml_status hml_subgroup_coriolis(const hml_subgroup *G, const double M[], const double v[], double C[]);

/*
 * Gravity on a body of the given mass and centre of mass (in its frame), whose frame has the pose H in the world;
 * gravity is a vector of the world, m/s², and points down. potential: U = −m gravity·(p + R com), joules; force, m
 * numbers: the derivative of U along H exp(ε e_i), which stands on the left-hand side of the equations of motion.
 * Either may be NULL. HML_NOT_NORMALIZED if the upper left block of H is not a rotation.
 */
HML_API hml_status hml_subgroup_gravity(const hml_subgroup *G, double mass, const double com[3], const double H[16],
                                        const double gravity[3], double *potential, double force[]);

/* force = S(φ)⁻ᵀ ∂U/∂φ of any potential, dU = ∂U/∂φ at φ (From (26)); HML_SINGULAR_PARAMETERIZATION as S(φ)⁻¹ */
HML_API hml_status hml_subgroup_potential_force(const hml_subgroup *G, const double phi[], const double dU[],
                                                double force[]);

/* τ = M v̇ − ad_vᵀ M v + force, all of size m; force, of a potential, may be NULL */
HML_API hml_status hml_subgroup_inverse_dynamics(const hml_subgroup *G, const double M[], const double v[],
                                                 const double vdot[], const double force[], double tau[]);

/* v̇ = M⁻¹(τ + ad_vᵀ M v − force), all of size m; force may be NULL; HML_SINGULAR if M is not positive definite */
HML_API hml_status hml_subgroup_forward_dynamics(const hml_subgroup *G, const double M[], const double v[],
                                                 const double tau[], const double force[], double vdot[]);

/* ---- Boltzmann-Hamel, for any velocity variables ---- */

/*
 * v = S(q) q̇ with any coordinates q and any invertible n×n S(q): exponential coordinates, Euler angles, … The
 * equations of motion of L = ½ vᵀ M v − U(q), M constant, are (From (26)-(27), (46))
 *
 *     M v̇ + (Σ_k γ_k v_k) M v + S⁻ᵀ ∂U/∂q = τ,     (γ_k)_ij = Σ_lm S⁻¹_li (∂S_jl/∂q_m − ∂S_jm/∂q_l) S⁻¹_mk.
 *
 * S: n×n. dS: n×n×n, dS[(i·n + j)·n + l] = ∂S_ij/∂q_l. Both are evaluated by the caller at q.
 * HML_SINGULAR_PARAMETERIZATION where S has no inverse. scratch: hml_boltzmann_hamel_scratch_doubles(n), the
 * caller's; nothing is allocated.
 */
HML_API size_t hml_boltzmann_hamel_scratch_doubles(int32_t n);

/* gamma: n×n×n, gamma[(k·n + i)·n + j] = (γ_k)_ij */
HML_API hml_status hml_boltzmann_hamel_gamma(int32_t n, const double S[], const double dS[], double scratch[],
                                             double gamma[]);

/* C: n×n, C_ik = Σ_j (γ_k)_ij p_j with the momentum p = M v: C v = (Σ_k γ_k v_k) M v (From (54)) */
HML_API hml_status hml_boltzmann_hamel_coriolis(int32_t n, const double S[], const double dS[], const double momentum[],
                                                double scratch[], double C[]);

/* force: n, S⁻ᵀ ∂U/∂q with dU = ∂U/∂q at q: the potential's part of the equations (From (26), (38)) */
HML_API hml_status hml_boltzmann_hamel_potential(int32_t n, const double S[], const double dU[], double scratch[],
                                                 double force[]);

/* τ = M v̇ + (Σ_k γ_k v_k) M v + S⁻ᵀ ∂U/∂q; M: n×n, constant; dU may be NULL: no potential */
HML_API hml_status hml_boltzmann_hamel_inverse_dynamics(int32_t n, const double S[], const double dS[],
                                                        const double M[], const double v[], const double vdot[],
                                                        const double dU[], double scratch[], double tau[]);

/* v̇ of the same equation; HML_SINGULAR if M has no inverse */
HML_API hml_status hml_boltzmann_hamel_forward_dynamics(int32_t n, const double S[], const double dS[],
                                                        const double M[], const double v[], const double tau[],
                                                        const double dU[], double scratch[], double vdot[]);

#endif
