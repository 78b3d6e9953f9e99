/* XML as a tree, by way of expat. See xml.h. */
#include "io/xml/xml.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "io/common/map.h"
#include "io/common/number.h"
#include "io/common/report.h"
#include "io/common/utf8.h"

typedef struct parse {
    XML_Parser parser;
    arena *memory;
    const char *file;
    hml_error *error;
    hml_status status; /* of what we ourselves refuse */
    xml_node *root, *at;
    int depth, elements;
    map names; /* of elements and attributes: each is kept once */
    const char *data, *counted;
    int line;                     /* of `counted` */
    char *text;                   /* since the last tag */
    size_t length, text_capacity; /* of it */
} parse;

/*
 * expat counts lines character by character, a fifth of the time it takes for all the rest; memchr is faster. What was
 * looked at is not looked at again, also where a line goes on.
 */
static int line_of(parse *p)
{
    XML_Index index = XML_GetCurrentByteIndex(p->parser);
    const char *at = index > 0 ? p->data + index : p->data, *end;
    while (p->counted < at && (end = memchr(p->counted, '\n', (size_t)(at - p->counted)))) {
        p->counted = end + 1;
        if (p->line < INT_MAX) p->line++;
    }
    if (p->counted < at) p->counted = at;
    return p->line;
}

static void stop(parse *p, hml_status status)
{
    p->status = status;
    XML_StopParser(p->parser, XML_FALSE);
}

static const char *keep_name(parse *p, const char *name)
{
    const map_entry *entry = hmli_map_entry(&p->names, name);
    if (entry) return entry->name;
    const char *kept = hmli_arena_text(p->memory, name, strlen(name));
    return kept && hmli_map_add(&p->names, kept, 0) > 0 ? kept : NULL;
}

static void start_element(void *data, const XML_Char *name, const XML_Char **attributes)
{
    parse *p = data;
    if (p->status) return;
    int n = 0;
    while (attributes[2 * n]) n++;
    if (++p->depth > XML_MAX_DEPTH || ++p->elements > XML_MAX_ELEMENTS) {
        if (p->depth > XML_MAX_DEPTH)
            stop(p, hmli_report(p->error, HML_BAD_FILE, p->file, line_of(p), "elements are nested more than %d deep",
                                XML_MAX_DEPTH));
        else
            stop(p, hmli_report(p->error, HML_BAD_FILE, p->file, line_of(p), "there are more than %d elements",
                                XML_MAX_ELEMENTS));
        return;
    }

    for (int i = 0; i < n; i++) {
        if (strcmp(attributes[2 * i], "name") != 0 || strlen(attributes[2 * i + 1]) <= XML_MAX_NAME) continue;
        stop(p, hmli_report(p->error, HML_BAD_FILE, p->file, line_of(p), "the name of <%.80s> is longer than %d bytes",
                            name, XML_MAX_NAME));
        return;
    }

    xml_node *node = hmli_arena_get(p->memory, sizeof *node);
    xml_attribute *list = n ? hmli_arena_get(p->memory, (size_t)n * sizeof *list) : NULL;
    const char *kept = keep_name(p, name);
    int ok = node && kept && (list || !n);
    for (int i = 0; ok && i < n; i++) {
        list[i].name = keep_name(p, attributes[2 * i]);
        list[i].value = hmli_arena_text(p->memory, attributes[2 * i + 1], strlen(attributes[2 * i + 1]));
        ok = list[i].name && list[i].value;
    }
    if (!ok) {
        stop(p, hmli_report_memory(p->error, p->file));
        return;
    }
    node->name = kept;
    node->file = p->file;
    node->line = line_of(p);
    node->nattributes = n;
    p->length = 0;
    node->attributes = list;
    node->parent = p->at;
    if (!p->at)
        p->root = node;
    else if (p->at->last)
        p->at->last = p->at->last->next = node;
    else
        p->at->first = p->at->last = node;
    p->at = node;
}

static void end_element(void *data, const XML_Char *name)
{
    parse *p = data;
    (void)name;
    if (p->status) return;
    if (p->length > 0 && !p->at->first) {
        p->at->text = hmli_arena_text(p->memory, p->text, p->length);
        if (!p->at->text) stop(p, hmli_report_memory(p->error, p->file));
    }
    p->length = 0;
    p->depth--;
    p->at = p->at->parent;
}

static void add_text(void *data, const XML_Char *text, int length)
{
    parse *p = data;
    const size_t n = (size_t)length;
    if (p->status) return;
    if (!array_grow(&p->text, &p->text_capacity, p->length + n, 1)) {
        stop(p, hmli_report_memory(p->error, p->file));
        return;
    }
    memcpy(p->text + p->length, text, n);
    p->length += n;
}

static void refuse_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                          const XML_Char *base, const XML_Char *system, const XML_Char *public,
                          const XML_Char *notation)
{
    parse *p = data;
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    if (p->status) return;
    stop(p, hmli_report(p->error, HML_UNSUPPORTED, p->file, line_of(p),
                        "declares the entity " QUOTED ", which is not allowed", name));
}

/* a default of 100 kB would be a copy for each of ten thousand elements, and no robot declares its attributes */
static void refuse_attributes(void *data, const XML_Char *element, const XML_Char *attribute, const XML_Char *type,
                              const XML_Char *value, int is_required)
{
    parse *p = data;
    (void)type, (void)value, (void)is_required;
    if (p->status) return;
    stop(p, hmli_report(p->error, HML_UNSUPPORTED, p->file, line_of(p),
                        "declares the attribute " QUOTED " of <%.80s>, which is not allowed", attribute, element));
}

/* ---- what expat refuses ---- */

/* the first byte at or after `start`, before the next tag, that is not UTF-8; NULL if there is none */
static const char *not_utf8(const char *start, const char *end)
{
    for (const char *c = start; c < end && (c == start || *c != '<');) {
        size_t length = utf8_length((const unsigned char *)c, (size_t)(end - c));
        if (length == 0) return c;
        c += length;
    }
    return NULL;
}

static hml_status malformed(parse *p, size_t size)
{
    enum XML_Error code = XML_GetErrorCode(p->parser);
    if (code == XML_ERROR_NO_MEMORY) return hmli_report_memory(p->error, p->file);
    XML_Index index = XML_GetCurrentByteIndex(p->parser);
    const char *end = p->data + size, *at = index >= 0 && (size_t)index < size ? p->data + index : end;
    int line = line_of(p);

    if (code == XML_ERROR_INVALID_TOKEN || code == XML_ERROR_PARTIAL_CHAR) {
        const char *bad = not_utf8(at, end);
        if (bad) {
            for (const char *c = at; c < bad; c++) line += *c == '\n';
            return hmli_report(p->error, HML_BAD_FILE, p->file, line, "the text is not UTF-8");
        }
    }
    if (code == XML_ERROR_DUPLICATE_ATTRIBUTE) {
        int length = 0;
        while (at + length < end && length < 80 && !strchr(" \t\r\n=\"'/><", at[length])) length++;
        return hmli_report(p->error, HML_BAD_FILE, p->file, line, "the attribute '%.*s' is given twice", length, at);
    }
    return hmli_report(p->error, HML_BAD_FILE, p->file, line, "the XML is malformed: %s", XML_ErrorString(code));
}

static hml_status parse_tree(arena *memory, const char *file, const char *data, size_t size, int texts, xml_node **root,
                             hml_error *error)
{
    *root = NULL;
    if (size > INT_MAX) return hmli_report(error, HML_BAD_FILE, file, 0, "is too large");
    parse p = {.memory = memory, .file = file, .error = error, .data = data, .counted = data, .line = 1};
    p.parser = XML_ParserCreate(NULL);
    if (!p.parser) return hmli_report_memory(error, file);
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, start_element, end_element);
    if (texts) XML_SetCharacterDataHandler(p.parser, add_text);
    XML_SetEntityDeclHandler(p.parser, refuse_entity);
    XML_SetAttlistDeclHandler(p.parser, refuse_attributes);
    if (XML_Parse(p.parser, data, (int)size, 1) == XML_STATUS_ERROR && !p.status) p.status = malformed(&p, size);
    XML_ParserFree(p.parser);
    hmli_map_free(&p.names);
    free(p.text);
    *root = p.root;
    return p.status;
}

hml_status hmli_xml_parse(arena *memory, const char *file, const char *data, size_t size, xml_node **root,
                          hml_error *error)
{
    return parse_tree(memory, file, data, size, 0, root, error);
}

hml_status hmli_xml_parse_text(arena *memory, const char *file, const char *data, size_t size, xml_node **root,
                               hml_error *error)
{
    return parse_tree(memory, file, data, size, 1, root, error);
}

/* ---- asking ---- */

const xml_node *hmli_xml_child(const xml_node *node, const char *name)
{
    for (const xml_node *child = node->first; child; child = child->next)
        if (xml_is(child, name)) return child;
    return NULL;
}

const char *hmli_xml_get(const xml_node *node, const char *name)
{
    for (int i = 0; i < node->nattributes; i++)
        if (strcmp(node->attributes[i].name, name) == 0) return node->attributes[i].value;
    return NULL;
}

hml_status hmli_xml_require(const xml_node *node, const char *name, const char **value, hml_error *error)
{
    *value = hmli_xml_get(node, name);
    if (*value && **value) return HML_OK;
    return hmli_report(error, HML_BAD_FILE, node->file, node->line, "<%.80s> has no %s", node->name, name);
}

static hml_status bad_numbers(const xml_node *node, const char *name, const char *value, int least, int most, int n,
                              hml_error *error)
{
    if (n < 0)
        return hmli_report(error, HML_BAD_FILE, node->file, node->line,
                           most == 1 ? "<%.80s> %s=\"%.80s\" is not a number%s"
                                     : "<%.80s> %s=\"%.80s\" is not a list of numbers%s",
                           node->name, name, value, strstr(value, "${") ? " (expand the xacro file first)" : "");
    if (least == most)
        return hmli_report(error, HML_BAD_FILE, node->file, node->line,
                           "<%.80s> %s=\"%.80s\" has %d number%s, expected %d", node->name, name, value, n,
                           n == 1 ? "" : "s", most);
    return hmli_report(error, HML_BAD_FILE, node->file, node->line,
                       "<%.80s> %s=\"%.80s\" has %d number%s, expected %d to %d", node->name, name, value, n,
                       n == 1 ? "" : "s", least, most);
}

hml_status hmli_xml_some_numbers(const xml_node *node, const char *name, int most, double *values, int *n,
                                 hml_error *error)
{
    const char *value = hmli_xml_get(node, name);
    *n = 0;
    if (!value) return HML_OK;
    *n = hmli_number_read_list(value, most, values);
    return *n < 1 || *n > most ? bad_numbers(node, name, value, 1, most, *n, error) : HML_OK;
}

hml_status hmli_xml_numbers(const xml_node *node, const char *name, int n, double *values, hml_error *error)
{
    const char *value = hmli_xml_get(node, name);
    if (!value) return HML_OK;
    double read[16];
    int got = hmli_number_read_list(value, 16, read);
    if (got != n) return bad_numbers(node, name, value, n, n, got, error);
    memcpy(values, read, (size_t)n * sizeof *values);
    return HML_OK;
}
