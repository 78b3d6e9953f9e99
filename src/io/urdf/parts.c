/* The parts of a URDF: origins, inertias, joints. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "io/common/rotation.h"
#include "io/urdf/urdf.h"

static const char *const origin_attributes[] = {"xyz", "rpy", "quat_xyzw", NULL};
static const char *const inertia_names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz", NULL};

hml_status hmli_urdf_origin(urdf *u, const xml_node *node, pose *H)
{
    *H = pose_identity();
    if (!node) return HML_OK;
    reader *r = u->r;
    double xyz[3] = {0}, rpy[3] = {0}, xyzw[4];
    char text[DECIMAL_SIZE];
    hml_status status = hmli_reader_warn_attributes(r, node, origin_attributes);
    if (!status) status = hmli_xml_numbers(node, "xyz", 3, xyz, r->error);
    if (!status) status = hmli_xml_numbers(node, "rpy", 3, rpy, r->error);
    if (status) return status;
    H->p = vec3_at(xyz);
    H->R = rotation_of_rpy(rpy);
    if (!hmli_xml_get(node, "quat_xyzw")) return HML_OK;

    if (!u->quaternions)
        return hmli_reader_warn_once(r, "quat_xyzw", "line %d: quat_xyzw needs version 1.1 and is ignored", node->line);
    if (hmli_xml_get(node, "rpy"))
        return hmli_report(r->error, HML_BAD_FILE, node->file, node->line, "<origin> has both rpy and quat_xyzw");
    if ((status = hmli_xml_numbers(node, "quat_xyzw", 4, xyzw, r->error))) return status;
    double wxyz[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]}, length = rotation_of_quaternion(wxyz, &H->R);
    if (!(length > 0)) return hmli_report(r->error, HML_BAD_FILE, node->file, node->line, "<origin> quat_xyzw is zero");
    if (fabs(length - 1) > 1e-3)
        return hmli_reader_warn(r, "line %d: quat_xyzw has length %s and was normalized", node->line,
                                decimal_text(text, DECIMAL_SHORT, length));
    return HML_OK;
}

/* ---- links ---- */

static hml_status read_inertial(urdf *u, const xml_node *inertial, urdf_link *link)
{
    reader *r = u->r;
    const xml_node *mass = hmli_xml_child(inertial, "mass"), *moment = hmli_xml_child(inertial, "inertia");
    for (const xml_node *child = inertial->first; child; child = child->next) {
        if (xml_is(child, "mass") || xml_is(child, "inertia") || xml_is(child, "origin")) continue;
        hml_status status = hmli_reader_warn_element(r, child);
        if (status) return status;
    }
    if (!mass || !moment)
        return hmli_report(r->error, HML_BAD_FILE, inertial->file, inertial->line,
                           "link " QUOTED ": its <inertial> has no <%s>", link->name, mass ? "inertia" : "mass");
    pose H;
    const char *text;
    double i[6];
    hml_status status = hmli_urdf_origin(u, hmli_xml_child(inertial, "origin"), &H);
    if (!status) status = hmli_xml_require(mass, "value", &text, r->error);
    if (!status) status = hmli_xml_numbers(mass, "value", 1, &link->inertia.mass, r->error);
    if (!status) status = hmli_reader_warn_attributes(r, moment, inertia_names);
    for (int k = 0; !status && k < 6; k++) {
        status = hmli_xml_require(moment, inertia_names[k], &text, r->error);
        if (!status) status = hmli_xml_numbers(moment, inertia_names[k], 1, &i[k], r->error);
    }
    if (status) return status;
    if (link->inertia.mass < 0)
        return hmli_report(r->error, HML_BAD_MODEL, mass->file, mass->line, "link " QUOTED ": its mass is negative",
                           link->name);
    double at_com[6];
    sym3_to_array(sym3_rotate(H.R, sym3_at(i)), at_com);
    vec3_put(H.p, link->inertia.com);
    sym3_array_to_rows(at_com, link->inertia.moment);
    link->has_inertia = 1;
    return HML_OK;
}

hml_status hmli_urdf_link(urdf *u, urdf_link *link)
{
    static const char *const attributes[] = {"name", "type", NULL};
    static const char *const harmless[] = {"visual", "collision", "self_collision_checking", "sensor", "contact", NULL};
    int inertials = 0;
    hml_status status = hmli_reader_warn_attributes(u->r, link->node, attributes);
    for (const xml_node *child = link->node->first; !status && child; child = child->next) {
        if (xml_is(child, "inertial")) {
            if (inertials++)
                return hmli_report(u->r->error, HML_BAD_FILE, child->file, child->line,
                                   "link " QUOTED " has two <inertial>", link->name);
            status = read_inertial(u, child, link);
        } else if (hmli_word_index(child->name, harmless) < 0) {
            status = hmli_reader_warn_element(u->r, child);
        }
    }
    return status;
}

/* ---- joints ---- */

static hml_status read_axis(urdf *u, urdf_joint *joint)
{
    const xml_node *axis = hmli_xml_child(joint->node, "axis");
    hml_joint_spec *spec = &joint->spec;
    spec->axis[0] = 1; /* the URDF's default is x */
    spec->axis[1] = spec->axis[2] = 0;
    if (!axis || spec->type == HML_JOINT_FIXED || spec->type == HML_JOINT_FREE) return HML_OK;
    hml_status status = hmli_xml_numbers(axis, "xyz", 3, spec->axis, u->r->error);
    if (!status && !(length3(spec->axis) > 0))
        status = hmli_report(u->r->error, HML_BAD_MODEL, axis->file, axis->line, "joint " QUOTED ": its axis is zero",
                             spec->name);
    return status;
}

static hml_status read_limit(urdf *u, urdf_joint *joint, int bounded)
{
    static const char *const attributes[] = {"lower",        "upper",        "effort", "velocity",
                                             "acceleration", "deceleration", "jerk",   NULL};
    const xml_node *limit = hmli_xml_child(joint->node, "limit");
    hml_joint_spec *spec = &joint->spec;
    if (!limit) {
        if (!bounded) return HML_OK;
        return hmli_reader_warn_once(u->r, "no limit", "line %d: joint " QUOTED " has no <limit>: it is not limited",
                                     joint->node->line, spec->name);
    }
    double lower = 0, upper = 0; /* what the URDF says where the attribute is missing */
    hml_status status = hmli_reader_warn_attributes(u->r, limit, attributes);
    if (!status) status = hmli_xml_numbers(limit, "lower", 1, &lower, u->r->error);
    if (!status) status = hmli_xml_numbers(limit, "upper", 1, &upper, u->r->error);
    if (!status) status = hmli_xml_numbers(limit, "effort", 1, &spec->effort_limit[0], u->r->error);
    if (!status) status = hmli_xml_numbers(limit, "velocity", 1, &spec->velocity_limit[0], u->r->error);
    if (!status && bounded) {
        spec->lower[0] = lower;
        spec->upper[0] = upper;
    }
    for (int i = 1; i < hml_joint_type_nv(spec->type); i++) {
        spec->effort_limit[i] = spec->effort_limit[0];
        spec->velocity_limit[i] = spec->velocity_limit[0];
    }
    return status;
}

static hml_status read_dynamics(urdf *u, urdf_joint *joint)
{
    static const char *const attributes[] = {"damping", "friction", NULL};
    const xml_node *dynamics = hmli_xml_child(joint->node, "dynamics");
    if (!dynamics) return HML_OK;
    double damping = 0, friction = 0;
    hml_status status = hmli_reader_warn_attributes(u->r, dynamics, attributes);
    if (!status) status = hmli_xml_numbers(dynamics, "damping", 1, &damping, u->r->error);
    if (!status) status = hmli_xml_numbers(dynamics, "friction", 1, &friction, u->r->error);
    for (int i = 0; i < hml_joint_type_nv(joint->spec.type); i++) {
        joint->spec.damping[i] = damping;
        joint->spec.friction[i] = friction;
    }
    return status;
}

static hml_status read_mimic(urdf *u, urdf_joint *joint)
{
    static const char *const attributes[] = {"joint", "multiplier", "offset", NULL};
    const xml_node *mimic = hmli_xml_child(joint->node, "mimic");
    hml_joint_spec *spec = &joint->spec;
    if (!mimic) return HML_OK;
    hml_status status = hmli_reader_warn_attributes(u->r, mimic, attributes);
    if (!status) status = hmli_xml_require(mimic, "joint", &spec->mimic, u->r->error);
    if (!status) status = hmli_xml_numbers(mimic, "multiplier", 1, &spec->multiplier, u->r->error);
    if (!status) status = hmli_xml_numbers(mimic, "offset", 1, &spec->offset, u->r->error);
    if (!status && strcmp(spec->mimic, spec->name) == 0)
        status = hmli_report(u->r->error, HML_BAD_MODEL, mimic->file, mimic->line, "joint " QUOTED " follows itself",
                             spec->name);
    return status;
}

static hml_status read_type(urdf *u, urdf_joint *joint, hml_joint_type *type, int *bounded)
{
    static const char *const names[] = {"fixed", "revolute", "continuous", "prismatic", "floating", "planar", NULL};
    static const hml_joint_type types[] = {HML_JOINT_FIXED,     HML_JOINT_REVOLUTE, HML_JOINT_REVOLUTE,
                                           HML_JOINT_PRISMATIC, HML_JOINT_FREE,     HML_JOINT_PLANAR};
    const char *text;
    hml_status status = hmli_xml_require(joint->node, "type", &text, u->r->error);
    if (status) return status;
    int k = hmli_word_index(text, names);
    if (k < 0)
        return hmli_report(u->r->error, HML_BAD_FILE, joint->node->file, joint->node->line,
                           "joint " QUOTED ": there is no joint type " QUOTED, joint->spec.name, text);
    *type = types[k];
    *bounded = k == 1 || k == 3;
    return HML_OK;
}

hml_status hmli_urdf_joint(urdf *u, urdf_joint *joint)
{
    static const char *const attributes[] = {"name", "type", NULL};
    static const char *const known[] = {"origin",
                                        "parent",
                                        "child",
                                        "axis",
                                        "limit",
                                        "dynamics",
                                        "mimic",
                                        "calibration",
                                        "safety_controller",
                                        "sensor",
                                        "hardwareInterface",
                                        NULL};
    hml_joint_type type = HML_JOINT_FIXED;
    int bounded = 0;
    pose H;
    const char *name = joint->spec.name;
    hml_status status = read_type(u, joint, &type, &bounded);
    if (status) return status;
    hml_joint_spec_init(&joint->spec, type);
    joint->spec.name = name;
    status = hmli_reader_warn_attributes(u->r, joint->node, attributes);
    for (const xml_node *child = joint->node->first; !status && child; child = child->next)
        if (hmli_word_index(child->name, known) < 0) status = hmli_reader_warn_element(u->r, child);
    if (!status) status = hmli_urdf_origin(u, hmli_xml_child(joint->node, "origin"), &H);
    if (!status) status = read_axis(u, joint);
    if (!status) status = read_limit(u, joint, bounded);
    if (!status) status = read_dynamics(u, joint);
    if (!status) status = read_mimic(u, joint);
    if (!status) pose_to_arrays(H, joint->spec.rotation, joint->spec.position);
    return status;
}
