/* What every reader of models works with: the file, the options, the builder that is being filled. */
#ifndef HML_IO_READER_H
#define HML_IO_READER_H

#include "hamel/io.h"
#include "hamel/model.h"
#include "io/common/arena.h"
#include "io/common/map.h"
#include "io/common/report.h"
#include "io/xml/xml.h"

typedef struct reader {
    const char *file; /* as messages name it; NULL: memory without a name */
    arena *memory;    /* what is parsed, as long as the reader runs */
    hml_builder *builder;
    hml_load_options options;
    hml_error *error;          /* may be NULL */
    map kinds;                 /* of warnings that are said once */
    int in_memory;             /* the text is no file: it may include files below the folder of `file` only */
    struct scene_maker *scene; /* collects what is seen; NULL: nobody asked for it */
    map hulls;                 /* of meshes, by path and scale, into hull_shapes */
    hml_shape *hull_shapes;
    size_t nhulls, hulls_capacity;
    size_t mesh_bytes;        /* of mesh files that were read */
    hml_heightfield *terrain; /* takes the first hfield of an MJCF file; NULL: nobody asked for it */
} reader;

/* reads data of any format into a new r->builder; r has its file, memory and error, and perhaps a scene */
hml_status hmli_read_model(reader *r, const void *data, size_t size, const hml_load_options *options);

/* frees the builder and what the reader keeps; the memory is the caller's */
void hmli_reader_free(reader *r);

/* the file formats; each fills the builder */
hml_status hmli_read_urdf(reader *r, const xml_node *robot);
hml_status hmli_read_mjcf(reader *r, xml_node *mujoco);
hml_status hmli_read_json(reader *r, const char *data, size_t size);

/* the name of the model */
hml_status hmli_reader_name(reader *r, const char *name, const char *file, int line);

/* fails only when out of memory */
hml_status hmli_reader_warn(reader *r, const char *format, ...) PRINTF_LIKE(2, 3);

/* the same, but only the first of its kind; later ones of the same kind are like it */
hml_status hmli_reader_warn_once(reader *r, const char *kind, const char *format, ...) PRINTF_LIKE(3, 4);

/* an element that is not read: said once for its name and its parent's */
hml_status hmli_reader_warn_element(reader *r, const xml_node *node);

/* attributes that are not among `known` (ended by NULL): said once for each name */
hml_status hmli_reader_warn_attributes(reader *r, const xml_node *node, const char *const known[]);

/* "body 'x'", or "a body without a name" if there is none (NULL or empty), as a sentence needs it; gives text back */
enum { LABEL_SIZE = 120 };
const char *hmli_reader_label(char text[LABEL_SIZE], const char *what, const char *name);

/* base + suffix, and a number if that is taken, added to names; in the reader's arena; NULL when out of memory */
const char *hmli_reader_unique(reader *r, map *names, const char *base, const char *suffix, int32_t value);

/* is text among words (ended by NULL)? its index, or −1 */
int hmli_word_index(const char *text, const char *const words[]);

#endif
