/* Saying what is wrong, and where. See report.h. */
#include "io/common/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/common/system.h"
#include "io/common/utf8.h"

/* Files are other people's: nothing in them may drive a terminal, and a cut may have split a character. */
static void make_printable(char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = utf8_length((const unsigned char *)text, left);
        int c1 = length == 2 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0; /* U+0080 … U+009F */
        if (length == 0 || (unsigned char)*text < 0x20 || *text == 0x7f || c1) {
            memset(text, '?', c1 ? 2 : 1);
            length = c1 ? 2 : 1;
        }
        text += length;
        left -= length;
    }
}

static void format_text(char *text, size_t size, const char *format, va_list arguments)
{
    vsnprintf(text, size, format, arguments);
    make_printable(text);
}

void hmli_report_text(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_text(text, size, format, arguments);
    va_end(arguments);
}

/* a long path is shortened in front: its end says more */
static void set_file(hml_error *error, const char *file)
{
    size_t length = strlen(file), room = sizeof error->file - 1;
    if (length <= room)
        memcpy(error->file, file, length + 1);
    else
        snprintf(error->file, sizeof error->file, "...%s", file + length - (room - 3));
    make_printable(error->file);
}

hml_status hmli_report(hml_error *error, hml_status status, const char *file, int line, const char *format, ...)
{
    if (!error) return status;
    error->status = status;
    error->line = line;
    set_file(error, file ? file : "");
    va_list arguments;
    va_start(arguments, format);
    format_text(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

hml_status hmli_report_place(hml_error *error, hml_status status, const char *file, int line)
{
    if (!error) return status;
    if (error->status != status) return hmli_report(error, status, file, line, "%s", hml_status_message(status));
    if (!error->line) error->line = line;
    if (!error->file[0] && file) set_file(error, file);
    make_printable(error->message);
    return status;
}

hml_status hmli_report_memory(hml_error *error, const char *file)
{
    return hmli_report(error, HML_OUT_OF_MEMORY, file, 0, "out of memory");
}

hml_status hmli_report_system(hml_error *error, hml_status status, const char *file, const char *verb, int code)
{
    char text[128]; /* strerror is not safe between threads */
    if (strerror_r(code, text, sizeof text) != 0) snprintf(text, sizeof text, "error %d", code);
    return hmli_report(error, status, file, 0, "cannot be %s: %s", verb, text);
}
