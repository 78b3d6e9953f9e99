/* The inside of hml_result, and its writers. Each writer lays the whole file out in memory; hml_file_write does the
 * rest. */
#ifndef HML_IO_RESULT_RESULT_H
#define HML_IO_RESULT_RESULT_H

#include "hamel/io.h"

typedef enum value_kind { VALUE_NUMBER, VALUE_INTEGER, VALUE_FLAG, VALUE_TEXT, VALUE_TABLE } value_kind;

typedef struct result_value {
    char *name;
    value_kind kind;
    int rank; /* 0: one value */
    size_t shape[HML_RESULT_MAX_RANK];
    size_t count; /* product of the shape */
    union {
        double *numbers;
        int64_t *integers;
        int *flags;
        char **texts; /* NULL: nothing */
        hml_result *table;
    } data;
} result_value;

struct hml_result {
    hml_status status; /* the first thing that went wrong */
    int is_table;
    size_t rows; /* of a table */
    size_t nvalues, capacity;
    result_value *values;
};

/* the contents of a file, malloc'ed */
typedef struct result_bytes {
    char *data;
    size_t size;
} result_bytes;

hml_status hmli_result_json(const hml_result *result, result_bytes *bytes);
hml_status hmli_result_npz(const hml_result *result, result_bytes *bytes);
hml_status hmli_result_mat(const hml_result *result, result_bytes *bytes); /* HML_UNSUPPORTED without matio */
#define MAT_MISSING "this build of Hamel has no matio, which .mat files need"
hml_status hmli_result_csv(const hml_result *result, result_bytes *bytes);

/* one value as a whole NPY file, malloc'ed; NULL when out of memory */
char *hmli_result_npy(const result_value *value, size_t *size);

enum { RESULT_NUMBER_SIZE = 32 };

/* 17 digits, "nan", "inf", "-inf", with a point in every locale */
void hmli_result_number_text(double x, char text[RESULT_NUMBER_SIZE]);

#endif
