/* The state of a robot: from a file, a keyframe, or name=value pairs of the command line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot.h"

static const char *keyframe_name(const void *model, int i) { return hml_model_keyframe_name(model, i); }

/* the keyframe that was asked for; for a motion without a state, that of the name "start" if there is one */
int robot_load_keyframe(const cli_options *options, robot *r)
{
    const int asked = options->keyframe != NULL;
    const int starts = !asked && !options->state && options->time > 0;
    const char *name = asked ? options->keyframe : starts ? "start" : NULL;
    const int32_t index = hml_model_find_keyframe(r->model, name);
    if (index < 0 && asked) {
        const int n = hml_model_nkeyframes(r->model);
        const char *nearest = cli_nearest(name, n, keyframe_name, r->model);
        if (n == 0) return cli_fail(CLI_INPUT, "%s: there are no keyframes", r->file);
        if (nearest) {
            return cli_fail(CLI_INPUT, "%s: there is no keyframe '%s'; did you mean '%s'?", r->file, name, nearest);
        }
        return cli_fail(CLI_INPUT, "%s: there is no keyframe '%s'; hamel info lists them", r->file, name);
    }
    if (index < 0) return CLI_OK;
    hml_status status = hml_model_keyframe(r->model, index, r->state->q, r->state->v);
    return status ? robot_fail(r, status) : CLI_OK;
}

/* ---- --q name=value,… ---- */

/* what coordinate k of a joint's position is called after the joint's name and a point; NULL: by that name alone */
static const char *position_name(hml_joint_type type, int32_t k)
{
    static const char *const axes[] = {"x", "y", "z"}, *const quaternion[] = {"qw", "qx", "qy", "qz"};
    switch (type) {
    case HML_JOINT_FREE: return k < 3 ? axes[k] : quaternion[k - 3];
    case HML_JOINT_SPHERICAL: return quaternion[k];
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_TRANSLATION2: return axes[k];
    case HML_JOINT_PLANAR: return k < 2 ? axes[k] : "angle";
    case HML_JOINT_SCHOENFLIES: return k < 3 ? axes[k] : "angle";
    case HML_JOINT_CYLINDRICAL: return k ? "angle" : "slide";
    case HML_JOINT_UNIVERSAL: return k ? "1" : "0";
    default: return NULL;
    }
}

void robot_name_position(const hml_joint_info *joint, int32_t k, char text[ROBOT_NAME_SIZE])
{
    const char *axis = position_name(joint->type, k);
    snprintf(text, ROBOT_NAME_SIZE, "%.400s%s%s", joint->name, axis ? "." : "", axis ? axis : "");
}

/* a number of a quaternion cannot be set alone */
static int settable(hml_joint_type type, int32_t k)
{
    return type != HML_JOINT_SPHERICAL && !(type == HML_JOINT_FREE && k >= 3);
}

/* where a name is in q, −1 if nowhere; marks the joint as given */
static int32_t find_position(const robot *r, const char *name)
{
    for (int32_t j = 0; j < hml_model_njoints(r->model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(r->model, j, &joint);
        for (int32_t k = 0; k < joint.nq; k++) {
            char text[ROBOT_NAME_SIZE];
            robot_name_position(&joint, k, text);
            if (!settable(joint.type, k) || strcmp(text, name) != 0) continue;
            r->state->given[j] = 1;
            return joint.q + k;
        }
    }
    return -1;
}

static const char *joint_name(const void *model, int i)
{
    hml_joint_info joint = {.struct_size = sizeof joint};
    return hml_model_joint(model, i, &joint) ? "" : joint.name;
}

static int unknown_position(const robot *r, const char *name)
{
    const int32_t index = hml_model_find_joint(r->model, name);
    hml_joint_info joint = {.struct_size = sizeof joint};
    if (index >= 0) {
        hml_model_joint(r->model, index, &joint);
        if (joint.nq == 0)
            return cli_fail(CLI_INPUT, "%s: --q: joint '%s' has no coordinate of its own", r->file, name);
        if (joint.type == HML_JOINT_SPHERICAL)
            return cli_fail(CLI_INPUT, "%s: --q: a rotation such as that of joint '%s' is given by a state file",
                            r->file, name);
        return cli_fail(CLI_INPUT, "%s: --q: joint '%s' has several coordinates: %s.%s and others", r->file, name, name,
                        position_name(joint.type, 0));
    }
    const char *nearest = cli_nearest(name, hml_model_njoints(r->model), joint_name, r->model);
    if (nearest)
        return cli_fail(CLI_INPUT, "%s: --q: there is no joint '%s'; did you mean '%s'?", r->file, name, nearest);
    return cli_fail(CLI_INPUT, "%s: --q: there is no joint '%s'", r->file, name);
}

/* is there a value of this name before `here`? */
static int is_given(const char *text, const char *here, const char *name)
{
    const size_t length = strlen(name);
    while (text < here) {
        if (strncmp(text, name, length) == 0 && text[length] == '=') return 1;
        text += strcspn(text, ",");
        text += *text == ',';
    }
    return 0;
}

int robot_set_positions(const cli_options *options, robot *r)
{
    const char *text = options->positions;
    while (text && *text) {
        char name[ROBOT_NAME_SIZE], *end;
        const size_t length = strcspn(text, ",=");
        if (text[length] != '=' || length == 0 || length >= sizeof name)
            return cli_fail(CLI_USAGE, "--q: '%s' is not name=value, with commas between them", text);
        memcpy(name, text, length);
        name[length] = 0;
        const double value = strtod(text + length + 1, &end);
        if (end == text + length + 1 || (*end && *end != ',') || !isfinite(value))
            return cli_fail(CLI_USAGE, "--q: the value of '%s' is not a number", name);
        const int32_t at = find_position(r, name);
        if (at < 0) return unknown_position(r, name);
        if (is_given(options->positions, text, name)) return cli_fail(CLI_USAGE, "--q: '%s' is given twice", name);
        r->state->q[at] = value;
        text = end + (*end == ',');
    }
    return CLI_OK;
}
