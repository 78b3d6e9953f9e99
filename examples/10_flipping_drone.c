/*
 * A drone with an arm flies through a window that is narrower than the drone, and turns over on its way: in the window it
 * stands on edge, behind it hovers upside down. Rotors and motors stay within their limits, and rotors, elbow and tool
 * within the window. The motion is planned once on the group and flown with the feedback of the solver, in steps of a
 * millisecond and in gusts.
 *
 * The same problem a thousand kilometres away ends in the same motion. In roll, pitch and yaw it fails, because these
 * angles are singular on edge: docs/tutorials/flip-drone-window.md shows it.
 *
 *   flipping_drone [GUST_IN_NEWTONS [PAGE.html]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hamel/control.h>
#include <hamel/hamel.h>
#include <hamel/view.h>

enum { NQ = 12, NV = 11, ROTORS = 4, M = 9, N = 80, IN = 36, OUT = 44, THROUGH = 6, TERMS = 8 + THROUGH };

static const double H = 0.02, DT = 0.001;
static const double HALF_WIDTH = 0.2, HALF_HEIGHT = 0.5; /* the window, in metres; rotors are at ±0.23 */
static const double MARGIN = 0.05;                       /* what the plan leaves of it */

typedef struct flight {
    hml_model *model;
    hml_work *work;
    double start[NQ], goal[NQ], path[(N + 1) * NQ]; /* path: straight on the group, the guess */
    double window[3];
    double actuation[NV * M], lower[M], upper[M], hover[N * M], posture[NV];
    double corner_low[3], corner_high[3], before[3], behind[3];
    int32_t through[THROUGH];
    hml_term terms[TERMS];
    hml_phase phase;
    hml_solver *solver, *tracker;
    hml_solve_report report;
    hml_solution x, gains;
    double near[NV]; /* weights of the tracker */
} flight;

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

/* ---- the drone ---- */

/* rotors push along z of the airframe, forwards or backwards, and turn it against their spin; motors turn the joints */
static void set_inputs(flight *f)
{
    static const char *const names[ROTORS] = {"rotor1", "rotor2", "rotor3", "rotor4"};
    static const double spin[ROTORS] = {0.02, 0.02, -0.02, -0.02};
    double weight = 0;
    for (int32_t i = 0; i < hml_model_nbodies(f->model); i++) {
        hml_body_info body = {.struct_size = sizeof body};
        check(hml_model_body(f->model, i, &body));
        weight += 9.81 * body.mass;
    }
    for (int r = 0; r < ROTORS; r++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        check(hml_model_frame(f->model, hml_model_find_frame(f->model, names[r]), &frame));
        const double *p = frame.position, wrench[6] = {0, 0, 1, p[1], -p[0], spin[r]};
        for (int i = 0; i < 6; i++) f->actuation[i * M + r] = wrench[i];
        f->lower[r] = -15, f->upper[r] = 25;
        for (int k = 0; k < N; k++) f->hover[k * M + r] = (k < N / 2 ? weight : -weight) / ROTORS;
    }
    for (int i = ROTORS; i < M; i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        check(hml_model_joint(f->model, 1 + i - ROTORS, &joint));
        f->actuation[joint.v * M + i] = 1;
        f->upper[i] = joint.effort_limit[0], f->lower[i] = -f->upper[i];
    }
}

static void set_places(flight *f, const double *origin)
{
    check(hml_configuration_neutral(f->model, f->start));
    for (int i = 0; i < 3; i++) f->start[i] = f->window[i] = origin[i];
    memcpy(f->goal, f->start, sizeof f->goal);
    f->start[1] -= 1.5, f->goal[1] += 1.5;
    f->goal[3] = 0, f->goal[5] = 1; /* half a turn about y */
    double half[NQ];                /* on edge, nose down: half a turn alone does not say which way round */
    memcpy(half, f->start, sizeof half);
    half[1] = origin[1], half[3] = half[5] = sqrt(0.5);
    for (int k = 0; k <= N; k++) {
        const double s = 2.0 * k / N;
        check(s < 1 ? hml_configuration_interpolate(f->model, f->start, half, s, f->path + k * NQ)
                    : hml_configuration_interpolate(f->model, half, f->goal, s - 1, f->path + k * NQ));
    }
}

/* ---- the problem ---- */

/* frames that must pass through the window, which lies in the plane of x and z */
static void set_window(flight *f, hml_term *terms)
{
    static const char *const names[THROUGH] = {"rotor1", "rotor2", "rotor3", "rotor4", "forearm", "tool"};
    const double half[3] = {HALF_WIDTH - MARGIN, INFINITY, HALF_HEIGHT - MARGIN};
    for (int i = 0; i < 3; i++) {
        f->corner_low[i] = -half[i], f->corner_high[i] = half[i];
        f->before[i] = i == 1 ? -0.3 : INFINITY, f->behind[i] = i == 1 ? 0.3 : -INFINITY;
    }
    const hml_term place = {.name = "window",
                            .kind = HML_TERM_POSITION,
                            .role = HML_ROLE_CONSTRAINT,
                            .weight = 1,
                            .reference = {f->window, 0}};
    for (int i = 0; i < THROUGH; i++) {
        terms[i] = place;
        terms[i].frame = f->through[i] = hml_model_find_frame(f->model, names[i]);
        terms[i].first = IN, terms[i].last = OUT;
        terms[i].lower = f->corner_low, terms[i].upper = f->corner_high;
    }
    terms[THROUGH] = terms[THROUGH + 1] = place; /* the airframe is before it, then behind it */
    terms[THROUGH].frame = terms[THROUGH + 1].frame = hml_model_find_frame(f->model, "airframe");
    terms[THROUGH].first = terms[THROUGH].last = IN, terms[THROUGH].upper = f->before;
    terms[THROUGH + 1].first = terms[THROUGH + 1].last = OUT, terms[THROUGH + 1].lower = f->behind;
}

static void set_problem(flight *f)
{
    hml_term *t = f->terms;
    const hml_term input = {.kind = HML_TERM_INPUT, .last = N - 1, .weight = 1e-3, .reference = {f->hover, M}};
    const hml_term velocity = {.kind = HML_TERM_VELOCITY, .last = N, .weight = 1e-2};
    const hml_term turn = {.name = "attitude",
                           .kind = HML_TERM_CONFIGURATION,
                           .last = N,
                           .weight = 1,
                           .weights = f->posture,
                           .reference = {f->path, NQ}};
    const hml_term there = {.name = "upside down",
                            .kind = HML_TERM_CONFIGURATION,
                            .role = HML_ROLE_CONSTRAINT,
                            .first = N,
                            .last = N,
                            .weight = 1,
                            .reference = {f->goal, 0}};
    const hml_term still = {
        .name = "at rest", .kind = HML_TERM_VELOCITY, .role = HML_ROLE_CONSTRAINT, .first = N, .last = N, .weight = 1};
    const hml_term limits = {
        .name = "joint limits", .kind = HML_TERM_LIMITS, .role = HML_ROLE_CONSTRAINT, .last = N, .weight = 1};
    t[0] = input, t[1] = velocity, t[2] = turn, t[3] = there, t[4] = still, t[5] = limits;
    for (int i = 3; i < NV; i++) f->posture[i] = i < 6 ? 1 : 0.01;
    set_window(f, t + 6);
    f->phase = (hml_phase){.knots = N, .h = H};
}

static void flight_open(flight *f, const double *origin)
{
    memset(f, 0, sizeof *f);
    check(hml_load_builtin("drone_arm", NULL, &f->model, NULL));
    check(hml_work_new(f->model, HML_ISA_BEST, HML_USE_ALL, &f->work));
    set_inputs(f);
    set_places(f, origin);
    set_problem(f);
}

static void flight_close(flight *f)
{
    hml_solver_free(f->solver);
    hml_solver_free(f->tracker);
    hml_work_free(f->work);
    hml_model_free(f->model);
}

static hml_solver *solver_of(const flight *f, const hml_term *terms, size_t nterms, int bounded)
{
    hml_solver *solver = NULL;
    hml_error error = {0};
    hml_problem problem = HML_STRUCT(hml_problem, .model = f->model, .phases = &f->phase, .nphases = 1, .terms = terms,
                                     .nterms = nterms, .q = f->start, .actuation = f->actuation, .ninputs = M);
    if (bounded) problem.lower.data = f->lower, problem.upper.data = f->upper;
    if (hml_solver_new(&problem, NULL, &solver, &error) == HML_OK) return solver;
    fprintf(stderr, "%s\n", error.message);
    exit(EXIT_FAILURE);
}

static void plan(flight *f)
{
    f->solver = solver_of(f, f->terms, TERMS, 1);
    f->report.struct_size = sizeof f->report;
    f->x.struct_size = sizeof f->x;
    check(hml_solver_guess(f->solver, f->path, NULL, f->hover));
    check(hml_solver_solve(f->solver, NULL, &f->report));
    check(hml_solver_solution(f->solver, &f->x));
}

/* Feedback that leads back to the plan: that of a problem whose optimum is the plan, after one iteration. The plan's own
 * feedback would return into the goal at any price, as its last knots are constraints. */
static void track(flight *f)
{
    for (int i = 0; i < NV; i++) f->near[i] = i < 6 ? 100 : 10;
    const hml_term terms[] = {
        {.kind = HML_TERM_INPUT, .last = N - 1, .weight = 0.1, .reference = {f->x.u, M}},
        {.kind = HML_TERM_CONFIGURATION, .last = N, .weight = 1, .weights = f->near, .reference = {f->x.q, NQ}},
        {.kind = HML_TERM_VELOCITY, .last = N, .weight = 1, .reference = {f->x.v, NV}},
    };
    f->tracker = solver_of(f, terms, 3, 0);
    f->gains.struct_size = sizeof f->gains;
    check(hml_solver_guess(f->tracker, f->x.q, f->x.v, f->x.u));
    const hml_status status = hml_solver_solve(f->tracker, &HML_STRUCT(hml_solve_options, .iterations = 1), NULL);
    if (status != HML_NOT_CONVERGED) check(status);
    check(hml_solver_solution(f->tracker, &f->gains));
}

/* ---- the flight ---- */

enum { FRAMES = 200 };

typedef struct motion {
    double q[NQ], v[NV];
    double worst; /* of the window that a frame has used; above 1: it has touched the rim */
    double frames[FRAMES][NQ], times[FRAMES];
    int32_t nframes;
} motion;

/* u + K (x' ⊖ x) against the plan between its knots, then what rotors and motors can give */
static void feed_back(const flight *f, const motion *x, double t, double *u)
{
    const size_t k = (size_t)fmin(t / H, N - 1);
    const double part = t / H - (double)k, *v = f->x.v + k * NV;
    double q[NQ], z[2 * NV];
    check(hml_configuration_interpolate(f->model, f->x.q + k * NQ, f->x.q + (k + 1) * NQ, part, q));
    check(hml_configuration_difference(f->model, q, x->q, z));
    for (int i = 0; i < NV; i++) z[NV + i] = x->v[i] - (v[i] + part * (v[NV + i] - v[i]));
    for (int i = 0; i < M; i++) {
        const double *K = f->gains.K + (k * M + (size_t)i) * 2 * NV;
        u[i] = f->x.u[k * M + (size_t)i];
        for (int e = 0; e < 2 * NV; e++) u[i] += K[e] * z[e];
        u[i] = fmin(fmax(u[i], f->lower[i]), f->upper[i]);
    }
}

/* a wind along x of the world that changes its side three times per second; forces are in the airframe's axes */
static void blow(const double *q, double force, double *tau)
{
    const double *e = q + 3, row[3] = {1 - 2 * (e[2] * e[2] + e[3] * e[3]), 2 * (e[1] * e[2] - e[0] * e[3]),
                                       2 * (e[1] * e[3] + e[0] * e[2])};
    for (int i = 0; i < 3; i++) tau[i] += force * row[i];
}

/* how much of the window the frames use while the airframe is in it */
static void look(const flight *f, motion *x)
{
    if (fabs(x->q[1] - f->window[1]) > 0.3) return;
    for (int i = 0; i < THROUGH; i++) {
        double pose[16];
        check(hml_frame(f->model, f->work, f->through[i], HML_MIXED, x->q, NULL, NULL,
                        &HML_STRUCT(hml_frame_motion, .pose = pose)));
        x->worst = fmax(x->worst, fabs(pose[3] - f->window[0]) / HALF_WIDTH);
        x->worst = fmax(x->worst, fabs(pose[11] - f->window[2]) / HALF_HEIGHT);
    }
}

static void fly(const flight *f, double gust, motion *x)
{
    const int steps = (int)round(N * H / DT);
    double *scratch = malloc(hml_step_scratch_doubles(f->model) * sizeof *scratch);
    if (!scratch) check(HML_OUT_OF_MEMORY);
    memset(x, 0, sizeof *x);
    memcpy(x->q, f->start, sizeof x->q);
    for (int i = 0; i <= steps; i++) {
        double u[M], tau[NV] = {0};
        if (i % 10 == 0) {
            memcpy(x->frames[x->nframes], x->q, sizeof x->q);
            x->times[x->nframes++] = i * DT;
        }
        look(f, x);
        if (i == steps) break;
        feed_back(f, x, i * DT, u);
        for (int k = 0; k < NV * M; k++) tau[k / M] += f->actuation[k] * u[k % M];
        blow(x->q, sin(19 * i * DT) > 0 ? gust : -gust, tau);
        check(hml_step(f->model, f->work, scratch,
                       &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_RK4, .h = DT, .q = {x->q, 0}, .v = {x->v, 0},
                                   .tau = {tau, 0}, .q_next = {x->q, 0, 0}, .v_next = {x->v, 0, 0})));
    }
    free(scratch);
}

/* degrees by which the airframe leans away from upside down */
static double lean(const double *q) { return 57.29578 * acos(fmin(1, 2 * (q[4] * q[4] + q[5] * q[5]) - 1)); }

static void save(const flight *f, const motion *x, const char *path)
{
    hml_page_options page;
    hml_error error = {0};
    hml_page_options_init(&page);
    page.count = x->nframes, page.q = x->frames[0], page.time = x->times;
    if (hml_save_page(f->model, &page, path, &error)) fprintf(stderr, "%s\n", error.message);
}

/* argument i as a number, or `otherwise` where it is not given */
static double number(int argc, char **argv, int i, double otherwise)
{
    if (i >= argc) return otherwise;
    char *end;
    const double x = strtod(argv[i], &end);
    if (end != argv[i] && !*end && isfinite(x)) return x;
    fprintf(stderr, "'%s' is not a number\n", argv[i]);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    static flight near, far;
    static motion x;
    const double here[3] = {0}, there[3] = {8e5, -6e5, 1e3}, gust = number(argc, argv, 1, 4);
    double same = 0;
    flight_open(&near, here);
    plan(&near);
    printf("planned in %d iterations: cost %.6f, constraints kept to %.0e\n", (int)near.report.iterations,
           near.report.cost, near.report.violation);
    flight_open(&far, there);
    plan(&far);
    for (int i = 0; i < N * M; i++) same = fmax(same, fabs(far.x.u[i] - near.x.u[i]));
    printf("1000 km away: %d iterations, cost %.6f, inputs differ by %.0e N at most\n", (int)far.report.iterations,
           far.report.cost, same);
    track(&near);
    fly(&near, gust, &x);
    const double *q = x.q, *g = near.goal, miss = hypot(hypot(q[0] - g[0], q[1] - g[1]), q[2] - g[2]);
    printf("flown in gusts of %g N: uses %.0f %% of the window, ends upside down to %.1f degrees, %.2f m beside the "
           "goal\n",
           gust, 100 * x.worst, lean(q), miss);
    if (argc > 2) save(&near, &x, argv[2]);
    flight_close(&near);
    flight_close(&far);
    const int well = near.report.violation < 1e-6 && same < 1e-3 && x.worst < 1 && lean(q) < 10 && miss < 0.1;
    return well || gust > 4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
