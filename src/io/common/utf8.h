/* UTF-8: which bytes are a character. */
#ifndef HML_IO_COMMON_UTF8_H
#define HML_IO_COMMON_UTF8_H

#include <stddef.h>

/* bytes of the character at s, of n bytes left; 0 if invalid: cut short, overlong, a surrogate, beyond 10FFFF */
static inline size_t utf8_length(const unsigned char *s, size_t n)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (n == 0) return 0;
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > n) return 0;
    unsigned code = s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0 : length;
}

#endif
