/* Collision shapes of models: from every file format, onto merged links, through blocks, edits and writers. */
#include <stdlib.h>

#include "hamel/edit.h"
#include "hamel/model.h"
#include "io_check.h"
#include "model/model.h"

#define INERTIAL "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"

static const char urdf[] =
    "<robot name='r'><link name='base'>" INERTIAL
    "<collision><origin xyz='0 0 1'/><geometry><box size='2 4 6'/></geometry></collision>"
    "<collision><geometry><mesh filename='x.stl'/></geometry></collision>"
    "<collision><geometry><sphere radius='0'/></geometry></collision></link>"
    "<link name='foot'><collision><origin xyz='0 0 -0.5'/><geometry><sphere radius='0.1'/></geometry></collision>"
    "<collision><geometry><cylinder radius='0.2' length='3'/></geometry></collision></link>"
    "<joint name='j' type='fixed'><parent link='base'/><child link='foot'/><origin xyz='1 0 0'/></joint></robot>";

static hml_shape shape_of(const hml_model *m, int32_t i)
{
    hml_shape s;
    assert_int_equal(hml_model_shape(m, i, &s), HML_OK);
    return s;
}

static void test_urdf(void **state)
{
    (void)state;
    hml_model *m = load_text("r.urdf", urdf);
    assert_int_equal(hml_model_nshapes(m), 3);
    assert_has_warning(m, "no size");
    hml_shape box = shape_of(m, 0), ball = shape_of(m, 1), rod = shape_of(m, 2);
    assert_int_equal(box.kind, HML_SHAPE_BOX);
    assert_near(box.size, (double[3]){1, 2, 3}, 3, 0, "half lengths");
    assert_near(box.position, (double[3]){0, 0, 1}, 3, 0, "position");
    assert_int_equal(ball.kind, HML_SHAPE_SPHERE);
    assert_int_equal(ball.frame, 0); /* its link is merged into the base */
    assert_near(ball.position, (double[3]){1, 0, -0.5}, 3, 0, "position");
    assert_true(ball.friction < 0);
    assert_int_equal(rod.kind, HML_SHAPE_CYLINDER);
    assert_near(rod.size, (double[3]){0.2, 1.5, 0}, 3, 0, "radius and half length");
    hml_model_free(m);
    assert_refused("r.urdf",
                   "<robot><link name='a'>\n<collision><geometry><sphere radius='big'/></geometry></collision></link>"
                   "</robot>",
                   HML_BAD_FILE, 2, "radius");
}

static void test_mjcf(void **state)
{
    (void)state;
    hml_model *m = load_text("r.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
                                      "<geom type='sphere' size='0.3' pos='5 0 0'/>"
                                      "<body name='b' pos='0 0 1'><freejoint/><inertial pos='0 0 0' mass='1' "
                                      "diaginertia='1 1 1'/>"
                                      "<geom type='capsule' fromto='0 0 0 0 0 2' size='0.1' friction='0.7 0.1 0.1'/>"
                                      "<geom type='box' size='1 1 1' contype='0' conaffinity='0'/>"
                                      "<geom type='ellipsoid' size='1 1 1'/></body></worldbody></mujoco>");
    assert_int_equal(hml_model_nshapes(m), 2);
    hml_shape stone = shape_of(m, 0), leg = shape_of(m, 1);
    assert_int_equal(stone.frame, -1);
    assert_near(stone.position, (double[3]){5, 0, 0}, 3, 0, "position");
    assert_true(stone.friction == 1); /* MuJoCo's default */
    assert_int_equal(leg.kind, HML_SHAPE_CAPSULE);
    assert_int_equal(leg.frame, 0);
    assert_near(leg.size, (double[3]){0.1, 1, 0}, 3, 1e-15, "radius and half length");
    assert_near(leg.position, (double[3]){0, 0, 1}, 3, 1e-15, "between the two points");
    assert_true(leg.friction == 0.7);
    hml_model_free(m);
}

static const char json[] =
    "{\"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"free\"},"
    " \"inertia\": {\"mass\": 1, \"moment\": [[1,0,0],[0,1,0],[0,0,1]]}}],"
    " \"shapes\": [{\"body\": \"a\", \"type\": \"point\", \"origin\": {\"position\": [1, 2, 3]}, \"friction\": 0.5},"
    " {\"body\": null, \"type\": \"box\", \"size\": [1, 2, 3], \"restitution\": 0.25},"
    " {\"body\": \"a\", \"type\": \"sphere\", \"size\": 0.5}]}";

static void test_json_there_and_back(void **state)
{
    (void)state;
    hml_model *m = load_text("a.json", json);
    hml_error error = {0};
    char *text, difference[256];
    size_t size;
    assert_int_equal(hml_model_nshapes(m), 3);
    assert_int_equal(shape_of(m, 0).frame, -1); /* the world's come first */
    assert_true(shape_of(m, 0).restitution == 0.25);
    assert_int_equal(shape_of(m, 1).kind, HML_SHAPE_POINT);
    assert_near(shape_of(m, 1).position, (double[3]){1, 2, 3}, 3, 0, "position");
    assert_int_equal(hml_write_json(m, &text, &size, &error), HML_OK);
    hml_model *again = load_text("again.json", text);
    if (!hml_model_equal(m, again, 0, difference, sizeof difference)) fail_msg("%s", difference);
    hml_text_free(text);
    hml_model_free(again);
    hml_model_free(m);
}

static void test_urdf_there_and_back(void **state)
{
    (void)state;
    hml_model *m = load_text("r.urdf", urdf);
    hml_error error = {0};
    char *text, difference[256];
    size_t size;
    assert_int_equal(hml_write_urdf(m, &text, &size, &error), HML_OK);
    hml_model *again = load_text("again.urdf", text);
    if (!hml_model_equal(m, again, 1e-15, difference, sizeof difference)) fail_msg("%s", difference);
    hml_text_free(text);
    hml_model_free(again);
    hml_model_free(m);
}

static void test_json_refused(void **state)
{
    (void)state;
#define SHAPE(text)                                                                                                    \
    "{\"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"free\"}}],"            \
    " \"shapes\": [" text "]}"
    assert_refused("a.json", SHAPE("{\"body\": \"b\", \"type\": \"point\"}"), HML_BAD_FILE, 0, "does not exist");
    assert_refused("a.json", SHAPE("{\"body\": \"a\", \"type\": \"torus\"}"), HML_BAD_FILE, 0, "no shape 'torus'");
    assert_refused("a.json", SHAPE("{\"body\": \"a\", \"type\": \"sphere\"}"), HML_BAD_FILE, 0, "size");
    assert_refused("a.json", SHAPE("{\"body\": \"a\", \"type\": \"sphere\", \"size\": -1}"), HML_BAD_MODEL, 0,
                   "positive");
    assert_refused("a.json", SHAPE("{\"body\": \"a\", \"type\": \"box\", \"size\": [1, 2]}"), HML_BAD_FILE, 0, "size");
    assert_refused("a.json", SHAPE("{\"body\": \"a\", \"type\": \"point\", \"restitution\": 2}"), HML_BAD_MODEL, 0,
                   "out of range");
    assert_refused("a.json", SHAPE("[]"), HML_BAD_FILE, 0, "shapes/0");
#undef SHAPE
}

/* a hull: there and back, scaled, refused */
static void test_hull(void **state)
{
    (void)state;
#define HULL(text)                                                                                                     \
    "{\"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"free\"},"              \
    "\"inertia\": {\"mass\": 1, \"moment\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}], \"shapes\": [" text "]}"
    hml_model *m = load_text("a.json", HULL("{\"body\": \"a\", \"type\": \"sphere\", \"size\": 1}, {\"body\": \"a\", "
                                            "\"type\": \"hull\", \"vertices\": [[1, 2, 3], [0.1, -5, 6]]}"));
    hml_error error = {0};
    char *text, difference[256];
    size_t size;
    hml_model *again, *big, *copy = NULL;
    assert_int_equal(hml_write_json(m, &text, &size, &error), HML_OK);
    again = load_text("again.json", text);
    if (!hml_model_equal(m, again, 0, difference, sizeof difference)) fail_msg("%s", difference);
    assert_int_equal(shape_of(m, 0).nvertices, 0);
    assert_int_equal(shape_of(again, 1).nvertices, 2);
    assert_near(shape_of(again, 1).vertices, (double[6]){1, 2, 3, 0.1, -5, 6}, 6, 0, "vertices");
    assert_int_equal(hml_model_scale(m, 2, 1, &big), HML_OK);
    assert_near(shape_of(big, 1).vertices, (double[6]){2, 4, 6, 0.2, -10, 12}, 6, 0, "scaled vertices");
    ((double *)((char *)again + again->vertices))[4] = -5.5;
    assert_int_equal(hml_model_equal(m, again, 1e-9, NULL, 0), 0);
    ((double *)((char *)again + again->vertices))[4] = NAN;
    assert_int_equal(hml_model_from_data(again, hml_model_size(again), &copy), HML_BAD_MODEL);
    ((model_shape *)((char *)m + m->shapes))[1].nvertices = 3; /* there are two */
    assert_int_equal(hml_model_from_data(m, hml_model_size(m), &copy), HML_BAD_MODEL);
    hml_text_free(text);
    hml_model_free(again);
    hml_model_free(big);
    hml_model_free(m);
    assert_refused("a.json", HULL("{\"body\": \"a\", \"type\": \"hull\"}"), HML_BAD_FILE, 0, "vertices");
    assert_refused("a.json", HULL("{\"body\": \"a\", \"type\": \"hull\", \"vertices\": []}"), HML_BAD_FILE, 0,
                   "1 to 64");
    assert_refused("a.json", HULL("{\"body\": \"a\", \"type\": \"hull\", \"vertices\": [[1, 2]]}"), HML_BAD_FILE, 0,
                   "0/vertices/0");
#undef HULL
}

static void test_edits(void **state)
{
    (void)state;
    hml_model *m = load_text("a.json", json), *big, *both;
    hml_error error = {0};
    assert_int_equal(hml_model_scale(m, 2, 3, &big), HML_OK);
    assert_near(shape_of(big, 1).position, (double[3]){2, 4, 6}, 3, 0, "scaled position");
    assert_true(shape_of(big, 2).size[0] == 1);
    assert_int_equal(hml_model_equal(m, big, 1e-9, NULL, 0), 0);
    assert_int_equal(hml_model_append(m, 0, m, "second.", &both, &error), HML_OK);
    assert_int_equal(hml_model_nshapes(both), 6);
    assert_int_equal(shape_of(both, 3).frame, 0); /* what stood in the second world now rides on the first body */
    assert_int_equal(shape_of(both, 5).frame, 1);
    hml_model_free(both);
    hml_model_free(big);
    hml_model_free(m);
}

static void test_block(void **state)
{
    (void)state;
    hml_model *m = load_text("a.json", json), *copy = NULL;
    model_shape *s = (model_shape *)((char *)m + m->shapes);
    assert_int_equal(hml_model_from_data(m, hml_model_size(m), &copy), HML_OK);
    assert_true(hml_model_equal(m, copy, 0, NULL, 0));
    hml_model_free(copy);
    s[1].body = 1;
    assert_int_equal(hml_model_from_data(m, hml_model_size(m), &copy), HML_BAD_MODEL);
    s[1].body = 0;
    s[1].kind = 5;
    assert_int_equal(hml_model_from_data(m, hml_model_size(m), &copy), HML_BAD_MODEL);
    s[1].kind = HML_SHAPE_BOX; /* a point has no size */
    assert_int_equal(hml_model_from_data(m, hml_model_size(m), &copy), HML_BAD_MODEL);
    s[1].kind = HML_SHAPE_POINT;
    s[1].friction = NAN;
    assert_int_equal(hml_model_from_data(m, hml_model_size(m), &copy), HML_BAD_MODEL);
    hml_model_free(m);
}

static void test_builder(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_shape s = {.kind = HML_SHAPE_SPHERE, .size = {1}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    hml_joint_spec joint;
    hml_model *m = NULL;
    hml_error error = {0};
    hml_joint_spec_init(&joint, HML_JOINT_FREE);
    joint.name = "j";
    assert_int_equal(hml_builder_add_body(b, "a", NULL, &joint, NULL, &error), HML_OK);
    s.rotation[0] = 2;
    assert_int_equal(hml_builder_add_shape(b, "a", &s, &error), HML_NOT_NORMALIZED);
    s.rotation[0] = 1;
    s.kind = (hml_shape_kind)7;
    assert_int_equal(hml_builder_add_shape(b, "a", &s, &error), HML_INVALID_ARGUMENT);
    s.kind = HML_SHAPE_SPHERE;
    assert_int_equal(hml_builder_add_shape(NULL, "a", &s, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_builder_add_shape(b, "nobody", &s, &error), HML_OK); /* it may come later */
    assert_int_equal(hml_builder_build(b, 0, &m, &error), HML_BAD_MODEL);
    assert_non_null(strstr(error.message, "nobody"));
    hml_builder_free(b);
}

/* ---- names ---- */

/* shapes with names are frames: a foot can be named; what touches nothing is said once */
static void test_named_shapes(void **state)
{
    (void)state;
    hml_model *m = load_text(
        "m.xml", "<mujoco><asset><mesh name='shell' file='none.stl'/></asset><worldbody><body name='leg'><freejoint/>"
                 "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom name='FL' size='0.02' pos='0 0 -0.3'/>"
                 "<geom name='leg' type='box' size='1 1 1'/><geom size='0.1'/><site name='tip' pos='0 0 1'/>"
                 "<geom name='tip' size='0.1' pos='0 0 1'/><geom name='seen' size='1' contype='0' conaffinity='0'/>"
                 "<geom name='cover' type='mesh' mesh='shell' pos='1 0 0'/><geom type='mesh' mesh='shell'/>"
                 "<geom name='egg' type='ellipsoid' size='1 1 2'/></body></worldbody></mujoco>");
    assert_int_equal(hml_model_nshapes(m), 4);
    assert_true(frame_of(m, "FL").position[2] == -0.3 && frame_of(m, "cover").position[0] == 1);
    assert_int_equal(frame_of(m, "leg.geom").body, 0);
    assert_int_equal(hml_model_find_frame(m, "tip.geom"), -1); /* there is a site of this name, there */
    assert_int_equal(hml_model_find_frame(m, "seen"), -1);
    assert_int_equal(frame_of(m, "egg").body, 0);
    assert_int_equal(hml_model_nwarnings(m), 2);
    assert_has_warning(m, "geom 'cover' (mesh) touches nothing here");
    assert_has_warning(m, "geom 'egg' (ellipsoid) touches nothing here");
    hml_model_free(m);
    m = load_text("m.urdf",
                  "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
                  "iyy='1' iyz='0' izz='1'/></inertial><collision name='heel'><origin xyz='0 0 -1'/><geometry>"
                  "<sphere radius='0.1'/></geometry></collision><collision name='a'><geometry><box size='1 1 "
                  "1'/></geometry></collision><collision><geometry><mesh filename='x.stl'/></geometry>"
                  "</collision></link></robot>");
    assert_true(frame_of(m, "heel").position[2] == -1);
    assert_int_equal(frame_of(m, "a.2").body, 0);
    assert_has_warning(m, "the mesh in <collision> of link 'a' touches nothing here");
    hml_model_free(m);
}

/* ---- what touches what ---- */

static const char excluding[] =
    "<mujoco><default><geom conaffinity='6'/></default><asset>"
    "<mesh name='roof' vertex='0 0 0 1 0 0 0 1 0 0 0 1 .1 .1 .1' scale='2 1 1' refpos='1 0 0'/>"
    "</asset><worldbody><body name='a'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    "<geom size='0.1'/><geom size='0.1' contype='1' conaffinity='1'/><body name='b'><joint/>"
    "<geom type='mesh' mesh='roof' mass='1'/><body name='stuck' pos='0 0 1'><geom size='0.1' mass='1'/></body></body>"
    "<body name='c'><joint/><geom size='0.1' mass='1'/></body></body></worldbody><contact>"
    "<exclude body1='b' body2='c'/><exclude name='x' body1='stuck' body2='world'/><odd/>"
    "</contact></mujoco>";

static void test_exclusions(void **state)
{
    (void)state;
    hml_model *m = load_text("m.xml", excluding), *again;
    hml_error error = {0};
    char *text, difference[256];
    size_t size;
    int32_t bodies[2];
    assert_int_equal(hml_model_nexclusions(m), 2);
    assert_int_equal(hml_model_exclusion(m, 0, bodies), HML_OK);
    assert_true(bodies[0] == 1 && bodies[1] == 2);
    assert_int_equal(hml_model_exclusion(m, 1, bodies), HML_OK);
    assert_true(bodies[0] == 1 && bodies[1] == -1); /* 'stuck' has no joint: b carries it */
    assert_int_equal(hml_model_exclusion(m, 2, bodies), HML_INVALID_ARGUMENT);
    assert_has_warning(m, "<odd>");
    assert_true(shape_of(m, 0).contype == 1 && shape_of(m, 0).conaffinity == 6);
    assert_true(shape_of(m, 1).contype == 0 && shape_of(m, 1).conaffinity == 0); /* as usual */
    hml_shape roof = shape_of(m, 2);
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    assert_true(roof.kind == HML_SHAPE_HULL && roof.nvertices == 4); /* one of the points lies inside */
    for (int i = 0; i < 12; i++)
        low[i % 3] = fmin(low[i % 3], roof.vertices[i]), high[i % 3] = fmax(high[i % 3], roof.vertices[i]);
    assert_near(low, (double[3]){-2, 0, 0}, 3, 0, "lowest corner, less refpos, scaled");
    assert_near(high, (double[3]){0, 1, 1}, 3, 0, "highest corner");
    assert_int_equal(hml_write_json(m, &text, &size, &error), HML_OK);
    again = load_text("again.json", text);
    if (!hml_model_equal(m, again, 0, difference, sizeof difference)) fail_msg("%s", difference);
    hml_text_free(text);
    hml_model_free(again);
    assert_int_equal(hml_model_scale(m, 2, 1, &again), HML_OK); /* edits keep them */
    assert_int_equal(hml_model_nexclusions(again), 2);
    hml_model_free(again);
    hml_model_free(m);
    assert_refused("m.xml",
                   "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body></worldbody><contact>\n"
                   "<exclude body1='a' body2='nobody'/></contact></mujoco>",
                   HML_BAD_MODEL, 2, "there is no body 'nobody'");
    static const char head[] =
        "{\"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"free\"},"
        " \"inertia\": {\"mass\": 1, \"moment\": [[1,0,0],[0,1,0],[0,0,1]]}}],";
    static const char *const wrong[][2] = {
        {" \"exclusions\": [[\"a\", \"x\"]]}", "there is no body 'x'"},
        {" \"exclusions\": [[\"a\"]]}", "two bodies"},
        {" \"shapes\": [{\"body\": \"a\", \"type\": \"point\", \"contype\": 1.5}]}", "whole number"}};
    for (size_t i = 0; i < 3; i++) {
        char file[600];
        snprintf(file, sizeof file, "%s%s", head, wrong[i][0]);
        assert_refused("m.json", file, HML_BAD_FILE, 0, wrong[i][1]);
    }
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_joint_spec_init(&joint, HML_JOINT_FREE);
    joint.name = "j";
    assert_int_equal(hml_builder_add_body(b, "a", NULL, &joint, NULL, &error), HML_OK);
    assert_int_equal(hml_builder_add_exclusion(NULL, "a", NULL, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_builder_add_exclusion(b, "a", "nobody", &error), HML_OK); /* it may come later */
    assert_int_equal(hml_builder_build(b, 0, &m, &error), HML_BAD_MODEL);
    assert_non_null(strstr(error.message, "nobody"));
    hml_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hull),
        cmocka_unit_test(test_named_shapes),
        cmocka_unit_test(test_urdf),
        cmocka_unit_test(test_mjcf),
        cmocka_unit_test(test_json_there_and_back),
        cmocka_unit_test(test_urdf_there_and_back),
        cmocka_unit_test(test_json_refused),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_exclusions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
