/*
 * A malloc of the program's own, which counts bytes and can fail: only where the C library lets a program do that
 * (glibc), and not under sanitizers, which bring theirs. Include it in one file of a program.
 *
 *   allocated_now, allocated_most   bytes in use, and their peak since allocator_start
 *   allocations_left                allocations that still succeed; below 0: all
 */
#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define ALLOCATOR 0
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define ALLOCATOR 0
#endif
#endif
#if !defined ALLOCATOR
#if defined __GLIBC__
#define ALLOCATOR 1
#else
#define ALLOCATOR 0
#endif
#endif

static size_t allocated_now, allocated_most;
static long allocations_left = -1, allocations_failed;

static inline void allocator_start(void)
{
    allocated_most = allocated_now;
    allocations_left = -1;
    allocations_failed = 0;
}

#if ALLOCATOR
#define ALLOCATOR_API __attribute__((visibility("default"))) /* shared libraries take it too */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);
extern size_t malloc_usable_size(void *p);

static int allocator_refuses(void)
{
    if (allocations_left < 0) return 0;
    if (allocations_left > 0) return allocations_left--, 0;
    allocations_failed++;
    errno = ENOMEM;
    return 1;
}

static void *allocator_count(void *p)
{
    if (p) allocated_now += malloc_usable_size(p);
    if (allocated_now > allocated_most) allocated_most = allocated_now;
    return p;
}

ALLOCATOR_API void *malloc(size_t size) { return allocator_refuses() ? NULL : allocator_count(__libc_malloc(size)); }
ALLOCATOR_API void *calloc(size_t n, size_t size)
{
    return allocator_refuses() ? NULL : allocator_count(__libc_calloc(n, size));
}
ALLOCATOR_API void *aligned_alloc(size_t alignment, size_t size)
{
    return allocator_refuses() ? NULL : allocator_count(__libc_memalign(alignment, size));
}

ALLOCATOR_API void free(void *p)
{
    if (p) allocated_now -= malloc_usable_size(p);
    __libc_free(p);
}

ALLOCATOR_API void *realloc(void *p, size_t size)
{
    if (allocator_refuses()) return NULL;
    size_t before = p ? malloc_usable_size(p) : 0;
    void *grown = __libc_realloc(p, size);
    if (grown || size == 0) allocated_now -= before;
    return allocator_count(grown);
}
#endif

#endif
