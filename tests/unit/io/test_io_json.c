/* Hamel's own format: every field, there and back; what is refused beyond tests/broken. */
#include <stdlib.h>

#include "hamel/edit.h"
#include "hamel/kinematics.h"
#include "io_check.h"

#define INERTIA                                                                                                        \
    "\"inertia\": {\"mass\": 1, \"com\": [0.1, 0.2, 0.3], \"moment\": [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]]}"

/* one of everything */
static const char zoo[] =
    "{\"hamel\": 1, \"name\": \"zoo \\\"\\u00e9\\\\\", \"gravity\": [0.1, 0.2, -9],\n"
    "\"bodies\": [\n"
    "{\"name\": \"free\", \"parent\": null, \"joint\": {\"name\": \"base\", \"type\": \"free\",\n"
    "  \"armature\": [1, 2, 3, 4, 5, 6], \"damping\": 0.5, \"friction\": 0.3, \"stiffness\": [0, 0, 7, 0, 0, 0],\n"
    "  \"rest\": [1, 2, 3, 0, 0, 0, 1]}, " INERTIA "},\n"
    "{\"name\": \"revolute\", \"parent\": \"free\", \"joint\": {\"name\": \"j1\", \"type\": \"revolute\",\n"
    "  \"axis\": [0, 0.6, 0.8], \"origin\": {\"position\": [1, 2, 3], \"rpy\": [0.1, 0.2, 0.3]}, \"rest\": 0.5,\n"
    "  \"limits\": {\"lower\": -1, \"upper\": 2, \"velocity\": 3, \"effort\": 4}, \"actuated\": false}, " INERTIA "},\n"
    "{\"name\": \"helical\", \"parent\": \"revolute\", \"joint\": {\"name\": \"j2\", \"type\": \"helical\",\n"
    "  \"axis\": [1, 0, 0], \"pitch\": -0.1, \"point\": [0.1, 0.2, 0.3], \"origin\": {\"quaternion\": [1, 0, 0, "
    "0]}}},\n"
    "{\"name\": \"prismatic\", \"parent\": \"helical\", \"joint\": {\"name\": \"j3\", \"type\": \"prismatic\",\n"
    "  \"axis\": [0, 1, 0], \"mimic\": {\"joint\": \"j1\", \"multiplier\": 0.5, \"offset\": 0.25}}, " INERTIA "},\n"
    "{\"name\": \"cylindrical\", \"parent\": \"prismatic\", \"joint\": {\"name\": \"j4\", \"type\": \"cylindrical\",\n"
    "  \"axis\": [0, 1, 0], \"damping\": [1, 2], \"limits\": {\"lower\": [-1, null], \"upper\": [null, 5]}}, " INERTIA
    "},\n"
    "{\"name\": \"universal\", \"parent\": \"cylindrical\", \"joint\": {\"name\": \"j5\", \"type\": \"universal\",\n"
    "  \"axis\": [1, 0, 0], \"axis2\": [0, 0.8, 0.6], \"armature\": [0.1, 0.2], \"rest\": [0.3, 0.4],\n"
    "  \"origin\": {\"rotation\": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}, " INERTIA "},\n"
    "{\"name\": \"translation2\", \"parent\": \"universal\", \"joint\": {\"name\": \"j6\", \"type\": "
    "\"translation2\"}, " INERTIA "},\n"
    "{\"name\": \"planar\", \"parent\": \"universal\", \"joint\": {\"name\": \"j7\", \"type\": \"planar\"}, " INERTIA
    "},\n"
    "{\"name\": \"spherical\", \"parent\": \"planar\", \"joint\": {\"name\": \"j8\", \"type\": \"spherical\",\n"
    "  \"stiffness\": 2, \"rest\": [0.6, 0.8, 0, 0]}, " INERTIA "},\n"
    "{\"name\": \"translation3\", \"parent\": \"spherical\", \"joint\": {\"name\": \"j9\", \"type\": "
    "\"translation3\"}, " INERTIA "},\n"
    "{\"name\": \"schoenflies\", \"parent\": \"spherical\", \"joint\": {\"name\": \"j10\", \"type\": "
    "\"schoenflies\"}, " INERTIA "},\n"
    "{\"name\": \"other root\", \"parent\": null, \"joint\": {\"name\": \"j11\", \"type\": \"revolute\", \"axis\": [1, "
    "0, 0]}, " INERTIA "}\n"
    "],\n"
    "\"frames\": [{\"name\": \"tool\", \"body\": \"universal\", \"origin\": {\"position\": [0, 0, 1], \"rpy\": [0, 1, "
    "0]}},\n"
    "  {\"name\": \"map\", \"body\": null, \"origin\": {\"position\": [0, 0, 1]}}]}";

static void test_every_field(void **state)
{
    (void)state;
    hml_model *m = load_text("zoo.json", zoo);
    double gravity[3];
    const double wanted[3] = {0.1, 0.2, -9};
    assert_string_equal(hml_model_name(m), "zoo \"\xc3\xa9\\");
    hml_model_gravity(m, gravity);
    assert_near(gravity, wanted, 3, 0, "gravity");
    assert_int_equal(hml_model_nv(m), 6 + 1 + 1 + 0 + 2 + 2 + 2 + 3 + 3 + 3 + 4 + 1);

    hml_joint_info j = joint_of(m, "base");
    const double armature[6] = {1, 2, 3, 4, 5, 6}, stiffness[6] = {0, 0, 7, 0, 0, 0}, rest[7] = {1, 2, 3, 0, 0, 0, 1};
    assert_near(j.armature, armature, 6, 0, "armature");
    assert_near(j.stiffness, stiffness, 6, 0, "stiffness");
    assert_near(j.rest, rest, 7, 0, "rest");
    assert_true(j.damping[0] == 0.5 && j.damping[5] == 0.5 && j.friction[0] == 0.3 && j.friction[5] == 0.3);
    assert_false(j.actuated);

    j = joint_of(m, "j1");
    assert_true(j.rest[0] == 0.5 && j.lower[0] == -1 && j.upper[0] == 2 && j.velocity_limit[0] == 3 &&
                j.effort_limit[0] == 4);
    assert_false(j.actuated);
    j = joint_of(m, "j2");
    assert_true(j.pitch == -0.1 && j.point[2] == 0.3 && j.actuated);
    j = joint_of(m, "j3");
    assert_int_equal(j.leader, hml_model_find_joint(m, "j1"));
    assert_true(j.multiplier == 0.5 && j.offset == 0.25);
    j = joint_of(m, "j4");
    assert_true(j.lower[0] == -1 && isinf(j.lower[1]) && isinf(j.upper[0]) && j.upper[1] == 5 && j.damping[1] == 2);
    j = joint_of(m, "j5");
    assert_true(j.axis2[1] == 0.8 && j.armature[1] == 0.2 && j.rest[1] == 0.4 && j.rotation[1] == -1);
    j = joint_of(m, "j8");
    assert_true(j.rest[0] == 0.6 && j.rest[1] == 0.8 && j.stiffness[2] == 2);

    hml_body_info body = body_of(m, "revolute");
    assert_true(body.mass == 1 && body.com[2] == 0.3 && body.moment[1] == 0.1 && body.moment[3] == 0.1);
    assert_true(body_of(m, "helical").mass == 0);
    assert_int_equal(frame_of(m, "map").body, -1);
    assert_int_equal(frame_of(m, "tool").body, hml_model_find_body(m, "universal"));
    hml_model_free(m);
}

static void check_round_trip(const hml_model *m)
{
    char *text, *again;
    size_t size, size_again;
    hml_error error = {0};
    assert_int_equal(hml_write_json(m, &text, &size, &error), HML_OK);
    hml_model *back = load_text("back.json", text);
    assert_same_model(m, back, 0);
    assert_int_equal(hml_model_nframes(m), hml_model_nframes(back));
    assert_int_equal(hml_write_json(back, &again, &size_again, &error), HML_OK);
    assert_string_equal(text, again);
    hml_text_free(text);
    hml_text_free(again);
    hml_model_free(back);
}

static void test_there_and_back(void **state)
{
    (void)state;
    hml_model *m = load_text("zoo.json", zoo), *back;
    char *text;
    size_t size;
    check_round_trip(m);
    /* nothing is merged and nothing warned about here: the very same block */
    assert_int_equal(hml_write_json(m, &text, &size, NULL), HML_OK);
    back = load_text("back.json", text);
    assert_int_equal(hml_model_size(m), hml_model_size(back));
    assert_memory_equal(hml_model_data(m), hml_model_data(back), hml_model_size(m));
    hml_text_free(text);
    hml_model_free(back);
    hml_model_free(m);
}

/* what is fixed to the world is no body of the file that is written: its inertia is there all the same */
static void test_inertia_fixed_to_the_world(void **state)
{
    (void)state;
#define INERTIAL(m)                                                                                                    \
    "<inertial><origin xyz='0.1 0.2 0.3'/><mass value='" #m                                                            \
    "'/><inertia ixx='1' ixy='0.1' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
    const struct {
        const char *file, *text;
        double mass;
        int same; /* there and back through URDF, which has a link for the world */
    } cases[] = {
        {"m.urdf",
         "<robot name='arm'><link name='world'/><link name='plinth'>" INERTIAL(
             3) "</link>"
                "<link name='upper'>" INERTIAL(
                    1) "</link>"
                       "<joint name='bolts' type='fixed'><parent link='world'/><child link='plinth'/>"
                       "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/></joint><joint name='elbow' type='continuous'>"
                       "<parent link='plinth'/><child link='upper'/><axis xyz='0 1 0'/></joint></robot>",
         3, 1},
        {"m.xml",
         "<mujoco><worldbody><body name='table' pos='1 2 3'><geom type='box' size='1 2 3' mass='7'/>"
         "<body name='leg' pos='0 0 1'><geom type='sphere' size='0.1' mass='2'/></body></body>"
         "<body name='arm'><joint name='j' axis='0 1 0'/><geom type='sphere' size='0.1' mass='1'/></body>"
         "</worldbody></mujoco>",
         9, 0},
        {"m.json",
         "{\"world\": {\"mass\": 2, \"com\": [1, 2, 3]}, \"bodies\": [{\"name\": \"still\", \"parent\": null, "
         "\"joint\": {\"name\": \"j\", \"type\": \"fixed\", \"origin\": {\"rpy\": [1, 0, 0]}}, " INERTIA "}]}",
         3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hml_model *m = load_text(cases[i].file, cases[i].text), *back;
        hml_inertia_spec world;
        char *text, difference[512] = "";
        size_t size;
        hml_error error = {0};
        hml_model_world_inertia(m, &world);
        assert_true(world.mass == cases[i].mass);
        assert_int_equal(hml_write_json(m, &text, &size, &error), HML_OK);
        back = load_text("back.json", text);
        if (!hml_model_equal(m, back, 0, difference, sizeof difference)) fail_msg("%s", difference);
        hml_text_free(text);
        hml_model_free(back);
        if (cases[i].same) {
            assert_int_equal(hml_write_urdf(m, &text, &size, &error), HML_OK);
            back = load_text("back.urdf", text);
            if (!hml_model_equal(m, back, 1e-15, difference, sizeof difference)) fail_msg("%s", difference);
            hml_text_free(text);
            hml_model_free(back);
        }
        hml_model_free(m);
    }
}

static void test_builtin_robots(void **state)
{
    (void)state;
    assert_true(hml_builtin_count() >= 8);
    assert_null(hml_builtin_name(-1));
    assert_null(hml_builtin_name(hml_builtin_count()));
    int nine = 0;
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        hml_model *m, *file;
        hml_error error = {0};
        char path[1024];
        nine = nine || strcmp(hml_builtin_name(i), "nine") == 0;
        if (hml_load_builtin(hml_builtin_name(i), NULL, &m, &error)) fail_msg("%s", error.message);
        assert_int_equal(hml_model_nwarnings(m), 0);
        snprintf(path, sizeof path, HAMEL_SOURCE_DIR "/robots/%s.json", hml_builtin_name(i));
        assert_int_equal(hml_load(path, NULL, &file, &error), HML_OK);
        assert_same_model(m, file, 0);
        check_round_trip(m);
        hml_model_free(file);
        hml_model_free(m);
    }
    assert_true(nine);
    hml_model *m;
    hml_error error = {0};
    assert_int_equal(hml_load_builtin("ten", NULL, &m, &error), HML_NOT_FOUND);
    assert_non_null(strstr(error.message, "ten"));
}

/* ---- screws ---- */

#define SCREW(type, more)                                                                                              \
    "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\"" type ", " more "}, " INERTIA "}]}"

static void test_screws(void **state)
{
    (void)state;
    /* about z through (0.5, 0, 0), sliding 0.2 metres a radian: linear part = point × axis + pitch·axis = (0, −0.5,
     * 0.2) */
    hml_model *m = load_text("s.json", SCREW("", "\"screw\": [0, -0.5, 0.2, 0, 0, 1], \"form\": \"body\""));
    hml_joint_info j = joint_of(m, "j");
    const double z[3] = {0, 0, 1}, point[3] = {0.5, 0, 0};
    assert_int_equal(j.type, HML_JOINT_HELICAL);
    assert_near(j.axis, z, 3, 0, "axis");
    assert_near(j.point, point, 3, 1e-16, "point");
    assert_near(&j.pitch, &(double){0.2}, 1, 1e-16, "pitch");
    hml_model_free(m);

    /* in the parent's frame; the body is two metres along x from it, so that the axis is 1.5 metres behind the body */
    m = load_text("s.json", SCREW("", "\"screw\": [0, -0.5, 0, 0, 0, 1], \"form\": \"spatial\", "
                                      "\"origin\": {\"position\": [2, 0, 0]}"));
    j = joint_of(m, "j");
    const double behind[3] = {-1.5, 0, 0};
    assert_int_equal(j.type, HML_JOINT_REVOLUTE);
    assert_near(j.point, behind, 3, 1e-15, "point");
    assert_true(j.position[0] == 2);
    hml_model_free(m);

    m = load_text("s.json", SCREW(", \"type\": \"prismatic\"", "\"screw\": [0, 3, 0, 0, 0, 0]"));
    j = joint_of(m, "j");
    assert_int_equal(j.type, HML_JOINT_PRISMATIC);
    assert_true(j.axis[1] == 1);
    hml_model_free(m);

    assert_refused("s.json", SCREW(", \"type\": \"revolute\"", "\"screw\": [0, 0, 1, 0, 0, 1]"), HML_BAD_FILE, 0,
                   "/bodies/0/joint/screw: ");
    assert_refused("s.json", SCREW("", "\"screw\": [0, 0, 0, 0, 0, 0]"), HML_BAD_FILE, 0, "zero");
    assert_refused("s.json", SCREW("", "\"screw\": [0, 0, 0, 0, 0, 1], \"axis\": [1, 0, 0]"), HML_BAD_FILE, 0, "axis");
}

/* |ω| = 2: the coordinate is the angle all the same, and the file is told that exp(s q) would be another one */
static void test_a_screw_of_another_length_is_normalized_with_a_warning(void **state)
{
    (void)state;
    const double q[1] = {0.5};
    const char *const long_ones[] = {SCREW("", "\"screw\": [0, -1, 0.4, 0, 0, 2]"),
                                     SCREW("", "\"screw\": [0, -1, 0.4, 0, 0, 2], \"form\": \"spatial\""),
                                     SCREW("", "\"screw\": [0, 0, 3, 0, 0, 0]")};
    for (int i = 0; i < 3; i++) {
        hml_model *m = load_text("s.json", long_ones[i]);
        hml_work *work;
        double H[16];
        assert_int_equal(hml_model_nwarnings(m), 1);
        assert_has_warning(m, i < 2 ? "has length 2 and was normalized" : "has length 3 and was normalized");
        assert_int_equal(hml_work_new(m, HML_ISA_SCALAR, HML_USE_TREE, &work), HML_OK);
        assert_int_equal(hml_body_poses(m, work, q, H), HML_OK);
        double angle = atan2(H[4], H[0]), way = H[11];
        assert_near(&angle, &(double){i < 2 ? 0.5 : 0}, 1, 1e-15, "angle");
        assert_near(&way, &(double){i < 2 ? 0.2 * 0.5 : 0.5}, 1, 1e-15, "way"); /* the pitch is 0.2 */
        hml_work_free(work);
        hml_model_free(m);
        hml_load_options strict;
        hml_load_options_init(&strict);
        strict.build = HML_BUILD_STRICT;
        assert_refused_with("s.json", long_ones[i], &strict, HML_BAD_MODEL, 0, "length");
    }
    hml_model *m = load_text("s.json", SCREW("", "\"screw\": [0, -0.5, 0.2, 0, 0, 1]"));
    assert_int_equal(hml_model_nwarnings(m), 0);
    hml_model_free(m);
}

/* ---- warnings and refusals ---- */

#define BODY(joint) "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": " joint ", " INERTIA "}]}"

static void test_unknown_keys_warn(void **state)
{
    (void)state;
    hml_model *m = load_text("k.json", "{\"colour\": 1, \"bodies\": [{\"name\": \"b\", \"parent\": null, \"shape\": 2, "
                                       "\"joint\": {\"name\": \"j\", \"type\": \"planar\", \"dampening\": 1}, "
                                       "\"inertia\": {\"mass\": 1, \"moment\": [[1,0,0],[0,1,0],[0,0,1]]}}]}");
    assert_int_equal(hml_model_nwarnings(m), 3);
    assert_has_warning(m, "/colour: ");
    assert_has_warning(m, "/bodies/0/shape: ");
    assert_has_warning(m, "/bodies/0/joint/dampening: ");
    hml_model_free(m);
}

static void test_lengths_are_normalized_with_a_warning(void **state)
{
    (void)state;
    hml_model *m = load_text("n.json", BODY("{\"name\": \"j\", \"type\": \"revolute\", \"axis\": [0, 0, 2], "
                                            "\"origin\": {\"quaternion\": [2, 0, 0, 0]}}"));
    assert_true(joint_of(m, "j").axis[2] == 1);
    assert_has_warning(m, "/bodies/0/joint/origin/quaternion");
    assert_has_warning(m, "axis");
    hml_model_free(m);
    m = load_text("n.json", BODY("{\"name\": \"j\", \"type\": \"revolute\", \"axis\": [0, 0, 1.0005], "
                                 "\"origin\": {\"quaternion\": [1.0005, 0, 0, 0]}}"));
    assert_int_equal(hml_model_nwarnings(m), 0);
    hml_model_free(m);
}

static void test_pointers(void **state)
{
    (void)state;
    assert_refused("p.json", BODY("{\"name\": \"j\", \"type\": \"planar\", \"limits\": {\"lower\": [1, \"x\", 2]}}"),
                   HML_BAD_FILE, 0, "/bodies/0/joint/limits/lower/1: ");
    assert_refused("p.json",
                   BODY("{\"name\": \"j\", \"type\": \"planar\", \"origin\": {\"rpy\": [0, 0, 0], "
                        "\"quaternion\": [1, 0, 0, 0]}}"),
                   HML_BAD_FILE, 0, "/bodies/0/joint/origin: ");
    assert_refused("p.json", BODY("{\"name\": \"j\", \"type\": \"spherical\", \"rest\": 1}"), HML_BAD_FILE, 0,
                   "/bodies/0/joint/rest: ");
    assert_refused("p.json", "{\"bodies\": [{\"name\": \"b\", \"joint\": {\"name\": \"j\", \"type\": \"planar\"}}]}",
                   HML_BAD_FILE, 0, "/bodies/0: ");
    /* what the builder refuses has its place too */
    assert_refused("p.json",
                   "{\"bodies\": [{\"name\": \"b\", \"parent\": \"b\", \"joint\": {\"name\": \"j\", "
                   "\"type\": \"planar\"}}]}",
                   HML_BAD_MODEL, 0, "/bodies/0: ");
    /* and its arguments are those of the file */
    assert_refused("p.json",
                   "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": "
                   "\"planar\"}, " INERTIA "}], \"keyframes\": [{\"name\": \"k\", \"joints\": {\"j\": "
                   "{\"position\": [1]}}}]}",
                   HML_BAD_FILE, 0, "/keyframes/0/joints/j: ");
}

static void test_parents_may_come_later(void **state)
{
    (void)state;
    hml_model *m = load_text(
        "late.json",
        "\xef\xbb\xbf{\"bodies\": ["
        "{\"name\": \"child\", \"parent\": \"root\", \"joint\": {\"name\": \"j\", \"type\": \"planar\"}, " INERTIA "},"
        "{\"name\": \"root\", \"parent\": null, \"joint\": {\"name\": \"base\", \"type\": \"free\"}, " INERTIA "}]}");
    assert_int_equal(hml_model_find_body(m, "root"), 0);
    hml_model_free(m);
}

/* ---- URDF cannot say everything ---- */

static void assert_not_in_urdf(const char *text, const char *word)
{
    hml_model *m = load_text("m.json", text);
    char *urdf;
    size_t size;
    hml_error error = {0};
    assert_int_equal(hml_write_urdf(m, &urdf, &size, &error), HML_UNSUPPORTED);
    if (!strstr(error.message, word)) fail_msg("'%s' is not in '%s'", word, error.message);
    hml_model_free(m);
}

static void test_what_urdf_cannot_say(void **state)
{
    (void)state;
    assert_not_in_urdf(zoo, "gravity");
    assert_not_in_urdf(BODY("{\"name\": \"knee\", \"type\": \"spherical\"}"), "knee");
    assert_not_in_urdf(BODY("{\"name\": \"knee\", \"type\": \"spherical\"}"), "spherical");
    assert_not_in_urdf(BODY("{\"name\": \"knee\", \"type\": \"planar\", \"armature\": 1}"), "armature");
    assert_not_in_urdf(BODY("{\"name\": \"knee\", \"type\": \"planar\", \"stiffness\": 1}"), "stiffness");
    assert_not_in_urdf(BODY("{\"name\": \"knee\", \"type\": \"planar\", \"damping\": [1, 2, 3]}"), "damping");
    assert_not_in_urdf(BODY("{\"name\": \"knee\", \"type\": \"planar\", \"actuated\": false}"), "actuated");
    assert_not_in_urdf(BODY("{\"name\": \"knee\", \"type\": \"planar\", \"point\": [1, 0, 0]}"), "point");
    assert_not_in_urdf(
        BODY("{\"name\": \"knee\", \"type\": \"revolute\", \"axis\": [1, 0, 0], \"limits\": {\"upper\": 1}}"),
        "one side");
}

static void test_json_to_urdf(void **state)
{
    (void)state;
    static const char *const names[] = {"quadruped", "drone_arm"};
    for (int i = 0; i < 2; i++) {
        hml_model *m, *back;
        hml_error error = {0};
        char *text;
        size_t size;
        hml_load_options options;
        hml_load_options_init(&options);
        options.build = HML_BUILD_NO_PASSIVE;
        assert_int_equal(hml_load_builtin(names[i], &options, &m, &error), HML_OK);
        if (hml_write_urdf(m, &text, &size, &error)) fail_msg("%s", error.message);
        back = load_text("back.urdf", text);
        assert_same_model(m, back, 4e-15); /* angles and back, a few roundings */
        hml_text_free(text);
        hml_model_free(back);
        hml_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_inertia_fixed_to_the_world),
        cmocka_unit_test(test_builtin_robots),
        cmocka_unit_test(test_screws),
        cmocka_unit_test(test_a_screw_of_another_length_is_normalized_with_a_warning),
        cmocka_unit_test(test_unknown_keys_warn),
        cmocka_unit_test(test_lengths_are_normalized_with_a_warning),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_parents_may_come_later),
        cmocka_unit_test(test_what_urdf_cannot_say),
        cmocka_unit_test(test_json_to_urdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
