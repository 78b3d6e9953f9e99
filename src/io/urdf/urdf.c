/*
 * URDF. Links and joints are collected first, because a joint may stand before its links; then the tree is checked,
 * and bodies are added in the order of the joints, so that siblings keep the order of the file.
 *
 * A planar joint slides along its plane and turns about the plane's normal, the URDF's axis; Hamel's planar joint does
 * so in the plane z = 0 of its own frame. Where the axis is not z, a massless body `<link>.plane` moves in a frame
 * turned by the smallest rotation that takes z to the axis (half a turn about x for −z), and the link is fixed to it,
 * turned back: the link's frame stays the one of the file.
 */
#include "io/urdf/urdf.h"

#include <stdlib.h>
#include <string.h>

#include "io/common/number.h"
#include "io/common/rotation.h"

static hml_status add_link(urdf *u, const xml_node *node)
{
    reader *r = u->r;
    if (!array_grow(&u->links, &u->links_capacity, u->nlinks + 1, sizeof *u->links))
        return hmli_report_memory(r->error, r->file);
    urdf_link *link = &u->links[u->nlinks];
    memset(link, 0, sizeof *link);
    link->node = node;
    link->joint = -1;
    hml_status status = hmli_xml_require(node, "name", &link->name, r->error);
    if (status) return status;
    int added = hmli_map_add(&u->link_names, link->name, (int32_t)u->nlinks);
    if (added < 0) return hmli_report_memory(r->error, r->file);
    if (!added)
        return hmli_report(r->error, HML_BAD_MODEL, node->file, node->line, "link " QUOTED " is defined twice",
                           link->name);
    u->nlinks++;
    return hmli_urdf_link(u, link);
}

static hml_status add_joint(urdf *u, const xml_node *node)
{
    reader *r = u->r;
    if (!array_grow(&u->joints, &u->joints_capacity, u->njoints + 1, sizeof *u->joints))
        return hmli_report_memory(r->error, r->file);
    urdf_joint *joint = &u->joints[u->njoints];
    memset(joint, 0, sizeof *joint);
    joint->node = node;
    hml_status status = hmli_xml_require(node, "name", &joint->spec.name, r->error);
    if (status) return status;
    int added = hmli_map_add(&u->joint_names, joint->spec.name, (int32_t)u->njoints);
    if (added < 0) return hmli_report_memory(r->error, r->file);
    if (!added)
        return hmli_report(r->error, HML_BAD_MODEL, node->file, node->line, "joint " QUOTED " is defined twice",
                           joint->spec.name);
    u->njoints++;
    return hmli_urdf_joint(u, joint);
}

static hml_status collect(urdf *u, const xml_node *robot)
{
    static const char *const attributes[] = {"name", "version", "xmlns", NULL};
    static const char *const harmless[] = {"material",      "transmission", "gazebo", "sensor", "loop_joint",
                                           "passive_joint", "ros2_control", "group",  NULL};
    hml_status status = hmli_reader_warn_attributes(u->r, robot, attributes);
    for (const xml_node *node = robot->first; !status && node; node = node->next) {
        if (xml_is(node, "link")) {
            status = add_link(u, node);
        } else if (xml_is(node, "joint")) {
            status = add_joint(u, node);
        } else if (strncmp(node->name, "xacro:", 6) == 0) {
            status = hmli_report(u->r->error, HML_UNSUPPORTED, node->file, node->line,
                                 "<%.80s> belongs to a xacro file: expand it first", node->name);
        } else if (hmli_word_index(node->name, harmless) < 0) {
            status = hmli_reader_warn_element(u->r, node);
        }
    }
    return status;
}

/* ---- the tree ---- */

static hml_status find_link(urdf *u, const urdf_joint *joint, const char *which, int32_t *index)
{
    const xml_node *node = hmli_xml_child(joint->node, which);
    hml_error *error = u->r->error;
    if (!node)
        return hmli_report(error, HML_BAD_FILE, joint->node->file, joint->node->line, "joint " QUOTED " has no <%s>",
                           joint->spec.name, which);
    const char *name;
    hml_status status = hmli_xml_require(node, "link", &name, error);
    if (status) return status;
    *index = hmli_map_find(&u->link_names, name);
    if (*index < 0)
        return hmli_report(error, HML_BAD_MODEL, node->file, node->line,
                           "joint " QUOTED ": its %s, link " QUOTED ", does not exist", joint->spec.name, which, name);
    return HML_OK;
}

/* who does not follow anyway may name a leader that is not there */
static hml_status check_leader(urdf *u, urdf_joint *joint)
{
    hml_joint_spec *spec = &joint->spec;
    if (!spec->mimic || hmli_map_find(&u->joint_names, spec->mimic) >= 0) return HML_OK;
    const xml_node *mimic = hmli_xml_child(joint->node, "mimic");
    if (!(u->r->options.build & HML_BUILD_MIMIC_INDEPENDENT))
        return hmli_report(u->r->error, HML_BAD_MODEL, mimic->file, mimic->line,
                           "joint " QUOTED " follows joint " QUOTED ", which does not exist", spec->name, spec->mimic);
    const char *leader = spec->mimic;
    spec->mimic = NULL;
    return hmli_reader_warn(u->r, "line %d: joint " QUOTED " follows joint " QUOTED ", which does not exist",
                            mimic->line, spec->name, leader);
}

static hml_status connect_joint(urdf *u, int32_t k)
{
    urdf_joint *joint = &u->joints[k];
    hml_error *error = u->r->error;
    const char *file = joint->node->file;
    int line = joint->node->line;
    hml_status status = find_link(u, joint, "parent", &joint->parent);
    if (!status) status = find_link(u, joint, "child", &joint->child);
    if (status) return status;
    urdf_link *child = &u->links[joint->child];
    if (joint->parent == joint->child)
        return hmli_report(error, HML_BAD_MODEL, file, line, "joint " QUOTED " connects link " QUOTED " to itself",
                           joint->spec.name, child->name);
    if (child->joint >= 0)
        return hmli_report(error, HML_BAD_MODEL, file, line,
                           "link " QUOTED " is the child of two joints, " QUOTED " and " QUOTED, child->name,
                           u->joints[child->joint].spec.name, joint->spec.name);
    child->joint = k;
    return check_leader(u, joint);
}

static hml_status find_root(urdf *u, const urdf_link **root)
{
    hml_error *error = u->r->error;
    const char *file = u->r->file;
    if (u->nlinks == 0) return hmli_report(error, HML_BAD_MODEL, file, 0, "there is no <link>");
    for (size_t k = 0; k < u->njoints; k++) {
        hml_status status = connect_joint(u, (int32_t)k);
        if (status) return status;
    }
    for (size_t i = 0; i < u->nlinks; i++) {
        if (u->links[i].joint >= 0) continue;
        if (*root)
            return hmli_report(error, HML_BAD_MODEL, file, u->links[i].node->line,
                               "there are two root links, " QUOTED " and " QUOTED ": one of them needs a joint",
                               (*root)->name, u->links[i].name);
        *root = &u->links[i];
    }
    if (!*root)
        return hmli_report(error, HML_BAD_MODEL, file, 0,
                           "no link is the root: each, like " QUOTED ", is the child of a joint", u->links[0].name);
    return HML_OK;
}

/* ---- into the builder ---- */

static hml_status add_body(urdf *u, const xml_node *node, const char *name, const char *parent,
                           const hml_joint_spec *spec, const urdf_link *link)
{
    hml_status status = hml_builder_add_body(u->r->builder, name, parent, spec,
                                             link && link->has_inertia ? &link->inertia : NULL, u->r->error);
    if (status) return hmli_report_place(u->r->error, status, node->file, node->line);
    if (!link) return HML_OK;
    status = hmli_urdf_shapes(u, link);
    return status || !u->r->scene ? status : hmli_urdf_visuals(u, link);
}

static hml_status add_root(urdf *u, const urdf_link *link)
{
    reader *r = u->r;
    hml_base_kind base = r->options.base;
    int guessed = 0;
    if (base == HML_BASE_AUTO) base = hmli_urdf_base(u, u->name, link, &guessed);
    if (guessed && !(r->options.build & HML_BUILD_STRICT)) { /* not a fault of the file: strict does not mind */
        hml_status status = hmli_reader_warn(
            r,
            "the root link " QUOTED
            " is bolted to the world, as no name in the file speaks of legs or flight; a free base makes it float",
            link->name);
        if (status) return status;
    }

    hml_joint_spec spec;
    hml_joint_spec_init(&spec, base == HML_BASE_FREE ? HML_JOINT_FREE : HML_JOINT_FIXED);
    spec.actuated = 0;
    spec.name = r->options.base_name;
    int32_t taken = hmli_map_find(&u->joint_names, spec.name);
    if (taken >= 0 && base == HML_BASE_FREE)
        return hmli_report(
            r->error, HML_BAD_MODEL, link->node->file, u->joints[taken].node->line,
            "joint " QUOTED " has the name of the free root joint: name the base otherwise (--base-name)", spec.name);
    if (taken >= 0 && !(spec.name = hmli_reader_unique(r, &u->joint_names, spec.name, "", -1)))
        return hmli_report_memory(r->error, r->file);
    return add_body(u, link->node, link->name, NULL, &spec, link);
}

/* see the top of this file */
static hml_status add_tilted_plane(urdf *u, const urdf_joint *joint, const char *parent)
{
    reader *r = u->r;
    const urdf_link *link = &u->links[joint->child];
    const char *plane = hmli_reader_unique(r, &u->link_names, link->name, ".plane", -1);
    const char *fixed = hmli_reader_unique(r, &u->joint_names, joint->spec.name, ".plane", -1);
    if (!plane || !fixed) return hmli_report_memory(r->error, r->file);

    vec3 axis = vec3_at(joint->spec.axis);
    mat3 tilt = rotation_of_z_axis(vec3_scale(1 / length3(joint->spec.axis), axis));
    hml_joint_spec moving = joint->spec, still;
    mat3_put(mat3_mul(mat3_at(moving.rotation, 3), tilt), moving.rotation, 3);
    hml_joint_spec_init(&still, HML_JOINT_FIXED);
    still.name = fixed;
    mat3_put(mat3_transpose(tilt), still.rotation, 3);
    hml_status status = add_body(u, joint->node, plane, parent, &moving, NULL);
    return status ? status : add_body(u, joint->node, link->name, plane, &still, link);
}

static hml_status fill_builder(urdf *u, const urdf_link *root)
{
    hml_status status = add_root(u, root);
    for (size_t k = 0; !status && k < u->njoints; k++) {
        urdf_joint *joint = &u->joints[k];
        const hml_joint_spec *spec = &joint->spec;
        const urdf_link *link = &u->links[joint->child];
        const char *parent = u->links[joint->parent].name;
        int tilted = spec->type == HML_JOINT_PLANAR && !(spec->axis[0] == 0 && spec->axis[1] == 0 && spec->axis[2] > 0);
        status = tilted ? add_tilted_plane(u, joint, parent) : add_body(u, joint->node, link->name, parent, spec, link);
    }
    return status;
}

static hml_status read_robot(urdf *u, const xml_node *robot)
{
    reader *r = u->r;
    const char *name = hmli_xml_get(robot, "name"), *version = hmli_xml_get(robot, "version");
    double number = 1;
    if (version) {
        const char *end = hmli_number_read(version, &number);
        if (!end || *end)
            return hmli_report(r->error, HML_BAD_FILE, robot->file, robot->line,
                               "<robot> version=\"%.80s\" is not a version", version);
    }
    u->quaternions = number > 1.05;
    u->name = name;
    hml_status status = name ? hmli_reader_name(r, name, robot->file, robot->line) : HML_OK;
    if (status) return status;
    const urdf_link *root = NULL;
    status = collect(u, robot);
    if (!status && r->scene) status = hmli_urdf_materials(u, robot);
    if (!status) status = find_root(u, &root);
    return status || !root ? status : fill_builder(u, root);
}

hml_status hmli_read_urdf(reader *r, const xml_node *robot)
{
    urdf u = {.r = r};
    hml_status status = read_robot(&u, robot);
    free(u.links);
    free(u.joints);
    hmli_map_free(&u.link_names);
    hmli_map_free(&u.joint_names);
    hmli_map_free(&u.materials);
    free(u.material_nodes);
    return status;
}
