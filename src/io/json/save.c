/*
 * A model as Hamel JSON. The tree that the model holds is written: fixed joints that were merged are gone, the links
 * they carried are frames. Numbers have as many digits as it takes to read the same number back.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/io.h"
#include "hamel/model.h"
#include "io/common/report.h"
#include "io/common/writer.h"
#include "io/save.h"

static void put_list(writer *w, const double *x, int n)
{
    hmli_writer_put(w, "[");
    hmli_writer_numbers(w, x, n, ", ");
    hmli_writer_put(w, "]");
}

static void put_matrix(writer *w, const double x[9])
{
    hmli_writer_put(w, "[");
    for (int i = 0; i < 3; i++) {
        if (i) hmli_writer_put(w, ", ");
        put_list(w, x + 3 * i, 3);
    }
    hmli_writer_put(w, "]");
}

/* one number if all are the same, else a list; an infinite one is null */
static void put_each(writer *w, const double *x, int n)
{
    int same = 1;
    for (int i = 1; i < n; i++) same = same && x[i] == x[0];
    if (!same) hmli_writer_put(w, "[");
    for (int i = 0; i < (same ? 1 : n); i++) {
        if (i) hmli_writer_put(w, ", ");
        if (isfinite(x[i]))
            hmli_writer_number(w, x[i]);
        else
            hmli_writer_put(w, "null");
    }
    if (!same) hmli_writer_put(w, "]");
}

static int all_equal(const double *x, int n, double value)
{
    for (int i = 0; i < n; i++)
        if (x[i] != value) return 0;
    return 1;
}

static void put_origin(writer *w, const double position[3], const double rotation[9])
{
    hmli_writer_put(w, "{\"position\": ");
    put_list(w, position, 3);
    hmli_writer_put(w, ", \"rotation\": ");
    put_matrix(w, rotation);
    hmli_writer_put(w, "}");
}

static void put_passive(writer *w, const hml_joint_info *joint, int nq, int nv)
{
    static const char *const names[] = {"armature", "damping", "friction", "stiffness"};
    const double *values[] = {joint->armature, joint->damping, joint->friction, joint->stiffness};
    for (int i = 0; i < 4; i++) {
        if (all_equal(values[i], nv, 0)) continue;
        hmli_writer_print(w, ", \"%s\": ", names[i]);
        put_each(w, values[i], nv);
    }
    hml_joint_spec neutral;
    int same = 1;
    hml_joint_spec_init(&neutral, joint->type);
    for (int i = 0; i < nq; i++) same = same && joint->rest[i] == neutral.rest[i];
    if (!same) {
        hmli_writer_put(w, ", \"rest\": ");
        put_list(w, joint->rest, nq);
    }
}

static void put_limits(writer *w, const hml_joint_info *joint, int nv)
{
    static const char *const names[] = {"lower", "upper", "velocity", "effort"};
    const double *values[] = {joint->lower, joint->upper, joint->velocity_limit, joint->effort_limit};
    const char *before = ",\n               \"limits\": {";
    int any = 0;
    for (int i = 0; i < 4; i++) {
        if (all_equal(values[i], nv, i == 0 ? -INFINITY : INFINITY)) continue;
        hmli_writer_print(w, "%s\"%s\": ", before, names[i]);
        put_each(w, values[i], nv);
        before = ", ";
        any = 1;
    }
    if (any) hmli_writer_put(w, "}");
}

static void put_joint(writer *w, const hml_model *model, const hml_joint_info *joint)
{
    int nq = hml_joint_type_nq(joint->type), nv = hml_joint_type_nv(joint->type);
    hmli_writer_put(w, "{\"name\": ");
    hmli_writer_json_text(w, joint->name);
    hmli_writer_print(w, ", \"type\": \"%s\"", hml_joint_type_name(joint->type));
    if (hmli_save_uses_axis(joint->type)) {
        hmli_writer_put(w, ", \"axis\": ");
        put_list(w, joint->axis, 3);
    }
    if (joint->type == HML_JOINT_UNIVERSAL) {
        hmli_writer_put(w, ", \"axis2\": ");
        put_list(w, joint->axis2, 3);
    }
    if (joint->type == HML_JOINT_HELICAL) {
        hmli_writer_put(w, ", \"pitch\": ");
        hmli_writer_number(w, joint->pitch);
    }
    if (!all_equal(joint->point, 3, 0)) {
        hmli_writer_put(w, ", \"point\": ");
        put_list(w, joint->point, 3);
    }
    hmli_writer_print(w, ", \"actuated\": %s,\n               \"origin\": ", joint->actuated ? "true" : "false");
    put_origin(w, joint->position, joint->rotation);
    if (nv > 0) put_passive(w, joint, nq, nv);
    if (nv > 0) put_limits(w, joint, nv);
    if (joint->leader >= 0) {
        hml_joint_info leader = {.struct_size = sizeof leader};
        hml_model_joint(model, joint->leader, &leader);
        hmli_writer_put(w, ", \"mimic\": {\"joint\": ");
        hmli_writer_json_text(w, leader.name);
        hmli_writer_put(w, ", \"multiplier\": ");
        hmli_writer_number(w, joint->multiplier);
        hmli_writer_put(w, ", \"offset\": ");
        hmli_writer_number(w, joint->offset);
        hmli_writer_put(w, "}");
    }
    hmli_writer_put(w, "}");
}

static void put_inertia(writer *w, double mass, const double com[3], const double moment[9])
{
    hmli_writer_put(w, "{\"mass\": ");
    hmli_writer_number(w, mass);
    hmli_writer_put(w, ", \"com\": ");
    put_list(w, com, 3);
    hmli_writer_put(w, ", \"moment\": ");
    put_matrix(w, moment);
    hmli_writer_put(w, "}");
}

static void put_body(writer *w, const hml_model *model, int32_t index)
{
    hml_joint_info joint = {.struct_size = sizeof joint};
    hml_body_info body = {.struct_size = sizeof body};
    hml_model_joint(model, index, &joint);
    hml_model_body(model, joint.body, &body);
    const char *parent = hmli_save_parent(model, &joint);
    hmli_writer_print(w, "%s\n    {\"name\": ", index ? "," : "");
    hmli_writer_json_text(w, body.name);
    hmli_writer_put(w, ", \"parent\": ");
    if (parent)
        hmli_writer_json_text(w, parent);
    else
        hmli_writer_put(w, "null");
    hmli_writer_put(w, ",\n     \"joint\": ");
    put_joint(w, model, &joint);
    if (body.mass != 0 || !all_equal(body.com, 3, 0) || !all_equal(body.moment, 9, 0)) {
        hmli_writer_put(w, ",\n     \"inertia\": ");
        put_inertia(w, body.mass, body.com, body.moment);
    }
    hmli_writer_put(w, "}");
}

/* links that were fixed to the world are frames of it, which have no inertia of their own */
static void put_world(writer *w, const hml_model *model)
{
    hml_inertia_spec world;
    hml_model_world_inertia(model, &world);
    if (world.mass == 0 && all_equal(world.moment, 9, 0)) return;
    hmli_writer_put(w, "\n  \"world\": ");
    put_inertia(w, world.mass, world.com, world.moment);
    hmli_writer_put(w, ",");
}

/* a model in which nothing moves has only frames of the world; a file needs a body: the first of them, fixed */
static void put_still_body(writer *w, const hml_model *model)
{
    hml_frame_info frame = {.struct_size = sizeof frame};
    if (hml_model_frame(model, 0, &frame)) return;
    hmli_writer_put(w, "\n    {\"name\": ");
    hmli_writer_json_text(w, frame.name);
    hmli_writer_put(w, ", \"parent\": null, \"joint\": {\"name\": ");
    hmli_writer_json_text(w, frame.name);
    hmli_writer_put(w, ", \"type\": \"fixed\", \"origin\": ");
    put_origin(w, frame.position, frame.rotation);
    hmli_writer_put(w, "}}");
}

static void put_frames(writer *w, const hml_model *model)
{
    int any = 0;
    for (int32_t i = hml_model_njoints(model) == 0; i < hml_model_nframes(model); i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_model_frame(model, i, &frame);
        if (hmli_save_is_body(model, &frame)) continue;
        hmli_writer_print(w, "%s\n    {\"name\": ", any ? "," : ",\n  \"frames\": [");
        any = 1;
        hmli_writer_json_text(w, frame.name);
        hmli_writer_put(w, ", \"body\": ");
        if (frame.body >= 0) {
            hml_body_info body = {.struct_size = sizeof body};
            hml_model_body(model, frame.body, &body);
            hmli_writer_json_text(w, body.name);
        } else {
            hmli_writer_put(w, "null");
        }
        hmli_writer_put(w, ", \"origin\": ");
        put_origin(w, frame.position, frame.rotation);
        hmli_writer_put(w, "}");
    }
    if (any) hmli_writer_put(w, "\n  ]");
}

static void put_shapes(writer *w, const hml_model *model)
{
    hml_shape shape;
    for (int32_t i = 0; i < hml_model_nshapes(model) && !hml_model_shape(model, i, &shape); i++) {
        int sizes = hml_shape_kind_sizes(shape.kind);
        hml_body_info body = {.struct_size = sizeof body};
        hmli_writer_put(w, i ? ",\n    {\"body\": " : ",\n  \"shapes\": [\n    {\"body\": ");
        if (shape.frame >= 0 && !hml_model_body(model, shape.frame, &body))
            hmli_writer_json_text(w, body.name);
        else
            hmli_writer_put(w, "null");
        hmli_writer_print(w, ", \"type\": \"%s\"", hml_shape_kind_name(shape.kind));
        if (sizes > 0) {
            hmli_writer_put(w, ", \"size\": ");
            put_list(w, shape.size, sizes);
        }
        for (int32_t k = 0; k < shape.nvertices; k++) {
            hmli_writer_put(w, k ? ", " : ",\n     \"vertices\": [");
            put_list(w, shape.vertices + 3 * (size_t)k, 3);
        }
        if (shape.nvertices) hmli_writer_put(w, "]");
        if (shape.friction >= 0) {
            hmli_writer_put(w, ", \"friction\": ");
            hmli_writer_number(w, shape.friction);
        }
        if (shape.restitution > 0) {
            hmli_writer_put(w, ", \"restitution\": ");
            hmli_writer_number(w, shape.restitution);
        }
        if (shape.contype || shape.conaffinity)
            hmli_writer_print(w, ", \"contype\": %u, \"conaffinity\": %u", (unsigned)shape.contype,
                              (unsigned)shape.conaffinity);
        hmli_writer_put(w, ",\n     \"origin\": ");
        put_origin(w, shape.position, shape.rotation);
        hmli_writer_put(w, "}");
    }
    if (hml_model_nshapes(model)) hmli_writer_put(w, "\n  ]");
}

static void put_exclusions(writer *w, const hml_model *model)
{
    int32_t bodies[2];
    for (int32_t i = 0; i < hml_model_nexclusions(model) && !hml_model_exclusion(model, i, bodies); i++) {
        hmli_writer_put(w, i ? ", " : ",\n  \"exclusions\": [");
        for (int k = 0; k < 2; k++) {
            hml_body_info body = {.struct_size = sizeof body};
            hmli_writer_put(w, k ? ", " : "[");
            if (bodies[k] < 0 || hml_model_body(model, bodies[k], &body))
                hmli_writer_put(w, "null");
            else
                hmli_writer_json_text(w, body.name);
        }
        hmli_writer_put(w, "]");
    }
    if (hml_model_nexclusions(model)) hmli_writer_put(w, "]");
}

static void put_frame_name(writer *w, const hml_model *model, int32_t index)
{
    hml_frame_info frame = {.struct_size = sizeof frame};
    if (hml_model_frame(model, index, &frame))
        hmli_writer_put(w, "null");
    else
        hmli_writer_json_text(w, frame.name);
}

static void put_loop_number(writer *w, const char *key, double x)
{
    if (!(x > 0)) return;
    hmli_writer_print(w, ", \"%s\": ", key);
    hmli_writer_number(w, x);
}

static void put_loops(writer *w, const hml_model *model)
{
    hml_loop loop;
    for (int32_t i = 0; i < hml_model_nloops(model) && !hml_model_loop(model, i, &loop); i++) {
        double rotation[9], position[3];
        const char *name = hml_model_loop_name(model, i);
        for (int k = 0; k < 9; k++) rotation[k] = loop.pose[k / 3 * 4 + k % 3];
        for (int k = 0; k < 3; k++) position[k] = loop.pose[4 * k + 3];
        hmli_writer_put(w, i ? ",\n    {" : ",\n  \"loops\": [\n    {");
        if (*name) {
            hmli_writer_put(w, "\"name\": ");
            hmli_writer_json_text(w, name);
            hmli_writer_put(w, ", ");
        }
        hmli_writer_print(w, "\"type\": \"%s\", \"frame\": ", hml_constraint_kind_name(loop.kind));
        put_frame_name(w, model, loop.frame);
        hmli_writer_put(w, ", \"other\": ");
        put_frame_name(w, model, loop.other);
        if (loop.kind == HML_HOLD_PLANE) {
            hmli_writer_put(w, ", \"normal\": ");
            put_list(w, loop.normal, 3);
        }
        put_loop_number(w, "distance", loop.distance);
        put_loop_number(w, "damping", loop.damping);
        put_loop_number(w, "stiffness", loop.stiffness);
        hmli_writer_put(w, ",\n     \"origin\": ");
        put_origin(w, position, rotation);
        hmli_writer_put(w, "}");
    }
    if (hml_model_nloops(model)) hmli_writer_put(w, "\n  ]");
}

static void put_key(writer *w, const hml_joint_info *joint, const double *q, const double *v)
{
    hml_joint_spec neutral;
    int moved = 0;
    hml_joint_spec_init(&neutral, joint->type);
    for (int k = 0; k < joint->nq; k++) moved |= q[joint->q + k] != neutral.rest[k];
    hmli_writer_put(w, "{");
    if (moved) {
        hmli_writer_put(w, "\"position\": ");
        put_list(w, q + joint->q, joint->nq);
    }
    if (!all_equal(v + joint->v, joint->nv, 0)) {
        hmli_writer_put(w, moved ? ", \"velocity\": " : "\"velocity\": ");
        put_list(w, v + joint->v, joint->nv);
    }
    hmli_writer_put(w, "}");
}

/* joints that are neutral and at rest are left out */
static void put_keyframe(writer *w, const hml_model *model, int32_t index, const double *q, const double *v)
{
    const char *between = "";
    hmli_writer_print(w, "%s\n    {\"name\": ", index ? "," : ",\n  \"keyframes\": [");
    hmli_writer_json_text(w, hml_model_keyframe_name(model, index));
    hmli_writer_put(w, ", \"joints\": {");
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_joint_spec neutral;
        int same = 1;
        if (hml_model_joint(model, i, &joint) || joint.nq == 0) continue;
        hml_joint_spec_init(&neutral, joint.type);
        for (int k = 0; k < joint.nq; k++) same &= q[joint.q + k] == neutral.rest[k];
        if (same && all_equal(v + joint.v, joint.nv, 0)) continue;
        hmli_writer_print(w, "%s\n     ", between);
        hmli_writer_json_text(w, joint.name);
        hmli_writer_put(w, ": ");
        put_key(w, &joint, q, v);
        between = ",";
    }
    hmli_writer_put(w, "}}");
}

static void put_keyframes(writer *w, const hml_model *model)
{
    const int32_t n = hml_model_nkeyframes(model);
    if (n == 0) return;
    double *q = malloc(((size_t)hml_model_nq(model) + (size_t)hml_model_nv(model) + 1) * sizeof *q);
    if (!q) {
        w->failed = 1;
        return;
    }
    double *v = q + hml_model_nq(model);
    for (int32_t i = 0; i < n; i++) {
        if (!hml_model_keyframe(model, i, q, v)) put_keyframe(w, model, i, q, v);
    }
    hmli_writer_put(w, "\n  ]");
    free(q);
}

static void put_limit(writer *w, const char *key, double limit)
{
    if (isinf(limit)) return;
    hmli_writer_print(w, ", \"%s\": ", key);
    hmli_writer_number(w, limit);
}

static void put_actuators(writer *w, const hml_model *model)
{
    for (int32_t i = 0; i < hml_model_nactuators(model); i++) {
        hml_actuator a = {.struct_size = sizeof a};
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_model_actuator(model, i, &a);
        const int drives = a.transmission == HML_TRANSMISSION_JOINT;
        drives ? hml_model_joint(model, a.target, &joint) : hml_model_frame(model, a.target, &frame);
        hmli_writer_print(w, "%s\n    {\"name\": ", i ? "," : ",\n  \"actuators\": [");
        hmli_writer_json_text(w, a.name);
        hmli_writer_print(w, ", \"%s\": ", drives ? "joint" : "frame");
        hmli_writer_json_text(w, drives ? joint.name : frame.name);
        hmli_writer_put(w, ", \"gear\": ");
        put_list(w, a.gear, 6);
        hmli_writer_put(w, ", \"gain\": ");
        hmli_writer_number(w, a.gain);
        if (!all_equal(a.bias, 3, 0)) {
            hmli_writer_put(w, ", \"bias\": ");
            put_list(w, a.bias, 3);
        }
        put_limit(w, "lower", a.lower);
        put_limit(w, "upper", a.upper);
        put_limit(w, "force_lower", a.force_lower);
        put_limit(w, "force_upper", a.force_upper);
        hmli_writer_put(w, "}");
    }
    if (hml_model_nactuators(model)) hmli_writer_put(w, "\n  ]");
}

hml_status hml_write_json(const hml_model *model, char **text, size_t *size, hml_error *error)
{
    if (!model || !text || !size)
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no model to write");
    writer w = {0};
    double gravity[3];
    hml_model_gravity(model, gravity);
    hmli_writer_put(&w, "{\n  \"hamel\": 1,");
    if (hml_model_name(model)[0]) {
        hmli_writer_put(&w, "\n  \"name\": ");
        hmli_writer_json_text(&w, hml_model_name(model));
        hmli_writer_put(&w, ",");
    }
    hmli_writer_put(&w, "\n  \"gravity\": ");
    put_list(&w, gravity, 3);
    hmli_writer_put(&w, ",");
    put_world(&w, model);
    hmli_writer_put(&w, "\n  \"bodies\": [");
    for (int32_t i = 0; i < hml_model_njoints(model); i++) put_body(&w, model, i);
    if (hml_model_njoints(model) == 0) put_still_body(&w, model);
    hmli_writer_put(&w, "\n  ]");
    put_frames(&w, model);
    put_shapes(&w, model);
    put_exclusions(&w, model);
    put_loops(&w, model);
    put_keyframes(&w, model);
    put_actuators(&w, model);
    hmli_writer_put(&w, "\n}\n");
    return hmli_save_text(&w, text, size, error);
}

hml_status hml_save_json(const hml_model *model, const char *path, hml_error *error)
{
    return hmli_save_file(model, path, hml_write_json, error);
}
