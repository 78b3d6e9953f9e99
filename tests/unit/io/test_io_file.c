/*
 * Files beside files: what a model may include, and what is left when a program dies while it writes.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hamel/io.h"

static char folder[256];

static int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/hamel-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(folder) == NULL;
}

static int teardown(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *save(const char *name, const char *text)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* ---- including ---- */

#define PART "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody></mujoco>"

/* a model that includes `file`, from memory with this name, or from a file */
static hml_status include(const char *file, const char *name, int in_memory, hml_error *error)
{
    char text[1024];
    hml_model *model = NULL;
    snprintf(text, sizeof text, "<mujoco><include file='%s'/></mujoco>", file);
    hml_status status = in_memory ? hml_load_memory(text, strlen(text), name, NULL, &model, error)
                                  : hml_load(save("main.xml", text), NULL, &model, error);
    if (!status) assert_int_equal(hml_model_nv(model), 1);
    hml_model_free(model);
    return status;
}

static void test_text_includes_below_its_folder(void **state)
{
    (void)state;
    hml_error error;
    char name[512], part[512];
    assert_int_equal(mkdir(path_of("sub"), 0777), 0);
    snprintf(part, sizeof part, "%s", save("part.xml", PART));
    save("sub/part.xml", PART);
    save("sub/up.xml", "<mujoco><include file='../part.xml'/></mujoco>");
    snprintf(name, sizeof name, "%s", path_of("main.xml"));

    assert_int_equal(include("part.xml", name, 1, &error), HML_OK);
    assert_int_equal(include("sub/part.xml", name, 1, &error), HML_OK);
    assert_int_equal(include("./part.xml", name, 1, &error), HML_OK);
    static const char *const outside[] = {"../main.xml", "sub/../../x.xml", "..", "sub/..", "/etc/passwd"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_int_equal(include(outside[i], name, 1, &error), HML_UNSUPPORTED);
        assert_non_null(strstr(error.message, "is not below the folder of the model"));
    }
    assert_int_equal(include(part, name, 1, &error), HML_UNSUPPORTED); /* absolute, be it the same folder */
    assert_int_equal(include("sub/up.xml", name, 1, &error), HML_UNSUPPORTED);
    assert_int_equal(include("part.xml", NULL, 1, &error), HML_UNSUPPORTED);
    assert_int_equal(include("..part.xml", name, 1, &error), HML_CANNOT_READ); /* a name like any other */

    /* what is a file itself may include every file, as in MuJoCo */
    assert_int_equal(include(part, NULL, 0, &error), HML_OK);
    assert_int_equal(include("sub/up.xml", NULL, 0, &error), HML_OK);
}

static void test_pipes_are_not_included(void **state)
{
    (void)state;
    hml_error error;
    assert_int_equal(mkfifo(path_of("pipe.xml"), 0666), 0);
    alarm(60); /* whoever waits for the pipe's other end waits for ever */
    assert_int_equal(include("pipe.xml", path_of("main.xml"), 1, &error), HML_CANNOT_READ);
    assert_int_equal(include("pipe.xml", NULL, 0, &error), HML_CANNOT_READ);
    assert_non_null(strstr(error.message, "a pipe or a device"));
    assert_int_equal(include("/dev/zero", NULL, 0, &error), HML_CANNOT_READ);
    alarm(0);
}

/* ---- writing ---- */

static int files_in_folder(void)
{
    int n = 0;
    DIR *all = opendir(folder);
    assert_non_null(all);
    while (readdir(all)) n++;
    closedir(all);
    return n;
}

/* a program that dies in the middle of writing: beyond the limit of a file's size the system ends it */
static void die_writing(const char *path)
{
    enum { SIZE = 1 << 20 };
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit half = {SIZE / 2, SIZE / 2}, none = {0, 0};
        char *data = calloc(1, SIZE);
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGXFSZ, SIG_DFL);
        setrlimit(RLIMIT_FSIZE, &half);
        _exit(hml_file_write(path, data, SIZE, NULL) == HML_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
}

static void test_death_leaves_nothing_behind(void **state)
{
    (void)state;
    int before = files_in_folder(), unnamed = -1;
#if defined O_TMPFILE
    unnamed = open(folder, O_TMPFILE | O_WRONLY, 0666);
#endif
    if (unnamed < 0) skip(); /* not every file system has files without names */
    close(unnamed);
    die_writing(path_of("new.bin"));
    assert_int_equal(files_in_folder(), before);

    const char *old = save("old.txt", "as it was");
    die_writing(old);
    assert_int_equal(files_in_folder(), before + 1);
    char text[16] = {0};
    FILE *file = fopen(old, "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "as it was");
}

/* a new file, one that is replaced with its rights, and one behind a link */
static void test_written_whole(void **state)
{
    (void)state;
    struct stat about;
    char target[512], link[512];
    int before = files_in_folder();
    snprintf(target, sizeof target, "%s", path_of("target.txt"));
    snprintf(link, sizeof link, "%s", path_of("link.txt"));
    assert_int_equal(hml_file_write(target, "one", 3, NULL), HML_OK);
    assert_int_equal(stat(target, &about), 0);
    assert_int_equal(about.st_size, 3);
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(symlink("target.txt", link), 0);
    assert_int_equal(hml_file_write(link, "second", 6, NULL), HML_OK);
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(target, &about), 0);
    assert_int_equal(about.st_size, 6);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(files_in_folder(), before + 2);

    /* a link to a file that was deleted since */
    char number[64], text[8] = "";
    int file = open(path_of("deleted.txt"), O_RDWR | O_CREAT, 0666);
    assert_true(file >= 0 && write(file, "longer", 6) == 6);
    remove(path_of("deleted.txt"));
    snprintf(number, sizeof number, "/proc/self/fd/%d", file);
    if (access(number, W_OK) == 0) {
        assert_int_equal(symlink(number, path_of("lost.txt")), 0);
        assert_int_equal(hml_file_write(path_of("lost.txt"), "third", 5, NULL), HML_OK);
        assert_int_equal(pread(file, text, sizeof text - 1, 0), 5);
        assert_string_equal(text, "third");
        assert_int_equal(lstat(path_of("lost.txt"), &about), 0);
        assert_true(S_ISLNK(about.st_mode));
    }
    close(file);
    assert_int_equal(hml_file_write(path_of("nowhere/file.txt"), "x", 1, NULL), HML_CANNOT_WRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_includes_below_its_folder),
        cmocka_unit_test(test_pipes_are_not_included),
        cmocka_unit_test(test_death_leaves_nothing_behind),
        cmocka_unit_test(test_written_whole),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
