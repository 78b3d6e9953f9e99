/*
 * Public structs that may grow begin with struct_size, which the caller sets to its own sizeof. Program and library may
 * then come from different versions, and one policy holds for every such struct:
 *
 *   the same size   the caller's struct is used as it is, without a copy
 *   smaller         an older program: fields that it does not know are zero, or have their default, and are not written
 *   larger          a newer program: accepted if all bytes that this library does not know are zero; otherwise the
 *                   program asks for something that this library cannot do, HML_INVALID_ARGUMENT. In structs that hold
 *                   results alone these bytes are left as they are
 *
 * HML_INVALID_ARGUMENT also for a size that ends before the last mandatory field, that is larger than STRUCT_MOST, or
 * that no struct has because it is not a multiple of the alignment.
 *
 *   hml_point_motion room;
 *   const hml_point_motion *motion = STRUCT_TAKE(hml_point_motion, given, &room, position);
 *   if (!motion) return HML_INVALID_ARGUMENT;
 */
#ifndef HML_BASE_STRUCT_SIZE_H
#define HML_BASE_STRUCT_SIZE_H

#include <stddef.h>
#include <string.h>

/* far more than any struct needs: what is larger was not initialized */
enum { STRUCT_MOST = 4096 };

/* where a field ends: the least size of a struct whose last mandatory field it is */
#define STRUCT_END(type, field) (offsetof(type, field) + sizeof(((const type *)0)->field))

/* every one of them begins like this */
static inline size_t struct_size_of(const void *given) { return *(const size_t *)given; }

/* can a struct of this library be of that size in some version? */
static inline int struct_size_is_possible(size_t size, size_t least)
{
    return size >= least && size <= STRUCT_MOST && size % sizeof size == 0;
}

/* 1 if what the caller gives, and asks for, can be read */
static inline int struct_is_readable(const void *given, size_t known, size_t least)
{
    const size_t size = struct_size_of(given);
    if (!struct_size_is_possible(size, least)) return 0;
    for (size_t i = known; i < size; i++) {
        if (((const char *)given)[i]) return 0;
    }
    return 1;
}

/* what the caller gives, over the defaults in room; 0 if it cannot be read */
static inline int struct_read(void *room, const void *given, size_t known, size_t least)
{
    if (!struct_is_readable(given, known, least)) return 0;
    const size_t size = struct_size_of(given);
    memcpy(room, given, size < known ? size : known);
    *(size_t *)room = known;
    return 1;
}

/* the caller's struct, or its copy in room with zeros for what it does not know; NULL if it cannot be read */
static inline const void *struct_take(const void *given, void *room, size_t known, size_t least)
{
    if (!given) return NULL;
    if (struct_size_of(given) == known) return given;
    memset(room, 0, known);
    return struct_read(room, given, known, least) ? room : NULL;
}

#define STRUCT_TAKE(type, given, room, last)                                                                           \
    ((const type *)struct_take(given, room, sizeof(type), STRUCT_END(type, last)))

/* 1 if results can be written there; NULL: the caller does not want them */
static inline int struct_is_writable(const void *result, size_t least)
{
    return !result || struct_size_is_possible(struct_size_of(result), least);
}

/* results as far as the caller knows them; its struct_size and what lies behind stay. result NULL: nothing */
static inline void struct_give(void *result, const void *all, size_t known)
{
    if (!result || result == all) return;
    const size_t size = struct_size_of(result), shared = size < known ? size : known;
    memcpy((char *)result + sizeof size, (const char *)all + sizeof size, shared - sizeof size);
}

#endif
