/* What every reader of models works with. See reader.h. */
#include "io/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hml_status hmli_reader_name(reader *r, const char *name, const char *file, int line)
{
    hml_status status = hml_builder_set_name(r->builder, name);
    if (status == HML_OUT_OF_MEMORY) return hmli_report_memory(r->error, r->file);
    if (!status) return HML_OK;
    return hmli_report(r->error, HML_BAD_MODEL, file, line, "the name of the model has a control character in it");
}

static hml_status warn(reader *r, const char *format, va_list arguments)
{
    char raw[512], sentence[512];
    vsnprintf(raw, sizeof raw, format, arguments);
    hmli_report_text(sentence, sizeof sentence, "%s", raw);
    hml_status status = hml_builder_add_warning(r->builder, sentence);
    return status ? hmli_report_memory(r->error, r->file) : HML_OK;
}

hml_status hmli_reader_warn(reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hml_status status = warn(r, format, arguments);
    va_end(arguments);
    return status;
}

/* 1 the first time; −1 when out of memory */
static int is_new(reader *r, const char *kind)
{
    if (hmli_map_find(&r->kinds, kind) >= 0) return 0;
    char *copy = hmli_arena_text(r->memory, kind, strlen(kind));
    return copy ? hmli_map_add(&r->kinds, copy, 0) : -1;
}

hml_status hmli_reader_warn_once(reader *r, const char *kind, const char *format, ...)
{
    int fresh = is_new(r, kind);
    if (fresh < 0) return hmli_report_memory(r->error, r->file);
    if (!fresh) return HML_OK;
    va_list arguments;
    va_start(arguments, format);
    hml_status status = warn(r, format, arguments);
    va_end(arguments);
    return status;
}

hml_status hmli_reader_warn_element(reader *r, const xml_node *node)
{
    char kind[200];
    snprintf(kind, sizeof kind, "<%.80s> in <%.80s>", node->name, node->parent ? node->parent->name : "");
    return hmli_reader_warn_once(r, kind, "line %d: %s is unknown and ignored", node->line, kind);
}

hml_status hmli_reader_warn_attributes(reader *r, const xml_node *node, const char *const known[])
{
    for (int i = 0; i < node->nattributes; i++) {
        const char *name = node->attributes[i].name;
        if (hmli_word_index(name, known) >= 0 || strchr(name, ':')) continue;
        char kind[200];
        snprintf(kind, sizeof kind, "attribute %.80s of <%.80s>", name, node->name);
        hml_status status = hmli_reader_warn_once(r, kind, "line %d: %s is unknown and ignored", node->line, kind);
        if (status) return status;
    }
    return HML_OK;
}

const char *hmli_reader_label(char text[LABEL_SIZE], const char *what, const char *name)
{
    if (name && *name)
        snprintf(text, LABEL_SIZE, "%s " QUOTED, what, name);
    else
        snprintf(text, LABEL_SIZE, "%s %s without a name", strchr("aeiou", *what) ? "an" : "a", what);
    return text;
}

/* what is taken stays taken, so the search goes on where it ended the last time */
const char *hmli_reader_unique(reader *r, map *names, const char *base, const char *suffix, int32_t value)
{
    size_t room = strlen(base) + strlen(suffix) + 16;
    char *name = hmli_arena_get(r->memory, room);
    if (!name) return NULL;
    snprintf(name, room, "%s%s", base, suffix);
    int added = hmli_map_add(names, name, value);
    if (added) return added > 0 ? name : NULL;
    ptrdiff_t taken = hmli_map_entry(names, name) - names->entries;
    while (!added) {
        snprintf(name, room, "%s%s.%d", base, suffix, (int)names->entries[taken].next++);
        added = hmli_map_add(names, name, value);
    }
    return added > 0 ? name : NULL;
}

int hmli_word_index(const char *text, const char *const words[])
{
    for (int i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0) return i;
    return -1;
}
