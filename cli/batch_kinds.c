/* What linearize and dynamics compute about a state of --states. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "hamel/linearize.h"
#include "hamel/representation.h"
#include "linear.h"

/* ---- linearize ---- */

enum { LINEAR_A, LINEAR_B, LINEAR_ACCELERATION };

typedef struct linear_own {
    size_t ninputs, *columns;
    const char **names;
    double *Minv;         /* of a chunk: nv × nv each; NULL without B */
    double *acceleration; /* of a chunk, if it is not selected */
} linear_own;

static void linear_close(batch_worker *w)
{
    linear_own *own = w->own;
    free(own->columns);
    free((void *)own->names);
    free(own->Minv);
    free(own->acceleration);
    free(own);
    w->own = NULL;
}

/* which coordinates are inputs */
static int find_inputs(const cli_options *options, const robot *r, linear_own *own)
{
    own->columns = calloc((size_t)r->nv + 1, sizeof *own->columns);
    own->names = calloc((size_t)r->nv + 1, sizeof *own->names);
    if (!own->columns || !own->names) return 0;
    own->ninputs = linear_inputs(r, options->all_inputs, own->columns, own->names);
    return 1;
}

static int linear_columns(const cli_options *options, const robot *r, hml_column columns[BATCH_COLUMNS])
{
    const size_t n = (size_t)r->nv;
    size_t m = 0;
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(r->model, i, &joint);
        if (options->all_inputs || joint.actuated) m += (size_t)joint.nv;
    }
    columns[LINEAR_A] = (hml_column){.name = "A", .rank = 2, .shape = {2 * n, 2 * n}};
    columns[LINEAR_B] = (hml_column){.name = "B", .rank = 2, .shape = {2 * n, m}};
    columns[LINEAR_ACCELERATION] = (hml_column){.name = "acceleration", .rank = 1, .shape = {n}};
    return 3;
}

static int linear_head(const cli_options *options, const robot *r, hml_result *result)
{
    linear_own own = {0};
    int status = CLI_OK;
    if (find_inputs(options, r, &own))
        hml_result_add_texts(result, "input_names", own.ninputs, own.names);
    else
        status = robot_fail(r, HML_OUT_OF_MEMORY);
    free(own.columns);
    free((void *)own.names);
    return status;
}

static int linear_open(batch_worker *w, size_t most)
{
    const size_t n = (size_t)w->r->nv;
    linear_own *own = w->own = calloc(1, sizeof *own);
    int there = own && find_inputs(w->options, w->r, own);
    if (there && w->out[LINEAR_B]) there = (own->Minv = malloc(most * n * n * sizeof(double))) != NULL;
    if (there && !w->out[LINEAR_ACCELERATION]) there = (own->acceleration = malloc(most * n * sizeof(double))) != NULL;
    return there ? CLI_OK : robot_fail(w->r, HML_OUT_OF_MEMORY);
}

/* B = [0; M⁻¹] of the inputs */
static void fill_inputs(const linear_own *own, size_t n, const double *Minv, double *B)
{
    const size_t m = own->ninputs, *columns = own->columns;
    memset(B, 0, n * m * sizeof *B);
    B += n * m;
    if (m > 0 && columns[m - 1] - columns[0] == m - 1) { /* one after the other, as behind a free base */
        for (size_t i = 0; i < n; i++) memcpy(B + i * m, Minv + i * n + columns[0], m * sizeof *B);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < m; c++) B[i * m + c] = Minv[i * n + columns[c]];
    }
}

static void linear_run(batch_worker *w)
{
    const linear_own *own = w->own;
    const robot *r = w->r;
    const size_t nq = (size_t)r->nq, n = (size_t)r->nv, m = own->ninputs;
    double *A = w->out[LINEAR_A], *B = w->out[LINEAR_B], *a = w->out[LINEAR_ACCELERATION];
    if (!a) a = own->acceleration;
    const hml_linearization x = {.struct_size = sizeof x,
                                 .q = {w->q, nq},
                                 .v = {w->v, n},
                                 .tau = {w->tau, n},
                                 .acceleration = {a, 0, 0},
                                 .A = {A, 0, 0},
                                 .Minv = {own->Minv, 0, 0}};
    const hml_status whole = hml_linearize_batch(r->model, w->work, w->count, &x, w->status);
    const hml_representation to = w->options->representation;
    for (size_t i = 0; i < w->count; i++) {
        hml_status *status = &w->status[i];
        double *Ai = A ? A + i * 4 * n * n : NULL, *Bi = B ? B + i * 2 * n * m : NULL, *ai = a + i * n;
        const double *q = w->q + i * nq, *v = w->v + i * n;
        if (whole == HML_INVALID_ARGUMENT || whole == HML_OUT_OF_MEMORY) *status = whole; /* it looked at no state */
        if (*status) continue;
        if (B) fill_inputs(own, n, own->Minv + i * n * n, Bi);
        if (to == HML_LEFT) continue;
        *status = hml_linearization_to_representation(r->model, to, q, v, ai, (int32_t)m, Ai, Bi);
        if (!*status) *status = hml_acceleration_to_representation(r->model, to, q, v, ai, ai);
    }
}

const batch_kind batch_linearize = {.name = "linearize",
                                    .columns = linear_columns,
                                    .least = 8,
                                    .head = linear_head,
                                    .open = linear_open,
                                    .close = linear_close,
                                    .run = linear_run};

/* ---- dynamics ---- */

enum { DYN_M, DYN_H, DYN_GRAVITY, DYN_ACCELERATION, DYN_KINETIC, DYN_POTENTIAL, DYN_COM, DYN_MOMENTUM, DYN_COUNT };

static int dynamics_columns(const cli_options *options, const robot *r, hml_column columns[BATCH_COLUMNS])
{
    const size_t n = (size_t)r->nv;
    (void)options;
    columns[DYN_M] = (hml_column){.name = "M", .rank = 2, .shape = {n, n}};
    columns[DYN_H] = (hml_column){.name = "h", .rank = 1, .shape = {n}};
    columns[DYN_GRAVITY] = (hml_column){.name = "gravity", .rank = 1, .shape = {n}};
    columns[DYN_ACCELERATION] = (hml_column){.name = "acceleration", .rank = 1, .shape = {n}};
    columns[DYN_KINETIC] = (hml_column){.name = "kinetic_energy"};
    columns[DYN_POTENTIAL] = (hml_column){.name = "potential_energy"};
    columns[DYN_COM] = (hml_column){.name = "com", .rank = 1, .shape = {3}};
    columns[DYN_MOMENTUM] = (hml_column){.name = "centroidal_momentum", .rank = 1, .shape = {6}};
    return DYN_COUNT;
}

static int dynamics_open(batch_worker *w, size_t most)
{
    const size_t n = (size_t)w->r->nv;
    (void)most;
    w->own = malloc((n * n + n) * sizeof(double)); /* M and h, which are always computed */
    return w->own ? CLI_OK : robot_fail(w->r, HML_OUT_OF_MEMORY);
}

static void dynamics_close(batch_worker *w)
{
    free(w->own);
    w->own = NULL;
}

static double *row_of(const batch_worker *w, int column, size_t i, size_t entries)
{
    return w->out[column] ? w->out[column] + i * entries : NULL;
}

static hml_status dynamics_of(batch_worker *w, size_t i)
{
    const robot *r = w->r;
    const size_t n = (size_t)r->nv;
    const hml_representation to = w->options->representation;
    const double *q = w->q + i * (size_t)r->nq, *v = w->v + i * n, *tau = w->tau + i * n;
    hml_dynamics_result d = {.struct_size = sizeof d,
                             .M = row_of(w, DYN_M, i, n * n),
                             .h = row_of(w, DYN_H, i, n),
                             .gravity = row_of(w, DYN_GRAVITY, i, n),
                             .acceleration = row_of(w, DYN_ACCELERATION, i, n),
                             .com = row_of(w, DYN_COM, i, 3),
                             .centroidal_momentum = row_of(w, DYN_MOMENTUM, i, 6)};
    if (!d.M) d.M = w->own;
    if (!d.h) d.h = (double *)w->own + n * n;
    hml_status status = hml_dynamics(r->model, w->work, q, v, tau, NULL, &d);
    if (!status) status = hml_dynamics_to_representation(r->model, to, q, v, d.M, d.h);
    if (!status && d.gravity) status = hml_force_to_representation(r->model, to, q, d.gravity, d.gravity);
    if (!status && d.acceleration)
        status = hml_acceleration_to_representation(r->model, to, q, v, d.acceleration, d.acceleration);
    if (w->out[DYN_KINETIC]) w->out[DYN_KINETIC][i] = d.kinetic_energy;
    if (w->out[DYN_POTENTIAL]) w->out[DYN_POTENTIAL][i] = d.potential_energy;
    return status;
}

static void dynamics_run(batch_worker *w)
{
    for (size_t i = 0; i < w->count; i++) w->status[i] = dynamics_of(w, i);
}

const batch_kind batch_dynamics = {.name = "dynamics",
                                   .columns = dynamics_columns,
                                   .least = 8,
                                   .open = dynamics_open,
                                   .close = dynamics_close,
                                   .run = dynamics_run};
