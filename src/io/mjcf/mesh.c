/*
 * Assets of an MJCF file by name, and its meshes: as hulls that touch, and as what they weigh.
 *
 * MuJoCo moves the origin of a mesh to its centre and corrects the geom's pose for it, so that vertices lie where the
 * geom's pose puts them; refpos and refquat are a frame that is taken out first, before the scale.
 */
#include "io/mesh/mesh.h"

#include <string.h>

#include "io/common/number.h"
#include "io/common/rotation.h"
#include "io/mjcf/mjcf.h"

/* ---- assets ---- */

const char *hmli_mjcf_text(const mjcf *m, const mjcf_element *e, const char *attribute)
{
    const xml_node *node = hmli_mjcf_holder(m, e, attribute);
    return node ? hmli_xml_get(node, attribute) : NULL;
}

const char *hmli_mjcf_base_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *back = strrchr(file, '\\');
    if (back && (!slash || back > slash)) slash = back;
    return slash ? slash + 1 : file;
}

/* its name, or that of its file without folder and ending; "" if it has neither; NULL when out of memory */
static const char *asset_name(mjcf *m, const xml_node *node)
{
    const char *name = hmli_xml_get(node, "name"), *file = hmli_xml_get(node, "file");
    if (name && *name) return name;
    if (!file) return "";
    file = hmli_mjcf_base_name(file);
    const char *dot = strrchr(file, '.');
    return hmli_arena_text(m->r->memory, file, dot ? (size_t)(dot - file) : strlen(file));
}

hml_status hmli_mjcf_assets(mjcf *m, const xml_node *section)
{
    for (const xml_node *node = section->first; node; node = node->next) {
        map *names = xml_is(node, "mesh")       ? &m->mesh_names
                     : xml_is(node, "material") ? &m->material_names
                     : xml_is(node, "texture")  ? &m->texture_names
                     : xml_is(node, "hfield")   ? &m->hfield_names
                                                : NULL;
        const char *name = names ? asset_name(m, node) : "";
        if (name && !*name) continue;
        if (!name || hmli_map_add(names, name, (int32_t)m->nassets) < 0 ||
            !array_grow(&m->assets, &m->assets_capacity, m->nassets + 1, sizeof *m->assets))
            return hmli_report_memory(m->r->error, m->r->file);
        m->assets[m->nassets++] = node;
    }
    return HML_OK;
}

const xml_node *hmli_mjcf_asset(const mjcf *m, const map *names, const char *name)
{
    int32_t index = name ? hmli_map_find(names, name) : -1;
    return index < 0 ? NULL : m->assets[index];
}

/* ---- meshes ---- */

hml_status hmli_mjcf_mesh(mjcf *m, const char *name, mjcf_mesh *mesh)
{
    mjcf_element e;
    double refpos[3] = {0}, refquat[4] = {1, 0, 0, 0};
    *mesh = (mjcf_mesh){.scale = {1, 1, 1}, .reference = pose_identity()};
    const xml_node *node = hmli_mjcf_asset(m, &m->mesh_names, name);
    if (!node) return HML_OK;
    hml_status status = hmli_mjcf_element(m, node, MJCF_MESH, 0, &e);
    if (!status) status = hmli_mjcf_numbers(m, &e, "scale", 3, mesh->scale);
    if (!status) status = hmli_mjcf_numbers(m, &e, "refpos", 3, refpos);
    if (!status) status = hmli_mjcf_numbers(m, &e, "refquat", 4, refquat);
    if (status) return status;
    mesh->node = node;
    mesh->element = e;
    mesh->moved = hmli_mjcf_holder(m, &e, "refpos") || hmli_mjcf_holder(m, &e, "refquat");
    mesh->reference.p = vec3_at(refpos);
    rotation_of_quaternion(refquat, &mesh->reference.R);
    mesh->reference = pose_inverse(mesh->reference);
    return HML_OK;
}

/* the file of a mesh, or NULL */
static const char *file_of(const mjcf *m, const mjcf_mesh *mesh)
{
    const char *file = mesh->node ? hmli_xml_get(mesh->node, "file") : NULL;
    if (!file || !*file) return NULL;
    return m->set.strippath ? hmli_mjcf_base_name(file) : file;
}

/* vertices that are written into the MJCF file itself; 0 triangles: the hull is meant */
static hml_status read_numbers(mjcf *m, const xml_node *node, triangles *made)
{
    const char *at = hmli_xml_get(node, "vertex");
    double x[3];
    for (int k = 0;; k = (k + 1) % 3) {
        while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
        if (!*at && k == 0) return HML_OK;
        at = hmli_number_read(at, &x[k]);
        if (!at) return MJCF_FAIL(m, HML_BAD_FILE, node, "<mesh> vertex is no list of points");
        if (k == 2 && !hmli_mesh_add_vertex(made, x)) return hmli_report_memory(m->r->error, m->r->file);
    }
}

/* of a mesh whose vertices stand in the MJCF file */
static hml_status written_shape(mjcf *m, const mjcf_mesh *mesh, hml_shape *shape, const char **why)
{
    triangles made = {0};
    hml_status status = m->r->scene ? HML_OK : read_numbers(m, mesh->node, &made);
    if (!status && mesh->moved) hmli_mesh_move(&made, &mesh->reference);
    if (!status && made.nvertices && hmli_mesh_hull(m->r, &made, mesh->scale, shape))
        status = hmli_report_memory(m->r->error, m->r->file);
    if (!made.nvertices) *why = "it has no vertices";
    hmli_mesh_free(&made);
    return status;
}

hml_status hmli_mjcf_mesh_shape(mjcf *m, const char *name, hml_shape *shape, const char **why)
{
    mjcf_mesh mesh;
    hml_status status = hmli_mjcf_mesh(m, name, &mesh);
    if (status) return status;
    const char *file = file_of(m, &mesh);
    const mesh_place at = {mesh.scale, mesh.moved ? &mesh.reference : NULL};
    shape->kind = HML_SHAPE_POINT;
    *why = "";
    if (file) return hmli_mesh_shape(m->r, m->set.meshdir, file, &at, shape, why);
    if (mesh.node && hmli_xml_get(mesh.node, "vertex")) return written_shape(m, &mesh, shape, why);
    *why = mesh.node ? "it has neither a file nor vertices" : "there is no such mesh";
    return HML_OK;
}

/* of the convex hull, as fine as the points have it */
static hml_status hull_moments(mjcf *m, const triangles *given, const double scale[3], mesh_moments *moments)
{
    enum { FINE = 4096 };
    static const double one[3] = {1, 1, 1};
    hull h;
    hml_status status = hmli_hull_make(given->vertices, given->nvertices, scale, FINE, &h);
    triangles solid = {
        .vertices = h.vertices, .corners = h.corners, .nvertices = h.nvertices, .ntriangles = h.ntriangles};
    if (!status) *moments = hmli_mesh_moments(&solid, one, MESH_EXACT);
    hmli_hull_free(&h);
    return status ? hmli_report_memory(m->r->error, m->r->file) : HML_OK;
}

hml_status hmli_mjcf_mesh_moments(mjcf *m, const char *name, mesh_moments *moments, hml_error *why)
{
    static const char *const words[] = {"exact", "legacy", "shell", "convex", NULL};
    mjcf_mesh asset;
    triangles made = {0};
    int word = MESH_LEGACY;
    hml_status status = hmli_mjcf_mesh(m, name, &asset);
    if (!status && asset.node) status = hmli_mjcf_word(m, &asset.element, "inertia", words, &word);
    if (status) return status;
    const char *file = file_of(m, &asset);
    *moments = (mesh_moments){.volume = 0};
    if (!asset.node)
        hmli_report(why, HML_BAD_FILE, NULL, 0, "there is no such mesh");
    else if (file)
        status = hmli_mesh_load(m->r, m->set.meshdir, file, &made, why);
    else if (hmli_xml_get(asset.node, "vertex"))
        status = read_numbers(m, asset.node, &made);
    else
        hmli_report(why, HML_BAD_FILE, NULL, 0, "it has neither a file nor vertices");
    if (asset.moved) hmli_mesh_move(&made, &asset.reference);
    if (status && file && status != HML_OUT_OF_MEMORY) status = HML_OK; /* the caller says it, with the reason */
    if (!status && made.nvertices && (word == 3 || !made.ntriangles))
        status = hull_moments(m, &made, asset.scale, moments);
    else if (!status && made.nvertices)
        *moments = hmli_mesh_moments(&made, asset.scale, (mesh_weight)word);
    if (!status && made.nvertices && !(moments->volume > 0))
        hmli_report(why, HML_BAD_FILE, NULL, 0, "its triangles enclose no volume");
    hmli_mesh_free(&made);
    return status;
}
