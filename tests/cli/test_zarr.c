/* Tables as Zarr folders: read back with zstd alone; interrupted, damaged and continued; refused where they must be. */
#include <math.h>
#include <sys/wait.h>

#include <zstd.h>

#include "hamel/states.h"
#include "npz_files.h"

enum { ROWS = 10, CHUNK = 4, CHUNKS = 3 };

static double x[ROWS * 6];
static float f[ROWS];
static int32_t k[ROWS];
static const hml_column COLUMNS[] = {{"x", HML_COLUMN_FLOAT64, 2, {3, 2}},
                                     {"f", HML_COLUMN_FLOAT32, 1, {1}},
                                     {"k", HML_COLUMN_INT32, 0, {0}},
                                     {"none", HML_COLUMN_FLOAT64, 2, {3, 0}}};

static int setup(void **state)
{
    for (int i = 0; i < ROWS * 6; i++) x[i] = i / 7.0;
    for (int i = 0; i < ROWS; i++) f[i] = (float)i / 3, k[i] = -i;
    return run_setup(state);
}

static hml_status open_table(const char *name, uint64_t digest, int resume, hml_table **t, hml_error *error)
{
    hml_result *head = hml_result_new();
    hml_result_add_text(head, "model", "a \"robot\"");
    const hml_table_settings s = {.struct_size = sizeof s,
                                  .rows = ROWS,
                                  .chunk = CHUNK,
                                  .ncolumns = 4,
                                  .columns = COLUMNS,
                                  .head = head,
                                  .digest = digest,
                                  .resume = resume,
                                  .format = HML_TABLE_ZARR};
    const hml_status status = hml_table_open(run_path(name), &s, t, error);
    hml_result_free(head);
    return status;
}

static hml_table *opened(const char *name, int resume)
{
    hml_table *t = NULL;
    hml_error error = {0};
    if (open_table(name, 5, resume, &t, &error)) fail_msg("%s", error.message);
    return t;
}

static void refused(const char *name, uint64_t digest, int resume, hml_status status, const char *text)
{
    hml_table *t = NULL;
    hml_error error = {0};
    assert_int_equal(open_table(name, digest, resume, &t, &error), status);
    assert_null(t);
    if (!strstr(error.message, text)) fail_msg("'%s' does not say '%s'", error.message, text);
}

static void put(hml_table *t, int64_t chunk)
{
    hml_error error = {0};
    const void *const data[] = {x + chunk * CHUNK * 6, f + chunk * CHUNK, k + chunk * CHUNK, x};
    if (hml_table_write(t, chunk, data, &error)) fail_msg("%s", error.message);
}

static void finish(hml_table *t)
{
    hml_error error = {0};
    if (hml_table_finish(t, &error)) fail_msg("%s", error.message);
    hml_table_free(t);
}

static void shell(const char *command)
{
    char text[1024];
    snprintf(text, sizeof text, "cd '%s' && %s", run_folder, command);
    if (system(text) != 0) fail_msg("%s", command);
}

/* a chunk as any reader of Zarr sees it */
static void assert_chunk(const char *path, const void *wanted, size_t size, size_t full)
{
    static char frame[4096], data[4096];
    FILE *file = fopen(run_path(path), "rb");
    assert_non_null(file);
    const size_t got = fread(frame, 1, sizeof frame, file);
    fclose(file);
    assert_int_equal(ZSTD_decompress(data, sizeof data, frame, got), full);
    assert_memory_equal(data, wanted, size);
}

static void folders_are_zarr(void **state)
{
    (void)state;
    hml_table *t = opened("t.zarr", 0);
    assert_int_equal(hml_table_chunks(t), CHUNKS);
    for (int64_t i = CHUNKS - 1; i >= 0; i--) put(t, i);
    finish(t);
    json_t *about = run_json("t.zarr/x/.zarray"), *all = run_json("t.zarr/.zattrs");
    assert_int_equal(json_integer_value(json_object_get(about, "zarr_format")), 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(about, "shape"), 0)), ROWS);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(about, "shape"), 2)), 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(about, "chunks"), 0)), CHUNK);
    assert_string_equal(run_text(about, "dtype"), "<f8");
    assert_string_equal(run_text(json_object_get(about, "compressor"), "id"), "zstd");
    assert_string_equal(run_text(all, "model"), "a \"robot\"");
    json_decref(about);
    json_decref(all);
    about = run_json("t.zarr/none/.zarray");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(about, "shape"), 2)), 0);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(about, "chunks"), 2)), 1);
    json_decref(about);
    assert_chunk("t.zarr/x/0.0.0", x, CHUNK * 48, CHUNK * 48);
    assert_chunk("t.zarr/x/2.0.0", x + 48, 2 * 48, CHUNK * 48); /* the last chunk is full, too */
    assert_chunk("t.zarr/f/1.0", f + 4, 16, 16);
    assert_chunk("t.zarr/k/1", k + 4, 16, 16);
    shell("test -z \"$(ls t.zarr/none)\" && test ! -e t.zarr.part");
    t = opened("t.zarr", 1); /* it is complete */
    int32_t found[CHUNK];
    assert_true(hml_table_complete(t) && hml_table_has(t, 1));
    assert_int_equal(hml_table_read(t, 1, 2, found), HML_OK);
    assert_memory_equal(found, k + 4, sizeof found);
    assert_int_equal(hml_table_read(t, 1, 4, found), HML_INVALID_ARGUMENT);
    finish(t);
    refused("t.zarr", 5, 0, HML_CANNOT_WRITE, "is there already");
    refused("t.zarr", 6, 1, HML_CANNOT_WRITE, "is there already");
}

static void interrupted_tables_go_on(void **state)
{
    (void)state;
    hml_error error = {0};
    double found[CHUNK * 6];
    hml_table *t = opened("u.zarr", 1); /* there is nothing to resume */
    put(t, 2);
    put(t, 0);
    assert_int_equal(hml_table_finish(t, &error), HML_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "chunk 1 is missing"));
    hml_table_free(t);
    refused("u.zarr", 5, 0, HML_CANNOT_WRITE, "left by an earlier computation");
    refused("u.zarr", 6, 1, HML_BAD_FILE, "belongs to another computation");
    t = opened("u.zarr", 1);
    assert_true(hml_table_has(t, 0) && !hml_table_has(t, 1) && hml_table_has(t, 2));
    assert_int_equal(hml_table_read(t, 2, 0, found), HML_OK);
    assert_memory_equal(found, x + 48, 2 * 48);
    assert_int_equal(hml_table_read(t, 1, 0, found), HML_CANNOT_READ);
    hml_table_free(t);
    /* a power failure: a byte is another, a chunk is short, and one was being written */
    shell("printf X | dd of=u.zarr.part/x/0.0.0 bs=1 seek=12 conv=notrunc status=none && : >u.zarr.part/k/2"
          " && echo half >u.zarr.part/x/1.0.0.part");
    t = opened("u.zarr", 1);
    assert_true(!hml_table_has(t, 0) && !hml_table_has(t, 2));
    put(t, 0);
    assert_int_equal(hml_table_clear(t, &error), HML_OK);
    assert_false(hml_table_has(t, 0));
    shell("test ! -e u.zarr.part/x/0.0.0");
    for (int64_t i = 0; i < CHUNKS; i++) put(t, i);
    finish(t);
    assert_int_equal(access(run_path("u.zarr/x/1.0.0.part"), F_OK), -1);
    shell("diff -r t.zarr u.zarr"); /* the same to the last bit */
}

static void other_arrays_are_another_table(void **state)
{
    (void)state;
    hml_table_free(opened("v.zarr", 0));
    shell("sed -i s/f8/f4/ v.zarr.part/x/.zarray");
    refused("v.zarr", 5, 1, HML_BAD_FILE, "belongs to another computation");
    shell("rm -r v.zarr.part && : >v.zarr.part");
    refused("v.zarr", 5, 0, HML_CANNOT_WRITE, "cannot be written");
}

static void two_programs_do_not_write_one_table(void **state)
{
    (void)state;
    hml_table *t = opened("w.zarr", 0);
    const pid_t child = fork();
    if (child == 0) {
        hml_table *mine = NULL;
        hml_error error = {0};
        const hml_status status = open_table("w.zarr", 5, 1, &mine, &error);
        _exit(status == HML_CANNOT_WRITE && strstr(error.message, "another program is writing it") ? 0 : 1);
    }
    int status = 1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    hml_table_free(t);
}

/* ---- the command ---- */

static void the_command_writes_folders(void **state)
{
    (void)state;
    enum { N = 40 };
    static double q[N], v[N], M[N];
    for (int i = 0; i < N; i++) q[i] = i / 10.0, v[i] = 1 - q[i];
    v[3] = NAN;
    const npz_file_array arrays[] = {{"position", "<f8", "40, 1", q, sizeof q, 0},
                                     {"velocity", "<f8", "40, 1", v, sizeof v, 0}};
    npz_file_save("s.npz", 2, arrays, 0);
    assert_int_equal(run("dynamics pendulum --states s.npz --out r.zarr"), 0);
    assert_non_null(strstr(run_err, "1 of 40 states failed"));
    assert_int_equal(run("dynamics pendulum --states s.npz --out r.npz"), 0);
    double *wanted = npz_file_load("r.npz", "M", "(40, 1, 1,)", sizeof M);
    char text[64];
    json_t *about = run_json("r.zarr/M/.zarray");
    const json_int_t chunk = json_integer_value(json_array_get(json_object_get(about, "chunks"), 0));
    json_decref(about);
    assert_true(chunk >= N);
    static char frame[1 << 16];
    FILE *file = fopen(run_path("r.zarr/M/0.0.0"), "rb");
    assert_non_null(file);
    const size_t got = fread(frame, 1, sizeof frame, file);
    fclose(file);
    double *found = malloc((size_t)chunk * 8);
    assert_non_null(found);
    assert_int_equal(ZSTD_decompress(found, (size_t)chunk * 8, frame, got), (size_t)chunk * 8);
    assert_memory_equal(found, wanted, sizeof M);
    free(found);
    free(wanted);
    run_read("r.zarr/.zgroup", text, sizeof text);
    assert_non_null(strstr(text, "\"zarr_format\": 2"));
    assert_int_equal(run("dynamics pendulum --states s.npz --out r.zarr --resume"), 0);
    assert_int_equal(run("dynamics pendulum --states s.npz --out r.zarr"), 4);
    assert_non_null(strstr(run_err, "is there already"));
    assert_int_equal(run("dynamics pendulum --out q.zarr"), 2);
    assert_non_null(strstr(run_err, "--out FOLDER.zarr needs --states"));
    assert_int_equal(run("info pendulum --out q.zarr"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_zarr),
        cmocka_unit_test(interrupted_tables_go_on),
        cmocka_unit_test(other_arrays_are_another_table),
        cmocka_unit_test(two_programs_do_not_write_one_table),
        cmocka_unit_test(the_command_writes_folders),
    };
    return cmocka_run_group_tests(tests, setup, run_teardown);
}
