/*
 * Joints. MuJoCo's coordinate is `ref` where the body is where the file puts it; Hamel's is zero there. The joint's
 * predecessor frame is turned or shifted back by `ref`, so that the coordinates of both are the same number:
 * body = place · T(p) g(−ref) T(−p) · T(p) g(q) T(−p).
 *
 * A free joint's numbers are the body's pose in the world, whatever pose the file gives the body.
 */
#include <math.h>
#include <string.h>

#include "io/common/rotation.h"
#include "io/mjcf/mjcf.h"

static const char *const free_attributes[] = {"name", "group", "align", "user", NULL};
static const char *const joint_attributes[] = {"name",
                                               "class",
                                               "type",
                                               "group",
                                               "pos",
                                               "axis",
                                               "springdamper",
                                               "limited",
                                               "actuatorfrclimited",
                                               "solreflimit",
                                               "solimplimit",
                                               "solreffriction",
                                               "solimpfriction",
                                               "stiffness",
                                               "range",
                                               "actuatorfrcrange",
                                               "actuatorgravcomp",
                                               "margin",
                                               "ref",
                                               "springref",
                                               "springyield",
                                               "armature",
                                               "damping",
                                               "frictionloss",
                                               "user",
                                               NULL};

/* what messages call it: a joint without a name takes its body's, as in the model */
static const char *label(char text[LABEL_SIZE], const mjcf_joint *j, const mjcf_body *b)
{
    return hmli_reader_label(text, "joint", j->named ? j->spec.name : b->name);
}

/* what has no place in Hamel's equations and cannot be left out in silence */
static hml_status refuse_springs(mjcf *m, const mjcf_element *e, const mjcf_joint *j, const mjcf_body *b)
{
    char text[LABEL_SIZE];
    double spring_damper[2] = {0}, yield = 0;
    hml_status status = hmli_mjcf_numbers(m, e, "springdamper", 2, spring_damper);
    if (!status) status = hmli_mjcf_numbers(m, e, "springyield", 1, &yield);
    if (status) return status;
    if (spring_damper[0] > 0 && spring_damper[1] > 0)
        return MJCF_FAIL(m, HML_UNSUPPORTED, e->node, "%s: springdamper is not supported: give stiffness and damping",
                         label(text, j, b));
    if (yield > 0) return MJCF_FAIL(m, HML_UNSUPPORTED, e->node, "%s: springyield is not supported", label(text, j, b));
    return HML_OK;
}

/* stiffness and damping: the first coefficient; MuJoCo 4 has polynomials */
static hml_status read_coefficient(mjcf *m, const mjcf_element *e, const mjcf_joint *j, const mjcf_body *b,
                                   const char *attribute, double *first)
{
    char text[LABEL_SIZE];
    double a[3] = {0};
    hml_status status = hmli_mjcf_some_numbers(m, e, attribute, 3, a);
    if (!status && (a[1] != 0 || a[2] != 0))
        status =
            MJCF_FAIL(m, HML_UNSUPPORTED, e->node, "%s: polynomial %s is not supported", label(text, j, b), attribute);
    *first = a[0];
    return status;
}

static hml_status read_passive(mjcf *m, const mjcf_element *e, mjcf_joint *j, const mjcf_body *b)
{
    hml_joint_spec *spec = &j->spec;
    char text[LABEL_SIZE];
    double stiffness = 0, damping = 0, armature = 0, friction = 0, spring = 0;
    hml_status status = refuse_springs(m, e, j, b);
    if (!status) status = read_coefficient(m, e, j, b, "stiffness", &stiffness);
    if (!status) status = read_coefficient(m, e, j, b, "damping", &damping);
    if (!status) status = hmli_mjcf_numbers(m, e, "armature", 1, &armature);
    if (!status) status = hmli_mjcf_numbers(m, e, "frictionloss", 1, &friction);
    if (!status) status = hmli_mjcf_numbers(m, e, "springref", 1, &spring);
    if (!status && spec->type == HML_JOINT_FREE && stiffness != 0 && !m->set.no_springs)
        status = MJCF_FAIL(m, HML_UNSUPPORTED, e->node,
                           "%s: the spring of a free joint, in world axes, is not supported", label(text, j, b));
    if (!status && spec->type == HML_JOINT_FREE && armature != 0)
        status = hmli_reader_warn_once(m->r, "free armature",
                                       "line %d: the armature of free %s is in body axes here, in world axes "
                                       "in MuJoCo",
                                       e->node->line, label(text, j, b));
    if (status) return status;
    for (int i = 0; i < hml_joint_type_nv(spec->type); i++) {
        spec->stiffness[i] = m->set.no_springs ? 0 : stiffness;
        spec->damping[i] = m->set.no_dampers ? 0 : damping;
        spec->armature[i] = armature;
        spec->friction[i] = friction;
    }
    if (spec->type == HML_JOINT_REVOLUTE) spec->rest[0] = spring * m->set.angle;
    if (spec->type == HML_JOINT_PRISMATIC) spec->rest[0] = spring;
    return HML_OK;
}

/* limited: true, false, or auto, which means that there is a range */
static hml_status read_range(mjcf *m, const mjcf_element *e, const mjcf_joint *j, const mjcf_body *b,
                             const char *range_name, const char *limited_name, double range[2], int *limited)
{
    static const char *const words[] = {"false", "true", "auto", NULL};
    char text[LABEL_SIZE];
    int word = 2;
    range[0] = range[1] = 0;
    hml_status status = hmli_mjcf_word(m, e, limited_name, words, &word);
    if (!status) status = hmli_mjcf_numbers(m, e, range_name, 2, range);
    if (status) return status;
    int said = hmli_mjcf_holder(m, e, range_name) != NULL;
    if (word == 2 && !m->set.autolimits && said)
        return MJCF_FAIL(m, HML_BAD_FILE, e->node, "%s has %s but not %s, and autolimits is off", label(text, j, b),
                         range_name, limited_name);
    *limited = word == 2 ? range[0] < range[1] : word;
    if (*limited && !(range[0] < range[1]))
        return MJCF_FAIL(m, HML_BAD_FILE, e->node, "%s is limited, but its %s is empty", label(text, j, b), range_name);
    return HML_OK;
}

static hml_status read_limits(mjcf *m, const mjcf_element *e, mjcf_joint *j, const mjcf_body *b)
{
    hml_joint_spec *spec = &j->spec;
    char text[LABEL_SIZE];
    double range[2], effort[2];
    int limited = 0, effort_limited = 0;
    if (spec->type == HML_JOINT_FREE) return HML_OK;
    hml_status status = read_range(m, e, j, b, "range", "limited", range, &limited);
    if (!status) status = read_range(m, e, j, b, "actuatorfrcrange", "actuatorfrclimited", effort, &effort_limited);
    if (status) return status;
    if (spec->type == HML_JOINT_SPHERICAL) {
        if (!limited) return HML_OK;
        if (range[0] != 0)
            return MJCF_FAIL(m, HML_BAD_FILE, e->node, "%s: the range of a ball joint must begin at 0",
                             label(text, j, b));
        return hmli_reader_warn_once(m->r, "ball range", "line %d: the range of a ball joint (%s) is ignored",
                                     e->node->line, label(text, j, b));
    }
    double unit = spec->type == HML_JOINT_REVOLUTE ? m->set.angle : 1;
    if (limited) {
        spec->lower[0] = range[0] * unit;
        spec->upper[0] = range[1] * unit;
    }
    if (effort_limited) spec->effort_limit[0] = fmax(fabs(effort[0]), fabs(effort[1]));
    return HML_OK;
}

static hml_status read_axis(mjcf *m, const mjcf_element *e, mjcf_joint *j, const mjcf_body *b, const pose *frame)
{
    char text[LABEL_SIZE];
    double axis[3] = {0, 0, 1};
    hml_status status = hmli_mjcf_numbers(m, e, "axis", 3, axis);
    if (status) return status;
    if (length3(axis) < 1e-14) return MJCF_FAIL(m, HML_BAD_FILE, e->node, "%s: its axis is zero", label(text, j, b));
    vec3_put(mat3_mul_vec(frame->R, vec3_at(axis)), j->spec.axis);
    return HML_OK;
}

/* see the top of this file; `place` is the body's pose in what it hangs on */
static hml_status read_reference(mjcf *m, const mjcf_element *e, mjcf_joint *j, pose place)
{
    hml_joint_spec *spec = &j->spec;
    double ref = 0;
    hml_status status = hmli_mjcf_numbers(m, e, "ref", 1, &ref);
    if (status) return status;
    if (ref != 0 && (spec->type == HML_JOINT_REVOLUTE || spec->type == HML_JOINT_PRISMATIC)) {
        vec3 axis = vec3_scale(1 / length3(spec->axis), vec3_at(spec->axis)), p = vec3_at(spec->point);
        pose back = pose_identity();
        if (spec->type == HML_JOINT_REVOLUTE) {
            back.R = rotation_of_axis_angle(axis, -ref * m->set.angle);
            back.p = vec3_sub(p, mat3_mul_vec(back.R, p));
        } else {
            back.p = vec3_scale(-ref, axis);
        }
        j->ref = spec->type == HML_JOINT_REVOLUTE ? ref * m->set.angle : ref;
        place = pose_mul(place, back);
    }
    pose_to_arrays(place, spec->rotation, spec->position);
    return HML_OK;
}

static hml_status add_name(mjcf *m, mjcf_joint *j)
{
    const char *name = hmli_xml_get(j->node, "name");
    if (!name || !*name) return HML_OK;
    j->named = 1;
    j->spec.name = name;
    int added = hmli_map_add(&m->joint_names, name, (int32_t)m->njoints);
    if (added < 0) return hmli_report_memory(m->r->error, m->r->file);
    return added ? HML_OK : MJCF_FAIL(m, HML_BAD_MODEL, j->node, "joint " QUOTED " is defined twice", name);
}

static hml_status check_free(mjcf *m, const mjcf_joint *j, const mjcf_body *b)
{
    char text[LABEL_SIZE], body[LABEL_SIZE];
    if (b->parent != 0)
        return MJCF_FAIL(m, HML_BAD_MODEL, j->node, "%s is free, but %s is not a child of the world", label(text, j, b),
                         hmli_reader_label(body, "body", b->name));
    if (m->set.align_free || (hmli_xml_get(j->node, "align") && strcmp(hmli_xml_get(j->node, "align"), "true") == 0))
        return hmli_reader_warn_once(m->r, "align",
                                     "line %d: %s, which is free, keeps the frame it is given: it is not aligned with "
                                     "its inertia",
                                     j->node->line, hmli_reader_label(body, "body", b->name));
    return HML_OK;
}

static hml_status read_type(mjcf *m, const mjcf_element *e, hml_joint_type *type)
{
    static const char *const words[] = {"free", "ball", "slide", "hinge", NULL};
    static const hml_joint_type types[] = {HML_JOINT_FREE, HML_JOINT_SPHERICAL, HML_JOINT_PRISMATIC,
                                           HML_JOINT_REVOLUTE};
    int word = xml_is(e->node, "freejoint") ? 0 : 3;
    hml_status status = hmli_mjcf_word(m, e, "type", words, &word);
    *type = types[word];
    return status;
}

static hml_status read_joint(mjcf *m, const mjcf_element *e, mjcf_joint *j, const mjcf_body *b, const pose *frame)
{
    hml_joint_spec *spec = &j->spec;
    double pos[3] = {0};
    pose place = b->njoints ? pose_identity() : b->place;
    hml_status status = read_passive(m, e, j, b);
    if (!status) status = read_limits(m, e, j, b);
    if (status) return status;
    if (spec->type == HML_JOINT_FREE) return check_free(m, j, b);
    status = hmli_mjcf_numbers(m, e, "pos", 3, pos);
    if (!status) status = read_axis(m, e, j, b, frame);
    vec3_put(pose_act(*frame, vec3_at(pos)), spec->point);
    return status ? status : read_reference(m, e, j, place);
}

/* may it stand beside the joints that the body has already? MuJoCo's rules */
static hml_status check_beside(mjcf *m, const mjcf_joint *j, const mjcf_body *b)
{
    char text[LABEL_SIZE];
    int dofs = hml_joint_type_nv(j->spec.type), ball = 0;
    hml_joint_type type = j->spec.type;
    if (!b->njoints) return HML_OK;
    if (type == HML_JOINT_FREE || m->joints[b->joint].spec.type == HML_JOINT_FREE)
        return MJCF_FAIL(m, HML_BAD_MODEL, j->node, "%s has a free joint and other joints",
                         hmli_reader_label(text, "body", b->name));
    for (int32_t k = 0; k < b->njoints; k++) {
        hml_joint_type other = m->joints[b->joint + k].spec.type;
        dofs += hml_joint_type_nv(other);
        ball |= other == HML_JOINT_SPHERICAL;
    }
    if (dofs > 6)
        return MJCF_FAIL(m, HML_BAD_MODEL, j->node, "%s has more than 6 degrees of freedom",
                         hmli_reader_label(text, "body", b->name));
    if (ball && type != HML_JOINT_PRISMATIC)
        return MJCF_FAIL(m, HML_BAD_MODEL, j->node,
                         "%s comes after a ball joint, which rotates about every axis already", label(text, j, b));
    return HML_OK;
}

hml_status hmli_mjcf_joint(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass)
{
    reader *r = m->r;
    mjcf_body *b = &m->bodies[m->nbodies - 1];
    int free_element = xml_is(node, "freejoint");
    if (!array_grow(&m->joints, &m->joints_capacity, m->njoints + 1, sizeof *m->joints))
        return hmli_report_memory(r->error, r->file);
    mjcf_joint *j = &m->joints[m->njoints];
    memset(j, 0, sizeof *j);
    j->node = node;
    j->body = (int32_t)m->nbodies - 1;

    mjcf_element e;
    hml_joint_type type;
    hml_status status = hmli_reader_warn_attributes(r, node, free_element ? free_attributes : joint_attributes);
    if (!status) status = hmli_mjcf_element(m, node, free_element ? MJCF_PLAIN : MJCF_JOINT, childclass, &e);
    if (!status) status = read_type(m, &e, &type);
    if (status) return status;
    hml_joint_spec_init(&j->spec, type);
    if ((status = add_name(m, j)) || (status = read_joint(m, &e, j, b, frame))) return status;
    if ((status = check_beside(m, j, b))) return status;
    if (!b->njoints) b->joint = (int32_t)m->njoints;
    b->njoints++;
    m->njoints++;
    return HML_OK;
}
