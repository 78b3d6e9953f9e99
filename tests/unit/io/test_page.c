/* Pages: what is asked for wrongly gets a status and a sentence. */
#include <stdlib.h>

#include "hamel/contact.h"
#include "hamel/view.h"
#include "io_check.h"

static void write_page(const hml_heightfield *f, int32_t n, hml_status expected, const char *word)
{
    hml_model *m = NULL;
    hml_error error = {0};
    hml_page_options o;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(hml_load_builtin("pendulum", NULL, &m, &error), HML_OK);
    hml_page_options_init(&o);
    o.heightfields = f, o.nheightfields = n;
    const hml_status status = hml_write_page(m, &o, &text, &size, &error);
    hml_model_free(m);
    if (status == HML_UNSUPPORTED) skip(); /* built without libzip */
    assert_int_equal(status, expected);
    if (status == HML_OK)
        assert_non_null(strstr(text, word));
    else if (!strstr(error.message, word))
        fail_msg("'%s' lacks '%s'", error.message, word);
    hml_text_free(text);
}

static void test_heightfields(void **state)
{
    (void)state;
    const double heights[4] = {0, 0.1, 0.2, 0.3}, odd[4] = {0, NAN, 0, 0};
    const hml_heightfield good = {.heights = heights, .rows = 2, .columns = 2, .spacing = {1, 1}};
    write_page(&good, 1, HML_OK, "heightfields");
    write_page(NULL, 1, HML_INVALID_ARGUMENT, "no heightfields");
    write_page(&good, -1, HML_INVALID_ARGUMENT, "negative");
    hml_heightfield f = good;
    f.heights = NULL;
    write_page(&f, 1, HML_INVALID_ARGUMENT, "grid of heights");
    f = good, f.rows = -2, f.columns = -2;
    write_page(&f, 1, HML_INVALID_ARGUMENT, "grid of heights");
    f = good, f.rows = f.columns = 1 << 20;
    write_page(&f, 1, HML_INVALID_ARGUMENT, "2^24");
    f = good, f.heights = odd;
    write_page(&f, 1, HML_NOT_FINITE, "not finite");
    f = good, f.spacing[1] = INFINITY;
    write_page(&f, 1, HML_NOT_FINITE, "not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heightfields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
