/*
 * hml_trim before the first step: memory, checks, and what the equations are made of.
 */
#include <math.h>
#include <string.h>

#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "model/limits.h"
#include "sim/constraint.h"
#include "sim/trim.h"

static const double lambda_share = 1e-6; /* of the cost, in units of the weight */

/* ---- memory ---- */

static void lay_out_point(const trim_system *s, layout_cursor *c, trim_point *x)
{
    x->q = layout_doubles(c, (size_t)s->model->nq);
    x->f = layout_doubles(c, s->nf);
    x->c = layout_doubles(c, s->ne);
}

/* sizes are known; sets the pointers, or measures */
static size_t lay_out(double *at, trim_system *s)
{
    const size_t n = s->n, rows = hmli_trim_most_rows(s);
    layout_cursor c = layout_begin(at);
    s->free_at = layout_array(&c, n, sizeof *s->free_at);
    s->motor_at = layout_array(&c, n, sizeof *s->motor_at);
    s->locked = layout_array(&c, n, sizeof *s->locked);
    s->rows = layout_array(&c, rows, sizeof *s->rows);
    s->zero = layout_doubles(&c, n);
    s->lower = layout_doubles(&c, n);
    s->upper = layout_doubles(&c, n);
    s->effort = layout_doubles(&c, s->na);
    s->weight = layout_doubles(&c, s->nf);
    s->goal = layout_doubles(&c, 16 * (size_t)s->holds->count);
    s->start = layout_doubles(&c, (size_t)s->model->nq);
    s->wrenches = layout_doubles(&c, 6 * (size_t)s->model->nbodies);
    s->dq = layout_doubles(&c, n * n);
    s->J = layout_doubles(&c, 6 * n);
    s->J_e = layout_doubles(&c, 6 * n);
    s->J_o = layout_doubles(&c, 6 * n);
    s->C = layout_doubles(&c, s->ne * s->nx);
    s->way = layout_doubles(&c, n);
    s->pull = layout_doubles(&c, s->nz);
    s->centre = layout_doubles(&c, s->nx);
    s->root = layout_doubles(&c, s->nx);
    s->step = layout_doubles(&c, s->nx);
    s->z = layout_doubles(&c, n);
    lay_out_point(s, &c, &s->now);
    lay_out_point(s, &c, &s->trial);
    lay_out_point(s, &c, &s->best);
    hmli_shortest_lay_out(s->nx + s->ne, s->ne + rows, &c, &s->program);
    return layout_count(&c);
}

static int is_free(const hml_trim_problem *p, int32_t i) { return !p->free || p->free[i]; }

static int is_motor(const hml_trim_problem *p, const model_joint *j, int32_t k)
{
    return p->actuated ? p->actuated[j->v + k] != 0 : j->actuated;
}

/* sizes of a problem whose pointers are good; 0: they are no sizes */
static int measure(const hml_model *model, const hml_trim_problem *p, const hml_constraints *holds, trim_system *s)
{
    const int32_t m = hml_constraint_rows(holds);
    if (m < 0 || p->nthrusters < 0 || (p->nthrusters && !p->thrusters)) return 0;
    *s = (trim_system){.model = model, .problem = p, .holds = holds, .n = (size_t)model->nv, .m = (size_t)m};
    for (int32_t i = 0; i < model->nv; i++) s->nz += is_free(p, i) ? 1 : 0;
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        for (int32_t k = 0; k < j->nv; k++) s->na += is_motor(p, j, k) ? 1 : 0;
    }
    s->nt = (size_t)p->nthrusters;
    s->nf = s->na + s->nt + s->m;
    s->nx = s->nz + s->nf;
    s->ne = s->n + (p->release_positions ? 0 : s->m);
    const size_t side = s->nx + 2 * s->ne + hmli_trim_most_rows(s) + 1;
    return side <= SIZE_MAX / sizeof(double) / 64 / side;
}

size_t hml_trim_scratch_doubles(const hml_model *model, const hml_trim_problem *problem)
{
    trim_system s;
    hml_trim_problem room;
    hml_constraints holds_room;
    const hml_trim_problem *p = STRUCT_TAKE(hml_trim_problem, problem, &room, guess);
    if (!model || !p) return 0;
    const hml_constraints *holds = trim_take_holds(p, &holds_room);
    return holds && measure(model, p, holds, &s) ? lay_out(NULL, &s) : 0;
}

/* ---- checks ---- */

static hml_status check_thrusters(const hml_model *model, const hml_trim_problem *p)
{
    if (p->nthrusters < 0 || (p->nthrusters && !p->thrusters)) return HML_INVALID_ARGUMENT;
    for (int32_t t = 0; t < p->nthrusters; t++) {
        const hml_thruster *x = &p->thrusters[t];
        if (x->frame < 0 || x->frame >= model->nframes || !(x->lower <= x->upper)) return HML_INVALID_ARGUMENT;
        TRY(finite_array(x->wrench, 6));
    }
    return HML_OK;
}

static hml_status check_friction(const hml_trim_problem *p, const hml_constraints *holds)
{
    for (int32_t i = 0; p->friction && i < holds->count; i++) {
        const hml_constraint *c = &holds->items[i];
        vec3 n;
        if (!isfinite(p->friction[i])) return HML_NOT_FINITE;
        if (p->friction[i] < 0) return HML_INVALID_ARGUMENT;
        if (!(p->friction[i] > 0)) continue;
        if (c->kind != HML_HOLD_POINT) return HML_UNSUPPORTED;
        TRY(read_vec3(c->normal, &n));
        if (!(vec3_dot(n, n) > 0)) return HML_INVALID_ARGUMENT;
    }
    return HML_OK;
}

static hml_status check(const hml_model *model, hml_work *work, const hml_trim_problem *p, const hml_constraints *holds)
{
    TRY(hmli_constraint_check(model, work, holds));
    if (!p->guess || p->iterations < 0 || !(p->posture >= 0) || !(p->tolerance >= 0)) return HML_INVALID_ARGUMENT;
    if (!struct_is_writable(p->report, STRUCT_END(hml_trim_report, residual))) return HML_INVALID_ARGUMENT;
    if (!isfinite(p->posture) || !isfinite(p->tolerance)) return HML_NOT_FINITE;
    TRY(hmli_work_check_state(model, p->guess, p->v, p->weights, p->wrenches));
    for (int32_t i = 0; p->weights && i < model->nv; i++)
        if (!(p->weights[i] > 0)) return HML_INVALID_ARGUMENT;
    TRY(check_thrusters(model, p));
    return check_friction(p, holds);
}

/* ---- the start ---- */

/* which coordinates move and push, and how strongly */
static void read_coordinates(trim_system *s)
{
    const hml_model *m = s->model;
    size_t z = 0, a = 0;
    for (const model_joint *j = first_joint(m); j; j = next_joint(m, j)) {
        const model_coordinate *c = &model_coordinates(m)[model_bodies(m)[j->body].v];
        for (int32_t k = 0; k < j->nv; k++) {
            const int32_t at = j->v + k;
            s->locked[at] = !is_free(s->problem, at);
            if (!s->locked[at]) s->free_at[z++] = at;
            if (!is_motor(s->problem, j, k)) continue;
            s->effort[a] = c[k].effort;
            s->motor_at[a++] = at;
        }
    }
    if (s->problem->ignore_limits) {
        for (size_t i = 0; i < s->n; i++) s->lower[i] = -HUGE_VAL, s->upper[i] = HUGE_VAL;
    } else {
        limits_read(m, s->locked, s->lower, s->upper);
    }
}

/* a force with a limit costs 1 at the limit, one without costs 1 at the scale of the problem */
static void weigh_forces(trim_system *s)
{
    const double all = 1 / (s->force_scale * s->force_scale);
    for (size_t i = 0; i < s->nf; i++) s->weight[i] = all;
    for (size_t i = 0; i < s->na; i++) {
        const double effort = s->effort[i];
        if (isfinite(effort) && effort > 0) s->weight[i] = 1 / (effort * effort);
        if (s->problem->weights) s->weight[i] = s->problem->weights[s->motor_at[i]];
    }
    for (size_t t = 0; t < s->nt; t++) {
        const hml_thruster *x = &s->problem->thrusters[t];
        const double most = fmax(fabs(x->lower), fabs(x->upper));
        if (isfinite(most) && most > 0) s->weight[s->na + t] = 1 / (most * most);
    }
    for (size_t i = trim_lambda_at(s); i < s->nf; i++) s->weight[i] = lambda_share * all;
}

/* holds stay where they are in the guess, or go where they say */
static hml_status place_goals(trim_system *s)
{
    for (int32_t i = 0; i < s->holds->count; i++) {
        const hml_constraint *c = &s->holds->items[i];
        hml_frame_motion motion = {.struct_size = sizeof motion, .pose = s->goal + 16 * i};
        if (c->stiffness > 0)
            memcpy(s->goal + 16 * i, c->pose, sizeof c->pose);
        else
            TRY(hml_frame(s->model, s->work, c->frame, HML_LEFT, s->guess, NULL, NULL, &motion));
    }
    return HML_OK;
}

/* the scale of forces: the weight, and what has to be balanced in the guess */
static hml_status measure_forces(trim_system *s)
{
    const double *g = s->model->gravity;
    s->force_scale = 1;
    TRY(hmli_trim_evaluate(s, &s->now));
    const double weight = hml_model_mass(s->model) * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double most = fmax(1, weight);
    for (size_t i = 0; i < s->n; i++) most = fmax(most, fabs(s->now.c[i]));
    s->force_scale = most;
    return isfinite(most) ? HML_OK : HML_NOT_FINITE;
}

static hml_status begin(trim_system *s)
{
    const hml_trim_problem *p = s->problem;
    memset(s->zero, 0, s->n * sizeof(double));
    s->v = p->v ? p->v : s->zero;
    s->posture = p->posture > 0 ? p->posture : 0.01;
    s->tolerance = p->tolerance > 0 ? p->tolerance : 1e-10;
    s->budget = p->iterations ? p->iterations : TRIM_PROGRAMS;
    TRY(hml_configuration_integrate(s->model, p->guess, s->zero, s->start)); /* quaternions become unit */
    s->guess = s->start;
    read_coordinates(s);
    TRY(place_goals(s));
    memcpy(s->now.q, s->start, (size_t)s->model->nq * sizeof(double));
    limits_clamp(s->model, s->lower, s->upper, s->now.q);
    memset(s->now.f, 0, s->nf * sizeof(double));
    TRY(measure_forces(s));
    weigh_forces(s);
    return hmli_trim_evaluate(s, &s->now);
}

hml_status hmli_trim_open(const hml_model *model, hml_work *work, const hml_trim_problem *p,
                          const hml_constraints *holds, double *scratch, trim_system *s)
{
    TRY(check(model, work, p, holds));
    if (!scratch || !measure(model, p, holds, s)) return HML_INVALID_ARGUMENT;
    lay_out(scratch, s);
    s->work = work;
    return begin(s);
}
