/* Memory that is freed all at once. See arena.h. */
#include "io/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

void *hml_arena_get(arena *a, size_t size)
{
    size_t step = alignof(max_align_t);
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + step - 1) / step * step;
    arena_block *block = a->block;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;
        block = calloc(1, sizeof *block + room);
        if (!block) return NULL;
        block->next = a->block;
        block->size = room;
        a->block = block;
    }
    void *memory = (char *)block->data + block->used;
    block->used += size;
    return memory;
}

char *hml_arena_text(arena *a, const char *text, size_t length)
{
    char *copy = hml_arena_get(a, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void hml_arena_free(arena *a)
{
    for (arena_block *block = a->block, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    a->block = NULL;
}
