/* States out of an NPZ file, a few rows at a time. See hamel/states.h. Files are not trusted. */
#include "hamel/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zip.h>

#include "io/common/archive.h"
#include "io/common/npy.h"
#include "io/common/report.h"

enum { ARRAYS = 3, POSITION = 0, SKIPPED = 4096 };

static const char *const NAMES[ARRAYS] = {"position", "velocity", "force"};

typedef struct state_array {
    zip_int64_t index; /* in the archive; −1: there is none */
    int stored;        /* without compression: rows can be reached at once */
    zip_file_t *file;
    npy_header h;
    size_t columns;
    int64_t next; /* the row that would be read next */
    int jumped;   /* rows were left out, so that the checksum of what was read says nothing */
} state_array;

struct hml_states {
    char *path;
    zip_t *zip;
    int64_t count;
    uint64_t digest;
    state_array arrays[ARRAYS];
};

static hml_status bad(const hml_states *s, int which, const char *what, hml_error *error)
{
    return hmli_report(error, HML_BAD_FILE, s->path, 0, "%s: %s", NAMES[which], what);
}

/* ---- opening ---- */

static hml_status open_archive(hml_states *s, hml_error *error)
{
    int code = 0;
    s->zip = zip_open(s->path, ZIP_RDONLY, &code);
    if (s->zip) return HML_OK;
    if (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS)
        return hmli_report(error, HML_BAD_FILE, s->path, 0, "is not an NPZ file, as numpy.savez writes it");
    return hmli_report(error, HML_CANNOT_READ, s->path, 0,
                       code == ZIP_ER_NOENT ? "there is no such file" : "cannot be read");
}

/* finds the arrays, and refuses what nobody would look at */
static hml_status find_arrays(hml_states *s, hml_error *error)
{
    for (zip_int64_t i = 0; i < zip_get_num_entries(s->zip, 0); i++) {
        const char *name = zip_get_name(s->zip, (zip_uint64_t)i, 0);
        int known = 0;
        for (int k = 0; name && k < ARRAYS; k++) {
            const size_t length = strlen(NAMES[k]);
            if (strncmp(name, NAMES[k], length) != 0 || strcmp(name + length, ".npy") != 0) continue;
            s->arrays[k].index = i;
            known = 1;
        }
        if (known) continue;
        const size_t length = name ? strlen(name) : 0;
        const size_t shown = length > 4 && strcmp(name + length - 4, ".npy") == 0 ? length - 4 : length;
        return hmli_report(error, HML_BAD_FILE, s->path, 0,
                           "there is an array '%.*s', which states do not have: position, velocity and force are known",
                           (int)(shown < 80 ? shown : 80), name ? name : "");
    }
    return HML_OK;
}

/* back to the first row; reads the header */
static hml_status rewind_array(hml_states *s, int which, hml_error *error)
{
    state_array *a = &s->arrays[which];
    unsigned char text[12 + NPY_HEADER_MAX];
    if (a->file) zip_fclose(a->file);
    a->file = zip_fopen_index(s->zip, (zip_uint64_t)a->index, 0);
    a->next = 0;
    a->jumped = 0;
    if (!a->file)
        return bad(s, which, "cannot be read: it is encrypted, damaged or compressed in an unknown way", error);
    zip_int64_t got = zip_fread(a->file, text, 12);
    if (got == 12) {
        size_t length = text[8] | (size_t)text[9] << 8, at = 10;
        if (text[6] > 1) length |= (size_t)text[10] << 16 | (size_t)text[11] << 24, at = 12;
        size_t rest = length + at > 12 && length <= NPY_HEADER_MAX ? length + at - 12 : 0;
        zip_int64_t more = rest ? zip_fread(a->file, text + 12, rest) : 0;
        got = more < 0 ? -1 : got + more;
    }
    if (got < 12 || !hmli_npy_read(text, (size_t)got, &a->h)) return bad(s, which, "is damaged", error);
    return HML_OK;
}

static hml_status check_shape(const hml_states *s, int which, hml_error *error)
{
    const state_array *a = &s->arrays[which];
    const npy_header *h = &a->h;
    char shape[128] = "";
    if (h->rank == 2 && h->shape[1] == a->columns && (int64_t)h->shape[0] == s->count) return HML_OK;
    size_t used = 0;
    for (int i = 0; i < h->rank; i++) {
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%llu", i ? " x " : "",
                                 (unsigned long long)h->shape[i]);
    }
    if (h->rank == 2 && h->shape[1] == a->columns)
        return hmli_report(error, HML_BAD_FILE, s->path, 0, "%s has %s entries, but position has %lld rows",
                           NAMES[which], shape, (long long)s->count);
    return hmli_report(error, HML_BAD_FILE, s->path, 0, "%s has %s entries; rows of %zu are wanted, one per state",
                       NAMES[which], h->rank ? shape : "no rows of", a->columns);
}

static hml_status open_array(hml_states *s, int which, hml_error *error)
{
    state_array *a = &s->arrays[which];
    zip_stat_t about;
    hml_status status = rewind_array(s, which, error);
    if (status) return status;
    if (a->h.kind != 'f')
        return hmli_report(error, HML_BAD_FILE, s->path, 0, "%s has entries of type %s; float64 and float32 are read",
                           NAMES[which], a->h.type);
    if (which == POSITION && a->h.rank > 0) s->count = (int64_t)a->h.shape[0];
    status = check_shape(s, which, error);
    if (status) return status;
    if (a->h.fortran && a->h.shape[0] > 1 && a->h.shape[1] > 1)
        return bad(s, which, "is stored by columns (fortran_order); save numpy.ascontiguousarray of it", error);
    if (zip_stat_index(s->zip, (zip_uint64_t)a->index, 0, &about) || !(about.valid & ZIP_STAT_SIZE) ||
        about.size < a->h.begin || (about.size - a->h.begin) / a->h.width < a->h.count)
        return bad(s, which, "is shorter than its header says", error);
    a->stored = (about.valid & ZIP_STAT_COMP_METHOD) && about.comp_method == ZIP_CM_STORE;
    const uint64_t sum = about.valid & ZIP_STAT_CRC ? about.crc : 0, size = about.size;
    s->digest = hml_digest_add(s->digest, NAMES[which], strlen(NAMES[which]) + 1);
    s->digest = hml_digest_add(hml_digest_add(s->digest, &sum, sizeof sum), &size, sizeof size);
    return HML_OK;
}

static hml_status open_all(hml_states *s, const hml_model *model, hml_error *error)
{
    hml_status status = open_archive(s, error);
    if (!status) status = find_arrays(s, error);
    for (int k = 0; k < ARRAYS && !status; k++) {
        state_array *a = &s->arrays[k];
        a->columns = (size_t)(k == POSITION ? hml_model_nq(model) : hml_model_nv(model));
        if (a->index >= 0)
            status = open_array(s, k, error);
        else if (k < 2)
            status = hmli_report(error, HML_BAD_FILE, s->path, 0, "there is no array '%s' (states x %zu)", NAMES[k],
                                 a->columns);
    }
    return status;
}

hml_status hml_states_open(const char *path, const hml_model *model, hml_states **states, hml_error *error)
{
    if (!path || !model || !states)
        return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there are no states to open");
    *states = NULL;
    hml_states *s = calloc(1, sizeof *s);
    if (!s) return hmli_report_memory(error, path);
    for (int k = 0; k < ARRAYS; k++) s->arrays[k].index = -1;
    s->path = malloc(strlen(path) + 1);
    hml_status status = s->path ? HML_OK : hmli_report_memory(error, path);
    if (s->path) memcpy(s->path, path, strlen(path) + 1);
    if (!status) status = open_all(s, model, error);
    if (status)
        hml_states_free(s);
    else
        *states = s;
    return status;
}

void hml_states_free(hml_states *states)
{
    if (!states) return;
    for (int k = 0; k < ARRAYS; k++) {
        if (states->arrays[k].file) zip_fclose(states->arrays[k].file);
    }
    if (states->zip) zip_discard(states->zip);
    free(states->path);
    free(states);
}

int64_t hml_states_count(const hml_states *states) { return states ? states->count : 0; }
uint64_t hml_states_digest(const hml_states *states) { return states ? states->digest : 0; }

/* ---- reading ---- */

static int take(state_array *a, void *data, size_t size)
{
    char *to = data;
    while (size > 0) {
        zip_int64_t got = zip_fread(a->file, to, size);
        if (got <= 0) return 0;
        to += got;
        size -= (size_t)got;
    }
    return 1;
}

/* to a row further on */
static int skip(state_array *a, int64_t row)
{
    char dropped[SKIPPED];
    const uint64_t width = a->columns * a->h.width;
    if (a->stored) {
        const zip_int64_t at = (zip_int64_t)(a->h.begin + (uint64_t)row * width);
        if (zip_fseek(a->file, at, SEEK_SET) == 0) return a->jumped = 1, a->next = row, 1;
    }
    for (uint64_t left = (uint64_t)(row - a->next) * width; left > 0;) {
        const size_t part = left < sizeof dropped ? (size_t)left : sizeof dropped;
        if (!take(a, dropped, part)) return 0;
        left -= part;
    }
    a->next = row;
    return 1;
}

/* n entries as doubles: what is narrower is read into the end of the room and widened from the front */
static int take_numbers(state_array *a, double *x, size_t n)
{
    const size_t width = a->h.width;
    unsigned char *raw = (unsigned char *)x + n * (sizeof *x - width), bytes[8];
    if (!take(a, raw, n * width)) return 0;
    if (width == sizeof *x && !a->h.swapped) return 1;
    for (size_t i = 0; i < n; i++) {
        float narrow;
        for (size_t k = 0; k < width; k++) bytes[k] = raw[i * width + (a->h.swapped ? width - 1 - k : k)];
        if (width == sizeof narrow) {
            memcpy(&narrow, bytes, sizeof narrow);
            x[i] = (double)narrow;
        } else {
            memcpy(&x[i], bytes, sizeof *x);
        }
    }
    return 1;
}

/* after the last row: are all of them what was saved? Where some were left out they are read now */
static hml_status check_sum(hml_states *s, int which, hml_error *error)
{
    state_array *a = &s->arrays[which];
    const int64_t next = a->next;
    hml_status status = a->jumped ? rewind_array(s, which, error) : HML_OK;
    if (!status && !hmli_archive_sound(a->file))
        status = bad(s, which, "is damaged: its checksum is not that of its entries", error);
    a->next = next;
    return status;
}

hml_status hml_states_read(hml_states *states, int64_t first, int64_t count, double *q, double *v, double *tau,
                           hml_error *error)
{
    if (!states || first < 0 || count < 0 || first > states->count - count || !q || !v || !tau)
        return hmli_report(error, HML_INVALID_ARGUMENT, states ? states->path : NULL, 0, "there are no such states");
    double *const to[ARRAYS] = {q, v, tau};
    for (int k = 0; k < ARRAYS; k++) {
        state_array *a = &states->arrays[k];
        const size_t n = (size_t)count * a->columns;
        if (a->index < 0) {
            memset(to[k], 0, n * sizeof(double));
            continue;
        }
        hml_status status = first < a->next ? rewind_array(states, k, error) : HML_OK;
        if (status) return status;
        if ((first > a->next && !skip(a, first)) || !take_numbers(a, to[k], n))
            return bad(states, k, "is damaged, or cannot be read", error);
        a->next = first + count;
        if (a->next == states->count && (status = check_sum(states, k, error))) return status;
    }
    return HML_OK;
}
