/* Results as one tidy CSV file (RFC 4180): matrix,row,column,value, one line an entry, counting from 0. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/result/result.h"

static void put_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_entry(FILE *out, const result_value *value, size_t i)
{
    char number[RESULT_NUMBER_SIZE];
    switch (value->kind) {
    case VALUE_NUMBER:
        hmli_result_number_text(value->data.numbers[i], number);
        fputs(number, out);
        break;
    case VALUE_INTEGER: fprintf(out, "%" PRId64, value->data.integers[i]); break;
    case VALUE_FLAG: fputs(value->data.flags[i] ? "true" : "false", out); break;
    case VALUE_TEXT: put_text(out, value->data.texts[i] ? value->data.texts[i] : ""); break;
    case VALUE_TABLE: break;
    }
}

/* prefix: the table's name, or NULL */
static void put_value(FILE *out, const char *prefix, const result_value *value)
{
    size_t rows = value->rank > 0 ? value->shape[0] : 1, columns = rows ? value->count / rows : 0;
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            if (prefix) {
                put_text(out, prefix);
                fputc('.', out);
            }
            put_text(out, value->name);
            fprintf(out, ",%zu,%zu,", row, column);
            put_entry(out, value, row * columns + column);
            fputc('\n', out);
        }
    }
}

hml_status hmli_result_csv(const hml_result *result, result_bytes *bytes)
{
    FILE *out = open_memstream(&bytes->data, &bytes->size);
    if (!out) return HML_OUT_OF_MEMORY;
    fputs("matrix,row,column,value\n", out);
    for (size_t i = 0; i < result->nvalues; i++) {
        const result_value *value = &result->values[i];
        if (value->kind != VALUE_TABLE) {
            put_value(out, NULL, value);
            continue;
        }
        for (size_t c = 0; c < value->data.table->nvalues; c++) {
            put_value(out, value->name, &value->data.table->values[c]);
        }
    }
    int failed = ferror(out);
    failed = fclose(out) != 0 || failed;
    return failed ? HML_OUT_OF_MEMORY : HML_OK;
}
