/* What simulate computes about a state of --states: a motion. Time is the same for all of them. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "simulate.h"

enum { SIM_POSITION, SIM_VELOCITY, SIM_ENERGY, SIM_MOMENTUM, SIM_TORQUE, SIM_COUNT };

/* a robot of this thread, and its motion */
typedef struct simulate_own {
    cli_options options; /* without a bar */
    robot r;
    schedule s;
    trajectory t;
} simulate_own;

static int simulate_columns(const cli_options *options, const robot *r, hml_column columns[BATCH_COLUMNS])
{
    schedule s = {.steps = 1, .every = 1};
    schedule_make(options, &s); /* it has been made before, so it does not fail */
    const size_t rows = schedule_rows(&s);
    columns[SIM_POSITION] = (hml_column){.name = "position", .rank = 2, .shape = {rows, (size_t)r->nq}};
    columns[SIM_VELOCITY] = (hml_column){.name = "velocity", .rank = 2, .shape = {rows, (size_t)r->nv}};
    columns[SIM_ENERGY] = (hml_column){.name = "energy", .rank = 1, .shape = {rows}};
    columns[SIM_MOMENTUM] = (hml_column){.name = "momentum", .rank = 2, .shape = {rows, 6}};
    columns[SIM_TORQUE] = (hml_column){.name = "torque", .rank = 2, .shape = {rows, (size_t)r->nv}};
    return SIM_COUNT;
}

static int simulate_head(const cli_options *options, const robot *r, hml_result *result)
{
    schedule s = {.steps = 1, .every = 1};
    const int checked = scene_check(options, r);
    if (checked != CLI_OK) return checked;
    schedule_make(options, &s);
    const size_t rows = schedule_rows(&s);
    double *time = malloc(rows * sizeof *time);
    if (!time) return robot_fail(r, HML_OUT_OF_MEMORY);
    schedule_times(&s, time);
    hml_result_add_numbers(result, "time", 1, &rows, time);
    free(time);
    return CLI_OK;
}

static void simulate_close(batch_worker *w)
{
    simulate_own *own = w->own;
    trajectory_free(&own->t);
    hml_state_free(own->r.state);
    free(own);
    w->own = NULL;
}

static int simulate_open(batch_worker *w, size_t most)
{
    (void)most;
    simulate_own *own = w->own = calloc(1, sizeof *own);
    if (!own) return robot_fail(w->r, HML_OUT_OF_MEMORY);
    own->options = *w->options;
    own->options.quiet = 1;
    own->r = *w->r;
    own->r.work = w->work;
    own->r.state = NULL;
    hml_status status = hml_state_new(w->r->model, &own->r.state);
    schedule_make(w->options, &own->s);
    if (!status) status = trajectory_make(&own->r, schedule_rows(&own->s), 0, &own->t);
    return status ? robot_fail(w->r, status) : CLI_OK;
}

static hml_status motion_of(simulate_own *own)
{
    scene sc;
    double reached = 0;
    own->t.count = 0;
    own->t.kinetic = 0;
    own->t.beyond = -1;
    hml_status status = scene_push(&own->options, &own->r, &sc);
    if (!status) status = simulate_fly(&own->options, &own->r, &sc, &own->s, &own->t, &reached);
    scene_free(&sc);
    return status;
}

static void simulate_run(batch_worker *w)
{
    simulate_own *own = w->own;
    const size_t rows = schedule_rows(&own->s), nq = (size_t)w->r->nq, nv = (size_t)w->r->nv;
    const double *const from[SIM_COUNT] = {own->t.q, own->t.v, own->t.energy, own->t.momentum, own->t.torque};
    const size_t entries[SIM_COUNT] = {rows * nq, rows * nv, rows, 6 * rows, rows * nv};
    for (size_t i = 0; i < w->count; i++) {
        memcpy(own->r.state->q, w->q + i * nq, nq * sizeof(double));
        memcpy(own->r.state->v, w->v + i * nv, nv * sizeof(double));
        memcpy(own->r.state->tau, w->tau + i * nv, nv * sizeof(double));
        w->status[i] = motion_of(own);
        for (int c = 0; c < SIM_COUNT; c++) {
            if (w->out[c]) memcpy(w->out[c] + i * entries[c], from[c], entries[c] * sizeof(double));
        }
    }
}

const batch_kind batch_simulate = {.name = "simulate",
                                   .columns = simulate_columns,
                                   .least = 1,
                                   .head = simulate_head,
                                   .open = simulate_open,
                                   .close = simulate_close,
                                   .run = simulate_run};
