/* Memory that is freed all at once: what a parsed file is made of. */
#ifndef HML_IO_COMMON_ARENA_H
#define HML_IO_COMMON_ARENA_H

#include <stddef.h>

typedef struct arena_block {
    struct arena_block *next;
    size_t used, size;
    max_align_t data[];
} arena_block;

typedef struct arena {
    arena_block *block; /* what is used last, then all others */
    arena_block *text;  /* the same for text, which needs no alignment */
} arena;

/* zeroed; NULL when out of memory */
void *hmli_arena_get(arena *a, size_t size);
char *hmli_arena_text(arena *a, const char *text, size_t length);
void hmli_arena_free(arena *a);

#endif
