/* What a builder refuses, what it only warns about, and whether the sentence names the culprit. */
#include <math.h>

#include "model_fixture.h"

static hml_error last;

static hml_status add_joint(hml_builder *b, const char *name, const char *parent, const hml_joint_spec *joint)
{
    memset(&last, 0, sizeof last);
    hml_inertia_spec I = some_inertia(1);
    return hml_builder_add_body(b, name, parent, joint, &I, &last);
}

static hml_status build_fails(hml_builder *b, unsigned options)
{
    hml_model *m = NULL;
    memset(&last, 0, sizeof last);
    hml_status status = hml_builder_build(b, options, &m, &last);
    assert_null(m);
    assert_int_equal(last.status, status);
    assert_true(strlen(last.message) > 0);
    hml_builder_free(b);
    return status;
}

static void test_names(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "j_other");
    const double zero[3] = {0};
    add_link(b, "arm", NULL, HML_JOINT_REVOLUTE);
    add_tool(b, "tip", "arm");
    assert_int_equal(add_joint(b, "arm", NULL, &joint), HML_BAD_MODEL);
    assert_says(last.message, "'arm'");
    assert_int_equal(add_joint(b, "tip", NULL, &joint), HML_BAD_MODEL);
    assert_says(last.message, "a frame has this name");
    assert_int_equal(hml_builder_add_frame(b, "arm", NULL, zero, identity9, &last), HML_BAD_MODEL);
    assert_says(last.message, "a body has this name");
    assert_int_equal(hml_builder_add_frame(b, "tip", "arm", zero, identity9, &last), HML_BAD_MODEL);
    joint.name = "j_arm";
    assert_int_equal(add_joint(b, "leg", NULL, &joint), HML_BAD_MODEL);
    assert_says(last.message, "joint 'j_arm'");
    joint.name = "";
    assert_int_equal(add_joint(b, "leg", NULL, &joint), HML_INVALID_ARGUMENT);
    joint.name = "j_leg";
    assert_int_equal(add_joint(b, "", NULL, &joint), HML_INVALID_ARGUMENT);
    assert_int_equal(add_joint(b, "leg", "leg", &joint), HML_BAD_MODEL);
    assert_says(last.message, "its own parent");
    hml_model *m = finish(b, 0); /* what was refused left no trace */
    assert_int_equal(hml_model_nbodies(m), 1);
    assert_int_equal(hml_model_nframes(m), 2);
    hml_model_free(m);
}

static void test_cross_names(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_UNIVERSAL, "j");
    add_link(b, "a", NULL, HML_JOINT_UNIVERSAL);
    assert_int_equal(add_joint(b, "a.cross", NULL, &joint), HML_BAD_MODEL);
    assert_says(last.message, "the cross of a universal joint");
    add_link(b, "b.cross", NULL, HML_JOINT_REVOLUTE);
    assert_int_equal(add_joint(b, "b", NULL, &joint), HML_BAD_MODEL);
    assert_says(last.message, "'b.cross'");
    hml_builder_free(b);
}

static void test_numbers(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec good = some_joint(HML_JOINT_REVOLUTE, "elbow"), bad = good;
    hml_inertia_spec I = some_inertia(1);
    double *const numbers[] = {&bad.position[1],     &bad.rotation[4],      &bad.axis[0],  &bad.point[2],
                               &bad.armature[0],     &bad.damping[0],       &bad.rest[0],  &bad.stiffness[0],
                               &bad.multiplier,      &bad.offset,           &bad.lower[0], &bad.upper[0],
                               &bad.effort_limit[0], &bad.velocity_limit[0]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        bad = good;
        *numbers[i] = NAN;
        assert_int_equal(add_joint(b, "arm", NULL, &bad), HML_NOT_FINITE);
        assert_says(last.message, "'elbow'");
        *numbers[i] = INFINITY; /* limits may be infinite */
        if (i < 10) assert_int_equal(add_joint(b, "arm", NULL, &bad), HML_NOT_FINITE);
    }
    double *const inertia[] = {&I.mass, &I.com[0], &I.moment[5]};
    for (size_t i = 0; i < sizeof inertia / sizeof *inertia; i++) {
        I = some_inertia(1);
        *inertia[i] = INFINITY;
        assert_int_equal(hml_builder_add_body(b, "arm", NULL, &good, &I, &last), HML_NOT_FINITE);
        assert_says(last.message, "'arm'");
    }
    I = some_inertia(1);
    I.mass = -1;
    assert_int_equal(hml_builder_add_body(b, "arm", NULL, &good, &I, &last), HML_BAD_MODEL);
    assert_says(last.message, "negative");
    const double gravity[3] = {0, NAN, 0};
    assert_int_equal(hml_builder_set_gravity(b, gravity), HML_NOT_FINITE);
    hml_builder_free(b);
}

/* each number is finite, their product is not */
static void test_overflow(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_FIXED, "far");
    joint.position[0] = 1e308;
    add_link(b, "root", NULL, HML_JOINT_FREE);
    add_spec(b, "far", "root", &joint);
    joint.name = "farther";
    add_spec(b, "farther", "far", &joint);
    assert_int_equal(build_fails(b, 0), HML_NOT_FINITE);
    assert_says(last.message, "overflow");
}

static void test_axes(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    static const hml_joint_type with[] = {HML_JOINT_REVOLUTE, HML_JOINT_PRISMATIC, HML_JOINT_HELICAL,
                                          HML_JOINT_CYLINDRICAL, HML_JOINT_UNIVERSAL};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        hml_joint_spec joint = some_joint(with[i], "hinge");
        joint.axis[2] = 0;
        assert_int_equal(add_joint(b, "door", NULL, &joint), HML_BAD_MODEL);
        assert_says(last.message, "'hinge'");
    }
    hml_joint_spec joint = some_joint(HML_JOINT_UNIVERSAL, "hinge");
    joint.axis2[0] = 0;
    assert_int_equal(add_joint(b, "door", NULL, &joint), HML_BAD_MODEL);
    assert_says(last.message, "axis2");
    joint = some_joint(HML_JOINT_SPHERICAL, "ball"); /* which has no axis */
    joint.axis[2] = 0;
    assert_int_equal(add_joint(b, "door", NULL, &joint), HML_OK);
    joint = some_joint((hml_joint_type)77, "x");
    assert_int_equal(add_joint(b, "window", NULL, &joint), HML_INVALID_ARGUMENT);
    joint = some_joint(HML_JOINT_SPHERICAL, "x");
    joint.rest[0] = 0;
    assert_int_equal(add_joint(b, "window", NULL, &joint), HML_BAD_MODEL);
    joint.struct_size = 0;
    assert_int_equal(add_joint(b, "window", NULL, &joint), HML_INVALID_ARGUMENT);
    hml_builder_free(b);
}

static void test_rotations(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "j");
    joint.rotation[0] = -1; /* a reflection */
    assert_int_equal(add_joint(b, "l", NULL, &joint), HML_NOT_NORMALIZED);
    joint.rotation[0] = 1.002;
    assert_int_equal(add_joint(b, "l", NULL, &joint), HML_NOT_NORMALIZED);
    joint.rotation[0] = 0;
    assert_int_equal(add_joint(b, "l", NULL, &joint), HML_NOT_NORMALIZED);
    joint.rotation[0] = 1.0005;
    joint.rotation[1] = 2e-4;
    assert_int_equal(add_joint(b, "l", NULL, &joint), HML_OK);
    joint.name = "k";
    joint.rotation[0] = 1 + 1e-12;
    joint.rotation[1] = 0;
    assert_int_equal(add_joint(b, "l2", NULL, &joint), HML_OK);
    hml_model *m = finish(b, 0);
    hml_joint_info info = joint_info(m, "j");
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double dot = 0;
            for (int l = 0; l < 3; l++) dot += info.rotation[3 * i + l] * info.rotation[3 * k + l];
            assert_close(dot, i == k, 1e-15);
        }
    }
    assert_close(info.rotation[1], 1e-4, 1e-7); /* the nearest rotation shares the shear between both sides */
    assert_true(joint_info(m, "k").rotation[0] == 1 + 1e-12);
    hml_model_free(m);
}

static void test_trees(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    assert_int_equal(build_fails(b, 0), HML_BAD_MODEL);

    b = hml_builder_new();
    add_link(b, "root", NULL, HML_JOINT_FREE);
    add_link(b, "tail", "c", HML_JOINT_REVOLUTE); /* hangs on the cycle, is not part of it */
    add_link(b, "a", "c", HML_JOINT_REVOLUTE);
    add_link(b, "b", "a", HML_JOINT_REVOLUTE);
    add_link(b, "c", "b", HML_JOINT_REVOLUTE);
    assert_int_equal(build_fails(b, 0), HML_BAD_MODEL);
    assert_says(last.message, "its own ancestor");
    assert_null(strstr(last.message, "tail"));

    b = hml_builder_new();
    add_link(b, "leaf", "twig", HML_JOINT_REVOLUTE);
    assert_int_equal(build_fails(b, 0), HML_BAD_MODEL);
    assert_says(last.message, "'leaf'");
    assert_says(last.message, "'twig' does not exist");

    b = hml_builder_new();
    add_link(b, "root", NULL, HML_JOINT_FREE);
    add_tool(b, "tip", "root");
    add_link(b, "leaf", "tip", HML_JOINT_REVOLUTE);
    assert_int_equal(build_fails(b, 0), HML_BAD_MODEL);
    assert_says(last.message, "'tip' is a frame");

    b = hml_builder_new();
    add_link(b, "root", NULL, HML_JOINT_FREE);
    add_tool(b, "tip", "branch");
    assert_int_equal(build_fails(b, 0), HML_BAD_MODEL);
    assert_says(last.message, "frame 'tip'");
    assert_null(strstr(last.message, "did you mean"));
}

/* the name that was meant, through letters that are missing, too many, wrong or swapped; none where none is near */
static void test_near_names(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"trnk", "trunk"},  {"trunkk", "trunk"}, {"tronk", "trunk"},
                                           {"rtunk", "trunk"}, {"hp", "hip"},       {"left", NULL},
                                           {"x", NULL},        {"", NULL}};
    char name[100] = "", sentence[64];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hml_builder *b = hml_builder_new();
        add_link(b, "hip", NULL, HML_JOINT_FREE);
        add_link(b, "trunk", "hip", HML_JOINT_REVOLUTE);
        if (*wrong[i][0]) add_tool(b, "tip", wrong[i][0]);
        memset(name, 'x', sizeof name - 1);
        add_tool(b, "end", *wrong[i][0] ? "trunk" : name); /* a word that is too long to compare */
        assert_int_equal(build_fails(b, 0), HML_BAD_MODEL);
        snprintf(sentence, sizeof sentence, "does not exist; did you mean '%s'?", wrong[i][1] ? wrong[i][1] : "");
        if (wrong[i][1]) assert_says(last.message, sentence);
        if (!wrong[i][1]) assert_null(strstr(last.message, "did you mean"));
    }
}

static hml_builder *mimic(hml_joint_type leader, hml_joint_type follower, const char *whom)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(follower, "second");
    joint.mimic = whom;
    add_spec(b, "l2", NULL, &joint);
    joint = some_joint(leader, "first");
    joint.mimic = strcmp(whom, "first") == 0 ? "" : "second";
    if (!*joint.mimic) joint.mimic = NULL;
    add_spec(b, "l1", NULL, &joint);
    return b;
}

static void test_mimic(void **state)
{
    (void)state;
    assert_int_equal(build_fails(mimic(HML_JOINT_REVOLUTE, HML_JOINT_REVOLUTE, "third"), 0), HML_BAD_MODEL);
    assert_says(last.message, "'second' follows joint 'third', which does not exist");
    assert_int_equal(build_fails(mimic(HML_JOINT_REVOLUTE, HML_JOINT_REVOLUTE, "second"), 0), HML_BAD_MODEL);
    assert_says(last.message, "follows itself");
    assert_int_equal(build_fails(mimic(HML_JOINT_FREE, HML_JOINT_REVOLUTE, "first"), 0), HML_BAD_MODEL);
    assert_says(last.message, "free joint");
    assert_int_equal(build_fails(mimic(HML_JOINT_REVOLUTE, HML_JOINT_PLANAR, "first"), 0), HML_BAD_MODEL);
    assert_says(last.message, "planar joint");
    assert_int_equal(build_fails(mimic(HML_JOINT_FIXED, HML_JOINT_REVOLUTE, "first"), 0), HML_BAD_MODEL);
    hml_model *m = finish(mimic(HML_JOINT_REVOLUTE, HML_JOINT_PRISMATIC, "first"), 0); /* a rack and its pinion */
    assert_int_equal(hml_model_nv(m), 1);
    hml_model_free(m);
    m = finish(mimic(HML_JOINT_REVOLUTE, HML_JOINT_FIXED, "first"), 0);
    assert_int_equal(hml_model_nv(m), 1);
    assert_says(hml_model_warning(m, 0), "'second' is fixed");
    hml_model_free(m);
}

/* one link with this inertia on this joint: what does the model say? NULL: nothing */
static void expect_warning(hml_joint_type type, hml_inertia_spec I, const char *part)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(type, "j");
    assert_int_equal(hml_builder_add_body(b, "odd", NULL, &joint, &I, &last), HML_OK);
    hml_model *m = NULL;
    assert_int_equal(hml_builder_build(b, 0, &m, &last), HML_OK);
    assert_int_equal(hml_model_nwarnings(m), part != NULL);
    if (part) {
        assert_says(hml_model_warning(m, 0), "'odd'");
        assert_says(hml_model_warning(m, 0), part);
        hml_model_free(m);
        assert_int_equal(build_fails(b, HML_BUILD_STRICT), HML_BAD_MODEL);
        assert_says(last.message, part);
    } else {
        assert_null(hml_model_warning(m, 0));
        hml_model_free(m);
        hml_model_free(finish(b, HML_BUILD_STRICT));
    }
}

static void test_odd_inertias(void **state)
{
    (void)state;
    const hml_inertia_spec thin = {1, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 2}};
    const hml_inertia_spec point = {1, {0, 0, 1}, {0}}, nothing = {0, {0}, {0}};
    const hml_inertia_spec noise = {1, {0, 0, 1}, {0, 0, 1e-20, 0, 0, 0, 1e-20, 0, 0}};
    const hml_inertia_spec flat = {1, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 3}};
    const hml_inertia_spec negative = {1, {0}, {1, 0, 0, 0, -1, 0, 0, 0, 1}};
    const hml_inertia_spec hidden = {1, {0}, {1, 2, 0, 2, 1, 0, 0, 0, 1}}; /* eigenvalues −1, 1, 3 */
    const hml_inertia_spec skew = {1, {0}, {1, 0.1, 0, 0, 1, 0, 0, 0, 1}};
    const hml_inertia_spec massless = {0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    expect_warning(HML_JOINT_REVOLUTE, thin, NULL);
    expect_warning(HML_JOINT_REVOLUTE, point, NULL);
    expect_warning(HML_JOINT_REVOLUTE, noise, NULL);
    expect_warning(HML_JOINT_REVOLUTE, flat, "triangle");
    expect_warning(HML_JOINT_REVOLUTE, negative, "negative eigenvalue");
    expect_warning(HML_JOINT_REVOLUTE, hidden, "negative eigenvalue");
    expect_warning(HML_JOINT_REVOLUTE, skew, "not symmetric");
    expect_warning(HML_JOINT_REVOLUTE, massless, "no mass");
    expect_warning(HML_JOINT_REVOLUTE, nothing, "singular");
}

static void test_weightless_leaf(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "j1");
    assert_int_equal(hml_builder_add_body(b, "between", NULL, &joint, NULL, NULL), HML_OK);
    add_link(b, "end", "between", HML_JOINT_REVOLUTE); /* gives the one between something to move */
    joint.name = "j2";
    joint.armature[0] = 0.1; /* a rotor is inertia enough */
    assert_int_equal(hml_builder_add_body(b, "geared", "end", &joint, NULL, NULL), HML_OK);
    joint.name = "j3";
    joint.armature[0] = 0;
    joint.mimic = "j_end"; /* a follower adds to its leader */
    assert_int_equal(hml_builder_add_body(b, "follower", "end", &joint, NULL, NULL), HML_OK);
    hml_error error;
    hml_model *m;
    assert_int_equal(hml_builder_build(b, 0, &m, &error), HML_OK);
    assert_int_equal(hml_model_nwarnings(m), 0);
    hml_model_free(m);
    assert_int_equal(hml_builder_build(b, HML_BUILD_NO_PASSIVE, &m, &error), HML_OK);
    assert_int_equal(hml_model_nwarnings(m), 1);
    assert_says(hml_model_warning(m, 0), "'geared'");
    hml_model_free(m);
    hml_builder_free(b);
}

/* a handle without inertia that moves a heavy door by a mimic joint has something to move */
static void test_weightless_leader(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "handle");
    assert_int_equal(hml_builder_add_body(b, "handle", NULL, &joint, NULL, NULL), HML_OK);
    joint.name = "door";
    joint.mimic = "handle";
    add_spec(b, "door", NULL, &joint);
    hml_model *m = finish(b, 0);
    assert_int_equal(hml_model_nwarnings(m), 0);
    hml_model_free(m);
}

static void test_other_warnings(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "long");
    joint.axis[2] = 2;
    joint.lower[0] = 1, joint.upper[0] = -1;
    joint.damping[0] = -1;
    assert_int_equal(hml_builder_add_warning(b, "the file says nothing about the weather"), HML_OK);
    add_spec(b, "l", NULL, &joint);
    hml_model *m = finish(b, 0);
    assert_int_equal(hml_model_nwarnings(m), 4);
    assert_string_equal(hml_model_warning(m, 0), "the file says nothing about the weather");
    assert_says(hml_model_warning(m, 1), "length 2");
    assert_says(hml_model_warning(m, 2), "damping is negative");
    assert_says(hml_model_warning(m, 3), "lower limit");
    assert_true(joint_info(m, "long").axis[2] == 1);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_cross_names),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_near_names),
        cmocka_unit_test(test_mimic),
        cmocka_unit_test(test_odd_inertias),
        cmocka_unit_test(test_weightless_leaf),
        cmocka_unit_test(test_weightless_leader),
        cmocka_unit_test(test_other_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
