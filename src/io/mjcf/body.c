/*
 * The tree of bodies. A body's own elements come first, those inside its frames included, then its child bodies, so
 * that the joints of a body lie together. Bodies and frames nest as deep as a file likes: instead of recursion there is
 * a stack of contexts, so that the thread's own stack stays small.
 */
#include <stdlib.h>
#include <string.h>

#include "io/mjcf/mjcf.h"

static const char *const body_attributes[] = {"name",     "childclass", "pos",    "quat",  "axisangle",
                                              "xyaxes",   "zaxis",      "euler",  "mocap", "user",
                                              "gravcomp", "sleep",      "simple", "fuse",  NULL};
static const char *const frame_attributes[] = {"name",   "childclass", "pos",   "quat", "axisangle",
                                               "xyaxes", "zaxis",      "euler", NULL};

/* makes bodies that this reader does not make */
static const char *const refused[] = {"replicate", "composite", "flexcomp", "attach", NULL};
static const char *const harmless[] = {"camera", "light", NULL};

static hml_status enter(mjcf *m, const mjcf_context *c)
{
    if (!array_grow(&m->contexts, &m->contexts_capacity, m->ncontexts + 1, sizeof *m->contexts))
        return hmli_report_memory(m->r->error, m->r->file);
    m->contexts[m->ncontexts++] = *c;
    return HML_OK;
}

/* a frame inside what we are in */
static hml_status enter_frame(mjcf *m, const xml_node *node)
{
    mjcf_element e = {node, MJCF_PLAIN, 0};
    mjcf_context inner = m->contexts[m->ncontexts - 1];
    pose place;
    hml_status status = hmli_reader_warn_attributes(m->r, node, frame_attributes);
    if (!status) status = hmli_mjcf_find_class(m, node, "childclass", &inner.class);
    if (!status) status = hmli_mjcf_place(m, &e, &place);
    if (status) return status;
    inner.frame = pose_mul(inner.frame, place);
    return enter(m, &inner);
}

static hml_status read_site(mjcf *m, const xml_node *node, const mjcf_context *c)
{
    static const char *const types[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box", NULL};
    const char *name = hmli_xml_get(node, "name");
    mjcf_element e;
    pose place;
    int fromto, type = 0;
    double half;
    if (!name || !*name) return HML_OK;
    hml_status status = hmli_mjcf_element(m, node, MJCF_SITE, c->class, &e);
    if (!status) status = hmli_mjcf_unique_name(m, &m->site_names, node);
    if (!status) status = hmli_mjcf_word(m, &e, "type", types, &type);
    if (!status) status = hmli_mjcf_place(m, &e, &place);
    if (!status) status = hmli_mjcf_fromto(m, &e, &fromto, &half, &place);
    if (!status && fromto && type == 0)
        status = MJCF_FAIL(m, HML_BAD_FILE, node, "<site> fromto does not go with a sphere");
    if (status) return status;
    if (!array_grow(&m->sites, &m->sites_capacity, m->nsites + 1, sizeof *m->sites))
        return hmli_report_memory(m->r->error, m->r->file);
    mjcf_site site = {name, node, c->body, pose_mul(c->frame, place), 0};
    hmli_map_entry(&m->site_names, name)->value = (int32_t)m->nsites;
    m->sites[m->nsites++] = site;
    return HML_OK;
}

static hml_status read_element(mjcf *m, const xml_node *node, const mjcf_context *c, mjcf_parts *parts)
{
    int world = c->body == 0;
    mjcf_body *b = &m->bodies[c->body];
    if (xml_is(node, "joint") || xml_is(node, "freejoint"))
        return world ? MJCF_FAIL(m, HML_BAD_MODEL, node, "the world cannot have a <%s>", node->name)
                     : hmli_mjcf_joint(m, node, &c->frame, c->class);
    if (xml_is(node, "inertial"))
        return world ? MJCF_FAIL(m, HML_BAD_MODEL, node, "the world cannot have an <inertial>")
                     : hmli_mjcf_inertial(m, node, &c->frame, b);
    if (xml_is(node, "geom")) {
        hml_status status = hmli_mjcf_unique_name(m, &m->geom_names, node);
        if (!status && c->geoms) status = hmli_mjcf_geom(m, node, &c->frame, c->class, b, parts);
        if (!status) status = hmli_mjcf_shape(m, node, &c->frame, c->class, c->body);
        return status || !m->r->scene ? status : hmli_mjcf_visual(m, node, &c->frame, c->class, c->body);
    }
    if (xml_is(node, "site")) return read_site(m, node, c);
    if (xml_is(node, "plugin"))
        return hmli_reader_warn_once(m->r, "plugin", "line %d: <plugin> is left out", node->line);
    if (hmli_word_index(node->name, refused) >= 0)
        return MJCF_FAIL(m, HML_UNSUPPORTED, node,
                         "<%s> is not supported: let MuJoCo expand it (save the compiled model)", node->name);
    return hmli_word_index(node->name, harmless) >= 0 ? HML_OK : hmli_reader_warn_element(m->r, node);
}

/* what a body has itself, also inside frames; the context is the innermost one */
static hml_status read_own(mjcf *m, const xml_node *body, mjcf_parts *parts)
{
    hml_status status = HML_OK;
    const xml_node *inside = body, *node = body->first;
    while (!status && (node || inside != body)) {
        if (!node) { /* out of a frame */
            node = inside->next;
            inside = inside->parent;
            m->ncontexts--;
        } else if (xml_is(node, "frame")) {
            status = enter_frame(m, node);
            inside = node;
            node = node->first;
        } else {
            if (!xml_is(node, "body")) status = read_element(m, node, &m->contexts[m->ncontexts - 1], parts);
            node = node->next;
        }
    }
    return status;
}

/* has the body an <inertial>, be it inside a frame? */
static int has_inertial(const xml_node *body)
{
    const xml_node *inside = body, *node = body->first;
    while (node || inside != body) {
        if (!node) {
            node = inside->next;
            inside = inside->parent;
        } else if (xml_is(node, "frame")) {
            inside = node;
            node = node->first;
        } else {
            if (xml_is(node, "inertial")) return 1;
            node = node->next;
        }
    }
    return 0;
}

static hml_status new_body(mjcf *m, const xml_node *node, int32_t parent, const pose *frame)
{
    reader *r = m->r;
    mjcf_element e = {node, MJCF_PLAIN, 0};
    mjcf_body b = {.node = node, .parent = parent};
    char text[LABEL_SIZE];
    double gravcomp = 0;
    hml_status status = hmli_reader_warn_attributes(r, node, body_attributes);
    if (!status) status = hmli_mjcf_place(m, &e, &b.place);
    if (!status) status = hmli_mjcf_numbers(m, &e, "gravcomp", 1, &gravcomp);
    if (status) return status;
    b.place = pose_mul(*frame, b.place);
    b.com = vec3_zero();
    const char *name = hmli_xml_get(node, "name");
    if (name && *name) {
        b.name = name;
        int added = hmli_map_add(&m->body_names, name, (int32_t)m->nbodies);
        if (added < 0) return hmli_report_memory(r->error, r->file);
        if (!added) return MJCF_FAIL(m, HML_BAD_MODEL, node, "body " QUOTED " is defined twice", name);
    }
    if (gravcomp != 0)
        status = hmli_reader_warn_once(r, "gravcomp", "line %d: gravcomp (%s) is not used", node->line,
                                       hmli_reader_label(text, "body", b.name));
    if (!array_grow(&m->bodies, &m->bodies_capacity, m->nbodies + 1, sizeof *m->bodies))
        return hmli_report_memory(r->error, r->file);
    m->bodies[m->nbodies++] = b;
    return status;
}

/* a body with all it has itself, inside what we are in */
static hml_status enter_body(mjcf *m, const xml_node *node)
{
    mjcf_context outer = m->contexts[m->ncontexts - 1];
    mjcf_context c = {.frame = pose_identity(), .class = outer.class};
    mjcf_parts parts = {0};
    int from_geoms = m->set.from_geoms;
    hml_status status = hmli_mjcf_find_class(m, node, "childclass", &c.class);
    if (!status) status = new_body(m, node, outer.body, &outer.frame);
    if (status) return status;
    c.body = (int32_t)m->nbodies - 1;
    c.geoms = from_geoms == 1 || (from_geoms == 2 && !has_inertial(node));
    status = enter(m, &c);
    if (!status) status = read_own(m, node, &parts);
    if (!status) {
        mjcf_body *b = &m->bodies[c.body];
        b->moves = b->njoints > 0 || m->bodies[outer.body].moves;
        status = hmli_mjcf_body_inertia(m, b, &parts);
    }
    free(parts.part);
    return status;
}

hml_status hmli_mjcf_worldbody(mjcf *m, const xml_node *world)
{
    mjcf_context c = {.frame = pose_identity()};
    mjcf_parts none = {0};
    m->ncontexts = 0;
    hml_status status = enter(m, &c);
    if (!status) status = read_own(m, world, &none);
    const xml_node *inside = world, *node = world->first;
    while (!status && (node || inside != world)) {
        if (!node) { /* out of a body or a frame */
            node = inside->next;
            inside = inside->parent;
            m->ncontexts--;
        } else if (xml_is(node, "body") || xml_is(node, "frame")) {
            status = xml_is(node, "body") ? enter_body(m, node) : enter_frame(m, node);
            inside = node;
            node = node->first;
        } else {
            node = node->next;
        }
    }
    return status;
}
