/*
 * A satellite tumbles. It takes the rotation into its wheels and meanwhile leads its hand to a handle that rests in space,
 * without thrusters: momentum and angular momentum stay what they were, whatever the motors do. The bus turns under the
 * arm, panels bend on their springs, and where the bus ends is left to the solver. The motion is planned once in steps of
 * half a second, and executed in steps of 10 ms with feedback that leads back to the plan.
 *
 *   grasping_satellite [PAGE.html]
 *
 * docs/tutorials/grasp-satellite.md explains it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hamel/control.h>
#include <hamel/hamel.h>
#include <hamel/view.h>

enum { NQ = 31, NV = 29, MOST = 20, N = 120, WHEELS = 6, ANTENNA = 14, ARM = 23, TERMS = 6, FRAMES = 601, EVERY = 10 };

static const double H = 0.5, DT = 0.01;

typedef struct satellite {
    hml_model *model;
    hml_work *work;
    int32_t hand, inputs[MOST];
    int m; /* inputs */
    double start[NQ], spin[NV], handle[16];
    double lower[MOST], upper[MOST], cost[MOST], motion[NV], posture[NV], low[NV], high[NV], near[NV];
    hml_term terms[TERMS];
    hml_phase phase;
    hml_solver *solver, *tracker;
    hml_solve_report report;
    hml_solution x, gains;
    double q[NQ], v[NV];
    double frames[FRAMES][NQ], times[FRAMES];
    int32_t nframes;
} satellite;

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

/* ---- the satellite ---- */

static void set_inputs(satellite *s)
{
    for (int32_t j = 1; j < hml_model_njoints(s->model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        check(hml_model_joint(s->model, j, &joint));
        if (joint.v >= ANTENNA && joint.v < ARM) continue; /* antenna, mast and telescope are not for this */
        for (int32_t k = 0; joint.actuated && k < joint.nv; k++) {
            const double limit = joint.effort_limit[k];
            s->upper[s->m] = isfinite(limit) ? limit : 5;
            s->lower[s->m] = -s->upper[s->m];
            s->cost[s->m] = joint.v < ARM ? 1 / (s->upper[s->m] * s->upper[s->m]) : 0.04;
            s->inputs[s->m++] = joint.v + k;
        }
    }
}

/* the joints of the arm are the last six coordinates; its wrist is spherical */
static void bend(double *q, double yaw, double pitch, double elbow) { q[24] = yaw, q[25] = pitch, q[26] = elbow; }

/* it tumbles about its centre of mass, which rests */
static void set_start(satellite *s)
{
    double velocity[3];
    check(hml_configuration_neutral(s->model, s->start));
    bend(s->start, -0.6, 0.9, -1.8);
    s->spin[3] = 0.012, s->spin[4] = -0.015, s->spin[5] = 0.02;
    check(hml_centroidal(s->model, s->work, s->start, s->spin, NULL,
                         &HML_STRUCT(hml_centroidal_motion, .com_velocity = velocity)));
    for (int i = 0; i < 3; i++) s->spin[i] -= velocity[i]; /* the bus has the axes of the world here */
}

/* a pose that the hand would have if the bus were turned, and the arm bent in another way */
static void set_handle(satellite *s)
{
    double q[NQ], turned[NV] = {0};
    memcpy(q, s->start, sizeof q);
    bend(q, 0.5, 0.3, -0.8);
    turned[3] = 0.3, turned[4] = -0.2, turned[5] = 0.5;
    check(hml_configuration_integrate(s->model, q, turned, q));
    check(hml_frame(s->model, s->work, s->hand, HML_MIXED, q, NULL, NULL,
                    &HML_STRUCT(hml_frame_motion, .pose = s->handle)));
}

static void satellite_open(satellite *s)
{
    memset(s, 0, sizeof *s);
    check(hml_load_builtin("satellite", NULL, &s->model, NULL));
    if (hml_model_nq(s->model) != NQ || hml_model_nv(s->model) != NV) exit(EXIT_FAILURE);
    check(hml_work_new(s->model, HML_ISA_BEST, HML_USE_ALL, &s->work));
    s->hand = hml_model_find_frame(s->model, "grip");
    set_inputs(s);
    set_start(s);
    set_handle(s);
}

static void satellite_close(satellite *s)
{
    hml_solver_free(s->tracker);
    hml_solver_free(s->solver);
    hml_work_free(s->work);
    hml_model_free(s->model);
}

/* ---- the plan ---- */

static hml_solver *solver_of(const satellite *s, const hml_term *terms, size_t nterms, int bounded)
{
    hml_solver *solver = NULL;
    hml_error error = {0};
    hml_problem problem =
        HML_STRUCT(hml_problem, .model = s->model, .phases = &s->phase, .nphases = 1, .terms = terms, .nterms = nterms,
                   .q = s->start, .v = s->spin, .inputs = s->inputs, .ninputs = (size_t)s->m);
    if (bounded) problem.lower.data = s->lower, problem.upper.data = s->upper;
    if (hml_solver_new(&problem, NULL, &solver, &error) == HML_OK) return solver;
    fprintf(stderr, "%s\n", error.message);
    exit(EXIT_FAILURE);
}

static void plan(satellite *s)
{
    for (int i = 0; i < NV; i++) {
        const int wheel = i >= WHEELS && i < WHEELS + 4;
        s->motion[i] = wheel ? 1e-6 : 100;
        s->posture[i] = i < 10 ? 0 : i < ARM ? 1 : 0.01; /* appendages stay where they are, the arm need not */
        s->low[i] = wheel ? -400 : i >= 10 && i < ARM ? -0.001 : 0, s->high[i] = -s->low[i];
    }
    const hml_term input = {.kind = HML_TERM_INPUT, .last = N - 1, .weight = 0.1, .weights = s->cost};
    const hml_term motion = {.kind = HML_TERM_VELOCITY, .last = N, .weight = 1, .weights = s->motion};
    const hml_term posture = {
        .kind = HML_TERM_CONFIGURATION, .last = N, .weight = 1, .weights = s->posture, .reference = {s->start, 0}};
    const hml_term grasp = {.name = "the hand at the handle",
                            .kind = HML_TERM_POSE,
                            .role = HML_ROLE_CONSTRAINT,
                            .frame = s->hand,
                            .first = N,
                            .last = N,
                            .weight = 1,
                            .reference = {s->handle, 0}};
    const hml_term rest = {.name = "at rest but for the wheels",
                           .kind = HML_TERM_VELOCITY,
                           .role = HML_ROLE_CONSTRAINT,
                           .first = N,
                           .last = N,
                           .weight = 100,
                           .lower = s->low,
                           .upper = s->high};
    const hml_term limits = {
        .name = "joint limits", .kind = HML_TERM_LIMITS, .role = HML_ROLE_CONSTRAINT, .last = N, .weight = 1};
    const hml_term all[TERMS] = {input, motion, posture, grasp, rest, limits};
    memcpy(s->terms, all, sizeof all);
    s->phase = (hml_phase){.knots = N, .h = H};
    s->solver = solver_of(s, s->terms, TERMS, 1);
    s->report.struct_size = sizeof s->report;
    s->x.struct_size = sizeof s->x;
    check(hml_solver_solve(s->solver, &HML_STRUCT(hml_solve_options, .penalty = 1000), &s->report));
    check(hml_solver_solution(s->solver, &s->x));
}

/* feedback that leads back to the plan: that of a problem whose optimum is the plan, after one iteration */
static void track(satellite *s)
{
    for (int i = 0; i < NV; i++) s->near[i] = i < WHEELS || i >= ARM ? 100 : i < WHEELS + 4 ? 0 : 1;
    const hml_term terms[] = {
        {.kind = HML_TERM_INPUT,
         .last = N - 1,
         .weight = 0.01,
         .weights = s->cost,
         .reference = {s->x.u, (size_t)s->m}},
        {.kind = HML_TERM_CONFIGURATION, .last = N, .weight = 1, .weights = s->near, .reference = {s->x.q, NQ}},
        {.kind = HML_TERM_CONFIGURATION,
         .first = N,
         .last = N,
         .weight = 50,
         .weights = s->near,
         .reference = {s->x.q + N * NQ, 0}},
        {.kind = HML_TERM_VELOCITY,
         .first = N,
         .last = N,
         .weight = 1000,
         .weights = s->motion,
         .reference = {s->x.v + N * NV, 0}},
        {.kind = HML_TERM_VELOCITY, .last = N, .weight = 1, .weights = s->motion, .reference = {s->x.v, NV}},
    };
    s->tracker = solver_of(s, terms, 5, 0);
    s->gains.struct_size = sizeof s->gains;
    check(hml_solver_guess(s->tracker, s->x.q, s->x.v, s->x.u));
    const hml_status status = hml_solver_solve(s->tracker, &HML_STRUCT(hml_solve_options, .iterations = 1), NULL);
    if (status != HML_NOT_CONVERGED) check(status);
    check(hml_solver_solution(s->tracker, &s->gains));
}

/* ---- the motion ---- */

/* u + K (x' ⊖ x) against the plan between its knots, within what motors can give, as forces τ */
static void feed_back(const satellite *s, double t, double *tau)
{
    const size_t k = (size_t)fmin(t / H, N - 1), m = (size_t)s->m;
    const double part = t / H - (double)k, *v = s->x.v + k * NV;
    double q[NQ], z[2 * NV];
    check(hml_configuration_interpolate(s->model, s->x.q + k * NQ, s->x.q + (k + 1) * NQ, part, q));
    check(hml_configuration_difference(s->model, q, s->q, z));
    for (int i = 0; i < NV; i++) z[NV + i] = s->v[i] - (v[i] + part * (v[NV + i] - v[i]));
    for (size_t i = 0; i < m; i++) {
        double u = s->x.u[k * m + i];
        for (size_t e = 0; e < 2 * NV; e++) u += s->gains.K[(k * m + i) * 2 * NV + e] * z[e];
        tau[s->inputs[i]] = fmin(fmax(u, s->lower[i]), s->upper[i]);
    }
}

static void execute(satellite *s)
{
    const int steps = (int)round(N * H / DT);
    double *scratch = malloc(hml_step_scratch_doubles(s->model) * sizeof *scratch);
    if (!scratch) check(HML_OUT_OF_MEMORY);
    memcpy(s->q, s->start, sizeof s->q);
    memcpy(s->v, s->spin, sizeof s->v);
    for (int i = 0; i <= steps; i++) {
        double tau[NV] = {0};
        if (i % EVERY == 0 && s->nframes < FRAMES) {
            memcpy(s->frames[s->nframes], s->q, sizeof s->q);
            s->times[s->nframes++] = i * DT;
        }
        if (i == steps) break;
        feed_back(s, i * DT, tau);
        check(hml_step(s->model, s->work, scratch,
                       &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_RK4, .h = DT, .q = {s->q, 0}, .v = {s->v, 0},
                                   .tau = {tau, 0}, .q_next = {s->q, 0, 0}, .v_next = {s->v, 0, 0})));
    }
    free(scratch);
}

static double length(const double *x) { return hypot(hypot(x[0], x[1]), x[2]); }

static void momentum_of(const satellite *s, const double *q, const double *v, double *momentum)
{
    check(hml_centroidal(s->model, s->work, q, v, NULL, &HML_STRUCT(hml_centroidal_motion, .momentum = momentum)));
}

static void save(const satellite *s, const char *path)
{
    hml_page_options page;
    hml_error error = {0};
    hml_page_options_init(&page);
    page.count = s->nframes, page.q = s->frames[0], page.time = s->times;
    if (hml_save_page(s->model, &page, path, &error)) fprintf(stderr, "%s\n", error.message);
}

int main(int argc, char **argv)
{
    static satellite s;
    double before[6], after[6], change = 0, pose[16], miss[3], wheel = 0;
    satellite_open(&s);
    plan(&s);
    printf("planned in %d iterations, constraints kept to %.0e\n", (int)s.report.iterations, s.report.violation);
    track(&s);
    execute(&s);
    momentum_of(&s, s.start, s.spin, before);
    momentum_of(&s, s.q, s.v, after);
    for (int i = 0; i < 6; i++) change = fmax(change, fabs(after[i] - before[i]));
    check(hml_frame(s.model, s.work, s.hand, HML_MIXED, s.q, NULL, NULL, &HML_STRUCT(hml_frame_motion, .pose = pose)));
    for (int i = 0; i < 3; i++) miss[i] = pose[4 * i + 3] - s.handle[4 * i + 3];
    for (int i = WHEELS; i < WHEELS + 4; i++) wheel = fmax(wheel, fabs(s.v[i]));
    printf("the bus turned with %.2f degrees per second, and turns with %.4f; the wheels with %.0f rad/s at most\n",
           57.29578 * length(s.spin + 3), 57.29578 * length(s.v + 3), wheel);
    printf("the hand is %.1f mm beside the handle; momenta have changed by %.0e of %.1f N m s\n", 1e3 * length(miss),
           change, length(before + 3));
    if (argc > 1) save(&s, argv[1]);
    const int well = s.report.violation < 1e-6 && length(miss) < 0.01 && length(s.v + 3) < 1e-3 && change < 1e-6;
    satellite_close(&s);
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
