/*
 * Derivatives of the centre of mass and of the centroidal momentum: hamel/kinematics_derivatives.h.
 *
 * In the frame F₀ of the tree's root (motion_series.h), about its origin, moving column k moves what it carries rigidly.
 * With the composite body of what k carries (kernel/composite.h: I, momentum h, force f) and Ψ̇, Ψ̈, Ṡ as there,
 *
 *   ∂h/∂q_k = S ×* h + I Ψ̇      ∂ḣ/∂q_k = 2B Ψ̇ + I Ψ̈ + S ×* f      ∂ḣ/∂ν_k = 2B S + I (Ψ̇ + Ṡ)
 *
 * since the force on the whole robot is the rate of its momentum: these are the forces that inverse dynamics passes on
 * to the world, without gravity. About the com, which moves by x = (I S)_linear / mass, momentum p and its rate take
 * − x × p and − x × ṗ along in the angular part.
 *
 * Columns j of the com's Jacobian are (I_j S_j)_linear / mass. They turn with everything that carries j; what j carries
 * changes I_j by S_k ×* I_k − I_k S_k ×.
 */
#include <assert.h>
#include <string.h>

#include "algo/kinematics/scratch.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/kinematics_derivatives.h"

typedef struct robot_motion {
    const hml_model *model;
    const plan_body *plan;
    centroidal_state *bodies;
    column_state *columns;
    double mass;
    vec3 com;  /* in the F₀ of the first tree */
    vec3 p, f; /* linear momentum and its rate, in the world's axes */
} robot_motion;

static void place_body(const robot_motion *r, const state_series *state, int32_t i)
{
    const plan_body *p = &r->plan[i];
    const centroidal_state *up = p->parent < 0 ? NULL : &r->bodies[p->parent];
    const body_coordinates at = coordinates_of(r->model, i);
    centroidal_state *b = &r->bodies[i];
    twist S[HML_JOINT_MAX_NV], v = up ? up->v : twist_zero(), a = up ? up->a : twist_zero();
    double room;
    const pose X = plan_pose(p->X);
    b->H = joint_move(p->type, up ? pose_mul(up->H, X) : X, p->pitch, body_position(r->model, i, state->q, &room));
    b->world = up ? up->world : b->H;
    if (!up) b->H = pose_identity();
    joint_columns_at(p->type, b->H, p->pitch, S);
    b->v = v, b->a = a;
    for (int32_t k = 0; k < p->nv; k++) {
        column_state *c = &r->columns[p->v + k];
        const double rate = state_rate(state, 0, &at, k);
        c->S = S[k];
        c->Pd = twist_cross(v, S[k]);
        c->Pdd = twist_add(twist_cross(a, S[k]), twist_cross(v, c->Pd));
        b->v = twist_axpy(rate, S[k], b->v);
        b->a = twist_axpy(rate, c->Pd, twist_axpy(state_rate(state, 1, &at, k), S[k], b->a));
    }
    for (int32_t k = 0; k < p->nv; k++) {
        column_state *c = &r->columns[p->v + k];
        c->PS = twist_add(c->Pd, twist_cross(b->v, S[k]));
    }
    b->sum = composite_of(inertia_transform(b->H, plan_inertia(p->I)), b->v, b->a);
}

/* the com in the F₀ of the tree whose root stands at `world` */
static vec3 com_seen_from(const robot_motion *r, const pose *world)
{
    return pose_act_inverse(pose_between(r->bodies[0].world, *world), r->com);
}

static void walk(robot_motion *r, const state_series *state)
{
    vec3 first = vec3_zero();
    assert(r->bodies && r->columns); /* for the analyzer */
    for (int32_t i = 0; i < r->model->nbodies; i++) place_body(r, state, i);
    for (int32_t i = r->model->nbodies - 1; i >= 0; i--) {
        const int32_t up = r->plan[i].parent;
        if (up >= 0) r->bodies[up].sum = composite_add(r->bodies[up].sum, r->bodies[i].sum);
    }
    r->mass = 0;
    r->p = r->f = vec3_zero();
    for (int32_t i = 0; i < r->model->nbodies; i++) {
        const centroidal_state *root = &r->bodies[i];
        if (r->plan[i].parent >= 0) continue;
        const pose X = i ? pose_between(r->bodies[0].world, root->world) : pose_identity();
        const composite *s = &root->sum;
        r->mass += s->I.m;
        first = vec3_add(first, vec3_axpy(s->I.m, X.p, mat3_mul_vec(X.R, s->I.h)));
        r->p = vec3_add(r->p, mat3_mul_vec(root->world.R, s->n));
        r->f = vec3_add(r->f, mat3_mul_vec(root->world.R, s->f.f));
    }
    if (r->mass > 0) r->com = vec3_scale(1 / r->mass, first);
}

/* factor times a momentum about the origin of F₀, about the com and in the world's axes, added to column c of a matrix */
static void add_column(double *to, int32_t nv, int32_t c, double factor, const mat3 *R, vec3 com, wrench F, vec3 turn)
{
    if (!to) return;
    const vec3 f = mat3_mul_vec(*R, F.f), t = vec3_sub(mat3_mul_vec(*R, vec3_sub(F.t, vec3_cross(com, F.f))), turn);
    const twist sum = twist_axpy(factor, twist_of(f, t), matrix_column(to, nv, c));
    matrix_put_column(to, nv, c, sum);
}

static void momentum_columns(const robot_motion *r, int32_t i, const hml_centroidal_derivative *out)
{
    const centroidal_state *b = &r->bodies[i];
    const composite *s = &b->sum;
    const body_coordinates at = coordinates_of(r->model, i);
    const vec3 com = com_seen_from(r, &b->world);
    const int32_t nv = r->model->nv;
    for (int32_t k = 0; k < r->plan[i].nv; k++) {
        const column_state *c = &r->columns[r->plan[i].v + k];
        const vec3 moved = mat3_mul_vec(b->world.R, vec3_scale(1 / r->mass, inertia_mul(s->I, c->S).f));
        const wrench h_q = wrench_add(twist_cross_dual(c->S, wrench_of(s->n, s->t)), inertia_mul(s->I, c->Pd));
        const wrench f_q = composite_Uq(s, c->S, c->Pd, c->Pdd), f_v = composite_Uv(s, c->S, c->PS);
        const mat3 *R = &b->world.R;
        add_column(out->momentum_q, nv, at.v + k, at.factor, R, com, h_q, vec3_cross(moved, r->p));
        add_column(out->momentum_rate_q, nv, at.v + k, at.factor, R, com, f_q, vec3_cross(moved, r->f));
        add_column(out->momentum_rate_v, nv, at.v + k, at.factor, R, com, f_v, vec3_zero());
    }
}

/* ∂ of the com's column j by q of column k, in F₀ and times the mass; the body of one of them carries that of the other */
static vec3 column_change(const robot_motion *r, int32_t body_j, twist Sj, int32_t body_k, twist Sk)
{
    if (body_k <= body_j) return vec3_cross(Sk.w, inertia_mul(r->bodies[body_j].sum.I, Sj).f);
    const inertia I = r->bodies[body_k].sum.I;
    return vec3_sub(vec3_cross(Sk.w, inertia_mul(I, Sj).f), inertia_mul(I, twist_cross(Sk, Sj)).f);
}

static void add_change(const robot_motion *r, int32_t body_j, int32_t j, int32_t body_k, int32_t k, double *com_J_q)
{
    const size_t nv = (size_t)r->model->nv;
    const plan_body *pj = &r->plan[body_j], *pk = &r->plan[body_k];
    const body_coordinates aj = coordinates_of(r->model, body_j), ak = coordinates_of(r->model, body_k);
    const vec3 x = column_change(r, body_j, r->columns[pj->v + j].S, body_k, r->columns[pk->v + k].S);
    const vec3 y = mat3_mul_vec(r->bodies[body_j].world.R, vec3_scale(aj.factor * ak.factor / r->mass, x));
    double *to = com_J_q + (size_t)(ak.v + k) * 3 * nv + (size_t)(aj.v + j);
    to[0] += y.x, to[nv] += y.y, to[2 * nv] += y.z;
}

/* columns of a body, and of all bodies that carry it */
static void com_columns(const robot_motion *r, int32_t i, double *com_J_q)
{
    for (int32_t up = i; up >= 0; up = r->plan[up].parent) {
        for (int32_t j = 0; j < r->plan[i].nv; j++) {
            for (int32_t k = 0; k < r->plan[up].nv; k++) {
                add_change(r, i, j, up, k, com_J_q);
                if (up != i) add_change(r, up, k, i, j, com_J_q);
            }
        }
    }
}

static int valid(const hml_centroidal_derivative *x, const double *v, const double *a)
{
    if (!x || (x->momentum_rate_q && !a)) return 0;
    return v || !(x->com_velocity_q || x->momentum_q || x->momentum_rate_q || x->momentum_rate_v);
}

static void fill(const robot_motion *r, const hml_centroidal_derivative *out)
{
    const size_t nv = (size_t)r->model->nv;
    double *matrices[] = {out->momentum_q, out->momentum_rate_q, out->momentum_rate_v};
    for (size_t k = 0; k < 3; k++) {
        if (matrices[k]) memset(matrices[k], 0, 6 * nv * sizeof(double));
    }
    if (out->com_J_q) memset(out->com_J_q, 0, 3 * nv * nv * sizeof(double));
    for (int32_t i = 0; i < r->model->nbodies; i++) {
        momentum_columns(r, i, out);
        if (out->com_J_q) com_columns(r, i, out->com_J_q);
    }
}

/* com_velocity_q alone */
static hml_status mass_centre(const hml_model *model, const hml_work *work, const double *q, const double *v,
                              double *com_velocity_q)
{
    const size_t nv = (size_t)model->nv;
    const unsigned before = overflow_watch();
    const robot_call call = {.plan = model_plan(model),
                             .scratch = work->scratch,
                             .count = 1,
                             .q.data = q,
                             .v.data = v,
                             .com_velocity_q = {.data = com_velocity_q, .ld = nv}};
    if (work->choice.single->single_mass_centre(&call)) return HML_SINGULAR;
    return OVERFLOW_STATUS(before, {com_velocity_q, 3 * nv});
}

hml_status hml_centroidal_derivatives(const hml_model *model, hml_work *work, const double *q, const double *v,
                                      const double *a, const hml_centroidal_derivative *derivative)
{
    hml_centroidal_derivative room;
    const hml_centroidal_derivative *given = STRUCT_TAKE(hml_centroidal_derivative, derivative, &room, com_J_q);
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !valid(given, v, a)) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    if (work->choice.single->single_mass_centre && !model->nfollowers && given->com_velocity_q && !given->com_J_q &&
        !given->momentum_q && !given->momentum_rate_q && !given->momentum_rate_v)
        return mass_centre(model, work, q, v, given->com_velocity_q);
    if (!(hml_model_mass(model) > 0)) return HML_SINGULAR;
    const unsigned before = overflow_watch();
    const size_t nv = (size_t)model->nv;
    const kinematics_scratch k = hmli_work_kinematics(work);
    const state_series state = {.q = q, .rates = {v, a}};
    hml_centroidal_derivative out = *given;
    robot_motion r = {.model = model, .plan = plan_bodies(model_plan(model))};
    r.bodies = k.derivatives.bodies, r.columns = k.derivatives.columns;
    if (out.com_velocity_q && !out.momentum_q) out.momentum_q = k.derivatives.momentum_q;
    walk(&r, &state);
    fill(&r, &out);
    for (size_t i = 0; out.com_velocity_q && i < 3 * nv; i++) out.com_velocity_q[i] = out.momentum_q[i] / r.mass;
    return OVERFLOW_STATUS(before, {out.com_J_q, 3 * nv * nv}, {out.com_velocity_q, 3 * nv}, {out.momentum_q, 6 * nv},
                           {out.momentum_rate_q, 6 * nv}, {out.momentum_rate_v, 6 * nv});
}
