/* Files that have no name until they are complete. See unnamed.h. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_TMPFILE */
#include "io/common/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined O_TMPFILE

int hmli_unnamed_open(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *folder = malloc(length + 1);
    if (!folder) return -1;
    memcpy(folder, slash ? path : ".", length);
    folder[length] = 0;
    int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    return file;
}

int hmli_unnamed_name(int file, const char *path)
{
    char self[40]; /* the name by which this process sees it; linkat by number alone takes a privilege */
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

#else

int hmli_unnamed_open(const char *path) { return (void)path, -1; }

int hmli_unnamed_name(int file, const char *path)
{
    (void)file, (void)path;
    errno = ENOSYS;
    return -1;
}

#endif
