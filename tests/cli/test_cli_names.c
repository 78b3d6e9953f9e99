/* Robots by their names, states by pairs, and how the root of a URDF is decided about. */
#include <math.h>

#include "run.h"

static json_t *result_of(const char *before, const char *arguments)
{
    if (run_with(before, arguments)) fail_msg("hamel %s: %s", arguments, run_err);
    assert_string_equal(run_out, "");
    return run_json("out.json");
}

/* ---- names ---- */

static void robots_of_the_library(void **state)
{
    (void)state;
    json_t *by_name = result_of("", "info quadruped --out out.json");
    json_t *by_path = result_of("", "info " ROBOTS "quadruped.json --out out.json");
    assert_true(json_equal(by_name, by_path));
    json_decref(by_name);
    json_decref(by_path);
    assert_int_equal(run("info quadrupd"), 1);
    assert_non_null(strstr(run_err, "did you mean 'quadruped'?"));
    assert_int_equal(run("view drone_arm --out a.html"), 0);
    run_save("pendulum", "this is no model");
    assert_int_equal(run("info pendulum"), 1); /* a file of that name goes first */
    assert_non_null(strstr(run_err, "neither XML nor JSON"));
    assert_int_equal(remove(run_path("pendulum")), 0);
}

#define CHAIN(name, root, word)                                                                                        \
    "<robot name='" name "'><link name='" root "'/><link name='" word "'><inertial><mass value='1'/>"                  \
    "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"                                     \
    "<joint name='j' type='revolute'><parent link='" root "'/><child link='" word "'/><limit effort='1' velocity='1' " \
    "lower='-1' upper='1'/></joint></robot>"

static void robots_of_folders(void **state)
{
    (void)state;
    assert_int_equal(
        run_with("mkdir -p robots/snake_description/urdf robots/ur_description two/b_data &&", "--version"), 0);
    run_save("robots/snake_description/urdf/snake.urdf", CHAIN("snake", "r", "tail"));
    run_save("robots/snake_description/urdf/snake_long.urdf", CHAIN("snake_long", "r", "tail"));
    run_save("robots/ur_description/ur9_robot.urdf", CHAIN("ur9", "r", "tail"));
    run_save("robots/ur_description/other.urdf", CHAIN("other", "r", "tail"));
    static const struct {
        const char *name, *model;
    } cases[] = {{"snake", "snake"},
                 {"snake_long", "snake_long"},
                 {"snake_description", "snake"},
                 {"ur9", "ur9"},
                 {"ur9_robot", "ur9"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "info %s --quiet --out out.json", cases[i].name);
        json_t *out = result_of("HAMEL_ROBOTS=nowhere:$PWD/robots", arguments);
        assert_string_equal(run_text(out, "model"), cases[i].model);
        json_decref(out);
    }
    assert_int_equal(run_with("HAMEL_ROBOTS=$PWD/robots", "info ur"), 1); /* two files, and none begins the other */
    assert_non_null(strstr(run_err, "2 files may be meant"));
    assert_int_equal(run_with("HAMEL_ROBOTS=$PWD/robots", "info nobody"), 1);
    assert_non_null(strstr(run_err, "no robot of that name"));
}

/* ---- the base ---- */

static void arms_do_not_float(void **state)
{
    (void)state;
    static const struct {
        const char *text, *base, *why;
    } cases[] = {
        {CHAIN("arm", "base", "link1"), "fixed", "--base free lets it float"},
        {CHAIN("arm", "world", "foot"), "fixed", "its root is the world"},
        {CHAIN("r", "trunk", "lf_foot"), "free", "legs or flight"},
        {CHAIN("r", "trunk", "LHipYaw"), "free", "legs or flight"},
        {CHAIN("r", "trunk", "LF_HAA"), "free", "legs or flight"},
        {CHAIN("big_drone", "trunk", "x"), "free", "legs or flight"},
        {CHAIN("r", "hull", "iris__rotor_0"), "free", "legs or flight"},
        {CHAIN("allegro", "palm", "chip_2_shipment"), "fixed", "--base free"}, /* no whole words */
        {"<robot name='r'><link name='stone'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
         "iyz='0' "
         "izz='1'/></inertial></link></robot>",
         "free", "its only body"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[32];
        run_save("a.urdf", cases[i].text);
        json_t *out = result_of("", "info a.urdf --out out.json");
        if (strcmp(run_text(out, "base"), cases[i].base) != 0) fail_msg("%s", cases[i].text);
        json_decref(out);
        assert_int_equal(run("info a.urdf"), 0);
        snprintf(wanted, sizeof wanted, ": %s base (", cases[i].base);
        if (!strstr(run_out, wanted) || !strstr(run_out, cases[i].why)) fail_msg("%s", run_out);
        const int guessed = strstr(cases[i].why, "--base free") != NULL;
        assert_int_equal(strstr(run_out, "is bolted to the world") != NULL, guessed);
        assert_int_equal(run("info a.urdf --strict"), 0); /* the rule is no fault of the file */
        out = result_of("", "info a.urdf --base free --out out.json");
        assert_string_equal(run_text(out, "base"), "free");
        assert_int_equal(json_array_size(json_object_get(out, "warnings")), 0);
        json_decref(out);
        assert_int_equal(run("info a.urdf --base fixed"), 0);
        assert_null(strstr(run_out, "base ("));
    }
}

/* ---- states ---- */

static void pairs(void **state)
{
    (void)state;
    double a[1], b[1];
    run_save("s.json", "{\"joints\": {\"pivot\": {\"position\": [0.3], \"velocity\": [2]}}}");
    run_save("v.json", "{\"joints\": {\"pivot\": {\"velocity\": [2]}}}");
    json_t *out = result_of("", "dynamics pendulum --state s.json --out out.json");
    assert_int_equal(run_numbers(out, "acceleration", a, 1), 1);
    json_decref(out);
    out = result_of("", "dynamics pendulum --state v.json --q pivot=0.3 --out out.json");
    assert_int_equal(run_numbers(out, "acceleration", b, 1), 1);
    json_decref(out);
    near(a[0], b[0], 0);
    double com[3], high[3];
    out = result_of("", "dynamics quadruped --out out.json");
    assert_int_equal(run_numbers(out, "com", com, 3), 3);
    json_decref(out);
    out = result_of("", "dynamics quadruped --q base.z=2.5,base.x=-1,fl_knee=0 --out out.json");
    assert_int_equal(run_numbers(out, "com", high, 3), 3);
    json_decref(out);
    near(high[2] - com[2], 2.5, 1e-14), near(high[0] - com[0], -1, 1e-14), near(high[1], com[1], 1e-14);
}

static void what_states_refuse(void **state)
{
    (void)state;
    run_save("bad.json", "{\"joint\": {\"pivot\": {\"position\": [0.3]}}}");
    static const run_refusal cases[] = {
        {"dynamics pendulum --state bad.json", 1, "/joint: a state has no such key"},
        {"dynamics pendulum --q pivt=1", 1, "did you mean 'pivot'?"},
        {"dynamics pendulum --q nobody=1", 1, "there is no joint 'nobody'"},
        {"dynamics pendulum --q pivot", 2, "is not name=value"},
        {"dynamics pendulum --q pivot=x", 2, "is not a number"},
        {"dynamics pendulum --q pivot=1,pivot=2", 2, "'pivot' is given twice"},
        {"dynamics pendulum --q pivot=nan", 2, "is not a number"},
        {"dynamics quadruped --q base=1", 1, "base.x and others"},
        {"info pendulum --q pivot=1", 2, "no option --q"},
    };
    run_refused(sizeof cases / sizeof *cases, cases);
    assert_int_equal(run("dynamics pendulum --q pivot=1,"), 0);
}

static void names_one_per_line(void **state)
{
    (void)state;
    assert_int_equal(run("info pendulum --names frames"), 0);
    assert_string_equal(run_out, "rod\ntip\n");
    assert_int_equal(run("info pendulum --names joints"), 0);
    assert_string_equal(run_out, "pivot\n");
    assert_int_equal(run("info pendulum --names keyframes"), 0);
    assert_string_equal(run_out, "");
    assert_int_equal(run("info pendulum --names bodies"), 2);
    assert_non_null(strstr(run_err, "frames, joints or keyframes"));
}

/* what bash offers for these words, where `hamel` stands for the command of the test */
static void completes(const char *words, const char *wanted)
{
    char script[2048];
    snprintf(script, sizeof script,
             ". '%s/cli/completion/hamel.bash'\nCOMP_WORDS=(%s)\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
             "COMP_WORDS[0]=$1\n_hamel\necho ${COMPREPLY[*]}\n",
             HAMEL_SOURCE_DIR, words);
    run_save("complete.bash", script);
    assert_int_equal(run_with("bash complete.bash", ""), 0);
    assert_string_equal(run_out, wanted);
}

static void bash_completes_names(void **state)
{
    (void)state;
    if (system("bash -c 'type compgen' >/dev/null 2>&1")) skip();
    completes("hamel jacobian quadruped --frame fl_", "fl_hip fl_thigh fl_shank fl_foot\n");
    completes("hamel trim --base free quadruped --quiet --hold fl_f", "fl_foot\n");
    completes("hamel trim quadruped --lock fl_knee,fr_k", "fl_knee,fr_knee\n");
    completes("hamel dynamics quadruped --q hr_k", "hr_knee=\n");
    completes("hamel dynamics nothing.urdf --q hr_k", "\n");
    completes("hamel info quadr", "quadruped\n");
    completes("hamel info quadruped --names j", "joints\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_of_the_library), cmocka_unit_test(robots_of_folders),
        cmocka_unit_test(arms_do_not_float),     cmocka_unit_test(pairs),
        cmocka_unit_test(what_states_refuse),    cmocka_unit_test(names_one_per_line),
        cmocka_unit_test(bash_completes_names),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
