/*
 * From names to numbers. The names belong to somebody else and must outlive the map. It is a crit-bit tree (trie.h):
 * files are other people's, and no choice of names makes it slow.
 */
#ifndef HML_IO_COMMON_MAP_H
#define HML_IO_COMMON_MAP_H

#include "base/grow.h"
#include "model/trie.h"

typedef struct map_entry {
    const char *name;
    int32_t value;
    int32_t next; /* "name.2", "name.3", … are taken up to here: see hmli_reader_unique */
} map_entry;

typedef struct map {
    map_entry *entries; /* in the order they came */
    trie tree;
    size_t entries_capacity, nodes_capacity;
} map;

/* −1 if the name is not there */
int32_t hmli_map_find(const map *m, const char *name);

/* the entry of a name, to read or change its value; NULL if it is not there. The next addition moves it */
map_entry *hmli_map_entry(const map *m, const char *name);

/* 1: added; 0: the name is there already and keeps its value; −1: out of memory */
int hmli_map_add(map *m, const char *name, int32_t value);

/* forgets all names, keeps the room */
void hmli_map_clear(map *m);

void hmli_map_free(map *m);

#endif
