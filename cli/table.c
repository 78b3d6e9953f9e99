/* Tables on standard output. */
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "term.h"

struct table {
    int columns;
    const char *right;
    size_t count, capacity;
    char **cells;
};

enum { CELL_SIZE = 512, GAP = 2 };

table *table_new(int columns, const char *right)
{
    table *t = calloc(1, sizeof *t);
    if (t)
        t->columns = columns, t->right = right;
    else
        cli_lose_memory();
    return t;
}

void table_free(table *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->count; i++) free(t->cells[i]);
    free(t->cells);
    free(t);
}

void table_cell(table *t, const char *text)
{
    if (!t) return;
    if (t->count == t->capacity) {
        size_t capacity = 2 * t->capacity + 64;
        char **cells = realloc(t->cells, capacity * sizeof *cells);
        if (!cells) {
            cli_lose_memory();
            return;
        }
        t->cells = cells, t->capacity = capacity;
    }
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        t->cells[t->count++] = memcpy(copy, text, size);
    else
        cli_lose_memory();
}

void table_format(table *t, const char *format, ...)
{
    char text[CELL_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    table_cell(t, text);
}

void table_number_text(double x, char text[TABLE_NUMBER_SIZE]) { snprintf(text, TABLE_NUMBER_SIZE, "%.5g", x + 0.0); }

void table_number(table *t, double x)
{
    char text[TABLE_NUMBER_SIZE];
    table_number_text(x, text);
    table_cell(t, text);
}

static void put_spaces(FILE *out, size_t n)
{
    while (n-- > 0) fputc(' ', out);
}

/* the last cell of a row is not padded on the right: no line ends in spaces */
static void put_cell(FILE *out, const char *text, size_t width, int right, int last)
{
    size_t used = term_text_width(text), rest = width > used ? width - used : 0;
    if (right) put_spaces(out, rest);
    fputs(text, out);
    if (!right && !last) put_spaces(out, rest);
}

void table_print(const table *t, FILE *out)
{
    if (!t) return;
    size_t columns = (size_t)t->columns, *widths = calloc(columns, sizeof *widths);
    if (!widths) {
        cli_lose_memory();
        return;
    }
    for (size_t i = 0; i < t->count; i++) {
        size_t width = term_text_width(t->cells[i]);
        if (width > widths[i % columns]) widths[i % columns] = width;
    }
    for (size_t row = 0; (row + 1) * columns <= t->count; row++) {
        fputs(row == 0 ? term_style(TERM_DIM) : "", out);
        for (size_t c = 0; c < columns; c++) {
            int rest_empty = 1;
            for (size_t k = c + 1; k < columns; k++) rest_empty &= !*t->cells[row * columns + k];
            put_cell(out, t->cells[row * columns + c], widths[c], t->right[c] == 'r', rest_empty);
            if (rest_empty) break;
            put_spaces(out, GAP);
        }
        fprintf(out, "%s\n", row == 0 ? term_style(TERM_PLAIN) : "");
    }
    free(widths);
}

/* ---- matrices ---- */

void table_heading(FILE *out, const char *text)
{
    fprintf(out, "\n%s%s%s\n", term_style(TERM_BOLD), text, term_style(TERM_PLAIN));
}

/* what is left of a zero after rounding, beside entries as large as `largest` */
static double without_dust(double x, double largest) { return fabs(x) < 1e-14 * largest ? 0 : x; }

/* zeros step back, so that the structure of a matrix comes forward */
static void put_number(FILE *out, double x, size_t width)
{
    char text[TABLE_NUMBER_SIZE];
    table_number_text(x, text);
    put_spaces(out, width > strlen(text) ? width - strlen(text) : 0);
    if (x == 0)
        fprintf(out, "%s%s%s", term_style(TERM_DIM), text, term_style(TERM_PLAIN));
    else
        fputs(text, out);
}

void table_matrix(FILE *out, const char *name, int rows, int columns, const double *data, size_t ld,
                  const char *const *row_names, const char *const *column_names)
{
    size_t margin = 0, *widths = calloc((size_t)columns + 1, sizeof *widths);
    char text[TABLE_NUMBER_SIZE];
    double largest = 0;
    if (!widths) {
        cli_lose_memory();
        return;
    }
    for (int i = 0; i < rows * columns; i++) {
        largest = fmax(largest, fabs(data[(size_t)(i / columns) * ld + (size_t)(i % columns)]));
    }
    for (int i = 0; row_names && i < rows; i++) {
        size_t width = term_text_width(row_names[i]);
        if (width > margin) margin = width;
    }
    for (int j = 0; j < columns; j++) {
        widths[j] = term_text_width(column_names[j]);
        for (int i = 0; i < rows; i++) {
            table_number_text(without_dust(data[(size_t)i * ld + (size_t)j], largest), text);
            if (strlen(text) > widths[j]) widths[j] = strlen(text);
        }
    }
    table_heading(out, name);
    for (int begin = 0, end; begin < columns; begin = end) {
        size_t used = margin;
        for (end = begin; end < columns; end++) {
            used += GAP + widths[end];
            if (end > begin && used > (size_t)term_width()) break;
        }
        if (begin > 0) fputc('\n', out);
        put_spaces(out, margin);
        fputs(term_style(TERM_DIM), out);
        for (int j = begin; j < end; j++) {
            put_spaces(out, GAP);
            put_cell(out, column_names[j], widths[j], 1, 0);
        }
        fprintf(out, "%s\n", term_style(TERM_PLAIN));
        for (int i = 0; i < rows; i++) {
            fputs(term_style(TERM_NAME), out);
            if (row_names) put_cell(out, row_names[i], margin, 0, 0);
            fputs(term_style(TERM_PLAIN), out);
            for (int j = begin; j < end; j++) {
                put_spaces(out, GAP);
                put_number(out, without_dust(data[(size_t)i * ld + (size_t)j], largest), widths[j]);
            }
            fputc('\n', out);
        }
    }
    free(widths);
}
