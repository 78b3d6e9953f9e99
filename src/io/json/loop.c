/* A loop of Hamel's own format: two frames tied to each other. */
#include "io/json/model.h"

static hml_status read_numbers(const json_reader *json, const place *at, hml_loop *loop)
{
    place normal = hmli_json_member(at, "normal"), distance = hmli_json_member(at, "distance");
    place damping = hmli_json_member(at, "damping"), stiffness = hmli_json_member(at, "stiffness");
    hml_status status = HML_OK;
    if (loop->kind == HML_HOLD_PLANE) status = hmli_json_need(json, &normal);
    if (!status && loop->kind == HML_HOLD_DISTANCE) status = hmli_json_need(json, &distance);
    if (!status) status = hmli_json_numbers(json, &normal, 3, loop->normal);
    if (!status) status = hmli_json_number(json, &distance, &loop->distance);
    if (!status) status = hmli_json_number(json, &damping, &loop->damping);
    return status ? status : hmli_json_number(json, &stiffness, &loop->stiffness);
}

hml_status hmli_json_loop(json_model *m, const place *at)
{
    static const char *const known[] = {"name",     "type",    "frame",     "other",  "normal",
                                        "distance", "damping", "stiffness", "origin", NULL};
    const json_reader *json = &m->json;
    place name_at = hmli_json_member(at, "name"), type_at = hmli_json_member(at, "type");
    place frame_at = hmli_json_member(at, "frame"), other_at = hmli_json_member(at, "other");
    place origin = hmli_json_member(at, "origin");
    const char *name = NULL, *type = NULL, *frame = NULL, *other = NULL;
    double position[3], rotation[9];
    hml_loop loop = {0};
    hml_status status = hmli_json_object(json, at);
    if (!status) status = hmli_json_text(json, &name_at, &name);
    if (!status) status = hmli_json_need(json, &type_at);
    if (!status) status = hmli_json_text(json, &type_at, &type);
    if (!status && (hml_constraint_kind_from_name(type, &loop.kind) || loop.kind == HML_TOUCH_PLANE))
        status = hmli_json_fail(json, &type_at, "a loop is a frame, point, plane or distance, not " QUOTED, type);
    if (!status) status = hmli_json_need(json, &frame_at);
    if (!status) status = hmli_json_text(json, &frame_at, &frame);
    if (!status) status = hmli_json_need(json, &other_at);
    if (!status && !json_is(other_at.value, JSON_NULL)) status = hmli_json_text(json, &other_at, &other);
    if (!status) status = hmli_json_warn_keys(m, at, "loop", known);
    if (!status) status = read_numbers(json, at, &loop);
    if (!status) status = hmli_json_origin(m, &origin, position, rotation);
    if (status) return status;
    for (int i = 0; i < 12; i++) loop.pose[i] = i % 4 < 3 ? rotation[i / 4 * 3 + i % 4] : position[i / 4];
    loop.pose[15] = 1;
    status = hml_builder_add_loop(m->r->builder, name, frame, other, &loop, m->r->error);
    return status ? hmli_json_builder_fail(m, at, status) : HML_OK;
}
