/* Heights out of tables: text, NPY, NPZ, JSON. Files are not trusted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "io/common/npy.h"
#include "io/common/number.h"
#include "io/json/tree.h"
#include "io/result/npz_read.h"
#include "io/terrain/terrain.h"

static int add(terrain_table *t, double height)
{
    if (!array_grow(&t->heights, &t->capacity, t->count + 1, sizeof *t->heights)) return 0;
    t->heights[t->count++] = height;
    return 1;
}

/* a row of n heights is complete */
static hml_status end_row(const char *path, int line, size_t n, terrain_table *t, hml_error *error)
{
    if (t->rows > 0 && n != t->columns)
        return hmli_report(error, HML_BAD_FILE, path, line, "row %zu has %zu heights, and the rows before it have %zu",
                           t->rows + 1, n, t->columns);
    t->columns = n;
    t->rows++;
    return HML_OK;
}

/* ---- text ---- */

static int separates(char c) { return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r'; }

hml_status hmli_terrain_csv(const char *path, const char *text, terrain_table *t, hml_error *error)
{
    hml_status status = HML_OK;
    for (int line = 1; !status && *text; line++) {
        size_t n = 0;
        while (*text && *text != '\n' && *text != '#') {
            double height;
            if (separates(*text)) {
                text++;
                continue;
            }
            const char *end = hmli_number_read(text, &height);
            if (!end || (*end && *end != '\n' && *end != '#' && !separates(*end)))
                return hmli_report(error, HML_BAD_FILE, path, line, "entry %zu is not a finite number", n + 1);
            if (!add(t, height)) return hmli_report_memory(error, path);
            text = end;
            n++;
        }
        if (n > 0) status = end_row(path, line, n, t, error);
        while (*text && *text != '\n') text++;
        text += *text == '\n';
    }
    return status;
}

/* ---- NPY and NPZ ---- */

hml_status hmli_terrain_npy(const char *path, const char *data, size_t size, terrain_table *t, hml_error *error)
{
    npy_header h;
    const unsigned char *bytes = (const unsigned char *)data;
    if (!hmli_npy_read(bytes, size, &h) || (h.kind != 'f' && h.kind != 'i'))
        return hmli_report(error, HML_BAD_FILE, path, 0, "is not an NPY file of floats or integers of 4 or 8 bytes");
    if (h.rank != 2) return hmli_report(error, HML_BAD_FILE, path, 0, "heights have two dimensions, not %d", h.rank);
    if (h.count > (size - h.begin) / h.width) return hmli_report(error, HML_BAD_FILE, path, 0, "is damaged");
    t->rows = (size_t)h.shape[0];
    t->columns = (size_t)h.shape[1];
    for (size_t i = 0; i < h.count; i++)
        if (!add(t, hmli_npy_number(&h, bytes + h.begin, i))) return hmli_report_memory(error, path);
    return HML_OK;
}

/* -1 stands for a friction that the file does not give, and is none that it may give */
static hml_status check_friction(const char *path, double friction, hml_error *error)
{
    if (friction >= 0 && isfinite(friction)) return HML_OK;
    return hmli_report(error, HML_BAD_FILE, path, 0, "the friction is %g, not a finite number from 0 on", friction);
}

/* one of `least` to `most` numbers; an array that is not there leaves them alone */
static hml_status get(npz *file, const char *path, const char *name, size_t least, size_t most, double *x,
                      hml_error *error)
{
    npz_array a;
    hml_status status = hmli_npz_get(file, name, &a, error);
    if (status) return status;
    if (a.texts) status = hmli_report(error, HML_BAD_FILE, path, 0, "%s is text, not a number", name);
    if (a.numbers && (a.count < least || a.count > most))
        status = hmli_report(error, HML_BAD_FILE, path, 0, "%s has %zu numbers", name, a.count);
    for (size_t i = 0; !status && a.numbers && i < most; i++) x[i] = a.numbers[i < a.count ? i : a.count - 1];
    if (!status && a.numbers && strcmp(name, "friction") == 0) status = check_friction(path, *x, error);
    hmli_npz_array_free(&a);
    return status;
}

hml_status hmli_terrain_npz(const char *path, terrain_table *t, hml_heightfield *field, hml_error *error)
{
    npz *file;
    npz_array heights = {0};
    static const char *const known[] = {"heights", "spacing", "position", "friction", "restitution", NULL};
    hml_status status = hmli_npz_open(path, &file, error);
    if (status) return status;
    status = hmli_npz_check_names(file, known, error);
    if (!status) status = hmli_npz_get(file, "heights", &heights, error);
    if (!status && (!heights.numbers || heights.rank != 2))
        status = hmli_report(error, HML_BAD_FILE, path, 0, "there is no array 'heights' of two dimensions");
    if (!status) {
        *t = (terrain_table){heights.numbers, heights.count, heights.count, heights.shape[0], heights.shape[1]};
        heights.numbers = NULL;
    }
    hmli_npz_array_free(&heights);
    if (!status) status = get(file, path, "spacing", 1, 2, field->spacing, error);
    if (!status) status = get(file, path, "position", 3, 3, field->position, error);
    if (!status) status = get(file, path, "friction", 1, 1, &field->friction, error);
    if (!status) status = get(file, path, "restitution", 1, 1, &field->restitution, error);
    hmli_npz_close(file);
    return status;
}

/* ---- JSON ---- */

static hml_status read_rows(const char *path, const json_value *rows, terrain_table *t, hml_error *error)
{
    hml_status status = HML_OK;
    if (!json_is(rows, JSON_LIST)) return hmli_report(error, HML_BAD_FILE, path, 0, "/heights: is not a list of rows");
    for (size_t r = 0; !status && r < rows->n; r++) {
        const json_value *row = &rows->is.items[r];
        if (!json_is(row, JSON_LIST))
            return hmli_report(error, HML_BAD_FILE, path, 0, "/heights/%zu: is not a list", r);
        for (size_t c = 0; c < row->n; c++) {
            if (!json_is(&row->is.items[c], JSON_NUMBER))
                return hmli_report(error, HML_BAD_FILE, path, 0, "/heights/%zu/%zu: is not a number", r, c);
            if (!add(t, row->is.items[c].is.number)) return hmli_report_memory(error, path);
        }
        status = end_row(path, 0, row->n, t, error);
    }
    return status;
}

/* a number, or a list of `least` to `most` */
static hml_status read_key(const char *path, const char *key, const json_value *value, size_t least, size_t most,
                           double *x, hml_error *error)
{
    const size_t n = json_is(value, JSON_NUMBER) ? 1 : json_list_size(value);
    int fits = n >= least && n <= most;
    for (size_t i = 0; fits && i < most; i++) {
        const json_value *one = json_is(value, JSON_NUMBER) ? value : &value->is.items[i < n ? i : n - 1];
        fits = json_is(one, JSON_NUMBER);
        if (fits) x[i] = one->is.number;
    }
    return fits
               ? HML_OK
               : hmli_report(error, HML_BAD_FILE, path, 0, "/%s: is not %zu number%s", key, most, most == 1 ? "" : "s");
}

static hml_status read_friction(const char *path, const json_value *value, hml_heightfield *field, hml_error *error)
{
    const hml_status status = read_key(path, "friction", value, 1, 1, &field->friction, error);
    return status ? status : check_friction(path, field->friction, error);
}

hml_status hmli_terrain_json(const char *path, const char *data, size_t size, terrain_table *t, hml_heightfield *field,
                             hml_error *error)
{
    arena memory = {0};
    const json_value *root;
    hml_status status = hmli_json_tree(&memory, path, data, size, &root, error);
    const int object = !status && json_is(root, JSON_OBJECT);
    if (!status && !object) status = read_rows(path, root, t, error);
    if (object && !hmli_json_get(root, "heights"))
        status = hmli_report(error, HML_BAD_FILE, path, 0, "/heights: is missing");
    for (size_t i = 0; object && !status && i < root->n; i++) {
        const json_member *m = &root->is.members[i];
        if (strcmp(m->key, "heights") == 0)
            status = read_rows(path, &m->value, t, error);
        else if (strcmp(m->key, "spacing") == 0)
            status = read_key(path, m->key, &m->value, 1, 2, field->spacing, error);
        else if (strcmp(m->key, "position") == 0)
            status = read_key(path, m->key, &m->value, 3, 3, field->position, error);
        else if (strcmp(m->key, "friction") == 0)
            status = read_friction(path, &m->value, field, error);
        else if (strcmp(m->key, "restitution") == 0)
            status = read_key(path, m->key, &m->value, 1, 1, &field->restitution, error);
        else
            status = hmli_report(error, HML_BAD_FILE, path, 0, "/%.80s: there is no such key", m->key);
    }
    hmli_arena_free(&memory);
    return status;
}
