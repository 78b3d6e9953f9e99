/*
 * Exact derivatives of constrained motion, through the equations themselves. With the inverse dynamics τ̂(q, ν, ν̇, λ)
 * = M ν̇ + h − Jᵀλ and the constraint's acceleration c(q, ν, ν̇) = J ν̇ + J̇ν + damping J ν + stiffness e,
 *
 *   [ M  −Jᵀ ] [ dν̇ ]   [ dτ − ∂τ̂/∂q dq − ∂τ̂/∂ν dν ]
 *   [ J   0  ] [ dλ ] = [    − ∂c/∂q dq − ∂c/∂ν dν   ]
 *
 * λ is held in ∂τ̂: a wrench of a held frame moves with its body, as inverse dynamics has it. A force at a point keeps
 * its direction in the world; while the body turns by θ that adds f × θ to it, seen from the body.
 *
 * Impulses obey the same equations with ν̇ → ν⁺ − ν, without velocity, gravity and passive forces, and with
 * c = J(ν⁺ + e ν).
 */
#include <math.h>
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "base/dense.h"
#include "base/overflow.h"
#include "group/arrays.h"
#include "group/joint.h"
#include "group/se3.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/kinematics_derivatives.h"
#include "sim/constraint.h"
#include "sim/constraint_held.h"
#include "sim/constraint_loop.h"

/* the wrenches of the bodies with λ among them, in s->wrenches */
static hml_status gather_wrenches(const constraint_system *s, const double *q, const double *given)
{
    size_t row = 0;
    for (size_t i = 0; i < 6 * (size_t)s->model->nbodies; i++) s->wrenches[i] = given ? given[i] : 0;
    for (int32_t i = 0; i < s->set->count; i++) {
        const hml_constraint *c = &s->set->items[i];
        double F[6];
        write_wrench(constraint_wrench(c, s->lambda + row), F);
        TRY(hml_wrench_add(s->model, s->work, q, c->frame, c->kind != HML_HOLD_FRAME, F, s->wrenches));
        row += (size_t)hmli_constraint_kind_rows(c->kind);
    }
    for (int32_t i = 0; i < s->set->loop_count; i++) {
        const hml_loop *c = &s->set->loops[i];
        loop_motion m;
        TRY(hmli_loop_motion(s->model, c, q, NULL, NULL, NULL, &m));
        TRY(hmli_loop_push(s->model, s->work, c, q, &m, s->lambda + row, s->wrenches));
        row += (size_t)hmli_loop_kind_rows(c->kind);
    }
    return HML_OK;
}

/* ∂τ̂/∂q and, with a velocity, ∂τ̂/∂ν, as if all wrenches moved with their bodies */
static void inverse_derivatives(const constraint_system *s, const double *q, const double *v, const double *a,
                                const constraint_partials *d)
{
    static const double weightless[3] = {0, 0, 0};
    kernel_call call;
    work_call(s->work, &call);
    memset(d->dq, 0, 2 * s->n * s->n * sizeof(double));
    if (!v) call.gravity = weightless, call.passive = 0;
    call.q.data = q;
    call.v.data = v ? v : s->zero;
    call.a.data = a;
    call.wrenches.data = s->wrenches;
    call.dtau_dq.data = d->dq;
    call.dtau_dv.data = d->dv;
    call.dtau_dq.ld = call.dtau_dv.ld = s->n;
    hmli_work_inverse_dynamics(s->work, &call);
}

/* −J_linᵀ (f × J_ang): what keeping its direction in the world adds to ∂τ̂/∂q */
static void keep_direction(const constraint_system *s, vec3 f, const constraint_partials *d)
{
    const int32_t n = s->model->nv;
    for (int32_t k = 0; k < n; k++) {
        vec3 turned = vec3_cross(f, matrix_column(d->J, n, k).w);
        for (int32_t r = 0; r < n; r++) d->dq[r * n + k] -= vec3_dot(matrix_column(d->J, n, r).v, turned);
    }
}

/* rows of a 6 × n block, as the constraint takes them, added with a factor */
static void add_rows(const constraint_system *s, const hml_constraint *c, double factor, const double *block,
                     double *out)
{
    const size_t n = s->n;
    if (factor == 0) return;
    if (constraint_is_plane(c)) {
        vec3 normal = vec3_at(c->normal);
        double scale = factor / sqrt(vec3_dot(normal, normal));
        for (size_t k = 0; k < n; k++) {
            out[k] += scale * (normal.x * block[k] + normal.y * block[n + k] + normal.z * block[2 * n + k]);
        }
        return;
    }
    for (size_t i = 0; i < (size_t)hmli_constraint_kind_rows(c->kind) * n; i++) out[i] += factor * block[i];
}

/* stiffness · ∂e/∂q: J, for a frame through the Jacobian of log; J is overwritten */
static void add_stiffness(const constraint_system *s, const hml_constraint *c, const double *q,
                          const constraint_partials *d, double *cq)
{
    const int32_t n = s->model->nv;
    if (!(c->stiffness > 0)) return;
    if (c->kind == HML_HOLD_FRAME) {
        const state_series state = {.q = q};
        twist V[SERIES_LENGTH];
        pose goal = pose_of(mat3_at(c->pose, 4), vec3_of(c->pose[3], c->pose[7], c->pose[11]));
        pose H = frame_series(s->model, c->frame, HML_WORLD, HML_LEFT, &state, 0, V, NULL);
        twist e = se3_log(pose_between(goal, H));
        for (int32_t k = 0; k < n; k++) {
            matrix_put_column(d->J, n, k, se3_dexp_right_inverse_apply(e, matrix_column(d->J, n, k)));
        }
    }
    add_rows(s, c, c->stiffness, d->J, cq);
}

/* ∂c of all constraints and the directions of their forces. a NULL: an impulse, c = J v */
static hml_status constraint_derivatives(const constraint_system *s, const double *q, const double *v, const double *a,
                                         const constraint_partials *d)
{
    size_t row = 0;
    memset(d->cq, 0, 2 * s->m * s->n * sizeof(double));
    for (int32_t i = 0; i < s->set->count; i++) {
        const hml_constraint *c = &s->set->items[i];
        const hml_representation rep = c->kind == HML_HOLD_FRAME ? HML_LEFT : HML_MIXED;
        double *cq = d->cq + row * s->n, *cv = d->cv + row * s->n;
        hml_frame_derivative x = {.struct_size = sizeof x, .placement_q = d->J, .twist_q = d->twist_q};
        if (a) x.acceleration_q = d->motion_q, x.acceleration_v = d->motion_v;
        TRY(hml_frame_derivatives(s->model, s->work, c->frame, rep, q, v, a, &x));
        if (c->kind != HML_HOLD_FRAME) keep_direction(s, constraint_wrench(c, s->lambda + row).f, d);
        if (a) {
            add_rows(s, c, 1, d->motion_q, cq);
            add_rows(s, c, c->damping, d->twist_q, cq);
            add_rows(s, c, 1, d->motion_v, cv);
            add_rows(s, c, c->damping, d->J, cv);
            add_stiffness(s, c, q, d, cq);
        } else {
            add_rows(s, c, 1, d->twist_q, cq);
        }
        row += (size_t)hmli_constraint_kind_rows(c->kind);
    }
    return hmli_loop_derivatives(s, q, v, a, row);
}

hml_status hmli_constraint_tangent(const constraint_system *s, const double *q, const double *v, const double *wrenches)
{
    TRY(gather_wrenches(s, q, wrenches));
    inverse_derivatives(s, q, v, s->a, &s->partials);
    return constraint_derivatives(s, q, v, NULL, &s->partials);
}

void hmli_constraint_mass_rate(const constraint_system *s, const double *q, const double *v, const double *x,
                               double *out)
{
    memset(s->wrenches, 0, 6 * (size_t)s->model->nbodies * sizeof(double));
    inverse_derivatives(s, q, NULL, x, &s->partials); /* ∂(M x)/∂q */
    for (size_t i = 0; i < s->n; i++) out[i] = dense_dot(s->n, s->partials.dq + i * s->n, v);
}

/*
 * One column of the solution: right-hand sides −tau (n, in s->h) and −c (m, every n-th number; NULL: zero), into column
 * k of motion (n × n) and force (m × n), each of which may be NULL
 */
static void solve_column(constraint_system *s, const double *c, size_t k, double *motion, double *force)
{
    const size_t n = s->n;
    for (size_t i = 0; i < n; i++) s->a[i] = -s->h[i];
    hmli_constraint_solve_mass(s, s->a);
    for (size_t i = 0; i < s->m; i++) {
        s->b[i] = c ? -c[i * n + k] : 0;
        for (size_t j = 0; j < n; j++) s->b[i] -= s->J[i * n + j] * s->a[j];
    }
    hmli_rank_solve_gram(&s->K, s->b, s->b);
    hmli_constraint_apply(s, s->b, s->a, s->a);
    for (size_t i = 0; motion && i < n; i++) motion[i * n + k] = s->a[i];
    for (size_t i = 0; force && i < s->m; i++) force[i * n + k] = s->b[i];
}

/* all columns; dtau NULL: minus the identity */
static void solve_columns(constraint_system *s, const double *dtau, const double *c, double *motion, double *force)
{
    if (!motion && !force) return;
    for (size_t k = 0; k < s->n; k++) {
        for (size_t i = 0; i < s->n; i++) s->h[i] = dtau ? dtau[i * s->n + k] : i == k ? -1 : 0;
        solve_column(s, c, k, motion, force);
    }
}

/* the upper half of A, [ −ad_ν  I ], and that of B; either may be NULL */
static void fill_upper(const hml_model *model, const double *v, double *A, double *B)
{
    const size_t n = (size_t)model->nv;
    if (B) memset(B, 0, n * n * sizeof *B);
    if (!A) return;
    memset(A, 0, 2 * n * n * sizeof *A);
    for (int32_t i = 0; i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i];
        const size_t first = (size_t)j->v, size = (size_t)j->nv;
        double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
        if (joint_commutes(j->type)) continue;
        memset(ad, 0, sizeof ad);
        joint_ad(j->type, v + j->v, ad);
        for (size_t r = 0; r < size * size; r++) A[(first + r / size) * 2 * n + first + r % size] = -ad[r];
    }
    for (size_t r = 0; r < n; r++) A[r * 2 * n + n + r] = 1;
}

/* an n × n block to its place in the lower half of A or B, whose rows are `ld` apart */
static void copy_below(size_t n, const double *from, size_t ld, double *to)
{
    for (size_t r = 0; r < n; r++) memcpy(to + (n + r) * ld, from + r * n, n * sizeof *to);
}

hml_status hmli_constraint_linearize(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                     double *scratch, const hml_constrained_linearization *x,
                                     hml_constraint_report *report)
{
    constraint_system s;
    TRY(hmli_constraint_open(model, work, constraints, x->q, x->v, x->tau, x->wrenches, scratch, &s));
    TRY(hmli_constraint_motion(&s, x->q, x->v, x->tau, x->wrenches, report));
    if (x->acceleration) memcpy(x->acceleration, s.a, s.n * sizeof(double));
    if (x->lambda) memcpy(x->lambda, s.lambda, s.m * sizeof(double));
    if (report->grazing) return HML_SINGULAR;
    const constraint_partials d = s.partials;
    const size_t n = s.n;
    TRY(gather_wrenches(&s, x->q, x->wrenches));
    inverse_derivatives(&s, x->q, x->v, s.a, &d);
    TRY(constraint_derivatives(&s, x->q, x->v, s.a, &d));
    double *Dq = x->Dq, *Dv = x->Dv;
    if (x->A) { /* columns are read before they are written, so the results may take the place of the derivatives */
        if (!Dq) Dq = d.dq;
        if (!Dv) Dv = d.dv;
    }
    solve_columns(&s, d.dq, d.cq, Dq, x->lambda_q);
    solve_columns(&s, d.dv, d.cv, Dv, x->lambda_v);
    double *Dtau = x->Dtau ? x->Dtau : x->B ? x->B + n * n : NULL;
    solve_columns(&s, NULL, NULL, Dtau, x->lambda_tau);
    fill_upper(model, x->v, x->A, x->B);
    if (x->A) copy_below(n, Dq, 2 * n, x->A), copy_below(n, Dv, 2 * n, x->A + n);
    if (x->B && x->Dtau) copy_below(n, x->Dtau, n, x->B);
    const size_t nn = n * n, mn = s.m * n;
    return FINITE_STATUS({x->Dq, nn}, {x->Dv, nn}, {x->Dtau, nn}, {x->lambda_q, mn}, {x->lambda_v, mn},
                         {x->lambda_tau, mn}, {x->A, 4 * nn}, {x->B, 2 * nn});
}

void hmli_held_complete(const hml_model *model, const hml_constrained_linearization *x)
{
    const size_t n = (size_t)model->nv;
    fill_upper(model, x->v, x->A, x->B);
    if (x->A && x->Dq) copy_below(n, x->Dq, 2 * n, x->A);
    if (x->A && x->Dv) copy_below(n, x->Dv, 2 * n, x->A + n);
    if (x->B && x->Dtau) copy_below(n, x->Dtau, n, x->B);
}

hml_status hmli_constrained_linearize(const hml_model *model, hml_work *work, const hml_constraints *set,
                                      double *scratch, const hml_constrained_linearization *x,
                                      hml_constraint_report *report)
{
    if (!hmli_held(work, set, scratch, x, 1)) return hmli_constraint_linearize(model, work, set, scratch, x, report);
    hmli_held_report(set, report);
    hmli_held_complete(model, x);
    return HML_OK;
}

hml_status hml_constrained_linearize(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                     double *scratch, const hml_constrained_linearization *arguments)
{
    hml_constraints constraints_room;
    hml_constrained_linearization room;
    hml_constraint_report report = {0};
    const hml_constraints *set = constraints_take(constraints, &constraints_room);
    const hml_constrained_linearization *x = STRUCT_TAKE(hml_constrained_linearization, arguments, &room, v);
    if (!x || !constraint_report_fits(x->report) || !x->q || !x->v || !scratch) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_check(model, work, set));
    hml_status status = hmli_constrained_linearize(model, work, set, scratch, x, &report);
    struct_give(x->report, &report, sizeof report);
    return status;
}

hml_status hmli_constraint_impact_derivatives(constraint_system *s, const hml_constrained_impact *x)
{
    const constraint_partials d = s->partials;
    const size_t n = s->n;
    TRY(gather_wrenches(s, x->q, NULL));
    for (size_t k = 0; k < n; k++) s->h[k] = s->a[k] - x->v[k], s->x[k] = s->a[k] + x->restitution * x->v[k];
    inverse_derivatives(s, x->q, NULL, s->h, &d);
    TRY(constraint_derivatives(s, x->q, s->x, NULL, &d));
    if (x->next_v || x->impulse_v) { /* M (dν⁺ − dν) = JᵀdΛ, J dν⁺ = −e J dν: dν⁺ = dν + M⁻¹JᵀdΛ */
        memset(d.dv, 0, n * n * sizeof(double));
        for (size_t i = 0; i < s->m * n; i++) d.cv[i] = (1 + x->restitution) * s->J[i];
    }
    if (x->v_next) memcpy(x->v_next, s->a, n * sizeof(double));
    solve_columns(s, d.dq, d.cq, x->next_q, x->impulse_q);
    solve_columns(s, d.dv, d.cv, x->next_v, x->impulse_v);
    for (size_t k = 0; x->next_v && k < n; k++) x->next_v[k * n + k] += 1;
    return FINITE_STATUS({x->next_q, n * n}, {x->next_v, n * n}, {x->impulse_q, s->m * n}, {x->impulse_v, s->m * n});
}
