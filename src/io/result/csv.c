/* Results as one tidy CSV file (RFC 4180): matrix,row,column,value, one line an entry, counting from 0. */
#include <inttypes.h>
#include <string.h>

#include "io/common/writer.h"
#include "io/result/result.h"
#include "io/save.h"

static void put_text(writer *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        hmli_writer_put(out, text);
        return;
    }
    hmli_writer_put(out, "\"");
    for (; *text; text++) hmli_writer_print(out, *text == '"' ? "\"%c" : "%c", *text);
    hmli_writer_put(out, "\"");
}

static void put_entry(writer *out, const result_value *value, size_t i)
{
    char number[RESULT_NUMBER_SIZE];
    switch (value->kind) {
    case VALUE_NUMBER:
        hmli_result_number_text(value->data.numbers[i], number);
        hmli_writer_put(out, number);
        break;
    case VALUE_INTEGER: hmli_writer_print(out, "%" PRId64, value->data.integers[i]); break;
    case VALUE_FLAG: hmli_writer_put(out, value->data.flags[i] ? "true" : "false"); break;
    case VALUE_TEXT: put_text(out, value->data.texts[i] ? value->data.texts[i] : ""); break;
    case VALUE_TABLE: break;
    }
}

/* prefix: the table's name, or NULL */
static void put_value(writer *out, const char *prefix, const result_value *value)
{
    size_t rows = value->rank > 0 ? value->shape[0] : 1, columns = rows ? value->count / rows : 0;
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            if (prefix) {
                put_text(out, prefix);
                hmli_writer_put(out, ".");
            }
            put_text(out, value->name);
            hmli_writer_print(out, ",%zu,%zu,", row, column);
            put_entry(out, value, row * columns + column);
            hmli_writer_put(out, "\n");
        }
    }
}

hml_status hmli_result_csv(const hml_result *result, result_bytes *bytes)
{
    writer out = {0};
    hmli_writer_put(&out, "matrix,row,column,value\n");
    for (size_t i = 0; i < result->nvalues; i++) {
        const result_value *value = &result->values[i];
        if (value->kind != VALUE_TABLE) {
            put_value(&out, NULL, value);
            continue;
        }
        for (size_t c = 0; c < value->data.table->nvalues; c++) {
            put_value(&out, value->name, &value->data.table->values[c]);
        }
    }
    return hmli_save_text(&out, &bytes->data, &bytes->size, NULL);
}
