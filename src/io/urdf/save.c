/*
 * A model as URDF, as far as URDF can say it. A single free root joint called `base` in the world's frame is left out:
 * a reader gives it to the root link. Any other root hangs on a link called `world`. Frames are links fixed to their
 * body.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/model.h"
#include "io/common/rotation.h"
#include "io/save.h"

typedef struct urdf_writer {
    writer w;
    const hml_model *model;
    hml_error *error;
    int world; /* is there a link called `world`? */
} urdf_writer;

static void put_text(writer *w, const char *text)
{
    for (const char *c = text; *c; c++) {
        char one[2] = {*c, 0};
        if (strchr("&<>\"", *c) || (unsigned char)*c < 0x20)
            hmli_writer_print(w, "&#%d;", *c);
        else
            hmli_writer_put(w, one);
    }
}

/* roll, pitch, yaw. Roll is read after yaw is taken away, so that it is right where pitch is a quarter turn too */
static void rpy_of_rotation(const double R[9], double rpy[3])
{
    double yaw = atan2(R[3], R[0]), s = sin(yaw), c = cos(yaw);
    rpy[0] = atan2(s * R[2] - c * R[5], c * R[4] - s * R[1]);
    rpy[1] = atan2(-R[6], hypot(R[0], R[3]));
    rpy[2] = yaw;
}

static void put_origin(writer *w, const double position[3], const double rotation[9])
{
    double rpy[3];
    rpy_of_rotation(rotation, rpy);
    hmli_writer_put(w, "<origin xyz=\"");
    hmli_writer_numbers(w, position, 3, " ");
    hmli_writer_put(w, "\" rpy=\"");
    hmli_writer_numbers(w, rpy, 3, " ");
    hmli_writer_put(w, "\"/>");
}

/* ---- what URDF cannot say ---- */

static hml_status cannot(urdf_writer *u, const hml_joint_info *joint, const char *what)
{
    return hmli_report(u->error, HML_UNSUPPORTED, NULL, 0, "joint " QUOTED ": URDF cannot express %s", joint->name,
                       what);
}

static int is_identity(const double position[3], const double rotation[9])
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 3; i++)
        if (position[i] != 0) return 0;
    for (int i = 0; i < 9; i++)
        if (rotation[i] != one[i]) return 0;
    return 1;
}

static hml_status check_limits(urdf_writer *u, const hml_joint_info *joint, int nv)
{
    int lower = isfinite(joint->lower[0]), upper = isfinite(joint->upper[0]);
    int effort = isfinite(joint->effort_limit[0]) || isfinite(joint->velocity_limit[0]);
    if (nv == 1 && lower != upper) return cannot(u, joint, "a limit on one side only");
    if (joint->type == HML_JOINT_PRISMATIC && !lower && effort)
        return cannot(u, joint, "a limit of effort or velocity without limits of position");
    for (int i = 0; nv > 1 && i < nv; i++) {
        if (isfinite(joint->lower[i]) || isfinite(joint->upper[i]))
            return cannot(u, joint, "limits of several coordinates");
        if (joint->effort_limit[i] != joint->effort_limit[0] || joint->velocity_limit[i] != joint->velocity_limit[0])
            return cannot(u, joint, "limits that differ between coordinates");
    }
    return HML_OK;
}

static hml_status check_joint(urdf_writer *u, const hml_joint_info *joint)
{
    hml_joint_spec usual;
    hml_joint_spec_init(&usual, joint->type);
    int nv = hml_joint_type_nv(joint->type);
    switch (joint->type) {
    case HML_JOINT_FIXED:
    case HML_JOINT_REVOLUTE:
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_PLANAR:
    case HML_JOINT_FREE: break;
    default:
        return hmli_report(u->error, HML_UNSUPPORTED, NULL, 0, "joint " QUOTED ": URDF has no %s joint", joint->name,
                           hml_joint_type_name(joint->type));
    }
    for (int i = 0; i < 3; i++)
        if (joint->point[i] != 0) return cannot(u, joint, "an axis away from the origin of the link (point)");
    for (int i = 0; i < nv; i++) {
        if (joint->armature[i] != 0) return cannot(u, joint, "armature");
        if (joint->stiffness[i] != 0) return cannot(u, joint, "stiffness");
        if (joint->damping[i] != joint->damping[0]) return cannot(u, joint, "damping that differs between coordinates");
        if (joint->friction[i] != joint->friction[0])
            return cannot(u, joint, "friction that differs between coordinates");
    }
    if (nv > 0 && joint->actuated != usual.actuated)
        return cannot(u, joint, joint->actuated ? "that a floating joint is actuated" : "that a joint is not actuated");
    return nv > 0 ? check_limits(u, joint, nv) : HML_OK;
}

/* ---- the parts ---- */

/* lengths are whole in the file; points, friction and restitution have no words there */
static void put_shape(writer *w, const hml_shape *shape)
{
    const char *kind = hml_shape_kind_name(shape->kind);
    double size[3] = {2 * shape->size[0], 2 * shape->size[1], 2 * shape->size[2]};
    int box = shape->kind == HML_SHAPE_BOX;
    hmli_writer_put(w, "    <collision>");
    put_origin(w, shape->position, shape->rotation);
    hmli_writer_print(w, "<geometry><%s %s=\"", kind, box ? "size" : "radius");
    hmli_writer_numbers(w, box ? size : shape->size, box ? 3 : 1, " ");
    if (hml_shape_kind_sizes(shape->kind) == 2) {
        hmli_writer_put(w, "\" length=\"");
        hmli_writer_number(w, size[1]);
    }
    hmli_writer_put(w, "\"/></geometry></collision>\n");
}

/* those of a body, −1: the world; returns how many can be said: not points, and not hulls, which are files of their own */
static int put_shapes(urdf_writer *u, int32_t body, int write)
{
    hml_shape shape;
    int count = 0;
    for (int32_t i = 0; i < hml_model_nshapes(u->model) && !hml_model_shape(u->model, i, &shape); i++) {
        if (shape.frame != body || shape.kind == HML_SHAPE_POINT || shape.kind == HML_SHAPE_HULL) continue;
        if (write) put_shape(&u->w, &shape);
        count++;
    }
    return count;
}

static void put_link(urdf_writer *u, const hml_body_info *body, int32_t index)
{
    static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const int entries[] = {0, 1, 2, 4, 5, 8};
    writer *w = &u->w;
    int heavy = body->mass != 0;
    for (int i = 0; i < 9; i++) heavy = heavy || body->moment[i] != 0;
    hmli_writer_put(w, "  <link name=\"");
    put_text(w, body->name);
    if (!heavy && !put_shapes(u, index, 0)) {
        hmli_writer_put(w, "\"/>\n");
        return;
    }
    hmli_writer_put(w, "\">\n");
    put_shapes(u, index, 1);
    if (!heavy) {
        hmli_writer_put(w, "  </link>\n");
        return;
    }
    hmli_writer_put(w, "    <inertial><origin xyz=\"");
    hmli_writer_numbers(w, body->com, 3, " ");
    hmli_writer_put(w, "\"/><mass value=\"");
    hmli_writer_number(w, body->mass);
    hmli_writer_put(w, "\"/><inertia");
    for (int i = 0; i < 6; i++) {
        hmli_writer_print(w, " %s=\"", names[i]);
        hmli_writer_number(w, body->moment[entries[i]]);
        hmli_writer_put(w, "\"");
    }
    hmli_writer_put(w, "/></inertial>\n  </link>\n");
}

static void put_limit(writer *w, const char *name, double value)
{
    if (!isfinite(value)) return;
    hmli_writer_print(w, " %s=\"", name);
    hmli_writer_number(w, value);
    hmli_writer_put(w, "\"");
}

static void open_joint(writer *w, const char *name, const char *type, const char *parent, const char *child)
{
    hmli_writer_put(w, "  <joint name=\"");
    put_text(w, name);
    hmli_writer_print(w, "\" type=\"%s\"><parent link=\"", type);
    put_text(w, parent);
    hmli_writer_put(w, "\"/><child link=\"");
    put_text(w, child);
    hmli_writer_put(w, "\"/>\n    ");
}

static void put_dynamics(writer *w, const hml_joint_info *joint, int nv)
{
    if (nv == 0 || (joint->damping[0] == 0 && joint->friction[0] == 0)) return;
    hmli_writer_put(w, "<dynamics damping=\"");
    hmli_writer_number(w, joint->damping[0]);
    if (joint->friction[0] != 0) {
        hmli_writer_put(w, "\" friction=\"");
        hmli_writer_number(w, joint->friction[0]);
    }
    hmli_writer_put(w, "\"/>");
}

static void put_joint(urdf_writer *u, const hml_joint_info *joint, const char *child)
{
    writer *w = &u->w;
    const char *parent = hmli_save_parent(u->model, joint), *type = hml_joint_type_name(joint->type);
    int limited = isfinite(joint->lower[0]), nv = hml_joint_type_nv(joint->type);
    if (joint->type == HML_JOINT_FREE) type = "floating";
    if (joint->type == HML_JOINT_REVOLUTE && !limited) type = "continuous";
    open_joint(w, joint->name, type, parent ? parent : "world", child);
    put_origin(w, joint->position, joint->rotation);
    if (hmli_save_uses_axis(joint->type)) {
        hmli_writer_put(w, "<axis xyz=\"");
        hmli_writer_numbers(w, joint->axis, 3, " ");
        hmli_writer_put(w, "\"/>");
    }
    if (joint->type == HML_JOINT_PLANAR) hmli_writer_put(w, "<axis xyz=\"0 0 1\"/>");
    if (nv > 0 && (limited || isfinite(joint->effort_limit[0]) || isfinite(joint->velocity_limit[0]))) {
        hmli_writer_put(w, "<limit");
        put_limit(w, "lower", joint->lower[0]);
        put_limit(w, "upper", joint->upper[0]);
        put_limit(w, "effort", joint->effort_limit[0]);
        put_limit(w, "velocity", joint->velocity_limit[0]);
        hmli_writer_put(w, "/>");
    }
    put_dynamics(w, joint, nv);
    if (joint->leader >= 0) {
        hml_joint_info leader = {.struct_size = sizeof leader};
        hml_model_joint(u->model, joint->leader, &leader);
        hmli_writer_put(w, "<mimic joint=\"");
        put_text(w, leader.name);
        hmli_writer_put(w, "\" multiplier=\"");
        hmli_writer_number(w, joint->multiplier);
        hmli_writer_put(w, "\" offset=\"");
        hmli_writer_number(w, joint->offset);
        hmli_writer_put(w, "\"/>");
    }
    hmli_writer_put(w, "\n  </joint>\n");
}

/* a link for every frame, with a joint of the frame's name, or of one that is not taken */
static void put_frame(urdf_writer *u, const hml_frame_info *frame)
{
    writer *w = &u->w, name = {0};
    hml_body_info body = {.struct_size = sizeof body, .name = "world"};
    if (frame->body >= 0) hml_model_body(u->model, frame->body, &body);
    hmli_writer_put(&name, frame->name);
    while (!name.failed && hml_model_find_joint(u->model, name.data) >= 0) hmli_writer_put(&name, "_");
    if (name.failed) {
        w->failed = 1;
        return;
    }
    hmli_writer_put(w, "  <link name=\"");
    put_text(w, frame->name);
    hmli_writer_put(w, "\"/>\n");
    open_joint(w, name.data, "fixed", body.name, frame->name);
    put_origin(w, frame->position, frame->rotation);
    hmli_writer_put(w, "\n  </joint>\n");
    hmli_writer_free(&name);
}

/* ---- the whole ---- */

static int is_plain_base(const urdf_writer *u, const hml_joint_info *joint)
{
    return !u->world && joint->type == HML_JOINT_FREE && !hmli_save_parent(u->model, joint);
}

/* may the root joint be left to the reader, or is a link called `world` needed? */
static int needs_world(const hml_model *model)
{
    hml_joint_info joint = {.struct_size = sizeof joint};
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_model_joint(model, i, &joint);
        if (hmli_save_parent(model, &joint)) continue;
        if (i > 0 || joint.type != HML_JOINT_FREE || strcmp(joint.name, "base") != 0 || joint.damping[0] != 0 ||
            joint.friction[0] != 0 || !is_identity(joint.position, joint.rotation))
            return 1;
    }
    for (int32_t i = 0; i < hml_model_nframes(model); i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_model_frame(model, i, &frame);
        if (frame.body < 0) return 1;
    }
    for (int32_t i = 0; i < hml_model_nshapes(model); i++) {
        hml_shape shape;
        if (!hml_model_shape(model, i, &shape) && shape.frame < 0) return 1;
    }
    hml_inertia_spec fixed;
    hml_model_world_inertia(model, &fixed);
    if (fixed.mass != 0) return 1;
    return hml_model_njoints(model) == 0 || hml_model_find_body(model, "world") >= 0;
}

static hml_status check_model(urdf_writer *u)
{
    double gravity[3];
    hml_model_gravity(u->model, gravity);
    if (gravity[0] != 0 || gravity[1] != 0 || gravity[2] != -9.81)
        return hmli_report(u->error, HML_UNSUPPORTED, NULL, 0,
                           "URDF cannot express the gravity, which is not (0, 0, -9.81)");
    if (u->world && hml_model_find_body(u->model, "world") >= 0)
        return hmli_report(u->error, HML_UNSUPPORTED, NULL, 0,
                           "a moving body has the name that URDF needs for the world");
    int32_t index = u->world ? hml_model_find_frame(u->model, "world") : -1;
    hml_frame_info frame = {.struct_size = sizeof frame};
    if (index >= 0) hml_model_frame(u->model, index, &frame);
    if (index >= 0 && (frame.body >= 0 || !is_identity(frame.position, frame.rotation)))
        return hmli_report(u->error, HML_UNSUPPORTED, NULL, 0, "a frame has the name that URDF needs for the world");
    for (int32_t i = 0; i < hml_model_njoints(u->model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(u->model, i, &joint);
        hml_status status = check_joint(u, &joint);
        if (status) return status;
    }
    return HML_OK;
}

static void put_model(urdf_writer *u)
{
    const hml_model *model = u->model;
    hmli_writer_put(&u->w, "<?xml version=\"1.0\"?>\n<robot name=\"");
    put_text(&u->w, hml_model_name(model));
    hmli_writer_put(&u->w, "\">\n");
    hml_body_info world = {.struct_size = sizeof world, .name = "world"};
    hml_inertia_spec fixed; /* to the world: the links that it came from are frames by now */
    hml_model_world_inertia(model, &fixed);
    world.mass = fixed.mass;
    memcpy(world.com, fixed.com, sizeof world.com);
    memcpy(world.moment, fixed.moment, sizeof world.moment);
    if (u->world) put_link(u, &world, -1);
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_body_info body = {.struct_size = sizeof body};
        hml_model_joint(model, i, &joint);
        hml_model_body(model, joint.body, &body);
        put_link(u, &body, joint.body);
        if (!is_plain_base(u, &joint)) put_joint(u, &joint, body.name);
    }
    for (int32_t i = 0; i < hml_model_nframes(model); i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_model_frame(model, i, &frame);
        int is_world = u->world && frame.body < 0 && strcmp(frame.name, "world") == 0;
        if (!is_world && !hmli_save_is_body(model, &frame)) put_frame(u, &frame);
    }
    hmli_writer_put(&u->w, "</robot>\n");
}

hml_status hml_write_urdf(const hml_model *model, char **text, size_t *size, hml_error *error)
{
    if (!model || !text || !size)
        return hmli_report(error, HML_INVALID_ARGUMENT, NULL, 0, "there is no model to write");
    urdf_writer u = {.model = model, .error = error, .world = needs_world(model)};
    hml_status status = check_model(&u);
    if (status) return status;
    put_model(&u);
    return hmli_save_text(&u.w, text, size, error);
}

hml_status hml_save_urdf(const hml_model *model, const char *path, hml_error *error)
{
    return hmli_save_file(model, path, hml_write_urdf, error);
}
