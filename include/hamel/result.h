/*
 * Results: named numbers, texts, arrays and tables on their way into a file (libhamel-io).
 *
 *   hml_result_new, hml_result_free
 *   hml_result_add_number, …_integer, …_text            one value
 *   hml_result_add_numbers, …_integers, …_flags, …_texts   arrays, row-major
 *   hml_result_add_table                                a list of rows that all have the same columns
 *   hml_result_write                                    .json, .npz, .mat or .csv
 *
 * What is added is copied. Adding cannot fail in the caller's face: a result that ran out of memory, or was given the
 * same name twice, remembers it, and hml_result_write says so.
 *
 *             number           text          array                       table
 *   .json     number           string        nested lists, row-major     list of objects
 *   .npz      0-d array        0-d <U        float64, int64, bool, <U    one array a column: "rows.algorithm"
 *   .mat      1x1 double       char          double, logical; texts:     1xn struct array
 *                                            n x 1 cell
 *   .csv      one line an entry: matrix,row,column,value; rows and columns count from 0; a table's columns are matrices
 *             called "rows.algorithm"; what has more than two dimensions is laid out flat in the columns
 *
 * Numbers keep 17 digits. JSON has neither NaN nor infinity: they become null. A file appears whole or not at all.
 */
#ifndef HAMEL_RESULT_H
#define HAMEL_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/export.h"
#include "hamel/status.h"

typedef struct hml_result hml_result;

enum { HML_RESULT_MAX_RANK = 3 };

HML_API hml_result *hml_result_new(void); /* NULL when out of memory */
HML_API void hml_result_free(hml_result *result);

HML_API void hml_result_add_number(hml_result *result, const char *name, double value);
HML_API void hml_result_add_integer(hml_result *result, const char *name, int64_t value);
HML_API void hml_result_add_text(hml_result *result, const char *name, const char *text); /* NULL: nothing, null */

/* shape: rank numbers, 1 to HML_RESULT_MAX_RANK of them. texts have rank 1; one that is NULL is nothing, null */
HML_API void hml_result_add_numbers(hml_result *result, const char *name, int rank, const size_t shape[],
                                    const double *data);
HML_API void hml_result_add_integers(hml_result *result, const char *name, int rank, const size_t shape[],
                                     const int64_t *data);
HML_API void hml_result_add_flags(hml_result *result, const char *name, size_t count, const int *data);
HML_API void hml_result_add_texts(hml_result *result, const char *name, size_t count, const char *const *texts);

/*
 * A table, filled like a result with arrays whose first dimension is `rows`. It belongs to the result; tables hold no
 * tables. NULL when out of memory: adding to NULL does nothing.
 */
HML_API hml_result *hml_result_add_table(hml_result *result, const char *name, size_t rows);

typedef enum hml_result_format {
    HML_RESULT_AUTO = 0, /* by the ending; JSON for what is no regular file and has none, such as /dev/stdout */
    HML_RESULT_JSON = 1,
    HML_RESULT_NPZ = 2,
    HML_RESULT_MAT = 3,
    HML_RESULT_CSV = 4
} hml_result_format;

/* the format that AUTO chooses for a path; HML_INVALID_ARGUMENT if its ending is none of those above */
HML_API hml_status hml_result_format_of(const char *path, hml_result_format *format);

/* error may be NULL. HML_INVALID_ARGUMENT for an unknown ending, HML_CANNOT_WRITE with the system's reason */
HML_API hml_status hml_result_write(const hml_result *result, const char *path, hml_result_format format,
                                    hml_error *error);

#endif
