/* The robots of the robots/ folder, as they are in the library. The table is made when the library is built. */
#ifndef HML_IO_BUILTIN_H
#define HML_IO_BUILTIN_H

#include <stddef.h>
#include <stdint.h>

typedef struct builtin {
    const char *name;
    const unsigned char *data; /* Hamel JSON */
    size_t size;
} builtin;

extern const builtin hmli_builtins[];
extern const int32_t hmli_builtin_number;

#endif
