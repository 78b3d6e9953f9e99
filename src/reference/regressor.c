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

#include "algo/kinematics/frame_seen.h"
#include "algo/work.h"
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

static regressor_body regressor_body_of(twist v, twist a)
{
    const vec3 w = v.w, e = a.w;
    const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    regressor_body r;
    r.A = vec3_add(a.v, vec3_cross(w, v.v));
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

/* the same where nothing turns */
static void regressor_shift(const regressor_body *r, vec3 s, double y[HML_INERTIA_PARAMETERS])
{
    const vec3 h = mat3_mul_vec(r->M, s);
    y[0] = vec3_dot(s, r->A);
    y[1] = h.x, y[2] = h.y, y[3] = h.z;
    for (int k = 4; k < HML_INERTIA_PARAMETERS; k++) y[k] = 0;
}

/* a body in the frame of its tree's root at this instant: its plan frame, twist, acceleration less gravity */
typedef struct regressor_link {
    pose P;
    twist v, a;
} regressor_link;

_Static_assert(sizeof(regressor_link) <= sizeof(tree_body), "the links lie where the textbook's bodies are");

typedef struct regressor_robot {
    const hml_model *model;
    const plan_body *bodies;
    regressor_link *links;
    twist *S; /* nv columns, there */
} regressor_robot;

/* Σ x_k S_k of a body's joint; the columns of a free root are the identity */
NUM_INLINE twist regressor_rate(const plan_body *p, const twist *S, const double *x)
{
    if (p->parent < 0 && p->type == HML_JOINT_FREE) return twist_at(x + p->v);
    twist sum = twist_zero();
    for (int32_t k = 0; k < p->nv; k++) sum = twist_axpy(x[p->v + k], S[k], sum);
    return sum;
}

NUM_INLINE void regressor_motion(const regressor_robot *r, int32_t i, const double *q, const double *v, const double *a)
{
    const plan_body *p = &r->bodies[i];
    const pose X = plan_pose(p->X);
    regressor_link *own = &r->links[i];
    twist *S = r->S + p->v;
    if (p->parent < 0) {
        const mat3 root = joint_move(p->type, X, p->pitch, q + p->q).R;
        own->P = pose_identity();
        joint_columns_at(p->type, own->P, p->pitch, S);
        own->v = regressor_rate(p, S, v);
        own->a = regressor_rate(p, S, a);
        own->a.v = vec3_sub(own->a.v, mat3_tmul_vec(root, vec3_at(r->model->gravity)));
        return;
    }
    const regressor_link *up = &r->links[p->parent];
    own->P = joint_move(p->type, pose_mul(up->P, X), p->pitch, q + p->q);
    joint_columns_at(p->type, own->P, p->pitch, S);
    const twist vJ = regressor_rate(p, S, v), aJ = regressor_rate(p, S, a);
    own->v = twist_add(up->v, vJ);
    own->a = twist_add(up->a, twist_add(aJ, twist_cross(up->v, vJ)));
}

static void regressor_zeros(double *Y, size_t columns, int32_t begin, int32_t end)
{
    for (double *y = Y + (size_t)begin * columns; begin < end; begin++, y += columns)
        for (int k = 0; k < HML_INERTIA_PARAMETERS; k++) y[k] = 0;
}

/* the ten columns of body i: rows of the joints that carry it, and zeros between them */
static void regressor_columns(const regressor_robot *r, int32_t i, size_t columns, double *Y)
{
    const regressor_link *own = &r->links[i];
    const pose to_body = plan_pose(r->bodies[i].to_body);
    const pose P = r->bodies[i].parent < 0 ? to_body : pose_mul(own->P, to_body);
    const regressor_body b = regressor_body_of(pose_ad_inverse(P, own->v), pose_ad_inverse(P, own->a));
    int32_t end = r->model->nv;
    for (int32_t j = i; j >= 0; j = r->bodies[j].parent) {
        const plan_body *p = &r->bodies[j];
        twist S[HML_JOINT_MAX_NV];
        regressor_zeros(Y, columns, p->v + p->nv, end);
        end = p->v;
        if (j == i)
            columns_seen(p, to_body, S); /* zeros stay zeros */
        else if (p->parent < 0)
            columns_seen(p, P, S);
        else
            for (int32_t k = 0; k < p->nv; k++) S[k] = pose_ad_inverse(P, r->S[p->v + k]);
        for (int32_t k = 0; k < p->nv; k++) {
            double *y = Y + (size_t)(p->v + k) * columns;
            if (joint_is_length(p->type, k))
                regressor_shift(&b, S[k].v, y);
            else
                regressor_entries(&b, S[k], y);
        }
    }
    regressor_zeros(Y, columns, 0, end);
}

hml_status hml_regressor(const hml_model *model, void *scratch, const double *q, const double *v, const double *a,
                         double *Y)
{
    if (!model || !scratch || !q || !v || !a || !Y) return HML_INVALID_ARGUMENT;
    if (model->nfollowers) return HML_UNSUPPORTED;
    const hml_status status = hmli_work_check_state(model, q, v, a, NULL);
    if (status) return status;
    const unsigned before = overflow_watch();
    const size_t columns = HML_INERTIA_PARAMETERS * (size_t)model->nbodies;
    const regressor_robot r = {.model = model,
                               .bodies = plan_bodies(model_plan(model)),
                               .links = scratch,
                               .S = (twist *)(void *)((tree_body *)scratch + model->nbodies)};
    for (int32_t i = 0; i < model->nbodies; i++) {
        regressor_motion(&r, i, q, v, a);
        regressor_columns(&r, i, columns, Y + HML_INERTIA_PARAMETERS * (size_t)i);
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
