/*
 * Constrained forward and inverse dynamics, and impulses: hamel/constraint.h.
 *
 *   ν̇ = ν̇₀ + M⁻¹Jᵀλ,  ν̇₀ = M⁻¹(τ − h),  (J M⁻¹Jᵀ) λ = −drift − J ν̇₀
 *
 * M = LᵀL keeps the tree's zeros, G = L⁻ᵀJᵀ, and J M⁻¹Jᵀ = GᵀG is solved through the orthogonal factors of G.
 */
#include <math.h>
#include <string.h>

#include "base/overflow.h"
#include "group/arrays.h"
#include "hamel/reference/textbook.h"
#include "sim/constraint.h"
#include "sim/constraint_held.h"

/* what is left of b outside the range, relative to what b was made of; round-off of a redundant set stays far below */
static const double contradiction = 1e-7;

hml_status hmli_constraint_factor(constraint_system *s, const double *q, const double *v, const double *wrenches)
{
    const double floor = 0x1p-46; /* of a pivot against its diagonal entry, as everywhere in the library */
    kernel_call call;
    work_call(s->work, &call);
    memset(s->L, 0, s->n * s->n * sizeof(double));
    call.q.data = q;
    call.v.data = v;
    call.wrenches.data = wrenches;
    call.torque.data = s->h;
    call.M.data = s->L;
    call.M.ld = s->n;
    hmli_work_inverse_dynamics(s->work, &call);
    for (size_t i = 0; i < s->n; i++) s->x[i] = s->L[i * s->n + i];
    TRY(hml_ltl_factor(s->model->nv, s->parents, s->L));
    for (size_t i = 0; i < s->n; i++) {
        double pivot = s->L[i * s->n + i];
        if (!(pivot * pivot > floor * s->x[i])) return HML_SINGULAR;
    }
    return hmli_constraint_factor_rows(s);
}

hml_status hmli_constraint_factor_rows(constraint_system *s)
{
    memcpy(s->K.columns, s->J, s->m * s->n * sizeof(double));
    for (size_t i = 0; i < s->m; i++) {
        double *row = s->K.columns + i * s->n;
        TRY(hml_factor_solve(s->model->nv, s->parents, s->L, HML_DIAGONAL_STORED, 1, row));
    }
    hmli_rank_factor(&s->K, s->set->tolerance > 0 ? s->set->tolerance : 1e-10);
    return HML_OK;
}

void hmli_constraint_solve_mass(const constraint_system *s, double *x)
{
    hml_factor_solve(s->model->nv, s->parents, s->L, HML_DIAGONAL_STORED, 1, x);
    hml_factor_solve(s->model->nv, s->parents, s->L, HML_DIAGONAL_STORED, 0, x);
}

/* x += Jᵀ λ */
static void add_forces(const constraint_system *s, const double *lambda, double *x)
{
    for (size_t i = 0; i < s->m; i++) {
        for (size_t k = 0; k < s->n; k++) x[k] += lambda[i] * s->J[i * s->n + k];
    }
}

void hmli_constraint_apply(const constraint_system *s, const double *lambda, const double *base, double *out)
{
    memset(s->x, 0, s->n * sizeof(double));
    add_forces(s, lambda, s->x);
    hmli_constraint_solve_mass(s, s->x);
    for (size_t k = 0; k < s->n; k++) out[k] = base[k] + s->x[k];
}

static double row_dot(const constraint_system *s, size_t i, const double *x)
{
    double sum = 0;
    for (size_t k = 0; k < s->n; k++) sum += s->J[i * s->n + k] * x[k];
    return sum;
}

static void fill_report(const constraint_system *s, double missing, hml_constraint_report *report)
{
    *report = (hml_constraint_report){.struct_size = sizeof *report,
                                      .rows = (int32_t)s->m,
                                      .rank = (int32_t)s->K.rank,
                                      .residual = missing,
                                      .restitution = 1};
}

hml_status hmli_constraint_solve(constraint_system *s, double scale, hml_constraint_report *report)
{
    if (s->touches) return hmli_constraint_solve_touch(s, scale, report);
    double missing = hmli_rank_solve_gram(&s->K, s->b, s->lambda);
    fill_report(s, missing, report);
    return missing > contradiction * scale ? HML_INCONSISTENT : HML_OK;
}

static void copy(double *to, const double *from, size_t n)
{
    if (to) memcpy(to, from, n * sizeof *to);
}

hml_status hmli_constraint_motion(constraint_system *s, const double *q, const double *v, const double *tau,
                                  const double *wrenches, hml_constraint_report *report)
{
    double scale = 0;
    TRY(hmli_constraint_evaluate(s, q, v, 1));
    TRY(hmli_constraint_factor(s, q, v, wrenches));
    for (size_t k = 0; k < s->n; k++) s->a[k] = (tau ? tau[k] : 0) - s->h[k];
    hmli_constraint_solve_mass(s, s->a);
    for (size_t i = 0; i < s->m; i++) {
        double free = row_dot(s, i, s->a);
        s->b[i] = -s->drift[i] - free;
        scale += fabs(s->drift[i]) + fabs(free);
    }
    TRY(hmli_constraint_solve(s, scale, report));
    hmli_constraint_apply(s, s->lambda, s->a, s->a);
    return FINITE_STATUS({s->a, s->n}, {s->lambda, s->m});
}

static hml_status forward(const hml_model *model, hml_work *work, const hml_constraints *set, double *scratch,
                          const hml_constrained_dynamics *x, hml_constraint_report *report)
{
    constraint_system s;
    const hml_constrained_linearization here = {.q = x->q,
                                                .v = x->v,
                                                .tau = x->tau,
                                                .wrenches = x->wrenches,
                                                .acceleration = x->acceleration,
                                                .lambda = x->lambda};
    if (hmli_held(work, set, scratch, &here, 0)) {
        hmli_held_report(set, report);
        return HML_OK;
    }
    TRY(hmli_constraint_open(model, work, set, x->q, x->v, x->tau, x->wrenches, scratch, &s));
    TRY(hmli_constraint_motion(&s, x->q, x->v, x->tau, x->wrenches, report));
    copy(x->acceleration, s.a, s.n);
    copy(x->lambda, s.lambda, s.m);
    return HML_OK;
}

hml_status hml_constrained_forward_dynamics(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                            double *scratch, const hml_constrained_dynamics *arguments)
{
    hml_constraints constraints_room;
    hml_constrained_dynamics room;
    hml_constraint_report report = {0};
    const hml_constraints *set = constraints_take(constraints, &constraints_room);
    const hml_constrained_dynamics *x = STRUCT_TAKE(hml_constrained_dynamics, arguments, &room, v);
    if (!x || !constraint_report_fits(x->report) || !x->q || !x->v || !scratch) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_check(model, work, set));
    hml_status status = forward(model, work, set, scratch, x, &report);
    struct_give(x->report, &report, sizeof report);
    return status;
}

static hml_status inverse(constraint_system *s, const hml_constrained_dynamics *x, hml_constraint_report *report)
{
    size_t passive = 0;
    double scale = 0;
    TRY(hml_inverse_dynamics(s->model, s->work, x->q, x->v, x->a, x->wrenches, s->h));
    TRY(hmli_constraint_evaluate(s, x->q, x->v, 0));
    memset(s->x, 0, s->n * sizeof(double)); /* 1 where a joint pushes */
    for (int32_t j = 0; j < s->model->njoints; j++) {
        const model_joint *joint = &model_joints(s->model)[j];
        for (int32_t k = 0; k < joint->nv; k++) s->x[joint->v + k] = joint->actuated;
    }
    for (size_t k = 0; k < s->n; k++) passive += s->x[k] > 0 ? 0 : 1;
    layout_cursor again = layout_begin(s->K.columns);
    hmli_rank_lay_out(passive, s->m, &again, &s->K);
    size_t row = 0;
    for (size_t k = 0; k < s->n; k++) {
        if (s->x[k] > 0) continue;
        for (size_t i = 0; i < s->m; i++) s->K.columns[i * passive + row] = s->J[i * s->n + k];
        s->a[row++] = s->h[k];
        scale += fabs(s->h[k]);
    }
    for (size_t k = 0; s->touches && k < passive * s->m; k++) {
        s->least.G[k] = s->K.columns[k % s->m * passive + k / s->m]; /* by rows */
    }
    if (s->touches) memcpy(s->push.x, s->a, passive * sizeof(double));
    hmli_rank_factor(&s->K, s->set->tolerance > 0 ? s->set->tolerance : 1e-10);
    double missing = hmli_rank_solve(&s->K, s->a, s->lambda);
    fill_report(s, missing, report);
    if (missing > contradiction * scale) return HML_INCONSISTENT;
    if (s->touches) TRY(hmli_constraint_least(s, passive, s->push.x, scale));
    for (size_t i = 0; i < s->m; i++) s->b[i] = -s->lambda[i];
    add_forces(s, s->b, s->h);
    for (size_t k = 0; x->torque && k < s->n; k++) x->torque[k] = s->x[k] > 0 ? s->h[k] : 0;
    copy(x->lambda, s->lambda, s->m);
    return FINITE_STATUS({s->h, s->n}, {s->lambda, s->m});
}

hml_status hml_constrained_inverse_dynamics(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                            double *scratch, const hml_constrained_dynamics *arguments)
{
    constraint_system s;
    hml_constraints constraints_room;
    hml_constrained_dynamics room;
    hml_constraint_report report = {0};
    const hml_constraints *set = constraints_take(constraints, &constraints_room);
    const hml_constrained_dynamics *x = STRUCT_TAKE(hml_constrained_dynamics, arguments, &room, v);
    if (!x || !constraint_report_fits(x->report) || !x->v || !x->a) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_open(model, work, set, x->q, x->v, x->a, x->wrenches, scratch, &s));
    hml_status status = inverse(&s, x, &report);
    struct_give(x->report, &report, sizeof report);
    return status;
}

/* b of an impulse: a row that is held becomes −e times what it was, one that touches does so where it closes */
static void impulse_rows(constraint_system *s, double restitution, const double *v)
{
    size_t row = 0;
    for (int32_t i = 0; i < s->set->count; i++) {
        const hml_constraint *c = &s->set->items[i];
        for (int32_t k = 0; k < hmli_constraint_kind_rows(c->kind); k++, row++) {
            double w = row_dot(s, row, v), back = c->kind == HML_TOUCH_PLANE ? fmin(w, 0) : w;
            s->b[row] = -w - restitution * back;
        }
    }
    for (; row < s->m; row++) s->b[row] = -(1 + restitution) * row_dot(s, row, v); /* loops */
}

/* the energy that the impulse in s->lambda brings: ½ Λᵀ (w + w⁺) = Λᵀ w + ½ |L⁻ᵀ Jᵀ Λ|² */
static double impulse_energy(const constraint_system *s, const double *v)
{
    double energy = 0;
    memset(s->x, 0, s->n * sizeof(double));
    for (size_t i = 0; i < s->m; i++) energy += s->lambda[i] * row_dot(s, i, v);
    add_forces(s, s->lambda, s->x);
    hml_factor_solve(s->model->nv, s->parents, s->L, HML_DIAGONAL_STORED, 1, s->x);
    for (size_t k = 0; k < s->n; k++) energy += 0.5 * s->x[k] * s->x[k];
    return energy;
}

static double kinetic_energy(const constraint_system *s, const double *v)
{
    double energy = 0;
    memcpy(s->x, v, s->n * sizeof(double));
    hml_factor_multiply(s->model->nv, s->parents, s->L, HML_DIAGONAL_STORED, 0, s->x);
    for (size_t k = 0; k < s->n; k++) energy += 0.5 * s->x[k] * s->x[k];
    return energy;
}

/*
 * One-sided rows: at restitution 0 the impulse is a projection on a cone, which takes energy away. Where more
 * restitution brings some, the largest part of it that does not is found by halving.
 */
static hml_status solve_impulse(constraint_system *s, double restitution, double scale, const double *v,
                                hml_constraint_report *report)
{
    const double allowed = 1e-13 * kinetic_energy(s, v); /* round-off */
    double low = 0, high = 1, part = 1;
    for (int halvings = 0; halvings < 50; halvings++) {
        TRY(hmli_constraint_evaluate(s, s->q, NULL, 0)); /* all rows of J again */
        impulse_rows(s, part * restitution, v);
        TRY(hmli_constraint_solve_touch(s, scale, report));
        report->restitution = part;
        if (impulse_energy(s, v) <= allowed) {
            if (part == 1 || high - part < 1e-9) break;
            low = part;
        } else {
            high = part;
        }
        part = high - low < 1e-9 ? low : 0.5 * (low + high);
    }
    return HML_OK;
}

/* ν⁺ in s->a, Λ in s->lambda */
static hml_status impact(constraint_system *s, const hml_constrained_impact *x, hml_constraint_report *report)
{
    double scale = 0;
    TRY(hmli_constraint_evaluate(s, x->q, NULL, 0));
    TRY(hmli_constraint_factor(s, x->q, s->zero, NULL));
    for (size_t i = 0; i < s->m; i++) {
        s->b[i] = -(1 + x->restitution) * row_dot(s, i, x->v);
        scale += fabs(s->b[i]);
    }
    if (s->touches)
        TRY(solve_impulse(s, x->restitution, scale, x->v, report));
    else
        TRY(hmli_constraint_solve(s, scale, report));
    hmli_constraint_apply(s, s->lambda, x->v, s->a);
    copy(x->impulse, s->lambda, s->m);
    return FINITE_STATUS({s->a, s->n}, {s->lambda, s->m});
}

hml_status hml_constrained_impulse(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                   double *scratch, const hml_constrained_impact *arguments)
{
    constraint_system s;
    hml_constraints constraints_room;
    hml_constrained_impact room;
    hml_constraint_report report = {0};
    const hml_constraints *set = constraints_take(constraints, &constraints_room);
    const hml_constrained_impact *x = STRUCT_TAKE(hml_constrained_impact, arguments, &room, v);
    if (!x || !constraint_report_fits(x->report) || !x->v || !(x->restitution >= 0 && x->restitution <= 1)) {
        return HML_INVALID_ARGUMENT;
    }
    const int derivatives = x->next_q || x->next_v || x->impulse_q || x->impulse_v;
    TRY(hmli_constraint_open(model, work, set, x->q, x->v, NULL, NULL, scratch, &s));
    if (derivatives && s.touches) return HML_UNSUPPORTED;
    hml_status status = impact(&s, x, &report);
    struct_give(x->report, &report, sizeof report);
    if (status) return status;
    if (derivatives) return hmli_constraint_impact_derivatives(&s, x);
    copy(x->v_next, s.a, s.n);
    return HML_OK;
}
