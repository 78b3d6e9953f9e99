/* JSON values with the place where they stand, so that a message can point: "/bodies/3/inertia: …" (RFC 6901). */
#ifndef HML_IO_JSON_READ_H
#define HML_IO_JSON_READ_H

#include "io/common/report.h"
#include "io/json/tree.h"

/* a value and how we came to it; places live on the stack, each one inside its parent's lifetime */
typedef struct place {
    const struct place *up; /* NULL: the whole file */
    const char *key;        /* in an object; NULL: index in an array */
    size_t index;
    const json_value *value; /* NULL: not there */
} place;

typedef struct json_reader {
    const char *file; /* for messages; NULL: there is none */
    hml_error *error;
} json_reader;

enum { POINTER_SIZE = 256 };

/* "/bodies/3/inertia"; shortened in front if it is longer */
void hmli_json_pointer(const place *at, char pointer[POINTER_SIZE]);

/* the message begins with the pointer */
hml_status hmli_json_fail(const json_reader *r, const place *at, const char *format, ...) PRINTF_LIKE(3, 4);

place hmli_json_member(const place *object, const char *key);
place hmli_json_element(const place *array, size_t index);

/* each fails if the value is there but of another type; what is not there stays as it was */
hml_status hmli_json_object(const json_reader *r, const place *at);
hml_status hmli_json_array(const json_reader *r, const place *at);
hml_status hmli_json_text(const json_reader *r, const place *at, const char **text); /* not empty */
hml_status hmli_json_flag(const json_reader *r, const place *at, int *flag);
hml_status hmli_json_number(const json_reader *r, const place *at, double *x);
hml_status hmli_json_numbers(const json_reader *r, const place *at, int n, double *x);
hml_status hmli_json_matrix(const json_reader *r, const place *at, double x[9]); /* three rows of three */

/* a number for every coordinate, or one number for all; with `open`, null leaves a coordinate as it was */
hml_status hmli_json_each(const json_reader *r, const place *at, int n, int open, double *x);

/* fails if it is not there */
hml_status hmli_json_need(const json_reader *r, const place *at);

/* the first key of an object, from the member *at on, that is not among known (ended by NULL); NULL: no more */
const char *hmli_json_unknown(const place *object, const char *const known[], uint32_t *at);

#endif
