/*
 * What could be taken for a solution and is not one: numbers left over from other terms, residuals that are not numbers,
 * steps that a wrong Jacobian of a term of one's own makes small, references that are reflections.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/configuration.h"
#include "hamel/control.h"
#include "hamel/io.h"

enum { NV = 7, KNOTS = 200, SHORT = 10 };

typedef struct arm {
    hml_model *model;
    hml_phase phase;
    double q[NV];
} arm;

static arm arm_open(size_t knots)
{
    arm a = {.phase = {.knots = knots, .h = 0.01}};
    hml_error error = {0};
    if (hml_load_builtin("arm7", NULL, &a.model, &error)) fail_msg("%s", error.message);
    for (int i = 0; i < NV; i++) a.q[i] = 0.3 - 0.1 * i;
    return a;
}

static hml_status solve(const arm *a, const hml_term *terms, size_t count, hml_solve_report *report)
{
    const hml_problem p = HML_STRUCT(hml_problem, .model = a->model, .phases = &a->phase, .nphases = 1, .terms = terms,
                                     .nterms = count, .q = a->q);
    hml_solver *solver = NULL;
    hml_error error = {0};
    *report = (hml_solve_report){.struct_size = sizeof *report};
    if (hml_solver_new(&p, NULL, &solver, &error)) fail_msg("%s", error.message);
    const hml_status status = hml_solver_solve(solver, NULL, report);
    hml_solver_free(solver);
    return status;
}

/* rows that a term by velocities left behind must not grow, knot after knot, in those of a term by positions */
static void test_left_over(void **state)
{
    (void)state;
    const arm a = arm_open(KNOTS);
    const int32_t tool = hml_model_find_frame(a.model, "tool");
    const double twist[6] = {1, 1, 1, 1, 1, 1};
    const hml_term terms[] = {
        {.kind = HML_TERM_INPUT, .last = KNOTS - 1, .weight = 1},
        {.kind = HML_TERM_TWIST, .frame = tool, .representation = HML_MIXED, .weight = 1, .reference = {twist, 0}},
        {.kind = HML_TERM_POSITION, .frame = tool, .last = KNOTS, .weight = 1e6},
    };
    hml_solve_report report;
    const hml_status status = solve(&a, terms, 3, &report); /* whether the arm can reach that far is another question */
    assert_true(status != HML_NOT_FINITE && report.end != HML_END_FAILED && isfinite(report.cost));
    hml_model_free(a.model);
}

/* r: 0 except at the end of the horizon, where it is not a number */
static hml_status nothing(void *context, size_t knot, const double *q, const double *v, const double *u, double *r,
                          double *r_x, double *r_u)
{
    (void)context, (void)q, (void)v, (void)u;
    r[0] = knot == SHORT ? NAN : 0;
    if (r_x) memset(r_x, 0, 2 * NV * sizeof *r_x);
    if (r_u) memset(r_u, 0, NV * sizeof *r_u);
    return HML_OK;
}

static void test_not_a_number(void **state)
{
    (void)state;
    const arm a = arm_open(SHORT);
    hml_solve_report report;
    for (int role = HML_ROLE_COST; role <= HML_ROLE_CONSTRAINT; role++) {
        for (int weight = 0; weight < 2; weight++) {
            const hml_term terms[] = {
                {.kind = HML_TERM_INPUT, .last = SHORT - 1, .weight = 1},
                {.kind = HML_TERM_OWN,
                 .role = (hml_term_role)role,
                 .last = SHORT,
                 .weight = weight,
                 .rows = 1,
                 .function = nothing},
            };
            assert_int_equal(solve(&a, terms, 2, &report), HML_NOT_FINITE);
            assert_int_equal(report.end, HML_END_FAILED);
        }
    }
    hml_model_free(a.model);
}

/* q, with a Jacobian of the wrong sign: no step helps, whatever its regularization */
static hml_status wrong(void *context, size_t knot, const double *q, const double *v, const double *u, double *r,
                        double *r_x, double *r_u)
{
    const double sign = *(const double *)context;
    (void)knot, (void)v, (void)u;
    memcpy(r, q, NV * sizeof *r);
    if (r_x) memset(r_x, 0, NV * 2 * NV * sizeof *r_x);
    for (int i = 0; r_x && i < NV; i++) r_x[i * 2 * NV + i] = sign;
    if (r_u) memset(r_u, 0, NV * NV * sizeof *r_u);
    return HML_OK;
}

static void test_wrong_jacobian(void **state)
{
    (void)state;
    const arm a = arm_open(SHORT);
    hml_solve_report report;
    double sign = -1;
    const hml_term terms[] = {
        {.kind = HML_TERM_INPUT, .last = SHORT - 1, .weight = 1e-3},
        {.kind = HML_TERM_OWN, .last = SHORT, .weight = 100, .rows = NV, .function = wrong, .context = &sign},
    };
    assert_int_equal(solve(&a, terms, 2, &report), HML_NOT_CONVERGED);
    assert_int_equal(report.end, HML_END_STUCK);
    sign = 1;
    assert_int_equal(solve(&a, terms, 2, &report), HML_OK);
    assert_int_equal(report.end, HML_END_CONVERGED);
    hml_model_free(a.model);
}

static void test_reflection(void **state)
{
    (void)state;
    const arm a = arm_open(SHORT);
    const double mirror[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1};
    const double mirror3[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
    hml_term term = {.kind = HML_TERM_POSE, .weight = 1, .reference = {mirror, 0}};
    const hml_problem p = HML_STRUCT(hml_problem, .model = a.model, .phases = &a.phase, .nphases = 1, .terms = &term,
                                     .nterms = 1, .q = a.q);
    assert_int_equal(hml_problem_check(&p, NULL), HML_NOT_NORMALIZED);
    term.kind = HML_TERM_ORIENTATION, term.reference.data = mirror3;
    assert_int_equal(hml_problem_check(&p, NULL), HML_NOT_NORMALIZED);
    hml_model_free(a.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_over),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_wrong_jacobian),
        cmocka_unit_test(test_reflection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
