/* From names to numbers. See map.h. */
#include "io/common/map.h"

#include <stdlib.h>

static const char *text_of(const void *names, uint32_t leaf) { return ((const map *)names)->entries[leaf].name; }

map_entry *hmli_map_entry(const map *m, const char *name)
{
    uint32_t leaf = trie_find(&m->tree, text_of, m, name);
    return leaf == TRIE_NONE ? NULL : &m->entries[leaf];
}

int32_t hmli_map_find(const map *m, const char *name)
{
    const map_entry *entry = hmli_map_entry(m, name);
    return entry ? entry->value : -1;
}

int hmli_map_add(map *m, const char *name, int32_t value)
{
    size_t need = (size_t)m->tree.leaves + 1;
    if (need >= TRIE_LEAF || !array_grow(&m->entries, &m->entries_capacity, need, sizeof *m->entries) ||
        !array_grow(&m->tree.nodes, &m->nodes_capacity, need, sizeof *m->tree.nodes))
        return -1;
    map_entry entry = {name, value, 2};
    m->entries[m->tree.leaves] = entry;
    return trie_add(&m->tree, text_of, m, name) == TRIE_NONE;
}

void hmli_map_clear(map *m) { m->tree.leaves = 0; }

void hmli_map_free(map *m)
{
    free(m->entries);
    free(m->tree.nodes);
    memset(m, 0, sizeof *m);
}
