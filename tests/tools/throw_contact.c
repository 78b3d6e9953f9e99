/*
 * throw_contact MODEL FRICTION RESTITUTION
 *
 * A robot is thrown at the floor ten times, limp but for a little damping in its joints, from random configurations and
 * velocities, two seconds each in steps of a millisecond. Prints how hard that was for the solver of contacts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

enum { THROWS = 10, STEPS = 2000, MOST = 128 };

typedef struct count {
    long steps, hard, rounds, relaxed;
    int contacts;
    double penetration;
} count;

typedef struct robot {
    hml_model *model;
    hml_work *work;
    hml_contact *contact;
    int nv;
    double q[MOST], v[MOST], tau[MOST];
} robot;

static hml_status step(robot *r, double h, count *c)
{
    hml_contact_result x = {.struct_size = sizeof x};
    const hml_contact_motion motion = HML_STRUCT(hml_contact_motion, .h = h, .q = r->q, .v = r->v, .tau = r->tau,
                                                 .q_next = r->q, .v_next = r->v, .result = &x);
    for (int i = 6; i < r->nv; i++) r->tau[i] = -0.5 * r->v[i];
    hml_status status = hml_contact_step(r->model, r->work, r->contact, &motion);
    c->steps++;
    if (status) return status;
    c->hard += x.iterations > 0;
    c->rounds += x.iterations;
    c->relaxed += x.relaxed;
    if (x.contacts > c->contacts) c->contacts = x.contacts;
    c->penetration = fmax(c->penetration, x.penetration);
    return HML_OK;
}

int main(int argc, char **argv)
{
    static robot r;
    static count c;
    hml_error error = {0};
    hml_rng rng;
    hml_plane ground = {.normal = {0, 0, 1}};
    hml_contact_settings settings = {.struct_size = sizeof settings, .planes = &ground, .nplanes = 1};
    if (argc != 4 || hml_load(argv[1], NULL, &r.model, &error)) return 1;
    ground.friction = strtod(argv[2], NULL);
    ground.restitution = strtod(argv[3], NULL);
    r.nv = hml_model_nv(r.model);
    size_t size = hml_contact_size(r.model, &settings);
    void *memory = malloc(size + 1);
    hml_status status = memory && r.nv < MOST ? HML_OK : HML_OUT_OF_MEMORY;
    if (!status) status = hml_work_new(r.model, HML_ISA_SCALAR, HML_USE_ALL, &r.work);
    if (!status) status = hml_contact_init(memory, size, r.model, &settings, &r.contact);
    hml_rng_seed(&rng, 5);
    for (int n = 0; !status && n < THROWS; n++) {
        status = hml_configuration_random(r.model, &rng, r.q);
        r.q[0] = r.q[1] = 0;
        r.q[2] = 0.8;
        for (int i = 0; i < r.nv; i++) r.v[i] = hml_rng_normal(&rng);
        hml_contact_forget(r.contact);
        for (int i = 0; !status && i < STEPS; i++) status = step(&r, 1e-3, &c);
    }
    if (status) fprintf(stderr, "throw_contact: %s\n", hml_status_message(status));
    printf("steps %ld\nhard %ld\nrounds %.1f\nrelaxed %ld\ncontacts %d\npenetration %.1e\n", c.steps, c.hard,
           c.hard ? (double)c.rounds / (double)c.hard : 0, c.relaxed, c.contacts, c.penetration);
    free(memory);
    hml_work_free(r.work);
    hml_model_free(r.model);
    return status ? 1 : 0;
}
