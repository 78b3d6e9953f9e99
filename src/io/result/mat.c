/*
 * Results as a MAT file, version 5, through matio. MATLAB's arrays are column-major and have at least two dimensions: a
 * vector becomes a column, a list of texts a cell column, a table a 1×n struct array. Whole numbers are doubles, as
 * MATLAB likes them.
 *
 * matio writes to named files only, and is silent about short writes. So it writes a scratch file, which is read back
 * and checked from tag to tag before the bytes are trusted.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <matio.h>

#include "io/result/result.h"

enum { MAT_HEADER = 128, MAT_TAG = 8 };

/* ---- values ---- */

/* text NULL: the empty array */
static matvar_t *text_variable(const char *name, const char *text)
{
    size_t dims[2] = {text && *text ? 1 : 0, text ? strlen(text) : 0};
    if (dims[0] == 0) dims[1] = 0;
    return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, dims, (void *)(uintptr_t)(text ? text : ""), 0);
}

/* entries first … first + count − 1, count the product of shape (rank numbers), turned to column-major */
static matvar_t *array_variable(const char *name, const result_value *value, size_t first, int rank,
                                const size_t *shape)
{
    size_t dims[3] = {1, 1, 1}, from = first;
    for (int i = 0; i < rank && i < 3; i++) dims[i] = shape[i];
    const size_t count = dims[0] * dims[1] * dims[2];
    double *data = malloc((count + 1) * sizeof *data);
    uint8_t *flags = malloc(count + 1);
    for (size_t i = 0; data && flags && i < count; i++, from++) { /* row-major: the last index runs fastest */
        size_t a = i / (dims[1] * dims[2]), b = i / dims[2] % dims[1], c = i % dims[2];
        size_t to = a + dims[0] * (b + dims[1] * c);
        if (value->kind == VALUE_NUMBER) data[to] = value->data.numbers[from];
        if (value->kind == VALUE_INTEGER) data[to] = (double)value->data.integers[from];
        if (value->kind == VALUE_FLAG) flags[to] = value->data.flags[from] != 0;
    }
    int dimensions = rank > 2 ? rank : 2;
    matvar_t *variable = NULL;
    if (data && flags && value->kind == VALUE_FLAG) {
        variable = Mat_VarCreate(name, MAT_C_UINT8, MAT_T_UINT8, dimensions, dims, flags, MAT_F_LOGICAL);
    } else if (data && flags) {
        variable = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, dimensions, dims, data, 0);
    }
    free(flags);
    free(data);
    return variable;
}

static matvar_t *texts_variable(const char *name, const result_value *value)
{
    size_t dims[2] = {value->count, 1};
    matvar_t *cells = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, NULL, 0);
    for (size_t i = 0; cells && i < value->count; i++) {
        matvar_t *text = text_variable(NULL, value->data.texts[i]);
        if (!text) {
            Mat_VarFree(cells);
            return NULL;
        }
        Mat_VarSetCell(cells, (int)i, text);
    }
    return cells;
}

static matvar_t *table_variable(const char *name, const hml_result *table)
{
    const char **fields = malloc((table->nvalues + 1) * sizeof *fields);
    if (!fields) return NULL;
    for (size_t c = 0; c < table->nvalues; c++) fields[c] = table->values[c].name;
    size_t dims[2] = {1, table->rows};
    matvar_t *rows = Mat_VarCreateStruct(name, 2, dims, fields, (unsigned)table->nvalues);
    free(fields);
    for (size_t i = 0; rows && i < table->rows * table->nvalues; i++) {
        size_t row = i / table->nvalues, c = i % table->nvalues;
        const result_value *column = &table->values[c];
        matvar_t *field = column->kind == VALUE_TEXT ? text_variable(NULL, column->data.texts[row])
                                                     : array_variable(NULL, column, row * (column->count / table->rows),
                                                                      column->rank - 1, column->shape + 1);
        if (!field) {
            Mat_VarFree(rows);
            return NULL;
        }
        Mat_VarSetStructFieldByIndex(rows, c, row, field);
    }
    return rows;
}

static matvar_t *variable_of(const result_value *value)
{
    if (value->kind == VALUE_TABLE) return table_variable(value->name, value->data.table);
    if (value->kind != VALUE_TEXT) return array_variable(value->name, value, 0, value->rank, value->shape);
    return value->rank == 0 ? text_variable(value->name, value->data.texts[0]) : texts_variable(value->name, value);
}

/* ---- the scratch file ---- */

static hml_status write_variables(const hml_result *result, const char *path)
{
    mat_t *file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, written by Hamel", MAT_FT_MAT5);
    if (!file) return HML_CANNOT_WRITE;
    hml_status status = HML_OK;
    for (size_t i = 0; i < result->nvalues && !status; i++) {
        matvar_t *variable = variable_of(&result->values[i]);
        if (!variable)
            status = HML_OUT_OF_MEMORY;
        else if (Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE))
            status = HML_CANNOT_WRITE;
        Mat_VarFree(variable);
    }
    return Mat_Close(file) && !status ? HML_CANNOT_WRITE : status;
}

/* after the header every variable is a tag (type, bytes) and as many bytes; the last one ends where the file ends */
static int whole(const result_bytes *bytes, size_t variables)
{
    size_t at = MAT_HEADER;
    for (; variables > 0 && at + MAT_TAG <= bytes->size; variables--) {
        uint32_t size;
        memcpy(&size, bytes->data + at + 4, sizeof size);
        at += MAT_TAG + size;
    }
    return variables == 0 && at == bytes->size;
}

static hml_status read_back(int descriptor, result_bytes *bytes)
{
    off_t end = lseek(descriptor, 0, SEEK_END);
    if (end < 0 || lseek(descriptor, 0, SEEK_SET) < 0) return HML_CANNOT_READ;
    bytes->data = malloc((size_t)end + 1);
    if (!bytes->data) return HML_OUT_OF_MEMORY;
    while (bytes->size < (size_t)end) {
        ssize_t got = read(descriptor, bytes->data + bytes->size, (size_t)end - bytes->size);
        if (got <= 0) return HML_CANNOT_READ;
        bytes->size += (size_t)got;
    }
    return HML_OK;
}

hml_status hmli_result_mat(const hml_result *result, result_bytes *bytes)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/hamel-XXXXXX", folder && *folder ? folder : "/tmp");
    int descriptor = length > 0 && (size_t)length < sizeof path ? mkstemp(path) : -1;
    if (descriptor < 0) return HML_CANNOT_WRITE;
    close(descriptor);
    hml_status status = write_variables(result, path);
    FILE *file = status ? NULL : fopen(path, "rb");
    if (!status) status = file ? read_back(fileno(file), bytes) : HML_CANNOT_READ;
    if (file) fclose(file);
    unlink(path);
    return !status && !whole(bytes, result->nvalues) ? HML_CANNOT_WRITE : status;
}
