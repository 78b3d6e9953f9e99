/*
 * Arrays out of an NPZ file. See npz_read.h. Files are not trusted: sizes are checked against what is there before
 * anything is allocated, and a member that inflates beyond NPZ_MAX_SIZE is refused.
 */
#include "io/result/npz_read.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zip.h>

#include "io/common/archive.h"
#include "io/common/npy.h"
#include "io/common/report.h"

struct npz {
    zip_t *zip;
    const char *path;
};

static hml_status bad(const npz *file, const char *name, const char *what, hml_error *error)
{
    return hmli_report(error, HML_BAD_FILE, file->path, 0, "%s.npy: %s", name, what);
}

hml_status hmli_npz_open(const char *path, npz **file, hml_error *error)
{
    int code = 0;
    *file = malloc(sizeof **file);
    if (!*file) return hmli_report_memory(error, path);
    **file = (npz){zip_open(path, ZIP_RDONLY, &code), path};
    if ((*file)->zip) return HML_OK;
    free(*file);
    *file = NULL;
    if (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS)
        return hmli_report(error, HML_BAD_FILE, path, 0, "is not an NPZ file");
    return hmli_report(error, HML_CANNOT_READ, path, 0,
                       code == ZIP_ER_NOENT ? "there is no such file" : "cannot be read");
}

void hmli_npz_close(npz *file)
{
    if (!file) return;
    zip_discard(file->zip);
    free(file);
}

hml_status hmli_npz_check_names(npz *file, const char *const *known, hml_error *error)
{
    for (zip_int64_t i = 0; i < zip_get_num_entries(file->zip, 0); i++) {
        const char *name = zip_get_name(file->zip, (zip_uint64_t)i, 0);
        const size_t length = name ? strlen(name) : 0;
        const size_t shown = length > 4 && strcmp(name + length - 4, ".npy") == 0 ? length - 4 : length;
        int found = 0;
        for (int k = 0; shown < length && known[k]; k++)
            found |= strlen(known[k]) == shown && memcmp(known[k], name, shown) == 0;
        if (!found)
            return hmli_report(error, HML_BAD_FILE, file->path, 0,
                               "there is an array '%.*s', which such files do not have", (int)(shown < 80 ? shown : 80),
                               name ? name : "");
    }
    return HML_OK;
}

/* ---- the header ---- */

/* NULL, or what is wrong with it */
static const char *read_header(const unsigned char *data, size_t size, npy_header *h)
{
    static const char damaged[] = "is damaged", unread[] = "is neither numbers nor text";
    const int header = hmli_npy_read(data, size, h);
    if (*h->type && !h->kind) return unread;
    if (!header) return *h->type ? "has more than three dimensions, or is damaged" : damaged;
    if (h->rank > NPZ_MAX_RANK || h->count > NPZ_MAX_SIZE) return "has more than three dimensions, or is damaged";
    return h->count <= (size - h->begin) / h->width ? NULL : damaged;
}

/* ---- entries ---- */

/* UTF-32, padded with zeros, as UTF-8; what is no character becomes a question mark */
static char *text_of(const npy_header *h, const unsigned char *entry)
{
    char *text = malloc(h->width + 1), *end = text;
    if (!text) return NULL;
    for (size_t k = 0; k < h->width; k += 4) {
        const unsigned char *c = entry + k;
        unsigned long code = 0;
        for (int i = 0; i < 4; i++) code = code << 8 | c[h->swapped ? i : 3 - i];
        if (code == 0) break;
        if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) code = '?';
        int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
        *end++ = (char)(lead[more] | code >> (6 * more));
        for (int j = more - 1; j >= 0; j--) *end++ = (char)(0x80 | (code >> (6 * j) & 0x3f));
    }
    *end = 0;
    return text;
}

static int fill(const npy_header *h, const unsigned char *data, npz_array *array)
{
    data += h->begin;
    if (h->kind == 'U') {
        array->texts = calloc(h->count + 1, sizeof *array->texts);
        for (size_t i = 0; array->texts && i < h->count; i++) {
            array->texts[i] = text_of(h, data + hmli_npy_place(h, i) * h->width);
            if (!array->texts[i]) return 0;
        }
        return array->texts != NULL;
    }
    array->numbers = malloc((h->count + 1) * sizeof *array->numbers);
    for (size_t i = 0; array->numbers && i < h->count; i++) array->numbers[i] = hmli_npy_number(h, data, i);
    return array->numbers != NULL;
}

/* ---- a member ---- */

static hml_status read_member(const npz *file, const char *name, zip_int64_t index, unsigned char **data, size_t *size,
                              hml_error *error)
{
    zip_stat_t about;
    if (zip_stat_index(file->zip, (zip_uint64_t)index, 0, &about) || !(about.valid & ZIP_STAT_SIZE))
        return bad(file, name, "is damaged", error);
    if (about.size > NPZ_MAX_SIZE) return bad(file, name, "is larger than 512 MiB", error);
    *size = (size_t)about.size;
    *data = calloc(*size + 1, 1);
    if (!*data) return hmli_report_memory(error, file->path);
    zip_file_t *member = zip_fopen_index(file->zip, (zip_uint64_t)index, 0);
    zip_int64_t got = member ? zip_fread(member, *data, *size) : -1;
    const int whole = got >= 0 && (size_t)got == *size && hmli_archive_sound(member);
    if (member) zip_fclose(member);
    return whole ? HML_OK : bad(file, name, "is damaged", error);
}

hml_status hmli_npz_get(npz *file, const char *name, npz_array *array, hml_error *error)
{
    char member[128];
    unsigned char *data = NULL;
    size_t size = 0;
    npy_header h;
    memset(array, 0, sizeof *array);
    snprintf(member, sizeof member, "%s.npy", name);
    zip_int64_t index = zip_name_locate(file->zip, member, 0);
    if (index < 0) return HML_OK;
    hml_status status = read_member(file, name, index, &data, &size, error);
    const char *problem = status ? NULL : read_header(data, size, &h);
    if (problem) status = bad(file, name, problem, error);
    if (!status) {
        array->rank = h.rank;
        array->count = (size_t)h.count;
        for (int i = 0; i < h.rank; i++) array->shape[i] = (size_t)h.shape[i];
        if (!fill(&h, data, array)) status = hmli_report_memory(error, file->path);
    }
    free(data);
    if (status) hmli_npz_array_free(array);
    return status;
}

void hmli_npz_array_free(npz_array *array)
{
    for (size_t i = 0; array->texts && i < array->count; i++) free(array->texts[i]);
    free(array->texts);
    free(array->numbers);
    memset(array, 0, sizeof *array);
}
