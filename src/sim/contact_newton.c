/*
 * Newton's method on the laws of contact_solve.c, with the cases as they are: an open contact has P = 0, a sticking one
 * w = 0, a sliding one P_t = μ P_n d with the direction d of P_t − ρ w_t. The matrix is not symmetric, and redundant
 * contacts would make it singular: rows of K have `extra` of their diagonal added to it, which the next step makes
 * good.
 *
 * A step that is shortened until the residual falls is safe, and gets stuck where contacts change between sticking and
 * sliding. Whole steps do not, and end at the solution more often than not; ρ = 3 was best on problems that had been
 * hard.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "sim/contact_laws.h"

static const double shortest = 0.05; /* part of Newton's step */

/* row ← factor · (row of K), with a little more on the diagonal */
static void put_K(const hml_contact *c, int32_t i, double factor, double extra, double *row)
{
    const double *K = K_row(c, i);
    for (int32_t k = 0; k < c->nrows; k++) row[k] = factor * K[k];
    row[i] += factor * extra * K[i];
}

/* P_i shall become `value`: no equation is needed */
static void put_value(const hml_contact *c, int32_t i, double value)
{
    c->active[i] = 0;
    c->y[i] = value - c->P[i];
}

/* the derivative of P_t − μ P_n d, d = y / |y|, y = P_t − ρ w_t, which holds where a contact slides */
static void put_sliding(const hml_contact *c, int32_t i, const local *l, double scale, const double y[2], double *rows)
{
    const int32_t n = c->nrows;
    const double size = local_length(y[0], y[1]), d[2] = {y[0] / size, y[1] / size};
    const double radius = l->mu * positive(c->P[i]), share = radius / size;
    for (int r = 0; r < 2; r++) {
        double *row = rows + r * n;
        memset(row, 0, (size_t)n * sizeof *row);
        for (int t = 0; t < 2; t++) {
            double side = share * ((r == t) - d[r] * d[t]);
            const double *K = K_row(c, i + 1 + t);
            for (int32_t k = 0; k < n; k++) row[k] += side * K[k] / scale;
            row[i + 1 + t] += (r == t) - side;
        }
        if (c->P[i] > 0) row[i] -= l->mu * d[r];
        c->y[i + 1 + r] = radius * d[r] - c->P[i + 1 + r];
    }
}

static void put_contact(const hml_contact *c, int32_t i, double rho, double extra)
{
    const local l = local_of(c, i);
    const double *P = c->P + i, *w = c->w + i, normal = l.B[0][0] / rho, scale = local_tangent_scale(&l) / rho;
    double *rows = c->A + (size_t)i * (size_t)c->nrows;
    if (P[0] - w[0] / normal <= 0) {
        for (int32_t k = 0; k < 3; k++) put_value(c, i + k, 0);
        return;
    }
    put_K(c, i, 1 / normal, extra, rows);
    c->y[i] = -w[0] / normal;
    const double y[2] = {P[1] - w[1] / scale, P[2] - w[2] / scale};
    if (!(l.mu > 0)) {
        for (int32_t k = 1; k < 3; k++) put_value(c, i + k, 0);
    } else if (local_length(y[0], y[1]) <= l.mu * positive(P[0])) {
        for (int32_t k = 1; k < 3; k++) {
            put_K(c, i + k, 1 / scale, extra, rows + k * c->nrows);
            rows[k * c->nrows + i + k] += extra; /* a tangent along which nothing moves */
            c->y[i + k] = -w[k] / scale;
        }
    } else {
        put_sliding(c, i, &l, scale, y, rows + c->nrows);
    }
}

static void put_row(const hml_contact *c, int32_t i, double rho, double extra)
{
    const contact_row *row = &c->rows[i];
    double k = K_row(c, i)[i] / rho, y = c->P[i] - c->w[i] / k, bound = bounded(row, y);
    double *to = c->A + (size_t)i * (size_t)c->nrows;
    if (bound != y) {
        put_value(c, i, bound);
        return;
    }
    put_K(c, i, 1 / k, extra, to);
    c->y[i] = -c->w[i] / k;
}

/*
 * The equations of rows whose change is not known yet, with the known ones on the other side; A is packed. Returns how
 * many, and their numbers in c->active. What moves in memory moves towards its beginning.
 */
static int32_t reduce(hml_contact *c, double *right)
{
    const int32_t n = c->nrows;
    int32_t *rows = c->active, m = 0, count = 0;
    for (int32_t i = 0; i < n; i++) m += rows[i];
    for (int32_t i = 0; i < n; i++) {
        const double *from = c->A + (size_t)i * (size_t)n;
        if (!rows[i]) continue;
        double *to = c->A + (size_t)count * (size_t)m, sum = c->y[i];
        for (int32_t k = 0, at = 0; k < n; k++) {
            if (rows[k])
                to[at++] = from[k];
            else
                sum -= from[k] * c->y[k];
        }
        right[count++] = sum;
    }
    for (int32_t i = 0, at = 0; i < n; i++)
        if (rows[i]) rows[at++] = i;
    return m;
}

/* c->y: Newton's step from P; 0 if there is none */
static int direction(hml_contact *c, double rho, double extra)
{
    double *right = c->rank.x;
    for (int32_t i = 0; i < c->nrows; i++) c->active[i] = 1;
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind == ROW_CONTACT) put_contact(c, i, rho, extra);
        if (contact_is_joint(&c->rows[i])) put_row(c, i, rho, extra);
    }
    const int32_t m = reduce(c, right);
    if (dense_eliminate((size_t)m, c->A, 1e-14, 1, right)) return 0;
    for (int32_t i = 0; i < m; i++) c->y[c->active[i]] = right[i];
    return 1;
}

double hmli_contact_newton(hml_contact *c, double left)
{
    const size_t n = (size_t)c->nrows;
    memcpy(c->old, c->P, n * sizeof(double));
    if (!direction(c, 1, 1e-10)) return left;
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

double hmli_contact_newton_whole(hml_contact *c, double extra)
{
    if (!direction(c, 3, extra)) return INFINITY;
    for (int32_t i = 0; i < c->nrows; i++) c->P[i] += c->y[i];
    update_velocities(c);
    return residual(c);
}
