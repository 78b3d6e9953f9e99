/* A shape of Hamel's own format. */
#include <string.h>

#include "io/json/model.h"

hml_status hml_json_shape(json_model *m, const place *at, const char **body, hml_shape *shape)
{
    static const char *const known[] = {"body", "type", "size", "origin", "friction", "restitution", NULL};
    const json_reader *json = &m->json;
    place body_at = hml_json_member(at, "body"), type_at = hml_json_member(at, "type");
    place size = hml_json_member(at, "size"), origin = hml_json_member(at, "origin");
    place friction = hml_json_member(at, "friction"), restitution = hml_json_member(at, "restitution");
    const char *type = NULL;
    memset(shape, 0, sizeof *shape);
    shape->friction = -1;
    *body = NULL;
    hml_status status = hml_json_object(json, at);
    if (!status) status = hml_json_need(json, &body_at);
    if (!status && !json_is(body_at.value, JSON_NULL)) status = hml_json_text(json, &body_at, body);
    if (!status) status = hml_json_need(json, &type_at);
    if (!status) status = hml_json_text(json, &type_at, &type);
    if (!status && hml_shape_kind_from_name(type, &shape->kind))
        status = hml_json_fail(json, &type_at, "there is no shape " QUOTED, type);
    if (!status) status = hml_json_warn_keys(m, at, "shape", known);
    int sizes = hml_shape_kind_sizes(shape->kind);
    if (!status && sizes > 0) status = hml_json_need(json, &size);
    if (!status && sizes > 0) status = hml_json_each(json, &size, sizes, 0, shape->size);
    if (!status) status = hml_json_number(json, &friction, &shape->friction);
    if (!status) status = hml_json_number(json, &restitution, &shape->restitution);
    if (!status) status = hml_json_origin(m, &origin, shape->position, shape->rotation);
    return status;
}
