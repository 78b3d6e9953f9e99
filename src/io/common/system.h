/*
 * Files by number, as POSIX has them. On Windows, whose C library has other names for most of this or lacks it, the
 * readers and writers are written as if it had these.
 */
#ifndef HML_IO_COMMON_SYSTEM_H
#define HML_IO_COMMON_SYSTEM_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined _WIN32

#define O_CLOEXEC  (_O_NOINHERIT | _O_BINARY) /* every file is opened with it; no line of a file ends in two bytes */
#define O_NONBLOCK 0

#define SYSTEM_SEPARATOR ";" /* between folders of a variable */

typedef unsigned int system_size; /* what one call of read and write takes */

int fsync(int file);
int fchmod(int file, unsigned mode);
int strerror_r(int code, char *text, size_t size);
ssize_t pread(int file, void *data, size_t size, int64_t at);
ssize_t pwrite(int file, const void *data, size_t size, int64_t at);
char *realpath(const char *path, char *to); /* to: NULL. With slashes, as the paths in models have them */

#else

#define SYSTEM_SEPARATOR ":"

typedef size_t system_size;

#endif

/* rename, over a file that is there; 0, or −1 and errno */
int hmli_system_rename(const char *from, const char *to);

/* two programs must not write the same file: 0 if another one has locked it */
int hmli_system_lock(int file);

/* two names of the same file give the same text */
void hmli_system_name(const char *path, const struct stat *about, char *name, size_t size);

#endif
