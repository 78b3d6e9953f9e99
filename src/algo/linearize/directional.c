/*
 * Products with A and B and their transposes: linearize/directional.h behind hamel/linearize.h.
 *
 * With dτ′ of the kernel, s = g − ω × u what it leaves out of a free root (pack/inverse_dynamics_derivatives.h), D the
 * armature there and G the map of mimic joints (the identity without followers):
 *
 *   δν̇ = M⁻¹ ( w − Gᵀ (dτ′ + D δs) ) + δs          δs = g × δq_ω + δν_u × ω + u × δν_ω
 *
 * and, for a cotangent y of δν̇, λ = M⁻¹ y is that of w, −Gλ that of dτ′, σ = y − D λ that of δs.
 */
#include "hamel/linearize.h"

#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/linearize/directional.h"
#include "algo/work.h"
#include "base/dense.h"
#include "base/layout.h"
#include "base/overflow.h"
#include "model/mimic.h"

/* where things are in a point; all counted in doubles */
typedef struct linearization_point {
    base_motion *base;           /* ntrees */
    point_body *bodies;          /* nbodies */
    articulated_column *columns; /* tree_nv; with followers only S */
    double *v;                   /* tree_nv */
    double *springs;             /* tree_nv × PASSIVE_LD, where anything is passive */
    double *L;                   /* nv × nv: dense factors, with followers */
} linearization_point;

typedef struct sweep {
    sweep_body *bodies;
    double *q, *v, *tau; /* tree_nv */
    double *user;        /* nv */
} sweep;

static size_t lay_point(const hml_model *m, double *at, linearization_point *x)
{
    const hml_plan *plan = model_plan(m);
    const size_t n = (size_t)m->tree_nv, r = (size_t)m->nv;
    layout_cursor c = layout_begin(at);
    x->base = layout_array(&c, (size_t)plan->ntrees, sizeof *x->base);
    x->bodies = layout_array(&c, (size_t)m->nbodies, sizeof *x->bodies);
    x->columns = layout_array(&c, n, sizeof *x->columns);
    x->v = layout_doubles(&c, n);
    x->springs = layout_doubles(&c, plan->passive ? n * PASSIVE_LD : 0);
    x->L = layout_doubles(&c, m->nfollowers ? r * r : 0);
    return layout_count(&c);
}

static size_t lay_sweep(const hml_model *m, double *at, sweep *x)
{
    const size_t n = (size_t)m->tree_nv;
    layout_cursor c = layout_begin(at);
    x->bodies = layout_array(&c, (size_t)m->nbodies, sizeof *x->bodies);
    x->q = layout_doubles(&c, n);
    x->v = layout_doubles(&c, n);
    x->tau = layout_doubles(&c, n);
    x->user = layout_doubles(&c, (size_t)m->nv);
    return layout_count(&c);
}

size_t hml_directional_doubles(const hml_model *model)
{
    linearization_point x;
    return model ? lay_point(model, NULL, &x) : 0;
}

size_t hml_directional_scratch_doubles(const hml_model *model)
{
    sweep x;
    return model ? lay_sweep(model, NULL, &x) : 0;
}

/* ---- at a state ---- */

/* what a solve with M needs into the point, ν̇ of the user into vd; q and v of the tree stay in the workspace */
static int factor_at(const hml_work *work, kernel_call *call, const kept_scratch *k, linearization_point *x, double *vd)
{
    const hml_model *m = work->model;
    const size_t r = (size_t)m->nv, size = (size_t)m->tree_nv * sizeof *x->columns;
    const double *tau = call->tau.data;
    if (!m->nfollowers) {
        call->acceleration.data = vd;
        if (work->choice.fallback->pack_forward_dynamics(call)) return 1;
        memcpy(x->columns, k->solver, size);
        return 0;
    }
    memset(x->columns, 0, size);
    call->torque.data = vd;
    call->M.data = x->L;
    call->M.ld = r;
    hmli_mimic_inverse_dynamics(work, call);
    if (dense_factor(r, x->L, NULL)) return 1;
    for (size_t i = 0; i < r; i++) vd[i] = (tau ? tau[i] : 0) - vd[i];
    dense_solve(r, x->L, vd);
    return 0;
}

hml_status hml_directional_update(const hml_model *model, hml_work *work, const double *q, const double *v,
                                  const double *tau, const double *wrenches, double *memory, double *acceleration)
{
    if (hmli_work_check_forward(model, work) || !q || !v || !memory) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, v, tau, wrenches);
    if (status) return status;
    const hml_plan *plan = model_plan(model);
    size_t n = (size_t)model->tree_nv;
    kernel_call call;
    work_call(work, &call);
    const kept_scratch k = hmli_work_kept(work);
    linearization_point x;
    call.q.data = q, call.v.data = v, call.tau.data = tau, call.wrenches.data = wrenches;
    lay_point(model, memory, &x);
    double *vd = x.v; /* of the user, while v is not there yet */
    if (factor_at(work, &call, &k, &x, vd)) return HML_SINGULAR;
    if (acceleration) memcpy(acceleration, vd, (size_t)model->nv * sizeof(double));
    if (model->nfollowers)
        model_expand_v(model, vd, k.x);
    else
        memcpy(k.x, vd, n * sizeof(double));

    memcpy(x.base, k.base, (size_t)plan->ntrees * sizeof *x.base);
    memcpy(x.v, k.v, n * sizeof(double));
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        tree_forward(plan, tree, model->gravity, k.q, k.v, k.bodies, k.columns, &x.base[t]);
        if (tree->base) add_vec3(&k.x[tree->begin], vec3_neg(base_acceleration(&x.base[t], &k.v[tree->begin])));
        point_fill(plan, t, &call, &k, k.x, x.columns, x.bodies);
        if (plan->passive) passive_forces(plan, tree, plan_coordinates(plan), k.q, k.v, k.b, x.springs);
    }
    return FINITE_STATUS({acceleration, (size_t)model->nv});
}

/* ---- products ---- */

/* x ← M⁻¹ x of the user's coordinates */
static void solve(const hml_model *m, const linearization_point *p, const sweep *s, double *x)
{
    if (m->nfollowers)
        dense_solve((size_t)m->nv, p->L, x);
    else
        directional_solve(model_plan(m), p->columns, s->bodies, x);
}

/* the tree's coordinates of a vector of the user's, NULL: zero */
static void expand(const hml_model *m, const double *x, double *tree)
{
    if (!x)
        memset(tree, 0, (size_t)m->tree_nv * sizeof(double));
    else if (m->nfollowers)
        model_expand_v(m, x, tree);
    else
        memcpy(tree, x, (size_t)m->nv * sizeof(double));
}

/* its transpose */
static void reduce(const hml_model *m, const double *tree, double *x)
{
    if (m->nfollowers)
        model_reduce_force(m, tree, x);
    else
        memcpy(x, tree, (size_t)m->nv * sizeof(double));
}

/* y += a·ad_ν x, or its transpose, joint by joint; all of the user's coordinates */
static void add_ad(const hml_model *m, const double *v, int transpose, double a, const double *x, double *y)
{
    const model_joint *joints = model_joints(m);
    for (int32_t j = 0; x && j < m->njoints; j++) {
        double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        int32_t first = joints[j].v, n = joints[j].nv;
        if (joint_commutes(joints[j].type)) continue;
        joint_ad(joints[j].type, &v[model_bodies(m)[joints[j].body].v], ad);
        for (int32_t r = 0; r < n; r++) {
            for (int32_t c = 0; c < n; c++) y[first + r] += a * ad[transpose ? c * n + r : r * n + c] * x[first + c];
        }
    }
}

/* first coordinate of a tree's free root in the user's numbering: the tree's first joint is never a follower there */
static int32_t user_base(const hml_model *m, const plan_tree *tree)
{
    return model_joints(m)[model_bodies(m)[tree->body_begin].joint].v;
}

static vec3 base_change(const base_motion *base, const double *v, const double *zq, const double *zv)
{
    return vec3_add(vec3_cross(base->gravity, vec3_at(zq + 3)),
                    vec3_add(vec3_cross(vec3_at(zv), vec3_at(v + 3)), vec3_cross(base->u, vec3_at(zv + 3))));
}

/* dτ += springs dq + damping dν, or the transpose: zq += springsᵀ t, zv += damping t */
static void add_passive(const hml_plan *plan, const linearization_point *p, int transpose, double *q, double *v,
                        double *tau)
{
    const plan_column *pc = plan_columns(plan);
    for (int32_t c = 0; c < plan->nv; c++) {
        int32_t first = pc[c].first, m = plan_bodies(plan)[pc[c].body].nv;
        double damping = plan_coordinates(plan)[c].damping;
        for (int32_t k = 0; k < m; k++) {
            double spring = p->springs[c * PASSIVE_LD + k];
            if (transpose)
                q[first + k] += spring * tau[c];
            else
                tau[c] += spring * q[first + k];
        }
        if (transpose)
            v[c] += damping * tau[c];
        else
            tau[c] += damping * v[c];
    }
}

static hml_status open_point(const hml_model *model, const hml_work *work, const double *memory, double *scratch,
                             linearization_point *p, sweep *s)
{
    if (hmli_work_check_forward(model, work) || !memory || !scratch) return HML_INVALID_ARGUMENT;
    lay_point(model, (double *)memory, p);
    lay_sweep(model, scratch, s);
    return HML_OK;
}

hml_status hml_directional_forward(const hml_model *model, const hml_work *work, const double *memory, const double *zq,
                                   const double *zv, const double *w, double *scratch, double *rate_q, double *rate_v)
{
    linearization_point p;
    sweep s;
    hml_status status = open_point(model, work, memory, scratch, &p, &s);
    if (status) return status;
    const hml_plan *plan = model_plan(model);
    const size_t n = (size_t)model->nv;
    if (rate_q) {
        for (size_t i = 0; i < n; i++) rate_q[i] = zv ? zv[i] : 0;
        add_ad(model, p.v, 0, -1, zq, rate_q);
    }
    if (!rate_v) return FINITE_STATUS({rate_q, n});
    expand(model, zq, s.q);
    expand(model, zv, s.v);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        directional_forward(plan, &plan_trees(plan)[t], p.columns, p.bodies, s.q, s.v, s.bodies, s.tau);
    }
    if (plan->passive) add_passive(plan, &p, 0, s.q, s.v, s.tau);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        int32_t b = tree->begin;
        if (!tree->base) continue;
        vec3 ds = base_change(&p.base[t], &p.v[b], &s.q[b], &s.v[b]);
        add_vec3(&s.tau[b], vec3_neg(base_armature(plan_coordinates(plan), tree, ds)));
    }
    reduce(model, s.tau, rate_v);
    for (size_t i = 0; i < n; i++) rate_v[i] = (w ? w[i] : 0) - rate_v[i];
    solve(model, &p, &s, rate_v);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        int32_t b = tree->begin;
        if (tree->base) add_vec3(&rate_v[user_base(model, tree)], base_change(&p.base[t], &p.v[b], &s.q[b], &s.v[b]));
    }
    return FINITE_STATUS({rate_q, n}, {rate_v, n});
}

hml_status hml_directional_reverse(const hml_model *model, const hml_work *work, const double *memory, const double *yq,
                                   const double *yv, double *scratch, double *zq, double *zv, double *w)
{
    linearization_point p;
    sweep s;
    hml_status status = open_point(model, work, memory, scratch, &p, &s);
    if (status) return status;
    const hml_plan *plan = model_plan(model);
    const size_t n = (size_t)model->nv;
    for (size_t i = 0; i < n; i++) s.user[i] = yv ? yv[i] : 0;
    solve(model, &p, &s, s.user);
    if (w) memcpy(w, s.user, n * sizeof(double));
    if (!zq && !zv) return FINITE_STATUS({w, n});
    expand(model, s.user, s.tau);
    for (size_t i = 0; i < (size_t)model->tree_nv; i++) s.tau[i] = -s.tau[i];
    for (int32_t t = 0; t < plan->ntrees; t++) {
        directional_reverse(plan, &plan_trees(plan)[t], p.columns, p.bodies, s.tau, s.bodies, s.q, s.v);
    }
    if (plan->passive) add_passive(plan, &p, 1, s.q, s.v, s.tau);
    for (int32_t t = 0; yv && t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        const base_motion *base = &p.base[t];
        int32_t b = tree->begin;
        if (!tree->base) continue;
        vec3 sigma = vec3_sub(vec3_at(&yv[user_base(model, tree)]),
                              base_armature(plan_coordinates(plan), tree, vec3_at(&s.tau[b])));
        add_vec3(&s.q[b + 3], vec3_cross(sigma, base->gravity));
        add_vec3(&s.v[b], vec3_cross(vec3_at(&p.v[b + 3]), sigma));
        add_vec3(&s.v[b + 3], vec3_cross(sigma, base->u));
    }
    if (zq) {
        reduce(model, s.q, zq);
        add_ad(model, p.v, 1, -1, yq, zq);
    }
    if (zv) {
        reduce(model, s.v, zv);
        for (size_t i = 0; yq && i < n; i++) zv[i] += yq[i];
    }
    return FINITE_STATUS({zq, n}, {zv, n}, {w, n});
}
