/* In the place of archive.c, npz_read.c and states.c where libzip was missing when Hamel was built. */
#include "hamel/states.h"
#include "io/common/archive.h"
#include "io/common/report.h"
#include "io/result/npz_read.h"

static hml_status refuse(const char *path, hml_error *error)
{
    return hmli_report(error, HML_UNSUPPORTED, path, 0, ARCHIVE_MISSING);
}

/* ---- archive.h ---- */

hml_status hmli_archive_new(archive **made)
{
    *made = NULL;
    return HML_UNSUPPORTED;
}

int hmli_archive_add(archive *a, const char *name, char *data, size_t size, int compress)
{
    (void)a, (void)name, (void)data, (void)size, (void)compress;
    return 0; /* there is no archive that this could be called with */
}

hml_status hmli_archive_finish(archive *a, char **data, size_t *size)
{
    (void)a, (void)data, (void)size;
    return HML_UNSUPPORTED;
}

void hmli_archive_free(archive *a) { (void)a; }

int hmli_archive_sound(struct zip_file *member)
{
    (void)member;
    return 0; /* nor is there a member */
}

/* ---- npz_read.h ---- */

hml_status hmli_npz_open(const char *path, npz **file, hml_error *error)
{
    *file = NULL;
    return refuse(path, error);
}

void hmli_npz_close(npz *file) { (void)file; }

hml_status hmli_npz_check_names(npz *file, const char *const *known, hml_error *error)
{
    (void)file, (void)known;
    return refuse(NULL, error);
}

hml_status hmli_npz_get(npz *file, const char *name, npz_array *array, hml_error *error)
{
    (void)file, (void)name, (void)array;
    return refuse(NULL, error);
}

void hmli_npz_array_free(npz_array *array) { (void)array; }

/* ---- hamel/states.h ---- */

hml_status hml_states_open(const char *path, const hml_model *model, hml_states **states, hml_error *error)
{
    if (!path || !model || !states)
        return hmli_report(error, HML_INVALID_ARGUMENT, path, 0, "there are no states to open");
    *states = NULL;
    return refuse(path, error);
}

void hml_states_free(hml_states *states) { (void)states; }
int64_t hml_states_count(const hml_states *states) { return (void)states, 0; }
uint64_t hml_states_digest(const hml_states *states) { return (void)states, 0; }

hml_status hml_states_read(hml_states *states, int64_t first, int64_t count, double *q, double *v, double *tau,
                           hml_error *error)
{
    (void)states, (void)first, (void)count, (void)q, (void)v, (void)tau;
    return refuse(NULL, error);
}
