/*
 * Preloaded into the command: it stops at the write with the number HAMEL_STOP, killed (HAMEL_STOP_HOW=kill) or because
 * the disk is full from there on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ssize_t writer(int file, const void *data, size_t size, off_t at);

static ssize_t stop_or_write(const char *name, int file, const void *data, size_t size, off_t at)
{
    static atomic_long count;
    const char *text = getenv("HAMEL_STOP"), *how = getenv("HAMEL_STOP_HOW");
    if (text && atomic_fetch_add(&count, 1) >= atol(text)) {
        if (how && strcmp(how, "kill") == 0) raise(SIGKILL);
        errno = ENOSPC;
        return -1;
    }
    writer *real;
    *(void **)&real = dlsym(RTLD_NEXT, name);
    return real(file, data, size, at);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    return stop_or_write("pwrite", file, data, size, at);
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t at)
{
    return stop_or_write("pwrite64", file, data, size, at);
}
