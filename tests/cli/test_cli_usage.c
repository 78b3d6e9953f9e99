/* Help, usage, exit statuses, and that every option is in the help, the manual page, the completions and the document.
 */
#include <math.h>

#include "run.h"

static const char *const COMMANDS[] = {"info", "dynamics", "jacobian", "linearize", "validate", "simulate",
                                       "view", "bench",    "lqr",      "modes",     "generate"};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static void version_and_help(void **state)
{
    (void)state;
    assert_int_equal(run("--version"), 0);
    assert_memory_equal(run_out, "hamel ", 6);
    assert_int_equal(run("--help"), 0);
    for (int i = 0; i < COMMAND_COUNT; i++) assert_non_null(strstr(run_out, COMMANDS[i]));
    for (int i = 0; i < COMMAND_COUNT; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "%s --help", COMMANDS[i]);
        assert_int_equal(run(arguments), 0);
        assert_non_null(strstr(run_out, "Usage: hamel "));
        assert_string_equal(run_err, "");
        snprintf(arguments, sizeof arguments, "help %s", COMMANDS[i]);
        assert_int_equal(run(arguments), 0);
        assert_non_null(strstr(run_out, COMMANDS[i]));
    }
}

static void bad_usage_is_2_and_says_what(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "which command"},
        {"linearise", "did you mean 'linearize'"},
        {"stimulate", "did you mean 'simulate'"},
        {"info --nonsense", "--nonsense"},
        {"linearize --represntation left", "did you mean --representation"},
        {"linearize --representation hybrid", "left, right, mixed or split"},
        {"linearize --representation", "--representation needs an argument"},
        {"linearize --inputs some", "actuated, all or actuators"},
        {"info --spy", "hamel info has no option --spy"},
        {"info --base loose", "free or fixed"},
        {"info --mimic ape", "follow or independent"},
        {"info --passive maybe", "on or off"},
        {"info --gravity 1,2", "three numbers"},
        {"info --gravity 1,2,nan", "three numbers"},
        {"info --gravity 1,2,3,4", "three numbers"},
        {"info --out x.txt", ".json, .npz, .mat or .csv"},
        {"info -x", "-x"},
        {"info --quiet=yes", "--quiet takes no argument"},
        {"linearize one.urdf two.urdf", "two.urdf"},
        {"jacobian", "--frame"},
        {"linearize --isa x3", "instruction set"},
        {"validate --samples 0", "samples"},
        {"validate --seed -1", "seed"},
        {"bench --batch many", "states"},
        {"bench --seconds 0", "seconds"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run(cases[i][0]), 2);
        assert_memory_equal(run_err, "hamel: ", 7);
        if (!strstr(run_err, cases[i][1])) fail_msg("hamel %s: %s", cases[i][0], run_err);
        assert_string_equal(run_out, "");
        assert_ptr_equal(strchr(run_err, '\n'), run_err + strlen(run_err) - 1); /* one line */
    }
}

static void options_may_stand_anywhere(void **state)
{
    (void)state;
    assert_int_equal(run("--quiet --base fixed info " ROBOTS "pendulum.json"), 0);
    assert_int_equal(run("info " ROBOTS "pendulum.json -q"), 0);
    assert_int_equal(run("-q info -- " ROBOTS "pendulum.json"), 0);
}

static void bad_input_is_1_with_file_and_place(void **state)
{
    (void)state;
    static const char broken[] = HAMEL_SOURCE_DIR "/tests/broken/";
    static const struct {
        const char *file, *place;
    } cases[] = {{"urdf/empty_mass.urdf", ":10: "},
                 {"urdf/joint_without_type.urdf", ":13: "},
                 {"json/axis_zero.json", ": /bodies/2/joint"}};
    char arguments[512], expected[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(arguments, sizeof arguments, "linearize '%s%s' --out x.json", broken, cases[i].file);
        snprintf(expected, sizeof expected, "hamel: %s%s%s", broken, cases[i].file, cases[i].place);
        assert_int_equal(run(arguments), 1);
        assert_memory_equal(run_err, expected, strlen(expected));
        assert_int_not_equal(access(run_path("x.json"), F_OK), 0);
    }
    assert_int_equal(run("info nowhere.urdf"), 1);
    assert_memory_equal(run_err, "hamel: nowhere.urdf: ", 21);
    assert_int_equal(run("linearize --state nowhere.json"), 1);
    assert_memory_equal(run_err, "hamel: nowhere.json: ", 21);
    assert_int_equal(run("jacobian --frame tip55"), 1);
    assert_non_null(strstr(run_err, "did you mean 'tip5'"));
    run_save("state.json", "{\"joints\": {\"knie\": {\"position\": [1]}}}");
    assert_int_equal(run("dynamics --state state.json"), 1);
    assert_memory_equal(run_err, "hamel: state.json: /joints/knie", 31);
}

static void warnings_can_be_silenced(void **state)
{
    (void)state;
    run_save("odd.json",
             "{\"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"revolute\", "
             "\"axis\": [0, 0, 1]}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], "
             "\"moment\": [[1, 0, 0], [0, 1, 0], [0, 0, 9]]}}]}");
    assert_int_equal(run("dynamics odd.json"), 0);
    assert_non_null(strstr(run_err, "hamel: odd.json: warning: "));
    assert_int_equal(run("dynamics odd.json --quiet"), 0);
    assert_string_equal(run_err, "");
    assert_int_equal(run("dynamics odd.json --strict"), 1);
    assert_int_equal(run("info odd.json"), 0);
    assert_non_null(strstr(run_out, "Warnings"));
}

/* ---- one list of options, five places ---- */

static void every_option_is_everywhere(void **state)
{
    (void)state;
    static const char *const places[] = {"cli/hamel.1", "cli/completion/hamel.bash", "cli/completion/_hamel",
                                         "docs/command.md"};
    static char texts[4][1 << 16];
    for (int i = 0; i < 4; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", HAMEL_SOURCE_DIR, places[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t size = fread(texts[i], 1, sizeof texts[i] - 1, file), kept = 0;
        fclose(file);
        for (size_t k = 0; k < size; k++) { /* roff writes a hyphen as \- */
            if (texts[i][k] != '\\') texts[i][kept++] = texts[i][k];
        }
        texts[i][kept] = 0;
    }
    int options = 0;
    for (int c = 0; c < COMMAND_COUNT; c++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "%s --help", COMMANDS[c]);
        assert_int_equal(run(arguments), 0);
        for (int i = 0; i < 4; i++) assert_non_null(strstr(texts[i], COMMANDS[c]));
        char *list = strstr(run_out, "\nOptions\n");
        assert_non_null(list);
        for (char *at = strstr(list, "--"); at; at = strstr(at + 2, "--"), options++) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-")), at);
            for (int i = 0; i < 4; i++) {
                if (!strstr(texts[i], name)) fail_msg("%s does not know %s", places[i], name);
            }
        }
    }
    assert_true(options > 60); /* eleven of every command, and more of most */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_and_help),           cmocka_unit_test(bad_usage_is_2_and_says_what),
        cmocka_unit_test(options_may_stand_anywhere), cmocka_unit_test(bad_input_is_1_with_file_and_place),
        cmocka_unit_test(warnings_can_be_silenced),   cmocka_unit_test(every_option_is_everywhere),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
