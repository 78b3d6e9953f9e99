/* plan: the examples are solved, what they found is a motion of the robot, and bad files are refused with the place. */
#include <math.h>

#include "run.h"

#define PLANS HAMEL_SOURCE_DIR "/examples/plans/"

static json_t *plan_of(const char *arguments)
{
    if (run(arguments)) fail_msg("hamel %s: %s", arguments, run_err);
    assert_string_equal(run_out, "");
    return run_json("out.json");
}

static void has_keys(json_t *out)
{
    static const char *const keys[] = {"time",      "position",   "velocity", "input", "force",          "cost",
                                       "violation", "iterations", "model",    "nv",    "velocity_names", "K"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_object_get(out, keys[i])) fail_msg("no key %s", keys[i]);
    assert_true(json_real_value(json_object_get(out, "violation")) <= 1e-6);
}

static void arm_reaches(void **state)
{
    (void)state;
    static double q[51 * 7], v[51 * 7], u[50 * 7], time[51];
    json_t *out = plan_of("plan " PLANS "arm_reach.json --quiet --out out.json");
    has_keys(out);
    assert_string_equal(run_err, "");
    assert_int_equal(run_numbers(out, "position", q, 51 * 7), 51 * 7);
    assert_int_equal(run_numbers(out, "velocity", v, 51 * 7), 51 * 7);
    assert_int_equal(run_numbers(out, "input", u, 50 * 7), 50 * 7);
    assert_int_equal(run_numbers(out, "time", time, 51), 51);
    near(time[50], 1, 1e-12);
    for (int i = 0; i < 50 * 7; i++) {
        assert_true(fabs(u[i]) <= 80);
        near(q[7 + i], q[i] + 0.02 * v[7 + i], 1e-12); /* a step */
    }
    for (int i = 0; i < 7; i++) near(v[50 * 7 + i], 0, 1e-6); /* at rest */
    json_decref(out);
    /* and there: the command itself says where the tool is */
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"joints\": {\"shoulder_yaw\": {\"position\": [%.17g]}, \"shoulder_pitch\": {\"position\": [%.17g]},"
        "\"upper_arm_roll\": {\"position\": [%.17g]}, \"elbow\": {\"position\": [%.17g]}, \"forearm_roll\": "
        "{\"position\": [%.17g]}, \"wrist_pitch\": {\"position\": [%.17g]}, \"wrist_roll\": {\"position\": [%.17g]}}}",
        q[350], q[351], q[352], q[353], q[354], q[355], q[356]);
    run_save("end.json", text);
    double pose[16];
    out = plan_of("jacobian " ROBOTS "arm7.json --frame tool --state end.json --out out.json");
    assert_int_equal(run_numbers(out, "pose", pose, 16), 16);
    near(pose[3], 0.35, 1e-6), near(pose[7], 0.25, 1e-6), near(pose[11], 0.75, 1e-6);
    json_decref(out);
}

static void drone_turns_over(void **state)
{
    (void)state;
    static double q[61 * 12];
    json_t *out = plan_of("plan " PLANS "drone_flip.json --out out.json --view page.html");
    has_keys(out);
    assert_int_equal(run_numbers(out, "position", q, 61 * 12), 61 * 12);
    const double *end = q + 60 * 12;
    assert_true(fabs(end[4]) > 0.999); /* half a turn about x */
    assert_non_null(strstr(run_err, "iter"));
    FILE *page = fopen(run_path("page.html"), "r");
    assert_non_null(page);
    fclose(page);
    json_decref(out);
}

static void quadruped_shifts(void **state)
{
    (void)state;
    static double f[60 * 12];
    json_t *out = plan_of("plan " PLANS "quadruped_shift.json -q --out out.json");
    has_keys(out);
    assert_int_equal(run_numbers(out, "force", f, 60 * 12), 60 * 12);
    for (int k = 0; k < 60; k++) {
        double up = 0;
        for (int i = 0; i < (k < 40 ? 4 : 3); i++) {
            const double *x = f + 12 * k + 3 * i;
            assert_true(x[2] >= -1e-4 && fabs(x[0]) <= 0.5 * x[2] + 1e-4 && fabs(x[1]) <= 0.5 * x[2] + 1e-4);
            up += x[2];
        }
        assert_true(up > 50);
        for (int i = 9; k >= 40 && i < 12; i++) near(f[12 * k + i], 0, 0); /* three holds: nine rows */
    }
    json_decref(out);
}

/* panels of the base, joints, inputs and forces; a foot that is not held any more leaves a gap */
static void draws(void **state)
{
    (void)state;
    static char text[1 << 18];
    assert_int_equal(run("plan " PLANS "quadruped_shift.json -q --out out.json --plot shift.svg"), 0);
    run_read("shift.svg", text, sizeof text);
    static const char *const words[] = {"position of the base / m", "joints / rad", "inputs / N, N m",
                                        "forces of the holds / N",  ">fl_foot<",    ">hr_knee<",
                                        "quadruped, 60 knots",      "time / s"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) assert_non_null(strstr(text, words[i]));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "joints / m"));
    size_t curves = 0;
    for (const char *at = text; (at = strstr(at, "fill=\"none\" stroke=\"hsl")); at++) curves++;
    assert_int_equal(curves, 3 + 12 + 12 + 4);
    assert_int_equal(run("plan " PLANS "drone_flip.json -q --out out.json --plot flip.svg"), 0);
    run_read("flip.svg", text, sizeof text);
    assert_non_null(strstr(text, ">input 8<")); /* rotors, then joints */
    assert_null(strstr(text, "forces of the holds"));
    assert_int_equal(run("plan " PLANS "drone_flip.json --plot flip.png"), 2);
}

static void prints(void **state)
{
    (void)state;
    assert_int_equal(run("plan " PLANS "arm_reach.json"), 0);
    assert_non_null(strstr(run_out, "converged"));
    assert_non_null(strstr(run_out, "cost"));
}

#define HEAD "{\"model\": \"arm7\", \"phases\": [{\"knots\": 8, \"step\": 0.02}], "
#define COST "{\"kind\": \"input\", \"weight\": 0.001}"

static void says_what_cannot_be(void **state)
{
    (void)state;
    run_save("far.json",
             HEAD "\"terms\": [" COST ", {\"kind\": \"position\", \"name\": \"too far\", \"role\": \"constraint\","
                  " \"frame\": \"tool\", \"reference\": [50, 0, 0], \"knots\": \"end\"}]}");
    assert_int_equal(run("plan far.json --quiet --out out.json"), 3);
    assert_non_null(strstr(run_err, "far.json: /terms/1: 'too far' cannot be kept"));
    json_t *out = run_json("out.json");
    assert_string_equal(json_string_value(json_object_get(out, "end")), "infeasible");
    json_decref(out);
    run_save("short.json",
             HEAD "\"terms\": [" COST ", {\"kind\": \"position\", \"weight\": 1e4, \"frame\": \"tool\","
                  "\"reference\": [0.3, 0.2, 0.9], \"knots\": \"end\"}], \"solver\": {\"iterations\": 1}}");
    assert_int_equal(run("plan short.json --quiet --out out.json"), 3);
    assert_non_null(strstr(run_err, "not converged in 1 iterations"));
}

static void refuses(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{}", "model is missing"},
        {"{\"model\": \"nobody\"}", "bad.json: /model: "},
        {"{\"model\": \"nobody\"}", "nobody"},
        {"{\"model\": \"arm7\"}", "phases is missing"},
        {"{\"model\": \"arm7\", \"phases\": []}", "/phases: "},
        {"{\"model\": \"arm7\", \"fases\": []}", "/fases: the key is unknown"},
        {"{\"model\": \"arm7\", \"phases\": [{\"knots\": 0, \"step\": 1}]}", "/phases/0/knots: "},
        {"{\"model\": \"arm7\", \"phases\": [{\"knots\": 2.5, \"step\": 1}]}", "/phases/0/knots: "},
        {"{\"model\": \"arm7\", \"phases\": [{\"knots\": 2, \"step\": -1}]}", "/phases/0/step: "},
        {"{\"model\": \"arm7\", \"phases\": [{\"knots\": 2, \"step\": 1, \"scheme\": \"rk3\"}]}",
         "/phases/0/scheme: rk3 is not a scheme"},
        {"{\"model\": \"arm7\", \"phases\": [{\"knots\": 2, \"step\": 1, \"scheme\": \"dopri5\"}], \"terms\": []}",
         "/phases/0/scheme: steps of dopri5 have no derivatives here"},
        {"{\"model\": \"arm7\", \"phases\": [{\"knots\": 2, \"step\": 1, \"holds\": [\"hand\"]}]}",
         "/phases/0/holds/0: "},
        {"{\"model\": \"arm7\", \"phases\": [{\"knots\": 2, \"step\": 1, \"holds\": [\"tool:glue\"]}]}",
         "/phases/0/holds/0: "},
        {HEAD "\"start\": {\"joints\": {\"knee\": {}}}, \"terms\": []}", "/start/joints/knee: "},
        {HEAD "\"inputs\": [\"knee\"], \"terms\": []}", "/inputs/0: "},
        {HEAD "\"bounds\": {\"lower\": 2, \"upper\": 1}, \"terms\": []}", "/bounds: "},
        {HEAD "\"bounds\": {\"lower\": [1, 2]}, \"terms\": []}", "/bounds/lower: "},
        {HEAD "\"terms\": [{\"kind\": \"speed\"}]}", "/terms/0/kind: "},
        {HEAD "\"terms\": [{\"kind\": \"com\", \"weight\": -1}]}", "/terms/0/weight: "},
        {HEAD "\"terms\": [{\"kind\": \"com\", \"weights\": [1, 2]}]}", "/terms/0/weights: "},
        {HEAD "\"terms\": [{\"kind\": \"com\", \"reference\": [1, 2]}]}", "/terms/0/reference: "},
        {HEAD "\"terms\": [{\"kind\": \"com\", \"knots\": [3, 99]}]}", "/terms/0/knots/1: "},
        {HEAD "\"terms\": [{\"kind\": \"input\", \"knots\": \"end\"}]}", "/terms/0/knots: "},
        {HEAD "\"terms\": [{\"kind\": \"position\", \"frame\": \"hand\"}]}", "/terms/0/frame: "},
        {HEAD "\"terms\": [{\"kind\": \"cone\", \"role\": \"barrier\"}]}", "/terms/0/hold: "},
        {HEAD "\"terms\": [{\"kind\": \"limits\"}]}", "/terms/0/role: "},
        {HEAD "\"terms\": [{\"kind\": \"com\", \"lower\": 0}]}", "/terms/0/lower: "},
        {HEAD "\"terms\": [{\"kind\": \"com\", \"wieght\": 0}]}", "/terms/0/wieght: the key is unknown"},
        {HEAD "\"terms\": [], \"solver\": {\"tolerance\": 0}}", "/solver/tolerance: "},
        {HEAD "\"terms\": [], \"guess\": {\"input\": [1]}}", "/guess/input: "},
        {"{\"model\": ", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_save("bad.json", cases[i][0]);
        const int status = run("plan bad.json --out out.json");
        if (status != 1 || !strstr(run_err, cases[i][1])) fail_msg("%s: %d %s", cases[i][0], status, run_err);
    }
    assert_int_equal(run("plan"), 2);
    assert_int_equal(run("plan nothing.json"), 1);
    assert_int_equal(run("plan " PLANS "arm_reach.json --quiet --out out.txt"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_reaches), cmocka_unit_test(drone_turns_over), cmocka_unit_test(quadruped_shifts),
        cmocka_unit_test(draws),       cmocka_unit_test(prints),           cmocka_unit_test(says_what_cannot_be),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
