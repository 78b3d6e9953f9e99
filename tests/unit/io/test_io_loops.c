/* Loops in models: builder, Hamel's own files, MJCF's equalities, blocks, and what edits make of them. */
#include "io_check.h"

#include "hamel/hamel.h"
#include "model_fixture.h"

static const double turned[16] = {0, -1, 0, 0.1, 1, 0, 0, 0.2, 0, 0, 1, 0.3, 0, 0, 0, 1};

/* two arms on a torso, tied in every way, and one tied to the world */
static hml_model *tied(void)
{
    static const hml_constraint_kind kinds[] = {HML_HOLD_FRAME, HML_HOLD_POINT, HML_HOLD_PLANE, HML_HOLD_DISTANCE};
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    add_link(b, "torso", NULL, HML_JOINT_FREE);
    add_link(b, "left", "torso", HML_JOINT_SPHERICAL);
    add_link(b, "plate", "left", HML_JOINT_FIXED);
    add_link(b, "right", "torso", HML_JOINT_UNIVERSAL);
    for (int i = 0; i < 4; i++) {
        hml_loop loop = {.kind = kinds[i], .normal = {0, 1, 2}, .distance = 0.7, .damping = i, .stiffness = 2.0 * i};
        memcpy(loop.pose, turned, sizeof turned);
        assert_int_equal(hml_builder_add_loop(b, i ? "tie" : NULL, "plate", i == 2 ? NULL : "hand", &loop, &error),
                         HML_OK);
    }
    add_tool(b, "hand", "right");
    return finish(b, 0);
}

static void assert_same(const hml_model *a, const hml_model *b)
{
    char sentence[512] = "";
    if (!hml_model_equal(a, b, 0, sentence, sizeof sentence)) fail_msg("%s", sentence);
    assert_int_equal(hml_model_nloops(a), hml_model_nloops(b));
    for (int32_t i = 0; i < hml_model_nloops(a); i++) {
        hml_loop x, y;
        assert_int_equal(hml_model_loop(a, i, &x), HML_OK);
        assert_int_equal(hml_model_loop(b, i, &y), HML_OK);
        assert_memory_equal(&x, &y, sizeof x);
        assert_string_equal(hml_model_loop_name(a, i), hml_model_loop_name(b, i));
    }
}

static void test_builder(void **state)
{
    (void)state;
    hml_model *m = tied();
    hml_loop c;
    assert_int_equal(hml_model_nloops(m), 4);
    assert_int_equal(hml_model_loop(m, 3, &c), HML_OK);
    assert_int_equal(c.kind, HML_HOLD_DISTANCE);
    assert_int_equal(c.frame, hml_model_find_frame(m, "plate"));
    assert_int_equal(c.other, hml_model_find_frame(m, "hand"));
    assert_true(c.distance == 0.7 && c.damping == 3 && c.stiffness == 6);
    assert_int_equal(hml_model_loop(m, 2, &c), HML_OK);
    assert_int_equal(c.other, HML_WORLD);
    assert_all_close(c.pose, turned, 16, 1e-15);
    assert_true(c.normal[1] == 1 && c.distance == 0);
    assert_string_equal(hml_model_loop_name(m, 0), "");
    assert_string_equal(hml_model_loop_name(m, 1), "tie");
    assert_null(hml_model_loop_name(m, 4));
    assert_int_equal(hml_model_loop(m, 4, &c), HML_INVALID_ARGUMENT);
    hml_model_free(m);
}

static void test_files_and_blocks(void **state)
{
    (void)state;
    hml_model *m = tied(), *again = NULL;
    hml_error error = {0};
    char *text;
    size_t size;
    assert_int_equal(hml_write_json(m, &text, &size, &error), HML_OK);
    assert_int_equal(hml_load_memory(text, size, "tied.json", NULL, &again, &error), HML_OK);
    assert_same(m, again);
    hml_model_free(again);
    hml_text_free(text);
    assert_int_equal(hml_model_from_data(hml_model_data(m), hml_model_size(m), &again), HML_OK);
    assert_same(m, again);
    hml_model_free(again);
    hml_builder *b;
    assert_int_equal(hml_model_to_builder(m, &b), HML_OK);
    again = finish(b, 0);
    assert_same(m, again);
    hml_model_free(again);
    hml_model_free(m);
}

static void test_edits(void **state)
{
    (void)state;
    static const double at[3] = {1, 2, 3};
    hml_model *m = tied(), *big = NULL;
    hml_loop c;
    assert_int_equal(hml_model_scale(m, 2, 1, &big), HML_OK);
    assert_int_equal(hml_model_loop(big, 3, &c), HML_OK);
    assert_true(c.distance == 1.4);
    assert_int_equal(hml_model_loop(big, 1, &c), HML_OK);
    assert_close(c.pose[7], 0.4, 1e-15);
    hml_model_free(big);
    hml_builder *b = hml_builder_new();
    hml_error error = {0};
    add_link(b, "cart", NULL, HML_JOINT_PRISMATIC);
    assert_int_equal(hml_builder_add_model(b, m, "a_", "cart", at, identity9, &error), HML_OK);
    big = finish(b, 0);
    assert_int_equal(hml_model_loop(big, 2, &c), HML_OK); /* its world is the cart by now */
    assert_int_equal(c.other, hml_model_find_frame(big, "cart"));
    assert_int_equal(c.frame, hml_model_find_frame(big, "a_plate"));
    assert_close(c.pose[3], 1.1, 1e-15);
    assert_string_equal(hml_model_loop_name(big, 2), "a_tie");
    hml_model_free(big);
    hml_model_free(m);
}

static void expect_refusal(const char *frame, const char *other, hml_loop loop, const char *sentence)
{
    hml_builder *b = hml_builder_new();
    hml_model *m = NULL;
    hml_error error = {0};
    add_link(b, "torso", NULL, HML_JOINT_FREE);
    add_link(b, "arm", "torso", HML_JOINT_REVOLUTE);
    hml_status status = hml_builder_add_loop(b, NULL, frame, other, &loop, &error);
    if (!status) status = hml_builder_build(b, 0, &m, &error);
    assert_true(status != HML_OK);
    assert_says(error.message, sentence);
    hml_builder_free(b);
}

static void test_refusals(void **state)
{
    (void)state;
    expect_refusal("arm", "arm", (hml_loop){.kind = HML_HOLD_POINT}, "ties a frame to itself");
    expect_refusal("arm", "leg", (hml_loop){.kind = HML_HOLD_POINT}, "ties 'leg', which does not exist");
    expect_refusal("leg", NULL, (hml_loop){.kind = HML_HOLD_POINT}, "ties 'leg', which does not exist");
    expect_refusal("arm", NULL, (hml_loop){.kind = HML_TOUCH_PLANE}, "a kind that loops do not have");
    expect_refusal("arm", NULL, (hml_loop){.kind = HML_HOLD_PLANE}, "the normal of its plane is zero");
    expect_refusal("arm", NULL, (hml_loop){.kind = HML_HOLD_DISTANCE}, "its distance must be positive");
    expect_refusal("arm", NULL, (hml_loop){.damping = -1}, "is negative");
    expect_refusal("arm", NULL, (hml_loop){.stiffness = NAN}, "not finite");
    expect_refusal("arm", NULL, (hml_loop){.pose = {1, 1}}, "rotation");
}

#define FILE_OF(loops)                                                                                                 \
    "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"free\"}, "             \
    "\"inertia\": {\"mass\": 1, \"com\": [0,0,0], \"moment\": [[1,0,0],[0,1,0],[0,0,1]]}}], \"loops\": [" loops "]}"

static void expect_bad_json(const char *text, const char *sentence)
{
    hml_model *m = NULL;
    hml_error error = {0};
    assert_true(hml_load_memory(text, strlen(text), "x.json", NULL, &m, &error) != HML_OK);
    assert_says(error.message, sentence);
}

static void test_bad_json(void **state)
{
    (void)state;
    expect_bad_json(FILE_OF("{\"type\": \"touch\", \"frame\": \"b\", \"other\": null}"), "/loops/0/type: a loop is a");
    expect_bad_json(FILE_OF("{\"type\": \"point\", \"frame\": \"c\", \"other\": null}"),
                    "/loops/0/frame: there is no body or frame 'c'");
    expect_bad_json(FILE_OF("{\"type\": \"distance\", \"frame\": \"b\", \"other\": null}"),
                    "/loops/0: distance is missing");
    expect_bad_json(FILE_OF("{\"type\": \"plane\", \"frame\": \"b\", \"other\": null}"), "/loops/0: normal is missing");
    expect_bad_json(FILE_OF("{\"type\": \"point\", \"frame\": \"b\"}"), "/loops/0: other is missing");
    expect_bad_json(FILE_OF("{\"type\": \"distance\", \"frame\": \"b\", \"other\": null, \"distance\": -1}"),
                    "/loops/0: the loop of 'b': its distance must be positive");
}

/* ---- MJCF ---- */

#define LINK(name, pos, inner)                                                                                         \
    "<body name='" name "' pos='" pos "'><joint name='j" name "' axis='0 1 0'/><inertial pos='0 0 0' mass='1' "        \
    "diaginertia='1 1 1'/><site name='s" name "' pos='0 0 0.5'/>" inner "</body>"
#define MJCF(equality)                                                                                                 \
    "<mujoco><worldbody>" LINK("a", "0 0 1", LINK("b", "1 0 0", ""))                                                   \
        LINK("c", "3 0 0", "") "</worldbody><equality>" equality "</equality></mujoco>"

static hml_model *read_mjcf(const char *text) { return load_text("x.xml", text); }

static void test_connect(void **state)
{
    (void)state;
    hml_loop c;
    hml_frame_info info = {.struct_size = sizeof info};
    hml_model *m = read_mjcf(MJCF("<connect name='pin' body1='b' body2='c' anchor='0.5 0 0.25'/>"
                                  "<connect body1='b' anchor='0 0 0'/><connect site1='sb' site2='sc'/>"));
    assert_int_equal(hml_model_nloops(m), 3);
    assert_string_equal(hml_model_loop_name(m, 0), "pin");
    assert_int_equal(hml_model_loop(m, 0, &c), HML_OK);
    assert_int_equal(c.kind, HML_HOLD_POINT);
    assert_int_equal(c.other, hml_model_find_frame(m, "c"));
    assert_int_equal(hml_model_frame(m, c.frame, &info), HML_OK);
    assert_string_equal(info.name, "b.anchor");
    assert_all_close(info.position, (double[]){0.5, 0, 0.25}, 3, 0);
    assert_all_close((double[]){c.pose[3], c.pose[7], c.pose[11]}, (double[]){-1.5, 0, 1.25}, 3, 1e-15);
    assert_int_equal(hml_model_loop(m, 1, &c), HML_OK);
    assert_int_equal(c.other, HML_WORLD);
    assert_all_close((double[]){c.pose[3], c.pose[7], c.pose[11]}, (double[]){1, 0, 1}, 3, 1e-15);
    assert_int_equal(hml_model_loop(m, 2, &c), HML_OK);
    assert_int_equal(c.frame, hml_model_find_frame(m, "sb"));
    assert_int_equal(c.other, hml_model_find_frame(m, "sc"));
    assert_all_close((double[]){c.pose[3], c.pose[7], c.pose[11]}, (double[]){0, 0, 0}, 3, 0);
    hml_model_free(m);
}

/* the world, which cannot move, may be the first body too: the other one is tied, by its point that is there */
static void test_connect_world(void **state)
{
    (void)state;
    hml_loop c;
    hml_frame_info info = {.struct_size = sizeof info};
    hml_model *m = read_mjcf(MJCF("<connect body1='world' body2='b' anchor='1 2 3'/><connect body2='c' anchor='3 0 0'/>"
                                  "<connect body1='b' body2='b' anchor='0 0 0'/><connect anchor='0 0 0'/>"));
    assert_int_equal(hml_model_nloops(m), 2);
    assert_int_equal(hml_model_loop(m, 0, &c), HML_OK);
    assert_int_equal(c.other, HML_WORLD);
    assert_all_close((double[]){c.pose[3], c.pose[7], c.pose[11]}, (double[]){1, 2, 3}, 3, 1e-15);
    assert_int_equal(hml_model_frame(m, c.frame, &info), HML_OK);
    assert_int_equal(info.body, hml_model_find_body(m, "b"));
    assert_all_close(info.position, (double[]){0, 2, 2}, 3, 1e-15); /* b is drawn at (1, 0, 1) */
    assert_int_equal(hml_model_nwarnings(m), 2);
    assert_says(hml_model_warning(m, 0), "'b' is left out: it ties a body to itself");
    hml_model_free(m);
}

static void test_weld(void **state)
{
    (void)state;
    hml_loop c;
    hml_model *m = read_mjcf(MJCF("<weld body1='b' body2='c'/><weld body1='b' body2='c' relpose='1 2 3 0 0 0 2'/>"
                                  "<weld site1='sb' site2='sc'/><weld body1='a'/>"));
    assert_int_equal(hml_model_nloops(m), 4);
    assert_int_equal(hml_model_loop(m, 0, &c), HML_OK);
    assert_int_equal(c.kind, HML_HOLD_FRAME);
    assert_all_close((double[]){c.pose[3], c.pose[7], c.pose[11]}, (double[]){-2, 0, 1}, 3, 1e-15);
    assert_int_equal(hml_model_loop(m, 1, &c), HML_OK); /* c in b: turned by π about z at (1, 2, 3). b in c: */
    assert_all_close(c.pose, (double[]){-1, 0, 0, 1, 0, -1, 0, 2, 0, 0, 1, -3}, 12, 1e-15);
    assert_int_equal(hml_model_loop(m, 3, &c), HML_OK);
    assert_int_equal(c.other, HML_WORLD);
    hml_model_free(m);
}

static void test_joint_equality(void **state)
{
    (void)state;
    hml_model *m = read_mjcf(MJCF("<joint joint1='jb' joint2='ja' polycoef='0.1 -2 0 0 0'/>"
                                  "<joint joint1='jc' joint2='ja' polycoef='0 1 0.5'/><joint joint1='jc'/>"
                                  "<weld body1='b' body2='c' active='false'/>"));
    const hml_joint_info info = joint_info(m, "jb");
    assert_int_equal(hml_model_nv(m), 2);
    assert_int_equal(info.leader, hml_model_find_joint(m, "ja"));
    assert_true(info.multiplier == -2 && info.offset == 0.1);
    assert_int_equal(hml_model_nloops(m), 0);
    assert_int_equal(hml_model_nwarnings(m), 3);
    assert_says(hml_model_warning(m, 0), "'jc' is left out: a joint can follow another in proportion");
    assert_says(hml_model_warning(m, 1), "'jc' is left out: it holds one joint");
    assert_says(hml_model_warning(m, 2), "'b' is left out: it is not active");
    hml_model_free(m);
}

static void test_bad_equality(void **state)
{
    (void)state;
    static const char *const bad[] = {MJCF("<connect body1='x' body2='c' anchor='0 0 0'/>"),
                                      MJCF("<connect body1='b' body2='c'/>"), MJCF("<weld site1='sb' site2='no'/>"),
                                      MJCF("<joint joint1='x' joint2='ja'/>")};
    static const char *const says[] = {"no body 'x'", "needs an anchor", "no site 'no'", "no joint 'x'"};
    for (int i = 0; i < 4; i++) {
        hml_model *m = NULL;
        hml_error error = {0};
        assert_true(hml_load_memory(bad[i], strlen(bad[i]), "x.xml", NULL, &m, &error) != HML_OK);
        assert_says(error.message, says[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builder),        cmocka_unit_test(test_files_and_blocks),
        cmocka_unit_test(test_edits),          cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bad_json),       cmocka_unit_test(test_connect),
        cmocka_unit_test(test_connect_world),  cmocka_unit_test(test_weld),
        cmocka_unit_test(test_joint_equality), cmocka_unit_test(test_bad_equality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
