/* hamel plan: a motion of least cost, from a file that describes the problem. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/control.h"
#include "hamel/plan.h"
#include "plan.h"
#include "robot.h"
#include "table.h"
#include "view.h"

typedef struct planning {
    const cli_options *options;
    hml_plan_file *file;
    hml_solver *solver;
    hml_solve_report report;
    hml_solution x;
    hml_status status;
} planning;

/* ---- solving ---- */

static int tell(void *context, const hml_solve_report *r)
{
    const planning *p = context;
    if (p->options->quiet) return 0;
    if (r->iterations % 25 == 1)
        fprintf(stderr, "%5s  %16s  %9s  %9s  %9s  %8s\n", "iter", "cost", "gap", "violation", "expected", "step");
    fprintf(stderr, "%5d  %16.9g  %9.2e  %9.2e  %9.2e  %8.2g\n", (int)r->iterations, r->cost, r->gap, r->violation,
            -r->slope, r->step);
    return 0;
}

static int fail_at(const planning *p, hml_error *error, hml_status status)
{
    error->status = status;
    if (!error->file[0]) snprintf(error->file, sizeof error->file, "%.250s", p->options->models[0]);
    return cli_fail_error(error);
}

static int solve(planning *p)
{
    hml_error error = {0};
    const hml_plan_file *f = p->file;
    hml_status status =
        hml_solver_new(f->problem, &HML_STRUCT(hml_solver_settings, .isa = p->options->isa), &p->solver, &error);
    if (status) return fail_at(p, &error, status);
    if (f->u) status = hml_solver_guess(p->solver, NULL, NULL, f->u);
    if (status) return fail_at(p, &error, status);
    hml_solve_options o = *f->options;
    o.progress = tell;
    o.context = p;
    p->report.struct_size = sizeof p->report;
    p->x.struct_size = sizeof p->x;
    p->status = hml_solver_solve(p->solver, &o, &p->report);
    (void)hml_solver_solution(p->solver, &p->x);
    return CLI_OK;
}

/* ---- what it means ---- */

static const char *end_word(hml_solve_end end)
{
    static const char *const words[] = {"converged", "iterations", "time",   "stopped",
                                        "stuck",     "infeasible", "failed", "slow"};
    return (unsigned)end < sizeof words / sizeof *words ? words[end] : "";
}

/* what is left of the constraints, for the end of a sentence */
static const char *left(const planning *p, char *text, size_t size)
{
    const hml_solve_report *r = &p->report;
    text[0] = 0;
    if (r->worst_term >= 0 && r->violation > 0)
        (void)snprintf(text, size, ", and /terms/%d is violated by %.3g at knot %zu", (int)r->worst_term, r->violation,
                       r->worst_knot);
    return text;
}

/* a sentence where it did not converge; an exit status */
static int judge(const planning *p)
{
    const char *file = p->options->models[0];
    const hml_solve_report *r = &p->report;
    const int32_t worst = r->worst_term;
    const char *name = worst >= 0 ? p->file->problem->terms[worst].name : NULL;
    char text[128];
    switch (r->end) {
    case HML_END_CONVERGED:
    case HML_END_SLOW: return CLI_OK;
    case HML_END_INFEASIBLE:
        return cli_fail(CLI_COMPUTE, "%s: /terms/%d: %s%s%scannot be kept: it is violated by %.3g at knot %zu", file,
                        (int)worst, name ? "'" : "", name ? name : "", name ? "' " : "", r->violation, r->worst_knot);
    case HML_END_ITERATIONS:
        return cli_fail(CLI_COMPUTE, "%s: not converged in %d iterations; the best motion so far has the cost %.6g%s",
                        file, (int)r->iterations, r->cost, left(p, text, sizeof text));
    case HML_END_TIME:
        return cli_fail(CLI_COMPUTE,
                        "%s: the time was up after %d iterations; the best motion so far has the cost %.6g%s", file,
                        (int)r->iterations, r->cost, left(p, text, sizeof text));
    case HML_END_STUCK:
        return cli_fail(CLI_COMPUTE, "%s: no step lowers the cost of %.6g any more, though it is not at its least%s",
                        file, r->cost, left(p, text, sizeof text));
    default: return cli_fail(cli_status_of(p->status), "%s: %s", file, hml_status_message(p->status));
    }
}

/* ---- answers ---- */

static hml_result *result_of(const robot *r, const planning *p)
{
    const size_t N = p->x.knots, nq = (size_t)r->nq, nv = (size_t)r->nv, m = p->x.ninputs, rows = N + 1;
    const size_t position[2] = {rows, nq}, velocity[2] = {rows, nv}, input[2] = {N, m}, force[2] = {N, p->x.nforces};
    const size_t gain[3] = {N, m, 2 * nv};
    hml_result *result = hml_result_new();
    robot_add_common(r, HML_LEFT, result);
    hml_result_add_numbers(result, "time", 1, &rows, p->x.time);
    hml_result_add_numbers(result, "position", 2, position, p->x.q);
    hml_result_add_numbers(result, "velocity", 2, velocity, p->x.v);
    hml_result_add_numbers(result, "input", 2, input, p->x.u);
    hml_result_add_numbers(result, "force", 2, force, p->x.force);
    hml_result_add_numbers(result, "K", 3, gain, p->x.K);
    hml_result_add_number(result, "cost", p->report.cost);
    hml_result_add_number(result, "violation", p->report.violation);
    hml_result_add_number(result, "gap", p->report.gap);
    hml_result_add_integer(result, "iterations", p->report.iterations);
    hml_result_add_text(result, "end", end_word(p->report.end));
    return result;
}

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void print_all(const robot *r, const planning *p)
{
    enum { SHOWN = 11 };
    const size_t N = p->x.knots;
    table *t = table_new(4, "rrrr");
    static const char *const heading[] = {"time (s)", "fastest coordinate", "largest input", "largest force"};
    for (int i = 0; i < 4; i++) table_cell(t, heading[i]);
    for (size_t i = 0; i < SHOWN; i++) {
        const size_t k = i * N / (SHOWN - 1);
        if (i && k == (i - 1) * N / (SHOWN - 1)) continue;
        table_number(t, p->x.time[k]);
        table_number(t, largest((size_t)r->nv, p->x.v + k * (size_t)r->nv));
        for (int c = 0; c < 2; c++) {
            const size_t n = c ? p->x.nforces : p->x.ninputs;
            if (k == N || n == 0)
                table_cell(t, "");
            else
                table_number(t, largest(n, (c ? p->x.force : p->x.u) + k * n));
        }
    }
    table_heading(stdout, "Motion");
    table_print(t, stdout);
    table_free(t);
    table_heading(stdout, "Solution");
    printf("end                  %s after %d iterations, %.3g s\n", end_word(p->report.end), (int)p->report.iterations,
           p->report.seconds);
    printf("cost                 %.9g\n", p->report.cost);
    printf("largest gap          %.2g\n", p->report.gap);
    printf("largest violation    %.2g\n", p->report.violation);
    printf("time per iteration   %.3g us for each of %zu knots\n",
           1e6 * p->report.seconds / (double)N / fmax(1, p->report.iterations), N);
}

/* rows that share a time, at impacts, are one: a page shows increasing times */
static int view(const robot *r, const planning *p)
{
    if (!p->options->view) return CLI_OK;
    const size_t nq = (size_t)r->nq;
    double *q = malloc((p->x.knots + 1) * (nq + 1) * sizeof *q), *time = q ? q + (p->x.knots + 1) * nq : NULL;
    int32_t count = 0;
    hml_page_options page;
    if (!q) return robot_fail(r, HML_OUT_OF_MEMORY);
    for (size_t k = 0; k <= p->x.knots; k++) {
        if (k && p->x.time[k] <= p->x.time[k - 1]) continue;
        memcpy(q + (size_t)count * nq, p->x.q + k * nq, nq * sizeof *q);
        time[count++] = p->x.time[k];
    }
    hml_page_options_init(&page);
    page.count = count, page.q = q, page.time = time;
    const int status = view_write(p->options, r, &page, p->options->view);
    free(q);
    return status;
}

/* ---- the command ---- */

static int load(planning *p, robot *r)
{
    hml_error error = {0};
    const hml_status status = hml_plan_load(p->options->models[0], &p->options->load, &p->file, &error);
    if (status) return fail_at(p, &error, status);
    if (hml_problem_check(p->file->problem, &error))
        return cli_fail(CLI_INPUT, "%s: %s", p->options->models[0], error.message);
    r->file = p->file->model_name;
    r->model = p->file->model;
    if (!p->file->builtin && !(r->path = strdup(p->file->model_name))) return robot_fail(r, HML_OUT_OF_MEMORY);
    const int taken = robot_take(p->options, r);
    if (taken == CLI_OK && !p->options->quiet) robot_show_warnings(r);
    return taken;
}

int cli_plan(const cli_options *options)
{
    robot r = {0};
    planning p = {.options = options, .report = {.end = HML_END_FAILED}};
    if (options->nmodels < 1) return cli_fail(CLI_USAGE, "plan needs a problem: hamel plan PROBLEM.json");
    int status = load(&p, &r);
    if (status == CLI_OK) status = solve(&p);
    if (status == CLI_OK) status = judge(&p);
    /* what was found is written also where it did not converge, but not where there is nothing */
    const int found = p.solver && p.report.end != HML_END_FAILED;
    int written = CLI_OK;
    if (found) written = view(&r, &p);
    if (found && written == CLI_OK && options->plot) written = plan_plot(options->plot, &r, p.file->problem, &p.x);
    if (found && written == CLI_OK && options->out) {
        written = robot_write(options, result_of(&r, &p));
    } else if (found && written == CLI_OK) {
        robot_print_header(&r, HML_LEFT);
        print_all(&r, &p);
    }
    hml_solver_free(p.solver);
    r.model = NULL; /* the file's */
    robot_free(&r);
    hml_plan_free(p.file);
    return status != CLI_OK ? status : written;
}
