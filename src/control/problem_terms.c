/* The terms of a problem: their sizes and their check. */
#include <math.h>

#include "base/finite.h"
#include "control/problem.h"
#include "group/arrays.h"
#include "hamel/configuration.h"

int hmli_term_needs_force(const hml_term *t) { return t->kind == HML_TERM_FORCE || t->kind == HML_TERM_CONE; }

static int needs_frame(const hml_term *t)
{
    return (t->kind >= HML_TERM_POSITION && t->kind <= HML_TERM_TWIST) || t->kind == HML_TERM_DISTANCE;
}

/* the holds at the term's first knot; NULL: none */
static const hml_constraints *holds_of(const hml_problem *p, const hml_term *t)
{
    const size_t phase = hmli_phase_of(p, t->first, NULL);
    return phase < p->nphases ? p->phases[phase].holds : NULL;
}

size_t hmli_term_rows(const hml_problem *p, const hml_term *t)
{
    size_t rows = 0;
    switch (t->kind) {
    case HML_TERM_CONFIGURATION:
    case HML_TERM_VELOCITY: return (size_t)hml_model_nv(p->model);
    case HML_TERM_INPUT: return hmli_problem_columns(p, NULL);
    case HML_TERM_POSITION:
    case HML_TERM_ORIENTATION:
    case HML_TERM_COM: return 3;
    case HML_TERM_POSE:
    case HML_TERM_MOMENTUM:
    case HML_TERM_TWIST: return 6;
    case HML_TERM_DISTANCE: return 1;
    case HML_TERM_FORCE: {
        if (t->rows) return t->rows; /* of a gait, which has looked */
        const hml_constraints *holds = p->phases ? holds_of(p, t) : NULL;
        if (holds && t->hold >= 0 && t->hold < holds->count) (void)hmli_hold_row(holds, t->hold, &rows);
        return rows;
    }
    case HML_TERM_CONE: return t->facets ? (size_t)t->facets + 1 : 5;
    case HML_TERM_LIMITS: return hmli_limited_coordinates(p->model, NULL);
    case HML_TERM_OWN: return t->rows;
    default: return 0;
    }
}

size_t hmli_term_reference(const hml_problem *p, const hml_term *t)
{
    switch (t->kind) {
    case HML_TERM_CONFIGURATION: return (size_t)hml_model_nq(p->model);
    case HML_TERM_ORIENTATION: return 9;
    case HML_TERM_POSE: return 16;
    case HML_TERM_CONE:
    case HML_TERM_LIMITS:
    case HML_TERM_OWN: return 0;
    default: return hmli_term_rows(p, t);
    }
}

/* the messages of a term begin alike */
#define FAULT(status, member, ...) hmli_problem_fault(error, status, "/terms/%zu/" member ": " __VA_ARGS__)

static hml_status check_hold(const hml_problem *p, size_t i, hml_error *error)
{
    const hml_term *t = &p->terms[i];
    const size_t from = hmli_phase_of(p, t->first, NULL), to = hmli_phase_of(p, t->last, NULL);
    const size_t rows = hmli_term_rows(p, t);
    for (size_t k = from; k <= to; k++) {
        const hml_constraints *holds = p->phases[k].holds;
        if (!holds || t->hold < 0 || t->hold >= holds->count)
            return FAULT(HML_INVALID_ARGUMENT, "hold", "phase %zu, which the term reaches, has no hold %d", i, k,
                         (int)t->hold);
        size_t here;
        (void)hmli_hold_row(holds, t->hold, &here);
        if (t->kind == HML_TERM_FORCE && here != rows)
            return FAULT(HML_INVALID_ARGUMENT, "hold", "hold %d is of different kinds in the phases of the term", i,
                         (int)t->hold);
        if (t->kind == HML_TERM_CONE && here < 3)
            return FAULT(HML_INVALID_ARGUMENT, "hold", "friction needs a held point or frame", i);
    }
    if (t->kind != HML_TERM_CONE) return HML_OK;
    if (!(t->friction >= 0) || !isfinite(t->friction))
        return FAULT(HML_INVALID_ARGUMENT, "friction", "must not be negative", i);
    if (t->facets && (t->facets < 4 || t->facets % 2 || t->facets > 256))
        return FAULT(HML_INVALID_ARGUMENT, "facets", "must be even, from 4 to 256", i);
    if (!all_finite(t->normal, 3)) return FAULT(HML_NOT_FINITE, "normal", "holds NaN or infinity", i);
    return HML_OK;
}

static hml_status check_place(const hml_problem *p, size_t i, hml_error *error)
{
    const hml_term *t = &p->terms[i];
    const size_t knots = (size_t)hml_problem_knots(p);
    if (t->first > t->last || t->last > knots)
        return FAULT(HML_INVALID_ARGUMENT, "knots", "%zu to %zu are not in 0 to %zu", i, t->first, t->last, knots);
    if ((t->kind == HML_TERM_INPUT || hmli_term_needs_force(t)) && t->last == knots)
        return FAULT(HML_INVALID_ARGUMENT, "knots", "the end, knot %zu, has no inputs and no forces", i, knots);
    if (needs_frame(t) && (t->frame < 0 || t->frame >= hml_model_nframes(p->model)))
        return FAULT(HML_NOT_FOUND, "frame", "the model has no such frame", i);
    if (t->kind == HML_TERM_DISTANCE && (t->other < 0 || t->other >= hml_model_nframes(p->model)))
        return FAULT(HML_NOT_FOUND, "other", "the model has no such frame", i);
    if (t->kind == HML_TERM_DISTANCE && t->other == t->frame)
        return FAULT(HML_INVALID_ARGUMENT, "other", "a distance needs two frames", i);
    if (t->kind == HML_TERM_TWIST && (unsigned)t->representation > HML_SPLIT)
        return FAULT(HML_INVALID_ARGUMENT, "representation", "unknown", i);
    return hmli_term_needs_force(t) ? check_hold(p, i, error) : HML_OK;
}

static hml_status check_weights(const hml_term *t, size_t i, size_t rows, hml_error *error)
{
    if (!(t->weight >= 0) || !isfinite(t->weight))
        return FAULT(HML_INVALID_ARGUMENT, "weight", "%g is not a weight: it must not be negative", i, t->weight);
    for (size_t k = 0; t->weights && k < rows; k++) {
        if (!(t->weights[k] >= 0) || !isfinite(t->weights[k]))
            return FAULT(HML_INVALID_ARGUMENT, "weights", "entry %zu, %g, must not be negative", i, k, t->weights[k]);
    }
    for (size_t k = 0; t->knot_weights && k <= t->last - t->first; k++) {
        if (!(t->knot_weights[k] >= 0) || !isfinite(t->knot_weights[k]))
            return FAULT(HML_INVALID_ARGUMENT, "knot_weights", "entry %zu, %g, must not be negative", i, k,
                         t->knot_weights[k]);
    }
    if (t->role == HML_ROLE_COST || t->kind == HML_TERM_CONE || t->kind == HML_TERM_LIMITS) return HML_OK;
    for (size_t k = 0; k < rows; k++) {
        const double a = t->lower ? t->lower[k] : t->upper ? -INFINITY : 0;
        const double b = t->upper ? t->upper[k] : t->lower ? INFINITY : 0;
        if (!(a <= b) || a == INFINITY || b == -INFINITY)
            return FAULT(HML_INVALID_ARGUMENT, "lower", "row %zu has no value between %g and %g", i, k, a, b);
    }
    return HML_OK;
}

static hml_status check_reference(const hml_problem *p, size_t i, hml_error *error)
{
    const hml_term *t = &p->terms[i];
    const size_t size = hmli_term_reference(p, t);
    if (!t->reference.data || !size) return HML_OK;
    for (size_t k = 0; k <= t->last - t->first; k++) {
        const double *x = t->reference.data + k * t->reference.stride;
        hml_status status = all_finite(x, size) ? HML_OK : HML_NOT_FINITE;
        if (!status && t->kind == HML_TERM_CONFIGURATION) status = hml_configuration_check(p->model, x);
        const size_t ld = t->kind == HML_TERM_POSE ? 4 : 3;
        for (size_t e = 0; !status && (t->kind == HML_TERM_POSE || t->kind == HML_TERM_ORIENTATION) && e < 9; e++) {
            double sum = e % 4 == 0 ? -1 : 0; /* RRᵀ = 1 */
            for (size_t c = 0; c < 3; c++) sum += x[e / 3 * ld + c] * x[e % 3 * ld + c];
            if (!(fabs(sum) < 1e-6)) status = HML_NOT_NORMALIZED;
        }
        if (!status && (t->kind == HML_TERM_POSE || t->kind == HML_TERM_ORIENTATION))
            status = rotation_check(mat3_at(x, (int)ld)); /* not a reflection */
        if (status) return FAULT(status, "reference", "of knot %zu: %s", i, t->first + k, hml_status_message(status));
        if (!t->reference.stride) break;
    }
    return HML_OK;
}

hml_status hmli_terms_check(const hml_problem *p, hml_error *error)
{
    for (size_t i = 0; i < p->nterms; i++) {
        const hml_term *t = &p->terms[i];
        if ((unsigned)t->kind > HML_TERM_OWN) return FAULT(HML_INVALID_ARGUMENT, "kind", "unknown", i);
        if ((unsigned)t->role > HML_ROLE_CONSTRAINT) return FAULT(HML_INVALID_ARGUMENT, "role", "unknown", i);
        if (t->kind == HML_TERM_OWN && (!t->function == !t->knots_function || t->rows < 1 || t->rows > PROBLEM_MOST))
            return FAULT(HML_INVALID_ARGUMENT, "function", "an own term needs one function and at least one row", i);
        if ((t->kind == HML_TERM_CONE || t->kind == HML_TERM_LIMITS) && t->role == HML_ROLE_COST)
            return FAULT(HML_INVALID_ARGUMENT, "role", "cones and limits are barriers or constraints", i);
        hml_status status = check_place(p, i, error);
        const size_t rows = status ? 0 : hmli_term_rows(p, t);
        if (!status && t->kind == HML_TERM_LIMITS && !rows)
            status = FAULT(HML_INVALID_ARGUMENT, "kind", "no joint of the model has limits", i);
        if (!status) status = check_weights(t, i, rows, error);
        if (!status) status = check_reference(p, i, error);
        if (status) return status;
    }
    return HML_OK;
}
