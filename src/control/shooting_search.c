/* The parts of one iteration: derivatives at all knots, the backward pass, the slope along its step, and tries of the step. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "control/shooting.h"
#include "hamel/configuration.h"

/* ---- all knots ---- */

static void run_chunk(void *data, size_t index, size_t worker)
{
    hml_solver *s = data;
    shooting_worker *w = &s->workers[worker];
    const shooting_chunk *c = &s->chunks[index];
    hml_status status = HML_OK;
    if (s->derivatives && c->phase < s->problem.nphases) status = hmli_shooting_linearize(s, w, s->target, c);
    for (size_t i = 0; !status && i < c->count; i++)
        status = hmli_shooting_cost(s, w, s->target, c->first + i, i, s->derivatives);
    s->statuses[index] = status;
}

hml_status hmli_shooting_evaluate(hml_solver *s, shooting_motion *x, int derivatives)
{
    const hml_solve_options *o = s->options;
    s->target = x;
    s->derivatives = derivatives;
    const hml_status status = hmli_terms_own(s, x, derivatives);
    if (status) return status;
    s->own_ready = 1;
    if (o && o->parallel_for) {
        o->parallel_for(o->context, s->nchunks, run_chunk, s);
    } else {
        for (size_t i = 0; i < s->nchunks; i++) run_chunk(s, i, 0);
    }
    s->own_ready = 0;
    for (size_t i = 0; i < s->nchunks; i++)
        if (s->statuses[i]) return s->statuses[i];
    if (!derivatives) return HML_OK;
    double sum = 0, most = 0;
    for (size_t i = 0; i < s->N * 2 * s->n; i++) sum += fabs(s->gap[i]), most = fmax(most, fabs(s->gap[i]));
    x->gap_sum = most > SHOOTING_CLOSED ? sum : 0; /* rounding has no weight in the merit */
    return HML_OK;
}

/* ---- backward ---- */

static const double *bound_of(hml_input bound, size_t k) { return bound.data ? bound.data + k * bound.stride : NULL; }

static backward_knot knot_of(const hml_solver *s, size_t k)
{
    const size_t n = s->n, m = s->m, blocks = s->size.curved * BLOCK_MOST;
    const hml_phase *phase = &s->problem.phases[s->phase_of[k]];
    backward_knot x = {.F = s->F + k * n * s->size.ld,
                       .E = s->E + k * blocks,
                       .H = s->H + k * blocks,
                       .D = hmli_phase_has_stages(phase) ? s->D + k * n * s->size.ld : NULL,
                       .h = phase->impact ? 0 : phase->h,
                       .gap = s->gap + k * 2 * n,
                       .lx = s->lx + k * 2 * n,
                       .lxx = s->lxx + k * 2 * n * s->size.ldx,
                       .lu = s->lu + k * m * s->size.ld,
                       .K = s->K + k * m * 2 * n,
                       .k = s->k + k * m};
    if (s->with_bounds || phase->impact) {
        const double *lower = bound_of(s->problem.lower, k), *upper = bound_of(s->problem.upper, k);
        for (size_t i = 0; i < m; i++) {
            const double u = s->now.u[k * m + i];
            s->lower[i] = phase->impact ? 0 : lower ? lower[i] - u : -INFINITY; /* an impact has no input */
            s->upper[i] = phase->impact ? 0 : upper ? upper[i] - u : INFINITY;
        }
        x.lower = s->lower, x.upper = s->upper;
    }
    return x;
}

hml_status hmli_shooting_backward(hml_solver *s)
{
    hmli_backward_begin(&s->size, s->lx + s->N * 2 * s->n, s->lxx + s->N * 2 * s->n * s->size.ldx, &s->space);
    for (size_t k = s->N; k-- > 0;) {
        const backward_knot x = knot_of(s, k);
        const hml_status status = hmli_backward_step(&s->size, &x, s->regularization, &s->space);
        if (status) return status;
    }
    return HML_OK;
}

/* ---- slope ---- */

/* Σ a b in eight sums, which need not wait for each other */
static double dot(size_t n, const double *a, const double *b)
{
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* rows of F or D times (z, w) */
static void multiply(const hml_solver *s, const double *rows, double *to)
{
    const size_t n = s->n, m = s->m;
    for (size_t i = 0; i < n; i++) {
        const double *F = rows + i * s->size.ld;
        to[i] = dot(2 * n, F, s->z) + dot(m, F + 2 * n, s->w);
    }
}

/* z⁺ = (E z_q + H z_ν⁺, F (z, w)) + gap, or (D (z, w), F (z, w)) + gap */
static void advance(const hml_solver *s, size_t k)
{
    const size_t n = s->n;
    const hml_phase *phase = &s->problem.phases[s->phase_of[k]];
    const double *gap = s->gap + k * 2 * n;
    const int full = hmli_phase_has_stages(phase);
    double *next = s->z_next;
    multiply(s, s->F + k * n * s->size.ld, next + n);
    if (full) multiply(s, s->D + k * n * s->size.ld, next);
    for (size_t i = 0; !full && i < n; i++) next[i] = s->z[i] + (phase->impact ? 0 : phase->h) * next[n + i];
    for (size_t j = 0; !full && j < s->size.curved; j++) {
        const curved_joint c = s->curved[j];
        const double *E = s->E + (k * s->size.curved + j) * BLOCK_MOST,
                     *H = s->H + (k * s->size.curved + j) * BLOCK_MOST;
        for (size_t i = 0; i < c.m; i++) {
            double sum = 0;
            for (size_t e = 0; e < c.m; e++)
                sum += E[i * c.m + e] * s->z[c.first + e] + H[i * c.m + e] * next[n + c.first + e];
            next[c.first + i] = sum;
        }
    }
    for (size_t i = 0; i < 2 * n; i++) s->z[i] = next[i] + gap[i];
}

/* the second derivative of a knot's merit along (z, w), after Gauss and Newton; the lower triangle of lₓₓ is there */
static double curvature(const hml_solver *s, size_t k)
{
    const size_t n2 = 2 * s->n, m = s->m;
    const double *lxx = s->lxx + k * n2 * s->size.ldx, *lu = s->lu + k * m * s->size.ld;
    double sum = 0;
    for (size_t i = 0; i < n2; i++) {
        double row = lxx[i * s->size.ldx + i] * s->z[i];
        for (size_t j = 0; j < i; j++) row += 2 * lxx[i * s->size.ldx + j] * s->z[j];
        sum += row * s->z[i];
    }
    for (size_t i = 0; k < s->N && i < m; i++) {
        const double *row = lu + i * s->size.ld;
        double here = 0;
        for (size_t j = 0; j < n2; j++) here += 2 * row[j] * s->z[j];
        for (size_t j = 0; j < m; j++) here += row[n2 + j] * s->w[j];
        sum += here * s->w[i];
    }
    return sum;
}

double hmli_shooting_slope(hml_solver *s)
{
    const size_t n = s->n, m = s->m, last = 2 * n + m;
    const int gaps = s->now.gap_sum > 0;
    double sum = 0;
    s->curvature = 0;
    memset(s->z, 0, 2 * n * sizeof *s->z);
    for (size_t k = 0; k <= s->N; k++) {
        const double *lx = s->lx + k * 2 * n;
        sum += dot(2 * n, lx, s->z);
        if (k == s->N) s->curvature += gaps ? curvature(s, k) : 0;
        if (k == s->N) break;
        for (size_t i = 0; i < m; i++) {
            const double w = s->k[k * m + i] + dot(2 * n, s->K + (k * m + i) * 2 * n, s->z);
            s->w[i] = w;
            sum += s->lu[(k * m + i) * s->size.ld + last] * w;
        }
        if (gaps) s->curvature += curvature(s, k);
        advance(s, k);
    }
    return sum;
}

/* ---- tries ---- */

/* û = u + α k + K (x̂ ⊖ x), in its bounds */
static hml_status input(const hml_solver *s, double alpha, size_t k)
{
    const size_t n = s->n, m = s->m;
    const shooting_motion *x = &s->now, *y = &s->trial;
    const double *lower = bound_of(s->problem.lower, k), *upper = bound_of(s->problem.upper, k);
    const hml_status status = hml_configuration_difference(s->model, x->q + k * s->nq, y->q + k * s->nq, s->z);
    for (size_t i = 0; i < n; i++) s->z[n + i] = y->v[k * n + i] - x->v[k * n + i];
    for (size_t i = 0; i < m; i++) {
        double u = x->u[k * m + i] + alpha * s->k[k * m + i] + dot(2 * n, s->K + (k * m + i) * 2 * n, s->z);
        if (lower) u = fmax(u, lower[i]);
        if (upper) u = fmin(u, upper[i]);
        y->u[k * m + i] = u;
    }
    hmli_shooting_force(s, y->u + k * m, y->tau + k * n);
    return all_finite(y->u + k * m, m) ? status : HML_NOT_FINITE;
}

/* the next node: x ⊕ ((step ⊖ x) − (1 − α) gap), which for α = 1 is where the step leads; and what is left of the gap */
static hml_status land(hml_solver *s, double alpha, size_t k)
{
    const size_t n = s->n, nq = s->nq;
    const shooting_motion *x = &s->now;
    shooting_motion *y = &s->trial;
    const double *gap = s->gap + k * 2 * n, *old = x->q + (k + 1) * nq, *to = y->q_next + k * nq;
    double *q = y->q + (k + 1) * nq, *v = y->v + (k + 1) * n;
    for (size_t i = 0; i < n; i++) v[i] = y->v_next[k * n + i] - (1 - alpha) * gap[n + i];
    memcpy(q, to, nq * sizeof *q);
    if (alpha == 1 || x->gap_sum == 0) return HML_OK;
    hml_status status = hml_configuration_difference(s->model, old, to, s->z);
    for (size_t i = 0; i < n; i++) s->z[i] -= (1 - alpha) * gap[i];
    if (!status) status = hml_configuration_integrate(s->model, old, s->z, q);
    if (!status) status = hml_configuration_difference(s->model, q, to, s->z);
    for (size_t i = 0; i < n; i++) y->gap_sum += fabs(s->z[i]) + (1 - alpha) * fabs(gap[n + i]);
    return status;
}

hml_status hmli_shooting_try(hml_solver *s, double alpha)
{
    shooting_motion *y = &s->trial;
    y->gap_sum = 0;
    memcpy(y->q, s->now.q, s->nq * sizeof *y->q);
    memcpy(y->v, s->now.v, s->n * sizeof *y->v);
    for (size_t k = 0; k < s->N; k++) {
        hml_status status = input(s, alpha, k);
        if (!status) status = hmli_shooting_step(s, &s->workers[0], y, k);
        if (!status && !all_finite(y->v_next + k * s->n, s->n)) status = HML_NOT_FINITE;
        if (!status) status = land(s, alpha, k);
        if (status) return status;
    }
    return hmli_shooting_evaluate(s, y, 0);
}
