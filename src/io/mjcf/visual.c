/*
 * What is seen of an MJCF file: the geoms of the groups 0, 1 and 2, which MuJoCo's own viewer shows, in the colour or
 * material they have. MuJoCo moves the origin of a mesh to its centre and corrects the geom's pose for it, so that the
 * vertices of the file lie where the geom's pose puts them; so they do here.
 *
 * A geom's own rgba wins over its material. Heights of terrain and meshes that are written into the MJCF file itself
 * are not shown.
 */
#include <string.h>

#include "io/mjcf/mjcf.h"
#include "io/scene/scene.h"

enum { LAST_GROUP = 2 };

/* ---- assets ---- */

static hml_status find_file(mjcf *m, scene_file_kind kind, const xml_node *node, int32_t *index)
{
    const char *file = hmli_xml_get(node, "file");
    if (!file || !*file) return HML_OK;
    if (m->set.strippath) file = hmli_mjcf_base_name(file);
    return hmli_scene_file(m->r, kind, kind == SCENE_MESH ? m->set.meshdir : m->set.texturedir, file, index);
}

/*
 * MuJoCo scales what the reference has moved, S (R v + p); a picture moves what it has scaled, R (S' v) + S p. The two
 * are the same with S' = Rᵀ S R, which is diagonal if R turns axes into axes or all scales are equal. Otherwise the
 * picture is a little askew.
 */
static void scale_after(mjcf_mesh *mesh, double scale[3])
{
    const mat3 R = mesh->reference.R;
    const vec3 columns[3] = {R.x, R.y, R.z};
    for (int i = 0; i < 3; i++) {
        const vec3 c = columns[i];
        scale[i] = mesh->scale[0] * c.x * c.x + mesh->scale[1] * c.y * c.y + mesh->scale[2] * c.z * c.z;
    }
    vec3 *p = &mesh->reference.p;
    *p = vec3_of(mesh->scale[0] * p->x, mesh->scale[1] * p->y, mesh->scale[2] * p->z);
}

/* scale, and the frame in which the file's vertices are given */
static hml_status read_mesh(mjcf *m, const char *name, hml_visual *visual, pose *place)
{
    mjcf_mesh mesh;
    for (int i = 0; i < 3; i++) visual->size[i] = 1;
    hml_status status = hmli_mjcf_mesh(m, name, &mesh);
    if (status) return status;
    if (!mesh.node) return hmli_scene_warn(m->r, "there is no mesh " QUOTED, name);
    scale_after(&mesh, visual->size);
    *place = pose_mul(*place, mesh.reference);
    return find_file(m, SCENE_MESH, mesh.node, &visual->mesh);
}

/* ---- geoms ---- */

static hml_status read_colour(mjcf *m, const mjcf_element *e, hml_visual *visual)
{
    const xml_node *material = hmli_mjcf_asset(m, &m->material_names, hmli_mjcf_text(m, e, "material"));
    if (material) {
        const xml_node *texture = hmli_mjcf_asset(m, &m->texture_names, hmli_xml_get(material, "texture"));
        double white[4] = {1, 1, 1, 1};
        hml_status status = hmli_xml_numbers(material, "rgba", 4, white, m->r->error);
        if (!status && texture) status = find_file(m, SCENE_TEXTURE, texture, &visual->texture);
        if (status) return status;
        memcpy(visual->colour, white, sizeof white);
    }
    return hmli_mjcf_numbers(m, e, "rgba", 4, visual->colour);
}

static hml_status read_form(mjcf *m, const mjcf_element *e, enum mjcf_geom_type type, hml_visual *visual, pose *place)
{
    static const hml_visual_kind kinds[] = {HML_VISUAL_SPHERE,   HML_VISUAL_CAPSULE, HML_VISUAL_ELLIPSOID,
                                            HML_VISUAL_CYLINDER, HML_VISUAL_BOX,     HML_VISUAL_PLANE};
    const char *mesh = hmli_mjcf_text(m, e, "mesh");
    hml_status status;
    if (type == MESH || type == SDF || mesh) {
        visual->kind = HML_VISUAL_MESH;
        visual->paint = 1;
        status = hmli_mjcf_place(m, e, place);
        return status || !mesh ? status : read_mesh(m, mesh, visual, place);
    }
    visual->kind = kinds[type];
    if (type < PLANE) return hmli_mjcf_geom_size(m, e, type, visual->size, place);
    status = hmli_mjcf_some_numbers(m, e, "size", 3, visual->size);
    return status ? status : hmli_mjcf_place(m, e, place);
}

static hml_status read_geom(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass, int32_t body)
{
    mjcf_element e;
    int word = SPHERE;
    double group = 0;
    pose place = pose_identity();
    hml_visual v = hmli_visual_at(HML_VISUAL_SPHERE, place);
    hml_status status = hmli_mjcf_element(m, node, MJCF_GEOM, childclass, &e);
    if (!status) status = hmli_mjcf_word(m, &e, "type", hmli_mjcf_geom_types, &word);
    if (!status) status = hmli_mjcf_numbers(m, &e, "group", 1, &group);
    if (status || group > LAST_GROUP || word == HFIELD) return status;
    status = read_colour(m, &e, &v);
    if (status || v.colour[3] <= 0) return status;
    status = read_form(m, &e, (enum mjcf_geom_type)word, &v, &place);
    if (status || (v.kind == HML_VISUAL_MESH && v.mesh < 0)) return status;
    if (!array_grow(&m->visuals, &m->visuals_capacity, m->nvisuals + 1, sizeof *m->visuals))
        return hmli_report_memory(m->r->error, m->r->file);
    pose_to_arrays(pose_mul(*frame, place), v.rotation, v.position);
    m->visuals[m->nvisuals++] = (mjcf_visual){body, v};
    return HML_OK;
}

hml_status hmli_mjcf_visual(mjcf *m, const xml_node *node, const pose *frame, int32_t childclass, int32_t body)
{
    return hmli_scene_excuse(m->r, read_geom(m, node, frame, childclass, body));
}

hml_status hmli_mjcf_add_visuals(mjcf *m)
{
    hml_status status = HML_OK;
    for (size_t i = 0; !status && i < m->nvisuals; i++) {
        const mjcf_visual *v = &m->visuals[i];
        status = hmli_scene_add(m->r, v->body ? m->bodies[v->body].name : NULL, &v->visual);
    }
    return status;
}
