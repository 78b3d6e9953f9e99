/* Files of heights, as they should be and as they should not: NPY of all kinds, CSV, JSON, <hfield>; whatever the bytes are. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): mkdtemp */
#include <math.h>
#include <stdlib.h>

#include "draw.h"
#include "hamel/contact.h"
#include "io_check.h"

enum { ROOM = 1024 };

static char folder[] = "test-terrain-XXXXXX";
static char path[64];

static int open_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int close_folder(void **state)
{
    (void)state;
    remove(path);
    return remove(folder);
}

/* the only file of the folder */
static const char *save(const char *name, const void *data, size_t size)
{
    if (*path) remove(path);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static size_t put_npy(char *out, const char *type, const char *shape, int fortran, const void *data, size_t size)
{
    const int n = snprintf(out + 10, ROOM - 10, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", type,
                           fortran ? "True" : "False", shape);
    memcpy(out, "\x93NUMPY\1", 8);
    out[8] = (char)n, out[9] = 0;
    memcpy(out + 10 + n, data, size);
    return 10 + (size_t)n + size;
}

static void assert_heights(const char *file, const double *heights, int rows, int columns)
{
    hml_heightfield f;
    hml_error error = {0};
    if (hml_heightfield_load(file, &f, &error)) fail_msg("%s", error.message);
    assert_int_equal(f.rows, rows), assert_int_equal(f.columns, columns);
    for (int i = 0; i < rows * columns; i++)
        if (f.heights[i] != heights[i]) fail_msg("height %d is %g", i, f.heights[i]);
    hml_heightfield_free(&f);
    assert_null(f.heights);
}

static void assert_bad(const char *name, const void *data, size_t size, const char *word)
{
    hml_heightfield f;
    hml_error error = {0};
    assert_true(hml_heightfield_load(save(name, data, size), &f, &error) != HML_OK);
    assert_null(f.heights);
    if (!strstr(error.message, word)) fail_msg("%s: '%s' lacks '%s'", name, error.message, word);
}

static void assert_bad_text(const char *name, const char *text, const char *word)
{
    assert_bad(name, text, strlen(text), word);
}

static void test_npy(void **state)
{
    (void)state;
    const double rows[6] = {1, 2, 3, 4, 5, 6}, columns[6] = {1, 4, 2, 5, 3, 6}, odd[4] = {0, NAN, 0, INFINITY};
    const int32_t whole[6] = {1, 2, 3, 4, 5, 6};
    char file[ROOM];
    assert_heights(save("a.npy", file, put_npy(file, "<f8", "(2, 3)", 0, rows, sizeof rows)), rows, 2, 3);
    assert_heights(save("a.npy", file, put_npy(file, "<f8", "(2, 3)", 1, columns, sizeof columns)), rows, 2, 3);
    assert_heights(save("a.npy", file, put_npy(file, "<i4", "(3, 2)", 0, whole, sizeof whole)), rows, 3, 2);
    static const struct {
        const char *type, *shape, *word;
    } bad[] = {
        {"<f8", "(1, 1)", "two rows"},
        {"<f8", "(6, 1)", "two rows"},
        {"<f8", "(0, 0)", "two rows"},
        {"<f8", "(0, 18446744073709551615)", "two rows"},
        {"<f8", "(4294967298, 0)", "two rows"},
        {"<f8", "(4294967296, 4294967296)", "not an NPY"},
        {"<f8", "(1000000, 1000000)", "damaged"},
        {"<f8", "(2, 4)", "damaged"},
        {"<f8", "(-2, -3)", "not an NPY"},
        {"<f8", "(2, 3, 1)", "two dimensions, not 3"},
        {"<f8", "()", "two dimensions, not 0"},
        {"|O", "(2, 3)", "not an NPY"},
        {"|u1", "(2, 3)", "not an NPY"},
        {"<f2", "(2, 3)", "not an NPY"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_bad("a.npy", file, put_npy(file, bad[i].type, bad[i].shape, 0, rows, sizeof rows), bad[i].word);
    assert_bad("a.npy", file, put_npy(file, "<f8", "(2, 2)", 0, odd, sizeof odd), "row 1, column 2 is not a finite");
    assert_bad("a.npy", "", 0, "not an NPY");
}

static void test_texts(void **state)
{
    (void)state;
    const double rows[4] = {1, 2, 3, 4};
    const char *good = "# x\n1; 2\r\n\n3,4\n";
    assert_heights(save("a.csv", good, strlen(good)), rows, 2, 2);
    assert_bad("a.csv", "1 2\n3 4\n\0 5 6", 13, "byte of zero");
    assert_bad_text("a.csv", "1 2\n3\n", "row 2 has 1");
    assert_bad_text("a.csv", "1 2\n3 0x4\n", "entry 2");
    assert_bad_text("a.json", "[[1, 2], [3]]", "row 2 has 1");
    assert_bad_text("a.json", "{\"heights\": [[1, 2], [3, 4]], \"friction\": -0.5}", "friction");
    assert_bad_text("a.json", "{\"heights\": [[1, 2], [3, 4]], \"friction\": -1}", "the friction is -1");
    assert_bad_text("a.json", "{\"heights\": [[1, 2], [3, 4]], \"friction\": \"high\"}", "/friction: is not 1 number");
    assert_bad_text("a.json", "{\"heights\": [[1, 2], [3, 4]], \"restitution\": 2}", "restitution");
    assert_bad_text("a.json", "{\"heights\": [[1, 2], [3, 4]], \"heights\": [[1, 2]]}", "duplicate");
    assert_bad_text("a.json", "{\"heights\": [[1, 2], [3, 4]], \"spacing\": [1, 2, 3]}", "/spacing");
    assert_bad_text("a.json", "{\"heights\": {}}", "/heights");
}

#define SCENE(hfield, geom)                                                                                            \
    "<mujoco><asset><hfield name='h' " hfield "/></asset><worldbody><geom type='hfield' hfield='h' " geom              \
    "/></worldbody></mujoco>"

static void test_mjcf(void **state)
{
    (void)state;
    const double rows[4] = {1, 0.5, 0, 0.25};
    const char *good = SCENE("nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 5 3'", "");
    assert_heights(save("a.xml", good, strlen(good)), rows, 2, 2);
    assert_bad_text("a.xml", SCENE("nrow='2' ncol='2' size='1 1 1 1'", "friction='-1 0 0'"), "friction is negative");
    assert_bad_text("a.xml", SCENE("nrow='-2' ncol='-2' size='1 1 1 1'", ""), "two rows");
    assert_bad_text("a.xml", SCENE("nrow='1e5' ncol='1e5' size='1 1 1 1'", ""), "2^24");
    assert_bad_text("a.xml", SCENE("nrow='2' ncol='2' size='1 -1 1 1'", ""), "positive lengths");
    assert_bad_text("a.xml", SCENE("nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3 4 5'", ""), "more than");
    assert_bad_text("a.xml", SCENE("nrow='2' ncol='2' size='1 1 1 1' elevation='1e308 -1e308 0 0'", ""),
                    "not a finite");
}

/* a grid or a sentence */
static void test_broken_bytes(void **state)
{
    (void)state;
    const double rows[6] = {1, 2, 3, 4, 5, 6};
    char npy[ROOM];
    const char *json = "{\"heights\": [[1, 2], [3, 4]], \"spacing\": [1, 2], \"friction\": 0.5}";
    const struct {
        const char *name, *data;
        size_t size;
    } files[] = {
        {"a.npy", npy, put_npy(npy, "<f8", "(2, 3)", 0, rows, sizeof rows)},
        {"a.csv", "1 2 3\n4 5 6\n", 12},
        {"a.json", json, strlen(json)},
        {"a.xml", SCENE("nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 5 3'", ""),
         sizeof SCENE("nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 5 3'", "") - 1},
    };
    uint64_t seed = 5;
    for (int i = 0; i < 1200; i++) {
        const char some[] = "0123456789-.e,()[]{}'\"<>/ \n";
        char data[ROOM];
        const size_t n = files[i % 4].size;
        memcpy(data, files[i % 4].data, n);
        for (int k = 0; k < 2; k++)
            data[(size_t)(0.4999 * (1 + draw(&seed)) * (double)n)] =
                some[(size_t)(0.4999 * (1 + draw(&seed)) * (double)(sizeof some - 1))];
        hml_heightfield f;
        hml_error error = {0};
        const hml_status status = hml_heightfield_load(save(files[i % 4].name, data, n), &f, &error);
        assert_true(status == HML_OK ? f.heights && f.rows > 1 && f.columns > 1 : error.message[0] && !f.heights);
        for (int k = 0; !status && k < f.rows * f.columns; k++) assert_true(isfinite(f.heights[k]));
        hml_heightfield_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_mjcf),
        cmocka_unit_test(test_broken_bytes),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
