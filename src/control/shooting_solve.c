/*
 * The iteration. The merit of a motion is its cost, with the constraints' part, plus a weight times the sum of its gaps;
 * every step that is taken lowers it by Armijo's rule. After a full step there are no gaps, and from then on every
 * motion is one of the robot.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/struct_size.h"
#include "control/shooting.h"

static const double LEAST_REGULARIZATION = 1e-8, LARGE_REGULARIZATION = 1, MOST_REGULARIZATION = 1e12,
                    MOST_PENALTY = 1e9, LEAST_STEP = 0x1p-10, SHORT = 0.1, SLOW = 1e-5;

/* at most: iterations with the same multipliers, directions of one iteration */
enum { ROUND = 25, GUARDS = 4, WINDOW = 10 };

typedef struct iteration {
    hml_solve_report report;
    double tolerance, inner;                  /* of the slope; inner: of the present multipliers */
    double kept;                              /* violation that counts as kept */
    double merit, before;                     /* of the motion; violation when the multipliers were last changed */
    int stalled;                              /* rounds of multipliers that did not help */
    int32_t round;                            /* the iteration in which the multipliers were last changed */
    double costs[WINDOW], violations[WINDOW]; /* of the last iterations */
    int32_t most;
    double seconds, began;
} iteration;

/* ---- sums ---- */

static double sum_of(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

static void look(const hml_solver *s, iteration *it)
{
    const shooting_motion *x = &s->now;
    hml_solve_report *r = &it->report;
    r->cost = sum_of(s->N + 1, x->cost);
    it->merit = sum_of(s->N + 1, x->merit);
    r->gap = r->violation = 0;
    r->worst_term = -1;
    r->worst_knot = 0;
    for (size_t i = 0; i < s->N * 2 * s->n; i++) r->gap = fmax(r->gap, fabs(s->gap[i]));
    for (size_t k = 0; k <= s->N; k++) {
        if (!(x->violation[k] > r->violation)) continue;
        r->violation = x->violation[k];
        r->worst_term = x->worst[k];
        r->worst_knot = k;
    }
    r->penalty = s->constrained ? s->penalty : 0;
    r->regularization = s->regularization;
    r->seconds = clock_seconds() - it->began;
}

/* after Tassa: faster and faster in the same direction. 1: no more */
static int raise_regularization(hml_solver *s)
{
    s->growth = fmax(4, 4 * s->growth);
    s->regularization = fmax(LEAST_REGULARIZATION, s->regularization * s->growth);
    return s->regularization > MOST_REGULARIZATION;
}

static void lower_regularization(hml_solver *s)
{
    s->growth = fmin(0.25, 0.25 * s->growth);
    s->regularization *= s->growth;
    if (s->regularization < LEAST_REGULARIZATION) s->regularization = 0;
}

/* ---- one iteration ---- */

static int time_is_up(const iteration *it) { return it->seconds > 0 && clock_seconds() - it->began > it->seconds; }

/* does a step of this length lower the merit? −1: it cannot be computed */
static int lowers(hml_solver *s, const iteration *it, double alpha)
{
    const double gaps = s->now.gap_sum, slope = it->report.slope, round_off = 0x1p-46 * fabs(it->merit);
    /* closing the gaps is worth what the quadratic model says that it costs (Nocedal and Wright, 18.36) */
    const double price = slope + 0.5 * fmax(s->curvature, 0);
    if (gaps > 0 && price > 0.5 * s->weight_of_gaps * gaps) s->weight_of_gaps = 2 * price / gaps;
    const double change = slope - s->weight_of_gaps * gaps;
    if (hmli_shooting_try(s, alpha)) return -1;
    const double merit = sum_of(s->N + 1, s->trial.merit) + s->weight_of_gaps * s->trial.gap_sum;
    return merit - it->merit - s->weight_of_gaps * gaps <= 1e-4 * alpha * fmin(change, 0) + round_off;
}

/* a step that lowers the merit, into trial; its length, 0 where there is none */
static double search(hml_solver *s, const iteration *it)
{
    for (double alpha = 1; alpha >= LEAST_STEP; alpha /= 2) {
        if (time_is_up(it)) return 0;
        if (lowers(s, it, alpha) > 0) return alpha;
    }
    return 0;
}

/* more of it where the quadratic model promised much more than the step gave; less where it was right */
static void regularize(hml_solver *s, const iteration *it)
{
    const double step = it->report.step, promise = -it->report.slope * step * (1 - 0.5 * step);
    const double gain = it->merit - sum_of(s->N + 1, s->trial.merit);
    const int closed = s->now.gap_sum == 0 && promise > 0;
    if (closed ? gain < 0.25 * promise : step < 0.3)
        (void)raise_regularization(s);
    else if (closed ? gain > 0.75 * promise : step > 0.5)
        lower_regularization(s);
}

/* the trial becomes the motion, with derivatives; without them where no iteration follows */
static hml_status accept(hml_solver *s, int last)
{
    const shooting_motion old = s->now;
    s->now = s->trial;
    s->trial = old;
    hmli_shooting_unguard(s);
    return last ? hmli_shooting_gaps(s, &s->now) : hmli_shooting_evaluate(s, &s->now, 1);
}

/* multipliers and penalty after a round; 1: the constraints cannot be kept */
static int next_round(hml_solver *s, iteration *it, hml_status *status)
{
    const double violation = it->report.violation;
    const int better = violation < 0.25 * it->before;
    if (violation <= it->kept) { /* kept: only the cost is not at its least yet */
        it->inner = it->tolerance;
        return 0;
    }
    *status = hmli_shooting_multipliers(s);
    it->stalled = violation > 0.9 * it->before ? it->stalled + 1 : 0;
    if (it->stalled > 4) return 1; /* a penalty ten thousand times larger has not helped */
    if (!better && s->penalty < MOST_PENALTY) s->penalty *= 10;
    if (violation < 0.9 * it->before) it->inner = fmax(0.1 * it->inner, it->tolerance);
    it->before = violation;
    it->round = it->report.iterations;
    if (!*status) *status = hmli_shooting_evaluate(s, &s->now, 1);
    return 0;
}

/* K and k of the motion, with as much regularization as they need; HML_NOT_CONVERGED: no amount helps */
static hml_status pass(hml_solver *s)
{
    for (;;) {
        const hml_status status = hmli_shooting_backward(s);
        if (!status) return HML_OK;
        if (raise_regularization(s)) return HML_NOT_CONVERGED;
    }
}

/* the search; where bounds that the quadratic model does not see make its steps short, in another direction */
static double search_guarded(hml_solver *s, iteration *it)
{
    double step = search(s, it);
    for (int i = 0; s->constrained && step < SHORT && i < GUARDS && !time_is_up(it); i++) {
        if (lowers(s, it, 1) || !hmli_shooting_guard(s)) return search(s, it);
        if (hmli_shooting_evaluate(s, &s->now, 1) || pass(s)) return 0;
        it->report.slope = hmli_shooting_slope(s);
        step = search(s, it);
    }
    return step;
}

/* what it means that multipliers and penalty do not help any more: far from kept, the constraints cannot be kept */
static hml_solve_end stalled_end(const iteration *it)
{
    return it->report.violation > 1e3 * it->kept ? HML_END_INFEASIBLE : HML_END_STUCK;
}

/*
 * A large regularization makes every step small, and the slope along it too. So where it is large the direction without
 * it must promise as little, or the motion is stuck; K and k stay those of the regularization then.
 */
static int is_least(hml_solver *s, const iteration *it)
{
    const double regularization = s->regularization;
    if (regularization <= LARGE_REGULARIZATION) return 1;
    s->regularization = 0;
    const double most = it->inner * (1 + fabs(it->merit));
    if (!hmli_shooting_backward(s) && fabs(hmli_shooting_slope(s)) <= most) return 1;
    s->regularization = regularization;
    (void)hmli_shooting_backward(s);
    return 0;
}

/* goes on, or ends; *end says how */
static int iterate(hml_solver *s, iteration *it, hml_status *status, hml_solve_end *end)
{
    const int32_t last = it->report.iterations;
    *end = HML_END_STUCK;
    if (pass(s)) return 0;
    it->report.slope = hmli_shooting_slope(s);
    const double small = 1 + fabs(it->merit), slope = it->report.slope;
    int settled = it->report.gap <= SHOOTING_CLOSED && -slope <= it->inner * small && slope <= it->inner * small;
    if (!settled) {
        *end = HML_END_TIME;
        it->report.step = search_guarded(s, it);
        if (time_is_up(it)) return 0;
        it->report.iterations = last + 1;
        settled = s->constrained && it->report.gap <= SHOOTING_CLOSED && fabs(it->report.slope) <= it->inner * small;
        if (it->report.step > 0 && !settled) {
            *end = HML_END_FAILED;
            regularize(s, it);
            *status = accept(s, it->report.iterations >= it->most);
            if (*status) return 0;
            if (!s->constrained || it->report.iterations - it->round < ROUND) return 1;
            look(s, it); /* long enough with these multipliers */
            *end = stalled_end(it);
            return !next_round(s, it, status);
        }
        *end = HML_END_STUCK;
        /* a slope that rounding hides */
        settled = settled || (it->report.gap <= SHOOTING_CLOSED && fabs(slope) <= fmax(1e3 * it->inner, 1e-9) * small);
        if (!settled) return !raise_regularization(s);
    }
    if (!s->constrained || (it->report.violation <= it->kept && it->inner <= it->tolerance)) {
        *end = is_least(s, it) ? HML_END_CONVERGED : HML_END_STUCK;
        return 0;
    }
    *end = stalled_end(it);
    if (next_round(s, it, status)) return 0;
    *end = HML_END_FAILED;
    return !*status;
}

/* constraints kept, and the cost as good as constant */
static int is_slow(iteration *it)
{
    const hml_solve_report *r = &it->report;
    const int32_t i = r->iterations % WINDOW;
    double most = -INFINITY, least = INFINITY, violation = 0;
    it->costs[i] = r->cost;
    it->violations[i] = r->violation;
    for (int32_t k = 0; k < WINDOW; k++) {
        most = fmax(most, it->costs[k]), least = fmin(least, it->costs[k]);
        violation = fmax(violation, it->violations[k]);
    }
    return r->iterations >= WINDOW && r->gap <= SHOOTING_CLOSED && r->violation <= it->kept &&
           violation <= 10 * it->kept && most - least <= SLOW * (1 + fabs(r->cost));
}

static hml_solve_end run(hml_solver *s, iteration *it, hml_status *status)
{
    const hml_solve_options *o = s->options;
    hml_solve_end end = HML_END_FAILED;
    int rounds = 0;
    *status = hmli_shooting_evaluate(s, &s->now, 1);
    if (*status) return end;
    look(s, it);
    for (;;) {
        const int32_t before = it->report.iterations;
        const int more = iterate(s, it, status, &end);
        if (*status) return HML_END_FAILED;
        look(s, it);
        if (it->report.iterations > before && o->progress && o->progress(o->context, &it->report) && more)
            return HML_END_STOPPED;
        if (!more) return end;
        if (it->report.iterations == before && ++rounds > 100) return stalled_end(it);
        if (s->constrained && it->report.iterations > before && is_slow(it)) return HML_END_SLOW;
        if (time_is_up(it)) return HML_END_TIME;
        if (it->report.iterations >= it->most) return HML_END_ITERATIONS;
    }
}

hml_status hml_solver_solve(hml_solver *s, const hml_solve_options *options, hml_solve_report *report)
{
    hml_solve_options room, defaults = {.struct_size = sizeof defaults};
    const hml_solve_options *o = options ? STRUCT_TAKE(hml_solve_options, options, &room, struct_size) : &defaults;
    if (!s || !o || !struct_is_writable(report, STRUCT_END(hml_solve_report, end))) return HML_INVALID_ARGUMENT;
    if (o->iterations < 0 || !(o->seconds >= 0) || !(o->tolerance >= 0) || !(o->violation >= 0) || !(o->penalty >= 0) ||
        !isfinite(o->penalty))
        return HML_INVALID_ARGUMENT;
    iteration it = {.tolerance = o->tolerance > 0 ? o->tolerance : 1e-9,
                    .kept = o->violation > 0 ? o->violation : 1e-7,
                    .most = o->iterations ? o->iterations : 200,
                    .seconds = o->seconds,
                    .before = INFINITY,
                    .began = clock_seconds()};
    it.inner = s->constrained ? fmax(1e-3, it.tolerance) : it.tolerance;
    if (!(s->penalty > 0)) s->penalty = o->penalty > 0 ? o->penalty : 100;
    hml_status status = HML_OK;
    s->options = o;
    s->weight_of_gaps = 0;
    s->growth = 1;
    if (!s->keeps_regularization) s->regularization = 0;
    it.report.end = run(s, &it, &status);
    s->options = NULL;
    it.report.seconds = clock_seconds() - it.began;
    struct_give(report, &it.report, sizeof it.report);
    if (status) return status;
    if (it.report.end == HML_END_INFEASIBLE) return HML_INCONSISTENT;
    return it.report.end == HML_END_CONVERGED || it.report.end == HML_END_SLOW ? HML_OK : HML_NOT_CONVERGED;
}
