/* An actuator of Hamel's own format: {"name", "joint" | "frame", "gear", "gain", "bias", limits}. */
#include "io/json/model.h"

/* one number may stand without brackets; what is not given stays as it is */
static hml_status read_some(const json_reader *json, const place *at, int most, double *x)
{
    if (!at->value) return HML_OK;
    if (json_is(at->value, JSON_NUMBER)) return hmli_json_number(json, at, x);
    hml_status status = hmli_json_array(json, at);
    if (status) return status;
    if (json_list_size(at->value) > (size_t)most)
        return hmli_json_fail(json, at, "there are more than %d numbers", most);
    return hmli_json_numbers(json, at, (int)json_list_size(at->value), x);
}

hml_status hmli_json_actuator(json_model *m, const place *at)
{
    static const char *const known[] = {"name",  "joint", "frame",       "gear",        "gain", "bias",
                                        "lower", "upper", "force_lower", "force_upper", NULL};
    const json_reader *json = &m->json;
    place name = hmli_json_member(at, "name"), joint = hmli_json_member(at, "joint");
    place frame = hmli_json_member(at, "frame"), gear = hmli_json_member(at, "gear");
    place gain = hmli_json_member(at, "gain"), bias = hmli_json_member(at, "bias");
    const char *target = NULL;
    hml_actuator a;
    hml_actuator_init(&a);
    hml_status status = hmli_json_object(json, at);
    if (!status) status = hmli_json_need(json, &name);
    if (!status) status = hmli_json_text(json, &name, &a.name);
    if (!status) status = hmli_json_warn_keys(m, at, "actuator", known);
    if (!status && !joint.value == !frame.value)
        status = hmli_json_fail(json, at, "an actuator acts on a \"joint\" or on a \"frame\"");
    if (!status) status = hmli_json_text(json, joint.value ? &joint : &frame, &target);
    if (!joint.value) a.transmission = HML_TRANSMISSION_FRAME;
    if (!status) status = read_some(json, &gear, 6, a.gear);
    if (!status) status = hmli_json_number(json, &gain, &a.gain);
    if (!status) status = read_some(json, &bias, 3, a.bias);
    double *const limits[] = {&a.lower, &a.upper, &a.force_lower, &a.force_upper};
    for (int i = 0; !status && i < 4; i++) {
        place limit = hmli_json_member(at, known[6 + i]);
        status = hmli_json_number(json, &limit, limits[i]);
    }
    if (status) return status;
    status = hml_builder_add_actuator(m->r->builder, target, &a, m->r->error);
    return status ? hmli_json_builder_fail(m, at, status) : HML_OK;
}
