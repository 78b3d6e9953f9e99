/*
 * Generated code: robots of every kind are generated, compiled with all warnings as errors, and run: the programs compare
 * themselves with results of the library. With the argument `long` many more robots are drawn (make generated).
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model_fixture.h"

#include "hamel/generate.h"
#include "hamel/io.h"
#include "hamel/random.h"

#define WARNINGS "-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

static char folder[64];
static int many;               /* 1: the long set */
static const char *flags = ""; /* more of the compiler */

static int open_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/hamel-generate-XXXXXX");
    return state == NULL || mkdtemp(folder) == NULL;
}

static int close_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return state == NULL || system(command);
}

static const char *compiler(void)
{
    const char *cc = getenv("CC");
    return cc && *cc ? cc : "cc";
}

static int has_compiler(void)
{
    char command[256];
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler());
    return system(command) == 0;
}

/* generates, compiles and runs the test of a robot, with these options */
static void assert_agrees_with(const hml_model *m, hml_generate_options *options, const char *what)
{
    char path[128], command[512];
    hml_error error = {0};
    snprintf(path, sizeof path, "%s/robot.c", folder);
    options->test = 1;
    if (hml_generate(m, options, path, &error)) fail_msg("%s: %s", what, error.message);
    snprintf(command, sizeof command, "cd '%s' && %s %s %s -O%d robot.c robot_test.c -lm -o robot && ./robot", folder,
             compiler(), WARNINGS, flags, many);
    if (system(command)) fail_msg("%s: the generated code does not agree, or does not compile", what);
}

/* functions: of the short set; the long one has all */
static void assert_agrees(const hml_model *m, unsigned functions, const char *what)
{
    hml_generate_options options;
    const int32_t frames[2] = {hml_model_nframes(m) - 1, hml_model_nframes(m) / 2};
    hml_generate_options_init(&options);
    options.frames = frames;
    options.frame_count = 2;
    if (!many) options.functions = functions;
    options.test_states = many ? 100 : 8;
    assert_agrees_with(m, &options, what);
}

enum {
    FOUR = HML_GENERATE_LINEARIZE | HML_GENERATE_FORWARD_DYNAMICS | HML_GENERATE_INVERSE_DYNAMICS |
           HML_GENERATE_MASS_MATRIX,
    STEPS = HML_GENERATE_STEP_LINEARIZE | HML_GENERATE_FRAMES
};

static hml_model *builtin(const char *name)
{
    hml_model *m = NULL;
    hml_error error = {0};
    if (hml_load_builtin(name, NULL, &m, &error)) fail_msg("%s", error.message);
    return m;
}

static void built_in_robots_agree(void **state)
{
    (void)state;
    static const char *const quick[] = {"pendulum", "quadruped", "drone_arm"};
    if (!has_compiler()) skip();
    for (int i = 0; i < (many ? hml_builtin_count() : 3); i++) {
        const char *name = many ? hml_builtin_name(i) : quick[i];
        hml_model *m = builtin(name);
        assert_agrees(m, i == 1 ? FOUR : FOUR | STEPS, name);
        hml_model_free(m);
    }
}

/* of a joint whose springs do not turn with it, so that steps can be generated */
static int adds_up(int type)
{
    return type != HML_JOINT_PLANAR && type != HML_JOINT_SCHOENFLIES && type != HML_JOINT_SPHERICAL &&
           type != HML_JOINT_FREE;
}

/* every type of joint, in limbs of which there are two and in the trunk, with armature, damping and springs */
static void every_joint_agrees(void **state)
{
    (void)state;
    if (!has_compiler()) skip();
    for (int root = 0; root < 2; root++) {
        hml_builder *b = hml_builder_new();
        hml_joint_spec base = some_joint(root ? HML_JOINT_SCHOENFLIES : HML_JOINT_FREE, "base");
        add_spec(b, "trunk", NULL, &base);
        for (int type = HML_JOINT_REVOLUTE; type <= HML_JOINT_FREE; type++) {
            for (int side = 0; side < 2; side++) {
                char name[32], child[32];
                snprintf(name, sizeof name, "limb%d_%d", type, side);
                snprintf(child, sizeof child, "end%d_%d", type, side);
                hml_joint_spec joint = some_joint((hml_joint_type)type, name);
                joint.position[1] = side ? -0.3 : 0.2;
                joint.axis[1] = 0.3 * side;
                for (int k = 0; k < HML_JOINT_MAX_NV; k++) {
                    joint.armature[k] = 0.1 * (k + side);
                    joint.damping[k] = 0.2 + 0.1 * side;
                    joint.stiffness[k] = type % 2 && (!root || adds_up(type)) ? 3 + k : 0;
                }
                add_spec(b, name, "trunk", &joint);
                if (type % 3 == 0) add_link(b, child, name, HML_JOINT_REVOLUTE);
            }
        }
        hml_model *m = finish(b, 0);
        assert_agrees(m, root ? STEPS : FOUR, "every joint");
        hml_model_free(m);
    }
}

static void random_robots_agree(void **state)
{
    (void)state;
    if (!has_compiler()) skip();
    for (uint64_t seed = 1; seed <= (many ? 60u : 2u); seed++) {
        hml_random_spec spec;
        hml_model *m = NULL;
        char what[64];
        hml_random_spec_init(&spec);
        spec.seed = seed;
        spec.nbodies = (int32_t)(3 + seed * 7 % 12);
        spec.shape = (hml_random_shape)(seed % 5);
        spec.root = seed % 3 == 0 ? HML_JOINT_FREE : seed % 3 == 1 ? HML_JOINT_REVOLUTE : HML_JOINT_FIXED;
        spec.joint_types = 0xffeu; /* all but fixed */
        spec.passive = seed % 2 ? 0.5 : 0;
        assert_int_equal(hml_model_random(&spec, &m), HML_OK);
        snprintf(what, sizeof what, "random robot %d", (int)seed);
        assert_agrees(m, FOUR, what);
        hml_model_free(m);
    }
}

static void followers_agree(void **state)
{
    (void)state;
    if (!has_compiler()) skip();
    for (uint64_t seed = 1; seed <= (many ? 10u : 1u); seed++) {
        hml_random_spec spec;
        hml_model *m = NULL;
        hml_random_spec_init(&spec);
        spec.seed = seed;
        spec.nbodies = 6;
        spec.mimic = 0.5;
        spec.passive = 0.5;
        assert_int_equal(hml_model_random(&spec, &m), HML_OK);
        assert_agrees(m, FOUR | HML_GENERATE_FRAMES, "followers");
        hml_model_free(m);
    }
}

/* limbs side by side in vectors, and states of a batch in packs, whatever the processor */
static void vectors_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"quadruped", "pendulum", "humanoid", "ship_crane", "satellite"};
    if (!has_compiler()) skip();
    flags = "-DROBOT_PACKS";
    for (int i = 0; i < (many ? 10 : 2); i++) {
        hml_model *m = builtin(names[i % 5]);
        hml_generate_options options;
        hml_generate_options_init(&options);
        options.target = HML_TARGET_VECTOR;
        options.single = i >= 5;
        options.test_states = 5;
        options.batch = 1;
        options.prefix = "robot";
        assert_agrees_with(m, &options, names[i % 5]);
        hml_model_free(m);
    }
    for (uint64_t seed = 1; seed <= (many ? 20u : 1u); seed++) {
        hml_random_spec spec;
        hml_model *m = NULL;
        hml_generate_options options;
        hml_random_spec_init(&spec);
        spec.seed = seed;
        spec.nbodies = (int32_t)(7 + 3 * seed % 14);
        spec.branches = (int32_t)(2 + seed % 5);
        spec.mimic = seed % 4 == 3 ? 0.3 : 0;
        assert_int_equal(hml_model_random(&spec, &m), HML_OK);
        hml_generate_options_init(&options);
        options.target = HML_TARGET_VECTOR;
        options.test_states = 5;
        options.batch = 1;
        options.prefix = "robot";
        assert_agrees_with(m, &options, "random robot with vectors");
        hml_model_free(m);
    }
    flags = "";
}

/* one body that is free: no column of D_q is computed in registers, and no limb fills what the trunk leaves */
static void one_body_agrees(void **state)
{
    (void)state;
    if (!has_compiler()) skip();
    hml_builder *b = hml_builder_new();
    add_link(b, "body", NULL, HML_JOINT_FREE);
    hml_model *m = finish(b, 0);
    for (int i = 0; i < 4; i++) {
        hml_generate_options options;
        const int32_t frame = 0;
        const hml_constraint hold = {.kind = HML_HOLD_POINT, .frame = hml_model_nframes(m) - 1};
        hml_generate_options_init(&options);
        options.functions = i < 2 ? HML_GENERATE_ALL : HML_GENERATE_LINEARIZE;
        options.target = i ? HML_TARGET_VECTOR : HML_TARGET_C;
        options.single = i == 3;
        options.batch = i > 0;
        options.frames = &frame, options.frame_count = 1;
        options.holds = &hold, options.hold_count = 1;
        options.test_states = 5;
        options.prefix = "robot";
        flags = i == 2 ? "-DROBOT_PACKS" : "";
        assert_agrees_with(m, &options, "one body");
    }
    flags = "";
    hml_model_free(m);
}

/* each function alone: nothing is unused; and single precision */
static void options_agree(void **state)
{
    (void)state;
    if (!has_compiler()) skip();
    hml_model *m = builtin("quadruped");
    for (unsigned bit = 1; bit < HML_GENERATE_ALL; bit *= 2) {
        hml_generate_options options;
        const hml_constraint hold = {.kind = HML_HOLD_POINT, .frame = hml_model_find_frame(m, "fl_foot")};
        hml_generate_options_init(&options);
        options.holds = &hold;
        options.hold_count = 1;
        options.functions = bit;
        options.single = bit == HML_GENERATE_FORWARD_DYNAMICS || bit == HML_GENERATE_LINEARIZE;
        options.test_states = 3;
        if ((bit & (HML_GENERATE_LINEARIZE | HML_GENERATE_STEP_LINEARIZE | HML_GENERATE_HELD_LINEARIZE)) && !many)
            continue; /* others do these */
        options.target = bit == HML_GENERATE_INVERSE_DYNAMICS ? HML_TARGET_VECTOR : HML_TARGET_C;
        assert_agrees_with(m, &options, "some functions");
    }
    hml_model_free(m);
}

/* ---- frames that are held ---- */

/* all functions with these holds */
static void assert_holds_agree(const hml_model *m, const hml_constraint *holds, int32_t count, const char *what)
{
    hml_generate_options options;
    hml_generate_options_init(&options);
    options.functions = HML_GENERATE_HELD_LINEARIZE | (many ? HML_GENERATE_FRAMES : 0u);
    options.holds = holds;
    options.hold_count = count;
    options.test_states = many ? 100 : 4;
    assert_agrees_with(m, &options, what);
}

static void held_robots_agree(void **state)
{
    (void)state;
    static const char *const feet[] = {"fl_foot", "fr_foot", "hl_foot", "hr_foot"};
    hml_constraint holds[4] = {0};
    if (!has_compiler()) skip();
    hml_model *m = builtin("quadruped");
    for (int i = 0; i < 4; i++) {
        holds[i].kind = HML_HOLD_POINT;
        holds[i].frame = hml_model_find_frame(m, feet[i]);
        assert_true(holds[i].frame >= 0);
    }
    if (many) assert_holds_agree(m, holds, 4, "four feet");
    holds[1].kind = HML_HOLD_FRAME;
    assert_holds_agree(m, holds, 2, "a point and a frame");
    hml_model_free(m);
    for (uint64_t seed = 1; seed <= (many ? 40u : 2u); seed++) {
        hml_random_spec spec;
        hml_random_spec_init(&spec);
        spec.seed = seed;
        spec.nbodies = 8;
        spec.joint_types = 0xffeu; /* all but fixed */
        spec.passive = 0.5;
        spec.mimic = seed % 2 ? 0.4 : 0; /* followers do not go with all other joints */
        spec.root = HML_JOINT_FREE;
        if (seed % 2) spec.joint_types = 1u << HML_JOINT_REVOLUTE;
        assert_int_equal(hml_model_random(&spec, &m), HML_OK);
        holds[0].frame = hml_model_nbodies(m) - 1;
        holds[0].kind = seed % 4 < 2 ? HML_HOLD_POINT : HML_HOLD_FRAME;
        assert_holds_agree(m, holds, 1, "a random robot that is held");
        hml_model_free(m);
    }
}

/* one body that is held: what is zero but for rounding is compared with what cancels in it */
static void held_bodies_agree(void **state)
{
    (void)state;
    if (!has_compiler()) skip();
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint = some_joint(HML_JOINT_FREE, "base");
    const hml_inertia_spec I = {1.5, {0, 0, 0}, {0.012, 0, 0, 0, 0.012, 0, 0, 0, 0.022}};
    assert_int_equal(hml_builder_add_body(b, "body", NULL, &joint, &I, NULL), HML_OK);
    hml_model *m = finish(b, 0);
    for (int i = 0; i < 4; i++) {
        hml_generate_options options;
        const hml_constraint hold = {.kind = i % 2 ? HML_HOLD_POINT : HML_HOLD_FRAME,
                                     .frame = hml_model_find_frame(m, "body")};
        hml_generate_options_init(&options);
        options.functions = HML_GENERATE_HELD_LINEARIZE | HML_GENERATE_LINEARIZE;
        options.holds = &hold, options.hold_count = 1;
        options.single = i / 2;
        assert_agrees_with(m, &options, "a body that is held");
    }
    hml_model_free(m);
}

/* names that C makes the same, and others that are what their numbers would make of them: the header compiles */
static void names_stay_different(void **state)
{
    (void)state;
    static const char *const joints[] = {"a b", "a_b", "a_b_0", "a_b_1", "a_b_0_2", "A B"};
    static const char *const frames[] = {"f 1", "f_1", "f_1_0", "f_1_0_0"};
    char parent[16] = "", name[16];
    int32_t listed[4];
    hml_generate_options options;
    if (!has_compiler()) skip();
    hml_builder *b = hml_builder_new();
    for (int i = 0; i < 6; i++) {
        hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, joints[i]);
        snprintf(name, sizeof name, "body%d", i);
        add_spec(b, name, i ? parent : NULL, &joint);
        memcpy(parent, name, sizeof parent);
    }
    for (int i = 0; i < 4; i++) add_tool(b, frames[i], "body3");
    hml_model *m = finish(b, 0);
    for (int i = 0; i < 4; i++) listed[i] = hml_model_find_frame(m, frames[i]);
    hml_generate_options_init(&options);
    options.functions = HML_GENERATE_MASS_MATRIX | HML_GENERATE_FRAMES;
    options.frames = listed, options.frame_count = 4;
    options.test_states = 2;
    assert_agrees_with(m, &options, "names that are alike");
    hml_model_free(m);
}

/* what cannot be held, or cannot be stepped, is refused with a sentence */
static void functions_that_cannot_be_generated(void **state)
{
    (void)state;
    hml_model *m = builtin("quadruped"), *ship = builtin("ship_crane");
    hml_generate_options options;
    hml_error error = {0};
    char *source = NULL, *header = NULL;
    hml_constraint hold = {.kind = HML_HOLD_PLANE, .normal = {0, 0, 1}};
    const int32_t none = 1000;
    hml_generate_options_init(&options);
    options.functions = HML_GENERATE_HELD_LINEARIZE;
    assert_int_equal(hml_generate_text(m, &options, &source, &header, NULL, &error), HML_INVALID_ARGUMENT);
    assert_says(error.message, "needs frames");
    options.holds = &hold;
    options.hold_count = 1;
    assert_int_equal(hml_generate_text(m, &options, &source, &header, NULL, &error), HML_UNSUPPORTED);
    assert_says(error.message, "held points");
    hold.kind = HML_HOLD_POINT, hold.frame = -1;
    assert_int_equal(hml_generate_text(m, &options, &source, &header, NULL, &error), HML_INVALID_ARGUMENT);
    options.holds = NULL;
    options.functions = HML_GENERATE_FRAMES;
    options.frames = &none;
    options.frame_count = 1;
    assert_int_equal(hml_generate_text(m, &options, &source, &header, NULL, &error), HML_INVALID_ARGUMENT);
    assert_says(error.message, "no frame 1000");
    hml_generate_options_init(&options);
    options.functions = HML_GENERATE_STEP_LINEARIZE;
    assert_int_equal(hml_generate_text(ship, &options, &source, &header, NULL, &error), HML_UNSUPPORTED);
    assert_says(error.message, "spring that turns");
    assert_null(source);
    hml_model_free(m), hml_model_free(ship);
}

/* one foot that is held twice: the test of the code would have nothing to compare with */
static void redundant_holds_have_no_test(void **state)
{
    (void)state;
    hml_model *m = builtin("quadruped");
    char *source = NULL, *header = NULL, *test = NULL;
    hml_generate_options options;
    hml_error error = {0};
    const int32_t foot = hml_model_find_frame(m, "fl_foot");
    const hml_constraint holds[2] = {{.kind = HML_HOLD_POINT, .frame = foot}, {.kind = HML_HOLD_FRAME, .frame = foot}};
    hml_generate_options_init(&options);
    options.functions = HML_GENERATE_HELD_LINEARIZE;
    options.holds = holds;
    options.hold_count = 2;
    options.test = 1;
    assert_int_equal(hml_generate_text(m, &options, &source, &header, &test, &error), HML_INCONSISTENT);
    assert_says(error.message, "redundant");
    hml_model_free(m);
}

/* the same of joints without inertia, which are named */
static void singular_robots_have_no_test(void **state)
{
    (void)state;
    char *source = NULL, *header = NULL, *test = NULL;
    hml_generate_options options;
    hml_error error = {0};
    hml_builder *b = hml_builder_new();
    hml_joint_spec ghost = some_joint(HML_JOINT_PRISMATIC, "ghost");
    add_link(b, "arm", NULL, HML_JOINT_REVOLUTE);
    assert_int_equal(hml_builder_add_body(b, "nothing", "arm", &ghost, NULL, NULL), HML_OK);
    hml_model *m = finish(b, 0);
    hml_generate_options_init(&options);
    options.test = 1;
    assert_int_equal(hml_generate_text(m, &options, &source, &header, &test, &error), HML_SINGULAR);
    assert_says(error.message, "nothing gives ghost any inertia");
    hml_model_free(m);
}

/* ---- without a compiler ---- */

static void texts_are_the_same_every_time(void **state)
{
    (void)state;
    hml_model *m = builtin("pendulum"), *again = builtin("pendulum");
    char *source[2], *header[2];
    hml_error error = {0};
    assert_int_equal(hml_generate_text(m, NULL, &source[0], &header[0], NULL, &error), HML_OK);
    assert_int_equal(hml_generate_text(again, NULL, &source[1], &header[1], NULL, &error), HML_OK);
    assert_string_equal(source[0], source[1]);
    assert_string_equal(header[0], header[1]);
    assert_says(header[0], hml_version());
    assert_says(header[0], "int pendulum_linearize(");
    for (int i = 0; i < 2; i++) hml_text_free(source[i]), hml_text_free(header[i]);
    hml_model_free(m), hml_model_free(again);
}

/* the source includes the header that was written, whatever the prefix is */
static void headers_are_found_by_their_file(void **state)
{
    (void)state;
    hml_model *m = builtin("pendulum");
    hml_generate_options options;
    hml_error error = {0};
    static char text[1 << 16];
    char path[128];
    hml_generate_options_init(&options);
    options.functions = HML_GENERATE_MASS_MATRIX;
    for (int i = 0; i < 2; i++) {
        options.prefix = i ? "dog" : NULL;
        snprintf(path, sizeof path, "%s/my-robot.c", folder);
        assert_int_equal(hml_generate(m, &options, path, &error), HML_OK);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        assert_says(text, "#include \"my-robot.h\"");
        assert_says(text, i ? "int dog_mass_matrix(" : "int my_robot_mass_matrix(");
    }
    snprintf(path, sizeof path, "%s/a\"b.c", folder);
    assert_int_equal(hml_generate(m, &options, path, &error), HML_INVALID_ARGUMENT);
    hml_model_free(m);
}

static void names_of_functions_are_read(void **state)
{
    (void)state;
    unsigned functions = 0;
    assert_int_equal(hml_generate_functions("mass_matrix,linearize", &functions), HML_OK);
    assert_int_equal(functions, HML_GENERATE_MASS_MATRIX | HML_GENERATE_LINEARIZE);
    assert_int_equal(hml_generate_functions("step_linearize,frames,held_linearize", &functions), HML_OK);
    assert_int_equal(functions, HML_GENERATE_STEP_LINEARIZE | HML_GENERATE_FRAMES | HML_GENERATE_HELD_LINEARIZE);
    assert_int_equal(hml_generate_functions("mass", &functions), HML_NOT_FOUND);
    assert_int_equal(hml_generate_functions("", &functions), HML_NOT_FOUND);
    assert_int_equal(hml_generate_functions(NULL, &functions), HML_INVALID_ARGUMENT);
}

/* nothing half written: the header goes again where the source cannot be written */
static void failures_leave_nothing(void **state)
{
    (void)state;
    hml_model *m = builtin("pendulum");
    hml_error error = {0};
    char path[128], header[128];
    struct stat about;
    assert_int_equal(hml_generate(m, NULL, "/nowhere/robot.c", &error), HML_CANNOT_WRITE);
    assert_int_equal(hml_generate(m, NULL, "robot.cpp", &error), HML_INVALID_ARGUMENT);
    assert_says(error.message, "end in .c");
    snprintf(path, sizeof path, "%s/taken.c", folder);
    snprintf(header, sizeof header, "%s/taken.h", folder);
    assert_int_equal(mkdir(path, 0700), 0); /* a folder stands where the source would be */
    assert_int_equal(hml_generate(m, NULL, path, &error), HML_CANNOT_WRITE);
    assert_int_not_equal(stat(header, &about), 0);
    hml_model_free(m);
}

static void large_robots_are_refused_before_they_start(void **state)
{
    (void)state;
    hml_random_spec spec;
    hml_model *m = NULL;
    hml_error error = {0};
    char *source = NULL, *header = NULL;
    int64_t statements = 0;
    hml_random_spec_init(&spec);
    spec.nbodies = 500;
    spec.shape = HML_RANDOM_CHAIN;
    assert_int_equal(hml_model_random(&spec, &m), HML_OK);
    assert_int_equal(hml_generate_estimate(m, NULL, &statements), HML_OK);
    assert_true(statements > HML_GENERATE_LIMIT);
    assert_int_equal(hml_generate_text(m, NULL, &source, &header, NULL, &error), HML_UNSUPPORTED);
    assert_says(error.message, "statements");
    assert_null(source);
    hml_model_free(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_robots_agree),
        cmocka_unit_test(every_joint_agrees),
        cmocka_unit_test(random_robots_agree),
        cmocka_unit_test(followers_agree),
        cmocka_unit_test(one_body_agrees),
        cmocka_unit_test(options_agree),
        cmocka_unit_test(held_robots_agree),
        cmocka_unit_test(held_bodies_agree),
        cmocka_unit_test(names_stay_different),
        cmocka_unit_test(functions_that_cannot_be_generated),
        cmocka_unit_test(redundant_holds_have_no_test),
        cmocka_unit_test(singular_robots_have_no_test),
        cmocka_unit_test(vectors_agree),
        cmocka_unit_test(texts_are_the_same_every_time),
        cmocka_unit_test(headers_are_found_by_their_file),
        cmocka_unit_test(names_of_functions_are_read),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(large_robots_are_refused_before_they_start),
    };
    many = argc > 1 && strcmp(argv[1], "long") == 0;
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
