/*
 * Studies of motion, too long for a test. motion_study order|orthonormal|momentum|long|speed
 *
 *   order        error of every scheme against its step, on a tree of every joint type; a table, and a plot
 *   orthonormal  how far rotations are from rotations after ten million steps
 *   momentum     a humanoid without gravity, 100 s: drift of momentum and energy, scheme by scheme
 *   long         a drone with an arm, a million steps: does the energy drift?
 *   speed        simulated seconds per second
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamel/hamel.h"
#include "hamel/io.h"
#include "svg.h"

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "motion_study: %s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a robot with its state ---- */

enum { NV = 128 };

typedef struct mover {
    hml_model *model;
    hml_work *work;
    int32_t nq, nv;
    double q[2 * NV], v[NV];
} mover;

/* neutral, every velocity uniform within ±speed */
static mover mover_of(hml_model *model, uint64_t seed, double speed)
{
    mover m = {.model = model, .nq = hml_model_nq(model), .nv = hml_model_nv(model)};
    hml_rng rng;
    if (m.nv > NV) exit(EXIT_FAILURE);
    hml_rng_seed(&rng, seed);
    check(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &m.work));
    check(hml_configuration_neutral(model, m.q));
    for (int32_t i = 0; i < m.nv; i++) m.v[i] = hml_rng_uniform(&rng, -speed, speed);
    return m;
}

/* a built-in robot without gravity and passive forces, every coordinate moving */
static mover mover_load(const char *name, double speed)
{
    const double none[3] = {0, 0, 0};
    hml_load_options options;
    hml_model *model;
    hml_load_options_init(&options);
    options.build = HML_BUILD_NO_PASSIVE;
    options.gravity = none;
    check(hml_load_builtin(name, &options, &model, NULL));
    return mover_of(model, 1, speed);
}

static void mover_free(mover *m)
{
    hml_work_free(m->work);
    hml_model_free(m->model);
}

static hml_motion *start(const mover *m, hml_scheme scheme, double step, double tolerance)
{
    hml_motion_options options;
    hml_motion *motion;
    hml_motion_options_init(&options);
    options.scheme = scheme;
    options.step = step;
    options.tolerance = tolerance;
    check(hml_motion_new(m->model, m->work, &options, NULL, 0, m->q, m->v, &motion));
    return motion;
}

typedef struct totals {
    double energy, momentum[6];
} totals;

static totals totals_of(const mover *m, const double *q, const double *v)
{
    static double M[NV * NV], h[NV];
    totals t;
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h, .momentum = t.momentum};
    check(hml_dynamics(m->model, m->work, q, v, NULL, NULL, &d));
    t.energy = d.kinetic_energy + d.potential_energy;
    return t;
}

static double length3(const double *a) { return hypot(hypot(a[0], a[1]), a[2]); }

static double change3(const double *a, const double *b)
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length3(d) / length3(b);
}

/* ---- order ---- */

static double error_of(const mover *m, hml_scheme scheme, int steps, const double *q_ref, const double *v_ref)
{
    double z[NV], worst = 0;
    hml_motion *motion = start(m, scheme, 1.0 / steps, 0);
    if (hml_motion_advance(motion, 1)) worst = NAN; /* a step too long for it */
    check(hml_configuration_difference(m->model, q_ref, hml_motion_position(motion), z));
    for (int32_t i = 0; worst == worst && i < m->nv; i++) {
        worst = fmax(worst, fmax(fabs(z[i]), fabs(hml_motion_velocity(motion)[i] - v_ref[i])));
    }
    hml_motion_free(motion);
    return worst;
}

static int order(const char *path)
{
    enum { COUNT = 8 };
    static const char *const colours[] = {"#1d4ed8", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0f766e", "#525252"};
    static double errors[HML_SCHEME_COUNT][COUNT], steps[COUNT];
    hml_random_spec spec;
    hml_model *model;
    hml_random_spec_init(&spec);
    spec.nbodies = 12, spec.shape = HML_RANDOM_ANY, spec.seed = 4, spec.mass = 2;
    spec.joint_types = (1u << (HML_JOINT_FREE + 1)) - 2; /* all but fixed */
    check(hml_model_random(&spec, &model));
    mover m = mover_of(model, 2, 0.5);
    hml_motion *fine = start(&m, HML_SCHEME_DOPRI5, 1.0 / 8192, 0);
    check(hml_motion_advance(fine, 1));
    printf("tree of %d bodies with all joint types, nv %d, one second under gravity\n\n%8s", hml_model_nbodies(model),
           m.nv, "steps");
    for (int s = 0; s < HML_SCHEME_COUNT; s++) printf("  %20s", hml_scheme_name((hml_scheme)s));
    for (int k = 0; k < COUNT; k++) {
        int n = 32 << k;
        steps[k] = 1.0 / n;
        printf("\n%8d", n);
        for (int s = 0; s < HML_SCHEME_COUNT; s++) {
            errors[s][k] = error_of(&m, (hml_scheme)s, n, hml_motion_position(fine), hml_motion_velocity(fine));
            double power = k ? log2(errors[s][k - 1] / errors[s][k]) : NAN;
            printf(k ? "  %12.2e (%5.2f)" : "  %12.2e        ", errors[s][k], power);
        }
        fflush(stdout);
    }
    putchar('\n');
    hml_motion_free(fine);
    mover_free(&m);
    if (!path) return 0;
    svg_curve curves[HML_SCHEME_COUNT];
    for (int s = 0; s < HML_SCHEME_COUNT; s++) {
        curves[s] = (svg_curve){hml_scheme_name((hml_scheme)s), colours[s], 0, errors[s]};
    }
    return svg_plot(path, "Error after one second", "step / s", "largest error of a coordinate", COUNT, steps,
                    HML_SCHEME_COUNT, curves);
}

/* ---- orthonormality ---- */

static int orthonormal(void)
{
    const long steps = 10000000;
    const double moment[9] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
    hml_inertia_spec body = {.mass = 1};
    hml_joint_spec joint;
    hml_builder *b = hml_builder_new();
    hml_model *model;
    memcpy(body.moment, moment, sizeof moment);
    hml_joint_spec_init(&joint, HML_JOINT_FREE);
    joint.name = "base";
    check(hml_builder_set_gravity(b, (const double[3]){0, 0, 0}));
    check(hml_builder_add_body(b, "body", NULL, &joint, &body, NULL));
    check(hml_builder_build(b, 0, &model, NULL));
    hml_builder_free(b);
    mover m = mover_of(model, 3, 1);
    hml_motion *motion = start(&m, HML_SCHEME_RK4, 1e-3, 0);
    double worst = 0, H[16];
    for (long k = 0; k < steps; k++) {
        check(hml_motion_step(motion, 1e9));
        if (k % 1000 != 999) continue;
        check(hml_body_poses(m.model, m.work, hml_motion_position(motion), H));
        for (int i = 0; i < 9; i++) {
            double e = i % 4 == 0 ? -1 : 0;
            for (int r = 0; r < 3; r++) e += H[4 * r + i / 3] * H[4 * r + i % 3];
            worst = fmax(worst, fabs(e));
        }
    }
    printf("largest entry of RᵀR − 1 over %ld steps: %.2e\n", steps, worst);
    hml_motion_free(motion);
    mover_free(&m);
    return 0;
}

/* ---- momentum and energy ---- */

/*
 * Drifts over `steps` steps, looked at `looks` times. Of the energy's error the worst, and the means over the first and
 * over the last tenth: a scheme whose energy only breathes has the same mean all the time.
 */
static void drift(const mover *m, hml_scheme scheme, double step, double tolerance, long steps, int looks)
{
    hml_motion *motion = start(m, scheme, step, tolerance);
    const totals t0 = totals_of(m, m->q, m->v);
    double linear = 0, angular = 0, worst = 0, first = 0, last = 0, began = now();
    for (int k = 1; k <= looks; k++) {
        hml_status status = hml_motion_advance(motion, (double)steps * 1e-3 * k / looks);
        if (status) {
            printf("%-12s stops after %.3g s: %s\n", hml_scheme_name(scheme), hml_motion_time(motion),
                   hml_status_message(status));
            hml_motion_free(motion);
            return;
        }
        const totals t = totals_of(m, hml_motion_position(motion), hml_motion_velocity(motion));
        double energy = t.energy / t0.energy - 1;
        linear = fmax(linear, change3(t.momentum, t0.momentum));
        angular = fmax(angular, change3(t.momentum + 3, t0.momentum + 3));
        worst = fmax(worst, fabs(energy));
        if (10 * k <= looks) first += 10 * energy / looks;
        if (10 * k > 9 * looks) last += 10 * energy / looks;
    }
    hml_motion_info info = {.struct_size = sizeof info};
    check(hml_motion_get_info(motion, &info));
    double took = now() - began;
    printf("%-12s %9.2e  %9.2e  %9.2e  %9.2e  %9.2e  %8lld  %8.1f  %8.3g\n", hml_scheme_name(scheme), linear, angular,
           worst, first, last, (long long)info.steps, 1e6 * took / (double)info.steps, (double)steps * 1e-3 / took);
    fflush(stdout);
    hml_motion_free(motion);
}

static void drift_heading(const mover *m, long steps)
{
    printf("%s, nv %d, %ld steps of 1 ms\n", hml_model_name(m->model), m->nv, steps);
    printf("%-12s %9s  %9s  %9s  %9s  %9s  %8s  %8s  %8s\n", "", "linear", "angular", "E, worst", "E, first", "E, last",
           "steps", "us/step", "s/s");
}

static int momentum(void)
{
    mover m = mover_load("humanoid", 0.3);
    drift_heading(&m, 100000);
    drift(&m, HML_SCHEME_EULER, 1e-3, 0, 100000, 1000);
    drift(&m, HML_SCHEME_RK4, 1e-3, 0, 100000, 1000);
    drift(&m, HML_SCHEME_MOMENTUM, 1e-3, 0, 100000, 1000);
    drift(&m, HML_SCHEME_VARIATIONAL, 1e-3, 0, 100000, 1000);
    drift(&m, HML_SCHEME_DOPRI5, 0, 1e-12, 100000, 100);
    mover_free(&m);
    return 0;
}

static int long_motion(void)
{
    mover m = mover_load("drone_arm", 1);
    drift_heading(&m, 1000000);
    drift(&m, HML_SCHEME_EULER, 1e-3, 0, 1000000, 10000);
    drift(&m, HML_SCHEME_RK4, 1e-3, 0, 1000000, 10000);
    drift(&m, HML_SCHEME_MOMENTUM, 1e-3, 0, 1000000, 10000);
    drift(&m, HML_SCHEME_VARIATIONAL, 1e-3, 0, 1000000, 10000);
    mover_free(&m);
    return 0;
}

/* ---- speed ---- */

static int speed(void)
{
    static const char *const robots[] = {"pendulum", "drone_arm", "quadruped", "satellite", "humanoid"};
    for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
        mover m = mover_load(robots[i], 1);
        drift_heading(&m, 2000);
        for (int s = 0; s < HML_SCHEME_COUNT; s++) {
            int adaptive = s == HML_SCHEME_DOPRI5;
            drift(&m, (hml_scheme)s, adaptive ? 0 : 1e-3, adaptive ? 1e-12 : 0, 2000, 10);
        }
        putchar('\n');
        mover_free(&m);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "order") == 0) return order(argc > 2 ? argv[2] : NULL);
    if (strcmp(what, "orthonormal") == 0) return orthonormal();
    if (strcmp(what, "momentum") == 0) return momentum();
    if (strcmp(what, "long") == 0) return long_motion();
    if (strcmp(what, "speed") == 0) return speed();
    fprintf(stderr, "motion_study order [PLOT.svg]|orthonormal|momentum|long|speed\n");
    return 2;
}
