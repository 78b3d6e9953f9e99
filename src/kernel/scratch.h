/*
 * Memory of a kernel: one block, taken piece by piece. With no block the pieces are only measured.
 */
#ifndef HML_KERNEL_SCRATCH_H
#define HML_KERNEL_SCRATCH_H

#include <stddef.h>

typedef struct scratch_cursor {
    char *at;
    size_t used;
} scratch_cursor;

static inline void *scratch_take(scratch_cursor *c, size_t bytes)
{
    void *p = c->at ? c->at + c->used : NULL;
    c->used += (bytes + 63) / 64 * 64;
    return p;
}

#endif
