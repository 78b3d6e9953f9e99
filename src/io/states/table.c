/* Results into an NPZ file, chunk by chunk, in any order. See hamel/states.h and table.h. */
#include "io/states/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/struct_size.h"
#include "io/common/file.h"
#include "io/common/report.h"
#include "io/common/system.h"
#include "io/states/zarr.h"

enum { PIECE = 1 << 16 };

int hmli_table_put(const hml_table *table, uint64_t at, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        ssize_t put = pwrite(table->file, from, size, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        from += put;
        at += (uint64_t)put;
        size -= (size_t)put;
    }
    return 0;
}

int hmli_table_get(const hml_table *table, uint64_t at, void *data, size_t size)
{
    char *to = data;
    while (size > 0) {
        ssize_t got = pread(table->file, to, size, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        to += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    return 1;
}

/* ---- the journal ---- */

/* a record: the sums of the columns, and that of the record, which no zeros give */
static void make_record(const hml_table *t, int64_t chunk, unsigned char *record)
{
    const size_t size = 4 * t->ncolumns;
    memcpy(record, &t->sums[(size_t)chunk * t->ncolumns], size);
    const uint32_t sum = hmli_crc32(&t->crc, (uint32_t)chunk + 1, record, size) | 1;
    memcpy(record + size, &sum, sizeof sum);
}

static uint64_t record_place(const hml_table *t, int64_t chunk)
{
    return t->journal + JOURNAL_HEAD + (uint64_t)chunk * table_record(t);
}

/* which chunks an earlier program says it has written */
static void read_records(hml_table *t)
{
    unsigned char found[4 * (HML_TABLE_MAX_COLUMNS + 1)], made[sizeof found];
    const size_t size = (size_t)table_record(t);
    for (int64_t k = 0; k < t->chunks; k++) {
        if (!hmli_table_get(t, record_place(t, k), found, size)) continue;
        memcpy(&t->sums[(size_t)k * t->ncolumns], found, 4 * t->ncolumns);
        make_record(t, k, made);
        t->there[k] = memcmp(found, made, size) == 0;
    }
}

int hml_table_has(const hml_table *table, int64_t chunk)
{
    if (!table || chunk < 0 || chunk >= table->chunks) return 0;
    if (table->complete) return 1;
    if (!table->there[chunk]) return 0;
    if (table->zarr) return hmli_zarr_has(table, chunk);
    char piece[PIECE];
    for (size_t c = 0; c < table->ncolumns; c++) {
        uint64_t at = table_place(table, c, chunk);
        uint64_t left = (uint64_t)table_count(table, chunk) * table->columns[c].width;
        uint32_t sum = 0;
        while (left > 0) {
            const size_t part = left < PIECE ? (size_t)left : PIECE;
            if (!hmli_table_get(table, at, piece, part)) return 0;
            sum = hmli_crc32(&table->crc, sum, piece, part);
            at += part;
            left -= part;
        }
        if (sum != table->sums[(size_t)chunk * table->ncolumns + c]) return 0;
    }
    return 1;
}

hml_status hml_table_read(const hml_table *table, int64_t chunk, int32_t column, void *data)
{
    if (!table || (!table->zarr && table->file < 0) || !data || chunk < 0 || chunk >= table->chunks || column < 0 ||
        (size_t)column >= (table->zarr ? table->zarr->ncolumns : table->ncolumns))
        return HML_INVALID_ARGUMENT;
    if (table->zarr) return hmli_zarr_read(table, chunk, (size_t)column, data);
    const size_t size = (size_t)table_count(table, chunk) * (size_t)table->columns[column].width;
    return hmli_table_get(table, table_place(table, (size_t)column, chunk), data, size) ? HML_OK : HML_CANNOT_READ;
}

/* ---- opening ---- */

static int check_settings(const hml_table_settings *s)
{
    if (s->rows < 0 || s->chunk < 1 || s->ncolumns < 1 || s->ncolumns > HML_TABLE_MAX_COLUMNS || !s->columns) return 0;
    for (int32_t i = 0; i < s->ncolumns; i++) {
        const hml_column *c = &s->columns[i];
        if (!c->name || !*c->name || strlen(c->name) + 5 > ZIP_NAME_MAX) return 0;
        if (c->rank < 0 || c->rank > HML_COLUMN_MAX_RANK || c->type < 0 || c->type > HML_COLUMN_INT32) return 0;
    }
    if (s->format != HML_TABLE_NPZ && s->format != HML_TABLE_ZARR) return 0;
    return (uint64_t)s->rows / (uint64_t)s->chunk < INT32_MAX;
}

/* is the journal in the file that of this table? */
static int has_journal(const hml_table *t)
{
    unsigned char wanted[JOURNAL_HEAD], found[JOURNAL_HEAD];
    hmli_table_journal_head(t, wanted);
    return hmli_table_get(t, t->journal, found, sizeof found) && memcmp(found, wanted, sizeof wanted) == 0;
}

/* opens the finished file if it says that it is this table */
static int open_complete(hml_table *t)
{
    char wanted[DIGEST_TEXT], found[DIGEST_TEXT] = "";
    hmli_table_comment(t, wanted);
    const size_t length = strlen(wanted);
    struct stat about;
    t->file = open(t->path, O_RDONLY | O_CLOEXEC);
    if (t->file < 0) return 0;
    if (fstat(t->file, &about) == 0 && about.st_size >= (off_t)length &&
        hmli_table_get(t, (uint64_t)about.st_size - length, found, length) && memcmp(found, wanted, length) == 0 &&
        has_journal(t))
        return 1;
    close(t->file);
    t->file = -1;
    return 0;
}

int hmli_table_lock(int file) { return hmli_system_lock(file); }

/* a new file: its size, the journal with no chunk in it */
static int begin(const hml_table *t)
{
    unsigned char head[JOURNAL_HEAD];
    char zeros[4096] = {0};
    if (ftruncate(t->file, 0) != 0 || ftruncate(t->file, (off_t)t->end) != 0) return errno;
    int code = 0;
    for (uint64_t at = t->journal; at < t->end && !code; at += sizeof zeros) { /* its place on the disk is taken */
        const uint64_t left = t->end - at;
        code = hmli_table_put(t, at, zeros, left < sizeof zeros ? (size_t)left : sizeof zeros);
    }
    hmli_table_journal_head(t, head);
    return code ? code : hmli_table_put(t, t->journal, head, sizeof head);
}

static hml_status open_part(hml_table *t, int resume, hml_error *error)
{
    struct stat about;
    t->file = open(t->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (t->file < 0 || fstat(t->file, &about) != 0)
        return hmli_report_system(error, HML_CANNOT_WRITE, t->part, "written", errno);
    if (!S_ISREG(about.st_mode)) return hmli_report(error, HML_CANNOT_WRITE, t->part, 0, "is not a plain file");
    if (!hmli_table_lock(t->file))
        return hmli_report(error, HML_CANNOT_WRITE, t->part, 0, "another program is writing it");
    if (resume && about.st_size > 0) {
        if (!has_journal(t))
            return hmli_report(
                error, HML_BAD_FILE, t->part, 0,
                "belongs to another computation: the model, the states or the options differ; remove it, "
                "or do not resume");
        read_records(t);
        return HML_OK;
    }
    const int code = begin(t);
    return code ? hmli_report_system(error, HML_CANNOT_WRITE, t->part, "written", code) : HML_OK;
}

static hml_status open_file(hml_table *t, const hml_table_settings *s, const char *path, hml_error *error)
{
    hmli_crc32_init(&t->crc);
    const hml_status status = hmli_table_layout(t, s);
    if (status == HML_OUT_OF_MEMORY) return hmli_report_memory(error, path);
    if (status) return hmli_report(error, status, path, 0, "the table has columns or a size that no file can have");
    if (s->resume && access(t->part, F_OK) != 0 && open_complete(t)) {
        t->complete = 1;
        return HML_OK;
    }
    return open_part(t, s->resume, error);
}

static hml_status open_table(hml_table *t, const hml_table_settings *s, const char *path, hml_error *error)
{
    const int is_file = s->format == HML_TABLE_NPZ;
    if (!is_file && !(t->path = strdup(path))) return hmli_report_memory(error, path);
    const hml_status status = is_file ? hmli_file_target(path, &t->path, error) : HML_OK;
    if (status) return status;
    const size_t room = strlen(t->path) + 8;
    t->rows = s->rows;
    t->chunk = s->chunk;
    t->chunks = s->rows / s->chunk + (s->rows % s->chunk > 0);
    t->digest = s->digest;
    t->part = malloc(room);
    if (!t->part) return hmli_report_memory(error, path);
    snprintf(t->part, room, "%s.part", t->path);
    return is_file ? open_file(t, s, path, error) : hmli_zarr_open(t, s, error);
}

hml_status hml_table_open(const char *path, const hml_table_settings *settings, hml_table **table, hml_error *error)
{
    hml_table_settings room;
    const hml_table_settings *s = STRUCT_TAKE(hml_table_settings, settings, &room, columns);
    if (!path || !s || !table || !check_settings(s))
        return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is no table to open");
    *table = NULL;
    hml_table *t = calloc(1, sizeof *t);
    if (!t) return hmli_report_memory(error, path);
    t->file = -1;
    hml_status status = open_table(t, s, path, error);
    if (status)
        hml_table_free(t);
    else
        *table = t;
    return status;
}

void hml_table_free(hml_table *table)
{
    if (!table) return;
    if (table->file >= 0) close(table->file);
    for (size_t i = 0; i < table->nheads; i++) free(table->heads[i]);
    for (size_t i = 0; i < table->ncolumns; i++) free(table->columns[i].npy);
    hmli_zarr_free(table->zarr);
    free(table->heads);
    free(table->columns);
    free(table->members);
    free(table->sums);
    free(table->there);
    free(table->path);
    free(table->part);
    free(table);
}

int64_t hml_table_chunks(const hml_table *table) { return table ? table->chunks : 0; }
int hml_table_complete(const hml_table *table) { return table && table->complete; }

/* ---- writing ---- */

hml_status hml_table_write(hml_table *table, int64_t chunk, const void *const *data, hml_error *error)
{
    unsigned char record[4 * (HML_TABLE_MAX_COLUMNS + 1)];
    if (!table || table->complete || table->file < 0 || !data || chunk < 0 || chunk >= table->chunks)
        return hmli_report(error, HML_INVALID_ARGUMENT, table ? table->path : NULL, 0, "there is no such chunk");
    if (table->zarr) return hmli_zarr_write(table, chunk, data, error);
    int code = 0;
    table->there[chunk] = 0;
    for (size_t c = 0; c < table->ncolumns && !code; c++) {
        const size_t size = (size_t)table_count(table, chunk) * (size_t)table->columns[c].width;
        table->sums[(size_t)chunk * table->ncolumns + c] = hmli_crc32(&table->crc, 0, data[c], size);
        code = hmli_table_put(table, table_place(table, c, chunk), data[c], size);
    }
    if (!code) {
        make_record(table, chunk, record);
        code = hmli_table_put(table, record_place(table, chunk), record, (size_t)table_record(table));
    }
    if (code) return hmli_report_system(error, HML_CANNOT_WRITE, table->part, "written", code);
    table->there[chunk] = 1;
    return HML_OK;
}

hml_status hml_table_clear(hml_table *table, hml_error *error)
{
    if (!table || table->complete || (!table->zarr && table->file < 0))
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no table to clear");
    for (int64_t k = 0; k < table->chunks; k++) table->there[k] = 0;
    const int code = table->zarr ? hmli_zarr_clear(table) : begin(table);
    return code ? hmli_report_system(error, HML_CANNOT_WRITE, table->part, "written", code) : HML_OK;
}

/* ---- the end ---- */

/* the sum of a column from those of its header and chunks */
static uint32_t sum_of(const hml_table *t, size_t column)
{
    const table_column *c = &t->columns[column];
    uint32_t sum = hmli_crc32(&t->crc, 0, c->npy, c->header);
    const uint32_t shift = hmli_crc32_shift((uint64_t)t->chunk * c->width);
    for (int64_t k = 0; k < t->chunks; k++) {
        const int64_t count = table_count(t, k);
        const uint32_t own = count == t->chunk ? shift : hmli_crc32_shift((uint64_t)count * c->width);
        sum = hmli_crc32_join(sum, t->sums[(size_t)k * t->ncolumns + column], own);
    }
    return sum;
}

static int write_headers(hml_table *t)
{
    unsigned char local[ZIP_LOCAL_MAX];
    int code = 0;
    for (size_t i = 0; i < t->nheads && !code; i++) {
        code = hmli_table_put(t, t->members[i].data, t->heads[i], (size_t)t->members[i].size);
    }
    for (size_t i = 0; i < t->ncolumns && !code; i++) {
        const table_column *c = &t->columns[i];
        t->members[c->member].crc = sum_of(t, i);
        code = hmli_table_put(t, t->members[c->member].data, c->npy, c->header);
    }
    for (size_t i = 0; i < t->nmembers && !code; i++) {
        const size_t size = hmli_zip_local(&t->members[i], local);
        code = hmli_table_put(t, t->members[i].at, local, size);
    }
    return code;
}

static int write_directory(const hml_table *t)
{
    char comment[DIGEST_TEXT];
    hmli_table_comment(t, comment);
    unsigned char *directory = malloc(hmli_zip_directory_room(t->nmembers, comment));
    if (!directory) return ENOMEM;
    const size_t size = hmli_zip_directory(t->members, t->nmembers, t->end, comment, directory);
    int code = hmli_table_put(t, t->end, directory, size);
    free(directory);
    if (!code && ftruncate(t->file, (off_t)(t->end + size)) != 0) code = errno;
    if (!code && fsync(t->file) != 0) code = errno;
    return code;
}

/* 0, or errno. Windows gives no name to a file that is open */
static int give_name(hml_table *t)
{
#if defined _WIN32
    close(t->file);
    t->file = -1;
#endif
    if (hmli_system_rename(t->part, t->path) != 0) return errno;
    if (t->file < 0) t->file = open(t->path, O_RDONLY | O_CLOEXEC);
    return t->file < 0 ? errno : 0;
}

hml_status hml_table_finish(hml_table *table, hml_error *error)
{
    if (!table || (!table->complete && table->file < 0))
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no table to finish");
    if (table->complete) return HML_OK;
    for (int64_t k = 0; k < table->chunks; k++) {
        if (!table->there[k])
            return hmli_report(error, HML_INVALID_ARGUMENT, table->path, 0, "chunk %lld is missing", (long long)k);
    }
    if (table->zarr) return hmli_zarr_finish(table, error);
    int code = write_headers(table);
    if (!code) code = write_directory(table);
    if (!code) code = give_name(table);
    if (code) return hmli_report_system(error, HML_CANNOT_WRITE, table->path, "written", code);
    table->complete = 1;
    return HML_OK;
}
