/*
 * MJCF: the order in which the sections count, names, and the builder.
 *
 * A body with several joints becomes a chain of massless bodies, one for each joint but the last, called
 * `<body>.<joint>`; a body without joints is fixed. Sites, and geoms that can collide, become frames.
 */
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef hml_status section_reader(mjcf *m, const xml_node *node);

static hml_status read_sections(mjcf *m, const xml_node *mujoco, const char *name, section_reader *read)
{
    hml_status status = HML_OK;
    for (const xml_node *node = mujoco->first; !status && node; node = node->next)
        if (xml_is(node, name)) status = read(m, node);
    return status;
}

static hml_status add_world(mjcf *m)
{
    if (!array_grow(&m->bodies, &m->bodies_capacity, 1, sizeof *m->bodies) ||
        hmli_map_add(&m->body_names, "world", 0) < 0)
        return hmli_report_memory(m->r->error, m->r->file);
    memset(&m->bodies[0], 0, sizeof m->bodies[0]);
    m->nbodies = 1;
    return HML_OK;
}

/* sections that are not read; what acts on the robot among them is named */
static hml_status check_sections(mjcf *m, const xml_node *mujoco)
{
    static const char *const read[] = {"compiler", "option", "default",  "worldbody", "actuator",
                                       "equality", "tendon", "keyframe", "contact",   NULL};
    static const char *const harmless[] = {"size",   "statistic", "visual",    "asset",
                                           "sensor", "custom",    "extension", NULL};
    hml_status status = HML_OK;
    for (const xml_node *node = mujoco->first; !status && node; node = node->next) {
        if (hmli_word_index(node->name, read) >= 0 || hmli_word_index(node->name, harmless) >= 0) continue;
        status = xml_is(node, "deformable")
                     ? hmli_reader_warn_once(m->r, "deformable", "line %d: <deformable> is left out", node->line)
                     : hmli_reader_warn_element(m->r, node);
    }
    return status;
}

/* ---- names ---- */

static hml_status name_bodies(mjcf *m)
{
    for (size_t i = 1; i < m->nbodies; i++) {
        char base[32];
        if (m->bodies[i].name) continue;
        snprintf(base, sizeof base, "body%zu", i); /* MuJoCo's number of it */
        m->bodies[i].name = hmli_reader_unique(m->r, &m->body_names, base, "", (int32_t)i);
        if (!m->bodies[i].name) return hmli_report_memory(m->r->error, m->r->file);
    }
    return HML_OK;
}

/* the first free root joint is the base; other joints without a name take their body's */
static hml_status name_joints(mjcf *m)
{
    reader *r = m->r;
    int has_base = 0;
    for (size_t i = 0; i < m->njoints; i++) {
        mjcf_joint *j = &m->joints[i];
        const char *name = r->options.base_name;
        if (j->spec.type == HML_JOINT_FREE && !has_base) {
            has_base = 1;
            int32_t taken = hmli_map_find(&m->joint_names, name);
            if (taken >= 0 && (size_t)taken != i)
                return MJCF_FAIL(m, HML_BAD_MODEL, m->joints[taken].node,
                                 "joint " QUOTED " has the name of the free root joint: name the base otherwise "
                                 "(--base-name)",
                                 name);
            if (taken < 0 && hmli_map_add(&m->joint_names, name, (int32_t)i) < 0)
                return hmli_report_memory(r->error, r->file);
            j->spec.name = name;
        }
    }
    for (size_t i = 0; i < m->njoints; i++) {
        mjcf_joint *j = &m->joints[i];
        if (!j->spec.name)
            j->spec.name = hmli_reader_unique(r, &m->joint_names, m->bodies[j->body].name, "", (int32_t)i);
        if (!j->spec.name) return hmli_report_memory(r->error, r->file);
    }
    return HML_OK;
}

/* ---- into the builder ---- */

static hml_status add_body(mjcf *m, const xml_node *node, const char *name, const char *parent,
                           const hml_joint_spec *spec, const mjcf_body *heavy)
{
    hml_inertia_spec inertia_spec = {0};
    if (heavy) {
        double moment[6];
        inertia_spec.mass = heavy->mass;
        vec3_put(heavy->com, inertia_spec.com);
        sym3_to_array(heavy->moment, moment);
        sym3_array_to_rows(moment, inertia_spec.moment);
    }
    hml_status status =
        hml_builder_add_body(m->r->builder, name, parent, spec, heavy ? &inertia_spec : NULL, m->r->error);
    return status ? hmli_report_place(m->r->error, status, node->file, node->line) : HML_OK;
}

static hml_status add_fixed(mjcf *m, const mjcf_body *b, const char *parent)
{
    hml_joint_spec spec;
    hml_joint_spec_init(&spec, HML_JOINT_FIXED);
    pose_to_arrays(b->place, spec.rotation, spec.position);
    spec.name = hmli_reader_unique(m->r, &m->joint_names, b->name, "", -1);
    if (!spec.name) return hmli_report_memory(m->r->error, m->r->file);
    return add_body(m, b->node, b->name, parent, &spec, b);
}

static hml_status add_moving(mjcf *m, const mjcf_body *b, const char *parent)
{
    hml_status status = HML_OK;
    for (int32_t k = 0; !status && k < b->njoints; k++) {
        const mjcf_joint *j = &m->joints[b->joint + k];
        int last = k == b->njoints - 1;
        const char *name = b->name;
        if (!last) {
            size_t room = strlen(j->spec.name) + 2;
            char *suffix = hmli_arena_get(m->r->memory, room);
            if (suffix) snprintf(suffix, room, ".%s", j->spec.name);
            name = suffix ? hmli_reader_unique(m->r, &m->body_names, b->name, suffix, -1) : NULL;
            if (!name) return hmli_report_memory(m->r->error, m->r->file);
        }
        status = add_body(m, j->node, name, parent, &j->spec, last ? b : NULL);
        parent = name;
    }
    return status;
}

/* has a geom the name and the place of a site? */
static int is_site(const mjcf *m, const mjcf_site *geom)
{
    const int32_t index = hmli_map_find(&m->site_names, geom->name);
    if (index < 0 || m->sites[index].body != geom->body) return 0;
    const vec3 way = vec3_sub(m->sites[index].place.p, geom->place.p);
    return vec3_dot(way, way) == 0;
}

/* sites, or geoms that can collide */
static hml_status add_frames(mjcf *m, int geoms)
{
    hml_status status = HML_OK;
    for (size_t i = 0; !status && i < m->nsites; i++) {
        mjcf_site *site = &m->sites[i];
        if (site->geom != geoms || (geoms && is_site(m, site))) continue;
        double position[3], rotation[9];
        const char *name = site->name;
        int added = hmli_map_add(&m->body_names, name, -1);
        if (added == 0) { /* in MuJoCo bodies and sites may have the same name */
            name = hmli_reader_unique(m->r, &m->body_names, name, geoms ? ".geom" : ".site", -1);
            if (name && !geoms)
                status = hmli_reader_warn(m->r, "line %d: the name of site " QUOTED " is taken: it is called " QUOTED,
                                          site->node->line, site->name, name);
        }
        if (added < 0 || !name) return hmli_report_memory(m->r->error, m->r->file);
        site->name = name;
        pose_to_arrays(site->place, rotation, position);
        if (!status)
            status = hml_builder_add_frame(m->r->builder, name, site->body ? m->bodies[site->body].name : NULL,
                                           position, rotation, m->r->error);
        if (status) hmli_report_place(m->r->error, status, site->node->file, site->node->line);
    }
    return status;
}

static hml_status add_shapes(mjcf *m)
{
    for (size_t i = 0; i < m->nshapes; i++) {
        const mjcf_shape *s = &m->shapes[i];
        const char *body = s->body ? m->bodies[s->body].name : NULL;
        hml_status status = hml_builder_add_shape(m->r->builder, body, &s->shape, m->r->error);
        if (status) return hmli_report_place(m->r->error, status, s->node->file, s->node->line);
    }
    return HML_OK;
}

static hml_status fill_builder(mjcf *m)
{
    static const double none[3] = {0};
    hml_status status = hml_builder_set_gravity(m->r->builder, m->set.no_gravity ? none : m->set.gravity);
    for (size_t i = 1; !status && i < m->nbodies; i++) {
        const mjcf_body *b = &m->bodies[i];
        const char *parent = b->parent ? m->bodies[b->parent].name : NULL;
        status = b->njoints ? add_moving(m, b, parent) : add_fixed(m, b, parent);
    }
    if (!status) status = add_frames(m, 0);
    if (!status) status = add_frames(m, 1);
    if (!status) status = hmli_mjcf_add_actuators(m);
    return status ? status : add_shapes(m);
}

static hml_status read_mujoco(mjcf *m, const xml_node *mujoco)
{
    int any = 0;
    const char *name = hmli_xml_get(mujoco, "model");
    hmli_mjcf_settings_init(&m->set);
    hml_status status = name ? hmli_reader_name(m->r, name, mujoco->file, mujoco->line) : HML_OK;
    if (!status) status = hmli_mjcf_defaults(m, NULL);
    if (!status) status = check_sections(m, mujoco);
    if (!status) status = read_sections(m, mujoco, "compiler", hmli_mjcf_compiler);
    if (!status) status = read_sections(m, mujoco, "option", hmli_mjcf_option);
    if (!status) status = read_sections(m, mujoco, "default", hmli_mjcf_defaults);
    if (!status) status = read_sections(m, mujoco, "asset", hmli_mjcf_assets);
    if (!status) status = add_world(m);
    if (!status) status = read_sections(m, mujoco, "contact", hmli_mjcf_pair_names);
    if (!status) status = read_sections(m, mujoco, "worldbody", hmli_mjcf_worldbody);
    if (!status) status = hmli_mjcf_pairs(m, mujoco);
    if (!status) status = hmli_mjcf_check_inertias(m);
    for (const xml_node *node = mujoco->first; !status && node; node = node->next)
        if (xml_is(node, "actuator")) status = hmli_mjcf_actuators(m, node, &any);
    if (!status) status = read_sections(m, mujoco, "tendon", hmli_mjcf_tendon);
    if (!status) status = name_bodies(m);
    if (!status) status = name_joints(m);
    if (!status) status = read_sections(m, mujoco, "equality", hmli_mjcf_equality_joints);
    if (!status && m->r->scene) status = hmli_mjcf_add_visuals(m);
    if (!status) status = fill_builder(m);
    if (!status) status = read_sections(m, mujoco, "contact", hmli_mjcf_contact);
    if (!status) status = read_sections(m, mujoco, "equality", hmli_mjcf_equality);
    return status ? status : hmli_mjcf_keyframes(m, mujoco);
}

hml_status hmli_read_mjcf(reader *r, xml_node *mujoco)
{
    mjcf m = {.r = r};
    hml_status status = hmli_mjcf_include(r, mujoco);
    if (!status && r->options.base)
        status = hmli_reader_warn(r, "the option for the base is ignored: only a URDF leaves the base open");
    if (!status) status = read_mujoco(&m, mujoco);
    free(m.classes);
    free(m.contexts);
    free(m.bodies);
    free(m.joints);
    free(m.sites);
    free(m.shapes);
    free(m.actuators);
    hmli_map_free(&m.class_names);
    hmli_map_free(&m.body_names);
    hmli_map_free(&m.joint_names);
    hmli_map_free(&m.site_names);
    hmli_map_free(&m.geom_names);
    hmli_map_free(&m.pair_names);
    hmli_map_free(&m.actuator_names);
    hmli_map_free(&m.tendon_names);
    hmli_map_free(&m.key_names);
    free(m.visuals);
    free(m.assets);
    hmli_map_free(&m.mesh_names);
    hmli_map_free(&m.material_names);
    hmli_map_free(&m.texture_names);
    hmli_map_free(&m.hfield_names);
    return status;
}
