/* Three threads for functions that take a parallel_for; each begins at another end of the work. */
#ifndef HAMEL_TESTS_CREW_H
#define HAMEL_TESTS_CREW_H

#include <pthread.h>

#include "hamel/work.h"

enum { CREW = 3 };

typedef struct crew {
    hml_parallel_task *task;
    void *data;
    size_t count, worker;
} crew;

static void *crew_work(void *memory)
{
    const crew *c = memory;
    for (size_t i = c->worker; i < c->count; i += CREW) c->task(c->data, c->count - 1 - i, c->worker);
    return NULL;
}

static void in_threads(void *context, size_t count, hml_parallel_task *task, void *data)
{
    (void)context;
    pthread_t id[CREW];
    crew crews[CREW];
    for (size_t i = 0; i < CREW; i++) {
        crews[i] = (crew){task, data, count, i};
        assert_int_equal(pthread_create(&id[i], NULL, crew_work, &crews[i]), 0);
    }
    for (size_t i = 0; i < CREW; i++) pthread_join(id[i], NULL);
}

#endif
