/*
 * Regressors. A body's wrench f = I V̇ + V ×* I V is linear in its ten parameters: column k is the wrench of a body that
 * has parameter k alone, all others zero. Carried to the root, every joint on the way takes its part.
 */
#include "hamel/edit.h"
#include "hamel/parameters.h"

#include "base/overflow.h"
#include "model/check_item.h"
#include "model/plan.h"
#include "reference/featherstone/tree.h"

/* the inertia whose parameter k is 1 */
static inertia unit_inertia(int k)
{
    vec3 h = vec3_of(k == 1, k == 2, k == 3);
    return inertia_of(k == 0, h, sym3_of(k == 4, k == 5, k == 6, k == 7, k == 8, k == 9));
}

hml_status hml_parameters(const hml_model *model, double *parameters)
{
    if (!model || !parameters) return HML_INVALID_ARGUMENT;
    for (int i = 0; i < model->nbodies; i++) {
        const model_body *b = &model_bodies(model)[i];
        const double *m = b->moment;
        inertia I = inertia_of_com(b->mass, vec3_at(b->com), sym3_at(m));
        const double numbers[HML_INERTIA_PARAMETERS] = {I.m,    I.h.x,  I.h.y,  I.h.z,  I.J.xx,
                                                        I.J.xy, I.J.xz, I.J.yy, I.J.yz, I.J.zz};
        memcpy(parameters + HML_INERTIA_PARAMETERS * i, numbers, sizeof numbers);
    }
    return HML_OK;
}

hml_status hml_model_set_parameters(hml_model *model, int32_t first, int32_t count, const double *parameters)
{
    if (!model || first < 0 || count < 0 || first > model->nbodies - count || (count > 0 && !parameters))
        return HML_INVALID_ARGUMENT;
    if (!all_finite(parameters, (size_t)(HML_INERTIA_PARAMETERS * count))) return HML_NOT_FINITE;
    for (int32_t i = 0; i < count; i++) {
        const double *p = parameters + HML_INERTIA_PARAMETERS * i;
        if (p[0] < 0 || (p[0] == 0 && (p[1] != 0 || p[2] != 0 || p[3] != 0))) return HML_BAD_MODEL;
    }
    for (int32_t i = 0; i < count; i++) {
        const double *p = parameters + HML_INERTIA_PARAMETERS * i;
        model_body *b = (model_body *)((char *)model + model->bodies) + first + i;
        double per_mass = p[0] > 0 ? 1 / p[0] : 0;
        sym3 away = sym3_point_mass(-per_mass, vec3_of(p[1], p[2], p[3])); /* m c cᵀ = h hᵀ/m */
        const double moment[6] = {p[4] + away.xx, p[5] + away.xy, p[6] + away.xz,
                                  p[7] + away.yy, p[8] + away.yz, p[9] + away.zz};
        b->mass = p[0];
        for (int k = 0; k < 3; k++) b->com[k] = per_mass * p[1 + k];
        memcpy(b->moment, moment, sizeof moment);
    }
    hmli_plan_fill(model);
    return HML_OK;
}

hml_status hml_regressor(const hml_model *model, void *scratch, const double *q, const double *v, const double *a,
                         double *Y)
{
    tree t;
    if (!v || !a || !Y) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, a, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    size_t columns = HML_INERTIA_PARAMETERS * (size_t)t.n;
    memset(Y, 0, (size_t)model->nv * columns * sizeof *Y);
    hmli_tree_motion(&t, v, a);
    for (int i = 0; i < t.n; i++) {
        for (int k = 0; k < HML_INERTIA_PARAMETERS; k++) {
            inertia I = unit_inertia(k);
            const tree_body *b = &t.body[i];
            wrench f = wrench_add(inertia_mul(I, b->a), twist_cross_dual(b->v, inertia_mul(I, b->v)));
            for (int j = i; j >= 0; j = b->parent) {
                b = &t.body[j];
                for (int l = 0; l < b->nv; l++)
                    Y[tree_at(b, l) * columns + (size_t)(HML_INERTIA_PARAMETERS * i + k)] = wrench_dot(f, b->S[l]);
                f = pose_ad_dual(b->X, f);
            }
        }
    }
    return OVERFLOW_STATUS(before, {Y, (size_t)model->nv * columns});
}

hml_status hml_energy_regressor(const hml_model *model, void *scratch, const double *q, const double *v,
                                double *kinetic, double *potential)
{
    tree t;
    if (!v && kinetic) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, NULL, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    if (kinetic) hmli_tree_motion(&t, v, NULL);
    for (int i = 0; i < t.n * HML_INERTIA_PARAMETERS; i++) {
        const tree_body *b = &t.body[i / HML_INERTIA_PARAMETERS];
        inertia I = unit_inertia(i % HML_INERTIA_PARAMETERS);
        vec3 first = vec3_axpy(I.m, b->H.p, mat3_mul_vec(b->H.R, I.h)); /* Σ m c, in the world */
        if (kinetic) kinetic[i] = wrench_dot(inertia_mul(I, b->v), b->v) / 2;
        if (potential) potential[i] = -vec3_dot(tree_gravity(&t), first);
    }
    return OVERFLOW_STATUS(before, {kinetic, HML_INERTIA_PARAMETERS * (size_t)t.n},
                           {potential, HML_INERTIA_PARAMETERS * (size_t)t.n});
}

hml_status hml_momentum_regressor(const hml_model *model, void *scratch, const double *q, const double *v,
                                  double *regressor)
{
    tree t;
    if (!v || !regressor) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, NULL, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    size_t columns = HML_INERTIA_PARAMETERS * (size_t)t.n;
    hmli_tree_motion(&t, v, NULL);
    for (size_t i = 0; i < columns; i++) {
        const tree_body *b = &t.body[i / HML_INERTIA_PARAMETERS];
        wrench p = pose_ad_dual(b->H, inertia_mul(unit_inertia((int)(i % HML_INERTIA_PARAMETERS)), b->v));
        const double numbers[6] = {p.f.x, p.f.y, p.f.z, p.t.x, p.t.y, p.t.z};
        for (size_t r = 0; r < 6; r++) regressor[r * columns + i] = numbers[r];
    }
    return OVERFLOW_STATUS(before, {regressor, 6 * columns});
}
