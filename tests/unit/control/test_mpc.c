/*
 * Predictive control: a tick that goes on until it converges finds what the solver finds, the window moves with the time and
 * with the gait, forces are where feet are held, a robot that is pushed comes back, what cannot be computed is said, and
 * nothing depends on the number of workers or allocates.
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
#include "hamel/discrete.h"
#include "hamel/io.h"

enum { NV = 18, NQ = 19, M = 12, KNOTS = 20 };

static const double H = 0.02;

/* a quadruped that steps on the spot: pairs of feet are held in turns */
typedef struct trot {
    hml_model *model;
    hml_constraint feet[2][2];
    hml_constraints holds[2];
    hml_gait_slot gait[2];
    hml_phase phase;
    hml_term terms[7];
    hml_problem problem;
    double q[NQ];
} trot;

static void trot_open(trot *t)
{
    static const char *const names[4] = {"fl_foot", "hr_foot", "fr_foot", "hl_foot"};
    hml_error error = {0};
    memset(t, 0, sizeof *t);
    if (hml_load_builtin("quadruped", NULL, &t->model, &error)) fail_msg("%s", error.message);
    assert_int_equal(hml_configuration_neutral(t->model, t->q), HML_OK);
    t->q[2] = 0.35;
    for (int leg = 0; leg < 4; leg++) t->q[7 + 3 * leg + 1] = 0.7, t->q[7 + 3 * leg + 2] = -1.4;
    t->terms[0] = (hml_term){.kind = HML_TERM_INPUT, .last = KNOTS - 1, .weight = 1e-4};
    t->terms[1] = (hml_term){.kind = HML_TERM_VELOCITY, .last = KNOTS, .weight = 1e-2};
    t->terms[2] = (hml_term){.kind = HML_TERM_CONFIGURATION, .last = KNOTS, .weight = 1, .reference = {t->q, 0}};
    for (int i = 0; i < 4; i++) {
        const int32_t frame = hml_model_find_frame(t->model, names[i]);
        t->feet[i / 2][i % 2] = (hml_constraint){.kind = HML_HOLD_POINT, .frame = frame, .damping = 20};
        t->terms[3 + i] = (hml_term){.kind = HML_TERM_CONE,
                                     .role = HML_ROLE_CONSTRAINT,
                                     .frame = frame,
                                     .last = KNOTS - 1,
                                     .weight = 1e-2,
                                     .friction = 0.6};
    }
    for (int i = 0; i < 2; i++) {
        t->holds[i] = HML_STRUCT(hml_constraints, .items = t->feet[i], .count = 2);
        t->gait[i] = (hml_gait_slot){0.15, &t->holds[i]};
    }
    t->phase = (hml_phase){.knots = KNOTS, .h = H};
    t->problem = HML_STRUCT(hml_problem, .model = t->model, .phases = &t->phase, .nphases = 1, .terms = t->terms,
                            .nterms = 7, .q = t->q);
}

static hml_mpc *mpc_of(const hml_problem *problem, const hml_gait_slot *gait, size_t workers)
{
    hml_mpc *mpc = NULL;
    hml_error error = {0};
    const hml_mpc_settings settings =
        HML_STRUCT(hml_mpc_settings, .workers = workers, .gait = gait, .nslots = gait ? 2 : 0);
    if (hml_mpc_new(problem, &settings, &mpc, &error)) fail_msg("%s", error.message);
    return mpc;
}

static hml_mpc_result tick(hml_mpc *mpc, double time, const double *q, const double *v,
                           const hml_solve_options *options, hml_solve_report *report)
{
    hml_mpc_result x = {.struct_size = sizeof x};
    hml_solve_report room;
    if (!report) report = &room;
    *report = (hml_solve_report){.struct_size = sizeof *report};
    assert_int_equal(hml_mpc_tick(mpc, time, q, v, options, &x, report), HML_OK);
    return x;
}

/* ---- without a gait ---- */

/* a tick of many iterations is the solver's solution; all feet held, so that it has forces too */
static void test_like_solver(void **state)
{
    (void)state;
    trot t;
    trot_open(&t);
    hml_constraint feet[4];
    memcpy(feet, t.feet, sizeof feet);
    const hml_constraints holds = HML_STRUCT(hml_constraints, .items = feet, .count = 4);
    t.phase.holds = &holds;
    for (int i = 0; i < 4; i++) t.terms[3 + i].hold = i, t.terms[3 + i].frame = 0;
    hml_solver *solver = NULL;
    hml_solution x = {.struct_size = sizeof x}, y = x;
    hml_solve_report one = {.struct_size = sizeof one}, two;
    double v[NV] = {0.2, -0.1};
    assert_int_equal(hml_solver_new(&t.problem, NULL, &solver, NULL), HML_OK);
    hml_mpc *mpc = mpc_of(&t.problem, NULL, 1);
    assert_int_equal(hml_solver_start(solver, t.q, v), HML_OK);
    assert_int_equal(hml_solver_guess(solver, NULL, NULL, NULL), HML_OK);
    assert_int_equal(hml_solver_solve(solver, NULL, &one), HML_OK);
    const hml_mpc_result found = tick(mpc, 3, t.q, v, &HML_STRUCT(hml_solve_options, .iterations = 200), &two);
    assert_int_equal(hml_solver_solution(solver, &x), HML_OK);
    assert_int_equal(hml_mpc_solution(mpc, &y), HML_OK);
    assert_true(two.end == HML_END_CONVERGED && fabs(one.cost - two.cost) <= 1e-7 * one.cost);
    for (int i = 0; i < M; i++) assert_true(fabs(x.u[i] - found.u[i]) < 1e-3);
    assert_true(found.ninputs == M && found.nforces == 12 && found.slot == 0 && y.u == found.u);
    hml_solver_free(solver);
    hml_mpc_free(mpc);
    hml_model_free(t.model);
}

/* the window moves by parts of a knot: the motion that begins the next tick is interpolated on the group */
static void test_window(void **state)
{
    (void)state;
    trot t;
    trot_open(&t);
    hml_mpc *mpc = mpc_of(&t.problem, t.gait, 1);
    hml_solution x = {.struct_size = sizeof x};
    double v[NV] = {0.1, 0, 0, 0.3, 0.2, 0.1}, q[NQ], u[M], between[NQ], begun[NQ], speed[NV];
    (void)tick(mpc, 0, t.q, v, &HML_STRUCT(hml_solve_options, .iterations = 30), NULL);
    assert_int_equal(hml_mpc_solution(mpc, &x), HML_OK);
    memcpy(q, x.q, sizeof q);
    assert_int_equal(hml_configuration_interpolate(t.model, x.q + 7 * NQ, x.q + 8 * NQ, 0.25, between), HML_OK);
    for (int i = 0; i < M; i++) u[i] = 0.75 * x.u[6 * M + i] + 0.25 * x.u[7 * M + i];
    memcpy(begun, x.q + 6 * NQ, sizeof begun);
    memcpy(speed, x.v + 6 * NV, sizeof speed);
    /* time is up at once: what is there is the motion that was moved */
    const hml_solve_options none = HML_STRUCT(hml_solve_options, .seconds = 1e-300);
    const hml_mpc_result y = tick(mpc, 6.25 * H, begun, speed, &none, NULL);
    assert_int_equal(hml_mpc_solution(mpc, &x), HML_OK);
    for (int i = 0; i < M; i++) assert_true(fabs(y.u[i] - u[i]) < 1e-12 * (1 + fabs(u[i])));
    for (int i = 0; i < NQ; i++) assert_true(x.q[i] == begun[i] && fabs(x.q[NQ + i] - between[i]) < 1e-14);
    /* so far that nothing is left but the end */
    (void)tick(mpc, 1e6, q, NULL, &none, NULL);
    assert_int_equal(hml_mpc_solution(mpc, &x), HML_OK);
    assert_memory_equal(x.q + 5 * NQ, x.q + 9 * NQ, NQ * sizeof(double));
    hml_mpc_free(mpc);
    hml_model_free(t.model);
}

/* ---- with a gait ---- */

static void test_gait(void **state)
{
    (void)state;
    trot t;
    trot_open(&t);
    hml_mpc *mpc = mpc_of(&t.problem, t.gait, 1);
    double left;
    assert_true(hml_mpc_slot(mpc, 0, &left) == 0 && fabs(left - 0.15) < 1e-15);
    assert_true(hml_mpc_slot(mpc, 0.2, &left) == 1 && fabs(left - 0.1) < 1e-15);
    assert_true(hml_mpc_slot(mpc, 0.35, &left) == 0 && fabs(left - 0.1) < 1e-15);
    assert_true(hml_mpc_slot(mpc, -0.05, &left) == 1 && fabs(left - 0.05) < 1e-15);
    assert_int_equal(hml_mpc_slot(NULL, 0, NULL), -1);
    assert_int_equal(hml_mpc_slot(mpc, NAN, NULL), -1);
    const double times[] = {0, 0.013, 0.1, 0.149, 0.32};
    hml_solution x = {.struct_size = sizeof x};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const hml_mpc_result y = tick(mpc, times[i], t.q, NULL, NULL, NULL);
        assert_int_equal(y.slot, hml_mpc_slot(mpc, times[i] + H / 2, NULL));
    }
    for (int i = 0; i < 40; i++) (void)tick(mpc, 0.32, t.q, NULL, NULL, NULL);
    assert_int_equal(hml_mpc_solution(mpc, &x), HML_OK);
    /* two feet carry the robot, 14 kg, and the forces of a step are of its own slot: the held feet do not move in it */
    for (int k = 0; k < KNOTS; k++) {
        const double *f = x.force + 6 * k, up = f[2] + f[5];
        assert_true(up > 0 && up < 400);
        for (int j = 0; j < 6; j += 3)
            assert_true(f[j + 2] > -1e-2 && hypot(f[j], f[j + 1]) <= 0.6 * sqrt(2) * f[j + 2] + 1e-1);
    }
    hml_mpc_free(mpc);
    hml_model_free(t.model);
}

/* the model as the plant: pushed by 0.4 m/s, the robot is slower soon and stays up */
static void test_push(void **state)
{
    (void)state;
    trot t;
    trot_open(&t);
    hml_mpc *mpc = mpc_of(&t.problem, t.gait, 1);
    hml_work *work = NULL;
    static double scratch[1 << 16];
    double q[NQ], v[NV] = {0, 0.4}, tau[NV] = {0}, a[NV];
    memcpy(q, t.q, sizeof q);
    assert_int_equal(hml_work_new(t.model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    for (int i = 0; i < 150; i++) {
        const hml_mpc_result x = tick(mpc, i * H / 2, q, v, NULL, NULL);
        const hml_constraints *holds = t.gait[x.slot].holds;
        assert_true(hml_constraint_scratch_doubles(t.model, holds) <= 1 << 16);
        for (int k = 0; k < M; k++) tau[6 + k] = x.u[k];
        const hml_constrained_dynamics at =
            HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = tau, .acceleration = a);
        assert_int_equal(hml_constrained_forward_dynamics(t.model, work, holds, scratch, &at), HML_OK);
        for (int k = 0; k < NV; k++) v[k] += H / 2 * a[k], a[k] = H / 2 * v[k];
        assert_int_equal(hml_configuration_integrate(t.model, q, a, q), HML_OK);
    }
    assert_true(fabs(v[1]) < 0.15 && fabs(q[2] - 0.35) < 0.05 && q[3] > 0.98);
    hml_work_free(work);
    hml_mpc_free(mpc);
    hml_model_free(t.model);
}

/* ---- workers, memory, time ---- */

static void test_mpc_threads(void **state)
{
    (void)state;
    trot t;
    trot_open(&t);
    hml_mpc *one = mpc_of(&t.problem, t.gait, 1), *three = mpc_of(&t.problem, t.gait, 3);
    const double v[NV] = {0.1, 0.2, 0, 0, 0, 0.3};
    for (int i = 0; i < 12; i++) {
        const hml_mpc_result x = tick(one, 0.037 * i, t.q, v, NULL, NULL);
        const hml_mpc_result y =
            tick(three, 0.037 * i, t.q, v, &HML_STRUCT(hml_solve_options, .parallel_for = in_threads), NULL);
        assert_memory_equal(x.u, y.u, M * sizeof(double));
        assert_memory_equal(x.K, y.K, M * 2 * NV * sizeof(double));
        assert_memory_equal(x.force, y.force, x.nforces * sizeof(double));
    }
    hml_mpc_free(one);
    hml_mpc_free(three);
    hml_model_free(t.model);
}

static void test_memory(void **state)
{
    (void)state;
    trot t;
    trot_open(&t);
    hml_mpc *mpc = mpc_of(&t.problem, t.gait, 1);
    hml_mpc_statistics s = {.struct_size = sizeof s};
    hml_status worst = HML_OK;
    allocations_left = 0;
    for (int i = 0; i < 30; i++) {
        const hml_status status = hml_mpc_tick(mpc, 0.011 * i, t.q, NULL, NULL, NULL, NULL);
        if (status) worst = status;
    }
    allocations_left = -1;
    assert_int_equal(worst, HML_OK);
    assert_int_equal(hml_mpc_get_statistics(mpc, &s), HML_OK);
    assert_true(s.ticks == 30 && s.failed == 0 && s.rejected < 30);
    assert_true(s.p50 > 0 && s.p50 <= s.p90 && s.p90 <= s.p99 && s.p99 <= s.most && s.mean <= s.most);
    assert_int_equal(hml_mpc_reset(mpc), HML_OK);
    assert_int_equal(hml_mpc_get_statistics(mpc, &s), HML_OK);
    assert_true(s.ticks == 0 && s.most == 0);
    hml_mpc_free(mpc);
#if ALLOCATOR
    for (int n = 0; n < 12; n++) { /* and setting up fails cleanly */
        hml_error error = {0};
        mpc = NULL;
        allocations_left = n;
        const hml_status made =
            hml_mpc_new(&t.problem, &HML_STRUCT(hml_mpc_settings, .gait = t.gait, .nslots = 2), &mpc, &error);
        allocations_left = -1;
        if (!made) hml_mpc_free(mpc);
        if (n < 6) assert_int_equal(made, HML_OUT_OF_MEMORY);
    }
#endif
    hml_model_free(t.model);
}

/* a hundred thousand ticks of a pendulum, with no memory to be had: none is needed, and nothing wears out */
static void test_many_ticks(void **state)
{
    (void)state;
    enum { TICKS = 100000, FEW = 4 };
    hml_model *model = NULL;
    double q[1] = {2}, v[1] = {0}, tau[1], scratch[4096], most = 0;
    assert_int_equal(hml_load_builtin("pendulum", NULL, &model, NULL), HML_OK);
    assert_int_equal(hml_model_nv(model), 1);
    assert_true(hml_step_scratch_doubles(model) <= sizeof scratch / sizeof *scratch);
    hml_work *work = NULL;
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    const hml_term terms[] = {{.kind = HML_TERM_INPUT, .last = FEW - 1, .weight = 1e-3},
                              {.kind = HML_TERM_CONFIGURATION, .last = FEW, .weight = 10},
                              {.kind = HML_TERM_VELOCITY, .last = FEW, .weight = 1}};
    const hml_phase phase = {.knots = FEW, .h = H};
    const hml_problem problem =
        HML_STRUCT(hml_problem, .model = model, .phases = &phase, .nphases = 1, .terms = terms, .nterms = 3, .q = q);
    hml_mpc *mpc = mpc_of(&problem, NULL, 1);
    allocations_left = 0;
    for (int i = 0; i < TICKS; i++) {
        const hml_mpc_result x = tick(mpc, 0.005 * i, q, v, NULL, NULL);
        tau[0] = x.u[0] + (i % 1000 == 0 ? 5 : 0); /* a knock now and then */
        assert_int_equal(hml_step(model, work, scratch,
                                  &HML_STRUCT(hml_discrete_step, .h = 0.005, .q = {q, 0}, .v = {v, 0}, .tau = {tau, 0},
                                              .q_next = {q, 0, 0}, .v_next = {v, 0, 0})),
                         HML_OK);
        if (i > TICKS / 2) most = fmax(most, fabs(q[0]));
    }
    allocations_left = -1;
    hml_mpc_statistics s = {.struct_size = sizeof s};
    assert_int_equal(hml_mpc_get_statistics(mpc, &s), HML_OK);
    assert_true(s.ticks == TICKS && s.failed == 0);
    assert_true(most < 0.3);
    hml_mpc_free(mpc);
    hml_work_free(work);
    hml_model_free(model);
}

/* ---- what is wrong ---- */

static void refused(const hml_problem *problem, const hml_mpc_settings *settings, const char *place)
{
    hml_mpc *mpc = NULL;
    hml_error error = {0};
    assert_true(hml_mpc_new(problem, settings, &mpc, &error) != HML_OK);
    if (strncmp(error.message, place, strlen(place))) fail_msg("%s does not begin with %s", error.message, place);
    assert_null(mpc);
}

static void test_refused(void **state)
{
    (void)state;
    trot t;
    trot_open(&t);
    const hml_mpc_settings settings = HML_STRUCT(hml_mpc_settings, .gait = t.gait, .nslots = 2);
    hml_mpc_settings other = settings;
    refused(NULL, &settings, "/:");
    other.nslots = 0, refused(&t.problem, &other, "/gait"), other = settings;
    other.begin = NAN, refused(&t.problem, &other, "/:"), other = settings;
    t.gait[1].seconds = 0, refused(&t.problem, &settings, "/gait/1/seconds"), t.gait[1].seconds = 0.15;
    t.phase.holds = &t.holds[0], refused(&t.problem, &settings, "/gait"), t.phase.holds = NULL;
    t.phase.h = 0, refused(&t.problem, &settings, "/gait/0/step"), t.phase.h = H;
    t.feet[1][0].frame = 999, refused(&t.problem, &settings, "/gait/1/holds/0");
    t.feet[1][0].frame = t.terms[5].frame;
    t.terms[4].frame = 0, refused(&t.problem, &settings, "/terms/4/frame"), t.terms[4].frame = t.feet[0][1].frame;
    t.terms[1].weight = -1, refused(&t.problem, &settings, "/terms/1/weight"), t.terms[1].weight = 1;
    t.problem.nphases = 2, refused(&t.problem, &settings, "/phases"), t.problem.nphases = 1;
    hml_model_free(t.model);
}

/* a term that fails when told to */
static hml_status fragile(void *context, size_t knot, const double *q, const double *v, const double *u, double *r,
                          double *r_x, double *r_u)
{
    (void)knot, (void)q, (void)v, (void)u;
    r[0] = 0;
    if (r_x) memset(r_x, 0, 2 * NV * sizeof *r_x);
    if (r_u) memset(r_u, 0, M * sizeof *r_u);
    return *(const int *)context ? HML_NOT_FINITE : HML_OK;
}

static void test_failure(void **state)
{
    (void)state;
    trot t;
    trot_open(&t);
    int fails = 0;
    t.terms[6] =
        (hml_term){.kind = HML_TERM_OWN, .last = KNOTS, .weight = 1, .rows = 1, .function = fragile, .context = &fails};
    hml_mpc *mpc = mpc_of(&t.problem, t.gait, 1);
    hml_mpc_result x = {.struct_size = sizeof x};
    hml_mpc_statistics s = {.struct_size = sizeof s};
    double bad[NQ], K[M * 2 * NV];
    memcpy(K, tick(mpc, 1, t.q, NULL, NULL, NULL).K, sizeof K);
    memcpy(bad, t.q, sizeof bad);
    bad[1] = NAN;
    assert_int_equal(hml_mpc_tick(mpc, 1, bad, NULL, NULL, &x, NULL), HML_NOT_FINITE);
    assert_int_equal(hml_mpc_tick(mpc, 1, t.q, bad, NULL, &x, NULL), HML_NOT_FINITE);
    assert_int_equal(hml_mpc_tick(mpc, NAN, t.q, NULL, NULL, &x, NULL), HML_NOT_FINITE);
    assert_int_equal(hml_mpc_tick(mpc, 0.9, t.q, NULL, NULL, &x, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_mpc_tick(NULL, 1, t.q, NULL, NULL, &x, NULL), HML_INVALID_ARGUMENT);
    fails = 1;
    assert_int_equal(hml_mpc_tick(mpc, 1.01, t.q, NULL, NULL, &x, NULL), HML_NOT_FINITE);
    for (int i = 0; i < M; i++) assert_true(isfinite(x.u[i]));
    assert_memory_equal(x.K, K, sizeof K); /* the last that was good */
    fails = 0;
    x = tick(mpc, 1.02, t.q, NULL, NULL, NULL);
    assert_int_equal(hml_mpc_get_statistics(mpc, &s), HML_OK);
    assert_true(s.failed == 1 && s.ticks == 3);
    hml_mpc_free(mpc);
    hml_model_free(t.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_solver), cmocka_unit_test(test_window),      cmocka_unit_test(test_gait),
        cmocka_unit_test(test_push),        cmocka_unit_test(test_mpc_threads), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_failure),     cmocka_unit_test(test_many_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
