/*
 * What kernels leave for others (kernel/scratch.h) lies where this object, compiled without AVX, looks for it; and the
 * choice of kernels of a workspace holds together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/kinematics/scratch.h"
#include "algo/work.h"
#include "hamel/random.h"
#include "kernel/dispatch.h"
#include "kernel/scratch.h"

static const hml_isa sets[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
enum { SETS = sizeof sets / sizeof *sets, MODELS = 30 };

static hml_model *draw(uint64_t seed, int32_t bodies)
{
    hml_model *model = NULL;
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.nbodies = bodies;
    spec.seed = seed;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    return model;
}

static void test_every_object_keeps_things_in_the_same_place(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        hml_model *model = draw(seed, (int32_t)(1 + seed));
        const hml_plan *plan = model_plan(model);
        kept_scratch here, there;
        const size_t size = kept_scratch_lay(plan, NULL, &here);
        void *memory = aligned_alloc(LAYOUT_ALIGN, layout_aligned(size));
        assert_non_null(memory);
        memset(&here, 0, sizeof here);
        kept_scratch_lay(plan, memory, &here);
        for (int i = 0; i < SETS; i++) {
            kernel_choice choice;
            if (!hmli_kernel_choose(plan, 0, sets[i], &choice)) continue;
            memset(&there, 0, sizeof there);
            assert_int_equal(choice.fallback->lanes, 1);
            assert_int_equal(choice.fallback->kept_scratch(plan, memory, &there), size);
            assert_memory_equal(&here, &there, sizeof here);
            assert_true(hmli_kernel_scratch_size(plan, &choice, 0) >= size);
        }
        free(memory);
        hml_model_free(model);
    }
}

static void test_a_choice_has_every_kernel_that_is_called(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        hml_model *model = draw(seed, (int32_t)(3 * seed));
        const hml_plan *plan = model_plan(model);
        for (int i = 0; i < SETS; i++) {
            kernel_choice c;
            if (!hmli_kernel_choose(plan, 0, sets[i], &c)) continue;
            assert_non_null(c.single->single_poses);
            assert_non_null(c.batch_matrices->pack_linearize);
            assert_non_null(c.batch_matrices->pack_mass_matrix);
            assert_non_null(c.fallback->pack_jacobians);
            assert_non_null(c.fallback->pack_inverse_dynamics_derivatives);
            assert_non_null(c.batch->pack_inverse_mass_matrix);
            assert_non_null(c.batch->pack_integrate);
            if (c.one_by_one) assert_non_null(c.single->single_inverse_mass_matrix);
            assert_true(c.batch_matrices->lanes <= c.batch->lanes);
            /* with the paths never less than without */
            assert_true(hmli_kernel_scratch_size(plan, &c, 1) >= hmli_kernel_scratch_size(plan, &c, 0));
        }
        hml_model_free(model);
    }
}

static void test_an_unknown_instruction_set_has_no_choice(void **state)
{
    (void)state;
    hml_model *model = draw(1, 4);
    kernel_choice choice;
    assert_false(hmli_kernel_choose(model_plan(model), 0, (hml_isa)3, &choice));
    hml_model_free(model);
}

/* what plain kinematics keep ends before the workspace does, and what a kernel keeps lies where its object says */
static void test_a_workspace_has_room_for_plain_kinematics(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        hml_model *model = draw(seed, (int32_t)seed);
        for (int i = 0; i < SETS; i++) {
            const size_t size = hml_work_size(model, sets[i], HML_USE_TREE);
            hml_work *work;
            kept_scratch there;
            if (!size) continue;
            char *memory = aligned_alloc(HML_WORK_ALIGN, size);
            assert_non_null(memory);
            assert_int_equal(hml_work_init(memory, size, model, sets[i], HML_USE_TREE, &work), HML_OK);
            kinematics_scratch k = hmli_work_kinematics(work);
            const size_t nv = (size_t)hml_model_nv(model), nb = (size_t)hml_model_nbodies(model);
            assert_true((char *)(k.bodies + nb) <= memory + size);
            assert_true((char *)(k.path + nv) <= memory + size);
            assert_true((char *)(k.rest + nv) <= memory + size);
            assert_true((char *)(k.centroidal.Adot + 6 * nv) <= memory + size);
            assert_true((char *)(k.centroidal.bodies + nb) <= (char *)k.centroidal.columns);
            assert_true((char *)(k.centroidal.columns + nv) <= (char *)k.centroidal.A);
            const kept_scratch kept = hmli_work_kept(work);
            work->choice.fallback->kept_scratch(model_plan(model), work->scratch, &there);
            assert_ptr_equal(kept.solver, there.solver);
            assert_true((char *)(kept.solver + nv) <= memory + size);
            free(memory);
        }
        hml_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_object_keeps_things_in_the_same_place),
        cmocka_unit_test(test_a_choice_has_every_kernel_that_is_called),
        cmocka_unit_test(test_an_unknown_instruction_set_has_no_choice),
        cmocka_unit_test(test_a_workspace_has_room_for_plain_kinematics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
