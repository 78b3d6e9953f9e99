/* See system.h. */
#include "system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/constraint.h"
#include "holds.h"
#include "linear.h"
#include "loops.h"

static int allocate(const robot *r, size_t n, int held, linear_state *s)
{
    const size_t nv = (size_t)r->nv, nu = (size_t)hml_model_nactuators(r->model);
    const size_t wide = nv > nu ? nv : nu; /* inputs are coordinates, or actuators, of which there may be more */
    s->memory = calloc(n * n + n * wide + 3 * nv * n + 1, sizeof *s->memory);
    s->inputs = calloc(wide + 1, sizeof *s->inputs);
    if (!s->memory || !s->inputs) return robot_fail(r, HML_OUT_OF_MEMORY);
    s->n = n;
    s->A = s->memory;
    s->B = s->A + n * n;
    if (!held) return CLI_OK;
    s->Z = s->B + n * wide;
    s->X = s->Z + nv * n;
    s->P = s->X + nv * n;
    return CLI_OK;
}

static void find_fastest(const robot *r, const double *acceleration, linear_state *s)
{
    for (int32_t i = 0; i < r->nv; i++) {
        if (!(fabs(acceleration[i]) > s->acceleration)) continue;
        s->acceleration = fabs(acceleration[i]);
        s->fastest = i;
    }
}

static int read_free(const cli_options *options, const robot *r, linear_state *s)
{
    linearized l = {0};
    const size_t n = 2 * (size_t)r->nv;
    int status = allocate(r, n, 0, s);
    if (status == CLI_OK) {
        const hml_status computed = linear_compute(r, HML_LEFT, options->all_inputs, &l);
        if (computed) status = robot_fail(r, computed);
    }
    if (status == CLI_OK) {
        s->m = (size_t)l.ninputs;
        memcpy(s->A, l.A, n * n * sizeof *s->A);
        memcpy(s->B, l.B, n * s->m * sizeof *s->B);
        memcpy(s->inputs, l.input_names, s->m * sizeof *s->inputs);
        find_fastest(r, l.acceleration, s);
    }
    linear_free(&l);
    return status;
}

static int check_wrenches(const robot *r)
{
    const hml_state *s = r->state;
    for (int32_t i = 0; i < s->nwrenches; i++) {
        if (s->wrenches[i].in_world)
            return cli_fail(CLI_INPUT, "%s: with holds or loops, wrenches of the state are expressed in their frames",
                            r->file);
    }
    return CLI_OK;
}

/* with all columns of B in memory of its own, which then gives those that have a motor */
static int reduce(const cli_options *options, const robot *r, const hml_constraints *holds, double *scratch,
                  linear_state *s)
{
    const size_t nv = (size_t)r->nv;
    int32_t freedom = 0;
    hml_status computed = hml_constrained_freedom(r->model, r->work, holds, scratch, r->state->q, &freedom);
    if (computed) return robot_fail(r, computed);
    if (freedom < 1) return cli_fail(CLI_INPUT, "%s: the holds and loops leave no motion", r->file);
    const int status = allocate(r, 2 * (size_t)freedom, 1, s);
    if (status != CLI_OK) return status;
    double *all = malloc((s->n * nv + 1) * sizeof *all);
    size_t *columns = calloc(nv + 1, sizeof *columns);
    if (all && columns) {
        const hml_constrained_reduction reduction = HML_STRUCT(
            hml_constrained_reduction, .q = r->state->q, .v = r->state->v, .tau = r->state->tau,
            .wrenches = r->wrenches, .freedom = freedom, .Z = s->Z, .X = s->X, .P = s->P, .A = s->A, .B = all);
        const hml_constrained_dynamics at =
            HML_STRUCT(hml_constrained_dynamics, .q = r->state->q, .v = r->state->v, .tau = r->state->tau,
                       .wrenches = r->wrenches, .acceleration = all);
        computed = hml_constrained_forward_dynamics(r->model, r->work, holds, scratch, &at);
        if (!computed) find_fastest(r, all, s);
        if (!computed) computed = hml_constrained_reduce(r->model, r->work, holds, scratch, &reduction);
    } else {
        computed = HML_OUT_OF_MEMORY;
    }
    if (!computed) {
        s->m = linear_inputs(r, options->all_inputs, columns, s->inputs);
        for (size_t i = 0; i < s->n; i++)
            for (size_t c = 0; c < s->m; c++) s->B[i * s->m + c] = all[i * nv + columns[c]];
    }
    free(columns);
    free(all);
    return computed ? robot_fail(r, computed) : CLI_OK;
}

/* a hold that only pushes is no equation, and there is nothing to linearize */
static int check_kinds(const cli_options *options, const robot *r, const hml_constraint *items)
{
    for (int i = 0; i < options->nholds; i++) {
        if (items[i].kind == HML_TOUCH_PLANE)
            return cli_fail(CLI_INPUT,
                            "%s: --hold %s: what only pushes cannot be linearized; hold it as point, frame or plane",
                            r->file, options->holds[i]);
    }
    return CLI_OK;
}

int system_read(const cli_options *options, const robot *r, linear_state *s)
{
    hml_constraint items[CLI_HOLDS] = {{.kind = HML_HOLD_POINT}};
    const hml_constraints holds = loops_with(r, items, options->nholds);
    if (!options->nholds && !r->nloops) return read_free(options, r, s);
    int status = holds_read(options, r, items);
    if (status == CLI_OK) status = check_kinds(options, r, items);
    if (status == CLI_OK) status = check_wrenches(r);
    if (status != CLI_OK) return status;
    double *scratch = malloc((hml_constraint_scratch_doubles(r->model, &holds) + 1) * sizeof *scratch);
    status = scratch ? reduce(options, r, &holds, scratch, s) : robot_fail(r, HML_OUT_OF_MEMORY);
    free(scratch);
    return status;
}

void system_free(linear_state *s)
{
    free(s->inputs);
    free(s->memory);
}
