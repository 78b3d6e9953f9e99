/*
 * Threads for large batches. They are started for a call and end with it: nothing runs between calls, nothing is lost
 * in a fork, nothing has to be shut down. Starting one costs some twenty microseconds, so a thread gets no less than
 * ROWS_A_THREAD rows.
 */
#if defined __linux__ && !defined _GNU_SOURCE
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): sched_getaffinity */
#endif
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#if defined __linux__
#include <sched.h>
#endif

#include "engine.h"

enum { ROWS_A_THREAD = 32, MOST = 64 };

typedef struct task {
    piece *work;
    void *user;
    int thread;
    npy_intp begin, end;
} task;

/* those that this process may use: beside others on the machine, in a container or a worker, it may be fewer than all */
static long available(void)
{
#if defined __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static int processors(void)
{
    const char *said = getenv("HAMEL_THREADS");
    long n = said ? strtol(said, NULL, 10) : available();
    return n < 1 ? 1 : n > MOST ? MOST : (int)n;
}

int thread_count(npy_intp wanted, npy_intp n)
{
    if (wanted == 0 && n < 2 * ROWS_A_THREAD) return 1;
    npy_intp most = wanted ? wanted : processors();
    npy_intp useful = wanted ? n : n / ROWS_A_THREAD;
    npy_intp count = most < useful ? most : useful;
    return count < 1 ? 1 : count > MOST ? MOST : (int)count;
}

static void *run_task(void *memory)
{
    task *t = memory;
    t->work(t->user, t->thread, t->begin, t->end);
    return NULL;
}

void in_pieces(int threads, npy_intp n, piece *work, void *user)
{
    pthread_t id[MOST];
    task tasks[MOST];
    int started[MOST] = {0};
    for (int t = 0; t < threads; t++) {
        tasks[t] = (task){work, user, t, n * t / threads, n * (t + 1) / threads};
        started[t] = t > 0 && !pthread_create(&id[t], NULL, run_task, &tasks[t]);
    }
    for (int t = 0; t < threads; t++) {
        if (!started[t]) run_task(&tasks[t]); /* the first one, and what got no thread */
    }
    for (int t = 0; t < threads; t++) {
        if (started[t]) pthread_join(id[t], NULL);
    }
}
