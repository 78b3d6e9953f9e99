/* Loops of a model in the commands: a parallelogram, whose bars turn together as one pendulum. */
#include <math.h>

#include "run.h"

/* bars of mass 1 and length 1; crank and rocker hang from the ground, the coupler joins them; inertias about the com */
#define BAR(name, parent, x, z)                                                                                        \
    "{\"name\": \"" name "\", \"parent\": " parent ", \"joint\": {\"name\": \"j" name "\", \"type\": \"revolute\", "   \
    "\"axis\": [0, -1, 0], \"origin\": {\"position\": [" x ", 0, " z "]}}, \"inertia\": {\"mass\": 1, "
#define DOWN "\"com\": [0, 0, -0.5], \"moment\": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.001]]}}"
#define SIDE "\"com\": [0.5, 0, 0], \"moment\": [[0.001, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}}"
#define PARALLELOGRAM(length)                                                                                          \
    "{\"name\": \"parallelogram\", \"bodies\": [" BAR("crank", "null", "0", "0") DOWN                                  \
        "," BAR("coupler", "\"crank\"", "0", "-1") SIDE "," BAR("rocker", "null", length, "0") DOWN                    \
        "],"                                                                                                           \
        "\"frames\": [{\"name\": \"end\", \"body\": \"coupler\", \"origin\": {\"position\": [1, 0, 0]}},"              \
        "{\"name\": \"foot\", \"body\": \"rocker\", \"origin\": {\"position\": [0, 0, -1]}}],"                         \
        "\"loops\": [{\"name\": \"pin\", \"type\": \"point\", \"frame\": \"end\", \"other\": \"foot\"}]}"

static json_t *result_of(const char *arguments)
{
    if (run(arguments)) fail_msg("hamel %s: %s", arguments, run_err);
    return run_json("out.json");
}

/* m = 2 (0.1 + 0.25) + 1 and a moment of 2 · ½ + 1 masses at the ends: θ̈ = −g (1 + 1) / 1.7 sin θ */
static const double stiffness = 9.81 * 2 / 1.7;

static void dynamics_and_linearize(void **state)
{
    (void)state;
    double a[3], A[36], tree[3];
    run_save("p.json", PARALLELOGRAM("1"));
    run_save("s.json", "{\"joints\": {\"jcrank\": {\"position\": [0.3]}, \"jcoupler\": {\"position\": [-0.3]}, "
                       "\"jrocker\": {\"position\": [0.3]}}}");
    json_t *out = result_of("dynamics p.json --state s.json --out out.json");
    assert_string_equal(run_err, "");
    assert_int_equal(run_numbers(out, "acceleration", a, 3), 3);
    near(a[0], -stiffness * sin(0.3), 1e-12), near(a[1], -a[0], 1e-12), near(a[2], a[0], 1e-12);
    json_decref(out);
    out = result_of("dynamics p.json --state s.json --loops off --out out.json");
    assert_int_equal(run_numbers(out, "acceleration", tree, 3), 3);
    assert_true(fabs(tree[0] - a[0]) > 0.1);
    json_decref(out);
    out = result_of("linearize p.json --out out.json");
    assert_int_equal(run_numbers(out, "A", A, 36), 36);
    near(A[18] - A[19] + A[20], -stiffness, 1e-12); /* of the crank, by what all of them do together */
    json_decref(out);
}

/* a frame accelerates with the whole robot; what is given in the world's axes follows a state that is closed */
static void frames_and_wrenches(void **state)
{
    (void)state;
    double a[6], nu_dot[3], closed[3];
    run_save("p.json", PARALLELOGRAM("1"));
    run_save("s.json", "{\"joints\": {\"jcrank\": {\"position\": [0.3]}, \"jcoupler\": {\"position\": [-0.3]}, "
                       "\"jrocker\": {\"position\": [0.3]}}}");
    json_t *out = result_of("jacobian p.json --frame foot --state s.json --out out.json");
    assert_int_equal(run_numbers(out, "acceleration", a, 6), 6);
    near(a[0], -stiffness * sin(0.3), 1e-12);
    json_decref(out);
#define PUSH "\"wrenches\": [{\"frame\": \"end\", \"wrench\": [0, 0, 5, 0, 0, 0], \"expressed\": \"world\"}]"
    run_save("open.json", "{\"joints\": {\"jcrank\": {\"position\": [0.9]}}, " PUSH "}");
    out = result_of("linearize p.json --state open.json --close --out out.json");
    assert_int_equal(run_numbers(out, "position", closed, 3), 3);
    assert_int_equal(run_numbers(out, "acceleration", nu_dot, 3), 3);
    json_decref(out);
    char text[512];
    snprintf(text, sizeof text,
             "{\"joints\": {\"jcrank\": {\"position\": [%.17g]}, \"jcoupler\": {\"position\": [%.17g]}, \"jrocker\": "
             "{\"position\": [%.17g]}}, " PUSH "}",
             closed[0], closed[1], closed[2]);
    run_save("closed.json", text);
    out = result_of("dynamics p.json --state closed.json --out out.json");
    assert_int_equal(run_numbers(out, "acceleration", a, 3), 3);
    for (int i = 0; i < 3; i++) near(nu_dot[i], a[i], 1e-9);
    json_decref(out);
}

/* the motion of a plan keeps the loops of the model, and it does not begin where they are open */
static void plan_keeps_them(void **state)
{
    (void)state;
    double q[41 * 3];
    run_save("p.json", PARALLELOGRAM("1"));
#define PLAN(start)                                                                                                    \
    "{\"model\": \"p.json\", \"start\": {" start "}, \"phases\": [{\"knots\": 40, \"step\": 0.01}], \"inputs\": "      \
    "[\"jcrank\"], \"terms\": [{\"kind\": \"input\", \"weight\": 1e-3}, {\"kind\": \"velocity\", \"weight\": 1e-2}, "  \
    "{\"kind\": \"position\", \"role\": \"constraint\", \"frame\": \"foot\", \"reference\": [1.29552020666134, 0, "    \
    "-0.955336489125606], \"knots\": \"end\"}]}"
    run_save("plan.json", PLAN(""));
    json_t *out = result_of("plan plan.json --quiet --out out.json");
    assert_int_equal(run_numbers(out, "position", q, 41 * 3), 41 * 3);
    near(q[120 + 2], 0.3, 1e-5); /* the rocker, which nothing but the loop moves */
    for (int k = 0; k <= 40; k++) near(q[3 * k], q[3 * k + 2], 2e-3), near(q[3 * k], -q[3 * k + 1], 2e-3);
    json_decref(out);
    run_save("plan.json", PLAN("\"joints\": {\"jcrank\": {\"position\": [0.3]}}"));
    assert_int_equal(run("plan plan.json --quiet --out out.json"), 1);
    assert_non_null(strstr(run_err, "plan.json: /start: the state leaves a loop of the model open by 0.34"));
    run_save("plan.json", PLAN("\"wrenches\": [{\"frame\": \"foot\", \"wrench\": [1, 0, 0, 0, 0, 0]}]"));
    assert_int_equal(run("plan plan.json --quiet --out out.json"), 1);
    assert_non_null(strstr(run_err, "plan.json: /start: a plan has no wrenches from outside"));
}

static void regulator_and_modes(void **state)
{
    (void)state;
    double values[4], K[18];
    run_save("p.json", PARALLELOGRAM("1"));
    json_t *out = result_of("modes p.json --out out.json");
    assert_int_equal(run_numbers(out, "eigenvalues", values, 4), 4);
    near(fabs(values[1]), sqrt(stiffness), 1e-9);
    json_decref(out);
    /* a push of 0.3 N s half a metre below the rocker's axis, and the whole of 1.7 kg m² moves */
    assert_int_equal(run("lqr p.json --simulate 0.1 --push 0.3,0,0"), 0);
    assert_non_null(strstr(run_out, "0.0882 after the push, 0.0882 at the most"));
    out = result_of("lqr p.json --out out.json");
    assert_int_equal(run_numbers(out, "K", K, 18), 18);
    json_decref(out);
    out = result_of("trim p.json --q jcrank=0.2 --close --out out.json");
    json_decref(out);
}

static void info_and_simulation(void **state)
{
    (void)state;
    double position[3];
    run_save("p.json", PARALLELOGRAM("1"));
    assert_int_equal(run("info p.json"), 0);
    assert_non_null(strstr(run_out, "Loops"));
    json_t *out = result_of("info p.json --out out.json");
    assert_int_equal(json_array_size(json_object_get(out, "loops")), 1);
    json_decref(out);
    out = result_of("simulate p.json --q jcrank=0.3,jcoupler=-0.3,jrocker=0.3 --time 1 --step 0.5 --out out.json");
    const json_t *last = json_array_get(json_object_get(out, "position"), 2);
    assert_int_equal(run_flatten(last, position, 3, 0), 3);
    near(position[0] + position[1], 0, 1e-9), near(position[0] - position[2], 0, 1e-9);
    assert_true(fabs(position[0]) > 0.1);
    json_decref(out);
    assert_int_equal(run("simulate p.json --time 1 --integrator alpha"), 2);
    assert_non_null(strstr(run_err, "dopri5, rk2 and rk4 keep loops"));
    out = result_of("simulate p.json --q jcrank=0.3,jcoupler=-0.3,jrocker=0.3 --time 0.5 --step 0.5 --ground --lift "
                    "--out out.json");
    assert_int_equal(run_flatten(json_array_get(json_object_get(out, "position"), 1), position, 3, 0), 3);
    near(position[0] + position[1], 0, 1e-5), near(position[0] - position[2], 0, 1e-5);
    json_decref(out);
}

static void what_is_open(void **state)
{
    (void)state;
    run_save("p.json", PARALLELOGRAM("1")), run_save("far.json", PARALLELOGRAM("9"));
    assert_int_equal(run("linearize p.json --q jrocker=0.5"), 0);
    assert_non_null(strstr(run_err, "leaves a loop open by"));
    assert_int_equal(run("linearize p.json --q jrocker=0.5 --close"), 0);
    assert_non_null(strstr(run_err, "is changed by"));
    assert_int_equal(run("linearize far.json"), 3);
    assert_non_null(strstr(run_err, "the loop of 'end' and 'foot' cannot be closed: 6 m are left"));
    assert_int_equal(run("linearize " ROBOTS "pendulum.json --close"), 2);
    assert_int_equal(run("linearize p.json --loops off --close"), 2);
    assert_int_equal(run("linearize p.json --loops maybe"), 2);
}

/* crank and coupler in a line, the rocker folded back: at rest, and still no motion is determined */
static void a_dead_centre_is_named(void **state)
{
    (void)state;
    static const char *const bodies[3][4] = {
        {"crank", "null", "0", "0.15"}, {"coupler", "\"crank\"", "0.3", "0.4"}, {"rocker", "null", "0.5", "0.3"}};
    static char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"bodies\": [");
    for (int i = 0; i < 3; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "%s{\"name\": \"%s\", \"parent\": %s, \"joint\": {\"name\": \"pin%d\", \"type\": "
            "\"revolute\", \"axis\": [0, -1, 0], \"origin\": {\"position\": [%s, 0, 0]}}, \"inertia\": "
            "{\"mass\": 1, \"com\": [%s, 0, 0], \"moment\": [[0.01, 0, 0], [0, 0.05, 0], [0, 0, 0.05]]}}",
            i ? ", " : "", bodies[i][0], bodies[i][1], i, bodies[i][2], bodies[i][3]);
    snprintf(
        text + used, sizeof text - used,
        "], \"frames\": [{\"name\": \"a\", \"body\": \"coupler\", \"origin\": {\"position\": [0.8, 0, 0]}}, {\"name\": "
        "\"b\", \"body\": \"rocker\", \"origin\": {\"position\": [0.6, 0, 0]}}], \"loops\": [{\"name\": \"pin\", "
        "\"type\": \"point\", \"frame\": \"a\", \"other\": \"b\"}]}");
    run_save("dead.json", text);
    assert_int_equal(run("simulate dead.json --time 0.1"), 3);
    assert_non_null(strstr(run_err, "nothing moves: this is a dead centre"));
    assert_null(strstr(run_err, "slower start"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dynamics_and_linearize), cmocka_unit_test(frames_and_wrenches),
        cmocka_unit_test(plan_keeps_them),        cmocka_unit_test(regulator_and_modes),
        cmocka_unit_test(info_and_simulation),    cmocka_unit_test(what_is_open),
        cmocka_unit_test(a_dead_centre_is_named),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
