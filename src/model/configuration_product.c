/*
 * The group G₁×…×G_n of a model: product, inverse and adjoint, joint after joint, perturbations on the other side, and
 * the state group of Bos (16)-(17). A universal joint, which is no group, adds its two angles.
 */
#include "hamel/configuration.h"

#include "base/overflow.h"
#include "group/joint_product.h"
#include "model/coordinates.h"

hml_status hml_configuration_product(const hml_model *m, const double *q1, const double *q2, double *q)
{
    if (!m || !q1 || !q2 || !q) return HML_INVALID_ARGUMENT;
    hml_status status = configuration_status(m, q1);
    if (!status) status = configuration_status(m, q2);
    if (status) return status;
    double g1[HML_JOINT_MAX_NQ], g2[HML_JOINT_MAX_NQ];
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        joint_numbers(j, q1, g1);
        joint_numbers(j, q2, g2);
        joint_product(group_type(j->type), g1, g2, q + j->q);
    }
    return finite_array(q, (size_t)m->nq);
}

hml_status hml_configuration_inverse(const hml_model *m, const double *q, double *inverse)
{
    if (!m || !q || !inverse) return HML_INVALID_ARGUMENT;
    hml_status status = configuration_status(m, q);
    if (status) return status;
    double g[HML_JOINT_MAX_NQ];
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        joint_numbers(j, q, g);
        joint_inverse(group_type(j->type), g, inverse + j->q);
    }
    return finite_array(inverse, (size_t)m->nq);
}

static void put_block(const model_joint *j, size_t nv, const double *block, double *out)
{
    for (int32_t k = 0; out && k < j->nv; k++) {
        memcpy(out + (size_t)(j->v + k) * nv + j->v, block + k * j->nv, (size_t)j->nv * sizeof *out);
    }
}

hml_status hml_configuration_adjoint(const hml_model *m, const double *q, double *Ad, double *inverse)
{
    if (!m || !q) return HML_INVALID_ARGUMENT;
    hml_status status = configuration_status(m, q);
    if (status) return status;
    size_t nv = (size_t)m->nv;
    if (Ad) memset(Ad, 0, nv * nv * sizeof *Ad);
    if (inverse) memset(inverse, 0, nv * nv * sizeof *inverse);
    double g[HML_JOINT_MAX_NQ], block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        joint_numbers(j, q, g);
        joint_adjoint(group_type(j->type), g, block);
        put_block(j, nv, block, Ad);
        joint_inverse(group_type(j->type), g, g);
        joint_adjoint(group_type(j->type), g, block);
        put_block(j, nv, block, inverse);
    }
    return FINITE_STATUS({Ad, nv * nv}, {inverse, nv * nv});
}

/* ---- perturbations in the predecessor's frame ---- */

hml_status hml_configuration_integrate_global(const hml_model *m, const double *q, const double *v, double *out)
{
    if (!m || !q || !v || !out) return HML_INVALID_ARGUMENT;
    if (finite_numbers(v, m->nv)) return HML_NOT_FINITE;
    hml_status status = configuration_status(m, q);
    if (status) return status;
    double g[HML_JOINT_MAX_NQ], e[HML_JOINT_MAX_NQ] = {0};
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) { /* exp(v)·g */
        int type = group_type(j->type);
        joint_numbers(j, q, g);
        joint_neutral(type, e);
        joint_integrate(type, e, v + j->v, e);
        joint_product(type, e, g, out + j->q);
    }
    return finite_array(out, (size_t)m->nq);
}

/* y = A x, m×m; y is not x */
static void multiply(int32_t m, const double *A, const double *x, double *y)
{
    for (int32_t i = 0; i < m; i++) {
        y[i] = 0;
        for (int32_t k = 0; k < m; k++) y[i] += A[i * m + k] * x[k];
    }
}

hml_status hml_configuration_difference_global(const hml_model *m, const double *q0, const double *q1, double *v)
{
    if (!m || !q0 || !q1 || !v) return HML_INVALID_ARGUMENT;
    hml_status status = configuration_status(m, q0);
    if (!status) status = configuration_status(m, q1);
    if (status) return status;
    double g0[HML_JOINT_MAX_NQ], g1[HML_JOINT_MAX_NQ], d[HML_JOINT_MAX_NV] = {0};
    double block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) { /* log(g₁ g₀⁻¹) = Ad_g₀ log(g₀⁻¹ g₁) */
        int type = group_type(j->type);
        joint_numbers(j, q0, g0);
        joint_numbers(j, q1, g1);
        joint_difference(type, g0, g1, d);
        joint_adjoint(type, g0, block);
        multiply(j->nv, block, d, v + j->v);
    }
    return finite_array(v, (size_t)m->nv);
}

/* ---- the state group ---- */

static int group_exists(hml_state_group group) { return group == HML_STATE_DIRECT || group == HML_STATE_TANGENT; }

/* v += Ad_g⁻¹ u (sign −1: v −= Ad_g u) of every joint */
static void add_moved(const hml_model *m, const double *q, double sign, const double *u, double *v)
{
    double g[HML_JOINT_MAX_NQ], block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0}, moved[HML_JOINT_MAX_NV] = {0};
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        joint_numbers(j, q, g);
        if (sign > 0) joint_inverse(group_type(j->type), g, g);
        joint_adjoint(group_type(j->type), g, block);
        multiply(j->nv, block, u + j->v, moved);
        for (int32_t k = 0; k < j->nv; k++) v[j->v + k] += sign * moved[k];
    }
}

hml_status hml_state_group_product(const hml_model *m, hml_state_group group, const double *q1, const double *v1,
                                   const double *q2, const double *v2, double *q, double *v)
{
    if (!m || !group_exists(group) || !q1 || !v1 || !q2 || !v2 || !q || !v) return HML_INVALID_ARGUMENT;
    if (q == q2 || v == v1 || v == v2) return HML_INVALID_ARGUMENT; /* read after they are written */
    if (finite_numbers(v1, m->nv) || finite_numbers(v2, m->nv)) return HML_NOT_FINITE;
    hml_status status = hml_configuration_product(m, q1, q2, q);
    if (status) return status;
    memcpy(v, v2, (size_t)m->nv * sizeof *v);
    if (group == HML_STATE_TANGENT) {
        add_moved(m, q2, 1, v1, v);
    } else {
        for (int32_t i = 0; i < m->nv; i++) v[i] += v1[i];
    }
    return finite_array(v, (size_t)m->nv);
}

hml_status hml_state_group_inverse(const hml_model *m, hml_state_group group, const double *q, const double *v,
                                   double *q_inverse, double *v_inverse)
{
    if (!m || !group_exists(group) || !q || !v || !q_inverse || !v_inverse) return HML_INVALID_ARGUMENT;
    if (q == q_inverse || v == v_inverse) return HML_INVALID_ARGUMENT;
    if (finite_numbers(v, m->nv)) return HML_NOT_FINITE;
    hml_status status = hml_configuration_inverse(m, q, q_inverse);
    if (status) return status;
    memset(v_inverse, 0, (size_t)m->nv * sizeof *v);
    if (group == HML_STATE_TANGENT) {
        add_moved(m, q, -1, v, v_inverse);
    } else {
        for (int32_t i = 0; i < m->nv; i++) v_inverse[i] = -v[i];
    }
    return finite_array(v_inverse, (size_t)m->nv);
}
