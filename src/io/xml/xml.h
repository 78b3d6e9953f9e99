/*
 * XML as a tree of elements and attributes that know their file and line. Text between elements is dropped, as neither
 * URDF nor MJCF says anything with it, unless hmli_xml_parse_text keeps it.
 *
 * Files are not trusted: declarations of entities and attributes are refused (no bombs, no other files), and so are
 * elements nested more than XML_MAX_DEPTH deep or more than XML_MAX_ELEMENTS in number, and names of more than
 * XML_MAX_NAME bytes: what stands inside a <body> or a <link> refers to its name, be it ever so short itself.
 */
#ifndef HML_IO_XML_XML_H
#define HML_IO_XML_XML_H

#include "io/common/arena.h"

#include "hamel/base.h"

enum {
    XML_MAX_DEPTH = 1000,        /* MuJoCo itself stops at 500 */
    XML_MAX_ELEMENTS = 10000000, /* of 80 bytes and more each */
    XML_MAX_NAME = 255           /* of an element: its attribute `name` */
};

typedef struct xml_attribute {
    const char *name, *value;
} xml_attribute;

typedef struct xml_node {
    const char *name, *file; /* file: for messages */
    int line, nattributes;
    xml_attribute *attributes;
    const char *text; /* of an element without others in it, if it is kept; NULL: none */
    struct xml_node *parent, *first, *last, *next;
} xml_node;

/* everything is in the arena; file must outlive it */
hml_status hmli_xml_parse(arena *memory, const char *file, const char *data, size_t size, xml_node **root,
                          hml_error *error);

/* the same with the text of elements that have no others in them */
hml_status hmli_xml_parse_text(arena *memory, const char *file, const char *data, size_t size, xml_node **root,
                               hml_error *error);

static inline int xml_is(const xml_node *node, const char *name)
{
    const char *a = node->name;
    while (*a && *a == *name) a++, name++;
    return *a == *name;
}

/* the first child of this name, or NULL */
const xml_node *hmli_xml_child(const xml_node *node, const char *name);

/* the value of an attribute, or NULL */
const char *hmli_xml_get(const xml_node *node, const char *name);

/* the same, but it must be there and not be empty */
hml_status hmli_xml_require(const xml_node *node, const char *name, const char **value, hml_error *error);

/* exactly n numbers; an attribute that is not there leaves them alone */
hml_status hmli_xml_numbers(const xml_node *node, const char *name, int n, double *values, hml_error *error);

/* between one and `most` numbers, *n of them; 0 if the attribute is not there */
hml_status hmli_xml_some_numbers(const xml_node *node, const char *name, int most, double *values, int *n,
                                 hml_error *error);

#endif
