/* JSON values with the place where they stand. See json/read.h. */
#include "io/json/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- pointers ---- */

/* writes before the end of the text, moving towards its start; what does not fit is left out */
typedef struct backwards {
    char *start, *at;
} backwards;

static void prepend(backwards *b, const char *text, size_t length)
{
    if ((size_t)(b->at - b->start) < length) {
        b->start = b->at; /* full: nothing more in front */
        return;
    }
    b->at -= length;
    memcpy(b->at, text, length);
}

void hmli_json_pointer(const place *at, char pointer[POINTER_SIZE])
{
    char text[POINTER_SIZE], number[24];
    backwards b = {text, text + POINTER_SIZE - 1};
    *b.at = 0;
    for (; at->up; at = at->up) {
        if (at->key) {
            for (const char *c = at->key + strlen(at->key); c > at->key;) {
                c--;
                if (*c == '~')
                    prepend(&b, "~0", 2);
                else if (*c == '/')
                    prepend(&b, "~1", 2);
                else
                    prepend(&b, c, 1);
            }
        } else {
            int length = snprintf(number, sizeof number, "%zu", at->index);
            prepend(&b, number, (size_t)length);
        }
        prepend(&b, "/", 1);
    }
    memmove(pointer, b.at, strlen(b.at) + 1);
}

hml_status hmli_json_fail(const json_reader *r, const place *at, const char *format, ...)
{
    char pointer[POINTER_SIZE], sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    hmli_json_pointer(at, pointer);
    return hmli_report(r->error, HML_BAD_FILE, r->file, 0, "%s%s%s", pointer, *pointer ? ": " : "", sentence);
}

place hmli_json_member(const place *object, const char *key)
{
    place member = {object, key, 0, hmli_json_get(object->value, key)};
    return member;
}

place hmli_json_element(const place *array, size_t index)
{
    const json_value *list = array->value;
    place element = {array, NULL, index, index < json_list_size(list) ? &list->is.items[index] : NULL};
    return element;
}

/* ---- values ---- */

/* what stands there, in a word */
static const char *kind_of(const json_value *value)
{
    switch (value->kind) {
    case JSON_OBJECT: return "an object";
    case JSON_LIST: return "a list";
    case JSON_TEXT: return "text";
    case JSON_NUMBER: return "a number";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    default: return "null";
    }
}

/* what a message calls the value: its key, or its element's list */
static const char *name_of(const json_reader *r, const place *at)
{
    while (at->up && !at->key) at = at->up;
    return at->key ? at->key : r->file ? "the file" : "the text";
}

static hml_status wrong_type(const json_reader *r, const place *at, const char *wanted)
{
    return hmli_json_fail(r, at, "%.80s must be %s, not %s", name_of(r, at), wanted, kind_of(at->value));
}

hml_status hmli_json_object(const json_reader *r, const place *at)
{
    return !at->value || json_is(at->value, JSON_OBJECT) ? HML_OK : wrong_type(r, at, "an object");
}

hml_status hmli_json_array(const json_reader *r, const place *at)
{
    return !at->value || json_is(at->value, JSON_LIST) ? HML_OK : wrong_type(r, at, "a list");
}

hml_status hmli_json_text(const json_reader *r, const place *at, const char **text)
{
    if (!at->value) return HML_OK;
    if (!json_is(at->value, JSON_TEXT)) return wrong_type(r, at, "text");
    *text = json_text_of(at->value);
    return **text ? HML_OK : hmli_json_fail(r, at, "%.80s is empty", name_of(r, at));
}

hml_status hmli_json_flag(const json_reader *r, const place *at, int *flag)
{
    if (!at->value) return HML_OK;
    if (!json_is(at->value, JSON_TRUE) && !json_is(at->value, JSON_FALSE)) return wrong_type(r, at, "true or false");
    *flag = json_is(at->value, JSON_TRUE);
    return HML_OK;
}

hml_status hmli_json_number(const json_reader *r, const place *at, double *x)
{
    if (!at->value) return HML_OK;
    if (!json_is(at->value, JSON_NUMBER)) return wrong_type(r, at, "a number");
    *x = at->value->is.number;
    return HML_OK;
}

hml_status hmli_json_numbers(const json_reader *r, const place *at, int n, double *x)
{
    hml_status status = hmli_json_array(r, at);
    if (status || !at->value) return status;
    size_t size = json_list_size(at->value);
    if (size != (size_t)n)
        return hmli_json_fail(r, at, "%.80s has %zu number%s, expected %d", name_of(r, at), size, size == 1 ? "" : "s",
                              n);
    for (int i = 0; !status && i < n; i++) {
        place element = hmli_json_element(at, (size_t)i);
        status = hmli_json_number(r, &element, &x[i]);
    }
    return status;
}

hml_status hmli_json_matrix(const json_reader *r, const place *at, double x[9])
{
    hml_status status = hmli_json_array(r, at);
    if (status || !at->value) return status;
    size_t size = json_list_size(at->value);
    if (size != 3)
        return hmli_json_fail(r, at, "%.80s has %zu row%s, expected 3", name_of(r, at), size, size == 1 ? "" : "s");
    for (int i = 0; !status && i < 3; i++) {
        place row = hmli_json_element(at, (size_t)i);
        status = hmli_json_numbers(r, &row, 3, x + 3 * i);
    }
    return status;
}

hml_status hmli_json_each(const json_reader *r, const place *at, int n, int open, double *x)
{
    if (!at->value || (open && json_is(at->value, JSON_NULL))) return HML_OK;
    if (json_is(at->value, JSON_NUMBER)) {
        for (int i = 0; i < n; i++) x[i] = at->value->is.number;
        return HML_OK;
    }
    if (!json_is(at->value, JSON_LIST)) return wrong_type(r, at, "a number or a list");
    size_t size = json_list_size(at->value);
    if (size != (size_t)n)
        return hmli_json_fail(r, at, "%.80s has %zu number%s, but the joint has %d coordinate%s", name_of(r, at), size,
                              size == 1 ? "" : "s", n, n == 1 ? "" : "s");
    hml_status status = HML_OK;
    for (int i = 0; !status && i < n; i++) {
        place element = hmli_json_element(at, (size_t)i);
        if (!open || !json_is(element.value, JSON_NULL)) status = hmli_json_number(r, &element, &x[i]);
    }
    return status;
}

hml_status hmli_json_need(const json_reader *r, const place *at)
{
    return at->value ? HML_OK : hmli_json_fail(r, at->up, "%.80s is missing", name_of(r, at));
}

const char *hmli_json_unknown(const place *object, const char *const known[], uint32_t *at)
{
    if (!json_is(object->value, JSON_OBJECT)) return NULL;
    while (*at < object->value->n) {
        const char *key = object->value->is.members[(*at)++].key;
        int i = 0;
        while (known[i] && strcmp(known[i], key) != 0) i++;
        if (!known[i]) return key;
    }
    return NULL;
}
