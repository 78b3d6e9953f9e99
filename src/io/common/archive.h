/* A zip archive that is made in memory. Times in it are constant: the same members, the same bytes. And checksums. */
#ifndef HML_IO_COMMON_ARCHIVE_H
#define HML_IO_COMMON_ARCHIVE_H

#include <stddef.h>

#include "hamel/base.h"

typedef struct archive archive;

/* what is said where this build has no libzip, status HML_UNSUPPORTED */
#define ARCHIVE_MISSING "this build of Hamel has no libzip, which .npz files and pages for the browser need"

/* HML_OUT_OF_MEMORY, or HML_UNSUPPORTED without libzip: *made is NULL then */
hml_status hmli_archive_new(archive **made);

/* data: from malloc, and the archive's from now on, also on failure; 0 when out of memory */
int hmli_archive_add(archive *a, const char *name, char *data, size_t size, int compress);

/* the finished archive, from malloc; frees a, whatever happens */
hml_status hmli_archive_finish(archive *a, char **data, size_t *size);
void hmli_archive_free(archive *a);

/* reads what is left of an open member: 1 if its bytes, where they were read from the first on, have their checksum */
struct zip_file;
int hmli_archive_sound(struct zip_file *member);

#endif
