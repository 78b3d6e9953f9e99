/* Where a solver begins, and what it has found. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/struct_size.h"
#include "control/shooting.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"

/* inputs that hold the robot still where it starts, as well as they can */
static void still_inputs(hml_solver *s, const hml_phase *phase, double *u)
{
    shooting_worker *w = &s->workers[0];
    double *tau = s->z, *zero = s->z_next;
    memset(zero, 0, s->n * sizeof *zero);
    memset(u, 0, s->m * sizeof *u);
    if (s->problem.actuation || phase->impact) return;
    hml_status status;
    if (hmli_phase_forces(phase)) {
        const hml_constrained_dynamics at =
            HML_STRUCT(hml_constrained_dynamics, .q = s->start_q, .v = zero, .a = zero, .torque = tau);
        status = hml_constrained_inverse_dynamics(s->model, w->work, phase->holds, w->scratch, &at);
    } else {
        status = hml_inverse_dynamics(s->model, w->work, s->start_q, zero, zero, NULL, tau);
    }
    for (size_t i = 0; !status && i < s->m; i++) u[i] = tau[s->columns[i]];
}

static void clamp_inputs(hml_solver *s)
{
    const hml_problem *p = &s->problem;
    for (size_t k = 0; k < s->N; k++) {
        const double *lower = p->lower.data ? p->lower.data + k * p->lower.stride : NULL;
        const double *upper = p->upper.data ? p->upper.data + k * p->upper.stride : NULL;
        double *u = s->now.u + k * s->m;
        for (size_t i = 0; i < s->m; i++) {
            if (lower) u[i] = fmax(u[i], lower[i]);
            if (upper) u[i] = fmin(u[i], upper[i]);
            if (p->phases[s->phase_of[k]].impact) u[i] = 0;
        }
        hmli_shooting_force(s, u, s->now.tau + k * s->n);
    }
}

void hmli_shooting_stay(hml_solver *s)
{
    for (size_t k = 0; k <= s->N; k++) {
        memcpy(s->now.q + k * s->nq, s->start_q, s->nq * sizeof(double));
        memcpy(s->now.v + k * s->n, s->start_v, s->n * sizeof(double));
        if (k == s->N) break;
        if (k && s->phase_of[k] == s->phase_of[k - 1])
            memcpy(s->now.u + k * s->m, s->now.u + (k - 1) * s->m, s->m * sizeof(double));
        else
            still_inputs(s, &s->problem.phases[s->phase_of[k]], s->now.u + k * s->m);
    }
    clamp_inputs(s);
}

static void forget(hml_solver *s)
{
    for (size_t i = 0; i < s->problem.nterms; i++) {
        const hml_term *t = &s->problem.terms[i];
        if (t->role == HML_ROLE_CONSTRAINT)
            memset(s->terms[i].multipliers, 0, s->terms[i].rows * (t->last - t->first + 1) * sizeof(double));
    }
    s->penalty = s->regularization = 0;
}

static void begin_at_start(hml_solver *s)
{
    memcpy(s->now.q, s->start_q, s->nq * sizeof(double));
    memcpy(s->now.v, s->start_v, s->n * sizeof(double));
}

hml_status hml_solver_start(hml_solver *s, const double *q, const double *v)
{
    if (!s || !q) return HML_INVALID_ARGUMENT;
    const hml_status status = hml_configuration_check(s->model, q);
    if (status) return status;
    if (v && !all_finite(v, s->n)) return HML_NOT_FINITE;
    memcpy(s->start_q, q, s->nq * sizeof *q);
    memset(s->start_v, 0, s->n * sizeof *q);
    if (v) memcpy(s->start_v, v, s->n * sizeof *v);
    begin_at_start(s);
    return HML_OK;
}

hml_status hml_solver_guess(hml_solver *s, const double *q, const double *v, const double *u)
{
    if (!s) return HML_INVALID_ARGUMENT;
    for (size_t k = 0; q && k <= s->N; k++) {
        const hml_status status = hml_configuration_check(s->model, q + k * s->nq);
        if (status) return status;
    }
    if ((v && !all_finite(v, (s->N + 1) * s->n)) || (u && !all_finite(u, s->N * s->m))) return HML_NOT_FINITE;
    if (q) memcpy(s->now.q, q, (s->N + 1) * s->nq * sizeof *q);
    if (v) memcpy(s->now.v, v, (s->N + 1) * s->n * sizeof *v);
    if (u) memcpy(s->now.u, u, s->N * s->m * sizeof *u);
    clamp_inputs(s);
    forget(s);
    begin_at_start(s);
    return HML_OK;
}

/* rows of `size` doubles: row k becomes row k + by, the last one repeats */
static void shift(size_t rows, size_t size, size_t by, double *x)
{
    for (size_t k = 0; k < rows; k++) {
        const size_t from = by < rows - k ? k + by : rows - 1;
        if (from != k) memmove(x + k * size, x + from * size, size * sizeof *x);
    }
}

/* the same with rows of numbers that may be interpolated: row k becomes (1 − part) of itself and part of row k + 1 */
static void blend(size_t rows, size_t size, double part, double *x)
{
    for (size_t i = 0; i + size < rows * size; i++) x[i] += part * (x[i + size] - x[i]);
}

static hml_status blend_motion(hml_solver *s, double part)
{
    const size_t nq = s->nq;
    double *next = s->now.q;
    for (size_t k = 0; k < s->N; k++, next += nq) {
        const hml_status status = hml_configuration_interpolate(s->model, next, next + nq, part, next);
        if (status) return status;
    }
    blend(s->N + 1, s->n, part, s->now.v);
    blend(s->N, s->m, part, s->now.u);
    return HML_OK;
}

hml_status hmli_shooting_slide(hml_solver *s, double knots)
{
    const double most = (double)(s->N + 1), whole = floor(fmin(knots, most));
    const double part = knots < most ? knots - whole : 0;
    shift(s->N + 1, s->nq, (size_t)whole, s->now.q);
    shift(s->N + 1, s->n, (size_t)whole, s->now.v);
    shift(s->N, s->m, (size_t)whole, s->now.u);
    for (size_t i = 0; i < s->problem.nterms; i++) {
        const hml_term *t = &s->problem.terms[i];
        if (t->role != HML_ROLE_CONSTRAINT) continue;
        shift(t->last - t->first + 1, s->terms[i].rows, (size_t)whole, s->terms[i].multipliers);
        blend(t->last - t->first + 1, s->terms[i].rows, part, s->terms[i].multipliers);
    }
    const hml_status status = part > 0 ? blend_motion(s, part) : HML_OK;
    clamp_inputs(s);
    memcpy(s->start_q, s->now.q, s->nq * sizeof(double));
    memcpy(s->start_v, s->now.v, s->n * sizeof(double));
    return status;
}

hml_status hml_solver_shift(hml_solver *s, size_t knots)
{
    if (!s) return HML_INVALID_ARGUMENT;
    return hmli_shooting_slide(s, (double)(knots <= s->N ? knots : s->N + 1));
}

hml_status hml_solver_solution(const hml_solver *s, hml_solution *solution)
{
    if (!s || !solution || !struct_is_writable(solution, STRUCT_END(hml_solution, knots))) return HML_INVALID_ARGUMENT;
    const hml_solution all = {sizeof all, s->N,     s->m,     s->forces,     s->time,
                              s->now.q,   s->now.v, s->now.u, s->now.lambda, s->K};
    struct_give(solution, &all, sizeof all);
    return HML_OK;
}
