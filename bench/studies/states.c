/*
 * What a file costs, and what threads cost: the numbers of docs/batches.md.
 *
 *   states_bench memory MODEL STATES.npz [acceleration]   the states of a file, into fresh memory: beside hamel linearize
 *   states_bench threads MODEL                            two threads beside two processes, each with half of the states
 *
 * Both print seconds of the clock and of the processors: on a machine that others use, the latter count.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hamel/configuration.h"
#include "hamel/io.h"
#include "hamel/linearize.h"
#include "hamel/random.h"
#include "hamel/states.h"

enum { SLICE = 1 << 17, CHUNK = 256, MOST = 64, ROUNDS = 7, TURNS = 300 };

typedef struct part {
    const hml_model *model;
    hml_work *work;
    const double *q, *v, *tau;
    double *A, *Minv, *a;
    size_t n;
    int turns; /* how often */
    int failed;
} part;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static double processor(int who)
{
    struct rusage r;
    getrusage(who, &r);
    return seconds(r.ru_utime) + seconds(r.ru_stime);
}

/* chunk by chunk, as every caller with many states does */
static void *run(void *memory)
{
    part *p = memory;
    const size_t nq = (size_t)hml_model_nq(p->model), nv = (size_t)hml_model_nv(p->model);
    for (int turn = 0; turn < p->turns; turn++) {
        for (size_t i = 0; i < p->n; i += CHUNK) {
            const size_t n = p->n - i < CHUNK ? p->n - i : CHUNK;
            const hml_linearization x =
                HML_STRUCT(hml_linearization, .q = {p->q + i * nq, nq}, .v = {p->v + i * nv, nv},
                           .tau = {p->tau ? p->tau + i * nv : NULL, nv}, .acceleration = {.data = p->a + i * nv},
                           .A = {.data = p->A ? p->A + i * 4 * nv * nv : NULL},
                           .Minv = {.data = p->Minv ? p->Minv + i * nv * nv : NULL});
            if (hml_linearize_batch(p->model, p->work, n, &x, NULL)) p->failed = 1;
        }
    }
    return NULL;
}

static void *must(void *memory)
{
    if (memory) return memory;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static void on_threads(part *parts, int n)
{
    pthread_t ids[MOST];
    for (int i = 0; i < n; i++) {
        if (pthread_create(&ids[i], NULL, run, &parts[i])) exit(1);
    }
    for (int i = 0; i < n; i++) pthread_join(ids[i], NULL);
}

/* ---- memory ---- */

/* rows first … first + n − 1 into memory that the system has not given before */
static int slice(part *parts, int threads, hml_states *states, size_t first, size_t n, int whole)
{
    const size_t nq = (size_t)hml_model_nq(parts->model), nv = (size_t)hml_model_nv(parts->model);
    double *in = must(malloc(n * (nq + 2 * nv) * sizeof *in)), *v = in + n * nq, *tau = v + n * nv;
    double *a = must(malloc(n * nv * sizeof *a));
    double *A = whole ? must(malloc(n * 4 * nv * nv * sizeof *A)) : NULL;
    double *B = whole ? must(malloc(n * nv * nv * sizeof *B)) : NULL;
    int failed = hml_states_read(states, (int64_t)first, (int64_t)n, in, v, tau, NULL) != HML_OK;
    for (int t = 0; t < threads; t++) {
        part *p = &parts[t];
        const size_t begin = n * (size_t)t / (size_t)threads, end = n * (size_t)(t + 1) / (size_t)threads;
        p->q = in + begin * nq, p->v = v + begin * nv, p->tau = tau + begin * nv, p->a = a + begin * nv;
        p->A = A ? A + begin * 4 * nv * nv : NULL;
        p->Minv = B ? B + begin * nv * nv : NULL;
        p->n = end - begin;
        p->turns = 1;
    }
    on_threads(parts, threads);
    for (int t = 0; t < threads; t++) failed |= parts[t].failed;
    free(in), free(a), free(A), free(B);
    return failed;
}

static int memory(const hml_model *model, const char *path, int whole)
{
    hml_states *states = NULL;
    hml_error error = {0};
    part parts[MOST] = {{0}};
    int threads = hml_threads_default() < MOST ? hml_threads_default() : MOST, failed = 0;
    if (hml_states_open(path, model, &states, &error)) {
        fprintf(stderr, "%s: %s\n", error.file, error.message);
        return 1;
    }
    for (int t = 0; t < threads; t++) {
        parts[t].model = model;
        if (hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &parts[t].work)) return 1;
    }
    const size_t n = (size_t)hml_states_count(states);
    const double begin = now(), cpu = processor(RUSAGE_SELF);
    for (size_t i = 0; i < n; i += SLICE)
        failed |= slice(parts, threads, states, i, n - i < SLICE ? n - i : SLICE, whole);
    const double took = now() - begin, used = processor(RUSAGE_SELF) - cpu;
    printf("%zu states, %d threads: %.2f s, %.0f per second; processors %.2f s%s\n", n, threads, took, (double)n / took,
           used, failed ? "; some states failed" : "");
    for (int t = 0; t < threads; t++) hml_work_free(parts[t].work);
    hml_states_free(states);
    return 0;
}

/* ---- threads ---- */

static void fill(part *p, const hml_model *model, uint64_t seed)
{
    const size_t nq = (size_t)hml_model_nq(model), nv = (size_t)hml_model_nv(model), n = CHUNK;
    double *q = must(calloc(n * nq, sizeof *q)), *v = must(calloc(n * nv, sizeof *v));
    hml_rng rng;
    hml_rng_seed(&rng, seed);
    for (size_t i = 0; i < n; i++) hml_configuration_random(model, &rng, q + i * nq);
    for (size_t i = 0; i < n * nv; i++) v[i] = hml_rng_normal(&rng);
    *p = (part){.model = model, .q = q, .v = v, .n = n, .turns = TURNS};
    p->A = must(calloc(n * 4 * nv * nv, sizeof *p->A));
    p->Minv = must(calloc(n * nv * nv, sizeof *p->Minv));
    p->a = must(calloc(n * nv, sizeof *p->a));
    if (hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &p->work)) exit(1);
}

/* the child: its pages first, which fork shares until they are written; then its times, into the pipe */
static void be_a_process(part *p, int to)
{
    double times[2];
    p->turns = 1;
    run(p);
    p->turns = TURNS;
    times[0] = now(), times[1] = processor(RUSAGE_SELF);
    run(p);
    times[0] = now() - times[0], times[1] = processor(RUSAGE_SELF) - times[1];
    _exit(write(to, times, sizeof times) != (ssize_t)sizeof times || p->failed);
}

/* seconds of the processors for all states, by two threads or two processes; the clock's into *took */
static double turn(part parts[2], int processes, double *took)
{
    double used = 0;
    *took = 0;
    if (!processes) {
        const double begin = now(), cpu = processor(RUSAGE_SELF);
        on_threads(parts, 2);
        *took = now() - begin;
        return processor(RUSAGE_SELF) - cpu;
    }
    int ends[2];
    if (pipe(ends)) exit(1);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        const pid_t child = fork();
        if (child == 0) be_a_process(&parts[i], ends[1]);
        if (child < 0) exit(1);
    }
    for (int i = 0; i < 2; i++) {
        double times[2];
        int status = 1;
        if (read(ends[0], times, sizeof times) != (ssize_t)sizeof times || wait(&status) < 0 || status) exit(1);
        used += times[1];
        if (times[0] > *took) *took = times[0];
    }
    close(ends[0]);
    close(ends[1]);
    return used;
}

static int threads(const hml_model *model)
{
    part parts[2];
    double best[2] = {1e9, 1e9}, least[2] = {1e9, 1e9};
    for (int i = 0; i < 2; i++) fill(&parts[i], model, (uint64_t)i + 1), run(&parts[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < 2; k++) {
            double took;
            const double used = turn(parts, k, &took);
            if (took < best[k]) best[k] = took;
            if (used < least[k]) least[k] = used;
        }
    }
    const double n = 2.0 * TURNS * CHUNK;
    for (int k = 0; k < 2; k++) {
        printf("two %s: %.0f per second; %.0f ns of a processor per state\n", k ? "processes" : "threads", n / best[k],
               1e9 * least[k] / n);
    }
    printf("efficiency of the threads: %.3f by the clock, %.3f by the processors\n", best[1] / best[0],
           least[1] / least[0]);
    return parts[0].failed || parts[1].failed;
}

int main(int argc, char **argv)
{
    hml_model *model = NULL;
    hml_error error = {0};
    const int is_memory = argc >= 4 && argc <= 5 && strcmp(argv[1], "memory") == 0;
    if (!is_memory && !(argc == 3 && strcmp(argv[1], "threads") == 0)) {
        fprintf(stderr, "usage: states_bench memory MODEL STATES.npz [acceleration] | threads MODEL\n");
        return 2;
    }
    if (hml_load(argv[2], NULL, &model, &error)) {
        fprintf(stderr, "%s: %s\n", error.file, error.message);
        return 1;
    }
    const int status = is_memory ? memory(model, argv[3], argc == 4) : threads(model);
    hml_model_free(model);
    return status;
}
