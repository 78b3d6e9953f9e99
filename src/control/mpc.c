/* Predictive control: the window moves, the solver goes on. See hamel/control/mpc.h. */
#include "control/mpc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/finite.h"
#include "base/struct_size.h"
#include "control/shooting.h"
#include "hamel/configuration.h"

/* seconds of ticks by their logarithm: each place is 1 % longer than the one before */
enum { PLACES = 2048 };

static const double SHORTEST = 1e-7, RATIO = 1.01;

struct hml_mpc {
    hml_solver *solver;
    mpc_gait gait;
    double time;
    int begun, lost; /* lost: the last tick has failed */
    size_t ticks, rejected, failed;
    size_t places[PLACES];
    double sum, most;
    double *K; /* of the last tick that succeeded */
};

/* ---- set-up ---- */

void hml_mpc_free(hml_mpc *mpc)
{
    if (!mpc) return;
    hml_solver_free(mpc->solver);
    hmli_gait_free(&mpc->gait);
    free(mpc->K);
    free(mpc);
}

static hml_status set_up(hml_mpc *mpc, const hml_problem *p, const hml_mpc_settings *x, hml_error *error)
{
    hml_status status = hmli_gait_init(&mpc->gait, p, x, error);
    if (status) return status;
    const hml_solver_settings settings = HML_STRUCT(hml_solver_settings, .isa = x->isa, .workers = x->workers);
    status = hmli_shooting_new(&mpc->gait.problem, &settings, 1, &mpc->solver, error);
    if (status) return status;
    hml_solver *s = mpc->solver;
    s->keeps_regularization = 1;
    mpc->K = calloc(s->m * 2 * s->n, sizeof *mpc->K);
    if (!mpc->K) return hmli_problem_fault(error, HML_OUT_OF_MEMORY, "/: out of memory");
    return HML_OK;
}

hml_status hml_mpc_new(const hml_problem *problem, const hml_mpc_settings *settings, hml_mpc **mpc, hml_error *error)
{
    hml_problem problem_room;
    hml_mpc_settings room, defaults = {.struct_size = sizeof defaults};
    if (!mpc) return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/: nowhere to put the controller");
    *mpc = NULL;
    const hml_problem *p = STRUCT_TAKE(hml_problem, problem, &problem_room, v);
    const hml_mpc_settings *x = settings ? STRUCT_TAKE(hml_mpc_settings, settings, &room, struct_size) : &defaults;
    if (!p || !x) return hmli_problem_fault(error, HML_INVALID_ARGUMENT, "/: a problem or settings are missing");
    hml_mpc *made = calloc(1, sizeof *made);
    if (!made) return hmli_problem_fault(error, HML_OUT_OF_MEMORY, "/: out of memory");
    const hml_status status = set_up(made, p, x, error);
    if (status) {
        hml_mpc_free(made);
        return status;
    }
    *mpc = made;
    return HML_OK;
}

hml_status hml_mpc_reset(hml_mpc *mpc)
{
    if (!mpc) return HML_INVALID_ARGUMENT;
    mpc->begun = mpc->lost = 0;
    mpc->ticks = mpc->rejected = mpc->failed = 0;
    mpc->sum = mpc->most = 0;
    memset(mpc->places, 0, sizeof mpc->places);
    return HML_OK;
}

/* ---- ticks ---- */

int32_t hml_mpc_slot(const hml_mpc *mpc, double time, double *seconds)
{
    if (seconds) *seconds = INFINITY;
    return mpc && isfinite(time) ? (int32_t)hmli_gait_slot(&mpc->gait, time, seconds) : -1;
}

/* the window at this time: knots under the holds of the gait, the motion moved, the state in front */
static hml_status move(hml_mpc *mpc, double time, const double *q, const double *v)
{
    hml_solver *s = mpc->solver;
    const double h = s->problem.phases[0].h;
    for (size_t k = 0; k < s->N; k++) s->phase_of[k] = hmli_gait_slot(&mpc->gait, time + ((double)k + 0.5) * h, NULL);
    hmli_shooting_schedule(s);
    hml_status status = HML_OK;
    if (mpc->begun && !mpc->lost) status = hmli_shooting_slide(s, (time - mpc->time) / h);
    if (!status) status = hml_solver_start(s, q, v);
    if (!status && (!mpc->begun || mpc->lost)) {
        status = hml_solver_guess(s, NULL, NULL, NULL); /* forgets multipliers and regularization */
        hmli_shooting_stay(s);
    }
    mpc->time = time;
    return status;
}

static void count(hml_mpc *mpc, double seconds)
{
    const double place = log(fmax(seconds, SHORTEST) / SHORTEST) / log(RATIO);
    mpc->places[place < PLACES - 1 ? (size_t)place : PLACES - 1]++;
    mpc->ticks++;
    mpc->sum += seconds;
    mpc->most = fmax(mpc->most, seconds);
}

static void give(const hml_mpc *mpc, hml_mpc_result *result)
{
    const hml_solver *s = mpc->solver;
    const hml_mpc_result all = {.struct_size = sizeof all,
                                .u = s->now.u,
                                .K = mpc->K,
                                .force = s->now.lambda,
                                .ninputs = s->m,
                                .nforces = s->forces,
                                .slot = s->phase_of[0]};
    struct_give(result, &all, sizeof all);
}

/* is it of the solver itself: no way to compute the motion? */
static int has_failed(hml_status status) { return status && status != HML_NOT_CONVERGED && status != HML_INCONSISTENT; }

static hml_status solve(hml_mpc *mpc, const hml_solve_options *options, hml_solve_report *report)
{
    hml_solver *s = mpc->solver;
    hml_solve_options o = *options;
    if (!o.iterations) o.iterations = 1;
    hml_status status = hml_solver_solve(s, &o, report);
    if (!has_failed(status)) status = s->constrained ? hmli_shooting_multipliers(s) : HML_OK;
    if (!status) memcpy(mpc->K, s->K, s->m * 2 * s->n * sizeof *mpc->K);
    if (!status && report->iterations > 0 && !(report->step > 0)) mpc->rejected++;
    return status;
}

hml_status hml_mpc_tick(hml_mpc *mpc, double time, const double *q, const double *v, const hml_solve_options *options,
                        hml_mpc_result *result, hml_solve_report *report)
{
    const double began = clock_seconds();
    hml_solve_options room, defaults = {.struct_size = sizeof defaults};
    hml_solve_report found = {.struct_size = sizeof found, .end = HML_END_FAILED, .worst_term = -1};
    const hml_solve_options *o = options ? STRUCT_TAKE(hml_solve_options, options, &room, struct_size) : &defaults;
    if (!mpc || !q || !o || !struct_is_writable(result, STRUCT_END(hml_mpc_result, u)) ||
        !struct_is_writable(report, STRUCT_END(hml_solve_report, end)))
        return HML_INVALID_ARGUMENT;
    if (!isfinite(time)) return HML_NOT_FINITE;
    if (mpc->begun && time < mpc->time) return HML_INVALID_ARGUMENT;
    hml_status status = hml_configuration_check(mpc->solver->model, q);
    if (!status && v && !all_finite(v, mpc->solver->n)) status = HML_NOT_FINITE;
    if (status) return status;
    status = move(mpc, time, q, v);
    if (!status) status = solve(mpc, o, &found);
    if (status == HML_INVALID_ARGUMENT) return status; /* of the options */
    mpc->begun = 1;
    mpc->lost = status != HML_OK;
    mpc->failed += status != HML_OK;
    give(mpc, result);
    struct_give(report, &found, sizeof found);
    count(mpc, clock_seconds() - began);
    return status;
}

/* ---- what it knows ---- */

hml_status hml_mpc_solution(const hml_mpc *mpc, hml_solution *solution)
{
    return mpc ? hml_solver_solution(mpc->solver, solution) : HML_INVALID_ARGUMENT;
}

/* the seconds that a part of all ticks did not exceed, to the width of a place */
static double percentile(const hml_mpc *mpc, double part)
{
    double before = 0;
    for (int i = 0; i < PLACES; i++) {
        before += (double)mpc->places[i];
        if (before >= part * (double)mpc->ticks) return fmin(mpc->most, SHORTEST * pow(RATIO, i + 0.5));
    }
    return mpc->most;
}

hml_status hml_mpc_get_statistics(const hml_mpc *mpc, hml_mpc_statistics *statistics)
{
    if (!mpc || !statistics || !struct_is_writable(statistics, STRUCT_END(hml_mpc_statistics, ticks)))
        return HML_INVALID_ARGUMENT;
    hml_mpc_statistics all = {.struct_size = sizeof all, .ticks = mpc->ticks};
    all.rejected = mpc->rejected, all.failed = mpc->failed;
    if (mpc->ticks) {
        all.p50 = percentile(mpc, 0.5), all.p90 = percentile(mpc, 0.9), all.p99 = percentile(mpc, 0.99);
        all.mean = mpc->sum / (double)mpc->ticks, all.most = mpc->most;
    }
    struct_give(statistics, &all, sizeof all);
    return HML_OK;
}
