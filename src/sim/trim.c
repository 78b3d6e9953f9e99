/*
 * hml_trim: Newton's method on the robot's group, in two alternating moves.
 *
 *   settle    steps to the equations and limits, at least cost of forces, the configuration as near as possible; where
 *             the linearized equations contradict each other, steps to the least that can be left
 *   improve   from one trim to a cheaper one: a step at least cost (Gauss-Newton, damped as by Levenberg and Marquardt),
 *             then settle; it counts if the cost is lower
 */
#include <math.h>
#include <string.h>

#include "base/struct_size.h"
#include "group/arrays.h"
#include "group/joint.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/random.h"
#include "model/limits.h"
#include "sim/constraint.h"
#include "sim/trim.h"

static const double longest_step = 0.5; /* of a rotation, rad: what a linearization is good for */
enum { ATTEMPTS = 4, PATIENCE = 10 };

/* ---- steps ---- */

static void copy_point(const trim_system *s, const trim_point *from, trim_point *to)
{
    memcpy(to->q, from->q, (size_t)s->model->nq * sizeof(double));
    memcpy(to->f, from->f, s->nf * sizeof(double));
    memcpy(to->c, from->c, s->ne * sizeof(double));
    to->size = from->size, to->worst = from->worst, to->side = from->side;
}

static int is_trim(const trim_system *s, const trim_point *x)
{
    return x->worst <= s->tolerance && x->side <= s->tolerance;
}

/* the largest z of the step; rotations: only of these, which make the equations curved */
static double longest(const trim_system *s, int rotations)
{
    double most = 0;
    size_t k = 0;
    for (const model_joint *j = first_joint(s->model); j; j = next_joint(s->model, j)) {
        for (; k < s->nz && s->free_at[k] < j->v + j->nv; k++) {
            if (!rotations || !joint_is_length(j->type, s->free_at[k] - j->v)) most = fmax(most, fabs(s->step[k]));
        }
    }
    return most;
}

/* the part of s->step that is not too long */
static double first_part(const trim_system *s) { return longest_step / fmax(longest(s, 1), longest_step); }

/* s->trial: a part of s->step from x */
static hml_status go(trim_system *s, const trim_point *x, double part)
{
    memset(s->z, 0, s->n * sizeof(double));
    for (size_t k = 0; k < s->nz; k++) s->z[s->free_at[k]] = part * s->step[k];
    TRY(hml_configuration_integrate(s->model, x->q, s->z, s->trial.q));
    for (size_t i = 0; i < s->nf; i++) s->trial.f[i] = x->f[i] + part * (s->step[s->nz + i] - x->f[i]);
    return hmli_trim_evaluate(s, &s->trial);
}

/*
 * From s->now to the equations. HML_INCONSISTENT: what is left does not get smaller. HML_NOT_CONVERGED: `most` programs
 * were not enough.
 */
static hml_status settle(trim_system *s, trim_aim aim, int32_t most)
{
    double before = HUGE_VAL; /* what was left PATIENCE programs ago */
    for (int32_t programs = 0; programs < most && s->budget > 0; programs++) {
        int better = 0;
        TRY(hmli_trim_differentiate(s, &s->now));
        hml_status status = hmli_trim_step(s, &s->now, aim, 0, 0);
        const int elastic = status == HML_INCONSISTENT || status == HML_NOT_CONVERGED;
        if (elastic) status = hmli_trim_step(s, &s->now, aim, 0, 1);
        if (status) return status == HML_NOT_CONVERGED ? HML_INCONSISTENT : status;
        double part = 2 * first_part(s);
        for (int halvings = 0; halvings < 12 && !better; halvings++) {
            part /= 2;
            TRY(go(s, &s->now, part));
            better = is_trim(s, &s->trial) || s->trial.size < (elastic ? 1 - 1e-4 * part : 1) * s->now.size ||
                     (s->trial.worst <= s->tolerance && s->trial.side < s->now.side);
        }
        if (!better) return HML_INCONSISTENT;
        copy_point(s, &s->trial, &s->now);
        if (is_trim(s, &s->now)) return HML_OK;
        aim = TRIM_NEAR;
        if ((programs + 1) % PATIENCE) continue;
        if (s->now.worst > s->tolerance && s->now.size > 0.98 * before) return HML_INCONSISTENT;
        before = s->now.size;
    }
    return HML_NOT_CONVERGED;
}

/* from a trim in s->now to cheaper ones; 1: as far as it goes */
static int improve(trim_system *s)
{
    double cost = hmli_trim_cost(s, &s->now), damping = s->posture;
    copy_point(s, &s->now, &s->best);
    while (s->budget > 0 && damping < 1e8) {
        double model = 0;
        copy_point(s, &s->best, &s->now);
        if (hmli_trim_differentiate(s, &s->now) || hmli_trim_step(s, &s->now, TRIM_COST, damping, 0)) break;
        /* what the program expects: its own cost, less the constant that completes the square of the pull */
        for (size_t k = 0; k < s->nz; k++) model += s->step[k] * (s->pull[k] + 0.5 * s->posture * s->step[k]);
        for (size_t i = 0; i < s->nf; i++) {
            const double f = s->step[s->nz + i];
            model += 0.5 * s->weight[i] * (f * f - s->now.f[i] * s->now.f[i]);
        }
        if (-model <= 1e-10 * cost || longest(s, 0) <= 1e-9) return 1;
        hml_status status = go(s, &s->now, first_part(s));
        copy_point(s, &s->trial, &s->now);
        if (!status) status = settle(s, TRIM_NEAR, 8);
        const double next = status ? HUGE_VAL : hmli_trim_cost(s, &s->now);
        if (next < cost) {
            const int tiny = cost - next <= 1e-10 * cost;
            copy_point(s, &s->now, &s->best);
            cost = next;
            damping /= 5;
            if (tiny) return 1;
        } else {
            damping *= 5;
        }
    }
    return 0;
}

/* the last digits of the best trim, and the limits that are in force there */
static hml_status polish(trim_system *s)
{
    copy_point(s, &s->best, &s->now);
    TRY(hmli_trim_differentiate(s, &s->now));
    if (hmli_trim_step(s, &s->now, TRIM_NEAR, 0, 0)) return HML_OK;
    TRY(go(s, &s->now, first_part(s)));
    if (s->trial.size < s->now.size && s->trial.side <= s->tolerance) copy_point(s, &s->trial, &s->now);
    return HML_OK;
}

/* ---- the result ---- */

static int same_limit(const trim_row *a, const trim_row *b) { return a->kind == b->kind && a->item == b->item; }

/* a contact has many rows and counts once */
static void count_limits(const trim_system *s, hml_trim_report *report)
{
    const trim_row *last = NULL;
    for (size_t i = 0; i < s->nrows; i++) {
        if (!hmli_trim_at_limit(s, i) || (last && same_limit(last, &s->rows[i]))) continue;
        last = &s->rows[i];
        report->at_limit++;
    }
}

static void give(trim_system *s, const trim_point *x, hml_trim_report *report)
{
    const hml_trim_problem *p = s->problem;
    const int32_t all = p->iterations ? p->iterations : TRIM_PROGRAMS;
    for (size_t i = 0; i < s->n; i++) {
        const double left = x->c[i] * s->force_scale;
        if (p->residual) p->residual[i] = left;
        if (fabs(left) > report->residual) report->residual = fabs(left), report->coordinate = (int32_t)i;
    }
    for (size_t i = s->n; i < s->ne; i++) report->position = fmax(report->position, fabs(x->c[i]));
    report->relative = report->residual / s->force_scale;
    report->cost = hmli_trim_cost(s, x);
    report->iterations = all - s->budget;
    if (p->q) memcpy(p->q, x->q, (size_t)s->model->nq * sizeof(double));
    if (p->tau) memset(p->tau, 0, s->n * sizeof(double));
    for (size_t i = 0; p->tau && i < s->na; i++) p->tau[s->motor_at[i]] = x->f[i];
    if (p->thrust) memcpy(p->thrust, x->f + s->na, s->nt * sizeof(double));
    if (p->lambda) memcpy(p->lambda, x->f + trim_lambda_at(s), s->m * sizeof(double));
}

/*
 * The first trim. Where the equations have no solution to first order, and their squares no descent, a start nearby may
 * have both: a pendulum that points sideways. Of all attempts the one with the least left is kept.
 */
static hml_status search(trim_system *s)
{
    hml_rng rng;
    hml_status status = settle(s, TRIM_FORCES, s->budget);
    hml_rng_seed(&rng, 1);
    copy_point(s, &s->now, &s->best);
    for (int attempt = 1; attempt < ATTEMPTS && status == HML_INCONSISTENT && s->nz; attempt++) {
        memset(s->z, 0, s->n * sizeof(double));
        for (size_t k = 0; k < s->nz; k++) s->z[s->free_at[k]] = 0.05 * attempt * hml_rng_normal(&rng);
        TRY(hml_configuration_integrate(s->model, s->best.q, s->z, s->now.q));
        limits_clamp(s->model, s->lower, s->upper, s->now.q);
        TRY(hmli_trim_evaluate(s, &s->now));
        status = settle(s, TRIM_FORCES, s->budget);
        if (!status || s->now.size < s->best.size) copy_point(s, &s->now, &s->best);
    }
    copy_point(s, &s->best, &s->now);
    if (status == HML_INCONSISTENT) { /* derivatives and limits there, for the sentence */
        TRY(hmli_trim_differentiate(s, &s->now));
        hmli_trim_step(s, &s->now, TRIM_NEAR, 0, 1);
    }
    return status;
}

static hml_status check_slip(trim_system *s, hml_error *error)
{
    int32_t hold = 0;
    const double slip = hmli_trim_slip(s, &s->now, &hold);
    if (slip <= 1e-8) return HML_OK;
    hmli_trim_say(error, HML_INCONSISTENT, "the velocity moves the hold of %s: by %.3g m/s or rad/s, or per s²",
                  model_text(s->model, model_frames(s->model)[trim_frame(s, hold)].name), slip);
    return HML_INCONSISTENT;
}

static hml_status find(trim_system *s, hml_error *error)
{
    hml_trim_report report = {.struct_size = sizeof report};
    hml_status status = search(s);
    if (status && status != HML_INCONSISTENT && status != HML_NOT_CONVERGED) return status;
    if (status) {
        hmli_trim_explain(s, &s->now, status, error);
    } else {
        report.optimal = s->nz ? improve(s) : 1;
        if (s->nz) TRY(polish(s));
        status = check_slip(s, error);
    }
    count_limits(s, &report);
    give(s, &s->now, &report);
    struct_give(s->problem->report, &report, sizeof report);
    return status || isfinite(report.cost) ? status : HML_NOT_FINITE;
}

hml_status hml_trim(const hml_model *model, hml_work *work, const hml_trim_problem *problem, double *scratch,
                    hml_error *error)
{
    trim_system s;
    hml_trim_problem room;
    hml_constraints holds_room;
    const hml_trim_problem *p = STRUCT_TAKE(hml_trim_problem, problem, &room, guess);
    const hml_constraints *holds = p ? trim_take_holds(p, &holds_room) : NULL;
    hml_status status = model && holds ? hmli_trim_open(model, work, p, holds, scratch, &s) : HML_INVALID_ARGUMENT;
    hmli_trim_say(error, status, "%s", hml_status_message(status));
    return status ? status : find(&s, error);
}
