/* Sections of templates.txt: see template.h. */
#include "generate/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char hmli_generate_templates[]; /* templates.txt, ended by a zero */

static char **value_of(template_values *v, const char *name)
{
    for (int i = 0; i < v->count; i++) {
        if (strcmp(v->names[i], name) == 0) return &v->values[i];
    }
    if (v->count == TEMPLATE_NAMES) return NULL;
    v->names[v->count] = name;
    v->values[v->count] = NULL;
    return &v->values[v->count++];
}

void hmli_template_text(template_values *v, const char *name, const char *value)
{
    const size_t size = strlen(value) + 1;
    char **at = value_of(v, name), *copy = malloc(size);
    if (!at || !copy) {
        free(copy);
        v->failed = 1;
        return;
    }
    memcpy(copy, value, size);
    free(*at);
    *at = copy;
}

void hmli_template_integer(template_values *v, const char *name, long value)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    hmli_template_text(v, name, text);
}

void hmli_template_take(template_values *v, const char *name, writer *w)
{
    v->failed |= w->failed;
    hmli_template_text(v, name, w->data ? w->data : "");
    hmli_writer_free(w);
}

void hmli_template_free(template_values *v)
{
    for (int i = 0; i < v->count; i++) free(v->values[i]);
    memset(v, 0, sizeof *v);
}

/* the text between a section's line and the next one's; NULL: there is none */
static const char *find(const char *section, size_t *size)
{
    const char *text = (const char *)hmli_generate_templates;
    const size_t length = strlen(section);
    while ((text = strstr(text, "\n%% "))) {
        text += 4;
        if (strncmp(text, section, length) != 0 || text[length] != '\n') continue;
        const char *begin = text + length + 1, *end = strstr(begin, "\n%% ");
        *size = end ? (size_t)(end - begin) + 1 : strlen(begin);
        return begin;
    }
    return NULL;
}

/* the value of the name of `length` bytes that begins here */
static const char *look_up(const template_values *v, const char *name, size_t length)
{
    for (int i = 0; i < v->count; i++) {
        if (strlen(v->names[i]) == length && strncmp(v->names[i], name, length) == 0) return v->values[i];
    }
    return NULL;
}

void hmli_template_put(writer *w, const template_values *v, const char *section)
{
    size_t size = 0;
    const char *text = find(section, &size), *end = text + size;
    if (!text || v->failed) {
        w->failed = 1;
        return;
    }
    while (text < end) {
        const char *at = memchr(text, '@', (size_t)(end - text));
        const char *stop = at ? memchr(at + 1, '@', (size_t)(end - at - 1)) : NULL;
        if (!stop) break;
        const char *value = look_up(v, at + 1, (size_t)(stop - at - 1));
        hmli_writer_bytes(w, text, (size_t)(at - text));
        if (value)
            hmli_writer_put(w, value);
        else
            w->failed = 1;
        text = stop + 1;
    }
    hmli_writer_bytes(w, text, (size_t)(end - text));
}
