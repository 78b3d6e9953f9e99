/*
 * What a URDF shows: <visual> with a sphere, a box, a cylinder, a capsule or a mesh, and the colour or texture of its
 * <material>. A material is used by its name, wherever in the file it is described: at the top, as the URDF has it, or
 * in the visual of another link, as many files have it.
 */
#include "io/scene/scene.h"
#include "io/urdf/urdf.h"

#include <string.h>

static hml_status add_material(urdf *u, const xml_node *node)
{
    const char *name = hmli_xml_get(node, "name");
    if (!name || !*name || (!hmli_xml_child(node, "color") && !hmli_xml_child(node, "texture"))) return HML_OK;
    int added = hmli_map_add(&u->materials, name, (int32_t)u->nmaterials);
    if (added < 0 ||
        !array_grow(&u->material_nodes, &u->materials_capacity, u->nmaterials + 1, sizeof *u->material_nodes))
        return hmli_report_memory(u->r->error, u->r->file);
    if (added) u->material_nodes[u->nmaterials++] = node;
    return HML_OK;
}

/* those at the top come first: where a name is there twice, they count */
hml_status hmli_urdf_materials(urdf *u, const xml_node *robot)
{
    hml_status status = HML_OK;
    for (const xml_node *node = robot->first; !status && node; node = node->next)
        if (xml_is(node, "material")) status = add_material(u, node);
    for (size_t i = 0; !status && i < u->nlinks; i++)
        for (const xml_node *visual = u->links[i].node->first; !status && visual; visual = visual->next) {
            const xml_node *node = xml_is(visual, "visual") ? hmli_xml_child(visual, "material") : NULL;
            if (node) status = add_material(u, node);
        }
    return status;
}

static hml_status read_material(urdf *u, const xml_node *node, hml_visual *visual)
{
    reader *r = u->r;
    if (!node) return HML_OK;
    const xml_node *colour = hmli_xml_child(node, "color"), *texture = hmli_xml_child(node, "texture");
    const char *name = hmli_xml_get(node, "name"), *file = NULL;
    if (!colour && !texture) {
        int32_t index = name ? hmli_map_find(&u->materials, name) : -1;
        if (index < 0) return HML_OK;
        colour = hmli_xml_child(u->material_nodes[index], "color");
        texture = hmli_xml_child(u->material_nodes[index], "texture");
    }
    hml_status status = colour ? hmli_xml_numbers(colour, "rgba", 4, visual->colour, r->error) : HML_OK;
    if (!status && texture) file = hmli_xml_get(texture, "filename");
    return status || !file ? status : hmli_scene_file(r, SCENE_TEXTURE, NULL, file, &visual->texture);
}

/* lengths are whole in the file and half here; *shown: it has a size, or its mesh was found */
static hml_status read_geometry(urdf *u, const xml_node *node, hml_visual *visual, int *shown)
{
    hml_error *error = u->r->error;
    hml_status status = HML_OK;
    double length = 0, *size = visual->size;
    const char *file;
    switch (visual->kind) {
    case HML_VISUAL_MESH:
        for (int i = 0; i < 3; i++) size[i] = 1;
        status = hmli_xml_require(node, "filename", &file, error);
        if (!status) status = hmli_xml_numbers(node, "scale", 3, size, error);
        if (!status) status = hmli_scene_file(u->r, SCENE_MESH, NULL, file, &visual->mesh);
        *shown = visual->mesh >= 0;
        return status;
    case HML_VISUAL_BOX:
        status = hmli_xml_numbers(node, "size", 3, size, error);
        for (int i = 0; i < 3; i++) size[i] *= 0.5;
        *shown = size[0] >= 0 && size[1] >= 0 && size[2] >= 0; /* a plate may be as thin as it likes */
        return status;
    default:
        status = hmli_xml_numbers(node, "radius", 1, &size[0], error);
        if (!status) status = hmli_xml_numbers(node, "length", 1, &length, error);
        size[1] = 0.5 * length;
        *shown = size[0] > 0 && length >= 0;
        return status;
    }
}

static hml_status read_visual(urdf *u, const urdf_link *link, const xml_node *node)
{
    static const char *const names[] = {"sphere", "box", "cylinder", "capsule", "mesh", NULL};
    static const hml_visual_kind kinds[] = {HML_VISUAL_SPHERE, HML_VISUAL_BOX, HML_VISUAL_CYLINDER, HML_VISUAL_CAPSULE,
                                            HML_VISUAL_MESH};
    const xml_node *geometry = hmli_xml_child(node, "geometry");
    geometry = geometry ? geometry->first : NULL;
    int kind = geometry ? hmli_word_index(geometry->name, names) : -1, shown = 0;
    pose place;
    if (kind < 0) return HML_OK;
    hml_status status = hmli_urdf_origin(u, hmli_xml_child(node, "origin"), &place);
    if (status) return status;
    hml_visual visual = hmli_visual_at(kinds[kind], place);
    status = read_geometry(u, geometry, &visual, &shown);
    if (!status) status = read_material(u, hmli_xml_child(node, "material"), &visual);
    return status || !shown ? status : hmli_scene_add(u->r, link->name, &visual);
}

hml_status hmli_urdf_visuals(urdf *u, const urdf_link *link)
{
    hml_status status = HML_OK;
    for (const xml_node *node = link->node->first; !status && node; node = node->next)
        if (xml_is(node, "visual")) status = hmli_scene_excuse(u->r, read_visual(u, link, node));
    return status;
}
