/* Instruction sets: what is offered can be had, and has the lanes it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/base.h"
#include "kernel/dispatch.h"

static void test_best_is_available(void **state)
{
    (void)state;
    hml_isa best = hml_isa_best();
    assert_true(hml_isa_available(best));
    assert_true(hml_isa_available(HML_ISA_SCALAR));
    assert_true(hml_isa_available(HML_ISA_BEST));
    assert_ptr_equal(hmli_kernels_get(HML_ISA_BEST), hmli_kernels_get(best));
}

static void test_lanes_are_the_value_of_the_enum(void **state)
{
    (void)state;
    static const hml_isa all[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const kernel_table *kernels = hmli_kernels_get(all[i]);
        if (kernels) assert_int_equal(kernels->lanes, (int)all[i]);
    }
}

static void test_unknown_is_refused(void **state)
{
    (void)state;
    assert_false(hml_isa_available((hml_isa)3));
    assert_string_equal(hml_isa_name((hml_isa)3), "unknown");
    assert_string_equal(hml_isa_name(HML_ISA_AVX512), "x8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best_is_available),
        cmocka_unit_test(test_lanes_are_the_value_of_the_enum),
        cmocka_unit_test(test_unknown_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
