/* Shapes of a URDF: <collision> with a sphere, a box, a cylinder, a capsule, or a mesh, whose convex hull touches. */
#include "io/mesh/mesh.h"
#include "io/urdf/urdf.h"

#include <string.h>

typedef struct geometry {
    const char *name;
    hml_shape_kind kind;
} geometry;

static const geometry known[] = {{"sphere", HML_SHAPE_SPHERE},
                                 {"box", HML_SHAPE_BOX},
                                 {"cylinder", HML_SHAPE_CYLINDER},
                                 {"capsule", HML_SHAPE_CAPSULE}};

/* lengths are whole in the file and half here */
static hml_status read_size(urdf *u, const xml_node *node, hml_shape *shape)
{
    double length = 0;
    hml_status status = HML_OK;
    if (shape->kind == HML_SHAPE_BOX) {
        status = hmli_xml_numbers(node, "size", 3, shape->size, u->r->error);
        for (int i = 0; i < 3; i++) shape->size[i] *= 0.5;
        return status;
    }
    status = hmli_xml_numbers(node, "radius", 1, &shape->size[0], u->r->error);
    if (!status && shape->kind != HML_SHAPE_SPHERE) status = hmli_xml_numbers(node, "length", 1, &length, u->r->error);
    shape->size[1] = 0.5 * length;
    return status;
}

/* a collision with a name is a frame, too */
static hml_status add_frame(urdf *u, const urdf_link *link, const xml_node *collision, const hml_shape *shape)
{
    const char *name = hmli_xml_get(collision, "name");
    if (!name || !*name) return HML_OK;
    name = hmli_reader_unique(u->r, &u->link_names, name, "", -1);
    if (!name) return hmli_report_memory(u->r->error, u->r->file);
    hml_status status =
        hml_builder_add_frame(u->r->builder, name, link->name, shape->position, shape->rotation, u->r->error);
    return status ? hmli_report_place(u->r->error, status, collision->file, collision->line) : HML_OK;
}

/* where its file cannot be used the kind stays a point */
static hml_status read_mesh(urdf *u, const urdf_link *link, const xml_node *node, hml_shape *shape)
{
    double scale[3] = {1, 1, 1};
    const char *file = hmli_xml_get(node, "filename"), *why = "it names no file";
    hml_status status = hmli_xml_numbers(node, "scale", 3, scale, u->r->error);
    if (!status && file && *file) status = hmli_mesh_shape(u->r, NULL, file, &(mesh_place){scale, NULL}, shape, &why);
    if (status || shape->kind == HML_SHAPE_HULL) return status;
    return hmli_reader_warn_once(u->r, "mesh shape",
                                 "line %d: the mesh in <collision> of link " QUOTED " touches nothing here: %s",
                                 node->line, link->name, why);
}

static hml_status read_collision(urdf *u, const urdf_link *link, const xml_node *collision)
{
    const xml_node *node = hmli_xml_child(collision, "geometry");
    const geometry *found = NULL;
    hml_shape shape = {.friction = -1};
    pose H;
    node = node ? node->first : NULL;
    const int mesh = node && xml_is(node, "mesh");
    for (size_t i = 0; node && i < sizeof known / sizeof *known; i++)
        if (xml_is(node, known[i].name)) found = &known[i];
    if (!found && !mesh) return HML_OK;
    if (found) shape.kind = found->kind;
    hml_status status = mesh ? read_mesh(u, link, node, &shape) : read_size(u, node, &shape);
    if (mesh && shape.kind != HML_SHAPE_HULL) return status;
    if (!status) status = hmli_urdf_origin(u, hmli_xml_child(collision, "origin"), &H);
    if (status) return status;
    for (int32_t i = 0; i < hml_shape_kind_sizes(shape.kind); i++)
        if (!(shape.size[i] > 0))
            return hmli_reader_warn_once(u->r, "collision size",
                                         "line %d: the %s of link " QUOTED " has no size and is left out", node->line,
                                         found->name, link->name);
    pose_to_arrays(H, shape.rotation, shape.position);
    status = hml_builder_add_shape(u->r->builder, link->name, &shape, u->r->error);
    if (status) return hmli_report_place(u->r->error, status, node->file, node->line);
    return add_frame(u, link, collision, &shape);
}

hml_status hmli_urdf_shapes(urdf *u, const urdf_link *link)
{
    hml_status status = HML_OK;
    for (const xml_node *node = link->node->first; !status && node; node = node->next)
        if (xml_is(node, "collision")) status = read_collision(u, link, node);
    return status;
}
