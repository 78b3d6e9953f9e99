/*
 * A scene while it is being read. The readers of models call hmli_scene_add for every visual they meet; frames are
 * looked up at the end, when the names of all bodies are known.
 *
 *   scene.c   the visuals, the files they need, and what is said about files that cannot be used
 *   find.c    where a mesh file lies
 */
#ifndef HML_IO_SCENE_SCENE_H
#define HML_IO_SCENE_SCENE_H

#include "hamel/view.h"
#include "io/reader.h"
#include "model/pose.h"

typedef struct scene_item {
    const char *link; /* in the reader's arena; NULL: the world */
    hml_visual visual;
} scene_item;

/* why a file cannot be used */
typedef enum scene_trouble { SCENE_NOT_FOUND, SCENE_UNKNOWN, SCENE_TOO_LARGE, SCENE_TROUBLES } scene_trouble;

typedef struct scene_maker {
    scene_item *items;
    const char **files; /* in the reader's arena */
    size_t nitems, nfiles, items_capacity, files_capacity;
    map names; /* of files as the model gives them, with their index or −1 */
    map paths; /* of files as they were found, with their index */
    map links; /* that the model does not have */
    size_t bytes;
    int count[SCENE_TROUBLES];
    const char *first[SCENE_TROUBLES];
    char **warnings;
    size_t nwarnings, warnings_capacity;
} scene_maker;

/* a visual without colour, mesh and texture, at a pose */
hml_visual hmli_visual_at(hml_visual_kind kind, pose place);

/* link NULL: the world. Fails only when out of memory */
hml_status hmli_scene_add(reader *r, const char *link, const hml_visual *visual);

hml_status hmli_scene_warn(reader *r, const char *format, ...) PRINTF_LIKE(2, 3);

/* a visual that cannot be read is a warning, not the end: takes the message out of r->error */
hml_status hmli_scene_excuse(reader *r, hml_status status);

/*
 * The index of a file, or −1 if it cannot be used; then a warning says so when the reader is done. folder: where
 * relative names begin, itself relative to the model's folder; NULL: as in a URDF, the model's folder and those above.
 */
typedef enum scene_file_kind { SCENE_MESH, SCENE_TEXTURE } scene_file_kind;
hml_status hmli_scene_file(reader *r, scene_file_kind kind, const char *folder, const char *name, int32_t *index);

/* the path of a file that the model names, in the arena; NULL if there is none, or a text in memory may not name it */
const char *hmli_scene_find(reader *r, const char *folder, const char *name, size_t *size, int *failed);

/* find.c: the path of a regular file, in the arena, with its size; NULL if there is none. *failed: out of memory */
const char *hmli_find_file(arena *memory, const char *model, const char *folder, const char *name, size_t *size,
                           int *failed);

#endif
