/*
 * The chord of a step of the variational scheme: θ = (Δ, φ) of a joint that moves and turns, the step g = (exp φ, A Δ)
 * and its middle m = (A, A Δ/2), A = exp(φ/2). What the step and its derivative share.
 */
#ifndef HML_SIM_MOTION_CHORD_H
#define HML_SIM_MOTION_CHORD_H

#include "group/joint.h"
#include "model/coordinates.h"

/* coordinates of a curved joint, or of a momentum of it, in those of SE(3) */
static inline twist chord_embed(int type, const double *x)
{
    twist S[HML_JOINT_MAX_NV], V = twist_zero();
    joint_columns(type, vec3_of(0, 0, 1), vec3_zero(), 0, S);
    for (int k = 0; k < joint_nv(type); k++) V = twist_axpy(x[k], S[k], V);
    return V;
}

static inline void chord_project(int type, vec3 linear, vec3 angular, double *out)
{
    twist S[HML_JOINT_MAX_NV];
    joint_columns(type, vec3_of(0, 0, 1), vec3_zero(), 0, S);
    for (int k = 0; k < joint_nv(type); k++) out[k] = vec3_dot(S[k].v, linear) + vec3_dot(S[k].w, angular);
}

/* Ad of an element of a joint's group on the joint's own coordinates, m × m */
static inline void chord_adjoint(int type, pose g, double *out)
{
    twist S[HML_JOINT_MAX_NV];
    const int m = joint_nv(type);
    joint_columns(type, vec3_of(0, 0, 1), vec3_zero(), 0, S);
    for (int c = 0; c < m; c++) {
        const twist V = pose_ad(g, S[c]);
        for (int r = 0; r < m; r++) out[r * m + c] = vec3_dot(S[r].v, V.v) + vec3_dot(S[r].w, V.w);
    }
}

/* log g, or log m if `middle`: what ⊕ takes */
static inline void chord_coordinates(const hml_model *model, const double *theta, int middle, double *out)
{
    for (size_t i = 0; i < (size_t)model->nv; i++) out[i] = middle ? 0.5 * theta[i] : theta[i];
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        if (joint_commutes(j->type)) continue;
        twist x = chord_embed(j->type, theta + j->v);
        vec3 half = vec3_scale(0.5, x.w);
        if (middle) { /* J_l(φ/2)⁻¹ A = J(φ/2)⁻¹ */
            chord_project(j->type, vec3_scale(0.5, so3_dexp_right_inverse_apply(half, x.v)), half, out + j->v);
        } else {
            vec3 end = so3_dexp_left_inverse_apply(x.w, mat3_mul_vec(so3_exp(half), x.v));
            chord_project(j->type, end, x.w, out + j->v);
        }
    }
}

/*
 * ---- tangents ----
 *
 * What one joint contributes to the derivative of a step, m × m each, row-major. With the momentum μ⁺ from the left at
 * the step's end, D at its middle and a change δ of θ:
 *
 *   g⁻¹δg = T δ,  m⁻¹δm = N δ
 *   end = Ad(g⁻¹),  middle = Ad(m⁻¹),  step = Ad(g),  rest = Ad(m⁻¹ g)
 *   turn δ = ad_{Tδ}ᵀ μ⁺ − h Ad(m⁻¹g)ᵀ ad_{Nδ}ᵀ D         of Ad(g)ᵀ (μ + h Ad(m)⁻ᵀ D) where μ and D are held
 *   bend δ: that of T(θ)ᵀ μ⁺ − h N(θ)ᵀ D                  where μ⁺ and D are held
 */
enum { CHORD_BLOCK = HML_JOINT_MAX_NV * HML_JOINT_MAX_NV };

typedef struct chord_tangent {
    double T[CHORD_BLOCK], N[CHORD_BLOCK];
    double end[CHORD_BLOCK], middle[CHORD_BLOCK], rest[CHORD_BLOCK], step[CHORD_BLOCK];
    double turn[CHORD_BLOCK], bend[CHORD_BLOCK];
} chord_tangent;

void hmli_chord_tangent(int type, double h, const double *theta, const double *mu, const double *D, chord_tangent *out);

#endif
