/* modes: frequencies that are known on paper, held robots, pages, and what it refuses. */
#include <math.h>

#include "run.h"

#define QUADRUPED ROBOTS "quadruped.json --hold fl_foot --hold fr_foot --hold hl_foot:point --hold hr_foot "

static json_t *result_of(const char *arguments)
{
    if (run(arguments)) fail_msg("hamel %s: %s", arguments, run_err);
    assert_string_equal(run_out, "");
    return run_json("out.json");
}

/* is λ = re ± im·i among the n eigenvalues, and which one is it? */
static size_t find(const double *values, size_t n, double re, double im)
{
    for (size_t i = 0; i < n; i++)
        if (hypot(values[2 * i] - re, values[2 * i + 1] - im) < 1e-9) return i;
    fail_msg("%.9g%+.9gi is not an eigenvalue", re, im);
    return 0;
}

static const double round_angle = 6.283185307179586;

/* two point masses on strings of the same length: ω² = (2 ∓ √2) g / l */
static void double_pendulum(void **state)
{
    (void)state;
    double values[8], frequency[4], damping[4], share[8];
    run_save("double.json",
             "{\"hamel\": 1, \"name\": \"double\", \"gravity\": [0, 0, -9.81], \"bodies\": ["
             "{\"name\": \"upper\", \"parent\": null, \"joint\": {\"name\": \"shoulder\", \"type\": \"revolute\", "
             "\"axis\": [0, 1, 0]},"
             " \"inertia\": {\"mass\": 2, \"com\": [0, 0, -0.5], \"moment\": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}},"
             "{\"name\": \"lower\", \"parent\": \"upper\", \"joint\": {\"name\": \"elbow\", \"type\": \"revolute\", "
             "\"axis\": [0, 1, 0],"
             " \"origin\": {\"position\": [0, 0, -0.5]}},"
             " \"inertia\": {\"mass\": 2, \"com\": [0, 0, -0.5], \"moment\": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}}]}");
    json_t *out = result_of("modes double.json --out out.json");
    assert_int_equal(run_numbers(out, "eigenvalues", values, 8), 8);
    assert_int_equal(run_numbers(out, "frequency_hz", frequency, 4), 4);
    assert_int_equal(run_numbers(out, "damping_ratio", damping, 4), 4);
    assert_int_equal(run_numbers(out, "participation", share, 8), 8);
    json_t *controllable = json_object_get(out, "controllable");
    assert_int_equal(json_array_size(controllable), 4);
    for (size_t i = 0; i < 4; i++) {
        const double omega = sqrt((2 + (i < 2 ? -1 : 1) * sqrt(2)) * 9.81 / 0.5);
        near(values[2 * i], 0, 0), near(values[2 * i + 1], (i % 2 ? -1 : 1) * omega, 1e-12 * omega);
        near(frequency[i], omega / round_angle, 1e-12), near(damping[i], 0, 0);
        near(share[2 * i] + share[2 * i + 1], 1, 1e-12);
        assert_true(json_is_true(json_array_get(controllable, i)));
    }
    json_decref(out);
}

/*
 * A heavy top that sleeps upright with spin s has tilts with frequencies ν, A ν² − C s ν + m g l = 0, for who does not turn
 * with it; in its own axes they are ν − s. The angle and the rate of its spin are a double integrator.
 */
static void heavy_top(void **state)
{
    (void)state;
    const double a = 0.25, c = 0.08, mgl = 1.5 * 9.81 * 0.2, s = 60, root = sqrt(c * s * c * s - 4 * a * mgl);
    double values[12], frequency[6];
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"hamel\": 1, \"name\": \"top\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"top\", \"parent\": "
        "null,"
        " \"joint\": {\"name\": \"tip\", \"type\": \"spherical\"}, \"inertia\": {\"mass\": 1.5, \"com\": [0, 0, 0.2],"
        " \"moment\": [[%.17g, 0, 0], [0, %.17g, 0], [0, 0, %.17g]]}}]}",
        a - 0.06, a - 0.06, c);
    run_save("top.json", text);
    run_save("spin.json", "{\"joints\": {\"tip\": {\"velocity\": [0, 0, 60]}}}");
    json_t *out = result_of("modes top.json --state spin.json --out out.json");
    assert_int_equal(run_numbers(out, "eigenvalues", values, 12), 12);
    assert_int_equal(run_numbers(out, "frequency_hz", frequency, 6), 6);
    for (int k = -1; k < 2; k += 2) {
        const double w = fabs((c * s + k * root) / (2 * a) - s);
        near(frequency[find(values, 6, 0, w)], w / round_angle, 1e-9);
        find(values, 6, 0, -w);
    }
    near(hypot(values[0], values[1]) + hypot(values[2], values[3]), 0, 0); /* the slowest: zeros */
    json_decref(out);
}

/* a round body that spins nutates with Ω (C − A)/A, and no motor moves it */
static void spinning_satellite(void **state)
{
    (void)state;
    double values[24], unreachable[12];
    run_save(
        "hull.json",
        "{\"hamel\": 1, \"name\": \"hull\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"hull\", \"parent\": null,"
        " \"joint\": {\"name\": \"base\", \"type\": \"free\"}, \"inertia\": {\"mass\": 10, \"com\": [0, 0, 0],"
        " \"moment\": [[3, 0, 0], [0, 3, 0], [0, 0, 4.5]]}}]}");
    run_save("spin.json", "{\"joints\": {\"base\": {\"velocity\": [0, 0, 0, 0, 0, 2]}}}");
    json_t *out = result_of("modes hull.json --state spin.json --out out.json");
    assert_int_equal(run_numbers(out, "eigenvalues", values, 24), 24);
    assert_int_equal(run_numbers(out, "unreachable", unreachable, 12), 12);
    assert_int_equal(find(values, 12, 0, 0), 0), assert_int_equal(find(values, 12, 0, 1), 4);
    assert_int_equal(find(values, 12, 0, 2), 6);
    near(unreachable[0], 4, 0), near(unreachable[4], 1, 0), near(unreachable[6], 3, 0);
    for (size_t i = 0; i < 12; i++) assert_true(json_is_false(json_array_get(json_object_get(out, "controllable"), i)));
    json_decref(out);
    out = result_of("modes hull.json --state spin.json --inputs all --out out.json");
    for (size_t i = 0; i < 12; i++) assert_true(json_is_true(json_array_get(json_object_get(out, "controllable"), i)));
    json_decref(out);
}

/* the sum of the eigenvalues is the trace, that of their squares the trace of the square; A is that of linearize */
static void same_matrix_as_linearize(void **state)
{
    (void)state;
    static double A[36 * 36];
    double values[72], sum[2] = {0, 0}, trace[2] = {0, 0};
    json_t *out = result_of("linearize " ROBOTS "quadruped.json -q --out out.json");
    assert_int_equal(run_numbers(out, "A", A, 36 * 36), 36 * 36);
    json_decref(out);
    out = result_of("modes " ROBOTS "quadruped.json --out out.json");
    assert_int_equal(run_numbers(out, "eigenvalues", values, 72), 72);
    json_decref(out);
    for (size_t i = 0; i < 36; i++) {
        sum[0] += values[2 * i], sum[1] += values[2 * i] * values[2 * i] - values[2 * i + 1] * values[2 * i + 1];
        trace[0] += A[i * 36 + i];
        for (size_t j = 0; j < 36; j++) trace[1] += A[i * 36 + j] * A[j * 36 + i];
    }
    near(sum[0], trace[0], 1e-11), near(sum[1], trace[1], 1e-9);
}

static void a_held_quadruped(void **state)
{
    (void)state;
    double values[24], shapes[12 * 72];
    json_t *out = result_of("modes " QUADRUPED "--out out.json");
    assert_int_equal(run_numbers(out, "eigenvalues", values, 24), 24); /* six motions are left */
    assert_int_equal(run_numbers(out, "shapes", shapes, 12 * 72), 12 * 72);
    assert_int_equal(json_array_size(json_object_get(out, "position")), 19);
    json_decref(out);
}

static void pages(void **state)
{
    (void)state;
    static char page[4 << 20];
    assert_int_equal(run("modes " QUADRUPED "--view a.html --mode 2 --out out.json"), 0);
    run_read("a.html", page, sizeof page);
    assert_non_null(strstr(page, "quadruped: mode 2, "));
    /* undamped, unstable, zero: every kind has a page */
    assert_int_equal(run("modes " ROBOTS "pendulum.json --view a.html"), 0);
    run_read("a.html", page, sizeof page);
    assert_non_null(strstr(page, "mode 1, 0.5573 Hz"));
    assert_int_equal(run("modes " ROBOTS "satellite.json --view a.html --mode 1"), 0);
    run_read("a.html", page, sizeof page);
    assert_non_null(strstr(page, "nothing holds it"));
    run_save("up.json", "{\"joints\": {\"pivot\": {\"position\": [3.141592653589793]}}}");
    assert_int_equal(run("modes " ROBOTS "pendulum.json --state up.json --view a.html --mode 2"), 0);
    run_read("a.html", page, sizeof page);
    assert_non_null(strstr(page, "mode 2, it "));
}

static void what_it_refuses(void **state)
{
    (void)state;
    static const run_refusal cases[] = {
        {"modes " ROBOTS "pendulum.json --hold tip:frame", 1, "leave no motion"},
        {"modes " ROBOTS "pendulum.json --hold nobody", 1, "there is no frame 'nobody'"},
        {"modes " ROBOTS "pendulum.json --view a.html --mode 9", 2, "there are 1 modes, not 9"},
        {"modes " ROBOTS "pendulum.json --mode 1", 2, "--mode chooses what --view shows"},
        {"modes " ROBOTS "pendulum.json --view a.png", 2, "a file that ends in .html"},
        {"linearize --mode 1", 2, "no option --mode"},
    };
    run_refused(sizeof cases / sizeof *cases, cases);
}

static void a_table_for_people(void **state)
{
    (void)state;
    assert_int_equal(run("modes " ROBOTS "drone_arm.json"), 0);
    static const char *const words[] = {"who moves", "integrator", "base.v", "not ", "die out", "they reach"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(run_out, words[i])) fail_msg("%s is missing", words[i]);
}

/* a pendulum with damping 0.02 N m s, weight m g l = 5.886 N m and moment 0.4801 kg m² */
static void a_root_locus(void **state)
{
    (void)state;
    const struct {
        const char *what;
        double value, frequency;
    } cases[] = {{"damping:pivot=-0.5:1", -0.02, sqrt(5.886 / 0.4801)},
                 {"damping:pivot=1:-0.5:7", -0.02, sqrt(5.886 / 0.4801)},
                 {"stiffness:pivot=-10:5", -5.886, 0},
                 {"gravity=1:-0.9:11", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        double value[4], eigenvalue[8];
        snprintf(line, sizeof line, "modes " ROBOTS "pendulum.json --locus %s --plot locus.svg --out out.json",
                 cases[i].what);
        if (run(line)) fail_msg("%s: %s", line, run_err);
        json_t *out = run_json("out.json");
        assert_int_equal(run_numbers(out, "crossings", value, 4), 1);
        assert_true(fabs(value[0] - cases[i].value) < 1e-9);
        assert_int_equal(run_numbers(out, "crossing_eigenvalues", eigenvalue, 8), 2);
        assert_true(fabs(eigenvalue[1] - cases[i].frequency) < 1e-5);
        json_decref(out);
        static char text[1 << 16];
        run_read("locus.svg", text, sizeof text);
        assert_non_null(strstr(text, "<svg"));
        assert_non_null(strstr(text, "pendulum: eigenvalues"));
    }
    assert_int_equal(run("modes " ROBOTS "pendulum.json --locus mass:rod=1:3"), 0);
    assert_non_null(strstr(run_out, "nowhere between 1 and 3"));
    /* a held quadruped, and one that moves */
    assert_int_equal(run("modes " ROBOTS
                         "quadruped.json --hold fl_foot --hold fr_foot --hold hl_foot --hold hr_foot --q "
                         "fl_knee=-0.5 --locus mass:trunk=5:9:5"),
                     0);
    assert_int_equal(run("modes " ROBOTS "arm7.json --locus speed=0:1:3"), 0);
    static const run_refusal refused[] = {
        {"modes " ROBOTS "pendulum.json --locus mass:rod", 2, "FROM:TO"},
        {"modes " ROBOTS "pendulum.json --locus mass:rod=1:1", 2, "FROM and TO differ, not '1:1'"},
        {"modes " ROBOTS "pendulum.json --locus mass:rod=1:2:1", 2, "2 to 100001 points"},
        {"modes " ROBOTS "pendulum.json --locus mass:rod=1:2:-5", 2, "2 to 100001 points"},
        {"modes " ROBOTS "pendulum.json --locus mass:rod=1:2:100002", 2, "2 to 100001 points"},
        {"modes " ROBOTS "pendulum.json --locus mass:rod=1:2:x", 2, "FROM:TO"},
        {"modes " ROBOTS "pendulum.json --locus mass:rod=-1:1", 2, "not negative"},
        {"modes " ROBOTS "pendulum.json --locus speed:rod=1:2", 2, "--locus: mass:BODY"},
        {"modes " ROBOTS "pendulum.json --locus mass:nobody=1:2", 1, "there is no frame 'nobody'"},
        {"modes " ROBOTS "pendulum.json --locus damping:nobody=1:2", 1, "there is no coordinate 'nobody'"},
        {"modes " ROBOTS "pendulum.json --plot p.svg", 2, "--locus"},
    };
    run_refused(sizeof refused / sizeof *refused, refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_root_locus),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(heavy_top),
        cmocka_unit_test(spinning_satellite),
        cmocka_unit_test(same_matrix_as_linearize),
        cmocka_unit_test(a_held_quadruped),
        cmocka_unit_test(pages),
        cmocka_unit_test(what_it_refuses),
        cmocka_unit_test(a_table_for_people),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
