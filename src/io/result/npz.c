/*
 * Results as NPZ: a zip archive of NPY files, one an array, as numpy.load reads them without pickle.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/archive.h"
#include "io/common/npy.h"
#include "io/common/utf8.h"
#include "io/result/result.h"

/* characters of a UTF-8 text as code points; out may be NULL to count. What is not UTF-8 becomes U+FFFD. */
static size_t code_points(const char *text, uint32_t *out)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");
    size_t left = strlen((const char *)s), count = 0;
    while (left > 0) {
        size_t length = utf8_length(s, left), taken = length ? length : 1;
        uint32_t code = length == 0 ? 0xfffd : length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
        for (size_t i = 1; i < length; i++) code = code << 6 | (s[i] & 0x3fu);
        if (out) out[count] = code;
        count++, s += taken, left -= taken;
    }
    return count;
}

static size_t longest(const result_value *value)
{
    size_t most = 1;
    for (size_t i = 0; i < value->count; i++) {
        size_t length = code_points(value->data.texts[i], NULL);
        if (length > most) most = length;
    }
    return most;
}

/* the type as NumPy writes it, and the bytes of an entry */
static size_t describe(const result_value *value, char *descr, size_t size)
{
    size_t width = 8;
    if (value->kind == VALUE_TEXT) {
        width = longest(value);
        snprintf(descr, size, "%cU%zu", hmli_npy_order(), width);
        return 4 * width;
    }
    if (value->kind == VALUE_FLAG) {
        snprintf(descr, size, "|b1");
        return 1;
    }
    snprintf(descr, size, "%c%s", hmli_npy_order(), value->kind == VALUE_INTEGER ? "i8" : "f8");
    return width;
}

static void fill(const result_value *value, size_t width, char *data)
{
    switch (value->kind) {
    case VALUE_NUMBER: memcpy(data, value->data.numbers, value->count * width); break;
    case VALUE_INTEGER: memcpy(data, value->data.integers, value->count * width); break;
    case VALUE_FLAG:
        for (size_t i = 0; i < value->count; i++) data[i] = value->data.flags[i] ? 1 : 0;
        break;
    case VALUE_TEXT:
        memset(data, 0, value->count * width);
        for (size_t i = 0; i < value->count; i++) {
            code_points(value->data.texts[i], (uint32_t *)(void *)(data + i * width)); /* aligned: width is 4 n */
        }
        break;
    case VALUE_TABLE: break;
    }
}

char *hmli_result_npy(const result_value *value, size_t *size)
{
    char type[32], header[NPY_ROOM];
    const size_t width = describe(value, type, sizeof type);
    const size_t begin = hmli_npy_write(header, type, value->rank, value->shape);
    *size = begin + value->count * width;
    char *file = malloc(*size);
    if (!file) return NULL;
    memcpy(file, header, begin);
    fill(value, width, file + begin);
    return file;
}

static int add_member(archive *a, const char *prefix, const result_value *value)
{
    size_t size = 0, length = (prefix ? strlen(prefix) : 0) + strlen(value->name) + sizeof "..npy";
    char *name = malloc(length);
    if (!name) return 0;
    snprintf(name, length, "%s%s%s.npy", prefix ? prefix : "", prefix ? "." : "", value->name);
    char *data = hmli_result_npy(value, &size);
    int added = hmli_archive_add(a, name, data, size, 0);
    free(name);
    return added;
}

static int add_members(archive *a, const hml_result *result)
{
    for (size_t i = 0; i < result->nvalues; i++) {
        const result_value *value = &result->values[i];
        if (value->kind != VALUE_TABLE) {
            if (!add_member(a, NULL, value)) return 0;
            continue;
        }
        for (size_t c = 0; c < value->data.table->nvalues; c++) {
            if (!add_member(a, value->name, &value->data.table->values[c])) return 0;
        }
    }
    return 1;
}

hml_status hmli_result_npz(const hml_result *result, result_bytes *bytes)
{
    archive *a;
    const hml_status made = hmli_archive_new(&a);
    if (made) return made;
    if (add_members(a, result)) return hmli_archive_finish(a, &bytes->data, &bytes->size);
    hmli_archive_free(a);
    return HML_OUT_OF_MEMORY;
}
