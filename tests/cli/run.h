/*
 * Running the command in a folder of the test's own, and looking at what it says and writes.
 *
 *   run_setup, run_teardown   a fresh folder, and away with it (cmocka group fixtures)
 *   run                       hamel with these arguments, through the shell; its exit status
 *   run_out, run_err          what it said
 *   run_path                  a file in the folder
 *   run_save                  makes a file there
 *   run_json                  what it wrote, parsed
 *   run_numbers               an array of a result, flattened
 */
#ifndef TESTS_CLI_RUN_H
#define TESTS_CLI_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#define ROBOTS HAMEL_SOURCE_DIR "/robots/"

/* also false for NaN */
#define near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static char run_folder[256];
static char run_out[1 << 20], run_err[1 << 16];

static inline const char *run_path(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", run_folder, name);
    return path;
}

static inline int run_setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(run_folder, sizeof run_folder, "%s/hamel-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(run_folder) == NULL;
}

static inline int run_teardown(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", run_folder);
    return system(command);
}

static inline void run_read(const char *name, char *text, size_t size)
{
    FILE *file = fopen(run_path(name), "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

/* everything after `before hamel`, which may set variables or limits */
static inline int run_with(const char *before, const char *arguments)
{
    static char command[8192];
    snprintf(command, sizeof command, "cd '%s' && { %s '%s' %s ; } >.out 2>.err", run_folder, before, HAMEL_COMMAND,
             arguments);
    int status = system(command);
    run_read(".out", run_out, sizeof run_out);
    run_read(".err", run_err, sizeof run_err);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static inline int run(const char *arguments) { return run_with("", arguments); }

static inline void run_save(const char *name, const char *text)
{
    FILE *file = fopen(run_path(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static inline json_t *run_json(const char *name)
{
    json_error_t error;
    json_t *json = json_load_file(run_path(name), 0, &error);
    if (!json) fail_msg("%s: %s", name, error.text);
    return json;
}

static inline size_t run_flatten(const json_t *list, double *out, size_t most, size_t count)
{
    if (!json_is_array(list)) {
        assert_true(count < most && json_is_number(list));
        out[count] = json_number_value(list);
        return count + 1;
    }
    for (size_t i = 0; i < json_array_size(list); i++) count = run_flatten(json_array_get(list, i), out, most, count);
    return count;
}

/* how many there were */
static inline size_t run_numbers(const json_t *result, const char *key, double *out, size_t most)
{
    json_t *list = json_object_get(result, key);
    if (!list) fail_msg("there is no key %s", key);
    return run_flatten(list, out, most, 0);
}

static inline const char *run_text(const json_t *result, const char *key)
{
    const char *text = json_string_value(json_object_get(result, key));
    assert_non_null(text);
    return text;
}

/* a call that the command refuses: its exit status, and what it says */
typedef struct run_refusal {
    const char *arguments;
    int status;
    const char *text;
} run_refusal;

/* each of them says so, and prints nothing else */
static inline void run_refused(size_t count, const run_refusal *cases)
{
    for (size_t i = 0; i < count; i++) {
        const int status = run(cases[i].arguments);
        if (status != cases[i].status || !strstr(run_err, cases[i].text))
            fail_msg("hamel %s: %d, %s", cases[i].arguments, status, run_err);
        assert_string_equal(run_out, "");
    }
}

#endif
