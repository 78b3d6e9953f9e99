/* hamel linearize: the exact linearization of one state. */
#include <stdlib.h>
#include <string.h>

#include "hamel/dynamics.h"
#include "hamel/linearize.h"
#include "hamel/representation.h"
#include "picture.h"
#include "table.h"

typedef struct linearized {
    double *A, *B, *acceleration; /* 2nv × 2nv, 2nv × nv and then 2nv × ninputs, nv */
    double *J;                    /* 6 × nv, scratch */
    const char **input_names;
    int ninputs;
    double *memory;
} linearized;

static int allocate(const robot *r, linearized *l)
{
    size_t n = (size_t)r->nv;
    l->memory = malloc((4 * n * n + 2 * n * n + n + 6 * n + 1) * sizeof *l->memory);
    l->input_names = calloc(n + 1, sizeof *l->input_names);
    if (!l->memory || !l->input_names) return 0;
    l->A = l->memory;
    l->B = l->A + 4 * n * n;
    l->acceleration = l->B + 2 * n * n;
    l->J = l->acceleration + n;
    return 1;
}

/* wrenches given in the world keep their direction while the robot turns: hml_linearize let them turn with it */
static hml_status hold_world_wrenches(const robot *r, linearized *l)
{
    const hml_state *s = r->state;
    const size_t n = (size_t)r->nv;
    hml_status status = HML_OK;
    for (int32_t i = 0; i < s->nwrenches && !status; i++) {
        hml_frame_motion motion = {.struct_size = sizeof motion, .J = l->J};
        if (!s->wrenches[i].in_world) continue;
        status = hml_frame(r->model, r->work, s->wrenches[i].frame, HML_MIXED, s->q, NULL, NULL, &motion);
        if (status) break;
        const double *Minv = l->B + n * n;
        double *Dq = l->A + 2 * n * n;
        status = hml_wrench_world_derivative(r->nv, l->J, s->wrenches[i].wrench, Minv, 2 * n, Dq);
    }
    return status;
}

/* keeps the columns of B that are wanted */
static hml_status select_inputs(const robot *r, int all, linearized *l)
{
    const size_t n = (size_t)r->nv;
    size_t *columns = calloc(n + 1, sizeof *columns), m = 0;
    if (!columns) return HML_OUT_OF_MEMORY;
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(r->model, i, &joint);
        for (int32_t k = 0; (all || joint.actuated) && k < joint.nv; k++) columns[joint.v + k] = 1;
    }
    for (size_t c = 0; c < n; c++) {
        if (!columns[c]) continue;
        l->input_names[m] = r->names[c];
        columns[m++] = c;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        for (size_t c = 0; c < m; c++) l->B[i * m + c] = l->B[i * n + columns[c]]; /* never overtakes what it reads */
    }
    l->ninputs = (int)m;
    free(columns);
    return HML_OK;
}

static hml_status compute(const robot *r, const cli_options *options, linearized *l)
{
    const hml_state *s = r->state;
    hml_linearization x = {.struct_size = sizeof x,
                           .q = {s->q, 0},
                           .v = {s->v, 0},
                           .tau = {s->tau, 0},
                           .wrenches = {r->wrenches, 0},
                           .acceleration = {l->acceleration, 0, 0},
                           .A = {l->A, 0, 0},
                           .B = {l->B, 0, 0}};
    hml_representation representation = options->representation;
    hml_status status = hml_linearize(r->model, r->work, &x);
    if (!status) status = hold_world_wrenches(r, l);
    if (!status) {
        status = hml_linearization_to_representation(r->model, representation, s->q, s->v, l->acceleration, r->nv, l->A,
                                                     l->B);
    }
    if (!status) status = select_inputs(r, options->all_inputs, l);
    if (status) return status;
    return hml_acceleration_to_representation(r->model, representation, s->q, s->v, l->acceleration, l->acceleration);
}

static hml_result *result_of(const robot *r, hml_representation representation, const linearized *l)
{
    const size_t n = (size_t)r->nv, m = (size_t)l->ninputs, A[2] = {2 * n, 2 * n}, B[2] = {2 * n, m};
    hml_result *result = hml_result_new();
    robot_add_common(r, representation, result);
    hml_result_add_numbers(result, "acceleration", 1, &n, l->acceleration);
    hml_result_add_numbers(result, "A", 2, A, l->A);
    hml_result_add_numbers(result, "B", 2, B, l->B);
    hml_result_add_texts(result, "input_names", m, l->input_names);
    hml_result_add_numbers(result, "velocity", 1, &n, r->v_rep);
    return result;
}

static void free_names(char **names, int n)
{
    for (int i = 0; names && i < n; i++) free(names[i]);
    free(names);
}

/* "q knee" for the perturbation of the configuration, "v knee" for that of the velocity; NULL when out of memory */
static char **state_names(const robot *r)
{
    int nv = r->nv;
    char **names = calloc(2 * (size_t)nv + 1, sizeof *names);
    for (int i = 0; names && i < 2 * nv; i++) {
        size_t size = strlen(r->names[i % nv]) + 3;
        names[i] = malloc(size);
        if (!names[i]) {
            free_names(names, i);
            return NULL;
        }
        snprintf(names[i], size, "%c %s", i < nv ? 'q' : 'v', r->names[i % nv]);
    }
    return names;
}

static void print_matrices(const robot *r, const linearized *l)
{
    const int nv = r->nv, n = 2 * nv;
    char **names = state_names(r);
    const char *const *rows = (const char *const *)names;
    static const char *const heading[] = {"acceleration"};
    if (!names) {
        cli_lose_memory();
        return;
    }
    table_matrix(stdout, "Acceleration", nv, 1, l->acceleration, 1, (const char *const *)r->names, heading);
    table_matrix(stdout, "A", n, n, l->A, (size_t)n, rows, rows);
    if (l->ninputs > 0) table_matrix(stdout, "B", n, l->ninputs, l->B, (size_t)l->ninputs, rows, l->input_names);
    free_names(names, n);
}

static int show(const robot *r, const cli_options *options, const linearized *l)
{
    const linear_system s = {l->A, l->B, l->ninputs, l->input_names};
    int status = CLI_OK;
    if (options->picture) status = picture_write(r, &s, options->picture);
    if (status == CLI_OK && options->out) status = robot_write(options, result_of(r, options->representation, l));
    if (status != CLI_OK || options->out) return status;
    robot_print_header(r, options->representation);
    if (options->spy)
        picture_spy(r, &s);
    else
        print_matrices(r, l);
    return CLI_OK;
}

int cli_linearize(const cli_options *options)
{
    robot r;
    linearized l = {0};
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) {
        hml_status computed = allocate(&r, &l) ? compute(&r, options, &l) : HML_OUT_OF_MEMORY;
        if (computed) status = robot_fail(&r, computed);
    }
    if (status == CLI_OK) status = show(&r, options, &l);
    free(l.input_names);
    free(l.memory);
    robot_free(&r);
    return status;
}
