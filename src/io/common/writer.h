/* Text that grows. A failed allocation is remembered, not reported at every line: ask once, at the end. */
#ifndef HML_IO_COMMON_WRITER_H
#define HML_IO_COMMON_WRITER_H

#include <stddef.h>

#include "io/common/report.h"

typedef struct writer {
    char *data; /* ended by a zero once something was written */
    size_t size, capacity;
    int failed;
} writer;

void hmli_writer_put(writer *w, const char *text);
void hmli_writer_bytes(writer *w, const char *bytes, size_t size); /* without a zero among them */
void hmli_writer_print(writer *w, const char *format, ...) PRINTF_LIKE(2, 3);
/* in quotation marks, as JSON has it; what drives a terminal is escaped, what is not UTF-8 replaced by U+FFFD */
void hmli_writer_json_text(writer *w, const char *text);
void hmli_writer_number(writer *w, double x);
/* numbers with a separator between them */
void hmli_writer_numbers(writer *w, const double *x, int n, const char *separator);
void hmli_writer_free(writer *w);

#endif
