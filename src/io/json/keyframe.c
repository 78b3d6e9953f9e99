/* A keyframe of Hamel's own format: {"name", "joints": {"knee": {"position", "velocity"}}}, as in a state file. */
#include "io/json/model.h"

/* one number may stand without brackets; *n stays 0 where nothing is given */
static hml_status read_some(const json_reader *json, const place *at, int most, int *n, double *x)
{
    *n = 0;
    if (!at->value) return HML_OK;
    *n = 1;
    if (json_is(at->value, JSON_NUMBER)) return hmli_json_number(json, at, x);
    hml_status status = hmli_json_array(json, at);
    if (status) return status;
    if (json_list_size(at->value) > (size_t)most) return hmli_json_fail(json, at, "no joint has so many numbers");
    *n = (int)json_list_size(at->value);
    return hmli_json_numbers(json, at, *n, x);
}

static hml_status read_joint(json_model *m, const place *at, const char *keyframe)
{
    static const char *const known[] = {"position", "velocity", NULL};
    place position_at = hmli_json_member(at, "position"), velocity_at = hmli_json_member(at, "velocity");
    double position[HML_JOINT_MAX_NQ], velocity[HML_JOINT_MAX_NV];
    int nq = 0, nv = 0;
    hml_status status = hmli_json_object(&m->json, at);
    if (!status) status = hmli_json_warn_keys(m, at, "joint of a keyframe", known);
    if (!status) status = read_some(&m->json, &position_at, HML_JOINT_MAX_NQ, &nq, position);
    if (!status) status = read_some(&m->json, &velocity_at, HML_JOINT_MAX_NV, &nv, velocity);
    if (status) return status;
    status = hml_builder_add_keyframe(m->r->builder, keyframe, at->key, nq, position_at.value ? position : NULL, nv,
                                      velocity_at.value ? velocity : NULL, m->r->error);
    return status ? hmli_json_builder_fail(m, at, status) : HML_OK;
}

hml_status hmli_json_keyframe(json_model *m, const place *at)
{
    static const char *const known[] = {"name", "joints", NULL};
    place name_at = hmli_json_member(at, "name"), joints = hmli_json_member(at, "joints");
    const char *name = NULL;
    hml_status status = hmli_json_object(&m->json, at);
    if (!status) status = hmli_json_need(&m->json, &name_at);
    if (!status) status = hmli_json_text(&m->json, &name_at, &name);
    if (!status) status = hmli_json_warn_keys(m, at, "keyframe", known);
    if (!status) status = hmli_json_object(&m->json, &joints);
    if (status) return status;
    status = hml_builder_add_keyframe(m->r->builder, name, NULL, 0, NULL, 0, NULL, m->r->error);
    if (status) return hmli_json_builder_fail(m, &name_at, status);
    for (uint32_t i = 0; !status && joints.value && i < joints.value->n; i++) {
        const json_member *member = &joints.value->is.members[i];
        place joint = {&joints, member->key, 0, &member->value};
        status = read_joint(m, &joint, name);
    }
    return status;
}
