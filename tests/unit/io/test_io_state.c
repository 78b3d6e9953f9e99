/* States: every key, every representation, every refusal; and files that appear whole or not at all. */
#define _XOPEN_SOURCE 700 /* SIGXFSZ, RLIMIT_FSIZE */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io_check.h"

#define BODY(name, parent, joint)                                                                                      \
    "{\"name\": \"" name "\", \"parent\": " parent ", \"joint\": " joint                                               \
    ", \"inertia\": {\"mass\": 1, \"moment\": [[1,0,0],[0,1,0],[0,0,1]]}}"

static const char robot[] = "{\"bodies\": [" BODY("trunk", "null", "{\"name\": \"base\", \"type\": \"free\"}") "," BODY(
    "leg", "\"trunk\"",
    "{\"name\": \"hip\", \"type\": \"spherical\"}") "," BODY("shank", "\"leg\"",
                                                             "{\"name\": \"knee\", \"type\": \"revolute\", \"axis\": "
                                                             "[0, 1, 0]}") "," BODY("toe", "\"shank\"",
                                                                                    "{\"name\": \"mtp\", \"type\": "
                                                                                    "\"revolute\", \"axis\": [0, 1, "
                                                                                    "0], \"mimic\": {\"joint\": "
                                                                                    "\"knee\"}}") "," BODY("table",
                                                                                                           "null",
                                                                                                           "{\"name\": "
                                                                                                           "\"desk\", "
                                                                                                           "\"type\": "
                                                                                                           "\"planar\""
                                                                                                           "}") "], "
                                                                                                                "\"fram"
                                                                                                                "es\": "
                                                                                                                "[{"
                                                                                                                "\"name"
                                                                                                                "\": "
                                                                                                                "\"tool"
                                                                                                                "\", "
                                                                                                                "\"body"
                                                                                                                "\": "
                                                                                                                "\"shan"
                                                                                                                "k\", "
                                                                                                                "\"orig"
                                                                                                                "in\": "
                                                                                                                "{\"pos"
                                                                                                                "ition"
                                                                                                                "\": "
                                                                                                                "[0, "
                                                                                                                "0, "
                                                                                                                "1]}}]"
                                                                                                                "}";

static hml_model *model;

static int load_robot(void **state)
{
    (void)state;
    model = load_text("robot.json", robot);
    return 0;
}

static int free_robot(void **state)
{
    (void)state;
    hml_model_free(model);
    return 0;
}

static hml_state *read_state(const char *text)
{
    hml_state *s = NULL;
    hml_error error = {0};
    if (hml_state_load_memory(text, strlen(text), "s.json", model, &s, &error)) fail_msg("%s", error.message);
    return s;
}

static void assert_bad(const char *text, const char *pointer, const char *word)
{
    hml_state *s = NULL;
    hml_error error = {0};
    assert_int_equal(hml_state_load_memory(text, strlen(text), "s.json", model, &s, &error), HML_BAD_FILE);
    assert_null(s);
    assert_string_equal(error.file, "s.json");
    if (strncmp(error.message, pointer, strlen(pointer)) != 0 || !strstr(error.message, word))
        fail_msg("wanted '%s' and '%s', got '%s'", pointer, word, error.message);
    assert_int_equal(hml_state_load_memory(text, strlen(text), NULL, model, &s, NULL), HML_BAD_FILE);
}

/* ---- what is there, what is not ---- */

static void test_empty_state_is_neutral(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "{\"joints\": {}}", "{\"joints\": {\"base\": {}}, \"wrenches\": []}"};
    const double q[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, zero[13] = {0};
    for (int i = 0; i < 3; i++) {
        hml_state *s = read_state(texts[i]);
        assert_int_equal(s->nq, 15);
        assert_int_equal(s->nv, 13);
        assert_near(s->q, q, 15, 0, "q");
        assert_near(s->v, zero, 13, 0, "v");
        assert_near(s->tau, zero, 13, 0, "tau");
        assert_int_equal(s->nwrenches, 0);
        for (int32_t k = 0; k < hml_model_njoints(model); k++) assert_int_equal(s->given[k], 0);
        hml_state_free(s);
    }
    hml_state *s =
        read_state("{\"joints\": {\"base\": {\"velocity\": [1, 2, 3, 4, 5, 6]}, \"knee\": {\"position\": 0}}}");
    for (int32_t k = 0; k < hml_model_njoints(model); k++)
        assert_int_equal(s->given[k], k == hml_model_find_joint(model, "knee"));
    hml_state_free(s);
    hml_state_free(NULL);
}

static void test_every_key(void **state)
{
    (void)state;
    hml_state *s = read_state("{\"joints\": {"
                              "\"base\": {\"position\": [1, 2, 3, 0, 0, 0, 1], \"velocity\": [1, 2, 3, 4, 5, 6], "
                              "\"force\": [6, 5, 4, 3, 2, 1]}, "
                              "\"hip\": {\"position\": [0.6, 0, 0.8, 0], \"velocity\": [7, 8, 9]}, "
                              "\"knee\": {\"position\": [0.3], \"velocity\": 0.1, \"force\": [2.0]}, "
                              "\"desk\": {\"position\": [1, 2, 3], \"comment\": 1}}, \"wrenches\": ["
                              "{\"frame\": \"tool\", \"wrench\": [1, 2, 3, 4, 5, 6], \"expressed\": \"world\"}, "
                              "{\"frame\": \"leg\", \"wrench\": [0, 0, 1, 0, 0, 0]}]}");
    const double q[15] = {1, 2, 3, 0, 0, 0, 1, 0.6, 0, 0.8, 0, 0.3, 1, 2, 3};
    const double v[13] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0.1, 0, 0, 0}, tau[13] = {6, 5, 4, 3, 2, 1, 0, 0, 0, 2, 0, 0, 0};
    const double first[6] = {1, 2, 3, 4, 5, 6};
    assert_near(s->q, q, 15, 1e-16, "q");
    assert_near(s->v, v, 13, 0, "v");
    assert_near(s->tau, tau, 13, 0, "tau");
    assert_int_equal(s->nwrenches, 2);
    assert_int_equal(s->wrenches[0].frame, hml_model_find_frame(model, "tool"));
    assert_true(s->wrenches[0].in_world && !s->wrenches[1].in_world);
    assert_near(s->wrenches[0].wrench, first, 6, 0, "wrench");
    assert_int_equal(s->nwarnings, 1);
    assert_non_null(strstr(s->warnings[0], "/joints/desk/comment"));
    hml_state_free(s);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_bad("{\"joints\": {\"ankle\": {}}}", "/joints/ankle: ", "ankle");
    assert_bad("{\"joints\": {\"a/b~c\": {}}}", "/joints/a~1b~0c: ", "a/b~c");
    assert_bad("{\"joints\": {\"knee\": {\"position\": [1, 2]}}}", "/joints/knee/position: ", "2 numbers");
    assert_bad("{\"joints\": {\"base\": {\"velocity\": [1, 2, 3]}}}", "/joints/base/velocity: ", "6");
    assert_bad("{\"joints\": {\"base\": {\"velocity\": 1}}}", "/joints/base/velocity: ", "list");
    assert_bad("{\"joints\": {\"base\": {\"force\": [1, 2, 3, 4, 5, null]}}}", "/joints/base/force/5: ", "number");
    assert_bad("{\"joints\": {\"knee\": [1]}}", "/joints/knee: ", "object");
    assert_bad("{\"joints\": {\"hip\": {\"position\": [1, 0.1, 0, 0]}}}", "/joints/hip/position: ", "quaternion");
    assert_bad("{\"joints\": {\"hip\": {\"position\": [0, 0, 0, 0]}}}", "/joints/hip/position: ", "quaternion");
    assert_bad("{\"joints\": {\"base\": {\"position\": [0, 0, 0, 1, 1, 1, 1]}}}",
               "/joints/base/position: ", "length 2");
    assert_bad("{\"joints\": {\"mtp\": {\"position\": [1]}}}", "/joints/mtp: ", "knee");
    assert_bad("{\"joints\": []}", "/joints: ", "object");
    assert_bad("{\"representation\": \"sideways\"}", "/representation: ", "sideways");
    assert_bad("{\"wrenches\": [{\"wrench\": [1, 2, 3, 4, 5, 6]}]}", "/wrenches/0: ", "frame");
    assert_bad("{\"wrenches\": [{\"frame\": \"tool\"}]}", "/wrenches/0: ", "wrench");
    assert_bad("{\"wrenches\": [{\"frame\": \"nose\", \"wrench\": [1, 2, 3, 4, 5, 6]}]}",
               "/wrenches/0/frame: ", "nose");
    assert_bad("{\"wrenches\": [{\"frame\": \"tool\", \"wrench\": [1]}]}", "/wrenches/0/wrench: ", "6");
    assert_bad("{\"wrenches\": [{\"frame\": \"tool\", \"wrench\": [1, 2, 3, 4, 5, 6], \"expressed\": \"leg\"}]}",
               "/wrenches/0/expressed: ", "leg");
    assert_bad("{\"joints\": {\"knee\": {\"position\": [NaN]}}}", "", "malformed");
    assert_bad("{\"joints\": {\"knee\": {\"position\": [1e999]}}}", "", "malformed");
    assert_bad("{\"joints\": {\"knee\": {}, \"knee\": {}}}", "", "duplicate");
    assert_bad("[]", "", "object");
    assert_bad("", "", "malformed");
}

static void test_nearly_unit_quaternions(void **state)
{
    (void)state;
    hml_state *s = read_state("{\"joints\": {\"hip\": {\"position\": [0.7071, 0, 0.7071, 0]}}}");
    assert_near(&s->q[7], &(double){sqrt(0.5)}, 1, 2e-16, "quaternion");
    hml_state_free(s);
}

/* ---- representations ---- */

/* a quarter turn about z at (1, 2, 3): the body's x is the world's y */
#define AT "\"position\": [1, 2, 3, 0.70710678118654757, 0, 0, 0.70710678118654757]"

static void test_representations(void **state)
{
    (void)state;
    static const char *const names[] = {"left", "right", "mixed", "split"};
    /* One and the same motion, by hand: in the body v = (1, 2, 3), w = (4, 5, 6). In the world's axes R v = (−2, 1, 3),
       R w = (−5, 4, 6); at the world's origin the velocity is R v + p × R w = (−2, 1, 3) + (0, −21, 14). */
    static const double velocities[4][6] = {
        {1, 2, 3, 4, 5, 6}, {-2, -20, 17, -5, 4, 6}, {-2, 1, 3, -5, 4, 6}, {-2, 1, 3, 4, 5, 6}};
    /* the wrench f = (1, 2, 3), t = (4, 5, 6): about the world's origin R t + p × R f = (−5, 4, 6) + (3, −9, 5) */
    static const double forces[4][6] = {
        {1, 2, 3, 4, 5, 6}, {-2, 1, 3, -2, -5, 11}, {-2, 1, 3, -5, 4, 6}, {-2, 1, 3, 4, 5, 6}};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        const double *v = velocities[k], *f = forces[k];
        snprintf(text, sizeof text,
                 "{\"representation\": \"%s\", \"joints\": {\"base\": {" AT ", \"velocity\": [%g, %g, %g, %g, %g, %g], "
                 "\"force\": [%g, %g, %g, %g, %g, %g]}, \"hip\": {\"velocity\": [7, 8, 9]}}}",
                 names[k], v[0], v[1], v[2], v[3], v[4], v[5], f[0], f[1], f[2], f[3], f[4], f[5]);
        hml_state *s = read_state(text);
        double power = 0, given = 0;
        assert_near(s->v, velocities[0], 6, 1e-14, names[k]); /* sums of numbers up to 21 */
        assert_near(s->tau, forces[0], 6, 1e-14, names[k]);
        for (int i = 0; i < 6; i++) {
            power += s->v[i] * s->tau[i];
            given += v[i] * f[i];
        }
        assert_near(&power, &given, 1, 1e-12, "power"); /* forces are dual to velocities */
        assert_true(s->v[6] == 7);                      /* other joints keep theirs */
        hml_state_free(s);
    }
}

/* ---- files ---- */

static void read_back(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void test_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/hamel_test_XXXXXX", path[1024], link_path[1024], text[100];
    hml_error error = {0};
    struct stat about;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.json", folder);
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    assert_int_equal(hml_file_write(path, "{}", 2, &error), HML_OK);
    hml_state *s;
    assert_int_equal(hml_state_load(path, model, &s, &error), HML_OK);
    hml_state_free(s);

    /* what is replaced keeps its rights, and a link stays a link */
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("s.json", link_path), 0);
    assert_int_equal(hml_file_write(link_path, "new", 3, &error), HML_OK);
    read_back(path, text, sizeof text);
    assert_string_equal(text, "new");
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(lstat(link_path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));

    assert_int_equal(hml_file_write("/dev/null", "new", 3, &error), HML_OK); /* and it is still a device */
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));

    assert_int_equal(hml_file_write(folder, "x", 1, &error), HML_CANNOT_WRITE);
    assert_int_equal(hml_file_write("/no/such/folder/x", "x", 1, &error), HML_CANNOT_WRITE);
    assert_string_equal(error.file, "/no/such/folder/x");
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(hml_state_load("/no/such/file", model, &s, &error), HML_CANNOT_READ);
    assert_int_equal(hml_state_load(folder, model, &s, &error), HML_CANNOT_READ);
    assert_non_null(strstr(error.message, "directory"));

    assert_int_equal(remove(link_path), 0);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0); /* no half-written file was left */
}

/* messages keep the end of a long path, whole characters, and no control characters */
static void test_messages(void **state)
{
    (void)state;
    char path[600];
    hml_error error = {0};
    hml_model *m;
    memset(path, 'a', sizeof path);
    memcpy(path + sizeof path - 12, "/robot.urdf", 12);
    assert_int_equal(hml_load(path, NULL, &m, &error), HML_CANNOT_READ);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_memory_equal(error.file, "...a", 4);
    assert_string_equal(error.file + strlen(error.file) - 11, "/robot.urdf");

    /* 79 bytes of name, then a character of two bytes that the message cuts in half */
    char text[300];
    snprintf(text, sizeof text, "{\"joints\": {\"%079d\xc3\xa9\\u0007\": {}}}", 0);
    hml_state *s;
    assert_int_equal(hml_state_load_memory(text, strlen(text), NULL, model, &s, &error), HML_BAD_FILE);
    for (const char *c = error.message; *c; c++) assert_true((unsigned char)*c >= 0x20);
    assert_non_null(strstr(error.message, "0?'"));
    assert_non_null(strstr(error.message, "\xc3\xa9")); /* whole in the pointer */
}

/* a disk that is full, as the limit of file sizes plays it */
static void test_full_disk(void **state)
{
    (void)state;
    char folder[] = "/tmp/hamel_test_XXXXXX", path[1024], text[100];
    hml_error error = {0};
    struct rlimit old, small = {4096, 0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.json", folder);
    assert_int_equal(hml_file_write(path, "old", 3, &error), HML_OK);

    hml_model *large = NULL;
    assert_int_equal(hml_load_builtin("humanoid", NULL, &large, &error), HML_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    hml_status status = hml_save_json(large, path, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, HML_CANNOT_WRITE);
    assert_string_equal(error.file, path);
    read_back(path, text, sizeof text);
    assert_string_equal(text, "old");

    assert_int_equal(hml_save_json(large, path, &error), HML_OK);
    hml_model *back = NULL;
    assert_int_equal(hml_load(path, NULL, &back, &error), HML_OK);
    assert_same_model(large, back, 0);
    hml_model_free(back);
    hml_model_free(large);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_state_is_neutral),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nearly_unit_quaternions),
        cmocka_unit_test(test_representations),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, load_robot, free_robot);
}
