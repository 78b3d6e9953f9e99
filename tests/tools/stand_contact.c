/*
 * stand_contact MODEL SECONDS STEP POSITION…
 *
 * A robot stands on the floor: its joints are held by τ = 100 (q* − q) − 2 q̇ at the positions that are given, one for
 * each joint behind the base; the base begins where the lowest foot touches. Prints, one a line: microseconds a step,
 * the largest imbalance of energy over the whole time and of power in a step, the deepest penetration, how far the base
 * went from where it was after a second, the largest speed in the last step, sweeps of the solver in all, the most
 * contacts.
 *
 * Energy: what the robot has against what motors, dampers and contacts did.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

enum { MOST = 64 };

typedef struct robot {
    hml_model *model;
    hml_work *work;
    hml_contact *contact;
    int nq, nv;
    double q[MOST], v[MOST], tau[MOST], goal[MOST], damping[MOST];
    double M[MOST * MOST], h[MOST];
} robot;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void hold(robot *r)
{
    for (int i = 0; i < r->nv - 6; i++) r->tau[6 + i] = 100 * (r->goal[i] - r->q[7 + i]) - 2 * r->v[6 + i];
}

static double energy(robot *r)
{
    hml_dynamics_result x = {.struct_size = sizeof x, .M = r->M, .h = r->h};
    hml_dynamics(r->model, r->work, r->q, r->v, NULL, NULL, &x);
    return x.kinetic_energy + x.potential_energy;
}

static int open_robot(robot *r, const char *path, int npositions, char **positions)
{
    static const hml_plane ground = {.normal = {0, 0, 1}, .friction = 0.8};
    hml_contact_settings settings = {.struct_size = sizeof settings, .planes = &ground, .nplanes = 1};
    hml_error error = {0};
    if (hml_load(path, NULL, &r->model, &error)) return fprintf(stderr, "stand_contact: %s\n", error.message), 0;
    r->nq = hml_model_nq(r->model);
    r->nv = hml_model_nv(r->model);
    if (r->nv > MOST || r->nq != r->nv + 1 || npositions != r->nv - 6) return 0;
    size_t size = hml_contact_size(r->model, &settings);
    if (hml_work_new(r->model, HML_ISA_SCALAR, HML_USE_ALL, &r->work) ||
        hml_contact_init(malloc(size), size, r->model, &settings, &r->contact))
        return 0;
    hml_configuration_neutral(r->model, r->q);
    for (int i = 0; i < npositions; i++) r->q[7 + i] = r->goal[i] = strtod(positions[i], NULL);
    for (int32_t j = 0; j < hml_model_njoints(r->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(r->model, j, &info);
        for (int k = 0; k < info.nv; k++) r->damping[info.v + k] = info.damping[k];
    }
    double lowest = HUGE_VAL;
    for (int32_t i = 0; i < hml_model_nshapes(r->model); i++) {
        hml_shape s;
        double position[3];
        hml_point_motion x = {.struct_size = sizeof x, .position = position};
        hml_model_shape(r->model, i, &s);
        hml_point(r->model, r->work, s.frame, s.position, r->q, NULL, NULL, &x);
        lowest = fmin(lowest, position[2] - s.size[0]);
    }
    r->q[2] -= lowest + 5e-5;
    return 1;
}

int main(int argc, char **argv)
{
    static robot r;
    if (argc < 5 || !open_robot(&r, argv[1], argc - 4, argv + 4)) return 1;
    const double seconds = strtod(argv[2], NULL), h = strtod(argv[3], NULL);
    const int steps = (int)lround(seconds / h), settled = (int)lround(1 / h);
    double imbalance = 0, power = 0, deepest = 0, drift = 0, speed = 0, place[3] = {0};
    long sweeps = 0;
    int most = 0;
    double work = 0, first = energy(&r), before = first;
    hml_contact_result result = {.struct_size = sizeof result};
    const hml_contact_motion x = HML_STRUCT(hml_contact_motion, .h = h, .q = r.q, .v = r.v, .tau = r.tau, .q_next = r.q,
                                            .v_next = r.v, .result = &result);
    double start[MOST];
    for (int i = 0; i < steps; i++) {
        memcpy(start, r.v, sizeof start);
        hold(&r);
        hml_status status = hml_contact_step(r.model, r.work, r.contact, &x);
        if (status) return fprintf(stderr, "stand_contact: step %d: %s\n", i, hml_status_message(status)), 1;
        double done = result.work;
        for (int k = 0; k < r.nv; k++) {
            done += 0.5 * h * (start[k] + r.v[k]) * (r.tau[k] - r.damping[k] * r.v[k]);
        }
        double after = energy(&r);
        work += done;
        imbalance = fmax(imbalance, fabs(after - first - work));
        power = fmax(power, fabs(after - before - done) / h);
        before = after;
        deepest = fmax(deepest, result.penetration);
        sweeps += result.iterations;
        if (result.contacts > most) most = result.contacts;
        if (i == settled) memcpy(place, r.q, sizeof place);
        if (i > settled) drift = fmax(drift, hypot(hypot(r.q[0] - place[0], r.q[1] - place[1]), r.q[2] - place[2]));
    }
    for (int k = 0; k < r.nv; k++) speed = fmax(speed, fabs(r.v[k]));
    const int timed = 4000;
    double best = HUGE_VAL;
    for (int n = 0; n < 5; n++) {
        double t = now();
        for (int i = 0; i < timed; i++) {
            hold(&r);
            hml_contact_step(r.model, r.work, r.contact, &x);
        }
        best = fmin(best, (now() - t) / timed);
    }
    printf("microseconds %.3f\nimbalance %.3e\npower %.3e\npenetration %.3e\ndrift %.3e\nspeed %.3e\nsweeps %ld\n"
           "contacts %d\n",
           1e6 * best, imbalance, power, deepest, drift, speed, sweeps, most);
    free(r.contact);
    hml_work_free(r.work);
    hml_model_free(r.model);
    return 0;
}
