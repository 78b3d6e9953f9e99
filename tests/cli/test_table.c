/* Tables: the checksum against its definition, the zip archive against libzip, also beyond 4 GiB. */
#include <fcntl.h>

#include "io/common/crc32.h"
#include "io/states/zip_layout.h"
#include "npz_files.h"

#include "hamel/states.h"

/* bit by bit, as the standard says */
static uint32_t slow(uint32_t crc, const unsigned char *data, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ UINT32_C(0xedb88320) : crc >> 1;
    }
    return ~crc;
}

static void sums_are_right(void **state)
{
    (void)state;
    enum { SIZE = 700 };
    unsigned char data[SIZE];
    crc32_tables fast, plain;
    hmli_crc32_init(&fast);
    plain = fast;
    plain.fold = 0;
    uint32_t r = 1;
    for (int i = 0; i < SIZE; i++) r = r * 1664525 + 1013904223, data[i] = (unsigned char)(r >> 24);
    assert_int_equal(hmli_crc32(&fast, 0, "123456789", 9), UINT32_C(0xcbf43926)); /* the standard's own example */
    for (size_t size = 0; size < SIZE; size++) {
        const size_t from = size % 7; /* at any address */
        if (from + size > SIZE) break;
        const uint32_t right = slow(0, data + from, size);
        assert_int_equal(hmli_crc32(&fast, 0, data + from, size), right);
        assert_int_equal(hmli_crc32(&plain, 0, data + from, size), right);
        assert_int_equal(
            hmli_crc32(&fast, hmli_crc32(&fast, 0, data + from, size / 3), data + from + size / 3, size - size / 3),
            right);
        const uint32_t first = hmli_crc32(&fast, 0, data + from, size / 2);
        const uint32_t second = hmli_crc32(&fast, 0, data + from + size / 2, size - size / 2);
        assert_int_equal(hmli_crc32_join(first, second, hmli_crc32_shift(size - size / 2)), right);
    }
}

/* members of 5 GiB, mostly holes: libzip finds their sizes, and a text at the end of the last */
static void archives_may_be_large(void **state)
{
    (void)state;
    zip_member m[3] = {{.name = "a", .size = UINT64_C(5) << 30}, {.name = "b", .size = 3}, {.name = "c", .size = 7}};
    unsigned char local[ZIP_LOCAL_MAX], directory[4096];
    crc32_tables tables;
    hmli_crc32_init(&tables);
    m[1].crc = hmli_crc32(&tables, 0, "abc", 3);
    m[2].crc = hmli_crc32(&tables, 0, "defghij", 7);
    uint64_t at = 0;
    for (int i = 0; i < 3; i++) at = hmli_zip_place(&m[i], at);
    assert_true(m[0].data % 64 == 0 && m[1].data % 64 == 0 && m[2].at > UINT64_C(5) << 30);
    assert_true(hmli_zip_directory_room(3, "x") <= sizeof directory);
    const size_t size = hmli_zip_directory(m, 3, at, "x", directory);
    int file = open(run_path("large.zip"), O_RDWR | O_CREAT | O_TRUNC, 0666);
    assert_true(file >= 0);
    for (int i = 0; i < 3; i++) {
        const size_t n = hmli_zip_local(&m[i], local);
        assert_int_equal(n, m[i].data - m[i].at);
        assert_int_equal(pwrite(file, local, n, (off_t)m[i].at), (ssize_t)n);
    }
    assert_int_equal(pwrite(file, "abc", 3, (off_t)m[1].data), 3);
    assert_int_equal(pwrite(file, "defghij", 7, (off_t)m[2].data), 7);
    assert_int_equal(pwrite(file, directory, size, (off_t)at), (ssize_t)size);
    close(file);
    int code;
    zip_t *zip = zip_open(run_path("large.zip"), ZIP_RDONLY | ZIP_CHECKCONS, &code);
    assert_non_null(zip);
    zip_stat_t about;
    char text[8] = "";
    assert_int_equal(zip_stat(zip, "a", 0, &about), 0);
    assert_true(about.size == UINT64_C(5) << 30);
    zip_file_t *in = zip_fopen(zip, "c", 0);
    assert_int_equal(zip_fread(in, text, 7), 7);
    assert_string_equal(text, "defghij");
    assert_int_equal(zip_fclose(in), 0);
    zip_discard(zip);
    unlink(run_path("large.zip"));
}

static hml_table *open_table(int64_t rows, uint64_t digest, int resume, hml_status expected)
{
    static const hml_column columns[2] = {{.name = "x", .rank = 1, .shape = {3}},
                                          {.name = "code", .type = HML_COLUMN_INT32}};
    const hml_table_settings s = {.struct_size = sizeof s,
                                  .rows = rows,
                                  .chunk = 4,
                                  .ncolumns = 2,
                                  .columns = columns,
                                  .digest = digest,
                                  .resume = resume};
    hml_table *t = NULL;
    hml_error error;
    assert_int_equal(hml_table_open(run_path("t.npz"), &s, &t, &error), expected);
    return t;
}

static void write_chunk(hml_table *t, int64_t chunk)
{
    double x[12];
    int32_t code[4], back[4];
    for (int i = 0; i < 12; i++) x[i] = 100.0 * (double)chunk + i;
    for (int i = 0; i < 4; i++) code[i] = (int32_t)chunk;
    const void *data[] = {x, code};
    assert_int_equal(hml_table_write(t, chunk, data, NULL), HML_OK);
    assert_true(hml_table_has(t, chunk));
    assert_int_equal(hml_table_read(t, chunk, 1, back), HML_OK);
    assert_int_equal(back[0], (int32_t)chunk);
}

static void chunks_come_in_any_order(void **state)
{
    (void)state;
    hml_error error;
    hml_table *t = open_table(10, 5, 0, HML_OK);
    assert_int_equal(hml_table_chunks(t), 3);
    write_chunk(t, 2);
    assert_int_equal(hml_table_finish(t, &error), HML_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "chunk 0 is missing"));
    hml_table_free(t); /* as a program that dies */
    assert_int_not_equal(access(run_path("t.npz"), F_OK), 0);
    open_table(10, 6, 1, HML_BAD_FILE); /* another computation */
    open_table(11, 5, 1, HML_BAD_FILE);
    t = open_table(10, 5, 1, HML_OK);
    assert_true(hml_table_has(t, 2) && !hml_table_has(t, 0) && !hml_table_has(t, 1) && !hml_table_has(t, 3));
    write_chunk(t, 1);
    write_chunk(t, 0);
    assert_int_equal(hml_table_finish(t, NULL), HML_OK);
    hml_table_free(t);
    double *x = npz_file_load("t.npz", "x", "'<f8', 'fortran_order': False, 'shape': (10, 3,)", 30 * sizeof *x);
    int32_t *code = npz_file_load("t.npz", "code", "'<i4', 'fortran_order': False, 'shape': (10,)", 10 * sizeof *code);
    for (int i = 0; i < 30; i++) assert_true(x[i] == 100.0 * (i / 12) + i % 12);
    for (int i = 0; i < 10; i++) assert_int_equal(code[i], i / 4);
    free(x), free(code);
    t = open_table(10, 5, 1, HML_OK); /* there is nothing left to do */
    assert_true(hml_table_complete(t));
    hml_table_free(t);
    assert_int_not_equal(access(run_path("t.npz.part"), F_OK), 0);
}

/* what the disk has lost is written again */
static void damage_is_noticed(void **state)
{
    (void)state;
    hml_table *t = open_table(12, 8, 0, HML_OK);
    for (int k = 0; k < 3; k++) write_chunk(t, k);
    hml_table_free(t);
    int file = open(run_path("t.npz.part"), O_RDWR);
    double x = 0;
    off_t at = 0; /* of the number 100, the first of chunk 1 */
    while (pread(file, &x, sizeof x, at) == sizeof x && x != 100) at += 8;
    assert_true(x == 100);
    x = 100.5;
    assert_int_equal(pwrite(file, &x, sizeof x, at), sizeof x);
    close(file);
    t = open_table(12, 8, 1, HML_OK);
    assert_true(hml_table_has(t, 0) && !hml_table_has(t, 1) && hml_table_has(t, 2));
    assert_int_equal(hml_table_clear(t, NULL), HML_OK); /* and what its author knows to be wrong */
    for (int again = 0; again < 2; again++) {
        for (int k = 0; k < 3; k++) assert_false(hml_table_has(t, k));
        hml_table_free(t);
        t = open_table(12, 8, 1, HML_OK);
    }
    hml_table_free(t);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    hml_table *t = open_table(4, 1, 0, HML_OK);
    const double x[12] = {0};
    const void *data[] = {x, x};
    assert_int_equal(hml_table_write(t, 1, data, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_table_write(t, -1, data, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_table_write(t, 0, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_table_read(t, 0, 2, (void *)data), HML_INVALID_ARGUMENT);
    hml_table_free(t);
    open_table(-1, 1, 0, HML_INVALID_ARGUMENT);
    open_table(INT64_MAX, 1, 0, HML_INVALID_ARGUMENT);
    assert_int_equal(hml_table_finish(NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_table_clear(NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_states_open(NULL, NULL, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_states_read(NULL, 0, 0, NULL, NULL, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_true(hml_states_count(NULL) == 0 && hml_states_digest(NULL) == 0 && hml_table_chunks(NULL) == 0);
    assert_true(hml_digest_add(0, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c)); /* of FNV's own tables */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right),           cmocka_unit_test(archives_may_be_large),
        cmocka_unit_test(chunks_come_in_any_order), cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
