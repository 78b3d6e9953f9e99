/*
 * The kernels of the GPU in the emulator, beside hml_linearize: every built-in robot and random ones with all joint
 * types, in float and double; faulty states; and that the emulator sees a barrier that is missing and a load that is
 * misaligned.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cuda_check.h"
#include "emulate.h"
#include "hamel/io.h"

enum { EVERYTHING = (1u << CHECK_OUTPUTS) - 1 };

static const emulator_options sound = {1, -1, 0, 0}, general = {1, -1, 0, 2};

static void assert_no_faults(const char *name)
{
    const emulator_report *r = emulated_device_report();
    if (r->races || r->misaligned || r->outside || r->parted)
        fail_msg("%s: %s (%ld races, %ld misaligned, %ld outside, %ld parted)", name, r->first, r->races, r->misaligned,
                 r->outside, r->parted);
}

static hml_cuda_batch *batch_of(const hml_model *model, hml_cuda_type type)
{
    hml_cuda_batch *batch = NULL;
    hml_error error = {0};
    if (hml_cuda_batch_new(model, type, 0, &batch, &error)) fail_msg("%s", error.message);
    return batch;
}

static hml_work *work_of(const hml_model *model)
{
    hml_work *work = NULL;
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_FACTOR, &work), HML_OK);
    return work;
}

/* n states of a model through the emulated device and through the CPU */
static void check_model(const char *name, const hml_model *model, hml_cuda_type type, size_t n, unsigned wanted,
                        double tolerance)
{
    cuda_states s = states_draw(model, n, 5, wanted != EVERYTHING);
    hml_cuda_batch *batch = batch_of(model, type);
    hml_work *work = work_of(model);
    emulated_device_set(wanted == EVERYTHING || wanted & 1u << CHECK_X ? &sound : &general);
    assert_int_equal(states_run(&s, batch, type, wanted, NULL), HML_OK);
    assert_no_faults(name);
    for (size_t i = 0; i < n; i++) {
        hml_status status;
        const double error = state_error(&s, work, i, wanted, &status);
        if ((hml_status)s.status[i] != status) fail_msg("%s: status %d, not %d", name, s.status[i], (int)status);
        if (!status && !(error < tolerance)) fail_msg("%s, state %zu: error %g, type %d", name, i, error, (int)type);
    }
    hml_work_free(work);
    hml_cuda_batch_free(batch);
    states_free(&s);
}

static hml_model *builtin(const char *name)
{
    hml_model *model = NULL;
    hml_error error = {0};
    if (hml_load_builtin(name, NULL, &model, &error)) fail_msg("%s", error.message);
    return model;
}

static void builtin_robots(void **state)
{
    (void)state;
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        hml_model *model = builtin(hml_builtin_name(i));
        check_model(hml_builtin_name(i), model, HML_CUDA_FLOAT64, 7, EVERYTHING, 1e-12);
        check_model(hml_builtin_name(i), model, HML_CUDA_FLOAT64, 2, 1u << CHECK_DQ | 1u << CHECK_B, 1e-12);
        check_model(hml_builtin_name(i), model, HML_CUDA_FLOAT32, 3, EVERYTHING, 1e-3);
        hml_model_free(model);
    }
}

/* every kind of root, tree and joint; with and without passive forces; one trip of the lanes and several */
static void random_robots(void **state)
{
    (void)state;
    static const hml_joint_type roots[] = {HML_JOINT_FREE,   HML_JOINT_FIXED,       HML_JOINT_REVOLUTE,
                                           HML_JOINT_PLANAR, HML_JOINT_SCHOENFLIES, HML_JOINT_SPHERICAL};
    for (int seed = 0; seed < 36; seed++) {
        hml_random_spec spec;
        hml_model *model;
        char name[64];
        hml_random_spec_init(&spec);
        spec.seed = (uint64_t)seed + 1;
        spec.nbodies = seed % 9 == 8 ? 45 : 2 + 3 * (seed % 7);
        spec.shape = (hml_random_shape)(seed % 5);
        spec.root = roots[seed % 6];
        spec.joint_types = seed % 4 == 0 ? 1u << HML_JOINT_REVOLUTE : (2u << HML_JOINT_FREE) - 2;
        spec.passive = seed % 3 == 2 ? 0.7 : 0;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        /* ill-conditioned matrices: the kernels of the CPU themselves differ by 5e-12, and by 2e-10 on the longest chain */
        const double tolerance = spec.shape == HML_RANDOM_CHAIN && hml_model_nv(model) > 40 ? 5e-9 : 1e-11;
        snprintf(name, sizeof name, "random robot %d, nv %d", seed, hml_model_nv(model));
        check_model(name, model, HML_CUDA_FLOAT64, 3, EVERYTHING, tolerance);
        check_model(name, model, HML_CUDA_FLOAT64, 1, 1u << CHECK_A | 1u << CHECK_MINV, tolerance);
        hml_model_free(model);
    }
}

/* states that fail, in the middle of a batch: NaN and a status there, and not a bit changes elsewhere */
static void faulty_states(void **state)
{
    (void)state;
    hml_model *model = builtin("quadruped");
    hml_cuda_batch *batch = batch_of(model, HML_CUDA_FLOAT64);
    enum { N = 11 };
    cuda_states good = states_draw(model, N, 3, 0), bad = states_draw(model, N, 3, 0);
    const size_t m = good.nv * good.nv;
    bad.q[2 * bad.nq + 8] = NAN;
    bad.v[3 * bad.nv + 1] = INFINITY;
    for (int k = 3; k < 7; k++) bad.q[5 * bad.nq + (size_t)k] *= 1.1;
    bad.tau[8 * bad.nv] = NAN;
    bad.v[9 * bad.nv + 7] = 1e200; /* squares overflow */
    const int want[N] = {0, 0, HML_NOT_FINITE, HML_NOT_FINITE, 0, HML_NOT_NORMALIZED,
                         0, 0, HML_NOT_FINITE, HML_NOT_FINITE, 0};
    emulated_device_set(&sound);
    assert_int_equal(states_run(&good, batch, HML_CUDA_FLOAT64, EVERYTHING, NULL), HML_OK);
    assert_int_equal(states_run(&bad, batch, HML_CUDA_FLOAT64, EVERYTHING, NULL), HML_OK);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(bad.status[i], want[i]);
        for (size_t j = 0; j < m; j++) {
            if (want[i])
                assert_true(isnan(bad.out[CHECK_DQ][i * m + j]) && isnan(bad.out[CHECK_A][4 * i * m + j]));
            else
                assert_true(bad.out[CHECK_DV][i * m + j] == good.out[CHECK_DV][i * m + j]);
        }
    }
    states_free(&good), states_free(&bad);
    hml_cuda_batch_free(batch);
    hml_model_free(model);
}

/* a body without mass at the end: M is singular in every state */
static void singular_states(void **state)
{
    (void)state;
    hml_random_spec spec;
    hml_model *model;
    hml_random_spec_init(&spec);
    spec.nbodies = 4, spec.shape = HML_RANDOM_CHAIN, spec.mass = 1e-320, spec.root = HML_JOINT_FIXED;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    hml_cuda_batch *batch = batch_of(model, HML_CUDA_FLOAT32); /* no mass at all in float */
    cuda_states s = states_draw(model, 3, 3, 0);
    emulated_device_set(&sound);
    assert_int_equal(states_run(&s, batch, HML_CUDA_FLOAT32, EVERYTHING, NULL), HML_OK);
    for (size_t i = 0; i < s.n; i++) {
        assert_int_equal(s.status[i], HML_SINGULAR);
        assert_true(isnan(s.out[CHECK_X][i * s.nv]) && isnan(s.out[CHECK_B][2 * i * s.nv * s.nv]));
    }
    states_free(&s);
    hml_cuda_batch_free(batch);
    hml_model_free(model);
}

/* the order of the lanes and the place in the batch do not change a bit */
static void same_bits(void **state)
{
    (void)state;
    hml_model *model = builtin("humanoid");
    hml_cuda_batch *batch = batch_of(model, HML_CUDA_FLOAT64);
    cuda_states all = states_draw(model, 5, 9, 0), one = states_draw(model, 5, 9, 0);
    const size_t m = all.nv * all.nv;
    emulated_device_set(&sound);
    assert_int_equal(states_run(&all, batch, HML_CUDA_FLOAT64, EVERYTHING, NULL), HML_OK);
    memcpy(one.q, all.q + 4 * all.nq, all.nq * sizeof(double));
    memcpy(one.v, all.v + 4 * all.nv, all.nv * sizeof(double));
    memcpy(one.tau, all.tau + 4 * all.nv, all.nv * sizeof(double));
    one.n = 1;
    emulated_device_set(&(emulator_options){77, -1, 0, 0});
    assert_int_equal(states_run(&one, batch, HML_CUDA_FLOAT64, EVERYTHING, NULL), HML_OK);
    assert_memory_equal(one.out[CHECK_A], all.out[CHECK_A] + 16 * m, 4 * m * sizeof(double));
    states_free(&all), states_free(&one);
    hml_cuda_batch_free(batch);
    hml_model_free(model);
}

/* what a call refuses, each with a sentence */
static void refusals(void **state)
{
    (void)state;
    hml_model *model = builtin("pendulum"), *mimic;
    hml_cuda_batch *batch = batch_of(model, HML_CUDA_FLOAT64), *none = NULL;
    hml_error error = {0};
    double x[64] = {0}, again = 7;
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.mimic = 1;
    assert_int_equal(hml_model_random(&spec, &mimic), HML_OK);
    assert_int_equal(hml_cuda_batch_new(mimic, HML_CUDA_FLOAT64, 0, &none, &error), HML_UNSUPPORTED);
    assert_non_null(strstr(error.message, "follow others"));
    assert_int_equal(hml_cuda_batch_new(model, HML_CUDA_FLOAT64, 7, &none, &error), HML_NOT_FOUND);
    assert_non_null(strstr(error.message, "no GPU 7"));
    assert_int_equal(hml_cuda_batch_new(model, (hml_cuda_type)2, 0, &none, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_cuda_batch_new(NULL, HML_CUDA_FLOAT64, 0, &none, NULL), HML_INVALID_ARGUMENT);
    assert_null(none);

    hml_cuda_linearization a = HML_STRUCT(hml_cuda_linearization, .q = {x, 1}, .v = {x, 1}, .A = {&again, 1, 0});
    assert_int_equal(hml_cuda_linearize(batch, 1, &a, &error), HML_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "leading dimension"));
    a.A.ld = (size_t)1 << 30;
    assert_int_equal(hml_cuda_linearize(batch, 1, &a, &error), HML_INVALID_ARGUMENT);
    a.A.ld = 0, a.v.data = NULL;
    assert_int_equal(hml_cuda_linearize(batch, 1, &a, &error), HML_INVALID_ARGUMENT);
    a.v.data = x;
    assert_int_equal(hml_cuda_linearize(batch, 0, &a, &error), HML_OK); /* no states: nothing is written */
    assert_true(again == 7);
    assert_int_equal(hml_cuda_linearize(NULL, 1, &a, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_cuda_upload(batch, NULL, x, 8, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_cuda_wait(NULL, NULL, &error), HML_INVALID_ARGUMENT);
    hml_cuda_batch_free(batch);
    hml_cuda_batch_free(NULL);
    hml_model_free(model), hml_model_free(mimic);
}

/* ---- the emulator sees what it is there for ---- */

/* a run with one fault built in; returns what was seen */
static emulator_report run_with(const hml_model *model, hml_cuda_type type, unsigned wanted, int skip, int shift)
{
    hml_cuda_batch *batch = batch_of(model, type);
    cuda_states s =
        states_draw(model, hml_model_nv(model) == 18 ? 30 : 14, 2, 0); /* three warps, more than one round */
    emulated_device_set(&(emulator_options){3, skip, shift, 0});
    assert_int_equal(states_run(&s, batch, type, wanted, NULL), HML_OK);
    states_free(&s);
    hml_cuda_batch_free(batch);
    return *emulated_device_report();
}

/* without the barrier that r has taken out, where only ν̇ is wanted and less is computed in between: races */
static long races_of_acceleration(const hml_model *model, const emulator_report *r)
{
    long races = 0;
    const int barriers = run_with(model, HML_CUDA_FLOAT32, 1u << CHECK_X, -1, 0).barriers;
    for (int k = 0; k < barriers; k++) {
        const emulator_report other = run_with(model, HML_CUDA_FLOAT32, 1u << CHECK_X, k, 0);
        if (strcmp(other.skipped, r->skipped) == 0) races += other.races;
    }
    return races;
}

/* every barrier of a kernel is there for a reason: without it lanes race */
static void check_barriers(const hml_model *model, int at_least)
{
    const int barriers = run_with(model, HML_CUDA_FLOAT32, EVERYTHING, -1, 0).barriers;
    assert_true(barriers >= at_least);
    for (int k = 0; k < barriers; k++) {
        const emulator_report r = run_with(model, HML_CUDA_FLOAT32, EVERYTHING, k, 0);
        if (!r.races && !races_of_acceleration(model, &r))
            fail_msg("%s: this barrier is not needed, or the emulator does not see why", r.skipped);
    }
}

static void missing_barriers(void **state)
{
    (void)state;
    hml_random_spec spec;
    hml_model *model;
    hml_random_spec_init(&spec);
    spec.passive = 1, spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_CYLINDRICAL;
    spec.nbodies = 7;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    check_barriers(model, 10);
    hml_model_free(model);
    spec.shape = HML_RANDOM_BUSHY, spec.branches = 2, spec.nbodies = 25; /* limbs of limbs: a trunk of two columns */
    spec.joint_types = 1u << HML_JOINT_REVOLUTE;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    check_barriers(model, 20);
    hml_model_free(model);
    model = builtin("quadruped");
    check_barriers(model, 6);
    hml_model_free(model);
}

/* equal limbs on a free root, of every number that has a kernel: results as from the kernel with a lane per column */
static void limbs(void **state)
{
    (void)state;
    int with_passive = 0;
    for (int k = 0; k < 24; k++) {
        const int32_t n = k % 4 == 3 ? 6 : 4, joints = k % 4 == 3 ? 3 : 2 + k % 4;
        hml_random_spec spec;
        hml_model *model;
        char name[64];
        hml_random_spec_init(&spec);
        spec.seed = (uint64_t)k, spec.shape = HML_RANDOM_LEGGED, spec.branches = n, spec.nbodies = 1 + n * joints;
        spec.passive = k < 8 ? 0 : 0.6;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        snprintf(name, sizeof name, "%d limbs of %d joints", n, joints);
        const int chosen = strstr(run_with(model, HML_CUDA_FLOAT64, EVERYTHING, 0, 0).skipped, "limbs") != NULL;
        if (k < 8) assert_true(chosen);
        with_passive += chosen && k >= 8;
        check_model(name, model, HML_CUDA_FLOAT64, 9, EVERYTHING, 1e-11);
        check_model(name, model, HML_CUDA_FLOAT64, 3, 1u << CHECK_DV | 1u << CHECK_X, 1e-11);
        hml_model_free(model);
    }
    assert_true(with_passive > 3);
}

/* which kernel a model has, by the file of one of its barriers */
static int has_kernel(const hml_model *model, const char *file)
{
    const int barriers = run_with(model, HML_CUDA_FLOAT64, EVERYTHING, -1, 0).barriers;
    for (int k = 0; k < barriers; k++) {
        if (strstr(run_with(model, HML_CUDA_FLOAT64, EVERYTHING, k, 0).skipped, file)) return 1;
    }
    return 0;
}

/* robots with a trunk: results as from the other kernels, for trunks of one, two and three columns */
static void trunks(void **state)
{
    (void)state;
    int chosen = 0, with_passive = 0;
    for (int seed = 0; seed < 40; seed++) {
        hml_random_spec spec;
        hml_model *model;
        char name[64];
        hml_random_spec_init(&spec);
        spec.seed = (uint64_t)seed + 100, spec.nbodies = 14 + seed % 12;
        spec.shape = seed % 2 ? HML_RANDOM_ANY : HML_RANDOM_BUSHY;
        spec.branches = seed % 3 ? 2 : 1;
        spec.joint_types = seed % 4 < 2 ? 1u << HML_JOINT_REVOLUTE : (2u << HML_JOINT_SPHERICAL) - 2;
        spec.passive = seed % 3 == 2 ? 0.5 : 0;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        snprintf(name, sizeof name, "trunk %d, nv %d", seed, hml_model_nv(model));
        if (hml_model_nv(model) > 18 && hml_model_nv(model) < 36 && has_kernel(model, "trunk")) {
            chosen++, with_passive += spec.passive > 0;
            check_model(name, model, HML_CUDA_FLOAT64, 4, EVERYTHING, 1e-11);
            check_model(name, model, HML_CUDA_FLOAT64, 2, 1u << CHECK_DV | 1u << CHECK_X, 1e-11);
            check_model(name, model, HML_CUDA_FLOAT32, 2, 1u << CHECK_A | 1u << CHECK_X, 1e-2);
        }
        hml_model_free(model);
    }
    print_message("trunks: %d robots, %d with passive forces\n", chosen, with_passive);
    assert_true(chosen >= 8 && with_passive >= 2);
}

static void misaligned_loads(void **state)
{
    (void)state;
    hml_model *model = builtin("pendulum");
    assert_true(run_with(model, HML_CUDA_FLOAT32, EVERYTHING, -1, 4).misaligned > 0);
    assert_true(run_with(model, HML_CUDA_FLOAT64, EVERYTHING, -1, 8).misaligned > 0);
    assert_int_equal(run_with(model, HML_CUDA_FLOAT64, EVERYTHING, -1, 16).misaligned, 0);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_robots),   cmocka_unit_test(random_robots), cmocka_unit_test(faulty_states),
        cmocka_unit_test(singular_states),  cmocka_unit_test(same_bits),     cmocka_unit_test(missing_barriers),
        cmocka_unit_test(misaligned_loads), cmocka_unit_test(refusals),      cmocka_unit_test(limbs),
        cmocka_unit_test(trunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
