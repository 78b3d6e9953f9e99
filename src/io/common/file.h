/* Whole files. Writing is public: hml_file_write. */
#ifndef HML_IO_COMMON_FILE_H
#define HML_IO_COMMON_FILE_H

#include <stddef.h>

#include "hamel/base.h"

enum { FILE_MAX_SIZE = 1 << 28 }; /* 256 MiB: a hundred thousand links with everything take less than a tenth */

/* does the name end so? ending: ".stl", in small letters; the name may have capitals */
int hmli_file_ends(const char *name, const char *ending);

/* *data is ended by a zero that *size does not count; free it */
hml_status hmli_file_read(const char *path, char **data, size_t *size, hml_error *error);

/* the same, but no pipes and devices, which may never end: for paths that stand in a file */
hml_status hmli_file_read_plain(const char *path, char **data, size_t *size, hml_error *error);

/*
 * The file that writing `path` is about, through links, so that a link stays one: `path` itself where there is nothing
 * yet. HML_CANNOT_WRITE: a folder, a pipe or a device, for what is written piece by piece. Free *target.
 */
hml_status hmli_file_target(const char *path, char **target, hml_error *error);

#endif
