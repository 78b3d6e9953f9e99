/* Names, sizes and places of the members of a table. See table.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/result.h"
#include "io/states/table.h"

static const char *type_name(hml_column_type type)
{
    return type == HML_COLUMN_FLOAT64 ? "f8" : type == HML_COLUMN_FLOAT32 ? "f4" : "i4";
}

/* the small members: whole NPY files, made now */
static hml_status add_heads(hml_table *t, const hml_result *head)
{
    if (head && head->status) return head->status;
    for (size_t i = 0; head && i < head->nvalues; i++) {
        const result_value *value = &head->values[i];
        zip_member *m = &t->members[t->nmembers];
        size_t size = 0;
        if (value->kind == VALUE_TABLE || strlen(value->name) + 5 > sizeof m->name) return HML_INVALID_ARGUMENT;
        char *data = hmli_result_npy(value, &size);
        if (!data) return HML_OUT_OF_MEMORY;
        t->heads[t->nheads++] = data;
        snprintf(m->name, sizeof m->name, "%s.npy", value->name);
        m->size = size;
        m->crc = hmli_crc32(&t->crc, 0, data, size);
        t->nmembers++;
    }
    return HML_OK;
}

int hmli_table_width(int64_t rows, const hml_column *column, uint64_t *width)
{
    const uint64_t most = UINT64_C(1) << 61;
    *width = column->type == HML_COLUMN_FLOAT64 ? 8 : 4;
    for (int32_t k = 0; k < column->rank; k++) {
        if (column->shape[k] > 0 && *width > (most >> 21) / column->shape[k]) return 0;
        *width *= column->shape[k];
    }
    return *width == 0 || (uint64_t)rows <= most / *width;
}

void hmli_table_type(hml_column_type type, char text[8])
{
    snprintf(text, 8, "%c%s", hmli_npy_order(), type_name(type));
}

static hml_status add_column(hml_table *t, size_t i, const hml_column *column)
{
    size_t shape[1 + HML_COLUMN_MAX_RANK] = {(size_t)t->rows};
    table_column *c = &t->columns[i];
    zip_member *m = &t->members[t->nmembers];
    char type[8];
    if (!hmli_table_width(t->rows, column, &c->width)) return HML_INVALID_ARGUMENT;
    for (int32_t k = 0; k < column->rank; k++) shape[1 + k] = column->shape[k];
    hmli_table_type(column->type, type);
    c->npy = malloc(NPY_ROOM);
    if (!c->npy) return HML_OUT_OF_MEMORY;
    c->header = hmli_npy_write(c->npy, type, 1 + column->rank, shape);
    c->member = t->nmembers++;
    snprintf(m->name, sizeof m->name, "%s.npy", column->name);
    m->size = c->header + (uint64_t)t->rows * c->width;
    return HML_OK;
}

static hml_status allocate(hml_table *t, const hml_table_settings *s)
{
    const size_t nheads = s->head ? s->head->nvalues : 0, n = nheads + (size_t)s->ncolumns;
    t->members = calloc(n + 1, sizeof *t->members);
    t->heads = calloc(nheads + 1, sizeof *t->heads);
    t->columns = calloc((size_t)s->ncolumns + 1, sizeof *t->columns);
    t->sums = calloc((size_t)t->chunks * (size_t)s->ncolumns + 1, sizeof *t->sums);
    t->there = calloc((size_t)t->chunks + 1, 1);
    return t->members && t->heads && t->columns && t->sums && t->there ? HML_OK : HML_OUT_OF_MEMORY;
}

hml_status hmli_table_layout(hml_table *table, const hml_table_settings *settings)
{
    uint64_t at = 0;
    hml_status status = allocate(table, settings);
    if (!status) status = add_heads(table, settings->head);
    for (int32_t i = 0; i < settings->ncolumns && !status; i++) {
        status = add_column(table, (size_t)i, &settings->columns[i]);
        table->ncolumns++;
    }
    if (status) return status;
    for (size_t i = 0; i < table->nmembers; i++) at = hmli_zip_place(&table->members[i], at);
    table->journal = (at + ZIP_ALIGN - 1) / ZIP_ALIGN * ZIP_ALIGN;
    table->end = table->journal + JOURNAL_HEAD + (uint64_t)table->chunks * table_record(table);
    return HML_OK;
}

void hmli_table_journal_head(const hml_table *table, unsigned char head[JOURNAL_HEAD])
{
    const uint64_t words[] = {table->digest, (uint64_t)table->rows, (uint64_t)table->chunk, table->ncolumns,
                              table->journal};
    memset(head, 0, JOURNAL_HEAD);
    memcpy(head, "HAMELTB1", 8);
    memcpy(head + 8, words, sizeof words);
}

void hmli_table_comment(const hml_table *table, char text[DIGEST_TEXT])
{
    snprintf(text, DIGEST_TEXT, "hamel %016llx", (unsigned long long)table->digest);
}
