/* Phases with their holds, inputs and bounds of an optimal control problem. */
#include <math.h>
#include <string.h>

#include "hamel/kinematics.h"
#include "io/plan/plan.h"

static const char *const KINDS[] = {"frame", "point", "plane", NULL}; /* hml_constraint_kind */

/* ---- holds ---- */

/* "foot" or "foot:point" */
static hml_status read_short_hold(const plan_reader *r, const place *at, hml_constraint *c)
{
    char name[256];
    const char *text = at->value->is.text, *colon = strrchr(text, ':');
    const size_t size = colon ? (size_t)(colon - text) : strlen(text);
    if (size >= sizeof name) return hmli_json_fail(&r->json, at, "the name is too long");
    memcpy(name, text, size);
    name[size] = 0;
    c->kind = HML_HOLD_POINT;
    for (int i = 0; colon && KINDS[i]; i++) {
        if (strcmp(colon + 1, KINDS[i]) == 0) c->kind = (hml_constraint_kind)i, colon = NULL;
    }
    if (colon) return hmli_json_fail(&r->json, at, "a hold is a frame, point or plane, not " QUOTED, colon + 1);
    const json_value word = {.is.text = name, .kind = JSON_TEXT};
    const place frame = {at->up, at->key, at->index, &word};
    return hmli_plan_frame(r, &frame, &c->frame);
}

static hml_status read_long_hold(const plan_reader *r, const place *at, hml_constraint *c)
{
    static const char *const known[] = {"frame", "kind", "normal", "damping", "stiffness", NULL};
    const place frame = hmli_json_member(at, known[0]), kind = hmli_json_member(at, known[1]);
    const place normal = hmli_json_member(at, known[2]), damping = hmli_json_member(at, known[3]);
    const place stiffness = hmli_json_member(at, known[4]);
    int word = HML_HOLD_POINT;
    hml_status status = hmli_plan_keys(r, at, known);
    if (!status) status = hmli_plan_frame(r, &frame, &c->frame);
    if (!status) status = hmli_plan_word(r, &kind, KINDS, &word);
    if (!status && normal.value) status = hmli_json_numbers(&r->json, &normal, 3, c->normal);
    if (!status) status = hmli_json_number(&r->json, &damping, &c->damping);
    if (!status && !(c->damping >= 0)) status = hmli_json_fail(&r->json, &damping, "must not be negative");
    if (!status) status = hmli_json_number(&r->json, &stiffness, &c->stiffness);
    if (!status && !(c->stiffness >= 0)) status = hmli_json_fail(&r->json, &stiffness, "must not be negative");
    c->kind = (hml_constraint_kind)word;
    return status;
}

/* held where it is at the start */
static hml_status read_hold(const plan_reader *r, const place *at, hml_constraint *c)
{
    *c = (hml_constraint){.normal = {0, 0, 1}};
    hml_status status = json_is(at->value, JSON_TEXT) ? read_short_hold(r, at, c) : read_long_hold(r, at, c);
    if (status) return status;
    const hml_frame_motion x = HML_STRUCT(hml_frame_motion, .pose = c->pose);
    status = hml_frame(r->model, r->work, c->frame, HML_LEFT, r->start->q, NULL, NULL, &x);
    return status ? hmli_json_fail(&r->json, at, "%s", hml_status_message(status)) : HML_OK;
}

static hml_status read_holds(plan_reader *r, const place *list, const hml_constraints **holds)
{
    const hml_status listed = hmli_json_array(&r->json, list);
    const size_t n = json_list_size(list->value);
    if (listed || (n == 0 && !r->loops)) return listed;
    hml_constraints *set = hmli_plan_room(r, 1, sizeof *set);
    hml_constraint *items = set ? hmli_plan_room(r, n, sizeof *items) : NULL;
    if (!items) return HML_OUT_OF_MEMORY;
    *set = HML_STRUCT(hml_constraints, .items = items, .count = (int32_t)n, .loops = r->loops,
                      .loop_count = r->loops ? hml_model_nloops(r->model) : 0);
    for (size_t i = 0; i < n; i++) {
        const place at = hmli_json_element(list, i);
        const hml_status status = read_hold(r, &at, &items[i]);
        if (status) return status;
    }
    *holds = set;
    return HML_OK;
}

/* ---- loops ---- */

/* by how much the start leaves loops open: a closing that is content with everything */
static hml_status measure_loops(plan_reader *r, int32_t n, double *error)
{
    const hml_constraints set = HML_STRUCT(hml_constraints, .loops = r->loops, .loop_count = n);
    hml_closing_report report = HML_STRUCT(hml_closing_report, .error = 0);
    double *q = hmli_plan_room(r, r->nq, sizeof *q);
    double *scratch = hmli_plan_room(r, hml_closing_scratch_doubles(r->model, &set), sizeof *scratch);
    if (!q || !scratch) return HML_OUT_OF_MEMORY;
    const hml_closing x = HML_STRUCT(hml_closing, .guess = r->start->q, .q = q, .tolerance = 1e300, .ignore_limits = 1,
                                     .report = &report);
    const hml_status status = hml_configuration_close(r->model, r->work, &set, scratch, &x, NULL);
    *error = report.error;
    return status;
}

hml_status hmli_plan_loops(plan_reader *r, const place *start)
{
    static const double closed = 1e-6; /* m, rad: what an integrator or a rounded file leaves */
    const int32_t n = hml_model_nloops(r->model);
    double error = 0;
    if (n == 0) return HML_OK;
    r->loops = hmli_plan_room(r, (size_t)n, sizeof *r->loops);
    if (!r->loops) return HML_OUT_OF_MEMORY;
    for (int32_t i = 0; i < n; i++) hml_model_loop(r->model, i, &r->loops[i]);
    const hml_status status = measure_loops(r, n, &error);
    if (status) return hmli_json_fail(&r->json, start, "%s", hml_status_message(status));
    if (!(error > closed)) return HML_OK;
    return hmli_json_fail(&r->json, start,
                          "the state leaves a loop of the model open by %.3g m or rad; hamel trim --close --save FILE "
                          "finds one that does not",
                          error);
}

/* ---- phases ---- */

static hml_status read_scheme(plan_reader *r, const place *phase, hml_scheme *scheme)
{
    const place at = hmli_json_member(phase, "scheme");
    const char *name = "euler";
    hml_status status = hmli_json_text(&r->json, &at, &name);
    if (!status && hml_scheme_from_name(name, scheme))
        status = hmli_json_fail(&r->json, &at, "%s is not a scheme: euler, rk2 or rk4", name);
    return status;
}

static hml_status read_phase(plan_reader *r, const place *at, hml_phase *phase)
{
    static const char *const known[] = {"knots", "step", "holds", "impact", "name", "scheme", NULL};
    const place knots = hmli_json_member(at, known[0]), step = hmli_json_member(at, known[1]);
    const place holds = hmli_json_member(at, known[2]), impact = hmli_json_member(at, known[3]);
    *phase = (hml_phase){.knots = 1};
    hml_status status = hmli_plan_keys(r, at, known);
    if (!status) status = hmli_json_flag(&r->json, &impact, &phase->impact);
    if (!status && !phase->impact) status = hmli_json_need(&r->json, &knots);
    if (!status && !phase->impact) status = hmli_json_need(&r->json, &step);
    if (!status) status = hmli_plan_count(r, &knots, 1, 1e6, &phase->knots);
    if (!status) status = hmli_json_number(&r->json, &step, &phase->h);
    if (!status && step.value && !(phase->h > 0)) status = hmli_json_fail(&r->json, &step, "must be above 0 seconds");
    if (!status) status = read_scheme(r, at, &phase->scheme);
    return status ? status : read_holds(r, &holds, &phase->holds);
}

hml_status hmli_plan_phases(plan_reader *r, const place *list)
{
    hml_status status = hmli_json_need(&r->json, list);
    if (!status) status = hmli_json_array(&r->json, list);
    const size_t n = json_list_size(list->value);
    if (!status && n == 0) status = hmli_json_fail(&r->json, list, "there must be at least one phase");
    hml_phase *phases = status ? NULL : hmli_plan_room(r, n, sizeof *phases);
    if (!phases) return status ? status : HML_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < n; i++) {
        const place at = hmli_json_element(list, i);
        status = read_phase(r, &at, &phases[i]);
        r->knots += phases[i].knots;
    }
    r->problem->phases = phases;
    r->problem->nphases = n;
    return status;
}

/* ---- inputs ---- */

/* coordinates of joints: "actuated", "all" or names */
static hml_status read_joints(plan_reader *r, const place *at, int32_t *columns, size_t *count)
{
    static const char *const words[] = {"actuated", "all", NULL};
    int all = 0;
    const int named = json_is(at->value, JSON_LIST);
    hml_status status = named ? HML_OK : hmli_plan_word(r, at, words, &all);
    *count = 0;
    for (int32_t i = 0; !status && !named && i < hml_model_njoints(r->model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        hml_model_joint(r->model, i, &j);
        for (int32_t k = 0; j.v >= 0 && (all || j.actuated) && k < j.nv; k++) columns[(*count)++] = j.v + k;
    }
    for (size_t i = 0; !status && named && i < at->value->n; i++) {
        const place item = hmli_json_element(at, i);
        hml_joint_info j = {.struct_size = sizeof j};
        const char *name = NULL;
        status = hmli_json_text(&r->json, &item, &name);
        if (status) break;
        const int32_t joint = hml_model_find_joint(r->model, name);
        if (joint < 0 || hml_model_joint(r->model, joint, &j) || j.v < 0)
            return hmli_json_fail(&r->json, &item, "the model has no joint " QUOTED " that moves by itself", name);
        for (int32_t k = 0; k < j.nv; k++) {
            if (*count == r->nv) return hmli_json_fail(&r->json, &item, "a joint is named twice");
            columns[(*count)++] = j.v + k;
        }
    }
    return status;
}

/* the column of a wrench at a frame of the free root's body: constant, whatever the robot does */
static hml_status read_rotor(plan_reader *r, const place *at, size_t column, size_t columns, double *B)
{
    static const char *const known[] = {"frame", "wrench", NULL};
    const place frame = hmli_json_member(at, known[0]), wrench = hmli_json_member(at, known[1]);
    hml_frame_info f = {.struct_size = sizeof f};
    hml_body_info body = {.struct_size = sizeof body};
    hml_joint_info root = {.struct_size = sizeof root};
    double w[6];
    int32_t index;
    hml_status status = hmli_plan_keys(r, at, known);
    if (!status) status = hmli_plan_frame(r, &frame, &index);
    if (!status) status = hmli_json_need(&r->json, &wrench);
    if (!status) status = hmli_json_numbers(&r->json, &wrench, 6, w);
    if (status) return status;
    (void)hml_model_frame(r->model, index, &f);
    if (f.body < 0 || hml_model_body(r->model, f.body, &body) || hml_model_joint(r->model, body.joint, &root) ||
        root.type != HML_JOINT_FREE || body.parent >= 0)
        return hmli_json_fail(&r->json, &frame, "a rotor is on the body of the free base");
    double *J = hmli_plan_room(r, 6 * r->nv, sizeof *J);
    if (!J) return HML_OUT_OF_MEMORY;
    status =
        hml_frame(r->model, r->work, index, HML_LEFT, r->start->q, NULL, NULL, &HML_STRUCT(hml_frame_motion, .J = J));
    for (size_t i = 0; !status && i < r->nv; i++)
        for (size_t k = 0; k < 6; k++) B[i * columns + column] += J[k * r->nv + i] * w[k];
    return status;
}

static hml_status read_rotors(plan_reader *r, const place *at, int32_t *columns)
{
    static const char *const known[] = {"rotors", "joints", NULL};
    const place rotors = hmli_json_member(at, known[0]), joints = hmli_json_member(at, known[1]);
    size_t count;
    hml_status status = hmli_plan_keys(r, at, known);
    if (!status) status = hmli_json_need(&r->json, &rotors);
    if (!status) status = hmli_json_array(&r->json, &rotors);
    if (!status) status = read_joints(r, &joints, columns, &count);
    if (status) return status;
    const size_t n = json_list_size(rotors.value), m = n + count;
    double *B = hmli_plan_room(r, r->nv * m, sizeof *B);
    if (!B) return HML_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < n; i++) {
        const place item = hmli_json_element(&rotors, i);
        status = read_rotor(r, &item, i, m, B);
    }
    for (size_t i = 0; i < count; i++) B[(size_t)columns[i] * m + n + i] = 1;
    r->problem->actuation = B;
    r->problem->ninputs = m;
    return status;
}

hml_status hmli_plan_inputs(plan_reader *r, const place *at)
{
    int32_t *columns = hmli_plan_room(r, r->nv, sizeof *columns);
    if (!columns) return HML_OUT_OF_MEMORY;
    if (json_is(at->value, JSON_OBJECT)) {
        const hml_status status = read_rotors(r, at, columns);
        r->ninputs = r->problem->ninputs;
        return status;
    }
    const hml_status status = read_joints(r, at, columns, &r->ninputs);
    if (status) return status;
    if (r->ninputs == 0)
        return hmli_json_fail(&r->json, at,
                              "no joint of the model is actuated; \"all\" gives every coordinate an input");
    r->problem->inputs = columns;
    r->problem->ninputs = r->ninputs;
    return HML_OK;
}

/* ---- bounds ---- */

/* the efforts that the model allows */
static hml_status model_bounds(plan_reader *r)
{
    double *lower = hmli_plan_room(r, r->ninputs, sizeof *lower), *upper = hmli_plan_room(r, r->ninputs, sizeof *upper);
    if (!lower || !upper) return HML_OUT_OF_MEMORY;
    for (size_t i = 0; i < r->ninputs; i++) lower[i] = -INFINITY, upper[i] = INFINITY;
    for (int32_t j = 0; r->problem->inputs && j < hml_model_njoints(r->model); j++) {
        hml_joint_info x = {.struct_size = sizeof x};
        hml_model_joint(r->model, j, &x);
        for (size_t i = 0; x.v >= 0 && i < r->ninputs; i++) {
            const int32_t k = r->problem->inputs[i] - x.v;
            if (k >= 0 && k < x.nv && x.effort_limit[k] > 0)
                lower[i] = -x.effort_limit[k], upper[i] = x.effort_limit[k];
        }
    }
    r->problem->lower.data = lower;
    r->problem->upper.data = upper;
    return HML_OK;
}

hml_status hmli_plan_bounds(plan_reader *r, const place *at)
{
    static const char *const known[] = {"lower", "upper", NULL}, *const words[] = {"model", NULL};
    int word = 0;
    if (!at->value) return HML_OK;
    if (json_is(at->value, JSON_TEXT)) {
        const hml_status status = hmli_plan_word(r, at, words, &word);
        return status ? status : model_bounds(r);
    }
    const place lower = hmli_json_member(at, known[0]), upper = hmli_json_member(at, known[1]);
    hml_status status = hmli_plan_keys(r, at, known);
    if (!status) status = hmli_plan_each(r, &lower, r->ninputs, -INFINITY, &r->problem->lower.data);
    if (!status) status = hmli_plan_each(r, &upper, r->ninputs, INFINITY, &r->problem->upper.data);
    for (size_t i = 0; !status && lower.value && upper.value && i < r->ninputs; i++) {
        if (!(r->problem->lower.data[i] <= r->problem->upper.data[i]))
            status = hmli_json_fail(&r->json, at, "input %zu has no value between %g and %g", i,
                                    r->problem->lower.data[i], r->problem->upper.data[i]);
    }
    return status;
}
