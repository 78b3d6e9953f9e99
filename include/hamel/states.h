/*
 * Many states from one file, and their results into another, in pieces that fit the cache (libhamel-io).
 *
 *   hml_states_open, …_count, …_digest, …_read, …_free     states out of an NPZ file, however many
 *   hml_threads_default                                     how many threads to compute them with
 *   hml_table_open, …_chunks, …_has, …_complete, …_read, …_write, …_clear, …_finish, …_free
 *                                                           results into a file or folder
 *
 * Memory does not grow with the number of states. docs/batches.md has the file formats, and how an interrupted
 * computation continues.
 */
#ifndef HAMEL_STATES_H
#define HAMEL_STATES_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/io.h"

/* the digest of what gave `digest` (0: nothing), followed by these bytes. It tells mistakes apart, not malice */
HML_API uint64_t hml_digest_add(uint64_t digest, const void *data, size_t size);

/*
 * Threads for a batch: what the variable HAMEL_THREADS says; otherwise the cores that the process may use, by its
 * affinity and by the limits of its control groups (containers, Slurm), but no more than OMP_NUM_THREADS, with which
 * Ray, Dask and others tell their workers how many to take. 0: HAMEL_THREADS is not a positive number.
 */
HML_API int32_t hml_threads_default(void);

/* ---- states ---- */

/*
 * An NPZ file as numpy.savez and numpy.savez_compressed write it: `position` (N × nq), `velocity` (N × nv) and
 * `force` (N × nv), which may be missing; float64 or float32, row by row. Velocities and forces are left-trivialized.
 * Any other array in the file is an error: a misspelt `force` would be lost without a word.
 */
typedef struct hml_states hml_states;

HML_API hml_status hml_states_open(const char *path, const hml_model *model, hml_states **states, hml_error *error);
HML_API void hml_states_free(hml_states *states);
HML_API int64_t hml_states_count(const hml_states *states);

/* two files with the same states have the same one */
HML_API uint64_t hml_states_digest(const hml_states *states);

/*
 * Rows first … first + count − 1, as they are: NaN is for the computation to notice. tau: zero without forces. One
 * thread at a time. Forward is cheap; a compressed file is read from the beginning again for a row further back.
 */
HML_API hml_status hml_states_read(hml_states *states, int64_t first, int64_t count, double *q, double *v, double *tau,
                                   hml_error *error);

/* ---- results ---- */

/* how a column of a table is kept; values are given to hml_table_write in this type */
typedef enum hml_column_type { HML_COLUMN_FLOAT64 = 0, HML_COLUMN_FLOAT32 = 1, HML_COLUMN_INT32 = 2 } hml_column_type;

enum { HML_COLUMN_MAX_RANK = 3, HML_TABLE_MAX_COLUMNS = 32 };

/* one array of the file: rows × shape */
typedef struct hml_column {
    const char *name;
    hml_column_type type;
    int32_t rank; /* of one row: 0 for a number, 2 for a matrix */
    size_t shape[HML_COLUMN_MAX_RANK];
} hml_column;

/*
 * How a table is kept: as one NPZ file, or as a folder, a Zarr group of version 2 with chunks compressed by zstd. A
 * build without zstd has the file alone.
 */
typedef enum hml_table_format { HML_TABLE_NPZ = 0, HML_TABLE_ZARR = 1 } hml_table_format;

typedef struct hml_table_settings {
    size_t struct_size;
    int64_t rows, chunk; /* chunk: rows that are written at a time */
    int32_t ncolumns;
    const hml_column *columns;
    const hml_result *head; /* what else is in the file, small; NULL: nothing */
    uint64_t digest;        /* of everything that the results depend on: files with another one are not continued */
    int32_t resume;         /* 1: go on where an earlier table of the same digest stopped */
    hml_table_format format;
} hml_table_settings;

/*
 * The file is called PATH.part until hml_table_finish gives it its name. It has its full size from the beginning, with
 * holes, and keeps which chunks are there: a program that is killed loses the chunks it was writing, no others.
 */
typedef struct hml_table hml_table;

/*
 * An earlier PATH.part is taken up with `resume`, and replaced without. Where PATH is a link, both are beside the file that
 * it leads to. HML_CANNOT_WRITE if PATH is a folder, a pipe or a device
 */
HML_API hml_status hml_table_open(const char *path, const hml_table_settings *settings, hml_table **table,
                                  hml_error *error);

/* PATH.part stays where it is, unless the table was finished */
HML_API void hml_table_free(hml_table *table);
HML_API int64_t hml_table_chunks(const hml_table *table);

/* 1: PATH was there already, whole and of the same digest, so that nothing is left to do */
HML_API int hml_table_complete(const hml_table *table);

/* 1: this chunk is in the file. Reads it back: what a power failure has taken is not there */
HML_API int hml_table_has(const hml_table *table, int64_t chunk);

/* a column of a chunk that is in the table */
HML_API hml_status hml_table_read(const hml_table *table, int64_t chunk, int32_t column, void *data);

/* data: one pointer per column. Several threads may write different chunks */
HML_API hml_status hml_table_write(hml_table *table, int64_t chunk, const void *const *data, hml_error *error);

/* no chunk is there any more: what they were made of has turned out to be damaged. While no thread writes */
HML_API hml_status hml_table_clear(hml_table *table, hml_error *error);

/* HML_INVALID_ARGUMENT if a chunk is missing */
HML_API hml_status hml_table_finish(hml_table *table, hml_error *error);

#endif
