/* From names to numbers. See map.h. */
#include "io/common/map.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a */
static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

/* the slot of a name, or the empty one where it would go */
static map_slot *slot_of(map_slot *slots, uint32_t capacity, const char *name)
{
    uint32_t i = hash(name) & (capacity - 1);
    while (slots[i].name && strcmp(slots[i].name, name) != 0) i = (i + 1) & (capacity - 1);
    return &slots[i];
}

int32_t hml_map_find(const map *m, const char *name)
{
    if (!m->capacity) return -1;
    const map_slot *slot = slot_of(m->slots, m->capacity, name);
    return slot->name ? slot->value : -1;
}

const char *hml_map_key(const map *m, const char *name)
{
    return m->capacity ? slot_of(m->slots, m->capacity, name)->name : NULL;
}

static int grow(map *m)
{
    uint32_t capacity = m->capacity ? 2 * m->capacity : 32;
    map_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots) return 0;
    for (uint32_t i = 0; i < m->capacity; i++)
        if (m->slots[i].name) *slot_of(slots, capacity, m->slots[i].name) = m->slots[i];
    free(m->slots);
    m->slots = slots;
    m->capacity = capacity;
    return 1;
}

int hml_map_add(map *m, const char *name, int32_t value)
{
    if (2 * (m->count + 1) > m->capacity && !grow(m)) return -1;
    map_slot *slot = slot_of(m->slots, m->capacity, name);
    if (slot->name) return 0;
    slot->name = name;
    slot->value = value;
    m->count++;
    return 1;
}

void hml_map_free(map *m)
{
    free(m->slots);
    memset(m, 0, sizeof *m);
}

int hml_array_grow(void *array, size_t *capacity, size_t need, size_t element)
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
