/* See archive.h. */
#include "io/common/archive.h"

#include <stdlib.h>

#include <zip.h>

enum { DOS_DATE_1980 = 1 << 5 | 1 };

struct archive {
    zip_source_t *source; /* what is written into */
    zip_t *zip;
    size_t members;
    void **kept; /* the data of the members: libzip reads them when it closes the archive */
    size_t nkept;
};

static void free_kept(archive *a)
{
    for (size_t i = 0; i < a->nkept; i++) free(a->kept[i]);
    free(a->kept);
}

hml_status hmli_archive_new(archive **made)
{
    archive *a = *made = malloc(sizeof *a);
    zip_source_t *source = a ? zip_source_buffer_create(NULL, 0, 0, NULL) : NULL;
    if (!source) {
        free(a);
        *made = NULL;
        return HML_OUT_OF_MEMORY;
    }
    zip_source_keep(source); /* it outlives the archive that is written into it */
    *a = (archive){.source = source, .zip = zip_open_from_source(source, ZIP_TRUNCATE, NULL)};
    if (a->zip) return HML_OK;
    zip_source_free(source);
    zip_source_free(source);
    free(a);
    *made = NULL;
    return HML_OUT_OF_MEMORY;
}

int hmli_archive_add(archive *a, const char *name, char *data, size_t size, int compress)
{
    zip_buffer_fragment_t whole = {(zip_uint8_t *)data, size};
    void **kept = data ? realloc(a->kept, (a->nkept + 1) * sizeof *kept) : NULL;
    if (!kept) {
        free(data);
        return 0;
    }
    a->kept = kept;
    a->kept[a->nkept++] = data;
    /* the data stay ours: where libzip fails, it frees some of what it was given and not the rest */
    zip_source_t *source = zip_source_buffer_fragment(a->zip, &whole, 1, 0);
    if (!source) return 0;
    zip_int64_t index = zip_file_add(a->zip, name, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return 0;
    }
    a->members++;
    zip_int32_t method = compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
    return zip_set_file_compression(a->zip, (zip_uint64_t)index, method, 0) == 0 &&
           zip_file_set_dostime(a->zip, (zip_uint64_t)index, 0, DOS_DATE_1980, 0) == 0;
}

static hml_status take_bytes(zip_source_t *source, char **data, size_t *size)
{
    zip_stat_t there;
    if (zip_source_stat(source, &there) || zip_source_open(source)) return HML_OUT_OF_MEMORY;
    *data = malloc(there.size + 1);
    zip_int64_t got = *data ? zip_source_read(source, *data, there.size) : -1;
    zip_source_close(source);
    if (got < 0 || (zip_uint64_t)got != there.size) {
        free(*data);
        *data = NULL;
        return HML_OUT_OF_MEMORY;
    }
    *size = there.size;
    return HML_OK;
}

hml_status hmli_archive_finish(archive *a, char **data, size_t *size)
{
    hml_status status = HML_OUT_OF_MEMORY;
    *data = NULL;
    *size = 0;
    if (a->members == 0) { /* libzip writes no archive without members */
        zip_discard(a->zip);
        *data = calloc(1, 1);
        status = *data ? HML_OK : HML_OUT_OF_MEMORY;
    } else if (zip_close(a->zip)) {
        zip_discard(a->zip);
    } else {
        status = take_bytes(a->source, data, size);
    }
    zip_source_free(a->source);
    free_kept(a);
    free(a);
    return status;
}

void hmli_archive_free(archive *a)
{
    if (!a) return;
    zip_discard(a->zip);
    zip_source_free(a->source);
    free_kept(a);
    free(a);
}

int hmli_archive_sound(struct zip_file *member)
{
    char dropped[4096];
    zip_int64_t got;
    do { /* libzip compares the sums where it finds the end, not before */
        got = zip_fread(member, dropped, sizeof dropped);
    } while (got > 0);
    return got == 0;
}
