/* From names to numbers. The names belong to somebody else and must outlive the map. */
#ifndef HML_IO_COMMON_MAP_H
#define HML_IO_COMMON_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct map_slot {
    const char *name; /* NULL: empty */
    int32_t value;
} map_slot;

typedef struct map {
    map_slot *slots; /* open addressing, at most half full */
    uint32_t capacity, count;
} map;

/* −1 if the name is not there */
int32_t hml_map_find(const map *m, const char *name);

/* the name as the map has it, NULL if it is not there */
const char *hml_map_key(const map *m, const char *name);

/* 1: added; 0: the name is there already and keeps its value; −1: out of memory */
int hml_map_add(map *m, const char *name, int32_t value);

void hml_map_free(map *m);

/* room for `need` elements of `element` bytes in *array; 0 when out of memory, and then nothing has changed */
int hml_array_grow(void *array, size_t *capacity, size_t need, size_t element);

#endif
