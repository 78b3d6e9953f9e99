/*
 * The tree of bodies. A body's own elements come first, those inside its frames included, then its child bodies, so
 * that the joints of a body lie together.
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

/* where we are: a body, a frame in it, the class in effect */
typedef struct context {
    pose frame; /* in the body's frame */
    int32_t class;
    int world;
    int geoms; /* do geoms count for the inertia of this body? */
} context;

static hml_status read_frame(const mjcf *m, const xml_node *node, const context *outer, context *inner)
{
    mjcf_element e = {node, MJCF_PLAIN, 0};
    pose place;
    *inner = *outer;
    hml_status status = hml_reader_warn_attributes(m->r, node, frame_attributes);
    if (!status) status = hml_mjcf_find_class(m, node, "childclass", &inner->class);
    if (!status) status = hml_mjcf_place(m, &e, &place);
    if (!status) inner->frame = pose_mul(outer->frame, place);
    return status;
}

static hml_status read_site(mjcf *m, const xml_node *node, const context *c)
{
    const char *name = hml_xml_get(node, "name");
    mjcf_element e;
    pose place;
    int fromto;
    double half;
    if (!name || !*name) return HML_OK;
    hml_status status = hml_mjcf_element(m, node, MJCF_SITE, c->class, &e);
    if (!status) status = hml_mjcf_place(m, &e, &place);
    if (!status) status = hml_mjcf_fromto(m, &e, &fromto, &half, &place);
    if (status) return status;
    if (!hml_array_grow(&m->sites, &m->sites_capacity, m->nsites + 1, sizeof *m->sites))
        return hml_report_memory(m->r->error, m->r->file);
    mjcf_site site = {name, node, c->world ? 0 : (int32_t)m->nbodies - 1, pose_mul(c->frame, place)};
    m->sites[m->nsites++] = site;
    return HML_OK;
}

static hml_status read_own(mjcf *m, const xml_node *parent, const context *c, mjcf_parts *parts)
{
    hml_status status = HML_OK;
    for (const xml_node *node = parent->first; !status && node; node = node->next) {
        mjcf_body *b = &m->bodies[c->world ? 0 : m->nbodies - 1];
        if (xml_is(node, "body")) continue;
        if (xml_is(node, "frame")) {
            context inner;
            status = read_frame(m, node, c, &inner);
            if (!status) status = read_own(m, node, &inner, parts);
        } else if (xml_is(node, "joint") || xml_is(node, "freejoint")) {
            status = c->world ? MJCF_FAIL(m, HML_BAD_MODEL, node, "the world cannot have a <%s>", node->name)
                              : hml_mjcf_joint(m, node, &c->frame, c->class);
        } else if (xml_is(node, "inertial")) {
            status = c->world ? MJCF_FAIL(m, HML_BAD_MODEL, node, "the world cannot have an <inertial>")
                              : hml_mjcf_inertial(m, node, &c->frame, b);
        } else if (xml_is(node, "geom")) {
            if (c->geoms) status = hml_mjcf_geom(m, node, &c->frame, c->class, b, parts);
            if (!status) status = hml_mjcf_shape(m, node, &c->frame, c->class, c->world ? 0 : (int32_t)m->nbodies - 1);
        } else if (xml_is(node, "site")) {
            status = read_site(m, node, c);
        } else if (xml_is(node, "plugin")) {
            status = hml_reader_warn_once(m->r, "plugin", "line %d: <plugin> is left out", node->line);
        } else if (hml_word_index(node->name, refused) >= 0) {
            status = MJCF_FAIL(m, HML_UNSUPPORTED, node,
                               "<%s> is not supported: let MuJoCo expand it (save the compiled model)", node->name);
        } else if (hml_word_index(node->name, harmless) < 0) {
            status = hml_reader_warn_element(m->r, node);
        }
    }
    return status;
}

/* has the body an <inertial>, be it inside a frame? */
static int has_inertial(const xml_node *parent)
{
    for (const xml_node *node = parent->first; node; node = node->next)
        if (xml_is(node, "inertial") || (xml_is(node, "frame") && has_inertial(node))) return 1;
    return 0;
}

static hml_status new_body(mjcf *m, const xml_node *node, int32_t parent, const pose *frame)
{
    reader *r = m->r;
    mjcf_element e = {node, MJCF_PLAIN, 0};
    mjcf_body b = {.node = node, .parent = parent};
    double gravcomp = 0;
    hml_status status = hml_reader_warn_attributes(r, node, body_attributes);
    if (!status) status = hml_mjcf_place(m, &e, &b.place);
    if (!status) status = hml_mjcf_numbers(m, &e, "gravcomp", 1, &gravcomp);
    if (status) return status;
    b.place = pose_mul(*frame, b.place);
    b.com = vec3_zero();
    const char *name = hml_xml_get(node, "name");
    if (name && *name) {
        b.name = name;
        int added = hml_map_add(&m->body_names, name, (int32_t)m->nbodies);
        if (added < 0) return hml_report_memory(r->error, r->file);
        if (!added) return MJCF_FAIL(m, HML_BAD_MODEL, node, "body " QUOTED " is there twice", name);
    }
    if (gravcomp != 0)
        status = hml_reader_warn_once(r, "gravcomp", "line %d: gravcomp (body " QUOTED ") is not used", node->line,
                                      b.name ? b.name : "");
    if (!hml_array_grow(&m->bodies, &m->bodies_capacity, m->nbodies + 1, sizeof *m->bodies))
        return hml_report_memory(r->error, r->file);
    m->bodies[m->nbodies++] = b;
    return status;
}

static hml_status read_bodies(mjcf *m, const xml_node *parent, int32_t index, const context *c);

static hml_status read_body(mjcf *m, const xml_node *node, int32_t parent, const context *outer)
{
    context c = {.frame = pose_identity(), .class = outer->class};
    mjcf_parts parts = {0};
    int from_geoms = m->set.from_geoms;
    hml_status status = hml_mjcf_find_class(m, node, "childclass", &c.class);
    if (!status) status = new_body(m, node, parent, &outer->frame);
    if (status) return status;
    int32_t index = (int32_t)m->nbodies - 1;
    c.geoms = from_geoms == 1 || (from_geoms == 2 && !has_inertial(node));
    status = read_own(m, node, &c, &parts);
    if (!status) {
        mjcf_body *b = &m->bodies[index];
        b->moves = b->njoints > 0 || m->bodies[parent].moves;
        status = hml_mjcf_body_inertia(m, b, &parts);
    }
    free(parts.part);
    return status ? status : read_bodies(m, node, index, &c);
}

static hml_status read_bodies(mjcf *m, const xml_node *parent, int32_t index, const context *c)
{
    hml_status status = HML_OK;
    for (const xml_node *node = parent->first; !status && node; node = node->next) {
        if (xml_is(node, "body")) {
            status = read_body(m, node, index, c);
        } else if (xml_is(node, "frame")) {
            context inner;
            status = read_frame(m, node, c, &inner);
            if (!status) status = read_bodies(m, node, index, &inner);
        }
    }
    return status;
}

hml_status hml_mjcf_worldbody(mjcf *m, const xml_node *node)
{
    context c = {.frame = pose_identity(), .world = 1};
    mjcf_parts none = {0};
    hml_status status = read_own(m, node, &c, &none);
    return status ? status : read_bodies(m, node, 0, &c);
}
