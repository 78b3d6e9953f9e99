/* The subgroups of SE(3) for the public: arrays of doubles in and out, everything checked at the door. */
#include "group/subgroup.h"

#include "group/arrays.h"

#include <float.h>
#include <string.h>

/* room for numbers that were once stored as floats */
#define ELEMENT_TOLERANCE 1e-6

const char *hml_group_name(hml_group group)
{
    switch (group) {
    case HML_GROUP_SE3: return "SE(3)";
    case HML_GROUP_X: return "X";
    case HML_GROUP_R3: return "R3";
    case HML_GROUP_SE2: return "SE(2)";
    case HML_GROUP_SO3: return "SO(3)";
    case HML_GROUP_R2: return "R2";
    case HML_GROUP_CYLINDRICAL: return "RxSO(2)";
    case HML_GROUP_R: return "R";
    case HML_GROUP_H: return "H";
    case HML_GROUP_SO2: return "SO(2)";
    default: return NULL;
    }
}

int32_t hml_group_dimension(hml_group group) { return subgroup_dimension((int)group); }

/* ---- checks ---- */

static int has_axis(hml_group group)
{
    return group != HML_GROUP_SE3 && group != HML_GROUP_R3 && group != HML_GROUP_SO3;
}

/*
 * The first direction of the plane across n: the frame axis that follows the one nearest to n, made perpendicular to n.
 * Of equally near ones the last counts, so that z comes before y and y before x. For n = x, y, z it is y, z, x.
 */
static vec3 plane_direction(vec3 n)
{
    const double size[3] = {fabs(n.x), fabs(n.y), fabs(n.z)};
    int k = size[2] >= size[1] ? 2 : 1;
    if (size[0] > size[k]) k = 0;
    vec3 across = axis_across(n, frame_axis((k + 1) % 3));
    return vec3_scale(1 / vec3_norm(across), across);
}

/* a public subgroup as one over num */
static hml_status read_group(const hml_subgroup *G, subgroup *out)
{
    if (!G || !subgroup_dimension((int)G->group)) return HML_INVALID_ARGUMENT;
    *out = subgroup_frame((int)G->group, 2, 0);
    if (!has_axis(G->group)) return HML_OK;
    if (!all_finite(G->axis, 3)) return HML_NOT_FINITE;
    vec3 n = vec3_at(G->axis);
    double length = vec3_norm(n);
    if (!(fabs(length - 1) <= 1e-3)) return HML_NOT_NORMALIZED;
    if (!isfinite(G->pitch)) return HML_NOT_FINITE;
    n = vec3_scale(1 / length, n);
    *out = subgroup_plane((int)G->group, n, plane_direction(n));
    out->pitch = G->pitch;
    return HML_OK;
}

/* the subgroup, and an input of m numbers */
static hml_status read_input(const hml_subgroup *G, const double *in, const double *out, subgroup *g)
{
    if (!in || !out) return HML_INVALID_ARGUMENT;
    hml_status status = read_group(G, g);
    if (status) return status;
    return all_finite(in, (size_t)subgroup_dimension(g->group)) ? HML_OK : HML_NOT_FINITE;
}

hml_status hml_subgroup_make(hml_group group, const double axis[3], double pitch, hml_subgroup *G)
{
    static const double z[3] = {0, 0, 1};
    if (!G || !subgroup_dimension((int)group)) return HML_INVALID_ARGUMENT;
    if (!axis || !has_axis(group)) axis = z;
    if (!all_finite(axis, 3) || !isfinite(pitch)) return HML_NOT_FINITE;
    double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2]))); /* so that squares cannot overflow */
    if (!(largest > 0)) return HML_INVALID_ARGUMENT;
    vec3 n = vec3_of(axis[0] / largest, axis[1] / largest, axis[2] / largest);
    hml_subgroup made = {.group = group, .pitch = group == HML_GROUP_H ? pitch : 0};
    vec3_put(vec3_scale(1 / vec3_norm(n), n), made.axis);
    subgroup checked;
    hml_status status = read_group(&made, &checked);
    if (!status) *G = made;
    return status;
}

hml_status hml_subgroup_of_joint(hml_joint_type type, const double axis[3], double pitch, hml_subgroup *G)
{
    switch (type) {
    case HML_JOINT_REVOLUTE: return hml_subgroup_make(HML_GROUP_SO2, axis, 0, G);
    case HML_JOINT_PRISMATIC: return hml_subgroup_make(HML_GROUP_R, axis, 0, G);
    case HML_JOINT_HELICAL: return hml_subgroup_make(HML_GROUP_H, axis, pitch, G);
    case HML_JOINT_CYLINDRICAL: return hml_subgroup_make(HML_GROUP_CYLINDRICAL, axis, 0, G);
    case HML_JOINT_TRANSLATION2: return hml_subgroup_make(HML_GROUP_R2, NULL, 0, G);
    case HML_JOINT_PLANAR: return hml_subgroup_make(HML_GROUP_SE2, NULL, 0, G);
    case HML_JOINT_SPHERICAL: return hml_subgroup_make(HML_GROUP_SO3, NULL, 0, G);
    case HML_JOINT_TRANSLATION3: return hml_subgroup_make(HML_GROUP_R3, NULL, 0, G);
    case HML_JOINT_SCHOENFLIES: return hml_subgroup_make(HML_GROUP_X, NULL, 0, G);
    case HML_JOINT_FREE: return hml_subgroup_make(HML_GROUP_SE3, NULL, 0, G);
    default: return HML_INVALID_ARGUMENT;
    }
}

/* ---- the algebra ---- */

hml_status hml_subgroup_selection(const hml_subgroup *G, double S[])
{
    subgroup g;
    twist columns[6];
    hml_status status = read_group(G, &g);
    if (status) return status;
    if (!S) return HML_INVALID_ARGUMENT;
    int m = subgroup_dimension(g.group);
    subgroup_selection(g, columns);
    for (int j = 0; j < m; j++) {
        double column[6];
        vec3_put(columns[j].v, column), vec3_put(columns[j].w, column + 3);
        for (int i = 0; i < 6; i++) S[i * m + j] = column[i];
    }
    return HML_OK;
}

hml_status hml_subgroup_hat(const hml_subgroup *G, const double v[], double matrix[16])
{
    subgroup g;
    hml_status status = read_input(G, v, matrix, &g);
    if (!status) twist_hat_matrix(subgroup_twist(g, v), matrix);
    return status;
}

/* is a matrix that came back within 1e-6 of what it was? Parts larger than 1 relative to their size. */
static int came_back(const double back[16], const double matrix[16])
{
    double angular = 1, linear = 1;
    for (int i = 0; i < 12; i++) {
        double *size = i % 4 == 3 ? &linear : &angular;
        *size = fmax(*size, fabs(matrix[i]));
    }
    for (int i = 0; i < 16; i++) {
        double size = i >= 12 ? 1 : i % 4 == 3 ? linear : angular;
        if (!(fabs(back[i] - matrix[i]) <= ELEMENT_TOLERANCE * size)) return 0;
    }
    return 1;
}

hml_status hml_subgroup_vee(const hml_subgroup *G, const double matrix[16], double v[])
{
    subgroup g;
    double back[16], found[6];
    if (!matrix || !v) return HML_INVALID_ARGUMENT;
    hml_status status = read_group(G, &g);
    if (status) return status;
    if (!all_finite(matrix, 16)) return HML_NOT_FINITE;
    subgroup_vee(g, array_vee(matrix), found);
    twist_hat_matrix(subgroup_twist(g, found), back);
    if (!came_back(back, matrix)) return HML_INVALID_ARGUMENT;
    memcpy(v, found, (size_t)subgroup_dimension(g.group) * sizeof *v);
    return HML_OK;
}

hml_status hml_subgroup_ad(const hml_subgroup *G, const double v[], double ad[])
{
    subgroup g;
    hml_status status = read_input(G, v, ad, &g);
    if (!status) subgroup_ad(g, v, ad);
    return status;
}

hml_status hml_subgroup_ad_tilde(const hml_subgroup *G, const double p[], double ad_tilde[])
{
    subgroup g;
    hml_status status = read_input(G, p, ad_tilde, &g);
    if (!status) subgroup_ad_tilde(g, p, ad_tilde);
    return status;
}

/* ---- the group ---- */

hml_status hml_subgroup_exp(const hml_subgroup *G, const double phi[], double H[16])
{
    subgroup g;
    hml_status status = read_input(G, phi, H, &g);
    if (!status) pose_matrix(subgroup_exp(g, phi), H);
    return status;
}

/* Rᵀ R is 1 and R is no reflection */
static int is_rotation(mat3 R)
{
    double square[9];
    mat3_put(mat3_tmul(R, R), square, 3);
    for (int i = 0; i < 9; i++) {
        if (!(fabs(square[i] - (i % 4 == 0)) <= ELEMENT_TOLERANCE)) return 0;
    }
    return vec3_dot(vec3_cross(R.x, R.y), R.z) > 0;
}

hml_status hml_subgroup_log(const hml_subgroup *G, const double H[16], double phi[])
{
    subgroup g;
    double back[16];
    if (!H || !phi) return HML_INVALID_ARGUMENT;
    hml_status status = read_group(G, &g);
    if (status) return status;
    if (!all_finite(H, 16)) return HML_NOT_FINITE;
    pose A = pose_of(mat3_of(vec3_of(H[0], H[4], H[8]), vec3_of(H[1], H[5], H[9]), vec3_of(H[2], H[6], H[10])),
                     vec3_of(H[3], H[7], H[11]));
    if (!is_rotation(A.R)) return HML_NOT_NORMALIZED;

    /* an element comes back from its logarithm; rotations are compared as they are, positions relative to their size */
    subgroup_log(g, A, phi);
    pose_matrix(subgroup_exp(g, phi), back);
    return came_back(back, H) ? HML_OK : HML_INVALID_ARGUMENT;
}

hml_status hml_subgroup_jacobian(const hml_subgroup *G, const double phi[], double jacobian[])
{
    subgroup g;
    hml_status status = read_input(G, phi, jacobian, &g);
    if (!status) subgroup_jacobian(g, phi, jacobian);
    return status;
}

hml_status hml_subgroup_jacobian_inverse(const hml_subgroup *G, const double phi[], double inverse[])
{
    subgroup g;
    hml_status status = read_input(G, phi, inverse, &g);
    if (status) return status;
    int commutative = g.group == HML_GROUP_CYLINDRICAL || g.group == HML_GROUP_H || g.group == HML_GROUP_SO2;
    double half = 0.5 * vec3_norm(subgroup_twist(g, phi).w);
    /* det S = (sin(θ/2)/(θ/2))² where the group is not commutative: below ε nothing of the inverse is left */
    if (!commutative && half > 1 && fabs(sin(half)) < sqrt(DBL_EPSILON) * half) return HML_SINGULAR_PARAMETERIZATION;
    subgroup_jacobian_inverse(g, phi, inverse);
    return HML_OK;
}

hml_status hml_subgroup_jacobian_derivative(const hml_subgroup *G, const double phi[], double derivative[])
{
    subgroup g;
    hml_status status = read_input(G, phi, derivative, &g);
    if (status) return status;
    int m = subgroup_dimension(g.group);
    for (int j = 0; j < m; j++) {
        for (int l = 0; l < m; l++) {
            double eta[6] = {0}, delta[6] = {0}, column[6] = {0};
            eta[j] = delta[l] = 1;
            subgroup_jacobian_change(g, phi, delta, eta, column);
            for (int i = 0; i < m; i++) derivative[(i * m + j) * m + l] = column[i];
        }
    }
    return HML_OK;
}

/* ---- one rigid body ---- */

hml_status hml_subgroup_mass(const hml_subgroup *G, const double spatial_inertia[36], double M[])
{
    double S[36] = {0}, IS[36] = {0};
    if (!spatial_inertia || !M) return HML_INVALID_ARGUMENT;
    hml_status status = hml_subgroup_selection(G, S);
    if (status) return status;
    if (!all_finite(spatial_inertia, 36)) return HML_NOT_FINITE;
    int m = subgroup_dimension((int)G->group);
    memset(M, 0, (size_t)(m * m) * sizeof *M);
    for (int i = 0; i < 6; i++) {
        for (int l = 0; l < 6; l++) {
            for (int j = 0; j < m; j++) IS[i * m + j] += spatial_inertia[i * 6 + l] * S[l * m + j];
        }
    }
    for (int l = 0; l < 6; l++) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) M[i * m + j] += S[l * m + i] * IS[l * m + j];
        }
    }
    return HML_OK;
}

/* the subgroup, M and v */
static hml_status read_motion(const hml_subgroup *G, const double *M, const double *v, const double *other,
                              const double *out, subgroup *g)
{
    if (!M || !other) return HML_INVALID_ARGUMENT;
    hml_status status = read_input(G, v, out, g);
    if (status) return status;
    int m = subgroup_dimension(g->group);
    return all_finite(M, (size_t)(m * m)) && all_finite(other, (size_t)m) ? HML_OK : HML_NOT_FINITE;
}

hml_status hml_subgroup_coriolis(const hml_subgroup *G, const double M[], const double v[], double C[])
{
    subgroup g;
    static const double zero[6] = {0};
    double p[6];
    hml_status status = read_motion(G, M, v, zero, C, &g);
    if (status) return status;
    matrix_axpy(subgroup_dimension(g.group), M, v, zero, p);
    subgroup_ad_tilde(g, p, C);
    return HML_OK;
}

/*
 * U = −m γ·(p + R c) with gravity γ, and its change along H exp(ε S v): −m γ·R (v + ω × c), Notation (82) read as a
 * power
 */
hml_status hml_subgroup_gravity(const hml_subgroup *G, double mass, const double com[3], const double H[16],
                                const double gravity[3], double *potential, double force[])
{
    subgroup g;
    twist S[6];
    hml_status status = read_group(G, &g);
    if (status) return status;
    if (!com || !H || !gravity) return HML_INVALID_ARGUMENT;
    if (!isfinite(mass) || !all_finite(com, 3) || !all_finite(H, 12) || !all_finite(gravity, 3)) return HML_NOT_FINITE;
    mat3 R = mat3_of(vec3_of(H[0], H[4], H[8]), vec3_of(H[1], H[5], H[9]), vec3_of(H[2], H[6], H[10]));
    if (!is_rotation(R)) return HML_NOT_NORMALIZED;
    vec3 c = vec3_at(com), weight = vec3_scale(mass, vec3_at(gravity)), down = mat3_tmul_vec(R, weight);
    subgroup_selection(g, S);
    if (potential) *potential = -vec3_dot(weight, vec3_add(vec3_of(H[3], H[7], H[11]), mat3_mul_vec(R, c)));
    for (int i = 0; force && i < subgroup_dimension(g.group); i++) {
        force[i] = -vec3_dot(down, vec3_add(S[i].v, vec3_cross(S[i].w, c)));
    }
    return HML_OK;
}

/* the same for any potential: what From (26) has as −S⁻ᵀ ∂L/∂φ, L = … − U */
hml_status hml_subgroup_potential_force(const hml_subgroup *G, const double phi[], const double dU[], double force[])
{
    subgroup g;
    double inverse[36] = {0};
    if (!dU || !force) return HML_INVALID_ARGUMENT;
    hml_status status = read_input(G, dU, force, &g);
    if (!status) status = hml_subgroup_jacobian_inverse(G, phi, inverse);
    if (status) return status;
    int m = subgroup_dimension(g.group);
    for (int i = 0; i < m; i++) {
        force[i] = 0;
        for (int l = 0; l < m; l++) force[i] += inverse[l * m + i] * dU[l];
    }
    return HML_OK;
}

/* force, of a potential, or zeros where it is NULL */
static hml_status read_force(const subgroup *g, const double *force, double out[6])
{
    int m = subgroup_dimension(g->group);
    for (int i = 0; i < m; i++) out[i] = force ? force[i] : 0;
    return all_finite(out, (size_t)m) ? HML_OK : HML_NOT_FINITE;
}

hml_status hml_subgroup_inverse_dynamics(const hml_subgroup *G, const double M[], const double v[], const double vdot[],
                                         const double force[], double tau[])
{
    subgroup g;
    double potential[6];
    hml_status status = read_motion(G, M, v, vdot, tau, &g);
    if (!status) status = read_force(&g, force, potential);
    if (status) return status;
    subgroup_inverse_dynamics(g, M, v, vdot, tau);
    for (int i = 0; i < subgroup_dimension(g.group); i++) tau[i] += potential[i];
    return HML_OK;
}

hml_status hml_subgroup_forward_dynamics(const hml_subgroup *G, const double M[], const double v[], const double tau[],
                                         const double force[], double vdot[])
{
    subgroup g;
    double rest[6] = {0};
    hml_status status = read_motion(G, M, v, tau, vdot, &g);
    if (!status) status = read_force(&g, force, rest);
    if (status) return status;
    for (int i = 0; i < subgroup_dimension(g.group); i++) rest[i] = tau[i] - rest[i];
    return num_any(subgroup_forward_dynamics(g, M, v, rest, vdot)) ? HML_SINGULAR : HML_OK;
}
