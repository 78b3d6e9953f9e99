/*
 * stiff FILE [SECONDS]
 *
 * A robot with stiff dampers or springs flies freely, every joint with a velocity in [−1, 1]: the error of each scheme
 * with equal steps after SECONDS (0.5) against dopri5 with a tolerance of 1e-12, over the step h. Markdown on stdout:
 * the largest difference of a coordinate, metres or radians; "–" where a step failed or the difference is above 10.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

enum { SCHEMES = 8, STEPS = 7 };

static const char *const names[SCHEMES] = {
    "contact", "step, semi_implicit_euler", "step, munthe_kaas_4", "euler", "rk4", "variational", "alpha", "momentum"};

typedef struct flight {
    hml_model *model;
    hml_work *work;
    size_t nq, nv;
    double *start, *speed, *q, *v, *gap, *goal, *frictionless, *scratch;
} flight;

/* without limits and dry friction, which the other schemes do not know */
static hml_status contact_steps(flight *f, double h, long steps)
{
    hml_contact_settings s = {
        .struct_size = sizeof s, .options = HML_CONTACT_NO_LIMITS, .joint_friction = f->frictionless};
    hml_contact *contact;
    size_t size = hml_contact_size(f->model, &s);
    void *memory = malloc(size + 1);
    hml_status status = memory ? hml_contact_init(memory, size, f->model, &s, &contact) : HML_OUT_OF_MEMORY;
    const hml_contact_motion x = {
        .struct_size = sizeof x, .h = h, .q = f->q, .v = f->v, .q_next = f->q, .v_next = f->v};
    for (long i = 0; !status && i < steps; i++) status = hml_contact_step(f->model, f->work, contact, &x);
    free(memory);
    return status;
}

static hml_status group_steps(flight *f, hml_scheme integrator, double h, long steps)
{
    hml_status status = HML_OK;
    for (long i = 0; !status && i < steps; i++) {
        status = hml_step(f->model, f->work, f->scratch,
                          &HML_STRUCT(hml_discrete_step, .scheme = integrator, .h = h, .q.data = f->q, .v.data = f->v,
                                      .q_next.data = f->q, .v_next.data = f->v));
    }
    return status;
}

static hml_status motion(flight *f, hml_scheme scheme, double h, double seconds)
{
    hml_motion_options o;
    hml_motion *m = NULL;
    hml_motion_options_init(&o);
    o.scheme = scheme;
    o.step = h;
    hml_status status = hml_motion_new(f->model, f->work, &o, NULL, 0, f->q, f->v, &m);
    if (!status) status = hml_motion_advance(m, seconds);
    if (!status) memcpy(f->q, hml_motion_position(m), f->nq * sizeof(double));
    hml_motion_free(m);
    return status;
}

/* the largest error of a coordinate; infinite where a step fails */
static double error_of(flight *f, int scheme, double h, double seconds)
{
    static const hml_scheme schemes[] = {HML_SCHEME_EULER, HML_SCHEME_RK4, HML_SCHEME_VARIATIONAL, HML_SCHEME_ALPHA,
                                         HML_SCHEME_MOMENTUM};
    const long steps = lround(seconds / h);
    double worst = 0;
    hml_status status;
    memcpy(f->q, f->start, f->nq * sizeof(double));
    memcpy(f->v, f->speed, f->nv * sizeof(double));
    if (scheme == 0)
        status = contact_steps(f, h, steps);
    else if (scheme < 3)
        status = group_steps(f, scheme == 1 ? HML_SCHEME_EULER : HML_SCHEME_RK4, h, steps);
    else
        status = motion(f, schemes[scheme - 3], h, seconds);
    if (status || hml_configuration_difference(f->model, f->goal, f->q, f->gap)) return INFINITY;
    for (size_t i = 0; i < f->nv; i++) worst = fmax(worst, fabs(f->gap[i]));
    return worst;
}

static hml_status open_flight(flight *f, const char *path)
{
    hml_load_options options;
    hml_error error = {0};
    hml_rng rng;
    hml_load_options_init(&options);
    options.base = HML_BASE_FREE;
    hml_status status = hml_load(path, &options, &f->model, &error);
    if (status) return fprintf(stderr, "stiff: %s\n", error.message), status;
    status = hml_work_new(f->model, HML_ISA_BEST, HML_USE_ALL, &f->work);
    f->nq = (size_t)hml_model_nq(f->model), f->nv = (size_t)hml_model_nv(f->model);
    double *room = calloc(3 * f->nq + 4 * f->nv + hml_step_scratch_doubles(f->model), sizeof *room);
    if (status || !room) return HML_OUT_OF_MEMORY;
    f->start = room, f->goal = room + f->nq, f->q = room + 2 * f->nq, f->v = room + 3 * f->nq;
    f->speed = f->v + f->nv, f->gap = f->speed + f->nv, f->frictionless = f->gap + f->nv;
    f->scratch = f->frictionless + f->nv;
    hml_rng_seed(&rng, 1);
    for (size_t i = 0; i < f->nv; i++) f->speed[i] = hml_rng_uniform(&rng, -1, 1);
    return hml_configuration_neutral(f->model, f->start);
}

int main(int argc, char **argv)
{
    static flight f;
    const double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.5;
    hml_motion_options o;
    hml_motion *exact = NULL;
    if (argc < 2 || open_flight(&f, argv[1])) return 1;
    hml_motion_options_init(&o);
    hml_status status = hml_motion_new(f.model, f.work, &o, NULL, 0, f.start, f.speed, &exact);
    if (!status) status = hml_motion_advance(exact, seconds);
    if (status) return fprintf(stderr, "stiff: dopri5: %s\n", hml_status_message(status)), 1;
    memcpy(f.goal, hml_motion_position(exact), f.nq * sizeof(double));
    hml_motion_free(exact);
    printf("| h, ms |");
    for (int i = 0; i < SCHEMES; i++) printf(" %s |", names[i]);
    printf("\n| ---: |");
    for (int i = 0; i < SCHEMES; i++) printf(" ---: |");
    for (int k = 0; k < STEPS; k++) {
        const double h = 4e-3 / (1 << k);
        printf("\n| %g |", 1e3 * h);
        for (int i = 0; i < SCHEMES; i++) {
            const double error = error_of(&f, i, h, seconds);
            if (error < 10)
                printf(" %.1e |", error);
            else
                printf(" – |");
        }
    }
    printf("\n");
    return 0;
}
