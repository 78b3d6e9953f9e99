/* Every broken model is refused with the right words at the right place, and the sound ones load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hamel/io.h"

#define FOLDER HAMEL_SOURCE_DIR "/tests/broken/"

/* tests/broken/README.md: case does not matter */
static int contains(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && text[i] && (text[i] | 0x20) == (word[i] | 0x20)) i++;
        if (i == n) return 1;
    }
    return 0;
}

/* 0 if the loader answers as the row says */
static int check_row(const char *path, const char *where, const char *word)
{
    char file[1024];
    snprintf(file, sizeof file, FOLDER "%s", path);
    hml_model *model = NULL;
    hml_error error = {0};
    hml_status status = hml_load(file, NULL, &model, &error);
    hml_model_free(model);
    int line = atoi(where), good = status != HML_OK && model == NULL && error.status == status && error.message[0];
    good = good && (strcmp(where, "-") == 0 || (line ? error.line == line : strstr(error.message, where) != NULL));
    good = good && (strcmp(word, "-") == 0 || contains(error.message, word));
    if (!good)
        print_error("%s: wanted %s, '%s'; got status %d, line %d: %s\n", path, where, word, (int)status, error.line,
                    error.message);
    return !good;
}

static void test_broken_files_are_refused(void **state)
{
    (void)state;
    FILE *rows = fopen(FOLDER "EXPECT.tsv", "r");
    assert_non_null(rows);
    char row[512];
    int n = 0, wrong = 0;
    while (fgets(row, sizeof row, rows)) {
        char *end = strpbrk(row, "\r\n");
        if (end) *end = 0;
        if (row[0] == '#' || row[0] == 0) continue;
        char *where = strchr(row, '\t'), *word = where ? strchr(where + 1, '\t') : NULL;
        assert_non_null(word);
        *where++ = *word++ = 0;
        wrong += check_row(row, where, word);
        n++;
    }
    fclose(rows);
    assert_true(n > 200);
    assert_int_equal(wrong, 0);
}

static void test_sound_files_load(void **state)
{
    (void)state;
    static const char *const names[] = {"hopper.urdf", "hopper.xml", "hopper.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[1024];
        snprintf(file, sizeof file, FOLDER "sound/%s", names[i]);
        hml_model *model = NULL;
        hml_error error = {0};
        if (hml_load(file, NULL, &model, &error)) fail_msg("%s:%d: %s", names[i], error.line, error.message);
        assert_int_equal(hml_model_nv(model), 8);
        assert_int_equal(hml_model_nwarnings(model), 0);
        hml_model_free(model);
    }
}

/* ---- large files, made here ---- */

enum { MANY = 100000 };

typedef struct text {
    char *data;
    size_t size, capacity;
} text;

static void append(text *t, const char *format, ...)
{
    va_list arguments;
    if (t->capacity - t->size < 1024) {
        t->capacity = 2 * t->capacity + 4096;
        t->data = realloc(t->data, t->capacity);
        assert_non_null(t->data);
    }
    va_start(arguments, format);
    t->size += (size_t)vsnprintf(t->data + t->size, 1024, format, arguments);
    va_end(arguments);
}

static hml_status load_text(text *t, const char *name, hml_model **model, hml_error *error)
{
    *model = NULL;
    hml_status status = hml_load_memory(t->data, t->size, name, NULL, model, error);
    free(t->data);
    memset(t, 0, sizeof *t);
    return status;
}

static void test_deep_nesting_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"deep.urdf", "deep.xml", "deep.json"};
    static const char *const head[] = {"<robot name='deep'><link name='a'/>", "<mujoco><worldbody>", "{\"bodies\": "};
    static const char *const open[] = {"<a>", "<body>", "["};
    static const char *const close[] = {"</a>", "</body>", "]"};
    static const char *const tail[] = {"</robot>", "</worldbody></mujoco>", "}"};
    for (int k = 0; k < 3; k++) {
        text t = {0};
        hml_model *model;
        hml_error error = {0};
        append(&t, "%s", head[k]);
        for (int i = 0; i < MANY; i++) append(&t, "%s", open[k]);
        for (int i = 0; i < MANY; i++) append(&t, "%s", close[k]);
        append(&t, "%s", tail[k]);
        assert_int_equal(load_text(&t, names[k], &model, &error), HML_BAD_FILE);
        assert_null(model);
        assert_string_not_equal(error.message, "");
    }
}

/* links hang on the one before (chain) or on the first (star) */
static void make_urdf(text *t, int star)
{
    append(t, "<robot name='many'>\n<link name='l0'/>\n");
    for (int i = 1; i < MANY; i++) {
        append(t,
               "<link name='l%d'><inertial><origin xyz='0 0 0.1'/><mass value='1'/>"
               "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n",
               i);
        append(t,
               "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/>"
               "<origin xyz='0.1 0 0' rpy='0.1 0.2 0.3'/><axis xyz='0 1 0'/></joint>\n",
               i, star ? 0 : i - 1, i);
    }
    append(t, "</robot>\n");
}

static void make_json(text *t, int star)
{
    append(t, "{\"bodies\": [\n");
    for (int i = 0; i < MANY; i++) {
        append(t, "{\"name\": \"l%d\", \"parent\": ", i);
        append(t, i ? "\"l%d\"" : "null", star ? 0 : i - 1);
        append(t, ", \"joint\": {\"name\": \"j%d\", \"type\": \"revolute\", \"axis\": [0, 1, 0]},", i);
        append(t, " \"inertia\": {\"mass\": 1, \"moment\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}%s\n",
               i < MANY - 1 ? "," : "]}");
    }
}

/* a hundred thousand bodies: how long that takes is test_io_hostile's business */
static void test_large_trees_load(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        text t = {0};
        hml_model *model;
        hml_error error = {0};
        if (k < 2)
            make_urdf(&t, k & 1);
        else
            make_json(&t, k & 1);
        if (load_text(&t, k < 2 ? "many.urdf" : "many.json", &model, &error))
            fail_msg("%d: %s", error.line, error.message);
        /* of a URDF without legs, the root is bolted */
        assert_int_equal(hml_model_nbodies(model), k < 2 ? MANY - 1 : MANY);
        assert_int_equal(hml_model_nv(model), k < 2 ? MANY - 1 : MANY);
        hml_model_free(model);
    }
}

/* every prefix of a sound file is a file that somebody's disk was too full for */
static void test_every_truncation_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"sound/hopper.urdf", "sound/hopper.xml", "sound/hopper.json"};
    for (int k = 0; k < 3; k++) {
        char path[1024], data[8192];
        snprintf(path, sizeof path, FOLDER "%s", names[k]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        assert_true(size < sizeof data);
        while (size > 0 && (data[size - 1] == '\n' || data[size - 1] == '\r')) size--;
        for (size_t n = 0; n < size; n++) {
            hml_model *model = NULL;
            hml_error error = {0};
            char *copy = malloc(n ? n : 1); /* exactly as long: the sanitizer sees the first byte beyond */
            assert_non_null(copy);
            memcpy(copy, data, n);
            hml_status status = hml_load_memory(copy, n, names[k], NULL, &model, &error);
            free(copy);
            assert_int_equal(status, HML_BAD_FILE);
            assert_null(model);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_files_are_refused),    cmocka_unit_test(test_sound_files_load),
        cmocka_unit_test(test_deep_nesting_is_refused),     cmocka_unit_test(test_large_trees_load),
        cmocka_unit_test(test_every_truncation_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
