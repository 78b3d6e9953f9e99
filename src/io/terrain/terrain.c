/* Ground from a file: hml_heightfield_load. Which format, and what is true of a grid whatever its format. */
#include "io/terrain/terrain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/environment.h"
#include "io/common/file.h"
#include "io/reader.h"

enum { MOST_HEIGHTS = 1 << 24 };

static const double LONGEST = 1e9; /* m, as hamel/contact.h has it */

static hml_status check(const char *path, const hml_heightfield *f, hml_error *error)
{
    const hml_status bad = HML_BAD_FILE;
    if (f->rows < 2 || f->columns < 2)
        return hmli_report(error, bad, path, 0,
                           "a grid of heights has two rows and two columns at least, and this one %d × %d",
                           (int)f->rows, (int)f->columns);
    for (int32_t i = 0; i < f->rows * f->columns; i++)
        if (!isfinite(f->heights[i]))
            return hmli_report(error, bad, path, 0, "the height in row %d, column %d is not a finite number",
                               (int)(i / f->columns) + 1, (int)(i % f->columns) + 1);
    for (int32_t i = 0; i < f->rows * f->columns; i++)
        if (fabs(f->heights[i]) > LONGEST)
            return hmli_report(error, bad, path, 0, "the height in row %d, column %d is %g m, and %g m are the most",
                               (int)(i / f->columns) + 1, (int)(i % f->columns) + 1, f->heights[i], LONGEST);
    for (int i = 0; i < 2; i++)
        if (f->spacing[i] != 0 && !(f->spacing[i] >= 1 / LONGEST && f->spacing[i] <= LONGEST))
            return hmli_report(error, bad, path, 0, "the spacing of heights is not a positive length from %g to %g m",
                               1 / LONGEST, LONGEST);
    for (int i = 0; i < 3; i++)
        if (!isfinite(f->position[i])) return hmli_report(error, bad, path, 0, "the position is not finite");
    if (!(f->friction >= 0 || f->friction == -1) || !isfinite(f->friction))
        return hmli_report(error, bad, path, 0, "the friction is not a finite number from 0 on");
    if (!(f->restitution >= 0 && f->restitution <= 1))
        return hmli_report(error, bad, path, 0, "the restitution is not between 0 and 1");
    return HML_OK;
}

/* the first geom of type hfield on the world */
static hml_status read_mjcf(const char *path, const char *data, size_t size, hml_heightfield *field, hml_error *error)
{
    arena memory = {0};
    hml_load_options options;
    reader r = {.file = path, .memory = &memory, .error = error, .terrain = field};
    hml_load_options_init(&options);
    options.format = HML_FORMAT_MJCF;
    hml_status status = hmli_read_model(&r, data, size, &options);
    hmli_reader_free(&r);
    hmli_arena_free(&memory);
    if (!status && !field->heights)
        status = hmli_report(error, HML_BAD_FILE, path, 0, "there is no geom of type hfield in the world");
    return status;
}

/* a grid without heights may have any number of rows or columns */
static int32_t to_int(size_t count) { return count < INT32_MAX ? (int32_t)count : INT32_MAX; }

static hml_status read_any(const char *path, const char *data, size_t size, hml_heightfield *field, hml_error *error)
{
    terrain_table table = {0};
    hml_status status;
    if (hmli_file_ends(path, ".xml") || hmli_file_ends(path, ".mjcf")) return read_mjcf(path, data, size, field, error);
    if (hmli_file_ends(path, ".npy"))
        status = hmli_terrain_npy(path, data, size, &table, error);
    else if (hmli_file_ends(path, ".npz"))
        status = hmli_terrain_npz(path, &table, field, error);
    else if (hmli_file_ends(path, ".json"))
        status = hmli_terrain_json(path, data, size, &table, field, error);
    else if (hmli_file_ends(path, ".csv") || hmli_file_ends(path, ".txt"))
        status = strlen(data) == size ? hmli_terrain_csv(path, data, &table, error)
                                      : hmli_report(error, HML_BAD_FILE, path, 0, "is no text: it has a byte of zero");
    else
        status = hmli_report(error, HML_UNSUPPORTED, path, 0,
                             "is not a file of heights: .npy, .npz, .csv, .json, or .xml with an hfield");
    if (!status && table.count > MOST_HEIGHTS)
        status = hmli_report(error, HML_BAD_FILE, path, 0, "has more than %d heights", (int)MOST_HEIGHTS);
    field->heights = table.heights;
    field->rows = status ? 0 : to_int(table.rows);
    field->columns = status ? 0 : to_int(table.columns);
    return status;
}

hml_status hml_heightfield_load(const char *path, hml_heightfield *field, hml_error *error)
{
    environment numbers;
    char *data;
    size_t size;
    if (!path || !field) return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is no file to load");
    *field = (hml_heightfield){.friction = -1};
    hml_status status = hmli_file_read(path, &data, &size, error);
    if (status) return status;
    environment_enter(&numbers);
    status = read_any(path, data, size, field, error);
    environment_leave(&numbers);
    free(data);
    if (!status) status = check(path, field, error);
    if (status) hml_heightfield_free(field);
    return status;
}

void hml_heightfield_free(hml_heightfield *field)
{
    if (!field) return;
    free((double *)field->heights); /* hml_heightfield_load has allocated it */
    *field = (hml_heightfield){.friction = -1};
}
