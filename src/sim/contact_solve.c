/*
 * The laws of a step on the Delassus matrix: w = K P + base, row by row, contact by contact.
 *
 *   normal    P_n = max(0, P_n − ρ w_n)                  for every ρ > 0
 *   tangents  P_t = projection of P_t − ρ w_t on the disk of radius μ P_n
 *   limit     as a normal
 *   friction  P = projection of P − ρ w on [−bound, bound]
 *
 * These fixed points are Signorini's and Coulomb's laws themselves, not their convex relaxation: what slides does not
 * lift off. First a guess is tried: what touches sticks. It is the solution whenever its impulses lie within their
 * bounds, and costs one small factorization; redundant contacts take the impulses of least norm. Where it is not,
 * Gauss-Seidel sweeps over the contacts, each one solved by itself with the others held, find out which ones slide and
 * which ones open, and Newton's method on the equations above, with the cases held, finishes. Sweeps go on where a step
 * of it does not help.
 */
#include <math.h>
#include <string.h>

#include "algo/dense.h"
#include "sim/contact.h"
#include "sim/contact_local.h"

static const double shortest = 0.05; /* part of Newton's step */

enum { GUESSES = 6, SWEEPS = 5, NEWTON_STEPS = 8, ATTEMPT = 300, BOUNCES = 50, DISPLACEMENT_SWEEPS = 50 };

static double *K_row(const hml_contact *c, int32_t i) { return c->K + (size_t)i * (size_t)c->nrows; }

/* w += K dP for `count` rows from `first` on; K is symmetric */
static void move(const hml_contact *c, int32_t first, int32_t count, const double *dP)
{
    for (int32_t k = 0; k < count; k++) {
        const double *row = K_row(c, first + k), d = dP[k];
        if (d == 0) continue;
        for (int32_t i = 0; i < c->nrows; i++) c->w[i] += d * row[i];
    }
}

/* ---- one contact ---- */

static local local_of(const hml_contact *c, int32_t i)
{
    local l;
    for (int32_t r = 0; r < 3; r++) {
        for (int32_t k = 0; k < 3; k++) l.B[r][k] = K_row(c, i + r)[i + k];
    }
    l.mu = c->now.items[c->rows[i].index].friction;
    return l;
}

/* by how much the laws are missed, m/s */
static double miss_contact(const hml_contact *c, int32_t i)
{
    const local l = local_of(c, i);
    const double *P = c->P + i, *w = c->w + i, scale = local_tangent_scale(&l);
    double normal = l.B[0][0] > 0 ? fabs(P[0] - fmax(0, P[0] - w[0] / l.B[0][0])) * l.B[0][0] : 0;
    if (!(scale > 0)) return normal;
    double t[2] = {P[1] - w[1] / scale, P[2] - w[2] / scale};
    local_project(l.mu * P[0], t);
    return fmax(normal, hypot(P[1] - t[0], P[2] - t[1]) * scale);
}

static double bounded(const contact_row *row, double P)
{
    return row->kind == ROW_LIMIT ? fmax(0, P) : fmin(fmax(P, -row->bound), row->bound);
}

static double miss(const hml_contact *c, int32_t i)
{
    const contact_row *row = &c->rows[i];
    if (row->kind == ROW_TANGENT) return 0;
    if (row->kind == ROW_CONTACT) return miss_contact(c, i);
    double k = K_row(c, i)[i];
    return fabs(c->P[i] - bounded(row, c->P[i] - c->w[i] / k)) * k;
}

static double residual(const hml_contact *c)
{
    double worst = 0;
    for (int32_t i = 0; i < c->nrows; i++) worst = fmax(worst, miss(c, i));
    return worst;
}

static void update_velocities(const hml_contact *c)
{
    memcpy(c->w, c->base, (size_t)c->nrows * sizeof(double));
    move(c, 0, c->nrows, c->P);
}

/* ---- the guess ---- */

/* rows whose velocity the guess makes zero; the others keep P: zero, or their bound */
static int32_t choose(const hml_contact *c)
{
    int32_t count = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_CONTACT) {
            int touches = c->P[i] > 0 || c->w[i]<0, rough = c->now.items[row->index].friction> 0;
            for (int32_t k = 0; k < 3; k++) {
                if (touches && (k == 0 || rough))
                    c->active[count++] = i + k;
                else
                    c->P[i + k] = 0;
            }
        } else if (row->kind == ROW_LIMIT) {
            if (c->P[i] > 0 || c->w[i] < 0)
                c->active[count++] = i;
            else
                c->P[i] = 0;
        } else if (row->kind == ROW_FRICTION && (fabs(c->P[i]) < row->bound || c->P[i] * c->w[i] > 0)) {
            c->active[count++] = i;
        }
    }
    return count;
}

static void solve_active(hml_contact *c, int32_t count)
{
    const size_t m = (size_t)count;
    for (int32_t i = 0; i < count; i++) c->P[c->active[i]] = 0;
    update_velocities(c);
    for (int32_t i = 0; i < count; i++) {
        const double *row = K_row(c, c->active[i]);
        c->y[i] = -c->w[c->active[i]];
        for (int32_t k = 0; k <= i; k++) c->A[(size_t)i * m + (size_t)k] = row[c->active[k]];
    }
    if (dense_factor(m, c->A, NULL)) {
        rank_factor *f = &c->rank;
        f->n = c->n;
        f->m = m;
        for (size_t i = 0; i < m; i++) {
            memcpy(f->columns + i * c->n, c->G + (size_t)c->active[i] * c->n, c->n * sizeof(double));
        }
        hml_rank_factor(f, 1e-9);
        hml_rank_solve_gram(f, c->y, c->y);
    } else {
        dense_solve(m, c->A, c->y);
    }
    for (int32_t i = 0; i < count; i++) c->P[c->active[i]] = c->y[i];
    update_velocities(c);
}

/* takes back what the guess cannot mean: pulling contacts open, friction beyond its bound slips */
static void take_back(const hml_contact *c)
{
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_CONTACT) {
            c->P[i] = fmax(0, c->P[i]);
            local_project(c->now.items[row->index].friction * c->P[i], c->P + i + 1);
        } else if (row->kind != ROW_TANGENT) {
            c->P[i] = bounded(row, c->P[i]);
        }
    }
}

static double guess(hml_contact *c, double enough)
{
    double left = residual(c);
    for (int n = 0; n < GUESSES && left > enough; n++) {
        solve_active(c, choose(c));
        left = residual(c);
        if (left <= enough) break;
        take_back(c);
        update_velocities(c);
    }
    return left;
}

/* ---- sweeps ---- */

/* part: of the way from the old impulse of a contact to its new one */
static double sweep(const hml_contact *c, double part)
{
    double worst = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        double dP[3], new[3];
        if (row->kind == ROW_TANGENT) continue;
        worst = fmax(worst, miss(c, i));
        if (row->kind == ROW_CONTACT) {
            const local l = local_of(c, i);
            memcpy(new, c->P + i, sizeof new);
            local_solve(&l, c->w + i, new);
            for (int k = 0; k < 3; k++) {
                dP[k] = part * (new[k] - c->P[i + k]);
                c->P[i + k] += dP[k];
            }
            move(c, i, 3, dP);
        } else {
            double k = K_row(c, i)[i], P = k > 0 ? bounded(row, c->P[i] - c->w[i] / k) : c->P[i];
            dP[0] = part * (P - c->P[i]);
            c->P[i] += dP[0];
            move(c, i, 1, dP);
        }
    }
    return worst;
}

/* ---- Newton ---- */

/* row ← factor · (row of K), with a little more on the diagonal: redundant rows have no other solution */
static void put_K(const hml_contact *c, int32_t i, double factor, double *row)
{
    const double *K = K_row(c, i);
    for (int32_t k = 0; k < c->nrows; k++) row[k] = factor * K[k];
    row[i] += factor * 1e-10 * K[i];
}

/* P_i shall become `value` */
static void put_value(const hml_contact *c, int32_t i, double value, double *row)
{
    memset(row, 0, (size_t)c->nrows * sizeof *row);
    row[i] = 1;
    c->y[i] = value - c->P[i];
}

/* the derivative of P_t − μ P_n d, d = y / |y|, y = P_t − ρ w_t, which holds where a contact slides */
static void put_sliding(const hml_contact *c, int32_t i, const local *l, const double y[2], double *rows)
{
    const int32_t n = c->nrows;
    const double scale = local_tangent_scale(l), size = hypot(y[0], y[1]), d[2] = {y[0] / size, y[1] / size};
    const double radius = l->mu * c->P[i], share = radius / size;
    for (int r = 0; r < 2; r++) {
        double *row = rows + r * n;
        memset(row, 0, (size_t)n * sizeof *row);
        for (int t = 0; t < 2; t++) {
            double side = share * ((r == t) - d[r] * d[t]);
            const double *K = K_row(c, i + 1 + t);
            for (int32_t k = 0; k < n; k++) row[k] += side * K[k] / scale;
            row[i + 1 + t] += (r == t) - side;
        }
        row[i] -= l->mu * d[r];
        c->y[i + 1 + r] = radius * d[r] - c->P[i + 1 + r];
    }
}

static void put_contact(const hml_contact *c, int32_t i)
{
    const local l = local_of(c, i);
    const double *P = c->P + i, *w = c->w + i, scale = local_tangent_scale(&l);
    double *rows = c->A + (size_t)i * (size_t)c->nrows;
    if (!(l.B[0][0] > 0) || P[0] - w[0] / l.B[0][0] <= 0) {
        for (int32_t k = 0; k < 3; k++) put_value(c, i + k, 0, rows + k * c->nrows);
        return;
    }
    put_K(c, i, 1 / l.B[0][0], rows);
    c->y[i] = -w[0] / l.B[0][0];
    double y[2] = {P[1], P[2]};
    if (scale > 0) y[0] -= w[1] / scale, y[1] -= w[2] / scale;
    if (!(scale > 0) || !(l.mu > 0)) {
        for (int32_t k = 1; k < 3; k++) put_value(c, i + k, 0, rows + k * c->nrows);
    } else if (hypot(y[0], y[1]) <= l.mu * P[0]) {
        for (int32_t k = 1; k < 3; k++) {
            put_K(c, i + k, 1 / scale, rows + k * c->nrows);
            rows[k * c->nrows + i + k] += 1e-10; /* a tangent along which nothing moves */
            c->y[i + k] = -w[k] / scale;
        }
    } else {
        put_sliding(c, i, &l, y, rows + c->nrows);
    }
}

static void put_row(const hml_contact *c, int32_t i)
{
    const contact_row *row = &c->rows[i];
    double k = K_row(c, i)[i], y = c->P[i] - c->w[i] / k, bound = bounded(row, y);
    double *to = c->A + (size_t)i * (size_t)c->nrows;
    if (bound != y) {
        put_value(c, i, bound, to);
        return;
    }
    put_K(c, i, 1 / k, to);
    c->y[i] = -c->w[i] / k;
}

/* A x = y in place, with row exchanges; 0 if A is singular */
static int solve_square(size_t n, double *A, double *y)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
        if (!(fabs(A[pivot * n + k]) > 1e-14)) return 0;
        for (size_t j = k; j < n && pivot != k; j++) {
            double t = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = t;
        }
        double t = y[k];
        y[k] = y[pivot];
        y[pivot] = t;
        for (size_t i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            if (f == 0) continue;
            for (size_t j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            y[i] -= f * y[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) y[k] -= A[k * n + j] * y[j];
        y[k] /= A[k * n + k];
    }
    return 1;
}

/* one step from a residual, or a part of it; returns the new one, or the old one with everything as it was */
static double newton(hml_contact *c, double left)
{
    const size_t n = (size_t)c->nrows;
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind == ROW_CONTACT) put_contact(c, i);
        if (c->rows[i].kind == ROW_LIMIT || c->rows[i].kind == ROW_FRICTION) put_row(c, i);
    }
    memcpy(c->old, c->P, n * sizeof(double));
    if (!solve_square(n, c->A, c->y)) return left;
    for (double part = 1; part > shortest; part *= 0.5) {
        for (size_t i = 0; i < n; i++) c->P[i] = c->old[i] + part * c->y[i];
        take_back(c);
        update_velocities(c);
        double now = residual(c);
        if (now < left) return now;
    }
    memcpy(c->P, c->old, n * sizeof(double));
    update_velocities(c);
    return left;
}

/* sweeps and Newton's steps in turn, `most` at most; returns the residual */
static double iterate(hml_contact *c, double part, double enough, int32_t most, int32_t *iterations)
{
    double left = residual(c);
    while (left > enough && *iterations < most) {
        for (int k = 0; k < SWEEPS && left > enough && *iterations < most; k++, ++*iterations) left = sweep(c, part);
        update_velocities(c); /* without what rounding has added up */
        left = residual(c);
        for (int k = 0; k < NEWTON_STEPS && left > enough && *iterations < most; k++, ++*iterations) {
            double next = newton(c, left);
            if (!(next < left)) break;
            left = next;
        }
    }
    return left;
}

double hml_contact_solve(hml_contact *c, int32_t *iterations)
{
    double fastest = 1, part = 1;
    for (int32_t i = 0; i < c->nrows; i++) fastest = fmax(fastest, fabs(c->base[i]));
    const double enough = c->tolerance * fastest;
    take_back(c); /* friction may have changed since the last step */
    update_velocities(c);
    double left = guess(c, enough);
    *iterations = 0;
    for (int attempt = 0; left > enough && *iterations < c->iterations; attempt++) {
        if (attempt) { /* afresh; later more carefully: two contacts may hand an impulse back and forth for ever */
            memset(c->P, 0, (size_t)c->nrows * sizeof(double));
            update_velocities(c);
        }
        if (attempt > 1) part *= 0.25;
        int32_t most = *iterations + ATTEMPT < c->iterations ? *iterations + ATTEMPT : c->iterations;
        left = iterate(c, part, enough, most, iterations);
    }
    return left / fastest;
}

/* ---- bounces ---- */

int32_t hml_contact_bounces(hml_contact *c)
{
    const int32_t most = BOUNCES * (c->now.count + 1);
    int32_t count = 0;
    memset(c->bounced, 0, (size_t)c->nrows * sizeof(double));
    memcpy(c->w, c->before, (size_t)c->nrows * sizeof(double));
    for (; count < most; count++) {
        int32_t fastest = -1;
        double speed = -c->bounce;
        for (int32_t i = 0; i < c->nrows; i++) {
            if (c->rows[i].kind != ROW_CONTACT || !(c->now.items[c->rows[i].index].restitution > 0)) continue;
            if (c->w[i] < speed) speed = c->w[i], fastest = i;
        }
        if (fastest < 0) break;
        const local l = local_of(c, fastest);
        const double e = c->now.items[c->rows[fastest].index].restitution;
        double P[3] = {0}, w[3] = {(1 + e) * c->w[fastest], c->w[fastest + 1], c->w[fastest + 2]};
        local_solve(&l, w, P);
        for (int k = 0; k < 3; k++) c->bounced[fastest + k] += P[k];
        move(c, fastest, 3, P);
    }
    if (!count) return 0;
    hml_contact_push(c, c->bounced, c->x);
    for (size_t k = 0; k < c->n; k++) c->v[k] += c->x[k];
    return count;
}

/* ---- displacement ---- */

static int one_sided(const contact_row *row) { return row->kind == ROW_CONTACT || row->kind == ROW_LIMIT; }

int hml_contact_displacement(hml_contact *c)
{
    int deep = 0;
    for (int32_t i = 0; i < c->nrows; i++) {
        double depth = one_sided(&c->rows[i]) ? -c->rows[i].gap - c->slop : 0;
        c->w[i] = depth > 0 ? -c->correction * depth : 0;
        c->y[i] = 0;
        deep |= depth > 0;
    }
    if (!deep) return 0;
    for (int n = 0; n < DISPLACEMENT_SWEEPS; n++) {
        for (int32_t i = 0; i < c->nrows; i++) {
            double k = K_row(c, i)[i];
            if (!one_sided(&c->rows[i]) || !(k > 0)) continue;
            double P = fmax(0, c->y[i] - c->w[i] / k), dP = P - c->y[i];
            c->y[i] = P;
            move(c, i, 1, &dP);
        }
    }
    hml_contact_push(c, c->y, c->x);
    return 1;
}
