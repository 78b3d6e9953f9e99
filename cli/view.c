/* hamel view: a robot and a motion as one HTML file, and a browser that opens it. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): mkdtemp; POSIX has us define it */
#include "view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <spawn.h>

extern char **environ;
#endif

#if defined _WIN32
#define TEMPORARY "TEMP"
#else
#define TEMPORARY "TMPDIR"
#endif

enum { PATH_SIZE = 4096, NAME_MOST = 60 };

int view_write(const cli_options *options, const robot *r, hml_page_options *page, const char *path)
{
    hml_error error = {0};
    hml_scene *scene = NULL;
    hml_status status = HML_OK;
    if (r->path) status = hml_scene_load(r->path, &options->load, r->model, &scene, &error);
    for (int32_t i = 0; scene && !options->quiet && i < scene->nwarnings; i++) robot_warn(r->file, scene->warnings[i]);
    page->scene = scene;
    if (!status) status = hml_save_page(r->model, page, path, &error);
    hml_scene_free(scene);
    error.status = status;
    return status ? cli_fail_error(&error) : CLI_OK;
}

#if defined _WIN32
static char *mkdtemp(char *path) { return _mktemp(path) && mkdir(path) == 0 ? path : NULL; }
#endif

/* a new folder for a file that is called after the robot; 0 if there can be none */
static int temporary_path(const robot *r, char path[PATH_SIZE])
{
    const char *folder = getenv(TEMPORARY), *name = hml_model_name(r->model);
    char word[NAME_MOST + 1] = "";
    for (size_t i = 0; name && name[i] && i < NAME_MOST; i++) {
        int plain = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", name[i]) != NULL;
        word[i] = (char)(plain ? name[i] : '_');
    }
    int length = snprintf(path, PATH_SIZE - NAME_MOST - 8, "%s/hamel-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length >= PATH_SIZE - NAME_MOST - 8 || !mkdtemp(path)) return 0;
    snprintf(path + length, PATH_SIZE - (size_t)length, "/%s.html", *word ? word : "robot");
    return 1;
}

static int has_display(void)
{
#if defined __APPLE__ || defined _WIN32
    return 1;
#else
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
#endif
}

/* starts the system's own opener and does not wait; what it says is nobody's business. 0 if it cannot be started */
#if defined _WIN32
static int open_browser(const char *path)
{
    return (intptr_t)ShellExecuteA(NULL, "open", path, NULL, NULL, SW_SHOWNORMAL) > 32;
}
#else
static int open_browser(const char *path)
{
#ifdef __APPLE__
    char opener[] = "open";
#else
    char opener[] = "xdg-open";
#endif
    char file[PATH_SIZE];
    snprintf(file, sizeof file, "%s", path);
    char *arguments[] = {opener, file, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (posix_spawn_file_actions_init(&actions)) return 0;
    int failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) ||
                 posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) ||
                 posix_spawnp(&child, opener, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !failed;
}
#endif

static int say(const cli_options *options, const char *path)
{
    int wanted = options->open == 1 || (options->open < 0 && !options->out && has_display());
    int opened = wanted && open_browser(path);
    struct stat about = {0};
    if (strncmp(path, "/dev/", 5) == 0) return CLI_OK; /* the page itself is there */
    if (stat(path, &about) != 0) about.st_size = 0;
    printf("%s (%.1f MB)%s\n", path, (double)about.st_size / 1e6, opened ? "" : ": open it in a browser");
    if (options->open == 1 && !opened) return cli_fail(CLI_OUTPUT, "no browser can be started");
    return CLI_OK;
}

/* the state, or the rows of a trajectory */
static int fill_page(const cli_options *options, const robot *r, hml_trajectory **trajectory, hml_page_options *page)
{
    hml_error error = {0};
    page->count = 1;
    page->q = r->state->q;
    if (!options->trajectory) return CLI_OK;
    error.status = hml_trajectory_load(options->trajectory, r->model, trajectory, &error);
    if (error.status) return cli_fail_error(&error);
    const hml_trajectory *t = *trajectory;
    page->count = t->count;
    page->q = t->q;
    page->time = t->time;
    page->ncontacts = t->ncontacts;
    page->ground = t->ncontacts > 0;
    page->contact_names = (const char *const *)t->contact_names;
    page->contact_positions = t->contact_positions;
    page->contact_forces = t->contact_forces;
    return CLI_OK;
}

int cli_view(const cli_options *options)
{
    robot r = {.file = NULL};
    hml_trajectory *trajectory = NULL;
    hml_page_options page;
    char path[PATH_SIZE] = "";
    hml_page_options_init(&page);
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) status = fill_page(options, &r, &trajectory, &page);
    if (status == CLI_OK && !options->out && !temporary_path(&r, path))
        status = cli_fail(CLI_OUTPUT, "no file can be made in the temporary folder: %s", strerror(errno));
    if (status == CLI_OK) status = view_write(options, &r, &page, options->out ? options->out : path);
    if (status == CLI_OK) status = say(options, options->out ? options->out : path);
    hml_trajectory_free(trajectory);
    robot_free(&r);
    return status;
}
