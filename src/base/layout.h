/*
 * One block of memory, taken piece by piece. Without a block (NULL) the pieces are only measured, so that one function
 * tells the size and sets the pointers, and the two cannot disagree:
 *
 *   static size_t lay_out(const hml_model *model, void *memory, scratch *s)
 *   {
 *       layout_cursor c = layout_begin(memory);
 *       s->x = layout_doubles(&c, (size_t)model->nv);
 *       s->order = layout_array(&c, (size_t)model->nv, sizeof *s->order);
 *       return c.used;
 *   }
 *
 * layout_take aligns what comes next to a line of the cache, as kernels want it; layout_array and layout_doubles only
 * to a double. All saturate: a size that no memory has stays one, SIZE_MAX of those two and LAYOUT_MOST of layout_take.
 */
#ifndef HML_BASE_LAYOUT_H
#define HML_BASE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_ALIGN = 64 };

#define LAYOUT_MOST (SIZE_MAX / 2 + 1) /* a multiple of LAYOUT_ALIGN that no block reaches */

typedef struct layout_cursor {
    char *at;    /* NULL: measure */
    size_t used; /* bytes so far */
} layout_cursor;

static inline size_t layout_aligned(size_t bytes) { return (bytes + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN; }

static inline layout_cursor layout_begin(void *memory)
{
    layout_cursor c;
    c.at = (char *)memory;
    c.used = 0;
    return c;
}

static inline void *layout_take(layout_cursor *c, size_t bytes)
{
    void *p = c->at ? c->at + c->used : NULL;
    if (bytes > LAYOUT_MOST - c->used)
        c->used = LAYOUT_MOST;
    else
        c->used += layout_aligned(bytes);
    return p;
}

static inline void *layout_array(layout_cursor *c, size_t count, size_t element)
{
    const size_t step = sizeof(double), most = SIZE_MAX / step * step - step;
    void *p = c->at ? c->at + c->used : NULL;
    if (c->used > most || (element && count > (most - c->used) / element))
        c->used = SIZE_MAX;
    else
        c->used += (count * element + step - 1) / step * step;
    return p;
}

static inline double *layout_doubles(layout_cursor *c, size_t count)
{
    return (double *)layout_array(c, count, sizeof(double));
}

/* what comes next begins at a line of the cache, if the block does */
static inline void layout_align(layout_cursor *c)
{
    if (c->used <= LAYOUT_MOST) c->used = layout_aligned(c->used);
}

/* what was taken, in doubles; all pieces came from layout_array and layout_doubles */
static inline size_t layout_count(const layout_cursor *c) { return c->used / sizeof(double); }

/*
 * Where count elements begin in a block that holds offsets instead of pointers; *end is where it ends so far, then
 * behind them. In 64 bits everywhere: counts may come from a file.
 */
static inline uint64_t layout_offset(uint64_t *end, uint64_t count, uint64_t element)
{
    const uint64_t begin = *end, size = count * element + LAYOUT_ALIGN - 1;
    *end = begin + size / LAYOUT_ALIGN * LAYOUT_ALIGN;
    return begin;
}

#endif
