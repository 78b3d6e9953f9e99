/* DAE files: a box out of every kind of primitive, moved, turned and scaled by nodes; faults get sentences. */
#include <math.h>
#include <stdlib.h>

#include "draw.h"
#include "io/mesh/mesh.h"
#include "io_check.h"

/* a cube of length 1; `%s`: the unit, the scene */
#define CUBE                                                                                                           \
    "<?xml version='1.0'?><COLLADA version='1.4.1' xmlns='http://www.collada.org/2005/11/COLLADASchema'><asset>%s"     \
    "<up_axis>Y_UP</up_axis></asset><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='f' "    \
    "count='24'>0 0 0 1 0 0 1 1 0 0 1 0\n 0 0 1 1 0 1 1 1 1 0 1 1</float_array><technique_common><accessor "           \
    "source='#f' count='8' stride='3'/></technique_common></source><vertices id='v'><input semantic='POSITION' "       \
    "source='#p'/></vertices><polylist count='2'><input semantic='VERTEX' source='#v' offset='0'/><input "             \
    "semantic='NORMAL' source='#n' offset='1'/><vcount>4 4</vcount><p>0 0 3 0 2 0 1 0 4 1 5 1 6 1 7 1</p></polylist>"  \
    "<polygons count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 5 4</p></polygons><triangles>"        \
    "<input semantic='NORMAL' source='#n' offset='0'/><input semantic='VERTEX' source='#v' offset='1'/>"               \
    "<p>9 1 9 2 9 6 9 1 9 6 9 5</p></triangles><tristrips><input semantic='VERTEX' source='#v' offset='0'/>"           \
    "<p>2 3 6 7</p></tristrips><trifans><input semantic='VERTEX' source='#v' offset='0'/><p>3 0 4 7</p></trifans>"     \
    "</mesh></geometry><geometry id='wire'><mesh><source id='q'><float_array>9 9 9 8 8 8</float_array></source>"       \
    "<vertices id='w'><input semantic='POSITION' source='#q'/></vertices><lines><input semantic='VERTEX' "             \
    "source='#w' offset='0'/><p>0 1</p></lines></mesh></geometry></library_geometries>%s</COLLADA>"

#define SCENE                                                                                                          \
    "<library_nodes><node id='n'><instance_geometry url='#g'/><instance_geometry url='#wire'/></node></library_nodes>" \
    "<library_visual_scenes><visual_scene id='other'><node><instance_geometry url='#g'/></node></visual_scene>"        \
    "<visual_scene id='s'><node><translate>1500 0 0</translate><rotate>0 0 2 90</rotate><node><scale>2000 1000 3000"   \
    "</scale><instance_node url='#n'/></node></node></visual_scene></library_visual_scenes><scene>"                    \
    "<instance_visual_scene url='#s'/></scene>"

static const double one[3] = {1, 1, 1};

static char *cube(const char *unit, const char *scene)
{
    const size_t room = sizeof CUBE + strlen(unit) + strlen(scene);
    char *text = malloc(room);
    assert_non_null(text);
    snprintf(text, room, CUBE, unit, scene);
    return text;
}

static void check_box(const char *unit, const char *scene, const double low[3], const double high[3])
{
    char *text = cube(unit, scene);
    triangles m = {0};
    hml_error error = {0};
    if (hmli_mesh_parse("a.DAE", text, strlen(text), &m, &error)) fail_msg("%s", error.message);
    assert_int_equal(m.nvertices, 8); /* lines do not count */
    assert_int_equal(m.ntriangles, 12);
    for (size_t i = 0; i < 3; i++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t k = 0; k < 8; k++)
            least = fmin(least, m.vertices[3 * k + i]), most = fmax(most, m.vertices[3 * k + i]);
        assert_near(&least, &low[i], 1, 1e-12, "lowest");
        assert_near(&most, &high[i], 1, 1e-12, "highest");
    }
    const double volume = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
    const mesh_moments moments = hmli_mesh_moments(&m, one, MESH_EXACT); /* all triangles show outwards */
    assert_near(&moments.volume, &volume, 1, 1e-12, "volume");
    hmli_mesh_free(&m);
    free(text);
}

static void test_box(void **state)
{
    (void)state;
    const double zero[3] = {0, 0, 0}, low[3] = {0.5, 0, 0}, high[3] = {1.5, 2, 3}, two[3] = {2, 2, 2};
    check_box("<unit meter='0.001' name='millimeter'/>", SCENE, low, high);
    check_box("", "", zero, one);
    check_box("<unit meter='2'/>", "", zero, two);
    check_box("",
              "<library_visual_scenes><visual_scene id='s'><node><matrix>0 -1 0 1.5  2 0 0 0  0 0 3 0  0 0 0 1</matrix>"
              "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>",
              (double[3]){0.5, 0, 0}, (double[3]){1.5, 2, 3});
}

static void assert_bad(const char *text, const char *word)
{
    triangles m = {0};
    hml_error error = {0};
    assert_true(hmli_mesh_parse("a.dae", text, strlen(text), &m, &error) != HML_OK);
    if (!strstr(error.message, word)) fail_msg("'%s' lacks '%s'", error.message, word);
    hmli_mesh_free(&m);
}

/* the cube with a part of its text replaced */
static void assert_bad_part(const char *part, const char *other, const char *word)
{
    char *text = cube("<unit meter='1'/>", SCENE), *at = strstr(text, part);
    assert_non_null(at);
    char *changed = malloc(strlen(text) + strlen(other) + 1);
    assert_non_null(changed);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, other, at + strlen(part));
    assert_bad(changed, word);
    free(changed);
    free(text);
}

static void test_bad_files(void **state)
{
    (void)state;
    assert_bad("", "XML is malformed");
    assert_bad("<COLLADA>", "XML is malformed");
    assert_bad("<robot/>", "is no DAE file: its root is <robot>");
    assert_bad("<COLLADA/>", "shows no triangles");
    assert_bad("<!DOCTYPE a [<!ENTITY b 'c'>]><COLLADA/>", "entity");
    assert_bad_part("meter='1'", "meter='-1'", "positive length");
    assert_bad_part("meter='1'", "meter='x'", "not a number");
    assert_bad_part("0 0 0 1 0 0", "0 nan 0 1 0 0", "no length");
    assert_bad_part("0 0 0 1 0 0", "0 1e30 0 1 0 0", "no length");
    assert_bad_part("0 0 0 1 0 0", "0 0 1 0 0", "three numbers per vertex");
    assert_bad_part("stride='3'", "stride='2'", "stride of 2");
    assert_bad_part("<p>0 1 5 4</p>", "<p>0 1 5 8</p>", "not there");
    assert_bad_part("<p>0 1 5 4</p>", "<p>0 1 -5 4</p>", "too early");
    assert_bad_part("<p>9 1 9 2 9 6 9 1 9 6 9 5</p>", "<p>9 1 9 2 9 6 9 1</p>", "4 corners do not make triangles");
    assert_bad_part("<vcount>4 4</vcount>", "<vcount>4 5</vcount>", "too early");
    assert_bad_part("<vcount>4 4</vcount>", "<vcount>4 x</vcount>", "not a list");
    assert_bad_part("offset='1'", "offset='1000000'", "offset");
    assert_bad_part("semantic='VERTEX'", "semantic='COLOR'", "no <input>");
    assert_bad_part("source='#p'", "source='#x'", "no positions");
    assert_bad_part("<translate>1500 0 0", "<translate>1500 0", "3 numbers");
    assert_bad_part("<scale>2000 1000 3000", "<scale>1 1 1e300", "1e9 m");
    assert_bad_part("<rotate>0 0 2 90</rotate>", "<lookat/>", "not read");
    assert_bad_part("<node id='n'>", "<node id='n'><instance_node url='#n'/>", "nested");
    assert_bad_part("url='#n'", "url='#m'", "<instance_node> names nothing of this file");
    assert_bad_part("<instance_geometry url='#g'/><", "<instance_geometry url='other.dae#g'/><", "names nothing");
    assert_bad_part("stride='3'", "stride='3' offset='3'", "offset");
    assert_bad_part("<vcount>4 4</vcount>", "<vcount>4</vcount>", "more corners");
    assert_bad_part("<vcount>4 4</vcount>", "", "no <vcount>");
}

/* forty nodes, each of which uses the next one twice: 2^40 in all */
static void test_doubling_nodes(void **state)
{
    (void)state;
    char text[8192] = "<COLLADA><library_nodes>";
    size_t n = strlen(text);
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<node id='n%d'><instance_node url='#n%d'/><instance_node url='#n%d'/></node>", i, i + 1,
                              i + 1);
    snprintf(text + n, sizeof text - n,
             "<node id='n40'/></library_nodes><library_visual_scenes><visual_scene><instance_node url='#n0'/>"
             "</visual_scene></library_visual_scenes></COLLADA>");
    assert_bad(text, "more than 1000000 elements");
}

/* a geometry of two million characters, shown a thousand times */
static void test_repeated_geometry(void **state)
{
    (void)state;
    enum { LONG = 1 << 21, TIMES = 1000 };
    char *text = malloc(LONG + 64 * TIMES + 1024), *at = text;
    assert_non_null(text);
    at += sprintf(at, "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array>0 0 0"
                      "</float_array></source><vertices><input semantic='POSITION' source='#p'/></vertices>"
                      "<triangles><input semantic='VERTEX' offset='0'/><p>0 0 0");
    memset(at, ' ', LONG), at += LONG;
    at += sprintf(at, "</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene>");
    for (int i = 0; i < TIMES; i++) at += sprintf(at, "<instance_geometry url='#g'/>");
    sprintf(at, "</visual_scene></library_visual_scenes></COLLADA>");
    assert_bad(text, "too often");
    free(text);
}

/* vertices that only lines use are not part of the shape */
static void test_lines(void **state)
{
    (void)state;
    const char *text =
        "<COLLADA><library_geometries><geometry id='g'><mesh><source id='p'><float_array>9 9 9 0 0 0 7 7 7 1 0 0 0 1 0"
        "</float_array></source><vertices><input semantic='POSITION' source='#p'/></vertices>"
        "<lines><input semantic='VERTEX' offset='0'/><p>0 2</p></lines>"
        "<triangles><input semantic='VERTEX' offset='0'/><p>4 1 3</p></triangles></mesh></geometry>"
        "</library_geometries></COLLADA>";
    const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t triangle[3] = {2, 0, 1};
    triangles m = {0};
    hml_error error = {0};
    assert_int_equal(hmli_mesh_parse("a.dae", text, strlen(text), &m, &error), HML_OK);
    assert_int_equal(m.nvertices, 3), assert_int_equal(m.ntriangles, 1);
    assert_memory_equal(m.vertices, corners, sizeof corners);
    assert_memory_equal(m.corners, triangle, sizeof triangle);
    hmli_mesh_free(&m);
}

/* whatever the bytes are: a mesh or a sentence */
static void test_broken_bytes(void **state)
{
    (void)state;
    uint64_t seed = 11;
    char *text = cube("<unit meter='1'/>", SCENE);
    const size_t n = strlen(text);
    for (int i = 0; i < 3000; i++) {
        char *data = malloc(n + 1);
        assert_non_null(data);
        memcpy(data, text, n + 1);
        for (int k = 0; k < 2; k++) {
            const char some[] = "0123456789 -.e<>/'#x";
            data[(size_t)(0.4999 * (1 + draw(&seed)) * (double)n)] = some[(size_t)(9.9 * (1 + draw(&seed)))];
        }
        triangles m = {0};
        hml_error error = {0};
        const hml_status status = hmli_mesh_parse("a.dae", data, n, &m, &error);
        assert_true(status == HML_OK ? m.nvertices > 0 : error.message[0] != 0);
        hmli_mesh_free(&m);
        free(data);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_doubling_nodes),
        cmocka_unit_test(test_repeated_geometry),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_broken_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
