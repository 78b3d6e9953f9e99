/* What is left out by name, and pairs of bodies that do not touch. */
#include <stdlib.h>
#include <string.h>

#include "io/mjcf/mjcf.h"

const char *hmli_mjcf_label(char text[LABEL_SIZE], const char *what, const xml_node *node)
{
    return hmli_reader_label(text, what, hmli_xml_get(node, "name"));
}

hml_status hmli_mjcf_unique_name(mjcf *m, map *names, const xml_node *node)
{
    const char *name = hmli_xml_get(node, "name");
    if (!name || !*name) return HML_OK;
    int added = hmli_map_add(names, name, 0);
    if (added < 0) return hmli_report_memory(m->r->error, m->r->file);
    return added ? HML_OK : MJCF_FAIL(m, HML_BAD_MODEL, node, "<%.80s> " QUOTED " is defined twice", node->name, name);
}

/* what a tendon does by itself, be it that a default class says so */
static hml_status warn_tendon(mjcf *m, const mjcf_element *e)
{
    static const char *const forces[] = {"stiffness", "damping", "frictionloss", "armature", NULL};
    const int off[] = {m->set.no_springs, m->set.no_dampers, 0, 0};
    char text[LABEL_SIZE];
    for (int i = 0; forces[i]; i++) {
        double a[3] = {0};
        hml_status status = hmli_mjcf_some_numbers(m, e, forces[i], 3, a);
        if (!status && !off[i] && (a[0] != 0 || a[1] != 0 || a[2] != 0))
            status = hmli_reader_warn_once(m->r, forces[i], "line %d: the %s of %s is left out", e->node->line,
                                           forces[i], hmli_mjcf_label(text, "tendon", e->node));
        if (status) return status;
    }
    return HML_OK;
}

/* tendons without springs and the like only guide actuators */
hml_status hmli_mjcf_tendon(mjcf *m, const xml_node *node)
{
    hml_status status = HML_OK;
    for (const xml_node *child = node->first; !status && child; child = child->next) {
        mjcf_element e;
        status = hmli_mjcf_element(m, child, MJCF_TENDON, 0, &e);
        if (!status) status = hmli_mjcf_unique_name(m, &m->tendon_names, child);
        if (!status) status = warn_tendon(m, &e);
    }
    return status;
}

static hml_status read_exclude(mjcf *m, const xml_node *node)
{
    static const char *const ends[] = {"body1", "body2"};
    const char *names[2] = {NULL, NULL};
    int paired = 1;
    for (int i = 0; i < 2; i++) {
        const char *given = hmli_xml_get(node, ends[i]);
        const int32_t body = given ? hmli_map_find(&m->body_names, given) : -1;
        if (body < 0 || body >= (int32_t)m->nbodies)
            return MJCF_FAIL(m, HML_BAD_MODEL, node, "<exclude>: there is no body " QUOTED, given ? given : "");
        if (body > 0) names[i] = m->bodies[body].name; /* body 0 is the world */
        paired = paired && m->bodies[body].paired;
    }
    hml_status status = hml_builder_add_exclusion(m->r->builder, names[0], names[1], m->r->error);
    if (status) return hmli_report_place(m->r->error, status, node->file, node->line);
    return !paired ? HML_OK
                   : hmli_reader_warn_once(m->r, "exclude",
                                           "line %d: <exclude> counts for every <pair> of its bodies, too", node->line);
}

hml_status hmli_mjcf_contact(mjcf *m, const xml_node *section)
{
    hml_status status = HML_OK;
    for (const xml_node *node = section->first; !status && node; node = node->next) {
        if (xml_is(node, "exclude"))
            status = read_exclude(m, node);
        else if (!xml_is(node, "pair")) /* pair.c */
            status = hmli_reader_warn_element(m->r, node);
    }
    return status;
}
