/* Results as JSON: one object, arrays nested row by row, tables as lists of objects. Text is as files have it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/number.h"
#include "io/common/writer.h"
#include "io/result/result.h"
#include "io/save.h"

/* as many digits as it takes, and always a point or an exponent, so that a reader sees a real number */
static void put_number(writer *w, double x)
{
    char text[NUMBER_SIZE];
    if (!isfinite(x)) {
        hmli_writer_put(w, "null");
        return;
    }
    hmli_number_write(x, text);
    hmli_writer_put(w, text);
    if (!strpbrk(text, ".e")) hmli_writer_put(w, ".0");
}

static void put_entry(writer *w, const result_value *value, size_t i)
{
    switch (value->kind) {
    case VALUE_NUMBER: put_number(w, value->data.numbers[i]); break;
    case VALUE_INTEGER: hmli_writer_print(w, "%lld", (long long)value->data.integers[i]); break;
    case VALUE_FLAG: hmli_writer_put(w, value->data.flags[i] ? "true" : "false"); break;
    case VALUE_TEXT:
        if (value->data.texts[i])
            hmli_writer_json_text(w, value->data.texts[i]);
        else
            hmli_writer_put(w, "null");
        break;
    default: break;
    }
}

/* the entries from *next on, as an array of the dimensions depth … rank − 1 */
static void put_nested(writer *w, const result_value *value, int depth, size_t *next)
{
    if (depth >= value->rank || depth >= HML_RESULT_MAX_RANK) {
        put_entry(w, value, (*next)++);
        return;
    }
    hmli_writer_put(w, "[");
    for (size_t i = 0; i < value->shape[depth] && !w->failed; i++) {
        if (i) hmli_writer_put(w, ", ");
        put_nested(w, value, depth + 1, next);
    }
    hmli_writer_put(w, "]");
}

static void put_key(writer *w, size_t i, const char *name)
{
    if (i) hmli_writer_put(w, ", ");
    hmli_writer_json_text(w, name);
    hmli_writer_put(w, ": ");
}

static void put_table(writer *w, const hml_result *t)
{
    hmli_writer_put(w, "[");
    for (size_t row = 0; row < t->rows && !w->failed; row++) {
        hmli_writer_put(w, row ? ", {" : "{");
        for (size_t c = 0; c < t->nvalues; c++) {
            const result_value *column = &t->values[c];
            size_t next = row * (t->rows ? column->count / t->rows : 0);
            put_key(w, c, column->name);
            put_nested(w, column, 1, &next);
        }
        hmli_writer_put(w, "}");
    }
    hmli_writer_put(w, "]");
}

hml_status hmli_result_json(const hml_result *result, result_bytes *bytes)
{
    writer w = {0};
    hmli_writer_put(&w, "{");
    for (size_t i = 0; i < result->nvalues; i++) {
        const result_value *value = &result->values[i];
        size_t next = 0;
        put_key(&w, i, value->name);
        if (value->kind == VALUE_TABLE)
            put_table(&w, value->data.table);
        else
            put_nested(&w, value, 0, &next);
    }
    hmli_writer_put(&w, "}\n");
    if (w.failed) {
        hmli_writer_free(&w);
        return HML_OUT_OF_MEMORY;
    }
    bytes->data = w.data;
    bytes->size = w.size;
    return HML_OK;
}
