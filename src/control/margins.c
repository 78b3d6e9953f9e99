#include "hamel/control/margins.h"

#include <math.h>
#include <stdint.h>

#include "base/finite.h"
#include "base/struct_size.h"
#include "control/crossing.h"
#include "control/peak.h"
#include "control/stage.h"

typedef struct space {
    response r;
    crossings c;
    peaks p;
} space;

static size_t lay_out(size_t n, size_t m, double *memory, space *s)
{
    layout_cursor c = layout_begin(memory);
    hmli_response_lay_out(n, m, &c, &s->r);
    hmli_crossings_lay_out(n, m, &c, &s->c);
    hmli_peaks_lay_out(n, m, &c, &s->p);
    return layout_count(&c);
}

size_t hml_margins_scratch_doubles(size_t n, size_t m)
{
    space s;
    if (n > STAGE_MOST / 2 || m > STAGE_MOST) return SIZE_MAX;
    return lay_out(n, m, NULL, &s);
}

/* ---- one input ---- */

static const double NOTHING = 0x1p-40; /* of T: a gain of 2⁴⁰ is no border, and one of 2⁻⁴⁰ is zero */

/*
 * The factor g of an input gives the eigenvalue jω where 1 + g L = 0, and L = T/(1 − T): a real T is the border g = 1 − 1/T
 */
static void add_real(const response *r, double t, double omega, hml_margin *x)
{
    if (!(fabs(t) > NOTHING)) return;
    double g = 1 - 1 / t;
    if (fabs(g) < NOTHING) g = 0;
    const int side = g > 1;
    /* what rounding makes of the same border at another frequency is not a new one */
    const double slack = 0x1p-33 * (1 + fabs(g));
    if (side ? !(g < x->gain[1] - slack) : !(g > x->gain[0] + slack)) return;
    x->gain[side] = g;
    x->gain_frequency[side] = hmli_response_frequency(r, omega);
}

/* |L| = 1 where T = 1/2 + jy; then L = exp(2j atan 2y), and π − |its angle| is left */
static void add_unit(const response *r, double y, double omega, hml_margin *x)
{
    const double pi = acos(-1), angle = 2 * atan(2 * y), left = pi - fabs(angle),
                 at = hmli_response_frequency(r, omega);
    if (left < x->phase) x->phase = left, x->phase_frequency = at;
    if ((angle + pi) / at < x->delay) x->delay = (angle + pi) / at, x->delay_frequency = at;
}

static hml_status one_input(space *s, size_t i, hml_margin *x)
{
    response *r = &s->r;
    size_t count;
    *x = (hml_margin){{-HUGE_VAL, HUGE_VAL}, {NAN, NAN}, HUGE_VAL, NAN, HUGE_VAL, NAN};
    hml_status status = hmli_crossings_find(r, i, CROSSING_REAL, &s->c, &count);
    if (status) return status;
    add_real(r, creal(hmli_response_entry(r, 0, i)), 0, x);
    add_real(r, r->D[i * r->m + i], HUGE_VAL, x);
    for (size_t k = 0; k < count; k++) add_real(r, creal(hmli_response_entry(r, s->c.found[k], i)), s->c.found[k], x);
    status = hmli_crossings_find(r, i, CROSSING_UNIT_GAIN, &s->c, &count);
    if (status) return status;
    for (size_t k = 0; k < count; k++) add_unit(r, cimag(hmli_response_entry(r, s->c.found[k], i)), s->c.found[k], x);
    return HML_OK;
}

/* ---- all at once ---- */

static double divide(double a, double b) { return b > 0 ? a / b : HUGE_VAL; }

/* from the largest δ: what gains and phases the disk contains */
static void read_disk(int skew, double peak, hml_disk *x)
{
    const double pi = acos(-1), a = divide(1, peak), half = 0.5 * a;
    x->peak = peak;
    if (skew > 0) { /* 1/(1 − δ) */
        x->gain[0] = 1 / (1 + a), x->gain[1] = divide(1, 1 - a);
    } else if (skew < 0) { /* 1 + δ */
        x->gain[0] = 1 - a, x->gain[1] = 1 + a;
    } else { /* (1 + δ/2)/(1 − δ/2) */
        x->gain[0] = isinf(a) ? -1 : (1 - half) / (1 + half), x->gain[1] = divide(1 + half, 1 - half);
    }
    x->phase = skew ? (half < 1 ? 2 * asin(half) : pi) : 2 * atan(half);
}

static hml_status disk(const hml_margins *p, space *s, int skew, hml_disk *x)
{
    /* S = 1 − T, T, (S − T)/2 = 1/2 − T */
    const peak_of which = {skew < 0 ? 1 : -1, skew > 0 ? 1 : skew < 0 ? 0 : 0.5, p->scale};
    double peak, omega;
    if (!x) return HML_OK;
    const hml_status status = hmli_peak_find(&s->r, which, &s->p, &peak, &omega);
    if (status) return status;
    read_disk(skew, peak, x);
    x->frequency = hmli_response_frequency(&s->r, omega);
    return HML_OK;
}

static hml_status check(const hml_margins *p)
{
    if (!p->A || !p->B || !p->K || !stage_size_fits(p->n, p->m) || p->n > STAGE_MOST / 2 || !(p->step >= 0) ||
        isinf(p->step))
        return HML_INVALID_ARGUMENT;
    for (size_t i = 0; p->scale && i < p->m; i++)
        if (!(p->scale[i] > 0) || isinf(p->scale[i])) return HML_INVALID_ARGUMENT;
    return all_finite(p->A, p->n * p->n) && all_finite(p->B, p->n * p->m) && all_finite(p->K, p->m * p->n)
               ? HML_OK
               : HML_NOT_FINITE;
}

hml_status hml_margins_solve(const hml_margins *given, double *scratch)
{
    hml_margins room;
    const hml_margins *p = STRUCT_TAKE(hml_margins, given, &room, balanced);
    if (!p || !scratch) return HML_INVALID_ARGUMENT;
    hml_status status = check(p);
    if (status) return status;
    space s;
    (void)lay_out(p->n, p->m, scratch, &s);
    s.r.step = p->step;
    status = hmli_response_set(p->A, p->B, p->K, &s.r);
    if (status) return status;
    hmli_crossings_begin(&s.r, &s.c);
    for (size_t i = 0; p->inputs && !status && i < p->m; i++) status = one_input(&s, i, p->inputs + i);
    if (!status) status = disk(p, &s, 1, p->sensitivity);
    if (!status) status = disk(p, &s, -1, p->complementary);
    if (!status) status = disk(p, &s, 0, p->balanced);
    return status;
}
