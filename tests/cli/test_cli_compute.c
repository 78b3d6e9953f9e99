/* dynamics, jacobian and linearize: numbers that are known from elsewhere, and numbers that must fit each other. */
#include <math.h>

#include "run.h"

static const char *const REPRESENTATIONS[] = {"left", "right", "mixed", "split"};

static json_t *result_of(const char *format, const char *representation)
{
    char arguments[1024];
    snprintf(arguments, sizeof arguments, format, representation);
    if (run(arguments)) fail_msg("hamel %s: %s", arguments, run_err);
    if (strncmp(arguments, "linearize", 9) != 0 || strstr(arguments, " -q ")) assert_string_equal(run_out, "");
    return run_json("out.json");
}

/* ---- by hand ---- */

/* robots/README.md: A = [0, 1; −0.6 · 9.81 / 0.4801, −0.02 / 0.4801], B = [0; 1 / 0.4801] */
static void pendulum_is_as_on_paper(void **state)
{
    (void)state;
    double A[4], B[2];
    json_t *out = result_of("linearize " ROBOTS "pendulum.json --out out.json --representation %s", "left");
    assert_int_equal(run_numbers(out, "A", A, 4), 4);
    assert_int_equal(run_numbers(out, "B", B, 2), 2);
    assert_true(A[0] == 0 && A[1] == 1 && B[0] == 0);
    near(A[2], -0.6 * 9.81 / 0.4801, 1e-13);
    near(A[3], -0.02 / 0.4801, 1e-15);
    near(B[1], 1 / 0.4801, 1e-14);
    assert_string_equal(run_text(out, "base"), "fixed");
    assert_string_equal(run_text(out, "model"), "pendulum");
    json_decref(out);
    json_t *free =
        result_of("linearize " ROBOTS "pendulum.json --passive off --gravity 0,0,0 -o out.json -r %s", "left");
    assert_int_equal(run_numbers(free, "A", A, 4), 4);
    assert_true(A[2] == 0 && A[3] == 0);
    json_decref(free);
}

/* the worked example of docs/conventions.md, to the six digits printed there */
static void worked_example_of_the_conventions(void **state)
{
    (void)state;
    static const double acceleration[4][6] = {{0.8, -4.974667, 0.164, 0.666667, -0.5, -0.4},
                                              {0.0568, 0.5624, -4.104, 0.384, 0.545333, -0.64},
                                              {0.9728, 0.2704, -8.881333, 0.384, 0.545333, -0.64},
                                              {0.9728, 0.2704, -8.881333, 0.666667, -0.5, -0.4}};
    static const double h[4][6] = {{-1.4, 10.296, -0.428, -2.0792, -0.2172, 1.0496},
                                   {-6.056, 2.792, 7.98, 7.11248, -28.39336, 15.36},
                                   {-2.056, -0.208, 17.98, -0.27152, -3.64536, -0.044},
                                   {-2.056, -0.208, 17.98, -3.0792, -1.2172, 1.5496}};
    static const double gravity[4][6] = {{0, 15.696, 11.772, -3.1392, -1.1772, 1.5696},
                                         {0, 0, 19.62, 38.92608, -23.30856, 0},
                                         {0, 0, 19.62, -0.31392, -3.68856, 0},
                                         {0, 0, 19.62, -3.1392, -1.1772, 1.5696}};
    static const double velocity[4][6] = {
        {2, -1, 0.5, 1, 2, -1}, {-2, -3, 3.5, -1, 2, 1}, {2, 1, -0.5, -1, 2, 1}, {2, 1, -0.5, 1, 2, -1}};
    run_save("body.json", "{\"bodies\": [{\"name\": \"body\", \"parent\": null, \"joint\": {\"name\": \"base\", "
                          "\"type\": \"free\"}, \"inertia\": {\"mass\": 2, \"com\": [0.1, 0, 0.2], \"moment\": "
                          "[[0.03, 0, 0], [0, 0.04, 0], [0, 0, 0.05]]}}]}");
    run_save("state.json", "{\"joints\": {\"base\": {\"position\": [1, 2, 3, 0.8, 0.4, 0.2, 0.4], "
                           "\"velocity\": [2, -1, 0.5, 1, 2, -1]}}}");
    for (int k = 0; k < 4; k++) {
        double x[36];
        json_t *out =
            result_of("dynamics body.json --state state.json --out out.json --representation %s", REPRESENTATIONS[k]);
        const struct {
            const char *key;
            const double *expected;
        } rows[] = {{"acceleration", acceleration[k]}, {"h", h[k]}, {"gravity", gravity[k]}, {"velocity", velocity[k]}};
        for (int r = 0; r < 4; r++) {
            assert_int_equal(run_numbers(out, rows[r].key, x, 6), 6);
            for (int i = 0; i < 6; i++) near(x[i], rows[r].expected[i], 5.1e-7);
        }
        near(json_number_value(json_object_get(out, "kinetic_energy")), 7.66, 1e-12);
        near(json_number_value(json_object_get(out, "potential_energy")), 61.2144, 1e-12);
        assert_string_equal(run_text(out, "representation"), REPRESENTATIONS[k]);
        json_decref(out);
    }
}

/* ---- numbers that fit each other ---- */

static const char STATE[] =
    "{\"joints\": {\"base\": {\"position\": [0.1, 0.2, 0.3, 0.8, 0.4, 0.2, 0.4], "
    "\"velocity\": [0.1, -0.5, 0.3, 0.7, 0.2, -0.4], \"force\": [1, 2, 3, 4, 5, 6]}, "
    "\"revolute_x\": {\"position\": [0.4], \"velocity\": [1], \"force\": [2]}, "
    "\"helical_x\": {\"position\": [1.1], \"velocity\": [-2]}, \"helical_y\": {\"position\": [-0.5], "
    "\"velocity\": [0.3]}}, \"wrenches\": [{\"frame\": \"tip5\", \"wrench\": [1, 2, -3, 0.4, 0.5, -0.6], "
    "\"expressed\": \"world\"}, {\"frame\": \"tip9\", \"wrench\": [1, 0.2, 0.3, 0.4, -0.5, 0.6], "
    "\"expressed\": \"frame\"}]}";

enum { NV = 15 };

static void equations_of_motion_hold_as_printed(void **state)
{
    (void)state;
    run_save("state.json", STATE);
    for (int k = 0; k < 4; k++) {
        static double M[NV * NV], h[NV], a[NV], tau[NV], v[NV];
        json_t *out = result_of("dynamics --state state.json --out out.json --representation %s", REPRESENTATIONS[k]);
        assert_int_equal(run_numbers(out, "M", M, NV * NV), NV * NV);
        assert_int_equal(run_numbers(out, "h", h, NV), NV);
        assert_int_equal(run_numbers(out, "acceleration", a, NV), NV);
        assert_int_equal(run_numbers(out, "force", tau, NV), NV);
        assert_int_equal(run_numbers(out, "velocity", v, NV), NV);
        double energy = 0;
        for (int i = 0; i < NV; i++) {
            double sum = h[i];
            for (int j = 0; j < NV; j++) {
                sum += M[i * NV + j] * a[j];
                energy += 0.5 * v[i] * M[i * NV + j] * v[j];
            }
            near(sum, tau[i], 1e-10); /* accelerations of order 1e3 times round-off */
        }
        near(energy, json_number_value(json_object_get(out, "kinetic_energy")), 1e-12);
        json_decref(out);
    }
}

static void jacobian_maps_velocity_to_twist(void **state)
{
    (void)state;
    run_save("state.json", STATE);
    for (int k = 0; k < 4; k++) {
        static double J[6 * NV], Jdot[6 * NV], v[NV], a[NV], twist[6], rate[6], pose[16];
        json_t *out = result_of("jacobian --frame tip5 -s state.json --out out.json -r %s", REPRESENTATIONS[k]);
        assert_int_equal(run_numbers(out, "pose", pose, 16), 16);
        assert_int_equal(run_numbers(out, "J", J, 6 * NV), 6 * NV);
        assert_int_equal(run_numbers(out, "Jdot", Jdot, 6 * NV), 6 * NV);
        assert_int_equal(run_numbers(out, "twist", twist, 6), 6);
        assert_int_equal(run_numbers(out, "acceleration", rate, 6), 6);
        assert_int_equal(run_numbers(out, "velocity", v, NV), NV);
        json_decref(out);
        out = result_of("dynamics -s state.json --out out.json -r %s", REPRESENTATIONS[k]);
        assert_int_equal(run_numbers(out, "acceleration", a, NV), NV);
        json_decref(out);
        for (int i = 0; i < 6; i++) {
            double speed = 0, change = 0;
            for (int j = 0; j < NV; j++) {
                speed += J[i * NV + j] * v[j];
                change += J[i * NV + j] * a[j] + Jdot[i * NV + j] * v[j];
            }
            near(twist[i], speed, 1e-12);
            near(rate[i], change, 1e-10);
        }
        assert_true(pose[12] == 0 && pose[13] == 0 && pose[14] == 0 && pose[15] == 1);
    }
}

/* the wrench of tip5 keeps its direction in the world, that of tip9 does not: both against central differences */
static void linearization_is_the_derivative_of_the_command(void **state)
{
    (void)state;
    static double A[4 * NV * NV], acceleration[2][NV];
    const double step = 1e-4;
    char text[2048];
    run_save("state.json", STATE);
    json_t *out = result_of("linearize -s state.json --out out.json -r %s", "left");
    assert_int_equal(run_numbers(out, "A", A, 4 * NV * NV), 4 * NV * NV);
    json_decref(out);
    for (int side = 0; side < 2; side++) { /* helical_x: coordinate 10 */
        snprintf(text, sizeof text, "%s", STATE);
        char *number = strstr(text, "[1.1]"), rest[2048];
        snprintf(rest, sizeof rest, "%s", number + 5);
        snprintf(number, (size_t)(text + sizeof text - number), "[%.17g]%s", 1.1 + (side ? step : -step), rest);
        run_save("near.json", text);
        out = result_of("linearize -s near.json --out out.json -r %s", "left");
        assert_int_equal(run_numbers(out, "acceleration", acceleration[side], NV), NV);
        json_decref(out);
    }
    for (int i = 0; i < NV; i++) {
        double difference = (acceleration[1][i] - acceleration[0][i]) / (2 * step);
        /* truncation step² = 1e-8 times third derivatives up to 1e4, round-off 1e3·1e-16/step */
        near(A[(NV + i) * 2 * NV + 10], difference, 1e-4 * (1 + fabs(difference)));
    }
}

static void inputs_and_names(void **state)
{
    (void)state;
    static double actuated[2 * NV * NV], all[2 * NV * NV];
    json_t *out = result_of("linearize --out out.json -r %s", "left");
    assert_int_equal(json_array_size(json_object_get(out, "input_names")), 9);
    assert_string_equal(json_string_value(json_array_get(json_object_get(out, "input_names"), 0)), "revolute_x");
    assert_string_equal(json_string_value(json_array_get(json_object_get(out, "velocity_names"), 5)), "base.5");
    assert_int_equal(run_numbers(out, "B", actuated, 2 * NV * NV), 2 * NV * 9);
    json_decref(out);
    out = result_of("linearize --inputs all --out out.json -r %s", "left");
    assert_int_equal(json_array_size(json_object_get(out, "input_names")), NV);
    assert_int_equal(run_numbers(out, "B", all, 2 * NV * NV), 2 * NV * NV);
    for (int i = 0; i < 2 * NV; i++) {
        for (int c = 0; c < 9; c++) assert_true(actuated[i * 9 + c] == all[i * NV + 6 + c]);
    }
    assert_string_equal(run_text(out, "base"), "free");
    assert_int_equal(json_integer_value(json_object_get(out, "nv")), NV);
    json_decref(out);
}

static void singular_mass_matrix_is_3_and_names_the_joint(void **state)
{
    (void)state;
    run_save(
        "light.json",
        "{\"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\", "
        "\"axis\": [0, 0, 1]}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], \"moment\": [[1, 0, 0], [0, 1, 0], "
        "[0, 0, 1]]}}, {\"name\": \"b\", \"parent\": \"a\", \"joint\": {\"name\": \"ghost\", \"type\": "
        "\"prismatic\", \"axis\": [1, 0, 0]}}]}");
    static const char *const calls[] = {"linearize light.json -q -o no.json", "dynamics light.json -q",
                                        "jacobian light.json -q --frame b"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(calls[i]), 3);
        assert_non_null(strstr(run_err, "ghost"));
        assert_null(strstr(run_err, "hinge"));
        assert_string_equal(run_out, "");
    }
    assert_int_not_equal(access(run_path("no.json"), F_OK), 0);
}

/* a model in which nothing moves has empty matrices, and nothing to validate */
/* inertias beyond the largest double are no missing ones */
static void overflow_is_not_a_singular_mass_matrix(void **state)
{
    (void)state;
    run_save(
        "far.json",
        "{\"hamel\": 1, \"name\": \"far\", \"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": "
        "\"j0\", \"type\": \"revolute\", \"axis\": [0, 1, 0]}}, {\"name\": \"b\", \"parent\": \"a\", \"joint\": "
        "{\"name\": "
        "\"j1\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"origin\": {\"position\": [1e200, 0, 0]}}, \"inertia\": "
        "{\"mass\": 1, \"com\": [0, 0, 1], \"moment\": [[1,0,0],[0,1,0],[0,0,1]]}}]}");
    assert_int_equal(run("linearize far.json"), 1);
    assert_non_null(strstr(run_err, "the mass matrix overflows"));
    assert_null(strstr(run_err, "any inertia"));
}

static void nothing_moves(void **state)
{
    (void)state;
    run_save("rock.json",
             "{\"bodies\": [{\"name\": \"rock\", \"parent\": null, \"joint\": {\"name\": \"f\", \"type\": "
             "\"fixed\"}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], \"moment\": [[1, 0, 0], [0, 1, 0], "
             "[0, 0, 1]]}}]}");
    static const char *const calls[] = {"info", "dynamics", "linearize", "linearize --spy --picture rock.svg",
                                        "jacobian --frame rock"};
    for (int i = 0; i < 5; i++) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "%s rock.json", calls[i]);
        assert_int_equal(run(arguments), 0);
        snprintf(arguments, sizeof arguments, "%s rock.json --out rock.out.mat", calls[i]);
        assert_int_equal(run(arguments), 0);
    }
    json_t *out = result_of("linearize rock.json -q --out out.json -r %s", "mixed");
    assert_int_equal(json_array_size(json_object_get(out, "A")), 0);
    json_decref(out);
    assert_int_equal(run("validate rock.json"), 1);
    assert_int_equal(run("bench rock.json"), 1);
    assert_non_null(strstr(run_err, "can move"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_is_as_on_paper),
        cmocka_unit_test(worked_example_of_the_conventions),
        cmocka_unit_test(equations_of_motion_hold_as_printed),
        cmocka_unit_test(jacobian_maps_velocity_to_twist),
        cmocka_unit_test(linearization_is_the_derivative_of_the_command),
        cmocka_unit_test(inputs_and_names),
        cmocka_unit_test(singular_mass_matrix_is_3_and_names_the_joint),
        cmocka_unit_test(overflow_is_not_a_singular_mass_matrix),
        cmocka_unit_test(nothing_moves),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
