/* Meshes that a robot's file names: found, read once, and made into hulls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "io/common/file.h"
#include "io/mesh/mesh.h"
#include "io/scene/scene.h"
#include "model/pose.h"

/* of all mesh files of a model together, each time one is read: so much takes seconds */
static const size_t most_bytes = (size_t)1 << 30;

static const char *keep(reader *r, const char *text) { return hmli_arena_text(r->memory, text, strlen(text)); }

/* the path of a file that may be read, or NULL and the reason in *error */
static const char *find(reader *r, const char *folder, const char *name, hml_error *error, hml_status *status)
{
    size_t size = 0;
    int failed = 0;
    *status = HML_UNSUPPORTED;
    if (!hmli_mesh_known(name)) {
        hmli_report(error, *status, NULL, 0, "the file " QUOTED " is neither .stl nor .obj nor .dae", name);
        return NULL;
    }
    const char *path = hmli_scene_find(r, folder, name, &size, &failed);
    *status = failed ? HML_OUT_OF_MEMORY : HML_CANNOT_READ;
    if (!path) hmli_report(error, *status, NULL, 0, "the file " QUOTED " was not found", name);
    if (path && size > most_bytes - r->mesh_bytes) {
        hmli_report(error, *status, NULL, 0, "the file " QUOTED " is too large, or all meshes together are", name);
        return NULL;
    }
    if (path) *status = HML_OK;
    r->mesh_bytes += path ? size : 0;
    return path;
}

hml_status hmli_mesh_load(reader *r, const char *folder, const char *name, triangles *m, hml_error *error)
{
    hml_status status;
    const char *path = find(r, folder, name, error, &status);
    return path ? hmli_mesh_read(path, m, error) : status;
}

hml_status hmli_mesh_hull(reader *r, const triangles *m, const double scale[3], hml_shape *shape)
{
    hull h;
    hml_status status = hmli_hull_make(m->vertices, m->nvertices, scale, HML_SHAPE_MAX_VERTICES, &h);
    double *vertices = status ? NULL : hmli_arena_get(r->memory, 3 * h.nvertices * sizeof *vertices);
    if (vertices) {
        memcpy(vertices, h.vertices, 3 * h.nvertices * sizeof *vertices);
        shape->kind = HML_SHAPE_HULL;
        shape->nvertices = (int32_t)h.nvertices;
        shape->vertices = vertices;
    }
    hmli_hull_free(&h);
    return status || vertices ? status : HML_OUT_OF_MEMORY;
}

static hml_status remember(reader *r, const char *key, const hml_shape *shape)
{
    if (!array_grow(&r->hull_shapes, &r->hulls_capacity, r->nhulls + 1, sizeof *r->hull_shapes) ||
        hmli_map_add(&r->hulls, key, (int32_t)r->nhulls) < 0)
        return hmli_report_memory(r->error, r->file);
    r->hull_shapes[r->nhulls++] = *shape;
    return HML_OK;
}

/* why a mesh is left out, in the arena: with its name in front, and the line of a text */
static const char *reason(reader *r, const char *name, const hml_error *e)
{
    char text[sizeof e->message + 160];
    if (!e->file[0]) return keep(r, e->message);
    if (e->line)
        hmli_report_text(text, sizeof text, "line %d of the file " QUOTED ": %s", e->line, name, e->message);
    else
        hmli_report_text(text, sizeof text, "the file " QUOTED " %s", name, e->message);
    return keep(r, text);
}

/* what makes a hull another one: its file, and where its vertices go */
static void put_key(char *key, size_t room, const mesh_place *place, const char *name)
{
    double x[15] = {place->scale[0], place->scale[1], place->scale[2]};
    size_t used = 0;
    if (place->moved) pose_to_arrays(*place->moved, x + 3, x + 12);
    for (int i = 0; i < (place->moved ? 15 : 3); i++) used += (size_t)snprintf(key + used, room - used, "%.17g ", x[i]);
    snprintf(key + used, room - used, "%s", name);
}

hml_status hmli_mesh_shape(reader *r, const char *folder, const char *name, const mesh_place *place, hml_shape *shape,
                           const char **why)
{
    hml_error error = {0};
    triangles m = {0};
    hml_shape made = {.kind = HML_SHAPE_POINT};
    const size_t room = strlen(name) + 400;
    char *key = hmli_arena_get(r->memory, room);
    *why = "";
    shape->kind = HML_SHAPE_POINT;
    if (!key) return hmli_report_memory(r->error, r->file);
    if (r->scene) return HML_OK; /* nobody builds this model */
    put_key(key, room, place, name);
    const int32_t known = hmli_map_find(&r->hulls, key);
    hml_status status = HML_OK;
    if (known >= 0) {
        made = r->hull_shapes[known];
    } else {
        status = hmli_mesh_load(r, folder, name, &m, &error);
        if (!status && place->moved) hmli_mesh_move(&m, place->moved);
        if (!status) status = hmli_mesh_hull(r, &m, place->scale, &made);
        hmli_mesh_free(&m);
        if (status == HML_OUT_OF_MEMORY || (status && !(*why = reason(r, name, &error))))
            return hmli_report_memory(r->error, r->file);
        status = remember(r, key, &made);
    }
    shape->kind = made.kind;
    shape->nvertices = made.nvertices;
    shape->vertices = made.vertices;
    return status;
}
