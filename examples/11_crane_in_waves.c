/*
 * A ship's crane sets a container down on the quay while the ship heaves and rolls. Predictive control of the whole ship: 50
 * knots of 0.15 s, a tick every 0.15 s, its feedback between. Waves are inputs whose two bounds are the forecast, so the
 * solver knows when the ship will roll, and moves slew, luff, telescope and hoist against it and against the swing of the
 * load, which nothing drives. Beside it, the same crane follows the joints' path, as if the ship lay still.
 *
 *   crane_in_waves [PART_OF_THE_WAVES [PAGE.html]]
 *
 * docs/tutorials/place-load-crane.md explains it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hamel/control.h>
#include <hamel/hamel.h>
#include <hamel/view.h>

enum { NQ = 26, NV = 23, MOST = 16, N = 50, FRAMES = 1024, TERMS = 5 };
enum { SLEW = 18, TELESCOPE = 20, HOIST = 25, SWING = 19 }; /* in q; SWING: in ν */

static const double H = 0.15, DT = 0.01;
static const double OVER = 20, DOWN = 32, END = 33; /* seconds: above the place, on it */

typedef struct crane {
    hml_model *model;
    hml_work *work;
    double *scratch;
    int32_t load;
    int32_t inputs[MOST], m; /* coordinates that are pushed: those of actuated joints, then heave and roll */
    double scale[MOST];      /* newtons and newton-metres that count as one */
    double q[NQ], v[NV], start[NQ];
    double time, waves;
    double lower[N * MOST], upper[N * MOST], still[MOST], cost[MOST];
    double path[(N + 1) * 3], joints[(N + 1) * NQ], posture[NV], motion[NV], effort[MOST];
    hml_term terms[TERMS];
    hml_phase phase;
    hml_mpc *mpc;
    double worst, landing; /* metres beside the path since the load is above the place; m/s of the load at the end */
    double frames[FRAMES][NQ], times[FRAMES];
    int32_t nframes;
} crane;

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

/* ---- the sea and the path ---- */

/* heave force and roll moment of two swells that meet, which begin slowly */
static void swell(double t, double part, double *force)
{
    const double grown = part * fmin(1, t / 5);
    force[0] = grown * (1.6e6 * sin(0.7 * t) + 0.8e6 * sin(0.95 * t + 1));
    force[1] = grown * (1.2e6 * sin(0.7 * t - 1) + 0.9e6 * sin(0.95 * t));
}

static double ease(double from, double to, double t)
{
    const double s = fmin(fmax((t - from) / (to - from), 0), 1);
    return s * s * s * (10 - 15 * s + 6 * s * s);
}

/* joints of a crane on a level ship on the way: over the quay, then down */
static void joints_at(const crane *c, double t, double *q)
{
    const double turn = ease(0, OVER, t), sink = ease(OVER, DOWN, t);
    memcpy(q, c->start, sizeof c->start);
    q[SLEW] = -1.2 * turn, q[TELESCOPE] = 2 + 2 * turn, q[HOIST] = 2 + 8.5 * sink;
}

/* ---- the ship ---- */

static void load_at(const crane *c, const double *q, const double *v, double *p, double *velocity)
{
    double pose[16], twist[6];
    check(hml_frame(c->model, c->work, c->load, HML_MIXED, q, v, NULL,
                    &HML_STRUCT(hml_frame_motion, .pose = pose, .twist = twist)));
    for (int i = 0; i < 3; i++) p[i] = pose[4 * i + 3], velocity[i] = twist[i];
}

static void crane_open(crane *c, double waves)
{
    memset(c, 0, sizeof *c);
    c->waves = waves;
    check(hml_load_builtin("ship_crane", NULL, &c->model, NULL));
    if (hml_model_nq(c->model) != NQ || hml_model_nv(c->model) != NV) exit(EXIT_FAILURE);
    check(hml_work_new(c->model, HML_ISA_BEST, HML_USE_ALL, &c->work));
    c->scratch = malloc(hml_step_scratch_doubles(c->model) * sizeof *c->scratch);
    if (!c->scratch) check(HML_OUT_OF_MEMORY);
    c->load = hml_model_find_frame(c->model, "container_floor");
    for (int32_t j = 1; j < hml_model_njoints(c->model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        check(hml_model_joint(c->model, j, &joint));
        for (int32_t k = 0; joint.actuated && k < joint.nv; k++) {
            const double limit = joint.effort_limit[k];
            c->effort[c->m] = isfinite(limit) ? limit : INFINITY;
            c->scale[c->m] = isfinite(limit) ? limit : 3e4;
            c->inputs[c->m++] = joint.v + k;
            c->posture[joint.v + k] = isfinite(limit) ? 1 : 100; /* forklift and gantry stay where they are */
        }
    }
    for (int i = 0; i < 3; i++) { /* thrusters keep the ship at its place: surge, sway, yaw */
        c->inputs[c->m] = i < 2 ? i : 5;
        c->scale[c->m] = c->effort[c->m] = i < 2 ? 1.5e6 : 3e7;
        c->posture[i < 2 ? i : 5] = i < 2 ? 1 : 1000;
        c->m++;
    }
    c->inputs[c->m] = 2, c->inputs[c->m + 1] = 3;
    check(hml_configuration_neutral(c->model, c->start));
    joints_at(c, 0, c->q);
}

static void crane_close(crane *c)
{
    hml_mpc_free(c->mpc);
    free(c->scratch);
    hml_work_free(c->work);
    hml_model_free(c->model);
}

/* ---- the controller ---- */

/* blind: it does not look at the load, and its joints follow their path */
static void controller_open(crane *c, int blind)
{
    double tau[NV];
    const double zero[NV] = {0};
    check(hml_inverse_dynamics(c->model, c->work, c->q, zero, zero, NULL, tau));
    for (int i = 0; i < c->m; i++) c->still[i] = tau[c->inputs[i]], c->cost[i] = 0.1 / (c->scale[i] * c->scale[i]);
    for (int i = 0; i < NV; i++)
        c->motion[i] = i < 2 ? 5 : i < 5 ? 0 : i == 5 ? 1000 : i >= SWING && i < SWING + 3 ? 5 : 0.5;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < c->m; i++)
            c->lower[k * (c->m + 2) + i] = -c->effort[i], c->upper[k * (c->m + 2) + i] = c->effort[i];
    const hml_term input = {
        .kind = HML_TERM_INPUT, .last = N - 1, .weight = 1, .weights = c->cost, .reference = {c->still, 0}};
    const hml_term posture = {
        .kind = HML_TERM_CONFIGURATION, .last = N, .weight = 1, .weights = c->posture, .reference = {c->joints, NQ}};
    const hml_term motion = {.kind = HML_TERM_VELOCITY, .last = N, .weight = 1, .weights = c->motion};
    const hml_term place = {
        .kind = HML_TERM_POSITION, .frame = c->load, .last = N, .weight = 20, .reference = {c->path, 3}};
    const hml_term limits = {.kind = HML_TERM_LIMITS, .role = HML_ROLE_BARRIER, .last = N, .weight = 1e3};
    c->terms[0] = input, c->terms[1] = posture, c->terms[2] = motion, c->terms[3] = place, c->terms[4] = limits;
    for (int i = 6; blind && i < NV; i++) c->posture[i] = fmin(100 * c->posture[i], 100);
    if (blind) c->terms[3].weight = 0;
    for (int k = 0; k <= N; k++) joints_at(c, k * H, c->joints + k * NQ);
    c->phase = (hml_phase){.knots = N, .h = H};
    const size_t m = (size_t)c->m + 2;
    const hml_problem problem = HML_STRUCT(hml_problem, .model = c->model, .phases = &c->phase, .nphases = 1,
                                           .terms = c->terms, .nterms = TERMS, .q = c->q, .inputs = c->inputs,
                                           .ninputs = m, .lower = {c->lower, m}, .upper = {c->upper, m});
    hml_error error = {0};
    if (hml_mpc_new(&problem, NULL, &c->mpc, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(EXIT_FAILURE);
    }
}

/* the path and the forecast of the window */
static void look_ahead(crane *c)
{
    const size_t m = (size_t)c->m + 2;
    const double rest[NV] = {0};
    double none[3];
    for (size_t k = 0; k <= N; k++) {
        joints_at(c, c->time + (double)k * H, c->joints + k * NQ);
        load_at(c, c->joints + k * NQ, rest, c->path + 3 * k, none);
        if (k == N) break;
        swell(c->time + ((double)k + 0.5) * H, c->waves, c->lower + k * m + c->m);
        memcpy(c->upper + k * m + c->m, c->lower + k * m + c->m, 2 * sizeof *c->upper);
    }
}

static void step(crane *c, const hml_mpc_result *x, const double *q, const double *v)
{
    double z[2 * NV], tau[NV] = {0}, force[2];
    check(hml_configuration_difference(c->model, q, c->q, z));
    for (int i = 0; i < NV; i++) z[NV + i] = c->v[i] - v[i];
    for (int i = 0; i < c->m; i++) {
        double u = x->u[i];
        for (int k = 0; k < 2 * NV; k++) u += x->K[i * 2 * NV + k] * z[k];
        tau[c->inputs[i]] = fmin(fmax(u, -c->effort[i]), c->effort[i]);
    }
    swell(c->time, c->waves, force);
    tau[2] += force[0], tau[3] += force[1];
    check(hml_step(c->model, c->work, c->scratch,
                   &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_EULER, .h = DT, .q = {c->q, 0}, .v = {c->v, 0},
                               .tau = {tau, 0}, .q_next = {c->q, 0, 0}, .v_next = {c->v, 0, 0})));
    c->time += DT;
}

static void run(crane *c)
{
    double q[NQ], v[NV], p[3], velocity[3], goal[3], wanted[NQ], none[3];
    hml_mpc_result x = {.struct_size = sizeof x};
    const int every = (int)round(H / DT);
    for (int i = 0; c->time < END - DT / 2; i++) {
        if (i % every == 0) {
            look_ahead(c);
            memcpy(q, c->q, sizeof q);
            memcpy(v, c->v, sizeof v);
            check(hml_mpc_tick(c->mpc, c->time, q, v, NULL, &x, NULL));
        }
        if (i % 10 == 0 && c->nframes < FRAMES) {
            memcpy(c->frames[c->nframes], c->q, sizeof c->q);
            c->times[c->nframes++] = c->time;
        }
        step(c, &x, q, v);
        load_at(c, c->q, c->v, p, velocity);
        joints_at(c, c->time, wanted);
        load_at(c, wanted, v, goal, none);
        const double miss = hypot(hypot(p[0] - goal[0], p[1] - goal[1]), p[2] - goal[2]);
        if (c->time > OVER) c->worst = fmax(c->worst, miss);
        c->landing = hypot(hypot(velocity[0], velocity[1]), velocity[2]);
    }
}

static void save(const crane *c, const char *path)
{
    hml_page_options page;
    hml_error error = {0};
    hml_page_options_init(&page);
    page.count = c->nframes, page.q = c->frames[0], page.time = c->times;
    if (hml_save_page(c->model, &page, path, &error)) fprintf(stderr, "%s\n", error.message);
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
    static crane cranes[2];
    const double waves = number(argc, argv, 1, 1);
    for (int blind = 0; blind < 2; blind++) {
        crane *c = &cranes[blind];
        crane_open(c, waves);
        controller_open(c, blind);
        run(c);
        printf("%s: the load is %.2f m beside its path at most, and moves with %.3f m/s when it is set down\n",
               blind ? "joints on their path  " : "with an eye on the load", c->worst, c->landing);
        if (!blind && argc > 2) save(c, argv[2]);
        crane_close(c);
    }
    return cranes[0].worst < 0.2 && cranes[0].landing < 0.05 ? EXIT_SUCCESS : EXIT_FAILURE;
}
