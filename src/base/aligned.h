/* Memory that begins at a multiple of a power of two. Windows has no aligned_alloc, and does not free such memory by free. */
#ifndef HML_BASE_ALIGNED_H
#define HML_BASE_ALIGNED_H

#include <stdlib.h>

#if defined(_WIN32)
#include <malloc.h>

static inline void *aligned_new(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }
static inline void aligned_delete(void *memory) { _aligned_free(memory); }
#else
/* size: a multiple of alignment */
static inline void *aligned_new(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
static inline void aligned_delete(void *memory) { free(memory); }
#endif

#endif
