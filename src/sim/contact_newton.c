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

/* what is known of a row: its new impulse, or an equation, which is its own or that of a sliding contact */
enum { KNOWN, EQUATION, SLIDES };

/* P_i shall become `value`: no equation is needed */
static void set_value(const hml_contact *c, int32_t i, double value)
{
    c->active[i] = KNOWN;
    c->y[i] = value - c->P[i];
}

static void set_equation(const hml_contact *c, int32_t i, double right)
{
    c->active[i] = EQUATION;
    c->y[i] = right;
}

/* P_t − ρ w_t */
static void put_tangents(const hml_contact *c, int32_t i, double scale, double y[2])
{
    for (int32_t k = 0; k < 2; k++) y[k] = c->P[i + 1 + k] - c->w[i + 1 + k] / scale;
}

static void sort_contact(const hml_contact *c, int32_t i, double rho)
{
    const local l = local_of(c, i);
    const double *P = c->P + i, *w = c->w + i, normal = l.B[0][0] / rho, scale = local_tangent_scale(&l) / rho;
    double y[2];
    if (P[0] - w[0] / normal <= 0) {
        for (int32_t k = 0; k < 3; k++) set_value(c, i + k, 0);
        return;
    }
    set_equation(c, i, -w[0] / normal);
    if (!(l.mu > 0)) {
        for (int32_t k = 1; k < 3; k++) set_value(c, i + k, 0);
        return;
    }
    put_tangents(c, i, scale, y);
    const double size = local_length(y[0], y[1]), radius = l.mu * positive(P[0]);
    const int sticks = size <= radius;
    for (int32_t k = 1; k < 3; k++) {
        set_equation(c, i + k, sticks ? -w[k] / scale : radius * (y[k - 1] / size) - P[k]);
        if (!sticks) c->active[i + k] = SLIDES;
    }
}

static void sort_row(const hml_contact *c, int32_t i, double rho)
{
    const double k = K_row(c, i)[i] / rho, y = c->P[i] - c->w[i] / k, bound = bounded(&c->rows[i], y);
    if (bound != y)
        set_value(c, i, bound);
    else
        set_equation(c, i, -c->w[i] / k);
}

/* the equations of Newton's step, m of them; rows: theirs, then those that are known and change */
typedef struct equations {
    size_t m, changes;
    size_t *rows;
    double *A, *right;
} equations;

static equations list_equations(hml_contact *c)
{
    equations e = {.rows = c->rank.order, .A = c->A, .right = c->rank.x};
    for (int32_t i = 0; i < c->nrows; i++)
        if (c->active[i]) e.rows[e.m++] = (size_t)i;
    for (int32_t i = 0; i < c->nrows; i++)
        if (!c->active[i] && c->y[i] != 0) e.rows[e.m + e.changes++] = (size_t)i;
    return e;
}

/* a times one row of K and b times another */
static void put_rows(const hml_contact *c, const equations *e, size_t at, double a, const double *K, double b,
                     const double *other)
{
    double *to = e->A + at * e->m, right = c->y[e->rows[at]];
    for (size_t k = 0; k < e->m; k++) to[k] = a * K[e->rows[k]] + b * other[e->rows[k]];
    for (size_t k = e->m; k < e->m + e->changes; k++) {
        const size_t row = e->rows[k];
        right -= (a * K[row] + b * other[row]) * c->y[row];
    }
    e->right[at] = right;
}

/* row i of K, the unit of its impulse divided out, with a little more on the diagonal */
static void put_equation(const hml_contact *c, const equations *e, size_t at, double factor, double extra)
{
    const size_t i = e->rows[at];
    const double *K = K_row(c, (int32_t)i);
    put_rows(c, e, at, factor, K, 0, K);
    e->A[at * (e->m + 1)] += factor * extra * K[i];
}

/* the derivative of P_t − μ P_n d, d = y / |y|, y = P_t − ρ w_t, which holds where a contact slides */
static void put_sliding(const hml_contact *c, const equations *e, size_t at, const local *l, double scale)
{
    const int32_t i = (int32_t)e->rows[at];
    double y[2];
    put_tangents(c, i, scale, y);
    const double size = local_length(y[0], y[1]), d[2] = {y[0] / size, y[1] / size};
    const double share = l->mu * positive(c->P[i]) / size;
    for (size_t r = 0; r < 2; r++) {
        double side[2], *to = e->A + (at + 1 + r) * e->m + at;
        for (size_t t = 0; t < 2; t++) side[t] = share * ((r == t) - d[r] * d[t]);
        put_rows(c, e, at + 1 + r, side[0] / scale, K_row(c, i + 1), side[1] / scale, K_row(c, i + 2));
        for (size_t t = 0; t < 2; t++) to[1 + t] += (r == t) - side[t];
        if (c->P[i] > 0) to[0] -= l->mu * d[r];
    }
}

/* the equations of the contact that begins there; returns how many */
static size_t put_contact(const hml_contact *c, const equations *e, size_t at, double rho, double extra)
{
    const int32_t i = (int32_t)e->rows[at];
    const local l = local_of(c, i);
    const double scale = local_tangent_scale(&l) / rho;
    put_equation(c, e, at, rho / l.B[0][0], extra);
    if (!c->active[i + 1]) return 1; /* no friction */
    if (c->active[i + 1] == SLIDES) return put_sliding(c, e, at, &l, scale), 3;
    for (size_t k = at + 1; k < at + 3; k++) {
        put_equation(c, e, k, 1 / scale, extra);
        e->A[k * (e->m + 1)] += extra; /* a tangent along which nothing moves */
    }
    return 3;
}

/* c->y: Newton's step from P; 0 if there is none */
static int direction(hml_contact *c, double rho, double extra)
{
    for (int32_t i = 0; i < c->nrows; i++) {
        if (c->rows[i].kind == ROW_CONTACT) sort_contact(c, i, rho);
        if (contact_is_joint(&c->rows[i])) sort_row(c, i, rho);
    }
    const equations e = list_equations(c);
    for (size_t at = 0; at < e.m;) {
        const int32_t i = (int32_t)e.rows[at];
        if (c->rows[i].kind == ROW_CONTACT) {
            at += put_contact(c, &e, at, rho, extra);
        } else {
            put_equation(c, &e, at, rho / K_row(c, i)[i], extra);
            at++;
        }
    }
    if (dense_eliminate(e.m, e.A, 1e-14, 1, e.right)) return 0;
    for (size_t k = 0; k < e.m; k++) c->y[e.rows[k]] = e.right[k];
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
