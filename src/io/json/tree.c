/*
 * JSON as a tree. See tree.h.
 *
 * There is no recursion: values that are complete wait on a stack for the list or object they belong to, which takes
 * them all when it closes.
 */
#include "io/json/tree.h"

#include <stdlib.h>
#include <string.h>

#include "io/common/map.h"
#include "io/common/number.h"
#include "io/common/report.h"
#include "io/common/utf8.h"

/* a list or object that is still open */
typedef struct level {
    size_t first; /* its first value on the stack */
    int object;
} level;

typedef struct parse {
    arena *memory;
    const char *file;
    hml_error *error;
    const char *data, *at, *end;
    json_member *stack; /* keys are NULL in lists */
    level *levels;
    size_t n, capacity, depth, levels_capacity, total;
    map keys; /* of one large object */
} parse;

static int line_of(const parse *p, const char *at)
{
    int line = 1;
    for (const char *c = p->data; c < at && (c = memchr(c, '\n', (size_t)(at - c))); c++) line++;
    return line;
}

static hml_status fail_at(const parse *p, const char *at, const char *what, const char *detail)
{
    return hmli_report(p->error, HML_BAD_FILE, p->file, line_of(p, at), "the JSON is malformed: %s%.80s", what, detail);
}

static hml_status fail(const parse *p, const char *what) { return fail_at(p, p->at, what, ""); }

static hml_status no_memory(const parse *p) { return hmli_report_memory(p->error, p->file); }

static void skip_space(parse *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')) p->at++;
}

/* the next character that is no space, 0 at the end (a zero inside the text is no character of JSON either) */
static char next(parse *p)
{
    skip_space(p);
    return p->at < p->end ? *p->at : 0;
}

/* ---- text ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* four hexadecimal digits, or −1; text is ended by a zero */
static int hex4(const char *text)
{
    int code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0) return -1;
        code = 16 * code + digit;
    }
    return code;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* \uXXXX at `from`, which is behind the u; NULL if it is no character, or the character zero */
static const char *unescape_code(const char *from, char **to)
{
    int high = hex4(from), low = -1;
    if (high <= 0 || (high >= 0xdc00 && high <= 0xdfff)) return NULL;
    from += 4;
    if (high < 0xd800 || high > 0xdbff) {
        *to = put_utf8(*to, (unsigned)high);
        return from;
    }
    if (from[0] == '\\' && from[1] == 'u') low = hex4(from + 2);
    if (low < 0xdc00 || low > 0xdfff) return NULL;
    *to = put_utf8(*to, 0x10000 + ((unsigned)(high - 0xd800) << 10) + (unsigned)(low - 0xdc00));
    return from + 6;
}

/* escapes become what they stand for, which is never longer; 0 if one of them stands for nothing */
static int unescape(char *text)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char *to = strchr(text, '\\');
    if (!to) return 1;
    for (const char *from = to; *from;) {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        const char *name = from[1] ? strchr(names, from[1]) : NULL;
        if (name) {
            *to++ = values[name - names];
            from += 2;
        } else if (from[1] != 'u' || !(from = unescape_code(from + 2, &to))) {
            return 0;
        }
    }
    *to = 0;
    return 1;
}

/* at a quotation mark */
static hml_status read_text(parse *p, const char **text)
{
    const char *start = p->at + 1, *c = start;
    while (c < p->end && *c != '"') {
        unsigned char byte = (unsigned char)*c;
        size_t length = byte == '\\' ? 2 : utf8_length((const unsigned char *)c, (size_t)(p->end - c));
        if (byte < 0x20) return fail_at(p, c, "a control character in text must be escaped", "");
        if (length == 0) return fail_at(p, c, "the text is not UTF-8", "");
        c = length <= (size_t)(p->end - c) ? c + length : p->end;
    }
    if (c >= p->end) return fail_at(p, p->at, "text has no closing quotation mark", "");
    char *copy = hmli_arena_text(p->memory, start, (size_t)(c - start));
    if (!copy) return no_memory(p);
    if (!unescape(copy)) return fail_at(p, start, "an escape in text is not valid", "");
    *text = copy;
    p->at = c + 1;
    return HML_OK;
}

/* ---- numbers and words ---- */

static const char *skip_digits(const char *c, const char *end)
{
    while (c < end && *c >= '0' && *c <= '9') c++;
    return c;
}

/* where the number that begins at `c` ends, NULL if it is none: no plus, no leading zeros, digits around the point */
static const char *number_end(const char *c, const char *end)
{
    if (c < end && *c == '-') c++;
    const char *first = c;
    c = skip_digits(c, end);
    if (c == first || (*first == '0' && c > first + 1)) return NULL;
    if (c < end && *c == '.') {
        first = ++c;
        if ((c = skip_digits(c, end)) == first) return NULL;
    }
    if (c < end && (*c == 'e' || *c == 'E')) {
        c++;
        if (c < end && (*c == '+' || *c == '-')) c++;
        first = c;
        if ((c = skip_digits(c, end)) == first) return NULL;
    }
    return c;
}

static hml_status read_number(parse *p, json_value *value)
{
    const char *end = number_end(p->at, p->end);
    if (!end) return fail(p, "this is not a number");
    if (end == p->end) return fail_at(p, end, "it ends too early", ""); /* nobody may read behind the end */
    if (!hmli_number_read(p->at, &value->is.number)) return fail(p, "the number is too large");
    value->kind = JSON_NUMBER;
    p->at = end;
    return HML_OK;
}

static hml_status read_word(parse *p, json_value *value)
{
    static const char *const words[] = {"null", "false", "true"};
    static const json_kind kinds[] = {JSON_NULL, JSON_FALSE, JSON_TRUE};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(p->end - p->at) < n || memcmp(p->at, words[i], n) != 0) continue;
        value->kind = kinds[i];
        p->at += n;
        return HML_OK;
    }
    return fail(p, p->at < p->end ? "a value is missing" : "it ends too early");
}

/* ---- lists and objects ---- */

static hml_status push(parse *p, const char *key, const json_value *value)
{
    if (++p->total > JSON_MAX_VALUES)
        return hmli_report(p->error, HML_BAD_FILE, p->file, 0, "there are more than %d values", JSON_MAX_VALUES);
    if (!array_grow(&p->stack, &p->capacity, p->n + 1, sizeof *p->stack)) return no_memory(p);
    p->stack[p->n].key = key;
    p->stack[p->n++].value = *value;
    return HML_OK;
}

/* a list or object begins; it is on the stack, without its contents, as a value is */
static hml_status open_level(parse *p, const char *key, int object)
{
    static const json_value empty = {.kind = JSON_NULL};
    if (p->depth >= JSON_MAX_DEPTH)
        return hmli_report(p->error, HML_BAD_FILE, p->file, line_of(p, p->at), "lists are nested more than %d deep",
                           JSON_MAX_DEPTH);
    hml_status status = push(p, key, &empty);
    if (status) return status;
    if (!array_grow(&p->levels, &p->levels_capacity, p->depth + 1, sizeof *p->levels)) return no_memory(p);
    p->levels[p->depth].first = p->n;
    p->levels[p->depth++].object = object;
    p->at++;
    return HML_OK;
}

static const char *twice(parse *p, const json_member *members, size_t n, int *failed)
{
    if (n <= 8) { /* nearly all */
        for (size_t i = 1; i < n; i++)
            for (size_t k = 0; k < i; k++)
                if (strcmp(members[i].key, members[k].key) == 0) return members[i].key;
        return NULL;
    }
    hmli_map_clear(&p->keys);
    for (size_t i = 0; i < n; i++) {
        int added = hmli_map_add(&p->keys, members[i].key, 0);
        if (added == 0) return members[i].key;
        if (added < 0) *failed = 1;
    }
    return NULL;
}

/* what is on the stack since the level began becomes its contents */
static hml_status close_level(parse *p)
{
    const level *l = &p->levels[--p->depth];
    size_t n = p->n - l->first, size = l->object ? sizeof(json_member) : sizeof(json_value);
    const json_member *from = p->stack + l->first;
    json_value *value = &p->stack[l->first - 1].value;
    void *contents = n ? hmli_arena_get(p->memory, n * size) : NULL;
    int failed = n && !contents;
    const char *key = l->object && !failed ? twice(p, from, n, &failed) : NULL;
    if (failed) return no_memory(p);
    if (key) return fail_at(p, p->at, "duplicate object key: ", key);
    if (l->object && n)
        memcpy(contents, from, n * size);
    else
        for (size_t i = 0; i < n; i++) ((json_value *)contents)[i] = from[i].value;
    value->kind = l->object ? JSON_OBJECT : JSON_LIST;
    value->n = (uint32_t)n;
    if (l->object)
        value->is.members = contents;
    else
        value->is.items = contents;
    p->n = l->first;
    p->at++;
    return HML_OK;
}

static hml_status read_key(parse *p, const char **key)
{
    if (next(p) != '"') return fail(p, "a key, which is text, is missing");
    hml_status status = read_text(p, key);
    if (!status && next(p) != ':') status = fail(p, "a colon is missing");
    if (!status) p->at++;
    return status;
}

/* a value, or the beginning of one; *begun: a level is open that may close at once */
static hml_status read_value(parse *p, const char *key, int *begun)
{
    json_value value = {.kind = JSON_NULL};
    hml_status status;
    char c = next(p);
    *begun = c == '{' || c == '[';
    if (*begun) return open_level(p, key, c == '{');
    if (c == '"') {
        value.kind = JSON_TEXT;
        status = read_text(p, &value.is.text);
    } else {
        status = c == '-' || (c >= '0' && c <= '9') ? read_number(p, &value) : read_word(p, &value);
    }
    return status ? status : push(p, key, &value);
}

/* closes what closes here; *more: a value follows */
static hml_status read_ends(parse *p, int begun, int *more)
{
    *more = 0;
    while (p->depth > 0) {
        int object = p->levels[p->depth - 1].object;
        char c = next(p);
        if (c == (object ? '}' : ']')) {
            hml_status status = close_level(p);
            if (status) return status;
            begun = 0;
            continue;
        }
        *more = 1;
        if (begun) return HML_OK;
        if (c != ',') return fail(p, p->at == p->end ? "it ends too early" : "a comma is missing");
        p->at++;
        return HML_OK;
    }
    return HML_OK;
}

static hml_status read_all(parse *p)
{
    hml_status status = HML_OK;
    char c = next(p);
    int begun = 0, more = c == '{' || c == '[';
    if (!more) return fail(p, p->at < p->end ? "it begins with neither { nor [" : "it is empty");
    while (!status && more) {
        const char *key = NULL;
        if (p->depth > 0 && p->levels[p->depth - 1].object) status = read_key(p, &key);
        if (!status) status = read_value(p, key, &begun);
        if (!status) status = read_ends(p, begun, &more);
    }
    if (!status && (next(p) || p->at < p->end)) status = fail(p, "there is something after its end");
    return status;
}

hml_status hmli_json_tree(arena *memory, const char *file, const char *data, size_t size, const json_value **root,
                          hml_error *error)
{
    *root = NULL;
    parse p = {.memory = memory, .file = file, .error = error, .data = data, .at = data, .end = data + size};
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) p.at += 3; /* byte order mark */
    hml_status status = read_all(&p);
    if (!status) {
        json_value *top = p.stack ? hmli_arena_get(memory, sizeof *top) : NULL;
        if (top) *top = p.stack[0].value;
        *root = top;
        if (!top) status = no_memory(&p);
    }
    free(p.stack);
    free(p.levels);
    hmli_map_free(&p.keys);
    return status;
}

const json_value *hmli_json_get(const json_value *object, const char *key)
{
    if (!json_is(object, JSON_OBJECT)) return NULL;
    for (uint32_t i = 0; i < object->n; i++)
        if (strcmp(object->is.members[i].key, key) == 0) return &object->is.members[i].value;
    return NULL;
}
