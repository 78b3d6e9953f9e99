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
 *   hml_subgroup_ad                  ad_v, m×m              ad_v w = [v, w]
 *   hml_subgroup_ad_tilde            ãd_p, m×m              ãd_p v = −ad_vᵀ p
 *   hml_subgroup_exp                 φ → exp(φ^), 4×4
 *   hml_subgroup_log                 exp's inverse
 *   hml_subgroup_jacobian            S(φ), m×m              v = S(φ) φ̇
 *   hml_subgroup_jacobian_inverse    S(φ)⁻¹, m×m
 *
 *   hml_subgroup_mass                M = Sᵀ I S, m×m
 *   hml_subgroup_coriolis            C(v) = ãd_(Mv), m×m    M v̇ + C(v) v = τ
 *   hml_subgroup_inverse_dynamics    v, v̇ → τ
 *   hml_subgroup_forward_dynamics    v, τ → v̇
 *
 *   hml_boltzmann_hamel_work         scratch the next two need
 *   hml_boltzmann_hamel_gamma        γ_k of any v = S(q) q̇
 *   hml_boltzmann_hamel_coriolis     C of any v = S(q) q̇
 *
 * Twists are linear first, velocities left-trivialized: v^ = g⁻¹ġ, seen from the body. Matrices are dense, row-major,
 * m columns wide unless the shape says otherwise. Outputs do not overlap inputs. NULL, an unknown group or a size out
 * of range give HML_INVALID_ARGUMENT, NaN or infinity HML_NOT_FINITE, an axis that is not unit HML_NOT_NORMALIZED.
 */
#ifndef HAMEL_SUBGROUP_H
#define HAMEL_SUBGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/export.h"
#include "hamel/model.h"
#include "hamel/status.h"

/* ---- the groups ---- */

/*
 * A frame axis k is x, y or z; i and j are the two others, so that i, j, k is right-handed.
 *
 *                                 m   coordinates of v             axis */
typedef enum hml_group {
    HML_GROUP_SE3 = 0,         /* 6   vx vy vz wx wy wz            – */
    HML_GROUP_X = 1,           /* 4   vx vy vz w_k                 frame axis k; Schönflies */
    HML_GROUP_R3 = 2,          /* 3   vx vy vz                     – */
    HML_GROUP_SE2 = 3,         /* 3   v_i v_j w_k                  frame axis k, normal to the plane */
    HML_GROUP_SO3 = 4,         /* 3   wx wy wz                     – */
    HML_GROUP_R2 = 5,          /* 2   v_i v_j                      frame axis k, normal to the plane */
    HML_GROUP_CYLINDRICAL = 6, /* 2   sliding, turning             any; R × SO(2) */
    HML_GROUP_R = 7,           /* 1   sliding                      any */
    HML_GROUP_H = 8,           /* 1   turning, pitch metres per rad any */
    HML_GROUP_SO2 = 9          /* 1   turning                      any */
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

/* axis: any length but 0, NULL for z. A group that needs a frame axis refuses another with HML_INVALID_ARGUMENT. */
HML_API hml_status hml_subgroup_make(hml_group group, const double axis[3], double pitch, hml_subgroup *G);

/* axis and pitch as in hml_joint_spec; HML_INVALID_ARGUMENT for fixed and universal joints, which are none of these */
HML_API hml_status hml_subgroup_of_joint(hml_joint_type type, const double axis[3], double pitch, hml_subgroup *G);

/* ---- the algebra ---- */

/* S, 6×m, constant: the twist of the body is S v (From, Definition 4.2, where it is called H) */
HML_API hml_status hml_subgroup_selection(const hml_subgroup *G, double S[]);

/* v^ = [ ω^ v; 0 0 ], 4×4, with [v; ω] = S v (From, Table 1) */
HML_API hml_status hml_subgroup_hat(const hml_subgroup *G, const double v[], double matrix[16]);

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
 * positions beyond a metre relative to their size): room for numbers that were once stored as floats.
 */
HML_API hml_status hml_subgroup_log(const hml_subgroup *G, const double H[16], double phi[]);

/* S(φ) = 1 − ad_φ/2 + ad_φ²/6 − …, m×m, in closed form: v = S(φ) φ̇ along g = exp(φ^) (From (29)) */
HML_API hml_status hml_subgroup_jacobian(const hml_subgroup *G, const double phi[], double jacobian[]);

/* S(φ)⁻¹, m×m; HML_SINGULAR_PARAMETERIZATION where the angle is a multiple of 2π other than 0 */
HML_API hml_status hml_subgroup_jacobian_inverse(const hml_subgroup *G, const double phi[], double inverse[]);

/* ---- one rigid body ---- */

/*
 * M = Sᵀ I S, m×m (From (60)). spatial_inertia is 6×6, symmetric, linear first, in the body frame: a rigid body's, or
 * one with added mass.
 */
HML_API hml_status hml_subgroup_mass(const hml_subgroup *G, const double spatial_inertia[36], double M[]);

/* C(v) = ãd_(Mv), m×m: skew, and M v̇ + C(v) v = τ (From, Proposition 5.1) */
HML_API hml_status hml_subgroup_coriolis(const hml_subgroup *G, const double M[], const double v[], double C[]);

/* τ = M v̇ − ad_vᵀ M v, all of size m */
HML_API hml_status hml_subgroup_inverse_dynamics(const hml_subgroup *G, const double M[], const double v[],
                                                 const double vdot[], double tau[]);

/* v̇ = M⁻¹(τ + ad_vᵀ M v), all of size m; HML_SINGULAR if M is not positive definite */
HML_API hml_status hml_subgroup_forward_dynamics(const hml_subgroup *G, const double M[], const double v[],
                                                 const double tau[], double vdot[]);

/* ---- Boltzmann-Hamel, for any velocity variables ---- */

/*
 * v = S(q) q̇ with any coordinates q and any invertible n×n S(q): exponential coordinates, Euler angles, … The
 * equations of motion of L = ½ vᵀ M v − U(q), M constant, are (From (26)-(27), (46))
 *
 *     M v̇ + (Σ_k γ_k v_k) M v + S⁻ᵀ ∂U/∂q = τ,     (γ_k)_ij = Σ_lm S⁻¹_li (∂S_jl/∂q_m − ∂S_jm/∂q_l) S⁻¹_mk.
 *
 * S: n×n. dS: n×n×n, dS[(i·n + j)·n + l] = ∂S_ij/∂q_l. Both are evaluated by the caller at q.
 * HML_SINGULAR_PARAMETERIZATION where S has no inverse. work: hml_boltzmann_hamel_work(n) doubles of the caller's;
 * nothing is allocated.
 */
HML_API size_t hml_boltzmann_hamel_work(int32_t n);

/* gamma: n×n×n, gamma[(k·n + i)·n + j] = (γ_k)_ij */
HML_API hml_status hml_boltzmann_hamel_gamma(int32_t n, const double S[], const double dS[], double work[],
                                             double gamma[]);

/* C: n×n, C_ik = Σ_j (γ_k)_ij p_j with the momentum p = M v: C v = (Σ_k γ_k v_k) M v (From (54)) */
HML_API hml_status hml_boltzmann_hamel_coriolis(int32_t n, const double S[], const double dS[], const double momentum[],
                                                double work[], double C[]);

#endif
