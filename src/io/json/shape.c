/* A shape of Hamel's own format. */
#include <math.h>
#include <string.h>

#include "io/json/model.h"

/* a list of points, into the arena */
static hml_status read_vertices(json_model *m, const place *at, hml_shape *shape)
{
    const json_reader *json = &m->json;
    hml_status status = hmli_json_need(json, at);
    if (!status) status = hmli_json_array(json, at);
    if (status) return status;
    const size_t n = json_list_size(at->value);
    if (n < 1 || n > HML_SHAPE_MAX_VERTICES)
        return hmli_json_fail(json, at, "a hull has 1 to %d vertices", HML_SHAPE_MAX_VERTICES);
    double *vertices = hmli_arena_get(m->r->memory, 3 * n * sizeof *vertices);
    if (!vertices) return hmli_report_memory(m->r->error, m->r->file);
    for (size_t i = 0; !status && i < n; i++) {
        place one = hmli_json_element(at, i);
        status = hmli_json_numbers(json, &one, 3, vertices + 3 * i);
    }
    shape->nvertices = (int32_t)n;
    shape->vertices = vertices;
    return status;
}

static hml_status read_bits(const json_reader *json, const place *at, const char *key, uint32_t *bits)
{
    double number = 0;
    place bits_at = hmli_json_member(at, key);
    hml_status status = hmli_json_number(json, &bits_at, &number);
    if (!status && !(number >= 0 && number <= UINT32_MAX && number == floor(number)))
        status = hmli_json_fail(json, &bits_at, "%s is a whole number of 0 to 4294967295", key);
    if (!status) *bits = (uint32_t)number;
    return status;
}

/* [body, body], null: the world */
hml_status hmli_json_exclusion(json_model *m, const place *at, const map *places)
{
    const char *names[2] = {NULL, NULL};
    hml_status status = hmli_json_array(&m->json, at);
    if (!status && json_list_size(at->value) != 2) status = hmli_json_fail(&m->json, at, "an exclusion has two bodies");
    for (size_t i = 0; !status && i < 2; i++) {
        place one = hmli_json_element(at, i);
        if (json_is(one.value, JSON_NULL)) continue;
        status = hmli_json_text(&m->json, &one, &names[i]);
        if (!status && hmli_map_find(places, names[i]) < 0)
            status = hmli_json_fail(&m->json, &one, "there is no body " QUOTED, names[i]);
    }
    if (status) return status;
    status = hml_builder_add_exclusion(m->r->builder, names[0], names[1], m->r->error);
    return status ? hmli_json_builder_fail(m, at, status) : HML_OK;
}

hml_status hmli_json_shape(json_model *m, const place *at, const char **body, hml_shape *shape)
{
    static const char *const known[] = {"body",        "type",     "size",    "origin",      "friction",
                                        "restitution", "vertices", "contype", "conaffinity", NULL};
    const json_reader *json = &m->json;
    place body_at = hmli_json_member(at, "body"), type_at = hmli_json_member(at, "type");
    place size = hmli_json_member(at, "size"), origin = hmli_json_member(at, "origin");
    place friction = hmli_json_member(at, "friction"), restitution = hmli_json_member(at, "restitution");
    place vertices = hmli_json_member(at, "vertices");
    const char *type = NULL;
    memset(shape, 0, sizeof *shape);
    shape->friction = -1;
    *body = NULL;
    hml_status status = hmli_json_object(json, at);
    if (!status) status = hmli_json_need(json, &body_at);
    if (!status && !json_is(body_at.value, JSON_NULL)) status = hmli_json_text(json, &body_at, body);
    if (!status) status = hmli_json_need(json, &type_at);
    if (!status) status = hmli_json_text(json, &type_at, &type);
    if (!status && hml_shape_kind_from_name(type, &shape->kind))
        status = hmli_json_fail(json, &type_at, "there is no shape " QUOTED, type);
    if (!status) status = hmli_json_warn_keys(m, at, "shape", known);
    int sizes = hml_shape_kind_sizes(shape->kind);
    if (!status && sizes > 0) status = hmli_json_need(json, &size);
    if (!status && sizes > 0) status = hmli_json_each(json, &size, sizes, 0, shape->size);
    if (!status && shape->kind == HML_SHAPE_HULL) status = read_vertices(m, &vertices, shape);
    if (!status) status = hmli_json_number(json, &friction, &shape->friction);
    if (!status && shape->friction < 0 && shape->friction != -1)
        status = hmli_json_fail(json, &friction, "friction is a number from 0 on, or -1: that of the other");
    if (!status) status = hmli_json_number(json, &restitution, &shape->restitution);
    if (!status) status = read_bits(json, at, "contype", &shape->contype);
    if (!status) status = read_bits(json, at, "conaffinity", &shape->conaffinity);
    if (!status) status = hmli_json_origin(m, &origin, shape->position, shape->rotation);
    return status;
}
