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
    if (need >= TRIE_LEAF || !hmli_array_grow(&m->entries, &m->entries_capacity, need, sizeof *m->entries) ||
        !hmli_array_grow(&m->tree.nodes, &m->nodes_capacity, need, sizeof *m->tree.nodes))
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

int hmli_array_grow(void *array, size_t *capacity, size_t need, size_t element)
{
    if (need <= *capacity) return 1;
    size_t wanted = *capacity < 8 ? 16 : 2 * *capacity;
    if (wanted < need) wanted = need;
    if (wanted > SIZE_MAX / element) return 0;
    void *old, *grown;
    memcpy(&old, array, sizeof old); /* array points to a pointer of some other type */
    if (!(grown = realloc(old, wanted * element))) return 0;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return 1;
}
