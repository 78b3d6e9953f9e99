/*
 * Regressors. A body's wrench f = I V̇ + V ×* I V is linear in its ten parameters, and so is what a joint's column
 * S = (s, σ) takes of it. In the body's frame, with A the acceleration of its origin less gravity, α and ω of the body:
 *
 *   Sᵀ f = s·(m A + α × h + ω × (ω × h)) + σ·(h × A + J α + ω × J ω)
 *        = m (s·A) + h·(s × α + ω × (ω × s) + A × σ) + σ·J α + (σ × ω)·J ω
 *
 * All of it is linear in s and σ, with matrices that the columns of a body share.
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

/* a body's motion, and what its columns share: h takes M s + A × σ, the six of J take N σ, row by row */
typedef struct regressor_body {
    vec3 A;    /* acceleration of its origin less gravity */
    mat3 M;    /* s × α + ω × (ω × s) */
    vec3 N[6]; /* of Jxx, Jxy, Jxz, Jyy, Jyz, Jzz */
} regressor_body;

static regressor_body regressor_body_of(const tree_body *b)
{
    const vec3 w = b->v.w, e = b->a.w;
    const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    regressor_body r;
    r.A = vec3_add(b->a.v, vec3_cross(w, b->v.v));
    r.M = mat3_of(vec3_of(-yy - zz, xy - e.z, xz + e.y), vec3_of(xy + e.z, -xx - zz, yz - e.x),
                  vec3_of(xz - e.y, yz + e.x, -xx - yy)); /* by columns */
    r.N[0] = vec3_of(e.x, xz, -xy);
    r.N[1] = vec3_of(e.y - xz, e.x + yz, xx - yy);
    r.N[2] = vec3_of(e.z + xy, zz - xx, e.x - yz);
    r.N[3] = vec3_of(-yz, e.y, xy);
    r.N[4] = vec3_of(yy - zz, e.z - xy, e.y + xz);
    r.N[5] = vec3_of(yz, -xz, e.z);
    return r;
}

/* what a column S takes of a body's wrench, by the body's ten parameters; all in the body's frame */
static void regressor_entries(const regressor_body *r, twist S, double y[HML_INERTIA_PARAMETERS])
{
    const vec3 h = vec3_add(mat3_mul_vec(r->M, S.v), vec3_cross(r->A, S.w));
    y[0] = vec3_dot(S.v, r->A);
    y[1] = h.x, y[2] = h.y, y[3] = h.z;
    for (int k = 0; k < 6; k++) y[4 + k] = vec3_dot(r->N[k], S.w);
}

/* the same where nothing turns; the other entries are zero */
static void regressor_shift(const regressor_body *r, vec3 s, double y[HML_INERTIA_PARAMETERS])
{
    const vec3 h = mat3_mul_vec(r->M, s);
    y[0] = vec3_dot(s, r->A);
    y[1] = h.x, y[2] = h.y, y[3] = h.z;
}

/* row by row over all columns of the joints that carry body i, which see it from their common root */
static void regressor_columns(const tree *t, int i, size_t columns, double *Y)
{
    const tree_body *b = &t->body[i];
    const regressor_body r = regressor_body_of(b);
    for (int j = i; j >= 0; j = t->body[j].parent) {
        const tree_body *up = &t->body[j];
        for (int l = 0; l < up->nv; l++) {
            const twist S = up->Sr[l];
            double *y = Y + tree_at(up, l) * columns + (size_t)(HML_INERTIA_PARAMETERS * i);
            if (S.w.x == 0 && S.w.y == 0 && S.w.z == 0)
                regressor_shift(&r, mat3_tmul_vec(b->P.R, S.v), y);
            else
                regressor_entries(&r, j == i ? up->S[l] : pose_ad_inverse(b->P, S), y);
        }
    }
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
        tree_body *b = &t.body[i];
        b->P = b->parent < 0 ? pose_identity() : pose_mul(t.body[b->parent].P, b->X);
        for (int k = 0; k < b->nv; k++) b->Sr[k] = pose_ad(b->P, b->S[k]);
        regressor_columns(&t, i, columns, Y);
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
