/*
 * Threads with small stacks read files too: 64 KB are enough, whatever a file holds and however deep it nests. The
 * shapes of hostile.h, the robots of the library and what is written of them, each in a thread of its own whose stack
 * is as small as that.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>

#include "hostile.h"

#include <cmocka.h>

#include "hamel/edit.h"
#include "hamel/io.h"

#if defined __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined SANITIZED
enum { STACK = 1 << 19 }; /* their frames are several times as large */
#else
enum { STACK = 1 << 16 };
#endif

static void in_small_thread(void *(*work)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

typedef struct job {
    const hostile_shape *shape;
    hostile_text text;
    const hml_model *model;
    int failures;
} job;

static void *load_hostile(void *argument)
{
    job *j = argument;
    hml_model *model = NULL;
    hml_state *state = NULL;
    hml_error error = {0};
    hml_status status = strcmp(j->shape->file, "state") == 0
                            ? hml_state_load_memory(j->text.data, j->text.size, "state", j->model, &state, &error)
                            : hml_load_memory(j->text.data, j->text.size, j->shape->file, NULL, &model, &error);
    j->failures += (status == HML_OK) != j->shape->loads;
    hml_model_free(model);
    hml_state_free(state);
    return NULL;
}

static void *round_trip(void *argument)
{
    int *failures = argument;
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        hml_model *model = NULL, *again = NULL;
        hml_error error;
        char *text = NULL;
        size_t size;
        int bad = hml_load_builtin(hml_builtin_name(i), NULL, &model, &error) != HML_OK ||
                  hml_write_json(model, &text, &size, &error) != HML_OK ||
                  hml_load_memory(text, size, "a.json", NULL, &again, &error) != HML_OK ||
                  !hml_model_equal(model, again, 0, NULL, 0);
        *failures += bad;
        hml_text_free(text);
        hml_model_free(model);
        hml_model_free(again);
    }
    return NULL;
}

static void test_hostile_files(void **state)
{
    (void)state;
    static const char one[] =
        "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": "
        "\"revolute\", \"axis\": [0, 0, 1]}}]}";
    hml_model *model = NULL;
    assert_int_equal(hml_load_memory(one, sizeof one - 1, "m.json", NULL, &model, NULL), HML_OK);
    for (int i = 0; i < HOSTILE_SHAPES; i++) {
        job j = {.shape = &hostile_shapes[i], .model = model};
        j.shape->make(&j.text, 60000); /* nested as deep as it may be */
        in_small_thread(load_hostile, &j);
        if (j.failures) fail_msg("%s, %s: another status than in a large stack", j.shape->file, j.shape->name);
        free(j.text.data);
    }
    hml_model_free(model);
}

static void test_robots_of_the_library(void **state)
{
    (void)state;
    int failures = 0;
    in_small_thread(round_trip, &failures);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile_files),
                                       cmocka_unit_test(test_robots_of_the_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
