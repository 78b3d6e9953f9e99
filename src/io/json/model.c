/* Hamel's own model format: the file, its bodies, its frames. docs/files.md describes it. */
#include "io/json/model.h"

#include <string.h>

#include "base/decimal.h"

typedef struct names {
    map places, joints, keyframes; /* bodies and frames share their names */
} names;

hml_status hmli_json_builder_fail(json_model *m, const place *at, hml_status status)
{
    if (status == HML_INVALID_ARGUMENT) status = HML_BAD_FILE; /* the arguments of the builder are the file's */
    if (!m->r->error) return status;
    char sentence[sizeof m->r->error->message];
    memcpy(sentence, m->r->error->message, sizeof sentence);
    hmli_json_fail(&m->json, at, "%s", sentence);
    m->r->error->status = status;
    return status;
}

static hml_status read_inertia(json_model *m, const place *at, hml_inertia_spec *inertia)
{
    static const char *const known[] = {"mass", "com", "moment", NULL};
    place mass = hmli_json_member(at, "mass"), com = hmli_json_member(at, "com"),
          moment = hmli_json_member(at, "moment");
    memset(inertia, 0, sizeof *inertia);
    hml_status status = hmli_json_object(&m->json, at);
    if (!status) status = hmli_json_warn_keys(m, at, "inertia", known);
    if (!status) status = hmli_json_need(&m->json, &mass);
    if (!status) status = hmli_json_number(&m->json, &mass, &inertia->mass);
    if (!status && inertia->mass < 0) status = hmli_json_fail(&m->json, &mass, "the mass is negative");
    if (!status) status = hmli_json_numbers(&m->json, &com, 3, inertia->com);
    if (!status) status = hmli_json_matrix(&m->json, &moment, inertia->moment);
    return status;
}

static hml_status add_name(json_model *m, map *taken, const place *at, const char *what, const char *name)
{
    int added = hmli_map_add(taken, name, 0);
    if (added < 0) return hmli_report_memory(m->r->error, m->r->file);
    return added ? HML_OK : hmli_json_fail(&m->json, at, "%s " QUOTED ": the name is taken", what, name);
}

static hml_status read_body(json_model *m, const place *at, names *taken)
{
    static const char *const known[] = {"name", "parent", "joint", "inertia", NULL};
    const json_reader *json = &m->json;
    const char *name = NULL, *parent = NULL;
    hml_joint_spec spec;
    hml_inertia_spec inertia;
    place name_at = hmli_json_member(at, "name"), parent_at = hmli_json_member(at, "parent");
    place joint = hmli_json_member(at, "joint"), inertia_at = hmli_json_member(at, "inertia");

    hml_status status = hmli_json_object(json, at);
    if (!status) status = hmli_json_need(json, &name_at);
    if (!status) status = hmli_json_text(json, &name_at, &name);
    if (!status && !parent_at.value)
        status = hmli_json_fail(json, at, "body " QUOTED ": parent is missing (null is the world)", name);
    if (!status && !json_is(parent_at.value, JSON_NULL)) status = hmli_json_text(json, &parent_at, &parent);
    if (!status) status = hmli_json_warn_keys(m, at, "body", known);
    if (!status) status = hmli_json_need(json, &joint);
    if (!status) status = hmli_json_joint(m, &joint, &spec);
    if (!status && inertia_at.value) status = read_inertia(m, &inertia_at, &inertia);
    if (!status) status = add_name(m, &taken->places, &name_at, "body", name);
    if (!status) {
        place joint_name = hmli_json_member(&joint, "name");
        status = add_name(m, &taken->joints, &joint_name, "joint", spec.name);
    }
    if (status) return status;
    status = hml_builder_add_body(m->r->builder, name, parent, &spec, inertia_at.value ? &inertia : NULL, m->r->error);
    return status ? hmli_json_builder_fail(m, at, status) : HML_OK;
}

static hml_status read_frame(json_model *m, const place *at, names *taken)
{
    static const char *const known[] = {"name", "body", "origin", NULL};
    const char *name = NULL, *body = NULL;
    double position[3], rotation[9];
    place name_at = hmli_json_member(at, "name"), body_at = hmli_json_member(at, "body");
    place origin = hmli_json_member(at, "origin");
    hml_status status = hmli_json_object(&m->json, at);
    if (!status) status = hmli_json_need(&m->json, &name_at);
    if (!status) status = hmli_json_text(&m->json, &name_at, &name);
    if (!status) status = hmli_json_need(&m->json, &body_at);
    if (!status && !json_is(body_at.value, JSON_NULL)) status = hmli_json_text(&m->json, &body_at, &body);
    if (!status) status = hmli_json_warn_keys(m, at, "frame", known);
    if (!status) status = hmli_json_origin(m, &origin, position, rotation);
    if (!status && body && hmli_map_find(&taken->places, body) < 0)
        status = hmli_json_fail(&m->json, &body_at, "frame " QUOTED ": its body " QUOTED " does not exist", name, body);
    if (!status) status = add_name(m, &taken->places, &name_at, "frame", name);
    if (status) return status;
    status = hml_builder_add_frame(m->r->builder, name, body, position, rotation, m->r->error);
    return status ? hmli_json_builder_fail(m, at, status) : HML_OK;
}

static hml_status read_shape(json_model *m, const place *at, const names *taken)
{
    const char *body = NULL;
    hml_shape shape;
    hml_status status = hmli_json_shape(m, at, &body, &shape);
    if (!status && body && hmli_map_find(&taken->places, body) < 0)
        status = hmli_json_fail(&m->json, at, "its body " QUOTED " does not exist", body);
    if (status) return status;
    status = hml_builder_add_shape(m->r->builder, body, &shape, m->r->error);
    return status ? hmli_json_builder_fail(m, at, status) : HML_OK;
}

static hml_status read_loop(json_model *m, const place *at, const names *taken)
{
    static const char *const ends[] = {"frame", "other"};
    hml_status status = HML_OK;
    for (int i = 0; !status && i < 2; i++) {
        place end = hmli_json_member(at, ends[i]);
        const char *name = json_text_of(end.value);
        if (name && hmli_map_find(&taken->places, name) < 0)
            status = hmli_json_fail(&m->json, &end, "there is no body or frame " QUOTED, name);
    }
    return status ? status : hmli_json_loop(m, at);
}

static hml_status read_keyframe(json_model *m, const place *at, names *taken)
{
    place name_at = hmli_json_member(at, "name");
    const char *name = json_text_of(name_at.value);
    hml_status status = name ? add_name(m, &taken->keyframes, &name_at, "keyframe", name) : HML_OK;
    return status ? status : hmli_json_keyframe(m, at);
}

/* with the place of the mistake, which the builder would not know any more */
static hml_status read_actuator(json_model *m, const place *at, names *taken)
{
    place joint = hmli_json_member(at, "joint"), frame = hmli_json_member(at, "frame");
    const char *drives = json_text_of(joint.value), *pushes = json_text_of(frame.value);
    if (drives && hmli_map_find(&taken->joints, drives) < 0)
        return hmli_json_fail(&m->json, &joint, "there is no joint " QUOTED, drives);
    if (pushes && hmli_map_find(&taken->places, pushes) < 0)
        return hmli_json_fail(&m->json, &frame, "there is no body or frame " QUOTED, pushes);
    return hmli_json_actuator(m, at);
}

/* links that were fixed to the world and are frames of it by now */
static hml_status read_world(json_model *m, const place *at)
{
    hml_inertia_spec inertia;
    if (!at->value) return HML_OK;
    hml_status status = read_inertia(m, at, &inertia);
    if (!status && hml_builder_set_world_inertia(m->r->builder, &inertia))
        status = hmli_json_fail(&m->json, at, "the inertia is not finite");
    return status;
}

/* what a body may refer to before it stands in the file */
static hml_status check_references(json_model *m, const place *bodies, const names *taken)
{
    for (size_t i = 0; i < json_list_size(bodies->value); i++) {
        place body = hmli_json_element(bodies, i), parent = hmli_json_member(&body, "parent");
        const char *name = json_text_of(hmli_json_get(body.value, "name"));
        const char *parent_name = json_text_of(parent.value);
        if (parent_name && hmli_map_find(&taken->places, parent_name) < 0)
            return hmli_json_fail(&m->json, &parent, "body " QUOTED ": its parent " QUOTED " does not exist", name,
                                  parent_name);
        place joint = hmli_json_member(&body, "joint"), mimic = hmli_json_member(&joint, "mimic");
        place leader = hmli_json_member(&mimic, "joint");
        const char *leader_name = json_text_of(leader.value);
        if (leader_name && hmli_map_find(&taken->joints, leader_name) < 0)
            return hmli_json_fail(&m->json, &leader, "joint " QUOTED " follows joint " QUOTED ", which does not exist",
                                  json_text_of(hmli_json_get(joint.value, "name")), leader_name);
    }
    return HML_OK;
}

static hml_status read_tree(json_model *m, const place *file)
{
    names taken = {0};
    const place bodies_at = hmli_json_member(file, "bodies"), *bodies = &bodies_at;
    const place frames = hmli_json_member(file, "frames"), shapes = hmli_json_member(file, "shapes");
    const place exclusions = hmli_json_member(file, "exclusions"), loops = hmli_json_member(file, "loops");
    const place keyframes = hmli_json_member(file, "keyframes"), actuators = hmli_json_member(file, "actuators");
    hml_status status = HML_OK;
    for (size_t i = 0; !status && i < json_list_size(bodies->value); i++) {
        place body = hmli_json_element(bodies, i);
        status = read_body(m, &body, &taken);
    }
    if (!status) status = check_references(m, bodies, &taken);
    for (size_t i = 0; !status && i < json_list_size(frames.value); i++) {
        place frame = hmli_json_element(&frames, i);
        status = read_frame(m, &frame, &taken);
    }
    for (size_t i = 0; !status && i < json_list_size(shapes.value); i++) {
        place shape = hmli_json_element(&shapes, i);
        status = read_shape(m, &shape, &taken);
    }
    for (size_t i = 0; !status && i < json_list_size(exclusions.value); i++) {
        place exclusion = hmli_json_element(&exclusions, i);
        status = hmli_json_exclusion(m, &exclusion, &taken.places);
    }
    for (size_t i = 0; !status && i < json_list_size(loops.value); i++) {
        place loop = hmli_json_element(&loops, i);
        status = read_loop(m, &loop, &taken);
    }
    for (size_t i = 0; !status && i < json_list_size(keyframes.value); i++) {
        place keyframe = hmli_json_element(&keyframes, i);
        status = read_keyframe(m, &keyframe, &taken);
    }
    for (size_t i = 0; !status && i < json_list_size(actuators.value); i++) {
        place actuator = hmli_json_element(&actuators, i);
        status = read_actuator(m, &actuator, &taken);
    }
    hmli_map_free(&taken.keyframes);
    hmli_map_free(&taken.places);
    hmli_map_free(&taken.joints);
    return status;
}

static hml_status read_file(json_model *m, const place *file)
{
    static const char *const known[] = {"hamel",  "name",       "gravity", "world",     "bodies",    "frames",
                                        "shapes", "exclusions", "loops",   "keyframes", "actuators", NULL};
    const json_reader *json = &m->json;
    place version = hmli_json_member(file, "hamel"), name_at = hmli_json_member(file, "name");
    place gravity_at = hmli_json_member(file, "gravity"), bodies = hmli_json_member(file, "bodies");
    static const char *const lists[] = {"frames", "shapes", "exclusions", "loops", "keyframes", "actuators"};
    place world = hmli_json_member(file, "world");
    const char *name = NULL;
    double number = 1, gravity[3];
    char text[DECIMAL_SIZE];

    hml_status status = hmli_json_object(json, file);
    if (!status) status = hmli_json_number(json, &version, &number);
    if (!status && number != 1)
        status = hmli_json_fail(json, &version, "version %s of the format is not supported, only version 1",
                                decimal_text(text, DECIMAL_SHORT, number));
    if (!status) status = hmli_json_text(json, &name_at, &name);
    if (!status) status = hmli_json_numbers(json, &gravity_at, 3, gravity);
    if (!status) status = hmli_json_need(json, &bodies);
    if (!status) status = hmli_json_array(json, &bodies);
    if (!status && json_list_size(bodies.value) == 0) status = hmli_json_fail(json, &bodies, "there are no bodies");
    for (size_t i = 0; !status && i < sizeof lists / sizeof *lists; i++) {
        const place list = hmli_json_member(file, lists[i]);
        status = hmli_json_array(json, &list);
    }
    if (!status) status = hmli_json_warn_keys(m, file, "file", known);
    if (status) return status;
    if (name && (status = hmli_reader_name(m->r, name, m->r->file, 0)))
        return status == HML_OUT_OF_MEMORY ? status : hmli_json_builder_fail(m, &name_at, status);
    if (gravity_at.value && hml_builder_set_gravity(m->r->builder, gravity))
        return hmli_json_fail(json, &gravity_at, "the gravity is not finite");
    status = read_world(m, &world);
    return status ? status : read_tree(m, file);
}

hml_status hmli_read_json(reader *r, const char *data, size_t size)
{
    json_model m = {.r = r, .json = {r->file, r->error}};
    const json_value *root;
    hml_status status = hmli_json_tree(r->memory, r->file, data, size, &root, r->error);
    if (status) return status;
    if (r->options.base)
        status = hmli_reader_warn(r, "the option for the base is ignored: only a URDF leaves the base open");
    place file = {.value = root};
    return status ? status : read_file(&m, &file);
}
