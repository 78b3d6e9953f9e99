/*
 * <hfield> of MJCF as a grid of heights, with the geom that shows it. Elevations are scaled to [0, 1] and then to the
 * third number of `size`, as MuJoCo does. In `elevation` the first row is the one with the largest y; a binary file has
 * two integers of 4 bytes, rows and columns, and floats from the smallest y on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/file.h"
#include "io/common/number.h"
#include "io/mjcf/mjcf.h"
#include "io/scene/scene.h"

enum { MOST_HEIGHTS = 1 << 24 };

static uint32_t word_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static hml_status make_room(mjcf *m, const xml_node *node, double rows, double columns, hml_heightfield *f)
{
    if (!(rows >= 2) || !(columns >= 2) || rows != floor(rows) || columns != floor(columns) ||
        !(rows * columns <= MOST_HEIGHTS))
        return MJCF_FAIL(m, HML_BAD_FILE, node,
                         "<hfield> has two rows and two columns at least, and 2^24 heights at most");
    f->heights = calloc((size_t)(rows * columns), sizeof *f->heights);
    f->rows = (int32_t)rows;
    f->columns = (int32_t)columns;
    return f->heights ? HML_OK : hmli_report_memory(m->r->error, m->r->file);
}

static hml_status read_file(mjcf *m, const xml_node *node, const char *name, hml_heightfield *f)
{
    size_t size = 0;
    int failed = 0;
    char *data;
    if (hmli_file_ends(name, ".png"))
        return MJCF_FAIL(m, HML_UNSUPPORTED, node,
                         "<hfield> " QUOTED
                         ": PNG files are not read; write the heights to .npy, .csv or MuJoCo's binary "
                         "file",
                         name);
    if (m->set.strippath) name = hmli_mjcf_base_name(name);
    const char *path = hmli_scene_find(m->r, m->set.meshdir, name, &size, &failed);
    if (failed) return hmli_report_memory(m->r->error, m->r->file);
    if (!path) return MJCF_FAIL(m, HML_CANNOT_READ, node, "<hfield>: the file " QUOTED " was not found", name);
    hml_status status = hmli_file_read_plain(path, &data, &size, m->r->error);
    if (status) return status;
    const uint32_t rows = size >= 8 ? word_at(data) : 0, columns = size >= 8 ? word_at(data + 4) : 0;
    status = make_room(m, node, rows, columns, f);
    if (!status && size != 8 + 4 * (size_t)rows * columns)
        status = MJCF_FAIL(m, HML_BAD_FILE, node, "<hfield>: the file " QUOTED " does not have %u × %u heights", name,
                           rows, columns);
    double *heights = (double *)f->heights;
    for (size_t i = 0; !status && heights && i < (size_t)rows * columns; i++) {
        const uint32_t word = word_at(data + 8 + 4 * i);
        float height;
        memcpy(&height, &word, sizeof height);
        heights[i] = (double)height;
    }
    free(data);
    return status;
}

static hml_status read_elevation(mjcf *m, const xml_node *node, hml_heightfield *f)
{
    double rows = 0, columns = 0;
    const char *at = hmli_xml_get(node, "elevation");
    hml_status status = hmli_xml_numbers(node, "nrow", 1, &rows, m->r->error);
    if (!status) status = hmli_xml_numbers(node, "ncol", 1, &columns, m->r->error);
    if (!status) status = make_room(m, node, rows, columns, f);
    if (status || !at) return status;
    for (int32_t r = f->rows - 1; r >= 0; r--)
        for (int32_t c = 0; c < f->columns; c++) {
            while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
            at = hmli_number_read(at, (double *)f->heights + (size_t)r * (size_t)f->columns + (size_t)c);
            if (!at)
                return MJCF_FAIL(m, HML_BAD_FILE, node, "<hfield>: elevation is not a list of %d × %d numbers",
                                 (int)f->rows, (int)f->columns);
        }
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
    return *at ? MJCF_FAIL(m, HML_BAD_FILE, node, "<hfield>: elevation has more than nrow × ncol numbers") : HML_OK;
}

/* to [0, most] */
static hml_status scale(mjcf *m, const xml_node *node, double most, hml_heightfield *f)
{
    const size_t n = (size_t)f->rows * (size_t)f->columns;
    double low = INFINITY, high = -INFINITY, *heights = (double *)f->heights;
    for (size_t i = 0; heights && i < n; i++) {
        if (!isfinite(heights[i])) return MJCF_FAIL(m, HML_BAD_FILE, node, "<hfield>: height %zu is not finite", i + 1);
        low = fmin(low, heights[i]);
        high = fmax(high, heights[i]);
    }
    for (size_t i = 0; heights && i < n; i++) heights[i] = high > low ? (heights[i] - low) / (high - low) * most : 0;
    return HML_OK;
}

hml_status hmli_mjcf_hfield(mjcf *m, const mjcf_element *e, const pose *frame)
{
    hml_heightfield *f = m->r->terrain;
    const char *name = hmli_mjcf_text(m, e, "hfield");
    const xml_node *node = hmli_mjcf_asset(m, &m->hfield_names, name);
    double size[4] = {0}, friction[3] = {1, 0, 0};
    pose place;
    if (f->heights) return HML_OK; /* the first one counts */
    if (!node) return MJCF_FAIL(m, HML_BAD_FILE, e->node, "<geom>: there is no hfield " QUOTED, name ? name : "");
    hml_status status = hmli_xml_numbers(node, "size", 4, size, m->r->error);
    for (int i = 0; !status && i < 3; i++)
        if (!(size[i] > 0)) status = MJCF_FAIL(m, HML_BAD_FILE, node, "<hfield>: size is not four positive lengths");
    const char *file = hmli_xml_get(node, "file");
    if (!status) status = file && *file ? read_file(m, node, file, f) : read_elevation(m, node, f);
    if (!status) status = scale(m, node, size[2], f);
    if (!status) status = hmli_mjcf_place(m, e, &place);
    if (!status) status = hmli_mjcf_some_numbers(m, e, "friction", 3, friction);
    if (!status && !(friction[0] >= 0)) status = MJCF_FAIL(m, HML_BAD_FILE, e->node, "<geom>: friction is negative");
    if (status) return status;
    pose_to_arrays(pose_mul(*frame, place), f->rotation, f->position);
    f->spacing[0] = 2 * size[0] / (f->columns - 1);
    f->spacing[1] = 2 * size[1] / (f->rows - 1);
    f->friction = friction[0];
    return HML_OK;
}
