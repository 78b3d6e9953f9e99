/*
 * Default classes, and attributes looked up through them: the element's own word, else its class's, else that of the
 * class above, up to the main class. A class takes over what the class above says when it is made, after that class's
 * own elements: a later <default> section changes its own classes only, and there it overrides an earlier one.
 *
 * So each class has one table of what counts for it, with numbers already read. Asking takes the same time however
 * many defaults there are, however deep the classes nest and however long a default's text is.
 */
#include <stdio.h>
#include <string.h>

#include "io/common/number.h"
#include "io/mjcf/mjcf.h"

static const char *const actuators[] = {"general",     "motor",    "position", "velocity", "intvelocity",
                                        "damper",      "cylinder", "muscle",   "adhesion", "dcmotor",
                                        "orientation", "pid",      "plugin",   NULL};

/* the attributes that are asked for; others of a default say nothing to Hamel */
enum { MOST_ATTRIBUTES = 19 };
static const char *const joint_names[] = {"type",
                                          "springdamper",
                                          "springyield",
                                          "stiffness",
                                          "damping",
                                          "armature",
                                          "frictionloss",
                                          "springref",
                                          "limited",
                                          "range",
                                          "actuatorfrclimited",
                                          "actuatorfrcrange",
                                          "pos",
                                          "axis",
                                          "ref",
                                          NULL};
static const char *const geom_names[] = {
    "type",  "contype", "conaffinity", "mesh",  "size", "pos",     "quat",         "axisangle", "euler",    "xyaxes",
    "zaxis", "fromto",  "friction",    "group", "mass", "density", "shellinertia", "rgba",      "material", NULL};
static const char *const site_names[] = {"type",   "pos",   "quat",   "axisangle", "euler",
                                         "xyaxes", "zaxis", "fromto", NULL};
static const char *const actuator_names[] = {
    "gear",     "armature", "damping", "ctrlrange", "ctrllimited", "forcerange", "forcelimited", "gaintype", "gainprm",
    "biastype", "biasprm",  "kp",      "kv",        "dampratio",   "timeconst",  "inheritrange", "dyntype",  NULL};
static const char *const tendon_names[] = {"stiffness", "damping", "frictionloss", "armature", NULL};
static const char *const mesh_names[] = {"scale", "refpos", "refquat", "inertia", NULL};
static const char *const pair_names[] = {"friction", NULL};
static const char *const *const names_of[MJCF_KINDS] = {joint_names,  geom_names, site_names, actuator_names,
                                                        tendon_names, mesh_names, pair_names};

static mjcf_kind kind_of(const xml_node *node)
{
    if (xml_is(node, "joint")) return MJCF_JOINT;
    if (xml_is(node, "geom")) return MJCF_GEOM;
    if (xml_is(node, "site")) return MJCF_SITE;
    if (xml_is(node, "tendon")) return MJCF_TENDON;
    if (xml_is(node, "mesh")) return MJCF_MESH;
    if (xml_is(node, "pair")) return MJCF_PAIR;
    return hmli_word_index(node->name, actuators) >= 0 ? MJCF_ACTUATOR : MJCF_PLAIN;
}

static hml_status new_class(mjcf *m, const xml_node *node, const char *name, int32_t parent, int32_t *class)
{
    reader *r = m->r;
    if (!array_grow(&m->classes, &m->classes_capacity, m->nclasses + 1, sizeof *m->classes))
        return hmli_report_memory(r->error, r->file);
    *class = (int32_t)m->nclasses;
    int added = hmli_map_add(&m->class_names, name, *class);
    if (added < 0) return hmli_report_memory(r->error, r->file);
    if (!added) return MJCF_FAIL(m, HML_BAD_FILE, node, "the class " QUOTED " is defined twice", name);
    mjcf_class fresh = {0};
    if (parent >= 0) {
        memset(m->classes[parent].shared, 1, sizeof m->classes[parent].shared);
        fresh = m->classes[parent];
    }
    fresh.name = name;
    fresh.parent = parent;
    m->classes[m->nclasses++] = fresh;
    return HML_OK;
}

/* the class's own table of a kind, which can be changed; NULL when out of memory */
static const mjcf_value **own_table(mjcf *m, int32_t class, mjcf_kind kind)
{
    mjcf_class *c = &m->classes[class];
    if (c->defaults[kind] && !c->shared[kind]) return c->defaults[kind];
    const mjcf_value **table = hmli_arena_get(m->r->memory, MOST_ATTRIBUTES * sizeof *table);
    if (!table) return NULL;
    if (c->defaults[kind]) memcpy(table, c->defaults[kind], MOST_ATTRIBUTES * sizeof *table);
    c->defaults[kind] = table;
    c->shared[kind] = 0;
    return table;
}

static hml_status add_default(mjcf *m, const xml_node *node, mjcf_kind kind, int32_t class)
{
    for (int i = 0; i < node->nattributes; i++) {
        int k = hmli_word_index(node->attributes[i].name, names_of[kind]);
        if (k < 0) continue;
        const mjcf_value **table = own_table(m, class, kind);
        mjcf_value *value = table ? hmli_arena_get(m->r->memory, sizeof *value) : NULL;
        if (!value) return hmli_report_memory(m->r->error, m->r->file);
        value->node = node;
        value->text = node->attributes[i].value;
        value->count = hmli_number_read_list(value->text, MJCF_NUMBERS, value->numbers);
        value->age = m->nvalues;
        if (value->count > 0)
            for (value->longer = table[k]; value->longer && value->longer->count <= value->count;)
                value->longer = value->longer->longer;
        table[k] = value;
    }
    m->nvalues++; /* there are fewer elements than an int32 can count */
    return HML_OK;
}

/* what a <default> says itself, not its classes inside */
static hml_status read_class(mjcf *m, const xml_node *node, int32_t class)
{
    static const char *const others[] = {"default", "material", "camera", "light", "equality", NULL};
    hml_status status = HML_OK;
    for (const xml_node *child = node->first; !status && child; child = child->next) {
        mjcf_kind kind = kind_of(child);
        if (kind < MJCF_KINDS)
            status = add_default(m, child, kind, class);
        else if (hmli_word_index(child->name, others) < 0)
            status = hmli_reader_warn_element(m->r, child);
    }
    return status;
}

static const xml_node *default_from(const xml_node *node)
{
    while (node && !xml_is(node, "default")) node = node->next;
    return node;
}

/* a <default> of this class and all classes inside, from the outside in; without recursion, however deep they nest */
static hml_status read_classes(mjcf *m, const xml_node *top, int32_t class)
{
    hml_status status = read_class(m, top, class);
    const xml_node *node = top, *next = default_from(top->first);
    while (!status && (next || node != top)) {
        const char *name;
        if (!next) { /* out again */
            next = default_from(node->next);
            node = node->parent;
            class = m->classes[class].parent;
            continue;
        }
        status = hmli_xml_require(next, "class", &name, m->r->error);
        if (!status) status = new_class(m, next, name, class, &class);
        if (!status) status = read_class(m, next, class);
        node = next;
        next = default_from(node->first);
    }
    return status;
}

hml_status hmli_mjcf_defaults(mjcf *m, const xml_node *node)
{
    int32_t main_class = 0;
    if (m->nclasses == 0) {
        hml_status status = new_class(m, node, "main", -1, &main_class);
        if (status) return status;
    }
    if (!node) return HML_OK;
    /* MuJoCo 3 lets the main class have another name */
    const char *name = hmli_xml_get(node, "class");
    if (name && strcmp(name, "main") != 0 && hmli_map_find(&m->class_names, name) != 0) {
        int added = hmli_map_add(&m->class_names, name, 0);
        if (added < 0) return hmli_report_memory(m->r->error, m->r->file);
        if (!added) return MJCF_FAIL(m, HML_BAD_FILE, node, "the class " QUOTED " is defined twice", name);
    }
    return read_classes(m, node, 0);
}

hml_status hmli_mjcf_find_class(const mjcf *m, const xml_node *node, const char *attribute, int32_t *class)
{
    const char *name = hmli_xml_get(node, attribute);
    if (!name) return HML_OK;
    *class = hmli_map_find(&m->class_names, name);
    return *class >= 0 ? HML_OK
                       : MJCF_FAIL(m, HML_BAD_FILE, node, "<%.80s> %s=\"%.80s\": there is no such class", node->name,
                                   attribute, name);
}

hml_status hmli_mjcf_element(const mjcf *m, const xml_node *node, mjcf_kind kind, int32_t childclass, mjcf_element *e)
{
    e->node = node;
    e->kind = kind;
    e->class = childclass;
    return hmli_mjcf_find_class(m, node, "class", &e->class);
}

/* ---- attributes ---- */

const mjcf_value *hmli_mjcf_default(const mjcf *m, const mjcf_element *e, const char *attribute)
{
    if (e->kind >= MJCF_KINDS || !m->classes[e->class].defaults[e->kind]) return NULL;
    int k = hmli_word_index(attribute, names_of[e->kind]);
    return k < 0 ? NULL : m->classes[e->class].defaults[e->kind][k];
}

const xml_node *hmli_mjcf_holder(const mjcf *m, const mjcf_element *e, const char *attribute)
{
    if (hmli_xml_get(e->node, attribute)) return e->node;
    const mjcf_value *value = hmli_mjcf_default(m, e, attribute);
    return value ? value->node : NULL;
}

hml_status hmli_mjcf_numbers(const mjcf *m, const mjcf_element *e, const char *attribute, int n, double *values)
{
    if (hmli_xml_get(e->node, attribute)) return hmli_xml_numbers(e->node, attribute, n, values, m->r->error);
    const mjcf_value *value = hmli_mjcf_default(m, e, attribute);
    if (!value) return HML_OK;
    if (value->count != n || n > MJCF_NUMBERS) /* says what is wrong */
        return hmli_xml_numbers(value->node, attribute, n, values, m->r->error);
    memcpy(values, value->numbers, (size_t)n * sizeof *values);
    return HML_OK;
}

hml_status hmli_mjcf_some_numbers(const mjcf *m, const mjcf_element *e, const char *attribute, int most, double *values)
{
    int known; /* entries that are said */
    double list[MJCF_NUMBERS];
    hml_status status = hmli_xml_some_numbers(e->node, attribute, most, list, &known, m->r->error);
    if (status) return status;
    memcpy(values, list, (size_t)known * sizeof *values);
    for (const mjcf_value *value = hmli_mjcf_default(m, e, attribute); value && known < most; value = value->longer) {
        if (value->count < 1 || value->count > most) { /* says what is wrong */
            int n;
            return hmli_xml_some_numbers(value->node, attribute, most, list, &n, m->r->error);
        }
        for (; known < value->count; known++) values[known] = value->numbers[known];
    }
    return HML_OK;
}

hml_status hmli_mjcf_word(const mjcf *m, const mjcf_element *e, const char *attribute, const char *const words[],
                          int *index)
{
    const char *text = hmli_xml_get(e->node, attribute);
    const mjcf_value *value = text ? NULL : hmli_mjcf_default(m, e, attribute);
    if (!text && !value) return HML_OK;
    const xml_node *node = value ? value->node : e->node;
    if (value) text = value->text;
    int found = hmli_word_index(text, words);
    if (found < 0) {
        char list[256] = "";
        for (int i = 0; words[i]; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
        return MJCF_FAIL(m, HML_BAD_FILE, node, "<%.80s> %s=\"%.80s\" is not one of %s", node->name, attribute, text,
                         list);
    }
    *index = found;
    return HML_OK;
}
