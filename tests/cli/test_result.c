/* The writers of results, read back with jansson, libzip, matio and by hand: the same numbers, bit for bit. */
#include <math.h>

#include <matio.h>
#include <zip.h>

#include "hamel/io.h"
#include "run.h"

static const double MATRIX[6] = {1, 0.1, -2.0 / 3, 1e-300, 12345678.9, -0.0};
static const double CUBE[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static const char *const NAMES[3] = {"knee", "a \"b\", c", "Knöchel"};

static hml_result *make(void)
{
    hml_result *r = hml_result_new();
    const size_t shape[2] = {2, 3}, cube[3] = {2, 2, 2}, two = 2;
    const int64_t counts[2] = {-3, INT64_C(9007199254740993)};
    const int flags[2] = {0, 1};
    const double odd[2] = {NAN, -INFINITY};
    hml_result_add_text(r, "model", "näme");
    hml_result_add_integer(r, "nv", 15);
    hml_result_add_number(r, "third", 1.0 / 3);
    hml_result_add_numbers(r, "M", 2, shape, MATRIX);
    hml_result_add_numbers(r, "cube", 3, cube, CUBE);
    hml_result_add_numbers(r, "odd", 1, &two, odd);
    hml_result_add_texts(r, "names", 3, NAMES);
    hml_result *t = hml_result_add_table(r, "rows", 2);
    hml_result_add_texts(t, "name", 2, NAMES + 1);
    hml_result_add_integers(t, "count", 1, &two, counts);
    hml_result_add_flags(t, "flag", 2, flags);
    hml_result_add_numbers(t, "vector", 2, (const size_t[]){2, 3}, MATRIX);
    return r;
}

static void write_as(const char *name)
{
    hml_result *r = make();
    hml_error error;
    assert_int_equal(hml_result_write(r, run_path(name), HML_RESULT_AUTO, &error), HML_OK);
    hml_result_free(r);
}

static void json_keeps_every_bit(void **state)
{
    (void)state;
    double x[8];
    write_as("r.json");
    json_t *out = run_json("r.json");
    assert_int_equal(run_numbers(out, "M", x, 6), 6);
    assert_memory_equal(x, MATRIX, sizeof MATRIX);
    assert_int_equal(json_array_size(json_object_get(out, "M")), 2);
    assert_int_equal(run_numbers(out, "cube", x, 8), 8);
    assert_memory_equal(x, CUBE, sizeof CUBE);
    assert_true(json_is_integer(json_object_get(out, "nv")));
    assert_true(json_number_value(json_object_get(out, "third")) == 1.0 / 3);
    assert_true(json_is_null(json_array_get(json_object_get(out, "odd"), 0)));
    assert_string_equal(json_string_value(json_array_get(json_object_get(out, "names"), 2)), NAMES[2]);
    json_t *row = json_array_get(json_object_get(out, "rows"), 1);
    assert_string_equal(run_text(row, "name"), NAMES[2]);
    assert_true(json_integer_value(json_object_get(row, "count")) == INT64_C(9007199254740993));
    assert_true(json_is_true(json_object_get(row, "flag")));
    assert_int_equal(run_numbers(row, "vector", x, 3), 3);
    assert_memory_equal(x, MATRIX + 3, 3 * sizeof *x);
    json_decref(out);
}

/* the header and the data of a member */
static void npz_member(zip_t *archive, const char *name, const char *header, const void *data, size_t size)
{
    char file[1024];
    zip_file_t *member = zip_fopen(archive, name, 0);
    if (!member) fail_msg("there is no %s", name);
    zip_int64_t total = zip_fread(member, file, sizeof file - 1);
    zip_fclose(member);
    assert_memory_equal(file, "\x93NUMPY\x01\x00", 8);
    size_t begin = 10 + (size_t)(unsigned char)file[8] + 256 * (size_t)(unsigned char)file[9];
    assert_true(begin % 64 == 0 && file[begin - 1] == '\n');
    assert_int_equal(total, begin + size);
    assert_memory_equal(file + begin, data, size);
    file[begin - 1] = 0;
    if (!strstr(file + 10, header)) fail_msg("%s: %s", name, file + 10);
}

static void npz_is_what_numpy_reads(void **state)
{
    (void)state;
    const uint16_t one = 1;
    if (!*(const unsigned char *)&one) skip(); /* the headers below are little-endian */
    const uint32_t name[4] = {'n', 0xe4, 'm', 'e'};
    const int64_t nv = 15;
    const unsigned char flags[2] = {0, 1};
    write_as("r.npz");
    zip_t *archive = zip_open(run_path("r.npz"), ZIP_RDONLY, NULL);
    assert_non_null(archive);
    assert_int_equal(zip_get_num_entries(archive, 0), 11);
    npz_member(archive, "M.npy", "'descr': '<f8', 'fortran_order': False, 'shape': (2, 3,)", MATRIX, sizeof MATRIX);
    npz_member(archive, "cube.npy", "'shape': (2, 2, 2,)", CUBE, sizeof CUBE);
    npz_member(archive, "model.npy", "'descr': '<U4', 'fortran_order': False, 'shape': ()", name, sizeof name);
    npz_member(archive, "nv.npy", "'descr': '<i8', 'fortran_order': False, 'shape': ()", &nv, sizeof nv);
    npz_member(archive, "rows.flag.npy", "'descr': '|b1', 'fortran_order': False, 'shape': (2,)", flags, 2);
    npz_member(archive, "rows.vector.npy", "'shape': (2, 3,)", MATRIX, sizeof MATRIX);
    zip_discard(archive);
}

static void the_same_results_are_the_same_bytes(void **state)
{
    (void)state;
    static char first[8192], second[8192];
    write_as("a.npz");
    write_as("b.npz");
    FILE *a = fopen(run_path("a.npz"), "rb"), *b = fopen(run_path("b.npz"), "rb");
    size_t size = fread(first, 1, sizeof first, a);
    assert_int_equal(fread(second, 1, sizeof second, b), size);
    assert_memory_equal(first, second, size);
    fclose(a);
    fclose(b);
}

static void mat_is_column_major(void **state)
{
    (void)state;
    write_as("r.mat");
    mat_t *file = Mat_Open(run_path("r.mat"), MAT_ACC_RDONLY);
    assert_non_null(file);
    matvar_t *M = Mat_VarRead(file, "M");
    assert_true(M && M->rank == 2 && M->dims[0] == 2 && M->dims[1] == 3 && M->class_type == MAT_C_DOUBLE);
    for (int i = 0; i < 6; i++) assert_true(((double *)M->data)[i / 3 + 2 * (i % 3)] == MATRIX[i]);
    Mat_VarFree(M);
    matvar_t *cube = Mat_VarRead(file, "cube");
    assert_true(cube && cube->rank == 3);
    for (int i = 0; i < 8; i++) assert_true(((double *)cube->data)[i / 4 + 2 * (i / 2 % 2) + 4 * (i % 2)] == CUBE[i]);
    Mat_VarFree(cube);
    matvar_t *names = Mat_VarRead(file, "names");
    assert_true(names && names->class_type == MAT_C_CELL && names->dims[0] == 3 && names->dims[1] == 1);
    matvar_t *knee = Mat_VarGetCell(names, 0);
    assert_true(knee->class_type == MAT_C_CHAR && knee->dims[1] == 4);
    Mat_VarFree(names);
    matvar_t *rows = Mat_VarRead(file, "rows");
    assert_true(rows && rows->class_type == MAT_C_STRUCT && rows->dims[1] == 2);
    matvar_t *vector = Mat_VarGetStructFieldByName(rows, "vector", 1);
    assert_true(vector && vector->dims[0] == 3 && vector->dims[1] == 1 && ((double *)vector->data)[1] == MATRIX[4]);
    Mat_VarFree(rows);
    Mat_Close(file);
}

static void csv_is_tidy(void **state)
{
    (void)state;
    static char text[4096];
    write_as("r.csv");
    run_read("r.csv", text, sizeof text);
    assert_memory_equal(text, "matrix,row,column,value\n", 24);
    static const char *const lines[] = {"\nM,0,1,0.10000000000000001\n",
                                        "\nM,1,2,-0\n",
                                        "\nnv,0,0,15\n",
                                        "\ncube,1,3,7\n",
                                        "\nodd,0,0,nan\n",
                                        "\nnames,1,0,\"a \"\"b\"\", c\"\n",
                                        "\nrows.flag,1,0,true\n",
                                        "\nrows.count,1,0,9007199254740993\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!strstr(text, lines[i])) fail_msg("there is no line %s", lines[i]);
    }
}

static void mistakes_are_remembered(void **state)
{
    (void)state;
    hml_error error;
    hml_result_format format;
    const size_t two = 2;
    hml_result *r = hml_result_new();
    hml_result_add_number(r, "x", 1);
    assert_int_equal(hml_result_write(r, run_path("x.xls"), HML_RESULT_AUTO, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_result_write(r, run_path("nowhere/x.csv"), HML_RESULT_AUTO, &error), HML_CANNOT_WRITE);
    hml_result_add_number(r, "x", 2); /* twice the same name */
    assert_int_equal(hml_result_write(r, run_path("x.json"), HML_RESULT_AUTO, &error), HML_INVALID_ARGUMENT);
    hml_result_free(r);
    r = hml_result_new();
    hml_result *t = hml_result_add_table(r, "rows", 3);
    hml_result_add_numbers(t, "short", 1, &two, MATRIX); /* three rows were promised */
    assert_int_equal(hml_result_write(r, run_path("x.json"), HML_RESULT_AUTO, NULL), HML_INVALID_ARGUMENT);
    hml_result_free(r);
    assert_int_equal(hml_result_format_of("A.JSON", &format), HML_OK);
    assert_int_equal(format, HML_RESULT_JSON);
    assert_int_equal(hml_result_format_of("/dev/null", &format), HML_OK);
    assert_int_equal(hml_result_format_of(".json", &format), HML_INVALID_ARGUMENT);
    assert_int_not_equal(access(run_path("x.json"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_keeps_every_bit),    cmocka_unit_test(npz_is_what_numpy_reads),
        cmocka_unit_test(mat_is_column_major),     cmocka_unit_test(csv_is_tidy),
        cmocka_unit_test(mistakes_are_remembered), cmocka_unit_test(the_same_results_are_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
