/*
 * A table as a folder: a Zarr group, version 2, whose chunks are compressed with Zstandard. docs/batches.md says why.
 *
 *   PATH.part/.zgroup, .zattrs          the group; the attributes hold what the NPZ file has as small arrays
 *   PATH.part/A/.zarray, .zattrs        an array: its shape, type and compression; the names of its dimensions
 *   PATH.part/A/17.0.0                  a chunk: rows 17·chunk …, one frame of zstd with a checksum
 *
 * A chunk is written under another name and then gets its own: what has its name is whole, but for a power failure,
 * which the checksum shows. So there is no journal, and threads write without waiting for each other.
 */
#ifndef HML_IO_STATES_ZARR_H
#define HML_IO_STATES_ZARR_H

#include "io/states/table.h"

enum { ZARR_PATH = 4096, ZARR_LEVEL = 1 };

typedef struct zarr_column {
    char name[ZIP_NAME_MAX];
    int rank;       /* of the array, with its rows */
    uint64_t width; /* bytes of a row */
    char *about;    /* the text of .zarray */
} zarr_column;

struct zarr {
    size_t ncolumns;
    zarr_column *columns;
    char *attributes; /* the text of .zattrs */
};

/* The functions of hml_table for a table that is a folder; their arguments are checked. HML_UNSUPPORTED without zstd. */
hml_status hmli_zarr_open(hml_table *table, const hml_table_settings *settings, hml_error *error);
void hmli_zarr_free(struct zarr *zarr);
int hmli_zarr_has(const hml_table *table, int64_t chunk);
hml_status hmli_zarr_read(const hml_table *table, int64_t chunk, size_t column, void *data);
hml_status hmli_zarr_write(hml_table *table, int64_t chunk, const void *const *data, hml_error *error);
hml_status hmli_zarr_finish(hml_table *table, hml_error *error);
int hmli_zarr_clear(const hml_table *table); /* 0, or errno */

/* the file of a chunk */
void hmli_zarr_chunk_path(const hml_table *table, size_t column, int64_t chunk, char path[ZARR_PATH]);

#endif
