/*
 * Out of memory, at every single allocation: the command says so and fails, or it did not need it and says and writes
 * what it always does. Never half a result with the exit status 0.
 */
#include "npz_files.h"

#define PENDULUM ROBOTS "pendulum.json"
#define PRELOAD  "LD_PRELOAD='" HAMEL_FAILING "' "

static char expected[sizeof run_out], written[1 << 20], again[sizeof written];

static long allocations(const char *arguments)
{
    char text[32];
    assert_int_equal(run_with(PRELOAD "HAMEL_ALLOCATIONS=.count", arguments), 0);
    run_read(".count", text, sizeof text);
    return atol(text);
}

static void fail_everywhere(const char *arguments, const char *file)
{
    long total = allocations(arguments), failures = 0;
    memcpy(expected, run_out, sizeof expected);
    if (file) run_read(file, written, sizeof written);
    assert_true(total > 20);
    for (long k = 1; k <= total; k++) {
        char before[1024];
        snprintf(before, sizeof before, "rm -f '%s'; " PRELOAD "HAMEL_FAIL=%ld", file ? file : "", k);
        int status = run_with(before, arguments);
        if (status >= 128) fail_msg("hamel %s, allocation %ld of %ld: signal %d", arguments, k, total, status - 128);
        if (status && !*run_err) fail_msg("hamel %s, allocation %ld of %ld: fails in silence", arguments, k, total);
        if (status && !run_err[strspn(run_err, "\n")]) fail_msg("hamel %s, allocation %ld: no message", arguments, k);
        failures += status != 0;
        if (status) continue;
        if (file) run_read(file, again, sizeof again);
        if (strcmp(run_out, expected) != 0 || (file && strcmp(again, written) != 0))
            fail_msg("hamel %s, allocation %ld of %ld: another result with exit status 0", arguments, k, total);
    }
    assert_true(failures > total / 2);
}

static void test_linearize(void **state)
{
    (void)state;
    fail_everywhere("linearize " PENDULUM, NULL);
    fail_everywhere("linearize " PENDULUM " --out a.json", "a.json");
    fail_everywhere("linearize " PENDULUM " --out a.csv", "a.csv");
    fail_everywhere("linearize " PENDULUM " --picture a.svg --spy", "a.svg");
}

static void test_many_states(void **state)
{
    (void)state;
    const double x[3] = {0.1, 0.2, 0.3};
    const npz_file_array arrays[] = {{"position", "<f8", "3, 1", x, sizeof x, 0},
                                     {"velocity", "<f8", "3, 1", x, sizeof x, 0}};
    npz_file_save("s.npz", 2, arrays, 0);
    fail_everywhere("linearize " PENDULUM " --states s.npz --threads 1 --out a.npz", "a.npz");
    fail_everywhere("generate " PENDULUM " --out a.c --functions mass_matrix", "a.c");
    fail_everywhere("simulate " PENDULUM " --time 0.1 --states s.npz --threads 1 --out a.npz", "a.npz");
}

static void test_others(void **state)
{
    (void)state;
    fail_everywhere("info " PENDULUM, NULL);
    fail_everywhere("info " PENDULUM " --out a.json", "a.json");
    fail_everywhere("dynamics " PENDULUM " --out a.json", "a.json");
    fail_everywhere("jacobian " PENDULUM " --frame tip --out a.json", "a.json");
    fail_everywhere("simulate " PENDULUM " --time 0.1 --out a.csv --plot a.svg", "a.csv");
}

static void test_control(void **state)
{
    (void)state;
    fail_everywhere("trim " PENDULUM, NULL);
    fail_everywhere("trim " PENDULUM " --hold tip:point --save a.json", "a.json");
    fail_everywhere("lqr " PENDULUM " --out a.json", "a.json");
    fail_everywhere("lqr " PENDULUM " --simulate 0.002 --plot a.svg", "a.svg");
    fail_everywhere("modes " PENDULUM " --out a.json", "a.json");
    fail_everywhere("modes " PENDULUM " --view /dev/null", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_linearize), cmocka_unit_test(test_many_states),
                                       cmocka_unit_test(test_others), cmocka_unit_test(test_control)};
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
