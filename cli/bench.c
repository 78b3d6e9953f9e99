/*
 * hamel bench: nanoseconds per call. A measurement repeats a call for a while, again and again, and takes the median
 * over the repetitions. The clock counts the time of this thread only, not that of other programs; what those do to
 * caches still shows.
 */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

#include "table.h"
#include "term.h"

enum { REPETITIONS = 31 };

/* ---- the clock ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* *seconds for `calls` calls */
static hml_status run(field *f, benched *call, size_t calls, size_t states, double *seconds)
{
    double begin = now();
    hml_status status = HML_OK;
    for (size_t i = 0; i < calls && !status; i++) status = call(f, i % states);
    *seconds = now() - begin;
    return status;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct timing {
    double median, low, high; /* nanoseconds per state; the quartiles */
} timing;

static hml_status measure(field *f, const bench_algorithm *algorithm, double seconds, timing *t)
{
    size_t calls = 1, states = algorithm->batch ? 1 : f->count;
    double times[REPETITIONS], spent = 0, slice = seconds / REPETITIONS;
    hml_status status = run(f, algorithm->call, calls, states, &spent);
    while (!status && spent < slice && calls < (size_t)1 << 40) { /* as many calls as fit into a slice */
        calls = spent < slice / 20 ? 4 * calls : (size_t)((double)calls * 1.05 * slice / spent) + 1;
        status = run(f, algorithm->call, calls, states, &spent);
    }
    for (int i = 0; i < REPETITIONS && !status; i++) {
        status = run(f, algorithm->call, calls, states, &spent);
        times[i] = 1e9 * spent / (double)calls / (algorithm->batch ? (double)f->count : 1);
    }
    if (status) return status;
    qsort(times, REPETITIONS, sizeof *times, by_size);
    *t = (timing){times[REPETITIONS / 2], times[REPETITIONS / 4], times[3 * REPETITIONS / 4]};
    return HML_OK;
}

/* ---- rows ---- */

typedef struct row {
    char model[64];
    const char *algorithm, *mode, *isa;
    int64_t nv, states;
    timing t;
} row;

typedef struct rows {
    size_t count, capacity;
    row *data;
} rows;

static int rows_add(rows *all, row r)
{
    if (all->count == all->capacity) {
        size_t capacity = 2 * all->capacity + 16;
        row *data = realloc(all->data, capacity * sizeof *data);
        if (!data) return 0;
        all->data = data, all->capacity = capacity;
    }
    all->data[all->count++] = r;
    return 1;
}

/* ---- models ---- */

static hml_status bench_one(field *f, const bench_algorithm *algorithm, hml_isa isa, double seconds, row *r)
{
    hml_work_free(f->work);
    f->work = NULL;
    hml_status status = hml_work_new(f->model, isa, HML_USE_ALL, &f->work);
    if (status) return status;
    r->algorithm = algorithm->name;
    r->mode = algorithm->batch ? "batch" : "single";
    r->isa = hml_isa_name(hml_work_isa(f->work));
    r->states = algorithm->batch ? (int64_t)f->count : 1;
    return measure(f, algorithm, seconds, &r->t);
}

/* single calls with the instruction set asked for; batches with that one, or with all there are */
static hml_status bench_model(const robot *r, const cli_options *options, long done, long total, rows *all)
{
    static const hml_isa isas[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    field singles, batch;
    int ok = field_new(r->model, BENCH_STATES, &singles);
    ok &= field_new(r->model, (size_t)options->batch, &batch);
    hml_status status = ok ? HML_OK : HML_OUT_OF_MEMORY;
    for (int i = 0; i < bench_algorithm_count && !status; i++) {
        const bench_algorithm *algorithm = &bench_algorithms[i];
        for (int k = 0; k < (algorithm->batch ? 4 : 1) && !status; k++) {
            hml_isa isa = options->isa;
            if (algorithm->batch && isa == HML_ISA_BEST)
                isa = isas[k];
            else if (k > 0)
                break;
            if (isa != HML_ISA_BEST && !hml_isa_available(isa)) continue;
            row result = {.nv = r->nv};
            snprintf(result.model, sizeof result.model, "%s", hml_model_name(r->model));
            if (!options->quiet)
                term_progress("bench", "", done * bench_algorithm_count + i, total * bench_algorithm_count);
            status = bench_one(algorithm->batch ? &batch : &singles, algorithm, isa, options->seconds, &result);
            if (!status && !rows_add(all, result)) status = HML_OUT_OF_MEMORY;
            if (status == HML_UNSUPPORTED) status = HML_OK; /* not for this model, and no row */
        }
    }
    field_free(&singles);
    field_free(&batch);
    return status;
}

/* ---- output ---- */

static void add_rows(const rows *all, hml_result *result)
{
    enum { TEXTS = 4, INTEGERS = 2, NUMBERS = 4 };
    const size_t n = all->count;
    const char **texts = calloc(TEXTS * n + 1, sizeof *texts);
    int64_t *integers = calloc(INTEGERS * n + 1, sizeof *integers);
    double *numbers = calloc(NUMBERS * n + 1, sizeof *numbers);
    for (size_t i = 0; texts && integers && numbers && i < n; i++) {
        const row *r = &all->data[i];
        texts[i] = r->model, texts[n + i] = r->algorithm, texts[2 * n + i] = r->mode, texts[3 * n + i] = r->isa;
        integers[i] = r->nv, integers[n + i] = r->states;
        numbers[i] = r->t.median, numbers[n + i] = r->t.low, numbers[2 * n + i] = r->t.high;
        numbers[3 * n + i] = 1e9 / r->t.median;
    }
    if (texts && integers && numbers) {
        hml_result *t = hml_result_add_table(result, "rows", n);
        hml_result_add_texts(t, "model", n, texts);
        hml_result_add_texts(t, "algorithm", n, texts + n);
        hml_result_add_texts(t, "mode", n, texts + 2 * n);
        hml_result_add_texts(t, "isa", n, texts + 3 * n);
        hml_result_add_integers(t, "nv", 1, &n, integers);
        hml_result_add_integers(t, "states", 1, &n, integers + n);
        hml_result_add_numbers(t, "ns", 1, &n, numbers);
        hml_result_add_numbers(t, "ns_quartile_1", 1, &n, numbers + n);
        hml_result_add_numbers(t, "ns_quartile_3", 1, &n, numbers + 2 * n);
        hml_result_add_numbers(t, "per_second", 1, &n, numbers + 3 * n);
    } else {
        cli_lose_memory();
    }
    free(texts);
    free(integers);
    free(numbers);
}

static void print_rows(const rows *all)
{
    static const char *const heading[] = {"model", "nv",           "algorithm", "mode",
                                          "isa",   "ns per state", "quartiles", "per second"};
    table *t = table_new(8, "lrlllrrr");
    for (int i = 0; i < 8; i++) table_cell(t, heading[i]);
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->data[i];
        table_cell(t, r->model);
        table_format(t, "%lld", (long long)r->nv);
        table_cell(t, r->algorithm);
        if (r->states > 1)
            table_format(t, "batch of %lld", (long long)r->states);
        else
            table_cell(t, r->mode);
        table_cell(t, r->isa);
        table_format(t, "%.0f", r->t.median);
        table_format(t, "%.0f-%.0f", r->t.low, r->t.high);
        table_format(t, "%.3g", 1e9 / r->t.median);
    }
    table_print(t, stdout);
    table_free(t);
}

int cli_bench(const cli_options *options)
{
    rows all = {0};
    hml_result *result = hml_result_new();
    int n = options->nmodels > 0 ? options->nmodels : 1, status = CLI_OK;
    for (int i = 0; i < n && status == CLI_OK; i++) {
        robot r;
        status = robot_load(options, options->nmodels > 0 ? options->models[i] : NULL, &r);
        if (status == CLI_OK) status = robot_must_move(&r);
        if (status == CLI_OK) {
            if (i == 0) robot_add_common(&r, HML_LEFT, result);
            hml_status measured = bench_model(&r, options, i, n, &all);
            if (measured) status = robot_fail(&r, measured);
        }
        robot_free(&r);
    }
    term_progress_end();
    if (status == CLI_OK && options->out) {
        add_rows(&all, result);
        status = robot_write(options, result);
        result = NULL;
    } else if (status == CLI_OK) {
        print_rows(&all);
    }
    hml_result_free(result);
    free(all.data);
    return status;
}
