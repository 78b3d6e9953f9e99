/* Keyframes: from MJCF, Hamel's own files and builders, through blocks, edits and writers. */
#include <stdlib.h>

#include "hamel/edit.h"
#include "hamel/model.h"
#include "io_check.h"
#include "model/model.h"

#define OK(call) assert_int_equal(call, HML_OK)
#define I        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
/* a trunk turned by 90 degrees about z at (1, 2, 3), a hinge with a reference of 0.5, a slide, a ball */
#define ROBOT(keys)                                                                                                    \
    "<mujoco><compiler angle='radian'/><worldbody><body name='trunk' pos='1 2 3' quat='1 0 0 1'><freejoint/>" I        \
    "<body name='leg'><joint name='hip' axis='0 1 0' ref='0.5'/>" I "</body>"                                          \
    "<body name='rod'><joint name='rail' type='slide'/>" I "</body>"                                                   \
    "<body name='head'><joint name='neck' type='ball'/>" I "</body>"                                                   \
    "</body></worldbody><keyframe>" keys "</keyframe></mujoco>"

static const double r = 0.70710678118654752440;

static void keyframe_is(const hml_model *m, const char *name, const double *q, const double *v)
{
    double position[32], velocity[32];
    int32_t index = hml_model_find_keyframe(m, name);
    if (index < 0) fail_msg("there is no keyframe %s", name);
    assert_string_equal(hml_model_keyframe_name(m, index), name);
    OK(hml_model_keyframe(m, index, position, velocity));
    assert_near(position, q, hml_model_nq(m), 1e-15, name);
    assert_near(velocity, v, hml_model_nv(m), 1e-15, name);
}

static void test_mjcf(void **state)
{
    (void)state;
    hml_model *m = load_text(
        "m.xml", ROBOT("<key name='home' qpos='0 0 2 2 0 0 2 0.1 0.2 0 3 0 0' qvel='1 2 3 4 5 6 7 8 9 10 11' ctrl='1'/>"
                       "<key qvel='0 0 0 0 0 0 1 0 0 0 0'/>"));
    const double start[13] = {1, 2, 3, r, 0, 0, r, 0.5, 0, 1, 0, 0, 0}, still[11] = {0};
    const double home[13] = {0, 0, 2, r, 0, 0, r, 0.1, 0.2, 0, 1, 0, 0};
    const double moving[11] = {2, -1, 3, 4, 5, 6, 7, 8, 9, 10, 11}; /* the body's x is the world's y */
    const double turning[11] = {0, 0, 0, 0, 0, 0, 1};
    assert_int_equal(hml_model_nkeyframes(m), 3);
    keyframe_is(m, "start", start, still);
    keyframe_is(m, "home", home, moving);
    keyframe_is(m, "key1", start, turning);
    assert_int_equal(hml_model_nwarnings(m), 0);
    OK(hml_model_keyframe(m, 0, NULL, NULL));
    assert_int_equal(hml_model_keyframe(m, 3, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_keyframe(m, -1, NULL, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_model_find_keyframe(m, "nowhere"), -1);
    assert_int_equal(hml_model_find_keyframe(m, NULL), -1);
    assert_null(hml_model_keyframe_name(m, 3));
    hml_model_free(m);
}

/* a robot that the file puts at the neutral configuration has no "start"; a file may have one of its own */
static void test_start(void **state)
{
    (void)state;
    hml_model *m =
        load_text("m.xml", "<mujoco><worldbody><body name='b'><freejoint/>" I "</body></worldbody></mujoco>");
    assert_int_equal(hml_model_nkeyframes(m), 0);
    hml_model_free(m);
    m = load_text("m.xml", ROBOT("<key name='start' qpos='0 0 2 1 0 0 0 0 0 1 0 0 0'/>"));
    const double start[13] = {0, 0, 2, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0}, still[11] = {0};
    assert_int_equal(hml_model_nkeyframes(m), 1);
    keyframe_is(m, "start", start, still);
    hml_model_free(m);
    m = load_text("m.xml", "<mujoco><worldbody><body name='a' pos='4 5 6'><joint name='j' ref='90'/>" I
                           "</body></worldbody></mujoco>");
    const double quarter = 1.57079632679489661923, none = 0;
    keyframe_is(m, "start", &quarter, &none);
    hml_model_free(m);
}

static void test_what_does_not_fit(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {ROBOT("<key name='home' qpos='1 2 3'/>"),
         "line 1: keyframe 'home' has 3 numbers in its qpos, where the joints have 13, and is left out"},
        {ROBOT("<key qpos='0 0 2 1 0 0 0 0 0 1 0 0 0' qvel='1'/>"), "keyframe 'key0' has 1 numbers in its qvel"},
        {ROBOT("<key name='home' qpos='0 0 2 0 0 0 0 0 0 1 0 0 0'/>"), "a quaternion without length"},
        {ROBOT("<key name='home' qpos='0 0 2 1 0 0 0 0 x 1 0 0 0'/>"), "something in its qpos that is no number"},
        {ROBOT("<key name='home' ctrl='1'/>"), "neither qpos nor qvel"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hml_model *m = load_text("m.xml", cases[i].text);
        assert_int_equal(hml_model_nkeyframes(m), 1); /* the start */
        assert_has_warning(m, cases[i].says);
        hml_model_free(m);
    }
    hml_model *m = load_text("m.xml", ROBOT("<key name='a' qvel='0 0 0 0 0 0 1 0 0 0 0'/>"
                                            "<key name='a' qvel='0 0 0 0 0 0 2 0 0 0 0'/><lock/>"));
    assert_int_equal(hml_model_nkeyframes(m), 2);
    assert_has_warning(m, "keyframe 'a' is there already and is left out");
    assert_has_warning(m, "<lock>");
    hml_model_free(m);
}

/* ---- Hamel's own format ---- */

#define BODY(name, parent, joint)                                                                                      \
    "{\"name\": \"" name "\", \"parent\": " parent ", \"joint\": {" joint "}, \"inertia\": {\"mass\": 1}}"
#define JSON(keyframes)                                                                                                \
    "{\"bodies\": [" BODY("trunk", "null", "\"name\": \"base\", \"type\": \"free\"") ", " BODY(                        \
        "leg", "\"trunk\"",                                                                                            \
        "\"name\": \"hip\", \"type\": \"revolute\", \"axis\": [1, 0, 0]") ", " BODY("rod", "\"trunk\"",                \
                                                                                    "\"name\": \"rail\", \"type\": "   \
                                                                                    "\"prismatic\", \"axis\": [1, 0, " \
                                                                                    "0]") "], "                        \
                                                                                          "\"keyframes\": [" keyframes \
                                                                                          "]}"

static const char two[] = JSON(
    "{\"name\": \"up\", \"joints\": {\"base\": {\"position\": [1, 2, 3, 0.6, 0.8, 0, 0]}, \"hip\": "
    "{\"position\": 0.3, \"velocity\": [0.1]}, \"rail\": {\"position\": [0]}}}, {\"name\": \"at \\\"zero\\\"\"}, "
    "{\"name\": \"fast\", \"joints\": {\"base\": {\"velocity\": [1, 2, 3, 4, 5, 6]}, \"rail\": {\"position\": 2}}}");

static const double up_q[9] = {1, 2, 3, 0.6, 0.8, 0, 0, 0.3, 0}, up_v[8] = {0, 0, 0, 0, 0, 0, 0.1, 0};

static void test_json(void **state)
{
    (void)state;
    hml_model *m = load_text("m.json", two), *again = NULL;
    const double neutral[9] = {0, 0, 0, 1}, still[8] = {0}, fast_q[9] = {0, 0, 0, 1, 0, 0, 0, 0, 2};
    const double fast_v[8] = {1, 2, 3, 4, 5, 6};
    char *text, difference[200];
    size_t size;
    keyframe_is(m, "up", up_q, up_v);
    keyframe_is(m, "at \"zero\"", neutral, still);
    keyframe_is(m, "fast", fast_q, fast_v);
    assert_int_equal(hml_model_nwarnings(m), 0);
    OK(hml_write_json(m, &text, &size, NULL));
    again = load_text("again.json", text);
    if (!hml_model_equal(m, again, 0, difference, sizeof difference)) fail_msg("%s", difference);
    assert_int_equal(hml_model_size(again), hml_model_size(m));
    assert_memory_equal(again, m, hml_model_size(m));
    hml_text_free(text);
    hml_model_free(again);
    hml_model_free(m);
}

static void test_json_refused(void **state)
{
    (void)state;
    assert_refused("m.json", JSON("{\"joints\": {}}"), HML_BAD_FILE, 0, "/keyframes/0");
    assert_refused("m.json", JSON("{\"name\": \"a\", \"joints\": []}"), HML_BAD_FILE, 0, "/keyframes/0/joints");
    assert_refused("m.json", JSON("{\"name\": \"a\", \"joints\": {\"knee\": {}}}"), HML_NOT_FOUND, 0,
                   "/keyframes/0/joints/knee: there is no joint 'knee'");
    assert_refused("m.json", JSON("{\"name\": \"a\", \"joints\": {\"hip\": {\"position\": [1, 2]}}}"), HML_BAD_FILE, 0,
                   "joint 'hip', which is revolute, has 1 positions and 1 velocities");
    assert_refused("m.json", JSON("{\"name\": \"a\", \"joints\": {\"hip\": {\"velocity\": [1, 2]}}}"), HML_BAD_FILE, 0,
                   "joint 'hip', which is revolute, has 1 positions and 1 velocities");
    assert_refused("m.json",
                   JSON("{\"name\": \"a\", \"joints\": {\"base\": {\"position\": [1, 2, 3, 4, 5, 6, 7, 8]}}}"),
                   HML_BAD_FILE, 0, "no joint has so many numbers");
    assert_refused("m.json", JSON("{\"name\": \"a\", \"joints\": {\"base\": {\"position\": [0, 0, 0, 2, 0, 0, 0]}}}"),
                   HML_NOT_NORMALIZED, 0, "quaternion");
    assert_refused("m.json", JSON("{\"name\": \"a\"}, {\"name\": \"a\"}"), HML_BAD_FILE, 0, "the name is taken");
    hml_model *m = load_text("m.json", JSON("{\"name\": \"a\", \"wind\": 1, \"joints\": {\"hip\": {\"force\": 1}}}"));
    assert_has_warning(m, "wind");
    assert_has_warning(m, "force");
    hml_model_free(m);
}

/* ---- edits ---- */

static void test_edits(void **state)
{
    (void)state;
    hml_model *m = load_text("m.json", two), *edited;
    const int32_t hip = hml_model_find_joint(m, "hip");
    const double scaled_q[9] = {2, 4, 6, 0.6, 0.8, 0, 0, 0.3, 0};
    const double locked_q[8] = {1, 2, 3, 0.6, 0.8, 0, 0, 0}, locked_v[7] = {0};
    OK(hml_model_lock(m, &hip, 1, NULL, &edited, NULL));
    keyframe_is(edited, "up", locked_q, locked_v);
    hml_model_free(edited);
    OK(hml_model_scale(m, 2, 3, &edited));
    keyframe_is(edited, "up", scaled_q, up_v);
    hml_model_free(edited);
    assert_int_equal(hml_model_scale(m, 1e308, 1e-300, &edited), HML_NOT_FINITE);
    OK(hml_model_reroot(m, 1, HML_JOINT_FREE, NULL, &edited, NULL)); /* the leg is the base, and turns with the hip */
    assert_int_equal(hml_model_nkeyframes(edited), 3);
    const double half = 0.5 * 0.3 + atan2(0.8, 0.6), rerooted_q[9] = {1, 2, 3, cos(half), sin(half), 0, 0, 0.3, 0};
    const double rerooted_v[8] = {0, 0, 0, 0.1, 0, 0, 0.1, 0};
    keyframe_is(edited, "up", rerooted_q, rerooted_v);
    hml_model_free(edited);
    OK(hml_model_reroot(m, 1, HML_JOINT_FIXED, NULL, &edited, NULL)); /* what the base does is gone */
    assert_int_equal(hml_model_nkeyframes(edited), 3);
    keyframe_is(edited, "up", up_q + 7, up_v + 6);
    hml_model_free(edited);
    OK(hml_model_append(m, -1, m, "other ", &edited, NULL)); /* keyframes of the same name become one */
    assert_int_equal(hml_model_nkeyframes(edited), 3);
    double q[18], v[16];
    OK(hml_model_keyframe(edited, 0, q, v));
    assert_near(q, up_q, 9, 0, "q");
    assert_near(q + 9, up_q, 9, 0, "q of the other");
    assert_near(v + 8, up_v, 8, 0, "v of the other");
    hml_model_free(edited);
    hml_model_free(m);
}

static void test_builder(void **state)
{
    (void)state;
    hml_model *m = load_text("m.json", two), *other;
    hml_builder *b;
    hml_error error = {0};
    char difference[200];
    const double one = 1, two_numbers[2] = {1, 2}, bad = NAN, q[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, v[8] = {0};
    OK(hml_model_to_builder(m, &b));
    assert_int_equal(hml_builder_add_keyframe(b, "new", "hip", 1, &bad, 0, NULL, NULL), HML_NOT_FINITE);
    OK(hml_builder_add_keyframe(b, "new", "hip", 0, NULL, 1, &one, NULL));
    OK(hml_builder_add_keyframe(b, "new", "hip", 1, &one, 0, NULL, NULL)); /* the last word counts */
    assert_int_equal(hml_builder_add_keyframe(b, "new", "hip", 2, two_numbers, 0, NULL, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_builder_add_keyframe(b, "", "hip", 1, &one, 0, NULL, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_builder_add_keyframe(b, NULL, "hip", 1, &one, 0, NULL, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_builder_add_keyframe(b, "a\nb", NULL, 0, NULL, 0, NULL, &error), HML_BAD_MODEL);
    assert_int_equal(hml_builder_add_keyframe(NULL, "a", NULL, 0, NULL, 0, NULL, &error), HML_INVALID_ARGUMENT);
    OK(hml_builder_build(b, 0, &other, NULL));
    hml_builder_free(b);
    assert_int_equal(hml_model_nkeyframes(other), 4);
    keyframe_is(other, "new", q, v);
    assert_false(hml_model_equal(m, other, 0, difference, sizeof difference));
    assert_non_null(strstr(difference, "keyframes"));
    hml_model_free(other);
    OK(hml_model_to_builder(m, &b));
    OK(hml_builder_add_keyframe(b, "up", "hip", 1, &one, 0, NULL, NULL));
    OK(hml_builder_build(b, 0, &other, NULL));
    hml_builder_free(b);
    assert_false(hml_model_equal(m, other, 0, difference, sizeof difference));
    assert_non_null(strstr(difference, "keyframe 'up'"));
    hml_model_free(other);
    hml_model_free(m);
}

/* a block whose keyframes point anywhere else, or hold other numbers, is no model */
static void test_blocks(void **state)
{
    (void)state;
    hml_model *m = load_text("m.json", two), *again;
    const size_t size = hml_model_size(m);
    char *data = malloc(size);
    for (int damage = 0; damage < 8; damage++) {
        memcpy(data, hml_model_data(m), size);
        model_keyframe *frames = (model_keyframe *)(data + m->keyframes);
        model_key *keys = (model_key *)(data + m->keys);
        switch (damage) {
        case 1: frames[0].count = 1; break;
        case 2: frames[0].first = 1; break;
        case 3: frames[2].count = 1 << 28; break;
        case 4: frames[1].name = UINT32_MAX; break;
        case 5: keys[0].joint = keys[1].joint; break;
        case 6: keys[1].joint = 3; break;
        case 7: keys[0].position[3] = 0.7; break;
        default: break;
        }
        assert_int_equal(hml_model_from_data(data, size, &again), damage ? HML_BAD_MODEL : HML_OK);
        if (damage) continue;
        keyframe_is(again, "up", up_q, up_v);
        hml_model_free(again);
    }
    free(data);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mjcf),    cmocka_unit_test(test_start),        cmocka_unit_test(test_what_does_not_fit),
        cmocka_unit_test(test_json),    cmocka_unit_test(test_json_refused), cmocka_unit_test(test_edits),
        cmocka_unit_test(test_builder), cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
