/* URDF: what each element becomes, and there and back through both writers. */
#include <dirent.h>
#include <stdlib.h>

#include "io_check.h"

#define INERTIAL(m)                                                                                                    \
    "<inertial><mass value='" m "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL("1") "</link>"
#define JOINT(name, type, parent, child, more)                                                                         \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more "</joint>"
#define LIMIT "<limit lower='-1' upper='2' effort='30' velocity='4'/>"

static const char joints[] = "<robot name='zoo'>" LINK("root") LINK("a") LINK("b") LINK("c") LINK("d") LINK("e")
    LINK("f") JOINT("turn", "revolute", "root", "a",
                    "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='0 1 0'/>" LIMIT "<dynamics damping='0.5'/>")
        JOINT("spin", "continuous", "a", "b", "<limit effort='7' velocity='8'/>")
            JOINT("slide", "prismatic", "b", "c", "<axis xyz='0 0 2'/>" LIMIT)
                JOINT("glue", "fixed", "c", "d", "<origin xyz='0 0 1'/><axis xyz='0 0 0'/>")
                    JOINT("float", "floating", "d", "e", "<origin xyz='0 0 2'/>")
                        JOINT("plane", "planar", "e", "f", "<axis xyz='0 0 1'/><dynamics damping='0.25'/>") "</robot>";

static void test_joint_types(void **state)
{
    (void)state;
    hml_model *m = load_text("zoo.urdf", joints);
    assert_string_equal(hml_model_name(m), "zoo");
    assert_int_equal(hml_model_nv(m), 1 + 1 + 1 + 6 + 3);
    assert_int_equal(hml_model_nbodies(m), 5); /* d is merged into c, the root into the world */

    hml_joint_info j = joint_of(m, "turn");
    const double position[3] = {1, 2, 3}, y_axis[3] = {0, 1, 0}, x_axis[3] = {1, 0, 0}, z_axis[3] = {0, 0, 1};
    assert_int_equal(j.type, HML_JOINT_REVOLUTE);
    assert_near(j.position, position, 3, 0, "position");
    assert_near(j.axis, y_axis, 3, 0, "axis");
    assert_true(j.lower[0] == -1 && j.upper[0] == 2 && j.effort_limit[0] == 30 && j.velocity_limit[0] == 4);
    assert_true(j.damping[0] == 0.5 && j.actuated);
    /* R = Rz(0.3) Ry(0.2) Rx(0.1): third row by hand */
    const double row[3] = {-sin(0.2), cos(0.2) * sin(0.1), cos(0.2) * cos(0.1)};
    assert_near(j.rotation + 6, row, 3, 1e-16, "rotation");

    j = joint_of(m, "spin");
    assert_int_equal(j.type, HML_JOINT_REVOLUTE);
    assert_near(j.axis, x_axis, 3, 0, "the default axis is x");
    assert_true(isinf(j.lower[0]) && isinf(j.upper[0]) && j.effort_limit[0] == 7 && j.velocity_limit[0] == 8);

    j = joint_of(m, "slide");
    assert_int_equal(j.type, HML_JOINT_PRISMATIC);
    assert_near(j.axis, z_axis, 3, 0, "axis");
    assert_has_warning(m, "slide");

    assert_int_equal(hml_model_find_joint(m, "glue"), -1);
    hml_frame_info d = frame_of(m, "d");
    assert_int_equal(d.body, hml_model_find_body(m, "c"));
    assert_true(d.position[2] == 1);
    assert_true(body_of(m, "c").mass == 2);

    j = joint_of(m, "float");
    assert_int_equal(j.type, HML_JOINT_FREE);
    assert_true(j.position[2] == 3); /* through the merged link */
    j = joint_of(m, "plane");
    assert_int_equal(j.type, HML_JOINT_PLANAR);
    assert_true(j.damping[0] == 0.25 && j.damping[2] == 0.25);
    hml_model_free(m);
}

/* ---- the base ---- */

static const char one[] =
    "<robot name='r'>" LINK("trunk") LINK("leg") JOINT("hip", "continuous", "trunk", "leg", "") "</robot>";
static const char world[] = "<robot name='r'><link name='world'/>" LINK("leg")
    JOINT("hip", "continuous", "world", "leg", "<origin xyz='0 0 1'/>") "</robot>";
static const char taken[] =
    "<robot name='r'>" LINK("trunk") LINK("leg") "\n" JOINT("base", "continuous", "trunk", "leg", "") "</robot>";

static void test_base(void **state)
{
    (void)state;
    hml_load_options options;
    hml_load_options_init(&options);
    hml_model *m = load_text("one.urdf", one);
    hml_joint_info base = joint_of(m, "base");
    assert_int_equal(base.type, HML_JOINT_FREE);
    assert_false(base.actuated);
    assert_int_equal(base.body, hml_model_find_body(m, "trunk"));
    assert_int_equal(hml_model_nv(m), 7);
    hml_model_free(m);

    options.base = HML_BASE_FIXED;
    m = load_with("one.urdf", one, &options);
    assert_int_equal(hml_model_nv(m), 1);
    assert_int_equal(frame_of(m, "trunk").body, -1);
    hml_model_free(m);

    m = load_text("world.urdf", world);
    assert_int_equal(hml_model_nv(m), 1);
    assert_true(joint_of(m, "hip").position[2] == 1);
    hml_model_free(m);
    options.base = HML_BASE_FREE;
    m = load_with("world.urdf", world, &options);
    assert_int_equal(hml_model_nv(m), 7);
    hml_model_free(m);
}

static void test_base_name(void **state)
{
    (void)state;
    hml_load_options options;
    hml_load_options_init(&options);
    assert_refused("taken.urdf", taken, HML_BAD_MODEL, 2, "--base-name");
    options.base_name = "root";
    hml_model *m = load_with("taken.urdf", taken, &options);
    assert_int_equal(joint_of(m, "root").type, HML_JOINT_FREE);
    assert_int_equal(joint_of(m, "base").type, HML_JOINT_REVOLUTE);
    hml_model_free(m);
    options.base_name = NULL;
    options.base = HML_BASE_FIXED; /* the fixed root has no use for the name */
    m = load_with("taken.urdf", taken, &options);
    assert_int_equal(hml_model_nv(m), 1);
    hml_model_free(m);
}

static void test_build_options(void **state)
{
    (void)state;
    hml_load_options options;
    hml_load_options_init(&options);
    const double gravity[3] = {1, 2, 3};
    double found[3];
    options.build = HML_BUILD_KEEP_FIXED | HML_BUILD_NO_PASSIVE;
    options.gravity = gravity;
    hml_model *m = load_with("zoo.urdf", joints, &options);
    assert_int_equal(joint_of(m, "glue").type, HML_JOINT_FIXED);
    assert_true(joint_of(m, "turn").damping[0] == 0);
    hml_model_gravity(m, found);
    assert_near(found, gravity, 3, 0, "gravity");
    hml_model_free(m);
    options.build = HML_BUILD_STRICT;
    assert_refused_with("zoo.urdf", joints, &options, HML_BAD_MODEL, 0, "slide");
}

/* ---- details ---- */

/* The axis is the normal of the plane: moving in it must leave the distance along the axis alone. */
static void test_planar_axis(void **state)
{
    (void)state;
    static const char *const axes[] = {"1 0 0", "0 1 0", "0 0 -1", "1 2 -2"};
    static const double units[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {1.0 / 3, 2.0 / 3, -2.0 / 3}};
    for (int k = 0; k < 4; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "<robot name='r'>" LINK("trunk") LINK("table")
                     JOINT("move", "planar", "trunk", "table",
                           "<origin xyz='1 2 3' rpy='0.3 0.2 0.1'/><axis xyz='%s'/>") "</robot>",
                 axes[k]);
        hml_model *m = load_text("plane.urdf", text);
        hml_joint_info j = joint_of(m, "move");
        hml_frame_info table = frame_of(m, "table");
        assert_int_equal(j.type, HML_JOINT_PLANAR);
        assert_int_equal(table.body, j.body);
        double z[3], product[9];
        /* the joint's z in the file's joint frame: undo the file's rotation, which the link's frame gives back */
        for (int i = 0; i < 3; i++) z[i] = table.rotation[3 * 2 + i]; /* third row: z of the body in the link */
        assert_near(z, units[k], 3, 1e-15, "axis");
        /* at the neutral position the link is where the file has it */
        const double row[3] = {-sin(0.2), cos(0.2) * sin(0.3), cos(0.2) * cos(0.3)};
        for (int i = 0; i < 9; i++) {
            product[i] = 0;
            for (int l = 0; l < 3; l++) product[i] += j.rotation[i / 3 * 3 + l] * table.rotation[3 * l + i % 3];
        }
        assert_near(product + 6, row, 3, 4e-15, "link"); /* a rotation and its inverse, some roundings each */
        assert_true(body_of(m, "table.plane").mass == 1);
        hml_model_free(m);
    }
}

static void test_inertial_frame(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
        "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/></inertial></link></robot>";
    hml_model *m = load_text("inertia.urdf", text);
    hml_body_info a = body_of(m, "a");
    const double com[3] = {1, 2, 3}, moment[9] = {2, -0.1, -0.3, -0.1, 1, 0.2, -0.3, 0.2, 2.5};
    assert_true(a.mass == 2);
    assert_near(a.com, com, 3, 0, "com");
    assert_near(a.moment, moment, 9, 1e-15, "moment");
    hml_model_free(m);
}

static void test_mimic(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'>" LINK("a") LINK("b") LINK("c") JOINT("lead", "continuous", "a", "b", "")
            JOINT("follow", "continuous", "b", "c", "<mimic joint='lead' multiplier='-2' offset='0.5'/>") "</robot>";
    hml_load_options options;
    hml_load_options_init(&options);
    hml_model *m = load_text("mimic.urdf", text);
    hml_joint_info j = joint_of(m, "follow");
    assert_int_equal(j.leader, hml_model_find_joint(m, "lead"));
    assert_true(j.multiplier == -2 && j.offset == 0.5);
    assert_int_equal(hml_model_nv(m), 1);
    hml_model_free(m);
    options.build = HML_BUILD_MIMIC_INDEPENDENT;
    m = load_with("mimic.urdf", text, &options);
    assert_int_equal(hml_model_nv(m), 2);
    hml_model_free(m);

    static const char lost[] =
        "<robot name='r'>" LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint='gone'/>") "</robot>";
    assert_refused("lost.urdf", lost, HML_BAD_MODEL, 1, "gone");
    m = load_with("lost.urdf", lost, &options);
    assert_has_warning(m, "gone");
    hml_model_free(m);
}

static void test_quaternion_of_version_1_1(void **state)
{
    (void)state;
    static const char text[] = "<robot name='r' version='%s'>" LINK("a") LINK("b")
        JOINT("j", "continuous", "a", "b", "<origin xyz='0 0 0' quat_xyzw='0 0 %s'/>") "</robot>";
    char file[1000];
    snprintf(file, sizeof file, text, "1.1", "1 1");
    hml_model *m = load_text("q.urdf", file);
    const double turn[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_near(joint_of(m, "j").rotation, turn, 9, 1e-15, "rotation");
    assert_has_warning(m, "normalized");
    hml_model_free(m);
    snprintf(file, sizeof file, text, "1.0", "1 1");
    m = load_text("q.urdf", file);
    assert_near(joint_of(m, "j").rotation, none, 9, 0, "rotation");
    assert_has_warning(m, "version 1.1");
    hml_model_free(m);
    snprintf(file, sizeof file, text, "1.1", "0 0");
    assert_refused("q.urdf", file, HML_BAD_FILE, 1, "quat_xyzw");
}

static void test_warnings_once_a_kind(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><material name='red'/><gazebo/><transmission/><gizmo/><gizmo/>\n" LINK("a") LINK("b") LINK("c")
            JOINT("j", "continuous", "a", "b", "<dynamics frictoin='1'/><calibration/><safety_controller/>")
                JOINT("k", "continuous", "a", "c", "<dynamics frictoin='1'/><limit lowwer='1'/>") "</robot>";
    hml_model *m = load_text("odd.urdf", text);
    assert_int_equal(hml_model_nwarnings(m), 4);
    assert_has_warning(m, "bolted");
    assert_has_warning(m, "gizmo");
    assert_has_warning(m, "frictoin");
    assert_has_warning(m, "lowwer");
    hml_model_free(m);
}

static void test_no_inertias(void **state)
{
    (void)state;
    static const char text[] =
        "<robot name='r'><link name='a'/><link name='b'/>" JOINT("j", "continuous", "a", "b", "") "</robot>";
    hml_model *m = load_text("light.urdf", text);
    assert_true(hml_model_mass(m) == 0);
    assert_has_warning(m, "singular");
    hml_model_free(m);
}

static void test_xacro_is_named(void **state)
{
    (void)state;
    assert_refused("x.urdf", "<robot xmlns:xacro='x'>\n<xacro:macro name='leg'/></robot>", HML_UNSUPPORTED, 2, "xacro");
}

static void test_format_detection(void **state)
{
    (void)state;
    hml_load_options options;
    hml_load_options_init(&options);
    static const char *const names[] = {"one.xml", "one.URDF", "one", NULL};
    for (int i = 0; i < 4; i++) hml_model_free(load_text(names[i], one));
    options.format = HML_FORMAT_URDF;
    hml_model_free(load_with("one.json", one, &options));
    options.format = HML_FORMAT_MJCF;
    assert_refused_with("one.urdf", one, &options, HML_BAD_FILE, 1, "mujoco");
    assert_refused(NULL, "hello", HML_BAD_FILE, 0, "neither");
    options.format = (hml_model_format)17;
    assert_refused_with("one.urdf", one, &options, HML_INVALID_ARGUMENT, 0, "format");
}

/* ---- there and back ---- */

static void check_round_trips(const hml_model *m)
{
    char *text, *again;
    size_t size, size_again;
    hml_error error = {0};
    assert_int_equal(hml_write_json(m, &text, &size, &error), HML_OK);
    assert_int_equal(strlen(text), size);
    hml_model *back = load_text("back.json", text);
    assert_same_model(m, back, 0);
    assert_int_equal(hml_model_nframes(m), hml_model_nframes(back));
    assert_int_equal(hml_write_json(back, &again, &size_again, &error), HML_OK);
    assert_int_equal(size, size_again);
    assert_memory_equal(text, again, size);
    hml_model *third = load_text("back.json", again);
    assert_int_equal(hml_model_size(back), hml_model_size(third));
    assert_memory_equal(hml_model_data(back), hml_model_data(third), hml_model_size(back));
    hml_text_free(text);
    hml_text_free(again);
    hml_model_free(third);
    hml_model_free(back);

    /* angles and back: the rotations are the same to rounding, a few 1e-16; what is not in URDF has its own test */
    if (hml_write_urdf(m, &text, &size, &error) == HML_OK) {
        hml_load_options options; /* a URDF does not say whether its root is free */
        hml_load_options_init(&options);
        options.base = strstr(text, "<link name=\"world\"") ? HML_BASE_AUTO : HML_BASE_FREE;
        back = load_with("back.urdf", text, &options);
        assert_same_model(m, back, 4e-15);
        hml_text_free(text);
        hml_model_free(back);
    } else {
        assert_int_equal(error.status, HML_UNSUPPORTED);
    }
}

static void test_round_trips(void **state)
{
    (void)state;
    hml_model *m = load_text("zoo.urdf", joints);
    check_round_trips(m);
    hml_model_free(m);
    m = load_text("world.urdf", world);
    check_round_trips(m);
    hml_model_free(m);
}

/* real robots, where the project has them beside it */
static void test_real_robots_round_trip(void **state)
{
    (void)state;
    static const char folder[] = HAMEL_SOURCE_DIR "/../shared/models";
    DIR *models = opendir(folder);
    if (!models) skip();
    int n = 0;
    for (struct dirent *entry; (entry = readdir(models));) {
        char path[1024];
        if (!strstr(entry->d_name, ".urdf")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        for (int fixed = 0; fixed < 2; fixed++) {
            hml_load_options options;
            hml_load_options_init(&options);
            options.base = fixed ? HML_BASE_FIXED : HML_BASE_FREE;
            hml_model *m;
            hml_error error = {0};
            if (hml_load(path, &options, &m, &error)) fail_msg("%s:%d: %s", error.file, error.line, error.message);
            check_round_trips(m);
            hml_model_free(m);
            n++;
        }
    }
    closedir(models);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joint_types),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_base_name),
        cmocka_unit_test(test_build_options),
        cmocka_unit_test(test_planar_axis),
        cmocka_unit_test(test_inertial_frame),
        cmocka_unit_test(test_mimic),
        cmocka_unit_test(test_quaternion_of_version_1_1),
        cmocka_unit_test(test_warnings_once_a_kind),
        cmocka_unit_test(test_no_inertias),
        cmocka_unit_test(test_xacro_is_named),
        cmocka_unit_test(test_format_detection),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_real_robots_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
