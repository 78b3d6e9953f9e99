/* Meshes: files of every kind and their faults, hulls against searches of all triples, moments in closed form. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "draw.h"
#include "io/mesh/mesh.h"
#include "io_check.h"

static const double one[3] = {1, 1, 1};

/* a box of 1 x 2 x 3 about (1, 1, 1.5); faces of four corners, some counted from the end, some with textures */
static const char box_obj[] =
    "# a box\no box\nv 0.5 0 0\nv 1.5 0 0\nv 1.5 2 0\nv 0.5 2 0\nv 0.5 0 3 1 0 0\nv 1.5 0 3\r\n"
    "v 1.5 2 3\n v 0.5 2 3\nvn 0 0 1\nvt 0 0\nf 1 4 3 2\nf 5/1 6/1/1 7//1 8\nf 1 2 6 5\n"
    "f -7 -6 -2 -3\nf 3 4 8 7\nf 4 1 5 8\n";

static void parse(const char *name, const char *data, size_t size, triangles *m)
{
    hml_error error = {0};
    *m = (triangles){0};
    if (hmli_mesh_parse(name, data, size, m, &error)) fail_msg("%s: %s", name, error.message);
}

/* ---- files ---- */

static size_t put_float(char *at, double x)
{
    const float f = (float)x;
    memcpy(at, &f, sizeof f); /* tests run where numbers are little-endian */
    return sizeof f;
}

/* the triangles of a mesh as a binary STL */
static char *binary_stl(const triangles *m, size_t *size)
{
    *size = 84 + 50 * m->ntriangles;
    char *data = calloc(*size + 1, 1);
    assert_non_null(data);
    const uint32_t n = (uint32_t)m->ntriangles;
    memcpy(data + 80, &n, sizeof n);
    for (size_t i = 0; i < m->ntriangles; i++)
        for (size_t k = 0; k < 9; k++)
            put_float(data + 84 + 50 * i + 12 + 4 * k, m->vertices[3 * m->corners[3 * i + k / 3] + k % 3]);
    return data;
}

static void test_formats_agree(void **state)
{
    (void)state;
    triangles obj, stl, text;
    char ascii[8192] = "solid box\n", *data;
    size_t size, used = strlen(ascii);
    parse("box.OBJ", box_obj, strlen(box_obj), &obj);
    assert_int_equal(obj.nvertices, 8);
    assert_int_equal(obj.ntriangles, 12);
    data = binary_stl(&obj, &size);
    parse("box.stl", data, size, &stl);
    memcpy(data, "solid", 5); /* some programs begin binary files like that */
    triangles again;
    parse("box.stl", data, size, &again);
    assert_int_equal(again.ntriangles, 12);
    for (size_t i = 0; i < 36; i++) {
        const double *v = stl.vertices + 3 * i;
        used += (size_t)snprintf(ascii + used, sizeof ascii - used, "%s vertex %g %g\t%.3e\r\n%s",
                                 i % 3 ? "" : "facet normal 0 0 1\nouter loop\n", v[0], v[1], v[2],
                                 i % 3 == 2 ? "endloop\nendfacet\n" : "");
    }
    parse("box.stl", ascii, used, &text);
    assert_int_equal(text.ntriangles, 12);
    assert_near(text.vertices, stl.vertices, 108, 0, "vertices");
    assert_near(again.vertices, stl.vertices, 108, 0, "vertices");
    free(data);
    hmli_mesh_free(&obj), hmli_mesh_free(&stl), hmli_mesh_free(&text), hmli_mesh_free(&again);
}

static void assert_bad(const char *name, const char *data, size_t size, const char *word)
{
    triangles m = {0};
    hml_error error = {0};
    assert_true(hmli_mesh_parse(name, data, size, &m, &error) != HML_OK);
    if (!strstr(error.message, word)) fail_msg("'%s' lacks '%s'", error.message, word);
    hmli_mesh_free(&m);
}

static void test_bad_files(void **state)
{
    (void)state;
    char stl[84 + 50] = {0};
    stl[80] = 1;
    put_float(stl + 84 + 12, 1e10);
    assert_bad("a.stl", stl, sizeof stl, "triangle 1 has a coordinate that is no length");
    memset(stl + 84 + 12, 0xff, 4);
    assert_bad("a.stl", stl, sizeof stl, "no length");
    stl[80] = 0;
    assert_bad("a.stl", stl, 84, "no vertices");
    memset(stl + 80, 0xff, 4);
    assert_bad("a.stl", stl, sizeof stl, "4294967295 triangles need");
    assert_bad("a.stl", stl, 20, "too short");
    assert_bad("a.stl", "", 0, "too short");
    assert_bad("a.stl", "solid\0x", 7, "zeros");
    assert_bad("a.stl", "solid\nvertex 1 2\n3", 18, "three lengths");
    assert_bad("a.stl", "solid vertex nan 0 0", 20, "three lengths");
    assert_bad("a.stl", "solid vertex 1 2 3 vertex 1 2 3", 31, "2 vertices do not make triangles");
    assert_bad("a.stl", "solid nothing", 13, "no vertices");
    assert_bad("a.obj", "v 1 2 3\nf 1 2 1", 15, "not there");
    assert_bad("a.obj", "v 1 2 3\nf 99999999999999999999 1 1", 34, "not there");
    assert_bad("a.obj", "v 1 2 3\nf 0 1 1", 15, "not there");
    assert_bad("a.obj", "v 1 2 3\nf -2 1 1", 16, "not there");
    assert_bad("a.obj", "v 1 2", 5, "three lengths");
    assert_bad("a.obj", "v 1 2 inf", 9, "three lengths");
    assert_bad("a.obj", "v 1 2 1e999", 11, "three lengths");
    assert_bad("a.obj", "g\0", 2, "zeros");
    assert_bad("a.ply", "ply", 3, ".stl, .obj or .dae");
}

/* whatever the bytes are: a mesh or a sentence, and a hull of what was read */
static void test_broken_bytes(void **state)
{
    (void)state;
    uint64_t seed = 7;
    triangles obj;
    size_t size;
    parse("box.obj", box_obj, strlen(box_obj), &obj);
    char *stl = binary_stl(&obj, &size);
    for (int i = 0; i < 4000; i++) {
        const int text = i & 1;
        const size_t n = text ? strlen(box_obj) : size, cut = (size_t)(0.5 * (1 + draw(&seed)) * (double)n);
        char *data = malloc(n + 1);
        memcpy(data, text ? box_obj : stl, n);
        for (int k = 0; k < 3; k++) data[(size_t)(0.4999 * (1 + draw(&seed)) * (double)n)] = (char)(100 * draw(&seed));
        const size_t kept = i % 3 ? n : cut;
        data[kept] = 0;
        triangles m = {0};
        hml_error error = {0};
        hull h;
        const hml_status status = hmli_mesh_parse(text ? "a.obj" : "a.stl", data, kept, &m, &error);
        assert_true(status == HML_OK ? m.nvertices > 0 : error.message[0] != 0);
        if (!status) {
            assert_int_equal(hmli_hull_make(m.vertices, m.nvertices, one, 64, &h), HML_OK);
            assert_in_range(h.nvertices, 1, 64);
            for (size_t k = 0; k < 3 * h.nvertices; k++) assert_true(isfinite(h.vertices[k]));
            hmli_hull_free(&h);
        }
        hmli_mesh_free(&m);
        free(data);
    }
    free(stl);
    hmli_mesh_free(&obj);
}

/* ---- hulls ---- */

static double triple(const double *a, const double *b, const double *c, const double *p, double *size)
{
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], v[i] = c[i] - a[i], w[i] = p[i] - a[i];
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    *size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return n[0] * w[0] + n[1] * w[1] + n[2] * w[2];
}

/* closed, every edge twice and in both directions; all points inside by the margin */
static void check_hull(const hull *h, const double *points, size_t n, double margin)
{
    double size;
    assert_int_equal(h->ntriangles, 2 * h->nvertices - 4);
    for (size_t t = 0; t < h->ntriangles; t++) {
        const uint32_t *c = h->corners + 3 * t;
        for (size_t i = 0; i < n; i++) {
            const double d =
                triple(h->vertices + 3 * c[0], h->vertices + 3 * c[1], h->vertices + 3 * c[2], points + 3 * i, &size);
            assert_true(size > 0 && d / size <= margin);
        }
        for (int e = 0; e < 3; e++) {
            int twins = 0;
            for (size_t k = 0; k < 3 * h->ntriangles; k++) {
                const uint32_t *o = h->corners + 3 * (k / 3);
                twins += o[k % 3] == c[(e + 1) % 3] && o[(k + 1) % 3] == c[e];
            }
            assert_int_equal(twins, 1);
        }
    }
}

/* triples with all other points on one side */
static size_t count_facets(const double *p, size_t n)
{
    size_t count = 0;
    double size;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            for (size_t c = b + 1; c < n; c++) {
                int above = 0, below = 0;
                for (size_t i = 0; i < n; i++) {
                    if (i == a || i == b || i == c) continue;
                    const int up = triple(p + 3 * a, p + 3 * b, p + 3 * c, p + 3 * i, &size) > 0;
                    above += up, below += !up;
                }
                count += above == 0 || below == 0;
            }
    return count;
}

static void test_hulls_of_random_points(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 60; i++) {
        double p[3 * 400];
        const size_t n = i < 40 ? 4 + (size_t)i / 2 : 400;
        hull h;
        for (size_t k = 0; k < n; k++) {
            double square = 0, *x = p + 3 * k;
            for (int c = 0; c < 3; c++) x[c] = draw(&seed), square += x[c] * x[c];
            for (int c = 0; c < 3 && i % 2; c++) x[c] *= (c == 2 && i % 3 == 0 ? 1e-3 : 1) / sqrt(square);
        }
        assert_int_equal(hmli_hull_make(p, n, one, i < 50 ? 1000 : 64, &h), HML_OK);
        if (i < 40) assert_int_equal(h.ntriangles, count_facets(p, n));
        if (i < 50) assert_true(h.outside == 0);
        if (i >= 50) assert_true(h.nvertices <= 64 && (i % 2 == 0 || h.outside > 0));
        check_hull(&h, p, n, i < 50 ? 3e-7 : 0.2);
        hmli_hull_free(&h);
    }
}

static void test_flat_and_thin(void **state)
{
    (void)state;
    double grid[3 * 1000], scale[3] = {1, 1, 1};
    hull h;
    for (int i = 0; i < 1000; i++) {
        const double x[3] = {i % 10, i / 10 % 10, i / 100};
        memcpy(grid + 3 * i, x, sizeof x);
    }
    assert_int_equal(hmli_hull_make(grid, 1000, scale, 64, &h), HML_OK);
    assert_int_equal(h.nvertices, 8); /* points on faces and edges are no corners */
    check_hull(&h, grid, 1000, 1e-6);
    hmli_hull_free(&h);
    scale[1] = 0;
    assert_int_equal(hmli_hull_make(grid, 1000, scale, 64, &h), HML_OK);
    assert_int_equal(h.nvertices, 4); /* a square */
    assert_int_equal(h.ntriangles, 0);
    hmli_hull_free(&h);
    scale[2] = 0;
    assert_int_equal(hmli_hull_make(grid, 1000, scale, 64, &h), HML_OK);
    assert_int_equal(h.nvertices, 2); /* a segment */
    hmli_hull_free(&h);
    scale[0] = 0;
    assert_int_equal(hmli_hull_make(grid, 1000, scale, 64, &h), HML_OK);
    assert_int_equal(h.nvertices, 1); /* a point */
    hmli_hull_free(&h);
    assert_int_equal(hmli_hull_make(grid, 0, scale, 64, &h), HML_INVALID_ARGUMENT);
}

/* ---- moments ---- */

static void test_moments(void **state)
{
    (void)state;
    triangles m;
    const double scale[3] = {-2, 1, 1}; /* mirrored, 2 x 2 x 3 about (−2, 1, 1.5) */
    parse("box.obj", box_obj, strlen(box_obj), &m);
    for (int k = 0; k < 2; k++) {
        mesh_moments x = hmli_mesh_moments(&m, scale, k ? MESH_LEGACY : MESH_EXACT);
        const double got[10] = {x.volume,    x.centre.x,  x.centre.y,  x.centre.z,  x.second.xx,
                                x.second.yy, x.second.zz, x.second.xy, x.second.xz, x.second.yz};
        const double want[10] = {12, -2, 1, 1.5, 12 * 4 / 12.0, 12 * 4 / 12.0, 12 * 9 / 12.0, 0, 0, 0};
        assert_near(got, want, 10, 1e-14, "moments of a box");
    }
    mesh_moments shell = hmli_mesh_moments(&m, scale, MESH_SHELL);
    assert_near(&shell.volume, (double[1]){32}, 1, 1e-14, "area");
    /* two faces at x = ±1 (area 6), four with ∫ x² = A / 3 (area 20) */
    assert_near(&shell.second.xx, (double[1]){2 * 6 + 20 / 3.0}, 1, 1e-14, "second moment of a shell");
    hmli_mesh_free(&m);
}

/* ---- robots ---- */

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_robots(void **state)
{
    (void)state;
    char folder[] = "/tmp/hamel-mesh-XXXXXX", was[4096];
    assert_non_null(getcwd(was, sizeof was));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_file("box.obj", box_obj);
    write_file("bad.stl", "solid vertex x");
    write_file("a.urdf", "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
                         "iyy='1' iyz='0' izz='1'/></inertial><collision name='sole'><origin xyz='0 0 1'/><geometry>"
                         "<mesh filename='box.obj' scale='1 -1 2'/></geometry></collision><collision><geometry><mesh "
                         "filename='package://x/bad.stl'/></geometry></collision><collision><geometry>"
                         "<mesh filename='bad.stl'/></geometry></collision></link></robot>");
    write_file("a.xml",
               "<mujoco><asset><mesh name='b' file='box.obj' refpos='1 1 1.5' scale='2 1 1'/><mesh file='bad.stl'/>"
               "</asset><worldbody><body name='x' pos='0 0 1'><freejoint/><geom type='mesh' mesh='b' "
               "pos='0 0 3' density='10'/></body><body name='y'><freejoint/><geom type='mesh' mesh='b' mass='5' "
               "euler='0 0 90'/></body></worldbody></mujoco>");
    write_file("b.xml", "<mujoco><asset><mesh file='bad.stl'/></asset><worldbody><body name='x'>\n<freejoint/>"
                        "<geom type='mesh' mesh='bad'/></body></worldbody></mujoco>");
    hml_model *m = NULL;
    hml_error error = {0};
    hml_shape s;
    assert_int_equal(hml_load("a.urdf", NULL, &m, &error), HML_OK);
    assert_int_equal(hml_model_nshapes(m), 1);
    assert_int_equal(hml_model_shape(m, 0, &s), HML_OK);
    assert_true(s.kind == HML_SHAPE_HULL && s.nvertices == 8 && s.position[2] == 1);
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (int i = 0; i < 24; i++)
        low[i % 3] = fmin(low[i % 3], s.vertices[i]), high[i % 3] = fmax(high[i % 3], s.vertices[i]);
    assert_near(low, (double[3]){0.5, -2, 0}, 3, 0, "lowest corner");
    assert_near(high, (double[3]){1.5, 0, 6}, 3, 0, "highest corner");
    assert_true(hml_model_find_frame(m, "sole") >= 0);
    assert_has_warning(m, "touches nothing here: the file 'package://x/bad.stl' was not found");
    hml_model_free(m);
    assert_int_equal(hml_load("a.xml", NULL, &m, &error), HML_OK);
    hml_body_info body = {.struct_size = sizeof body};
    assert_int_equal(hml_model_body(m, 0, &body), HML_OK);
    assert_near(&body.mass, (double[1]){120}, 1, 1e-14, "density times volume");
    assert_near(body.com, (double[3]){0, 0, 3}, 3, 1e-14, "com"); /* refpos is taken out before the scale */
    assert_near(body.moment, (double[9]){130, 0, 0, 0, 130, 0, 0, 0, 80}, 9, 1e-13, "moment");
    assert_int_equal(hml_model_body(m, 1, &body), HML_OK);
    assert_near(&body.mass, (double[1]){5}, 1, 0, "mass");
    assert_near(body.com, (double[3]){0, 0, 0}, 3, 1e-14, "com");
    assert_near(body.moment, (double[9]){65 / 12.0, 0, 0, 0, 65 / 12.0, 0, 0, 0, 40 / 12.0}, 9, 1e-13, "turned");
    hml_model_free(m);
    assert_int_equal(hml_load("b.xml", NULL, &m, &error), HML_UNSUPPORTED);
    assert_true(error.line == 2 && strstr(error.message, "a vertex is not three lengths"));
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(unlink(((const char *[]){"box.obj", "bad.stl", "a.urdf", "a.xml", "b.xml"})[i]), 0);
    assert_int_equal(chdir(was), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats_agree), cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_broken_bytes),  cmocka_unit_test(test_hulls_of_random_points),
        cmocka_unit_test(test_flat_and_thin), cmocka_unit_test(test_moments),
        cmocka_unit_test(test_robots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
