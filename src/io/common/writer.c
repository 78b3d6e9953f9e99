/* Text that grows. See writer.h. */
#include "io/common/writer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/number.h"
#include "io/common/utf8.h"

/* room for `more` bytes and the zero after them */
static int reserve(writer *w, size_t more)
{
    if (w->failed) return 0;
    if (more >= SIZE_MAX / 2 - w->size) return !(w->failed = 1);
    size_t need = w->size + more + 1;
    if (need <= w->capacity) return 1;
    size_t capacity = w->capacity ? 2 * w->capacity : 4096;
    if (capacity < need) capacity = need;
    char *data = realloc(w->data, capacity);
    if (!data) return !(w->failed = 1);
    w->data = data;
    w->capacity = capacity;
    return 1;
}

void hmli_writer_bytes(writer *w, const char *bytes, size_t size)
{
    if (!reserve(w, size)) return;
    memcpy(w->data + w->size, bytes, size);
    w->size += size;
    w->data[w->size] = 0;
}

void hmli_writer_put(writer *w, const char *text) { hmli_writer_bytes(w, text, strlen(text)); }

void hmli_writer_print(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(w, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(w->data + w->size, (size_t)length + 1, format, arguments);
    va_end(arguments);
    w->size += (size_t)length;
}

void hmli_writer_json_text(writer *w, const char *text)
{
    hmli_writer_put(w, "\"");
    for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
        const unsigned char *c = (const unsigned char *)text;
        char piece[5] = "";
        length = utf8_length(c, left);
        if (length == 0) {
            length = 1;
            hmli_writer_put(w, "\\ufffd");
        } else if (*c == '"' || *c == '\\') {
            hmli_writer_print(w, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {
            hmli_writer_print(w, "\\u%04x", (unsigned)*c);
        } else if (*c == 0xc2 && c[1] < 0xa0) {
            hmli_writer_print(w, "\\u%04x", (unsigned)c[1]);
        } else {
            memcpy(piece, text, length);
            hmli_writer_put(w, piece);
        }
    }
    hmli_writer_put(w, "\"");
}

void hmli_writer_number(writer *w, double x)
{
    char text[NUMBER_SIZE];
    hmli_number_write(x, text);
    hmli_writer_put(w, text);
}

void hmli_writer_numbers(writer *w, const double *x, int n, const char *separator)
{
    for (int i = 0; i < n; i++) {
        if (i) hmli_writer_put(w, separator);
        hmli_writer_number(w, x[i]);
    }
}

void hmli_writer_free(writer *w)
{
    free(w->data);
    memset(w, 0, sizeof *w);
}
