/*
 * A quadruped trots under predictive control, in the library's own contact simulation: on the level and on a slope, and it is
 * pushed. The whole body is the model: 40 knots of 12.5 ms, one iteration of the solver every 2 ms, the feedback of the
 * solver in every millisecond between. The same push is given to the robot that stands under a fixed regulator (LQR).
 *
 *   trotting_quadruped [SECONDS [SLOPE_IN_DEGREES [PUSH_IN_NEWTONS [PAGE.html]]]]
 *
 * docs/tutorials/trot-mpc-quadruped.md explains it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hamel/control.h>
#include <hamel/hamel.h>
#include <hamel/view.h>

enum { NQ = 19, NV = 18, M = 12, N = 40, FEET = 4, FRAMES = 4096, TICK = 2, TICKS = 1 << 17 }; /* TICK: milliseconds */

static const double H = 0.0125, DT = 0.001, SWING = 0.2, STAND = 0.05, LIFT = 0.06, RADIUS = 0.02;
static const double FRICTION = 0.8; /* of the ground and the feet; the controller believes in 0.5 */

typedef struct robot {
    hml_model *model;
    hml_work *work;
    hml_contact *contact;
    void *memory;
    double q[NQ], v[NV], stance[NQ], tau[NV], effort[M];
    int32_t feet[FEET];
    double time;
    double worst; /* the largest part of the friction that a foot has used */
    double frames[FRAMES][NQ], times[FRAMES];
    int32_t nframes;
} robot;

typedef struct controller {
    hml_constraint holds[FEET][FEET]; /* per slot */
    hml_constraints sets[4];
    hml_gait_slot gait[4];
    hml_term terms[4 + 2 * FEET];
    hml_phase phase;
    hml_problem problem;
    hml_mpc *mpc;
    double speed; /* forward, m/s */
    double q[(N + 1) * NQ], v[(N + 1) * NV], swing[FEET][(N + 1) * 3], lifted[FEET][N + 1];
    double posture[NV], motion[NV], lower[M];
    double ticks[TICKS];
    size_t nticks;
} controller;

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

/* ---- the robot and its world ---- */

/* on a slope the ground is still z = 0: it is gravity that is inclined */
static void robot_open(robot *r, double slope)
{
    static const char *const names[FEET] = {"fl_foot", "hr_foot", "fr_foot", "hl_foot"}; /* pairs that swing together */
    const double gravity[3] = {-9.81 * sin(slope), 0, -9.81 * cos(slope)};
    hml_load_options options;
    hml_load_options_init(&options);
    memset(r, 0, sizeof *r);
    options.gravity = gravity;
    check(hml_load_builtin("quadruped", &options, &r->model, NULL));
    check(hml_work_new(r->model, HML_ISA_BEST, HML_USE_ALL, &r->work));
    for (int i = 0; i < FEET; i++) r->feet[i] = hml_model_find_frame(r->model, names[i]);
    for (int i = 0; i < M; i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        check(hml_model_joint(r->model, 1 + i, &joint));
        r->effort[i] = joint.effort_limit[0];
    }
    const hml_plane ground = {.normal = {0, 0, 1}, .friction = FRICTION};
    const hml_contact_settings settings = HML_STRUCT(hml_contact_settings, .planes = &ground, .nplanes = 1);
    const size_t size = hml_contact_size(r->model, &settings);
    r->memory = malloc(size);
    check(hml_contact_init(r->memory, size, r->model, &settings, &r->contact));
    check(hml_configuration_neutral(r->model, r->stance));
    for (int leg = 0; leg < FEET; leg++) r->stance[8 + 3 * leg] = 0.75, r->stance[9 + 3 * leg] = -1.5;
    check(hml_contact_place(r->model, r->work, r->contact, 0, 0, r->stance));
    memcpy(r->q, r->stance, sizeof r->q);
}

static void robot_close(robot *r)
{
    free(r->memory);
    hml_work_free(r->work);
    hml_model_free(r->model);
}

/* a millisecond, with motors that give what they can; push: a sideways force on the trunk */
static void robot_step(robot *r, const double *u, double push)
{
    double wrenches[32 * 6] = {0};
    const double *e = r->q + 3; /* w, x, y, z */
    for (int i = 0; i < M; i++) r->tau[6 + i] = fmin(fmax(u[i], -r->effort[i]), r->effort[i]);
    double *force = wrenches + 6; /* in the trunk's axes: the second row of its rotation */
    force[0] = push * 2 * (e[1] * e[2] + e[0] * e[3]);
    force[1] = push * (1 - 2 * (e[1] * e[1] + e[3] * e[3]));
    force[2] = push * 2 * (e[2] * e[3] - e[0] * e[1]);
    check(hml_contact_step(r->model, r->work, r->contact,
                           &HML_STRUCT(hml_contact_motion, .h = DT, .q = r->q, .v = r->v, .tau = r->tau,
                                       .wrenches = wrenches, .q_next = r->q, .v_next = r->v)));
    for (int32_t i = 0; i < hml_contact_count(r->contact); i++) {
        hml_contact_point foot;
        check(hml_contact_get(r->contact, i, &foot));
        const double *f = foot.impulse;
        if (f[2] > 1e-6) r->worst = fmax(r->worst, hypot(f[0], f[1]) / (FRICTION * f[2]));
    }
    r->time += DT;
}

static int has_fallen(const robot *r)
{
    const double *e = r->q + 3, upright = 1 - 2 * (e[1] * e[1] + e[2] * e[2]);
    return r->q[2] < 0.15 || upright < 0.7;
}

static void keep_frame(robot *r)
{
    if (r->nframes == FRAMES) return;
    memcpy(r->frames[r->nframes], r->q, sizeof r->q);
    r->times[r->nframes++] = r->time;
}

/* ---- the controller ---- */

static void set_gait(controller *c, const robot *r)
{
    for (int slot = 0; slot < 4; slot++) { /* a pair, all, the other pair, all */
        int32_t count = 0;
        for (int i = 0; i < FEET; i++) {
            if (slot % 2 == 0 && i / 2 != slot / 2) continue;
            c->holds[slot][count++] = (hml_constraint){.kind = HML_HOLD_POINT, .frame = r->feet[i], .damping = 40};
        }
        c->sets[slot] = HML_STRUCT(hml_constraints, .items = c->holds[slot], .count = count);
        c->gait[slot] = (hml_gait_slot){slot % 2 ? STAND : SWING, &c->sets[slot]};
    }
}

static void controller_open(controller *c, const robot *r)
{
    static const double posture[6] = {2, 2, 80, 60, 60, 20}, motion[6] = {4, 4, 2, 1, 1, 1}, height[3] = {0, 0, 1};
    memset(c, 0, sizeof *c);
    set_gait(c, r);
    for (int i = 0; i < NV; i++) c->posture[i] = i < 6 ? posture[i] : 2, c->motion[i] = i < 6 ? motion[i] : 0.02;
    for (int i = 0; i < M; i++) c->lower[i] = -r->effort[i];
    for (int k = 0; k <= N; k++) memcpy(c->q + k * NQ, r->stance, NQ * sizeof *c->q);
    c->terms[0] = (hml_term){.kind = HML_TERM_INPUT, .last = N - 1, .weight = 2e-4};
    c->terms[1] = (hml_term){.kind = HML_TERM_CONFIGURATION, .last = N, .weight = 1};
    c->terms[1].weights = c->posture, c->terms[1].reference = (hml_input){c->q, NQ};
    c->terms[2] = (hml_term){.kind = HML_TERM_VELOCITY, .last = N, .weight = 1};
    c->terms[2].weights = c->motion, c->terms[2].reference = (hml_input){c->v, NV};
    c->terms[3] = (hml_term){.kind = HML_TERM_LIMITS, .role = HML_ROLE_BARRIER, .last = N, .weight = 100};
    for (int i = 0; i < FEET; i++) {
        hml_term *cone = &c->terms[4 + i], *foot = &c->terms[4 + FEET + i];
        *cone = (hml_term){.kind = HML_TERM_CONE, .role = HML_ROLE_BARRIER, .frame = r->feet[i], .last = N - 1};
        cone->weight = 0.05, cone->friction = 0.5;
        *foot = (hml_term){.kind = HML_TERM_POSITION, .frame = r->feet[i], .last = N, .weight = 2000};
        foot->weights = height, foot->knot_weights = c->lifted[i], foot->reference = (hml_input){c->swing[i], 3};
    }
    c->phase = (hml_phase){.knots = N, .h = H};
    c->problem = HML_STRUCT(hml_problem, .model = r->model, .phases = &c->phase, .nphases = 1, .terms = c->terms,
                            .nterms = 4 + 2 * FEET, .q = r->q, .lower = {c->lower, 0}, .upper = {r->effort, 0});
    hml_error error = {0};
    if (hml_mpc_new(&c->problem, &HML_STRUCT(hml_mpc_settings, .gait = c->gait, .nslots = 4), &c->mpc, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(EXIT_FAILURE);
    }
}

/* what the window is to look like: forward at the speed, upright, swinging feet on an arc */
static void refer(controller *c, const robot *r)
{
    for (int k = 0; k <= N; k++) {
        double *q = c->q + k * NQ, left;
        const double at = r->time + (k + 0.5) * H;
        const int32_t slot = hml_mpc_slot(c->mpc, at, &left);
        memcpy(q, r->stance, NQ * sizeof *q);
        q[0] = r->q[0] + c->speed * H * k, q[1] = 0; /* on the line, wherever on it */
        c->v[k * NV] = c->speed;
        for (int i = 0; i < FEET; i++) {
            const int swings = slot % 2 == 0 && i / 2 != slot / 2;
            const double part = 1 - left / SWING, lift = sin(acos(-1) * part);
            c->lifted[i][k] = swings;
            c->swing[i][3 * k + 2] = RADIUS + (swings ? LIFT * lift * lift : 0);
        }
    }
}

/* u + K (x' ⊖ x) with the state of the tick */
static void feed_back(const robot *r, const hml_mpc_result *x, const double *q, const double *v, double *u)
{
    double z[2 * NV];
    check(hml_configuration_difference(r->model, q, r->q, z));
    for (int i = 0; i < NV; i++) z[NV + i] = r->v[i] - v[i];
    for (int i = 0; i < M; i++) {
        u[i] = x->u[i];
        for (int k = 0; k < 2 * NV; k++) u[i] += x->K[i * 2 * NV + k] * z[k];
    }
}

/* ---- a fixed regulator ---- */

/* u = τ − K (q ⊖ stance, ν) about the stance with all feet held, in the motions that the feet leave */
typedef struct regulator {
    double tau[NV], K[M * 2 * NV];
} regulator;

static void regulator_open(regulator *g, robot *r, const hml_constraints *feet)
{
    enum { R = NV - 3 * FEET, X = 2 * R };
    static double Z[NV * R], Zv[NV * R], P[R * NV], A[X * X], B[X * NV];
    double inputs[X * M], Q[X * X] = {0}, weight[M * M] = {0}, K[M * X], cost[X * X], closed[X * X], poles[2 * X];
    const double zero[NV] = {0};
    const size_t most = hml_constraint_scratch_doubles(r->model, feet) + hml_lqr_scratch_doubles(X, M);
    double *scratch = malloc(most * sizeof *scratch);
    if (!scratch) check(HML_OUT_OF_MEMORY);
    check(hml_constrained_inverse_dynamics(
        r->model, r->work, feet, scratch,
        &HML_STRUCT(hml_constrained_dynamics, .q = r->stance, .v = zero, .a = zero, .torque = g->tau)));
    check(hml_constrained_reduce(r->model, r->work, feet, scratch,
                                 &HML_STRUCT(hml_constrained_reduction, .q = r->stance, .v = zero, .tau = g->tau,
                                             .freedom = R, .Z = Z, .X = Zv, .P = P, .A = A, .B = B)));
    for (int i = 0; i < X * M; i++) inputs[i] = B[i / M * NV + 6 + i % M];
    for (int i = 0; i < M; i++) weight[i * M + i] = 0.1;
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++)
            for (int k = 0; k < NV; k++) { /* 100 for positions, 1 for velocities, of all coordinates */
                Q[i * X + j] += 100 * Z[k * R + i] * Z[k * R + j];
                Q[(R + i) * X + R + j] += Z[k * R + i] * Z[k * R + j];
            }
    const hml_lqr lqr = HML_STRUCT(hml_lqr, .n = X, .m = M, .A = A, .B = inputs, .Q = Q, .R = weight, .K = K, .P = cost,
                                   .closed = closed, .poles = poles);
    check(hml_lqr_solve(&lqr, scratch, NULL));
    free(scratch);
    for (int i = 0; i < M * 2 * NV; i++) {
        const int row = i / (2 * NV), column = i % (2 * NV), speed = column >= NV;
        g->K[i] = 0;
        for (int k = 0; k < R; k++) g->K[i] -= K[row * X + (speed ? R : 0) + k] * P[k * NV + column % NV];
    }
}

/* ---- the runs ---- */

/* pushes of 0.1 s every four seconds, from either side; newtons */
static double push_at(double time, double size)
{
    const double since = fmod(time - 1, 4);
    return time > 1 && since < 0.1 ? (fmod(time - 1, 8) < 4 ? size : -size) : 0;
}

/* seconds until it fell, or all of them */
static double stand(robot *r, const controller *c, double seconds, double push)
{
    static regulator g;
    const double zero[NV] = {0};
    double u[M];
    regulator_open(&g, r, &c->sets[1]);
    const hml_mpc_result x = {.u = g.tau + 6, .K = g.K};
    while (r->time < seconds - DT / 2) {
        feed_back(r, &x, r->stance, zero, u);
        robot_step(r, u, push_at(r->time, push));
        if (has_fallen(r)) return r->time;
    }
    return seconds;
}

static double trot(robot *r, controller *c, double seconds, double push)
{
    double q[NQ], v[NV], u[M];
    hml_mpc_result x = {.struct_size = sizeof x};
    for (int step = 0; r->time < seconds - DT / 2; step++) {
        if (step % TICK == 0) {
            c->speed = fmin(0.3, 0.3 * r->time);
            refer(c, r);
            memcpy(q, r->q, sizeof q);
            memcpy(v, r->v, sizeof v);
            const clock_t began = clock();
            check(hml_mpc_tick(c->mpc, r->time, q, v, NULL, &x, NULL));
            if (c->nticks < TICKS) c->ticks[c->nticks++] = (double)(clock() - began) / CLOCKS_PER_SEC;
        }
        if (step % 20 == 0) keep_frame(r);
        feed_back(r, &x, q, v, u);
        robot_step(r, u, push_at(r->time, push));
        if (has_fallen(r)) return r->time;
    }
    return seconds;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* the processor's time of the ticks, and the time that passed; the latter is longer where others use the processor too */
static void report(controller *c)
{
    hml_mpc_statistics s = {.struct_size = sizeof s};
    check(hml_mpc_get_statistics(c->mpc, &s));
    qsort(c->ticks, c->nticks, sizeof *c->ticks, by_size);
    const double p50 = c->ticks[c->nticks / 2], p99 = c->ticks[c->nticks * 99 / 100];
    printf("%zu ticks of %d knots: p50 %.2f ms, p99 %.2f ms of one core (passed: %.2f, %.2f); %zu steps rejected\n",
           s.ticks, N, 1e3 * p50, 1e3 * p99, 1e3 * s.p50, 1e3 * s.p99, s.rejected);
}

static void save(const robot *r, const char *path)
{
    hml_page_options page;
    hml_error error = {0};
    hml_page_options_init(&page);
    page.ground = 1, page.count = r->nframes, page.q = r->frames[0], page.time = r->times;
    if (hml_save_page(r->model, &page, path, &error)) fprintf(stderr, "%s\n", error.message);
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
    enum { GENTLE = 20, HARD = 120 };
    static robot r, fixed;
    static controller c;
    const double seconds = number(argc, argv, 1, 2), slope = number(argc, argv, 2, 0);
    const double push = number(argc, argv, 3, HARD), sizes[2] = {GENTLE, push};
    robot_open(&r, slope * acos(-1) / 180);
    controller_open(&c, &r);
    const double held = trot(&r, &c, seconds, push);
    printf("slope %g degrees, pushes of %g N for 0.1 s: it trots for %g s of %g s, %.2f m, and ends %.2f m beside its "
           "line\n",
           slope, push, held, seconds, r.q[0], fabs(r.q[1]));
    printf("feet have used %.0f %% of the friction at most\n", 100 * r.worst);
    report(&c);
    double stood[2];
    for (int i = 0; i < 2; i++) {
        robot_open(&fixed, slope * acos(-1) / 180);
        stood[i] = stand(&fixed, &c, 4, sizes[i]);
        printf("a regulator on four feet %s a push of %g N\n", stood[i] < 4 ? "falls after" : "withstands", sizes[i]);
        robot_close(&fixed);
    }
    if (argc > 4) save(&r, argv[4]);
    hml_mpc_free(c.mpc);
    robot_close(&r);
    const int as_told = slope != 0 || push < HARD || (stood[0] == 4 && stood[1] < 4);
    return held < seconds || r.worst > 1 + 1e-6 || !as_told ? EXIT_FAILURE : EXIT_SUCCESS;
}
