/* hamel modes --locus WHAT=FROM:TO. */
#include "locus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/constraint.h"
#include "hamel/dynamics.h"
#include "hamel/edit.h"
#include "holds.h"
#include "linear.h"
#include "loops.h"
#include "modes.h"
#include "table.h"

enum { POINTS = 101, MOST_POINTS = 100001, TEXT = 256, CROSSINGS = 256 };

typedef enum what { MASS, STIFFNESS, DAMPING, SPEED, GRAVITY } what;

static const char *const KINDS[] = {"mass", "stiffness", "damping", "speed", "gravity"};
static const char *const UNITS[] = {"kg", "N m/rad or N/m", "N m s/rad", "x", "x"};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

/* what changes */
typedef struct parameter {
    what kind;
    int32_t index; /* of the body, or of the coordinate */
    double from, to;
    size_t points;
    char name[TEXT]; /* WHAT */
} parameter;

typedef struct walk {
    const cli_options *options;
    const robot *r;
    const parameter *p;
    size_t n;
    int failed; /* an exit status, with its message already printed */
} walk;

/* ---- the option ---- */

static int find(const robot *r, const char *name, parameter *p)
{
    if (p->kind == MASS) {
        const int status = holds_frame(r, name, strlen(name), &p->index);
        if (status != CLI_OK) return status;
        return p->index >= 0 && p->index < r->nbodies
                   ? CLI_OK
                   : cli_fail(CLI_INPUT, "%s: '%s' is a frame, not a body", r->file, name);
    }
    for (int32_t i = 0; i < r->nv; i++)
        if (strcmp(r->names[i], name) == 0 || strcmp(r->labels[i], name) == 0) {
            p->index = i;
            return CLI_OK;
        }
    return cli_fail(CLI_INPUT, "%s: --locus: there is no coordinate '%s'", r->file, name);
}

static int read_range(const char *text, parameter *p)
{
    char *end;
    p->from = strtod(text, &end);
    if (end == text || *end != ':' || !isfinite(p->from)) return 0;
    text = end + 1;
    p->to = strtod(text, &end);
    if (end == text || !isfinite(p->to)) return 0;
    p->points = POINTS;
    if (!*end) return 1;
    if (*end != ':') return 0;
    const long points = strtol(end + 1, &end, 10);
    p->points = points < 0 ? 0 : (size_t)points;
    return !*end;
}

static int read_parameter(const char *text, const robot *r, parameter *p)
{
    const char *equals = strrchr(text, '='), *colon = strchr(text, ':');
    static const char *const how = "--locus: mass:BODY, stiffness:JOINT, damping:JOINT, speed or gravity, then "
                                   "=FROM:TO or =FROM:TO:POINTS, not '%s'";
    if (!equals || (size_t)(equals - text) >= sizeof p->name || !read_range(equals + 1, p))
        return cli_fail(CLI_USAGE, how, text);
    memcpy(p->name, text, (size_t)(equals - text));
    p->name[equals - text] = 0;
    const int named = colon && colon < equals;
    const size_t length = named ? (size_t)(colon - text) : (size_t)(equals - text);
    int kind = 0;
    while (kind < KIND_COUNT && (strncmp(KINDS[kind], text, length) != 0 || KINDS[kind][length] != 0)) kind++;
    if (kind == KIND_COUNT || named != (kind <= DAMPING)) return cli_fail(CLI_USAGE, how, text);
    if (p->to == p->from) return cli_fail(CLI_USAGE, "--locus: FROM and TO differ, not '%s'", equals + 1);
    if (p->points < 2 || p->points > MOST_POINTS)
        return cli_fail(CLI_USAGE, "--locus: there are 2 to %d points, not as many as '%s' says", MOST_POINTS,
                        equals + 1);
    p->kind = (what)kind;
    if (p->kind == MASS && (p->from < 0 || p->to < 0)) return cli_fail(CLI_USAGE, "--locus: a mass is not negative");
    return named ? find(r, p->name + length + 1, p) : CLI_OK;
}

/* ---- A of a value ---- */

/* the robot with another mass, speed or gravity; its names, loops and file stay those of r */
static hml_status change(const walk *w, double value, robot *c)
{
    *c = *w->r;
    c->work = NULL, c->model = NULL;
    hml_status status = hml_model_copy(w->r->model, &c->model);
    if (!status && w->p->kind == MASS) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_inertia_spec spec = {.mass = value};
        status = hml_model_body(c->model, w->p->index, &body);
        const double factor = body.mass > 0 ? value / body.mass : 0;
        memcpy(spec.com, body.com, sizeof spec.com);
        for (int i = 0; i < 9; i++) spec.moment[i] = factor * body.moment[i];
        if (!status) status = hml_model_set_inertias(c->model, w->p->index, 1, &spec);
    }
    if (!status && w->p->kind == GRAVITY) {
        double g[3];
        hml_model_gravity(c->model, g);
        for (int i = 0; i < 3; i++) g[i] *= value;
        status = hml_model_set_gravity(c->model, g);
    }
    return status ? status : hml_work_new(c->model, w->options->isa, HML_USE_ALL, &c->work);
}

/* the forces of the motors that keep the motion steady; those of other coordinates stay */
static hml_status balance(const walk *w, const robot *c, double *tau)
{
    const size_t nv = (size_t)c->nv;
    hml_constraint items[CLI_HOLDS] = {{.kind = HML_HOLD_POINT}};
    const hml_constraints holds = loops_with(c, items, w->options->nholds);
    double *still = calloc(2 * nv + 1, sizeof *still), *found = still ? still + nv : NULL;
    size_t *columns = calloc(nv + 1, sizeof *columns);
    const char **names = calloc(nv + 1, sizeof *names);
    double *scratch = NULL;
    hml_status status = still && columns && names ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status && !w->options->nholds && !c->nloops) {
        status = hml_inverse_dynamics(c->model, c->work, c->state->q, c->state->v, still, c->wrenches, found);
    } else if (!status) {
        if (holds_read(w->options, c, items) != CLI_OK) status = HML_INVALID_ARGUMENT;
        scratch = malloc((hml_constraint_scratch_doubles(c->model, &holds) + 1) * sizeof *scratch);
        if (!scratch) status = HML_OUT_OF_MEMORY;
        const hml_constrained_dynamics motion = HML_STRUCT(hml_constrained_dynamics, .q = c->state->q, .v = c->state->v,
                                                           .a = still, .wrenches = c->wrenches, .torque = found);
        if (!status) status = hml_constrained_inverse_dynamics(c->model, c->work, &holds, scratch, &motion);
        if (status == HML_INCONSISTENT) { /* no equilibrium: the forces of the state */
            memcpy(found, tau, nv * sizeof *tau);
            status = HML_OK;
        }
    }
    const size_t count = status ? 0 : linear_inputs(c, w->options->all_inputs, columns, names);
    for (size_t i = 0; i < count; i++) tau[columns[i]] = found[columns[i]];
    free(scratch);
    free(names);
    free(columns);
    free(still);
    return status;
}

/* A − b k cᵀ of a spring or a damper on one coordinate: its force is an input, whether it has a motor or not */
static void add_gain(const walk *w, const linear_state *s, double value, double *A)
{
    const size_t n = s->n, f = n / 2, nv = (size_t)w->r->nv, at = (size_t)w->p->index, half = w->p->kind == DAMPING;
    for (size_t j = 0; j < n; j++) {
        double c = 0; /* what the coordinate does in state j */
        if (!s->Z) c = j == half * f + at;
        if (s->Z && !half && j < f) c = s->Z[at * f + j];
        if (s->Z && half) c = j < f ? s->X[at * f + j] : s->Z[at * f + j - f];
        for (size_t i = 0; c != 0 && i < n; i++) A[i * n + j] -= s->B[i * nv + at] * value * c;
    }
}

static hml_status matrix(void *context, double value, double *A)
{
    walk *w = context;
    robot c;
    linear_state s = {0};
    hml_status status = change(w, value, &c);
    const size_t nv = (size_t)w->r->nv;
    hml_state state = *w->r->state;
    double *room = calloc(2 * nv + 1, sizeof *room);
    if (!room) status = HML_OUT_OF_MEMORY;
    if (!status) {
        c.state = &state;
        state.tau = room, state.v = room + nv;
        for (size_t i = 0; i < nv; i++)
            state.tau[i] = w->r->state->tau[i], state.v[i] = w->r->state->v[i] * (w->p->kind == SPEED ? value : 1);
        status = balance(w, &c, state.tau);
    }
    if (!status) {
        cli_options all = *w->options;
        if (w->p->kind == STIFFNESS || w->p->kind == DAMPING) all.all_inputs = LINEAR_ALL;
        w->failed = system_read(&all, &c, &s);
        if (w->failed == CLI_OK && s.n == w->n) {
            memcpy(A, s.A, s.n * s.n * sizeof *A);
            if (w->p->kind == STIFFNESS || w->p->kind == DAMPING) add_gain(w, &s, value, A);
        }
        if (w->failed != CLI_OK || s.n != w->n) status = HML_INVALID_ARGUMENT;
    }
    system_free(&s);
    free(room);
    hml_work_free(c.work);
    hml_model_free(c.model);
    return status;
}

/* ---- answers ---- */

static void print_crossings(const locus_set *l)
{
    table_heading(stdout, "Where it becomes stable or unstable");
    if (l->count == 0) {
        printf("nowhere between %g and %g\n", l->values[0], l->values[l->points - 1]);
        return;
    }
    table *t = table_new(4, "rrrl");
    static const char *const heading[] = {"value", "eigenvalue (1/s)", "frequency (Hz)", ""};
    for (int i = 0; i < 4; i++) table_cell(t, heading[i]);
    for (size_t i = 0; i < l->count; i++) {
        const hml_locus_crossing *x = &l->crossings[i];
        const double width = fabs(l->values[l->points - 1] - l->values[0]);
        table_format(t, "%.10g", fabs(x->value) > 1e-12 * width ? x->value : 0.0);
        char text[TABLE_NUMBER_SIZE];
        table_number_text(x->eigenvalue[1], text);
        if (x->eigenvalue[1] > 0)
            table_format(t, "± %si", text);
        else
            table_cell(t, "0");
        table_number(t, mode_frequency(x->eigenvalue));
        table_cell(t, x->unstable ? "unstable from here on" : "stable from here on");
    }
    table_print(t, stdout);
    table_free(t);
}

static void print_ends(const locus_set *l)
{
    table *t = table_new(3, "rrr");
    table_cell(t, "branch");
    table_format(t, "at %g", l->values[0]);
    table_format(t, "at %g", l->values[l->points - 1]);
    for (size_t i = 0; i < l->n; i++) {
        table_format(t, "%zu", i + 1);
        for (size_t k = 0; k < 2; k++) {
            const double *z = l->eigenvalues + 2 * ((k ? l->points - 1 : 0) * l->n + i);
            table_format(t, "%.5g %+.5gi", z[0], z[1]);
        }
    }
    printf("%s from %g to %g %s, %zu values\n", l->name, l->values[0], l->values[l->points - 1], l->unit, l->points);
    table_heading(stdout, "Eigenvalues at both ends (1/s)");
    table_print(t, stdout);
    table_free(t);
}

static hml_result *result_of(const robot *r, const locus_set *l)
{
    const size_t shape[3] = {l->points, l->n, 2}, at[2] = {l->count, 2};
    hml_result *result = hml_result_new();
    double *room = calloc(3 * l->count + 1, sizeof *room);
    int *flags = calloc(l->count + 1, sizeof *flags);
    robot_add_common(r, HML_LEFT, result);
    hml_result_add_text(result, "parameter", l->name);
    hml_result_add_numbers(result, "values", 1, &l->points, l->values);
    hml_result_add_numbers(result, "eigenvalues", 3, shape, l->eigenvalues);
    if (!room || !flags) cli_lose_memory();
    for (size_t i = 0; room && flags && i < l->count; i++) {
        const hml_locus_crossing *x = &l->crossings[i];
        room[i] = x->value, flags[i] = x->unstable;
        room[l->count + 2 * i] = x->eigenvalue[0], room[l->count + 2 * i + 1] = x->eigenvalue[1];
    }
    if (room && flags) {
        hml_result_add_numbers(result, "crossings", 1, &l->count, room);
        hml_result_add_numbers(result, "crossing_eigenvalues", 2, at, room + l->count);
        hml_result_add_flags(result, "unstable_behind", l->count, flags);
    }
    free(flags);
    free(room);
    return result;
}

/* ---- the command ---- */

/* room for so many crossings; once more where there are more */
static hml_status solve(walk *w, locus_set *l, size_t room, double *scratch)
{
    free(l->crossings);
    l->crossings = calloc(room, sizeof *l->crossings);
    if (!l->crossings) return HML_OUT_OF_MEMORY;
    const hml_locus problem =
        HML_STRUCT(hml_locus, .n = l->n, .matrix = matrix, .context = w, .points = l->points, .values = l->values,
                   .eigenvalues = l->eigenvalues, .room = room, .crossings = l->crossings);
    const hml_status status = hml_locus_solve(&problem, scratch, &l->count);
    return status || l->count <= room ? status : solve(w, l, l->count, scratch);
}

static int compute(const cli_options *options, const robot *r, const parameter *p, locus_set *l)
{
    linear_state s = {0};
    walk w = {options, r, p, 0, CLI_OK};
    const int read = system_read(options, r, &s);
    l->n = w.n = s.n;
    system_free(&s);
    if (read != CLI_OK) return read;
    const size_t doubles = hml_locus_scratch_doubles(l->n);
    double *scratch = doubles < SIZE_MAX / sizeof *scratch ? malloc((doubles + 1) * sizeof *scratch) : NULL;
    l->values = calloc(l->points, sizeof *l->values);
    l->eigenvalues = calloc(l->points * l->n * 2, sizeof *l->eigenvalues);
    hml_status status = scratch && l->values && l->eigenvalues ? HML_OK : HML_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < l->points; i++)
        l->values[i] = p->from + (p->to - p->from) * (double)i / (double)(l->points - 1);
    if (!status) status = solve(&w, l, CROSSINGS, scratch);
    free(scratch);
    return w.failed != CLI_OK ? w.failed : status ? robot_fail(r, status) : CLI_OK;
}

int locus_run(const cli_options *options, const robot *r)
{
    parameter p = {.index = -1};
    locus_set l = {0};
    int status = read_parameter(options->locus, r, &p);
    l.name = p.name, l.points = p.points;
    if (status == CLI_OK) {
        snprintf(l.unit, sizeof l.unit, "%s", UNITS[p.kind]);
        status = compute(options, r, &p, &l);
    }
    if (status == CLI_OK && options->plot) status = locus_plot(r, &l, options->plot);
    if (status == CLI_OK && options->out) {
        status = robot_write(options, result_of(r, &l));
    } else if (status == CLI_OK) {
        robot_print_header(r, HML_LEFT);
        print_ends(&l);
        print_crossings(&l);
    }
    free(l.crossings);
    free(l.eigenvalues);
    free(l.values);
    return status;
}
