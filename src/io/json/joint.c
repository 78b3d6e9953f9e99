/* Joints in Hamel's own model format. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "io/common/rotation.h"
#include "io/json/model.h"

hml_status hmli_json_warn_keys(json_model *m, const place *object, const char *kind, const char *const known[])
{
    uint32_t at = 0;
    hml_status status = HML_OK;
    for (const char *key; !status && (key = hmli_json_unknown(object, known, &at));) {
        char pointer[POINTER_SIZE], name[200];
        place member = {object, key, 0, NULL};
        hmli_json_pointer(&member, pointer);
        hmli_report_text(name, sizeof name, "%s %.80s", kind, key);
        status = hmli_reader_warn_once(m->r, name, "%s: the key is unknown and ignored", pointer);
    }
    return status;
}

/* ---- placements ---- */

/* rows and columns unit and perpendicular to 1e-3, right-handed; the builder makes them exact */
static int is_rotation(const double R[9])
{
    mat3 A = mat3_at(R, 3);
    double E[9];
    mat3_put(mat3_sub(mat3_tmul(A, A), mat3_identity()), E, 3);
    for (int i = 0; i < 9; i++)
        if (!(fabs(E[i]) <= 2e-3)) return 0; /* AᵀA doubles the deviation */
    return vec3_dot(A.x, vec3_cross(A.y, A.z)) > 0;
}

static hml_status read_quaternion(json_model *m, const place *at, double rotation[9])
{
    double q[4];
    mat3 R;
    hml_status status = hmli_json_numbers(&m->json, at, 4, q);
    if (status) return status;
    double length = rotation_of_quaternion(q, &R);
    if (!(length > 0)) return hmli_json_fail(&m->json, at, "the quaternion is zero");
    mat3_put(R, rotation, 3);
    if (fabs(length - 1) <= 1e-3) return HML_OK;
    char pointer[POINTER_SIZE], text[DECIMAL_SIZE];
    hmli_json_pointer(at, pointer);
    return hmli_reader_warn(m->r, "%s has length %s and was normalized", pointer,
                            decimal_text(text, DECIMAL_SHORT, length));
}

hml_status hmli_json_origin(json_model *m, const place *at, double position[3], double rotation[9])
{
    static const char *const known[] = {"position", "rotation", "rpy", "quaternion", NULL};
    memset(position, 0, 3 * sizeof *position);
    mat3_put(mat3_identity(), rotation, 3);
    hml_status status = hmli_json_object(&m->json, at);
    if (status || !at->value) return status;
    place p = hmli_json_member(at, "position"), R = hmli_json_member(at, "rotation");
    place rpy = hmli_json_member(at, "rpy"), quaternion = hmli_json_member(at, "quaternion");
    if (!!R.value + !!rpy.value + !!quaternion.value > 1)
        return hmli_json_fail(&m->json, at, "only one of rotation, rpy and quaternion may be given");
    status = hmli_json_warn_keys(m, at, "origin", known);
    if (!status) status = hmli_json_numbers(&m->json, &p, 3, position);
    if (!status) status = hmli_json_matrix(&m->json, &R, rotation);
    if (!status && R.value && !is_rotation(rotation))
        status = hmli_json_fail(&m->json, &R, "the rotation is not orthonormal and right-handed");
    if (!status && rpy.value) {
        double angles[3];
        status = hmli_json_numbers(&m->json, &rpy, 3, angles);
        if (!status) mat3_put(rotation_of_rpy(angles), rotation, 3);
    }
    if (!status && quaternion.value) status = read_quaternion(m, &quaternion, rotation);
    return status;
}

/* ---- axes and screws ---- */

static int uses_axis(hml_joint_type type)
{
    return type == HML_JOINT_REVOLUTE || type == HML_JOINT_PRISMATIC || type == HML_JOINT_HELICAL ||
           type == HML_JOINT_CYLINDRICAL || type == HML_JOINT_UNIVERSAL;
}

static hml_status read_axis(json_model *m, const place *joint, const char *key, double axis[3])
{
    place at = hmli_json_member(joint, key);
    hml_status status = hmli_json_need(&m->json, &at);
    if (!status) status = hmli_json_numbers(&m->json, &at, 3, axis);
    if (!status && !(length3(axis) > 0)) status = hmli_json_fail(&m->json, &at, "the %s is zero", key);
    return status;
}

/* joints of the plane z = 0: their group about another axis is theirs about z, in a frame that is turned */
static hml_status check_plane(json_model *m, const place *joint, hml_joint_type type)
{
    double axis[3] = {0, 0, 1};
    place at = hmli_json_member(joint, "axis");
    if (type != HML_JOINT_PLANAR && type != HML_JOINT_TRANSLATION2 && type != HML_JOINT_SCHOENFLIES) return HML_OK;
    hml_status status = hmli_json_numbers(&m->json, &at, 3, axis);
    if (status || (axis[0] == 0 && axis[1] == 0 && axis[2] > 0)) return status;
    return hmli_json_fail(
        &m->json, &at,
        "the axis of a %s joint is z of its own frame: [0, 0, 1] or nothing; turn the joint's origin instead",
        hml_joint_type_name(type));
}

static hml_status read_axes(json_model *m, const place *joint, hml_joint_spec *spec)
{
    hml_status status = check_plane(m, joint, spec->type);
    if (!status && uses_axis(spec->type)) status = read_axis(m, joint, "axis", spec->axis);
    if (!status && spec->type == HML_JOINT_UNIVERSAL) status = read_axis(m, joint, "axis2", spec->axis2);
    if (!status && spec->type == HML_JOINT_HELICAL) {
        place pitch = hmli_json_member(joint, "pitch");
        status = hmli_json_need(&m->json, &pitch);
        if (!status) status = hmli_json_number(&m->json, &pitch, &spec->pitch);
    }
    place point = hmli_json_member(joint, "point");
    return status ? status : hmli_json_numbers(&m->json, &point, 3, spec->point);
}

/* "screw" and "form"; the origin, if there is one, places the body where the joint is neutral */
static hml_status read_screw(json_model *m, const place *joint, const place *screw, int typed, hml_joint_spec *spec)
{
    static const char *const forms[] = {"body", "spatial", NULL};
    static const char *const instead[] = {"axis", "axis2", "pitch", "point", NULL};
    const json_reader *json = &m->json;
    double s[6], position[3], rotation[9];
    const char *form = forms[0];
    hml_joint_type type = spec->type;
    place at = hmli_json_member(joint, "form");
    hml_status status = hmli_json_numbers(json, screw, 6, s);
    if (!status) status = hmli_json_text(json, &at, &form);
    if (status) return status;
    int spatial = hmli_word_index(form, forms);
    if (spatial < 0) return hmli_json_fail(json, &at, "the form is body or spatial, not " QUOTED, form);
    for (int i = 0; instead[i]; i++)
        if (hmli_json_get(joint->value, instead[i]))
            return hmli_json_fail(json, joint, "%s and screw exclude each other", instead[i]);

    memcpy(position, spec->position, sizeof position);
    memcpy(rotation, spec->rotation, sizeof rotation);
    if (hml_joint_spec_set_screw(spec, position, rotation, s, spatial))
        return hmli_json_fail(json, screw, "the screw is zero");
    if (typed && type != spec->type)
        return hmli_json_fail(json, screw, "the screw is %s, but the type is %s", hml_joint_type_name(spec->type),
                              hml_joint_type_name(type));
    return HML_OK;
}

/* ---- the rest ---- */

static hml_status read_limits(json_model *m, const place *joint, hml_joint_spec *spec)
{
    static const char *const known[] = {"lower", "upper", "velocity", "effort", NULL};
    place at = hmli_json_member(joint, "limits");
    hml_status status = hmli_json_object(&m->json, &at);
    if (status || !at.value) return status;
    double *const limits[] = {spec->lower, spec->upper, spec->velocity_limit, spec->effort_limit};
    status = hmli_json_warn_keys(m, &at, "limits", known);
    for (int i = 0; !status && known[i]; i++) {
        place limit = hmli_json_member(&at, known[i]);
        status = hmli_json_each(&m->json, &limit, hml_joint_type_nv(spec->type), 1, limits[i]);
    }
    return status;
}

static hml_status read_mimic(json_model *m, const place *joint, hml_joint_spec *spec)
{
    static const char *const known[] = {"joint", "multiplier", "offset", NULL};
    place at = hmli_json_member(joint, "mimic");
    hml_status status = hmli_json_object(&m->json, &at);
    if (status || !at.value) return status;
    place leader = hmli_json_member(&at, "joint"), multiplier = hmli_json_member(&at, "multiplier");
    place offset = hmli_json_member(&at, "offset");
    status = hmli_json_warn_keys(m, &at, "mimic", known);
    if (!status) status = hmli_json_need(&m->json, &leader);
    if (!status) status = hmli_json_text(&m->json, &leader, &spec->mimic);
    if (!status) status = hmli_json_number(&m->json, &multiplier, &spec->multiplier);
    if (!status) status = hmli_json_number(&m->json, &offset, &spec->offset);
    if (!status && strcmp(spec->mimic, spec->name) == 0)
        status = hmli_json_fail(&m->json, &leader, "joint " QUOTED " follows itself", spec->name);
    return status;
}

static hml_status read_passive(json_model *m, const place *joint, hml_joint_spec *spec)
{
    static const char *const names[] = {"armature", "damping", "friction", "stiffness", NULL};
    double *const values[] = {spec->armature, spec->damping, spec->friction, spec->stiffness};
    int nq = hml_joint_type_nq(spec->type), nv = hml_joint_type_nv(spec->type);
    hml_status status = HML_OK;
    for (int i = 0; !status && names[i]; i++) {
        place at = hmli_json_member(joint, names[i]);
        status = hmli_json_each(&m->json, &at, nv, 0, values[i]);
    }
    place rest = hmli_json_member(joint, "rest");
    if (!status)
        status = nq == 1 ? hmli_json_each(&m->json, &rest, 1, 0, spec->rest)
                         : hmli_json_numbers(&m->json, &rest, nq, spec->rest);
    return status;
}

hml_status hmli_json_joint(json_model *m, const place *at, hml_joint_spec *spec)
{
    static const char *const known[] = {"name",   "type",   "axis",  "axis2",    "pitch",    "point",
                                        "origin", "screw",  "form",  "armature", "damping",  "stiffness",
                                        "rest",   "limits", "mimic", "actuated", "friction", NULL};
    const json_reader *json = &m->json;
    const char *type_name = NULL, *name = NULL;
    hml_joint_type type = HML_JOINT_FIXED;
    double position[3], rotation[9];
    place name_at = hmli_json_member(at, "name"), type_at = hmli_json_member(at, "type");
    place origin = hmli_json_member(at, "origin"), screw = hmli_json_member(at, "screw");
    place actuated = hmli_json_member(at, "actuated");

    hml_status status = hmli_json_object(json, at);
    if (!status) status = hmli_json_need(json, &name_at);
    if (!status) status = hmli_json_text(json, &name_at, &name);
    if (!status && !screw.value) status = hmli_json_need(json, &type_at);
    if (!status) status = hmli_json_text(json, &type_at, &type_name);
    if (!status && type_name && hml_joint_type_from_name(type_name, &type))
        status = hmli_json_fail(json, &type_at, "there is no joint type " QUOTED, type_name);
    if (!status) status = hmli_json_warn_keys(m, at, "joint", known);
    if (!status) status = hmli_json_origin(m, &origin, position, rotation);
    if (status) return status;

    if (screw.value && !type_name) type = HML_JOINT_REVOLUTE; /* the screw will say; the defaults are the same */
    hml_joint_spec_init(spec, type);
    spec->name = name;
    memcpy(spec->position, position, sizeof position);
    memcpy(spec->rotation, rotation, sizeof rotation);
    status = screw.value ? read_screw(m, at, &screw, type_name != NULL, spec) : read_axes(m, at, spec);
    if (!status) status = read_passive(m, at, spec);
    if (!status) status = read_limits(m, at, spec);
    if (!status) status = read_mimic(m, at, spec);
    if (!status) status = hmli_json_flag(json, &actuated, &spec->actuated);
    return status;
}
