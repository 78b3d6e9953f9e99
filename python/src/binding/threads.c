/*
 * Threads for large batches. They are started for a call and end with it: nothing runs between calls, nothing is lost
 * in a fork, nothing has to be shut down. Starting one costs some twenty microseconds, so a thread gets no less than
 * ROWS_A_THREAD rows.
 */
#include <pthread.h>
#include <stdlib.h>

#include "hamel/states.h"

#include "engine.h"

enum { ROWS_A_THREAD = 32, MOST = 64 };

typedef struct task {
    piece *work;
    void *user;
    int thread;
    npy_intp begin, end;
} task;

int thread_count(npy_intp wanted, npy_intp n)
{
    if (wanted == 0 && n < 2 * ROWS_A_THREAD) return 1;
    npy_intp most = wanted ? wanted : hml_threads_default();
    if (most == 0) return 0;
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
