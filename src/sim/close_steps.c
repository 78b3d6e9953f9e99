/*
 * Steps of hml_configuration_close. z of least |e + J z|² + μ|z|² is Jᵀy with (J Jᵀ + μ) y = −e, solved through the
 * orthogonal factors of [Jᵀ; √μ 1]: the condition is not squared, and rows that depend on each other cost nothing. With
 * μ in proportion to |e|² convergence is quadratic, at dependent rows too (Fan and Yuan 2005, "On the quadratic
 * convergence of the Levenberg-Marquardt method without nonsingularity assumption").
 */
#include <math.h>
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "base/dense.h"
#include "group/arrays.h"
#include "hamel/configuration.h"
#include "model/limits.h"
#include "sim/close.h"

static const double dependent = 1e-12; /* of rows, in a step */
enum { patience = 16 };                /* steps that together have to bring something */

void hmli_close_evaluate(closer *s, const double *q, int derivatives)
{
    size_t row = 0;
    s->size = s->worst = 0;
    s->worst_at = -1;
    for (int32_t i = 0; i < s->count; i++) {
        const hml_loop *c = &s->loops[i];
        const size_t rows = (size_t)hmli_loop_kind_rows(c->kind);
        loop_motion m;
        if (hmli_loop_motion(s->model, c, q, NULL, NULL, derivatives ? s->block : NULL, &m))
            m.u = vec3_of(1, 0, 0); /* two origins in one place may part in any direction */
        hmli_loop_error(c, &m, s->e + row);
        for (size_t k = 0; derivatives && k < s->n; k++) {
            const twist column = matrix_column(s->block, s->model->nv, (int32_t)k);
            hmli_loop_put_error(c, &m, column, s->n, s->J + row * s->n + k);
        }
        for (size_t k = row; k < row + rows; k++) {
            s->size += s->e[k] * s->e[k];
            if (!(fabs(s->e[k]) <= s->worst)) s->worst = fabs(s->e[k]), s->worst_at = i;
        }
        row += rows;
    }
    s->size = sqrt(s->size);
}

/* out = Jᵀ x where coordinates are not held */
static void apply_transposed(const closer *s, const double *x, double *out)
{
    memset(out, 0, s->n * sizeof *out);
    for (size_t i = 0; i < s->m; i++)
        for (size_t k = 0; k < s->n; k++) out[k] += s->held[k] > 0 ? 0 : x[i] * s->J[i * s->n + k];
}

/* F of the coordinates that are not held */
static void factor(closer *s, double mu)
{
    const size_t n = s->n, m = s->m, rows = n + m;
    for (size_t i = 0; i < m; i++) {
        double *column = s->F.columns + i * rows;
        for (size_t k = 0; k < n; k++) column[k] = s->held[k] > 0 ? 0 : s->J[i * n + k];
        memset(column + n, 0, m * sizeof *column);
        column[n + i] = sqrt(mu);
    }
    hmli_rank_factor(&s->F, dependent);
}

static void step_from(closer *s, const double *q, const double *z, double *to)
{
    hml_configuration_integrate(s->model, q, z, to);
    limits_clamp(s->model, s->lower, s->upper, to);
}

/* |e + J z|², of what the step is expected to leave */
static double expected(const closer *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->m; i++) {
        const double left = s->e[i] + dense_dot(s->n, s->J + i * s->n, s->z);
        sum += left * left;
    }
    return sum;
}

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* z of the step, in s->z, and what it may gain; 0: it can gain nothing */
static int plan_step(closer *s, double lambda, double *gain)
{
    memset(s->held, 0, s->n * sizeof(double));
    apply_transposed(s, s->e, s->g);
    for (size_t k = 0; k < s->n; k++) s->g[k] = -s->g[k];
    limits_hold(s->model, s->x->locked, s->lower, s->upper, s->now, s->g, s->held);
    factor(s, lambda * s->size * s->size);
    for (size_t i = 0; i < s->m; i++) s->y[i] = -s->e[i];
    hmli_rank_solve_gram(&s->F, s->y, s->y);
    apply_transposed(s, s->y, s->z);
    const double before = s->size * s->size;
    *gain = before - expected(s);
    return *gain > 1e-14 * before && largest(s->n, s->z) > 1e-15;
}

close_end hmli_close_descend(closer *s)
{
    const size_t bytes = (size_t)s->model->nq * sizeof(double);
    double lambda = 1e-2, growth = 2, gain, mark = HUGE_VAL;
    hmli_close_evaluate(s, s->now, 1);
    for (int steps = 0; s->worst > s->tolerance; steps++) {
        if (s->budget <= 0) return CLOSE_SPENT;
        if (steps % patience == 0) { /* where loops cannot close, steps become ever shorter */
            if (!(s->size < (1 - 1e-6) * mark)) return CLOSE_STUCK;
            mark = s->size;
        }
        if (!plan_step(s, lambda, &gain)) return CLOSE_STUCK;
        const double before = s->size;
        s->budget--;
        step_from(s, s->now, s->z, s->trial);
        hmli_close_evaluate(s, s->trial, 0);
        const double ratio = (before * before - s->size * s->size) / gain;
        if (ratio > 1e-4) {
            memcpy(s->now, s->trial, bytes);
            lambda = fmax(1e-12, lambda * fmax(1.0 / 9, 1 - pow(2 * ratio - 1, 3)));
            growth = 2;
        } else {
            lambda *= growth;
            growth *= 2;
        }
        hmli_close_evaluate(s, s->now, 1);
        if (lambda > 1e16) return CLOSE_STUCK; /* not even the smallest step down the gradient helps */
    }
    return CLOSE_CLOSED;
}

double hmli_close_change(closer *s, const double *q)
{
    hml_configuration_difference(s->model, s->start, q, s->way);
    return sqrt(dense_dot(s->n, s->way, s->way));
}

/* what of the gradient of ½|q ⊖ guess|² the constraints leave, in s->g; returns its length */
static double slope(closer *s)
{
    const size_t n = s->n;
    hmli_close_change(s, s->now);
    hml_configuration_difference_jacobians(s->model, s->start, s->now, NULL, s->D);
    for (size_t k = 0; k < n; k++) {
        s->g[k] = 0;
        for (size_t i = 0; i < n; i++) s->g[k] -= s->D[i * n + k] * s->way[i];
    }
    limits_hold(s->model, s->x->locked, s->lower, s->upper, s->now, s->g, s->held);
    for (size_t k = 0; k < n; k++) s->g[k] = s->held[k] > 0 ? 0 : -s->g[k];
    hmli_close_evaluate(s, s->now, 1);
    factor(s, 0);
    memcpy(s->side, s->g, n * sizeof(double));
    memset(s->side + n, 0, s->m * sizeof(double));
    hmli_rank_solve(&s->F, s->side, s->y);
    apply_transposed(s, s->y, s->z);
    for (size_t k = 0; k < n; k++) s->g[k] -= s->z[k];
    return sqrt(dense_dot(n, s->g, s->g));
}

/* a part of the step down the slope in s->keep, from s->back, and back to the constraints; 1: it is nearer */
static int go_down(closer *s, double part, double before, double left)
{
    for (size_t k = 0; k < s->n; k++) s->z[k] = -part * s->keep[k];
    step_from(s, s->back, s->z, s->now);
    if (hmli_close_descend(s) != CLOSE_CLOSED) return 0;
    const double after = hmli_close_change(s, s->now);
    return before * before - after * after > 1e-4 * part * left * left;
}

int hmli_close_approach(closer *s)
{
    const size_t bytes = (size_t)s->model->nq * sizeof(double);
    for (int round = 0; round < 40; round++) {
        const double before = hmli_close_change(s, s->now), left = slope(s);
        double part = 1;
        if (!(left > 1e-8 * (1 + before))) return 1;
        memcpy(s->back, s->now, bytes);
        memcpy(s->keep, s->g, s->n * sizeof(double));
        while (part > 1e-4 && !go_down(s, part, before, left)) part /= 2;
        if (part > 1e-4) continue;
        memcpy(s->now, s->back, bytes);
        return left <= 1e-5 * (1 + before); /* round-off hides the rest */
    }
    return 0;
}
