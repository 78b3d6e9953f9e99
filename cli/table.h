/* Tables on standard output: aligned, with names, and no more digits than one reads. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdio.h>

#include "cli.h"

/* ---- a table of texts ---- */

typedef struct table table;

/* columns: how many; right: a string of l and r, one per column. NULL when out of memory: then the others do nothing */
table *table_new(int columns, const char *right);
void table_free(table *t);
void table_cell(table *t, const char *text); /* cells follow each other, row by row; the first row is the heading */
void table_format(table *t, const char *format, ...) CLI_PRINTF(2, 3);
void table_number(table *t, double x);
void table_print(const table *t, FILE *out);

/* ---- matrices ---- */

enum { TABLE_NUMBER_SIZE = 32 };

/* five digits, as short as they can be said */
void table_number_text(double x, char text[TABLE_NUMBER_SIZE]);

/*
 * name, then rows × columns numbers (leading dimension ld) with the names of rows and columns, in as many panels of
 * columns as the terminal asks for. row_names may be NULL. What is 1e-14 of the largest entry, or less, is shown as 0.
 */
void table_matrix(FILE *out, const char *name, int rows, int columns, const double *data, size_t ld,
                  const char *const *row_names, const char *const *column_names);

/* a heading of a part of the output */
void table_heading(FILE *out, const char *text);

#endif
