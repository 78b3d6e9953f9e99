/* Workspaces on the caller's memory: never written outside their size, whatever they were made for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/dynamics.h"
#include "hamel/linearize.h"
#include "hamel/single_precision.h"

enum { GUARD = 4096, NV = 200 };

/* a chain of revolute joints with springs; the last follows the first if mimic is set */
static hml_model *chain(int n, int mimic)
{
    uint64_t seed = 5;
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    for (int i = 0; i < n; i++) {
        char name[16], joint[16], parent[16];
        hml_joint_spec j;
        hml_inertia_spec I;
        snprintf(name, sizeof name, "b%d", i);
        snprintf(joint, sizeof joint, "j%d", i);
        snprintf(parent, sizeof parent, "b%d", i - 1);
        hml_joint_spec_init(&j, HML_JOINT_REVOLUTE);
        j.name = joint;
        j.axis[0] = 0, j.axis[1] = i % 2, j.axis[2] = 1;
        j.position[0] = 0.1;
        j.stiffness[0] = 1;
        if (mimic && i == n - 1) j.mimic = "j0", j.multiplier = 0.5;
        draw_inertia(&seed, &I);
        assert_int_equal(hml_builder_add_body(b, name, i ? parent : NULL, &j, &I, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, 0, &m, NULL), HML_OK);
    hml_builder_free(b);
    return m;
}

static void run(int n, int mimic, unsigned uses)
{
    static const hml_isa all[] = {HML_ISA_SCALAR, HML_ISA_BEST};
    hml_model *m = chain(n, mimic);
    double q[NV] = {0}, v[NV] = {0}, a[NV] = {0}, tau[NV], expected[NV];
    for (int i = 0; i < hml_model_nv(m); i++) q[i] = 0.1 * i, v[i] = 0.2, a[i] = -0.3;
    hml_work *whole;
    assert_int_equal(hml_work_new(m, HML_ISA_SCALAR, HML_USE_ALL, &whole), HML_OK);
    assert_int_equal(hml_inverse_dynamics(m, whole, q, v, a, NULL, expected), HML_OK);
    for (size_t k = 0; k < 2; k++) {
        size_t size = hml_work_size(m, all[k], uses);
        unsigned char *memory = NULL;
        assert_int_equal(posix_memalign((void **)&memory, HML_WORK_ALIGN, size + GUARD), 0);
        memset(memory, 0xa5, size + GUARD);
        hml_work *work;
        assert_int_equal(hml_work_init(memory, size, m, all[k], uses, &work), HML_OK);
        assert_int_equal(hml_inverse_dynamics(m, work, q, v, a, NULL, tau), HML_OK);
        for (int i = 0; i < hml_model_nv(m); i++) assert_true(fabs(tau[i] - expected[i]) < 1e-9 * (1 + fabs(tau[i])));
        hml_status forward = mimic && !(uses & HML_USE_FACTOR) ? HML_INVALID_ARGUMENT : HML_OK;
        assert_int_equal(hml_forward_dynamics(m, work, q, v, tau, NULL, a), forward);
        for (size_t i = 0; i < GUARD; i++) assert_int_equal(memory[size + i], 0xa5);
        free(memory);
    }
    hml_work_free(whole);
    hml_model_free(m);
}

static void test_a_workspace_for_the_tree_keeps_to_its_size(void **state)
{
    (void)state;
    run(60, 0, HML_USE_TREE);
    run(60, 1, HML_USE_TREE);
}

static void test_a_workspace_for_everything_keeps_to_its_size(void **state)
{
    (void)state;
    run(60, 0, HML_USE_ALL);
    run(12, 1, HML_USE_ALL);
}

/* what a kernel writes behind its scratch may lie far behind it: as far as the scratch of the widest is long */
enum { FAR_GUARD = 1 << 22, BATCH = 17 };

/* all batches of dynamics, in double and in floats; `out` has room for the largest result, one after the other */
static void run_batches(const hml_model *m, hml_work *work, const double *x, const float *narrow, void *out)
{
    const hml_output wide = {out, 0, 0};
    const hml_output_f32 to = {out, 0, 0};
    const hml_input in = {x, 0};
    const hml_input_f32 from = {narrow, 0};
    const int followers = hml_model_nq(m) < hml_model_nbodies(m);
    hml_dynamics_states d = {.struct_size = sizeof d, .q = in, .v = in, .tau = in, .a = in};
    d.acceleration = d.torque = d.M = d.Minv = d.dtau_dq = d.dtau_dv = d.gravity = d.gravity_q = wide;
    assert_int_equal(hml_dynamics_batch(m, work, BATCH, &d, NULL), HML_OK);
    hml_dynamics_states robot = {.struct_size = sizeof robot, .q = in, .v = in, .a = in};
    robot.coriolis = robot.Mdot = robot.regressor = wide;
    assert_int_equal(hml_dynamics_batch(m, work, BATCH, &robot, NULL), followers ? HML_UNSUPPORTED : HML_OK);
    hml_linearization l = {.struct_size = sizeof l, .q = in, .v = in, .tau = in};
    l.acceleration = l.Dq = l.Dv = l.Minv = wide;
    assert_int_equal(hml_linearize_batch(m, work, BATCH, &l, NULL), HML_OK);
    hml_dynamics_states_f32 e = {.struct_size = sizeof e, .q = from, .v = from, .tau = from, .a = from};
    e.acceleration = e.torque = e.M = e.Minv = e.dtau_dq = e.dtau_dv = to;
    assert_int_equal(hml_dynamics_batch_f32(m, work, BATCH, &e, NULL), HML_OK);
    hml_linearization_f32 k = {.struct_size = sizeof k, .q = from, .v = from, .tau = from};
    k.acceleration = k.Dq = k.Dv = k.Minv = to;
    assert_int_equal(hml_linearize_batch_f32(m, work, BATCH, &k, NULL), HML_OK);
}

/* chains so long that packs of states are not linearized, and shorter ones, on every instruction set */
static void test_batches_keep_to_the_size_of_a_workspace(void **state)
{
    (void)state;
    static const hml_isa all[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    static const struct {
        int n, mimic;
    } chains[] = {{60, 0}, {26, 0}, {8, 0}, {12, 1}};
    double x[NV];
    float narrow[NV];
    for (int i = 0; i < NV; i++) narrow[i] = 0.05F * (float)(i % 7), x[i] = (double)narrow[i];
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        hml_model *m = chain(chains[c].n, chains[c].mimic);
        const size_t nv = (size_t)hml_model_nv(m), row = 10 * (size_t)chains[c].n;
        double *out = malloc(BATCH * nv * row * sizeof *out);
        assert_non_null(out);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            const size_t size = hml_work_size(m, all[i], HML_USE_ALL);
            unsigned char *memory = NULL;
            hml_work *work;
            if (!hml_isa_available(all[i])) continue;
            assert_int_equal(posix_memalign((void **)&memory, HML_WORK_ALIGN, size + FAR_GUARD), 0);
            memset(memory, 0xa5, size + FAR_GUARD);
            assert_int_equal(hml_work_init(memory, size, m, all[i], HML_USE_ALL, &work), HML_OK);
            run_batches(m, work, x, narrow, out);
            for (size_t k = 0; k < FAR_GUARD; k++) {
                if (memory[size + k] != 0xa5) fail_msg("%d bodies, set %zu: byte %zu behind it", chains[c].n, i, k);
            }
            free(memory);
        }
        free(out);
        hml_model_free(m);
    }
}

static void test_what_it_was_not_made_for_is_refused(void **state)
{
    (void)state;
    hml_model *m = chain(3, 0), *other = chain(3, 0);
    hml_work *work;
    double x[NV] = {0};
    assert_int_equal(hml_work_new(m, HML_ISA_BEST, HML_USE_TREE, &work), HML_OK);
    assert_int_equal(hml_mass_matrix(m, work, x, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_inverse_dynamics(other, work, x, x, x, NULL, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_work_isa(work), hml_isa_best());
    hml_work_free(work);
    assert_int_equal(hml_work_size(m, (hml_isa)3, HML_USE_ALL), 0);
    assert_int_equal(hml_work_new(m, (hml_isa)3, HML_USE_ALL, &work), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_work_init(x, sizeof x, NULL, HML_ISA_BEST, HML_USE_ALL, &work), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_work_init((char *)x + 8, 64, m, HML_ISA_BEST, HML_USE_ALL, &work), HML_INVALID_ARGUMENT);
    hml_work_free(NULL);
    hml_model_free(m);
    hml_model_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_workspace_for_the_tree_keeps_to_its_size),
        cmocka_unit_test(test_a_workspace_for_everything_keeps_to_its_size),
        cmocka_unit_test(test_batches_keep_to_the_size_of_a_workspace),
        cmocka_unit_test(test_what_it_was_not_made_for_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
