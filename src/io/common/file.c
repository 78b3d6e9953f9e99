/* Whole files: read at once, written whole or not at all. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): realpath; POSIX has us define it */
#include "io/common/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/io.h"
#include "io/common/report.h"
#include "io/common/system.h"
#include "io/common/unnamed.h"

/* ---- names ---- */

int hmli_file_ends(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    if (n < m) return 0;
    for (size_t i = 0; i < m; i++) {
        const char c = name[n - m + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != ending[i]) return 0;
    }
    return 1;
}

/* ---- reading ---- */

static hml_status read_all(int file, const char *path, char **data, size_t *size, hml_error *error)
{
    size_t capacity = 1 << 16, n = 0;
    char *text = malloc(capacity + 1);
    if (!text) return hmli_report_memory(error, path);
    for (;;) {
        ssize_t got = read(file, text + n, (system_size)(capacity - n));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            free(text);
            return hmli_report_system(error, HML_CANNOT_READ, path, "read", errno);
        }
        if (got == 0) break;
        n += (size_t)got;
        if (n > FILE_MAX_SIZE) {
            free(text);
            return hmli_report(error, HML_CANNOT_READ, path, 0, "is larger than %d MiB", FILE_MAX_SIZE >> 20);
        }
        if (n == capacity) {
            char *grown = realloc(text, 2 * capacity + 1);
            if (!grown) {
                free(text);
                return hmli_report_memory(error, path);
            }
            text = grown;
            capacity *= 2;
        }
    }
    text[n] = 0;
    *data = text;
    *size = n;
    return HML_OK;
}

static hml_status read_file(const char *path, int plain, char **data, size_t *size, hml_error *error)
{
    /* a pipe waits for its other end, unless one opens it so; for a file it makes no difference */
    int file = open(path, O_RDONLY | O_CLOEXEC | (plain ? O_NONBLOCK : 0));
    if (file < 0) return hmli_report_system(error, HML_CANNOT_READ, path, "read", errno);
    struct stat about;
    hml_status status = HML_OK;
    if (fstat(file, &about) != 0)
        status = hmli_report_system(error, HML_CANNOT_READ, path, "read", errno);
    else if (S_ISDIR(about.st_mode))
        status = hmli_report_system(error, HML_CANNOT_READ, path, "read", EISDIR);
    else if (plain && !S_ISREG(about.st_mode))
        status = hmli_report(error, HML_CANNOT_READ, path, 0, "cannot be read: it is no file, but a pipe or a device");
    else
        status = read_all(file, path, data, size, error);
    close(file);
    return status;
}

hml_status hmli_file_read(const char *path, char **data, size_t *size, hml_error *error)
{
    return read_file(path, 0, data, size, error);
}

hml_status hmli_file_read_plain(const char *path, char **data, size_t *size, hml_error *error)
{
    return read_file(path, 1, data, size, error);
}

/* ---- writing ---- */

/* 0, or errno */
static int write_all(int file, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(file, data, (system_size)size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        data += put;
        size -= (size_t)put;
    }
    return 0;
}

static int write_directly(const char *path, const void *data, size_t size)
{
    int file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file < 0) return errno;
    int code = write_all(file, data, size);
    if (close(file) != 0 && !code) code = errno;
    return code;
}

/* a new file beside `path`, with the rights a new file gets; −1 and errno if there can be none */
static int open_beside(const char *path, char *beside, size_t size)
{
    for (int i = 0; i < 1000; i++) {
        snprintf(beside, size, "%s.%ld-%d", path, (long)getpid(), i);
        int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

/* to the disk; mode: of the file that is replaced; 0: there is none */
static int fill(int file, const void *data, size_t size, mode_t mode)
{
    int code = write_all(file, data, size);
    if (!code && mode && fchmod(file, mode) != 0) code = errno;
    if (!code && fsync(file) != 0) code = errno;
    return code;
}

/* a file without a name gets the one of `path`: directly if nothing is there, else over a name beside it */
static int name_it(int file, const char *path, char *beside, size_t room)
{
    if (hmli_unnamed_name(file, path) == 0) return 0;
    for (int i = 0; errno == EEXIST && i < 1000; i++) {
        snprintf(beside, room, "%s.%ld-%d", path, (long)getpid(), i);
        if (hmli_unnamed_name(file, beside) != 0) continue;
        if (hmli_system_rename(beside, path) == 0) return 0;
        int code = errno;
        unlink(beside);
        return code;
    }
    return errno;
}

/* 1 if it is written, and *code says how that went; 0: not in this way */
static int write_unnamed(const char *path, const void *data, size_t size, mode_t mode, char *beside, size_t room,
                         int *code)
{
    int file = hmli_unnamed_open(path);
    if (file < 0) return 0;
    *code = fill(file, data, size, mode);
    int named = *code ? 0 : name_it(file, path, beside, room);
    if (close(file) != 0 && !*code) *code = errno;
    return !named;
}

static int write_beside(const char *path, const void *data, size_t size, mode_t mode)
{
    size_t room = strlen(path) + 40;
    char *beside = malloc(room);
    int code = 0;
    if (!beside) return ENOMEM;
    if (write_unnamed(path, data, size, mode, beside, room, &code)) {
        free(beside);
        return code;
    }
    int file = open_beside(path, beside, room);
    if (file < 0) {
        code = errno;
        free(beside);
        return code;
    }
    code = fill(file, data, size, mode);
    if (close(file) != 0 && !code) code = errno;
    if (!code && hmli_system_rename(beside, path) != 0) code = errno;
    if (code) unlink(beside);
    free(beside);
    return code;
}

hml_status hmli_file_target(const char *path, char **target, hml_error *error)
{
    struct stat about;
    const int there = stat(path, &about) == 0;
    *target = NULL;
    if (there && S_ISDIR(about.st_mode)) return hmli_report_system(error, HML_CANNOT_WRITE, path, "written", EISDIR);
    if (there && !S_ISREG(about.st_mode)) return hmli_report(error, HML_CANNOT_WRITE, path, 0, "is not a plain file");
    *target = there ? realpath(path, NULL) : strdup(path);
    if (*target) return HML_OK;
    return hmli_report_system(error, HML_CANNOT_WRITE, path, "written", errno);
}

hml_status hml_file_write(const char *path, const void *data, size_t size, hml_error *error)
{
    if (!path || (!data && size > 0))
        return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is nothing to write");
    struct stat about;
    int code, there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) {
        code = EISDIR;
    } else if (there && !S_ISREG(about.st_mode)) {
        code = write_directly(path, data, size);
    } else {
        /* through a link to the file itself, so that the link stays; a link to a file that has lost its name
         * (/dev/stdout can be one) leads nowhere else */
        char *target = there ? realpath(path, NULL) : NULL;
        if (there && !target)
            code = write_directly(path, data, size);
        else
            code = write_beside(target ? target : path, data, size, there ? about.st_mode & 07777 : 0);
        free(target);
    }
    return code ? hmli_report_system(error, HML_CANNOT_WRITE, path, "written", code) : HML_OK;
}
