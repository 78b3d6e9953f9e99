/* See batch_threads.h. */
#include "batch_threads.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "term.h"

/* what the threads share; `lock` guards what follows it */
typedef struct pool {
    const cli_options *options;
    const robot *r;
    batch *b;
    int64_t chunks;
    unsigned char *there; /* chunks that an earlier command has written */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int checking;    /* 1: looking for what is there; 0: computing */
    int64_t next;    /* the chunk to be taken */
    int64_t begun;   /* states that were there, */
    int64_t done;    /* and those that are */
    int running;     /* threads */
    hml_error error; /* the first that occurred */
    int failed;      /* an exit status; CLI_OK: none */
    int damaged;     /* 1: the states are not those that were saved */
} pool;

/* a thread, and its memory */
typedef struct thread {
    pool *p;
    batch_worker w;
    double *memory; /* states and results of a chunk */
    double *inputs[3];
    int32_t *codes;
    pthread_t id;
    int started;
} thread;

static int64_t count_of(const pool *p, int64_t chunk)
{
    const int64_t left = hml_states_count(p->b->states) - chunk * p->b->chunk;
    return left < p->b->chunk ? left : p->b->chunk;
}

/* ---- how many ---- */

/* 0 and a message if HAMEL_THREADS is not a number */
static int thread_count(const cli_options *options, int64_t chunks)
{
    long n = options->threads ? options->threads : hml_threads_default();
    if (n < 1) return cli_fail(0, "HAMEL_THREADS is '%.40s', not a positive number", getenv("HAMEL_THREADS"));
    if (n > CLI_THREADS) n = CLI_THREADS;
    return n > chunks ? (chunks < 1 ? 1 : (int)chunks) : (int)n;
}

/* ---- a chunk ---- */

static void fail(pool *p, int status, const hml_error *error)
{
    if (p->failed == CLI_OK) p->failed = status, p->error = *error;
}

/* results of states that failed are NaN; counts them. Under the lock */
static void count_failures(batch *b, int64_t first, int64_t count, const int32_t *codes)
{
    for (int64_t i = 0; i < count; i++) {
        if (!codes[i]) continue;
        b->failures++;
        if (b->first_failure >= 0 && b->first_failure <= first + i) continue;
        b->first_failure = first + i;
        b->first_status = (hml_status)codes[i];
    }
}

/* a state fails whose results are beyond the range of float32 */
static void refuse_overflow(const thread *t)
{
    const batch *b = t->p->b;
    for (int c = 0; c + 1 < b->nwritten; c++) {
        const size_t n = b->entries[b->source[c]];
        const double *x = t->w.out[b->source[c]];
        for (size_t i = 0; i < t->w.count; i++) {
            for (size_t k = 0; !t->w.status[i] && k < n; k++)
                if (isinf((float)x[i * n + k])) t->w.status[i] = HML_NOT_FINITE;
        }
    }
}

/* in place, from the front */
static void narrow(double *x, size_t n)
{
    char *to = (char *)x;
    for (size_t i = 0; i < n; i++) {
        const float f = (float)x[i];
        memcpy(to + i * sizeof f, &f, sizeof f);
    }
}

static void compute_chunk(thread *t, int64_t chunk)
{
    const batch *b = t->p->b;
    batch_worker *w = &t->w;
    const void *data[BATCH_COLUMNS + 1];
    hml_error error = {0};
    b->kind->run(w);
    if (t->p->options->float32) refuse_overflow(t);
    for (size_t i = 0; i < w->count; i++) t->codes[i] = (int32_t)w->status[i];
    for (int c = 0; c + 1 < b->nwritten; c++) {
        const size_t n = b->entries[b->source[c]];
        double *x = w->out[b->source[c]];
        for (size_t i = 0; i < w->count; i++) {
            for (size_t k = 0; w->status[i] && k < n; k++) x[i * n + k] = NAN;
        }
        if (t->p->options->float32) narrow(x, w->count * n);
        data[c] = x;
    }
    data[b->nwritten - 1] = t->codes;
    error.status = hml_table_write(b->table, chunk, data, &error);
    pthread_mutex_lock(&t->p->lock);
    if (error.status) fail(t->p, cli_status_of(error.status), &error);
    count_failures(t->p->b, chunk * b->chunk, (int64_t)w->count, t->codes);
    t->p->done += (int64_t)w->count;
    pthread_mutex_unlock(&t->p->lock);
}

/* takes the next chunk, and reads its states, in the order of the file; −1: none is left */
static int64_t take(thread *t)
{
    pool *p = t->p;
    hml_error error = {0};
    pthread_mutex_lock(&p->lock);
    while (p->next < p->chunks && p->there[p->next]) p->next++;
    int64_t chunk = p->next < p->chunks && p->failed == CLI_OK ? p->next++ : -1;
    if (chunk >= 0) {
        const int64_t count = count_of(p, chunk);
        t->w.count = (size_t)count;
        error.status =
            hml_states_read(p->b->states, chunk * p->b->chunk, count, t->inputs[0], t->inputs[1], t->inputs[2], &error);
        if (error.status) {
            fail(p, cli_status_of(error.status), &error);
            p->damaged = error.status == HML_BAD_FILE;
            chunk = -1;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return chunk;
}

/* is a chunk there? Its failures count, too */
static void check_chunk(thread *t, int64_t chunk)
{
    pool *p = t->p;
    const int there =
        hml_table_has(p->b->table, chunk) && hml_table_read(p->b->table, chunk, p->b->nwritten - 1, t->codes) == HML_OK;
    pthread_mutex_lock(&p->lock);
    p->there[chunk] = (unsigned char)there;
    if (there) {
        p->begun += count_of(p, chunk);
        count_failures(p->b, chunk * p->b->chunk, count_of(p, chunk), t->codes);
    }
    pthread_mutex_unlock(&p->lock);
}

static void *run_thread(void *memory)
{
    thread *t = memory;
    pool *p = t->p;
    for (int64_t chunk = 0; p->checking && chunk >= 0;) {
        pthread_mutex_lock(&p->lock);
        chunk = p->next < p->chunks ? p->next++ : -1;
        pthread_mutex_unlock(&p->lock);
        if (chunk >= 0) check_chunk(t, chunk);
    }
    for (int64_t chunk = 0; !p->checking && chunk >= 0;) {
        chunk = take(t);
        if (chunk >= 0) compute_chunk(t, chunk);
    }
    pthread_mutex_lock(&p->lock);
    p->running--;
    pthread_cond_signal(&p->moved);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- memory ---- */

static int open_thread(thread *t, pool *p)
{
    const batch *b = p->b;
    const size_t most = (size_t)b->chunk, nq = (size_t)p->r->nq, nv = (size_t)p->r->nv;
    size_t size = most * (nq + 2 * nv);
    t->p = p;
    t->w = (batch_worker){.options = p->options, .r = p->r};
    for (int i = 0; i < b->ncolumns; i++) size += b->selected[i] ? most * b->entries[i] : 0;
    t->memory = malloc((size + 1) * sizeof *t->memory);
    t->w.status = calloc(most, sizeof *t->w.status);
    t->codes = calloc(most, sizeof *t->codes);
    if (!t->memory || !t->w.status || !t->codes) return robot_fail(p->r, HML_OUT_OF_MEMORY);
    double *next = t->memory;
    const size_t rows[3] = {nq, nv, nv};
    for (int k = 0; k < 3; k++) t->inputs[k] = next, next += most * rows[k];
    for (int i = 0; i < b->ncolumns; i++) {
        if (b->selected[i]) t->w.out[i] = next, next += most * b->entries[i];
    }
    t->w.q = t->inputs[0], t->w.v = t->inputs[1], t->w.tau = t->inputs[2];
    hml_status status = hml_work_new(p->r->model, p->options->isa, HML_USE_ALL, &t->w.work);
    if (status) return robot_fail(p->r, status);
    return b->kind->open ? b->kind->open(&t->w, most) : CLI_OK;
}

static void close_thread(thread *t)
{
    if (t->p && t->p->b->kind->close && t->w.own) t->p->b->kind->close(&t->w);
    hml_work_free(t->w.work);
    free(t->w.status);
    free(t->codes);
    free(t->memory);
}

/* ---- all of them ---- */

static void show(const pool *p)
{
    const int64_t rows = hml_states_count(p->b->states);
    if (p->options->quiet || p->checking) return;
    term_progress_count(p->b->kind->name, "states", p->begun, p->begun + p->done, rows);
}

/* one phase on n threads, with a bar that this thread draws */
static void run_phase(pool *p, thread *threads, int n)
{
    p->next = 0;
    p->running = n;
    for (int i = 0; i < n; i++) threads[i].started = pthread_create(&threads[i].id, NULL, run_thread, &threads[i]) == 0;
    for (int i = 0; i < n; i++) {
        if (!threads[i].started) run_thread(&threads[i]); /* no thread is to be had: it works here */
    }
    pthread_mutex_lock(&p->lock);
    while (p->running > 0) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 100000000;
        if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
        show(p);
        pthread_cond_timedwait(&p->moved, &p->lock, &soon);
    }
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < n; i++) {
        if (threads[i].started) pthread_join(threads[i].id, NULL);
    }
}

static int run_all(pool *p, thread *threads, int n)
{
    int status = CLI_OK;
    for (int i = 0; i < n && status == CLI_OK; i++) status = open_thread(&threads[i], p);
    if (status != CLI_OK) return status;
    if (p->options->resume) {
        p->checking = 1;
        run_phase(p, threads, n);
        p->checking = 0;
    }
    run_phase(p, threads, n);
    term_progress_end();
    if (p->failed == CLI_OK) return CLI_OK;
    if (p->damaged) { /* nobody knows where */
        hml_table_clear(p->b->table, NULL);
        return cli_fail(p->failed, "%s: %s; none of the results is kept", p->error.file, p->error.message);
    }
    return cli_fail(p->failed, "%s: %s; the states that are done stay there, and --resume goes on from them",
                    p->error.file, p->error.message);
}

int batch_threads_run(const cli_options *options, const robot *r, batch *b)
{
    pool p = {.options = options, .r = r, .b = b, .chunks = hml_table_chunks(b->table)};
    const int n = thread_count(options, p.chunks);
    if (n < 1) return CLI_USAGE;
    thread *threads = calloc((size_t)n, sizeof *threads);
    p.there = calloc((size_t)p.chunks + 1, 1);
    if (!threads || !p.there) {
        free(threads);
        free(p.there);
        return robot_fail(r, HML_OUT_OF_MEMORY);
    }
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.moved, NULL);
    int status = run_all(&p, threads, n);
    for (int i = 0; i < n; i++) close_thread(&threads[i]);
    pthread_cond_destroy(&p.moved);
    pthread_mutex_destroy(&p.lock);
    free(threads);
    free(p.there);
    return status;
}
