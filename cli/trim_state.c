/* What hamel trim found as a state file, which the other commands read by --state. */
#include <stdlib.h>

#include "trim.h"

/* text that grows; data NULL after memory ran out */
typedef struct text {
    char *data;
    size_t size, room;
} text;

static void put(text *t, const char *bytes, size_t size)
{
    if (t->data && t->size + size + 1 > t->room) {
        t->room = 2 * t->room + size;
        char *larger = realloc(t->data, t->room);
        if (!larger) free(t->data);
        t->data = larger;
    }
    for (size_t i = 0; t->data && i < size; i++) t->data[t->size++] = bytes[i];
}

static void put_string(text *t, const char *string)
{
    size_t size = 0;
    while (string[size]) size++;
    put(t, string, size);
}

/* a name in quotes, as JSON has it */
static void put_name(text *t, const char *name)
{
    put(t, "\"", 1);
    for (; *name; name++) {
        char code[8];
        const unsigned char byte = (unsigned char)*name;
        if (byte == '"' || byte == '\\') put(t, "\\", 1);
        snprintf(code, sizeof code, "\\u%04x", byte);
        if (byte < 32)
            put_string(t, code);
        else
            put(t, name, 1);
    }
    put(t, "\"", 1);
}

static void put_numbers(text *t, const char *key, const double *x, int32_t n)
{
    put_string(t, key);
    for (int32_t i = 0; i < n; i++) {
        char number[40];
        snprintf(number, sizeof number, "%s%.17g", i ? ", " : "", x[i]);
        put_string(t, number);
    }
    put_string(t, "]");
}

/* the loads, one per body, as the trim has used them: they move with their bodies */
static void put_wrenches(text *t, const robot *r)
{
    put_string(t, ",\n \"wrenches\": [");
    for (int32_t i = 0; i < r->nbodies; i++) {
        hml_body_info body = {.struct_size = sizeof body};
        if (hml_model_body(r->model, i, &body)) continue;
        put_string(t, i ? ",\n              {\"frame\": " : "{\"frame\": ");
        put_name(t, body.name);
        put_numbers(t, ", \"expressed\": \"frame\", \"wrench\": [", r->wrenches + 6 * i, 6);
        put_string(t, "}");
    }
    put_string(t, "]");
}

int trim_save(const char *path, const robot *r, const double *q, const double *tau)
{
    text t = {.data = malloc(256), .room = 256};
    hml_error error = {0};
    int count = 0;
    put_string(&t, "{\"joints\": {");
    for (int32_t i = 0; i < hml_model_njoints(r->model); i++) {
        hml_joint_info j = {.struct_size = sizeof j};
        if (hml_model_joint(r->model, i, &j) || j.nv == 0) continue; /* followers have no numbers of their own */
        put_string(&t, count++ ? ",\n            " : "");
        put_name(&t, j.name);
        put_numbers(&t, ": {\"position\": [", q + j.q, j.nq);
        put_numbers(&t, ", \"velocity\": [", r->state->v + j.v, j.nv);
        put_numbers(&t, ", \"force\": [", tau + j.v, j.nv);
        put_string(&t, "}");
    }
    put_string(&t, "}");
    if (r->wrenches) put_wrenches(&t, r);
    put_string(&t, "}\n");
    if (!t.data) return robot_fail(r, HML_OUT_OF_MEMORY);
    error.status = hml_file_write(path, t.data, t.size, &error);
    free(t.data);
    return error.status ? cli_fail_error(&error) : CLI_OK;
}
