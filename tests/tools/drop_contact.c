/*
 * drop_contact MODEL STEP SECONDS HEIGHT SEED limp|held|walk [pairs]
 *
 * scripts/drop.py runs it on many robots.
 *
 * A robot is dropped on a floor that lies HEIGHT metres below its shapes, its base free if its file lets it, in the
 * neutral posture (SEED 0) or a random one: limp, with every joint held by a servo, or with servos whose goals swing
 * (then gain is NaN). With "pairs" its shapes touch each other too, but for those that overlap at the start. Prints one
 * line of words and numbers: how it ended and when, steps, the largest gain of energy relative to the weight times
 * HEIGHT, the deepest penetration, the largest speed, microseconds per step.
 *
 * Energy counts the springs of the servos and of the file, so that nothing but an error makes it grow.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

typedef struct drop {
    hml_model *model;
    hml_work *work;
    hml_contact *contact;
    hml_shape *shapes;
    int32_t nshapes;
    size_t nq, nv;
    double step, height;
    void *memory;
    int servo, walk, pairs;
    int no_potential; /* springs of a joint that rotates about several axes have none: then gain is NaN */
    double *q, *v, *target, *goal, *gap, *stiffness, *damping, *M, *h;
    double largest_residual;
    long substeps;
} drop;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* the shapes of the file; without any, the frames of bodies that carry nothing, as points */
static int list_shapes(drop *d)
{
    int32_t frames = hml_model_nframes(d->model), bodies = hml_model_nbodies(d->model);
    d->shapes = calloc((size_t)(frames + hml_model_nshapes(d->model)) + 1, sizeof *d->shapes);
    if (!d->shapes) return 0;
    for (int32_t i = 0; i < hml_model_nshapes(d->model); i++) {
        hml_shape s;
        if (!hml_model_shape(d->model, i, &s) && s.frame >= 0) d->shapes[d->nshapes++] = s;
    }
    for (int32_t f = 0, from_file = d->nshapes; !from_file && f < frames; f++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_body_info body = {.struct_size = sizeof body};
        hml_model_frame(d->model, f, &frame);
        if (frame.body < 0 || hml_model_body(d->model, frame.body, &body) || body.subtree_end != frame.body + 1)
            continue;
        if (f < bodies) continue;
        d->shapes[d->nshapes++] =
            (hml_shape){.frame = f, .kind = HML_SHAPE_POINT, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .friction = -1};
    }
    for (int32_t f = 0; !d->nshapes && f < bodies; f++) {
        d->shapes[0] =
            (hml_shape){.frame = f, .kind = HML_SHAPE_POINT, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .friction = -1};
        d->nshapes = 1;
    }
    return d->nshapes > 0;
}

/* a problem of contact with the floor at this height, on the same memory each time */
static hml_status open_contact(drop *d, double floor)
{
    const hml_plane ground = {.normal = {0, 0, 1}, .point = {0, 0, floor}, .friction = 0.8};
    const hml_contact_settings s =
        HML_STRUCT(hml_contact_settings, .planes = &ground, .nplanes = 1, .shapes = d->shapes, .nshapes = d->nshapes,
                   .options = d->pairs ? HML_CONTACT_PAIRS : 0u);
    size_t size = hml_contact_size(d->model, &s);
    if (!d->memory) d->memory = malloc(size + 1);
    if (!d->memory) return HML_OUT_OF_MEMORY;
    return hml_contact_init(d->memory, size, d->model, &s, &d->contact);
}

/* the floor lies `height` below the lowest point */
static hml_status lower_floor(drop *d)
{
    hml_contact_point lowest;
    hml_status status = open_contact(d, 0);
    if (!status) status = hml_contact_lowest(d->model, d->work, d->contact, d->q, 0, &lowest);
    if (!status) status = open_contact(d, lowest.gap - d->height);
    return status || !d->pairs ? status : hml_contact_exclude(d->model, d->work, d->contact, d->q, NULL);
}

/* the neutral posture of many robots is outside the limits of their joints */
static void keep_limits(drop *d)
{
    for (int32_t j = 0; j < hml_model_njoints(d->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(d->model, j, &info);
        for (int32_t k = 0; info.nq == info.nv && k < info.nv; k++) {
            double *q = &d->q[info.q + k];
            *q = fmin(fmax(*q, info.lower[k]), info.upper[k]);
        }
    }
}

/* the posture changes as little as it takes to close the loops of the model */
static hml_status close_loops(drop *d)
{
    hml_loop loops[64];
    const int32_t n = hml_model_nloops(d->model);
    if (n == 0) return HML_OK;
    if (n > 64) return HML_UNSUPPORTED;
    for (int32_t i = 0; i < n; i++) hml_model_loop(d->model, i, &loops[i]);
    const hml_constraints set = HML_STRUCT(hml_constraints, .loops = loops, .loop_count = n);
    double *scratch = malloc((hml_closing_scratch_doubles(d->model, &set) + 1) * sizeof *scratch);
    if (!scratch) return HML_OUT_OF_MEMORY;
    const hml_status status = hml_configuration_close(d->model, d->work, &set, scratch,
                                                      &HML_STRUCT(hml_closing, .guess = d->q, .q = d->q), NULL);
    free(scratch);
    return status;
}

/* the neutral posture, or a random one, that limits and loops allow; loops do not close near every posture */
static hml_status pose_robot(drop *d, uint64_t seed)
{
    enum { TRIALS = 50 };
    hml_rng rng;
    hml_status status = HML_OK;
    hml_rng_seed(&rng, seed);
    for (int i = 0; i < TRIALS; i++) {
        status = seed ? hml_configuration_random(d->model, &rng, d->q) : hml_configuration_neutral(d->model, d->q);
        if (status) return status;
        keep_limits(d);
        status = close_loops(d);
        if (!seed || (status != HML_INCONSISTENT && status != HML_NOT_CONVERGED)) break;
    }
    return status;
}

static void add_servos(drop *d)
{
    double weight = 9.81 * hml_model_mass(d->model);
    for (int32_t j = 0; j < hml_model_njoints(d->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(d->model, j, &info);
        for (int32_t k = 0; d->servo && info.actuated && k < info.nv; k++) {
            d->stiffness[info.v + k] = 3 * weight;
            d->damping[info.v + k] = 0.3 * weight;
        }
    }
}

/* do springs of the file have no potential? */
static int lacks_potential(const hml_model *model)
{
    int lacks = 0;
    for (int32_t j = 0; j < hml_model_njoints(model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(model, j, &info);
        for (int32_t k = 0; info.nv > 1 && k < info.nv; k++) lacks |= info.stiffness[k] != 0;
    }
    return lacks;
}

static double energy(drop *d)
{
    hml_dynamics_result x = {.struct_size = sizeof x, .M = d->M, .h = d->h};
    hml_dynamics(d->model, d->work, d->q, d->v, NULL, NULL, &x);
    hml_configuration_difference(d->model, d->target, d->q, d->gap);
    double sum = x.kinetic_energy + x.potential_energy;
    for (size_t i = 0; i < d->nv; i++) sum += 0.5 * d->stiffness[i] * d->gap[i] * d->gap[i];
    return sum;
}

static hml_status one_step(drop *d, double h, hml_contact_result *r)
{
    *r = HML_STRUCT(hml_contact_result, .contacts = 0);
    return hml_contact_step(
        d->model, d->work, d->contact,
        &HML_STRUCT(hml_contact_motion, .h = h, .q = d->q, .v = d->v, .q_next = d->q, .v_next = d->v, .result = r));
}

/* goals of single coordinates, two periods per second, neighbours out of phase */
static void swing(drop *d, double t)
{
    for (int32_t j = 0; j < hml_model_njoints(d->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(d->model, j, &info);
        if (info.nq == 1 && info.nv == 1) d->goal[info.q] = d->target[info.q] + 0.2 * sin(12.566370614359172 * t + j);
    }
    hml_contact_set_servo(d->contact, d->goal, d->stiffness, d->damping);
}

static hml_status open_drop(drop *d, const char *path, uint64_t seed)
{
    hml_load_options options;
    hml_error error = {0};
    hml_load_options_init(&options);
    options.base = HML_BASE_FREE;
    hml_status status = hml_load(path, &options, &d->model, &error);
    if (status) return fprintf(stderr, "drop_contact: %s\n", error.message), status;
    d->nq = (size_t)hml_model_nq(d->model), d->nv = (size_t)hml_model_nv(d->model);
    double *room = calloc(3 * d->nq + 5 * d->nv + d->nv * d->nv + 1, sizeof *room);
    if (!room || !list_shapes(d)) return HML_OUT_OF_MEMORY;
    d->q = room, d->target = d->q + d->nq, d->v = d->target + d->nq, d->gap = d->v + d->nv;
    d->stiffness = d->gap + d->nv, d->damping = d->stiffness + d->nv, d->h = d->damping + d->nv, d->M = d->h + d->nv;
    d->goal = d->M + d->nv * d->nv;
    d->no_potential = lacks_potential(d->model);
    add_servos(d);
    if (!status) status = hml_work_new(d->model, HML_ISA_BEST, HML_USE_ALL, &d->work);
    if (!status) status = pose_robot(d, seed);
    if (!status) status = lower_floor(d);
    if (!status && d->servo) status = hml_contact_set_servo(d->contact, d->q, d->stiffness, d->damping);
    memcpy(d->target, d->q, d->nq * sizeof(double));
    memcpy(d->goal, d->q, d->nq * sizeof(double));
    return status;
}

int main(int argc, char **argv)
{
    static drop d;
    if (argc != 7 && argc != 8) return 2;
    d.pairs = argc == 8;
    d.step = strtod(argv[2], NULL), d.height = strtod(argv[4], NULL), d.walk = !strcmp(argv[6], "walk");
    d.servo = d.walk || !strcmp(argv[6], "held");
    hml_status status = open_drop(&d, argv[1], strtoull(argv[5], NULL, 10));
    if (!d.contact) return 3; /* it is no robot, or nothing of it moves */
    if (status) return printf("end %s\n", hml_status_message(status)), 1;
    const long steps = lround(strtod(argv[3], NULL) / d.step);
    double first = energy(&d), scale = 9.81 * hml_model_mass(d.model) * d.height, gain = 0, deepest = 0, speed = 0;
    double spent = 0;
    long done = 0, hard = 0, relaxed = 0;
    int most = 0;
    for (; done < steps; done++) {
        hml_contact_result r;
        if (d.walk) swing(&d, d.step * (double)done);
        double began = now();
        status = one_step(&d, d.step, &r);
        spent += now() - began;
        if (status) break;
        if (scale > 0) gain = fmax(gain, (energy(&d) - first) / scale);
        deepest = fmax(deepest, r.penetration);
        d.largest_residual = fmax(d.largest_residual, r.residual);
        hard += r.iterations > 0, relaxed += r.relaxed;
        if (r.contacts > most) most = r.contacts;
        for (size_t i = 0; i < d.nv; i++) speed = fmax(speed, fabs(d.v[i]));
    }
    if (d.no_potential || d.walk || !(scale > 0)) gain = NAN;
    printf("at %.4g of %.4g steps %ld gain %.2e deepest %.1e speed %.1e residual %.1e hard %ld uncertified %ld "
           "contacts %d us %.1f end "
           "%s\n",
           d.step * (double)done, d.step * (double)steps, done, gain, deepest, speed, d.largest_residual, hard, relaxed,
           most, 1e6 * spent / (double)(done + 1), status ? hml_status_message(status) : "ok");
    return status ? 1 : 0;
}
