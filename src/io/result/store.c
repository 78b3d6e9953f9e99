/* Results in memory: collecting values, and handing the finished file to hml_file_write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/decimal.h"
#include "hamel/io.h"
#include "io/common/archive.h"
#include "io/common/report.h"
#include "io/result/result.h"

hml_result *hml_result_new(void) { return calloc(1, sizeof(hml_result)); }

static void value_clear(result_value *value)
{
    switch (value->kind) {
    case VALUE_NUMBER: free(value->data.numbers); break;
    case VALUE_INTEGER: free(value->data.integers); break;
    case VALUE_FLAG: free(value->data.flags); break;
    case VALUE_TEXT:
        for (size_t i = 0; value->data.texts && i < value->count; i++) free(value->data.texts[i]);
        free(value->data.texts);
        break;
    case VALUE_TABLE: hml_result_free(value->data.table); break;
    }
    free(value->name);
}

void hml_result_free(hml_result *result)
{
    if (!result) return;
    for (size_t i = 0; i < result->nvalues; i++) value_clear(&result->values[i]);
    free(result->values);
    free(result);
}

/* ---- adding ---- */

static void fail(hml_result *result, hml_status status)
{
    if (!result->status) result->status = status;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static int fits(const hml_result *result, int rank, const size_t shape[])
{
    if (rank < 0 || rank > HML_RESULT_MAX_RANK || (rank > 0 && !shape)) return 0;
    return !result->is_table || (rank > 0 && shape[0] == result->rows);
}

/* a new value without data; NULL if the result is not to be had, or has failed */
static result_value *new_value(hml_result *result, const char *name, value_kind kind, int rank, const size_t shape[])
{
    if (!result || result->status) return NULL;
    if (!name || !*name || !fits(result, rank, shape)) return fail(result, HML_INVALID_ARGUMENT), NULL;
    for (size_t i = 0; i < result->nvalues; i++) {
        if (strcmp(result->values[i].name, name) == 0) return fail(result, HML_INVALID_ARGUMENT), NULL;
    }
    if (result->nvalues == result->capacity) {
        size_t capacity = 2 * result->capacity + 8;
        result_value *values = realloc(result->values, capacity * sizeof *values);
        if (!values) return fail(result, HML_OUT_OF_MEMORY), NULL;
        result->values = values;
        result->capacity = capacity;
    }
    char *copy = copy_text(name);
    if (!copy) return fail(result, HML_OUT_OF_MEMORY), NULL;
    result_value *value = &result->values[result->nvalues++];
    *value = (result_value){.name = copy, .kind = kind, .rank = rank, .count = 1};
    for (int i = 0; i < rank; i++) value->count *= value->shape[i] = shape[i];
    return value;
}

/* n items of some bytes each, copied; never NULL for want of items */
static void *copy_items(hml_result *result, const void *items, size_t n, size_t size)
{
    void *copy = malloc(n * size + 1);
    if (!copy)
        fail(result, HML_OUT_OF_MEMORY);
    else if (n > 0)
        memcpy(copy, items, n * size);
    return copy;
}

static void add_numbers(hml_result *result, const char *name, int rank, const size_t shape[], const double *data)
{
    result_value *value = new_value(result, name, VALUE_NUMBER, rank, shape);
    if (value) value->data.numbers = copy_items(result, data, value->count, sizeof *data);
}

static void add_integers(hml_result *result, const char *name, int rank, const size_t shape[], const int64_t *data)
{
    result_value *value = new_value(result, name, VALUE_INTEGER, rank, shape);
    if (value) value->data.integers = copy_items(result, data, value->count, sizeof *data);
}

static void add_texts(hml_result *result, const char *name, int rank, const size_t shape[], const char *const *texts)
{
    result_value *value = new_value(result, name, VALUE_TEXT, rank, shape);
    if (!value) return;
    value->data.texts = calloc(value->count + 1, sizeof(char *));
    if (!value->data.texts) fail(result, HML_OUT_OF_MEMORY);
    for (size_t i = 0; value->data.texts && i < value->count; i++) {
        if (texts[i] && !(value->data.texts[i] = copy_text(texts[i]))) fail(result, HML_OUT_OF_MEMORY);
    }
}

void hml_result_add_number(hml_result *result, const char *name, double value)
{
    add_numbers(result, name, 0, NULL, &value);
}

void hml_result_add_integer(hml_result *result, const char *name, int64_t value)
{
    add_integers(result, name, 0, NULL, &value);
}

void hml_result_add_text(hml_result *result, const char *name, const char *text)
{
    add_texts(result, name, 0, NULL, &text);
}

void hml_result_add_numbers(hml_result *result, const char *name, int rank, const size_t shape[], const double *data)
{
    add_numbers(result, name, rank, shape, data);
}

void hml_result_add_integers(hml_result *result, const char *name, int rank, const size_t shape[], const int64_t *data)
{
    add_integers(result, name, rank, shape, data);
}

void hml_result_add_flags(hml_result *result, const char *name, size_t count, const int *data)
{
    result_value *value = new_value(result, name, VALUE_FLAG, 1, &count);
    if (value) value->data.flags = copy_items(result, data, count, sizeof *data);
}

void hml_result_add_texts(hml_result *result, const char *name, size_t count, const char *const *texts)
{
    add_texts(result, name, 1, &count, texts);
}

hml_result *hml_result_add_table(hml_result *result, const char *name, size_t rows)
{
    if (result && result->is_table) fail(result, HML_INVALID_ARGUMENT);
    result_value *value = new_value(result, name, VALUE_TABLE, 1, &rows);
    if (!value) return NULL;
    value->data.table = hml_result_new();
    if (!value->data.table) return fail(result, HML_OUT_OF_MEMORY), NULL;
    value->data.table->is_table = 1;
    value->data.table->rows = rows;
    return value->data.table;
}

/* ---- writing ---- */

void hmli_result_number_text(double x, char text[RESULT_NUMBER_SIZE]) { decimal_text(text, DECIMAL_EXACT, x); }

static const struct {
    const char *ending;
    hml_result_format format;
    hml_status (*write)(const hml_result *, result_bytes *);
} WRITERS[] = {{".json", HML_RESULT_JSON, hmli_result_json},
               {".npz", HML_RESULT_NPZ, hmli_result_npz},
               {".mat", HML_RESULT_MAT, hmli_result_mat},
               {".csv", HML_RESULT_CSV, hmli_result_csv}};

enum { WRITER_COUNT = sizeof WRITERS / sizeof *WRITERS };

hml_status hml_result_format_of(const char *path, hml_result_format *format)
{
    if (!path || !format) return HML_INVALID_ARGUMENT;
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        size_t length = strlen(path), ending = strlen(WRITERS[i].ending);
        if (length > ending && strcasecmp(path + length - ending, WRITERS[i].ending) == 0) {
            *format = WRITERS[i].format;
            return HML_OK;
        }
    }
    struct stat there;
    if (stat(path, &there) || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode)) return HML_INVALID_ARGUMENT;
    *format = HML_RESULT_JSON;
    return HML_OK;
}

static hml_status first_failure(const hml_result *result)
{
    for (size_t i = 0; i < result->nvalues && !result->status; i++) {
        const result_value *value = &result->values[i];
        if (value->kind == VALUE_TABLE && value->data.table->status) return value->data.table->status;
    }
    return result->status;
}

hml_status hml_result_write(const hml_result *result, const char *path, hml_result_format format, hml_error *error)
{
    if (!result || !path) return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is nothing to write");
    hml_status status = first_failure(result);
    if (status) return hmli_report(error, status, path, 0, "%s", hml_status_message(status));
    if (format == HML_RESULT_AUTO && hml_result_format_of(path, &format)) {
        return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "the name must end in .json, .npz, .mat or .csv");
    }
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        if (WRITERS[i].format != format) continue;
        result_bytes bytes = {NULL, 0};
        status = WRITERS[i].write(result, &bytes);
        if (status == HML_UNSUPPORTED)
            hmli_report(error, status, path, 0, "%s", format == HML_RESULT_MAT ? MAT_MISSING : ARCHIVE_MISSING);
        else if (status)
            hmli_report(error, status, path, 0, "%s", hml_status_message(status));
        else
            status = hml_file_write(path, bytes.data, bytes.size, error);
        free(bytes.data);
        return status;
    }
    return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is no such format");
}
