/*
 * Volume, centre and second moments of a mesh, as sums over tetrahedra from a point to its triangles. With the point
 * r and the triangle a, b, c relative to it, V = a · (b × c) / 6 and
 *
 *   ∫ x xᵀ = V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),  s = a + b + c,  ∫ x = V/4 s
 *
 * A shell has A/3 s and A/12 (a aᵀ + b bᵀ + c cᵀ + s sᵀ) in their places. MuJoCo's "legacy" takes all volumes as
 * positive, seen from the centre of the surface: triangles that are turned inside out count, and so do hollows.
 */
#include <math.h>

#include "io/mesh/mesh.h"

typedef struct corners {
    vec3 a, b, c;
} corners;

static corners triangle_at(const triangles *m, const double scale[3], size_t i, vec3 from)
{
    vec3 x[3];
    for (size_t k = 0; k < 3; k++) {
        const double *v = m->vertices + 3 * (m->corners ? m->corners[3 * i + k] : 3 * i + k);
        x[k] = vec3_sub(vec3_of(scale[0] * v[0], scale[1] * v[1], scale[2] * v[2]), from);
    }
    return (corners){x[0], x[1], x[2]};
}

static vec3 sum(corners t) { return vec3_add(t.a, vec3_add(t.b, t.c)); }

/* of the tetrahedron, or the area of a shell; mirror: −1 if the scale turns triangles inside out */
static double part(corners t, mesh_weight weight, double mirror)
{
    if (weight == MESH_SHELL) {
        const vec3 n = vec3_cross(vec3_sub(t.b, t.a), vec3_sub(t.c, t.a));
        return 0.5 * sqrt(vec3_dot(n, n));
    }
    const double v = mirror * vec3_dot(t.a, vec3_cross(t.b, t.c)) / 6;
    return weight == MESH_LEGACY ? fabs(v) : v;
}

static sym3 squares(vec3 x) { return sym3_of(x.x * x.x, x.x * x.y, x.x * x.z, x.y * x.y, x.y * x.z, x.z * x.z); }

/* the volume and the first moment about a point */
static mesh_moments first(const triangles *m, const double scale[3], mesh_weight weight, vec3 about)
{
    const double mirror = scale[0] * scale[1] * scale[2] < 0 ? -1 : 1;
    mesh_moments r = {.centre = vec3_zero(), .second = sym3_of(0, 0, 0, 0, 0, 0)};
    for (size_t i = 0; i < m->ntriangles; i++) {
        const corners t = triangle_at(m, scale, i, about);
        const double v = part(t, weight, mirror);
        r.volume += v;
        r.centre = vec3_axpy(v / (weight == MESH_SHELL ? 3 : 4), sum(t), r.centre);
    }
    r.centre = r.volume > 0 ? vec3_axpy(1 / r.volume, r.centre, about) : about;
    return r;
}

mesh_moments hmli_mesh_moments(const triangles *m, const double scale[3], mesh_weight weight)
{
    const double mirror = scale[0] * scale[1] * scale[2] < 0 ? -1 : 1;
    const mesh_moments surface = first(m, scale, MESH_SHELL, vec3_zero());
    mesh_moments r = weight == MESH_SHELL ? surface : first(m, scale, weight, surface.centre);
    r.volume = 0;
    for (size_t i = 0; i < m->ntriangles; i++) {
        const corners t = triangle_at(m, scale, i, r.centre);
        const double whole = part(t, weight, mirror), v = whole / (weight == MESH_SHELL ? 12 : 20);
        r.volume += whole;
        sym3 all = sym3_add(sym3_add(squares(t.a), squares(t.b)), sym3_add(squares(t.c), squares(sum(t))));
        r.second = sym3_add(r.second, sym3_of(v * all.xx, v * all.xy, v * all.xz, v * all.yy, v * all.yz, v * all.zz));
    }
    return r;
}
