/*
 * Reading and writing models and states (libhamel-io). docs/files.md says what each format may hold.
 *
 *   hml_load            a model from a URDF, MJCF or Hamel JSON file
 *   hml_load_memory     the same from memory
 *   hml_load_builtin    a robot that comes with the library
 *   hml_save_json       a model as Hamel JSON; hml_save_urdf as URDF, as far as URDF can express it
 *   hml_state_load      a state: positions, velocities, forces and external wrenches
 *   hml_heightfield_load   ground that is a grid of heights
 *   hml_file_write      any file, whole or not at all
 *
 * On failure a function returns the status and fills *error (which may be NULL): the file, the line where the format
 * has lines, and a sentence; in JSON the sentence begins with a pointer such as "/bodies/3/inertia: ". What is odd but
 * not an error becomes a warning of the model.
 */
#ifndef HAMEL_IO_H
#define HAMEL_IO_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/contact.h"
#include "hamel/model.h"

/* ---- models ---- */

typedef enum hml_model_format {
    HML_FORMAT_AUTO = 0, /* by the ending of the name; in XML, and without a known ending, by the contents */
    HML_FORMAT_URDF = 1,
    HML_FORMAT_MJCF = 2,
    HML_FORMAT_JSON = 3
} hml_model_format;

/* how the root link of a URDF is connected to the world; the other formats say it themselves */
typedef enum hml_base_kind {
    HML_BASE_AUTO = 0, /* free if names in the file speak of legs or flight, or nothing else moves; else fixed, with a
                          warning unless the root link is called "world": docs/files.md */
    HML_BASE_FREE = 1,
    HML_BASE_FIXED = 2
} hml_base_kind;

typedef struct hml_load_options {
    size_t struct_size;
    hml_model_format format;
    hml_base_kind base;
    const char *base_name; /* the free root joint of a URDF or MJCF file; NULL: "base" */
    unsigned build;        /* a sum of HML_BUILD_… */
    const double *gravity; /* three numbers instead of the file's; NULL: the file's */
} hml_load_options;

/* the defaults: everything as the file says */
HML_API void hml_load_options_init(hml_load_options *options);

/* options NULL: the defaults */
HML_API hml_status hml_load(const char *path, const hml_load_options *options, hml_model **model, hml_error *error);

/*
 * name: for messages and the ending, and where an MJCF file finds what it includes, which is in that folder or below;
 * NULL: none, and no includes
 */
HML_API hml_status hml_load_memory(const void *data, size_t size, const char *name, const hml_load_options *options,
                                   hml_model **model, hml_error *error);

/* the robots of the robots/ folder; they are part of the library */
HML_API hml_status hml_load_builtin(const char *name, const hml_load_options *options, hml_model **model,
                                    hml_error *error);
HML_API int32_t hml_builtin_count(void);
HML_API const char *hml_builtin_name(int32_t index); /* NULL if there is no such index */

/*
 * Reading the JSON back gives the same model, number for number. Two things are not in it: warnings, and what was
 * merged or left out when the model was built (a merged link is written as a frame). HML_UNSUPPORTED if URDF cannot
 * express the model; the message says why.
 */
HML_API hml_status hml_save_json(const hml_model *model, const char *path, hml_error *error);
HML_API hml_status hml_save_urdf(const hml_model *model, const char *path, hml_error *error);

/* the same as text, ended by a zero that size does not count; free it with hml_text_free */
HML_API hml_status hml_write_json(const hml_model *model, char **text, size_t *size, hml_error *error);
HML_API hml_status hml_write_urdf(const hml_model *model, char **text, size_t *size, hml_error *error);
HML_API void hml_text_free(char *text);

/* ---- ground ---- */

/*
 * A grid of heights (hamel/contact.h) from a file: .npy and .csv with a table, .npz and .json with `heights`, and perhaps
 * `spacing`, `position`, `friction` and `restitution`, or .xml: the first geom of type hfield in the world of an MJCF
 * file. spacing is 0 and friction −1 where the file does not say; the caller fills them in. Free the heights.
 */
HML_API hml_status hml_heightfield_load(const char *path, hml_heightfield *field, hml_error *error);
HML_API void hml_heightfield_free(hml_heightfield *field);

/* ---- states ---- */

/* A state of a model. Velocities and forces are left-trivialized, whatever the file's representation. */
typedef struct hml_state {
    size_t struct_size;
    int32_t nq, nv;
    double *q;   /* nq */
    double *v;   /* nv */
    double *tau; /* nv */
    int32_t nwrenches;
    hml_frame_wrench *wrenches;
    int32_t nwarnings;
    char **warnings;
    int32_t *given; /* one for each joint: 1 if the file gives its position, 0 if it is neutral */
    double *inputs; /* of the actuators; NaN where the file does not give one */
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
 * A terminal, a pipe or a device is written directly. With HML_CANNOT_WRITE the message has the system's reason.
 */
HML_API hml_status hml_file_write(const char *path, const void *data, size_t size, hml_error *error);

/* ---- results ---- */

/*
 * Results: named numbers, texts, arrays and tables on their way into a file (libhamel-io).
 *
 *   hml_result_new, hml_result_free
 *   hml_result_add_number, …_integer, …_text            one value
 *   hml_result_add_numbers, …_integers, …_flags, …_texts   arrays, row-major
 *   hml_result_add_table                                a list of rows that all have the same columns
 *   hml_result_write                                    .json, .npz, .mat or .csv
 *
 * Values are copied. Adding returns no status: if memory runs out, or a name is given twice, the result remembers it,
 * and hml_result_write reports it.
 *
 *             number           text          array                       table
 *   .json     number           string        nested lists, row-major     list of objects
 *   .npz      0-d array        0-d <U        float64, int64, bool, <U    one array per column: "rows.algorithm"
 *   .mat      1x1 double       char          double, logical; texts:     1xn struct array
 *                                            n x 1 cell
 *   .csv      one line per entry: matrix,row,column,value; rows and columns count from 0; a table's columns are
 *             matrices called "rows.algorithm"; further dimensions are flattened into the columns
 *
 * Numbers keep 17 digits. JSON has neither NaN nor infinity: they become null. A file appears whole or not at all.
 */

typedef struct hml_result hml_result;

enum { HML_RESULT_MAX_RANK = 3 };

HML_API hml_result *hml_result_new(void); /* NULL when out of memory */
HML_API void hml_result_free(hml_result *result);

HML_API void hml_result_add_number(hml_result *result, const char *name, double value);
HML_API void hml_result_add_integer(hml_result *result, const char *name, int64_t value);
HML_API void hml_result_add_text(hml_result *result, const char *name,
                                 const char *text); /* NULL: empty, null in JSON */

/* shape: `rank` sizes, 1 to HML_RESULT_MAX_RANK. texts have rank 1; a text that is NULL is empty, null in JSON */
HML_API void hml_result_add_numbers(hml_result *result, const char *name, int rank, const size_t shape[],
                                    const double *data);
HML_API void hml_result_add_integers(hml_result *result, const char *name, int rank, const size_t shape[],
                                     const int64_t *data);
HML_API void hml_result_add_flags(hml_result *result, const char *name, size_t count, const int *data);
HML_API void hml_result_add_texts(hml_result *result, const char *name, size_t count, const char *const *texts);

/*
 * A table, filled like a result with arrays whose first dimension is `rows`. It belongs to the result; tables hold no
 * tables. NULL when out of memory: adding to NULL does nothing.
 */
HML_API hml_result *hml_result_add_table(hml_result *result, const char *name, size_t rows);

typedef enum hml_result_format {
    HML_RESULT_AUTO = 0, /* by the ending; JSON for a device or pipe without an ending, such as /dev/stdout */
    HML_RESULT_JSON = 1,
    HML_RESULT_NPZ = 2,
    HML_RESULT_MAT = 3,
    HML_RESULT_CSV = 4
} hml_result_format;

/* the format that AUTO chooses for a path; HML_INVALID_ARGUMENT if its ending is not one of those above */
HML_API hml_status hml_result_format_of(const char *path, hml_result_format *format);

/* error may be NULL. HML_INVALID_ARGUMENT for an unknown ending, HML_CANNOT_WRITE with the system's reason */
HML_API hml_status hml_result_write(const hml_result *result, const char *path, hml_result_format format,
                                    hml_error *error);

#endif
