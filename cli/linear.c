/* See linear.h. */
#include "linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/actuation.h"
#include "hamel/dynamics.h"
#include "hamel/linearize.h"
#include "hamel/representation.h"
#include "loops.h"

static int allocate(const robot *r, linearized *l)
{
    size_t n = (size_t)r->nv, nu = (size_t)hml_model_nactuators(r->model);
    const size_t driven = 2 * n * nu + nu + hml_actuation_doubles(r->model);
    l->memory = malloc((4 * n * n + 2 * n * n + n + 6 * n + driven + 1) * sizeof *l->memory);
    l->input_names = calloc(n + nu + 1, sizeof *l->input_names);
    l->input_labels = calloc(n + nu + 1, sizeof *l->input_labels);
    if (!l->memory || !l->input_names || !l->input_labels) return 0;
    l->A = l->memory;
    l->B = l->A + 4 * n * n;
    l->acceleration = l->B + 2 * n * n;
    l->J = l->acceleration + n;
    l->driven = l->J + 6 * n;
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

size_t linear_inputs(const robot *r, int all, size_t *columns, const char **names)
{
    const size_t n = (size_t)r->nv;
    size_t m = 0;
    memset(columns, 0, n * sizeof *columns);
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(r->model, i, &joint);
        for (int32_t k = 0; (all || joint.actuated) && k < joint.nv; k++) columns[joint.v + k] = 1;
    }
    for (size_t c = 0; c < n; c++) {
        if (!columns[c]) continue;
        names[m] = r->names[c];
        columns[m++] = c;
    }
    return m;
}

/* keeps the columns of B that are wanted */
static hml_status select_inputs(const robot *r, int all, linearized *l)
{
    const size_t n = (size_t)r->nv;
    size_t *columns = calloc(n + 1, sizeof *columns);
    if (!columns) return HML_OUT_OF_MEMORY;
    const size_t m = linear_inputs(r, all, columns, l->input_names);
    for (size_t i = 0; i < 2 * n; i++) {
        for (size_t c = 0; c < m; c++) l->B[i * m + c] = l->B[i * n + columns[c]]; /* never overtakes what it reads */
    }
    for (size_t c = 0; c < m; c++) l->input_labels[c] = r->labels[columns[c]];
    l->ninputs = (int)m;
    free(columns);
    return HML_OK;
}

/* A, B and the acceleration of the robot with its loops */
static hml_status with_loops(const robot *r, linearized *l)
{
    const hml_state *s = r->state;
    const hml_constraints set = loops_with(r, NULL, 0);
    double *scratch = malloc((hml_constraint_scratch_doubles(r->model, &set) + 1) * sizeof *scratch);
    if (!scratch) return HML_OUT_OF_MEMORY;
    const hml_status status = hml_constrained_linearize(
        r->model, r->work, &set, scratch,
        &HML_STRUCT(hml_constrained_linearization, .q = s->q, .v = s->v, .tau = s->tau, .wrenches = r->wrenches,
                    .acceleration = l->acceleration, .A = l->A, .B = l->B));
    free(scratch);
    return status;
}

/* A with the servos among the actuators, and their B in l->driven */
static hml_status add_actuators(const robot *r, linearized *l)
{
    const hml_state *s = r->state;
    const int32_t nu = hml_model_nactuators(r->model);
    double *u = l->driven + 2 * (size_t)r->nv * (size_t)nu, *scratch = u + nu;
    hml_status status = hml_actuation_hold(r->model, s->q, u);
    for (int32_t i = 0; !status && i < nu; i++) {
        hml_actuator a = {.struct_size = sizeof a};
        status = hml_model_actuator(r->model, i, &a);
        l->input_names[i] = l->input_labels[i] = a.name;
        if (!isnan(s->inputs[i])) u[i] = s->inputs[i];
    }
    const hml_actuated_linearization x = {.struct_size = sizeof x,
                                          .q = s->q,
                                          .v = s->v,
                                          .u = u,
                                          .tau = s->tau,
                                          .wrenches = r->wrenches,
                                          .acceleration = l->acceleration,
                                          .A = l->A,
                                          .B = l->driven};
    l->ninputs = nu;
    return status ? status : hml_actuation_linearize(r->model, r->work, scratch, &x);
}

hml_status linear_compute(const robot *r, hml_representation representation, int inputs, linearized *l)
{
    if (!allocate(r, l)) return HML_OUT_OF_MEMORY;
    const hml_state *s = r->state;
    hml_linearization x = {.struct_size = sizeof x,
                           .q = {s->q, 0},
                           .v = {s->v, 0},
                           .tau = {s->tau, 0},
                           .wrenches = {r->wrenches, 0},
                           .acceleration = {l->acceleration, 0, 0},
                           .A = {l->A, 0, 0},
                           .B = {l->B, 0, 0}};
    hml_status status = r->nloops ? with_loops(r, l) : hml_linearize(r->model, r->work, &x);
    if (!status && inputs == LINEAR_ACTUATORS) status = add_actuators(r, l);
    if (!status) status = hold_world_wrenches(r, l);
    if (inputs == LINEAR_ACTUATORS) l->B = l->driven;
    if (!status) {
        const int32_t columns = inputs == LINEAR_ACTUATORS ? l->ninputs : r->nv;
        status = hml_linearization_to_representation(r->model, representation, s->q, s->v, l->acceleration, columns,
                                                     l->A, l->B);
    }
    if (!status && inputs != LINEAR_ACTUATORS) status = select_inputs(r, inputs == LINEAR_ALL, l);
    if (status) return status;
    return hml_acceleration_to_representation(r->model, representation, s->q, s->v, l->acceleration, l->acceleration);
}

void linear_free(linearized *l)
{
    free(l->input_names);
    free(l->input_labels);
    free(l->memory);
}

void linear_free_names(char **names, int n)
{
    for (int i = 0; names && i < n; i++) free(names[i]);
    free(names);
}

char **linear_state_names(const robot *r)
{
    int nv = r->nv;
    char **names = calloc(2 * (size_t)nv + 1, sizeof *names);
    for (int i = 0; names && i < 2 * nv; i++) {
        size_t size = strlen(r->labels[i % nv]) + 3;
        names[i] = malloc(size);
        if (!names[i]) {
            linear_free_names(names, i);
            return NULL;
        }
        snprintf(names[i], size, "%c %s", i < nv ? 'q' : 'v', r->labels[i % nv]);
    }
    return names;
}
