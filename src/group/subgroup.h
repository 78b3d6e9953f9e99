/*
 * The subgroups of SE(3) over num, and one rigid body that moves on one of them. From, sections 4 and 5, Tables 1
 * and 2.
 *
 *   subgroup_dimension          m
 *   subgroup_frame              a group about or normal to a frame axis
 *   subgroup_along              a group along any axis
 *   subgroup_plane              a group normal to any axis, with the plane's first direction
 *   subgroup_selection          S, m columns: the twist of the body is S v
 *   subgroup_twist              S v
 *   subgroup_ad                 ad_v
 *   subgroup_vee                v of the twist S v
 *   subgroup_ad_tilde           ãd_p, with ãd_p v = −ad_vᵀ p
 *   subgroup_exp                exp(φ), a pose
 *   subgroup_log                φ
 *   subgroup_jacobian           S(φ): v = S(φ) φ̇
 *   subgroup_jacobian_inverse   S(φ)⁻¹
 *   subgroup_jacobian_change    d/dε S(φ + ε δ) η
 *   subgroup_mass               M = Sᵀ I S
 *   subgroup_inverse_dynamics   τ = M v̇ + ãd_(Mv) v
 *   subgroup_forward_dynamics   v̇ = M⁻¹(τ − ãd_(Mv) v)
 *
 * From's H (58) is S here, as everywhere in Hamel; From's S(φ) (29) is the Jacobian. Everything is seen from the body.
 * Deviation: Table 1 as printed is wrong for ℝ³, SO(3), ℝ, H and SO(2) (docs/subgroups.md); ãd here is what ãd_p v =
 * −ad_vᵀ p makes it. Matrices are m×m, row-major. Coordinates are in the order of hml_group.
 *
 * ℝ³, ℝ², ℝ, H, SO(2) and ℝ×SO(2) are commutative: ad = 0, S(φ) = 1. SE(2) has the coordinates of its plane, along the
 * directions i and j with i × j = n, and is the same for every n but for S. X(n) has the frame's x, y, z; what a
 * rotation about n turns of them is u⊥ = u − n (n·u). Branches look at the group only.
 */
#ifndef HML_GROUP_SUBGROUP_H
#define HML_GROUP_SUBGROUP_H

#include "group/axis.h"
#include "group/schoenflies.h"
#include "group/se2.h"
#include "group/se3.h"
#include "hamel/subgroup.h"

typedef struct {
    int group; /* hml_group */
    vec3 axis; /* n, unit, where the group has one */
    vec3 i, j; /* of SE(2) and R2: i, j, n is orthonormal and right-handed */
    num pitch; /* of H */
} subgroup;

static inline int subgroup_dimension(int group)
{
    switch (group) {
    case HML_GROUP_SE3: return 6;
    case HML_GROUP_X: return 4;
    case HML_GROUP_R3:
    case HML_GROUP_SE2:
    case HML_GROUP_SO3: return 3;
    case HML_GROUP_R2:
    case HML_GROUP_CYLINDRICAL: return 2;
    case HML_GROUP_R:
    case HML_GROUP_H:
    case HML_GROUP_SO2: return 1;
    default: return 0;
    }
}

static inline vec3 frame_axis(int k) { return vec3_of(K(k == 0), K(k == 1), K(k == 2)); }

/* normal to n, unit; the plane's first direction i is unit and perpendicular to n */
static inline subgroup subgroup_plane(int group, vec3 n, vec3 i)
{
    subgroup G;
    G.group = group, G.axis = n, G.i = i, G.j = vec3_cross(n, i), G.pitch = K(0);
    return G;
}

/* not for SE(2) and R2, whose plane needs a direction more, unless n is z */
static inline subgroup subgroup_along(int group, vec3 n, num pitch)
{
    subgroup G = subgroup_plane(group, n, frame_axis(0));
    G.pitch = pitch;
    return G;
}

static inline subgroup subgroup_frame(int group, int k, num pitch)
{
    subgroup G = subgroup_plane(group, frame_axis(k), frame_axis((k + 1) % 3));
    G.pitch = pitch;
    return G;
}

/* ---- the algebra ---- */

/* From (62), (77), (88) */
static inline void subgroup_selection(subgroup G, twist S[])
{
    const vec3 o = vec3_zero(), n = G.axis;
    switch (G.group) {
    case HML_GROUP_SE3:
        for (int l = 0; l < 3; l++) S[l] = slide_column(frame_axis(l)), S[l + 3] = turn_column(frame_axis(l), o);
        break;
    case HML_GROUP_X:
        for (int l = 0; l < 3; l++) S[l] = slide_column(frame_axis(l));
        S[3] = turn_column(n, o);
        break;
    case HML_GROUP_R3:
        for (int l = 0; l < 3; l++) S[l] = slide_column(frame_axis(l));
        break;
    case HML_GROUP_SE2: S[0] = slide_column(G.i), S[1] = slide_column(G.j), S[2] = turn_column(n, o); break;
    case HML_GROUP_SO3:
        for (int l = 0; l < 3; l++) S[l] = turn_column(frame_axis(l), o);
        break;
    case HML_GROUP_R2: S[0] = slide_column(G.i), S[1] = slide_column(G.j); break;
    case HML_GROUP_CYLINDRICAL: S[0] = slide_column(n), S[1] = turn_column(n, o); break;
    case HML_GROUP_R: S[0] = slide_column(n); break;
    case HML_GROUP_H: S[0] = twist_of(vec3_scale(G.pitch, n), n); break;
    case HML_GROUP_SO2: S[0] = turn_column(n, o); break;
    default: break;
    }
}

static inline twist subgroup_twist(subgroup G, const num v[])
{
    twist S[6], V = twist_zero();
    subgroup_selection(G, S);
    for (int i = 0; i < subgroup_dimension(G.group); i++) V = twist_axpy(v[i], S[i], V);
    return V;
}

/* the coordinates of a twist S v; of another twist those that the group has */
static inline void subgroup_vee(subgroup G, twist V, num v[])
{
    const vec3 n = G.axis;
    switch (G.group) {
    case HML_GROUP_SE3: vec3_put(V.v, v), vec3_put(V.w, v + 3); break;
    case HML_GROUP_X: vec3_put(V.v, v), v[3] = vec3_dot(n, V.w); break;
    case HML_GROUP_R3: vec3_put(V.v, v); break;
    case HML_GROUP_SO3: vec3_put(V.w, v); break;
    case HML_GROUP_SE2:
    case HML_GROUP_R2:
        v[0] = vec3_dot(G.i, V.v), v[1] = vec3_dot(G.j, V.v);
        if (G.group == HML_GROUP_SE2) v[2] = vec3_dot(n, V.w);
        break;
    case HML_GROUP_CYLINDRICAL: v[0] = vec3_dot(n, V.v), v[1] = vec3_dot(n, V.w); break;
    case HML_GROUP_R: v[0] = vec3_dot(n, V.v); break;
    case HML_GROUP_H:
    case HML_GROUP_SO2: v[0] = vec3_dot(n, V.w); break;
    default: break;
    }
}

/* From (6), (8), (78), (89) */
static inline void subgroup_ad(subgroup G, const num v[], num ad[])
{
    int m = subgroup_dimension(G.group);
    switch (G.group) {
    case HML_GROUP_SE3: twist_cross_matrix(twist_at(v), ad); break;
    case HML_GROUP_SO3: mat3_put(mat3_hat(vec3_at(v)), ad, m); break;
    case HML_GROUP_SE2: se2_ad_matrix(vec2_of(v[0], v[1]), v[2], 0, 1, 2, m, ad); break;
    case HML_GROUP_X: schoenflies_ad(G.axis, vec3_at(v), v[3], ad); break;
    default:
        for (int l = 0; l < m * m; l++) ad[l] = K(0);
        break;
    }
}

/* From (68), (73), (83), Table 1's row X */
static inline void subgroup_ad_tilde(subgroup G, const num p[], num C[])
{
    int m = subgroup_dimension(G.group);
    switch (G.group) {
    case HML_GROUP_SE3: wrench_cross_matrix(wrench_at(p), C); break;
    case HML_GROUP_SO3: mat3_put(mat3_hat(vec3_neg(vec3_at(p))), C, m); break;
    case HML_GROUP_X: schoenflies_ad_tilde(G.axis, vec3_at(p), C); break;
    default:
        for (int l = 0; l < m * m; l++) C[l] = K(0);
        if (G.group != HML_GROUP_SE2) break;
        C[2] = -p[1], C[5] = p[0], C[6] = p[1], C[7] = -p[0];
        break;
    }
}

/* ---- the group ---- */

/* a vector of the plane of SE(2) or R2 */
static inline vec3 subgroup_in_plane(subgroup G, vec2 u) { return vec3_axpy(u.x, G.i, vec3_scale(u.y, G.j)); }

static inline pose subgroup_exp(subgroup G, const num phi[])
{
    const vec3 n = G.axis;
    const mat3 one = mat3_identity();
    switch (G.group) {
    case HML_GROUP_SE3: return se3_exp(twist_at(phi));
    case HML_GROUP_SO3: return pose_of(so3_exp(vec3_at(phi)), vec3_zero());
    case HML_GROUP_R3: return pose_of(one, vec3_at(phi));
    case HML_GROUP_CYLINDRICAL: return pose_of(axis_rotation(n, phi[1]), vec3_scale(phi[0], n));
    case HML_GROUP_R: return pose_of(one, vec3_scale(phi[0], n));
    case HML_GROUP_H: return pose_of(axis_rotation(n, phi[0]), vec3_scale(G.pitch * phi[0], n));
    case HML_GROUP_SO2: return pose_of(axis_rotation(n, phi[0]), vec3_zero());
    case HML_GROUP_R2: return pose_of(one, subgroup_in_plane(G, vec2_of(phi[0], phi[1])));
    case HML_GROUP_SE2:
        return pose_of(axis_rotation(n, phi[2]), subgroup_in_plane(G, se2_exp(vec2_of(phi[0], phi[1]), phi[2])));
    case HML_GROUP_X: return schoenflies_exp(n, vec3_at(phi), phi[3]);
    default: return pose_identity();
    }
}

/* x rounded to an integer: beyond 1/ε there is nothing else */
static inline num num_round(num x)
{
    const num magic = K(1.5) / K(NUM_EPS);
    return (x + magic) - magic;
}

/*
 * Of an element of the group; of another pose the parts the group has. |angle| <= π, but for H with a pitch h: there
 * the displacement n·p = h φ counts the turns.
 */
static inline void subgroup_log(subgroup G, pose g, num phi[])
{
    const vec3 n = G.axis;
    switch (G.group) {
    case HML_GROUP_SE3: {
        twist V = se3_log(g);
        vec3_put(V.v, phi), vec3_put(V.w, phi + 3);
        break;
    }
    case HML_GROUP_SO3: vec3_put(so3_log_quat(mat3_to_quat(g.R)), phi); break;
    case HML_GROUP_R3: vec3_put(g.p, phi); break;
    case HML_GROUP_R2: phi[0] = vec3_dot(G.i, g.p), phi[1] = vec3_dot(G.j, g.p); break;
    case HML_GROUP_CYLINDRICAL: phi[0] = vec3_dot(n, g.p), phi[1] = axis_angle(n, g.R); break;
    case HML_GROUP_R: phi[0] = vec3_dot(n, g.p); break;
    case HML_GROUP_H: {
        num h2 = G.pitch * G.pitch, angle = axis_angle(n, g.R), turn = K(2) * num_pi();
        num rest = vec3_dot(n, g.p) - G.pitch * angle;
        num guarded = num_select(num_lt(K(0), h2), h2, K(1)); /* without a pitch the numerator is 0 */
        phi[0] = angle + turn * num_round(rest * G.pitch / (guarded * turn));
        break;
    }
    case HML_GROUP_SO2: phi[0] = axis_angle(n, g.R); break;
    case HML_GROUP_SE2: {
        num angle = axis_angle(n, g.R);
        vec2 u = se2_log(vec2_of(vec3_dot(G.i, g.p), vec3_dot(G.j, g.p)), angle);
        phi[0] = u.x, phi[1] = u.y, phi[2] = angle;
        break;
    }
    case HML_GROUP_X: {
        phi[3] = axis_angle(n, g.R);
        vec3_put(schoenflies_log(n, g.p, phi[3]), phi);
        break;
    }
    default: break;
    }
}

/* From (29), Table 2, summed up: exp(φ)⁻¹ d/dt exp(φ) = (S(φ) φ̇)^ */
static inline void subgroup_jacobian(subgroup G, const num phi[], num S[])
{
    int m = subgroup_dimension(G.group);
    switch (G.group) {
    case HML_GROUP_SE3: se3_jacobian_matrix(se3_dexp_right(twist_at(phi)), S); break;
    case HML_GROUP_SO3: mat3_put(so3_dexp_right(vec3_at(phi)), S, m); break;
    case HML_GROUP_SE2: se2_matrix(se2_dexp_right(vec2_of(phi[0], phi[1]), phi[2]), 0, 1, 2, m, S); break;
    case HML_GROUP_X: schoenflies_jacobian(G.axis, vec3_at(phi), phi[3], S); break;
    default:
        for (int l = 0; l < m * m; l++) S[l] = K(l % (m + 1) == 0);
        break;
    }
}

static inline void subgroup_jacobian_inverse(subgroup G, const num phi[], num S[])
{
    int m = subgroup_dimension(G.group);
    switch (G.group) {
    case HML_GROUP_SE3: se3_jacobian_matrix(se3_dexp_right_inverse(twist_at(phi)), S); break;
    case HML_GROUP_SO3: mat3_put(so3_dexp_right_inverse(vec3_at(phi)), S, m); break;
    case HML_GROUP_SE2: se2_matrix(se2_dexp_right_inverse(vec2_of(phi[0], phi[1]), phi[2]), 0, 1, 2, m, S); break;
    case HML_GROUP_X: schoenflies_jacobian_inverse(G.axis, vec3_at(phi), phi[3], S); break;
    default:
        for (int l = 0; l < m * m; l++) S[l] = K(l % (m + 1) == 0);
        break;
    }
}

/*
 * d/dε S(φ + ε δ) η at ε = 0. A subgroup's ad is that of SE(3) on its own twists, and so is everything made of it: the
 * derivative is taken there. Zero where the group commutes.
 */
static inline void subgroup_jacobian_change(subgroup G, const num phi[], const num delta[], const num eta[], num out[])
{
    twist D = se3_dexp_right_derivative(subgroup_twist(G, phi), subgroup_twist(G, delta), subgroup_twist(G, eta));
    switch (G.group) {
    case HML_GROUP_SE3:
    case HML_GROUP_SO3:
    case HML_GROUP_SE2:
    case HML_GROUP_X: subgroup_vee(G, D, out); break;
    default:
        for (int l = 0; l < subgroup_dimension(G.group); l++) out[l] = K(0);
        break;
    }
}

/* ---- one rigid body ---- */

/* From (60) */
static inline void subgroup_mass(subgroup G, inertia I, num M[])
{
    int m = subgroup_dimension(G.group);
    twist S[6];
    subgroup_selection(G, S);
    for (int j = 0; j < m; j++) {
        wrench momentum = inertia_mul(I, S[j]);
        for (int i = 0; i < m; i++) M[i * m + j] = wrench_dot(momentum, S[i]);
    }
}

/* y = A x + b */
static inline void matrix_axpy(int m, const num A[], const num x[], const num b[], num y[])
{
    for (int i = 0; i < m; i++) {
        num sum = b[i];
        for (int j = 0; j < m; j++) sum = sum + A[i * m + j] * x[j];
        y[i] = sum;
    }
}

/* ãd_(Mv) v, From (108) */
static inline void subgroup_bias(subgroup G, const num M[], const num v[], num bias[])
{
    int m = subgroup_dimension(G.group);
    num zero[6], p[6], C[36];
    for (int i = 0; i < 6; i++) zero[i] = p[i] = K(0);
    matrix_axpy(m, M, v, zero, p);
    subgroup_ad_tilde(G, p, C);
    matrix_axpy(m, C, v, zero, bias);
}

static inline void subgroup_inverse_dynamics(subgroup G, const num M[], const num v[], const num vdot[], num tau[])
{
    num bias[6];
    subgroup_bias(G, M, v, bias);
    matrix_axpy(subgroup_dimension(G.group), M, vdot, bias, tau);
}

/* by M = L D Lᵀ; returns the lanes in which M is not positive definite */
static inline mask subgroup_forward_dynamics(subgroup G, const num M[], const num v[], const num tau[], num vdot[])
{
    int m = subgroup_dimension(G.group);
    num L[36], x[6], d[6];
    mask bad = num_lt(K(0), K(0));
    subgroup_bias(G, M, v, x);
    for (int i = 0; i < m; i++) {
        x[i] = tau[i] - x[i];
        for (int j = 0; j <= i; j++) {
            num sum = M[i * m + j];
            for (int k = 0; k < j; k++) sum = sum - L[i * m + k] * L[j * m + k] * d[k];
            if (j < i)
                L[i * m + j] = sum / d[j];
            else
                d[i] = sum;
        }
        mask lost = ~num_lt(K(m * NUM_EPS) * M[i * m + i], d[i]);
        bad = bad | lost;
        d[i] = num_select(lost, K(1), d[i]);
        for (int k = 0; k < i; k++) x[i] = x[i] - L[i * m + k] * x[k];
    }
    for (int i = m - 1; i >= 0; i--) {
        x[i] = x[i] / d[i];
        for (int k = i + 1; k < m; k++) x[i] = x[i] - L[k * m + i] * x[k];
        vdot[i] = x[i];
    }
    return bad;
}

#endif
