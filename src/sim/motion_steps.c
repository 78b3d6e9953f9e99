/* Many steps: up to a time, how many they may be, and what is said when they do not suffice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/motion.h"

/* a million steps of a robot take some ten seconds */
static const double SHORT_STEPS = 1e6, MOST_STEPS = 1e8;

/* steps that the way takes if they are as long as `step`; 0: the length is not given. The last one may be longer */
static double steps_of(const hml_motion *m, double until)
{
    const double h = m->options.step, room = until - m->t - m->rest;
    return h > 0 && room > 0 ? ceil(room / h - 1e-6) : 0;
}

static int64_t tried(const hml_motion *m) { return m->info.steps + m->info.rejected; }

int64_t hml_motion_most_steps(const hml_motion *m, double until)
{
    if (!m || !isfinite(until)) return 0;
    const double needed = steps_of(m, until);
    const int64_t most =
        m->options.max_steps > 0 ? m->options.max_steps : (int64_t)fmin(needed + SHORT_STEPS, MOST_STEPS);
    return needed > (double)most ? 0 : most;
}

hml_status hml_motion_advance(hml_motion *m, double until)
{
    hml_status status = m && isfinite(until) && until >= m->t ? HML_OK : HML_INVALID_ARGUMENT;
    const int64_t before = status ? 0 : tried(m), most = hml_motion_most_steps(m, until);
    while (!status && m->t < until) {
        status = tried(m) - before < most ? hml_motion_step(m, until) : HML_TOO_MANY_STEPS;
    }
    return status;
}

/* ---- sentences ---- */

static void explain_number(const hml_motion *m, double until, hml_error *e)
{
    const char *const where = m->options.tolerance > 0 ? "the longest step" : "the step";
    snprintf(e->message, sizeof e->message,
             "from %.9g s to %.9g s there are at least %.4g steps, more than max_steps allows: raise %s of %g s, or "
             "max_steps",
             m->t, until, steps_of(m, until), where, m->options.step);
}

static void explain_stiffness(const hml_motion *m, hml_error *e)
{
    snprintf(
        e->message, sizeof e->message,
        "max_steps ended the motion at %.9g s, the last step was %.3g s long: the motion is stiff or fast here, or the "
        "tolerance of %.3g too small; try an implicit integrator (alpha, variational or euler), equal steps, a larger "
        "tolerance or max_steps",
        m->t, m->info.last_step, m->options.tolerance);
}

static void explain_tolerance(const hml_motion *m, hml_error *e)
{
    snprintf(
        e->message, sizeof e->message,
        "at %.9g s no step is short enough for the tolerance of %.3g, the last one was %.3g s long: try an implicit "
        "integrator (alpha, variational or euler), equal steps or a larger tolerance",
        m->t, m->options.tolerance, m->info.last_step);
}

static void explain_iterations(const hml_motion *m, hml_error *e)
{
    snprintf(e->message, sizeof e->message,
             "at %.9g s a step of %g s does not converge in %d iterations: try a shorter one", m->t, m->options.step,
             (int)m->options.iterations);
}

static void explain_time(const hml_motion *m, double until, hml_error *e)
{
    const char *const why =
        isfinite(until) ? "a motion goes forward only; restart it at an earlier time" : "that is not a time";
    snprintf(e->message, sizeof e->message, "the motion is at %.9g s and cannot go to %g s: %s", m->t, until, why);
}

hml_status hml_motion_explain(const hml_motion *m, hml_status status, double until, hml_error *error)
{
    if (!m || !error) return HML_INVALID_ARGUMENT;
    *error = (hml_error){.status = status};
    const int adaptive = m->options.tolerance > 0;
    const int implicit = m->options.scheme == HML_SCHEME_VARIATIONAL || m->options.scheme == HML_SCHEME_ALPHA;
    if (status == HML_TOO_MANY_STEPS && adaptive && hml_motion_most_steps(m, until))
        explain_stiffness(m, error);
    else if (status == HML_TOO_MANY_STEPS)
        explain_number(m, until, error);
    else if (status == HML_NOT_CONVERGED && adaptive)
        explain_tolerance(m, error);
    else if (status == HML_NOT_CONVERGED && implicit)
        explain_iterations(m, error);
    else if (status == HML_INVALID_ARGUMENT && !(until > m->t && isfinite(until)))
        explain_time(m, until, error);
    else
        snprintf(error->message, sizeof error->message, "at %.9g s: %s", m->t, hml_status_message(status));
    return HML_OK;
}
