/* See share.h. */
#include "algo/share.h"

#include <stdint.h>

#include "algo/work.h"

enum { CHUNK = 64 }; /* states, if the caller does not say */

typedef struct share_job {
    const hml_parallel *parallel;
    share_chunk *run;
    const void *batch;
    size_t n, chunk;
} share_job;

/* the caller's parallel_for runs these, in any order */
static void share_task(void *data, size_t index, size_t worker)
{
    const share_job *job = data;
    hml_work *work = job->parallel->works[worker];
    const size_t first = index * job->chunk, left = job->n - first, count = left < job->chunk ? left : job->chunk;
    const hml_status status = job->run(job->batch, worker, first, count);
    if (status && first < work->first_failed) work->first_failed = first, work->failure = status;
    if (job->parallel->done) job->parallel->done(job->parallel->context, first, count, worker);
}

hml_status hmli_share_out(const hml_parallel *p, size_t n, share_chunk *run, const void *batch)
{
    share_job job = {.parallel = p, .run = run, .batch = batch, .n = n, .chunk = p->chunk ? p->chunk : CHUNK};
    const size_t tasks = n / job.chunk + (n % job.chunk > 0);
    for (size_t k = 0; k < p->nworks; k++) p->works[k]->first_failed = SIZE_MAX, p->works[k]->failure = HML_OK;
    if (p->parallel_for)
        p->parallel_for(p->context, tasks, share_task, &job);
    else
        for (size_t i = 0; i < tasks; i++) share_task(&job, i, 0);
    const hml_work *first = p->works[0];
    for (size_t k = 1; k < p->nworks; k++)
        if (p->works[k]->first_failed < first->first_failed) first = p->works[k];
    return first->failure;
}
