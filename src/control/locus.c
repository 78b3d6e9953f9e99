#include "hamel/control/locus.h"

#include <math.h>

#include "base/finite.h"
#include "base/layout.h"
#include "base/struct_size.h"
#include "control/assign.h"
#include "control/eigenvalues.h"
#include "control/stage.h"
#include "hamel/control/modes.h"

enum { HALVINGS = 2, STEPS = 100 };

/* eigenvalues at one value of the parameter, in the order of the branches */
typedef struct sample {
    double value;
    double *at; /* n × 2 */
} sample;

typedef struct space {
    const hml_locus *p;
    double *A, *cost;         /* n × n each */
    double *fresh, *slope;    /* n × 2 each: not yet in order; how the branches move per unit of the parameter */
    double *room;             /* 3 (n + 1) */
    size_t *indices, *column; /* 3 (n + 1), n */
    sample last, next;        /* where the branches are known, and one step further */
    double *modes;            /* of hml_modes_solve */
    size_t crossings;
} space;

static size_t lay_out(size_t n, double *memory, space *s)
{
    layout_cursor c = layout_begin(memory);
    s->A = layout_doubles(&c, n * n);
    s->cost = layout_doubles(&c, n * n);
    s->fresh = layout_doubles(&c, 2 * n);
    s->slope = layout_doubles(&c, 2 * n);
    s->room = layout_doubles(&c, 3 * (n + 1));
    s->indices = layout_array(&c, 3 * (n + 1), sizeof *s->indices);
    s->column = layout_array(&c, n, sizeof *s->column);
    s->last.at = layout_doubles(&c, 2 * n);
    s->next.at = layout_doubles(&c, 2 * n);
    s->modes = layout_doubles(&c, hml_modes_scratch_doubles(n, 0, 0, n));
    return layout_count(&c);
}

size_t hml_locus_scratch_doubles(size_t n)
{
    space s;
    return n > STAGE_MOST ? SIZE_MAX : lay_out(n, NULL, &s);
}

/* ---- eigenvalues ---- */

static hml_status fill(space *s, double value)
{
    const hml_locus *p = s->p;
    const size_t n = p->n;
    hml_status status = HML_OK;
    if (p->matrix)
        status = p->matrix(p->context, value, s->A);
    else
        for (size_t i = 0; i < n * n; i++) s->A[i] = p->A[i] + value * p->D[i];
    if (status) return status;
    return all_finite(s->A, n * n) ? HML_OK : HML_NOT_FINITE;
}

/* of steps, zeros and the axis are no more than other places, but chains of 1 are split as chains of 0 are: A − 1 has them exact */
static hml_status eigenvalues(space *s, double value)
{
    const size_t n = s->p->n;
    hml_status status = fill(s, value);
    if (status) return status;
    const double shift = s->p->discrete ? 1 : 0;
    for (size_t i = 0; i < n; i++) s->A[i * n + i] -= shift;
    const hml_modes problem = HML_STRUCT(hml_modes, .n = n, .A = s->A, .eigenvalues = s->fresh);
    status = hml_modes_solve(&problem, s->modes, NULL);
    if (status == HML_NOT_CONVERGED) status = hmli_eigenvalues(n, s->A, s->fresh); /* where branches meet */
    for (size_t i = 0; i < n; i++) s->fresh[2 * i] += shift;
    return status;
}

/* above 0: unstable. A step is on the border within rounding of 1 */
static double growth(const space *s, const double *z)
{
    if (!s->p->discrete) return z[0];
    const double g = hypot(z[0], z[1]) - 1;
    return fabs(g) <= 0x1p-45 ? 0 : g;
}

/* ---- branches ---- */

static double distance(const double *x, const double *y) { return hypot(x[0] - y[0], x[1] - y[1]); }

/* fresh eigenvalues at `value` to the branches that the slopes predict; 1 where there is doubt */
static int follow(space *s, const sample *from, double value, double *to)
{
    const size_t n = s->p->n;
    const double h = value - from->value;
    double size = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        const double ahead[2] = {from->at[2 * i] + h * s->slope[2 * i], from->at[2 * i + 1] + h * s->slope[2 * i + 1]};
        size = fmax(size, hypot(from->at[2 * i], from->at[2 * i + 1]));
        for (size_t j = 0; j < n; j++) {
            s->cost[i * n + j] = distance(ahead, s->fresh + 2 * j);
            most = fmax(most, s->cost[i * n + j]);
        }
    }
    for (size_t k = 0; k < n * n && most > 0; k++) { /* squares of distances, which do not overflow */
        const double part = s->cost[k] / most;
        s->cost[k] = part * part;
    }
    hmli_assign(n, s->cost, s->room, s->indices, s->column);
    int doubt = 0;
    for (size_t i = 0; i < n; i++) {
        const double *own = s->fresh + 2 * s->column[i];
        to[2 * i] = own[0], to[2 * i + 1] = own[1];
        const double moved = most * sqrt(s->cost[i * n + s->column[i]]);
        if (moved <= 1e-5 * size) continue;
        for (size_t j = 0; j < n; j++) { /* another place that is as near as its own */
            const double *other = s->fresh + 2 * j;
            doubt |= distance(own, other) > 1e-9 * size && most * sqrt(s->cost[i * n + j]) < 2 * moved;
        }
    }
    return doubt;
}

static void slopes(space *s, const sample *from, const sample *to)
{
    for (size_t i = 0; i < 2 * s->p->n; i++) s->slope[i] = (to->at[i] - from->at[i]) / (to->value - from->value);
}

/* ---- crossings ---- */

/* the eigenvalue at `value` that belongs to a branch: the one nearest to the line between both ends */
static hml_status look(space *s, const double *low, double from, const double *high, double to, double value, double *z)
{
    const double t = (value - from) / (to - from);
    const double line[2] = {low[0] + t * (high[0] - low[0]), low[1] + t * (high[1] - low[1])};
    const hml_status status = eigenvalues(s, value);
    double least = HUGE_VAL;
    for (size_t i = 0; !status && i < s->p->n; i++) {
        const double d = distance(line, s->fresh + 2 * i);
        if (d < least) least = d, z[0] = s->fresh[2 * i], z[1] = s->fresh[2 * i + 1];
    }
    return status;
}

/* bisection, after steps of the secant with one end's height halved (Illinois) while both heights are known */
static hml_status search(space *s, const sample *from, const sample *to, size_t branch)
{
    double a = from->value, b = to->value, low[2], high[2], z[2] = {0, 0};
    for (int k = 0; k < 2; k++) low[k] = from->at[2 * branch + (size_t)k], high[k] = to->at[2 * branch + (size_t)k];
    double fa = growth(s, low), fb = growth(s, high);
    const int unstable = fb > 0;
    const double least = 1e-13 * fmax(fabs(a - b), fmax(fabs(a), fabs(b)));
    for (int k = 0, side = 0; k < STEPS && fabs(b - a) > least; k++) {
        double middle = 0.5 * a + 0.5 * b;
        if (fa != 0 && fb != 0 && k % 3 != 2) middle = a + (b - a) * (fa / (fa - fb));
        if (!(middle > fmin(a, b) && middle < fmax(a, b))) middle = 0.5 * a + 0.5 * b;
        if (middle == a || middle == b) break;
        const hml_status status = look(s, low, a, high, b, middle, z);
        if (status) return status;
        const double f = growth(s, z);
        if ((f > 0) == unstable) {
            b = middle, fb = f, high[0] = z[0], high[1] = z[1];
            if (side == 1) fa /= 2;
            side = 1;
        } else {
            a = middle, fa = f, low[0] = z[0], low[1] = z[1];
            if (side == -1) fb /= 2;
            side = -1;
        }
    }
    const double *end = unstable ? low : high; /* the stable side */
    if (end[1] < 0) return HML_OK;             /* its conjugate says it */
    const size_t index = s->crossings++;
    if (index < s->p->room && s->p->crossings)
        s->p->crossings[index] = (hml_locus_crossing){unstable ? a : b, {end[0], end[1]}, (int32_t)branch, unstable};
    return HML_OK;
}

static hml_status cross(space *s, const sample *from, const sample *to)
{
    for (size_t i = 0; i < s->p->n; i++) {
        const int before = growth(s, from->at + 2 * i) > 0, now = growth(s, to->at + 2 * i) > 0;
        const hml_status status = before != now ? search(s, from, to, i) : HML_OK;
        if (status) return status;
    }
    return HML_OK;
}

/* ---- the walk ---- */

static void keep(const space *s, size_t point, const double *at)
{
    if (s->p->eigenvalues) matrix_copy(2 * s->p->n, at, s->p->eigenvalues + point * 2 * s->p->n);
}

/* from the last sample to a value; halves the way where it is not clear which eigenvalue is which */
static hml_status advance(space *s, double target)
{
    double aims[HALVINGS + 1] = {target};
    size_t open = 1;
    while (open > 0) {
        const double value = aims[open - 1];
        sample *from = &s->last, *to = &s->next;
        hml_status status = eigenvalues(s, value);
        if (status) return status;
        to->value = value;
        const int doubt = follow(s, from, value, to->at);
        if (doubt && open <= HALVINGS) {
            aims[open++] = 0.5 * from->value + 0.5 * value;
            continue;
        }
        status = cross(s, from, to);
        if (status) return status;
        slopes(s, from, to);
        from->value = to->value;
        matrix_copy(2 * s->p->n, to->at, from->at);
        open--;
    }
    return HML_OK;
}

static hml_status check(const hml_locus *p)
{
    if (p->n < 1 || p->n > STAGE_MOST || p->points < 2 || !p->values || (!p->matrix && (!p->A || !p->D)))
        return HML_INVALID_ARGUMENT;
    if (!all_finite(p->values, p->points)) return HML_NOT_FINITE;
    for (size_t i = 1; i < p->points; i++)
        if (p->values[1] > p->values[0] ? !(p->values[i] > p->values[i - 1]) : !(p->values[i] < p->values[i - 1]))
            return HML_INVALID_ARGUMENT;
    return HML_OK;
}

hml_status hml_locus_solve(const hml_locus *given, double *scratch, size_t *count)
{
    hml_locus room;
    const hml_locus *p = STRUCT_TAKE(hml_locus, given, &room, crossings);
    if (!p || !scratch) return HML_INVALID_ARGUMENT;
    hml_status status = check(p);
    if (status) return status;
    space s = {.p = p};
    (void)lay_out(p->n, scratch, &s);
    status = eigenvalues(&s, p->values[0]);
    if (status) return status;
    for (size_t i = 0; i < 2 * p->n; i++) s.slope[i] = 0;
    s.last.value = p->values[0];
    matrix_copy(2 * p->n, s.fresh, s.last.at);
    keep(&s, 0, s.fresh);
    for (size_t k = 1; k < p->points; k++) {
        status = advance(&s, p->values[k]);
        if (status) return status;
        keep(&s, k, s.last.at);
    }
    if (count) *count = s.crossings;
    return HML_OK;
}
