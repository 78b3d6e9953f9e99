/* The steps of a motion, and their derivatives as the backward pass wants them. */
#include <string.h>

#include "base/finite.h"
#include "control/shooting.h"
#include "group/joint_tangent.h"
#include "hamel/configuration.h"

void hmli_shooting_force(const hml_solver *s, const double *u, double *tau)
{
    const size_t n = s->n, m = s->m;
    const double *B = s->problem.actuation;
    memset(tau, 0, n * sizeof *tau);
    for (size_t i = 0; B && i < n; i++)
        for (size_t c = 0; c < m; c++) tau[i] += B[i * m + c] * u[c];
    for (size_t c = 0; !B && c < m; c++) tau[s->columns[c]] += u[c];
}

/* columns of forces become columns of inputs: to = factor · from · actuation, `rows` rows; from has n columns */
static void to_inputs(const hml_solver *s, size_t rows, double factor, const double *from, size_t from_ld, double *to,
                      size_t to_ld)
{
    const double *B = s->problem.actuation;
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < s->m; c++) {
            double sum = 0;
            for (size_t k = 0; B && k < s->n; k++) sum += from[i * from_ld + k] * B[k * s->m + c];
            to[i * to_ld + c] = factor * (B ? sum : from[i * from_ld + (size_t)s->columns[c]]);
        }
    }
}

void hmli_shooting_force_inputs(const hml_solver *s, shooting_worker *w, size_t in_chunk, size_t rows)
{
    to_inputs(s, rows, 1, w->force_tau + in_chunk * rows * s->n, s->n, w->force_u + in_chunk * rows * s->m, s->m);
}

void hmli_shooting_add_inputs(const hml_solver *s, const double *Dtau, double *to)
{
    const double *B = s->problem.actuation;
    for (size_t i = 0; i < s->n; i++) {
        double *row = to + i * s->size.ld;
        for (size_t c = 0; !B && c < s->m; c++) row[c] += Dtau[i * s->n + (size_t)s->columns[c]];
        for (size_t k = 0; B && k < s->n; k++)
            for (size_t c = 0; c < s->m; c++) row[c] += Dtau[i * s->n + k] * B[k * s->m + c];
    }
}

static hml_status step_held(const hml_solver *s, shooting_worker *w, const shooting_motion *x, size_t k,
                            const hml_phase *phase)
{
    const size_t n = s->n;
    double *next = x->v_next + k * n;
    const double *q = x->q + k * s->nq, *v = x->v + k * n;
    const hml_constrained_dynamics at = HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = x->tau + k * n,
                                                   .acceleration = w->a, .lambda = x->lambda + k * s->forces);
    hml_status status = hml_constrained_forward_dynamics(s->model, w->work, phase->holds, w->scratch, &at);
    if (status) return status;
    for (size_t i = 0; i < n; i++) next[i] = v[i] + phase->h * w->a[i], w->a[i] = phase->h * next[i];
    return hml_configuration_integrate(s->model, q, w->a, x->q_next + k * s->nq);
}

static hml_status step_impact(const hml_solver *s, shooting_worker *w, const shooting_motion *x, size_t k,
                              const hml_phase *phase, int derivatives)
{
    const size_t n = s->n;
    hml_constrained_impact at = HML_STRUCT(hml_constrained_impact, .q = x->q + k * s->nq, .v = x->v + k * n,
                                           .v_next = x->v_next + k * n, .impulse = x->lambda + k * s->forces);
    if (derivatives) at.next_q = w->Dq, at.next_v = w->Dv, at.impulse_q = w->force_q, at.impulse_v = w->force_v;
    const hml_status status = hml_constrained_impulse(s->model, w->work, phase->holds, w->scratch, &at);
    memcpy(x->q_next + k * s->nq, x->q + k * s->nq, s->nq * sizeof(double));
    return status;
}

hml_status hmli_shooting_step(const hml_solver *s, shooting_worker *w, const shooting_motion *x, size_t k)
{
    const hml_phase *phase = &s->problem.phases[s->phase_of[k]];
    if (phase->impact) return step_impact(s, w, x, k, phase, 0);
    if (hmli_phase_has_stages(phase)) return hmli_stages_step(s, w, x, k);
    if (hmli_phase_forces(phase)) return step_held(s, w, x, k, phase);
    return hml_step(s->model, w->work, w->scratch,
                    &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_EULER, .h = phase->h,
                                .q = {x->q + k * s->nq, 0}, .v = {x->v + k * s->n, 0}, .tau = {x->tau + k * s->n, 0},
                                .q_next = {x->q_next + k * s->nq, 0, 0}, .v_next = {x->v_next + k * s->n, 0, 0}));
}

/* E = Ad of exp(−θ) and H = h S(θ) with θ = h ν⁺, both seen from the next knot across the gap: S⁻¹(gap) times them */
static void blocks(const hml_solver *s, size_t k, double h, const double *v_next)
{
    const double *gap = s->gap + k * 2 * s->n;
    for (size_t j = 0; j < s->size.curved; j++) {
        const size_t m = s->curved[j].m, first = s->curved[j].first;
        double S[BLOCK_MOST] = {0}, D[BLOCK_MOST] = {0}, X[BLOCK_MOST] = {0}, theta[6] = {0};
        double *E = s->E + (k * s->size.curved + j) * BLOCK_MOST, *H = s->H + (k * s->size.curved + j) * BLOCK_MOST;
        for (size_t i = 0; i < m; i++) theta[i] = h * v_next[first + i];
        joint_end_tangent(s->curved_types[j], theta, X, S);
        joint_jacobian_inverse(s->curved_types[j], gap + first, D);
        for (size_t i = 0; i < m * m; i++) {
            E[i] = H[i] = 0;
            for (size_t e = 0; e < m; e++) {
                E[i] += D[i / m * m + e] * X[e * m + i % m];
                H[i] += h * D[i / m * m + e] * S[e * m + i % m];
            }
        }
    }
}

static hml_status find_gap(const hml_solver *s, const shooting_motion *x, size_t k)
{
    const size_t n = s->n;
    double *gap = s->gap + k * 2 * n;
    for (size_t i = 0; i < n; i++) gap[n + i] = x->v_next[k * n + i] - x->v[(k + 1) * n + i];
    return hml_configuration_difference(s->model, x->q + (k + 1) * s->nq, x->q_next + k * s->nq, gap);
}

/* F of a step: rows of h D_q, 1 + h D_ν, h D_τ B; `identity`: what is added to the diagonal of the middle one */
static void fill_F(const hml_solver *s, size_t k, double h, double identity, const double *Dq, const double *Dv,
                   size_t ld, const double *Dtau, size_t ld_tau)
{
    const size_t n = s->n, to = s->size.ld;
    double *F = s->F + k * n * to;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < n; c++) {
            F[i * to + c] = h * Dq[i * ld + c];
            F[i * to + n + c] = h * Dv[i * ld + c];
        }
        F[i * to + n + i] += identity;
    }
    if (Dtau) to_inputs(s, n, h, Dtau, ld_tau, F + 2 * n, to);
}

static hml_status linearize_free(hml_solver *s, shooting_worker *w, const shooting_motion *x, const shooting_chunk *c,
                                 double h)
{
    const size_t n = s->n, nq = s->nq, f = c->first;
    const hml_discrete_step step =
        HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_EULER, .h = h, .q = {x->q + f * nq, nq},
                   .v = {x->v + f * n, n}, .tau = {x->tau + f * n, n}, .q_next = {x->q_next + f * nq, 0, nq},
                   .v_next = {x->v_next + f * n, 0, n}, .Ad = {w->Ad, 0, 0}, .Bd = {w->Bd, 0, 0});
    const hml_status status = hml_step_linearize_batch(s->model, w->work, w->scratch, c->count, &step, NULL);
    for (size_t i = 0; !status && i < c->count; i++) {
        const double *A = w->Ad + i * 4 * n * n + 2 * n * n, *B = w->Bd + i * 2 * n * n + n * n;
        fill_F(s, f + i, 1, 0, A, A + n, 2 * n, B, n);
    }
    return status;
}

static hml_status linearize_held(hml_solver *s, shooting_worker *w, const shooting_motion *x, const shooting_chunk *c,
                                 const hml_phase *phase)
{
    const size_t n = s->n, nq = s->nq, f = c->first, rows = hmli_phase_forces(phase);
    const hml_constrained_states at =
        HML_STRUCT(hml_constrained_states, .q = {x->q + f * nq, nq}, .v = {x->v + f * n, n}, .tau = {x->tau + f * n, n},
                   .acceleration = {w->a, 0, n}, .lambda = {x->lambda + f * s->forces, 0, s->forces},
                   .Dq = {w->Dq, 0, 0}, .Dv = {w->Dv, 0, 0}, .Dtau = {w->Dtau, 0, 0}, .lambda_q = {w->force_q, 0, 0},
                   .lambda_v = {w->force_v, 0, 0}, .lambda_tau = {w->force_tau, 0, 0});
    hml_status status =
        hml_constrained_linearize_batch(s->model, w->work, phase->holds, w->scratch, c->count, &at, NULL);
    for (size_t i = 0; !status && i < c->count; i++) {
        double *next = x->v_next + (f + i) * n, *a = w->a + i * n;
        for (size_t j = 0; j < n; j++) next[j] = x->v[(f + i) * n + j] + phase->h * a[j], a[j] = phase->h * next[j];
        status = hml_configuration_integrate(s->model, x->q + (f + i) * nq, a, x->q_next + (f + i) * nq);
        fill_F(s, f + i, phase->h, 1, w->Dq + i * n * n, w->Dv + i * n * n, n, w->Dtau + i * n * n, n);
        hmli_shooting_force_inputs(s, w, i, rows);
    }
    return status;
}

hml_status hmli_shooting_gaps(hml_solver *s, const shooting_motion *x)
{
    hml_status status = HML_OK;
    for (size_t k = 0; !status && k < s->N; k++) status = find_gap(s, x, k);
    return status;
}

hml_status hmli_shooting_linearize(hml_solver *s, shooting_worker *w, const shooting_motion *x, const shooting_chunk *c)
{
    const hml_phase *phase = &s->problem.phases[c->phase];
    const size_t n = s->n;
    hml_status status;
    if (phase->impact) {
        status = step_impact(s, w, x, c->first, phase, 1);
        if (!status) fill_F(s, c->first, 1, 0, w->Dq, w->Dv, n, NULL, 0);
    } else if (hmli_phase_has_stages(phase)) {
        status = hmli_stages_linearize(s, w, x, c);
    } else if (hmli_phase_forces(phase)) {
        status = linearize_held(s, w, x, c, phase);
    } else {
        status = linearize_free(s, w, x, c, phase->h);
    }
    for (size_t i = 0; !status && i < c->count; i++) {
        const size_t k = c->first + i;
        const size_t rows = n * s->size.ld;
        if (!s->size.products->finite(s->F + k * rows, rows) || !all_finite(x->v_next + k * n, n))
            return HML_NOT_FINITE;
        if (hmli_phase_has_stages(phase) && !s->size.products->finite(s->D + k * rows, rows)) return HML_NOT_FINITE;
        status = find_gap(s, x, k);
        if (status) return status;
        if (hmli_phase_has_stages(phase))
            hmli_stages_finish(s, w, k, i, phase->h);
        else
            blocks(s, k, phase->impact ? 0 : phase->h, x->v_next + k * n);
    }
    return status;
}
