/* Actuators, which say what can be driven; and what is left out by name. */
#include <stdlib.h>
#include <string.h>

#include "io/mjcf/mjcf.h"

static const char *label(const xml_node *node)
{
    const char *name = hml_xml_get(node, "name");
    return name ? name : "";
}

/* A rotor behind a gear: what it adds to the joint goes with the square of the gear, in every coordinate. */
static hml_status add_rotor(mjcf *m, const mjcf_element *e, hml_joint_spec *spec)
{
    double gear[6] = {1}, armature = 0, damping[3] = {0};
    hml_status status = hml_mjcf_some_numbers(m, e, "gear", 6, gear);
    if (!status) status = hml_mjcf_numbers(m, e, "armature", 1, &armature);
    if (!status) status = hml_mjcf_some_numbers(m, e, "damping", 3, damping);
    if (status) return status;
    if (damping[1] != 0 || damping[2] != 0)
        return MJCF_FAIL(m, HML_UNSUPPORTED, e->node, "actuator " QUOTED ": polynomial damping is not supported",
                         label(e->node));
    for (int i = 0; i < hml_joint_type_nv(spec->type); i++) {
        spec->armature[i] += armature * gear[0] * gear[0];
        if (!m->set.no_dampers) spec->damping[i] += damping[0] * gear[0] * gear[0];
    }
    return HML_OK;
}

static hml_status read_actuator(mjcf *m, const xml_node *node)
{
    mjcf_element e;
    hml_status status = hml_mjcf_element(m, node, MJCF_ACTUATOR, 0, &e);
    if (status) return status;
    const char *name = hml_xml_get(node, "joint");
    if (!name) name = hml_xml_get(node, "jointinparent");
    if (!name)
        return hml_reader_warn_once(m->r, "actuator",
                                    "line %d: actuator " QUOTED " does not act on a joint and is left out", node->line,
                                    label(node));
    int32_t index = hml_map_find(&m->joint_names, name);
    if (index < 0)
        return MJCF_FAIL(m, HML_BAD_MODEL, node, "actuator " QUOTED ": there is no joint " QUOTED, label(node), name);
    m->joints[index].spec.actuated = 1;
    return add_rotor(m, &e, &m->joints[index].spec);
}

hml_status hml_mjcf_actuators(mjcf *m, const xml_node *node, int *any)
{
    hml_status status = HML_OK;
    for (const xml_node *child = node->first; !status && child; child = child->next) {
        if (!*any)
            for (size_t i = 0; i < m->njoints; i++) m->joints[i].spec.actuated = 0;
        *any = 1;
        status = read_actuator(m, child);
    }
    return status;
}

hml_status hml_mjcf_equality(mjcf *m, const xml_node *node)
{
    hml_status status = HML_OK;
    for (const xml_node *child = node->first; !status && child; child = child->next) {
        const char *what = NULL;
        static const char *const names[] = {"name", "joint1", "body1", "site1", "tendon1", "geom1", NULL};
        for (int i = 0; names[i] && !what; i++) what = hml_xml_get(child, names[i]);
        status = hml_reader_warn(m->r, "line %d: the equality <%.80s> " QUOTED " is left out", child->line, child->name,
                                 what ? what : "");
    }
    return status;
}

/* tendons without springs and the like only guide actuators */
hml_status hml_mjcf_tendon(mjcf *m, const xml_node *node)
{
    static const char *const forces[] = {"stiffness", "damping", "frictionloss", "armature", NULL};
    hml_status status = HML_OK;
    for (const xml_node *child = node->first; !status && child; child = child->next)
        for (int i = 0; !status && forces[i]; i++)
            if (hml_xml_get(child, forces[i]))
                status = hml_reader_warn_once(m->r, forces[i], "line %d: the %s of tendon " QUOTED " is left out",
                                              child->line, forces[i], label(child));
    return status;
}
