/* The tests of struct_size: regulators, margins, modes, problems and their solver. */
#ifndef HML_TESTS_STRUCT_SIZE_CONTROL_H
#define HML_TESTS_STRUCT_SIZE_CONTROL_H

#include "struct_size_robot.h"

static const double lqr_A[4] = {0, 1, 0, 0}, lqr_B[2] = {0, 1}, lqr_Q[4] = {1, 0, 0, 1};
static void fill_lqr(void *x)
{
    *(hml_lqr *)x = HML_STRUCT(hml_lqr, .n = 2, .m = 1, .A = lqr_A, .B = lqr_B, .Q = lqr_Q, .R = lqr_Q, .K = out[0],
                               .P = out[1], .closed = out[2], .poles = out[3]);
}
static void fill_lqr_horizon(void *x)
{
    *(hml_lqr_horizon *)x = HML_STRUCT(hml_lqr_horizon, .n = 2, .m = 1, .steps = 3, .A = {lqr_A, 0}, .B = {lqr_B, 0},
                                       .Q = {lqr_Q, 0}, .R = {lqr_Q, 0}, .Q_end = lqr_Q, .K = out[0], .P = out[1]);
}
static hml_status call_lqr_horizon(void *x) { return hml_lqr_horizon_solve(x, scratch, NULL); }
static hml_status call_lqr(void *x) { return hml_lqr_solve(x, scratch, NULL); }
static hml_status call_lqr_discrete(void *x) { return hml_lqr_solve_discrete(x, scratch, NULL); }
static void fill_lqr_report(void *x) { ((hml_lqr_report *)x)->struct_size = sizeof(hml_lqr_report); }
static hml_status call_lqr_report(void *x)
{
    hml_lqr problem;
    fill_lqr(&problem);
    return hml_lqr_solve(&problem, scratch, x);
}
static hml_mode modes[2];
static void fill_modes(void *x)
{
    *(hml_modes *)x = HML_STRUCT(hml_modes, .n = 2, .m = 1, .A = lqr_A, .B = lqr_B, .eigenvalues = out[0],
                                 .right = out[1], .left = out[2], .participation = out[3], .modes = modes);
}
static hml_status call_modes(void *x) { return hml_modes_solve(x, scratch, NULL); }
static void fill_lqr_integral(void *x)
{
    static const double C[2] = {1, 0};
    *(hml_lqr_integral *)x =
        HML_STRUCT(hml_lqr_integral, .n = 2, .m = 1, .p = 1, .A = lqr_A, .B = lqr_B, .C = C, .Q = lqr_Q, .Qi = lqr_Q,
                   .R = lqr_Q, .K = out[0], .Ki = out[1], .poles = out[2]);
}
static hml_status call_lqr_integral(void *x) { return hml_lqr_integral_solve(x, scratch, NULL); }
static void fill_locus(void *x)
{
    static const double values[2] = {0, 1};
    *(hml_locus *)x =
        HML_STRUCT(hml_locus, .n = 2, .A = lqr_A, .D = lqr_Q, .points = 2, .values = values, .eigenvalues = out[0]);
}
static hml_status call_locus(void *x) { return hml_locus_solve(x, scratch, NULL); }
static hml_disk disks[3];
static void fill_margins(void *x)
{
    static const double K[2] = {1, 2};
    *(hml_margins *)x = HML_STRUCT(hml_margins, .n = 2, .m = 1, .A = lqr_A, .B = lqr_B, .K = K, .sensitivity = disks,
                                   .complementary = disks + 1, .balanced = disks + 2);
}
static hml_status call_margins(void *x) { return hml_margins_solve(x, scratch); }
static void fill_problem(void *x)
{
    static const hml_phase phase = {.knots = 2, .h = 0.01};
    static const hml_term term = {.kind = HML_TERM_INPUT, .last = 1, .weight = 1};
    *(hml_problem *)x =
        HML_STRUCT(hml_problem, .model = model, .phases = &phase, .nphases = 1, .terms = &term, .nterms = 1, .q = q);
}
static hml_status call_problem(void *x) { return hml_problem_check(x, NULL); }
static void fill_solver_settings(void *x) { *(hml_solver_settings *)x = HML_STRUCT(hml_solver_settings, .workers = 1); }
/* a solver of that problem for one call */
static hml_status call_solver(const hml_solver_settings *settings, const hml_solve_options *options,
                              hml_solve_report *report)
{
    hml_problem problem;
    hml_solver *solver = NULL;
    fill_problem(&problem);
    hml_status status = hml_solver_new(&problem, settings, &solver, NULL);
    if (!status) status = hml_solver_solve(solver, options, report);
    hml_solver_free(solver);
    return status;
}
static hml_status call_solver_settings(void *x) { return call_solver(x, NULL, NULL); }
static void fill_solve_options(void *x) { *(hml_solve_options *)x = HML_STRUCT(hml_solve_options, .iterations = 20); }
static hml_status call_solve_options(void *x) { return call_solver(NULL, x, NULL); }
static void fill_solve_report(void *x) { ((hml_solve_report *)x)->struct_size = sizeof(hml_solve_report); }
static hml_status call_solve_report(void *x)
{
    const hml_status status = call_solver(NULL, NULL, x);
    hml_solve_report *report = x;
    const int known = report->struct_size >= offsetof(hml_solve_report, seconds) + sizeof report->seconds;
    if (!status && known) report->seconds = 0; /* differs from call to call */
    return status;
}
static void fill_solution(void *x) { ((hml_solution *)x)->struct_size = sizeof(hml_solution); }
/* of one solver, since the struct points into it */
static hml_status call_solution(void *x)
{
    static hml_solver *solver;
    hml_problem problem;
    fill_problem(&problem);
    const hml_status status = solver ? HML_OK : hml_solver_new(&problem, NULL, &solver, NULL);
    return status ? status : hml_solver_solution(solver, x);
}
static void fill_mpc_settings(void *x) { *(hml_mpc_settings *)x = HML_STRUCT(hml_mpc_settings, .workers = 1); }
static hml_status call_mpc_settings(void *x)
{
    hml_problem problem;
    hml_mpc *mpc = NULL;
    fill_problem(&problem);
    const hml_status status = hml_mpc_new(&problem, x, &mpc, NULL);
    hml_mpc_free(mpc);
    return status;
}
/* of one controller, since the struct points into it */
static hml_mpc *controller(void)
{
    static hml_mpc *mpc;
    hml_problem problem;
    fill_problem(&problem);
    return mpc || !hml_mpc_new(&problem, NULL, &mpc, NULL) ? mpc : NULL;
}
static void fill_mpc_result(void *x) { ((hml_mpc_result *)x)->struct_size = sizeof(hml_mpc_result); }
static hml_status call_mpc_result(void *x) { return hml_mpc_tick(controller(), 0, q, NULL, NULL, x, NULL); }
static void fill_mpc_statistics(void *x) { ((hml_mpc_statistics *)x)->struct_size = sizeof(hml_mpc_statistics); }
static hml_status call_mpc_statistics(void *x)
{
    (void)hml_mpc_reset(controller());
    return hml_mpc_get_statistics(controller(), x);
}

#endif
