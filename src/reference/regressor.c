/*
 * Regressors. A body's wrench f = I V̇ + V ×* I V is linear in its ten parameters, and so is what a joint's column
 * S = (s, σ) takes of it. In the body's frame, with A the acceleration of its origin less gravity, α and ω of the body:
 *
 *   Sᵀ f = s·(m A + α × h + ω × (ω × h)) + σ·(h × A + J α + ω × J ω)
 *        = m (s·A) + h·(s × α + ω × (ω × s) + A × σ) + σ·J α + (σ × ω)·J ω
 *
 * Energies and momenta are linear, too: their columns are those of a body that has one parameter alone.
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

hml_status hml_model_parameters(const hml_model *model, double *parameters)
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

/* what a column S takes of a body's wrench, by the body's ten parameters; all in the body's frame */
static void regressor_entries(twist S, vec3 A, vec3 alpha, vec3 w, double y[HML_INERTIA_PARAMETERS])
{
    const vec3 s = S.v, e = S.w, g = vec3_cross(e, w);
    const vec3 h = vec3_add(vec3_add(vec3_cross(s, alpha), vec3_cross(w, vec3_cross(w, s))), vec3_cross(A, e));
    y[0] = vec3_dot(s, A);
    y[1] = h.x, y[2] = h.y, y[3] = h.z;
    y[4] = e.x * alpha.x + g.x * w.x;
    y[5] = e.x * alpha.y + e.y * alpha.x + g.x * w.y + g.y * w.x;
    y[6] = e.x * alpha.z + e.z * alpha.x + g.x * w.z + g.z * w.x;
    y[7] = e.y * alpha.y + g.y * w.y;
    y[8] = e.y * alpha.z + e.z * alpha.y + g.y * w.z + g.z * w.y;
    y[9] = e.z * alpha.z + g.z * w.z;
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
        const tree_body *b = &t.body[i];
        const vec3 w = b->v.w, alpha = b->a.w, A = vec3_add(b->a.v, vec3_cross(w, b->v.v));
        pose H = pose_identity(); /* of the body in the one whose joint it is */
        for (int j = i; j >= 0; j = t.body[j].parent) {
            const tree_body *up = &t.body[j];
            for (int l = 0; l < up->nv; l++) {
                const twist S = j == i ? up->S[l] : pose_ad_inverse(H, up->S[l]);
                regressor_entries(S, A, alpha, w, Y + tree_at(up, l) * columns + (size_t)(HML_INERTIA_PARAMETERS * i));
            }
            H = j == i ? up->X : pose_mul(up->X, H);
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
