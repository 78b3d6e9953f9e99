/* q̇ = F(q) ν and back: a block a joint, with orthogonal columns. See configuration.h. */
#include "hamel/configuration.h"

#include "model/coordinates.h"

void hmli_rate_block(int32_t type, const double q[], double F[HML_JOINT_MAX_NQ * HML_JOINT_MAX_NV])
{
    int nq = joint_nq(group_type(type)), nv = joint_nv(group_type(type)), at = quaternion_at(type);
    memset(F, 0, HML_JOINT_MAX_NQ * HML_JOINT_MAX_NV * sizeof *F);
    if (at < 0) {
        for (int i = 0; i < nv; i++) F[i * nv + i] = 1;
        if (type != HML_JOINT_PLANAR && type != HML_JOINT_SCHOENFLIES) return;
        double s, c;
        num_sincos(q[nq - 1], &s, &c);
        F[0] = F[nv + 1] = c, F[1] = -s, F[nv] = s;
        return;
    }
    const double *r = q + at;
    double *E = F + at * nv + at; /* ½ q ⊗ (0, ω) */
    const double half[4][3] = {{-r[1], -r[2], -r[3]}, {r[0], -r[3], r[2]}, {r[3], r[0], -r[1]}, {-r[2], r[1], r[0]}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) E[i * nv + k] = 0.5 * half[i][k];
    if (type != HML_JOINT_FREE) return;
    mat3 R = quat_to_mat3(quat_at(r));
    const vec3 columns[3] = {R.x, R.y, R.z};
    for (int k = 0; k < 3; k++) F[k] = columns[k].x, F[nv + k] = columns[k].y, F[2 * nv + k] = columns[k].z;
}

hml_status hml_configuration_rate(const hml_model *m, const double *q, const double *v, double *qdot)
{
    if (!m || !q || !v || !qdot) return HML_INVALID_ARGUMENT;
    if (finite_numbers(v, m->nv)) return HML_NOT_FINITE;
    double g[HML_JOINT_MAX_NQ], F[HML_JOINT_MAX_NQ * HML_JOINT_MAX_NV];
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        hml_status status = joint_numbers(j, q, g);
        if (status) return status;
        hmli_rate_block(j->type, g, F);
        for (int32_t i = 0; i < j->nq; i++) {
            double sum = 0;
            for (int32_t k = 0; k < j->nv; k++) sum += F[i * j->nv + k] * v[j->v + k];
            qdot[j->q + i] = sum;
        }
    }
    return finite_numbers(qdot, m->nq);
}

hml_status hml_configuration_velocity(const hml_model *m, const double *q, const double *qdot, double *v)
{
    if (!m || !q || !qdot || !v) return HML_INVALID_ARGUMENT;
    if (finite_numbers(qdot, m->nq)) return HML_NOT_FINITE;
    double g[HML_JOINT_MAX_NQ], F[HML_JOINT_MAX_NQ * HML_JOINT_MAX_NV];
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        hml_status status = joint_numbers(j, q, g);
        if (status) return status;
        hmli_rate_block(j->type, g, F);
        int at = quaternion_at(j->type);
        for (int32_t k = 0; k < j->nv; k++) { /* F has orthogonal columns: of length ½ for a quaternion, else 1 */
            double sum = 0;
            for (int32_t i = 0; i < j->nq; i++) sum += F[i * j->nv + k] * qdot[j->q + i];
            v[j->v + k] = at >= 0 && k >= at ? 4 * sum : sum;
        }
    }
    return finite_numbers(v, m->nv);
}

hml_status hml_configuration_rate_matrix(const hml_model *m, const double *q, double *F)
{
    if (!m || !q || !F) return HML_INVALID_ARGUMENT;
    double g[HML_JOINT_MAX_NQ], block[HML_JOINT_MAX_NQ * HML_JOINT_MAX_NV];
    memset(F, 0, (size_t)m->nq * (size_t)m->nv * sizeof *F);
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        hml_status status = joint_numbers(j, q, g);
        if (status) return status;
        hmli_rate_block(j->type, g, block);
        for (int32_t i = 0; i < j->nq; i++)
            for (int32_t k = 0; k < j->nv; k++)
                F[(size_t)(j->q + i) * (size_t)m->nv + (size_t)(j->v + k)] = block[i * j->nv + k];
    }
    return HML_OK;
}
