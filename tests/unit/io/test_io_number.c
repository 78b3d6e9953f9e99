/* Numbers as text: exact both ways, whatever the locale. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/common/number.h"

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void assert_reads_as_strtod(const char *text)
{
    double x = 0, y = strtod(text, NULL);
    const char *end = hmli_number_read(text, &x);
    if (!end || *end || bits_of(x) != bits_of(y)) fail_msg("%s: %.17g, strtod says %.17g", text, x, y);
}

static void test_plain_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1",
                                        "-1.5",
                                        ".5",
                                        "5.",
                                        "1e3",
                                        "1E+3",
                                        "1e-3",
                                        "00012",
                                        "0.1",
                                        "0.3",
                                        "1e22",
                                        "1e23",
                                        "123456789012345678",
                                        "9007199254740993",
                                        "0.000123",
                                        "1e0",
                                        "0e5",
                                        "0.0e-400",
                                        "3.141592653589793"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_reads_as_strtod(texts[i]);
}

/* famous for being read wrongly; ties, subnormals, the largest and the smallest */
static void test_hard_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062328e-324",
        "2.4703282292062327208299493256e-324",
        "2.4703282292062327e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "17976931348623157081452742373170435679807056752584499659891747680315726078002853876058955863276687817154045895"
        "351"
        "43824642343213268894641827684675467035375169860499105765512820762454900903893289440758685084551339423045832369"
        "032"
        "229481658085593321233477976e0",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "9007199254740992.99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.50000000000000011102230246251565",
        "7.2057594037927933e16",
        "6.631236871469758276785396630275967e-4",
        "1e-400",
        "123456e-350",
        "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001e100",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_reads_as_strtod(texts[i]);
}

static void test_long_numbers(void **state)
{
    (void)state;
    char text[2200];
    /* halfway between 1 and the next double, then a thousand zeros, then a one: just above the tie */
    strcpy(text, "1.00000000000000011102230246251565404236316680908203125");
    size_t n = strlen(text);
    memset(text + n, '0', 1000);
    strcpy(text + n + 1000, "1");
    assert_reads_as_strtod(text);
    memset(text, '9', 2000);
    strcpy(text + 2000, "e-1900");
    assert_reads_as_strtod(text);
    memset(text, '0', 1500);
    strcpy(text + 1500, "1.25");
    assert_reads_as_strtod(text);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void test_random_numbers(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&seed);
        double x, back;
        char text[64];
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        int digits = 1 + (int)(next_random(&seed) % 25);
        snprintf(text, sizeof text, "%.*e", digits, x);
        if (isfinite(strtod(text, NULL))) assert_reads_as_strtod(text);
        hmli_number_write(x, text);
        assert_non_null(hmli_number_read(text, &back));
        assert_true(bits_of(back) == bits_of(x));
        assert_true(strlen(text) < NUMBER_SIZE);
    }
}

static void test_short_numbers_stay_short(void **state)
{
    (void)state;
    static const char *const texts[] = {"0.1", "1", "-0.3", "1e+22", "9.81", "1e-05", "123456", "0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[NUMBER_SIZE];
        hmli_number_write(strtod(texts[i], NULL), text);
        assert_string_equal(text, texts[i]);
    }
}

static void test_what_is_no_number(void **state)
{
    (void)state;
    static const char *const texts[] = {"",    "-",     "+",        ".",   "e5",  "nan",
                                        "inf", "-inf",  "infinity", "NaN", "1e",  "1e+",
                                        "--1", "1e400", "-1e400",   "x",   ".e1", "1e99999999999999999999999"};
    double x = 42;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_null(hmli_number_read(texts[i], &x));
    assert_true(x == 42);
    assert_int_equal(*hmli_number_read("0x10", &x), 'x'); /* zero, and then something else */
    assert_int_equal(*hmli_number_read("1.2.3", &x), '.');
}

static void test_lists(void **state)
{
    (void)state;
    double x[3];
    assert_int_equal(hmli_number_read_list(" 1\t-2.5\n3e1 \r\n", 3, x), 3);
    assert_true(x[0] == 1 && x[1] == -2.5 && x[2] == 30);
    assert_int_equal(hmli_number_read_list("", 3, x), 0);
    assert_int_equal(hmli_number_read_list("  ", 3, x), 0);
    assert_int_equal(hmli_number_read_list("1 2 3 4", 3, x), 4);
    assert_int_equal(hmli_number_read_list("1,2,3", 3, x), -1);
    assert_int_equal(hmli_number_read_list("1 2 x", 3, x), -1);
    assert_int_equal(hmli_number_read_list("0x10", 3, x), -1);
    assert_int_equal(hmli_number_read_list("1 nan", 3, x), -1);
}

/* where the machine has a locale with a comma, nothing changes */
static void test_locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8", "de_DE", "fr_FR"};
    int comma = 0;
    for (size_t i = 0; !comma && i < sizeof names / sizeof *names; i++)
        comma = setlocale(LC_NUMERIC, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0;
    double x;
    char text[NUMBER_SIZE];
    assert_non_null(hmli_number_read("1.5", &x));
    assert_true(x == 1.5);
    hmli_number_write(1.5, text);
    assert_string_equal(text, "1.5");
    setlocale(LC_NUMERIC, "C");
    if (!comma) skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_numbers),
        cmocka_unit_test(test_hard_numbers),
        cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_short_numbers_stay_short),
        cmocka_unit_test(test_what_is_no_number),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
