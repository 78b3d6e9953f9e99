/* The inside of hml_table: where its members are, and which chunks are written. */
#ifndef HML_IO_STATES_TABLE_H
#define HML_IO_STATES_TABLE_H

#include "hamel/states.h"
#include "io/common/crc32.h"
#include "io/common/npy.h"
#include "io/states/zip_layout.h"

typedef struct table_column {
    size_t member;  /* its place among the members */
    uint64_t width; /* bytes of a row */
    size_t header;  /* bytes of the NPY header, */
    char *npy;      /* and the header, NPY_ROOM */
} table_column;

enum { JOURNAL_HEAD = 64, DIGEST_TEXT = 32 };

/*
 * PATH.part: local headers and contents of all members, the journal, and in the end the zip directory. The journal has
 * a head, JOURNAL_HEAD bytes that say what the table is, and a record per chunk: the checksums of its columns, and one
 * of the record. The journal stays in the finished file, where no reader looks: so at no moment a program that is killed
 * loses what it has.
 */
struct hml_table {
    char *path, *part;
    int file; /* −1: none */
    int complete;
    int64_t rows, chunk, chunks;
    uint64_t digest;
    size_t ncolumns, nmembers, nheads;
    table_column *columns;
    zip_member *members;   /* nheads small ones, then the columns */
    char **heads;          /* contents of the small ones */
    uint64_t journal, end; /* where the journal begins and ends */
    uint32_t *sums;        /* chunks × ncolumns: checksums */
    unsigned char *there;  /* chunks */
    crc32_tables crc;
    struct zarr *zarr; /* a folder, to which none of the members and sums belong; NULL: a file */
};

/* rows of a chunk: the last may have fewer */
static inline int64_t table_count(const hml_table *t, int64_t chunk)
{
    const int64_t left = t->rows - chunk * t->chunk;
    return left < t->chunk ? left : t->chunk;
}

static inline uint64_t table_record(const hml_table *t) { return 4 * ((uint64_t)t->ncolumns + 1); }

/* where a chunk of a column is */
static inline uint64_t table_place(const hml_table *t, size_t column, int64_t chunk)
{
    const table_column *c = &t->columns[column];
    return t->members[c->member].data + c->header + (uint64_t)chunk * (uint64_t)t->chunk * c->width;
}

/* names, sizes and places of everything; needs settings that are checked */
hml_status hmli_table_layout(hml_table *table, const hml_table_settings *settings);

/* the first bytes of the journal */
void hmli_table_journal_head(const hml_table *table, unsigned char head[JOURNAL_HEAD]);

/* "hamel 0123456789abcdef": the comment of the archive */
void hmli_table_comment(const hml_table *table, char text[DIGEST_TEXT]);

/* 1 and the bytes of a row; 0: no file can have so many */
int hmli_table_width(int64_t rows, const hml_column *column, uint64_t *width);

/* "<f8" */
void hmli_table_type(hml_column_type type, char text[8]);

/* two programs must not write the same table: 0 if another one does */
int hmli_table_lock(int file);

/* from the file that is open; 1 if it is there */
int hmli_table_get(const hml_table *table, uint64_t at, void *data, size_t size);

/* 0, or errno */
int hmli_table_put(const hml_table *table, uint64_t at, const void *data, size_t size);

#endif
