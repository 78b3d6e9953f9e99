/*
 * STL and OBJ files; DAE files are read in dae.c.
 *
 *   binary STL   80 bytes, the number of triangles, then 50 bytes each: normal, three vertices, two bytes
 *   ASCII STL    "solid …", then for every triangle "vertex x y z" three times; all other words are skipped
 *   OBJ          lines "v x y z" and "f a b c …", where a is the number of a vertex, from 1, or from the last one
 *                backwards if negative; what follows a slash is about textures and normals
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "io/common/file.h"
#include "io/common/number.h"
#include "io/mesh/mesh.h"

enum { STL_HEADER = 84, STL_TRIANGLE = 50 };
static const double largest = 1e9; /* metres, or whatever: no robot has a coordinate as large */

/* ---- common ---- */

int hmli_mesh_add_vertex(triangles *m, const double vertex[3])
{
    if (!array_grow(&m->vertices, &m->vertices_capacity, m->nvertices + 1, 3 * sizeof *m->vertices)) return 0;
    memcpy(m->vertices + 3 * m->nvertices++, vertex, 3 * sizeof *vertex);
    return 1;
}

int hmli_mesh_add_triangle(triangles *m, uint32_t a, uint32_t b, uint32_t c)
{
    if (!array_grow(&m->corners, &m->corners_capacity, m->ntriangles + 1, 3 * sizeof *m->corners)) return 0;
    uint32_t *t = m->corners + 3 * m->ntriangles++;
    t[0] = a, t[1] = b, t[2] = c;
    return 1;
}

void hmli_mesh_move(triangles *m, const pose *moved)
{
    for (size_t i = 0; i < m->nvertices; i++)
        vec3_put(pose_act(*moved, vec3_at(m->vertices + 3 * i)), m->vertices + 3 * i);
}

void hmli_mesh_free(triangles *m)
{
    free(m->vertices);
    free(m->corners);
    memset(m, 0, sizeof *m);
}

static int in_range(const double x[3])
{
    for (int i = 0; i < 3; i++)
        if (!(fabs(x[i]) <= largest)) return 0; /* NaN as well */
    return 1;
}

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

/* three numbers on a line; where they end, or NULL */
static const char *read_three(const char *at, double x[3])
{
    for (int i = 0; i < 3; i++) {
        while (*at == ' ' || *at == '\t') at++;
        at = hmli_number_read(at, &x[i]);
        if (!at || (*at && !is_space(*at))) return NULL;
    }
    return in_range(x) ? at : NULL;
}

/* ---- STL ---- */

static uint32_t little_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *at)
{
    uint32_t word = little_endian(at);
    float x;
    memcpy(&x, &word, sizeof x);
    return (double)x;
}

static hml_status read_binary(const char *name, const char *data, size_t n, triangles *m, hml_error *error)
{
    if (!array_grow(&m->vertices, &m->vertices_capacity, 3 * n + 1, 3 * sizeof *m->vertices))
        return hmli_report_memory(error, name);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            const char *at = data + STL_HEADER + STL_TRIANGLE * i + 12 * (k + 1);
            double *x = m->vertices + 3 * m->nvertices++;
            for (size_t c = 0; c < 3; c++) x[c] = float_at(at + 4 * c);
            if (!in_range(x))
                return hmli_report(error, HML_BAD_FILE, name, 0, "triangle %zu has a coordinate that is no length",
                                   i + 1);
        }
    }
    m->ntriangles = n;
    return HML_OK;
}

static hml_status read_ascii(const char *name, const char *data, triangles *m, hml_error *error)
{
    int line = 1;
    for (const char *at = data; *at;) {
        const char *word = at;
        while (*at && !is_space(*at)) at++;
        if (at - word == 6 && memcmp(word, "vertex", 6) == 0) {
            double x[3];
            at = read_three(at, x);
            if (!at) return hmli_report(error, HML_BAD_FILE, name, line, "a vertex is not three lengths");
            if (!hmli_mesh_add_vertex(m, x)) return hmli_report_memory(error, name);
        }
        for (; is_space(*at); at++) line += *at == '\n';
    }
    m->ntriangles = m->nvertices / 3;
    if (m->nvertices % 3)
        return hmli_report(error, HML_BAD_FILE, name, 0, "%zu vertices do not make triangles", m->nvertices);
    return HML_OK;
}

static hml_status read_stl(const char *name, const char *data, size_t size, triangles *m, hml_error *error)
{
    const int text = size >= 5 && memcmp(data, "solid", 5) == 0;
    const size_t n = size >= STL_HEADER ? little_endian(data + 80) : 0;
    const int fits = size >= STL_HEADER && n == (size - STL_HEADER) / STL_TRIANGLE;
    if (fits && (!text || size == STL_HEADER + STL_TRIANGLE * n)) return read_binary(name, data, n, m, error);
    if (text)
        return memchr(data, 0, size)
                   ? hmli_report(error, HML_BAD_FILE, name, 0, "is no STL file: its text has zeros in it")
                   : read_ascii(name, data, m, error);
    if (size < STL_HEADER) return hmli_report(error, HML_BAD_FILE, name, 0, "is no STL file: it is too short");
    return hmli_report(error, HML_BAD_FILE, name, 0, "is no STL file: %zu triangles need %zu bytes, and it has %zu", n,
                       STL_HEADER + STL_TRIANGLE * n, size);
}

/* ---- OBJ ---- */

/* one vertex of a face; where it ends, or NULL */
static const char *read_corner(const char *at, size_t nvertices, uint32_t *corner)
{
    char *end;
    const long long number = strtoll(at, &end, 10);
    const long long index = number < 0 ? (long long)nvertices + number : number - 1;
    if (end == at || number == 0 || index < 0 || index >= (long long)nvertices) return NULL;
    *corner = (uint32_t)index;
    while (*end && !is_space(*end)) end++;
    return end;
}

/* a polygon as triangles about its first corner */
static hml_status read_face(const char *name, int line, const char *at, triangles *m, hml_error *error)
{
    uint32_t first = 0, last = 0, corner = 0;
    for (int n = 0;; n++) {
        while (*at == ' ' || *at == '\t') at++;
        if (*at == '\r' || *at == '\n' || !*at) return HML_OK;
        at = read_corner(at, m->nvertices, &corner);
        if (!at) return hmli_report(error, HML_BAD_FILE, name, line, "a face names a vertex that is not there");
        if (n == 0) first = corner;
        if (n >= 2 && !hmli_mesh_add_triangle(m, first, last, corner)) return hmli_report_memory(error, name);
        last = corner;
    }
}

static hml_status read_obj(const char *name, const char *data, size_t size, triangles *m, hml_error *error)
{
    hml_status status = HML_OK;
    int line = 1;
    if (memchr(data, 0, size)) return hmli_report(error, HML_BAD_FILE, name, 0, "is no OBJ file: it has zeros in it");
    for (const char *at = data; !status && *at; line++) {
        double x[3];
        while (*at == ' ' || *at == '\t') at++;
        if (at[0] == 'v' && (at[1] == ' ' || at[1] == '\t')) {
            if (!read_three(at + 1, x))
                return hmli_report(error, HML_BAD_FILE, name, line, "a vertex is not three lengths");
            if (m->nvertices >= INT32_MAX || !hmli_mesh_add_vertex(m, x)) return hmli_report_memory(error, name);
        } else if (at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) {
            status = read_face(name, line, at + 1, m, error);
        }
        const char *end = strchr(at, '\n');
        if (!end) break;
        at = end + 1;
    }
    return status;
}

/* ---- any ---- */

int hmli_mesh_known(const char *name)
{
    return hmli_file_ends(name, ".stl") || hmli_file_ends(name, ".obj") || hmli_file_ends(name, ".dae");
}

hml_status hmli_mesh_parse(const char *name, const char *data, size_t size, triangles *m, hml_error *error)
{
    if (!hmli_mesh_known(name))
        return hmli_report(error, HML_UNSUPPORTED, name, 0, "is no mesh file: .stl, .obj or .dae");
    hml_status status = hmli_file_ends(name, ".obj")   ? read_obj(name, data, size, m, error)
                        : hmli_file_ends(name, ".dae") ? hmli_mesh_read_dae(name, data, size, m, error)
                                                       : read_stl(name, data, size, m, error);
    if (!status && m->nvertices == 0) status = hmli_report(error, HML_BAD_FILE, name, 0, "has no vertices");
    return status;
}

hml_status hmli_mesh_read(const char *path, triangles *m, hml_error *error)
{
    char *data;
    size_t size;
    hml_status status = hmli_file_read_plain(path, &data, &size, error);
    if (status) return status;
    status = hmli_mesh_parse(path, data, size, m, error);
    free(data);
    return status;
}
