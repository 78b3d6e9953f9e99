/*
 * Meshes: their files, their convex hulls, and what they weigh.
 *
 *   read.c     STL (binary and ASCII) and OBJ into vertices and triangles
 *   hull.c     the convex hull, with at most a given number of vertices
 *   moments.c  volume, centre and second moments
 *   shape.c    a mesh that a robot's file names, as a collision shape
 *
 * Mesh files are not trusted: sizes are checked before memory is asked for, memory is in proportion to the file, and
 * time to the file times the number of vertices that are asked for. Scenes of DAE files show a geometry again and again: there
 * both are bounded.
 */
#ifndef HML_IO_MESH_MESH_H
#define HML_IO_MESH_MESH_H

#include <stdint.h>

#include "group/spatial.h"
#include "io/reader.h"

typedef struct triangles {
    double *vertices;  /* three numbers each */
    uint32_t *corners; /* three vertices each; NULL: vertices 3 i, 3 i + 1 and 3 i + 2 are triangle i */
    size_t nvertices, ntriangles, vertices_capacity, corners_capacity;
} triangles;

/* ---- read.c ---- */

/* name: its ending says the format, and messages use it. The mesh is to be freed in any case */
hml_status hmli_mesh_parse(const char *name, const char *data, size_t size, triangles *m, hml_error *error);
/* dae.c: the DAE part of it */
hml_status hmli_mesh_read_dae(const char *name, const char *data, size_t size, triangles *m, hml_error *error);

hml_status hmli_mesh_read(const char *path, triangles *m, hml_error *error);
void hmli_mesh_free(triangles *m);

/* can files with this ending be read? */
int hmli_mesh_known(const char *name);

/* all vertices */
void hmli_mesh_move(triangles *m, const pose *moved);

/* three numbers into the vertices; 0 when out of memory */
int hmli_mesh_add_vertex(triangles *m, const double vertex[3]);
int hmli_mesh_add_triangle(triangles *m, uint32_t a, uint32_t b, uint32_t c);

/* ---- hull.c ---- */

typedef struct hull {
    double *vertices;             /* three numbers each */
    uint32_t *corners;            /* of triangles, three each */
    size_t nvertices, ntriangles; /* a hull without volume has no triangles */
    double outside;               /* 0, or about how far the farthest point lies outside, m */
} hull;

/*
 * Of n ≥ 1 finite points, each times scale, with at most `most` ≥ 4 vertices: from the tetrahedron of extreme points on,
 * the point that lies farthest outside is added until none does, or there is no room. Free it in any case.
 */
hml_status hmli_hull_make(const double *points, size_t n, const double scale[3], size_t most, hull *h);
void hmli_hull_free(hull *h);

/* ---- moments.c ---- */

/* how MuJoCo weighs a mesh: the volume that its triangles enclose, the same with all signs positive, or its surface */
typedef enum mesh_weight { MESH_EXACT, MESH_LEGACY, MESH_SHELL } mesh_weight;

typedef struct mesh_moments {
    double volume; /* of a shell: its area */
    vec3 centre;
    sym3 second; /* ∫ (x − centre)(x − centre)ᵀ over it */
} mesh_moments;

mesh_moments hmli_mesh_moments(const triangles *m, const double scale[3], mesh_weight weight);

/* ---- shape.c ---- */

/* what becomes of the vertices of a file: first the pose, if there is one, then the scale */
typedef struct mesh_place {
    const double *scale;
    const pose *moved; /* NULL: none */
} mesh_place;

/*
 * The hull of a mesh file as a shape: kind and vertices, which live in the reader's arena. Where the file cannot be
 * used the kind is HML_SHAPE_POINT, and *why says so in the arena. Fails only when out of memory. folder: as for
 * hmli_scene_find.
 */
hml_status hmli_mesh_shape(reader *r, const char *folder, const char *name, const mesh_place *place, hml_shape *shape,
                           const char **why);

/* the hull of points as a shape, vertices in the arena; scaled */
hml_status hmli_mesh_hull(reader *r, const triangles *m, const double scale[3], hml_shape *shape);

/* the whole mesh; the status is that of the file, and *error says why */
hml_status hmli_mesh_load(reader *r, const char *folder, const char *name, triangles *m, hml_error *error);

#endif
