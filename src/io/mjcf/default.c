/*
 * Default classes, and attributes looked up through them: the element's own word, else its class's, else that of the
 * class above, up to the main class. A class takes over what the class above says when it is made, after that class's
 * own elements: a later <default> section changes its own classes only, and there it overrides an earlier one.
 */
#include <stdio.h>
#include <string.h>

#include "io/mjcf/mjcf.h"

static const char *const actuators[] = {"general",     "motor",    "position", "velocity", "intvelocity",
                                        "damper",      "cylinder", "muscle",   "adhesion", "dcmotor",
                                        "orientation", "pid",      "plugin",   NULL};

static mjcf_kind kind_of(const xml_node *node)
{
    if (xml_is(node, "joint")) return MJCF_JOINT;
    if (xml_is(node, "geom")) return MJCF_GEOM;
    if (xml_is(node, "site")) return MJCF_SITE;
    return hml_word_index(node->name, actuators) >= 0 ? MJCF_ACTUATOR : MJCF_PLAIN;
}

static hml_status new_class(mjcf *m, const xml_node *node, const char *name, int32_t parent, int32_t *class)
{
    reader *r = m->r;
    if (!hml_array_grow(&m->classes, &m->classes_capacity, m->nclasses + 1, sizeof *m->classes))
        return hml_report_memory(r->error, r->file);
    *class = (int32_t)m->nclasses;
    int added = hml_map_add(&m->class_names, name, *class);
    if (added < 0) return hml_report_memory(r->error, r->file);
    if (!added) return MJCF_FAIL(m, HML_BAD_FILE, node, "the class " QUOTED " is there twice", name);
    mjcf_class fresh = {.name = name, .parent = parent, .born = m->ndefaults};
    m->classes[m->nclasses++] = fresh;
    return HML_OK;
}

static hml_status add_default(mjcf *m, const xml_node *node, mjcf_kind kind, int32_t class)
{
    mjcf_default *entry = hml_arena_get(m->r->memory, sizeof *entry);
    if (!entry) return hml_report_memory(m->r->error, m->r->file);
    entry->node = node;
    entry->next = m->classes[class].defaults[kind];
    entry->number = m->ndefaults++;
    m->classes[class].defaults[kind] = entry;
    return HML_OK;
}

static hml_status read_class(mjcf *m, const xml_node *node, int32_t class)
{
    static const char *const others[] = {"default", "mesh",     "material", "camera", "light",
                                         "pair",    "equality", "tendon",   NULL};
    hml_status status = HML_OK;
    for (const xml_node *child = node->first; !status && child; child = child->next) {
        mjcf_kind kind = kind_of(child);
        if (kind < MJCF_KINDS)
            status = add_default(m, child, kind, class);
        else if (hml_word_index(child->name, others) < 0)
            status = hml_reader_warn_element(m->r, child);
    }
    for (const xml_node *child = node->first; !status && child; child = child->next) {
        const char *name;
        int32_t inner = 0;
        if (!xml_is(child, "default")) continue;
        status = hml_xml_require(child, "class", &name, m->r->error);
        if (!status) status = new_class(m, child, name, class, &inner);
        if (!status) status = read_class(m, child, inner);
    }
    return status;
}

hml_status hml_mjcf_defaults(mjcf *m, const xml_node *node)
{
    int32_t main_class = 0;
    if (m->nclasses == 0) {
        hml_status status = new_class(m, node, "main", -1, &main_class);
        if (status) return status;
    }
    if (!node) return HML_OK;
    /* MuJoCo 3 lets the main class have another name */
    const char *name = hml_xml_get(node, "class");
    if (name && strcmp(name, "main") != 0 && hml_map_find(&m->class_names, name) != 0) {
        int added = hml_map_add(&m->class_names, name, 0);
        if (added < 0) return hml_report_memory(m->r->error, m->r->file);
        if (!added) return MJCF_FAIL(m, HML_BAD_FILE, node, "the class " QUOTED " is there twice", name);
    }
    return read_class(m, node, 0);
}

hml_status hml_mjcf_find_class(const mjcf *m, const xml_node *node, const char *attribute, int32_t *class)
{
    const char *name = hml_xml_get(node, attribute);
    if (!name) return HML_OK;
    *class = hml_map_find(&m->class_names, name);
    return *class >= 0 ? HML_OK
                       : MJCF_FAIL(m, HML_BAD_FILE, node, "<%.80s> %s=\"%.80s\": there is no such class", node->name,
                                   attribute, name);
}

hml_status hml_mjcf_element(const mjcf *m, const xml_node *node, mjcf_kind kind, int32_t childclass, mjcf_element *e)
{
    e->node = node;
    e->kind = kind;
    e->class = childclass;
    return hml_mjcf_find_class(m, node, "class", &e->class);
}

/* ---- attributes ---- */

/* the defaults of an element one after the other, nearest first */
typedef struct walk {
    int32_t class, before; /* the next class, and what is too young there */
    const mjcf_default *at;
} walk;

static walk walk_from(const mjcf *m, const mjcf_element *e)
{
    walk w = {e->class, m->ndefaults, NULL};
    return w;
}

static const xml_node *next_default(const mjcf *m, const mjcf_element *e, walk *w)
{
    while (!w->at) {
        if (e->kind >= MJCF_KINDS || w->class < 0) return NULL;
        const mjcf_class *class = &m->classes[w->class];
        w->at = class->defaults[e->kind];
        while (w->at && w->at->number >= w->before) w->at = w->at->next;
        w->class = class->parent;
        w->before = class->born;
    }
    const xml_node *node = w->at->node;
    w->at = w->at->next;
    return node;
}

const xml_node *hml_mjcf_holder_of(const mjcf *m, const mjcf_element *e, const char *const attributes[])
{
    walk w = walk_from(m, e);
    for (const xml_node *node = e->node; node; node = next_default(m, e, &w))
        for (int i = 0; attributes[i]; i++)
            if (hml_xml_get(node, attributes[i])) return node;
    return NULL;
}

const xml_node *hml_mjcf_holder(const mjcf *m, const mjcf_element *e, const char *attribute)
{
    const char *const attributes[] = {attribute, NULL};
    return hml_mjcf_holder_of(m, e, attributes);
}

hml_status hml_mjcf_numbers(const mjcf *m, const mjcf_element *e, const char *attribute, int n, double *values)
{
    const xml_node *node = hml_mjcf_holder(m, e, attribute);
    return node ? hml_xml_numbers(node, attribute, n, values, m->r->error) : HML_OK;
}

hml_status hml_mjcf_some_numbers(const mjcf *m, const mjcf_element *e, const char *attribute, int most, double *values)
{
    walk w = walk_from(m, e);
    int known = 0; /* entries that are said */
    for (const xml_node *node = e->node; node && known < most; node = next_default(m, e, &w)) {
        double list[8];
        int n;
        hml_status status = hml_xml_some_numbers(node, attribute, most, list, &n, m->r->error);
        if (status) return status;
        for (; known < n; known++) values[known] = list[known];
    }
    return HML_OK;
}

hml_status hml_mjcf_word(const mjcf *m, const mjcf_element *e, const char *attribute, const char *const words[],
                         int *index)
{
    const xml_node *node = hml_mjcf_holder(m, e, attribute);
    if (!node) return HML_OK;
    const char *value = hml_xml_get(node, attribute);
    int found = hml_word_index(value, words);
    if (found < 0) {
        char list[256] = "";
        for (int i = 0; words[i]; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
        return MJCF_FAIL(m, HML_BAD_FILE, node, "<%.80s> %s=\"%.80s\" is none of %s", node->name, attribute, value,
                         list);
    }
    *index = found;
    return HML_OK;
}
