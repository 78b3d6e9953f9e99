/* hml_configuration_close: hamel/constraint.h. Memory, checks, attempts, and the sentence about what stays apart. */
#include "sim/close.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "group/arrays.h"
#include "hamel/configuration.h"
#include "hamel/kinematics.h"
#include "model/limits.h"

static size_t lay_out(const hml_model *model, int32_t count, size_t m, double *at, closer *s)
{
    const size_t n = (size_t)model->nv, nq = (size_t)model->nq;
    layout_cursor c = layout_begin(at);
    s->model = model;
    s->count = count;
    s->n = n, s->m = m;
    s->loops = layout_array(&c, (size_t)count, sizeof *s->loops);
    s->J = layout_doubles(&c, m * n);
    s->block = layout_doubles(&c, 6 * n);
    s->e = layout_doubles(&c, m);
    s->y = layout_doubles(&c, m);
    s->g = layout_doubles(&c, n);
    s->z = layout_doubles(&c, n);
    s->way = layout_doubles(&c, n);
    s->keep = layout_doubles(&c, n);
    s->side = layout_doubles(&c, n + m);
    s->D = layout_doubles(&c, n * n);
    s->lower = layout_doubles(&c, n);
    s->upper = layout_doubles(&c, n);
    s->held = layout_doubles(&c, n);
    s->start = layout_doubles(&c, nq);
    s->now = layout_doubles(&c, nq);
    s->trial = layout_doubles(&c, nq);
    s->best = layout_doubles(&c, nq);
    s->back = layout_doubles(&c, nq);
    hmli_rank_lay_out(n + m, m, &c, &s->F);
    return layout_count(&c);
}

size_t hml_closing_scratch_doubles(const hml_model *model, const hml_constraints *constraints)
{
    closer s;
    hml_constraints room;
    const hml_constraints *set = constraints_take(constraints, &room);
    if (!model || !hml_constraint_scratch_doubles(model, set)) return 0; /* no constraints, or far too many */
    const int32_t m = hml_constraint_rows(set);
    return lay_out(model, set->count + set->loop_count, (size_t)m, NULL, &s);
}

/* ---- the start ---- */

static hml_status check(const hml_model *model, hml_work *work, const hml_constraints *set, const hml_closing *x)
{
    if (!set || !x || !x->guess || !x->q) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_check(model, work, set));
    if (x->iterations < 0 || x->attempts < 0 || !(x->tolerance >= 0)) return HML_INVALID_ARGUMENT;
    if (!isfinite(x->tolerance)) return HML_NOT_FINITE;
    if (!struct_is_writable(x->report, STRUCT_END(hml_closing_report, error))) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < set->count; i++)
        if (set->items[i].kind == HML_TOUCH_PLANE) return HML_UNSUPPORTED;
    return hmli_work_check_state(model, x->guess, NULL, NULL, NULL);
}

/* holds as loops to the world: with stiffness at their pose, without where they are */
static void gather(closer *s, const hml_constraints *set)
{
    const state_series state = {.q = s->start};
    for (int32_t i = 0; i < set->count; i++) {
        const hml_constraint *c = &set->items[i];
        hml_loop *to = &s->loops[i];
        twist V[SERIES_LENGTH];
        *to = (hml_loop){.kind = c->kind, .frame = c->frame, .other = HML_WORLD};
        memcpy(to->normal, c->normal, sizeof to->normal);
        if (c->stiffness > 0)
            memcpy(to->pose, c->pose, sizeof to->pose);
        else
            write_pose(frame_series(s->model, c->frame, HML_WORLD, HML_LEFT, &state, 0, V, NULL), to->pose);
    }
    for (int32_t i = 0; i < set->loop_count; i++) s->loops[set->count + i] = set->loops[i];
}

static void begin(closer *s, const hml_constraints *set)
{
    const hml_closing *x = s->x;
    if (x->ignore_limits)
        for (size_t i = 0; i < s->n; i++) s->lower[i] = -HUGE_VAL, s->upper[i] = HUGE_VAL;
    else
        limits_read(s->model, x->locked, s->lower, s->upper);
    memset(s->z, 0, s->n * sizeof(double));
    hml_configuration_integrate(s->model, x->guess, s->z, s->start); /* quaternions become unit */
    gather(s, set);
    s->tolerance = x->tolerance > 0 ? x->tolerance : 1e-10;
    s->budget = x->iterations ? x->iterations : 1000;
    memcpy(s->now, s->start, (size_t)s->model->nq * sizeof(double));
    limits_clamp(s->model, s->lower, s->upper, s->now);
}

/* ---- the sentence ---- */

static const char *frame_name(const closer *s, int32_t frame)
{
    return frame == HML_WORLD ? "the world" : model_text(s->model, model_frames(s->model)[frame].name);
}

/* how far apart the frames of a constraint are, in words */
static void measure(const closer *s, const hml_loop *c, const double *q, char *text, size_t size)
{
    loop_motion m;
    double e[6] = {0};
    if (hmli_loop_motion(s->model, c, q, NULL, NULL, NULL, &m)) m.u = vec3_of(1, 0, 0);
    hmli_loop_error(c, &m, e);
    const double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    const double angle = sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
    if (c->kind == HML_HOLD_FRAME)
        snprintf(text, size, "%.3g m and %.3g rad", length, angle);
    else
        snprintf(text, size, "%.3g m", length);
}

static void explain(closer *s, hml_status status, hml_error *error)
{
    char left[64];
    size_t row = 0, open = 0;
    if (!error || s->worst_at < 0) return;
    const hml_loop *c = &s->loops[s->worst_at];
    const char *how = status == HML_NOT_CONVERGED ? "is after all iterations not" : "cannot be";
    for (int32_t i = 0; i < s->count; i++) {
        int apart = 0;
        for (int32_t k = 0; k < hmli_loop_kind_rows(s->loops[i].kind); k++) apart |= fabs(s->e[row++]) > s->tolerance;
        open += (size_t)apart;
    }
    measure(s, c, s->best, left, sizeof left);
    *error = (hml_error){.status = status};
    snprintf(error->message, sizeof error->message,
             "the loop of '%.120s' and %s%.120s%s %s closed: %s are left; %zu of %d %s open", frame_name(s, c->frame),
             c->other == HML_WORLD ? "" : "'", frame_name(s, c->other), c->other == HML_WORLD ? "" : "'", how, left,
             open, (int)s->count, s->count == 1 ? "stays" : "stay");
}

/* ---- attempts ---- */

/* a configuration around the guess, further away with each attempt */
static void restart(closer *s, hml_rng *rng, int attempt)
{
    static const double sizes[] = {0.01, 0.1, 0.3, 1};
    const double size = sizes[(attempt - 1) % 4];
    for (size_t i = 0; i < s->n; i++) {
        const double z = size * hml_rng_normal(rng);
        s->z[i] = s->x->locked && s->x->locked[i] ? 0 : z;
    }
    hml_configuration_integrate(s->model, s->start, s->z, s->now);
    limits_clamp(s->model, s->lower, s->upper, s->now);
}

/* attempts until one closes; the best ends in s->best */
static hml_status attempt_all(closer *s, hml_closing_report *report)
{
    const size_t bytes = (size_t)s->model->nq * sizeof(double);
    const int32_t attempts = s->x->attempts ? s->x->attempts : 8;
    close_end end = CLOSE_STUCK;
    double least = HUGE_VAL;
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    memcpy(s->best, s->now, bytes);
    for (report->attempts = 0; report->attempts < attempts && end == CLOSE_STUCK; report->attempts++) {
        if (report->attempts) restart(s, &rng, report->attempts);
        end = hmli_close_descend(s);
        if (!(s->size < least)) continue;
        least = s->size;
        memcpy(s->best, s->now, bytes);
    }
    if (end == CLOSE_CLOSED) {
        report->nearest = hmli_close_approach(s);
        memcpy(s->best, s->now, bytes);
        return HML_OK;
    }
    return end == CLOSE_SPENT ? HML_NOT_CONVERGED : HML_INCONSISTENT;
}

hml_status hml_configuration_close(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                   double *scratch, const hml_closing *arguments, hml_error *error)
{
    closer s;
    hml_constraints set_room;
    hml_closing room;
    hml_closing_report report = {.struct_size = sizeof report};
    const hml_constraints *set = constraints_take(constraints, &set_room);
    const hml_closing *x = STRUCT_TAKE(hml_closing, arguments, &room, q);
    TRY(check(model, work, set, x));
    if (!scratch) return HML_INVALID_ARGUMENT;
    lay_out(model, set->count + set->loop_count, (size_t)hml_constraint_rows(set), scratch, &s);
    s.x = x;
    begin(&s, set);
    const int32_t budget = s.budget;
    const hml_status status = attempt_all(&s, &report);
    hmli_close_evaluate(&s, s.best, 0);
    if (!isfinite(s.size)) return HML_NOT_FINITE;
    if (status) explain(&s, status, error);
    report.error = s.worst, report.worst = s.worst_at;
    report.change = hmli_close_change(&s, s.best);
    report.iterations = budget - s.budget;
    memcpy(x->q, s.best, (size_t)model->nq * sizeof(double));
    struct_give(x->report, &report, sizeof report);
    return status;
}
