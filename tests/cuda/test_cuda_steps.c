/*
 * Steps, rollouts, q ⊕ v and q₁ ⊖ q₀ of libhamel-cuda in the emulator, beside those of the core: all built-in robots and
 * random ones with all joint types.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cuda_check.h"
#include "hamel/discrete.h"
#include "hamel/io.h"

enum { N = 5 };

/* everything that a step of N states has, on the emulated device, whose memory is the host's */
typedef struct steps {
    const hml_model *model;
    size_t nq, nv;
    double *q, *v, *tau, *q_next, *v_next, *Ad, *Bd;
    int32_t status[N];
} steps;

static steps steps_draw(const hml_model *model)
{
    cuda_states s = states_draw(model, N, 4, 0);
    steps x = {.model = model, .nq = s.nq, .nv = s.nv, .q = s.q, .v = s.v, .tau = s.tau};
    x.q_next = numbers(N * s.nq), x.v_next = numbers(N * s.nv);
    x.Ad = numbers(N * 4 * s.nv * s.nv), x.Bd = numbers(N * 2 * s.nv * s.nv);
    free(s.status);
    return x;
}

static void steps_free(steps *x)
{
    double *const all[] = {x->q, x->v, x->tau, x->q_next, x->v_next, x->Ad, x->Bd};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static hml_cuda_batch *batch_of(const hml_model *model)
{
    hml_cuda_batch *batch = NULL;
    hml_error error = {0};
    if (hml_cuda_batch_from_data(hml_model_data(model), hml_model_size(model), HML_CUDA_FLOAT64, 0, &batch, &error))
        fail_msg("%s", error.message);
    return batch;
}

static hml_cuda_step_arguments arguments_of(steps *x, double h, int with_jacobians)
{
    hml_cuda_step_arguments a = {.struct_size = sizeof a, .h = h};
    a.q = (hml_cuda_input){x->q, x->nq}, a.v = (hml_cuda_input){x->v, x->nv}, a.tau = (hml_cuda_input){x->tau, x->nv};
    a.q_next.data = x->q_next, a.v_next.data = x->v_next, a.status = x->status;
    if (with_jacobians) a.Ad.data = x->Ad, a.Bd.data = x->Bd;
    return a;
}

/* the largest difference, relative to the largest entry of what is right */
static double difference(const double *got, const double *want, size_t n)
{
    double largest = 1e-300, error = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(want[i]));
        if (!(fabs(got[i] - want[i]) <= error)) error = isnan(got[i]) ? INFINITY : fabs(got[i] - want[i]);
    }
    return error / largest;
}

/* the core's step of all states; q, v, A_d and B_d one after the other */
static void check_step(const char *name, const hml_model *model)
{
    const double h = 0.01;
    steps got = steps_draw(model), want = steps_draw(model);
    const size_t nv = got.nv;
    hml_cuda_batch *batch = batch_of(model);
    hml_work *work = NULL;
    double *scratch = numbers(hml_step_scratch_doubles(model));
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_FACTOR, &work), HML_OK);
    for (size_t i = 0; i < N; i++) {
        const hml_discrete_step a = {.struct_size = sizeof a,
                                     .scheme = HML_SCHEME_EULER,
                                     .h = h,
                                     .q = {want.q + i * want.nq, 0},
                                     .v = {want.v + i * nv, 0},
                                     .tau = {want.tau + i * nv, 0},
                                     .q_next = {.data = want.q_next + i * want.nq},
                                     .v_next = {.data = want.v_next + i * nv},
                                     .Ad = {.data = want.Ad + 4 * i * nv * nv},
                                     .Bd = {.data = want.Bd + 2 * i * nv * nv}};
        const hml_status status = hml_step(model, work, scratch, &a);
        if (status) fail_msg("%s: %s", name, hml_status_message(status));
    }
    const hml_cuda_step_arguments both = arguments_of(&got, h, 1), alone = arguments_of(&got, h, 0);
    assert_int_equal(hml_cuda_step(batch, N, &both, NULL), HML_OK);
    for (size_t i = 0; i < N; i++) assert_int_equal(got.status[i], HML_OK);
    const double errors[] = {difference(got.q_next, want.q_next, N * got.nq),
                             difference(got.v_next, want.v_next, N * nv), difference(got.Ad, want.Ad, N * 4 * nv * nv),
                             difference(got.Bd, want.Bd, N * 2 * nv * nv)};
    for (int k = 0; k < 4; k++) {
        if (!(errors[k] < 1e-11)) fail_msg("%s: output %d differs by %g", name, k, errors[k]);
    }
    memset(got.q_next, 0, N * got.nq * sizeof(double));
    assert_int_equal(hml_cuda_step(batch, N, &alone, NULL), HML_OK);
    assert_true(difference(got.q_next, want.q_next, N * got.nq) < 1e-12);
    free(scratch);
    hml_work_free(work), hml_cuda_batch_free(batch);
    steps_free(&got), steps_free(&want);
}

/* q ⊕ v, and (q ⊕ v) ⊖ q */
static void check_configurations(const char *name, const hml_model *model)
{
    steps x = steps_draw(model);
    hml_cuda_batch *batch = batch_of(model);
    double *want = numbers(x.nq), *back = numbers(N * x.nv);
    const hml_cuda_configurations there = {.struct_size = sizeof there,
                                           .q = {x.q, x.nq},
                                           .other = {x.v, x.nv},
                                           .result = {.data = x.q_next},
                                           .status = x.status};
    const hml_cuda_configurations again = {
        .struct_size = sizeof again, .q = {x.q, x.nq}, .other = {x.q_next, x.nq}, .result = {.data = back}};
    assert_int_equal(hml_cuda_integrate(batch, N, &there, NULL), HML_OK);
    assert_int_equal(hml_cuda_difference(batch, N, &again, NULL), HML_OK);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(x.status[i], HML_OK);
        assert_int_equal(hml_configuration_integrate(model, x.q + i * x.nq, x.v + i * x.nv, want), HML_OK);
        if (!(difference(x.q_next + i * x.nq, want, x.nq) < 1e-14)) fail_msg("%s: q + v differs", name);
    }
    if (!(difference(back, x.v, N * x.nv) < 1e-13)) fail_msg("%s: the difference is not v", name);
    free(want), free(back);
    hml_cuda_batch_free(batch);
    steps_free(&x);
}

/* does a step refuse the model? */
static int is_refused(const hml_model *model)
{
    steps x = steps_draw(model);
    hml_cuda_batch *batch = batch_of(model);
    hml_error error = {0};
    const hml_cuda_step_arguments a = arguments_of(&x, 0.01, 0);
    const hml_status status = hml_cuda_step(batch, 1, &a, &error);
    if (status) assert_int_equal(status, HML_UNSUPPORTED), assert_non_null(strstr(error.message, "springs"));
    hml_cuda_batch_free(batch);
    steps_free(&x);
    return status != HML_OK;
}

static void robots(void **state)
{
    (void)state;
    int refused = 0;
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        hml_model *model = NULL;
        assert_int_equal(hml_load_builtin(hml_builtin_name(i), NULL, &model, NULL), HML_OK);
        check_configurations(hml_builtin_name(i), model);
        if (is_refused(model))
            refused++;
        else
            check_step(hml_builtin_name(i), model);
        hml_model_free(model);
    }
    for (int seed = 0; seed < 12; seed++) {
        static const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_PLANAR, HML_JOINT_SCHOENFLIES};
        hml_random_spec spec;
        hml_model *model;
        hml_random_spec_init(&spec);
        spec.seed = (uint64_t)seed + 1, spec.nbodies = 3 + seed, spec.root = roots[seed % 3];
        spec.joint_types = seed == 7 ? 1u << HML_JOINT_REVOLUTE : (2u << HML_JOINT_FREE) - 2,
        spec.passive = seed % 4 == 3 ? 1 : 0;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        check_configurations("a random robot", model);
        if (is_refused(model))
            refused++;
        else
            check_step("a random robot", model);
        hml_model_free(model);
    }
    assert_in_range(refused, 1, 4);
}

/* twenty steps as twenty calls of hml_step */
static void rollouts(void **state)
{
    (void)state;
    enum { STEPS = 20 };
    hml_model *model = NULL;
    assert_int_equal(hml_load_builtin("quadruped", NULL, &model, NULL), HML_OK);
    steps x = steps_draw(model);
    hml_cuda_batch *batch = batch_of(model);
    hml_work *work = NULL;
    double *scratch = numbers(hml_step_scratch_doubles(model));
    double *q = numbers((STEPS + 1) * N * x.nq), *v = numbers((STEPS + 1) * N * x.nv), *tau = numbers(STEPS * x.nv);
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_FACTOR, &work), HML_OK);
    memcpy(q, x.q, N * x.nq * sizeof *q), memcpy(v, x.v, N * x.nv * sizeof *v);
    for (size_t k = 0; k < STEPS * x.nv; k++) tau[k] = sin((double)k);
    const hml_cuda_rollout_arguments a = {.struct_size = sizeof a,
                                          .h = 0.002,
                                          .steps = STEPS,
                                          .q = q,
                                          .v = v,
                                          .tau = {tau, 0},
                                          .tau_step = x.nv,
                                          .status = x.status};
    assert_int_equal(hml_cuda_rollout(batch, N, &a, NULL), HML_OK);
    for (size_t i = 0; i < N; i++) {
        double *own = x.q + i * x.nq, *rate = x.v + i * x.nv;
        assert_int_equal(x.status[i], HML_OK);
        for (size_t k = 0; k < STEPS; k++) {
            const hml_discrete_step one = {.struct_size = sizeof one,
                                           .scheme = HML_SCHEME_EULER,
                                           .h = 0.002,
                                           .q = {own, 0},
                                           .v = {rate, 0},
                                           .tau = {tau + k * x.nv, 0},
                                           .q_next = {.data = own},
                                           .v_next = {.data = rate}};
            assert_int_equal(hml_step(model, work, scratch, &one), HML_OK);
            assert_true(difference(q + ((k + 1) * N + i) * x.nq, own, x.nq) < 1e-11);
            assert_true(difference(v + ((k + 1) * N + i) * x.nv, rate, x.nv) < 1e-11);
        }
    }
    free(scratch), free(q), free(v), free(tau);
    hml_work_free(work), hml_cuda_batch_free(batch);
    steps_free(&x);
    hml_model_free(model);
}

/* a state that fails is NaN and flagged; its neighbours are what they were */
static void faults(void **state)
{
    (void)state;
    hml_model *model = NULL;
    hml_error error = {0};
    assert_int_equal(hml_load_builtin("quadruped", NULL, &model, NULL), HML_OK);
    steps good = steps_draw(model), bad = steps_draw(model);
    hml_cuda_batch *batch = batch_of(model), *none = NULL;
    bad.q[1 * bad.nq + 9] = NAN, bad.q[3 * bad.nq + 3] *= 1.5;
    hml_cuda_step_arguments a = arguments_of(&good, 0.01, 1), b = arguments_of(&bad, 0.01, 1);
    assert_int_equal(hml_cuda_step(batch, N, &a, NULL), HML_OK);
    assert_int_equal(hml_cuda_step(batch, N, &b, NULL), HML_OK);
    for (size_t i = 0; i < N; i++) {
        const size_t m = 4 * bad.nv * bad.nv;
        assert_int_equal(bad.status[i], i == 1 ? HML_NOT_FINITE : i == 3 ? HML_NOT_NORMALIZED : HML_OK);
        if (bad.status[i])
            assert_true(isnan(bad.q_next[i * bad.nq]) && isnan(bad.v_next[i * bad.nv]) && isnan(bad.Ad[i * m]));
        else
            assert_memory_equal(bad.Ad + i * m, good.Ad + i * m, m * sizeof(double));
    }
    a.v_next.data = good.v;
    assert_int_equal(hml_cuda_step(batch, N, &a, &error), HML_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "not q and v"));
    a.v_next.data = NULL;
    assert_int_equal(hml_cuda_step(batch, N, &a, &error), HML_INVALID_ARGUMENT);
    b.h = INFINITY;
    assert_int_equal(hml_cuda_step(batch, N, &b, &error), HML_INVALID_ARGUMENT);
    b.h = 0.01, b.Ad.ld = 3;
    assert_int_equal(hml_cuda_step(batch, N, &b, &error), HML_INVALID_ARGUMENT);
    const hml_cuda_configurations empty = {.struct_size = sizeof empty, .q = {good.q, 0}};
    assert_int_equal(hml_cuda_integrate(batch, N, &empty, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_cuda_difference(NULL, N, &empty, &error), HML_INVALID_ARGUMENT);
    const hml_cuda_rollout_arguments nothing = {.struct_size = sizeof nothing};
    assert_int_equal(hml_cuda_rollout(batch, N, &nothing, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_cuda_batch_from_data(good.q, 8, HML_CUDA_FLOAT64, 0, &none, &error), HML_BAD_MODEL);
    assert_int_equal(hml_cuda_batch_from_data(NULL, 8, HML_CUDA_FLOAT64, 0, &none, &error), HML_INVALID_ARGUMENT);
    assert_null(none);
    hml_cuda_batch_free(batch);
    steps_free(&good), steps_free(&bad);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots), cmocka_unit_test(rollouts), cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
