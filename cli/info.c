/* hamel info: what is in a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"
#include "table.h"
#include "term.h"

enum { TEXT_SIZE = 512, DEPTH_SHOWN = 60 };

static int uses_axis(hml_joint_type type) { return (type >= HML_JOINT_REVOLUTE && type <= HML_JOINT_UNIVERSAL); }

/* ---- the tree ---- */

/* "x", "-z", or three numbers */
static void put_axis(const double axis[3], char *text, size_t size)
{
    for (int i = 0; i < 3; i++) {
        if (fabs(axis[i]) == 1) {
            snprintf(text, size, "%s%c", axis[i] < 0 ? "-" : "", "xyz"[i]);
            return;
        }
    }
    snprintf(text, size, "(%.3g, %.3g, %.3g)", axis[0] + 0.0, axis[1] + 0.0, axis[2] + 0.0);
}

static void put_motion(const hml_model *model, const hml_joint_info *joint, char *text, size_t size)
{
    char axis[64] = "", axis2[64] = "";
    put_axis(joint->axis, axis, sizeof axis);
    put_axis(joint->axis2, axis2, sizeof axis2);
    *text = 0;
    if (joint->leader >= 0) {
        snprintf(text, size, "%s %.4g %s %+.4g", axis, joint->multiplier, info_joint(model, joint->leader).name,
                 joint->offset);
    } else if (joint->type == HML_JOINT_UNIVERSAL) {
        snprintf(text, size, "%s, %s", axis, axis2);
    } else if (joint->type == HML_JOINT_HELICAL) {
        snprintf(text, size, "%s, %.4g m/rad", axis, joint->pitch);
    } else if (uses_axis(joint->type)) {
        snprintf(text, size, "%s", axis);
    }
}

static int is_last_child(const hml_model *model, int32_t i)
{
    hml_body_info body = info_body(model, i);
    if (body.parent >= 0) return body.subtree_end == info_body(model, body.parent).subtree_end;
    return body.subtree_end == hml_model_nbodies(model);
}

/* the lines that lead to a body, then its name: "│  └─ foot" */
static void put_branch(const hml_model *model, int32_t i, char *text, size_t size)
{
    const char *parts[DEPTH_SHOWN];
    int n = 0;
    parts[n++] = is_last_child(model, i) ? "└─ " : "├─ ";
    for (int32_t up = info_body(model, i).parent; up >= 0 && n < DEPTH_SHOWN; up = info_body(model, up).parent) {
        parts[n++] = is_last_child(model, up) ? "   " : "│  ";
    }
    *text = 0;
    while (n > 0) strncat(text, parts[--n], size - strlen(text) - 1);
    strncat(text, info_body_name(model, i), size - strlen(text) - 1);
}

static void put_coordinates(const hml_joint_info *joint, char *text, size_t size)
{
    *text = 0;
    if (joint->leader >= 0)
        snprintf(text, size, "follows");
    else if (joint->nv == 1)
        snprintf(text, size, "%d", joint->v);
    else if (joint->nv > 1)
        snprintf(text, size, "%d-%d", joint->v, joint->v + joint->nv - 1);
}

static void print_tree(const hml_model *model)
{
    static const char *const heading[] = {"body", "joint", "type", "group", "axis", "coordinates", "mass/kg", ""};
    table *t = table_new(8, "lllllrrl");
    char text[TEXT_SIZE];
    int32_t joint_before = -1;
    for (int i = 0; i < 8; i++) table_cell(t, heading[i]);
    table_cell(t, "world");
    for (int i = 1; i < 8; i++) table_cell(t, "");
    for (int32_t i = 0; i < hml_model_nbodies(model); i++) {
        hml_body_info body = info_body(model, i);
        hml_joint_info joint = info_joint(model, body.joint);
        int again = body.joint == joint_before; /* the second half of a universal joint */
        put_branch(model, i, text, sizeof text);
        table_cell(t, text);
        table_cell(t, again ? "" : joint.name);
        table_cell(t, again ? "" : hml_joint_type_name(joint.type));
        table_cell(t, again ? "" : info_group(&joint));
        put_motion(model, &joint, text, sizeof text);
        table_cell(t, again ? "" : text);
        put_coordinates(&joint, text, sizeof text);
        table_cell(t, again ? "" : text);
        table_number(t, body.mass);
        table_cell(t, again || joint.actuated || joint.nv == 0 ? "" : "not actuated");
        joint_before = body.joint;
    }
    table_print(t, stdout);
    table_free(t);
}

/* ---- the rest ---- */

/* a frame that is not simply a body */
static int is_extra(const hml_model *model, const hml_frame_info *frame)
{
    return frame->body < 0 || strcmp(frame->name, info_body_name(model, frame->body)) != 0;
}

static void print_frames(const hml_model *model)
{
    table *t = table_new(5, "llrrr");
    int count = 0;
    table_cell(t, "frame");
    table_cell(t, "on");
    table_cell(t, "x/m");
    table_cell(t, "y/m");
    table_cell(t, "z/m");
    for (int32_t i = 0; i < hml_model_nframes(model); i++) {
        hml_frame_info frame = info_frame(model, i);
        if (!is_extra(model, &frame)) continue;
        table_cell(t, frame.name);
        table_cell(t, frame.body < 0 ? "world" : info_body_name(model, frame.body));
        for (int k = 0; k < 3; k++) table_number(t, frame.position[k]);
        count++;
    }
    if (count > 0) {
        table_heading(stdout, "Frames");
        table_print(t, stdout);
    }
    table_free(t);
}

static void table_limit(table *t, double x)
{
    if (isfinite(x))
        table_number(t, x);
    else
        table_cell(t, "");
}

static void table_unless_zero(table *t, double x)
{
    if (x != 0)
        table_number(t, x);
    else
        table_cell(t, "");
}

/* limits and passive forces of the coordinates that have any */
static void print_limits(const robot *r)
{
    static const char *const heading[] = {"coordinate", "lower",    "upper",     "speed limit", "effort limit",
                                          "damping",    "friction", "stiffness", "armature"};
    enum { COLUMNS = sizeof heading / sizeof *heading };
    table *t = table_new(COLUMNS, "lrrrrrrrr");
    int count = 0;
    for (int i = 0; i < COLUMNS; i++) table_cell(t, heading[i]);
    for (int32_t j = 0; j < hml_model_njoints(r->model); j++) {
        const hml_joint_info x = info_joint(r->model, j);
        for (int32_t k = 0; k < x.nv; k++) {
            const double limits[] = {x.lower[k], x.upper[k], x.velocity_limit[k], x.effort_limit[k]};
            const double passive[] = {x.damping[k], x.friction[k], x.stiffness[k], x.armature[k]};
            int any = 0;
            for (int i = 0; i < 4; i++) any |= isfinite(limits[i]) || passive[i] != 0;
            if (!any) continue;
            count++;
            table_cell(t, r->labels[x.v + k]);
            for (int i = 0; i < 4; i++) table_limit(t, limits[i]);
            for (int i = 0; i < 4; i++) table_unless_zero(t, passive[i]);
        }
    }
    if (count > 0) {
        table_heading(stdout, "Limits and passive forces, in m, rad, s, N, N m");
        table_print(t, stdout);
    }
    table_free(t);
}

static const char *frame_name(const hml_model *model, int32_t frame)
{
    hml_frame_info info = {.struct_size = sizeof info};
    return frame < 0 || hml_model_frame(model, frame, &info) ? "world" : info.name;
}

static void print_shapes(const hml_model *model)
{
    table *t = table_new(5, "llrrr");
    const int32_t n = hml_model_nshapes(model);
    static const char *const heading[] = {"on", "shape", "size/m", "", ""};
    for (int i = 0; i < 5; i++) table_cell(t, heading[i]);
    for (int32_t i = 0; i < n; i++) {
        hml_shape shape;
        if (hml_model_shape(model, i, &shape)) continue;
        table_cell(t, frame_name(model, shape.frame));
        char kind[40];
        if (shape.nvertices)
            snprintf(kind, sizeof kind, "%s of %d points", hml_shape_kind_name(shape.kind), (int)shape.nvertices);
        else
            snprintf(kind, sizeof kind, "%s", hml_shape_kind_name(shape.kind));
        table_cell(t, kind);
        for (int k = 0; k < 3; k++) table_unless_zero(t, shape.size[k]);
    }
    if (n > 0) {
        table_heading(stdout, "Collision shapes");
        table_print(t, stdout);
    }
    table_free(t);
}

static void print_actuators(const hml_model *model)
{
    static const char *const heading[] = {"actuator", "on", "", "gain", "bias", "inputs", "forces"};
    if (hml_model_nactuators(model) == 0) return;
    table *t = table_new(7, "lllrlll");
    for (int i = 0; i < 7; i++) table_cell(t, heading[i]);
    for (int32_t i = 0; i < hml_model_nactuators(model); i++) {
        hml_actuator a = {.struct_size = sizeof a};
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_model_actuator(model, i, &a);
        const int drives = a.transmission == HML_TRANSMISSION_JOINT;
        drives ? hml_model_joint(model, a.target, &joint) : hml_model_frame(model, a.target, &frame);
        table_cell(t, a.name);
        table_cell(t, drives ? "joint" : "frame");
        table_cell(t, drives ? joint.name : frame.name);
        table_number(t, a.gain);
        table_format(t, "%g, %g, %g", a.bias[0], a.bias[1], a.bias[2]);
        table_format(t, "%g … %g", a.lower, a.upper);
        table_format(t, "%g … %g", a.force_lower, a.force_upper);
    }
    table_heading(stdout, "Actuators");
    table_print(t, stdout);
    table_free(t);
}

static void print_loops(const hml_model *model)
{
    table *t = table_new(4, "llll");
    const int32_t n = hml_model_nloops(model);
    static const char *const heading[] = {"frame", "tied to", "as", "name"};
    for (int i = 0; i < 4; i++) table_cell(t, heading[i]);
    for (int32_t i = 0; i < n; i++) {
        hml_loop loop;
        if (hml_model_loop(model, i, &loop)) continue;
        table_cell(t, frame_name(model, loop.frame));
        table_cell(t, frame_name(model, loop.other));
        table_cell(t, hml_constraint_kind_name(loop.kind));
        table_cell(t, hml_model_loop_name(model, i));
    }
    if (n > 0) {
        table_heading(stdout, "Loops");
        table_print(t, stdout);
    }
    table_free(t);
}

static void print_all(const cli_options *options, const robot *r)
{
    const hml_model *model = r->model;
    double g[3];
    hml_model_gravity(model, g);
    const int njoints = hml_model_njoints(model);
    printf("%s%s%s: %s base%s, %d bod%s, %d joint%s, %d degree%s of freedom, %.5g kg, gravity (%g, %g, %g)\n\n",
           term_style(TERM_BOLD), hml_model_name(model), term_style(TERM_PLAIN), r->base, r->why, r->nbodies,
           r->nbodies == 1 ? "y" : "ies", njoints, njoints == 1 ? "" : "s", r->nv, r->nv == 1 ? "" : "s",
           hml_model_mass(model), g[0], g[1], g[2]);
    print_tree(model);
    print_limits(r);
    print_frames(model);
    print_shapes(model);
    print_loops(model);
    int32_t keyframes = hml_model_nkeyframes(model);
    if (keyframes > 0) table_heading(stdout, "Keyframes");
    for (int32_t i = 0; i < keyframes; i++) printf("%s\n", hml_model_keyframe_name(model, i));
    print_actuators(model);
    if (options->memory) table_heading(stdout, "Workspace per thread");
    for (int i = 0; i < INFO_ISAS && options->memory; i++) {
        if (!hml_isa_available(info_isas[i])) continue;
        printf("%-6s  %8zu bytes\n", hml_isa_name(info_isas[i]), hml_work_size(model, info_isas[i], HML_USE_ALL));
    }
    int32_t warnings = hml_model_nwarnings(model);
    if (warnings > 0) table_heading(stdout, "Warnings");
    for (int32_t i = 0; i < warnings; i++) {
        printf("%s%s%s\n", term_style(TERM_WARN), hml_model_warning(model, i), term_style(TERM_PLAIN));
    }
}

/* what the shell completes: frames, joints or keyframes, as read_names of options_table.c numbers them */
static void print_names(const hml_model *model, int kind)
{
    const int32_t counts[] = {0, hml_model_nframes(model), hml_model_njoints(model), hml_model_nkeyframes(model)};
    for (int32_t i = 0; i < counts[kind]; i++) {
        if (kind == 1) printf("%s\n", info_frame(model, i).name);
        if (kind == 2) printf("%s\n", info_joint(model, i).name);
        if (kind == 3) printf("%s\n", hml_model_keyframe_name(model, i));
    }
}

int cli_info(const cli_options *options)
{
    robot r;
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK && options->out)
        status = robot_write(options, info_result(&r));
    else if (status == CLI_OK && options->names)
        print_names(r.model, options->names);
    else if (status == CLI_OK)
        print_all(options, &r);
    robot_free(&r);
    return status;
}
