/* The terms of an optimal control problem. */
#include <math.h>
#include <string.h>

#include "group/joint.h"
#include "io/plan/plan.h"

static const char *const KINDS[] = {"configuration", "velocity", "input",    "position", "orientation",
                                    "pose",          "twist",    "com",      "force",    "cone",
                                    "limits",        "momentum", "distance", NULL};
static const char *const ROLES[] = {"cost", "barrier", "constraint", NULL};
static const char *const REPRESENTATIONS[] = {"left", "right", "mixed", "split", NULL};

/* ---- sizes ---- */

static int has_input(const hml_term *t)
{
    return t->kind == HML_TERM_INPUT || t->kind == HML_TERM_FORCE || t->kind == HML_TERM_CONE;
}

static size_t limited(const hml_model *model)
{
    size_t count = 0;
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        hml_model_joint(model, i, &j);
        for (int32_t k = 0; j.v >= 0 && joint_commutes((int)j.type) && k < j.nv; k++)
            count += isfinite(j.lower[k]) || isfinite(j.upper[k]);
    }
    return count;
}

/* rows of the hold in the phase of a knot; 0: none */
static size_t hold_rows(const plan_reader *r, size_t knot, int32_t hold)
{
    static const size_t rows[] = {6, 3, 1};
    const hml_problem *p = r->problem;
    size_t phase = 0;
    for (size_t end = 0; phase < p->nphases; phase++) {
        end += p->phases[phase].knots;
        if (knot < end) break;
    }
    const hml_constraints *holds = phase < p->nphases ? p->phases[phase].holds : NULL;
    return holds && hold >= 0 && hold < holds->count ? rows[holds->items[hold].kind] : 0;
}

static size_t rows_of(const plan_reader *r, const hml_term *t)
{
    switch (t->kind) {
    case HML_TERM_CONFIGURATION:
    case HML_TERM_VELOCITY: return r->nv;
    case HML_TERM_INPUT: return r->ninputs;
    case HML_TERM_POSE:
    case HML_TERM_MOMENTUM:
    case HML_TERM_TWIST: return 6;
    case HML_TERM_DISTANCE: return 1;
    case HML_TERM_FORCE: return hold_rows(r, t->first, t->hold);
    case HML_TERM_CONE: return t->facets ? (size_t)t->facets + 1 : 5;
    case HML_TERM_LIMITS: return limited(r->model);
    default: return 3;
    }
}

/* ---- which knots ---- */

/* "all", "end", a number or [first, last]; or "phase": i */
static hml_status read_knots(const plan_reader *r, const place *term, hml_term *t)
{
    static const char *const words[] = {"all", "end", NULL};
    const place knots = hmli_json_member(term, "knots"), phase = hmli_json_member(term, "phase");
    const size_t last = r->knots - (has_input(t) ? 1 : 0);
    int word = 0;
    size_t index = 0;
    hml_status status = HML_OK;
    t->first = 0, t->last = last;
    if (phase.value) {
        if (knots.value) return hmli_json_fail(&r->json, &phase, "either knots or a phase");
        status = hmli_plan_count(r, &phase, 0, (double)r->problem->nphases - 1, &index);
        for (size_t i = 0; !status && i < index; i++) t->first += r->problem->phases[i].knots;
        if (!status) t->last = t->first + r->problem->phases[index].knots - 1;
    } else if (json_is(knots.value, JSON_LIST)) {
        const place from = hmli_json_element(&knots, 0), to = hmli_json_element(&knots, 1);
        if (json_list_size(knots.value) != 2) return hmli_json_fail(&r->json, &knots, "two numbers: first and last");
        status = hmli_plan_count(r, &from, 0, (double)last, &t->first);
        if (!status) status = hmli_plan_count(r, &to, (double)t->first, (double)last, &t->last);
    } else if (json_is(knots.value, JSON_NUMBER)) {
        status = hmli_plan_count(r, &knots, 0, (double)last, &t->first);
        t->last = t->first;
    } else {
        status = hmli_plan_word(r, &knots, words, &word);
        if (!status && word) t->first = t->last = r->knots;
        if (!status && word && has_input(t))
            return hmli_json_fail(&r->json, &knots, "the end has no inputs and no forces");
    }
    return status;
}

/* ---- references ---- */

static size_t reference_size(const plan_reader *r, const hml_term *t)
{
    if (t->kind == HML_TERM_CONFIGURATION) return r->nq;
    if (t->kind == HML_TERM_ORIENTATION) return 9;
    return t->kind == HML_TERM_POSE ? 16 : rows_of(r, t);
}

/* "start", a state, numbers; or "references": numbers for each knot */
static hml_status read_reference(plan_reader *r, const place *term, hml_term *t)
{
    const place one = hmli_json_member(term, "reference"), many = hmli_json_member(term, "references");
    const size_t size = reference_size(r, t), count = t->last - t->first + 1;
    const int posture = t->kind == HML_TERM_CONFIGURATION;
    if (one.value && many.value) return hmli_json_fail(&r->json, &many, "either a reference or references");
    if (many.value) {
        t->reference.stride = size;
        return hmli_plan_numbers(r, &many, size * count, &t->reference.data);
    }
    if (json_is(one.value, JSON_TEXT)) {
        static const char *const words[] = {"start", NULL};
        int word = 0;
        if (!posture) return hmli_json_fail(&r->json, &one, "\"start\" is a reference of a configuration");
        t->reference.data = r->start->q;
        return hmli_plan_word(r, &one, words, &word);
    }
    if (!json_is(one.value, JSON_OBJECT)) return hmli_plan_numbers(r, &one, size, &t->reference.data);
    if (!posture) return hmli_json_fail(&r->json, &one, "a state is a reference of a configuration");
    hml_state *state;
    hml_status status = hmli_state_read(&r->json, &one, r->model, &state);
    double *q = status ? NULL : hmli_plan_room(r, r->nq, sizeof *q);
    if (status) return status;
    if (q) memcpy(q, state->q, r->nq * sizeof *q);
    if (q && state->nwarnings) status = hmli_json_fail(&r->json, &one, "%s", state->warnings[0]);
    t->reference.data = q;
    hml_state_free(state);
    return q ? status : HML_OUT_OF_MEMORY;
}

/* ---- a term ---- */

static hml_status read_weights(plan_reader *r, const place *term, hml_term *t)
{
    const place weight = hmli_json_member(term, "weight"), weights = hmli_json_member(term, "weights");
    const place knots = hmli_json_member(term, "knot_weights");
    const size_t rows = rows_of(r, t);
    t->weight = 1;
    hml_status status = hmli_json_number(&r->json, &weight, &t->weight);
    if (!status && !(t->weight >= 0))
        status = hmli_json_fail(&r->json, &weight, "%g is not a weight: it must not be negative", t->weight);
    if (!status) status = hmli_plan_each(r, &weights, rows, 1, &t->weights);
    if (!status) status = hmli_plan_each(r, &knots, t->last - t->first + 1, 1, &t->knot_weights);
    for (size_t i = 0; !status && t->weights && i < rows; i++)
        if (!(t->weights[i] >= 0)) status = hmli_json_fail(&r->json, &weights, "entry %zu must not be negative", i);
    return status;
}

static hml_status read_bounds(plan_reader *r, const place *term, hml_term *t)
{
    const place lower = hmli_json_member(term, "lower"), upper = hmli_json_member(term, "upper");
    const place *given = lower.value ? &lower : &upper;
    const size_t rows = rows_of(r, t);
    if (!given->value) return HML_OK;
    if (t->role == HML_ROLE_COST)
        return hmli_json_fail(&r->json, given, "a cost has no bounds: it is a barrier or a constraint");
    if (t->kind == HML_TERM_CONE || t->kind == HML_TERM_LIMITS)
        return hmli_json_fail(&r->json, given, "cones and limits have their own bounds");
    hml_status status = hmli_plan_each(r, &lower, rows, -INFINITY, &t->lower);
    if (!status) status = hmli_plan_each(r, &upper, rows, INFINITY, &t->upper);
    for (size_t i = 0; !status && t->lower && t->upper && i < rows; i++) {
        if (!(t->lower[i] <= t->upper[i]))
            status =
                hmli_json_fail(&r->json, &lower, "row %zu has no value between %g and %g", i, t->lower[i], t->upper[i]);
    }
    return status;
}

static hml_status read_contact(const plan_reader *r, const place *term, hml_term *t)
{
    const place hold = hmli_json_member(term, "hold"), friction = hmli_json_member(term, "friction");
    const place normal = hmli_json_member(term, "normal"), facets = hmli_json_member(term, "facets");
    size_t index = 0, count = 0;
    if (t->kind != HML_TERM_FORCE && t->kind != HML_TERM_CONE) {
        const place *const unused[] = {&hold, &friction, &normal, &facets};
        for (int i = 0; i < 4; i++)
            if (unused[i]->value) return hmli_json_fail(&r->json, unused[i], "belongs to a force or a cone");
        return HML_OK;
    }
    hml_status status = hmli_plan_count(r, &hold, 0, 1e6, &index);
    if (!status) status = hmli_json_number(&r->json, &friction, &t->friction);
    if (!status && !(t->friction >= 0)) status = hmli_json_fail(&r->json, &friction, "must not be negative");
    if (!status && normal.value) status = hmli_json_numbers(&r->json, &normal, 3, t->normal);
    if (!status) status = hmli_plan_count(r, &facets, 4, 256, &count);
    if (!status && count % 2) status = hmli_json_fail(&r->json, &facets, "must be even");
    t->hold = (int32_t)index, t->facets = (int32_t)count;
    if (!status && !hold_rows(r, t->first, t->hold))
        status = hmli_json_fail(&r->json, &hold, "there is no hold %zu at knot %zu", index, t->first);
    return status;
}

static hml_status read_frames(const plan_reader *r, const place *term, hml_term *t)
{
    const place frame = hmli_json_member(term, "frame"), other = hmli_json_member(term, "other");
    const int two = t->kind == HML_TERM_DISTANCE;
    const int framed = two || (t->kind >= HML_TERM_POSITION && t->kind <= HML_TERM_TWIST);
    if (!framed && frame.value) return hmli_json_fail(&r->json, &frame, "a %s has no frame", KINDS[t->kind]);
    if (!two && other.value) return hmli_json_fail(&r->json, &other, "belongs to a distance");
    hml_status status = framed ? hmli_plan_frame(r, &frame, &t->frame) : HML_OK;
    if (!status && two) status = hmli_plan_frame(r, &other, &t->other);
    if (!status && two && t->other == t->frame)
        status = hmli_json_fail(&r->json, &other, "a distance needs two frames");
    return status;
}

static hml_status read_term(plan_reader *r, const place *at, hml_term *t)
{
    static const char *const known[] = {"kind",     "role",           "name",      "knots",      "phase",
                                        "frame",    "representation", "reference", "references", "weight",
                                        "weights",  "knot_weights",   "lower",     "upper",      "hold",
                                        "friction", "normal",         "facets",    "other",      NULL};
    const place kind = hmli_json_member(at, "kind"), role = hmli_json_member(at, "role"),
                name = hmli_json_member(at, "name");
    const place representation = hmli_json_member(at, "representation");
    int words[3] = {0, 0, HML_MIXED};
    const char *text = NULL;
    *t = (hml_term){0};
    hml_status status = hmli_plan_keys(r, at, known);
    if (!status) status = hmli_json_need(&r->json, &kind);
    if (!status) status = hmli_plan_word(r, &kind, KINDS, &words[0]);
    if (!status) status = hmli_plan_word(r, &role, ROLES, &words[1]);
    if (!status) status = hmli_plan_word(r, &representation, REPRESENTATIONS, &words[2]);
    if (!status) status = hmli_json_text(&r->json, &name, &text);
    if (status) return status;
    t->kind = (hml_term_kind)words[0], t->role = (hml_term_role)words[1],
    t->representation = (hml_representation)words[2];
    if (text && !(t->name = hmli_arena_text(r->memory, text, strlen(text)))) return HML_OUT_OF_MEMORY;
    status = read_frames(r, at, t);
    if (!status) status = read_knots(r, at, t);
    if (!status) status = read_contact(r, at, t);
    if (!status) status = read_reference(r, at, t);
    if (!status) status = read_weights(r, at, t);
    return status ? status : read_bounds(r, at, t);
}

hml_status hmli_plan_terms(plan_reader *r, const place *list)
{
    hml_status status = hmli_json_need(&r->json, list);
    if (!status) status = hmli_json_array(&r->json, list);
    const size_t n = json_list_size(list->value);
    hml_term *terms = status ? NULL : hmli_plan_room(r, n, sizeof *terms);
    if (!terms) return status ? status : HML_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < n; i++) {
        const place at = hmli_json_element(list, i);
        status = read_term(r, &at, &terms[i]);
    }
    r->problem->terms = terms;
    r->problem->nterms = n;
    return status;
}
