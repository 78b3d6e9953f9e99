/* One block of memory, taken piece by piece: base/layout.h. */
#include "base/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct pieces {
    char *line;
    int32_t *order;
    double *x;
} pieces;

/* five bytes, three integers, two doubles */
static size_t lay_out(void *memory, pieces *p)
{
    layout_cursor c = layout_begin(memory);
    p->line = layout_take(&c, 5);
    p->order = layout_array(&c, 3, sizeof *p->order);
    p->x = layout_doubles(&c, 2);
    return c.used;
}

static void test_measured_and_placed_alike(void **state)
{
    pieces p;
    char *memory = aligned_alloc(LAYOUT_ALIGN, 2 * LAYOUT_ALIGN);
    (void)state;
    assert_non_null(memory);
    assert_int_equal(lay_out(NULL, &p), 64 + 16 + 16);
    assert_null(p.line);
    assert_null(p.order);
    assert_null(p.x);
    assert_int_equal(lay_out(memory, &p), 64 + 16 + 16);
    assert_ptr_equal(p.line, memory);
    assert_ptr_equal(p.order, memory + 64);
    assert_ptr_equal(p.x, memory + 64 + 16);
    free(memory);
}

/* what no memory holds is SIZE_MAX, and stays it whatever comes after */
static void test_sizes_saturate(void **state)
{
    const struct {
        size_t count, element;
    } large[] = {{SIZE_MAX, 1}, {SIZE_MAX / 8, 9}, {SIZE_MAX / 2, 4}, {1, SIZE_MAX}, {SIZE_MAX - 6, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        layout_cursor c = layout_begin(NULL);
        layout_doubles(&c, 1);
        layout_array(&c, large[i].count, large[i].element);
        assert_int_equal(c.used, SIZE_MAX);
        layout_array(&c, 0, 1);
        layout_doubles(&c, 4);
        assert_int_equal(c.used, SIZE_MAX);
    }
    layout_cursor c = layout_begin(NULL);
    layout_array(&c, SIZE_MAX / 8 - 3, 8); /* the last that is a size: two doubles are left */
    assert_int_equal(c.used, SIZE_MAX - 31);
    assert_int_equal(layout_count(&c), SIZE_MAX / 8 - 3);
}

static void test_offsets(void **state)
{
    uint64_t end = 0;
    (void)state;
    assert_int_equal(layout_offset(&end, 1, 65), 0);
    assert_int_equal(end, 128);
    assert_int_equal(layout_offset(&end, 0, 8), 128);
    assert_int_equal(end, 128);
    assert_int_equal(layout_offset(&end, UINT64_C(1) << 29, 400), 128); /* beyond 32 bits */
    assert_int_equal(end, 128 + (UINT64_C(1) << 29) * 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_and_placed_alike),
        cmocka_unit_test(test_sizes_saturate),
        cmocka_unit_test(test_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
