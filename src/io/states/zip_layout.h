/*
 * A zip archive whose members are stored, not compressed, and whose sizes are known before their contents: where
 * everything will be can be said at once, and members be filled in any order.
 *
 * Members are aligned: their contents begin at multiples of 64, so that NPY data in them can be mapped into memory.
 * Members and archives beyond 4 GiB are zip64 (APPNOTE.TXT 4.3.14 and 4.5.3). Times are constant: the same members, the
 * same bytes.
 */
#ifndef HML_IO_STATES_ZIP_LAYOUT_H
#define HML_IO_STATES_ZIP_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

enum { ZIP_ALIGN = 64, ZIP_NAME_MAX = 200, ZIP_LOCAL_MAX = 30 + ZIP_NAME_MAX + 20 + 4 + 2 * ZIP_ALIGN };

typedef struct zip_member {
    char name[ZIP_NAME_MAX];
    uint64_t size; /* of the contents */
    uint32_t crc;  /* of the contents; set before the headers are written */
    uint64_t at;   /* the local header; */
    uint64_t data; /* the contents: a multiple of ZIP_ALIGN */
} zip_member;

/* places a member whose name and size are set at `at` or behind; where the next may begin */
uint64_t hmli_zip_place(zip_member *member, uint64_t at);

/* the local header, which ends where the contents begin; its size */
size_t hmli_zip_local(const zip_member *member, unsigned char out[ZIP_LOCAL_MAX]);

/* bytes of the directory of n members and a comment, at most */
size_t hmli_zip_directory_room(size_t n, const char *comment);

/* the directory, to be written at `at`, at the end of the file; its size */
size_t hmli_zip_directory(const zip_member *members, size_t n, uint64_t at, const char *comment, unsigned char *out);

#endif
