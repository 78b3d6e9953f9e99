/* Memory that is freed all at once. See arena.h. */
#include "io/common/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

/* size bytes of the list's first block, or of a new one */
static char *take(arena_block **list, size_t size)
{
    arena_block *block = *list;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK ? size : BLOCK;
        block = calloc(1, sizeof *block + room);
        if (!block) return NULL;
        block->next = *list;
        block->size = room;
        *list = block;
    }
    char *memory = (char *)block->data + block->used;
    block->used += size;
    return memory;
}

void *hmli_arena_get(arena *a, size_t size)
{
    size_t step = alignof(max_align_t);
    if (size > SIZE_MAX / 2) return NULL;
    return take(&a->block, (size + step - 1) / step * step);
}

char *hmli_arena_text(arena *a, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX / 2 ? take(&a->text, length + 1) : NULL;
    if (copy) memcpy(copy, text, length);
    return copy;
}

static void free_blocks(arena_block *block)
{
    for (arena_block *next; block; block = next) {
        next = block->next;
        free(block);
    }
}

void hmli_arena_free(arena *a)
{
    free_blocks(a->block);
    free_blocks(a->text);
    memset(a, 0, sizeof *a);
}
