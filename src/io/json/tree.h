/*
 * JSON (RFC 8259) as a tree in an arena. Strict: UTF-8 only, no comments, no trailing commas; a key stands once in an
 * object, as the second of two masses is a mistake and not a wish; the text is one object or list. Numbers are doubles,
 * read by number.h, so that neither the locale nor the thread's stack has a say; 1 and 1.0 are the same.
 *
 * Files are not trusted: time is n log n and memory linear in the size of the text; lists nested more than
 * JSON_MAX_DEPTH deep and more than JSON_MAX_VALUES values are refused.
 */
#ifndef HML_IO_JSON_TREE_H
#define HML_IO_JSON_TREE_H

#include <stdint.h>

#include "hamel/base.h"
#include "io/common/arena.h"

enum { JSON_MAX_DEPTH = 1000, JSON_MAX_VALUES = 30000000 };

typedef enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } json_kind;

typedef struct json_value {
    union {
        double number;
        const char *text; /* ended by a zero, without one inside */
        const struct json_value *items;
        const struct json_member *members;
    } is;
    uint32_t kind; /* json_kind */
    uint32_t n;    /* of items or members */
} json_value;

typedef struct json_member {
    const char *key;
    json_value value;
} json_member;

/* *root lives as long as the arena. file: for messages, may be NULL */
hml_status hmli_json_tree(arena *memory, const char *file, const char *data, size_t size, const json_value **root,
                          hml_error *error);

/* all of these take NULL, a value that is not there */
static inline int json_is(const json_value *value, json_kind kind) { return value && value->kind == (uint32_t)kind; }
static inline size_t json_list_size(const json_value *value) { return json_is(value, JSON_LIST) ? value->n : 0; }
static inline const char *json_text_of(const json_value *value)
{
    return json_is(value, JSON_TEXT) ? value->is.text : NULL;
}

/* the value of a key, NULL if it is not there */
const json_value *hmli_json_get(const json_value *object, const char *key);

#endif
