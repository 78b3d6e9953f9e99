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
        cmocka_unit_test(test_what_it_was_not_made_for_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
