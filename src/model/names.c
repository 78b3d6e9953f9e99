/* Names while a model is being built. See names.h. */
#include "model/names.h"

#include <stdlib.h>
#include <string.h>

uint32_t hmli_text_add(text_pool *pool, const char *text)
{
    size_t length = strlen(text) + 1, offset = pool->size;
    if (length > UINT32_MAX - 1 - offset || !array_grow(&pool->data, &pool->capacity, offset + length, 1))
        return NO_TEXT;
    memcpy(pool->data + offset, text, length);
    pool->size += length;
    return (uint32_t)offset;
}

typedef struct leaves {
    const name_table *table;
    const text_pool *pool;
} leaves;

static const char *text_of(const void *names, uint32_t leaf)
{
    const leaves *l = names;
    return l->pool->data + l->table->entries[leaf].text;
}

int32_t hmli_names_find(const name_table *table, const text_pool *pool, const char *name)
{
    leaves names = {table, pool};
    uint32_t leaf = trie_find(&table->tree, text_of, &names, name);
    return leaf == TRIE_NONE ? 0 : table->entries[leaf].value;
}

int hmli_names_reserve(name_table *table)
{
    size_t need = (size_t)table->tree.leaves + 1;
    return array_grow(&table->entries, &table->entries_capacity, need, sizeof *table->entries) &&
           array_grow(&table->tree.nodes, &table->nodes_capacity, need, sizeof *table->tree.nodes);
}

void hmli_names_add(name_table *table, const text_pool *pool, uint32_t text, int32_t value)
{
    leaves names = {table, pool};
    name_entry entry = {text, value};
    table->entries[table->tree.leaves] = entry;
    trie_add(&table->tree, text_of, &names, pool->data + text);
}

void hmli_names_clear(name_table *table) { table->tree.leaves = 0; }

void hmli_names_free(name_table *table)
{
    free(table->entries);
    free(table->tree.nodes);
    memset(table, 0, sizeof *table);
}
