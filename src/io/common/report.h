/* Saying what is wrong, and where. */
#ifndef HML_IO_COMMON_REPORT_H
#define HML_IO_COMMON_REPORT_H

#include <stddef.h>

#include "base/printf_like.h"
#include "hamel/base.h"

/* names in messages: quoted, and not longer than a reader likes */
#define QUOTED "'%.80s'"

/* fills *error, which may be NULL, and returns status. file NULL: none; line 0: none */
hml_status hmli_report(hml_error *error, hml_status status, const char *file, int line, const char *format, ...)
    PRINTF_LIKE(5, 6);

/* puts file and line to an error that another layer has filled; a line it already has stays */
hml_status hmli_report_place(hml_error *error, hml_status status, const char *file, int line);

/* "cannot be read: No such file or directory", with the system's reason for a code of errno */
hml_status hmli_report_system(hml_error *error, hml_status status, const char *file, const char *verb, int code);

hml_status hmli_report_memory(hml_error *error, const char *file);

/* printf that never leaves half a UTF-8 character or a control character behind; text is size bytes */
void hmli_report_text(char *text, size_t size, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
