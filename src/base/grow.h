/* Arrays that grow, for set-up alone. */
#ifndef HML_BASE_GROW_H
#define HML_BASE_GROW_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* room for `need` elements of `element` bytes in *array; 0 when out of memory, and then nothing has changed */
static inline int array_grow(void *array, size_t *capacity, size_t need, size_t element)
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

#endif
