/*
 * Preloaded into the command: the allocation with the number HAMEL_FAIL fails, all others succeed. At the end the
 * number of allocations goes into the file HAMEL_ALLOCATIONS. Counted from the command's own start: libraries that
 * initialize themselves do so before.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static long count, which;
static int started;

static int fails(void)
{
    if (!started || ++count != which) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t size) { return fails() ? NULL : __libc_realloc(p, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

typedef int start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*linked)(void), void *end)
{
    const char *text = getenv("HAMEL_FAIL");
    start *real;
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    which = text ? atol(text) : -1;
    started = 1;
    return real(main, argc, argv, init, fini, linked, end);
}

__attribute__((destructor)) static void say(void)
{
    long total = count;
    const char *path = getenv("HAMEL_ALLOCATIONS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", total);
    fclose(file);
}
