#include "control/crossing.h"

#include <math.h>

#include "base/dense.h"
#include "control/eigenvalues.h"
#include "control/matrix.h"

/* candidates of the zeros and the grid, with points between them */
size_t hmli_crossing_most(size_t n) { return 2 * (n + hmli_response_grid_count(n)) + 1; }

void hmli_crossings_lay_out(size_t n, size_t m, layout_cursor *c, crossings *w)
{
    w->G = layout_doubles(c, n * n);
    w->CF = layout_doubles(c, m * n);
    w->N = layout_doubles(c, n * n);
    w->Y = layout_doubles(c, n * n);
    w->Z = layout_doubles(c, n * n);
    w->NB = layout_doubles(c, n * m);
    w->values = layout_doubles(c, 2 * n);
    w->omega = layout_doubles(c, hmli_crossing_most(n));
    w->found = layout_doubles(c, hmli_crossing_most(n));
    w->line = layout_doubles(c, n);
}

void hmli_crossings_begin(const response *r, crossings *w)
{
    matrix_multiply(r->n, r->n, r->n, r->F, r->F, w->G);
    matrix_multiply(r->m, r->n, r->n, r->C, r->F, w->CF);
}

/* what changes its sign at a crossing */
static double value_at(response *r, size_t i, crossing_kind kind, double omega)
{
    const cplx t = hmli_response_entry(r, omega, i);
    return kind == CROSSING_UNIT_GAIN ? creal(t) - 0.5 : cimag(t);
}

/*
 * f(x) = d + c (x − G)⁻¹ b with x = α (y + 1)/(y − 1) is f = e + c (Y − 1)(y − Y)⁻¹ b' where N = α − G, Y = −N⁻¹ (α + G),
 * b' = N⁻¹ b and e = f(α). Its zeros are the eigenvalues of Y − b' c (Y − 1) / e. α < 0 is a frequency at which f is not small.
 */
static hml_status zeros(response *r, size_t i, double d, const double *c, double alpha, crossings *w)
{
    const size_t n = r->n, m = r->m;
    double *b = w->NB, *row = w->line;
    for (size_t k = 0; k < n * n; k++) {
        const double on = k % (n + 1) == 0 ? alpha : 0;
        w->N[k] = w->Z[k] = on - w->G[k];
        w->Y[k] = -on - w->G[k];
    }
    for (size_t k = 0; k < n; k++) b[k] = r->B[k * m + i];
    if (dense_eliminate(n, w->N, 0, n, w->Y)) return HML_SINGULAR;
    matrix_copy(n * n, w->Z, w->N);
    if (dense_eliminate(n, w->N, 0, 1, b)) return HML_SINGULAR;
    double e = d;
    for (size_t k = 0; k < n; k++) e += c[k] * b[k];
    for (size_t k = 0; k < n; k++) {
        row[k] = -c[k];
        for (size_t l = 0; l < n; l++) row[k] += c[l] * w->Y[l * n + k];
    }
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) w->Z[k * n + l] = w->Y[k * n + l] - b[k] * (row[l] / e);
    for (size_t k = 0; k < n * n; k++)
        if (!isfinite(w->Z[k])) return HML_SINGULAR;
    return hmli_eigenvalues(n, w->Z, w->values);
}

/* frequencies near which f may be zero; how many */
static size_t candidates(double alpha, size_t n, const double *values, double *omega)
{
    size_t count = 0;
    for (size_t k = 0; k < n; k++) {
        const cplx y = values[2 * k] + I * values[2 * k + 1], x = alpha * (y + 1) / (y - 1);
        const double at = sqrt(cabs(x));
        if (creal(x) < 0 && at > 0 && isfinite(at)) omega[count++] = at;
    }
    return count;
}

static void sort(size_t count, double *x)
{
    for (size_t i = 1; i < count; i++) {
        const double now = x[i];
        size_t k = i;
        for (; k > 0 && x[k - 1] > now; k--) x[k] = x[k - 1];
        x[k] = now;
    }
}

/* the change of sign between low and high */
static double bisect(response *r, size_t i, crossing_kind kind, double low, double high, int above)
{
    for (int k = 0; k < 200; k++) {
        const double middle = high > 2 * low ? sqrt(low) * sqrt(high) : 0.5 * low + 0.5 * high;
        if (!(middle > low && middle < high)) break;
        if ((value_at(r, i, kind, middle) > 0) == above)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* a frequency at which f is not small against what it is made of: of a few of the grid the best */
static double choose(response *r, size_t i, crossing_kind kind, const double *grid, size_t count)
{
    double best = grid[0], most = -1;
    for (size_t k = 0; k < 12; k++) {
        const double omega = grid[count - 1 - (RESPONSE_GRID / 8 + k * RESPONSE_GRID / 16)];
        const cplx t = hmli_response_entry(r, omega, i);
        const double size = kind == CROSSING_UNIT_GAIN ? fabs(creal(t) - 0.5) / (cabs(t) + 0.5)
                                                       : fabs(cimag(t)) / (cabs(t) + 1e-300) * fmin(cabs(t), 1);
        if (size > most) most = size, best = omega;
    }
    return best;
}

hml_status hmli_crossings_find(response *r, size_t i, crossing_kind kind, crossings *w, size_t *found)
{
    const size_t n = r->n, grid = hmli_response_grid_count(n);
    const int unit = kind == CROSSING_UNIT_GAIN;
    size_t count = grid;
    hmli_response_grid(r, w->omega);
    const double at = choose(r, i, kind, w->omega, grid), alpha = -at * at;
    const double d = unit ? r->D[i * r->m + i] - 0.5 : 0;
    const hml_status status = zeros(r, i, d, (unit ? w->CF : r->C) + i * n, alpha, w);
    if (status && status != HML_SINGULAR) return status;
    if (!status) count += candidates(alpha, n, w->values, w->omega + count);
    sort(count, w->omega);
    for (size_t k = count; k-- > 0;) { /* points between them, and one before and one behind */
        w->omega[2 * k + 1] = w->omega[k];
        w->omega[2 * k + 2] =
            k + 1 < count ? sqrt(w->omega[2 * k + 3]) * sqrt(w->omega[2 * k + 1]) : 2 * w->omega[2 * k + 1];
    }
    w->omega[0] = 0.5 * w->omega[1];
    count = 2 * count + 1;
    *found = 0;
    int above = value_at(r, i, kind, w->omega[0]) > 0;
    for (size_t k = 1; k < count; k++) {
        const int now = value_at(r, i, kind, w->omega[k]) > 0;
        if (now != above) w->found[(*found)++] = bisect(r, i, kind, w->omega[k - 1], w->omega[k], above);
        above = now;
    }
    return HML_OK;
}
