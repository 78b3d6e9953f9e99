/* Optimal control problems: sizes and the check of all but the terms (problem_terms.c). See hamel/control/problem.h. */
#include "control/problem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/struct_size.h"
#include "group/joint.h"
#include "hamel/configuration.h"

hml_status hmli_problem_fault(hml_error *error, hml_status status, const char *format, ...)
{
    if (!error) return status;
    va_list arguments;
    memset(error, 0, sizeof *error);
    error->status = status;
    va_start(arguments, format);
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

size_t hmli_limited_coordinates(const hml_model *model, limited_coordinate *all)
{
    size_t count = 0;
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        if (hml_model_joint(model, i, &j) || j.v < 0 || !joint_commutes((int)j.type)) continue;
        for (int32_t k = 0; k < j.nv; k++) {
            if (!isfinite(j.lower[k]) && !isfinite(j.upper[k])) continue;
            if (all) all[count] = (limited_coordinate){(size_t)(j.q + k), (size_t)(j.v + k), j.lower[k], j.upper[k]};
            count++;
        }
    }
    return count;
}

size_t hmli_phase_forces(const hml_phase *phase)
{
    const int32_t rows = phase->holds ? hml_constraint_rows(phase->holds) : 0;
    return rows > 0 ? (size_t)rows : 0;
}

size_t hmli_hold_row(const hml_constraints *holds, int32_t hold, size_t *rows)
{
    hml_constraints some = HML_STRUCT(hml_constraints, .items = holds->items, .count = hold); /* loops come after */
    const int32_t first = hold ? hml_constraint_rows(&some) : 0;
    some.count = hold + 1;
    const int32_t end = hml_constraint_rows(&some);
    *rows = (size_t)(end - first);
    return (size_t)first;
}

size_t hmli_phase_of(const hml_problem *p, size_t knot, size_t *first)
{
    size_t begin = 0, i = 0;
    for (; i < p->nphases && knot >= begin + p->phases[i].knots; i++) begin += p->phases[i].knots;
    if (first) *first = begin;
    return i;
}

int32_t hmli_hold_of_frame(const hml_constraints *holds, int32_t frame)
{
    int32_t found = -1;
    for (int32_t i = 0; holds && i < holds->count; i++) {
        if (holds->items[i].frame != frame) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

size_t hmli_problem_columns(const hml_problem *p, int32_t *columns)
{
    size_t count = 0;
    if (p->inputs || p->actuation) {
        for (; count < p->ninputs; count++)
            if (columns) columns[count] = p->inputs ? p->inputs[count] : 0;
        return count;
    }
    for (int32_t i = 0; i < hml_model_njoints(p->model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        if (hml_model_joint(p->model, i, &j) || !j.actuated || j.v < 0) continue;
        for (int32_t k = 0; k < j.nv; k++, count++)
            if (columns) columns[count] = j.v + k;
    }
    return count;
}

static hml_status check_phase(const hml_problem *p, size_t i, size_t *knots, hml_error *error)
{
    const hml_phase *x = &p->phases[i];
    if (x->knots < 1 || x->knots > PROBLEM_MOST - *knots)
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/phases/%zu/knots: must be from 1 to %d", i,
                                  PROBLEM_MOST);
    if (x->impact && (x->knots != 1 || !x->holds))
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/phases/%zu/impact: an impact is one knot with holds",
                                  i);
    if (!x->impact && !(x->h > 0 && isfinite(x->h)))
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/phases/%zu/step: must be above 0 seconds", i);
    if (!x->impact && !hml_scheme_name(x->scheme))
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/phases/%zu/scheme: there is no scheme %d", i,
                                  (int)x->scheme);
    if (!x->impact && x->scheme != HML_SCHEME_EULER && x->scheme != HML_SCHEME_RK2 && x->scheme != HML_SCHEME_RK4)
        return hmli_problem_fault(error, HML_UNSUPPORTED,
                                  "/phases/%zu/scheme: steps of %s have no derivatives here; take euler, rk2 or rk4", i,
                                  hml_scheme_name(x->scheme));
    *knots += x->knots;
    if (!x->holds) return HML_OK;
    if (hml_constraint_rows(x->holds) < 0)
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/phases/%zu/holds: a hold is invalid", i);
    for (int32_t k = 0; k < x->holds->count; k++) {
        const hml_constraint *c = &x->holds->items[k];
        if (c->frame < 0 || c->frame >= hml_model_nframes(p->model))
            return hmli_problem_fault(error, HML_NOT_FOUND, "/phases/%zu/holds/%d: the model has no such frame", i,
                                      (int)k);
        if (c->kind == HML_TOUCH_PLANE)
            return hmli_problem_fault(
                error, HML_UNSUPPORTED,
                "/phases/%zu/holds/%d: a point that may leave its plane has no derivative where it "
                "does; hold it, and leave it out in other phases",
                i, (int)k);
    }
    return HML_OK;
}

static hml_status check_inputs(const hml_problem *p, hml_error *error)
{
    const int32_t nv = hml_model_nv(p->model);
    if ((p->inputs || p->actuation) && (p->ninputs < 1 || p->ninputs > PROBLEM_MOST))
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/inputs: there must be at least one");
    if (p->inputs && p->actuation)
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/inputs: either coordinates or an actuation matrix");
    for (size_t i = 0; p->inputs && i < p->ninputs; i++) {
        if (p->inputs[i] < 0 || p->inputs[i] >= nv)
            return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/inputs/%zu: the model has no such coordinate", i);
    }
    if (p->actuation && !all_finite(p->actuation, (size_t)nv * p->ninputs))
        return hmli_problem_fault(error, HML_NOT_FINITE, "/actuation: holds NaN or infinity");
    if (hmli_problem_columns(p, NULL) < 1)
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/inputs: no joint of the model is actuated");
    return HML_OK;
}

static hml_status check_bounds(const hml_problem *p, size_t knots, hml_error *error)
{
    const size_t m = hmli_problem_columns(p, NULL);
    for (size_t k = 0; k < knots; k++) {
        const double *lower = p->lower.data ? p->lower.data + k * p->lower.stride : NULL;
        const double *upper = p->upper.data ? p->upper.data + k * p->upper.stride : NULL;
        for (size_t i = 0; i < m; i++) {
            const double a = lower ? lower[i] : -INFINITY, b = upper ? upper[i] : INFINITY;
            if (!(a <= b) || a == INFINITY || b == -INFINITY)
                return hmli_problem_fault(error, HML_INVALID_ARGUMENT,
                                          "/bounds: input %zu of knot %zu has no value between %g and %g", i, k, a, b);
        }
        if (p->lower.stride == 0 && p->upper.stride == 0) break;
    }
    return HML_OK;
}

static hml_status check_start(const hml_problem *p, hml_error *error)
{
    if (!p->q) return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/start: the state of knot 0 is missing");
    const hml_status status = hml_configuration_check(p->model, p->q);
    if (status) return hmli_problem_fault(error, status, "/start: %s", hml_status_message(status));
    if (p->v && !all_finite(p->v, (size_t)hml_model_nv(p->model)))
        return hmli_problem_fault(error, HML_NOT_FINITE, "/start: the velocity holds NaN or infinity");
    return HML_OK;
}

hml_status hml_problem_check(const hml_problem *problem, hml_error *error)
{
    hml_problem room;
    const hml_problem *p = STRUCT_TAKE(hml_problem, problem, &room, v);
    if (!p || !p->model || !p->phases || p->nphases < 1)
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/: a problem needs a model and a phase");
    if (p->nphases > PROBLEM_MOST || p->nterms > PROBLEM_MOST || (p->nterms && !p->terms))
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/terms: too many of them, or missing");
    if (hml_model_nv(p->model) < 1)
        return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/model: nothing of it can move");
    size_t knots = 0;
    hml_status status = HML_OK;
    for (size_t i = 0; !status && i < p->nphases; i++) status = check_phase(p, i, &knots, error);
    if (!status) status = check_inputs(p, error);
    if (!status) status = check_bounds(p, knots, error);
    if (!status) status = check_start(p, error);
    return status ? status : hmli_terms_check(p, error);
}

int32_t hml_problem_knots(const hml_problem *problem)
{
    hml_problem room;
    const hml_problem *p = STRUCT_TAKE(hml_problem, problem, &room, v);
    size_t knots = 0;
    for (size_t i = 0; p && p->phases && i < p->nphases; i++) {
        if (p->phases[i].knots > PROBLEM_MOST - knots) return 0;
        knots += p->phases[i].knots;
    }
    return (int32_t)knots;
}

int32_t hml_problem_inputs(const hml_problem *problem)
{
    hml_problem room;
    const hml_problem *p = STRUCT_TAKE(hml_problem, problem, &room, v);
    return p && p->model ? (int32_t)hmli_problem_columns(p, NULL) : 0;
}

int32_t hml_problem_term_rows(const hml_problem *problem, size_t term)
{
    hml_problem room;
    const hml_problem *p = STRUCT_TAKE(hml_problem, problem, &room, v);
    return p && p->model && p->terms && term < p->nterms ? (int32_t)hmli_term_rows(p, &p->terms[term]) : 0;
}
