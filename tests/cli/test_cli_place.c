/* hamel simulate --ground: where a robot starts, with and without a state, and what is said about it. */
#include <math.h>

#include "run.h"

enum { MOST = 1 << 14 };

static double numbers[MOST];

/* a trunk whose leg ends in a ball: at q = 0 the ball's centre is 1 m below the trunk, its radius is 0.1 m */
static void save_hopper(void)
{
    run_save("hopper.json",
             "{\"name\": \"hopper\", \"bodies\": [{\"name\": \"trunk\", \"parent\": null, \"joint\": {\"name\": "
             "\"base\", \"type\": \"free\"}, \"inertia\": {\"mass\": 5, \"com\": [0, 0, 0], \"moment\": [[1, 0, 0], "
             "[0, 1, 0], [0, 0, 1]]}}, {\"name\": \"leg\", \"parent\": \"trunk\", \"joint\": {\"name\": \"hip\", "
             "\"type\": \"revolute\", \"axis\": [0, 1, 0]}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, -0.5], "
             "\"moment\": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}}], \"shapes\": [{\"body\": \"leg\", \"type\": "
             "\"sphere\", \"size\": 0.1, \"origin\": {\"position\": [0, 0, -1]}}, {\"body\": \"trunk\", \"type\": "
             "\"box\", \"size\": [0.2, 0.2, 0.2]}]}");
}

/* the first height of the base */
static double start(const char *arguments)
{
    char command[512];
    snprintf(command, sizeof command, "simulate hopper.json --time 0.002 --ground --out start.json %s", arguments);
    if (run(command) != 0) fail_msg("%s: %s", arguments, run_err);
    json_t *out = run_json("start.json");
    run_numbers(out, "position", numbers, MOST);
    json_decref(out);
    return numbers[2];
}

static void without_a_position_it_stands_on_the_ground(void **state)
{
    (void)state;
    save_hopper();
    near(start(""), 1.1, 1e-15);
    near(start("--height 0.5"), 1.6, 1e-15);
    run_save("bent.json",
             "{\"joints\": {\"hip\": {\"position\": [0.5]}, \"base\": {\"velocity\": [1, 0, 0, 0, 0, 0]}}}");
    near(start("--state bent.json"), cos(0.5) + 0.1, 1e-15);
    near(start("--state bent.json --controller hold"), cos(0.5) + 0.1, 1e-15);
    near(start("--state bent.json --contact trunk"), 0, 1e-15);
    assert_int_equal(run("simulate hopper.json --time 0.002 --ground"), 0);
    assert_non_null(strstr(run_out, "base moved up by 1.1 m, leg is lowest"));
    assert_string_equal(run_err, "");
    assert_int_equal(run("simulate hopper.json --time 0.002"), 0); /* without a ground the state is neutral */
    assert_null(strstr(run_out, "moved"));
}

static void a_position_is_kept_or_refused(void **state)
{
    (void)state;
    save_hopper();
    run_save("high.json", "{\"joints\": {\"base\": {\"position\": [0, 0, 3, 1, 0, 0, 0]}}}");
    near(start("--state high.json"), 3, 0);
    near(start("--state high.json --lift"), 3, 0);
    near(start("--state high.json --height 0"), 1.1, 1e-15); /* set down */
    near(start("--state high.json --height 4"), 5.1, 1e-15);
    run_save("touching.json", "{\"joints\": {\"base\": {\"position\": [0, 0, 1.0995, 1, 0, 0, 0]}}}");
    near(start("--state touching.json"), 1.0995, 0);
    run_save("deep.json", "{\"joints\": {\"base\": {\"position\": [0, 0, 0.35, 1, 0, 0, 0]}}}");
    assert_int_equal(run("simulate hopper.json --time 0.1 --ground --state deep.json --out deep_out.json"), 1);
    assert_string_equal(run_err, "hamel: deep.json: the robot starts inside the ground: 'leg' (a sphere on body 'leg') "
                                 "is 0.75 m below the ground; use --lift, or leave the position of the base out\n");
    assert_true(access(run_path("deep_out.json"), F_OK) != 0);
    near(start("--state deep.json --lift"), 1.1, 1e-15);
    json_t *out = run_json("start.json");
    near(json_number_value(json_object_get(out, "lifted")), 0.75, 1e-15);
    json_decref(out);
    near(start("--state deep.json --contact trunk"), 0.35, 0); /* the foot cannot touch then */
}

/* a robot without shapes, and one whose foot has none, and one that hangs into the ground */
static void what_is_said(void **state)
{
    (void)state;
    assert_int_equal(run("simulate " ROBOTS "nine.json --time 0.002 --ground"), 0);
    assert_non_null(strstr(run_err, "there are no collision shapes; as points touch the ground: tip3, tip5, tip8, "
                                    "tip9\n"));
    assert_int_equal(run("simulate " ROBOTS "nine.json --time 0.002 --ground --quiet"), 0);
    assert_string_equal(run_err, "");
    assert_int_equal(run("simulate " ROBOTS "satellite.json --time 0.002 --ground"), 0);
    assert_non_null(strstr(run_err, "wheel1, wheel2, wheel3, wheel4 and 6 more"));
    run_save("footless.json",
             "{\"bodies\": [{\"name\": \"trunk\", \"parent\": null, \"joint\": {\"name\": \"base\", \"type\": "
             "\"free\"}, \"inertia\": {\"mass\": 5, \"com\": [0, 0, 0], \"moment\": [[1, 0, 0], [0, 1, 0], [0, 0, "
             "1]]}}, {\"name\": \"leg\", \"parent\": \"trunk\", \"joint\": {\"name\": \"hip\", \"type\": \"revolute\", "
             "\"axis\": [0, 1, 0], \"origin\": {\"position\": [0, 0, -0.7]}}, \"inertia\": {\"mass\": 1, \"com\": [0, "
             "0, -0.5], \"moment\": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}}], \"shapes\": [{\"body\": \"trunk\", "
             "\"type\": \"sphere\", \"size\": 0.2}]}");
    assert_int_equal(run("simulate footless.json --time 0.002 --ground"), 0);
    assert_non_null(strstr(run_err, "'leg' is 0.5 m below the ground, and its body has no collision shape"));
    assert_int_equal(run("simulate " ROBOTS "pendulum.json --time 0.002 --ground"), 0);
    assert_non_null(strstr(run_err, "'tip' (a point on body 'rod') is 1.2 m below the ground"));
    assert_int_equal(run("simulate " ROBOTS "pendulum.json --time 0.002 --ground --height 1"), 1);
    assert_non_null(strstr(run_err, "--height: no base that can be lifted"));
}

/* keyframes of the file, and the place that it gives a free body */
static void keyframes(void **state)
{
    (void)state;
    run_save("leg.xml",
             "<mujoco model='leg'><worldbody><body name='trunk' pos='1 2 3'><freejoint/><inertial pos='0 0 0' "
             "mass='5' diaginertia='1 1 1'/><body name='leg'><joint name='hip' axis='0 1 0'/><geom "
             "type='sphere' size='0.1' pos='0 0 -1' mass='1'/></body></body></worldbody><keyframe><key "
             "name='bent' qpos='0 0 0.7 1 0 0 0 0.5' qvel='0 0 0 0 0 0 2'/></keyframe></mujoco>");
    assert_int_equal(run("info leg.xml"), 0);
    assert_non_null(strstr(run_out, "Keyframes\nstart\nbent\n"));
    assert_int_equal(run("info leg.xml --out info.json"), 0);
    json_t *out = run_json("info.json"), *list = json_object_get(out, "keyframes");
    assert_int_equal(json_array_size(list), 2);
    near(json_number_value(json_array_get(json_object_get(json_array_get(list, 1), "position"), 7)), 0.5, 0);
    json_decref(out);
    static const struct {
        const char *arguments;
        double x, z, hip;
    } cases[] = {{"", 1, 3, 0},
                 {"--keyframe bent", 0, 0.7, 0.5},
                 {"--ground", 1, 1.1, 0},
                 {"--ground --keyframe bent", 0, 0.97758256189037276, 0.5},
                 {"--ground --keyframe bent --height 1", 0, 1.97758256189037276, 0.5},
                 {"--state still.json", 0, 0, 0}}; /* a state is neutral where it says nothing */
    run_save("still.json", "{}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[256];
        snprintf(command, sizeof command, "simulate leg.xml --time 0.001 --out out.json %s", cases[i].arguments);
        if (run(command)) fail_msg("%s: %s", command, run_err);
        out = run_json("out.json");
        run_numbers(out, "position", numbers, MOST);
        near(numbers[0], cases[i].x, 1e-15);
        near(numbers[2], cases[i].z, 1e-15);
        near(numbers[7], cases[i].hip, 0);
        json_decref(out);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run(i ? "linearize leg.xml -k bent --out out.json" : "linearize leg.xml --out out.json"), 0);
        out = run_json("out.json");
        run_numbers(out, "velocity", numbers, MOST);
        near(numbers[6], i ? 2 : 0, 0); /* without a state the others stay neutral */
        json_decref(out);
    }
    assert_int_equal(run("dynamics leg.xml --keyframe bend"), 1);
    assert_non_null(strstr(run_err, "leg.xml: there is no keyframe 'bend'; did you mean 'bent'?"));
    assert_int_equal(run("dynamics leg.xml --keyframe xylophone"), 1);
    assert_non_null(strstr(run_err, "there is no keyframe 'xylophone'; hamel info lists them"));
    assert_int_equal(run("dynamics --keyframe home"), 1);
    assert_non_null(strstr(run_err, "there are no keyframes"));
    assert_int_equal(run("dynamics leg.xml --keyframe bent --state still.json"), 2);
    assert_non_null(strstr(run_err, "leave one out"));
}

#define SLIDER(name, joint, x)                                                                                         \
    "{\"name\": \"" name "\", \"parent\": null, \"joint\": {\"name\": \"" joint "\", \"type\": \"prismatic\", "        \
    "\"axis\": [1, 0, 0], \"origin\": {\"position\": [" x ", 0, 1]}}, \"inertia\": {\"mass\": 1}}"
#define BALL(name) "{\"body\": \"" name "\", \"type\": \"sphere\", \"size\": 0.1}"

/* the speed of the first of two balls on a rail, with which it has hit the second, or passed it */
static double speed_after(const char *arguments)
{
    char command[256];
    snprintf(command, sizeof command, "simulate balls.json --time 0.5 --ground --out meet.json %s", arguments);
    if (run(command) != 0) fail_msg("%s: %s", arguments, run_err);
    json_t *out = run_json("meet.json");
    const size_t n = run_numbers(out, "velocity", numbers, MOST);
    json_decref(out);
    return numbers[n - 2];
}

static void shapes_touch_each_other(void **state)
{
    (void)state;
    run_save("balls.json", "{\"bodies\": [" SLIDER("a", "ja", "0") ", " SLIDER(
                               "b", "jb", "0.5") "], \"shapes\": [" BALL("a") ", " BALL("b") "]}");
    run_save("moving.json", "{\"joints\": {\"ja\": {\"velocity\": [1]}}}");
    run_save("inside.json", "{\"joints\": {\"ja\": {\"position\": [0.45], \"velocity\": [1]}}}");
    near(speed_after("--state moving.json"), 1, 1e-12);
    near(speed_after("--state moving.json --pairs"), 0.5, 1e-9); /* they go on together */
    assert_string_equal(run_err, "");
    near(speed_after("--state inside.json --pairs"), 1, 1e-12);
    assert_non_null(strstr(run_err, "overlap at the start and are left out of --pairs: 1"));
}

static void bad_usage(void **state)
{
    (void)state;
    save_hopper();
    run_save("high.json", "{\"joints\": {\"base\": {\"position\": [0, 0, 3, 1, 0, 0, 0]}}}");
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"--height 1", "--height needs --ground"},
        {"--lift", "--lift needs --ground"},
        {"--pairs", "--pairs needs --ground"},
        {"--ground --pairs --contact trunk", "leave one out"},
        {"--ground --height -1", "a non-negative length in metres"},
        {"--ground --height nan", "a non-negative length in metres"},
        {"--ground --height 1 --lift", "leave one out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[256];
        snprintf(command, sizeof command, "simulate hopper.json --time 1 %s", cases[i].arguments);
        assert_int_equal(run(command), 2);
        assert_non_null(strstr(run_err, cases[i].says));
    }
}

/* a grid that is level at 0.3 m, in three formats; a bad one; none */
static void it_stands_on_a_terrain(void **state)
{
    (void)state;
    save_hopper();
    run_save("t.csv", "0.3, 0.3, 0.3\n0.3 0.3 0.3 # level\n\n0.3;0.3;0.3\n");
    run_save("t.json", "{\"heights\": [[0.3, 0.3], [0.3, 0.3]], \"spacing\": 4, \"position\": [0, 0, 0.1]}");
    run_save("t.xml", "<mujoco><asset><hfield name=\"t\" nrow=\"2\" ncol=\"2\" size=\"2 2 1 1\" elevation=\"0 0 0 1\"/>"
                      "</asset><worldbody><geom type=\"hfield\" hfield=\"t\" pos=\"0 0 -0.5\"/></worldbody></mujoco>");
    near(start("--terrain t.csv --spacing 2,3"), 1.4, 1e-12);
    near(start("--terrain t.json"), 1.5, 1e-12);
    near(start("--terrain t.json --height 0.25"), 1.75, 1e-12);
    assert_true(start("--terrain t.xml") > 0.6); /* on the slope of the one corner that is high */
    assert_int_equal(run("simulate hopper.json --time 0.002 --ground --terrain t.json --view t.html"), 0);
    run_save("deep.json", "{\"joints\": {\"base\": {\"position\": [0, 0, 1.2, 1, 0, 0, 0]}}}");
    assert_int_equal(run("simulate hopper.json --time 0.002 --ground --terrain t.json --state deep.json"), 1);
    assert_non_null(strstr(run_err, "is 0.3 m below the ground"));
    near(start("--terrain t.json --state deep.json --lift"), 1.5, 1e-12);
    assert_int_equal(run("simulate hopper.json --time 1 --ground --terrain t.csv"), 1);
    assert_non_null(strstr(run_err, "use --spacing"));
    assert_int_equal(run("simulate hopper.json --time 1 --terrain t.json"), 2);
    assert_int_equal(run("simulate hopper.json --time 1 --ground --spacing 1"), 2);
    assert_int_equal(run("simulate hopper.json --time 1 --ground --terrain t.csv --spacing -1"), 2);
    run_save("t.csv", "1, 2\n3, inf\n");
    assert_int_equal(run("simulate hopper.json --time 1 --ground --terrain t.csv --spacing 1"), 1);
    assert_non_null(strstr(run_err, "t.csv:2: entry 2 is not a finite number"));
    run_save("t.csv", "1, 2\n3, 1e12\n");
    assert_int_equal(run("simulate hopper.json --time 1 --ground --terrain t.csv --spacing 1"), 1);
    assert_non_null(strstr(run_err, "the height in row 2, column 2 is 1e+12 m"));
    assert_int_equal(run("simulate hopper.json --time 1 --ground --terrain t.json --spacing 1e10"), 2);
    assert_non_null(strstr(run_err, "--spacing 1e+10"));
    run_save("far.json", "{\"heights\": [[0, 0], [0, 0]], \"spacing\": 1, \"position\": [50, 0, 0]}");
    assert_int_equal(run("simulate hopper.json --time 1 --ground --terrain far.json"), 1);
    assert_non_null(strstr(run_err, "no shape of the robot is over the grid"));
    assert_int_equal(run("simulate hopper.json --time 1 --ground --terrain far.json --height 1"), 1);
    assert_non_null(strstr(run_err, "no shape of the robot is over the grid"));
}

/* what lies still at a height of 0 has no energy but rounding, by which nothing is divided */
static void a_body_that_lies_still_has_no_drift(void **state)
{
    (void)state;
    run_save("stone.json",
             "{\"bodies\": [{\"name\": \"stone\", \"parent\": null, \"joint\": {\"name\": \"base\", \"type\": "
             "\"free\"}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], \"moment\": [[1, 0, 0], [0, 1, 0], [0, "
             "0, 1]]}}]}");
    assert_int_equal(run("simulate stone.json --ground --contact stone --time 1 --out start.json"), 0);
    json_t *out = run_json("start.json");
    near(json_number_value(json_object_get(out, "energy_drift")), 0, 1e-6);
    json_decref(out);
}

/* a posture that nobody asked for is moved into the limits of its joints; one that somebody asked for is not */
static void joints_start_within_their_limits(void **state)
{
    (void)state;
    static const char *const options[] = {
        "",
        " --q knee=0",
        " --keyframe straight",
        " --state straight.json",
    };
    run_save("bent.xml", "<mujoco><worldbody><body name='hip'><freejoint/><geom name='h' size='0.1'/>"
                         "<body name='shin' pos='0 0 -0.5'><joint name='knee' axis='0 1 0' range='30 90'/>"
                         "<geom name='s' type='capsule' size='0.05' fromto='0 0 0 0 0 -0.5'/></body></body></worldbody>"
                         "<keyframe><key name='straight' qpos='0 0 1 1 0 0 0 0'/></keyframe></mujoco>");
    run_save("straight.json", "{\"joints\": {\"knee\": {\"position\": [0]}}}");
    for (int i = 0; i < 4; i++) {
        char line[200];
        snprintf(line, sizeof line, "simulate bent.xml --ground --time 0.01 --out bent.json%s", options[i]);
        assert_int_equal(run(line), 0);
        json_t *out = run_json("bent.json");
        near(json_number_value(json_array_get(json_array_get(json_object_get(out, "position"), 0), 7)),
             i ? 0 : 0.5235987755982988, 1e-15);
        json_decref(out);
    }
    assert_int_equal(run("simulate bent.xml --ground --time 0.01"), 0);
    assert_non_null(strstr(run_out, "1 moved into their limits, knee by 0.524"));
    assert_int_equal(run("simulate bent.xml --ground --time 0.01 --q base.z=0.3"), 1);
    assert_non_null(strstr(run_err, "hamel: bent.xml: the robot starts inside the ground: 'shin' (a capsule"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_position_it_stands_on_the_ground),
        cmocka_unit_test(a_position_is_kept_or_refused),
        cmocka_unit_test(what_is_said),
        cmocka_unit_test(shapes_touch_each_other),
        cmocka_unit_test(keyframes),
        cmocka_unit_test(bad_usage),
        cmocka_unit_test(it_stands_on_a_terrain),
        cmocka_unit_test(a_body_that_lies_still_has_no_drift),
        cmocka_unit_test(joints_start_within_their_limits),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
