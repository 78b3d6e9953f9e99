/*
 * libhamel-cuda on a GPU. Not a part of `make test`: see docs/gpu.md.
 *
 *   cuda_gpu check ROBOT...             results beside hml_linearize, faulty states, runs that must agree to the bit
 *   cuda_gpu sanitize ROBOT...          a small batch of each, for compute-sanitizer
 *   cuda_gpu bench OUT.json ROBOT...    linearizations per second over the number of states, into a file
 *   cuda_gpu rate N ROBOT...            linearizations per second of N states, and nothing else; with four feet held, and from and to the host, too
 *   cuda_gpu soak SECONDS ROBOT...      everything again and again: does the memory of the GPU or of the host grow?
 *
 * A ROBOT is a file of any format, or a block of hml_model_data that ends in .block.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "motion_check.h"
#ifdef HAMEL_HAS_IO
#include "hamel/io.h"
#endif

enum {
    EVERYTHING = (1u << CHECK_OUTPUTS) - 1,
    PRIMARY = 1u << CHECK_X | 1u << CHECK_DQ | 1u << CHECK_DV | 1u << CHECK_MINV
};

static int failures;

static void fault(const char *robot, const char *what)
{
    printf("FAILED %s: %s\n", robot, what);
    failures++;
}

static int ends_in(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcmp(name + n - m, ending) == 0;
}

static hml_model *load_block(const char *path)
{
    hml_model *model = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    void *data = malloc((size_t)size);
    if (data && fread(data, 1, (size_t)size, file) == (size_t)size && hml_model_from_data(data, (size_t)size, &model))
        model = NULL;
    free(data);
    fclose(file);
    return model;
}

static hml_model *load_robot(const char *path)
{
    if (ends_in(path, ".block")) return load_block(path);
#ifdef HAMEL_HAS_IO
    hml_model *model = NULL;
    hml_error error = {0};
    if (hml_load(path, NULL, &model, &error)) {
        printf("%s: %s\n", path, error.message);
        return NULL;
    }
    return model;
#else
    return NULL;
#endif
}

/* the name of a robot: its file without folder and ending */
static void name_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strchr(name, '.');
    if (dot) *dot = 0;
}

/* the largest error over up to `most` states; statuses are compared too */
static double compare(const char *robot, const cuda_states *s, size_t most, unsigned wanted)
{
    hml_work *work = NULL;
    double worst = 0;
    if (hml_work_new(s->model, HML_ISA_BEST, HML_USE_FACTOR, &work)) return INFINITY;
    const size_t step = s->n > most ? s->n / most : 1;
    for (size_t i = 0; i < s->n; i += step) {
        hml_status status;
        const double error = state_error(s, work, i, wanted, &status);
        if ((hml_status)s->status[i] != status) fault(robot, "a status differs");
        if (!status && error > worst) worst = error;
    }
    hml_work_free(work);
    return worst;
}

/* ---- check ---- */

static void check_type(const char *robot, const hml_model *model, hml_cuda_type type, double tolerance, size_t most)
{
    static const size_t sizes[] = {1, 2, 97, 10007};
    hml_cuda_batch *batch;
    hml_error error = {0};
    if (hml_cuda_batch_new(model, type, 0, &batch, &error)) {
        fault(robot, error.message);
        return;
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && sizes[k] <= most; k++) {
        const unsigned wanted = sizes[k] > 1000 ? PRIMARY : EVERYTHING;
        cuda_states s = states_draw(model, sizes[k], 11 + k, k == 2),
                    again = states_draw(model, sizes[k], 11 + k, k == 2);
        if (states_run(&s, batch, type, wanted, &error)) fault(robot, error.message);
        const double difference = compare(robot, &s, s.n, wanted);
        if (!(difference < tolerance)) fault(robot, "results differ from the CPU's");
        if (states_run(&again, batch, type, wanted, &error)) fault(robot, error.message);
        for (int o = 0; o < CHECK_OUTPUTS; o++) {
            if (wanted & 1u << o && memcmp(s.out[o], again.out[o], s.n * output_size(&s, o) * sizeof(double)))
                fault(robot, "two runs differ");
        }
        if (sizes[k] == 10007) {
            printf("%-22s nv %3zu %s %6zu states: difference %.1e\n", robot, s.nv,
                   type == HML_CUDA_FLOAT32 ? "float32" : "float64", s.n, difference);
            fflush(stdout);
        }
        states_free(&s), states_free(&again);
    }
    hml_cuda_batch_free(batch);
}

/* inverse dynamics, M, frames, held feet */
static void check_motion(const char *robot, const hml_model *model, hml_cuda_type type, double tolerance, size_t n)
{
    hml_cuda_batch *batch;
    hml_constraint items[4];
    const hml_constraints set = {.struct_size = sizeof set, .items = items, .count = draw_holds(model, 4, 0, 0, items)};
    hml_error error = {0};
    size_t left = 0;
    if (hml_cuda_batch_new(model, type, 0, &batch, &error)) {
        fault(robot, error.message);
        return;
    }
    cuda_states s = states_draw(model, n, 31, 1);
    const double dynamics = check_dynamics(&s, batch, type), frames = check_frames(&s, batch, type, HML_MIXED);
    const double held = check_held(&s, batch, type, &set, (1u << HELD_OUTPUTS) - 1, &left, &error);
    printf("%-22s nv %3zu %s %6zu states: dynamics %.1e, frames %.1e, held %.1e (%zu left to the CPU)\n", robot, s.nv,
           type == HML_CUDA_FLOAT32 ? "float32" : "float64", n, dynamics, frames, held, left);
    fflush(stdout);
    if (!(dynamics < tolerance) || !(frames < tolerance)) fault(robot, "dynamics or frames differ from the CPU's");
    if (!(held < (type == HML_CUDA_FLOAT32 ? 0.2 : 1e-7))) fault(robot, "held feet differ from the CPU's");
    states_free(&s);
    hml_cuda_batch_free(batch);
}

/* a state of NaN in the middle: its neighbours keep every bit */
static void check_faulty(const char *robot, const hml_model *model)
{
    hml_cuda_batch *batch;
    enum { N = 1009, AT = 500 };
    if (hml_cuda_batch_new(model, HML_CUDA_FLOAT32, 0, &batch, NULL)) return;
    cuda_states good = states_draw(model, N, 4, 0), bad = states_draw(model, N, 4, 0);
    bad.v[AT * bad.nv] = NAN;
    if (states_run(&good, batch, HML_CUDA_FLOAT32, EVERYTHING, NULL)) fault(robot, "a run failed");
    if (states_run(&bad, batch, HML_CUDA_FLOAT32, EVERYTHING, NULL)) fault(robot, "a run failed");
    for (int o = 0; o < CHECK_OUTPUTS; o++) {
        const size_t m = output_size(&good, o), bytes = m * sizeof(double);
        for (size_t i = 0; i < N; i++) {
            if (i != AT && memcmp(good.out[o] + i * m, bad.out[o] + i * m, bytes)) fault(robot, "a neighbour changed");
        }
        if (!isnan(bad.out[o][AT * m + m / 2])) fault(robot, "a faulty state is not NaN");
    }
    if (bad.status[AT] != HML_NOT_FINITE) fault(robot, "a faulty state has no status");
    states_free(&good), states_free(&bad);
    hml_cuda_batch_free(batch);
}

static void check_limits(const hml_model *model)
{
    hml_cuda_batch *batch;
    void *memory = NULL;
    hml_error error = {0};
    if (hml_cuda_batch_new(model, HML_CUDA_FLOAT64, 0, &batch, &error)) {
        fault("limits", error.message);
        return;
    }
    const hml_cuda_linearization nothing = {.struct_size = sizeof nothing, .q = {batch, 0}, .v = {batch, 0}};
    if (hml_cuda_linearize(batch, 0, &nothing, &error)) fault("limits", "a batch of no states");
    if (hml_cuda_allocate(batch, (size_t)1 << 50, &memory, &error) != HML_OUT_OF_MEMORY)
        fault("limits", "too much memory was given");
    printf("out of memory says: %s\n", error.message);
    if (hml_cuda_batch_new(model, HML_CUDA_FLOAT64, 99, &batch, &error) != HML_NOT_FOUND)
        fault("limits", "GPU 99 was found");
    printf("GPU 99 says: %s\n", error.message);
    hml_cuda_batch_free(batch);
}

/* ---- bench ---- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct resident {
    hml_cuda_batch *batch;
    hml_cuda_linearization arguments;
} resident;

static void *room(hml_cuda_batch *batch, size_t bytes)
{
    void *memory = NULL;
    if (hml_cuda_allocate(batch, bytes, &memory, NULL)) abort();
    return memory;
}

/* arrays for n states on the GPU; their inputs repeat those of s */
static resident resident_new(const cuda_states *s, hml_cuda_type type, size_t n)
{
    resident r = {0};
    const size_t b = (size_t)type, m = s->nv * s->nv, drawn[3] = {s->nq, s->nv, s->nv};
    const double *from[3] = {s->q, s->v, s->tau};
    void *in[3];
    if (hml_cuda_batch_new(s->model, type, 0, &r.batch, NULL)) abort();
    for (int k = 0; k < 3; k++) {
        double *all = numbers(n * drawn[k]);
        for (size_t i = 0; i < n * drawn[k]; i++) all[i] = from[k][i % (s->n * drawn[k])];
        in[k] = send(r.batch, type, all, n * drawn[k]);
        free(all);
    }
    r.arguments = (hml_cuda_linearization){.struct_size = sizeof r.arguments,
                                           .q = {in[0], s->nq},
                                           .v = {in[1], s->nv},
                                           .tau = {in[2], s->nv},
                                           .acceleration = {.data = room(r.batch, n * s->nv * b)},
                                           .Dq = {.data = room(r.batch, n * m * b)},
                                           .Dv = {.data = room(r.batch, n * m * b)},
                                           .Minv = {.data = room(r.batch, n * m * b)}};
    return r;
}

static void resident_free(resident *r)
{
    const hml_cuda_linearization *a = &r->arguments;
    void *const all[] = {(void *)(uintptr_t)a->q.data,
                         (void *)(uintptr_t)a->v.data,
                         (void *)(uintptr_t)a->tau.data,
                         a->acceleration.data,
                         a->Dq.data,
                         a->Dv.data,
                         a->Minv.data};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hml_cuda_release(r->batch, all[k]);
    hml_cuda_batch_free(r->batch);
}

/* median of seven, each of many launches */
static double measure(const resident *r, size_t n)
{
    double rates[7];
    const int launches = n < 65536 ? 200 : 8;
    for (const double begin = seconds(); seconds() < begin + 0.1;) { /* until the clock of the GPU is up */
        for (int k = 0; k < 6; k++) hml_cuda_linearize(r->batch, n, &r->arguments, NULL);
        hml_cuda_wait(r->batch, NULL, NULL);
    }
    for (int t = 0; t < 7; t++) {
        const double begin = seconds();
        for (int k = 0; k < launches; k++) hml_cuda_linearize(r->batch, n, &r->arguments, NULL);
        hml_cuda_wait(r->batch, NULL, NULL);
        rates[t] = (double)launches * (double)n / (seconds() - begin);
    }
    qsort(rates, 7, sizeof *rates, by_value);
    return rates[3];
}

/* the same with copies: inputs to the GPU, results back; median of three */
static double measure_copied(const resident *r, const cuda_states *s, size_t n, size_t bytes)
{
    const hml_cuda_linearization *a = &r->arguments;
    const size_t m = s->nv * s->nv * bytes * n;
    double rates[3];
    char *host = malloc(m);
    if (!host) abort();
    memset(host, 0, m); /* states of zeros are flagged, at the same speed */
    for (int t = 0; t < 3; t++) {
        const double begin = seconds();
        hml_cuda_upload(r->batch, (void *)(uintptr_t)a->q.data, host, n * s->nq * bytes, NULL);
        hml_cuda_upload(r->batch, (void *)(uintptr_t)a->v.data, host, n * s->nv * bytes, NULL);
        hml_cuda_upload(r->batch, (void *)(uintptr_t)a->tau.data, host, n * s->nv * bytes, NULL);
        hml_cuda_linearize(r->batch, n, a, NULL);
        hml_cuda_download(r->batch, host, a->acceleration.data, n * s->nv * bytes, NULL);
        hml_cuda_download(r->batch, host, a->Dq.data, m, NULL);
        hml_cuda_download(r->batch, host, a->Dv.data, m, NULL);
        hml_cuda_download(r->batch, host, a->Minv.data, m, NULL);
        rates[t] = (double)n / (seconds() - begin);
        memset(host, 0, m);
    }
    free(host);
    qsort(rates, 3, sizeof *rates, by_value);
    return rates[1];
}

/* hml_cuda_linearize_host, states per second: results into arrays that were written before, or into fresh ones */
static double measure_host(const resident *r, const cuda_states *s, size_t n, size_t bytes, int fresh)
{
    const size_t in = (s->nq + 2 * s->nv) * bytes * n, m = s->nv * s->nv * bytes * n, all = 3 * m + s->nv * bytes * n;
    char *inputs = calloc(in, 1), *out = malloc(all); /* states of zeros are flagged, at the same speed */
    double rates[5];
    if (!inputs || !out) abort();
    memset(out, 0, all);
    for (int t = 0; t < 5; t++) {
        if (fresh) free(out);
        const double begin = seconds();
        if (fresh) out = malloc(all);
        if (!out) abort();
        const hml_cuda_linearization a = {.struct_size = sizeof a,
                                          .q = {inputs, s->nq},
                                          .v = {inputs + n * s->nq * bytes, s->nv},
                                          .tau = {inputs + n * (s->nq + s->nv) * bytes, s->nv},
                                          .Dq = {.data = out},
                                          .Dv = {.data = out + m},
                                          .Minv = {.data = out + 2 * m},
                                          .acceleration = {.data = out + 3 * m}};
        if (hml_cuda_linearize_host(r->batch, n, &a, NULL)) abort();
        rates[t] = (double)n / (seconds() - begin);
    }
    free(inputs), free(out);
    qsort(rates, 5, sizeof *rates, by_value);
    return rates[2];
}

/* hml_linearize_batch on one core, states per second */
static double measure_cpu(const cuda_states *s)
{
    double *out[CHECK_OUTPUTS] = {0}, best = 0;
    hml_work *work = NULL;
    if (hml_work_new(s->model, HML_ISA_BEST, HML_USE_FACTOR, &work)) abort();
    for (int k = CHECK_X; k <= CHECK_MINV; k++) out[k] = numbers(s->n * output_size(s, k));
    const hml_linearization a = {.struct_size = sizeof a,
                                 .q = {s->q, s->nq},
                                 .v = {s->v, s->nv},
                                 .tau = {s->tau, s->nv},
                                 .acceleration = {.data = out[CHECK_X]},
                                 .Dq = {.data = out[CHECK_DQ]},
                                 .Dv = {.data = out[CHECK_DV]},
                                 .Minv = {.data = out[CHECK_MINV]}};
    for (int t = 0; t < 5; t++) {
        const double begin = seconds();
        hml_linearize_batch(s->model, work, s->n, &a, NULL);
        best = fmax(best, (double)s->n / (seconds() - begin));
    }
    for (int k = CHECK_X; k <= CHECK_MINV; k++) free(out[k]);
    hml_work_free(work);
    return best;
}

static void bench_type(FILE *out, const char *robot, const hml_model *model, int type, int *first)
{
    static const size_t sizes[] = {1, 64, 1024, 4096, 16384, 65536, 262144, 1048576};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    cuda_states s = states_draw(model, 4096, 21, 0);
    hml_cuda_batch *batch;
    if (hml_cuda_batch_new(model, (hml_cuda_type)type, 0, &batch, NULL)) abort();
    if (states_run(&s, batch, (hml_cuda_type)type, PRIMARY, NULL)) abort();
    const double difference = compare(robot, &s, 256, PRIMARY), cpu = measure_cpu(&s);
    hml_cuda_batch_free(batch);
    resident r = resident_new(&s, (hml_cuda_type)type, sizes[SIZES - 1]);
    for (size_t k = 0; k < SIZES; k++) {
        const double rate = measure(&r, sizes[k]);
        const double copied = sizes[k] <= 65536 ? measure_copied(&r, &s, sizes[k], (size_t)type) : 0;
        printf("%-20s nv %3zu float%d %8zu states: %10.3f M/s, %8.3f with copies, CPU %6.3f, difference %.1e\n", robot,
               s.nv, 8 * type, sizes[k], 1e-6 * rate, 1e-6 * copied, 1e-6 * cpu, difference);
        fprintf(out,
                "%s\n  {\"robot\": \"%s\", \"nv\": %zu, \"type\": \"float%d\", \"states\": %zu, \"per_second\": %.6g, "
                "\"with_copies_per_second\": %.6g, \"cpu_core_per_second\": %.6g, \"difference\": %.3g}",
                *first ? "" : ",", robot, s.nv, 8 * type, sizes[k], rate, copied, cpu, difference);
        *first = 0;
    }
    fflush(stdout);
    resident_free(&r);
    states_free(&s);
}

/* constrained linearizations per second, ν̇, λ, D_q, D_ν and D_τ, of four points (or as many leaves as there are) */
static double measure_held(const resident *r, const hml_model *model, size_t n, size_t bytes)
{
    hml_constraint items[4];
    const hml_constraints set = {.struct_size = sizeof set, .items = items, .count = draw_holds(model, 4, 0, 0, items)};
    const hml_cuda_linearization *l = &r->arguments;
    hml_cuda_holds *holds;
    if (hml_cuda_holds_new(r->batch, &set, &holds, NULL)) return 0;
    void *lambda = room(r->batch, n * (size_t)hml_constraint_rows(&set) * bytes);
    const hml_cuda_constrained a = {.struct_size = sizeof a,
                                    .q = l->q,
                                    .v = l->v,
                                    .tau = l->tau,
                                    .acceleration = l->acceleration,
                                    .lambda = {.data = lambda},
                                    .Dq = l->Dq,
                                    .Dv = l->Dv,
                                    .Dtau = l->Minv};
    double rates[5];
    for (int t = 0; t < 5; t++) {
        const double begin = seconds();
        for (int k = 0; k < 4; k++) hml_cuda_constrained_linearize(holds, n, &a, NULL);
        hml_cuda_wait(r->batch, NULL, NULL);
        rates[t] = 4 * (double)n / (seconds() - begin);
    }
    qsort(rates, 5, sizeof *rates, by_value);
    hml_cuda_release(r->batch, lambda);
    hml_cuda_holds_free(holds);
    return rates[2];
}

/* inverse dynamics with M, per second */
static double measure_dynamics(const resident *r, size_t n)
{
    const hml_cuda_linearization *l = &r->arguments;
    const hml_cuda_dynamics_arguments a = {
        .struct_size = sizeof a, .q = l->q, .v = l->v, .a = l->tau, .torque = l->acceleration, .M = l->Minv};
    double rates[5];
    for (int t = 0; t < 5; t++) {
        const double begin = seconds();
        for (int k = 0; k < 8; k++) hml_cuda_dynamics(r->batch, n, &a, NULL);
        hml_cuda_wait(r->batch, NULL, NULL);
        rates[t] = 8 * (double)n / (seconds() - begin);
    }
    qsort(rates, 5, sizeof *rates, by_value);
    return rates[2];
}

static void rate_type(const char *robot, const hml_model *model, int type, size_t n)
{
    cuda_states s = states_draw(model, 1024, 21, 0);
    resident r = resident_new(&s, (hml_cuda_type)type, n);
    printf("%-20s nv %3zu float%d %8zu states: %10.3f M/s, held %8.3f, inverse dynamics and M %8.3f\n", robot, s.nv,
           8 * type, n, 1e-6 * measure(&r, n), 1e-6 * measure_held(&r, model, n, (size_t)type),
           1e-6 * measure_dynamics(&r, n));
    printf("%-20s         arrays of the host: one copy after the other %8.3f M/s, in chunks %8.3f, into fresh arrays "
           "%8.3f\n",
           "", 1e-6 * measure_copied(&r, &s, n, (size_t)type), 1e-6 * measure_host(&r, &s, n, (size_t)type, 0),
           1e-6 * measure_host(&r, &s, n, (size_t)type, 1));
    fflush(stdout);
    resident_free(&r);
    states_free(&s);
}

/* arrays of the host have the same results as those of the GPU, to the bit; so many states are several chunks */
static void check_host(const char *robot, const hml_model *model, hml_cuda_type type, size_t n)
{
    const size_t nv = (size_t)hml_model_nv(model), bytes = n * nv * nv * (size_t)type;
    cuda_states s = states_draw(model, n, 9, 0);
    hml_cuda_batch *batch;
    char *got = malloc(bytes), *want = malloc(bytes);
    int32_t *status = malloc(n * sizeof *status);
    if (!got || !want || !status || hml_cuda_batch_new(model, type, 0, &batch, NULL)) abort();
    memset(got, 0xff, bytes);
    const device_inputs in = inputs_send(&s, batch, type);
    void *const there = room(batch, bytes), *const q = malloc(n * s.nq * (size_t)type),
                *const v = malloc(n * nv * (size_t)type);
    if (!q || !v || hml_cuda_download(batch, q, in.q, n * s.nq * (size_t)type, NULL) ||
        hml_cuda_download(batch, v, in.v, n * nv * (size_t)type, NULL))
        abort();
    hml_cuda_linearization a = {.struct_size = sizeof a, .q = {in.q, s.nq}, .v = {in.v, nv}, .Dq = {.data = there}};
    if (hml_cuda_linearize(batch, n, &a, NULL) || hml_cuda_download(batch, want, there, bytes, NULL)) abort();
    a.q.data = q, a.v.data = v, a.Dq.data = got, a.status = status;
    if (hml_cuda_linearize_host(batch, n, &a, NULL)) fault(robot, "a call on arrays of the host failed");
    if (memcmp(got, want, bytes) != 0) fault(robot, "arrays of the host have other results");
    for (size_t i = 0; i < n; i++) {
        if (status[i]) fault(robot, "a state of the host's arrays failed");
    }
    inputs_release(&s, batch, &in);
    hml_cuda_release(batch, there), hml_cuda_batch_free(batch);
    free(got), free(want), free(q), free(v), free(status);
    states_free(&s);
}

/* ---- soak ---- */

/* pages of the host that this program has in memory */
static size_t resident_pages(void)
{
    unsigned long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu %lu", &size, &pages) != 2) pages = 0;
    if (file) fclose(file);
    return pages;
}

/* a batch from its making to its end, with every kind of call */
static void soak_round(const char *robot, const hml_model *model, hml_cuda_type type, uint64_t seed)
{
    hml_cuda_batch *batch;
    hml_constraint items[2];
    const hml_constraints set = {.struct_size = sizeof set, .items = items, .count = draw_holds(model, 2, 0, 0, items)};
    size_t left = 0;
    if (hml_cuda_batch_new(model, type, 0, &batch, NULL)) {
        fault(robot, "there is no batch any more");
        return;
    }
    cuda_states s = states_draw(model, 257, seed, 0), wide = states_draw(model, 65536, seed, 0);
    check_dynamics(&s, batch, type), check_frames(&s, batch, type, HML_LEFT);
    check_held(&s, batch, type, &set, 1u << 0 | 1u << 2, &left, NULL);
    check_host(robot, model, type, 1009);
    for (int k = 0; k < 20; k++) {
        if (states_run(&wide, batch, type, 1u << CHECK_X, NULL)) fault(robot, "a run failed");
    }
    hml_cuda_batch_free(batch);
    states_free(&s), states_free(&wide);
}

static void soak(double duration, int robots, char **paths)
{
    hml_cuda_device_info info = {.struct_size = sizeof info};
    const double begin = seconds();
    size_t rounds = 0, first = 0, pages = 0;
    for (; seconds() - begin < duration || rounds < 4; rounds++) {
        const char *path = paths[rounds % (size_t)robots];
        hml_model *model = load_robot(path);
        if (!model) {
            fault(path, "cannot be read");
            return;
        }
        soak_round(path, model, HML_CUDA_FLOAT32, rounds), soak_round(path, model, HML_CUDA_FLOAT64, rounds);
        hml_model_free(model);
        if (hml_cuda_device(0, &info, NULL)) fault(path, "the GPU does not answer");
        if (rounds == (size_t)robots) first = info.memory_free, pages = resident_pages(); /* all have been there */
    }
    const double gpu = (double)first - (double)info.memory_free;
    const double host = ((double)resident_pages() - (double)pages) * (double)sysconf(_SC_PAGESIZE);
    printf("%zu rounds in %.0f s: the GPU's memory grew by %.0f bytes, the host's by %.0f\n", rounds, seconds() - begin,
           gpu, host);
    if (gpu > 0) fault("soak", "memory of the GPU grows");
    if (host > 64e6) fault("soak", "memory of the host grows");
}

int main(int argc, char **argv)
{
    hml_cuda_device_info info = {.struct_size = sizeof info};
    hml_error error = {0};
    const int bench = argc > 2 && strcmp(argv[1], "bench") == 0;
    const size_t rate = argc > 3 && strcmp(argv[1], "rate") == 0 ? strtoul(argv[2], NULL, 10) : 0;
    const int soaks = argc > 3 && strcmp(argv[1], "soak") == 0;
    const int sanitize = argc > 2 && strcmp(argv[1], "sanitize") == 0;
    if (argc < 3 || (!bench && !rate && !sanitize && !soaks && strcmp(argv[1], "check") != 0)) {
        fprintf(stderr,
                "usage: cuda_gpu check ROBOT... | cuda_gpu sanitize ROBOT... | cuda_gpu bench OUT.json ROBOT... | "
                "cuda_gpu rate N ROBOT... | cuda_gpu soak SECONDS ROBOT...\n");
        return 2;
    }
    if (hml_cuda_device(0, &info, &error)) {
        fprintf(stderr, "cuda_gpu: %s\n", error.message);
        return 3;
    }
    printf("%s, %d multiprocessors\n", info.name, info.multiprocessors);
    if (soaks) {
        soak(strtod(argv[2], NULL), argc - 3, argv + 3);
        printf("%d failures\n", failures);
        return failures ? 1 : 0;
    }
    FILE *out = bench ? fopen(argv[2], "w") : NULL;
    int first = 1;
    if (bench && !out) return 4;
    if (out) fprintf(out, "{\"device\": \"%s\", \"rows\": [", info.name);
    for (int i = bench || rate ? 3 : 2; i < argc; i++) {
        char name[128];
        hml_model *model = load_robot(argv[i]);
        name_of(argv[i], name, sizeof name);
        if (!model) {
            fault(name, "cannot be read");
            continue;
        }
        if (rate) {
            for (int type = 4; type <= 8; type += 4) rate_type(name, model, type, rate);
        } else if (bench) {
            for (int type = 4; type <= 8; type += 4) bench_type(out, name, model, type, &first);
        } else {
            check_type(name, model, HML_CUDA_FLOAT64, 1e-12, sanitize ? 100 : SIZE_MAX);
            check_type(name, model, HML_CUDA_FLOAT32, 1e-2, sanitize ? 100 : SIZE_MAX);
            check_motion(name, model, HML_CUDA_FLOAT64, 1e-11, sanitize ? 37 : 1009);
            check_motion(name, model, HML_CUDA_FLOAT32, 1e-2, sanitize ? 37 : 1009);
            check_host(name, model, HML_CUDA_FLOAT64, sanitize ? 100 : 30011);
            if (!sanitize) check_faulty(name, model);
            if (!sanitize && i == 2) check_limits(model);
        }
        hml_model_free(model);
    }
    if (out) fprintf(out, "\n]}\n"), fclose(out);
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
