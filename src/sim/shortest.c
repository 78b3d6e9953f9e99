/* See shortest.h. D. Goldfarb and A. Idnani, "A numerically stable dual method for solving strictly convex quadratic
 * programs", Mathematical Programming 27 (1983), with H = I; the letters z, r, t₁, t₂ are theirs. */
#include "sim/shortest.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"

static const double round_off = 1e-13;    /* of the scale: less is no violation */
static const double contradiction = 1e-7; /* of the scale: a dependent row that is missed by less is not in the way */
static const double dependent = 1e-10;    /* of a row's length: less of it is left outside the active rows */
enum { MOST_STEPS = 40 };                 /* for each row, that is; a handful is normal */

static size_t most_active(size_t n, size_t m) { return n < m ? n : m; }

void hmli_shortest_lay_out(size_t n, size_t m, layout_cursor *c, shortest *p)
{
    const size_t k = most_active(n, m);
    p->n = n;
    p->m = m;
    p->active = 0;
    p->G = layout_doubles(c, m * n);
    p->b = layout_doubles(c, m);
    p->one_sided = layout_doubles(c, m);
    p->x = layout_doubles(c, n);
    p->lambda = layout_doubles(c, m);
    p->Q = layout_doubles(c, k * n);
    p->R = layout_doubles(c, k * k);
    p->u = layout_doubles(c, k);
    p->d = layout_doubles(c, k);
    p->r = layout_doubles(c, k);
    p->z = layout_doubles(c, n);
    p->sign = layout_doubles(c, k);
    p->order = layout_array(c, k, sizeof *p->order);
}

static double *column(const shortest *p, size_t j) { return p->R + j * most_active(p->n, p->m); }

/* z: what of a row is not in the span of the active ones; d: the rest in the basis; r: in the active rows themselves */
static void directions(const shortest *p, const double *g, double sign)
{
    const size_t n = p->n, k = p->active;
    for (size_t i = 0; i < n; i++) p->z[i] = sign * g[i];
    memset(p->d, 0, k * sizeof *p->d);
    for (int twice = 0; twice < 2; twice++) { /* once is not enough for rows that are nearly dependent */
        for (size_t j = 0; j < k; j++) {
            const double *q = p->Q + j * n, part = dense_dot(n, q, p->z);
            p->d[j] += part;
            for (size_t i = 0; i < n; i++) p->z[i] -= part * q[i];
        }
    }
    for (size_t j = k; j-- > 0;) {
        double sum = p->d[j];
        for (size_t c = j + 1; c < k; c++) sum -= column(p, c)[j] * p->r[c];
        p->r[j] = sum / column(p, j)[j];
    }
}

static void take_in(shortest *p, size_t row, double sign, double multiplier)
{
    const size_t n = p->n, k = p->active;
    const double length = sqrt(dense_dot(n, p->z, p->z));
    memcpy(column(p, k), p->d, k * sizeof *p->d);
    column(p, k)[k] = length;
    for (size_t i = 0; i < n; i++) p->Q[k * n + i] = p->z[i] / length;
    p->order[k] = row;
    p->sign[k] = sign;
    p->u[k] = multiplier;
    p->active++;
}

/* column j leaves R; rotations make it triangular again */
static void let_go(shortest *p, size_t j)
{
    const size_t n = p->n, k = --p->active;
    for (size_t c = j; c < k; c++) {
        memcpy(column(p, c), column(p, c + 1), (c + 2) * sizeof(double));
        p->order[c] = p->order[c + 1];
        p->sign[c] = p->sign[c + 1];
        p->u[c] = p->u[c + 1];
    }
    for (size_t c = j; c < k; c++) {
        const double a = column(p, c)[c], b = column(p, c)[c + 1], size = hypot(a, b);
        const double cosine = size > 0 ? a / size : 1, sine = size > 0 ? b / size : 0;
        for (size_t i = c; i < k; i++) {
            double *R = column(p, i), top = R[c];
            R[c] = cosine * top + sine * R[c + 1];
            R[c + 1] = cosine * R[c + 1] - sine * top;
        }
        for (size_t i = 0; i < n; i++) {
            double *top = &p->Q[c * n + i], *next = &p->Q[(c + 1) * n + i], t = *top;
            *top = cosine * t + sine * *next;
            *next = cosine * *next - sine * t;
        }
    }
}

/* by how much x misses a row; positive: violated */
static double missed(const shortest *p, size_t i) { return p->b[i] - dense_dot(p->n, p->G + i * p->n, p->x); }

static int is_active(const shortest *p, size_t row)
{
    for (size_t j = 0; j < p->active; j++)
        if (p->order[j] == row) return 1;
    return 0;
}

/* x and u anew from the active rows alone: what the steps have added up is forgotten */
static void polish(shortest *p)
{
    const size_t n = p->n, k = p->active;
    memset(p->x, 0, n * sizeof *p->x);
    for (size_t j = 0; j < k; j++) { /* Rᵀ d = b */
        p->d[j] = (p->sign[j] * p->b[p->order[j]] - dense_dot(j, column(p, j), p->d)) / column(p, j)[j];
        for (size_t i = 0; i < n; i++) p->x[i] += p->d[j] * p->Q[j * n + i];
    }
    for (size_t j = k; j-- > 0;) { /* R u = d */
        double sum = p->d[j];
        for (size_t c = j + 1; c < k; c++) sum -= column(p, c)[j] * p->u[c];
        p->u[j] = sum / column(p, j)[j];
        if (p->one_sided[p->order[j]] > 0) p->u[j] = fmax(0, p->u[j]);
    }
}

/* brings a row into force; 0: it depends on the active ones and is hardly missed. Negative steps: too many */
static hml_status enforce(shortest *p, size_t row, int *stays, size_t *steps)
{
    const double *g = p->G + row * p->n, sign = missed(p, row) < 0 ? -1 : 1, length = sqrt(dense_dot(p->n, g, g));
    double multiplier = 0;
    *stays = 0;
    for (; *steps > 0; --*steps) {
        directions(p, g, sign);
        const double square = dense_dot(p->n, p->z, p->z), miss = sign * missed(p, row);
        const int free = sqrt(square) > dependent * length && p->active < most_active(p->n, p->m);
        double t = free ? fmax(0, miss) / square : INFINITY;
        size_t first = p->active;
        for (size_t j = 0; j < p->active; j++) {
            if (!(p->one_sided[p->order[j]] > 0) || !(p->r[j] > 0) || !(p->u[j] / p->r[j] < t)) continue;
            t = p->u[j] / p->r[j];
            first = j;
        }
        if (isinf(t)) return miss > contradiction * p->scale ? HML_INCONSISTENT : HML_OK;
        for (size_t j = 0; j < p->active; j++) p->u[j] -= t * p->r[j];
        for (size_t i = 0; free && i < p->n; i++) p->x[i] += t * p->z[i];
        multiplier += t;
        if (first == p->active) {
            take_in(p, row, sign, multiplier);
            *stays = 1;
            return HML_OK;
        }
        let_go(p, first);
    }
    return HML_NOT_CONVERGED;
}

/* the inequality that is missed most, in units of its length; m: none is */
static size_t worst(const shortest *p)
{
    size_t row = p->m;
    double most = 0;
    for (size_t i = 0; i < p->m; i++) {
        const double *g = p->G + i * p->n, length = sqrt(dense_dot(p->n, g, g)), miss = missed(p, i);
        if (!(p->one_sided[i] > 0) || p->lambda[i] < 0 || is_active(p, i)) continue; /* λ < 0: it was let pass */
        if (!(miss > round_off * p->scale) || !(miss > most * length)) continue;
        most = length > 0 ? miss / length : INFINITY;
        row = i;
    }
    return row;
}

hml_status hmli_shortest(shortest *p)
{
    size_t steps = MOST_STEPS * (p->m + p->n + 1);
    hml_status status = HML_OK;
    int stays;
    p->active = 0;
    memset(p->x, 0, p->n * sizeof *p->x);
    memset(p->lambda, 0, p->m * sizeof *p->lambda);
    for (size_t i = 0; i < p->m && !status; i++)
        if (!(p->one_sided[i] > 0)) status = enforce(p, i, &stays, &steps);
    for (size_t row; !status; polish(p)) {
        row = worst(p);
        if (row == p->m) break;
        status = enforce(p, row, &stays, &steps);
        if (!status && !stays) p->lambda[row] = -1; /* dependent, and missed by round-off */
    }
    memset(p->lambda, 0, p->m * sizeof *p->lambda);
    polish(p);
    for (size_t j = 0; j < p->active; j++) p->lambda[p->order[j]] = p->sign[j] * p->u[j];
    return status;
}
