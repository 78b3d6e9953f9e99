/* A grid of heights while it is being read. */
#ifndef HML_IO_TERRAIN_TERRAIN_H
#define HML_IO_TERRAIN_TERRAIN_H

#include "hamel/io.h"
#include "io/common/report.h"

/* heights that grow row by row */
typedef struct terrain_table {
    double *heights;
    size_t count, capacity, rows, columns;
} terrain_table;

/* of text: numbers with commas, semicolons or white space between them, a row per line; # begins a comment */
hml_status hmli_terrain_csv(const char *path, const char *text, terrain_table *table, hml_error *error);

/* an array of two dimensions, .npy; `what` names it in messages */
hml_status hmli_terrain_npy(const char *path, const char *data, size_t size, terrain_table *table, hml_error *error);

/* NPZ with heights, and perhaps spacing, position and friction */
hml_status hmli_terrain_npz(const char *path, terrain_table *table, hml_heightfield *field, hml_error *error);

/* JSON: an object with the same keys, or a list of rows */
hml_status hmli_terrain_json(const char *path, const char *data, size_t size, terrain_table *table,
                             hml_heightfield *field, hml_error *error);

#endif
