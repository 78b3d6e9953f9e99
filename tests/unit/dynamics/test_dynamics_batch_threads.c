/*
 * Many states at once: the batch of dynamics against single calls on every instruction set, states that fail among
 * states that do not; the parallel linearization on threads, bit for bit what one worker finds.
 */
#include <pthread.h>

#include "dynamics_check.h"
#include "hamel/linearize.h"
#include "hamel/random.h"

enum { STATES = 19, LONG = 150, THREADS = 4 };

static const draw_tree_spec specs[] = {
    {.nbodies = 9, .root = HML_JOINT_FREE},
    {.nbodies = 9, .root = HML_JOINT_FREE, .passive = 1, .points = 1},
    {.nbodies = 8, .root = HML_JOINT_SPHERICAL, .forest = 1, .passive = 1},
    {.nbodies = 12, .root = HML_JOINT_REVOLUTE, .one_dof = 1},
    {.nbodies = 25, .root = HML_JOINT_FREE, .one_dof = 1}, /* large: some packs are narrower then */
};
enum { NSPECS = sizeof specs / sizeof *specs };

/* states of a robot, and room for everything a batch gives */
typedef struct states {
    double *q, *v, *tau, *a, *wrenches, *acceleration, *torque, *M, *Minv;
} states;

static double *room(size_t n) { return calloc(n + 1, sizeof(double)); }

static states states_draw(robot *r, uint64_t *seed, size_t n)
{
    const size_t nv = r->nv, nw = 6 * (size_t)hml_model_nbodies(r->model);
    states s = {room(n * r->nq), room(n * nv), room(n * nv),      room(n * nv),     room(n * nw),
                room(n * nv),    room(n * nv), room(n * nv * nv), room(n * nv * nv)};
    for (size_t i = 0; i < n; i++) {
        robot_state(r, seed);
        memcpy(s.q + i * r->nq, r->q, r->nq * sizeof(double));
        memcpy(s.v + i * nv, r->v, nv * sizeof(double));
        memcpy(s.tau + i * nv, r->tau, nv * sizeof(double));
        memcpy(s.wrenches + i * nw, r->wrenches, nw * sizeof(double));
        for (size_t k = 0; k < nv; k++) s.a[i * nv + k] = draw(seed);
    }
    return s;
}

static void states_free(states *s)
{
    double *all[] = {s->q, s->v, s->tau, s->a, s->wrenches, s->acceleration, s->torque, s->M, s->Minv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static hml_dynamics_states arguments(const robot *r, const states *s)
{
    hml_dynamics_states x = {.struct_size = sizeof x};
    x.q = (hml_input){s->q, r->nq}, x.v = (hml_input){s->v, r->nv};
    x.tau = (hml_input){s->tau, r->nv}, x.a = (hml_input){s->a, r->nv};
    x.wrenches = (hml_input){s->wrenches, 6 * (size_t)hml_model_nbodies(r->model)};
    x.acceleration.data = s->acceleration, x.torque.data = s->torque, x.M.data = s->M, x.Minv.data = s->Minv;
    return x;
}

static double worst(const double *x, const double *y, size_t n)
{
    double size = 1e-300, off = 0;
    for (size_t i = 0; i < n; i++) {
        if (fabs(y[i]) > size) size = fabs(y[i]);
        if (!(fabs(x[i] - y[i]) <= off)) off = fabs(x[i] - y[i]);
    }
    return off / size;
}

/* two orders of summation; M of these trees has condition numbers up to about 1e5 */
static const double tolerance = 1e-10;

static void test_dynamics_batch_against_single_calls(void **state)
{
    (void)state;
    static const hml_isa isas[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    uint64_t seed = 5;
    for (int i = 0; i < NSPECS; i++) {
        for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
            if (!hml_isa_available(isas[k])) continue;
            robot r;
            robot_take(&r, draw_tree(&seed, &specs[i]), isas[k]);
            states s = states_draw(&r, &seed, STATES);
            hml_dynamics_states x = arguments(&r, &s);
            hml_status status[STATES];
            const size_t nv = r.nv, nw = 6 * (size_t)hml_model_nbodies(r.model);
            double *dq = malloc(2 * STATES * nv * nv * sizeof *dq), *dv = dq + STATES * nv * nv;
            assert_non_null(dq);
            memset(dq, 0xff, 2 * STATES * nv * nv * sizeof *dq);
            x.dtau_dq.data = dq, x.dtau_dv.data = dv;
            assert_int_equal(hml_dynamics_batch(r.model, r.work, STATES, &x, status), HML_OK);
            for (size_t n = 0; n < STATES; n++) {
                blocks b;
                double tau[NV], M[NV * NV], tau_q[NV * NV], tau_v[NV * NV];
                memcpy(r.q, s.q + n * r.nq, r.nq * sizeof(double));
                memcpy(r.v, s.v + n * nv, nv * sizeof(double));
                memcpy(r.tau, s.tau + n * nv, nv * sizeof(double));
                memcpy(r.wrenches, s.wrenches + n * nw, nw * sizeof(double));
                assert_int_equal(status[n], HML_OK);
                assert_int_equal(robot_linearize(&r, &b), HML_OK);
                assert_int_equal(hml_inverse_dynamics_derivatives(r.model, r.work, r.q, r.v, s.a + n * nv, r.wrenches,
                                                                  tau_q, tau_v, M),
                                 HML_OK);
                assert_true(worst(dq + n * nv * nv, tau_q, nv * nv) < tolerance);
                assert_true(worst(dv + n * nv * nv, tau_v, nv * nv) < tolerance);
                assert_int_equal(hml_inverse_dynamics(r.model, r.work, r.q, r.v, s.a + n * nv, r.wrenches, tau),
                                 HML_OK);
                assert_true(worst(s.acceleration + n * nv, b.a, nv) < tolerance);
                assert_true(worst(s.Minv + n * nv * nv, b.Minv, nv * nv) < tolerance);
                assert_true(worst(s.torque + n * nv, tau, nv) < tolerance);
                assert_true(worst(s.M + n * nv * nv, M, nv * nv) < tolerance);
                double alone[NV * NV];
                assert_int_equal(hml_mass_matrix(r.model, r.work, r.q, alone), HML_OK);
                assert_true(worst(alone, M, nv * nv) < tolerance);
                assert_int_equal(hml_inverse_mass_matrix(r.model, r.work, r.q, alone), HML_OK);
                assert_true(worst(alone, b.Minv, nv * nv) < tolerance);
            }
            free(dq);
            states_free(&s);
            robot_close(&r);
        }
    }
}

/* chains of every length about which workspaces and kernels decide: none writes beyond its memory, all agree */
static void test_linearizations_of_chains(void **state)
{
    (void)state;
    static const hml_isa isas[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.shape = HML_RANDOM_CHAIN, spec.length = 0.1;
    for (spec.nbodies = 20; spec.nbodies <= 32; spec.nbodies++) {
        uint64_t seed = 8;
        double *first = NULL;
        for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
            if (!hml_isa_available(isas[k])) continue;
            hml_model *model;
            robot r;
            assert_int_equal(hml_model_random(&spec, &model), HML_OK);
            robot_take(&r, model, isas[k]);
            seed = 8;
            states s = states_draw(&r, &seed, STATES);
            const size_t nv = r.nv, all = STATES * nv * nv;
            double *D = room(3 * all);
            hml_linearization x = {.struct_size = sizeof x, .q = {s.q, r.nq}, .v = {s.v, nv}, .tau = {s.tau, nv}};
            x.Dq.data = D, x.Dv.data = D + all, x.Minv.data = D + 2 * all;
            assert_int_equal(hml_linearize_batch(r.model, r.work, STATES, &x, NULL), HML_OK);
            if (!first) first = memcpy(room(3 * all), D, 3 * all * sizeof *D);
            for (size_t n = 0; n < 3 * STATES; n++)
                assert_true(worst(D + n * nv * nv, first + n * nv * nv, nv * nv) < tolerance);
            free(D), states_free(&s);
            robot_close(&r);
        }
        free(first);
    }
}

/* M alone, on robots small and large: the states that fail are the ones that are bad */
static void test_bad_configurations(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < NSPECS; i++) {
        robot r;
        robot_take(&r, draw_tree(&seed, &specs[i]), HML_ISA_BEST);
        states s = states_draw(&r, &seed, STATES);
        const size_t nv = r.nv;
        hml_dynamics_states x = {.struct_size = sizeof x, .q = {s.q, r.nq}};
        hml_status status[STATES];
        x.M.data = s.M;
        for (size_t n = 2; n < STATES; n += 5) s.q[n * r.nq + r.nq - 1] = NAN;
        assert_int_equal(hml_dynamics_batch(r.model, r.work, STATES, &x, status), HML_NOT_FINITE);
        for (size_t n = 0; n < STATES; n++) {
            double alone[NV * NV];
            assert_int_equal(status[n], n % 5 == 2 ? HML_NOT_FINITE : HML_OK);
            assert_int_equal(hml_mass_matrix(r.model, r.work, s.q + n * r.nq, alone), status[n]);
            if (status[n])
                assert_true(isnan(s.M[n * nv * nv]));
            else
                assert_true(worst(s.M + n * nv * nv, alone, nv * nv) < tolerance);
        }
        states_free(&s);
        robot_close(&r);
    }
}

static void test_a_bad_state_is_alone(void **state)
{
    (void)state;
    uint64_t seed = 6;
    robot r;
    robot_take(&r, draw_tree(&seed, &specs[0]), HML_ISA_BEST);
    states s = states_draw(&r, &seed, STATES), good = states_draw(&r, &seed, STATES);
    const size_t nv = r.nv;
    memcpy(good.q, s.q, STATES * r.nq * sizeof(double)), memcpy(good.v, s.v, STATES * nv * sizeof(double));
    memcpy(good.tau, s.tau, STATES * nv * sizeof(double)), memcpy(good.a, s.a, STATES * nv * sizeof(double));
    hml_dynamics_states x = arguments(&r, &s), y = arguments(&r, &good);
    hml_status status[STATES];
    x.wrenches.data = y.wrenches.data = NULL;
    assert_int_equal(hml_dynamics_batch(r.model, r.work, STATES, &y, NULL), HML_OK);
    s.v[3 * nv + 1] = NAN;
    s.a[5 * nv] = INFINITY;
    s.q[9 * r.nq + 3] += 2; /* a quaternion far from unit */
    assert_int_equal(hml_dynamics_batch(r.model, r.work, STATES, &x, status), HML_NOT_FINITE);
    for (size_t n = 0; n < STATES; n++) {
        hml_status expected = n == 3 || n == 5 ? HML_NOT_FINITE : n == 9 ? HML_NOT_NORMALIZED : HML_OK;
        assert_int_equal(status[n], expected);
        if (expected) {
            assert_true(isnan(s.torque[n * nv]) && isnan(s.acceleration[n * nv]) && isnan(s.M[n * nv * nv]));
            continue;
        }
        assert_memory_equal(s.torque + n * nv, good.torque + n * nv, nv * sizeof(double));
        assert_memory_equal(s.Minv + n * nv * nv, good.Minv + n * nv * nv, nv * nv * sizeof(double));
    }
    x.struct_size = 1;
    assert_int_equal(hml_dynamics_batch(r.model, r.work, STATES, &x, NULL), HML_INVALID_ARGUMENT);
    states_free(&s), states_free(&good);
    robot_close(&r);
}

/* ---- threads ---- */

typedef struct pool_thread {
    hml_parallel_task *task;
    void *data;
    size_t begin, step, count, worker;
} pool_thread;

static void *pool_run(void *argument)
{
    const pool_thread *p = argument;
    for (size_t i = p->begin; i < p->count; i += p->step) p->task(p->data, i, p->worker);
    return NULL;
}

static void pool_for(void *context, size_t count, hml_parallel_task *task, void *data)
{
    (void)context;
    pthread_t threads[THREADS];
    pool_thread jobs[THREADS];
    for (size_t t = 0; t < THREADS; t++) {
        jobs[t] = (pool_thread){task, data, t, THREADS, count, t};
        assert_int_equal(pthread_create(&threads[t], NULL, pool_run, &jobs[t]), 0);
    }
    for (size_t t = 0; t < THREADS; t++) assert_int_equal(pthread_join(threads[t], NULL), 0);
}

static void mark_done(void *context, size_t first, size_t count, size_t worker)
{
    unsigned char *marks = context;
    assert_true(worker < THREADS);
    for (size_t i = first; i < first + count; i++) marks[i]++;
}

static void test_parallel_linearization(void **state)
{
    (void)state;
    uint64_t seed = 7;
    robot r;
    robot_take(&r, draw_tree(&seed, &specs[0]), HML_ISA_BEST);
    states s = states_draw(&r, &seed, LONG);
    const size_t size = LONG * 4 * r.nv * r.nv;
    double *one = room(size), *many = room(size);
    unsigned char marks[LONG] = {0};
    hml_status status[LONG];
    hml_work *works[THREADS];
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(hml_work_new(r.model, HML_ISA_BEST, HML_USE_ALL, &works[t]), HML_OK);
    s.v[77 * r.nv] = NAN;
    hml_linearization x = {.struct_size = sizeof x};
    x.q = (hml_input){s.q, r.nq}, x.v = (hml_input){s.v, r.nv}, x.tau = (hml_input){s.tau, r.nv};
    x.A.data = one;
    hml_parallel p = {.struct_size = sizeof p, .nworks = 1, .works = works};
    assert_int_equal(hml_linearize_parallel(r.model, &p, LONG, &x, status), HML_NOT_FINITE);
    x.A.data = many;
    p.nworks = THREADS, p.parallel_for = pool_for, p.done = mark_done, p.context = marks, p.chunk = 13;
    assert_int_equal(hml_linearize_parallel(r.model, &p, LONG, &x, NULL), HML_NOT_FINITE);
    assert_memory_equal(one, many, size * sizeof(double));
    for (size_t i = 0; i < LONG; i++) {
        assert_int_equal(status[i], i == 77 ? HML_NOT_FINITE : HML_OK);
        assert_int_equal(marks[i], 1);
    }
    p.nworks = 0;
    assert_int_equal(hml_linearize_parallel(r.model, &p, LONG, &x, NULL), HML_INVALID_ARGUMENT);
    for (size_t t = 0; t < THREADS; t++) hml_work_free(works[t]);
    free(one), free(many);
    states_free(&s);
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dynamics_batch_against_single_calls),
        cmocka_unit_test(test_linearizations_of_chains),
        cmocka_unit_test(test_bad_configurations),
        cmocka_unit_test(test_a_bad_state_is_alone),
        cmocka_unit_test(test_parallel_linearization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
