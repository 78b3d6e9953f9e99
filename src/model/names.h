/*
 * Names while a model is being built: growing memory, a pool of text, and a hash table from name to number.
 *
 * The table is open addressing with linear probing, at most half full, so that a hundred thousand names cost a
 * hundred thousand short probes.
 */
#ifndef HML_MODEL_NAMES_H
#define HML_MODEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NO_TEXT UINT32_MAX

/* FNV-1a */
static inline uint32_t names_hash(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

/* smallest power of two that keeps a table of n names at most half full */
static inline uint32_t names_capacity(int32_t n)
{
    uint32_t capacity = 1;
    while (capacity < 2u * (uint32_t)n) capacity *= 2;
    return capacity;
}

typedef struct text_pool {
    char *data;
    size_t size, capacity;
} text_pool;

typedef struct name_slot {
    uint32_t text; /* offset into the pool */
    int32_t value; /* 0: empty */
} name_slot;

typedef struct name_table {
    name_slot *slots;
    uint32_t capacity, count;
} name_table;

/* room for `need` elements of `element` bytes in *array; 0 when out of memory, and then nothing has changed */
int hml_grow(void *array, size_t *capacity, size_t need, size_t element);

/* copies the text; its offset, or NO_TEXT when out of memory */
uint32_t hml_text_add(text_pool *pool, const char *text);

/* the value of a name, 0 if it is not there */
int32_t hml_names_find(const name_table *table, const text_pool *pool, const char *name);

/* room for one more name; 0 when out of memory */
int hml_names_reserve(name_table *table, const text_pool *pool);

/* adds a name of the pool that is not there yet; room was reserved */
void hml_names_add(name_table *table, const text_pool *pool, uint32_t text, int32_t value);

#endif
