/*
 * readers_study [RUNS]: time and memory of the readers over the size of a file, for the shapes of tests/check/hostile.h:
 * ordinary files, and files made to make a reader slow or greedy. A line per measurement: format, shape, what was
 * read, bytes of the file, milliseconds of processor time (the least of RUNS, 3), bytes of memory at the peak beside
 * the file itself, and loads or refused. readers.py makes docs/robustness.md's table and plot of it.
 */
#include <stdint.h>
#include <time.h>

#include "allocator.h"
#include "hostile.h"

#include "hamel/io.h"
#include "hamel/view.h"

static const size_t sizes[] = {10000, 31623, 100000, 316228, 1000000, 3162278, 10000000};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

typedef struct cost {
    double milliseconds;
    size_t bytes;
    hml_status status;
} cost;

/* model: of a state or a scene, NULL where a model is read */
static cost read_once(const hostile_shape *shape, const hostile_text *t, const hml_model *model, hml_model **read)
{
    hml_state *state = NULL;
    hml_scene *scene = NULL;
    cost c;
    size_t before = allocated_now;
    allocator_start();
    double start = now();
    if (!model)
        c.status = hml_load_memory(t->data, t->size, shape->file, NULL, read, NULL);
    else if (strcmp(shape->file, "state") == 0)
        c.status = hml_state_load_memory(t->data, t->size, "state", model, &state, NULL);
    else
        c.status = hml_scene_load_memory(t->data, t->size, shape->file, NULL, model, &scene, NULL);
    c.milliseconds = now() - start;
    c.bytes = allocated_most - before;
    hml_state_free(state);
    hml_scene_free(scene);
    return c;
}

static void measure(const hostile_shape *shape, const hostile_text *t, const char *what, const hml_model *model,
                    hml_model **read, int runs)
{
    cost best = {0};
    for (int i = 0; i < runs; i++) {
        hml_model *again = NULL;
        cost c = read_once(shape, t, model, &again);
        if (i == 0 || c.milliseconds < best.milliseconds) best = c;
        if (read && !*read)
            *read = again;
        else
            hml_model_free(again);
    }
    const char *format = strcmp(shape->file, "a.urdf") == 0  ? "URDF"
                         : strcmp(shape->file, "a.xml") == 0 ? "MJCF"
                                                             : "JSON";
    printf("%s\t%s\t%s\t%zu\t%.3f\t%zu\t%s\n", format, shape->name, what, t->size, best.milliseconds, best.bytes,
           best.status ? "refused" : "loads");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char one[] = "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", "
                              "\"type\": \"revolute\", \"axis\": [0, 0, 1]}}]}";
    int runs = argc > 1 ? atoi(argv[1]) : 3;
    hml_model *of_states = NULL;
    if (!ALLOCATOR || runs < 1 || hml_load_memory(one, sizeof one - 1, "a.json", NULL, &of_states, NULL)) return 1;
    for (int i = 0; i < HOSTILE_SHAPES; i++) {
        const hostile_shape *shape = &hostile_shapes[i];
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            hostile_text t = {0};
            hml_model *model = NULL;
            shape->make(&t, sizes[k]);
            if (strcmp(shape->file, "state") == 0)
                measure(shape, &t, "state", of_states, NULL, runs);
            else
                measure(shape, &t, "model", NULL, &model, runs);
            if (model && strcmp(shape->file, "a.json") != 0) measure(shape, &t, "scene", model, NULL, runs);
            hml_model_free(model);
            free(t.data);
        }
    }
    hml_model_free(of_states);
    return 0;
}
