/* lqr: gains that are known on paper, held robots, and what it says where the inputs do not suffice. */
#include <math.h>

#include "run.h"

#define QUADRUPED ROBOTS "quadruped.json --hold fl_foot --hold fr_foot --hold hl_foot:point --hold hr_foot "

static json_t *result_of(const char *arguments)
{
    if (run(arguments)) fail_msg("hamel %s: %s", arguments, run_err);
    assert_string_equal(run_out, "");
    return run_json("out.json");
}

/* ẋ = [0 1; a d] x + [0; b] u with weights q, s, r: P and K = b (p₁₂, p₂₂) / r are roots of quadratic equations */
static void pendulum_is_as_on_paper(void **state)
{
    (void)state;
    const double a = -0.6 * 9.81 / 0.4801, d = -0.02 / 0.4801, b = 1 / 0.4801, q = 4, s = 9, r = 0.25, g = b * b / r;
    const double p12 = (a + sqrt(a * a + g * q)) / g, p22 = (d + sqrt(d * d + g * (2 * p12 + s))) / g;
    double K[2], poles[4], frequency[2], damping[2], residual;
    json_t *out = result_of("lqr " ROBOTS "pendulum.json --weight-position 4 --weight-velocity 9 --weight-input 0.25 "
                            "--out out.json");
    assert_int_equal(run_numbers(out, "K", K, 2), 2);
    near(K[0], b * p12 / r, 1e-12), near(K[1], b * p22 / r, 1e-12);
    assert_int_equal(run_numbers(out, "poles", poles, 4), 4);
    near(poles[0] + poles[2], d - b * K[1], 1e-12);
    near(poles[0] * poles[2] - poles[1] * poles[3], -(a - b * K[0]), 1e-11);
    assert_int_equal(run_numbers(out, "frequency_hz", frequency, 2), 2);
    assert_int_equal(run_numbers(out, "damping_ratio", damping, 2), 2);
    for (int i = 0; i < 2; i++) {
        near(frequency[i], hypot(poles[2 * i], poles[2 * i + 1]) / (2 * acos(-1)), 1e-13);
        near(damping[i], -poles[2 * i] / hypot(poles[2 * i], poles[2 * i + 1]), 1e-13);
    }
    assert_int_equal(run_numbers(out, "residual", &residual, 1), 1);
    assert_true(residual >= 0 && residual < 1e-14);
    json_decref(out);
}

/* s² − (d − g b K₂) s − (a − g b K₁): with the factor g of the gain it swings for ever where g b K₂ = d */
static void margins_are_as_on_paper(void **state)
{
    (void)state;
    const double a = -0.6 * 9.81 / 0.4801, d = -0.02 / 0.4801, b = 1 / 0.4801;
    double K[2];
    json_t *out = result_of("lqr " ROBOTS "pendulum.json --out out.json");
    assert_int_equal(run_numbers(out, "K", K, 2), 2);
    const json_t *gain = json_array_get(json_object_get(out, "gain_margin"), 0);
    const json_t *at = json_array_get(json_object_get(out, "margin_frequency"), 0);
    const double g = d / (b * K[1]), w = json_number_value(json_array_get(at, 2));
    near(json_number_value(json_array_get(gain, 0)), g, 1e-12);
    near(json_number_value(json_array_get(at, 0)), sqrt(g * b * K[0] - a), 1e-12);
    assert_true(json_is_null(json_array_get(gain, 1))); /* infinite */
    /* |L| = 1 */
    near(hypot(b * K[0], b * K[1] * w), hypot(-w * w - a, -d * w), 1e-11);
    double phase, delay;
    assert_int_equal(run_numbers(out, "phase_margin_deg", &phase, 1), 1);
    assert_int_equal(run_numbers(out, "delay_margin", &delay, 1), 1);
    near(delay * w, phase * acos(-1) / 180, 1e-12);
    const json_t *S = json_array_get(json_object_get(out, "disk_margins"), 0);
    near(json_number_value(json_array_get(S, 0)), 1, 2e-7);
    near(json_number_value(json_array_get(S, 4)), 60, 1e-4);
    json_decref(out);
}

/* short steps come to the continuous gain; the error falls with the step */
static void discrete_time(void **state)
{
    (void)state;
    double K[2], coarse[2], fine[2], poles[4], frequency[2];
    json_t *out = result_of("lqr " ROBOTS "pendulum.json --out out.json");
    assert_int_equal(run_numbers(out, "K", K, 2), 2);
    json_decref(out);
    /* the sum of costs of steps of h is 1/h times the integral: the same weights on both sides cancel */
    out = result_of("lqr " ROBOTS "pendulum.json --discrete 0.01 --out out.json");
    assert_int_equal(run_numbers(out, "K", coarse, 2), 2);
    json_decref(out);
    out = result_of("lqr " ROBOTS "pendulum.json --discrete 0.001 --out out.json");
    assert_int_equal(run_numbers(out, "K", fine, 2), 2);
    assert_int_equal(run_numbers(out, "poles", poles, 4), 4);
    assert_int_equal(run_numbers(out, "frequency_hz", frequency, 2), 2);
    assert_true(hypot(poles[0], poles[1]) < 1 && hypot(poles[0], poles[1]) > 0.99);
    near(frequency[0], 0.56125, 2e-3);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(fine[i] - K[i]) < 0.2 * fabs(coarse[i] - K[i]));
        near(fine[i], K[i], 1e-2);
    }
    json_decref(out);
}

/* a constant force leaves an error, unless its integral is fed back */
static void integrals_bring_back(void **state)
{
    (void)state;
    double Ki[3], poles[6], size = 1;
    json_t *out = result_of("lqr " ROBOTS "pendulum.json --integral pivot --weight-integral 4 --out out.json");
    assert_int_equal(run_numbers(out, "Ki", Ki, 3), 1);
    near(Ki[0], 2, 1e-12); /* √(weight of the integral / weight of the input) */
    assert_int_equal(run_numbers(out, "poles", poles, 6), 6);
    json_decref(out);
    assert_int_equal(run("lqr " ROBOTS "pendulum.json --simulate 20 --disturb 1,0,0"), 0);
    assert_non_null(strstr(run_out, "0.1 at the end"));
    static const char *const runs[] = {
        "lqr " ROBOTS "pendulum.json --simulate 20 --disturb 1,0,0 --integral pivot --weight-integral 100",
        "lqr " ROBOTS
        "pendulum.json --simulate 20 --disturb 1,0,0 --integral pivot --weight-integral 100 --discrete 0.01",
        "lqr " ROBOTS
        "arm7.json --q shoulder_pitch=0.5,elbow=1.0 --weight-position 100 --weight-input 0.01 --integral tool "
        "--weight-integral 1e4 --simulate 10 --push 0,0,0 --disturb 1,1,-1"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_int_equal(run(runs[i]), 0);
        const char *at = strstr(run_out, "the largest error at the end is ");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "the largest error at the end is %lf", &size), 1);
        assert_true(size < 1e-6);
    }
}

static void a_held_quadruped(void **state)
{
    (void)state;
    static double K[12 * 36];
    double poles[64], residual;
    json_t *out = result_of("lqr " QUADRUPED "--out out.json");
    assert_int_equal(run_numbers(out, "K", K, 12 * 36), 12 * 36);
    const size_t count = run_numbers(out, "poles", poles, 64) / 2;
    assert_int_equal(count, 12); /* 18 coordinates, 12 rows: six motions are left */
    for (size_t i = 0; i < count; i++) assert_true(poles[2 * i] < 0);
    assert_int_equal(run_numbers(out, "residual", &residual, 1), 1);
    assert_true(residual < 1e-12);
    json_decref(out);
}

/* the feedback is about an equilibrium; of another state the command says so, and that it computes all the same */
static void states_that_do_not_stay(void **state)
{
    (void)state;
    assert_int_equal(run("lqr " ROBOTS "pendulum.json --q pivot=1"), 0);
    assert_non_null(strstr(run_err, "warning: the state does not stay: the largest acceleration is 10.3 (pivot)"));
    assert_non_null(strstr(run_err, "hamel trim"));
    assert_int_equal(run("lqr " ROBOTS "pendulum.json --q pivot=1 --quiet"), 0);
    assert_string_equal(run_err, "");
    assert_int_equal(run("lqr " ROBOTS "pendulum.json"), 0);
    assert_string_equal(run_err, "");
    assert_int_equal(run("trim " QUADRUPED "--state " HAMEL_SOURCE_DIR
                         "/examples/states/quadruped_crouch.json --friction 0.6 --save stand.json"),
                     0);
    assert_int_equal(run("lqr " QUADRUPED "--state stand.json"), 0);
    assert_string_equal(run_err, "");
    assert_int_equal(run("lqr " QUADRUPED "--state " HAMEL_SOURCE_DIR "/examples/states/quadruped_crouch.json"), 0);
    assert_non_null(strstr(run_err, "does not stay"));
}

/* the advice for robots that float is for those alone */
static void advice_that_helps(void **state)
{
    (void)state;
    assert_int_equal(run("lqr " QUADRUPED "--discrete 5"), 3);
    assert_non_null(strstr(run_err, "the step of --discrete is too long"));
    assert_null(strstr(run_err, "floats"));
    assert_int_equal(run("lqr " ROBOTS "drone_arm.json --inputs all --discrete 100"), 3);
    assert_null(strstr(run_err, "floats"));
    assert_int_equal(run("lqr " ROBOTS "quadruped.json --discrete 0.1"), 3);
    assert_non_null(strstr(run_err, "a robot that floats: --hold its feet"));
}

static void what_it_refuses(void **state)
{
    (void)state;
    static const run_refusal cases[] = {
        {"lqr " ROBOTS "quadruped.json", 3, "momentum"},
        {"lqr " ROBOTS "pendulum.json --gravity 0,0,0 --passive off --weight-position 0", 3, "the weights do not see"},
        {"lqr " ROBOTS "pendulum.json --hold tip:frame", 1, "leave no motion"},
        {"lqr " ROBOTS "quadruped.json --hold fl_foot:touch", 1, "--hold fl_foot:touch: what only pushes"},
        {"modes " ROBOTS "quadruped.json --hold fl_foot:touch", 1, "point, frame or plane"},
        {"lqr " ROBOTS "pendulum.json --hold nobody", 1, "there is no frame 'nobody'"},
        {"lqr " ROBOTS "pendulum.json --integral pivot,pivot", 3, "no constant input holds all these outputs"},
        {"lqr " ROBOTS "pendulum.json --integral nobody", 1, "there is no frame 'nobody'"},
        {"lqr " ROBOTS "pendulum.json --integral pivot,", 2, "names of joints or frames"},
        {"lqr --weight-integral 0", 2, "a positive number"},
        {"lqr --disturb 1,0,0", 2, "need --simulate"},
        {"lqr --weight-input 0", 2, "a positive number"},
        {"lqr --weight-position -1", 2, "a non-negative number"},
        {"lqr --discrete 0", 2, "a positive time"},
        {"lqr --push 1,0,0", 2, "need --simulate"},
        {"lqr " ROBOTS "pendulum.json --plot p.svg", 2, "need --simulate"},
        {"lqr " ROBOTS "pendulum.json --simulate 1 --friction 1", 2, "--friction needs --ground"},
        {"lqr " ROBOTS "pendulum.json --simulate 1 --lift", 2, "--lift needs --ground"},
        {"lqr --simulate 0", 2, "a positive time"},
        {"lqr --simulate 1 --push 1,0", 2, "three numbers"},
        {"lqr " QUADRUPED "--simulate 1", 2, "needs --ground"},
        {"linearize --discrete 0.1", 2, "no option --discrete"},
    };
    run_refused(sizeof cases / sizeof *cases, cases);
}

static void a_table_for_people(void **state)
{
    (void)state;
    assert_int_equal(run("lqr " ROBOTS "pendulum.json"), 0);
    static const char *const words[] = {"q pivot", "v pivot", "damping ratio", "0.56125", "relative residual"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) assert_non_null(strstr(run_out, words[i]));
}

/* a push p at the centre of mass of a rod, 0.6/m from the pivot: ν = 0.6 p / (m · 0.4801/m) */
static void a_pendulum_that_is_pushed(void **state)
{
    (void)state;
    assert_int_equal(run("lqr " ROBOTS "pendulum.json --simulate 5 --push 0.1,0,0"), 0);
    assert_non_null(
        strstr(run_out, "deviation            0.125 after the push, 0.125 at the most (velocity of pivot, at 0"));
    assert_non_null(strstr(run_out, "recovered            below 5 %"));
    assert_int_equal(run("lqr " ROBOTS "pendulum.json --simulate 0.5 --push 0.1,0,0"), 0);
    assert_non_null(strstr(run_out, "recovered            no"));
    assert_int_equal(run("lqr " ROBOTS "pendulum.json --simulate 5 --discrete 0.05 --out out.json"), 0);
    assert_string_equal(run_out, "");
}

/* feet that are held in the linearization stand on the ground in the simulation */
static void a_quadruped_that_is_pushed(void **state)
{
    (void)state;
    assert_int_equal(run("trim " QUADRUPED "--state " HAMEL_SOURCE_DIR
                         "/examples/states/quadruped_crouch.json --friction 0.6 --save stand.json"),
                     0);
    assert_int_equal(run("lqr " QUADRUPED "--state stand.json --simulate 1.5 --ground --push 1.4,0,0 --plot push.svg"),
                     0);
    assert_non_null(strstr(run_out, "1.4, 0, 0 N s on trunk"));
    assert_non_null(strstr(run_out, "recovered            below 5 %"));
    assert_null(strstr(run_out, "at their limits"));
    assert_int_equal(run("lqr " QUADRUPED "--state stand.json --simulate 1.5 --ground --push 20,0,0"), 0);
    assert_non_null(strstr(run_out, "recovered            no"));
    assert_non_null(strstr(run_out, "motors               at their limits"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_is_as_on_paper),    cmocka_unit_test(integrals_bring_back),
        cmocka_unit_test(margins_are_as_on_paper),    cmocka_unit_test(discrete_time),
        cmocka_unit_test(a_held_quadruped),           cmocka_unit_test(what_it_refuses),
        cmocka_unit_test(a_table_for_people),         cmocka_unit_test(a_pendulum_that_is_pushed),
        cmocka_unit_test(a_quadruped_that_is_pushed), cmocka_unit_test(advice_that_helps),
        cmocka_unit_test(states_that_do_not_stay),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
