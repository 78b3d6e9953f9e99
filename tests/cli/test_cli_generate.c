/* hamel generate: the files, what is in them, and what is refused. */
#include <sys/stat.h>

#include "run.h"

static int exists(const char *name)
{
    struct stat about;
    return stat(run_path(name), &about) == 0;
}

static void files_are_written(void **state)
{
    (void)state;
    static char text[1 << 20], again[1 << 20];
    assert_int_equal(run("generate " ROBOTS "quadruped.json --out dog.c"), 0);
    assert_non_null(strstr(run_out, "dog.c"));
    assert_non_null(strstr(run_out, "dog.h"));
    assert_true(exists("dog.c") && exists("dog.h") && !exists("dog_test.c"));
    run_read("dog.h", text, sizeof text);
    assert_non_null(strstr(text, "DOG_NV = 18"));
    assert_non_null(strstr(text, "int dog_linearize("));
    assert_non_null(strstr(text, "DOG_Q_FL_KNEE = "));

    run_read("dog.c", text, sizeof text);
    assert_int_equal(run("generate " ROBOTS "quadruped.json --out dog.c --quiet"), 0);
    assert_string_equal(run_out, "");
    run_read("dog.c", again, sizeof again);
    assert_string_equal(text, again);
}

static void options_choose_what_is_written(void **state)
{
    (void)state;
    static char text[1 << 20];
    assert_int_equal(run("generate --batch " ROBOTS "pendulum.json --out b.c"), 0); /* of bench it has an argument */
    assert_true(exists("b.c") && exists("b.h"));
    assert_int_equal(run("generate " ROBOTS "pendulum.json --out p.c --functions mass_matrix --float --test"), 0);
    assert_true(exists("p.c") && exists("p.h") && exists("p_test.c"));
    run_read("p.h", text, sizeof text);
    assert_non_null(strstr(text, "int p_mass_matrix(const float *q, float *M)"));
    assert_null(strstr(text, "p_linearize"));
    assert_int_equal(run("generate --out nine.c --functions mass_matrix"), 0); /* the built-in robot */
    assert_true(exists("nine.h"));
}

/* a leg whose hip is turned by 1.57079632679 */
static void angles_become_round_on_request(void **state)
{
    (void)state;
    run_save(
        "leg.urdf",
        "<robot name='leg'><link name='trunk'><inertial><mass value='3'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
        "iyz='0' "
        "izz='1'/></inertial></link><link name='shin'><inertial><origin xyz='0.1 0.2 0.3'/><mass value='1'/><inertia "
        "ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.1'/></inertial></link><joint name='hip' type='revolute'>"
        "<parent link='trunk'/><child link='shin'/><origin rpy='1.57079632679 0 0' xyz='0.3 0 0'/><axis xyz='0 0 1'/>"
        "<limit effort='1' velocity='1' lower='-1' upper='1'/></joint></robot>");
    assert_int_equal(run("generate --base free leg.urdf --out leg.c --functions linearize --realign"), 0);
    assert_non_null(strstr(run_out, "turned by at most 4.9e-12 rad"));
    assert_non_null(strstr(run_out, "of their largest entry at 32 random states"));
    assert_null(strstr(run_out, "differ by 0.0e+00"));
    assert_int_equal(run("generate " ROBOTS "quadruped.json --out dog.c --realign"), 0);
    assert_non_null(strstr(run_out, "realigned: nothing"));
}

static void bad_usage_and_bad_files(void **state)
{
    (void)state;
    assert_int_equal(run("generate " ROBOTS "pendulum.json"), 2);
    assert_non_null(strstr(run_err, "--out"));
    assert_int_equal(run("generate " ROBOTS "pendulum.json --out p.json"), 2);
    assert_int_equal(run("generate " ROBOTS "pendulum.json --out q.c --functions mass"), 2);
    assert_non_null(strstr(run_err, "mass_matrix"));
    assert_int_equal(run("generate " ROBOTS "quadruped.json --out q.c --hold fl_foot --functions frames"), 2);
    assert_non_null(strstr(run_err, "--hold is about held_linearize"));
    assert_int_equal(run("generate " ROBOTS "quadruped.json --out q.c --frames fl_foot --functions mass_matrix"), 2);
    assert_non_null(strstr(run_err, "--frames is about frames"));
    assert_int_equal(run("generate nowhere.urdf --out q.c"), 1);
    assert_int_equal(run("generate " ROBOTS "pendulum.json --out nowhere/q.c"), 4);
    assert_false(exists("q.c") || exists("q.h"));
}

/* a chain that is too long is refused before anything is written */
static void large_robots_are_refused(void **state)
{
    (void)state;
    static char text[1 << 17];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"hamel\": 1, \"name\": \"chain\", \"bodies\": [");
    for (int i = 0; i < 400; i++) {
        char parent[16] = "null";
        if (i) snprintf(parent, sizeof parent, "\"b%d\"", i - 1);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s{\"name\": \"b%d\", \"parent\": %s, \"joint\": {\"name\": \"j%d\", \"type\": "
                              "\"revolute\", \"axis\": [0, 0, 1]}, \"inertia\": {\"mass\": 1, \"com\": [0.1, 0, 0], "
                              "\"moment\": [[1,0,0],[0,1,0],[0,0,1]]}}",
                              i ? ", " : "", i, parent, i);
    }
    snprintf(text + n, sizeof text - n, "]}");
    run_save("chain.json", text);
    assert_int_equal(run("generate chain.json --out chain.c"), 1);
    assert_non_null(strstr(run_err, "statements"));
    assert_false(exists("chain.c") || exists("chain.h"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_written),
        cmocka_unit_test(options_choose_what_is_written),
        cmocka_unit_test(angles_become_round_on_request),
        cmocka_unit_test(bad_usage_and_bad_files),
        cmocka_unit_test(large_robots_are_refused),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
