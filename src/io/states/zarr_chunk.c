/* Chunks of a folder: compressed, written, read back. See zarr.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "io/common/report.h"
#include "io/states/zarr.h"

/* bytes of a chunk, of which the last is as long as the others: what is behind its rows has no meaning */
static size_t full_size(const hml_table *t, size_t column)
{
    return (size_t)t->chunk * (size_t)t->zarr->columns[column].width;
}

/* ---- writing ---- */

/* one frame, with a checksum; its size, 0 when memory or zstd fails */
static size_t compress(void *to, size_t room, const void *from, size_t size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (!context) return 0;
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZARR_LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t got = ZSTD_compress2(context, to, room, from, size);
    ZSTD_freeCCtx(context);
    return ZSTD_isError(got) ? 0 : got;
}

/* 0, or errno */
static int put_whole(const char *path, const void *data, size_t size)
{
    char early[ZARR_PATH + 8];
    snprintf(early, sizeof early, "%s.part", path);
    FILE *file = fopen(early, "wb");
    if (!file) return errno;
    int code = fwrite(data, 1, size, file) == size ? 0 : errno;
    if (fclose(file) != 0 && !code) code = errno;
    if (!code && rename(early, path) != 0) code = errno;
    if (code) remove(early);
    return code;
}

static int write_column(const hml_table *t, size_t column, int64_t chunk, const void *data)
{
    char path[ZARR_PATH];
    const size_t size = full_size(t, column), room = ZSTD_compressBound(size);
    const size_t used = (size_t)table_count(t, chunk) * (size_t)t->zarr->columns[column].width;
    char *frame = malloc(room), *padded = used < size ? calloc(1, size) : NULL;
    int code = frame && (padded || used == size) ? 0 : ENOMEM;
    if (!code && padded) memcpy(padded, data, used);
    const size_t got = code ? 0 : compress(frame, room, padded ? padded : data, size);
    if (!code && got == 0) code = ENOMEM;
    hmli_zarr_chunk_path(t, column, chunk, path);
    if (!code) code = put_whole(path, frame, got);
    free(frame);
    free(padded);
    return code;
}

hml_status hmli_zarr_write(hml_table *table, int64_t chunk, const void *const *data, hml_error *error)
{
    int code = 0;
    table->there[chunk] = 0;
    for (size_t c = 0; c < table->zarr->ncolumns && !code; c++) {
        if (table->zarr->columns[c].width > 0) code = write_column(table, c, chunk, data[c]);
    }
    if (code) return hmli_report_system(error, HML_CANNOT_WRITE, table->part, "written", code);
    table->there[chunk] = 1;
    return HML_OK;
}

/* ---- reading ---- */

/* a whole file, malloc'ed; NULL: it cannot be read, or is larger than a chunk can be */
static char *get_whole(const char *path, size_t most, size_t *size)
{
    char *data = malloc(most + 1);
    FILE *file = data ? fopen(path, "rb") : NULL;
    *size = file ? fread(data, 1, most + 1, file) : 0;
    const int good = file && !ferror(file) && *size <= most;
    if (file) fclose(file);
    if (good) return data;
    free(data);
    return NULL;
}

/* a chunk, malloc'ed, all of it; NULL: it is not there, or damaged */
static char *get_chunk(const hml_table *t, size_t column, int64_t chunk)
{
    char path[ZARR_PATH];
    const size_t size = full_size(t, column);
    size_t got = 0;
    hmli_zarr_chunk_path(t, column, chunk, path);
    char *frame = get_whole(path, ZSTD_compressBound(size), &got), *data = frame ? malloc(size + 1) : NULL;
    const int good = data && ZSTD_getFrameContentSize(frame, got) == size &&
                     ZSTD_decompress(data, size, frame, got) == size; /* compares the checksum */
    free(frame);
    if (good) return data;
    free(data);
    return NULL;
}

int hmli_zarr_has(const hml_table *table, int64_t chunk)
{
    for (size_t c = 0; c < table->zarr->ncolumns; c++) {
        if (table->zarr->columns[c].width == 0) continue;
        char *data = get_chunk(table, c, chunk);
        if (!data) return 0;
        free(data);
    }
    return 1;
}

hml_status hmli_zarr_read(const hml_table *table, int64_t chunk, size_t column, void *data)
{
    const size_t used = (size_t)table_count(table, chunk) * (size_t)table->zarr->columns[column].width;
    if (used == 0) return HML_OK;
    char *found = get_chunk(table, column, chunk);
    if (!found) return HML_CANNOT_READ;
    memcpy(data, found, used);
    free(found);
    return HML_OK;
}

int hmli_zarr_clear(const hml_table *table)
{
    char path[ZARR_PATH];
    int code = 0;
    for (int64_t k = 0; k < table->chunks; k++) {
        for (size_t c = 0; c < table->zarr->ncolumns; c++) {
            hmli_zarr_chunk_path(table, c, k, path);
            if (remove(path) != 0 && errno != ENOENT) code = errno;
        }
    }
    return code;
}
