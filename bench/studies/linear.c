/*
 * Nanoseconds a body of what should cost O(n), on chains and trees of 1 to 10,000 bodies. One line a measurement: what,
 * shape, bodies, nanoseconds per body.
 *
 * Processor time of this thread; the best of many rounds counts, the others were disturbed. forms.py takes the best of
 * several runs besides: a neighbour on the same core can slow a whole run down.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hamel/hamel.h"

enum { STATES = 4 };

typedef struct robot {
    hml_model *model;
    hml_work *work;
    void *scratch;
    size_t nq, nv;
    double *q, *v, *a, *tau, *H;   /* STATES of each but H */
    double *point, *sweep, *rates; /* of the products */
} robot;

static hml_status rnea(const robot *r, hml_representation form, size_t s)
{
    return hml_rnea(r->model, r->scratch, form, r->q + s * r->nq, r->v + s * r->nv, r->a + s * r->nv, NULL, r->H);
}

static hml_status left(const robot *r, size_t s) { return rnea(r, HML_LEFT, s); }
static hml_status right(const robot *r, size_t s) { return rnea(r, HML_RIGHT, s); }
static hml_status mixed(const robot *r, size_t s) { return rnea(r, HML_MIXED, s); }
static hml_status split(const robot *r, size_t s) { return rnea(r, HML_SPLIT, s); }

static hml_status fast(const robot *r, size_t s)
{
    return hml_inverse_dynamics(r->model, r->work, r->q + s * r->nq, r->v + s * r->nv, r->a + s * r->nv, NULL, r->H);
}

static hml_status aba(const robot *r, size_t s)
{
    return hml_aba(r->model, r->scratch, r->q + s * r->nq, r->v + s * r->nv, r->tau + s * r->nv, NULL, r->H);
}

static hml_status poses(const robot *r, size_t s) { return hml_body_poses(r->model, r->work, r->q + s * r->nq, r->H); }

static hml_status momentum(const robot *r, size_t s)
{
    hml_centroidal_motion motion = {.struct_size = sizeof motion, .momentum = r->H};
    return hml_centroidal(r->model, r->work, r->q + s * r->nq, r->v + s * r->nv, NULL, &motion);
}

static hml_status forward(const robot *r, size_t s)
{
    return hml_forward_dynamics(r->model, r->work, r->q + s * r->nq, r->v + s * r->nv, r->tau + s * r->nv, NULL, r->H);
}

static hml_status update(const robot *r, size_t s)
{
    return hml_directional_update(r->model, r->work, r->q + s * r->nq, r->v + s * r->nv, r->tau + s * r->nv, NULL,
                                  r->point, NULL);
}

static hml_status product(const robot *r, size_t s)
{
    const double *z = r->a + s * r->nv;
    return hml_directional_forward(r->model, r->work, r->point, z, z, z, r->sweep, r->rates, r->rates + r->nv);
}

static hml_status transposed(const robot *r, size_t s)
{
    const double *y = r->a + s * r->nv;
    return hml_directional_reverse(r->model, r->work, r->point, y, y, r->sweep, r->rates, r->rates + r->nv, r->H);
}

static const struct {
    const char *name;
    hml_status (*run)(const robot *, size_t);
} algorithms[] = {
    {"hml_rnea left", left},
    {"hml_rnea right", right},
    {"hml_rnea mixed", mixed},
    {"hml_rnea split", split},
    {"hml_inverse_dynamics", fast},
    {"hml_aba", aba},
    {"hml_body_poses", poses},
    {"hml_centroidal", momentum},
    {"hml_forward_dynamics", forward},
    {"hml_directional_update", update},
    {"hml_directional_forward", product},
    {"hml_directional_reverse", transposed},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* NAN: it failed */
static double nanoseconds(const robot *r, hml_status (*run)(const robot *, size_t), int n)
{
    double best = INFINITY;
    int rounds = n < 1000 ? 60 : 8, repeats = n < 50 ? 100 / n : 1;
    for (int round = 0; round < rounds; round++) {
        double start = now();
        for (size_t k = 0; k < STATES * (size_t)repeats; k++) {
            if (run(r, k % STATES)) return NAN;
        }
        best = fmin(best, now() - start);
    }
    return 1e9 * best / STATES / repeats / n;
}

static void *need(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) exit(1);
    return p;
}

static int measure(const char *name, hml_random_shape shape, int n)
{
    robot r = {0};
    hml_random_spec spec;
    hml_rng rng;
    hml_random_spec_init(&spec);
    spec.nbodies = n, spec.shape = shape, spec.branches = 2, spec.root = HML_JOINT_REVOLUTE;
    if (hml_model_random(&spec, &r.model) || hml_work_new(r.model, HML_ISA_BEST, HML_USE_TREE, &r.work)) return 1;
    r.nq = (size_t)hml_model_nq(r.model), r.nv = (size_t)hml_model_nv(r.model);
    r.q = need(STATES * r.nq, sizeof(double)), r.v = need(STATES * r.nv, sizeof(double));
    r.a = need(STATES * r.nv, sizeof(double)), r.tau = need(STATES * r.nv, sizeof(double));
    r.point = need(hml_directional_doubles(r.model), sizeof(double));
    r.sweep = need(hml_directional_scratch_doubles(r.model), sizeof(double)), r.rates = need(2 * r.nv, sizeof(double));
    r.H = need(16 * (size_t)n, sizeof(double)), r.scratch = need(1, hml_recursive_size(r.model));
    hml_rng_seed(&rng, 1);
    for (size_t s = 0; s < STATES; s++) hml_configuration_random(r.model, &rng, r.q + s * r.nq);
    for (size_t i = 0; i < STATES * r.nv; i++) {
        r.v[i] = hml_rng_uniform(&rng, -1, 1);
        r.a[i] = hml_rng_uniform(&rng, -1, 1);
        r.tau[i] = hml_rng_uniform(&rng, -1, 1);
    }
    int failed = 0;
    for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++) {
        double t = nanoseconds(&r, algorithms[k].run, n);
        failed |= isnan(t);
        printf("%s\t%s\t%d\t%.1f\n", algorithms[k].name, name, n, t);
    }
    free(r.q), free(r.v), free(r.a), free(r.tau), free(r.H), free(r.scratch);
    free(r.point), free(r.sweep), free(r.rates);
    hml_work_free(r.work);
    hml_model_free(r.model);
    return failed;
}

int main(void)
{
    static const int sizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (measure("chain", HML_RANDOM_CHAIN, sizes[k]) || measure("tree", HML_RANDOM_BUSHY, sizes[k])) return 1;
    }
    return 0;
}
