/* hamel info --out: the model as tables of a result. */
#include <stdlib.h>
#include <string.h>

#include "hamel/base.h"
#include "hamel/subgroup.h"
#include "info.h"

const hml_isa info_isas[INFO_ISAS] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};

hml_body_info info_body(const hml_model *model, int32_t i)
{
    hml_body_info info = {.struct_size = sizeof info};
    hml_model_body(model, i, &info);
    return info;
}

hml_joint_info info_joint(const hml_model *model, int32_t i)
{
    hml_joint_info info = {.struct_size = sizeof info};
    hml_model_joint(model, i, &info);
    return info;
}

hml_frame_info info_frame(const hml_model *model, int32_t i)
{
    hml_frame_info info = {.struct_size = sizeof info};
    hml_model_frame(model, i, &info);
    return info;
}

const char *info_body_name(const hml_model *model, int32_t i) { return i < 0 ? NULL : info_body(model, i).name; }

const char *info_group(const hml_joint_info *joint)
{
    hml_subgroup G;
    if (joint->type == HML_JOINT_UNIVERSAL) return "SO(2)xSO(2)";
    if (hml_subgroup_of_joint(joint->type, joint->axis, joint->pitch, &G)) return "1";
    return hml_group_name(G.group);
}

/* ---- columns: one function fills a row of each ---- */

enum { TEXTS = 5, NUMBERS = 6, INTEGERS = 4, FLAGS = 1, WIDEST = 9 };

/* the columns of a table while it is being filled; a column without a name does not exist */
typedef struct columns {
    size_t rows;
    const char *text_names[TEXTS], *number_names[NUMBERS], *integer_names[INTEGERS], *flag_names[FLAGS];
    size_t widths[NUMBERS]; /* numbers per row: 1, 3 or 9, the last as 3×3 */
    const char **texts[TEXTS];
    double *numbers[NUMBERS];
    int64_t *integers[INTEGERS];
    int *flags[FLAGS];
} columns;

static int columns_alloc(columns *c)
{
    int ok = 1;
    for (int i = 0; i < TEXTS; i++) ok &= (c->texts[i] = calloc(c->rows + 1, sizeof(char *))) != NULL;
    for (int i = 0; i < NUMBERS; i++) ok &= (c->numbers[i] = calloc(WIDEST * (c->rows + 1), sizeof(double))) != NULL;
    for (int i = 0; i < INTEGERS; i++) ok &= (c->integers[i] = calloc(c->rows + 1, sizeof(int64_t))) != NULL;
    for (int i = 0; i < FLAGS; i++) ok &= (c->flags[i] = calloc(c->rows + 1, sizeof(int))) != NULL;
    return ok;
}

static void columns_free(columns *c)
{
    for (int i = 0; i < TEXTS; i++) free(c->texts[i]);
    for (int i = 0; i < NUMBERS; i++) free(c->numbers[i]);
    for (int i = 0; i < INTEGERS; i++) free(c->integers[i]);
    for (int i = 0; i < FLAGS; i++) free(c->flags[i]);
}

static void put_numbers(columns *c, int column, size_t row, const double *values)
{
    memcpy(c->numbers[column] + row * c->widths[column], values, c->widths[column] * sizeof *values);
}

static void columns_add(const columns *c, const char *name, hml_result *result)
{
    hml_result *t = hml_result_add_table(result, name, c->rows);
    for (int i = 0; i < TEXTS && c->text_names[i]; i++) hml_result_add_texts(t, c->text_names[i], c->rows, c->texts[i]);
    for (int i = 0; i < INTEGERS && c->integer_names[i]; i++) {
        hml_result_add_integers(t, c->integer_names[i], 1, &c->rows, c->integers[i]);
    }
    for (int i = 0; i < FLAGS && c->flag_names[i]; i++) {
        hml_result_add_flags(t, c->flag_names[i], c->rows, c->flags[i]);
    }
    for (int i = 0; i < NUMBERS && c->number_names[i]; i++) {
        size_t width = c->widths[i], shape[3] = {c->rows, width == 9 ? 3 : width, 3};
        hml_result_add_numbers(t, c->number_names[i], width == 1 ? 1 : width == 3 ? 2 : 3, shape, c->numbers[i]);
    }
}

/* ---- the tables ---- */

static void fill_body(const hml_model *model, columns *c, size_t row)
{
    hml_body_info body = info_body(model, (int32_t)row);
    c->texts[0][row] = body.name;
    c->texts[1][row] = info_body_name(model, body.parent);
    c->texts[2][row] = info_joint(model, body.joint).name;
    c->integers[0][row] = body.depth;
    put_numbers(c, 0, row, &body.mass);
    put_numbers(c, 1, row, body.com);
    put_numbers(c, 2, row, body.moment);
}

static void fill_joint(const hml_model *model, columns *c, size_t row)
{
    hml_joint_info joint = info_joint(model, (int32_t)row);
    const double follow[2] = {joint.multiplier, joint.offset};
    c->texts[0][row] = joint.name;
    c->texts[1][row] = hml_joint_type_name(joint.type);
    c->texts[2][row] = info_group(&joint);
    c->texts[3][row] = info_body_name(model, joint.body);
    c->texts[4][row] = joint.leader < 0 ? NULL : info_joint(model, joint.leader).name;
    c->integers[0][row] = joint.q;
    c->integers[1][row] = joint.nq;
    c->integers[2][row] = joint.v;
    c->integers[3][row] = joint.nv;
    c->flags[0][row] = joint.actuated;
    put_numbers(c, 0, row, joint.position);
    put_numbers(c, 1, row, joint.rotation);
    put_numbers(c, 2, row, joint.axis);
    put_numbers(c, 3, row, &joint.pitch);
    put_numbers(c, 4, row, &follow[0]);
    put_numbers(c, 5, row, &follow[1]);
}

static void fill_frame(const hml_model *model, columns *c, size_t row)
{
    hml_frame_info frame = info_frame(model, (int32_t)row);
    c->texts[0][row] = frame.name;
    c->texts[1][row] = info_body_name(model, frame.body);
    put_numbers(c, 0, row, frame.position);
    put_numbers(c, 1, row, frame.rotation);
}

static void fill_loop(const hml_model *model, columns *c, size_t row)
{
    hml_loop loop;
    double position[3], rotation[9];
    if (hml_model_loop(model, (int32_t)row, &loop)) return;
    for (int i = 0; i < 9; i++) rotation[i] = loop.pose[i / 3 * 4 + i % 3];
    for (int i = 0; i < 3; i++) position[i] = loop.pose[4 * i + 3];
    c->texts[0][row] = hml_model_loop_name(model, (int32_t)row);
    c->texts[1][row] = hml_constraint_kind_name(loop.kind);
    c->texts[2][row] = info_frame(model, loop.frame).name;
    c->texts[3][row] = loop.other < 0 ? "" : info_frame(model, loop.other).name;
    put_numbers(c, 0, row, position);
    put_numbers(c, 1, row, rotation);
    put_numbers(c, 2, row, loop.normal);
    put_numbers(c, 3, row, &loop.distance);
}

static void add_table(const hml_model *model, const char *name, columns c,
                      void (*fill)(const hml_model *, columns *, size_t), hml_result *result)
{
    if (columns_alloc(&c)) {
        for (size_t row = 0; row < c.rows; row++) fill(model, &c, row);
        columns_add(&c, name, result);
    } else {
        cli_lose_memory();
    }
    columns_free(&c);
}

/* one row for each velocity coordinate */
static void add_coordinates(const robot *r, hml_result *result)
{
    static const char *const names[] = {"armature", "damping", "stiffness",      "friction",
                                        "lower",    "upper",   "velocity_limit", "effort_limit"};
    enum { N = sizeof names / sizeof *names };
    size_t rows = (size_t)r->nv;
    double *values = calloc(N * (rows + 1), sizeof *values);
    const char **joints = calloc(rows + 1, sizeof *joints);
    for (int32_t i = 0; values && joints && i < hml_model_njoints(r->model); i++) {
        hml_joint_info joint = info_joint(r->model, i);
        const double *of[N] = {joint.armature, joint.damping, joint.stiffness,      joint.friction,
                               joint.lower,    joint.upper,   joint.velocity_limit, joint.effort_limit};
        for (int32_t k = 0; k < joint.nv; k++) {
            joints[joint.v + k] = joint.name;
            for (size_t n = 0; n < N; n++) values[n * rows + (size_t)(joint.v + k)] = of[n][k];
        }
    }
    if (values && joints) {
        hml_result *t = hml_result_add_table(result, "coordinates", rows);
        hml_result_add_texts(t, "name", rows, (const char *const *)r->names);
        hml_result_add_texts(t, "joint", rows, joints);
        for (size_t n = 0; n < N; n++) hml_result_add_numbers(t, names[n], 1, &rows, values + n * rows);
    } else {
        cli_lose_memory();
    }
    free(joints);
    free(values);
}

static void add_workspaces(const hml_model *model, hml_result *result)
{
    const char *names[INFO_ISAS];
    int64_t bytes[INFO_ISAS];
    size_t n = 0;
    for (int i = 0; i < INFO_ISAS; i++) {
        if (!hml_isa_available(info_isas[i])) continue;
        names[n] = hml_isa_name(info_isas[i]);
        bytes[n++] = (int64_t)hml_work_size(model, info_isas[i], HML_USE_ALL);
    }
    hml_result *t = hml_result_add_table(result, "workspace", n);
    hml_result_add_texts(t, "isa", n, names);
    hml_result_add_integers(t, "bytes", 1, &n, bytes);
}

static void add_warnings(const hml_model *model, hml_result *result)
{
    size_t n = (size_t)hml_model_nwarnings(model);
    const char **warnings = calloc(n + 1, sizeof *warnings);
    for (size_t i = 0; warnings && i < n; i++) warnings[i] = hml_model_warning(model, (int32_t)i);
    if (warnings)
        hml_result_add_texts(result, "warnings", n, warnings);
    else
        cli_lose_memory();
    free(warnings);
}

static void add_keyframes(const robot *r, hml_result *result)
{
    const size_t n = (size_t)hml_model_nkeyframes(r->model), nq = (size_t)r->nq, nv = (size_t)r->nv;
    const size_t q_shape[2] = {n, nq}, v_shape[2] = {n, nv};
    const char **names = calloc(n + 1, sizeof *names);
    double *q = calloc(n * nq + 1, sizeof *q), *v = calloc(n * nv + 1, sizeof *v);
    for (size_t i = 0; names && q && v && i < n; i++) {
        names[i] = hml_model_keyframe_name(r->model, (int32_t)i);
        hml_model_keyframe(r->model, (int32_t)i, q + i * nq, v + i * nv);
    }
    if (names && q && v) {
        hml_result *t = hml_result_add_table(result, "keyframes", n);
        hml_result_add_texts(t, "name", n, names);
        hml_result_add_numbers(t, "position", 2, q_shape, q);
        hml_result_add_numbers(t, "velocity", 2, v_shape, v);
    } else {
        cli_lose_memory();
    }
    free(names);
    free(q);
    free(v);
}

typedef struct actuator_columns {
    const char **names, **targets, **on;
    double *gear, *gain, *bias, *limits;
} actuator_columns;

static void put_actuators(const hml_model *model, size_t n, const actuator_columns *c)
{
    for (size_t i = 0; i < n; i++) {
        hml_actuator a = {.struct_size = sizeof a};
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_model_actuator(model, (int32_t)i, &a);
        const int drives = a.transmission == HML_TRANSMISSION_JOINT;
        drives ? hml_model_joint(model, a.target, &joint) : hml_model_frame(model, a.target, &frame);
        const double limits[4] = {a.lower, a.upper, a.force_lower, a.force_upper};
        c->names[i] = a.name, c->on[i] = drives ? "joint" : "frame", c->targets[i] = drives ? joint.name : frame.name;
        c->gain[i] = a.gain;
        memcpy(c->gear + 6 * i, a.gear, sizeof a.gear);
        memcpy(c->bias + 3 * i, a.bias, sizeof a.bias);
        memcpy(c->limits + 4 * i, limits, sizeof limits);
    }
}

static void add_actuators(const hml_model *model, hml_result *result)
{
    const size_t n = (size_t)hml_model_nactuators(model), gear[2] = {n, 6}, bias[2] = {n, 3}, limits[2] = {n, 4};
    const char **texts = calloc(3 * n + 1, sizeof *texts);
    double *numbers = calloc(14 * n + 1, sizeof *numbers);
    if (texts && numbers) {
        const actuator_columns c = {texts,           texts + n,       texts + 2 * n,   numbers,
                                    numbers + 6 * n, numbers + 7 * n, numbers + 10 * n};
        put_actuators(model, n, &c);
        hml_result *t = hml_result_add_table(result, "actuators", n);
        hml_result_add_texts(t, "name", n, c.names);
        hml_result_add_texts(t, "transmission", n, c.on);
        hml_result_add_texts(t, "target", n, c.targets);
        hml_result_add_numbers(t, "gear", 2, gear, c.gear);
        hml_result_add_numbers(t, "gain", 1, &n, c.gain);
        hml_result_add_numbers(t, "bias", 2, bias, c.bias);
        hml_result_add_numbers(t, "limits", 2, limits, c.limits);
    } else {
        cli_lose_memory();
    }
    free(texts);
    free(numbers);
}

hml_result *info_result(const robot *r)
{
    const hml_model *model = r->model;
    hml_result *result = hml_result_new();
    double gravity[3];
    const size_t three = 3;
    robot_add_common(r, HML_LEFT, result);
    hml_result_add_number(result, "mass", hml_model_mass(model));
    hml_model_gravity(model, gravity);
    hml_result_add_numbers(result, "gravity", 1, &three, gravity);
    add_table(model, "bodies",
              (columns){.rows = (size_t)r->nbodies,
                        .text_names = {"name", "parent", "joint"},
                        .integer_names = {"depth"},
                        .number_names = {"mass", "com", "moment"},
                        .widths = {1, 3, 9}},
              fill_body, result);
    add_table(model, "joints",
              (columns){.rows = (size_t)hml_model_njoints(model),
                        .text_names = {"name", "type", "group", "body", "follows"},
                        .integer_names = {"q", "nq", "v", "nv"},
                        .flag_names = {"actuated"},
                        .number_names = {"position", "rotation", "axis", "pitch", "multiplier", "offset"},
                        .widths = {3, 9, 3, 1, 1, 1}},
              fill_joint, result);
    add_coordinates(r, result);
    add_table(model, "frames",
              (columns){.rows = (size_t)hml_model_nframes(model),
                        .text_names = {"name", "body"},
                        .number_names = {"position", "rotation"},
                        .widths = {3, 9}},
              fill_frame, result);
    if (hml_model_nloops(model) > 0)
        add_table(model, "loops",
                  (columns){.rows = (size_t)hml_model_nloops(model),
                            .text_names = {"name", "type", "frame", "other"},
                            .number_names = {"position", "rotation", "normal", "distance"},
                            .widths = {3, 9, 3, 1}},
                  fill_loop, result);
    add_keyframes(r, result);
    add_actuators(model, result);
    add_warnings(model, result);
    add_workspaces(model, result);
    return result;
}
