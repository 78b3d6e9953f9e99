/* A function that takes its arguments as printf does, so that the compiler looks at them. */
#ifndef HML_BASE_PRINTF_LIKE_H
#define HML_BASE_PRINTF_LIKE_H

#if defined(__MINGW32__)
#include <stdio.h>
#define PRINTF_LIKE(text, first) __attribute__((format(__MINGW_PRINTF_FORMAT, text, first)))
#elif defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

#endif
