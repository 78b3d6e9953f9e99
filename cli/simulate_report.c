/* hamel simulate: the trajectory, its tables and the result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/representation.h"
#include "simulate.h"
#include "table.h"

/* ---- rows ---- */

hml_status trajectory_make(const robot *r, size_t rows, int32_t npoints, trajectory *t)
{
    size_t nq = (size_t)r->nq, nv = (size_t)r->nv, forces = 3 * (size_t)npoints;
    *t = (trajectory){.rows = rows, .beyond = -1, .deepest = -1};
    t->time = calloc(rows, sizeof(double));
    t->q = calloc(rows * nq, sizeof(double));
    t->v = calloc(rows * nv, sizeof(double));
    t->energy = calloc(rows, sizeof(double));
    t->momentum = calloc(rows * 6, sizeof(double));
    t->com = calloc(rows * 3, sizeof(double));
    t->torque = calloc(rows * nv + 1, sizeof(double));
    t->height = calloc(rows, sizeof(double));
    if (npoints > 0) t->forces = calloc(rows * forces, sizeof(double));
    if (npoints > 0) t->places = calloc(rows * forces, sizeof(double));
    t->M = calloc(nv * nv + 1, sizeof(double));
    t->h = calloc(nv + 1, sizeof(double));
    return t->time && t->q && t->v && t->energy && t->momentum && t->com && t->torque && t->height && t->M && t->h &&
                   ((t->forces && t->places) || npoints == 0)
               ? HML_OK
               : HML_OUT_OF_MEMORY;
}

void trajectory_free(trajectory *t)
{
    double *const parts[] = {t->time,   t->q,      t->v,      t->energy, t->momentum, t->com,
                             t->torque, t->height, t->forces, t->places, t->M,        t->h};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

/* the first number of a free root's position, or −1 */
static int32_t free_root(const robot *r)
{
    hml_joint_info joint = {.struct_size = sizeof joint};
    if (strcmp(r->base, "free") != 0 || hml_model_joint(r->model, 0, &joint)) return -1;
    return joint.type == HML_JOINT_FREE ? joint.q : -1;
}

hml_status trajectory_add(const robot *r, hml_representation representation, double time, const double *q,
                          const double *v, const double *torque, trajectory *t)
{
    size_t k = t->count;
    if (k >= t->rows) return HML_INVALID_ARGUMENT;
    hml_dynamics_result d = {.struct_size = sizeof d, .M = t->M, .h = t->h};
    d.com = t->com + 3 * k;
    d.momentum = t->momentum + 6 * k;
    hml_status status = hml_dynamics(r->model, r->work, q, v, NULL, NULL, &d);
    if (!status) {
        status = hml_velocity_to_representation(r->model, representation, q, v, t->v + k * (size_t)r->nv);
    }
    if (!status && torque) {
        status = hml_force_to_representation(r->model, representation, q, torque, t->torque + k * (size_t)r->nv);
    }
    if (status) return status;
    memcpy(t->q + k * (size_t)r->nq, q, (size_t)r->nq * sizeof *q);
    t->time[k] = time;
    t->energy[k] = d.kinetic_energy + d.potential_energy;
    t->kinetic = fmax(t->kinetic, d.kinetic_energy);
    if (t->beyond < 0) {
        double margin;
        int32_t coordinate;
        status = hml_limit_margin(r->model, q, &margin, &coordinate);
        if (!status && margin < -1e-3) t->beyond = coordinate, t->since = time; /* a contact gives way by less */
    }
    t->height[k] = free_root(r) < 0 ? d.com[2] : q[free_root(r) + 2];
    t->count++;
    return status;
}

static double length3(const double *a) { return hypot(hypot(a[0], a[1]), a[2]); }

static double work_of(const hml_balance *b)
{
    return b->forces + b->servos + b->wrenches + b->damping + b->contacts + b->limits + b->friction + b->displacement +
           b->removed + b->actuators;
}

hml_status trajectory_check(const robot *r, const double *q, const double *v, const hml_balance *b, trajectory *t)
{
    double momentum[6];
    hml_dynamics_result d = {.struct_size = sizeof d, .M = t->M, .h = t->h, .momentum = momentum};
    hml_status status = hml_dynamics(r->model, r->work, q, v, NULL, NULL, &d);
    if (status) return status;
    const double energy = d.kinetic_energy + d.potential_energy;
    t->balance = *b;
    t->energy_error = fmax(t->energy_error, fabs(energy - t->energy[0] - work_of(b)));
    for (int k = 0; k < 6; k++) {
        momentum[k] -= t->momentum[k] + b->gravity_impulse[k] + b->wrench_impulse[k] + b->contact_impulse[k];
    }
    for (int part = 0; part < 2; part++)
        t->momentum_error[part] = fmax(t->momentum_error[part], length3(momentum + 3 * part));
    return HML_OK;
}

/* ---- what is said when it fails ---- */

/* "joint 'knee' has 12 rad/s", of the coordinate that moves fastest; where all rest, nothing */
static void describe_fastest(const robot *r, const double *v, char *text, size_t size)
{
    double most = 0;
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        if (hml_model_joint(r->model, i, &joint)) continue;
        for (int32_t k = 0; k < joint.nv; k++) {
            if (!(fabs(v[joint.v + k]) > most)) continue;
            most = fabs(v[joint.v + k]);
            snprintf(text, size, "; fastest is joint '%.100s' with %.3g %s", joint.name, v[joint.v + k],
                     simulate_slides(joint.type, k) ? "m/s" : "rad/s");
        }
    }
}

static void describe_deepest(const robot *r, scene *s, const double *q, char *text, size_t size)
{
    hml_contact_point point;
    if (!s->contact || hml_contact_lowest(r->model, r->work, s->contact, q, 0, &point) || !(point.gap < -1e-3)) return;
    snprintf(text, size, "; '%.100s' is %.3g m inside the ground", s->point_names[point.shape], -point.gap);
}

/* moves: does a joint have a velocity? What contradicts itself at rest is no motion that is too fast */
static void describe_hint(const robot *r, double step, int moves, hml_status status, char *text, size_t size)
{
    if (status == HML_INCONSISTENT && !moves && r->nloops) {
        snprintf(text, size,
                 "; nothing moves: this is a dead centre, a linkage that is stretched out for instance, at which rates "
                 "are not determined, or the loops exclude each other; start beside it");
        return;
    }
    const int stiff = status == HML_TOO_MANY_STEPS || (status == HML_NOT_CONVERGED && !(step > 0));
    if (stiff)
        snprintf(text, size, "; try --integrator %s, a slower start, a larger --tolerance%s",
                 r->nloops ? "rk4 with a short --step" : "alpha, variational or euler",
                 status == HML_TOO_MANY_STEPS ? " or --max-steps" : "");
    else if (step > 0)
        snprintf(text, size, "; try --step %.2g instead of %.2g, or a slower start", step / 10, step);
    else
        snprintf(text, size, "; try a slower start");
}

int simulate_fail(const robot *r, scene *s, const trajectory *t, double time, double step, hml_status status)
{
    char fastest[256] = "", deepest[256] = "", hint[256] = "", steps[128] = "";
    if (status == HML_SINGULAR || status == HML_OUT_OF_MEMORY) return robot_fail(r, status);
    const size_t row = t->count > 0 ? t->count - 1 : 0; /* the last one, or the start */
    describe_fastest(r, t->count > 0 ? t->v + row * (size_t)r->nv : r->state->v, fastest, sizeof fastest);
    describe_deepest(r, s, t->count > 0 ? t->q + row * (size_t)r->nq : r->state->q, deepest, sizeof deepest);
    describe_hint(r, step, *fastest != 0, status, hint, sizeof hint);
    const char *what = status == HML_NOT_FINITE ? "the numbers overflow" : hml_status_message(status);
    if (status == HML_TOO_MANY_STEPS) {
        snprintf(steps, sizeof steps, "%lld steps were not enough, the last one was %.3g s long",
                 (long long)(t->steps + t->rejected), t->last_step);
        what = steps;
    }
    return cli_fail(CLI_COMPUTE, "%s: the motion ends at %.6g s: %s%s%s%s", r->file, time, what, fastest, deepest,
                    hint);
}

/* ---- what is said ---- */

static void print_rows(const robot *r, const trajectory *t)
{
    enum { SHOWN = 11 };
    const char *heading[] = {"time", "energy", "linear momentum", "angular momentum",
                             free_root(r) < 0 ? "height of com" : "height of base"};
    table *out = table_new(5, "rrrrr");
    for (int i = 0; i < 5; i++) table_cell(out, heading[i]);
    size_t last = t->count - 1, shown = t->count < SHOWN ? t->count : SHOWN;
    for (size_t i = 0; i < shown; i++) {
        size_t k = shown > 1 ? i * last / (shown - 1) : 0;
        table_number(out, t->time[k]);
        table_number(out, t->energy[k]);
        table_number(out, length3(t->momentum + 6 * k));
        table_number(out, length3(t->momentum + 6 * k + 3));
        table_number(out, t->height[k]);
    }
    table_heading(stdout, "Motion");
    table_print(out, stdout);
    table_free(out);
}

static void print_contacts(const scene *s, const trajectory *t)
{
    const double *last = t->forces + (t->count - 1) * (size_t)s->npoints * 3;
    table *out = table_new(4, "lrrr");
    static const char *const heading[] = {"", "x", "y", "z"};
    for (int i = 0; i < 4; i++) table_cell(out, heading[i]);
    for (int32_t i = 0; i < s->npoints; i++) {
        if (length3(last + 3 * i) == 0) continue;
        table_cell(out, s->point_names[i]);
        for (int k = 0; k < 3; k++) table_number(out, last[3 * i + k]);
    }
    table_heading(stdout, "Forces of the ground at the end");
    table_print(out, stdout);
    table_free(out);
}

static void print_steps(const trajectory *t)
{
    printf("integrator              %s, %lld steps", t->scheme, (long long)t->steps);
    if (t->substeps > t->steps) printf(" in %lld substeps", (long long)t->substeps);
    printf(", %lld relaxed, residual at most %.1e\n", (long long)t->relaxed, t->residual);
    if (t->left_out > 0)
        printf("contacts                up to %d had no room, the shallowest ones\n", (int)t->left_out);
    if (t->massless > 0)
        printf("massless joints         in %lld steps a little inertia was added\n", (long long)t->massless);
    if (t->removed > 0)
        printf("removed energy          %.3g J: joints turn too fast for the step, or were outside of their limits\n",
               t->removed);
}

void simulate_print(const robot *r, const scene *s, const trajectory *t)
{
    drifts d = trajectory_drifts(r, t);
    double end = t->time[t->count - 1];
    print_rows(r, t);
    if (s->npoints > 0) print_contacts(s, t);
    simulate_print_balance(r, t);
    table_heading(stdout, "Whole motion");
    if (s->touching >= 0)
        printf("start                   base moved %s by %.6g m, %s is lowest\n", s->lifted < 0 ? "down" : "up",
               fabs(s->lifted), s->point_names[s->touching]);
    if (s->bounded.count > 0)
        printf("joints at the start     %d moved into their limits, %s by %.3g\n", (int)s->bounded.count,
               r->names[s->bounded.farthest], s->bounded.by);
    printf("energy drift            %.3g\n", d.energy);
    if (simulate_floats(r)) {
        printf("linear momentum drift   %.3g\n", d.linear);
        printf("angular momentum drift  %.3g\n", d.angular);
    }
    if (t->beyond >= 0)
        printf("joint limits            %s is beyond its own at %.3g s\n", r->names[t->beyond], t->since);
    if (t->deepest >= 0)
        printf("deepest overlap         %.3g m, %s at %.3g s\n", t->penetration, s->point_names[t->deepest],
               t->deepest_time);
    if (t->forces)
        print_steps(t);
    else
        printf("integrator              %s, %lld steps, %lld rejected, %lld evaluations\n", t->scheme,
               (long long)t->steps, (long long)t->rejected, (long long)t->evaluations);
    printf("speed                   %.3g simulated seconds per second\n", t->seconds > 0 ? end / t->seconds : 0);
}

/* of the actuators, if they act */
static void simulate_add_inputs(const robot *r, const scene *s, hml_result *result)
{
    const size_t n = (size_t)hml_model_nactuators(r->model);
    const char **names = s->inputs ? calloc(n + 1, sizeof *names) : NULL;
    if (!s->inputs) return;
    for (size_t i = 0; names && i < n; i++) {
        hml_actuator a = {.struct_size = sizeof a};
        hml_model_actuator(r->model, (int32_t)i, &a);
        names[i] = a.name;
    }
    if (names)
        hml_result_add_texts(result, "input_names", n, names);
    else
        cli_lose_memory();
    hml_result_add_numbers(result, "inputs", 1, &n, s->inputs);
    free(names);
}

hml_result *simulate_result(const robot *r, hml_representation representation, const scene *s, const trajectory *t)
{
    const size_t n = t->count, nq = (size_t)r->nq, nv = (size_t)r->nv, points = (size_t)s->npoints;
    const size_t q[2] = {n, nq}, v[2] = {n, nv}, six[2] = {n, 6}, three[2] = {n, 3}, forces[3] = {n, points, 3};
    hml_result *result = hml_result_new();
    drifts d = trajectory_drifts(r, t);
    robot_add_common(r, representation, result);
    hml_result_add_numbers(result, "time", 1, &n, t->time);
    hml_result_add_numbers(result, "position", 2, q, t->q);
    hml_result_add_numbers(result, "velocity", 2, v, t->v);
    hml_result_add_numbers(result, "energy", 1, &n, t->energy);
    hml_result_add_numbers(result, "momentum", 2, six, t->momentum);
    hml_result_add_numbers(result, "com", 2, three, t->com);
    hml_result_add_numbers(result, "torque", 2, v, t->torque);
    if (points > 0) {
        hml_result_add_texts(result, "contact_names", points, (const char *const *)s->point_names);
        hml_result_add_numbers(result, "contact_forces", 3, forces, t->forces);
        hml_result_add_numbers(result, "contact_positions", 3, forces, t->places);
    }
    hml_result_add_text(result, "integrator", t->scheme);
    simulate_add_balance(r, t, result);
    simulate_add_inputs(r, s, result);
    hml_result_add_number(result, "energy_drift", d.energy);
    hml_result_add_number(result, "linear_momentum_drift", d.linear);
    hml_result_add_number(result, "angular_momentum_drift", d.angular);
    hml_result_add_integer(result, "steps", t->steps);
    hml_result_add_integer(result, "rejected", t->rejected);
    if (t->forces) hml_result_add_number(result, "lifted", s->lifted);
    if (t->forces) hml_result_add_integer(result, "relaxed", t->relaxed);
    if (t->forces) hml_result_add_integer(result, "substeps", t->substeps);
    if (t->forces) hml_result_add_number(result, "residual", t->residual);
    if (t->forces) hml_result_add_number(result, "penetration", t->penetration);
    if (t->forces) hml_result_add_integer(result, "left_out", t->left_out);
    if (t->forces) hml_result_add_integer(result, "massless", t->massless);
    if (t->forces) hml_result_add_number(result, "removed_energy", t->removed);
    hml_result_add_integer(result, "evaluations", t->evaluations);
    return result;
}
