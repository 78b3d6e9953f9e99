/*
 * DAE files (COLLADA 1.4 and 1.5): the triangles of the geometries that the scene shows, each where its nodes put it.
 *
 *   geometry   <mesh>: sources of numbers, <vertices>, then <triangles>, <polylist>, <polygons>, <tristrips>, <trifans>;
 *              a polygon becomes triangles about its first corner, lines and vertices of lines alone are left out
 *   node       <matrix>, <translate>, <rotate> and <scale> in their order; <lookat> and <skew> are refused.
 *              Nodes may stand inside of nodes, and be used again by <instance_node>
 *   unit       <unit meter="…"> scales everything. <up_axis> does not count: robots are described in the file's own axes,
 *              as Pinocchio and the page of hamel view have it (docs/decisions/0017-collada.md)
 *
 * Without a scene all geometries count, as they are. Files are not trusted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "io/common/map.h"
#include "io/common/number.h"
#include "io/common/report.h"
#include "io/mesh/mesh.h"
#include "io/xml/xml.h"

enum {
    MOST_NESTED = 64,
    MOST_ELEMENTS = 1000000,
    MOST_VERTICES = 30000000,
    MOST_TRIANGLES = 60000000,
    MOST_OFFSET = 64
};
static const size_t most_again = (size_t)1
                                 << 28; /* elements and characters that are read again: so much takes seconds */

static const double largest = 1e9; /* metres: no robot has a coordinate as large */

/* x ↦ A x + b, row after row: [A b] */
typedef struct affine {
    double a[12];
} affine;

typedef struct dae {
    const char *file;
    hml_error *error;
    triangles *m;
    map ids; /* of elements, into nodes */
    const xml_node **nodes;
    size_t nnodes, capacity;
    long shown;  /* elements of the scene so far, each as often as it is used */
    size_t read; /* of geometries: elements and characters so far, each as often as it is used */
    size_t most; /* of them */
} dae;

#define DAE_FAIL(d, node, ...) hmli_report((d)->error, HML_BAD_FILE, (d)->file, (node)->line, __VA_ARGS__)

/* ---- numbers ---- */

static const char *skip_space(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
    return at;
}

/* the next number of a list; 0 at its end, −1: it is no number */
static int next_number(const char **at, double *x)
{
    *at = skip_space(*at);
    if (!**at) return 0;
    *at = hmli_number_read(*at, x);
    return *at ? 1 : -1;
}

/* the text of an element that a geometry uses */
static const char *text_of(dae *d, const xml_node *node)
{
    const char *text = node && node->text ? node->text : "";
    d->read += strlen(text);
    return text;
}

static const xml_node *child_of(dae *d, const xml_node *node, const char *name)
{
    const xml_node *child = node->first;
    for (; child && !xml_is(child, name); child = child->next) d->read++;
    return child;
}

static hml_status read_exactly(const dae *d, const xml_node *node, int n, double *x)
{
    const char *at = node->text ? node->text : "";
    for (int i = 0; i < n; i++)
        if (next_number(&at, &x[i]) <= 0) return DAE_FAIL(d, node, "<%.80s> is not %d numbers", node->name, n);
    return *skip_space(at) ? DAE_FAIL(d, node, "<%.80s> is not %d numbers", node->name, n) : HML_OK;
}

/* a whole number that is not negative, in a list */
static int next_index(const char **at, long *index)
{
    char *end;
    *at = skip_space(*at);
    if (!**at) return 0;
    *index = strtol(*at, &end, 10);
    if (end == *at || *index < 0) return -1;
    *at = end;
    return 1;
}

static long attribute_index(const xml_node *node, const char *name, long otherwise)
{
    const char *text = hmli_xml_get(node, name);
    long index;
    return text && next_index(&text, &index) > 0 ? index : otherwise;
}

/* ---- elements by their ids ---- */

/* every element before what is inside of it; the tree is not deeper than XML_MAX_DEPTH, and no stack is needed */
static hml_status collect(dae *d, const xml_node *root)
{
    const xml_node *node = root;
    while (node) {
        const char *id = hmli_xml_get(node, "id");
        if (id && *id) {
            if (!array_grow(&d->nodes, &d->capacity, d->nnodes + 1, sizeof *d->nodes) ||
                hmli_map_add(&d->ids, id, (int32_t)d->nnodes) < 0)
                return hmli_report_memory(d->error, d->file);
            d->nodes[d->nnodes++] = node;
        }
        if (node->first) {
            node = node->first;
            continue;
        }
        while (node && node != root && !node->next) node = node->parent;
        node = node && node != root ? node->next : NULL;
    }
    return HML_OK;
}

/* what an attribute "#id" names, if it is an element of this name; NULL otherwise */
static const xml_node *named(const dae *d, const xml_node *node, const char *attribute, const char *name)
{
    const char *url = hmli_xml_get(node, attribute);
    const int32_t index = url && *url == '#' ? hmli_map_find(&d->ids, url + 1) : -1;
    return index >= 0 && (size_t)index < d->nnodes && xml_is(d->nodes[index], name) ? d->nodes[index] : NULL;
}

/* ---- geometries ---- */

static vec3 act(const affine *t, const double x[3])
{
    const double *a = t->a;
    return vec3_of(a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[3], a[4] * x[0] + a[5] * x[1] + a[6] * x[2] + a[7],
                   a[8] * x[0] + a[9] * x[1] + a[10] * x[2] + a[11]);
}

/* the positions of a <source>, moved */
static hml_status add_vertices(dae *d, const xml_node *source, const affine *t)
{
    const xml_node *array = child_of(d, source, "float_array"), *common = child_of(d, source, "technique_common");
    const xml_node *accessor = common ? child_of(d, common, "accessor") : NULL;
    const long stride = accessor ? attribute_index(accessor, "stride", 3) : 3;
    const char *at = text_of(d, array);
    double x[3] = {0}, number;
    if (!array) return DAE_FAIL(d, source, "the positions of a mesh have no <float_array>");
    if (stride < 3) return DAE_FAIL(d, accessor, "positions have a stride of %ld, not three", stride);
    if (accessor && attribute_index(accessor, "offset", 0) != 0)
        return DAE_FAIL(d, accessor, "<accessor> with an offset is not read");
    for (long k = 0;; k = (k + 1) % stride) {
        const int got = next_number(&at, &number);
        if (got == 0 && k == 0) return HML_OK;
        if (got <= 0 || !(fabs(number) <= largest))
            return DAE_FAIL(d, array,
                            got ? "<float_array> has an entry that is no length"
                                : "<float_array> does not have three numbers per vertex");
        if (k < 3) x[k] = number;
        if (k != stride - 1) continue;
        double moved[3];
        vec3_put(act(t, x), moved);
        for (int i = 0; i < 3; i++)
            if (!(fabs(moved[i]) <= largest)) return DAE_FAIL(d, array, "a vertex lies farther away than 1e9 m");
        if (d->m->nvertices >= MOST_VERTICES)
            return DAE_FAIL(d, array, "there are more than %d vertices", (int)MOST_VERTICES);
        if (!hmli_mesh_add_vertex(d->m, moved)) return hmli_report_memory(d->error, d->file);
    }
}

/* how corners are put together */
typedef enum corner_kind { TRIANGLES, FAN, STRIP } corner_kind;

typedef struct corners {
    const xml_node *node;
    size_t base, count; /* the first vertex of the mesh, and how many it has */
    long stride, offset;
} corners;

static hml_status add_triangle(dae *d, const corners *c, const long corner[3])
{
    const size_t b = c->base;
    if (d->m->ntriangles >= MOST_TRIANGLES)
        return DAE_FAIL(d, c->node, "there are more than %d triangles", (int)MOST_TRIANGLES);
    if (hmli_mesh_add_triangle(d->m, (uint32_t)(b + (size_t)corner[0]), (uint32_t)(b + (size_t)corner[1]),
                               (uint32_t)(b + (size_t)corner[2])))
        return HML_OK;
    return hmli_report_memory(d->error, d->file);
}

/* one primitive of `most` corners, or of all that there are (−1), from a list; *read: how many it had */
static hml_status add_primitive(dae *d, const corners *c, const char **at, corner_kind kind, long most, long *read)
{
    long corner[3] = {0}, n = 0;
    hml_status status = HML_OK;
    for (; !status && (most < 0 || n < most); n++) {
        long vertex = 0, index;
        for (long k = 0; k < c->stride; k++) {
            const int got = next_index(at, &index);
            if (got == 0 && k == 0 && most < 0) {
                *read = n;
                return HML_OK;
            }
            if (got <= 0) return DAE_FAIL(d, c->node, "<%.80s>: a list of corners ends too early", c->node->name);
            if (k == c->offset) vertex = index;
        }
        if ((size_t)vertex >= c->count)
            return DAE_FAIL(d, c->node, "<%.80s> names a vertex that is not there", c->node->name);
        if (kind == FAN && n > 2) corner[1] = corner[2];
        corner[kind == FAN && n > 2 ? 2 : n % 3] = vertex;
        const long turned[3] = {corner[1], corner[0], corner[2]}; /* every other triangle of a strip */
        if (kind == TRIANGLES ? n % 3 == 2 : n >= 2)
            status = add_triangle(d, c, kind == STRIP && n % 2 ? turned : corner);
    }
    *read = n;
    return status;
}

static hml_status add_polylist(dae *d, const corners *c, const char *at)
{
    const xml_node *counts = child_of(d, c->node, "vcount");
    const char *count = text_of(d, counts);
    if (!counts) return DAE_FAIL(d, c->node, "<polylist> has no <vcount>");
    for (;;) {
        long n, read;
        const int got = next_index(&count, &n);
        if (got == 0 && *skip_space(at)) return DAE_FAIL(d, c->node, "<polylist> has more corners than <vcount> says");
        if (got == 0) return HML_OK;
        if (got < 0) return DAE_FAIL(d, counts, "<vcount> is not a list of numbers");
        hml_status status = add_primitive(d, c, &at, FAN, n, &read);
        if (status) return status;
    }
}

/* <triangles> and the like */
static hml_status add_corners(dae *d, const xml_node *node, size_t base)
{
    static const char *const names[] = {"triangles", "polylist", "polygons", "tristrips", "trifans"};
    static const corner_kind kinds[] = {TRIANGLES, FAN, FAN, STRIP, FAN};
    int which = 0;
    corners c = {.node = node, .base = base, .count = d->m->nvertices - base, .offset = -1};
    hml_status status = HML_OK;
    while (which < 5 && !xml_is(node, names[which])) which++;
    if (which == 5) return HML_OK;
    for (const xml_node *input = node->first; input; input = input->next) {
        d->read++;
        if (!xml_is(input, "input")) continue;
        const long offset = attribute_index(input, "offset", 0);
        const char *semantic = hmli_xml_get(input, "semantic");
        if (offset > MOST_OFFSET) return DAE_FAIL(d, input, "<input> has an offset of %ld", offset);
        if (offset >= c.stride) c.stride = offset + 1;
        if (semantic && strcmp(semantic, "VERTEX") == 0) c.offset = offset;
    }
    if (c.offset < 0) return DAE_FAIL(d, node, "<%.80s> has no <input> for its vertices", node->name);
    for (const xml_node *p = node->first; !status && p; p = p->next) {
        long read = 0;
        if (!xml_is(p, "p")) continue;
        const char *at = text_of(d, p);
        status = which == 1 ? add_polylist(d, &c, at) : add_primitive(d, &c, &at, kinds[which], -1, &read);
        if (!status && which == 0 && read % 3) status = DAE_FAIL(d, p, "%ld corners do not make triangles", read);
    }
    return status;
}

/* vertices that no triangle uses, such as those of lines, are left out again */
static hml_status drop_unused(dae *d, size_t base, size_t first)
{
    enum { UNUSED = 0, USED = 1 };
    triangles *m = d->m;
    uint32_t *place = calloc(m->nvertices - base + 1, sizeof *place);
    if (!place) return hmli_report_memory(d->error, d->file);
    for (size_t k = 3 * first; k < 3 * m->ntriangles; k++) place[m->corners[k] - base] = USED;
    size_t next = base;
    for (size_t i = base; i < m->nvertices; i++) {
        if (place[i - base] == UNUSED) continue;
        memmove(m->vertices + 3 * next, m->vertices + 3 * i, 3 * sizeof *m->vertices);
        place[i - base] = (uint32_t)next++;
    }
    for (size_t k = 3 * first; k < 3 * m->ntriangles; k++) m->corners[k] = place[m->corners[k] - base];
    m->nvertices = next;
    free(place);
    return HML_OK;
}

static hml_status add_geometry(dae *d, const xml_node *geometry, const affine *t)
{
    const xml_node *mesh = child_of(d, geometry, "mesh"), *vertices = mesh ? child_of(d, mesh, "vertices") : NULL;
    const xml_node *source = NULL;
    const size_t base = d->m->nvertices, first = d->m->ntriangles;
    for (const xml_node *input = vertices ? vertices->first : NULL; input; input = input->next) {
        d->read++;
        const char *semantic = xml_is(input, "input") ? hmli_xml_get(input, "semantic") : NULL;
        if (semantic && strcmp(semantic, "POSITION") == 0) source = named(d, input, "source", "source");
    }
    if (!mesh) return HML_OK; /* a spline, say */
    if (!source) return DAE_FAIL(d, mesh, "<mesh> has no positions");
    hml_status status = add_vertices(d, source, t);
    for (const xml_node *node = mesh->first; !status && node; node = node->next) status = add_corners(d, node, base);
    if (!status && d->read > d->most)
        status = DAE_FAIL(d, geometry, "the scene shows its geometries too often: there are more than %zu characters",
                          d->most);
    return status ? status : drop_unused(d, base, first);
}

/* ---- nodes ---- */

static affine multiply(const affine *s, const affine *t)
{
    affine r;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            double x = k == 3 ? s->a[4 * i + 3] : 0;
            for (int j = 0; j < 3; j++) x += s->a[4 * i + j] * t->a[4 * j + k];
            r.a[4 * i + k] = x;
        }
    return r;
}

static const affine identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

/* about an axis through the origin, by degrees */
static affine turn(const double x[4])
{
    const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), angle = x[3] * 3.14159265358979323846 / 180;
    const double c = cos(angle), s = sin(angle);
    affine r = identity;
    if (!(size > 0)) return r;
    const double n[3] = {x[0] / size, x[1] / size, x[2] / size};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const double cross = i == k ? 0 : (k == (i + 1) % 3 ? -1 : 1) * n[3 - i - k];
            r.a[4 * i + k] = (i == k ? c : 0) + s * cross + (1 - c) * n[i] * n[k];
        }
    return r;
}

/* a transformation of a node, after those before it */
static hml_status transform(const dae *d, const xml_node *node, affine *t)
{
    double x[16];
    affine own = identity;
    hml_status status = HML_OK;
    if (xml_is(node, "matrix")) {
        status = read_exactly(d, node, 16, x);
        if (!status) memcpy(own.a, x, sizeof own.a);
    } else if (xml_is(node, "translate")) {
        status = read_exactly(d, node, 3, x);
        for (int i = 0; !status && i < 3; i++) own.a[4 * i + 3] = x[i];
    } else if (xml_is(node, "scale")) {
        status = read_exactly(d, node, 3, x);
        for (int i = 0; !status && i < 3; i++) own.a[5 * i] = x[i];
    } else if (xml_is(node, "rotate")) {
        status = read_exactly(d, node, 4, x);
        if (!status) own = turn(x);
    } else if (xml_is(node, "lookat") || xml_is(node, "skew")) {
        status = DAE_FAIL(d, node, "<%.80s> is not read", node->name);
    }
    if (!status) *t = multiply(t, &own);
    return status;
}

/* nodes may use others twice, and these others again: what the scene shows doubles with each, and is bounded */
static hml_status add_node(dae *d, const xml_node *node, affine t, int depth)
{
    hml_status status = HML_OK;
    if (depth > MOST_NESTED) return DAE_FAIL(d, node, "nodes are nested more than %d deep", (int)MOST_NESTED);
    for (const xml_node *child = node->first; !status && child; child = child->next) {
        const int geometry = xml_is(child, "instance_geometry"), instance = geometry || xml_is(child, "instance_node");
        const xml_node *used = instance ? named(d, child, "url", geometry ? "geometry" : "node") : NULL;
        if (d->shown++ >= MOST_ELEMENTS)
            status = DAE_FAIL(d, child, "the scene has more than %d elements", (int)MOST_ELEMENTS);
        else if (xml_is(child, "node"))
            status = add_node(d, child, t, depth + 1);
        else if (instance && !used)
            status = DAE_FAIL(d, child, "<%s> names nothing of this file", child->name);
        else if (instance)
            status = geometry ? add_geometry(d, used, &t) : add_node(d, used, t, depth + 1);
        else
            status = transform(d, child, &t);
    }
    return status;
}

/* ---- the file ---- */

static hml_status add_scene(dae *d, const xml_node *root)
{
    const xml_node *asset = hmli_xml_child(root, "asset"), *unit = asset ? hmli_xml_child(asset, "unit") : NULL;
    const xml_node *scene = hmli_xml_child(root, "scene"), *library = hmli_xml_child(root, "library_visual_scenes");
    const xml_node *instance = scene ? hmli_xml_child(scene, "instance_visual_scene") : NULL;
    const xml_node *shown = instance ? named(d, instance, "url", "visual_scene") : NULL;
    double meter = 1;
    affine t = identity;
    hml_status status = unit ? hmli_xml_numbers(unit, "meter", 1, &meter, d->error) : HML_OK;
    if (status) return status;
    if (unit && !(meter > 0)) return DAE_FAIL(d, unit, "<unit> is not a positive length");
    for (int i = 0; i < 3; i++) t.a[5 * i] = meter;
    if (!shown && library) shown = hmli_xml_child(library, "visual_scene");
    if (shown) return add_node(d, shown, t, 0);
    library = hmli_xml_child(root, "library_geometries");
    for (const xml_node *node = library ? library->first : NULL; !status && node; node = node->next)
        if (xml_is(node, "geometry")) status = add_geometry(d, node, &t);
    return status;
}

hml_status hmli_mesh_read_dae(const char *name, const char *data, size_t size, triangles *m, hml_error *error)
{
    arena memory = {0};
    dae d = {.file = name, .error = error, .m = m, .most = size + most_again};
    xml_node *root;
    hml_status status = hmli_xml_parse_text(&memory, name, data, size, &root, error);
    if (!status && !xml_is(root, "COLLADA"))
        status = hmli_report(error, HML_BAD_FILE, name, root->line, "is no DAE file: its root is <%.80s>", root->name);
    if (!status) status = collect(&d, root);
    if (!status) status = add_scene(&d, root);
    if (!status && m->ntriangles == 0) status = hmli_report(error, HML_BAD_FILE, name, 0, "shows no triangles");
    free(d.nodes);
    hmli_map_free(&d.ids);
    hmli_arena_free(&memory);
    return status;
}
