/* Actuators: from MJCF, Hamel's own files and builders, through blocks, edits and writers. */
#include <stdlib.h>

#include "hamel/edit.h"
#include "hamel/model.h"
#include "io_check.h"
#include "model/model.h"

#define OK(call) assert_int_equal(call, HML_OK)
#define I        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define ROBOT(defaults, actuators)                                                                                     \
    "<mujoco><compiler angle='radian'/><default>" defaults "</default><worldbody><body name='trunk'><freejoint/>" I    \
    "<site name='jet' pos='0.1 0 0'/>"                                                                                 \
    "<body name='leg'><joint name='hip' axis='0 1 0' range='-1 2' limited='true' actuatorfrcrange='-9 9'/>" I          \
    "</body>"                                                                                                          \
    "<body name='rod'><joint name='rail' type='slide'/>" I "</body>"                                                   \
    "<body name='head'><joint name='neck' type='ball'/>" I "</body>"                                                   \
    "</body></worldbody><actuator>" actuators "</actuator></mujoco>"

static hml_actuator actuator_of(const hml_model *m, const char *name)
{
    hml_actuator a = {.struct_size = sizeof a};
    const int32_t index = hml_model_find_actuator(m, name);
    if (index < 0) fail_msg("there is no actuator %s", name);
    OK(hml_model_actuator(m, index, &a));
    assert_string_equal(a.name, name);
    return a;
}

static void law_is(const hml_model *m, const char *name, double gain, double b0, double b1, double b2)
{
    const hml_actuator a = actuator_of(m, name);
    const double law[4] = {a.gain, a.bias[0], a.bias[1], a.bias[2]}, is[4] = {gain, b0, b1, b2};
    assert_near(law, is, 4, 1e-14, name);
}

static hml_model *all_kinds(void)
{
    return load_text("m.xml",
                     ROBOT("<general ctrlrange='-3 4'/><default class='soft'><position kp='7' kv='2'/></default>",
                           "<motor name='m' joint='hip' gear='2' forcerange='-5 6'/>"
                           "<position name='p' joint='rail' class='soft' ctrllimited='false'/>"
                           "<position name='r' joint='hip' kp='3' inheritrange='0.5'/>"
                           "<velocity name='v' joint='rail' kv='5'/>"
                           "<general joint='rail' gainprm='2' biastype='affine' biasprm='1 -2 -3'/>"
                           "<general name='ball' joint='neck' gear='1 2 3'/>"
                           "<motor name='thrust' site='jet' gear='0 0 1 0 0 0.1'/>"));
}

static void test_mjcf(void **state)
{
    (void)state;
    hml_model *m = all_kinds();
    assert_int_equal(hml_model_nactuators(m), 7);
    assert_int_equal(hml_model_nwarnings(m), 0);
    law_is(m, "m", 1, 0, 0, 0);
    law_is(m, "p", 7, 0, -7, -2);
    law_is(m, "r", 3, 0, -3, 0);
    law_is(m, "v", 5, 0, 0, -5);
    law_is(m, "actuator4", 2, 1, -2, -3);
    hml_actuator a = actuator_of(m, "m");
    assert_true(a.gear[0] == 2 && a.lower == -3 && a.upper == 4 && a.force_lower == -5 && a.force_upper == 6);
    a = actuator_of(m, "p");
    assert_true(isinf(a.lower) && isinf(a.upper) && a.target == hml_model_find_joint(m, "rail"));
    a = actuator_of(m, "r");
    assert_true(a.lower == -0.25 && a.upper == 1.25);
    a = actuator_of(m, "thrust");
    assert_true(a.transmission == HML_TRANSMISSION_FRAME && a.target == hml_model_find_frame(m, "jet"));
    assert_true(a.gear[0] == 0 && a.gear[2] == 1 && a.gear[5] == 0.1);
    assert_int_equal(hml_model_actuator(m, 7, &a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_actuator(m, -1, &a), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_find_actuator(m, "nobody"), -1);
    hml_model_free(m);
    /* the joint's own limit holds for its only actuator */
    m = load_text("m.xml", ROBOT("", "<motor name='m' joint='hip' gear='3'/>"));
    a = actuator_of(m, "m");
    assert_true(a.force_lower == -3 && a.force_upper == 3);
    hml_model_free(m);
}

/* 2 ζ √(kp/(g² M⁻¹)): the slide moves the rod, and the others the other way: 1/(1 + 1/3) kg */
static void test_damping_ratio(void **state)
{
    (void)state;
    hml_model *m = load_text("m.xml", ROBOT("", "<position name='p' joint='rail' kp='12' dampratio='0.5' gear='2'/>"));
    law_is(m, "p", 12, 0, -12, -sqrt(12 * 0.75 / 4));
    hml_model_free(m);
}

static void test_left_out(void **state)
{
    (void)state;
    static const char *const odd[] = {"<muscle name='x' joint='hip'/>",
                                      "<general name='x' joint='hip' gaintype='affine' gainprm='1 2 3'/>",
                                      "<general name='x' joint='hip' dyntype='integrator'/>",
                                      "<position name='x' joint='neck'/>",
                                      "<motor name='x' jointinparent='neck'/>",
                                      "<motor name='x' tendon='t'/>",
                                      "<motor name='x' site='jet' refsite='jet'/>"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char text[2048];
        snprintf(text, sizeof text, ROBOT("", "%s"), odd[i]);
        hml_model *m = load_text("m.xml", text);
        assert_int_equal(hml_model_nactuators(m), 0);
        assert_has_warning(m, "actuator 'x' is left out");
        hml_model_free(m);
    }
    hml_model *m = load_text("m.xml", ROBOT("", "<position name='x' joint='hip' timeconst='0.1'/>"));
    assert_int_equal(hml_model_nactuators(m), 1);
    assert_has_warning(m, "acts at once");
    hml_model_free(m);
    assert_refused("m.xml", ROBOT("", "<motor site='nowhere'/>"), HML_BAD_MODEL, 1, "there is no site 'nowhere'");
    assert_refused("m.xml", ROBOT("", "<motor joint='nowhere'/>"), HML_BAD_MODEL, 1, "there is no joint 'nowhere'");
    assert_refused("m.xml", ROBOT("", "<motor joint='hip' ctrllimited='true'/>"), HML_BAD_FILE, 1,
                   "ctrlrange is empty");
    assert_refused("m.xml", ROBOT("", "<motor name='a' joint='hip'/><motor name='a' joint='hip'/>"), HML_BAD_MODEL, 1,
                   "defined twice");
}

/* through Hamel's own format, a block and a copy: nothing is lost */
static void test_round_trips(void **state)
{
    (void)state;
    hml_model *m = all_kinds(), *again = NULL, *block = NULL;
    char *text, why[512] = "";
    size_t size;
    OK(hml_write_json(m, &text, &size, NULL));
    again = load_text("m.json", text);
    free(text);
    if (!hml_model_equal(m, again, 0, why, sizeof why)) fail_msg("%s", why);
    OK(hml_model_from_data(hml_model_data(m), hml_model_size(m), &block));
    if (!hml_model_equal(m, block, 0, why, sizeof why)) fail_msg("%s", why);
    hml_model *broken = malloc(hml_model_size(m));
    const size_t at = m->actuators + offsetof(model_actuator, target);
    memcpy(broken, m, hml_model_size(m));
    *(int32_t *)(void *)((char *)broken + at) = 99;
    hml_model *none;
    assert_int_equal(hml_model_from_data(broken, hml_model_size(m), &none), HML_BAD_MODEL);
    free(broken);
    ((model_actuator *)(uintptr_t)model_actuators(again))[1].gain = 8;
    assert_false(hml_model_equal(m, again, 0, why, sizeof why));
    assert_non_null(strstr(why, "actuator 'p'"));
    hml_model_free(m), hml_model_free(again), hml_model_free(block);
}

static void test_json_refuses(void **state)
{
    (void)state;
#define J(actuators)                                                                                                   \
    "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"spherical\"}, "        \
    "\"inertia\": {\"mass\": 1, \"com\": [0,0,0], \"moment\": [[1,0,0],[0,1,0],[0,0,1]]}}], \"actuators\": "           \
    "[" actuators "]}"
    assert_refused("m.json", J("{\"joint\": \"j\"}"), HML_BAD_FILE, 0, "/actuators/0");
    assert_refused("m.json", J("{\"name\": \"a\"}"), HML_BAD_FILE, 0, "acts on a \"joint\" or on a \"frame\"");
    assert_refused("m.json", J("{\"name\": \"a\", \"joint\": \"k\"}"), HML_BAD_FILE, 0, "there is no joint 'k'");
    assert_refused("m.json", J("{\"name\": \"a\", \"frame\": \"k\"}"), HML_BAD_FILE, 0,
                   "there is no body or frame 'k'");
    assert_refused("m.json", J("{\"name\": \"a\", \"joint\": \"j\", \"gear\": [1,2,3,4,5,6,7]}"), HML_BAD_FILE, 0,
                   "more than 6");
    assert_refused("m.json", J("{\"name\": \"a\", \"joint\": \"j\", \"lower\": 2, \"upper\": 1}"), HML_BAD_MODEL, 0,
                   "a lower limit is above");
    assert_refused("m.json", J("{\"name\": \"a\", \"joint\": \"j\", \"bias\": [0, -1, 0]}"), HML_BAD_MODEL, 0,
                   "has no length");
    assert_refused("m.json", J("{\"name\": \"a\", \"joint\": \"j\"}, {\"name\": \"a\", \"joint\": \"j\"}"),
                   HML_BAD_MODEL, 0, "two actuators 'a'");
    hml_model *m = load_text("m.json", J("{\"name\": \"a\", \"joint\": \"j\", \"gear\": 3, \"speed\": 1}"));
    assert_has_warning(m, "speed");
    hml_model_free(m);
}

/* locked joints lose theirs, with a warning; scaling keeps powers; a new base keeps those of single axes */
static void test_edits(void **state)
{
    (void)state;
    hml_model *m = all_kinds(), *locked, *scaled, *turned, *both;
    const int32_t hip = hml_model_find_joint(m, "hip");
    OK(hml_model_lock(m, &hip, 1, NULL, &locked, NULL));
    assert_int_equal(hml_model_nactuators(locked), 5);
    assert_has_warning(locked, "actuator 'm' is left out: its joint 'hip' is fixed");
    assert_int_equal(actuator_of(locked, "thrust").target, hml_model_find_frame(locked, "jet"));
    OK(hml_model_scale(m, 2, 3, &scaled));
    hml_actuator a = actuator_of(scaled, "p"), b = actuator_of(scaled, "thrust"), c = actuator_of(scaled, "m");
    assert_true(a.gear[0] == 0.5 && a.gain == 84 && a.bias[1] == -84); /* 12 times the energy on twice the length */
    assert_true(b.gear[2] == 0.5 && b.gear[5] == 0.1 && b.gain == 12 && c.gear[0] == 2 && c.force_upper == 72);
    OK(hml_model_reroot(m, hml_model_find_body(m, "leg"), HML_JOINT_FREE, NULL, &turned, NULL));
    assert_int_equal(hml_model_nactuators(turned), 6);
    assert_int_equal(hml_model_find_actuator(turned, "ball"), -1);
    assert_has_warning(turned, "actuator 'ball'");
    OK(hml_model_append(m, 0, locked, "l_", &both, NULL));
    assert_int_equal(hml_model_nactuators(both), 12);
    assert_int_equal(actuator_of(both, "l_p").target, hml_model_find_joint(both, "l_rail"));
    hml_model_free(m), hml_model_free(locked), hml_model_free(scaled), hml_model_free(turned), hml_model_free(both);
}

static void test_builder_refuses(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_actuator a;
    hml_model *m;
    hml_error error = {0};
    hml_joint_spec joint;
    hml_actuator_init(&a);
    hml_actuator_init(NULL);
    assert_int_equal(hml_builder_add_actuator(b, "j", &a, NULL), HML_INVALID_ARGUMENT); /* no name */
    a.name = "a\n";
    assert_int_equal(hml_builder_add_actuator(b, "j", &a, NULL), HML_BAD_MODEL);
    a.name = "a";
    assert_int_equal(hml_builder_add_actuator(b, NULL, &a, NULL), HML_INVALID_ARGUMENT);
    a.gain = NAN;
    assert_int_equal(hml_builder_add_actuator(b, "j", &a, NULL), HML_NOT_FINITE);
    a.gain = 1, a.lower = NAN;
    assert_int_equal(hml_builder_add_actuator(b, "j", &a, NULL), HML_BAD_MODEL);
    a.lower = 0, a.transmission = (hml_transmission)7;
    assert_int_equal(hml_builder_add_actuator(b, "j", &a, NULL), HML_INVALID_ARGUMENT);
    a.transmission = HML_TRANSMISSION_FRAME;
    OK(hml_builder_add_actuator(b, "tool", &a, NULL));
    hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
    joint.name = "j", joint.axis[0] = 1;
    OK(hml_builder_add_body(b, "body", NULL, &joint, NULL, NULL));
    assert_int_equal(hml_builder_build(b, 0, &m, &error), HML_BAD_MODEL);
    assert_non_null(strstr(error.message, "actuator 'a': there is no frame 'tool'"));
    hml_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mjcf),
        cmocka_unit_test(test_damping_ratio),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_json_refuses),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_builder_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
