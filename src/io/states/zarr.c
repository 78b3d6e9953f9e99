/* The folder of a table: what its files say, how it begins and how it ends. See zarr.h. */
#include "io/states/zarr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/common/report.h"
#include "io/result/result.h"

enum { ABOUT_SIZE = 1024, PATH_MOST = 3000 };

static const char GROUP[] = "{\n    \"zarr_format\": 2\n}\n";

/* ---- names ---- */

static void file_path(const hml_table *t, const char *column, const char *name, char path[ZARR_PATH])
{
    const char *folder = t->complete ? t->path : t->part;
    snprintf(path, ZARR_PATH, "%.*s%s%.*s/%s", PATH_MOST, folder, *column ? "/" : "", ZIP_NAME_MAX, column, name);
}

void hmli_zarr_chunk_path(const hml_table *table, size_t column, int64_t chunk, char path[ZARR_PATH])
{
    const zarr_column *c = &table->zarr->columns[column];
    char name[64];
    int used = snprintf(name, sizeof name, "%lld", (long long)chunk);
    for (int i = 1; i < c->rank; i++) used += snprintf(name + used, sizeof name - (size_t)used, ".0");
    file_path(table, c->name, name, path);
}

/* ---- what the files say ---- */

/* "[12, 36, 36]" */
static size_t put_shape(char *out, size_t room, uint64_t rows, const hml_column *column)
{
    size_t used = (size_t)snprintf(out, room, "[%llu", (unsigned long long)rows);
    for (int32_t i = 0; i < column->rank; i++) {
        used += (size_t)snprintf(out + used, room - used, ", %zu", column->shape[i]);
    }
    return used + (size_t)snprintf(out + used, room - used, "]");
}

static hml_status add_column(hml_table *t, zarr_column *c, const hml_column *column)
{
    char shape[128], chunks[128], type[8];
    hml_column least = *column;
    for (int32_t i = 0; i < column->rank; i++) {
        if (column->shape[i] == 0) least.shape[i] = 1; /* a chunk is not empty, even where the array is */
    }
    snprintf(c->name, sizeof c->name, "%s", column->name);
    c->rank = 1 + column->rank;
    if (!hmli_table_width(t->rows, column, &c->width)) return HML_INVALID_ARGUMENT;
    put_shape(shape, sizeof shape, (uint64_t)t->rows, column);
    put_shape(chunks, sizeof chunks, (uint64_t)t->chunk, &least);
    hmli_table_type(column->type, type);
    c->about = malloc(ABOUT_SIZE);
    if (!c->about) return HML_OUT_OF_MEMORY;
    snprintf(c->about, ABOUT_SIZE,
             "{\n    \"zarr_format\": 2,\n    \"shape\": %s,\n    \"chunks\": %s,\n    \"dtype\": \"%s\",\n"
             "    \"compressor\": {\"id\": \"zstd\", \"level\": %d},\n    \"fill_value\": %s,\n    \"order\": \"C\",\n"
             "    \"filters\": null\n}\n",
             shape, chunks, type, ZARR_LEVEL, column->type == HML_COLUMN_INT32 ? "0" : "\"NaN\"");
    return HML_OK;
}

/* the head of the table as JSON, and the digest in it */
static hml_status make_attributes(hml_table *t, const hml_result *head)
{
    char digest[DIGEST_TEXT];
    result_bytes text = {0};
    hml_status status = head ? hmli_result_json(head, &text) : HML_OK;
    if (status) return status;
    const char *rest = text.data ? memchr(text.data, '{', text.size) : NULL;
    const size_t size = rest ? text.size - (size_t)(rest + 1 - text.data) : 0, room = size + 128;
    const int empty = !head || head->nvalues == 0;
    hmli_table_comment(t, digest);
    t->zarr->attributes = malloc(room);
    if (t->zarr->attributes)
        snprintf(t->zarr->attributes, room, "{\n  \"digest\": \"%s\"%s%.*s", digest, empty ? "\n}\n" : ", ",
                 empty ? 0 : (int)size, rest ? rest + 1 : "");
    free(text.data);
    return t->zarr->attributes ? HML_OK : HML_OUT_OF_MEMORY;
}

static hml_status lay_out(hml_table *t, const hml_table_settings *s)
{
    t->zarr = calloc(1, sizeof *t->zarr);
    if (!t->zarr) return HML_OUT_OF_MEMORY;
    t->zarr->columns = calloc((size_t)s->ncolumns, sizeof *t->zarr->columns);
    t->there = calloc((size_t)t->chunks + 1, 1);
    if (!t->zarr->columns || !t->there) return HML_OUT_OF_MEMORY;
    hml_status status = s->head ? s->head->status : HML_OK;
    if (!status) status = make_attributes(t, s->head);
    for (int32_t i = 0; i < s->ncolumns && !status; i++) {
        t->zarr->ncolumns = (size_t)i + 1;
        status = add_column(t, &t->zarr->columns[i], &s->columns[i]);
    }
    return status;
}

void hmli_zarr_free(struct zarr *zarr)
{
    if (!zarr) return;
    for (size_t i = 0; i < zarr->ncolumns; i++) free(zarr->columns[i].about);
    free(zarr->columns);
    free(zarr->attributes);
    free(zarr);
}

/* ---- files ---- */

/* 0, or errno */
static int put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    if (!file) return errno;
    int code = fputs(text, file) < 0 ? errno : 0;
    if (fclose(file) != 0 && !code) code = errno;
    return code;
}

/* does a file hold this text, and nothing else? */
static int file_is(const char *path, const char *text)
{
    char found[256];
    size_t at = 0, got;
    const size_t size = strlen(text);
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    while ((got = fread(found, 1, sizeof found, file)) > 0) {
        if (got > size - at || memcmp(found, text + at, got) != 0) break;
        at += got;
    }
    fclose(file);
    return got == 0 && at == size;
}

static int make_folder(const char *path) { return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno; }

static int begin_column(const hml_table *t, const zarr_column *c)
{
    char path[ZARR_PATH], text[ABOUT_SIZE];
    int used = snprintf(text, sizeof text, "{\n    \"_ARRAY_DIMENSIONS\": [\"state\"");
    for (int i = 1; i < c->rank; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, ", \"%.*s_%d\"", ZIP_NAME_MAX, c->name, i);
    }
    snprintf(text + used, sizeof text - (size_t)used, "]\n}\n");
    snprintf(path, sizeof path, "%.*s/%.*s", PATH_MOST, t->part, ZIP_NAME_MAX, c->name);
    int code = make_folder(path);
    file_path(t, c->name, ".zarray", path);
    if (!code) code = put_file(path, c->about);
    file_path(t, c->name, ".zattrs", path);
    return code ? code : put_file(path, text);
}

/* everything but the chunks; the attributes, by which a folder is known, last */
static int begin(const hml_table *t)
{
    char path[ZARR_PATH];
    file_path(t, "", ".zgroup", path);
    int code = put_file(path, GROUP);
    for (size_t i = 0; i < t->zarr->ncolumns && !code; i++) code = begin_column(t, &t->zarr->columns[i]);
    return code ? code : hmli_table_put(t, 0, t->zarr->attributes, strlen(t->zarr->attributes));
}

/* is it the same table? Its attributes are read through the file that is locked: closing another would end the lock */
static int is_same(const hml_table *t, size_t size)
{
    char path[ZARR_PATH];
    int same = size == strlen(t->zarr->attributes);
    char *found = malloc(size + 1);
    same = same && found && hmli_table_get(t, 0, found, size) && memcmp(found, t->zarr->attributes, size) == 0;
    free(found);
    for (size_t i = 0; i < t->zarr->ncolumns && same; i++) {
        file_path(t, t->zarr->columns[i].name, ".zarray", path);
        same = file_is(path, t->zarr->columns[i].about);
    }
    return same;
}

/* ---- opening ---- */

/* which chunks have files; whether these are whole, hmli_zarr_has looks */
static void find_chunks(hml_table *t)
{
    char path[ZARR_PATH];
    for (int64_t k = 0; k < t->chunks; k++) {
        t->there[k] = 1;
        for (size_t c = 0; c < t->zarr->ncolumns && t->there[k]; c++) {
            hmli_zarr_chunk_path(t, c, k, path);
            t->there[k] = t->zarr->columns[c].width == 0 || access(path, R_OK) == 0;
        }
    }
}

static hml_status open_part(hml_table *t, int resume, hml_error *error)
{
    char path[ZARR_PATH];
    struct stat about;
    int code = make_folder(t->part);
    file_path(t, "", ".zattrs", path);
    if (!code) t->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (code || t->file < 0 || fstat(t->file, &about) != 0)
        return hmli_report_system(error, HML_CANNOT_WRITE, t->part, "written", code ? code : errno);
    if (!hmli_table_lock(t->file))
        return hmli_report(error, HML_CANNOT_WRITE, t->part, 0, "another program is writing it");
    if (about.st_size == 0) { /* new, or its program ended at once */
        code = begin(t);
        return code ? hmli_report_system(error, HML_CANNOT_WRITE, t->part, "written", code) : HML_OK;
    }
    if (!resume)
        return hmli_report(error, HML_CANNOT_WRITE, t->part, 0,
                           "was left by an earlier computation; resume it, or remove the folder");
    if (!is_same(t, (size_t)about.st_size))
        return hmli_report(error, HML_BAD_FILE, t->part, 0,
                           "belongs to another computation: the model, the states or the options differ; remove it");
    find_chunks(t);
    return HML_OK;
}

hml_status hmli_zarr_open(hml_table *table, const hml_table_settings *settings, hml_error *error)
{
    char path[ZARR_PATH];
    if (strlen(table->part) > PATH_MOST)
        return hmli_report(error, HML_CANNOT_WRITE, table->path, 0, "the name of the folder is too long");
    hml_status status = lay_out(table, settings);
    if (status == HML_OUT_OF_MEMORY) return hmli_report_memory(error, table->path);
    if (status)
        return hmli_report(error, status, table->path, 0, "the table has columns or a size that no file can have");
    if (access(table->path, F_OK) == 0) {
        snprintf(path, sizeof path, "%.*s/.zattrs", PATH_MOST, table->path);
        table->complete = settings->resume && access(table->part, F_OK) != 0 && file_is(path, table->zarr->attributes);
        if (table->complete) return HML_OK;
        return hmli_report(error, HML_CANNOT_WRITE, table->path, 0,
                           "is there already; remove it, or give the results another name");
    }
    return open_part(table, settings->resume, error);
}

/* ---- the end ---- */

/* to the disk, so that a power failure cannot take what has been called complete */
static int keep(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    int code = fsync(file) == 0 ? 0 : errno;
    close(file);
    return code;
}

hml_status hmli_zarr_finish(hml_table *table, hml_error *error)
{
    char path[ZARR_PATH];
    int code = fsync(table->file) == 0 ? 0 : errno;
    for (size_t c = 0; c < table->zarr->ncolumns && !code; c++) {
        file_path(table, table->zarr->columns[c].name, ".zarray", path);
        code = keep(path);
        for (int64_t k = 0; k < table->chunks && !code && table->zarr->columns[c].width > 0; k++) {
            hmli_zarr_chunk_path(table, c, k, path);
            code = keep(path);
        }
    }
    if (!code && rename(table->part, table->path) != 0) code = errno;
    if (code) return hmli_report_system(error, HML_CANNOT_WRITE, table->path, "written", code);
    table->complete = 1;
    return HML_OK;
}
