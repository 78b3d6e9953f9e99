/*
 * The linearization of one robot by the library and by generated code, in turns: one call at a time, one call after other
 * work has filled the first caches, and batches.
 *
 *   generated_bench NAME PREFIX CODE.so MODEL free|fixed
 *
 * prints a line of JSON: medians in nanoseconds per state, and the largest difference of all results.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

enum { STATES = 64, TURNS = 61 };

typedef int generated_call(const double *q, const double *v, const double *tau, double *a, double *Dq, double *Dv,
                           double *Minv);
typedef int generated_batch(int n, const double *q, const double *v, const double *tau, double *a, double *Dq,
                            double *Dv, double *Minv);

typedef struct results {
    double *a, *Dq, *Dv, *Minv;
} results;

typedef struct bench {
    hml_model *model;
    hml_work *work;
    size_t nq, nv;
    double *q, *v, *tau;
    results generic, generated;
    generated_call *call;
    generated_batch *batch; /* NULL: the code has none */
    int failed;
} bench;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs may run beside this one */
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static hml_linearization arguments(const bench *b, size_t i)
{
    const size_t v = i * b->nv, m = v * b->nv;
    return HML_STRUCT(hml_linearization, .q = {b->q + i * b->nq, b->nq}, .v = {b->v + v, b->nv},
                      .tau = {b->tau + v, b->nv}, .acceleration = {.data = b->generic.a + v},
                      .Dq = {.data = b->generic.Dq + m}, .Dv = {.data = b->generic.Dv + m},
                      .Minv = {.data = b->generic.Minv + m});
}

/* ---- the four contenders: all states once ---- */

static void generic_single(bench *b)
{
    for (size_t i = 0; i < STATES; i++) {
        const hml_linearization l = arguments(b, i);
        b->failed |= hml_linearize(b->model, b->work, &l) != HML_OK;
    }
}

static void generic_batch(bench *b)
{
    const hml_linearization l = arguments(b, 0);
    b->failed |= hml_linearize_batch(b->model, b->work, STATES, &l, NULL) != HML_OK;
}

static void generated_single(bench *b)
{
    for (size_t i = 0; i < STATES; i++) {
        const size_t v = i * b->nv, m = v * b->nv;
        b->failed |= b->call(b->q + i * b->nq, b->v + v, b->tau + v, b->generated.a + v, b->generated.Dq + m,
                             b->generated.Dv + m, b->generated.Minv + m) != 0;
    }
}

static void generated_many(bench *b)
{
    if (b->batch)
        b->failed |= b->batch(STATES, b->q, b->v, b->tau, b->generated.a, b->generated.Dq, b->generated.Dv,
                              b->generated.Minv) != 0;
    else
        generated_single(b);
}

/* one state into the same place again and again, so that writing the results costs what it costs in a loop */
static void generic_one(bench *b)
{
    for (size_t i = 0; i < STATES; i++) {
        hml_linearization l = arguments(b, 0);
        l.q.data = b->q + i * b->nq;
        b->failed |= hml_linearize(b->model, b->work, &l) != HML_OK;
    }
}

static void generated_one(bench *b)
{
    for (size_t i = 0; i < STATES; i++)
        b->failed |= b->call(b->q + i * b->nq, b->v, b->tau, b->generated.a, b->generated.Dq, b->generated.Dv,
                             b->generated.Minv) != 0;
}

/* other work before a call: 64 KB of data, and 96 KB of code where it can be made */
static void other_work(bench *b)
{
    static volatile char data[65536];
    (void)b;
    for (size_t i = 0; i < sizeof data; i += 64) data[i]++;
#if defined __x86_64__
    __asm__ volatile(".rept 12288\n\tnopl 0x0(%rax,%rax,1)\n\t.endr");
#endif
}

static void only_other_work(bench *b)
{
    for (size_t i = 0; i < STATES; i++) other_work(b);
}

static void generic_cold(bench *b)
{
    const hml_linearization l = arguments(b, 0);
    for (size_t i = 0; i < STATES; i++) {
        other_work(b);
        b->failed |= hml_linearize(b->model, b->work, &l) != HML_OK;
    }
}

static void generated_cold(bench *b)
{
    for (size_t i = 0; i < STATES; i++) {
        other_work(b);
        b->failed |=
            b->call(b->q, b->v, b->tau, b->generated.a, b->generated.Dq, b->generated.Dv, b->generated.Minv) != 0;
    }
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(bench *b, void (*const *contenders)(bench *), int n, double *medians)
{
    static double times[8][TURNS];
    for (int t = 0; t < TURNS; t++) {
        for (int c = 0; c < n; c++) {
            contenders[c](b);
            const double start = now();
            for (int k = 0; k < 8; k++) contenders[c](b);
            times[c][t] = (now() - start) / (8 * STATES);
        }
    }
    for (int c = 0; c < n; c++) {
        qsort(times[c], TURNS, sizeof(double), compare);
        medians[c] = times[c][TURNS / 2];
    }
}

/* the largest difference of a vector or matrix of a state, as a part of its largest entry */
static double difference(const double *x, const double *y, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < STATES; i++) {
        double largest = 0, d = 0;
        for (size_t k = 0; k < n; k++) {
            largest = fmax(largest, fabs(x[i * n + k]));
            const double e = fabs(x[i * n + k] - y[i * n + k]);
            if (!(e <= d) && !isnan(d)) d = e;
        }
        if (!(d <= worst * largest) && !isnan(worst)) worst = d / largest;
    }
    return worst;
}

static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

static double all_differences(const bench *b)
{
    const results *x = &b->generic, *y = &b->generated;
    const size_t n = b->nv, nn = n * n;
    return larger(larger(difference(x->a, y->a, n), difference(x->Dq, y->Dq, nn)),
                  larger(difference(x->Dv, y->Dv, nn), difference(x->Minv, y->Minv, nn)));
}

static double *numbers(size_t n)
{
    double *x = aligned_alloc(64, (n * sizeof *x + 127) / 64 * 64);
    if (!x) exit(1);
    memset(x, 0, n * sizeof *x);
    return x;
}

static void prepare(bench *b)
{
    hml_rng rng;
    const size_t vector = STATES * b->nv, matrix = vector * b->nv;
    results *all[] = {&b->generic, &b->generated};
    b->q = numbers(STATES * b->nq), b->v = numbers(vector), b->tau = numbers(vector);
    for (int k = 0; k < 2; k++) *all[k] = (results){numbers(vector), numbers(matrix), numbers(matrix), numbers(matrix)};
    hml_rng_seed(&rng, 1);
    for (size_t i = 0; i < STATES; i++) b->failed |= hml_configuration_random(b->model, &rng, b->q + i * b->nq) != 0;
    for (size_t i = 0; i < vector; i++)
        b->v[i] = hml_rng_uniform(&rng, -1, 1), b->tau[i] = hml_rng_uniform(&rng, -1, 1);
}

int main(int argc, char **argv)
{
    void (*const contenders[])(bench *) = {generic_one,     generated_one, generic_batch, generated_many,
                                           only_other_work, generic_cold,  generated_cold};
    bench b = {0};
    hml_load_options options;
    hml_error error = {0};
    char name[256];
    double ns[7];
    if (argc != 6) return 2;
    hml_load_options_init(&options);
    options.base = strcmp(argv[5], "free") == 0 ? HML_BASE_FREE : HML_BASE_FIXED;
    void *code = dlopen(argv[3], RTLD_NOW);
    if (!code || hml_load(argv[4], &options, &b.model, &error) ||
        hml_work_new(b.model, HML_ISA_BEST, HML_USE_ALL, &b.work)) {
        fprintf(stderr, "%s: %s %s\n", argv[1], error.message, code ? "" : dlerror());
        return 1;
    }
    snprintf(name, sizeof name, "%s_linearize", argv[2]);
    *(void **)&b.call = dlsym(code, name);
    snprintf(name, sizeof name, "%s_linearize_batch", argv[2]);
    *(void **)&b.batch = dlsym(code, name);
    if (!b.call) return 1;
    b.nq = (size_t)hml_model_nq(b.model), b.nv = (size_t)hml_model_nv(b.model);
    prepare(&b);
    measure(&b, contenders, 7, ns);
    generic_single(&b), generated_single(&b);
    double worst = all_differences(&b);
    generated_many(&b);
    worst = larger(worst, all_differences(&b));
    printf(
        "{\"robot\": \"%s\", \"nv\": %d, \"generic_ns\": %.1f, \"generated_ns\": %.1f, \"generic_batch_ns\": %.1f, "
        "\"generated_batch_ns\": %.1f, \"generic_cold_ns\": %.1f, \"generated_cold_ns\": %.1f, \"difference\": %.3g}\n",
        argv[1], (int)b.nv, ns[0], ns[1], ns[2], ns[3], ns[5] - ns[4], ns[6] - ns[4], b.failed ? NAN : worst);
    return b.failed;
}
