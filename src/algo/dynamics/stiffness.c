/* Dampers and springs as matrices: stiffness.h. */
#include "algo/dynamics/stiffness.h"

#include "group/joint.h"
#include "model/mimic.h"

int hmli_is_elastic(const hml_model *model)
{
    const model_coordinate *c = model_coordinates(model);
    if (!model->passive) return 0;
    for (int32_t i = 0; i < model->tree_nv; i++)
        if (c[i].damping != 0 || c[i].stiffness != 0) return 1;
    return 0;
}

static int is_stiff(int nv, const double *stiffness)
{
    int stiff = 0;
    for (int i = 0; i < nv; i++) stiff |= stiffness[i] != 0;
    return stiff;
}

void hmli_joint_stiffness(int type, const double *rest, const double *q, const double *stiffness, const double *damping,
                          double c, double k, double block[])
{
    const int nv = joint_nv(type);
    for (int i = 0; i < nv * nv; i++) block[i] = 0;
    if (is_stiff(nv, stiffness)) {
        double log[HML_JOINT_MAX_NV] = {0};
        joint_difference(type, rest, q, log);
        joint_jacobian_inverse(type, log, block);
        for (int i = 0; i < nv * nv; i++) block[i] *= k * stiffness[i / nv];
    }
    for (int i = 0; i < nv; i++) block[i * nv + i] += c * damping[i];
}

static void read_coordinates(const model_body *b, const model_coordinate *at, double *stiffness, double *damping)
{
    for (int32_t r = 0; r < b->nv; r++) stiffness[r] = at[r].stiffness, damping[r] = at[r].damping;
}

void hmli_add_stiffness(const stiffness_map *map, const double *q, double c, double k, double *A)
{
    const hml_model *model = map->model;
    const size_t n = (size_t)model->nv;
    model_expand_q(model, q, map->tree_q);
    for (int32_t i = 0; i < model->nbodies; i++) {
        const model_body *b = &model_bodies(model)[i];
        double block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        double stiffness[HML_JOINT_MAX_NV] = {0}, damping[HML_JOINT_MAX_NV] = {0};
        read_coordinates(b, &model_coordinates(model)[b->v], stiffness, damping);
        hmli_joint_stiffness(b->type, &model_rest(model)[b->q], &map->tree_q[b->q], stiffness, damping, c, k, block);
        for (int32_t r = 0; r < b->nv; r++) {
            for (int32_t s = 0; s < b->nv; s++) {
                double factor = map->factor[b->v + r] * map->factor[b->v + s];
                A[(size_t)map->user[b->v + r] * n + (size_t)map->user[b->v + s]] += factor * block[r * b->nv + s];
            }
        }
    }
}

/* does the joint's group not commute, so that S is not the identity? Such a joint follows nobody */
static int curved(int32_t type)
{
    return type == HML_JOINT_PLANAR || type == HML_JOINT_SPHERICAL || type == HML_JOINT_SCHOENFLIES ||
           type == HML_JOINT_FREE;
}

/* Σ a_k S_k: an element of a joint's algebra as one of se(3), where the derivative of S⁻¹ is known */
static twist embed(int32_t m, const twist *S, const double *a)
{
    twist V = twist_zero();
    for (int32_t k = 0; k < m; k++) V = twist_axpy(a[k], S[k], V);
    return V;
}

/* block, nv × nv: the derivative of S⁻¹(φ) x by q, φ = log(rest⁻¹ q), dφ = S⁻¹(φ) dq */
static void joint_derivative(int32_t type, const double *rest, const double *q, const double *x, double block[])
{
    const int32_t m = joint_nv(type);
    double log[HML_JOINT_MAX_NV] = {0}, inverse[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
    twist S[HML_JOINT_MAX_NV];
    joint_columns(type, vec3_of(0, 0, 1), vec3_zero(), 0, S);
    joint_difference(type, rest, q, log);
    joint_jacobian_inverse(type, log, inverse);
    for (int32_t c = 0; c < m; c++) {
        double moved[HML_JOINT_MAX_NV];
        for (int32_t r = 0; r < m; r++) moved[r] = inverse[r * m + c];
        twist d = se3_dexp_right_inverse_derivative(embed(m, S, log), embed(m, S, moved), embed(m, S, x));
        for (int32_t r = 0; r < m; r++) block[r * m + c] = vec3_dot(S[r].v, d.v) + vec3_dot(S[r].w, d.w);
    }
}

void hmli_add_stiffness_derivative(const stiffness_map *map, const double *q, const double *x, double k, double *A)
{
    const hml_model *model = map->model;
    const size_t n = (size_t)model->nv;
    model_expand_q(model, q, map->tree_q);
    for (int32_t i = 0; i < model->nbodies; i++) {
        const model_body *b = &model_bodies(model)[i];
        double stiffness[HML_JOINT_MAX_NV] = {0}, damping[HML_JOINT_MAX_NV] = {0};
        double block[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        read_coordinates(b, &model_coordinates(model)[b->v], stiffness, damping);
        if (!curved(b->type) || !is_stiff(b->nv, stiffness)) continue;
        const size_t at = (size_t)map->user[b->v];
        joint_derivative(b->type, &model_rest(model)[b->q], &map->tree_q[b->q], x + at, block);
        for (int32_t r = 0; r < b->nv; r++) {
            double *row = A + (at + (size_t)r) * n + at;
            for (int32_t s = 0; s < b->nv; s++) row[s] += k * stiffness[r] * block[r * b->nv + s];
        }
    }
}
