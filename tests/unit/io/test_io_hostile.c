/*
 * Files are other people's: whatever they hold, reading takes n log n time and linear memory in their size. Each shape
 * of hostile.h is read at a size and at four times that size. What grows as n log n grows fivefold at most, what grows
 * as n² sixteenfold. Time is counted in steps (steps.h), not in seconds, and depends on nothing but the file.
 */
#include <setjmp.h>
#include <stdint.h>

#include "allocator.h"
#include "hostile.h"

#if defined HAMEL_STEPS
#include "steps.h"
#else
static const uint64_t steps; /* what cannot be counted does not grow */
#endif

#include <cmocka.h>

#include "hamel/io.h"
#include "hamel/view.h"

enum { SMALL = 200000, LARGE = 4 * SMALL };

static hml_model *model_of_states(void)
{
    static const char text[] = "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", "
                               "\"type\": \"revolute\", \"axis\": [0, 0, 1]}}]}";
    hml_model *model = NULL;
    assert_int_equal(hml_load_memory(text, sizeof text - 1, "m.json", NULL, &model, NULL), HML_OK);
    return model;
}

typedef struct cost {
    double steps, bytes; /* bytes: the peak, beside the text itself */
} cost;

typedef struct measurement {
    size_t before;
    uint64_t start;
} measurement;

static measurement begin(void)
{
    allocator_start();
    return (measurement){allocated_now, steps};
}

static cost end(measurement m) { return (cost){(double)(steps - m.start), (double)(allocated_most - m.before)}; }

/* *scene: what is seen of it, read for the same model; zero for what has none */
static cost read_size(const hostile_shape *shape, size_t size, const hml_model *of_states, cost *scene)
{
    hml_model *model = NULL;
    hml_state *state = NULL;
    hml_scene *seen = NULL;
    hml_error error = {0};
    hostile_text t = {0};
    shape->make(&t, size);
    size_t before = allocated_now;
    measurement m = begin();
    hml_status status = strcmp(shape->file, "state") == 0
                            ? hml_state_load_memory(t.data, t.size, "state", of_states, &state, &error)
                            : hml_load_memory(t.data, t.size, shape->file, NULL, &model, &error);
    cost c = end(m);
    *scene = (cost){0, 0};
    if (!status && model && strcmp(shape->file, "a.json") != 0) {
        m = begin();
        status = hml_scene_load_memory(t.data, t.size, shape->file, NULL, model, &seen, &error);
        *scene = end(m);
    }
    if ((status == HML_OK) != shape->loads)
        fail_msg("%s, %s: %d, line %d: %s", shape->file, shape->name, (int)status, error.line, error.message);
    hml_model_free(model);
    hml_state_free(state);
    hml_scene_free(seen);
    assert_int_equal(allocated_now, before);
    free(t.data);
    return c;
}

/* 0 if it grows as it may */
static int too_much(const hostile_shape *shape, const char *what, cost small, cost large)
{
    /* some hundred steps a byte (measured: 440 at most), growing as n log n at most */
    int slow = large.steps > 600.0 * LARGE || (large.steps > 5.5 * small.steps && large.steps > 4.0 * LARGE);
    /* bytes a byte: "<geom/>" is an element of 80 bytes, a part of a body, a shape and a visual (measured: 122 at most)
     */
    int greedy = large.bytes > 150.0 * LARGE || (large.bytes > 5 * small.bytes && large.bytes > 4.0 * LARGE);
    if (slow || greedy)
        print_error("%s of %s, %s: %.0f and %.0f steps a byte, %.1f and %.1f bytes a byte\n", what, shape->file,
                    shape->name, small.steps / SMALL, large.steps / LARGE, small.bytes / SMALL, large.bytes / LARGE);
    return slow || greedy;
}

static void test_time_and_memory(void **unused)
{
    (void)unused;
    hml_model *model = model_of_states();
    int wrong = 0;
    for (int i = 0; i < HOSTILE_SHAPES; i++) {
        const hostile_shape *shape = &hostile_shapes[i];
        cost small_scene, large_scene;
        cost small = read_size(shape, SMALL, model, &small_scene), large = read_size(shape, LARGE, model, &large_scene);
        wrong += too_much(shape, "the model", small, large) + too_much(shape, "the scene", small_scene, large_scene);
    }
    hml_model_free(model);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_and_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
