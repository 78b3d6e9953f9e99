/*
 * Reading and writing models and states (libhamel-io). docs/files.md says what each format may hold.
 *
 *   hml_load            a model from a URDF, MJCF or Hamel JSON file
 *   hml_load_memory     the same from memory
 *   hml_load_builtin    a robot that comes with the library
 *   hml_save_json       a model as Hamel JSON; hml_save_urdf as URDF, as far as URDF can say it
 *   hml_state_load      a state: positions, velocities, forces and external wrenches
 *   hml_file_write      any file, whole or not at all
 *
 * On failure a function returns the status and fills *error (which may be NULL): the file, the line where the format
 * has lines, and a sentence; in JSON the sentence begins with a pointer such as "/bodies/3/inertia: ". What is odd but
 * no error ends up among the model's warnings.
 */
#ifndef HAMEL_IO_H
#define HAMEL_IO_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/export.h"
#include "hamel/model.h"
#include "hamel/status.h"

/* ---- models ---- */

typedef enum hml_format {
    HML_FORMAT_AUTO = 0, /* by the ending of the name; in XML, and without a known ending, by the contents */
    HML_FORMAT_URDF = 1,
    HML_FORMAT_MJCF = 2,
    HML_FORMAT_JSON = 3
} hml_format;

/* how the root link of a URDF hangs on the world; the other formats say it themselves */
typedef enum hml_base {
    HML_BASE_AUTO = 0, /* fixed if the root link is called "world", free otherwise */
    HML_BASE_FREE = 1,
    HML_BASE_FIXED = 2
} hml_base;

typedef struct hml_load_options {
    size_t struct_size;
    hml_format format;
    hml_base base;
    const char *base_name; /* the free root joint of a URDF or MJCF file; NULL: "base" */
    unsigned build;        /* a sum of HML_BUILD_… */
    const double *gravity; /* three numbers instead of the file's; NULL: the file's */
} hml_load_options;

/* the defaults: everything as the file says */
HML_API void hml_load_options_init(hml_load_options *options);

/* options NULL: the defaults */
HML_API hml_status hml_load(const char *path, const hml_load_options *options, hml_model **model, hml_error *error);

/* name: for messages and the ending, and where an MJCF file finds what it includes; NULL: none, and no includes */
HML_API hml_status hml_load_memory(const void *data, size_t size, const char *name, const hml_load_options *options,
                                   hml_model **model, hml_error *error);

/* the robots of the robots/ folder; they are part of the library */
HML_API hml_status hml_load_builtin(const char *name, const hml_load_options *options, hml_model **model,
                                    hml_error *error);
HML_API int32_t hml_builtin_count(void);
HML_API const char *hml_builtin_name(int32_t index); /* NULL if there is no such index */

/*
 * Reading the JSON back gives the same model, number for number. Two things are not in it: warnings, and what was
 * merged or left out when the model was built (a merged link is written as a frame). URDF: HML_UNSUPPORTED where it
 * cannot say a thing, and the message says which.
 */
HML_API hml_status hml_save_json(const hml_model *model, const char *path, hml_error *error);
HML_API hml_status hml_save_urdf(const hml_model *model, const char *path, hml_error *error);

/* the same as text, ended by a zero that size does not count; free it with hml_text_free */
HML_API hml_status hml_write_json(const hml_model *model, char **text, size_t *size, hml_error *error);
HML_API hml_status hml_write_urdf(const hml_model *model, char **text, size_t *size, hml_error *error);
HML_API void hml_text_free(char *text);

/* ---- states ---- */

typedef struct hml_state_wrench {
    int32_t frame;    /* where it acts */
    int in_world;     /* 0: in the axes of the frame; 1: in those of the world; both times about the frame's origin */
    double wrench[6]; /* force, torque */
} hml_state_wrench;

/* A state of a model. Velocities and forces are left-trivialized, whatever the file's representation. */
typedef struct hml_state {
    size_t struct_size;
    int32_t nq, nv;
    double *q;   /* nq */
    double *v;   /* nv */
    double *tau; /* nv */
    int32_t nwrenches;
    hml_state_wrench *wrenches;
    int32_t nwarnings;
    char **warnings;
} hml_state;

/* neutral, at rest, without force */
HML_API hml_status hml_state_new(const hml_model *model, hml_state **state);
HML_API hml_status hml_state_load(const char *path, const hml_model *model, hml_state **state, hml_error *error);
/* name: for messages; may be NULL */
HML_API hml_status hml_state_load_memory(const void *data, size_t size, const char *name, const hml_model *model,
                                         hml_state **state, hml_error *error);
HML_API void hml_state_free(hml_state *state);

/* ---- files ---- */

/*
 * Writes beside the file, flushes to the disk, then renames: a reader sees the old file or the new one, never a part.
 * What is no regular file (a terminal, a pipe) is written directly. HML_CANNOT_WRITE says what the system said.
 */
HML_API hml_status hml_file_write(const char *path, const void *data, size_t size, hml_error *error);

#endif
