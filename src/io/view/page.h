/*
 * A page: the viewer of viewer/dist/viewer.html with a robot in it.
 *
 *   page.c    the whole: options, the places in the viewer, base64
 *   model.c   the robot as JSON
 *   files.c   meshes, textures and what they refer to, into the archive
 */
#ifndef HML_IO_VIEW_PAGE_H
#define HML_IO_VIEW_PAGE_H

#include "hamel/view.h"
#include "io/common/archive.h"
#include "io/common/writer.h"

/* one file refers to another by this text */
typedef struct page_need {
    size_t from, to;
    char *reference;
} page_need;

typedef struct page_files {
    archive *zip;
    char **paths; /* those of the scene come first */
    page_need *needs;
    size_t npaths, nneeds, paths_capacity, needs_capacity;
    size_t bytes;
} page_files;

/* all files of a scene, which may be NULL; on failure and afterwards: hmli_page_files_free, which leaves the archive */
hml_status hmli_page_files(const hml_scene *scene, page_files *files, hml_error *error);
void hmli_page_files_free(page_files *files);

/* q: the configuration that is shown first, nq */
void hmli_page_model(writer *w, const hml_model *model, const hml_page_options *options, const double *q,
                     const page_files *files);

/* "name": [1, 2, 3] of a page's JSON; what is not finite is null */
void hmli_page_numbers(writer *w, const char *name, const double *x, int n);

#endif
