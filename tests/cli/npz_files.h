/* NPZ files for tests: states made with libzip, and results read back with it. */
#ifndef TESTS_CLI_NPZ_FILES_H
#define TESTS_CLI_NPZ_FILES_H

#include <zip.h>

#include "run.h"

/* one array: its NPY header as NumPy writes it, and its bytes */
typedef struct npz_file_array {
    const char *name, *type, *shape; /* such as "position", "<f8", "3, 19" */
    const void *data;
    size_t size;
    int fortran;
} npz_file_array;

static inline void npz_file_add(zip_t *zip, const npz_file_array *a, int compress)
{
    char header[256], name[64];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", a->type,
             a->fortran ? "True" : "False", a->shape);
    unsigned char *file = malloc(128 + a->size);
    assert_non_null(file);
    memset(file, ' ', 128);
    memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(file + 10, header, strlen(header));
    file[127] = '\n';
    if (a->size) memcpy(file + 128, a->data, a->size);
    zip_source_t *source = zip_source_buffer(zip, file, 128 + a->size, 1);
    snprintf(name, sizeof name, "%s.npy", a->name);
    zip_int64_t index = zip_file_add(zip, name, source, 0);
    assert_true(index >= 0);
    zip_set_file_compression(zip, (zip_uint64_t)index, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
}

static inline void npz_file_save(const char *name, int n, const npz_file_array *arrays, int compress)
{
    int code;
    zip_t *zip = zip_open(run_path(name), ZIP_CREATE | ZIP_TRUNCATE, &code);
    assert_non_null(zip);
    for (int i = 0; i < n; i++) npz_file_add(zip, &arrays[i], compress);
    assert_int_equal(zip_close(zip), 0);
}

/* the data of an array, malloc'ed, whose header has this text in it; libzip checks its sum */
static inline void *npz_file_load(const char *file, const char *name, const char *header, size_t size)
{
    int code;
    char member[64];
    zip_t *zip = zip_open(run_path(file), ZIP_RDONLY | ZIP_CHECKCONS, &code);
    if (!zip) fail_msg("%s cannot be opened", file);
    snprintf(member, sizeof member, "%s.npy", name);
    zip_file_t *in = zip_fopen(zip, member, 0);
    if (!in) fail_msg("%s has no %s", file, name);
    char *all = malloc(size + 4096), text[512];
    zip_int64_t got = zip_fread(in, all, size + 4096);
    assert_int_equal(zip_fclose(in), 0); /* the sum is right */
    zip_discard(zip);
    const size_t begin = 10 + (size_t)(unsigned char)all[8] + 256 * (size_t)(unsigned char)all[9];
    assert_true(got > 0 && begin % 64 == 0 && begin < 512);
    memcpy(text, all, begin);
    for (size_t i = 0; i < 10; i++) text[i] = ' ';
    text[begin - 1] = 0;
    if (!strstr(text, header)) fail_msg("%s: %s has the header %s", file, name, text);
    assert_int_equal((size_t)got, begin + size);
    memmove(all, all + begin, size);
    return all;
}

#endif
