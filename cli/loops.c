/* See loops.h. */
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/representation.h"

static const double closed = 1e-6; /* m, rad: what an integrator or a rounded file leaves */

hml_constraints loops_with(const robot *r, const hml_constraint *items, int32_t count)
{
    return HML_STRUCT(hml_constraints, .items = items, .count = count, .loops = r->loops, .loop_count = r->nloops);
}

void loops_stabilize(const robot *r)
{
    for (int32_t i = 0; i < r->nloops; i++) {
        hml_loop *c = &r->loops[i];
        if (c->damping > 0 || c->stiffness > 0) continue;
        c->damping = 40, c->stiffness = 400;
    }
}

int loops_refuse(const cli_options *options, const robot *r)
{
    if (options->no_loops || hml_model_nloops(r->model) == 0) return CLI_OK;
    return cli_fail(CLI_INPUT, "%s: many states of a robot with loops are not computed; --loops off leaves them open",
                    r->file);
}

hml_status loops_accelerate(const robot *r, double *acceleration)
{
    const hml_state *s = r->state;
    const hml_constraints set = loops_with(r, NULL, 0);
    double *scratch = malloc((hml_constraint_scratch_doubles(r->model, &set) + 1) * sizeof *scratch);
    if (!scratch) return HML_OUT_OF_MEMORY;
    const hml_status status =
        hml_constrained_forward_dynamics(r->model, r->work, &set, scratch,
                                         &HML_STRUCT(hml_constrained_dynamics, .q = s->q, .v = s->v, .tau = s->tau,
                                                     .wrenches = r->wrenches, .acceleration = acceleration));
    free(scratch);
    return status;
}

hml_status loops_fit_velocity(const robot *r)
{
    const hml_constraints own = loops_with(r, NULL, 0), *set = &own;
    double *scratch = malloc((hml_constraint_scratch_doubles(r->model, set) + 1) * sizeof *scratch);
    if (!scratch) return HML_OUT_OF_MEMORY;
    const hml_status status = hml_constrained_impulse(
        r->model, r->work, set, scratch,
        &HML_STRUCT(hml_constrained_impact, .q = r->state->q, .v = r->state->v, .v_next = r->state->v));
    free(scratch);
    return status;
}

static int close_state(const cli_options *options, robot *r, int wanted)
{
    const hml_constraints set = loops_with(r, NULL, 0);
    hml_closing_report report = {.struct_size = sizeof report};
    hml_error error = {0};
    char sentence[640];
    double *scratch = malloc((hml_closing_scratch_doubles(r->model, &set) + (size_t)r->nq + 1) * sizeof *scratch);
    if (!scratch) return robot_fail(r, HML_OUT_OF_MEMORY);
    double *q = scratch + hml_closing_scratch_doubles(r->model, &set);
    hml_closing x = HML_STRUCT(hml_closing, .guess = r->state->q, .q = q, .tolerance = wanted ? 0 : 1e9,
                               .ignore_limits = !wanted, .report = &report);
    hml_status status = hml_configuration_close(r->model, r->work, &set, scratch, &x, &error);
    const double open = report.error; /* as it is, where nothing was changed */
    if (!status && wanted) {
        memcpy(r->state->q, q, (size_t)r->nq * sizeof *q);
        status = loops_fit_velocity(r);
        if (!status) status = robot_follow_state(options, r);
    }
    free(scratch);
    if (status == HML_INCONSISTENT || status == HML_NOT_CONVERGED)
        return cli_fail(CLI_COMPUTE, "%s: %s", r->file, error.message[0] ? error.message : hml_status_message(status));
    if (status) return robot_fail(r, status);
    if (!wanted && open > closed)
        snprintf(sentence, sizeof sentence, "the state leaves a loop open by %.3g m or rad; --close closes it", open);
    else if (wanted && report.change > closed)
        snprintf(sentence, sizeof sentence, "the state is changed by %.3g so that the loops close", report.change);
    else
        return CLI_OK;
    if (!options->quiet) robot_warn(r->file, sentence);
    return CLI_OK;
}

int loops_load(const cli_options *options, robot *r)
{
    const int32_t n = hml_model_nloops(r->model);
    if (options->close && (options->no_loops || n == 0))
        return cli_fail(CLI_USAGE, "--close: %s", n ? "the loops are off" : "the model has no loops");
    if (options->no_loops || n == 0) return CLI_OK;
    r->loops = calloc((size_t)n, sizeof *r->loops);
    if (!r->loops) return robot_fail(r, HML_OUT_OF_MEMORY);
    r->nloops = n;
    for (int32_t i = 0; i < n; i++) hml_model_loop(r->model, i, &r->loops[i]);
    return close_state(options, r, options->close || (!options->state && !options->keyframe && !options->positions));
}
