/*
 * A motion out of a file: what hamel simulate writes as .npz or .json, or what numpy.savez does with the same names.
 * `position` must be there, row after row; `time` may be missing, then rows are 0.02 s apart.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/view.h"
#include "io/common/file.h"
#include "io/json/tree.h"
#include "io/reader.h"
#include "io/result/npz_read.h"

static const double default_step = 0.02;

/* where arrays come from: one of the two */
typedef struct source {
    const char *path;
    npz *zip;
    const json_value *json;
} source;

/* ---- JSON as arrays ---- */

/* texts are copied, as those of an NPZ file are */
static int put_text(const json_value *value, char **out)
{
    const char *text = json_text_of(value);
    const size_t size = text ? strlen(text) + 1 : 0;
    *out = text ? malloc(size) : NULL;
    if (*out) memcpy(*out, text, size);
    return *out != NULL;
}

static int flatten(const json_value *value, int depth, npz_array *a, size_t *n)
{
    if (depth == a->rank) {
        size_t i = (*n)++;
        if (a->texts) return put_text(value, &a->texts[i]);
        a->numbers[i] = json_is(value, JSON_NUMBER) ? value->is.number : NAN;
        return json_is(value, JSON_NUMBER) || json_is(value, JSON_NULL);
    }
    if (!json_is(value, JSON_LIST) || value->n != a->shape[depth]) return 0;
    for (size_t i = 0; i < value->n; i++)
        if (!flatten(&value->is.items[i], depth + 1, a, n)) return 0;
    return 1;
}

static hml_status json_array(const source *s, const char *name, npz_array *a, hml_error *error)
{
    const json_value *value = hmli_json_get(s->json, name), *first = value;
    memset(a, 0, sizeof *a);
    if (!value) return HML_OK;
    a->count = 1;
    for (; json_is(first, JSON_LIST) && a->rank < NPZ_MAX_RANK; a->rank++) {
        a->shape[a->rank] = first->n;
        a->count *= first->n; /* at most as many as values in the file, but for lists that differ, which fail below */
        if (a->count > JSON_MAX_VALUES) return hmli_report(error, HML_BAD_FILE, s->path, 0, "/%s: is too large", name);
        if (first->n == 0) break;
        first = first->is.items;
    }
    size_t n = 0;
    if (json_is(first, JSON_TEXT))
        a->texts = calloc(a->count + 1, sizeof *a->texts);
    else
        a->numbers = malloc((a->count + 1) * sizeof *a->numbers);
    if (!a->texts && !a->numbers) return hmli_report_memory(error, s->path);
    int fits = a->count == 0 || flatten(value, 0, a, &n);
    if (fits) return HML_OK;
    hmli_npz_array_free(a);
    return hmli_report(error, HML_BAD_FILE, s->path, 0, "/%s: is not an array whose rows have equal lengths", name);
}

static hml_status get(const source *s, const char *name, npz_array *a, hml_error *error)
{
    return s->zip ? hmli_npz_get(s->zip, name, a, error) : json_array(s, name, a, error);
}

/* ---- the motion ---- */

static hml_status not_finite(const source *s, const char *name, const npz_array *a, hml_error *error)
{
    for (size_t i = 0; i < a->count; i++)
        if (!isfinite(a->numbers[i]))
            return hmli_report(error, HML_NOT_FINITE, s->path, 0, "%s has entries that are not finite", name);
    return HML_OK;
}

static hml_status read_position(const source *s, const hml_model *model, hml_trajectory *t, hml_error *error)
{
    npz_array a;
    size_t nq = (size_t)hml_model_nq(model);
    hml_status status = get(s, "position", &a, error);
    if (status) return status;
    if (!a.numbers || a.rank < 1 || a.rank > 2 || a.shape[a.rank - 1] != nq || a.count == 0 ||
        a.count / nq > INT32_MAX) {
        hmli_npz_array_free(&a);
        return hmli_report(error, HML_BAD_FILE, s->path, 0,
                           "there is no array `position` with rows of %d entries, a configuration of the model each",
                           (int)nq);
    }
    t->count = (int32_t)(a.count / nq);
    t->nq = (int32_t)nq;
    t->q = a.numbers;
    return not_finite(s, "position", &a, error);
}

static hml_status read_time(const source *s, hml_trajectory *t, hml_error *error)
{
    npz_array a;
    hml_status status = get(s, "time", &a, error);
    if (status) return status;
    if (!a.numbers) {
        hmli_npz_array_free(&a);
        t->time = malloc((size_t)(t->count + 1) * sizeof *t->time);
        if (!t->time) return hmli_report_memory(error, s->path);
        for (int32_t i = 0; i < t->count; i++) t->time[i] = default_step * i;
        return HML_OK;
    }
    t->time = a.numbers;
    if (a.count != (size_t)t->count)
        return hmli_report(error, HML_BAD_FILE, s->path, 0, "`time` has %zu entries, `position` has %d rows", a.count,
                           (int)t->count);
    for (int32_t i = 0; i < t->count; i++)
        if (!isfinite(t->time[i]) || (i && !(t->time[i] > t->time[i - 1])))
            return hmli_report(error, HML_BAD_FILE, s->path, 0, "the times do not increase");
    return HML_OK;
}

/* count × contacts × 3; forces without positions are left out, as they are in files of older versions */
static hml_status read_contacts(const source *s, hml_trajectory *t, hml_error *error)
{
    npz_array names = {0}, positions = {0}, forces = {0};
    hml_status status = get(s, "contact_names", &names, error);
    if (!status) status = get(s, "contact_positions", &positions, error);
    if (!status) status = get(s, "contact_forces", &forces, error);
    size_t wanted = 3 * names.count * (size_t)t->count;
    int fits = names.texts && names.count > 0 && names.count < INT32_MAX && positions.numbers && forces.numbers &&
               positions.count == wanted && forces.count == wanted;
    if (!status && fits) status = not_finite(s, "contact_positions", &positions, error);
    if (!status && fits) status = not_finite(s, "contact_forces", &forces, error);
    if (status || !fits) {
        hmli_npz_array_free(&names);
        hmli_npz_array_free(&positions);
        hmli_npz_array_free(&forces);
        return status;
    }
    t->ncontacts = (int32_t)names.count;
    t->contact_names = names.texts;
    t->contact_positions = positions.numbers;
    t->contact_forces = forces.numbers;
    return HML_OK;
}

static hml_status read_all(const source *s, const hml_model *model, hml_trajectory *t, hml_error *error)
{
    hml_status status = read_position(s, model, t, error);
    if (!status) status = read_time(s, t, error);
    return status ? status : read_contacts(s, t, error);
}

void hml_trajectory_free(hml_trajectory *t)
{
    if (!t) return;
    for (int32_t i = 0; i < t->ncontacts; i++) free(t->contact_names[i]);
    free(t->contact_names);
    free(t->contact_positions);
    free(t->contact_forces);
    free(t->time);
    free(t->q);
    free(t);
}

hml_status hml_trajectory_load(const char *path, const hml_model *model, hml_trajectory **trajectory, hml_error *error)
{
    if (!path || !model || !trajectory)
        return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there is no trajectory to load");
    *trajectory = NULL;
    arena memory = {0};
    char *data = NULL;
    size_t size = 0;
    source s = {.path = path};
    hml_result_format format;
    hml_status status = hml_result_format_of(path, &format);
    if (status || (format != HML_RESULT_NPZ && format != HML_RESULT_JSON))
        return hmli_report(error, HML_UNSUPPORTED, path, 0, "a trajectory is a .npz or a .json file");
    hml_trajectory *t = calloc(1, sizeof *t);
    if (!t) return hmli_report_memory(error, path);
    t->struct_size = sizeof *t;
    if (format == HML_RESULT_NPZ) {
        status = hmli_npz_open(path, &s.zip, error);
    } else {
        status = hmli_file_read(path, &data, &size, error);
        if (!status) status = hmli_json_tree(&memory, path, data, size, &s.json, error);
    }
    if (!status) status = read_all(&s, model, t, error);
    hmli_npz_close(s.zip);
    hmli_arena_free(&memory);
    free(data);
    if (status)
        hml_trajectory_free(t);
    else
        *trajectory = t;
    return status;
}
