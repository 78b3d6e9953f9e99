/* hamel view: the page, what is inside it, motions from files, and names that would like to be something else. */
#include <math.h>
#include <sys/stat.h>
#include <time.h>

#include <zip.h>

#include "run.h"

#define QUADRUPED ROBOTS "quadruped.json"

static char *page; /* the text of the last page */

static void read_page(const char *name)
{
    struct stat about;
    assert_int_equal(stat(run_path(name), &about), 0);
    free(page);
    page = malloc((size_t)about.st_size + 1);
    FILE *file = fopen(run_path(name), "rb");
    assert_true(page && file && fread(page, 1, (size_t)about.st_size, file) == (size_t)about.st_size);
    fclose(file);
    page[about.st_size] = 0;
}

/* the text of an element of the page, ended by a zero; free it */
static char *element(const char *opening)
{
    const char *begin = strstr(page, opening), *end = begin ? strstr(begin, "</script>") : NULL;
    if (!end) fail_msg("there is no %s", opening);
    begin = strchr(begin, '>') + 1;
    size_t length = (size_t)(end - begin);
    char *text = malloc(length + 1);
    assert_non_null(text);
    memcpy(text, begin, length);
    text[length] = 0;
    return text;
}

static json_t *scene(void)
{
    char *text = element("<script id=\"scene\"");
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    if (!json) fail_msg("%s", error.text);
    free(text);
    return json;
}

static int count(const char *word)
{
    int n = 0;
    for (const char *at = page; (at = strstr(at, word)); at++) n++;
    return n;
}

/* a member of the archive inside the page; its size, or −1 */
static long member(const char *name, char *out, size_t most)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = element("<script id=\"files\"");
    size_t n = 0;
    unsigned bits = 0;
    for (size_t i = 0; text[i] && text[i] != '='; i++) {
        const char *digit = strchr(digits, text[i]);
        assert_non_null(digit);
        bits = bits << 6 | (unsigned)(digit - digits);
        if (i % 4) text[n++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    zip_error_t error;
    zip_source_t *source = zip_source_buffer_create(text, n, 0, &error);
    zip_t *zip = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    assert_non_null(zip);
    zip_file_t *file = zip_fopen(zip, name, 0);
    long got = file ? (long)zip_fread(file, out, most) : -1;
    if (file) zip_fclose(file);
    zip_discard(zip);
    free(text);
    return got;
}

/* ---- pages ---- */

static void a_robot(void **state)
{
    (void)state;
    assert_int_equal(
        run("view " QUADRUPED " --state " HAMEL_SOURCE_DIR "/examples/states/quadruped_drop.json --out q.html"), 0);
    assert_non_null(strstr(run_out, "q.html"));
    assert_non_null(strstr(run_out, "MB"));
    read_page("q.html");
    json_t *json = scene();
    assert_string_equal(run_text(json, "title"), "quadruped");
    assert_int_equal(json_array_size(json_object_get(json, "bodies")), 13);
    assert_int_equal(json_array_size(json_object_get(json, "joints")), 13);
    double q[19];
    assert_int_equal(run_numbers(json, "q", q, 19), 19);
    assert_true(q[2] > 0); /* of the state */
    assert_int_equal(json_array_size(json_object_get(json, "files")), 0);
    json_decref(json);
    /* one script that runs, allowed by its hash; no address of another machine that is loaded */
    assert_non_null(strstr(page, "default-src 'none'; script-src 'sha256-"));
    assert_null(strstr(page, "unsafe-eval"));
    assert_int_equal(count("src=\"http"), 0);
    assert_int_equal(count("<script"), 3);
}

static void without_a_name_it_goes_to_the_temporary_folder(void **state)
{
    (void)state;
    char before[600];
    snprintf(before, sizeof before, "env -u DISPLAY -u WAYLAND_DISPLAY TMPDIR='%s'", run_folder);
    assert_int_equal(run_with(before, "view"), 0);
    char *end = strstr(run_out, ".html (");
    assert_non_null(end);
    assert_non_null(strstr(run_out, "/hamel-"));
    assert_non_null(strstr(run_out, "/nine.html"));
    assert_non_null(strstr(run_out, "open it in a browser"));
    end[5] = 0;
    struct stat about;
    assert_int_equal(stat(run_out, &about), 0);
    assert_true(about.st_size > 500000);
    snprintf(before, sizeof before, "env -u DISPLAY -u WAYLAND_DISPLAY TMPDIR='%s/nowhere'", run_folder);
    assert_int_equal(run_with(before, "view"), 4);
    assert_non_null(strstr(run_err, "temporary folder"));
}

/* a stand-in for xdg-open writes down what it is asked to open */
static void the_browser(void **state)
{
    (void)state;
    run_save("xdg-open", "#!/bin/sh\necho \"$1\" >\"$(dirname \"$0\")/opened.part\"\n"
                         "mv \"$(dirname \"$0\")/opened.part\" \"$(dirname \"$0\")/opened\"\n");
    assert_int_equal(chmod(run_path("xdg-open"), 0700), 0);
    char before[600];
    snprintf(before, sizeof before, "env DISPLAY=:0 PATH='%s':/usr/bin:/bin", run_folder);
    assert_int_equal(run_with(before, "view --out quiet.html"), 0);
    assert_int_equal(run_with(before, "view --out quiet.html --no-open"), 0);
    assert_int_equal(run_with(before, "view --out 'a b.html' --open"), 0);
    assert_null(strstr(run_out, "open it"));
    char opened[64] = "";
    const struct timespec pause = {.tv_nsec = 20000000};
    for (int i = 0; i < 500 && access(run_path("opened"), R_OK) != 0; i++) nanosleep(&pause, NULL);
    run_read("opened", opened, sizeof opened);
    assert_string_equal(opened, "a b.html\n");
}

/* whatever a name holds, it stays text */
static void hostile_names(void **state)
{
    (void)state;
    run_save(
        "evil.urdf",
        "<robot name='&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--&quot;&apos;&amp;\\u003c HAMEL-FILES'>"
        "<link name='&lt;img src=x onerror=alert(2)&gt;'><visual><geometry>"
        "<mesh filename='&lt;/script&gt;.stl'/></geometry></visual></link>"
        "<link name='b\xe2\x80\xa8'/>"
        "<joint name='j&lt;b&gt;' type='fixed'><parent link='&lt;img src=x onerror=alert(2)&gt;'/>"
        "<child link='b\xe2\x80\xa8'/></joint></robot>");
    assert_int_equal(run("view evil.urdf --out evil.html --base fixed"), 0);
    assert_non_null(strstr(run_err, "was not found"));
    read_page("evil.html");
    assert_int_equal(count("<script"), 3);
    assert_int_equal(count("</script>"), 3);
    assert_int_equal(count("<img"), 0);
    assert_int_equal(count("<!--"), 0);
    json_t *json = scene();
    assert_string_equal(run_text(json, "title"), "</script><script>alert(1)</script><!--\"'&\\u003c HAMEL-FILES");
    json_decref(json);
}

/* ---- meshes ---- */

static const char meshes[] =
    "<robot name='m'><link name='a'><visual><geometry><mesh filename='leg.obj' scale='1 2 3'/></geometry></visual>"
    "<visual><geometry><mesh filename='gone.stl'/></geometry></visual></link></robot>";

static void meshes_and_what_they_need(void **state)
{
    (void)state;
    char data[64];
    run_save("leg.obj", "mtllib leg.mtl\nv 0 0 0\nmtllib ../../etc/none.mtl\nmtllib /abs.mtl\n");
    run_save("leg.mtl", "newmtl a\nmap_Kd \"skin.PNG\"\nmap_Kd leg.obj.png\n");
    run_save("skin.PNG", "picture");
    run_save("secret.txt", "secret");
    run_save("m.urdf", meshes);
    assert_int_equal(run("view m.urdf --out m.html"), 0);
    assert_non_null(strstr(run_err, "warning: the file 'gone.stl' was not found"));
    assert_int_equal(run("view m.urdf --out m.html --quiet"), 0);
    assert_string_equal(run_err, "");
    read_page("m.html");
    json_t *json = scene(), *files = json_object_get(json, "files");
    assert_int_equal(json_array_size(files), 3);
    const char *const names[] = {"leg.obj", "leg.mtl", "skin.PNG"};
    for (size_t i = 0; i < 3; i++) assert_string_equal(run_text(json_array_get(files, i), "name"), names[i]);
    json_t *needs = json_object_get(json_array_get(files, 0), "needs");
    assert_int_equal(json_object_size(needs), 1);
    assert_int_equal(json_integer_value(json_object_get(needs, "leg.mtl")), 1);
    assert_int_equal(json_array_size(json_object_get(json, "visuals")), 1);
    json_decref(json);
    assert_int_equal(member("f2", data, sizeof data), 7);
    assert_memory_equal(data, "picture", 7);
    assert_true(member("f0", data, sizeof data) > 0);
    assert_int_equal(member("f3", data, sizeof data), -1);
}

/* ---- motions ---- */

static void a_motion_and_its_forces(void **state)
{
    (void)state;
    static double doubles[100000];
    assert_int_equal(run("simulate " QUADRUPED " --state " HAMEL_SOURCE_DIR
                         "/examples/states/quadruped_drop.json --ground "
                         "--controller hold --time 0.5 --step 0.005 --out t.npz --view replay.html"),
                     0);
    assert_int_equal(run("view " QUADRUPED " --trajectory t.npz --out again.html"), 0);
    for (int i = 0; i < 2; i++) {
        read_page(i ? "again.html" : "replay.html");
        json_t *json = scene();
        assert_int_equal(json_array_size(json_object_get(json, "contacts")), 4);
        assert_true(json_is_true(json_object_get(json, "ground")));
        json_decref(json);
        assert_int_equal(member("time", (char *)doubles, sizeof doubles), 101 * 8);
        near(doubles[100], 0.5, 1e-12);
        assert_int_equal(member("position", (char *)doubles, sizeof doubles), 101 * 19 * 8);
        assert_int_equal(member("contact_forces", (char *)doubles, sizeof doubles), 101 * 12 * 8);
        double weight = 0;
        for (int k = 0; k < 4; k++) weight += doubles[100 * 12 + 3 * k + 2];
        near(weight, 14.24 * 9.81, 0.5 * 14.24 * 9.81); /* it stands, and swings a little */
        assert_int_equal(member("contact_positions", (char *)doubles, sizeof doubles), 101 * 12 * 8);
        for (int k = 0; k < 4; k++) near(doubles[100 * 12 + 3 * k + 2], 0, 2e-3); /* on the ground */
    }
    assert_int_equal(run("simulate " QUADRUPED " --time 0.1 --out t.json"), 0);
    assert_int_equal(run("view " QUADRUPED " --trajectory t.json --out json.html"), 0);
    read_page("json.html");
    assert_int_equal(member("time", (char *)doubles, sizeof doubles), 11 * 8);
}

/* an NPZ file with one array, in NPY 1.0 */
static void save_npz(const char *name, const char *array, const char *header, const void *data, size_t size)
{
    static char npy[4096];
    char title[64];
    size_t length = strlen(header);
    memcpy(npy, "\x93NUMPY\x01\x00", 8);
    npy[8] = (char)(length & 0xff), npy[9] = (char)(length >> 8);
    memcpy(npy + 10, header, length);
    if (size) memcpy(npy + 10 + length, data, size);
    snprintf(title, sizeof title, "%s.npy", array);
    zip_t *zip = zip_open(run_path(name), ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(zip);
    zip_source_t *source = zip_source_buffer(zip, npy, 10 + length + size, 0);
    assert_true(zip_file_add(zip, title, source, 0) >= 0);
    assert_int_equal(zip_close(zip), 0);
}

static void trajectory(const char *file, int status, const char *word)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments, "view " ROBOTS "pendulum.json --trajectory %s --out p.html", file);
    assert_int_equal(run(arguments), status);
    if (word && !strstr(run_err, word)) fail_msg("'%s' is not in '%s'", word, run_err);
}

static void other_files(void **state)
{
    (void)state;
    const float floats[] = {1, 2, 3};
    const double doubles[] = {1, 2, 3};
    const int big = 0x01000000; /* 1 in the other byte order */
    double out[8];
    save_npz("f4.npz", "position", "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1), }\n", floats,
             sizeof floats);
    trajectory("f4.npz", 0, NULL);
    read_page("p.html");
    assert_int_equal(member("position", (char *)out, sizeof out), 24);
    near(out[2], 3, 0);
    assert_int_equal(member("time", (char *)out, sizeof out), 24); /* none in the file: 0.02 s apart */
    near(out[2], 0.04, 1e-15);
    save_npz("i4.npz", "position", "{'descr': '>i4', 'fortran_order': False, 'shape': (1, 1), }\n", &big, sizeof big);
    trajectory("i4.npz", 0, NULL);
    read_page("p.html");
    json_t *json = scene();
    run_numbers(json, "q", out, 8);
    near(out[0], 1, 0);
    json_decref(json);
    save_npz("two.npz", "position", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n", doubles, 16);
    trajectory("two.npz", 1, "rows of 1 entries");
    save_npz("short.npz", "position", "{'descr': '<f8', 'fortran_order': False, 'shape': (9, 1), }\n", doubles, 24);
    trajectory("short.npz", 1, "damaged");
    save_npz("huge.npz", "position", "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967295, 4294967295), }\n",
             doubles, 24);
    trajectory("huge.npz", 1, "damaged");
    save_npz("object.npz", "position", "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", doubles, 8);
    trajectory("object.npz", 1, "neither numbers nor text");
    save_npz("other.npz", "velocity", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }\n", doubles, 24);
    trajectory("other.npz", 1, "no array `position`");
    run_save("text.npz", "this is not an archive");
    trajectory("text.npz", 1, "not an NPZ file");
    trajectory("nowhere.npz", 1, "no such file");
    trajectory("t.csv", 1, ".npz or a .json");
    run_save("back.json", "{\"position\": [[0], [1]], \"time\": [0, 0]}");
    trajectory("back.json", 1, "do not increase");
    run_save("null.json", "{\"position\": [[0], [null]]}");
    trajectory("null.json", 1, "not finite");
    run_save("ragged.json", "{\"position\": [[0], [1, 2]]}");
    trajectory("ragged.json", 1, "equal lengths");
    run_save("few.json", "{\"position\": [[0], [1]], \"time\": [0]}");
    trajectory("few.json", 1, "1 entries");
}

static void usage(void **state)
{
    (void)state;
    assert_int_equal(run("view --out page.txt"), 2);
    assert_non_null(strstr(run_err, ".html"));
    assert_int_equal(run("view --out /nowhere/page.html"), 4);
    assert_int_equal(run("view --representation left"), 2);
    assert_int_equal(run("info --trajectory t.npz"), 2);
    assert_int_equal(run("linearize --out page.html"), 2);
    assert_int_equal(run("view nowhere.urdf --out page.html"), 1);
    assert_int_equal(run("view --help"), 0);
    assert_non_null(strstr(run_out, "--trajectory FILE"));
    assert_null(strstr(run_out, ".mat"));
    assert_int_equal(run("view --out /dev/stdout"), 0);
    assert_memory_equal(run_out, "<!doctype html>", 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot),
        cmocka_unit_test(without_a_name_it_goes_to_the_temporary_folder),
        cmocka_unit_test(the_browser),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(meshes_and_what_they_need),
        cmocka_unit_test(a_motion_and_its_forces),
        cmocka_unit_test(other_files),
        cmocka_unit_test(usage),
    };
    int failed = cmocka_run_group_tests(tests, run_setup, run_teardown);
    free(page);
    return failed;
}
