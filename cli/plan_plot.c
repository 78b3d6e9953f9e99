/* hamel plan --plot: the base, joints, inputs and forces of the holds over time, panels of a picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "panels.h"
#include "plan.h"

enum { MOST_HELD = 32 };

typedef struct drawing {
    double *forces; /* of a held frame at each knot, N: MOST_HELD × N; NaN where it is not held */
    int32_t frames[MOST_HELD];
    size_t nframes;
    char (*inputs)[64]; /* names */
} drawing;

static size_t place_of(drawing *d, int32_t frame)
{
    for (size_t i = 0; i < d->nframes; i++)
        if (d->frames[i] == frame) return i;
    if (d->nframes == MOST_HELD) return MOST_HELD;
    d->frames[d->nframes] = frame;
    return d->nframes++;
}

/* the size of the force of each hold: its rows but for the moments of a frame. An impact has impulses, which are no forces */
static void measure(const hml_problem *problem, const hml_solution *x, drawing *d)
{
    const size_t N = x->knots;
    size_t knot = 0;
    for (size_t i = 0; i < MOST_HELD * N; i++) d->forces[i] = NAN;
    for (size_t i = 0; i < problem->nphases; i++) {
        const hml_phase *phase = &problem->phases[i];
        const size_t knots = phase->impact ? 1 : (size_t)phase->knots;
        const hml_constraints *holds = phase->holds;
        size_t row = 0;
        for (int32_t h = 0; holds && !phase->impact && h < holds->count; h++) {
            const hml_constraint *c = &holds->items[h];
            const size_t rows = c->kind == HML_HOLD_FRAME ? 6 : c->kind == HML_HOLD_POINT ? 3 : 1;
            const size_t place = place_of(d, c->frame);
            for (size_t k = knot; place < MOST_HELD && k < knot + knots; k++) {
                double sum = 0;
                for (size_t e = 0; e < rows && e < 3; e++) sum += pow(x->force[k * x->nforces + row + e], 2);
                d->forces[place * N + k] = sqrt(sum);
            }
            row += rows;
        }
        knot += knots;
    }
}

/* after the coordinate that an input pushes, or after its column of the actuation matrix */
static void name_inputs(const robot *r, const hml_problem *problem, size_t count, drawing *d)
{
    size_t used = 0;
    for (int32_t i = 0; !problem->actuation && !problem->inputs && i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        if (hml_model_joint(r->model, i, &joint) || !joint.actuated) continue;
        for (int32_t k = 0; k < joint.nv && used < count; k++)
            snprintf(d->inputs[used++], sizeof *d->inputs, "%.60s", r->names[joint.v + k]);
    }
    for (size_t i = used; i < count; i++) {
        if (problem->actuation || !problem->inputs)
            snprintf(d->inputs[i], sizeof *d->inputs, "input %zu", i);
        else
            snprintf(d->inputs[i], sizeof *d->inputs, "%.60s", r->names[problem->inputs[i]]);
    }
}

static void choose(const robot *r, const hml_solution *x, const drawing *d, panels *p)
{
    static const char *const axes[] = {"x", "y", "z"};
    const size_t N = x->knots, rows = N + 1, nq = (size_t)r->nq, m = x->ninputs;
    hml_joint_info first = {.struct_size = sizeof first};
    const int flies = !hml_model_joint(r->model, 0, &first) && first.type == HML_JOINT_FREE;
    panels_open(p, "position of the base / m");
    for (size_t i = 0; flies && i < 3; i++) panels_add(p, axes[i], x->q + (size_t)first.q + i, nq, rows);
    panels_close(p);
    for (int slides = 0; slides < 2; slides++) {
        panels_open(p, slides ? "joints / m" : "joints / rad");
        panels_add_joints(p, r, &(panel_joints){x->q, rows, 1, slides});
        panels_close(p);
    }
    panels_open(p, "inputs / N, N m");
    for (size_t i = 0; i < m; i++) panels_add(p, d->inputs[i], x->u + i, m, N);
    panels_close(p);
    panels_open(p, "forces of the holds / N");
    for (size_t i = 0; i < d->nframes; i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        const int known = !hml_model_frame(r->model, d->frames[i], &frame);
        panels_add(p, known ? frame.name : "", d->forces + i * N, 1, N);
    }
    panels_close(p);
}

int plan_plot(const char *path, const robot *r, const hml_problem *problem, const hml_solution *x)
{
    drawing d = {.forces = malloc((MOST_HELD * x->knots + 1) * sizeof *d.forces),
                 .inputs = calloc(x->ninputs + 1, sizeof *d.inputs)};
    panels all;
    char title[256];
    int status = CLI_COMPUTE;
    if (!d.forces || !d.inputs) {
        (void)cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    } else if ((status = panels_begin(&all, 3 + (size_t)r->nv + x->ninputs + MOST_HELD)) == CLI_OK) {
        measure(problem, x, &d);
        name_inputs(r, problem, x->ninputs, &d);
        choose(r, x, &d, &all);
        snprintf(title, sizeof title, "%.120s, %zu knots", hml_model_name(r->model), x->knots);
        status = panels_write(&all, path, title, x->knots + 1, x->time);
    }
    free(d.forces);
    free(d.inputs);
    return status;
}
