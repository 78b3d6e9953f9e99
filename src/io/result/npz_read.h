/* Arrays out of an NPZ file: stored or deflated members in the NPY format, as numpy.savez writes them. */
#ifndef HML_IO_RESULT_NPZ_READ_H
#define HML_IO_RESULT_NPZ_READ_H

#include <stddef.h>

#include "hamel/base.h"

typedef struct npz npz;

enum { NPZ_MAX_RANK = 3, NPZ_MAX_SIZE = 1 << 29 }; /* bytes of a member, once it is inflated */

typedef struct npz_array {
    int rank;
    size_t shape[NPZ_MAX_RANK];
    size_t count;    /* of entries; of characters for texts */
    double *numbers; /* row-major; NULL if there is no such array */
    char **texts;    /* of an array of texts instead; count of them */
} npz_array;

hml_status hmli_npz_open(const char *path, npz **file, hml_error *error);
void hmli_npz_close(npz *file);

/* refuses a file with an array whose name is not one of these, of which the last is NULL */
hml_status hmli_npz_check_names(npz *file, const char *const *known, hml_error *error);

/* the array of a name, which need not be there; float64, float32, int64, int32 become double, str become texts */
hml_status hmli_npz_get(npz *file, const char *name, npz_array *array, hml_error *error);
void hmli_npz_array_free(npz_array *array);

#endif
