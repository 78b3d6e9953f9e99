/*
 * See find.h. The robots of example-robot-data are looked for where its packages are installed: HAMEL_ROBOTS, a list of folders
 * with robots, which the Python package sets to what it has found; the prefixes of ROS; the active Python environment; and
 * the folders of the system. A robot is called like its URDF (solo12; ur5_robot is also ur5), or like its folder, with or
 * without _description, _simple_description, _data (anymal_b); that is then the only URDF in it, or the one with whose name
 * all others begin.
 */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): opendir, lstat; POSIX has us define it */
#include "find.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#if defined _WIN32
#define lstat     stat /* links are not told apart there */
#define SEPARATOR ";"
#else
#define SEPARATOR ":"
#endif

enum { PATH_SIZE = 4096, DEPTH = 4, NAME_SIZE = 256, RANKS = 3 };

/* how well a file answers to the name: its own name, without _robot, that of its folder */
typedef struct search {
    const char *name;
    char best[RANKS][PATH_SIZE];
    int count[RANKS];
    char inside[PATH_SIZE]; /* of the folder that is called so: the file with the shortest name */
    int others;             /* files there whose names do not begin with it */
} search;

static int is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* the name of a file without folder and ending; 0 if it is not a model or too long */
static int stem_of(const char *path, char stem[NAME_SIZE])
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    if (!dot || strcmp(dot, ".urdf") != 0 || dot == base || (size_t)(dot - base) >= NAME_SIZE) return 0;
    memcpy(stem, base, (size_t)(dot - base));
    stem[dot - base] = 0;
    return 1;
}

/* name is text, or text is name and one of the endings */
static int is_called(const char *text, const char *name, const char *const endings[])
{
    const size_t n = strlen(name);
    if (strncmp(text, name, n) != 0) return 0;
    for (int i = 0; endings[i]; i++)
        if (strcmp(text + n, endings[i]) == 0) return 1;
    return text[n] == 0;
}

static void keep(search *s, int rank, const char *path)
{
    s->count[rank]++;
    snprintf(s->best[rank], PATH_SIZE, "%s", path);
}

/* of a folder that is called like the robot, the file with whose name all others begin */
static void compare_inside(search *s, const char *path, const char *stem)
{
    char before[NAME_SIZE] = "";
    if (!*s->inside || !stem_of(s->inside, before) || strncmp(before, stem, strlen(stem)) == 0) {
        snprintf(s->inside, PATH_SIZE, "%s", path);
        return;
    }
    s->others += strncmp(stem, before, strlen(before)) != 0;
}

static void look_at_file(search *s, const char *path, int called)
{
    static const char *const robot[] = {"_robot", NULL};
    char stem[NAME_SIZE];
    if (!stem_of(path, stem)) return;
    if (strcmp(stem, s->name) == 0)
        keep(s, 0, path);
    else if (is_called(stem, s->name, robot))
        keep(s, 1, path);
    if (called) compare_inside(s, path, stem);
}

/* all files below a folder; links to folders are not followed, so that it ends */
static void walk(search *s, const char *folder, int called, int depth)
{
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[PATH_SIZE];
        struct stat about;
        if (*entry->d_name == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= PATH_SIZE || lstat(path, &about)) continue;
        if (S_ISDIR(about.st_mode) && depth < DEPTH)
            walk(s, path, called, depth + 1);
        else if (S_ISREG(about.st_mode))
            look_at_file(s, path, called);
    }
    closedir(directory);
}

/* a folder whose folders are robots */
static void look_into(search *s, const char *robots)
{
    static const char *const endings[] = {"_description", "_simple_description", "_data", NULL};
    DIR *directory = is_folder(robots) ? opendir(robots) : NULL;
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[PATH_SIZE];
        if (*entry->d_name == '.' || snprintf(path, sizeof path, "%s/%s", robots, entry->d_name) >= PATH_SIZE) continue;
        const int called = is_called(entry->d_name, s->name, endings);
        *s->inside = 0, s->others = 0;
        if (is_folder(path))
            walk(s, path, called, 0);
        else
            look_at_file(s, path, 0);
        if (*s->inside) {
            keep(s, 2, s->inside);
            s->count[2] += s->others;
        }
    }
    closedir(directory);
}

static void look_into_list(search *s, const char *variable, const char *below)
{
    const char *list = getenv(variable);
    while (list && *list) {
        const size_t length = strcspn(list, SEPARATOR);
        char path[PATH_SIZE];
        if (length && snprintf(path, sizeof path, "%.*s%s", (int)length, list, below) < PATH_SIZE) look_into(s, path);
        list += length + (list[length] == *SEPARATOR);
    }
}

/* $VIRTUAL_ENV/lib/python3.x/site-packages/cmeel.prefix: what pip installs */
static void look_into_environment(search *s, const char *robots)
{
    const char *prefix = getenv("VIRTUAL_ENV");
    char path[PATH_SIZE];
    if (!prefix || snprintf(path, sizeof path, "%s/lib", prefix) >= PATH_SIZE) return;
    DIR *directory = opendir(path);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (strncmp(entry->d_name, "python3", 7) != 0) continue;
        if (snprintf(path, sizeof path, "%s/lib/%s/site-packages/cmeel.prefix%s", prefix, entry->d_name, robots) <
            PATH_SIZE)
            look_into(s, path);
    }
    closedir(directory);
}

static int found_any(const search *s) { return s->count[0] || s->count[1] || s->count[2]; }

/* the first place that knows the name decides */
static void look_everywhere(search *s)
{
    static const char robots[] = "/share/example-robot-data/robots";
    static const char *const system[] = {"/usr/local", "/usr", "/opt/openrobots", NULL};
    look_into_list(s, "HAMEL_ROBOTS", "");
    if (!found_any(s)) look_into_list(s, "AMENT_PREFIX_PATH", robots);
    if (!found_any(s)) look_into_list(s, "CMAKE_PREFIX_PATH", robots);
    if (!found_any(s)) look_into_environment(s, robots);
    for (int i = 0; system[i] && !found_any(s); i++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s%s", system[i], robots);
        look_into(s, path);
    }
}

static const char *builtin_name(const void *nothing, int i)
{
    (void)nothing;
    return hml_builtin_name(i);
}

static int not_found(const char *name)
{
    const char *nearest = cli_nearest(name, hml_builtin_count(), builtin_name, NULL);
    if (nearest)
        return cli_fail(CLI_INPUT, "%s: there is no such file, and no robot of that name; did you mean '%s'?", name,
                        nearest);
    return cli_fail(CLI_INPUT,
                    "%s: there is no such file, and no robot of that name in the library or in example-robot-data",
                    name);
}

int find_robot(const char *given, found_robot *found)
{
    struct stat about;
    *found = (found_robot){0};
    found->path = strdup(given);
    if (!found->path) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    if (stat(given, &about) == 0 || strpbrk(given, "/.") || !*given) return CLI_OK;
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        if (strcmp(given, hml_builtin_name(i)) == 0) found->builtin = hml_builtin_name(i);
    }
    if (found->builtin) {
        free(found->path);
        found->path = NULL;
        return CLI_OK;
    }
    search *s = calloc(1, sizeof *s);
    if (!s) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    s->name = given;
    look_everywhere(s);
    int rank = 0, status = CLI_OK;
    while (rank < RANKS && !s->count[rank]) rank++;
    if (rank == RANKS) {
        status = not_found(given);
    } else if (s->count[rank] > 1) {
        status = cli_fail(CLI_INPUT, "%s: %d files may be meant, %s is one; give its path", given, s->count[rank],
                          s->best[rank]);
    } else {
        free(found->path);
        found->path = strdup(s->best[rank]);
        if (!found->path) status = cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    }
    free(s);
    return status;
}
