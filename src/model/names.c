/* Names while a model is being built. See names.h. */
#include "model/names.h"

#include <stdlib.h>
#include <string.h>

int hml_grow(void *array, size_t *capacity, size_t need, size_t element)
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

uint32_t hml_text_add(text_pool *pool, const char *text)
{
    size_t length = strlen(text) + 1, offset = pool->size;
    if (length > UINT32_MAX - 1 - offset || !hml_grow(&pool->data, &pool->capacity, offset + length, 1)) return NO_TEXT;
    memcpy(pool->data + offset, text, length);
    pool->size += length;
    return (uint32_t)offset;
}

int32_t hml_names_find(const name_table *table, const text_pool *pool, const char *name)
{
    if (!table->capacity) return 0;
    uint32_t mask = table->capacity - 1;
    for (uint32_t i = names_hash(name) & mask; table->slots[i].value; i = (i + 1) & mask)
        if (strcmp(pool->data + table->slots[i].text, name) == 0) return table->slots[i].value;
    return 0;
}

static void put(name_slot *slots, uint32_t capacity, uint32_t hash, name_slot slot)
{
    uint32_t i = hash & (capacity - 1);
    while (slots[i].value) i = (i + 1) & (capacity - 1);
    slots[i] = slot;
}

int hml_names_reserve(name_table *table, const text_pool *pool)
{
    if (2 * (table->count + 1) <= table->capacity) return 1;
    uint32_t capacity = table->capacity ? 2 * table->capacity : 32;
    name_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots) return 0;
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->slots[i].value) put(slots, capacity, names_hash(pool->data + table->slots[i].text), table->slots[i]);
    free(table->slots);
    table->slots = slots;
    table->capacity = capacity;
    return 1;
}

void hml_names_add(name_table *table, const text_pool *pool, uint32_t text, int32_t value)
{
    name_slot slot = {text, value};
    put(table->slots, table->capacity, names_hash(pool->data + text), slot);
    table->count++;
}
