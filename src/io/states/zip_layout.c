/* See zip_layout.h. Numbers of a zip archive are little-endian. */
#include "io/states/zip_layout.h"

#include <string.h>

enum {
    LOCAL = 30,
    CENTRAL = 46,
    END = 22,
    END64 = 56,
    LOCATOR = 20,
    VERSION = 20,
    VERSION64 = 45,
    DATE_1980 = 1 << 5 | 1,
    EXTRA64 = 0x0001,
    EXTRA_ALIGN = 0xd935 /* as Android's zipalign pads */
};

#define BIG UINT64_C(0xffffffff) /* what does not fit, and says so */

static unsigned char *put(unsigned char *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) *out++ = (unsigned char)(value >> 8 * i);
    return out;
}

static int is_big(const zip_member *m) { return m->size >= BIG; }

/* extra fields of a local header: sizes beyond 4 GiB */
static size_t local_extra(const zip_member *m) { return is_big(m) ? 20 : 0; }

uint64_t hmli_zip_place(zip_member *member, uint64_t at)
{
    const uint64_t least = at + LOCAL + strlen(member->name) + local_extra(member) + 6; /* 6: the field that pads */
    member->at = at;
    member->data = (least + ZIP_ALIGN - 1) / ZIP_ALIGN * ZIP_ALIGN;
    return member->data + member->size;
}

/* what local header and directory have in common, from the version to the length of the name */
static unsigned char *put_common(unsigned char *out, const zip_member *m)
{
    const uint64_t size = is_big(m) ? BIG : m->size;
    out = put(out, is_big(m) ? VERSION64 : VERSION, 2);
    out = put(out, 0, 2); /* flags */
    out = put(out, 0, 2); /* stored */
    out = put(put(out, 0, 2), DATE_1980, 2);
    out = put(out, m->crc, 4);
    out = put(put(out, size, 4), size, 4);
    return put(out, strlen(m->name), 2);
}

static unsigned char *put_name(unsigned char *out, const zip_member *m)
{
    memcpy(out, m->name, strlen(m->name));
    return out + strlen(m->name);
}

size_t hmli_zip_local(const zip_member *member, unsigned char out[ZIP_LOCAL_MAX])
{
    const size_t size = (size_t)(member->data - member->at), name = strlen(member->name), extra = size - LOCAL - name;
    const size_t pad = extra - local_extra(member) - 4;
    memset(out, 0, size);
    unsigned char *p = put_common(put(out, UINT64_C(0x04034b50), 4), member);
    p = put_name(put(p, extra, 2), member);
    if (is_big(member)) p = put(put(put(put(p, EXTRA64, 2), 16, 2), member->size, 8), member->size, 8);
    p = put(put(p, EXTRA_ALIGN, 2), pad, 2);
    put(p, ZIP_ALIGN, 2);
    return size;
}

size_t hmli_zip_directory_room(size_t n, const char *comment)
{
    return n * (CENTRAL + ZIP_NAME_MAX + 28) + END64 + LOCATOR + END + strlen(comment);
}

static unsigned char *put_central(unsigned char *out, const zip_member *m)
{
    const int far = m->at >= BIG;
    const size_t extra = (is_big(m) ? 16u : 0u) + (far ? 8u : 0u);
    out = put(put(out, UINT64_C(0x02014b50), 4), VERSION64, 2);
    out = put_common(out, m);
    out = put(out, extra ? extra + 4 : 0, 2);
    out = put(put(put(put(out, 0, 2), 0, 2), 0, 2), 0, 4); /* comment, disk, attributes */
    out = put_name(put(out, far ? BIG : m->at, 4), m);
    if (extra) out = put(put(out, EXTRA64, 2), extra, 2);
    if (is_big(m)) out = put(put(out, m->size, 8), m->size, 8);
    return far ? put(out, m->at, 8) : out;
}

size_t hmli_zip_directory(const zip_member *members, size_t n, uint64_t at, const char *comment, unsigned char *out)
{
    unsigned char *p = out;
    for (size_t i = 0; i < n; i++) p = put_central(p, &members[i]);
    const uint64_t size = (uint64_t)(p - out), end64 = at + size;
    const int far = at >= BIG || size >= BIG || n >= 0xffff;
    if (far) {
        p = put(put(p, UINT64_C(0x06064b50), 4), END64 - 12, 8);
        p = put(put(p, VERSION64, 2), VERSION64, 2);
        p = put(put(p, 0, 4), 0, 4); /* disks */
        p = put(put(p, n, 8), n, 8);
        p = put(put(p, size, 8), at, 8);
        p = put(put(put(put(p, UINT64_C(0x07064b50), 4), 0, 4), end64, 8), 1, 4);
    }
    const uint64_t count = far ? 0xffff : n;
    p = put(put(put(p, UINT64_C(0x06054b50), 4), 0, 2), 0, 2);
    p = put(put(p, count, 2), count, 2);
    p = put(put(p, far ? BIG : size, 4), far ? BIG : at, 4);
    p = put(p, strlen(comment), 2);
    memcpy(p, comment, strlen(comment));
    return (size_t)(p - out) + strlen(comment);
}
