/* Inverse dynamics, M, frames and held feet of the GPU, emulated, beside the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "emulate.h"
#include "hamel/io.h"
#include "hamel/random.h"
#include "motion_check.h"

enum { ALL = (1u << HELD_OUTPUTS) - 1, N = 5 };

static hml_model *builtin(const char *name)
{
    hml_model *model = NULL;
    assert_int_equal(hml_load_builtin(name, NULL, &model, NULL), HML_OK);
    return model;
}

static hml_cuda_batch *batch_of(const hml_model *model, hml_cuda_type type)
{
    hml_cuda_batch *batch = NULL;
    assert_int_equal(hml_cuda_batch_new(model, type, 0, &batch, NULL), HML_OK);
    return batch;
}

static void no_faults(const char *name)
{
    const emulator_report *r = emulated_device_report();
    if (r->races || r->misaligned || r->outside || r->parted)
        fail_msg("%s: %s (%ld, %ld, %ld, %ld)", name, r->first, r->races, r->misaligned, r->outside, r->parted);
}

static void check_motion(const char *name, const hml_model *model, hml_cuda_type type, double tolerance)
{
    static const hml_representation all[] = {HML_LEFT, HML_RIGHT, HML_MIXED, HML_SPLIT};
    hml_cuda_batch *batch = batch_of(model, type);
    cuda_states s = states_draw(model, N, 3, 1);
    emulated_device_set(&(emulator_options){5, -1, 0, 0});
    const double dynamics = check_dynamics(&s, batch, type);
    if (!(dynamics < tolerance)) fail_msg("%s: dynamics differ by %g", name, dynamics);
    for (int k = 0; k < (type == HML_CUDA_FLOAT64 ? 4 : 1); k++) {
        const double frames = check_frames(&s, batch, type, all[k]);
        if (!(frames < tolerance)) fail_msg("%s: frames in representation %d differ by %g", name, (int)all[k], frames);
    }
    no_faults(name);
    states_free(&s);
    hml_cuda_batch_free(batch);
}

static void robots(void **state)
{
    (void)state;
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        hml_model *model = builtin(hml_builtin_name(i));
        check_motion(hml_builtin_name(i), model, HML_CUDA_FLOAT64, 1e-12);
        check_motion(hml_builtin_name(i), model, HML_CUDA_FLOAT32, 1e-3);
        hml_model_free(model);
    }
    for (int seed = 0; seed < 16; seed++) {
        static const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_FIXED, HML_JOINT_SPHERICAL};
        hml_random_spec spec;
        hml_model *model;
        char name[64];
        hml_random_spec_init(&spec);
        spec.seed = (uint64_t)seed + 1, spec.nbodies = 3 + seed, spec.root = roots[seed % 3];
        spec.joint_types = (2u << HML_JOINT_FREE) - 2, spec.passive = seed % 4 == 3 ? 1 : 0;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        snprintf(name, sizeof name, "a random robot, %d", seed);
        check_motion(name, model, HML_CUDA_FLOAT64, 1e-11);
        hml_model_free(model);
    }
}

/* ---- held feet ---- */

/* returns how many states were compared */
static size_t check_holds(const char *name, const hml_model *model, hml_cuda_type type, int32_t most, unsigned kinds,
                          double gain, double tolerance)
{
    static const unsigned wanted[] = {ALL, 1u << 0 | 1u << 1, 1u << 2 | 1u << 5 | 1u << 9, 1u << 6, 1u << 4 | 1u << 8};
    hml_constraint items[8];
    const hml_constraints set = {
        .struct_size = sizeof set, .items = items, .count = draw_holds(model, most, kinds, gain, items)};
    hml_cuda_batch *batch = batch_of(model, type);
    size_t left = 0, all = 0;
    hml_error error = {0};
    emulated_device_set(&(emulator_options){7, -1, 0, 0});
    for (size_t k = 0; k < (type == HML_CUDA_FLOAT64 ? sizeof wanted / sizeof *wanted : 1); k++) {
        cuda_states s = states_draw(model, N, 5 + k, k % 2 == 0);
        const double worst = check_held(&s, batch, type, &set, wanted[k], &left, &error);
        if (!(worst < tolerance)) fail_msg("%s: outputs %x differ by %g %s", name, wanted[k], worst, error.message);
        all += s.n;
        states_free(&s);
    }
    no_faults(name);
    hml_cuda_batch_free(batch);
    return all - left;
}

static void holds(void **state)
{
    (void)state;
    size_t compared = 0;
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        const char *name = hml_builtin_name(i);
        hml_model *model = builtin(name);
        compared += check_holds(name, model, HML_CUDA_FLOAT64, 4, 0, 0, 1e-8);
        compared += check_holds(name, model, HML_CUDA_FLOAT64, 1, 1, 2, 1e-8);
        compared += check_holds(name, model, HML_CUDA_FLOAT32, 2, 0, 0, 5e-2);
        hml_model_free(model);
    }
    print_message("%zu states\n", compared);
    assert_true(compared > 150);
    hml_model *model = builtin("quadruped");
    assert_int_equal(check_holds("quadruped", model, HML_CUDA_FLOAT64, 4, 0, 0, 1e-11), 5 * N);
    assert_int_equal(check_holds("quadruped", model, HML_CUDA_FLOAT64, 4, 0, 4, 1e-11), 5 * N);
    assert_int_equal(check_holds("quadruped", model, HML_CUDA_FLOAT64, 1, 1, 4, 1e-11), 5 * N);
    hml_model_free(model);
}

static void random_holds(void **state)
{
    (void)state;
    size_t compared = 0;
    for (int seed = 0; seed < 24; seed++) {
        static const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_FIXED};
        hml_random_spec spec;
        hml_model *model;
        char name[64];
        hml_random_spec_init(&spec);
        spec.seed = (uint64_t)seed + 50, spec.nbodies = 6 + seed / 2, spec.root = roots[seed % 4 == 3];
        spec.joint_types = (2u << HML_JOINT_FREE) - 2, spec.passive = seed % 4 == 1 ? 1 : 0;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        snprintf(name, sizeof name, "a random robot, %d", seed);
        compared += check_holds(name, model, HML_CUDA_FLOAT64, 1 + seed % 3, (unsigned)seed >> 1 & 3, seed % 5, 1e-7);
        hml_model_free(model);
    }
    print_message("%zu states of random robots\n", compared);
    assert_true(compared > 200);
}

/* what a call refuses, and what a bad state is */
static void refusals(void **state)
{
    (void)state;
    hml_model *model = builtin("quadruped");
    hml_cuda_batch *batch = batch_of(model, HML_CUDA_FLOAT64);
    hml_constraint item = {.kind = HML_HOLD_PLANE, .frame = 1, .normal = {0, 0, 1}};
    hml_constraints set = {.struct_size = sizeof set, .items = &item, .count = 1};
    hml_cuda_holds *h = NULL;
    hml_error error = {0};
    double x[64] = {0};
    assert_int_equal(hml_cuda_holds_new(batch, &set, &h, &error), HML_UNSUPPORTED);
    assert_non_null(strstr(error.message, "planes"));
    item.kind = HML_HOLD_POINT, item.frame = 1000;
    assert_int_equal(hml_cuda_holds_new(batch, &set, &h, &error), HML_INVALID_ARGUMENT);
    item.frame = 1, set.count = 0;
    assert_int_equal(hml_cuda_holds_new(batch, &set, &h, &error), HML_UNSUPPORTED);
    assert_int_equal(hml_cuda_holds_new(NULL, &set, &h, &error), HML_INVALID_ARGUMENT);
    assert_null(h);
    set.count = 1;
    assert_int_equal(hml_cuda_holds_new(batch, &set, &h, &error), HML_OK);
    hml_cuda_constrained a = {.struct_size = sizeof a, .q = {x, 0}};
    assert_int_equal(hml_cuda_constrained_linearize(h, 1, &a, &error), HML_INVALID_ARGUMENT);
    a.v.data = x, a.Dq.data = x, a.Dq.ld = 2;
    assert_int_equal(hml_cuda_constrained_linearize(h, 1, &a, &error), HML_INVALID_ARGUMENT);
    a.Dq.ld = 0;
    assert_int_equal(hml_cuda_constrained_linearize(h, 0, &a, &error), HML_OK);
    assert_int_equal(hml_cuda_constrained_linearize(NULL, 0, &a, &error), HML_INVALID_ARGUMENT);
    hml_cuda_holds_free(h), hml_cuda_holds_free(NULL);

    hml_cuda_kinematics_arguments k = {.struct_size = sizeof k, .q = {x, 0}, .count = 1000, .pose = {.data = x}};
    assert_int_equal(hml_cuda_kinematics(batch, 1, &k, &error), HML_INVALID_ARGUMENT);
    const int32_t wrong = -1;
    k.count = 1, k.frames = &wrong;
    assert_int_equal(hml_cuda_kinematics(batch, 1, &k, &error), HML_INVALID_ARGUMENT);
    k.frames = NULL, k.representation = (hml_representation)9;
    assert_int_equal(hml_cuda_kinematics(batch, 1, &k, &error), HML_INVALID_ARGUMENT);
    k.representation = HML_LEFT, k.q.data = NULL;
    assert_int_equal(hml_cuda_kinematics(batch, 1, &k, &error), HML_INVALID_ARGUMENT);
    hml_cuda_dynamics_arguments d = {.struct_size = sizeof d};
    assert_int_equal(hml_cuda_dynamics(batch, 1, &d, &error), HML_INVALID_ARGUMENT);
    d.q.data = x;
    assert_int_equal(hml_cuda_dynamics(batch, 1, &d, &error), HML_OK); /* nothing is wanted */
    d.M.data = x, d.M.ld = 1;
    assert_int_equal(hml_cuda_dynamics(batch, 1, &d, &error), HML_INVALID_ARGUMENT);

    cuda_states s = states_draw(model, N, 3, 0);
    size_t left = 0;
    s.q[1 * s.nq + 9] = NAN, s.q[3 * s.nq + 3] *= 1.5;
    assert_true(check_dynamics(&s, batch, HML_CUDA_FLOAT64) < 1e-12);
    assert_int_equal(s.status[1], HML_NOT_FINITE), assert_int_equal(s.status[3], HML_NOT_NORMALIZED);
    assert_true(check_frames(&s, batch, HML_CUDA_FLOAT64, HML_MIXED) < 1e-12);
    assert_true(check_held(&s, batch, HML_CUDA_FLOAT64, &set, ALL, &left, &error) < 1e-10);
    assert_int_equal(s.status[1], HML_NOT_FINITE), assert_int_equal(s.status[3], HML_NOT_NORMALIZED);
    const hml_constraint twice[2] = {item, item}; /* rows that depend on each other are left to the CPU */
    set.items = twice, set.count = 2;
    assert_true(check_held(&s, batch, HML_CUDA_FLOAT64, &set, ALL, &left, &error) < 1e-10);
    assert_int_equal(left, N - 2);
    states_free(&s);
    hml_cuda_batch_free(batch);
    hml_model_free(model);
}

/* every barrier is there for a reason */
static long races_without(const hml_model *model, int skip, int held, char *where)
{
    hml_cuda_batch *batch = batch_of(model, HML_CUDA_FLOAT32);
    hml_constraint items[4];
    const hml_constraints set = {.struct_size = sizeof set, .items = items, .count = draw_holds(model, 2, 0, 1, items)};
    cuda_states s = states_draw(model, 14, 2, 0);
    size_t left = 0;
    emulated_device_set(&(emulator_options){3, skip, 0, 1});
    if (held) {
        check_held(&s, batch, HML_CUDA_FLOAT32, &set, ALL, &left, NULL);
    } else {
        check_dynamics(&s, batch, HML_CUDA_FLOAT32);
        check_frames(&s, batch, HML_CUDA_FLOAT32, HML_LEFT);
    }
    snprintf(where, 256, "%s", emulated_device_report()->skipped);
    states_free(&s);
    hml_cuda_batch_free(batch);
    return skip < 0 ? emulated_device_report()->barriers : emulated_device_report()->races;
}

static void missing_barriers(void **state)
{
    (void)state;
    hml_model *model = builtin("quadruped");
    char where[256];
    int seen = 0;
    for (int held = 0; held < 2; held++) {
        const long barriers = races_without(model, -1, held, where);
        for (int k = 0; k < barriers; k++) {
            const long races = races_without(model, k, held, where);
            if (!strstr(where, "held") && !strstr(where, "motion.h")) continue; /* test_cuda_lanes has the others */
            if (!races) print_message("%s: this barrier is not needed, or the emulator does not see why\n", where);
            seen += races > 0;
        }
    }
    assert_true(seen >= 8);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(robots), cmocka_unit_test(holds),
                                       cmocka_unit_test(random_holds), cmocka_unit_test(refusals),
                                       cmocka_unit_test(missing_barriers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
