/*
 * One block of memory, taken piece by piece, each aligned to a line of the cache. Without a block the pieces are only
 * measured, so that one function tells the size and lays out the pointers.
 */
#ifndef HML_BASE_LAYOUT_H
#define HML_BASE_LAYOUT_H

#include <stddef.h>

enum { LAYOUT_ALIGN = 64 };

typedef struct layout_cursor {
    char *at; /* NULL: measure */
    size_t used;
} layout_cursor;

static inline size_t layout_aligned(size_t bytes) { return (bytes + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN; }

static inline layout_cursor layout_begin(void *memory)
{
    layout_cursor c;
    c.at = (char *)memory;
    c.used = 0;
    return c;
}

static inline void *layout_take(layout_cursor *c, size_t bytes)
{
    void *p = c->at ? c->at + c->used : NULL;
    c->used += layout_aligned(bytes);
    return p;
}

#endif
