/*
 * Threads for large batches. They are started for a call and end with it: nothing runs between calls, nothing is lost
 * in a fork, nothing has to be shut down. Starting one costs some twenty microseconds, so a thread gets no less than
 * ROWS_A_THREAD rows.
 */
#include <pthread.h>
#include <stdlib.h>

#include "hamel/states.h"

#include "engine.h"

enum { ROWS_A_THREAD = 32 };

typedef struct task {
    piece *work;
    void *user;
    int thread;
    npy_intp begin, end;
} task;

/* 0: HAMEL_THREADS is not a number */
static int thread_count(npy_intp wanted, npy_intp n)
{
    if (wanted == 0 && n < 2 * ROWS_A_THREAD) return 1;
    npy_intp most = wanted ? wanted : hml_threads_default();
    if (most == 0) return 0;
    npy_intp useful = wanted ? n : n / ROWS_A_THREAD;
    npy_intp count = most < useful ? most : useful;
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int)count;
}

int threads_for(PyObject *object, npy_intp n)
{
    npy_intp wanted = 0;
    if (object && object != Py_None) {
        if (!PyLong_Check(object)) {
            PyErr_Format(PyExc_TypeError, "threads is an integer, not %R", (PyObject *)Py_TYPE(object));
            return 0;
        }
        wanted = PyLong_AsSsize_t(object);
        if (wanted < 1) {
            if (!PyErr_Occurred()) PyErr_SetString(hamel_errors[HML_INVALID_ARGUMENT], "threads is at least 1");
            return 0;
        }
    }
    const int count = n > 1 ? thread_count(wanted, n) : 1;
    if (count < 1)
        PyErr_Format(hamel_errors[HML_INVALID_ARGUMENT], "HAMEL_THREADS is '%.40s', not a positive number",
                     getenv("HAMEL_THREADS"));
    return count;
}

static void *run_task(void *memory)
{
    task *t = memory;
    t->work(t->user, t->thread, t->begin, t->end);
    return NULL;
}

void in_pieces(int threads, npy_intp n, piece *work, void *user)
{
    pthread_t id[MAX_THREADS];
    task tasks[MAX_THREADS];
    int started[MAX_THREADS] = {0};
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
