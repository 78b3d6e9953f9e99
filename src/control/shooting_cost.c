/*
 * Residuals made into costs. With w the weight of a row, ρ the penalty times it and y its multiplier:
 *
 *   cost         ½ w r²
 *   barrier      ½ w d²,  d = r − clip(r)
 *   constraint   ½ ρ d² − y²/2ρ,  d = s − clip(s), s = r + y/ρ;  y⁺ = ρ d        augmented Lagrangian
 *
 * c of a constraint is ρ where d ≠ 0, and 0 elsewhere, so that the quadratic model does not see a bound before it is reached. A
 * row that a full step pushes beyond its bound, from r to r + Δ, gets c = ρ (d / Δ)² for the next try: then the model costs
 * there what the merit did. The gradient stays as it is, and so every step goes downhill.
 *
 * clip: into [lower, upper]. Derivatives g, second ones c by r; then lₓ = Jᵀg and, after Gauss and Newton, lₓₓ = Jᵀ c J.
 */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "control/shooting.h"
#include "group/joint.h"

typedef struct rule {
    double value, violation, g, c;
} rule;

static double weight_of(const hml_term *t, size_t knot, size_t row)
{
    return t->weight * (t->weights ? t->weights[row] : 1) * (t->knot_weights ? t->knot_weights[knot - t->first] : 1);
}

static double beyond(double r, double lower, double upper) { return r < lower ? r - lower : r > upper ? r - upper : 0; }

static rule rule_of(const hml_solver *s, const hml_term *t, const shooting_term *x, size_t knot, size_t i, double r)
{
    const double w = weight_of(t, knot, i);
    if (t->role == HML_ROLE_COST) return (rule){0.5 * w * r * r, 0, w * r, w};
    const double lower = x->lower[i], upper = x->upper[i], d = beyond(r, lower, upper);
    if (t->role == HML_ROLE_BARRIER) return (rule){0.5 * w * d * d, 0, w * d, d != 0 ? w : 0};
    const double rho = s->penalty * w;
    if (!(rho > 0)) return (rule){0};
    const double y = x->multipliers[(knot - t->first) * x->rows + i], e = beyond(r + y / rho, lower, upper);
    const double c = e != 0 || lower == upper ? rho : x->guard[(knot - t->first) * x->rows + i];
    return (rule){0.5 * (rho * e * e - y * y / rho), fabs(d), rho * e, c};
}

/* ---- derivatives ---- */

/* lₓ, lₓₓ and lu of one knot */
typedef struct quadratic {
    double *lx, *lxx, *lu;
} quadratic;

static quadratic quadratic_of(const hml_solver *s, size_t knot)
{
    return (quadratic){s->lx + knot * 2 * s->n, s->lxx + knot * 2 * s->n * s->size.ldx,
                       knot < s->N ? s->lu + knot * s->m * s->size.ld : NULL};
}

static void add_diagonal(const hml_solver *s, const quadratic *l, const hml_term *t, size_t rows, const double *g,
                         const double *c)
{
    const size_t n = s->n, last = 2 * n + s->m;
    for (size_t i = 0; i < rows; i++) {
        const size_t column = hmli_term_column(s, t, i);
        if (column < 2 * n) {
            l->lx[column] += g[i];
            l->lxx[column * s->size.ldx + column] += c[i];
        } else if (l->lu) {
            double *row = l->lu + (column - 2 * n) * s->size.ld;
            row[column] += c[i];
            row[last] += g[i];
        }
    }
}

/* of q ⊖ reference: S⁻¹ of the curved joints, 1 of the others */
static void add_blocks(const hml_solver *s, const quadratic *l, const double *r, const double *g, const double *c)
{
    const size_t ldx = s->size.ldx;
    size_t j = 0;
    for (size_t i = 0; i < s->n;) {
        if (j == s->size.curved || i < s->curved[j].first) {
            l->lx[i] += g[i];
            l->lxx[i * ldx + i] += c[i];
            i++;
            continue;
        }
        const size_t m = s->curved[j].m;
        double D[BLOCK_MOST] = {0};
        joint_jacobian_inverse(s->curved_types[j], r + i, D);
        for (size_t a = 0; a < m; a++) {
            for (size_t e = 0; e < m; e++) {
                l->lx[i + a] += D[e * m + a] * g[i + e];
                for (size_t b = 0; b <= a; b++) l->lxx[(i + a) * ldx + i + b] += D[e * m + a] * c[i + e] * D[e * m + b];
            }
        }
        i += m;
        j++;
    }
}

/* of rows in J; rows that do nothing are left out */
static void add_rows(const hml_solver *s, const quadratic *l, shooting_worker *w, size_t rows, int all)
{
    const size_t n = s->n, m = s->m, ld = s->size.ld, end = all ? 2 * n : n, width = all ? ld : n;
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        const double *J = w->J + i * ld, root = sqrt(w->c[i]);
        if (w->g[i] != 0) {
            for (size_t k = 0; k < end; k++) l->lx[k] += w->g[i] * J[k];
            for (size_t k = 0; all && l->lu && k < m; k++) l->lu[k * ld + 2 * n + m] += w->g[i] * J[2 * n + k];
        }
        if (root == 0) continue;
        double *to = w->J + count++ * ld;
        for (size_t k = 0; k < width; k++) to[k] = root * J[k];
        /* columns that the term does not fill may hold anything; products read up to the next multiple of the lanes */
        for (size_t k = width; k < product_pad(width); k++) to[k] = 0;
    }
    if (!count) return;
    const product_table *p = s->size.products;
    p->add(&(product_call){end, end, count, w->J, ld, w->J, ld, l->lxx, s->size.ldx, 1, 1});
    if (all && l->lu) p->add(&(product_call){m, 2 * n + m, count, w->J + 2 * n, ld, w->J, ld, l->lu, ld, 1, 0});
}

static hml_status add_term(hml_solver *s, shooting_worker *w, shooting_motion *x, const term_place *at)
{
    const hml_term *t = &s->problem.terms[at->term];
    const shooting_term *more = &s->terms[at->term];
    /* forces inside their bounds have no derivatives, and their Jacobians are long */
    const int late =
        at->derivatives && t->role != HML_ROLE_COST && (t->kind == HML_TERM_CONE || t->kind == HML_TERM_FORCE);
    term_place first = *at;
    term_shape shape;
    if (late) first.derivatives = 0;
    hml_status status = hmli_term_residual(s, w, &first, &shape);
    if (status || shape == TERM_NONE) return status;
    double sum = 0;
    int acts = 0;
    for (size_t i = 0; i < more->rows; i++) {
        const rule y = rule_of(s, t, more, at->knot, i, w->r[i]);
        sum += y.value;
        w->g[i] = y.g, w->c[i] = y.c;
        acts |= y.g != 0 || y.c != 0;
        if (y.violation > x->violation[at->knot])
            x->violation[at->knot] = y.violation, x->worst[at->knot] = (int32_t)at->term;
    }
    if (!isfinite(sum)) return HML_NOT_FINITE;
    x->merit[at->knot] += sum;
    if (t->role != HML_ROLE_CONSTRAINT) x->cost[at->knot] += sum;
    if (!at->derivatives || !acts) return HML_OK;
    if (late) status = hmli_term_residual(s, w, at, &shape);
    if (status) return status;
    const quadratic l = quadratic_of(s, at->knot);
    if (shape == TERM_DIAGONAL)
        add_diagonal(s, &l, t, more->rows, w->g, w->c);
    else if (shape == TERM_BLOCKS)
        add_blocks(s, &l, w->r, w->g, w->c);
    else
        add_rows(s, &l, w, more->rows, shape == TERM_BY_ALL);
    return HML_OK;
}

static term_place place_of(const hml_solver *s, const shooting_motion *x, size_t knot)
{
    term_place at = {.knot = knot, .q = x->q + knot * s->nq, .v = x->v + knot * s->n};
    if (knot < s->N) at.u = x->u + knot * s->m, at.lambda = x->lambda + knot * s->forces;
    return at;
}

hml_status hmli_shooting_cost(hml_solver *s, shooting_worker *w, shooting_motion *x, size_t knot, size_t in_chunk,
                              int derivatives)
{
    const quadratic l = quadratic_of(s, knot);
    const size_t n = s->n;
    term_place at = place_of(s, x, knot);
    at.in_chunk = in_chunk, at.derivatives = derivatives;
    x->cost[knot] = x->merit[knot] = x->violation[knot] = 0;
    x->worst[knot] = -1;
    if (derivatives) {
        memset(l.lx, 0, 2 * n * sizeof(double));
        memset(l.lxx, 0, 2 * n * s->size.ldx * sizeof(double));
        if (l.lu) memset(l.lu, 0, s->m * s->size.ld * sizeof(double));
    }
    for (size_t i = s->first_of[knot]; i < s->first_of[knot + 1]; i++) {
        at.term = s->term_of[i];
        const hml_status status = add_term(s, w, x, &at);
        if (status) return status;
    }
    if (!derivatives) return HML_OK;
    const product_table *p = s->size.products;
    if (!p->finite(l.lx, 2 * n) || !p->finite(l.lxx, 2 * n * s->size.ldx)) return HML_NOT_FINITE;
    return !l.lu || p->finite(l.lu, s->m * s->size.ld) ? HML_OK : HML_NOT_FINITE;
}

hml_status hmli_shooting_multipliers(hml_solver *s)
{
    for (size_t i = 0; i < s->problem.nterms; i++) {
        const hml_term *t = &s->problem.terms[i];
        const shooting_term *x = &s->terms[i];
        for (size_t k = t->first; t->role == HML_ROLE_CONSTRAINT && k <= t->last; k++) {
            term_place at = place_of(s, &s->now, k);
            term_shape shape;
            at.term = i;
            const hml_status status = hmli_term_residual(s, &s->workers[0], &at, &shape);
            if (status) return status;
            for (size_t r = 0; shape != TERM_NONE && r < x->rows; r++)
                x->multipliers[(k - t->first) * x->rows + r] = rule_of(s, t, x, k, r, s->workers[0].r[r]).g;
        }
    }
    return HML_OK;
}

/* the residual of a constraint at a knot of a motion; 0 if it has none there */
static int residual_of(hml_solver *s, const shooting_motion *x, size_t term, size_t knot)
{
    term_place at = place_of(s, x, knot);
    term_shape shape;
    at.term = term;
    return !hmli_term_residual(s, &s->workers[0], &at, &shape) && shape != TERM_NONE;
}

size_t hmli_shooting_guard(hml_solver *s)
{
    size_t count = 0;
    double *r = s->workers[0].r, *before = s->workers[0].g;
    for (size_t i = 0; i < s->problem.nterms; i++) {
        const hml_term *t = &s->problem.terms[i];
        const shooting_term *x = &s->terms[i];
        for (size_t k = t->first; t->role == HML_ROLE_CONSTRAINT && k <= t->last; k++) {
            if (!residual_of(s, &s->now, i, k)) continue;
            memcpy(before, r, x->rows * sizeof *r);
            if (!residual_of(s, &s->trial, i, k)) continue;
            for (size_t j = 0; j < x->rows; j++) {
                double *guard = &x->guard[(k - t->first) * x->rows + j];
                const double rho = s->penalty * weight_of(t, k, j);
                const double y = x->multipliers[(k - t->first) * x->rows + j];
                if (!(rho > 0) || x->lower[j] == x->upper[j]) continue;
                if (beyond(before[j] + y / rho, x->lower[j], x->upper[j]) != 0) continue;
                const double d = beyond(r[j] + y / rho, x->lower[j], x->upper[j]), move = r[j] - before[j];
                const double c = d != 0 && move != 0 ? fmin(1, (d / move) * (d / move)) * rho : 0;
                if (c > 1.5 * *guard) count++;
                if (c > *guard) *guard = c;
            }
        }
    }
    return count;
}

void hmli_shooting_unguard(hml_solver *s)
{
    for (size_t i = 0; i < s->problem.nterms; i++) {
        const hml_term *t = &s->problem.terms[i];
        const size_t size = s->terms[i].rows * (t->last - t->first + 1);
        if (t->role == HML_ROLE_CONSTRAINT) memset(s->terms[i].guard, 0, size * sizeof(double));
    }
}
