/*
 * Rows that push and never pull: Kindr's unilateral λ, on the level of accelerations (and, with other b, of impulses).
 *
 *   c = J ν̇ + drift = Gᵀx − b,   x = L(ν̇ − ν̇₀) = G λ,   G = L⁻ᵀJᵀ,   b = −drift − J ν̇₀
 *   0 ≤ λ ⊥ c ≥ 0 for one-sided rows, c = 0 for the others
 *
 * These are the optimality conditions of min ½|x|² with Gᵀx ≥ b, which is Gauss's principle of least constraint:
 * ½|x|² = ½ (ν̇ − ν̇₀)ᵀ M (ν̇ − ν̇₀). x is unique. Two quadratic programs, both of them shortest.h:
 *
 *   push    x, and which rows are closed (c = 0)
 *   least   the shortest λ of the closed rows with G λ = x and λ ≥ 0; only where the one without λ ≥ 0 has a pull in it
 *
 * Open rows are then zero in J and K. What solves with K, the linearization too, finds them dependent and gives them
 * the least λ, which is zero: all that follows sees the closed ones alone.
 */
#include <math.h>
#include <string.h>

#include "group/arrays.h"
#include "hamel/reference/textbook.h"
#include "sim/constraint.h"

static const double closed = 1e-9;  /* of the scale: what of c is round-off */
static const double no_push = 1e-9; /* of the largest λ: what of it is */

/* 1 where a row is one-sided */
static void mark(const constraint_system *s, double *one_sided)
{
    size_t row = 0;
    for (int32_t i = 0; i < s->set->count; i++) {
        const hml_constraint *c = &s->set->items[i];
        for (int32_t k = 0; k < hmli_constraint_kind_rows(c->kind); k++) one_sided[row++] = c->kind == HML_TOUCH_PLANE;
    }
    while (row < s->m) one_sided[row++] = 0; /* loops */
}

static double row_dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

hml_status hmli_constraint_least(constraint_system *s, size_t rows, const double *c, double scale)
{
    const size_t m = s->m;
    double pull = 0, most = 0;
    mark(s, s->push.one_sided);
    for (size_t i = 0; i < m; i++) {
        most = fmax(most, fabs(s->lambda[i]));
        if (s->push.one_sided[i] > 0) pull = fmax(pull, -s->lambda[i]);
    }
    if (pull > no_push * most) {
        shortest *p = &s->least;
        size_t used = rows;
        for (size_t i = 0; i < rows; i++) p->b[i] = c[i], p->one_sided[i] = 0;
        for (size_t i = 0; i < m; i++) {
            if (!(s->push.one_sided[i] > 0)) continue;
            double *unit = p->G + used * m;
            memset(unit, 0, m * sizeof *unit);
            unit[i] = 1;
            p->b[used] = 0, p->one_sided[used] = 1;
            used++;
        }
        p->m = used;
        p->scale = scale;
        TRY(hmli_shortest(p));
        memcpy(s->lambda, p->x, m * sizeof(double));
    }
    for (size_t i = 0; i < m; i++)
        if (s->push.one_sided[i] > 0) s->lambda[i] = fmax(0, s->lambda[i]);
    return HML_OK;
}

/* G of the rows of J as they are, by rows */
static hml_status fill_push(constraint_system *s, double scale)
{
    shortest *p = &s->push;
    memcpy(p->G, s->J, s->m * s->n * sizeof(double));
    memcpy(p->b, s->b, s->m * sizeof(double));
    for (size_t i = 0; i < s->m; i++) {
        TRY(hml_factor_solve(s->model->nv, s->parents, s->L, HML_DIAGONAL_STORED, 1, p->G + i * s->n));
    }
    mark(s, p->one_sided);
    p->scale = scale;
    return HML_OK;
}

/* what the solution is worth, from J and λ alone: c = J M⁻¹ Jᵀ λ − b */
static void certify(const constraint_system *s, double scale, hml_constraint_report *report)
{
    const shortest *p = &s->push;
    double most = 0;
    for (size_t i = 0; i < s->m; i++) most = fmax(most, s->lambda[i]);
    memset(s->x, 0, s->n * sizeof(double));
    for (size_t i = 0; i < s->m; i++) {
        for (size_t k = 0; k < s->n; k++) s->x[k] += s->lambda[i] * p->G[i * s->n + k];
    }
    for (size_t i = 0; i < s->m; i++) {
        const double c = row_dot(s->n, p->G + i * s->n, s->x) - p->b[i];
        if (!(p->one_sided[i] > 0)) {
            report->residual = fmax(report->residual, fabs(c));
            continue;
        }
        const int carries = s->lambda[i] > no_push * most;
        report->carrying += carries;
        report->grazing += !carries && !(c > closed * scale);
        report->violation = fmax(report->violation, -c);
        report->complementarity = fmax(report->complementarity, s->lambda[i] * fabs(c));
    }
}

hml_status hmli_constraint_solve_touch(constraint_system *s, double scale, hml_constraint_report *report)
{
    const size_t n = s->n, m = s->m;
    shortest *p = &s->push;
    if (!isfinite(scale)) return HML_NOT_FINITE; /* b is beyond all numbers, and no row can be compared with another */
    TRY(fill_push(s, scale));
    TRY(hmli_shortest(p));
    for (size_t i = 0; i < m; i++) {
        s->open[i] =
            p->one_sided[i] > 0 && !(p->lambda[i] > 0) && row_dot(n, p->G + i * n, p->x) - p->b[i] > closed * scale;
        if (s->open[i] > 0) memset(s->J + i * n, 0, n * sizeof(double));
    }
    TRY(hmli_constraint_factor_rows(s));
    memcpy(s->x, p->x, n * sizeof(double));
    hmli_rank_solve(&s->K, s->x, s->lambda);
    for (size_t k = 0; k < n; k++) { /* G of the closed rows, by columns of G */
        for (size_t i = 0; i < m; i++) s->least.G[k * m + i] = s->open[i] > 0 ? 0 : p->G[i * n + k];
    }
    double size = sqrt(row_dot(n, p->x, p->x));
    TRY(hmli_constraint_least(s, n, p->x, size));
    hml_constraint_report own = {
        .struct_size = sizeof own, .rows = (int32_t)m, .rank = (int32_t)s->K.rank, .restitution = 1};
    certify(s, scale, &own);
    *report = own;
    return own.violation <= 1e-7 * scale && own.residual <= 1e-7 * scale ? HML_OK : HML_NOT_CONVERGED;
}
