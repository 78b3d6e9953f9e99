/*
 * Derivatives by the numbers of the model: see hamel/parameters.h.
 *
 * Everything is read from what the inverse dynamics left in the workspace (kernel/composite.h): in the root frame, I,
 * 2B and f of every subtree, S, F = I S and g = (2B)ᵀ S of every column; of a free root the linear velocity is left
 * out.
 *
 * Geometry. A parameter that displaces body i, and with it its subtree, by a twist η against the parent p, and that
 * changes its columns by dS as seen from the body, changes velocities and accelerations of every body j behind it, as
 * seen from j itself, by
 *
 *   dv = D                  D = v_p × η + dS ν
 *   da = E − v_j × D        E = a_p × η + v_p × (v_p × η) + 2 v_p × dS ν + vJ × dS ν + dS ν̇
 *
 * so that df = I E + 2B D sums over the subtree, and
 *
 *   rows of the ancestors       S_k · ( 2B D + I E + η ×* f )
 *   rows of i and behind it     g_d · D + F_d · E, and dS_d · f for those of i itself
 *
 * With dS = 0 and η = S_c this is ∂τ/∂q_c of pack/columns.h. A placement has dS = 0, η = Ad_P π. A motion κ of the
 * joint's axis in the predecessor frame makes exp(κ) g exp(−κ) of g: η = Ad_P κ − Ad_B κ, dS = Ad_B κ × S with B the
 * body's own frame.
 */
#include "hamel/parameters.h"

#include <math.h>
#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/work.h"
#include "base/layout.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "kernel/scratch.h"
#include "model/mimic.h"
#include "model/pose.h"

typedef struct context {
    const hml_model *model;
    const hml_plan *plan;
    const plan_paths *paths;
    kept_scratch k; /* the tree's inverse dynamics: k.v is ν, k.tau ν̇, k.x what the passes saw of it */
    double *column; /* tree_nv */
    double *user;   /* nv */
    double *a;      /* nv */
    double *L;      /* nv × nv: M and its factors where ∂ν̇ is wanted */
    double *factor; /* tree_nv: a row of the tree goes to the user's row `row` by this factor (model/mimic.h) */
    int32_t *row;
    int forward;
} context;

static size_t lay_out(const hml_model *m, double *at, context *x)
{
    const size_t n = (size_t)m->tree_nv, r = (size_t)m->nv;
    layout_cursor c = layout_begin(at);
    x->column = layout_doubles(&c, n);
    x->user = layout_doubles(&c, r);
    x->a = layout_doubles(&c, r);
    x->L = layout_doubles(&c, r * r);
    x->factor = layout_doubles(&c, n);
    x->row = layout_array(&c, n, sizeof *x->row);
    return layout_count(&c);
}

size_t hml_parameters_scratch_doubles(const hml_model *model)
{
    context x;
    return model ? lay_out(model, NULL, &x) : 0;
}

int32_t hml_parameters_coordinates(const hml_model *model) { return model ? model->tree_nv : 0; }

/* ---- one column ---- */

static void clear(const context *x) { memset(x->column, 0, (size_t)x->model->tree_nv * sizeof(double)); }

/* the column at hand, ∂τ of the tree, becomes column k of out, which has `count` of them */
static void emit(const context *x, double *out, size_t count, size_t k)
{
    size_t n = (size_t)x->model->nv;
    double *column = x->column;
    if (x->model->nfollowers) {
        model_reduce_force(x->model, x->column, x->user);
        column = x->user;
    }
    for (size_t i = 0; i < n; i++) out[i * count + k] = column[i];
}

/* ---- M⁻¹ of all columns ---- */

/*
 * M = Lᵀ D L, from the last coordinate to the first, so that the tree's zeros stay zeros and are left out: L below the
 * diagonal, D on it. Returns 1 if a pivot vanished against its diagonal entry. diagonal: n, scratch.
 */
static int factor(size_t n, double *M, double *diagonal)
{
    const double tiny = 0x1p-46;
    for (size_t k = 0; k < n; k++) diagonal[k] = M[k * n + k];
    for (size_t k = n; k-- > 0;) {
        const double pivot = M[k * n + k];
        if (!(fabs(pivot) > tiny * fabs(diagonal[k]))) return 1;
        for (size_t i = 0; i < k; i++) {
            const double entry = M[k * n + i], a = entry / pivot;
            if (entry == 0) continue;
            for (size_t j = 0; j <= i; j++) M[i * n + j] -= a * M[k * n + j];
        }
        for (size_t i = 0; i < k; i++) M[k * n + i] /= pivot;
    }
    return 0;
}

/* to ← to − a from */
static void subtract_row(size_t count, double a, const double *restrict from, double *restrict to)
{
    for (size_t c = 0; c < count; c++) to[c] -= a * from[c];
}

/* ∂ν̇ = −M⁻¹ ∂τ of `count` columns, in place, row by row */
static void solve_rows(const context *x, double *out, size_t count)
{
    const size_t n = (size_t)x->model->nv;
    const double *L = x->L;
    for (size_t k = n; k-- > 0;) {
        for (size_t i = 0; i < k; i++)
            if (L[k * n + i] != 0) subtract_row(count, L[k * n + i], out + k * count, out + i * count);
    }
    for (size_t k = 0; k < n; k++) {
        const double inverse = -1 / L[k * n + k];
        for (size_t c = 0; c < count; c++) out[k * count + c] *= inverse;
        for (size_t i = 0; i < k; i++)
            if (L[k * n + i] != 0) subtract_row(count, L[k * n + i], out + i * count, out + k * count);
    }
}

/* a wrench that body i must be given: rows of its joint and of its ancestors */
static void add_wrench(const context *x, int32_t i, wrench W)
{
    const plan_body *pb = plan_bodies(x->plan);
    for (; i >= 0; i = pb[i].parent) {
        for (int32_t c = pb[i].v; c < pb[i].v + pb[i].nv; c++) {
            x->column[c] += wrench_dot(W, x->k.columns[c].S);
        }
    }
}

/* η, D and E of body i, see above */
static void add_displacement(const context *x, int32_t i, twist eta, twist D, twist E)
{
    const plan_body *pb = plan_bodies(x->plan);
    const model_body *last = &model_bodies(x->model)[model_bodies(x->model)[i].subtree_end - 1];
    const composite *b = &x->k.bodies[i].sum;
    wrench W = wrench_add(composite_2B(b, D), wrench_add(inertia_mul(b->I, E), twist_cross_dual(eta, b->f)));
    add_wrench(x, pb[i].parent, W);
    for (int32_t c = pb[i].v; c < last->v + last->nv; c++) {
        const column_state *s = &x->k.columns[c];
        x->column[c] += vec3_dot(s->g, D.w) + wrench_dot(s->F, E);
    }
}

/* ---- a body and its surroundings ---- */

typedef struct place {
    int32_t body;
    pose B, P;        /* body frame and predecessor frame, in the root frame */
    twist vp, ap, vJ; /* parent's velocity and acceleration, velocity across the joint */
} place;

static place place_of(const context *x, int32_t tree, int32_t i)
{
    const plan_body *p = &plan_bodies(x->plan)[i];
    const body_state *bodies = x->k.bodies;
    const base_motion *base = &x->k.base[tree];
    pose to_body = plan_pose(p->to_body), origin = pose_mul(plan_pose(p->X), to_body);
    place s;
    s.body = i;
    s.B = pose_mul(bodies[i].H, to_body);
    if (p->parent < 0) {
        s.P = pose_between(base->H, origin);
        s.vp = twist_zero();
        s.ap = twist_of(vec3_neg(base->gravity), vec3_zero());
    } else {
        s.P = pose_mul(bodies[p->parent].H, origin);
        s.vp = bodies[p->parent].v;
        s.ap = bodies[p->parent].a;
    }
    s.vJ = twist_sub(bodies[i].v, s.vp);
    return s;
}

static twist unit_twist(int k) { return twist_of(vec3_of(k == 0, k == 1, k == 2), vec3_of(k == 3, k == 4, k == 5)); }

/* S · W of the wrenches W that each of the ten numbers makes: of a body that moves as v, ω̇ and the point's acceleration */
static void inertia_row(twist S, vec3 w, vec3 dw, vec3 acceleration, double to[HML_INERTIA_PARAMETERS])
{
    const vec3 p = S.v, r = S.w, u = vec3_cross(r, w);
    /* p · (ω̇ × h + ω × (ω × h)) + r · (h × α), by h */
    const vec3 moment =
        vec3_add(vec3_add(vec3_cross(p, dw), vec3_cross(w, vec3_cross(w, p))), vec3_cross(acceleration, r));
    to[0] = vec3_dot(p, acceleration);
    vec3_put(moment, to + 1);
    /* r · (J ω̇ + ω × J ω), by J */
    to[4] = r.x * dw.x + u.x * w.x;
    to[5] = r.x * dw.y + r.y * dw.x + u.x * w.y + u.y * w.x;
    to[6] = r.x * dw.z + r.z * dw.x + u.x * w.z + u.z * w.x;
    to[7] = r.y * dw.y + u.y * w.y;
    to[8] = r.y * dw.z + r.z * dw.y + u.y * w.z + u.z * w.y;
    to[9] = r.z * dw.z + u.z * w.z;
}

/* the ten columns of body i, which have entries in the rows of its path alone; the others are zero */
static void inertia_columns(const context *x, int32_t i, double *out)
{
    const plan_body *pb = plan_bodies(x->plan);
    const body_state *b = &x->k.bodies[i];
    const pose B = pose_mul(b->H, plan_pose(pb[i].to_body));
    const twist v = pose_ad_inverse(B, b->v), a = pose_ad_inverse(B, b->a);
    const vec3 acceleration = vec3_add(a.v, vec3_cross(v.w, v.v));
    const size_t count = HML_INERTIA_PARAMETERS * (size_t)x->model->nbodies;
    int32_t moves = i;
    while (moves >= 0 && pb[moves].nv == 0) moves = pb[moves].parent;
    if (moves < 0) return;
    const int32_t last = pb[moves].v + pb[moves].nv - 1, *path = column_path(x->paths, last);
    for (int32_t d = 0; d <= plan_columns(x->plan)[last].depth; d++) {
        const int32_t c = path[d];
        double *to = out + (size_t)x->row[c] * count + HML_INERTIA_PARAMETERS * (size_t)i, row[HML_INERTIA_PARAMETERS];
        inertia_row(pose_ad_inverse(B, x->k.columns[c].S), v.w, a.w, acceleration, row);
        for (int k = 0; k < HML_INERTIA_PARAMETERS; k++) to[k] += x->factor[c] * row[k];
    }
}

static void placement_columns(const context *x, const place *s, double *out)
{
    for (int k = 0; k < HML_PLACEMENT_PARAMETERS; k++) {
        twist eta = pose_ad(s->P, unit_twist(k)), D = twist_cross(s->vp, eta);
        clear(x);
        add_displacement(x, s->body, eta, D, twist_add(twist_cross(s->ap, eta), twist_cross(s->vp, D)));
        emit(x, out, HML_PLACEMENT_PARAMETERS * (size_t)x->model->nbodies,
             HML_PLACEMENT_PARAMETERS * (size_t)s->body + (size_t)k);
    }
}

/* η and the dS of all columns of the joint */
static void add_screw(const context *x, const place *s, twist eta, const twist *dS)
{
    const plan_body *p = &plan_bodies(x->plan)[s->body];
    twist mu = twist_zero(), rate = twist_zero(), carried = twist_cross(s->vp, eta);
    for (int32_t k = 0; k < p->nv; k++) {
        mu = twist_axpy(x->k.v[p->v + k], dS[k], mu);
        rate = twist_axpy(x->k.x[p->v + k], dS[k], rate);
        x->column[p->v + k] += wrench_dot(x->k.bodies[s->body].sum.f, dS[k]);
    }
    twist E = twist_add(twist_cross(s->ap, eta), twist_cross(s->vp, carried));
    E = twist_add(E, twist_cross(twist_add(twist_add(s->vp, s->vp), s->vJ), mu));
    add_displacement(x, s->body, eta, twist_add(carried, mu), twist_add(E, rate));
}

static int has_axis(int32_t type)
{
    return type == HML_JOINT_REVOLUTE || type == HML_JOINT_PRISMATIC || type == HML_JOINT_HELICAL ||
           type == HML_JOINT_CYLINDRICAL;
}

static void screw_columns(const context *x, const place *s, double *out)
{
    const model_body *b = &model_bodies(x->model)[s->body];
    vec3 point = vec3_at(b->point), axis = vec3_at(b->axis);
    for (int k = 0; k < HML_SCREW_PARAMETERS; k++) {
        twist eta = twist_zero(), dS[HML_JOINT_MAX_NV];
        int moves = k < 3 || (k < 6 ? has_axis(b->type) : b->type == HML_JOINT_HELICAL);
        clear(x);
        if (moves && k < 6) {
            twist kappa = unit_twist(k);
            kappa.v = vec3_add(kappa.v, vec3_cross(point, kappa.w));
            twist at_body = pose_ad(s->B, kappa);
            eta = twist_sub(pose_ad(s->P, kappa), at_body);
            for (int32_t c = 0; c < b->nv; c++) dS[c] = twist_cross(at_body, x->k.columns[b->v + c].S);
        } else if (moves) {
            dS[0] = pose_ad(s->B, twist_of(axis, vec3_zero()));
            eta = twist_scale(x->k.q[b->q], dS[0]);
        }
        if (moves) add_screw(x, s, eta, dS);
        emit(x, out, HML_SCREW_PARAMETERS * (size_t)x->model->nbodies,
             HML_SCREW_PARAMETERS * (size_t)s->body + (size_t)k);
    }
}

/* ---- gravity, armature, damping, stiffness ---- */

/* −gravity is the world's acceleration: −Fᵀ of the linear parts */
static void gravity_columns(const context *x, double *out)
{
    for (int k = 0; k < 3; k++) {
        clear(x);
        for (int32_t t = 0; t < x->plan->ntrees; t++) {
            const plan_tree *tree = &plan_trees(x->plan)[t];
            vec3 down = mat3_tmul_vec(x->k.base[t].H.R, vec3_of(k == 0, k == 1, k == 2));
            for (int32_t c = tree->begin; c < tree->end; c++) x->column[c] = -vec3_dot(x->k.columns[c].F.f, down);
        }
        emit(x, out, 3, (size_t)k);
    }
}

/* a diagonal of the tree's coordinates */
static void diagonal_columns(const context *x, const double *diagonal, double *out)
{
    for (int32_t c = 0; out && c < x->plan->nv; c++) {
        clear(x);
        x->column[c] = diagonal[c];
        emit(x, out, (size_t)x->plan->nv, (size_t)c);
    }
}

static void spring_columns(const context *x, double *out)
{
    double *log = x->k.b; /* free by now */
    for (int32_t i = 0; i < x->plan->nbodies; i++) {
        const plan_body *p = &plan_bodies(x->plan)[i];
        joint_difference(p->type, &plan_rest(x->plan)[p->q], &x->k.q[p->q], &log[p->v]);
    }
    diagonal_columns(x, log, out);
}

static void write_columns(const context *x, const hml_parameter_derivatives *d)
{
    const size_t inertias = (size_t)x->model->nv * HML_INERTIA_PARAMETERS * (size_t)x->model->nbodies;
    if (d->inertia) memset(d->inertia, 0, inertias * sizeof(double));
    for (int32_t i = 0; i < x->plan->nbodies && d->inertia; i++) inertia_columns(x, i, d->inertia);
    for (int32_t t = 0; t < x->plan->ntrees && (d->placement || d->screw); t++) {
        const plan_tree *tree = &plan_trees(x->plan)[t];
        for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
            place s = place_of(x, t, i);
            if (d->placement) placement_columns(x, &s, d->placement);
            if (d->screw) screw_columns(x, &s, d->screw);
        }
    }
    if (d->gravity) gravity_columns(x, d->gravity);
    if (d->armature) diagonal_columns(x, x->k.tau, d->armature);
    if (d->damping) diagonal_columns(x, x->k.v, d->damping);
    if (d->stiffness) spring_columns(x, d->stiffness);
}

/* ---- the two functions ---- */

static hml_status run(const hml_model *model, hml_work *work, const double *q, const double *v, const double *a,
                      const double *wrenches, context *x, const hml_parameter_derivatives *d)
{
    size_t n = (size_t)model->nv;
    kernel_call call;
    work_call(work, &call);
    call.q.data = q, call.v.data = v, call.a.data = a, call.wrenches.data = wrenches;
    if (x->forward) {
        memset(x->L, 0, n * n * sizeof(double));
        call.M.data = x->L;
        call.M.ld = n;
    }
    if (model->nfollowers)
        hmli_mimic_inverse_dynamics(work, &call);
    else
        work->choice.fallback->pack_inverse_dynamics_derivatives(&call);
    if (x->forward && factor(n, x->L, x->user)) return HML_SINGULAR;
    x->model = model;
    x->plan = model_plan(model);
    x->paths = &work->paths;
    model_mimic_map(model, x->row, x->factor);
    x->k = hmli_work_kept(work);
    write_columns(x, d);
    const size_t nb = (size_t)model->nbodies, nc = (size_t)hml_parameters_coordinates(model);
    if (x->forward) {
        double *const out[] = {d->inertia, d->gravity, d->armature, d->damping, d->stiffness, d->placement, d->screw};
        const size_t counts[] = {HML_INERTIA_PARAMETERS * nb, 3, nc, nc, nc, HML_PLACEMENT_PARAMETERS * nb,
                                 HML_SCREW_PARAMETERS * nb};
        for (size_t i = 0; i < sizeof out / sizeof *out; i++)
            if (out[i]) solve_rows(x, out[i], counts[i]);
    }
    return FINITE_STATUS({d->inertia, n * HML_INERTIA_PARAMETERS * nb}, {d->gravity, 3 * n}, {d->armature, n * nc},
                         {d->damping, n * nc}, {d->stiffness, n * nc},
                         {d->placement, n * HML_PLACEMENT_PARAMETERS * nb}, {d->screw, n * HML_SCREW_PARAMETERS * nb});
}

static int valid(const hml_model *model, const hml_work *work, const double *q, const double *v, const double *scratch,
                 const hml_parameter_derivatives *d)
{
    return !hmli_work_check(model, work, HML_USE_FACTOR) && q && v && scratch && d;
}

hml_status hml_inverse_dynamics_parameters(const hml_model *model, hml_work *work, const double *q, const double *v,
                                           const double *a, const double *wrenches, double *scratch,
                                           const hml_parameter_derivatives *derivatives)
{
    hml_parameter_derivatives room;
    const hml_parameter_derivatives *d = STRUCT_TAKE(hml_parameter_derivatives, derivatives, &room, inertia);
    if (!valid(model, work, q, v, scratch, d)) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, v, a, wrenches);
    if (status) return status;
    context x;
    x.forward = 0;
    lay_out(model, scratch, &x);
    return run(model, work, q, v, a, wrenches, &x, d);
}

hml_status hml_forward_dynamics_parameters(const hml_model *model, hml_work *work, const double *q, const double *v,
                                           const double *tau, const double *wrenches, double *scratch,
                                           const hml_parameter_derivatives *derivatives)
{
    hml_parameter_derivatives room;
    const hml_parameter_derivatives *d = STRUCT_TAKE(hml_parameter_derivatives, derivatives, &room, inertia);
    if (!valid(model, work, q, v, scratch, d)) return HML_INVALID_ARGUMENT;
    context x;
    x.forward = 1;
    lay_out(model, scratch, &x);
    hml_status status = hml_forward_dynamics(model, work, q, v, tau, wrenches, x.a);
    return status ? status : run(model, work, q, v, x.a, wrenches, &x, d);
}
