/*
 * Optimal control problems solved: the motions are those of hml_step, no other inputs cost less, bounds and constraints
 * are kept, what cannot be done is said, and nothing depends on the number of workers or allocates.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "allocator.h"
#include "crew.h"
#include "hamel/configuration.h"
#include "hamel/control.h"
#include "hamel/dynamics.h"
#include "hamel/io.h"
#include "hamel/kinematics.h"
#include "hamel/random.h"

enum { MOST = 64, KNOTS = 40 };

static int report_line(void *context, const hml_solve_report *r)
{
    (void)context;
    if (getenv("HAMEL_TEST_TALKS"))
        printf("%3d cost %.10g gap %.2e violation %.2e slope %.2e step %g mu %.0e penalty %.0e\n", (int)r->iterations,
               r->cost, r->gap, r->violation, r->slope, r->step, r->regularization, r->penalty);
    return 0;
}

static hml_model *load(const char *name)
{
    hml_model *model = NULL;
    hml_error error = {0};
    if (hml_load_builtin(name, NULL, &model, &error)) fail_msg("%s", error.message);
    return model;
}

static hml_solver *solver_of(const hml_problem *problem, size_t workers)
{
    hml_solver *solver = NULL;
    hml_error error = {0};
    if (hml_solver_new(problem, &HML_STRUCT(hml_solver_settings, .workers = workers), &solver, &error))
        fail_msg("%s", error.message);
    return solver;
}

static hml_solution solution_of(const hml_solver *solver)
{
    hml_solution x = {.struct_size = sizeof x};
    assert_int_equal(hml_solver_solution(solver, &x), HML_OK);
    return x;
}

static hml_status solve_to(hml_solver *solver, double tolerance, hml_solve_report *report)
{
    *report = (hml_solve_report){.struct_size = sizeof *report};
    return hml_solver_solve(solver, &HML_STRUCT(hml_solve_options, .progress = report_line, .tolerance = tolerance),
                            report);
}

static hml_status solve(hml_solver *solver, hml_solve_report *report) { return solve_to(solver, 0, report); }

/* ---- an arm that reaches ---- */

typedef struct reach {
    hml_model *model;
    hml_phase phase;
    hml_term terms[5];
    hml_problem problem;
    double q[MOST], goal[3], still[MOST], lower[MOST], upper[MOST];
} reach;

static void reach_open(reach *r)
{
    memset(r, 0, sizeof *r);
    r->model = load("arm7");
    assert_int_equal(hml_configuration_neutral(r->model, r->q), HML_OK);
    for (int i = 0; i < 7; i++) r->q[i] = 0.3 - 0.1 * i;
    const int32_t tool = hml_model_find_frame(r->model, "tool");
    double H[16];
    hml_work *work = NULL;
    assert_int_equal(hml_work_new(r->model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    assert_int_equal(
        hml_frame(r->model, work, tool, HML_MIXED, r->q, NULL, NULL, &HML_STRUCT(hml_frame_motion, .pose = H)), HML_OK);
    assert_int_equal(hml_inverse_dynamics(r->model, work, r->q, r->upper, NULL, NULL, r->still), HML_OK);
    hml_work_free(work);
    for (int i = 0; i < 3; i++) r->goal[i] = H[4 * i + 3] + (i == 2 ? -0.2 : 0.15);
    r->phase = (hml_phase){.knots = KNOTS, .h = 0.02};
    r->terms[0] = (hml_term){.kind = HML_TERM_INPUT, .last = KNOTS - 1, .weight = 1e-3, .reference = {r->still, 0}};
    r->terms[1] = (hml_term){.kind = HML_TERM_VELOCITY, .last = KNOTS, .weight = 1e-2};
    r->terms[2] = (hml_term){.kind = HML_TERM_POSITION,
                             .frame = tool,
                             .first = KNOTS,
                             .last = KNOTS,
                             .weight = 1e3,
                             .reference = {r->goal, 0}};
    r->terms[3] = (hml_term){.kind = HML_TERM_VELOCITY, .first = KNOTS, .last = KNOTS, .weight = 10};
    r->problem = HML_STRUCT(hml_problem, .model = r->model, .phases = &r->phase, .nphases = 1, .terms = r->terms,
                            .nterms = 4, .q = r->q);
}

/* the cost of inputs, computed here: steps of hml_step, terms one by one */
static double cost_of(const reach *r, hml_work *work, const double *u)
{
    static double scratch[1 << 14];
    double q[MOST], v[MOST] = {0}, H[16], sum = 0;
    assert_true(hml_step_scratch_doubles(r->model) <= 1 << 14);
    memcpy(q, r->q, sizeof q);
    for (int k = 0; k <= KNOTS; k++) {
        for (int i = 0; i < 7; i++) sum += 0.5 * (1e-2 + (k == KNOTS ? 10 : 0)) * v[i] * v[i];
        if (k == KNOTS) break;
        for (int i = 0; i < 7; i++) sum += 0.5 * 1e-3 * (u[7 * k + i] - r->still[i]) * (u[7 * k + i] - r->still[i]);
        assert_int_equal(
            hml_step(r->model, work, scratch,
                     &HML_STRUCT(hml_discrete_step, .scheme = r->phase.scheme, .h = 0.02, .q = {q, 0}, .v = {v, 0},
                                 .tau = {u + 7 * k, 0}, .q_next = {q, 0, 0}, .v_next = {v, 0, 0})),
            HML_OK);
    }
    assert_int_equal(hml_frame(r->model, work, r->terms[2].frame, HML_MIXED, q, NULL, NULL,
                               &HML_STRUCT(hml_frame_motion, .pose = H)),
                     HML_OK);
    for (int i = 0; i < 3; i++) sum += 0.5 * 1e3 * (H[4 * i + 3] - r->goal[i]) * (H[4 * i + 3] - r->goal[i]);
    return sum;
}

/* no input can be changed alone, within its bounds, so that the cost falls */
static void least(const reach *r, const double *u, double cost, const double *lower, const double *upper)
{
    hml_work *work = NULL;
    double other[7 * KNOTS];
    assert_int_equal(hml_work_new(r->model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    assert_true(fabs(cost_of(r, work, u) - cost) < 1e-9 * cost);
    for (int i = 0; i < 7 * KNOTS; i += 3) {
        const double step = 1e-3;
        memcpy(other, u, sizeof other);
        other[i] = u[i] + step;
        const double up = cost_of(r, work, other);
        other[i] = u[i] - step;
        const double down = cost_of(r, work, other), slope = (up - down) / (2 * step);
        const double small = 3e-6; /* the weight of 1e-3 times a torque of 0.003 */
        if (!lower || (u[i] > lower[i % 7] && u[i] < upper[i % 7]))
            assert_true(fabs(slope) < small);
        else
            assert_true(u[i] <= lower[i % 7] ? slope > -small : slope < small);
    }
    hml_work_free(work);
}

static void reach_with(hml_scheme scheme)
{
    reach r;
    hml_solve_report report;
    reach_open(&r);
    r.phase.scheme = scheme;
    hml_solver *solver = solver_of(&r.problem, 1);
    assert_int_equal(solve_to(solver, 1e-14, &report), HML_OK);
    assert_int_equal(report.end, HML_END_CONVERGED);
    assert_true(report.gap < 1e-12 && report.iterations > 1);
    const hml_solution x = solution_of(solver);
    assert_true(x.knots == KNOTS && x.ninputs == 7 && fabs(x.time[KNOTS] - 0.8) < 1e-12);
    least(&r, x.u, report.cost, NULL, NULL);
    const double cost = report.cost;
    assert_int_equal(solve_to(solver, 1e-14, &report), HML_OK); /* from there nothing is left to do */
    assert_true(report.iterations <= 1 && fabs(report.cost - cost) < 1e-9 * cost);
    hml_solver_free(solver);
    hml_model_free(r.model);
}

static void test_reach(void **state)
{
    (void)state;
    reach_with(HML_SCHEME_EULER);
    reach_with(HML_SCHEME_RK4);
}

static void test_bounds(void **state)
{
    (void)state;
    reach r;
    hml_solve_report report;
    reach_open(&r);
    for (int i = 0; i < 7; i++) r.lower[i] = r.still[i] - 2, r.upper[i] = r.still[i] + 2;
    r.problem.lower = (hml_input){r.lower, 0}, r.problem.upper = (hml_input){r.upper, 0};
    hml_solver *solver = solver_of(&r.problem, 1);
    assert_int_equal(solve_to(solver, 1e-14, &report), HML_OK);
    const hml_solution x = solution_of(solver);
    int at_bounds = 0;
    for (int i = 0; i < 7 * KNOTS; i++) {
        assert_true(x.u[i] >= r.lower[i % 7] && x.u[i] <= r.upper[i % 7]); /* exactly */
        at_bounds += x.u[i] == r.lower[i % 7] || x.u[i] == r.upper[i % 7];
    }
    assert_true(at_bounds > 10 && at_bounds < 7 * KNOTS / 2);
    least(&r, x.u, report.cost, r.lower, r.upper);
    hml_solver_free(solver);
    hml_model_free(r.model);
}

static void test_constraints(void **state)
{
    (void)state;
    reach r;
    hml_solve_report report;
    reach_open(&r);
    for (int i = 0; i < 7; i++) r.lower[i] = -1.2, r.upper[i] = 1.2;
    r.terms[2].role = r.terms[3].role = HML_ROLE_CONSTRAINT; /* where, and at rest */
    r.terms[2].weight = r.terms[3].weight = 1;
    r.terms[4] = (hml_term){.kind = HML_TERM_VELOCITY,
                            .role = HML_ROLE_CONSTRAINT,
                            .last = KNOTS,
                            .weight = 1,
                            .lower = r.lower,
                            .upper = r.upper};
    r.problem.nterms = 5;
    hml_solver *solver = solver_of(&r.problem, 1);
    assert_int_equal(solve(solver, &report), HML_OK);
    assert_true(report.violation <= 1e-7 && report.gap < 1e-12);
    const hml_solution x = solution_of(solver);
    double fastest = 0;
    for (int i = 0; i < 7; i++) assert_true(fabs(x.v[KNOTS * 7 + i]) <= 1e-7);
    for (int i = 0; i < 7 * KNOTS; i++) fastest = fmax(fastest, fabs(x.v[i]));
    assert_true(fastest <= 1.2 + 1e-7 && fastest >= 1.2 - 1e-6); /* the limit matters */
    hml_solver_free(solver);
    hml_model_free(r.model);
}

static void test_infeasible(void **state)
{
    (void)state;
    reach r;
    hml_solve_report report;
    reach_open(&r);
    r.terms[2].role = HML_ROLE_CONSTRAINT, r.terms[2].weight = 1;
    r.goal[0] = 30; /* the arm is not that long */
    hml_solver *solver = solver_of(&r.problem, 1);
    const hml_status status = solve(solver, &report);
    assert_true(status == HML_INCONSISTENT && report.end == HML_END_INFEASIBLE);
    assert_int_equal(report.worst_term, 2);
    assert_true(report.worst_knot == KNOTS && report.violation > 1 && isfinite(report.cost));
    const hml_solution x = solution_of(solver);
    for (int i = 0; i < 7 * KNOTS; i++) assert_true(isfinite(x.u[i]) && isfinite(x.v[i]));
    hml_solver_free(solver);
    hml_model_free(r.model);
}

/* ---- limits of the solution ---- */

static int stop(void *context, const hml_solve_report *report)
{
    (void)report;
    return ++*(int *)context == 2;
}

static void test_limits(void **state)
{
    (void)state;
    reach r;
    int calls = 0;
    hml_solve_report report = {.struct_size = sizeof report};
    reach_open(&r);
    hml_solver *solver = solver_of(&r.problem, 1);
    assert_int_equal(hml_solver_solve(solver, &HML_STRUCT(hml_solve_options, .iterations = 1), &report),
                     HML_NOT_CONVERGED);
    assert_true(report.end == HML_END_ITERATIONS && report.iterations == 1);
    assert_int_equal(
        hml_solver_solve(solver, &HML_STRUCT(hml_solve_options, .progress = stop, .context = &calls), &report),
        HML_NOT_CONVERGED);
    assert_true(report.end == HML_END_STOPPED && report.iterations == 2);
    assert_int_equal(hml_solver_guess(solver, NULL, NULL, NULL), HML_OK);
    assert_int_equal(hml_solver_solve(solver, &HML_STRUCT(hml_solve_options, .seconds = 1e-9), &report),
                     HML_NOT_CONVERGED);
    assert_int_equal(report.end, HML_END_TIME);
    assert_int_equal(hml_solver_solve(solver, &HML_STRUCT(hml_solve_options, .iterations = -1), &report),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_solver_solve(solver, &HML_STRUCT(hml_solve_options, .tolerance = NAN), &report),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_solver_solve(NULL, NULL, NULL), HML_INVALID_ARGUMENT);
    hml_solver_free(solver);
    hml_model_free(r.model);
}

/* ---- a robot that stands ---- */

typedef struct stand {
    hml_model *model;
    hml_constraint feet[4];
    hml_constraints holds;
    hml_phase phase;
    hml_term terms[8];
    hml_problem problem;
    double q[MOST], goal[3], lower[12], upper[12];
} stand;

static void stand_open(stand *s)
{
    static const char *const names[4] = {"fl_foot", "fr_foot", "hl_foot", "hr_foot"};
    memset(s, 0, sizeof *s);
    s->model = load("quadruped");
    assert_int_equal(hml_configuration_neutral(s->model, s->q), HML_OK);
    s->q[2] = 0.35;
    for (int leg = 0; leg < 4; leg++) s->q[7 + 3 * leg + 1] = 0.7, s->q[7 + 3 * leg + 2] = -1.4;
    for (int i = 0; i < 4; i++)
        s->feet[i] =
            (hml_constraint){.kind = HML_HOLD_POINT, .frame = hml_model_find_frame(s->model, names[i]), .damping = 20};
    s->holds = HML_STRUCT(hml_constraints, .items = s->feet, .count = 4);
    s->phase = (hml_phase){.knots = KNOTS, .h = 0.02, .holds = &s->holds};
    hml_work *work = NULL;
    assert_int_equal(hml_work_new(s->model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    assert_int_equal(
        hml_centroidal(s->model, work, s->q, NULL, NULL, &HML_STRUCT(hml_centroidal_motion, .com = s->goal)), HML_OK);
    hml_work_free(work);
    s->goal[0] += 0.04, s->goal[1] += 0.05, s->goal[2] -= 0.03;
    for (int i = 0; i < 12; i++) s->lower[i] = -40, s->upper[i] = 40;
    s->terms[0] = (hml_term){.kind = HML_TERM_INPUT, .last = KNOTS - 1, .weight = 1e-4};
    s->terms[1] = (hml_term){.kind = HML_TERM_VELOCITY, .last = KNOTS, .weight = 1e-2};
    s->terms[2] = (hml_term){.kind = HML_TERM_COM,
                             .role = HML_ROLE_CONSTRAINT,
                             .first = KNOTS,
                             .last = KNOTS,
                             .weight = 1,
                             .reference = {s->goal, 0}};
    s->terms[3] = (hml_term){.kind = HML_TERM_CONFIGURATION, .last = KNOTS, .weight = 1e-1, .reference = {s->q, 0}};
    for (int i = 0; i < 4; i++)
        s->terms[4 + i] = (hml_term){.kind = HML_TERM_CONE,
                                     .role = HML_ROLE_CONSTRAINT,
                                     .hold = i,
                                     .last = KNOTS - 1,
                                     .weight = 1e-2,
                                     .friction = 0.3};
    s->problem = HML_STRUCT(hml_problem, .model = s->model, .phases = &s->phase, .nphases = 1, .terms = s->terms,
                            .nterms = 8, .q = s->q, .lower = {s->lower, 0}, .upper = {s->upper, 0});
}

static void test_stand(void **state)
{
    (void)state;
    stand s;
    hml_solve_report report;
    stand_open(&s);
    hml_solver *solver = solver_of(&s.problem, 1);
    assert_int_equal(solve(solver, &report), HML_OK);
    assert_true(report.violation <= 1e-7 && report.gap < 1e-11);
    const hml_solution x = solution_of(solver);
    assert_int_equal(x.nforces, 12);
    for (int k = 0; k < KNOTS; k++) {
        double up = 0;
        for (int i = 0; i < 4; i++) {
            const double *f = x.force + 12 * k + 3 * i;
            assert_true(f[2] >= -1e-6 && fabs(f[0]) <= 0.3 * f[2] + 2e-6 && fabs(f[1]) <= 0.3 * f[2] + 2e-6);
            up += f[2];
        }
        assert_true(up > 50 && up < 300); /* of 14 kg */
    }
    hml_solver_free(solver);
    hml_model_free(s.model);
}

/* feet that loops tie to the world are the same as held ones; the rows of loops come after those of holds */
static void test_loops(void **state)
{
    (void)state;
    stand held, tied;
    hml_loop loops[2] = {{.kind = HML_HOLD_POINT}, {.kind = HML_HOLD_POINT}};
    stand_open(&held), stand_open(&tied);
    held.problem.nterms = tied.problem.nterms = 6; /* cones of the first two */
    for (int i = 0; i < 2; i++) {
        loops[i].frame = tied.feet[2 + i].frame, loops[i].other = HML_WORLD;
        loops[i].damping = tied.feet[2 + i].damping;
    }
    tied.holds = HML_STRUCT(hml_constraints, .items = tied.feet, .count = 2, .loops = loops, .loop_count = 2);
    held.terms[0] = tied.terms[0] = (hml_term){.kind = HML_TERM_FORCE, .hold = 1, .last = KNOTS - 1, .weight = 1e-4};
    assert_int_equal(hml_problem_term_rows(&tied.problem, 0), 3);
    hml_solver *one = solver_of(&held.problem, 1), *other = solver_of(&tied.problem, 1);
    assert_int_equal(solve(one, &(hml_solve_report){0}), HML_OK);
    assert_int_equal(solve(other, &(hml_solve_report){0}), HML_OK);
    const hml_solution a = solution_of(one), b = solution_of(other);
    assert_int_equal(b.nforces, 12);
    for (int i = 0; i < 12 * KNOTS; i++) {
        assert_true(fabs(a.u[i] - b.u[i]) < 1e-4);
        assert_true(fabs(a.force[i] - b.force[i]) < 1e-3);
    }
    hml_solver_free(one), hml_solver_free(other);
    hml_model_free(held.model), hml_model_free(tied.model);
}

/* ---- workers, memory ---- */

static void test_threads(void **state)
{
    (void)state;
    stand s;
    hml_solve_report one, three = {.struct_size = sizeof three};
    stand_open(&s);
    hml_solver *a = solver_of(&s.problem, 1), *b = solver_of(&s.problem, 3);
    assert_int_equal(solve(a, &one), HML_OK);
    assert_int_equal(hml_solver_solve(b, &HML_STRUCT(hml_solve_options, .parallel_for = in_threads), &three), HML_OK);
    const hml_solution x = solution_of(a), y = solution_of(b);
    assert_true(one.iterations == three.iterations && one.cost == three.cost);
    assert_memory_equal(x.u, y.u, KNOTS * 12 * sizeof(double));
    assert_memory_equal(x.q, y.q, (KNOTS + 1) * 19 * sizeof(double));
    assert_memory_equal(x.K, y.K, KNOTS * 12 * 36 * sizeof(double));
    hml_solver_free(a);
    hml_solver_free(b);
    hml_model_free(s.model);
}

static void test_memory(void **state)
{
    (void)state;
#if ALLOCATOR
    stand s;
    hml_solve_report report = {.struct_size = sizeof report};
    stand_open(&s);
    hml_solver *solver = solver_of(&s.problem, 1);
    allocations_left = 0;
    const hml_status status = hml_solver_solve(solver, NULL, &report);
    allocations_left = -1;
    const hml_status moved = hml_solver_shift(solver, 1), again = solve(solver, &report);
    allocations_left = -1;
    assert_int_equal(status, HML_OK);
    assert_int_equal(moved, HML_OK);
    assert_int_equal(again, HML_OK);
    hml_solver_free(solver);
    for (int n = 0; n < 4; n++) { /* and setting up fails cleanly */
        hml_error error = {0};
        allocations_left = n;
        const hml_status made = hml_solver_new(&s.problem, NULL, &solver, &error);
        allocations_left = -1;
        if (!made) hml_solver_free(solver);
        if (n < 3) assert_int_equal(made, HML_OUT_OF_MEMORY);
    }
    hml_model_free(s.model);
#endif
}

/* ---- bad data ---- */

static void refused(const hml_problem *problem, hml_status status, const char *place)
{
    hml_error error = {0};
    hml_solver *solver = NULL;
    assert_int_equal(hml_problem_check(problem, &error), status);
    if (strncmp(error.message, place, strlen(place))) fail_msg("%s does not begin with %s", error.message, place);
    assert_int_equal(hml_solver_new(problem, NULL, &solver, NULL), status);
    assert_null(solver);
}

static void test_bad_terms(void **state)
{
    (void)state;
    stand s;
    stand_open(&s);
    const double negative[18] = {-1}, skew[16] = {1, 1}, high[3] = {2, 2, 2}, low[3] = {1, 1, 1}, nothing[3] = {NAN};
    const struct {
        hml_term term;
        hml_status status;
        const char *place;
    } cases[] = {
        {{.kind = (hml_term_kind)99}, HML_INVALID_ARGUMENT, "/terms/0/kind"},
        {{.kind = HML_TERM_COM, .role = (hml_term_role)7}, HML_INVALID_ARGUMENT, "/terms/0/role"},
        {{.kind = HML_TERM_COM, .weight = -1}, HML_INVALID_ARGUMENT, "/terms/0/weight"},
        {{.kind = HML_TERM_COM, .weight = NAN}, HML_INVALID_ARGUMENT, "/terms/0/weight"},
        {{.kind = HML_TERM_VELOCITY, .weights = negative}, HML_INVALID_ARGUMENT, "/terms/0/weights"},
        {{.kind = HML_TERM_VELOCITY, .knot_weights = negative}, HML_INVALID_ARGUMENT, "/terms/0/knot_weights"},
        {{.kind = HML_TERM_COM, .last = KNOTS + 1}, HML_INVALID_ARGUMENT, "/terms/0/knots"},
        {{.kind = HML_TERM_COM, .first = 3, .last = 2}, HML_INVALID_ARGUMENT, "/terms/0/knots"},
        {{.kind = HML_TERM_INPUT, .last = KNOTS}, HML_INVALID_ARGUMENT, "/terms/0/knots"},
        {{.kind = HML_TERM_POSITION, .frame = 999}, HML_NOT_FOUND, "/terms/0/frame"},
        {{.kind = HML_TERM_FORCE, .hold = 4}, HML_INVALID_ARGUMENT, "/terms/0/hold"},
        {{.kind = HML_TERM_FORCE, .hold = -1}, HML_INVALID_ARGUMENT, "/terms/0/hold"},
        {{.kind = HML_TERM_CONE}, HML_INVALID_ARGUMENT, "/terms/0/role"},
        {{.kind = HML_TERM_CONE, .role = HML_ROLE_BARRIER, .friction = -1}, HML_INVALID_ARGUMENT, "/terms/0/friction"},
        {{.kind = HML_TERM_CONE, .role = HML_ROLE_BARRIER, .facets = 5}, HML_INVALID_ARGUMENT, "/terms/0/facets"},
        {{.kind = HML_TERM_POSE, .reference = {skew, 0}}, HML_NOT_NORMALIZED, "/terms/0/reference"},
        {{.kind = HML_TERM_COM, .reference = {nothing, 0}}, HML_NOT_FINITE, "/terms/0/reference"},
        {{.kind = HML_TERM_COM, .role = HML_ROLE_BARRIER, .lower = high, .upper = low},
         HML_INVALID_ARGUMENT,
         "/terms/0/lower"},
        {{.kind = HML_TERM_OWN}, HML_INVALID_ARGUMENT, "/terms/0/function"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        s.terms[0] = cases[i].term;
        refused(&s.problem, cases[i].status, cases[i].place);
    }
    hml_model_free(s.model);
}

static void test_bad_problems(void **state)
{
    (void)state;
    stand s;
    stand_open(&s);
    const int32_t beyond[1] = {18};
    const double actuation[18] = {NAN};
    hml_problem p = s.problem;
    refused(NULL, HML_INVALID_ARGUMENT, "/:");
    p.nphases = 0, refused(&p, HML_INVALID_ARGUMENT, "/:"), p = s.problem;
    p.q = NULL, refused(&p, HML_INVALID_ARGUMENT, "/start"), p = s.problem;
    p.v = actuation, refused(&p, HML_NOT_FINITE, "/start"), p = s.problem;
    s.q[3] = 3, refused(&p, HML_NOT_NORMALIZED, "/start"), s.q[3] = 1;
    p.inputs = beyond, p.ninputs = 1, refused(&p, HML_INVALID_ARGUMENT, "/inputs/0"), p = s.problem;
    p.actuation = actuation, refused(&p, HML_INVALID_ARGUMENT, "/inputs"), p = s.problem;
    p.actuation = actuation, p.ninputs = 1, refused(&p, HML_NOT_FINITE, "/actuation"), p = s.problem;
    s.lower[3] = 41, refused(&p, HML_INVALID_ARGUMENT, "/bounds"), s.lower[3] = NAN;
    refused(&p, HML_INVALID_ARGUMENT, "/bounds"), s.lower[3] = -40;
    s.phase.knots = 0, refused(&p, HML_INVALID_ARGUMENT, "/phases/0/knots"), s.phase.knots = KNOTS;
    s.phase.h = 0, refused(&p, HML_INVALID_ARGUMENT, "/phases/0/step"), s.phase.h = 0.02;
    s.phase.impact = 1, refused(&p, HML_INVALID_ARGUMENT, "/phases/0/impact"), s.phase.impact = 0;
    s.feet[2].frame = 999, refused(&p, HML_NOT_FOUND, "/phases/0/holds/2"), s.feet[2].frame = 0;
    s.feet[1].kind = HML_TOUCH_PLANE, s.feet[1].normal[2] = 1, refused(&p, HML_UNSUPPORTED, "/phases/0/holds/1");
    hml_model_free(s.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach),        cmocka_unit_test(test_bounds), cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_infeasible),   cmocka_unit_test(test_limits), cmocka_unit_test(test_stand),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_memory), cmocka_unit_test(test_bad_terms),
        cmocka_unit_test(test_bad_problems), cmocka_unit_test(test_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
