/*
 * How a batch grows with the cores: hml_linearize_parallel on a pool of threads, 256 states a core, with one core, two,
 * … all of them in one run. Usage: cores_bench ROBOT...; JSON, one line per robot and number of cores.
 *
 * Time is the wall's, from the call to its return, the fastest of ten. Before each, every core does its 256 states
 * alone: what all do together is held against the sum of that. Neighbours in time, so that a machine that others slow
 * slows both; the median of the rounds counts. ν̇, D_q, D_ν and M⁻¹ are written.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamel/hamel.h"
#include "measure.h"

enum { A_CORE = 256, CHUNK = 64, ROUNDS = 45, CORES = 256 };

/* ---- a pool: threads that look for work without sleeping, as OpenMP's do; the caller is worker 0 ---- */

typedef struct pool {
    atomic_size_t running, loops; /* workers at work, or not there yet; loops begun so far */
    size_t count, workers;
    hml_parallel_task *task; /* NULL: go home */
    void *data;
} pool;

typedef struct worker {
    pthread_t thread;
    pool *pool;
    size_t index;
} worker;

/* each has the same part every time: the results that it writes are still in its own cache, not in a neighbour's */
static void take_tasks(pool *p, size_t index)
{
    const size_t end = (index + 1) * p->count / p->workers;
    for (size_t i = index * p->count / p->workers; i < end; i++) p->task(p->data, i, index);
    atomic_fetch_sub(&p->running, 1);
}

static void *live(void *argument)
{
    const worker *w = argument;
    measure_pin((int)w->index);
    atomic_fetch_sub(&w->pool->running, 1);
    for (size_t seen = 0;; seen++) {
        while (atomic_load(&w->pool->loops) == seen) continue;
        if (!w->pool->task) return NULL;
        take_tasks(w->pool, w->index);
    }
}

static void parallel_for(void *context, size_t count, hml_parallel_task *task, void *data)
{
    pool *p = context;
    p->count = count, p->task = task, p->data = data;
    atomic_store(&p->running, p->workers);
    atomic_fetch_add(&p->loops, 1);
    take_tasks(p, 0);
    while (atomic_load(&p->running)) continue;
}

static void pool_start(pool *p, worker *workers, size_t n)
{
    p->workers = n;
    atomic_store(&p->loops, 0), atomic_store(&p->running, n - 1);
    for (size_t i = 1; i < n; i++) {
        workers[i] = (worker){.pool = p, .index = i};
        if (pthread_create(&workers[i].thread, NULL, live, &workers[i])) abort(); /* the others would wait for ever */
    }
    while (atomic_load(&p->running)) sched_yield(); /* they begin on this core, and move to their own */
}

static void pool_stop(pool *p, worker *workers)
{
    p->task = NULL;
    atomic_fetch_add(&p->loops, 1);
    for (size_t i = 1; i < p->workers; i++) pthread_join(workers[i].thread, NULL);
}

/* ---- a robot ---- */

typedef struct field {
    double *memory;
    hml_linearization x;
    hml_work *works[CORES];
} field;

static int field_open(const bench_robot *r, size_t cores, field *f)
{
    const size_t n = cores * A_CORE, nv = r->nv;
    *f = (field){.x = {.struct_size = sizeof f->x}};
    f->memory = calloc(n * (r->nq + 3 * nv + 3 * nv * nv), sizeof(double));
    for (size_t k = 0; k < cores; k++) {
        if (hml_work_new(r->model, r->isa, HML_USE_ALL, &f->works[k])) return 0;
    }
    if (!f->memory) return 0;
    double *q = f->memory, *v = q + n * r->nq, *tau = v + n * nv;
    for (size_t s = 0; s < n; s++) {
        const size_t from = s % BENCH_STATES;
        memcpy(q + s * r->nq, r->q + from * r->nq, r->nq * sizeof *q);
        memcpy(v + s * nv, r->v + from * nv, nv * sizeof *v);
        memcpy(tau + s * nv, r->u + from * nv, nv * sizeof *tau);
    }
    f->x.q = (hml_input){q, r->nq}, f->x.v = (hml_input){v, nv}, f->x.tau = (hml_input){tau, nv};
    f->x.acceleration.data = tau + n * nv, f->x.Dq.data = f->x.acceleration.data + n * nv;
    f->x.Dv.data = f->x.Dq.data + n * nv * nv, f->x.Minv.data = f->x.Dv.data + n * nv * nv;
    return 1;
}

static void field_close(field *f, size_t cores)
{
    for (size_t k = 0; k < cores; k++) hml_work_free(f->works[k]);
    free(f->memory);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* seconds for A_CORE states on each of the cores; a negative number if it fails */
static double one_round(const bench_robot *r, field *f, size_t cores)
{
    static worker workers[CORES];
    pool p;
    double best = INFINITY;
    pool_start(&p, workers, cores);
    hml_parallel parallel = {.struct_size = sizeof parallel, .nworks = cores, .works = f->works, .chunk = CHUNK};
    parallel.parallel_for = parallel_for, parallel.context = &p;
    for (int k = 0; k < 10 && best > 0; k++) { /* the first wakes the threads */
        const double begin = now();
        const hml_status status = hml_linearize_parallel(r->model, &parallel, cores * A_CORE, &f->x, NULL);
        best = status ? -1 : fmin(best, now() - begin);
    }
    pool_stop(&p, workers);
    return best;
}

/* 1, 2, 4, … and all; 0: no more */
static size_t after(size_t n, size_t cores) { return n == cores ? 0 : 2 * n < cores ? 2 * n : cores; }

static int bench(const char *name, size_t cores)
{
    static double seconds[CORES + 1][ROUNDS], efficiency[CORES + 1][ROUNDS], alone[CORES];
    bench_robot r;
    field f;
    if (!robot_load(name, HML_ISA_BEST, &r)) return 0;
    int ok = field_open(&r, cores, &f);
    for (int round = 0; round < ROUNDS && ok; round++) {
        for (size_t k = cores; k-- > 0;) {
            measure_pin((int)k);
            alone[k] = one_round(&r, &f, 1);
        }
        for (size_t n = 1; n && ok; n = after(n, cores)) {
            const double took = n > 1 ? one_round(&r, &f, n) : alone[0];
            double rate = 0; /* of these cores, one by one */
            for (size_t k = 0; k < n; k++) rate += 1 / alone[k];
            ok = took > 0 && rate > 0;
            seconds[n][round] = took, efficiency[n][round] = (double)n / took / rate;
        }
    }
    for (size_t n = 1; n && ok; n = after(n, cores)) {
        printf(
            "{\"robot\": \"%s\", \"nv\": %zu, \"cores\": %zu, \"states\": %zu, \"ns\": %.1f, \"efficiency\": %.3f}\n",
            r.name, r.nv, n, n * A_CORE, 1e9 * measure_median(seconds[n], ROUNDS) / (double)(n * A_CORE),
            measure_median(efficiency[n], ROUNDS));
    }
    field_close(&f, cores);
    robot_close(&r);
    return ok;
}

int main(int argc, char **argv)
{
    const int cores = measure_cores() < CORES ? measure_cores() : CORES;
    measure_pin(0);
    for (int i = 1; i < argc; i++) {
        if (!bench(argv[i], (size_t)cores)) return 1;
    }
    return 0;
}
