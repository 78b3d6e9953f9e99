/* Threads share a model and nothing else: every thread finds the bits that one thread alone finds. */
#include <pthread.h>

#include "dynamics_check.h"

enum { THREADS = 8, STATES = 60, ROUNDS = 10 };

typedef struct job {
    const hml_model *model;
    const double *q, *v;
    size_t size;
    double *A;
    hml_status status;
} job;

static void *linearize_all(void *argument)
{
    job *j = argument;
    hml_work *work = NULL;
    j->status = hml_work_new(j->model, HML_ISA_BEST, HML_USE_ALL, &work);
    if (j->status) return NULL;
    hml_linearization x = {.struct_size = sizeof x};
    x.q.data = j->q, x.q.stride = (size_t)hml_model_nq(j->model);
    x.v.data = j->v, x.v.stride = (size_t)hml_model_nv(j->model);
    x.A.data = j->A;
    for (int i = 0; i < ROUNDS && !j->status; i++) {
        j->status = i % 2 ? hml_linearize(j->model, work, &x) /* the first state, to be written over by the batch */
                          : hml_linearize_batch(j->model, work, STATES, &x, NULL);
    }
    if (!j->status) j->status = hml_linearize_batch(j->model, work, STATES, &x, NULL);
    hml_work_free(work);
    return NULL;
}

static void test_threads_share_a_model(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int i = 0; i < 3; i++) {
        hml_model *m = draw_tree(&seed, &(draw_tree_spec){.nbodies = 14, .root = HML_JOINT_FREE, .passive = i == 2});
        size_t nq = (size_t)hml_model_nq(m), nv = (size_t)hml_model_nv(m), size = 4 * nv * nv * STATES;
        double *q = malloc(STATES * nq * sizeof *q), *v = malloc(STATES * nv * sizeof *v);
        for (size_t s = 0; s < STATES; s++) draw_configuration(&seed, m, 1, q + s * nq);
        for (size_t s = 0; s < STATES * nv; s++) v[s] = draw(&seed);
        job jobs[THREADS + 1];
        pthread_t threads[THREADS];
        for (int t = 0; t <= THREADS; t++)
            jobs[t] = (job){m, q, v, size, malloc(size * sizeof(double)), HML_INVALID_ARGUMENT};
        linearize_all(&jobs[THREADS]);
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&threads[t], NULL, linearize_all, &jobs[t]), 0);
        for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
        for (int t = 0; t <= THREADS; t++) {
            assert_int_equal(jobs[t].status, HML_OK);
            assert_memory_equal(jobs[t].A, jobs[THREADS].A, size * sizeof(double));
        }
        for (int t = 0; t <= THREADS; t++) free(jobs[t].A);
        free(q), free(v);
        hml_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_share_a_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
