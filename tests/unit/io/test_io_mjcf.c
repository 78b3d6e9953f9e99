/*
 * MJCF: what each element becomes. Expected numbers are worked out here; tests/peer/test_load.py compares the same
 * features with MuJoCo itself.
 */
#include <stdlib.h>
#include <unistd.h>

#include "io_check.h"

#define I                  "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define MODEL(body)        "<mujoco model='m'><compiler angle='radian'/><worldbody>" body "</worldbody></mujoco>"
#define WITH(before, body) "<mujoco>" before "<worldbody>" body "</worldbody></mujoco>"
#define JOINT(attributes)  MODEL("<body name='b'><joint name='j' " attributes "/>" I "</body>")

static const double pi = 3.14159265358979323846;

static hml_joint_info joint_in(const char *text, const char *name)
{
    hml_model *m = load_text("m.xml", text);
    hml_joint_info joint = joint_of(m, name);
    joint.name = NULL; /* it was the model's */
    hml_model_free(m);
    return joint;
}

static hml_body_info body_in(const char *text, const char *name)
{
    hml_model *m = load_text("m.xml", text);
    hml_body_info body = body_of(m, name);
    body.name = NULL;
    hml_model_free(m);
    return body;
}

/* ---- joints ---- */

static void test_joint_types(void **state)
{
    (void)state;
    hml_joint_info j = joint_in(JOINT("pos='1 2 3' axis='0 1 0'"), "j");
    const double point[3] = {1, 2, 3};
    assert_int_equal(j.type, HML_JOINT_REVOLUTE);
    assert_near(j.point, point, 3, 0, "point");
    assert_true(j.axis[1] == 1 && j.actuated);
    assert_int_equal(joint_in(JOINT("type='slide'"), "j").type, HML_JOINT_PRISMATIC);
    assert_true(joint_in(JOINT("type='slide'"), "j").axis[2] == 1);
    j = joint_in(JOINT("type='ball' pos='1 2 3' stiffness='2' damping='3'"), "j");
    assert_int_equal(j.type, HML_JOINT_SPHERICAL);
    assert_near(j.point, point, 3, 0, "point");
    assert_true(j.stiffness[2] == 2 && j.damping[0] == 3 && j.rest[0] == 1);
}

static void test_free_joint_is_the_base(void **state)
{
    (void)state;
    static const char *const texts[] = {
        WITH("<default><joint damping='3'/></default>", "<body name='b' pos='1 2 3'><freejoint/>" I "</body>"),
        WITH("", "<body name='b' pos='1 2 3'><freejoint name='root'/>" I "</body>"),
        WITH("", "<body name='b' pos='1 2 3'><joint type='free' name='root'/>" I "</body>")};
    for (int i = 0; i < 3; i++) {
        hml_joint_info j = joint_in(texts[i], "base");
        assert_int_equal(j.type, HML_JOINT_FREE);
        assert_false(j.actuated);
        assert_true(j.position[0] == 0 && j.damping[0] == 0); /* its numbers are the pose in the world */
    }
    hml_load_options options;
    hml_load_options_init(&options);
    options.base_name = "trunk";
    hml_model *m = load_with("m.xml", texts[1], &options);
    assert_int_equal(joint_of(m, "trunk").type, HML_JOINT_FREE);
    hml_model_free(m);
    assert_refused("m.xml", WITH("", "<body><freejoint/>" I "\n<body><joint name='base'/>" I "</body></body>"),
                   HML_BAD_MODEL, 2, "--base-name");
}

static void test_names(void **state)
{
    (void)state;
    hml_model *m = load_text("m.xml", MODEL("<body name='arm'><joint/><joint axis='1 0 0'/><joint name='n'/>" I
                                            "<body><joint/>" I "</body></body><body name='n'>" I "</body>"
                                            "<body><freejoint/>" I "</body><body><freejoint/>" I "</body>"));
    assert_int_equal(hml_model_nv(m), 3 + 1 + 6 + 6);
    assert_int_equal(joint_of(m, "arm").type, HML_JOINT_REVOLUTE);
    assert_int_equal(joint_of(m, "arm.2").type, HML_JOINT_REVOLUTE);
    assert_int_equal(joint_of(m, "n").body, hml_model_find_body(m, "arm"));
    assert_int_equal(joint_of(m, "arm").body, hml_model_find_body(m, "arm.arm"));
    assert_int_equal(joint_of(m, "body2").body, hml_model_find_body(m, "body2"));
    assert_int_equal(joint_of(m, "base").body, hml_model_find_body(m, "body4"));
    assert_int_equal(joint_of(m, "body5").type, HML_JOINT_FREE);
    assert_int_equal(frame_of(m, "n").body, -1); /* fixed to the world */
    hml_model_free(m);
}

/* the coordinate is MuJoCo's: the file's pose belongs to q = ref */
static void test_reference(void **state)
{
    (void)state;
    hml_joint_info j = joint_in(
        MODEL("<body name='b' pos='1 0 0'><joint name='j' axis='0 0 1' pos='0 1 0' ref='0.5'/>" I "</body>"), "j");
    /* turned by −0.5 about z through (1, 1, 0): the body's origin goes to (1, 1) + R(−0.5)·(0, −1) */
    const double position[3] = {1 - sin(0.5), 1 - cos(0.5), 0};
    const double rotation[9] = {cos(0.5), sin(0.5), 0, -sin(0.5), cos(0.5), 0, 0, 0, 1};
    assert_near(j.position, position, 3, 1e-15, "position");
    assert_near(j.rotation, rotation, 9, 1e-15, "rotation");
    j = joint_in(MODEL("<body name='b' pos='1 0 0'><joint name='j' type='slide' axis='0 3 4' ref='0.5'/>" I "</body>"),
                 "j");
    const double back[3] = {1, -0.3, -0.4};
    assert_near(j.position, back, 3, 1e-16, "position");
}

static void test_units_and_limits(void **state)
{
    (void)state;
    hml_joint_info j =
        joint_in(WITH("", "<body><joint name='j' range='-90 180' springref='45' stiffness='2' damping='3' "
                          "armature='4' actuatorfrcrange='-5 6'/>" I "</body>"),
                 "j");
    const double expected[3] = {-pi / 2, pi, pi / 4}, found[3] = {j.lower[0], j.upper[0], j.rest[0]};
    assert_near(found, expected, 3, 1e-15, "degrees");
    assert_true(j.stiffness[0] == 2 && j.damping[0] == 3 && j.armature[0] == 4 && j.effort_limit[0] == 6);
    j = joint_in(WITH("", "<body><joint name='j' type='slide' range='-1 2' springref='3' stiffness='1'/>" I "</body>"),
                 "j");
    assert_true(j.lower[0] == -1 && j.upper[0] == 2 && j.rest[0] == 3);
    assert_true(isinf(joint_in(JOINT("range='-1 2' limited='false'"), "j").lower[0]));
    assert_true(joint_in(JOINT("range='-1 2' limited='true'"), "j").lower[0] == -1);
    assert_refused("m.xml", JOINT("limited='true'"), HML_BAD_FILE, 1, "range");
    assert_refused("m.xml", WITH("<compiler autolimits='false'/>", "<body><joint name='j' range='0 1'/>" I "</body>"),
                   HML_BAD_FILE, 1, "autolimits");
    hml_model *m = load_text("m.xml", JOINT("type='ball' range='0 1' frictionloss='1'"));
    assert_has_warning(m, "range");
    assert_int_equal(hml_model_nwarnings(m), 1);
    hml_model_free(m);
    assert_true(joint_in(JOINT("frictionloss='0.7'"), "j").friction[0] == 0.7);
}

static void test_what_springs_cannot_do(void **state)
{
    (void)state;
    assert_refused("m.xml", JOINT("springdamper='1 1'"), HML_UNSUPPORTED, 1, "springdamper");
    assert_refused("m.xml", JOINT("springyield='1'"), HML_UNSUPPORTED, 1, "springyield");
    assert_refused("m.xml", JOINT("stiffness='1 2'"), HML_UNSUPPORTED, 1, "stiffness");
    assert_refused("m.xml", JOINT("damping='1 0 2'"), HML_UNSUPPORTED, 1, "damping");
    assert_refused("m.xml", JOINT("type='free' stiffness='1'"), HML_UNSUPPORTED, 1, "spring");
    static const char off[] = WITH("<option><flag spring='disable' damper='disable'/></option>",
                                   "<body><joint name='j' stiffness='1' damping='2'/>" I "</body>");
    assert_true(joint_in(off, "j").stiffness[0] == 0 && joint_in(off, "j").damping[0] == 0);
}

/* ---- inertia ---- */

static void test_inertial(void **state)
{
    (void)state;
    hml_body_info b =
        body_in(MODEL("<body name='b'><joint/><inertial pos='1 2 3' mass='2' euler='0 0 1.5707963267948966' "
                      "diaginertia='1 2 2.5'/></body>"),
                "b");
    const double com[3] = {1, 2, 3}, turned[9] = {2, 0, 0, 0, 1, 0, 0, 0, 2.5};
    assert_near(b.com, com, 3, 0, "com");
    assert_near(b.moment, turned, 9, 1e-15, "moment");
    b = body_in(
        MODEL("<body name='b'><joint/><inertial pos='1 2 3' mass='2' fullinertia='1 2 2.5 0.1 0.2 0.3'/></body>"), "b");
    const double full[9] = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5};
    assert_near(b.moment, full, 9, 0, "moment");
}

static void check_geom(const char *geom, double mass, double xx, double yy, double zz)
{
    char text[500];
    snprintf(text, sizeof text, MODEL("<body name='b'><joint/><geom %s/></body>"), geom);
    hml_body_info b = body_in(text, "b");
    const double moment[9] = {xx, 0, 0, 0, yy, 0, 0, 0, zz};
    assert_near(&b.mass, &mass, 1, 1e-15 * mass, geom);
    assert_near(b.moment, moment, 9, 4e-15 * fmax(xx, zz), geom); /* some roundings */
}

static void test_geoms(void **state)
{
    (void)state;
    double ball = 4 * pi / 3 * 0.027 * 1000, rod = pi * 0.09 * 1 * 1000;
    check_geom("size='0.3'", ball, 0.4 * ball * 0.09, 0.4 * ball * 0.09, 0.4 * ball * 0.09);
    check_geom("type='box' size='0.1 0.2 0.3' mass='3'", 3, 0.13, 0.1, 0.05);
    check_geom("type='ellipsoid' size='0.1 0.2 0.3' mass='5'", 5, 0.13, 0.1, 0.05);
    check_geom("type='cylinder' size='0.3 0.5'", rod, rod * (0.09 / 4 + 1.0 / 12), rod * (0.09 / 4 + 1.0 / 12),
               rod * 0.045);
    /* ends: two half balls, each with its centre 3/8 of the radius beyond the rod's end */
    double half = ball / 2, end = half * (0.4 * 0.09 - 9.0 / 64 * 0.09 + (0.5 + 0.3 * 3 / 8) * (0.5 + 0.3 * 3 / 8));
    double across = rod * (0.09 / 4 + 1.0 / 12) + 2 * end;
    check_geom("type='capsule' size='0.3 0.5'", rod + ball, across, across, rod * 0.045 + 0.4 * ball * 0.09);
    check_geom("size='0.3' shellinertia='true' mass='3'", 3, 0.18, 0.18, 0.18);
    /* shells by their parts: side and ends of a can; of a pill the side and two half spheres, whose centres of mass are
       half a radius beyond the side and whose moments about those are 5/12 m r² */
    double can = 3 / 0.78, pill = 3 / 0.96, side = 0.6 * (0.045 + 1.0 / 12);
    double can_across = can * (side + 0.18 * (0.0225 + 0.25)),
           pill_across = pill * (side + 0.36 * (0.0375 + 0.65 * 0.65));
    check_geom("type='cylinder' size='0.3 0.5' mass='3' shellinertia='true'", 3, can_across, can_across,
               can * (0.6 * 0.09 + 0.18 * 0.045));
    check_geom("type='capsule' size='0.3 0.5' mass='3' shellinertia='true'", 3, pill_across, pill_across,
               pill * (0.6 * 0.09 + 0.36 * 0.06));
    /* a box's faces: pairs of areas 4yz, 4xz, 4xy; each is a plate, two of them x away from the centre */
    double a = 0.06, b = 0.03, c = 0.02, s = 3 / (a + b + c);
    check_geom("type='box' size='0.1 0.2 0.3' mass='3' shellinertia='true'", 3,
               s * (a * (0.04 + 0.09) / 3 + b * (0.04 + 0.03) + c * (0.04 / 3 + 0.09)),
               s * (a * (0.01 + 0.03) + b * (0.01 + 0.09) / 3 + c * (0.01 / 3 + 0.09)),
               s * (a * (0.01 + 0.04 / 3) + b * (0.01 / 3 + 0.04) + c * (0.01 + 0.04) / 3));
}

static void test_geoms_add_up(void **state)
{
    (void)state;
    /* two balls of 1 kg on the x axis, and what does not count */
    hml_body_info b =
        body_in(WITH("<compiler inertiagrouprange='0 2'/>",
                     "<body name='b'><joint/><geom size='0.1' mass='1' pos='1 0 0'/>"
                     "<geom size='0.1' mass='1' pos='3 0 0'/><geom size='9' mass='0'/><geom size='9' density='0'/>"
                     "<geom size='9' group='3'/><geom type='mesh' mesh='none' mass='0'/></body>"),
                "b");
    const double com[3] = {2, 0, 0}, moment[9] = {0.008, 0, 0, 0, 2.008, 0, 0, 0, 2.008};
    assert_true(b.mass == 2);
    assert_near(b.com, com, 3, 0, "com");
    assert_near(b.moment, moment, 9, 1e-15, "moment");
    /* from one end to the other: half a metre of cylinder around the middle, about the axis m r² / 2 */
    b = body_in(MODEL("<body name='b'><joint/><geom type='cylinder' mass='1' size='0.1' fromto='0 0 0 0 3 4'/></body>"),
                "b");
    const double middle[3] = {0, 1.5, 2};
    assert_near(b.com, middle, 3, 0, "com");
    assert_near(&b.moment[0], &(double){0.0025 + 25.0 / 12}, 1, 1e-15, "across");
}

static void test_compiler_changes_inertias(void **state)
{
    (void)state;
    static const char body[] = "<body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/>"
                               "<geom size='0.1' mass='5'/></body><body name='c'><joint/>" I "</body>";
    char text[1000];
    snprintf(text, sizeof text, WITH("<compiler %s/>", "%s"), "balanceinertia='true'", body);
    assert_near(&body_in(text, "b").moment[0], &(double){5.0 / 3}, 1, 1e-15, "balance");
    snprintf(text, sizeof text, WITH("<compiler %s/>", "%s"), "boundmass='2' boundinertia='1.5'", body);
    assert_true(body_in(text, "b").mass == 2);
    assert_near(&body_in(text, "b").moment[0], &(double){1.5}, 1, 1e-15, "bound");
    snprintf(text, sizeof text, WITH("<compiler %s/>", "%s"), "settotalmass='6'", body);
    assert_true(body_in(text, "b").mass == 3 && body_in(text, "b").moment[8] == 9);
    snprintf(text, sizeof text, WITH("<compiler %s/>", "%s"), "inertiafromgeom='true'", body);
    assert_true(body_in(text, "b").mass == 5 && body_in(text, "c").mass == 1);
    snprintf(text, sizeof text, WITH("<compiler %s/>", "%s"), "inertiafromgeom='false'", body);
    assert_true(body_in(text, "b").mass == 1);
}

static void test_what_moves_has_inertia(void **state)
{
    (void)state;
    assert_true(body_in(MODEL("<body name='b'><joint/><body><body>" I "</body></body></body>"), "b").mass == 1);
    assert_refused("m.xml", MODEL("\n<body name='b'><joint/><body><joint axis='1 0 0'/>" I "</body></body>"),
                   HML_BAD_MODEL, 2, "'b'");
    assert_refused("m.xml", MODEL("<body name='b'><joint/>\n<geom type='mesh' mesh='shell'/></body>"), HML_UNSUPPORTED,
                   2, "shell");
    assert_refused("m.xml",
                   MODEL("<body name='b'><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 2 0 0'/></body>"),
                   HML_BAD_MODEL, 1, "'b'");
    /* a mesh that never moves may weigh what it likes */
    hml_model_free(
        load_text("m.xml", MODEL("<body><geom type='mesh' mesh='shell'/></body><body><joint/>" I "</body>")));
}

/* ---- classes, frames, sites ---- */

static void test_default_classes(void **state)
{
    (void)state;
    hml_model *m = load_text(
        "m.xml", WITH("<default><joint damping='1' armature='2'/><default class='leg'><joint damping='3'/>"
                      "<default class='foot'><joint type='slide'/></default></default></default>",
                      "<body childclass='leg'><joint name='a'/>" I "<body><joint name='b' class='main'/>" I "</body>"
                      "<frame childclass='foot'><body><joint name='c' damping='4'/>" I "</body></frame></body>"));
    hml_joint_info a = joint_of(m, "a"), b = joint_of(m, "b"), c = joint_of(m, "c");
    assert_true(a.damping[0] == 3 && a.armature[0] == 2 && b.damping[0] == 1);
    assert_int_equal(c.type, HML_JOINT_PRISMATIC);
    assert_true(c.damping[0] == 4 && c.armature[0] == 2);
    hml_model_free(m);
}

static void test_frames_and_sites(void **state)
{
    (void)state;
    hml_model *m = load_text(
        "m.xml",
        MODEL(
            "<site name='w' pos='1 2 3'/><frame pos='1 0 0' euler='0 0 1.5707963267948966'><body name='b' pos='1 0 0'>"
            "<frame pos='0 0 1'><joint name='j' pos='1 0 0'/><site name='s' pos='1 0 0'/><site name='b'/></frame>" I
            "</body></frame>"));
    hml_joint_info j = joint_of(m, "j");
    const double place[3] = {1, 1, 0}, point[3] = {1, 0, 1}, site[3] = {1, 0, 1};
    assert_near(j.position, place, 3, 1e-15, "place");
    assert_near(j.point, point, 3, 1e-15, "point");
    assert_near(frame_of(m, "s").position, site, 3, 1e-15, "site");
    assert_int_equal(frame_of(m, "w").body, -1);
    assert_int_equal(frame_of(m, "b.site").body, hml_model_find_body(m, "b"));
    assert_has_warning(m, "b.site");
    hml_model_free(m);
}

static void test_orientations(void **state)
{
    (void)state;
    /* all of them: z to y, by a quarter turn about −x, give or take a turn about the new z */
    static const char *const same[] = {"quat='2 -2 0 0'", "axisangle='-3 0 0 90'", "euler='-90 0 0'",
                                       "xyaxes='2 0 0 1 0 -3'", "zaxis='0 5 0'"};
    const double rotation[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
    for (int i = 0; i < 5; i++) {
        char text[500];
        snprintf(text, sizeof text, WITH("", "<body %s><joint name='j'/>" I "</body>"), same[i]);
        assert_near(joint_in(text, "j").rotation, rotation, 9, 1e-15, same[i]);
    }
    static const char *const sequences[] = {"xyz", "XYZ", "zYx"};
    for (int i = 0; i < 3; i++) { /* a quarter turn about the first axis, then one about the second */
        static const double expected[3][9] = {
            {0, 0, 1, 1, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, -1, -1, 0, 0}, {0, 0, 1, 1, 0, 0, 0, 1, 0}};
        char text[500];
        snprintf(text, sizeof text,
                 WITH("<compiler eulerseq='%s'/>", "<body euler='90 90 0'><joint name='j'/>" I "</body>"),
                 sequences[i]);
        assert_near(joint_in(text, "j").rotation, expected[i], 9, 1e-15, sequences[i]);
    }
}

/* ---- the rest ---- */

static void test_actuators(void **state)
{
    (void)state;
    hml_model *m =
        load_text("m.xml", "<mujoco><worldbody><body><joint name='a' damping='1'/>" I "</body><body><joint name='b'/>" I
                           "</body></worldbody><actuator><motor joint='a' gear='10' armature='0.1' damping='0.2'/>"
                           "<motor tendon='t'/></actuator><equality><joint joint1='a'/></equality></mujoco>");
    hml_joint_info a = joint_of(m, "a");
    assert_true(a.actuated && !joint_of(m, "b").actuated);
    assert_near(a.armature, &(double){10}, 1, 1e-14, "armature");
    assert_near(a.damping, &(double){21}, 1, 1e-14, "damping");
    assert_has_warning(m, "equality");
    assert_has_warning(m, "actuator");
    hml_model_free(m);
}

static void test_actuators_and_tendons_that_are_odd(void **state)
{
    (void)state;
#define DRIVEN(more) "<mujoco><worldbody><body><joint name='a'/>" I "</body></worldbody>" more "</mujoco>"
    assert_refused("m.xml", DRIVEN("<actuator><motor joint='a' damping='1 2'/></actuator>"), HML_UNSUPPORTED, 1,
                   "polynomial");
    assert_refused("m.xml", DRIVEN("<actuator><motor joint='a' class='c'/></actuator>"), HML_BAD_FILE, 1, "class");
    hml_model *m = load_text("m.xml", DRIVEN("<tendon><fixed name='t' stiffness='1'/></tendon><deformable/>"));
    assert_has_warning(m, "tendon 't'");
    assert_has_warning(m, "deformable");
    assert_true(joint_of(m, "a").actuated); /* there is no actuator */
    hml_model_free(m);
#undef DRIVEN
}

/* what a tendon does by itself is left out with a warning, wherever it is said; its own zero is said too */
static void test_tendons_of_default_classes(void **state)
{
    (void)state;
#define TENDON(before, tendon)                                                                                         \
    "<mujoco>" before "<worldbody><body><joint name='a'/>" I "</body></worldbody><tendon>" tendon "</tendon></mujoco>"
    static const char *const said[] = {
        TENDON("", "<fixed name='t' stiffness='1'/>"),
        TENDON("<default><tendon stiffness='1'/></default>", "<fixed name='t'/>"),
        TENDON("<default><tendon stiffness='1'/></default>", "<spatial name='t'/>"),
        TENDON("<default><default class='c'><tendon stiffness='1'/></default></default>",
               "<fixed class='c' name='t'/>"),
        TENDON("<default><tendon stiffness='0 2'/></default>", "<fixed name='t'/>"),
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        hml_model *m = load_text("m.xml", said[i]);
        assert_has_warning(m, "the stiffness of tendon 't' is left out");
        hml_model_free(m);
    }
    hml_model *m = load_text("m.xml", TENDON("<default><tendon damping='1' armature='2'/></default>", "<fixed/>"));
    assert_has_warning(m, "the damping of a tendon without a name is left out");
    assert_has_warning(m, "the armature of a tendon without a name is left out");
    hml_model_free(m);
    static const char *const silent[] = {
        TENDON("<default><tendon stiffness='1'/></default>", "<fixed name='t' stiffness='0'/>"),
        TENDON("<default><default class='c'><tendon stiffness='1'/></default></default>", "<fixed name='t'/>"),
        TENDON("<option><flag spring='disable'/></option>", "<fixed name='t' stiffness='1'/>"),
    };
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        m = load_text("m.xml", silent[i]);
        assert_int_equal(hml_model_nwarnings(m), 0);
        hml_model_free(m);
    }
#undef TENDON
}

/* boundmass gives a body without inertia a mass at its pos, read in its own frame: MuJoCo's rule, told */
static void test_bound_mass_of_a_body_that_says_nothing(void **state)
{
    (void)state;
    static const char text[] =
        WITH("<compiler boundmass='2' boundinertia='1'/>", "<body name='b' pos='1 2 3' euler='0 0 90'><joint/></body>");
    const double pos[3] = {1, 2, 3};
    hml_body_info b = body_in(text, "b");
    assert_true(b.mass == 2);
    assert_near(b.com, pos, 3, 0, "com");
    hml_model *m = load_text("m.xml", text);
    assert_has_warning(m, "boundmass puts 2 kg at the pos of body 'b'");
    hml_model_free(m);
    m = load_text("m.xml", WITH("<compiler boundmass='2' boundinertia='1'/>", "<body name='b'><joint/></body>"));
    assert_int_equal(hml_model_nwarnings(m), 0); /* there is nothing to wonder at */
    hml_model_free(m);
}

/* a message without a name says so, and has no gap where it would stand */
static void test_messages_about_nameless_things(void **state)
{
    (void)state;
    assert_refused("m.xml", MODEL("<body><joint/></body>"), HML_BAD_MODEL, 1, "a body without a name moves");
    assert_refused("m.xml", MODEL("<body><joint/><geom type='mesh'/></body>"), HML_UNSUPPORTED, 1,
                   "a body without a name: the inertia of its mesh is not known (it is not named)");
    assert_refused("m.xml", MODEL("<body><joint/><geom type='mesh' mesh='foot'/></body>"), HML_UNSUPPORTED, 1,
                   "its mesh foot is not known (there is no such mesh)");
    assert_refused("m.xml", MODEL("<body><joint name=''/><joint type='free'/>" I "</body>"), HML_BAD_MODEL, 1,
                   "a body without a name has a free joint");
    assert_refused("m.xml", MODEL("<body name='b'><joint axis='0 0 0'/>" I "</body>"), HML_BAD_FILE, 1,
                   "joint 'b': its axis is zero"); /* the name it would have */
}

/* MuJoCo 3 lets the main class have a name of its own */
static void test_main_class_with_a_name(void **state)
{
    (void)state;
    static const char text[] =
        WITH("<default class='robot'><joint damping='2'/><gizmo/><default class='leg'/></default>",
             "<body><joint name='a' class='robot'/>" I "</body><body><joint name='b' class='leg'/>" I "</body>");
    assert_true(joint_in(text, "a").damping[0] == 2 && joint_in(text, "b").damping[0] == 2);
    assert_refused("m.xml", WITH("<default><default class='c'/></default><default class='c'/>", ""), HML_BAD_FILE, 1,
                   "'c'");
}

static void test_gravity(void **state)
{
    (void)state;
    double gravity[3];
    const double given[3] = {1, 2, 3}, none[3] = {0};
    hml_model *m = load_text("m.xml", WITH("<option gravity='1 2 3'/>", "<body><joint/>" I "</body>"));
    hml_model_gravity(m, gravity);
    assert_near(gravity, given, 3, 0, "gravity");
    hml_model_free(m);
    m = load_text("m.xml",
                  WITH("<option gravity='1 2 3'><flag gravity='disable'/></option>", "<body><joint/>" I "</body>"));
    hml_model_gravity(m, gravity);
    assert_near(gravity, none, 3, 0, "gravity");
    hml_model_free(m);
}

static void test_warnings(void **state)
{
    (void)state;
    hml_model *m =
        load_text("m.xml", WITH("<option density='1.2'/><gizmo/><visual/><asset><mesh file='none'/></asset>",
                                "<light/><camera/><body gravcomp='1' colour='red'><joint/><plugin/>" I "</body>"));
    assert_has_warning(m, "density");
    assert_has_warning(m, "gizmo");
    assert_has_warning(m, "gravcomp");
    assert_has_warning(m, "colour");
    assert_has_warning(m, "plugin");
    assert_int_equal(hml_model_nwarnings(m), 5);
    hml_model_free(m);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(hml_file_write(path, text, strlen(text), NULL), HML_OK);
}

static void test_include(void **state)
{
    (void)state;
    char folder[] = "/tmp/hamel_test_XXXXXX", path[1024];
    assert_non_null(mkdtemp(folder));
    write_file(folder, "main.xml", "<mujoco>\n<include file='body.xml'/></mujoco>");
    write_file(folder, "body.xml", "<x><worldbody><include file='leg.xml'/></worldbody><option gravity='0 0 -1'/></x>");
    write_file(folder, "leg.xml",
               "<x><body name='leg'><joint/>" I "</body>\n<body name='arm'><joint axis='0 0 0'/>" I "</body></x>");
    snprintf(path, sizeof path, "%s/main.xml", folder);
    hml_model *m = NULL;
    hml_error error = {0};
    assert_int_equal(hml_load(path, NULL, &m, &error), HML_BAD_FILE); /* the fault is in leg.xml, line 2 */
    assert_non_null(strstr(error.file, "leg.xml"));
    assert_int_equal(error.line, 2);
    write_file(folder, "leg.xml", "<x><body name='leg'><joint/>" I "</body></x>");
    if (hml_load(path, NULL, &m, &error)) fail_msg("%s:%d: %s", error.file, error.line, error.message);
    assert_int_equal(hml_model_find_body(m, "leg"), 0);
    hml_model_free(m);
    write_file(folder, "leg.xml", "<x/>");
    assert_int_equal(hml_load(path, NULL, &m, &error), HML_BAD_FILE);
    static const char *const names[] = {"main.xml", "body.xml", "leg.xml"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(folder), 0); /* nothing else was left behind */
    assert_refused(NULL, "<mujoco><include file='body.xml'/></mujoco>", HML_UNSUPPORTED, 1, "body.xml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joint_types),
        cmocka_unit_test(test_free_joint_is_the_base),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_units_and_limits),
        cmocka_unit_test(test_what_springs_cannot_do),
        cmocka_unit_test(test_inertial),
        cmocka_unit_test(test_geoms),
        cmocka_unit_test(test_geoms_add_up),
        cmocka_unit_test(test_compiler_changes_inertias),
        cmocka_unit_test(test_what_moves_has_inertia),
        cmocka_unit_test(test_default_classes),
        cmocka_unit_test(test_frames_and_sites),
        cmocka_unit_test(test_orientations),
        cmocka_unit_test(test_actuators),
        cmocka_unit_test(test_actuators_and_tendons_that_are_odd),
        cmocka_unit_test(test_tendons_of_default_classes),
        cmocka_unit_test(test_bound_mass_of_a_body_that_says_nothing),
        cmocka_unit_test(test_messages_about_nameless_things),
        cmocka_unit_test(test_main_class_with_a_name),
        cmocka_unit_test(test_gravity),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_include),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
