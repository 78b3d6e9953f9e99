/* What the command prints and writes: tables, colours, pictures, files that are whole or not there. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): posix_openpt; POSIX has us define it */
#endif
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#include <expat.h>

#include "run.h"

static int exists(const char *name) { return access(run_path(name), F_OK) == 0; }

/* every file of the folder but what run() itself leaves there */
static int count_files(void)
{
    char command[1024], text[32];
    snprintf(command, sizeof command, "ls -A '%s' | grep -v '^\\.out$\\|^\\.err$\\|^\\.count$' | wc -l >'%s/.count'",
             run_folder, run_folder);
    assert_int_equal(system(command), 0);
    run_read(".count", text, sizeof text);
    return atoi(text);
}

static void is_xml(const char *name)
{
    static char text[1 << 20];
    run_read(name, text, sizeof text);
    XML_Parser parser = XML_ParserCreate(NULL);
    assert_non_null(parser);
    assert_int_equal(XML_Parse(parser, text, (int)strlen(text), 1), XML_STATUS_OK);
    XML_ParserFree(parser);
    assert_non_null(strstr(text, "<svg"));
}

/* ---- tables ---- */

static void tables_name_rows_and_columns(void **state)
{
    (void)state;
    assert_int_equal(run("info"), 0);
    assert_memory_equal(run_out, "nine: free base", 15);
    assert_non_null(strstr(run_out, "│     └─ link4     revolute_y   revolute   SO(2)  y"));
    assert_non_null(strstr(run_out, "tip5"));
    assert_null(strchr(run_out, '\033'));
    assert_int_equal(run("dynamics --representation mixed"), 0);
    assert_non_null(
        strstr(run_out, "free base, 15 degrees of freedom, velocities at the base in world axes (mixed)\n"));
    assert_non_null(strstr(run_out, "acceleration"));
    assert_int_equal(run("linearize " ROBOTS "pendulum.json"), 0);
    assert_non_null(strstr(run_out, "fixed base, 1 degree of freedom"));
    assert_null(strstr(run_out, "v pivot   -12.26  -0.041658\n"));
    assert_non_null(strstr(run_out, "Largest couplings"));
    assert_non_null(strstr(run_out, "they reach 2 of 2"));
    assert_non_null(strstr(run_out, "pivot            q pivot     -12.26\n"));
    assert_int_equal(run("linearize " ROBOTS "pendulum.json --full"), 0);
    assert_non_null(strstr(run_out, "v pivot   -12.26  -0.041658\n"));
    assert_int_equal(run("linearize humanoid"), 0);
    assert_non_null(strstr(run_out, "faster ones: hamel modes shows all"));
    assert_int_equal(run("info quadruped"), 0);
    static const char *const words[] = {"effort limit", "Collision shapes", "sphere"};
    for (size_t i = 0; i < 3; i++) assert_non_null(strstr(run_out, words[i]));
    assert_null(strstr(run_out, "bytes"));
    assert_int_equal(run("info quadruped --memory"), 0);
    assert_non_null(strstr(run_out, "bytes"));
    assert_int_equal(run_with("COLUMNS=70", "linearize --full"), 0);
    for (char *line = strtok(run_out, "\n"); line; line = strtok(NULL, "\n")) assert_true(strlen(line) <= 70);
}

/* info of a robot whose base is fixed by default and free on demand */
static void base_is_said_and_chosen(void **state)
{
    (void)state;
    run_save("r.urdf",
             "<robot name=\"r\"><link name=\"trunk\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" "
             "ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link><link name=\"arm\"><inertial><mass "
             "value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>"
             "</link><joint name=\"base\" type=\"continuous\"><parent link=\"trunk\"/><child link=\"arm\"/>"
             "<axis xyz=\"0 0 1\"/></joint></robot>");
    assert_int_equal(run("info r.urdf --base free"), 1); /* two joints would be called base */
    assert_non_null(strstr(run_err, "base"));
    assert_int_equal(run("info r.urdf --base free --base-name floating"), 0);
    assert_memory_equal(run_out, "r: free base", 12);
    assert_non_null(strstr(run_out, "floating"));
    assert_int_equal(run("info r.urdf"), 0);
    assert_memory_equal(run_out, "r: fixed base", 13);
    assert_int_equal(run("info r.urdf --base fixed"), 0);
    assert_memory_equal(run_out, "r: fixed base", 13);
}

/* on a terminal there are colours, unless NO_COLOR says no */
static void colours_on_a_terminal_only(void **state)
{
    (void)state;
    for (int no = 0; no < 2; no++) {
        static char text[1 << 16];
        int terminal = posix_openpt(O_RDWR | O_NOCTTY);
        if (terminal < 0) skip(); /* a bare chroot has none */
        assert_true(grantpt(terminal) == 0 && unlockpt(terminal) == 0);
        char command[1024];
        snprintf(command, sizeof command, "TERM=xterm NO_COLOR=%s '%s' info >'%s'", no ? "1" : "", HAMEL_COMMAND,
                 ptsname(terminal));
        int side = open(ptsname(terminal), O_RDWR | O_NOCTTY); /* keeps what was written until it is read */
        assert_true(side >= 0);
        assert_int_equal(system(command), 0);
        ssize_t size = read(terminal, text, sizeof text - 1);
        assert_true(size > 0);
        text[size] = 0;
        assert_int_equal(strstr(text, "\033[1m") != NULL, !no);
        close(side);
        close(terminal);
    }
}

static void zeros_can_be_seen(void **state)
{
    (void)state;
    assert_int_equal(run("linearize --spy --picture spy.svg"), 0);
    assert_non_null(strstr(run_out, "A is 30 x 30, 17 of 900 entries are not zero; B is 30 x 9, 135 of 270"));
    is_xml("spy.svg");
    assert_int_equal(run("linearize " ROBOTS "humanoid.json --picture big.svg --out big.json"), 0);
    is_xml("big.svg");
    assert_non_null(strstr(run_out, "Largest couplings"));
    assert_non_null(strstr(run_out, "matrices             big.json\npicture              big.svg\n"));
    assert_int_equal(run("linearize " ROBOTS "humanoid.json -q --out big.json"), 0);
    assert_string_equal(run_out, "");
    assert_int_equal(run("linearize --picture nowhere/x.svg"), 4);
    assert_int_equal(run("linearize --picture x.png"), 2); /* what it cannot draw it does not write */
    assert_non_null(strstr(run_err, "a file that ends in .svg"));
    assert_false(exists("x.png"));
    assert_int_equal(run("simulate --time 0.1 --plot x.pdf"), 2);
}

/* ---- info as a file ---- */

static void info_has_its_keys(void **state)
{
    (void)state;
    assert_int_equal(run("info " ROBOTS "satellite.json --out info.json"), 0);
    json_t *out = run_json("info.json"), *bodies = json_object_get(out, "bodies"),
           *joints = json_object_get(out, "joints");
    double mass = 0;
    size_t i;
    json_t *body;
    json_array_foreach(bodies, i, body) mass += json_number_value(json_object_get(body, "mass"));
    near(mass, json_number_value(json_object_get(out, "mass")), 1e-10);
    assert_true(json_array_size(bodies) >= 17 && json_array_size(joints) == 17);
    assert_string_equal(run_text(json_array_get(joints, 0), "type"), "free");
    assert_string_equal(run_text(json_array_get(joints, 0), "group"), "SE(3)");
    assert_true(json_is_null(json_object_get(json_array_get(bodies, 0), "parent")));
    assert_int_equal(json_array_size(json_object_get(out, "coordinates")),
                     (size_t)json_integer_value(json_object_get(out, "nv")));
    assert_true(json_array_size(json_object_get(out, "workspace")) >= 1);
    json_decref(out);
}

/* ---- whole or not at all ---- */

static void what_cannot_be_written_is_4(void **state)
{
    (void)state;
    static const char *const endings[] = {"json", "npz", "mat", "csv"};
    char arguments[256];
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(run("info --out /dev/full"), 4);
        assert_int_equal(run("info >/dev/full"), 4);
        for (int i = 0; i < 4; i++) {
            snprintf(arguments, sizeof arguments, "full.%s", endings[i]);
            assert_int_equal(symlink("/dev/full", run_path(arguments)), 0);
            snprintf(arguments, sizeof arguments, "linearize --out full.%s", endings[i]);
            assert_int_equal(run(arguments), 4);
            assert_memory_equal(run_err, "hamel: full.", 12);
        }
    }
    int before = count_files();
    assert_int_equal(run("info --out nowhere/x.json"), 4);
    assert_int_equal(mkdir(run_path("folder.json"), 0777), 0);
    assert_int_equal(run("info --out folder.json"), 4);
    for (int i = 0; i < 4; i++) { /* 512 bytes are not enough */
        snprintf(arguments, sizeof arguments, "linearize --out cut.%s", endings[i]);
        assert_int_equal(run_with("ulimit -f 1;", arguments), 4);
    }
    assert_int_equal(count_files(), before + 1); /* the folder: no part of a file, nothing temporary */
}

static void an_old_file_stays_until_the_new_one_is_whole(void **state)
{
    (void)state;
    run_save("kept.json", "old");
    assert_int_equal(chmod(run_path("kept.json"), 0640), 0);
    assert_int_equal(run_with("ulimit -f 1;", "linearize --out kept.json"), 4);
    char text[16];
    run_read("kept.json", text, sizeof text);
    assert_string_equal(text, "old");
    assert_int_equal(run("linearize --out kept.json"), 0);
    json_decref(run_json("kept.json"));
    struct stat about;
    assert_int_equal(stat(run_path("kept.json"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
}

/* a title is cut where it is too long, and not inside a character; marks of XML in it are text */
static void pictures_of_long_names_are_whole(void **state)
{
    (void)state;
    static char text[4000];
    for (int shift = 0; shift < 4; shift++) { /* the cut falls on each byte of a character of four */
        char name[1000] = "<&>\\\"";
        for (int i = 0; i < shift; i++) strcat(name, "a");
        for (int i = 0; i < 120; i++) strcat(name, "\xf0\x9f\xa4\x96");
        snprintf(text, sizeof text,
                 "{\"name\": \"%s\", \"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j%s\", "
                 "\"type\": \"revolute\", \"axis\": [0, 0, 1]}, \"inertia\": {\"mass\": 1, \"com\": [1, 0, 0]}}]}",
                 name, name);
        run_save("long.json", text);
        assert_int_equal(run("linearize long.json --picture long.svg"), 0);
        is_xml("long.svg");
        assert_int_equal(run("simulate long.json --time 0.1 --plot plot.svg"), 0);
        is_xml("plot.svg");
    }
}

static void json_goes_to_a_pipe(void **state)
{
    (void)state;
    if (access("/dev/stdout", W_OK)) skip(); /* nor /proc, where this points */
    assert_int_equal(run("linearize --out /dev/stdout | cat"), 0);
    json_t *out = json_loads(run_out, 0, NULL);
    assert_non_null(out);
    assert_string_equal(run_text(out, "model"), "nine");
    json_decref(out);
}

/* ---- validate and bench ---- */

static void validation_is_as_good_as_differences_can_be(void **state)
{
    (void)state;
    double e_max[4], e_avg[4];
    assert_int_equal(run("validate --out v.json"), 0);
    json_t *out = run_json("v.json"), *study = json_object_get(out, "study");
    assert_int_equal(run_numbers(out, "e_max", e_max, 4), 4);
    assert_int_equal(run_numbers(out, "e_avg", e_avg, 4), 4);
    for (int i = 0; i < 4; i++) {
        assert_true(e_max[i] > 1e-7 && e_max[i] < 1e-4); /* forward differences: step times second derivatives */
        assert_true(e_avg[i] > 1e-8 && e_avg[i] < 1e-6);
    }
    assert_int_equal(json_array_size(study), 14);
    for (size_t k = 0; k < 5; k++) { /* an error of first order: a tenth of the step, a tenth of the error */
        double now[4], next[4];
        run_numbers(json_array_get(study, k), "e_avg", now, 4);
        run_numbers(json_array_get(study, k + 1), "e_avg", next, 4);
        for (int i = 0; i < 4; i++) assert_true(next[i] > 0.05 * now[i] && next[i] < 0.2 * now[i]);
    }
    json_decref(out);
    assert_true(exists("v-study.csv"));
    is_xml("v-study.svg");
    assert_int_equal(run("validate --samples 3 --seed 7 --study s"), 0);
    assert_non_null(strstr(run_out, "4.69e-03")); /* the paper's */
    assert_true(exists("s.csv") && exists("s.svg"));
    char csv[4096];
    run_read("s.csv", csv, sizeof csv);
    assert_memory_equal(csv, "delta,e_max_H,", 14);
}

static void validation_takes_other_robots(void **state)
{
    (void)state;
    static const char *const robots[] = {"arm7", "humanoid", "satellite", "ship_crane"};
    for (int i = 0; i < 4; i++) {
        char arguments[256];
        double e_avg[4];
        snprintf(arguments, sizeof arguments, "validate %s%s.json --samples 2 --random --out v.json", ROBOTS,
                 robots[i]);
        assert_int_equal(run(arguments), 0);
        snprintf(arguments, sizeof arguments, "validate %s%s.json --samples 2 --out v.json", ROBOTS, robots[i]);
        assert_int_equal(run(arguments), 0);
        json_t *out = run_json("v.json");
        assert_int_equal(run_numbers(out, "e_avg", e_avg, 4), 4);
        if (i == 0) assert_true(e_avg[0] == 0 && e_avg[2] == 0 && e_avg[1] > 0); /* no base */
        json_decref(out);
    }
}

/* a given robot keeps its inertias: its derivatives have another size than those of robots with inertias in [0, 1] */
static void validation_leaves_a_given_robot_as_it_is(void **state)
{
    (void)state;
    double given[4], drawn[4], twice[4];
    const char *const calls[] = {"validate heavy.json --samples 5 --out v.json",
                                 "validate heavy.json --samples 5 --random --out v.json",
                                 "validate heavier.json --samples 5 --out v.json"};
    double *const scales[] = {given, drawn, twice};
    const char *const model = "{\"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": \"j\", "
                              "\"type\": \"revolute\", \"axis\": [0, 1, 0]}, \"inertia\": {\"mass\": 1, \"com\": "
                              "[0.1, 0, 0], \"moment\": [[%d, 0, 0], [0, %d, 0], [0, 0, %d]]}}]}";
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text, model, 10000 << i, 10000 << i, 10000 << i);
        run_save(i ? "heavier.json" : "heavy.json", text);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(calls[i]), 0);
        json_t *out = run_json("v.json");
        assert_int_equal(json_integer_value(json_object_get(out, "random")), i == 1);
        run_numbers(out, "scale", scales[i], 4);
        json_decref(out);
    }
    near(given[1], 2 * twice[1], 1e-5 * given[1]); /* the pendulum: m g l sin q / I, I = 10000 + m l² */
    assert_true(drawn[1] > 100 * given[1]);
    assert_int_equal(run("validate heavy.json --samples 2"), 0);
    assert_non_null(strstr(run_out, "2 samples of states\n"));
    assert_int_equal(run("dynamics heavy.json --random"), 2);
}

/* without gravity nothing depends on the pose of the base; rounding over a step of 1e-6 is what is left, 1e-16 / 1e-6
 */
static void validation_of_derivatives_that_vanish(void **state)
{
    (void)state;
    double e_max[4], e_avg[4], scale[4];
    assert_int_equal(run("validate " ROBOTS "satellite.json --samples 5 --out v.json"), 0);
    json_t *out = run_json("v.json");
    assert_int_equal(run_numbers(out, "e_max", e_max, 4), 4);
    assert_int_equal(run_numbers(out, "e_avg", e_avg, 4), 4);
    assert_int_equal(run_numbers(out, "scale", scale, 4), 4);
    for (int i = 0; i < 4; i++) assert_true(isfinite(e_max[i]) && isfinite(e_avg[i]) && scale[i] > 0);
    assert_true(e_avg[0] < 1e-7 && e_max[0] < 1e-4);
    json_decref(out);
    assert_int_equal(run("validate " ROBOTS "satellite.json --samples 5"), 0);
    assert_non_null(strstr(run_out, "H: this derivative is zero"));
    assert_int_equal(run("validate --gravity 0,0,0 --samples 5"), 0);
    assert_non_null(strstr(run_out, "H: this derivative is zero"));
    /* a cart on a rail: no derivative at all, and still an answer */
    run_save("cart.json",
             "{\"bodies\": [{\"name\": \"cart\", \"parent\": null, \"joint\": {\"name\": \"rail\", \"type\": "
             "\"prismatic\", \"axis\": [1, 0, 0]}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], \"moment\": "
             "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]}");
    assert_int_equal(run("validate cart.json --samples 5"), 0);
    assert_null(strstr(run_out, "inf"));
    assert_null(strstr(run_out, "nan"));
}

/* the paper draws the velocity of the base in the world's axes; drawn in its own axes it is another sample */
static void validation_draws_the_twist_it_is_asked_for(void **state)
{
    (void)state;
    double right[4], left[4], again[4];
    assert_int_equal(run("validate --samples 4 --out v.json"), 0);
    json_t *out = run_json("v.json");
    run_numbers(out, "e_max", right, 4);
    json_decref(out);
    assert_int_equal(run("validate --samples 4 --twist right --out v.json"), 0);
    out = run_json("v.json");
    run_numbers(out, "e_max", again, 4);
    json_decref(out);
    assert_int_equal(run("validate --samples 4 --twist left --out v.json"), 0);
    out = run_json("v.json");
    run_numbers(out, "e_max", left, 4);
    json_decref(out);
    for (int i = 0; i < 4; i++) assert_true(right[i] == again[i]);
    for (int i = 1; i < 4; i++) assert_true(right[i] != left[i]); /* the derivative by the pose knows no velocity */
    /* with the left twist, the figures that the page had before the other was drawn */
    assert_int_equal(run("validate --twist left"), 0);
    assert_non_null(strstr(run_out, "1.45e-05"));
    assert_non_null(strstr(run_out, "5.54e-07"));
    assert_int_equal(run("validate --twist up"), 2);
}

static void validation_says_singular(void **state)
{
    (void)state;
    run_save("light.json",
             "{\"bodies\": [{\"name\": \"a\", \"parent\": null, \"joint\": {\"name\": \"shoulder\", \"type\": "
             "\"revolute\", \"axis\": [0, 0, 1]}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0], \"moment\": "
             "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}, {\"name\": \"b\", \"parent\": \"a\", \"joint\": {\"name\": "
             "\"feather\", \"type\": \"revolute\", \"axis\": [0, 0, 1]}, \"inertia\": {\"mass\": 0, \"com\": [0, 0, "
             "0], \"moment\": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}}]}");
    assert_int_equal(run("validate light.json -q"), 3);
    assert_non_null(strstr(run_err, "singular"));
    assert_non_null(strstr(run_err, "feather"));
}

static void bench_has_rows(void **state)
{
    (void)state;
    assert_int_equal(run("bench " ROBOTS "pendulum.json " ROBOTS "nine.json --seconds 0.002 --batch 16 -o b.json"), 0);
    json_t *out = run_json("b.json"), *rows = json_object_get(out, "rows"), *row;
    size_t i;
    int linearize = 0, rnea = 0, batch = 0;
    json_array_foreach(rows, i, row)
    {
        linearize += strcmp(run_text(row, "algorithm"), "linearize") == 0;
        rnea += strcmp(run_text(row, "algorithm"), "rnea") == 0;
        batch += strcmp(run_text(row, "mode"), "batch") == 0;
        assert_true(json_number_value(json_object_get(row, "ns")) > 0);
    }
    assert_true(linearize >= 4 && rnea == 2 && batch >= 2);
    json_decref(out);
    assert_int_equal(run("bench " ROBOTS "pendulum.json --seconds 0.002 --isa scalar --quiet"), 0);
    assert_non_null(strstr(run_out, "scalar"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_name_rows_and_columns),
        cmocka_unit_test(base_is_said_and_chosen),
        cmocka_unit_test(colours_on_a_terminal_only),
        cmocka_unit_test(zeros_can_be_seen),
        cmocka_unit_test(info_has_its_keys),
        cmocka_unit_test(what_cannot_be_written_is_4),
        cmocka_unit_test(an_old_file_stays_until_the_new_one_is_whole),
        cmocka_unit_test(pictures_of_long_names_are_whole),
        cmocka_unit_test(json_goes_to_a_pipe),
        cmocka_unit_test(validation_is_as_good_as_differences_can_be),
        cmocka_unit_test(validation_takes_other_robots),
        cmocka_unit_test(validation_leaves_a_given_robot_as_it_is),
        cmocka_unit_test(validation_of_derivatives_that_vanish),
        cmocka_unit_test(validation_draws_the_twist_it_is_asked_for),
        cmocka_unit_test(validation_says_singular),
        cmocka_unit_test(bench_has_rows),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
