/* Derivatives of ⊕ and ⊖. See configuration.h. */
#include "hamel/configuration.h"

#include "base/overflow.h"
#include "model/coordinates.h"

/* Ad of exp(−v) in the joint's own coordinates; its columns S are unit vectors for every group that does not commute */
static void adjoint_back(int type, const double v[], double ad[])
{
    int m = joint_nv(type);
    for (int i = 0; i < m * m; i++) ad[i] = i % (m + 1) == 0;
    if (type != HML_JOINT_PLANAR && type != HML_JOINT_SCHOENFLIES && type != HML_JOINT_SPHERICAL &&
        type != HML_JOINT_FREE)
        return;
    double one[HML_JOINT_MAX_NQ], g[HML_JOINT_MAX_NQ], back[HML_JOINT_MAX_NV];
    twist S[HML_JOINT_MAX_NV];
    for (int k = 0; k < m; k++) back[k] = -v[k];
    joint_neutral(type, one);
    joint_integrate(type, one, back, g);
    pose H = joint_element(type, vec3_zero(), 0, g);
    joint_columns(type, vec3_zero(), vec3_zero(), 0, S);
    for (int k = 0; k < m; k++) {
        twist X = pose_ad(H, S[k]);
        for (int i = 0; i < m; i++) ad[i * m + k] = vec3_dot(S[i].v, X.v) + vec3_dot(S[i].w, X.w);
    }
}

static void put_block(const model_joint *j, int32_t nv, double sign, const double *block, double *out)
{
    for (int32_t i = 0; i < j->nv; i++) {
        double *row = out + (size_t)(j->v + i) * (size_t)nv + j->v;
        for (int32_t k = 0; k < j->nv; k++) row[k] = sign * block[i * j->nv + k];
    }
}

static void clear(int32_t nv, double *out)
{
    if (out) memset(out, 0, (size_t)nv * (size_t)nv * sizeof *out);
}

hml_status hml_configuration_integrate_jacobians(const hml_model *m, const double *q, const double *v, double *dq,
                                                 double *dv)
{
    if (!m || !q || !v) return HML_INVALID_ARGUMENT;
    if (finite_numbers(v, m->nv)) return HML_NOT_FINITE;
    hml_status status = hml_configuration_check(m, q);
    if (status) return status;
    double block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
    clear(m->nv, dq);
    clear(m->nv, dv);
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        int type = group_type(j->type);
        if (dq) {
            adjoint_back(type, v + j->v, block);
            put_block(j, m->nv, 1, block, dq);
        }
        if (dv) {
            joint_jacobian(type, v + j->v, block);
            put_block(j, m->nv, 1, block, dv);
        }
    }
    const size_t n = (size_t)m->nv;
    return FINITE_STATUS({dq, n * n}, {dv, n * n});
}

hml_status hml_configuration_difference_jacobians(const hml_model *m, const double *q0, const double *q1, double *dq0,
                                                  double *dq1)
{
    if (!m || !q0 || !q1) return HML_INVALID_ARGUMENT;
    double g0[HML_JOINT_MAX_NQ], g1[HML_JOINT_MAX_NQ], d[HML_JOINT_MAX_NV];
    double block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
    clear(m->nv, dq0);
    clear(m->nv, dq1);
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        int type = group_type(j->type);
        hml_status status = joint_numbers(j, q0, g0);
        if (!status) status = joint_numbers(j, q1, g1);
        if (status) return status;
        joint_difference(type, g0, g1, d);
        if (dq1) {
            joint_jacobian_inverse(type, d, block);
            put_block(j, m->nv, 1, block, dq1);
        }
        if (dq0) { /* the left Jacobian at d is the right one at −d */
            for (int32_t k = 0; k < j->nv; k++) d[k] = -d[k];
            joint_jacobian_inverse(type, d, block);
            put_block(j, m->nv, -1, block, dq0);
        }
    }
    const size_t n = (size_t)m->nv;
    return FINITE_STATUS({dq0, n * n}, {dq1, n * n});
}
