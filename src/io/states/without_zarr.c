/* In place of zarr.c and zarr_chunk.c in a build without zstd. */
#include "io/common/report.h"
#include "io/states/zarr.h"

hml_status hmli_zarr_open(hml_table *table, const hml_table_settings *settings, hml_error *error)
{
    (void)settings;
    return hmli_report(error, HML_UNSUPPORTED, table->path, 0,
                       "this build of Hamel has no zstd, which .zarr folders need");
}

void hmli_zarr_free(struct zarr *zarr) { (void)zarr; }

/* no table is a folder: these are never called */

int hmli_zarr_has(const hml_table *table, int64_t chunk)
{
    (void)table, (void)chunk;
    return 0;
}

hml_status hmli_zarr_read(const hml_table *table, int64_t chunk, size_t column, void *data)
{
    (void)table, (void)chunk, (void)column, (void)data;
    return HML_UNSUPPORTED;
}

hml_status hmli_zarr_write(hml_table *table, int64_t chunk, const void *const *data, hml_error *error)
{
    (void)chunk, (void)data;
    return hmli_report(error, HML_UNSUPPORTED, table->path, 0, "this build of Hamel has no zstd");
}

hml_status hmli_zarr_finish(hml_table *table, hml_error *error)
{
    return hmli_report(error, HML_UNSUPPORTED, table->path, 0, "this build of Hamel has no zstd");
}

int hmli_zarr_clear(const hml_table *table)
{
    (void)table;
    return 0;
}
