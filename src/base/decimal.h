/*
 * Numbers as text, for messages and files: the point is a point, whatever the program's locale says. Its decimal sign
 * may have several bytes (٫ in Pashto has two).
 */
#ifndef HML_BASE_DECIMAL_H
#define HML_BASE_DECIMAL_H

#include <stdio.h>
#include <string.h>

enum { DECIMAL_SIZE = 32, DECIMAL_SHORT = 6, DECIMAL_EXACT = 17 };

/* %.*g with a point; gives text back */
static inline const char *decimal_text(char text[DECIMAL_SIZE], int digits, double x)
{
    snprintf(text, DECIMAL_SIZE, "%.*g", digits, x);
    char *out = text;
    for (const char *in = text; *in; in++) {
        int plain = strchr("0123456789+-einfa", *in) != NULL; /* NaN and infinity too */
        if (plain)
            *out++ = *in;
        else if (out == text || out[-1] != '.')
            *out++ = '.';
    }
    *out = 0;
    return text;
}

#endif
