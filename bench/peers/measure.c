/*
 * The clock. Contenders take turns: a slice of half a millisecond each, round after round, on one core, so that
 * whatever slows the machine slows all of them. Two milliseconds come before a slice and do not count. What the one
 * before left in the caches is gone then, and so is its clock rate: instructions of 64 bytes lower it, and it takes a
 * millisecond without any until it is back. The median of the slices counts. It is the thread's own time: what other
 * programs take is not in it, only what they spoil.
 */
#include "measure.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 31, FEWEST = 3, CORES = 256 };
static const double slice = 0.5e-3, /* seconds; longer where one call is */
    lead = 2e-3,                    /* before it */
    limit = 0.4;                    /* seconds for a contender: the slow ones have fewer rounds */

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return x[n / 2];
}

double measure_difference(const double *x, const double *y, size_t n)
{
    double worst = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        size = fmax(size, fabs(x[i]));
    }
    return worst / size;
}

typedef struct turns {
    size_t states; /* in a slice */
    size_t before; /* as many as fill the lead */
    int every;     /* takes part in every so many rounds; 0: never */
    int count;
    double ns[ROUNDS];
} turns;

/* seconds for a slice; 0 if there is no such algorithm */
static double one_slice(bench_entry *e, bench_algorithm algorithm, size_t states, double *ns)
{
    const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    const size_t done = e->contender->run(e->self, algorithm, states);
    const double took = seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
    if (done) *ns = 1e9 * took / (double)done;
    return done ? took : 0;
}

int measure_first(bench_entry *e, bench_algorithm algorithm)
{
    e->first = e->ns = NAN;
    const double took = e->self ? one_slice(e, algorithm, 1, &e->ns) : 0;
    if (took > 0) e->first = took;
    return took > 0;
}

/* how many states fill a slice, and how often; a first run that took longer than all rounds may stands alone */
static turns calibrate(bench_entry *e, bench_algorithm algorithm)
{
    turns t = {.states = 1};
    double ns, took = e->first;
    if (isnan(took) || took > limit) return t;
    if (took < slice) took = one_slice(e, algorithm, t.states, &ns); /* the first was cold */
    while (took < slice) {
        t.states = took < slice / 8 ? 4 * t.states : (size_t)((double)t.states * 1.1 * slice / took) + 1;
        took = one_slice(e, algorithm, t.states, &ns);
    }
    t.before = (size_t)((double)t.states * lead / took) + 1;
    t.every = ROUNDS / (int)fmax(FEWEST, fmin(ROUNDS, limit / took));
    return t;
}

void measure_in_turns(bench_entry *entries, size_t count, bench_algorithm algorithm)
{
    turns *all = calloc(count, sizeof *all);
    if (!all) return;
    for (size_t i = 0; i < count; i++) all[i] = calibrate(&entries[i], algorithm);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) {
            turns *t = &all[i];
            if (!t->every || round % t->every) continue;
            double cold;
            one_slice(&entries[i], algorithm, t->before, &cold);
            if (one_slice(&entries[i], algorithm, t->states, &t->ns[t->count]) > 0) t->count++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!all[i].count) continue;
        entries[i].ns = measure_median(all[i].ns, all[i].count);
    }
    free(all);
}

/* ---- all cores ---- */

static int allowed(size_t cores[CORES])
{
    static cpu_set_t set; /* as it was when the program began: pinning comes later */
    static int known;
    int n = 0;
    if (!known) sched_getaffinity(0, sizeof set, &set), known = 1;
    for (size_t i = 0; i < CPU_SETSIZE && n < CORES; i++) {
        if (CPU_ISSET(i, &set)) cores[n++] = i;
    }
    return n;
}

int measure_cores(void)
{
    size_t cores[CORES];
    return allowed(cores);
}

void measure_pin(int which)
{
    size_t cores[CORES];
    cpu_set_t one;
    const int n = allowed(cores);
    CPU_ZERO(&one);
    CPU_SET(cores[which % n], &one);
    sched_setaffinity(0, sizeof one, &one);
}

typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *barrier;
    bench_entry entry;
    bench_algorithm algorithm;
    size_t states;
    int index, rounds;
    double ns[ROUNDS];
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    measure_pin(w->index);
    for (int round = 0; round < w->rounds; round++) {
        pthread_barrier_wait(w->barrier);
        one_slice(&w->entry, w->algorithm, w->states, &w->ns[round]);
    }
    return NULL;
}

static int start(worker *workers, int n, bench_algorithm algorithm, pthread_barrier_t *barrier)
{
    measure_first(&workers[0].entry, algorithm);
    const turns t = calibrate(&workers[0].entry, algorithm);
    if (!t.every || pthread_barrier_init(barrier, NULL, (unsigned)n)) return 0;
    for (int i = 0; i < n; i++) {
        worker *w = &workers[i];
        w->barrier = barrier, w->algorithm = algorithm, w->index = i;
        w->states = 2 * t.states, w->rounds = ROUNDS / t.every;
        if (pthread_create(&w->thread, NULL, work, w)) abort(); /* the others would wait for ever */
    }
    return 1;
}

/* all begin a round together; the slowest thread's own time counts, the median of the rounds */
double measure_all_cores(const bench_contender *contender, const bench_robot *robot, bench_algorithm algorithm)
{
    static worker workers[CORES];
    pthread_barrier_t barrier;
    const int n = measure_cores();
    int ready = 0;
    double ns[ROUNDS] = {0}, median = NAN;
    for (; ready < n; ready++) {
        workers[ready] = (worker){.entry = {.contender = contender, .self = contender->open(robot)}};
        if (!workers[ready].entry.self) break;
    }
    if (ready == n && start(workers, n, algorithm, &barrier)) {
        const int rounds = workers[0].rounds;
        for (int i = 0; i < n; i++) {
            pthread_join(workers[i].thread, NULL);
            for (int k = 0; k < rounds; k++) ns[k] = fmax(ns[k], workers[i].ns[k]);
        }
        pthread_barrier_destroy(&barrier);
        median = measure_median(ns, rounds) / n;
    }
    for (int i = 0; i < ready; i++) contender->close(workers[i].entry.self);
    return median;
}
