/* Results as JSON: one object, arrays nested row by row, tables as lists of objects. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "io/result/result.h"

/* one entry; NULL only when out of memory */
static json_t *entry(const result_value *value, size_t i)
{
    switch (value->kind) {
    case VALUE_NUMBER: return isfinite(value->data.numbers[i]) ? json_real(value->data.numbers[i]) : json_null();
    case VALUE_INTEGER: return json_integer((json_int_t)value->data.integers[i]);
    case VALUE_FLAG: return json_boolean(value->data.flags[i]);
    case VALUE_TEXT: return value->data.texts[i] ? json_string(value->data.texts[i]) : json_null();
    default: return NULL;
    }
}

/* the entries from *next on, as an array of the dimensions depth … rank − 1 */
static json_t *nest(const result_value *value, int depth, size_t *next)
{
    if (depth >= value->rank || depth >= HML_RESULT_MAX_RANK) return entry(value, (*next)++);
    json_t *list = json_array();
    for (size_t i = 0; list && i < value->shape[depth]; i++) {
        if (json_array_append_new(list, nest(value, depth + 1, next))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *table(const hml_result *t)
{
    json_t *list = json_array();
    for (size_t row = 0; list && row < t->rows; row++) {
        json_t *object = json_object();
        int failed = !object;
        for (size_t c = 0; c < t->nvalues && !failed; c++) {
            const result_value *column = &t->values[c];
            size_t next = row * (t->rows ? column->count / t->rows : 0);
            failed = json_object_set_new(object, column->name, nest(column, 1, &next));
        }
        if (failed) json_decref(object);
        if (failed || json_array_append_new(list, object)) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

hml_status hml_result_json(const hml_result *result, result_bytes *bytes)
{
    json_t *object = json_object();
    if (!object) return HML_OUT_OF_MEMORY;
    for (size_t i = 0; i < result->nvalues; i++) {
        const result_value *value = &result->values[i];
        size_t next = 0;
        json_t *member = value->kind == VALUE_TABLE ? table(value->data.table) : nest(value, 0, &next);
        if (json_object_set_new(object, value->name, member)) {
            json_decref(object);
            return HML_OUT_OF_MEMORY;
        }
    }
    FILE *text = open_memstream(&bytes->data, &bytes->size);
    int failed = !text;
    if (text) {
        failed = json_dumpf(object, text, JSON_REAL_PRECISION(17)) != 0 || fputc('\n', text) == EOF;
        failed = fclose(text) != 0 || failed;
    }
    json_decref(object);
    return failed ? HML_OUT_OF_MEMORY : HML_OK;
}
