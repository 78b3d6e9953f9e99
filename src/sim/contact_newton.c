/*
 * Newton's method on the laws of contact_solve.c, with the cases as they are: an open contact has P = 0, a sticking one
 * w = 0, a sliding one P_t = μ P_n d with the direction d of P_t − ρ w_t. The matrix is not symmetric, and redundant
 * contacts would make it singular: rows of K have `extra` of their diagonal added to it, which the next step makes
 * good.
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

static void put_contact(const hml_contact *c, int32_t i, double extra)
{
    const local l = local_of(c, i);
    const double *P = c->P + i, *w = c->w + i, scale = local_tangent_scale(&l);
    double *rows = c->A + (size_t)i * (size_t)c->nrows;
    if (!(l.B[0][0] > 0) || P[0] - w[0] / l.B[0][0] <= 0) {
        for (int32_t k = 0; k < 3; k++) put_value(c, i + k, 0, rows + k * c->nrows);
        return;
    }
    put_K(c, i, 1 / l.B[0][0], extra, rows);
    c->y[i] = -w[0] / l.B[0][0];
    double y[2] = {P[1], P[2]};
    if (scale > 0) y[0] -= w[1] / scale, y[1] -= w[2] / scale;
    if (!(scale > 0) || !(l.mu > 0)) {
        for (int32_t k = 1; k < 3; k++) put_value(c, i + k, 0, rows + k * c->nrows);
    } else if (hypot(y[0], y[1]) <= l.mu * P[0]) {
        for (int32_t k = 1; k < 3; k++) {
            put_K(c, i + k, 1 / scale, extra, rows + k * c->nrows);
            rows[k * c->nrows + i + k] += extra; /* a tangent along which nothing moves */
            c->y[i + k] = -w[k] / scale;
        }
    } else {
        put_sliding(c, i, &l, y, rows + c->nrows);
    }
}

static void put_row(const hml_contact *c, int32_t i, double extra)
{
    const contact_row *row = &c->rows[i];
    double k = K_row(c, i)[i], y = c->P[i] - c->w[i] / k, bound = bounded(row, y);
    double *to = c->A + (size_t)i * (size_t)c->nrows;
    if (bound != y) {
        put_value(c, i, bound, to);
        return;
    }
    put_K(c, i, 1 / k, extra, to);
    c->y[i] = -c->w[i] / k;
}

double hmli_contact_newton(hml_contact *c, double extra, double left)
{
    const size_t n = (size_t)c->nrows;
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind == ROW_CONTACT) put_contact(c, i, extra);
        if (c->rows[i].kind == ROW_LIMIT || c->rows[i].kind == ROW_FRICTION) put_row(c, i, extra);
    }
    memcpy(c->old, c->P, n * sizeof(double));
    if (dense_eliminate(n, c->A, 1e-14, 1, c->y)) return left;
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
