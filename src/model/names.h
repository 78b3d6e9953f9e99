/*
 * Names while a model is being built: a pool of text, and a table from name to number, which is a crit-bit tree
 * (trie.h): no choice of names makes it slow.
 */
#ifndef HML_MODEL_NAMES_H
#define HML_MODEL_NAMES_H

#include "base/grow.h"
#include "model/trie.h"

#define NO_TEXT UINT32_MAX

typedef struct text_pool {
    char *data;
    size_t size, capacity;
} text_pool;

typedef struct name_entry {
    uint32_t text; /* offset into the pool */
    int32_t value;
} name_entry;

typedef struct name_table {
    name_entry *entries; /* the leaves of the tree */
    trie tree;
    size_t entries_capacity, nodes_capacity;
} name_table;

/* copies the text; its offset, or NO_TEXT when out of memory */
uint32_t hmli_text_add(text_pool *pool, const char *text);

/* the value of a name, 0 if it is not there */
int32_t hmli_names_find(const name_table *table, const text_pool *pool, const char *name);

/* room for one more name; 0 when out of memory */
int hmli_names_reserve(name_table *table);

/* adds a name of the pool that is not there yet; room was reserved */
void hmli_names_add(name_table *table, const text_pool *pool, uint32_t text, int32_t value);

/* forgets all names, keeps the room */
void hmli_names_clear(name_table *table);

void hmli_names_free(name_table *table);

#endif
