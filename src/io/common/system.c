/* See system.h. */
#include "io/common/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined _WIN32

#include <io.h>
#include <windows.h>

enum { MOST = 1 << 30 }; /* bytes of one call */

int fsync(int file) { return _commit(file); }

/* the rights of Windows are others: a new file gets those of its folder */
int fchmod(int file, unsigned mode) { return (void)file, (void)mode, 0; }

int strerror_r(int code, char *text, size_t size) { return strerror_s(text, size, code); }

ssize_t pread(int file, void *data, size_t size, int64_t at)
{
    OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    DWORD moved = 0;
    if (ReadFile((HANDLE)_get_osfhandle(file), data, size < MOST ? (DWORD)size : MOST, &moved, &place))
        return (ssize_t)moved;
    if (GetLastError() == ERROR_HANDLE_EOF) return 0;
    errno = EIO;
    return -1;
}

ssize_t pwrite(int file, const void *data, size_t size, int64_t at)
{
    OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    DWORD moved = 0;
    if (WriteFile((HANDLE)_get_osfhandle(file), data, size < MOST ? (DWORD)size : MOST, &moved, &place))
        return (ssize_t)moved;
    errno = GetLastError() == ERROR_DISK_FULL ? ENOSPC : EIO;
    return -1;
}

char *realpath(const char *path, char *to)
{
    char *full = to ? NULL : _fullpath(NULL, path, 0);
    for (char *c = full; c && *c; c++) *c = (char)(*c == '\\' ? '/' : *c);
    return full;
}

int hmli_system_rename(const char *from, const char *to)
{
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING)) return 0;
    const DWORD code = GetLastError();
    errno = code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
    return -1;
}

/* what is locked, others cannot read: so it is one byte, far behind the end of every file */
int hmli_system_lock(int file)
{
    OVERLAPPED place = {.OffsetHigh = 0x7fffffff};
    return LockFileEx((HANDLE)_get_osfhandle(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                      &place);
}

/* stat has no numbers of files: the whole path, in small letters */
void hmli_system_name(const char *path, const struct stat *about, char *name, size_t size)
{
    char *full = realpath(path, NULL);
    (void)about;
    snprintf(name, size, "%s", full ? full : path);
    for (char *c = name; *c; c++) *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    free(full);
}

#else

int hmli_system_rename(const char *from, const char *to) { return rename(from, to); }

int hmli_system_lock(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
}

void hmli_system_name(const char *path, const struct stat *about, char *name, size_t size)
{
    (void)path;
    snprintf(name, size, "%ju:%ju", (uintmax_t)about->st_dev, (uintmax_t)about->st_ino);
}

#endif
