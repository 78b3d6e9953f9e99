/* Loading a robot and its state, and what all results have in common. */
#include "robot.h"

#include <stdlib.h>
#include <string.h>

#include "find.h"
#include "hamel/dynamics.h"
#include "hamel/representation.h"
#include "term.h"

enum { NAME_SIZE = 512, WARNINGS_SHOWN = 5 };

static const char BUILT_IN[] = "nine"; /* the robot of Bos, section 5 */

/* ---- the model ---- */

/* the parent of a body, and the type of the joint that carries the body */
static int32_t parent_of(const hml_model *model, int32_t body, hml_joint_type *type)
{
    hml_body_info info = {.struct_size = sizeof info};
    hml_joint_info joint = {.struct_size = sizeof joint};
    hml_model_body(model, body, &info);
    hml_model_joint(model, info.joint, &joint);
    *type = joint.type;
    return info.parent;
}

/* a free joint on the world; kept fixed bodies may lie between */
static int has_free_root(const hml_model *model)
{
    for (int32_t i = 0; i < hml_model_nbodies(model); i++) {
        hml_joint_type type, above = HML_JOINT_FIXED;
        int32_t parent = parent_of(model, i, &type);
        while (parent >= 0 && above == HML_JOINT_FIXED) parent = parent_of(model, parent, &above);
        if (type == HML_JOINT_FREE && above == HML_JOINT_FIXED) return 1;
    }
    return 0;
}

/* what coordinate k of a joint is called after the joint's name; NULL: its number */
static const char *axis_name(hml_joint_type type, int32_t k)
{
    static const char *const linear[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    switch (type) {
    case HML_JOINT_FREE:
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_TRANSLATION2: return linear[k];
    case HML_JOINT_SPHERICAL: return linear[3 + k];
    case HML_JOINT_PLANAR: return k == 2 ? "wz" : linear[k];
    case HML_JOINT_SCHOENFLIES: return k == 3 ? "wz" : linear[k];
    case HML_JOINT_CYLINDRICAL: return k ? "w" : "v";
    default: return NULL;
    }
}

/* base.vx … base.wz for the coordinates that files call base.0 … base.5 */
static void write_labels(robot *r)
{
    for (int32_t j = 0; j < hml_model_njoints(r->model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(r->model, j, &joint);
        for (int32_t k = 0; k < joint.nv; k++) {
            const char *axis = joint.nv > 1 ? axis_name(joint.type, k) : NULL;
            if (axis)
                snprintf(r->labels[joint.v + k], NAME_SIZE, "%.500s.%s", joint.name, axis);
            else
                snprintf(r->labels[joint.v + k], NAME_SIZE, "%s", r->names[joint.v + k]);
        }
    }
}

/* how the root of a URDF was decided about; the other formats say it themselves */
static const char *reason(const cli_options *options, const robot *r)
{
    const char *ending = r->path ? strrchr(r->path, '.') : NULL;
    if (options->load.base != HML_BASE_AUTO || !ending || strcmp(ending, ".urdf") != 0) return "";
    for (int32_t i = 0; i < hml_model_nwarnings(r->model); i++) {
        if (strstr(hml_model_warning(r->model, i), "is bolted to the world"))
            return " (no legs and no flight in its names; --base free lets it float)";
    }
    if (strcmp(r->base, "fixed") == 0) return " (its root is the world)";
    return r->nbodies == 1 ? " (its only body)" : " (legs or flight in its names; --base fixed bolts it)";
}

static int load_names(robot *r)
{
    r->names = calloc((size_t)r->nv + 1, sizeof *r->names);
    r->labels = calloc((size_t)r->nv + 1, sizeof *r->labels);
    for (int32_t i = 0; r->names && r->labels && i < r->nv; i++) {
        r->names[i] = malloc(NAME_SIZE);
        r->labels[i] = malloc(NAME_SIZE);
        if (!r->names[i] || !r->labels[i] || hml_model_velocity_name(r->model, i, r->names[i], NAME_SIZE)) return 0;
    }
    if (r->names && r->labels) write_labels(r);
    return r->names && r->labels;
}

void robot_warn(const char *file, const char *sentence) { fprintf(stderr, "hamel: %s: warning: %s\n", file, sentence); }

int robot_load(const cli_options *options, const char *path, robot *r)
{
    hml_error error = {0};
    *r = (robot){.file = path ? path : "built-in"};
    found_robot found = {.builtin = BUILT_IN};
    const int looked = path ? find_robot(path, &found) : CLI_OK;
    r->path = found.path;
    if (looked != CLI_OK) return looked;
    if (r->path) r->file = r->path;
    hml_status status = r->path ? hml_load(r->path, &options->load, &r->model, &error)
                                : hml_load_builtin(found.builtin, &options->load, &r->model, &error);
    if (status) {
        error.status = status;
        return cli_fail_error(&error);
    }
    return robot_take(options, r);
}

int robot_take(const cli_options *options, robot *r)
{
    r->nq = hml_model_nq(r->model);
    r->nv = hml_model_nv(r->model);
    r->nbodies = hml_model_nbodies(r->model);
    r->base = has_free_root(r->model) ? "free" : "fixed";
    r->why = reason(options, r);
    if (!load_names(r)) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    return CLI_OK;
}

int robot_must_move(const robot *r)
{
    return r->nv > 0 ? CLI_OK : cli_fail(CLI_INPUT, "%s: nothing in this model can move", r->file);
}

/* ---- the state ---- */

void robot_show_warnings(const robot *r)
{
    int32_t n = hml_model_nwarnings(r->model);
    for (int32_t i = 0; i < n && i < WARNINGS_SHOWN; i++) robot_warn(r->file, hml_model_warning(r->model, i));
    if (n > WARNINGS_SHOWN) {
        fprintf(stderr, "hamel: %s: %d warning%s more; hamel info shows them\n", r->file, n - WARNINGS_SHOWN,
                n - WARNINGS_SHOWN == 1 ? "" : "s");
    }
}

hml_status robot_put_wrenches(const robot *r, const double *q)
{
    const hml_state *s = r->state;
    hml_status status = HML_OK;
    if (r->wrenches) memset(r->wrenches, 0, 6 * (size_t)r->nbodies * sizeof *r->wrenches);
    for (int32_t i = 0; i < s->nwrenches && !status; i++) {
        const hml_frame_wrench *w = &s->wrenches[i];
        status = hml_wrench_add(r->model, r->work, q, w->frame, w->in_world, w->wrench, r->wrenches);
    }
    return status;
}

hml_status robot_follow_state(const cli_options *options, robot *r)
{
    const hml_state *s = r->state;
    hml_status status = hml_velocity_to_representation(r->model, options->representation, s->q, s->v, r->v_rep);
    if (status || s->nwrenches == 0) return status;
    if (!r->wrenches) r->wrenches = malloc((6 * (size_t)r->nbodies + 1) * sizeof *r->wrenches);
    return r->wrenches ? robot_put_wrenches(r, s->q) : HML_OUT_OF_MEMORY;
}

int robot_load_state(const cli_options *options, robot *r)
{
    hml_error error = {0};
    if (options->state && options->keyframe)
        return cli_fail(CLI_USAGE, "--state and --keyframe both give the state; leave one out");
    hml_status status = hml_work_new(r->model, options->isa, HML_USE_ALL, &r->work);
    if (status) return robot_fail(r, status);
    status = options->state ? hml_state_load(options->state, r->model, &r->state, &error)
                            : hml_state_new(r->model, &r->state);
    if (status) {
        error.status = status;
        return cli_fail_error(&error);
    }
    int found = robot_load_keyframe(options, r);
    if (found == CLI_OK) found = robot_set_positions(options, r);
    if (found != CLI_OK) return found;
    if (!options->quiet) {
        robot_show_warnings(r);
        for (int32_t i = 0; i < r->state->nwarnings; i++) robot_warn(options->state, r->state->warnings[i]);
    }
    r->v_rep = malloc(((size_t)r->nv + 1) * sizeof *r->v_rep);
    if (!r->v_rep) return robot_fail(r, HML_OUT_OF_MEMORY);
    status = robot_follow_state(options, r);
    return status ? robot_fail(r, status) : CLI_OK;
}

void robot_free(robot *r)
{
    for (int32_t i = 0; r->names && i < r->nv; i++) free(r->names[i]);
    for (int32_t i = 0; r->labels && i < r->nv; i++) free(r->labels[i]);
    free(r->names);
    free(r->labels);
    free(r->path);
    free(r->v_rep);
    free(r->wrenches);
    free(r->loops);
    hml_state_free(r->state);
    hml_work_free(r->work);
    hml_model_free(r->model);
}

/* entries beyond the largest double: elimination then finds no pivot, as where there is no inertia */
static int mass_overflows(const robot *r)
{
    double *M = malloc(((size_t)r->nv * (size_t)r->nv + 1) * sizeof *M);
    const int far = M && r->state && hml_mass_matrix(r->model, r->work, r->state->q, M) == HML_NOT_FINITE;
    free(M);
    return far;
}

int robot_fail(const robot *r, hml_status status)
{
    if (status == HML_SINGULAR && mass_overflows(r))
        return cli_fail(cli_status_of(HML_NOT_FINITE), "%s: the mass matrix overflows: masses or lengths are too large",
                        r->file);
    char names[NAME_SIZE] = "";
    int *marks = calloc((size_t)r->nv + 1, sizeof *marks);
    if (status == HML_SINGULAR && marks && r->state &&
        !hml_singular_coordinates(r->model, r->work, r->state->q, marks)) {
        for (int32_t i = 0; i < r->nv; i++) {
            size_t used = strlen(names);
            if (marks[i]) snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", r->names[i]);
        }
    }
    free(marks);
    int exit_status = cli_status_of(status);
    if (!*names) return cli_fail(exit_status, "%s: %s", r->file, hml_status_message(status));
    return cli_fail(exit_status, "%s: the mass matrix is singular: nothing gives %s any inertia", r->file, names);
}

/* ---- results ---- */

void robot_add_common(const robot *r, hml_representation representation, hml_result *result)
{
    hml_result_add_text(result, "model", hml_model_name(r->model));
    hml_result_add_integer(result, "nv", r->nv);
    hml_result_add_integer(result, "nq", r->nq);
    hml_result_add_texts(result, "velocity_names", (size_t)r->nv, (const char *const *)r->names);
    hml_result_add_text(result, "representation", hml_representation_name(representation));
    hml_result_add_text(result, "base", r->base);
}

void robot_add_state(const robot *r, hml_result *result)
{
    const size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
    hml_result_add_numbers(result, "position", 1, &nq, r->state->q);
    hml_result_add_numbers(result, "velocity", 1, &nv, r->state->v);
    hml_result_add_numbers(result, "torque", 1, &nv, r->state->tau);
}

void robot_print_header(const robot *r, hml_representation representation)
{
    static const char *const axes[] = {[HML_LEFT] = "in body axes (left)",
                                       [HML_RIGHT] = "at the world's origin (right)",
                                       [HML_MIXED] = "at the base in world axes (mixed)",
                                       [HML_SPLIT] = "linear in world, angular in body axes (split)"};
    printf("%s%s%s: %s base%s, %d degree%s of freedom, velocities %s\n", term_style(TERM_BOLD),
           hml_model_name(r->model), term_style(TERM_PLAIN), r->base, r->why, r->nv, r->nv == 1 ? "" : "s",
           axes[representation]);
}

int robot_write(const cli_options *options, hml_result *result)
{
    hml_error error = {0};
    int status = cli_check_memory();
    if (status != CLI_OK) {
        hml_result_free(result);
        return status;
    }
    error.status = hml_result_write(result, options->out, HML_RESULT_AUTO, &error);
    hml_result_free(result);
    return error.status ? cli_fail_error(&error) : CLI_OK;
}
