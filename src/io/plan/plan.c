/*
 * Optimal control problems:
 *
 *   {"model": "quadruped", "start": {"joints": …}, "phases": […], "inputs": …, "bounds": …, "terms": […], "guess": …,
 *    "solver": …}
 *
 * Unlike models and states, a problem has no keys that are ignored: a weight that is misspelt would be another problem.
 */
#include "io/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "io/common/environment.h"
#include "io/common/file.h"
#include "io/reader.h"

typedef struct plan_object {
    hml_plan_file file; /* first */
    hml_problem problem;
    hml_solve_options options;
    hml_state *start;
    arena memory;
} plan_object;

/* ---- what the parts share ---- */

void *hmli_plan_room(plan_reader *r, size_t count, size_t size)
{
    void *room = count <= SIZE_MAX / size - 1 ? hmli_arena_get(r->memory, (count + 1) * size) : NULL;
    if (!room) (void)hmli_report_memory(r->json.error, r->json.file);
    return room;
}

hml_status hmli_plan_keys(const plan_reader *r, const place *object, const char *const known[])
{
    uint32_t at = 0;
    hml_status status = hmli_json_object(&r->json, object);
    const char *key = status ? NULL : hmli_json_unknown(object, known, &at);
    if (!key) return status;
    place member = {object, key, 0, NULL};
    return hmli_json_fail(&r->json, &member, "the key is unknown");
}

/* appends the numbers of a value; lists in it one after the other */
static hml_status flatten(const plan_reader *r, const place *at, size_t n, double *x, size_t *count)
{
    if (!json_is(at->value, JSON_LIST)) {
        if (*count >= n) return hmli_json_fail(&r->json, at, "more than %zu numbers", n);
        return hmli_json_number(&r->json, at, &x[(*count)++]);
    }
    for (size_t i = 0; i < at->value->n; i++) {
        const place item = hmli_json_element(at, i);
        const hml_status status = flatten(r, &item, n, x, count);
        if (status) return status;
    }
    return HML_OK;
}

hml_status hmli_plan_numbers(plan_reader *r, const place *at, size_t n, const double **x)
{
    *x = NULL;
    if (!at->value) return HML_OK;
    hml_status status = hmli_json_array(&r->json, at);
    double *room = status ? NULL : hmli_plan_room(r, n, sizeof *room);
    size_t count = 0;
    if (status) return status;
    if (!room) return HML_OUT_OF_MEMORY;
    status = flatten(r, at, n, room, &count);
    if (!status && count != n) status = hmli_json_fail(&r->json, at, "%zu numbers where %zu are needed", count, n);
    *x = room;
    return status;
}

hml_status hmli_plan_each(plan_reader *r, const place *at, size_t n, double infinity, const double **x)
{
    *x = NULL;
    if (!at->value) return HML_OK;
    double *room = hmli_plan_room(r, n, sizeof *room);
    if (!room) return HML_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++) room[i] = infinity;
    *x = room;
    if (json_is(at->value, JSON_NULL)) return HML_OK;
    if (json_is(at->value, JSON_NUMBER)) {
        double all = 0;
        const hml_status status = hmli_json_number(&r->json, at, &all);
        for (size_t i = 0; i < n; i++) room[i] = all;
        return status;
    }
    hml_status status = hmli_json_array(&r->json, at);
    if (!status && json_list_size(at->value) != n)
        status = hmli_json_fail(&r->json, at, "%zu entries where %zu are needed", json_list_size(at->value), n);
    for (size_t i = 0; !status && i < n; i++) {
        const place item = hmli_json_element(at, i);
        if (!json_is(item.value, JSON_NULL)) status = hmli_json_number(&r->json, &item, &room[i]);
    }
    return status;
}

hml_status hmli_plan_count(const plan_reader *r, const place *at, double least, double most, size_t *x)
{
    double number = 0;
    if (!at->value) return HML_OK;
    const hml_status status = hmli_json_number(&r->json, at, &number);
    if (status) return status;
    if (!(number >= least && number <= most) || number != floor(number))
        return hmli_json_fail(&r->json, at, "must be a whole number from %.0f to %.0f", least, most);
    *x = (size_t)number;
    return HML_OK;
}

hml_status hmli_plan_word(const plan_reader *r, const place *at, const char *const words[], int *x)
{
    const char *word = NULL;
    char all[256] = "";
    const hml_status status = hmli_json_text(&r->json, at, &word);
    if (status || !word) return status;
    const int index = hmli_word_index(word, words);
    if (index >= 0) {
        *x = index;
        return HML_OK;
    }
    for (size_t i = 0; words[i]; i++) {
        strncat(all, i ? ", " : "", sizeof all - strlen(all) - 1);
        strncat(all, words[i], sizeof all - strlen(all) - 1);
    }
    return hmli_json_fail(&r->json, at, QUOTED " is none of: %s", word, all);
}

hml_status hmli_plan_frame(const plan_reader *r, const place *at, int32_t *frame)
{
    const char *name = NULL;
    hml_status status = hmli_json_need(&r->json, at);
    if (!status) status = hmli_json_text(&r->json, at, &name);
    if (status) return status;
    *frame = hml_model_find_frame(r->model, name);
    if (*frame >= 0) return HML_OK;
    (void)hmli_json_fail(&r->json, at, "the model has no frame " QUOTED, name);
    if (r->json.error) r->json.error->status = HML_NOT_FOUND;
    return HML_NOT_FOUND;
}

/* ---- the model ---- */

static int is_builtin(const char *name)
{
    for (int32_t i = 0; i < hml_builtin_count(); i++)
        if (strcmp(hml_builtin_name(i), name) == 0) return 1;
    return 0;
}

/* beside the problem's file; in its own memory */
static char *path_of(plan_reader *r, const char *name)
{
    const char *slash = r->json.file ? strrchr(r->json.file, '/') : NULL;
    const size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - r->json.file) + 1, size = strlen(name);
    char *path = hmli_plan_room(r, folder + size, 1);
    if (!path) return NULL;
    if (folder) memcpy(path, r->json.file, folder);
    memcpy(path + folder, name, size + 1);
    return path;
}

/* what is wrong with the model's file, after the place of its name in this one */
static hml_status refuse_model(const plan_reader *r, const hml_error *e)
{
    char line[16] = "";
    if (e->line > 0) snprintf(line, sizeof line, ":%d", e->line);
    return hmli_report(r->json.error, e->status, r->json.file, 0, "/model: %s%s%s%s", e->file, line,
                       e->file[0] ? ": " : "", e->message);
}

static hml_status read_model(plan_reader *r, const place *file, const hml_load_options *given, hml_plan_file *plan)
{
    static const char *const bases[] = {"auto", "free", "fixed", NULL};
    const place model = hmli_json_member(file, "model"), base = hmli_json_member(file, "base");
    const place gravity = hmli_json_member(file, "gravity");
    hml_load_options options;
    const char *name = NULL;
    double g[3];
    int kind = 0;
    hml_load_options_init(&options);
    if (given && !struct_read(&options, given, sizeof options, STRUCT_END(hml_load_options, format)))
        return hmli_report(r->json.error, HML_INVALID_ARGUMENT, NULL, 0, "options are not initialized");
    hml_status status = hmli_json_need(&r->json, &model);
    if (!status) status = hmli_json_text(&r->json, &model, &name);
    if (!status) status = hmli_plan_word(r, &base, bases, &kind);
    if (!status && gravity.value) status = hmli_json_numbers(&r->json, &gravity, 3, g);
    if (status) return status;
    if (options.base == HML_BASE_AUTO) options.base = (hml_base_kind)kind;
    if (gravity.value && !options.gravity) options.gravity = g;
    plan->builtin = is_builtin(name);
    char *path = plan->builtin ? hmli_arena_text(r->memory, name, strlen(name)) : path_of(r, name);
    if (!path) return hmli_report_memory(r->json.error, r->json.file);
    plan->model_name = path;
    hml_error error = {0};
    status = plan->builtin ? hml_load_builtin(name, &options, &plan->model, &error)
                           : hml_load(path, &options, &plan->model, &error);
    r->model = plan->model;
    return status ? refuse_model(r, &error) : HML_OK;
}

/* ---- guess and solver ---- */

static hml_status read_guess(plan_reader *r, const place *at, hml_plan_file *plan)
{
    static const char *const known[] = {"input", NULL};
    const place input = hmli_json_member(at, "input");
    const double *u;
    if (!at->value) return HML_OK;
    hml_status status = hmli_plan_keys(r, at, known);
    if (status || !input.value) return status;
    const place first = hmli_json_element(&input, 0);
    if (json_is(first.value, JSON_LIST)) return hmli_plan_numbers(r, &input, r->knots * r->ninputs, &plan->u);
    status = hmli_plan_each(r, &input, r->ninputs, 0, &u);
    double *all = status ? NULL : hmli_plan_room(r, r->knots * r->ninputs, sizeof *all);
    if (!all) return status ? status : HML_OUT_OF_MEMORY;
    for (size_t i = 0; i < r->knots * r->ninputs; i++) all[i] = u[i % r->ninputs];
    plan->u = all;
    return HML_OK;
}

static hml_status read_options(const plan_reader *r, const place *at, hml_solve_options *o)
{
    static const char *const known[] = {"iterations", "seconds", "tolerance", "violation", "penalty", NULL};
    double *const numbers[] = {&o->seconds, &o->tolerance, &o->violation, &o->penalty};
    size_t iterations = 0;
    if (!at->value) return HML_OK;
    hml_status status = hmli_plan_keys(r, at, known);
    const place count = hmli_json_member(at, known[0]);
    if (!status) status = hmli_plan_count(r, &count, 1, 1e6, &iterations);
    o->iterations = (int32_t)iterations;
    for (int i = 0; !status && i < 4; i++) {
        const place x = hmli_json_member(at, known[i + 1]);
        if (!x.value) continue;
        status = hmli_json_number(&r->json, &x, numbers[i]);
        if (!status && !(*numbers[i] > 0)) status = hmli_json_fail(&r->json, &x, "must be above 0");
    }
    return status;
}

/* ---- the whole ---- */

static hml_status read_parts(plan_reader *r, const place *file, plan_object *plan)
{
    static const char *const parts[] = {"phases", "inputs", "bounds", "terms"};
    hml_status (*const read[])(plan_reader *, const place *) = {hmli_plan_phases, hmli_plan_inputs, hmli_plan_bounds,
                                                                hmli_plan_terms};
    const place start = hmli_json_member(file, "start");
    hml_status status = hmli_state_read(&r->json, &start, r->model, &plan->start);
    if (status) return status;
    for (int32_t i = 0; i < plan->start->nwarnings; i++) /* here unknown keys are mistakes */
        return hmli_json_fail(&r->json, &start, "%s", plan->start->warnings[i]);
    r->start = plan->start;
    r->problem->q = plan->start->q;
    r->problem->v = plan->start->v;
    status = hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_ALL, &r->work);
    if (status) return hmli_report_memory(r->json.error, r->json.file);
    if (plan->start->nwrenches) return hmli_json_fail(&r->json, &start, "a plan has no wrenches from outside");
    status = hmli_plan_loops(r, &start);
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++) {
        const place part = hmli_json_member(file, parts[i]);
        status = read[i](r, &part);
    }
    const place guess = hmli_json_member(file, "guess"), solver = hmli_json_member(file, "solver");
    if (!status) status = read_guess(r, &guess, &plan->file);
    return status ? status : read_options(r, &solver, &plan->options);
}

static hml_status read_plan(plan_reader *r, const place *file, const hml_load_options *options, plan_object *plan)
{
    static const char *const known[] = {"hamel_plan", "name",   "model", "base",  "gravity", "start", "phases",
                                        "inputs",     "bounds", "terms", "guess", "solver",  NULL};
    const place version = hmli_json_member(file, "hamel_plan");
    size_t number = 1;
    hml_status status = hmli_plan_keys(r, file, known);
    if (!status) status = hmli_plan_count(r, &version, 1, 1, &number);
    if (!status) status = read_model(r, file, options, &plan->file);
    if (status) return status;
    r->nq = (size_t)hml_model_nq(r->model);
    r->nv = (size_t)hml_model_nv(r->model);
    r->problem->model = r->model;
    if (r->nv < 1) {
        const place model = hmli_json_member(file, "model");
        return hmli_json_fail(&r->json, &model, "nothing of it can move");
    }
    return read_parts(r, file, plan);
}

hml_status hml_plan_load_memory(const void *data, size_t size, const char *name, const hml_load_options *options,
                                hml_plan_file **plan, hml_error *error)
{
    if (!plan || (!data && size > 0))
        return hmli_report(error, HML_INVALID_ARGUMENT, name, 0, "there is no problem to load");
    *plan = NULL;
    plan_object *x = calloc(1, sizeof *x);
    if (!x) return hmli_report_memory(error, name);
    x->problem.struct_size = sizeof x->problem;
    x->options.struct_size = sizeof x->options;
    x->file = (hml_plan_file){.struct_size = sizeof x->file, .problem = &x->problem, .options = &x->options};
    plan_reader r = {.json = {name, error}, .memory = &x->memory, .problem = &x->problem};
    arena tree = {0};
    environment numbers;
    const json_value *root = NULL;
    environment_enter(&numbers);
    hml_status status = hmli_json_tree(&tree, name, size ? data : "", size, &root, error);
    const place file = {.value = root};
    if (!status) status = read_plan(&r, &file, options, x);
    hml_work_free(r.work);
    hmli_arena_free(&tree);
    environment_leave(&numbers);
    if (status)
        hml_plan_free(&x->file);
    else
        *plan = &x->file;
    return status;
}

hml_status hml_plan_load(const char *path, const hml_load_options *options, hml_plan_file **plan, hml_error *error)
{
    if (!path || !plan) return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is no problem to load");
    char *data;
    size_t size;
    *plan = NULL;
    hml_status status = hmli_file_read(path, &data, &size, error);
    if (status) return status;
    status = hml_plan_load_memory(data, size, path, options, plan, error);
    free(data);
    return status;
}

void hml_plan_free(hml_plan_file *plan)
{
    plan_object *x = (plan_object *)plan;
    if (!x) return;
    hml_state_free(x->start);
    hml_model_free(x->file.model);
    hmli_arena_free(&x->memory);
    free(x);
}
