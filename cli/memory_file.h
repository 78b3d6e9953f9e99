/* A file in memory, written with fprintf and then taken as text. */
#ifndef CLI_MEMORY_FILE_H
#define CLI_MEMORY_FILE_H

#include <stddef.h>
#include <stdio.h>

typedef struct memory_file {
    FILE *out;
    char *text; /* after memory_file_end */
    size_t size;
} memory_file;

/* 0: out of memory */
int memory_file_begin(memory_file *file);

/* closes it; 1 and the text, which is the caller's to free, or 0: out of memory, and nothing to free */
int memory_file_end(memory_file *file);

#endif
