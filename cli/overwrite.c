/* Results must not replace what they are computed from. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* through links, and under other names of the same file; a terminal may be read and written */
static int same_file(const char *a, const char *b)
{
#ifdef _WIN32 /* stat knows no numbers of files there */
    char one[_MAX_PATH], other[_MAX_PATH];
    return _fullpath(one, a, sizeof one) && _fullpath(other, b, sizeof other) && _stricmp(one, other) == 0;
#else
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
#endif
}

/* a file that an option names for writing */
typedef struct written {
    const char *option, *path;
} written;

static int refuse(const written *w, const char *path, const char *input, const char *what)
{
    if (!input || !same_file(path, input)) return CLI_OK;
    return cli_fail(CLI_USAGE, "%s %s would overwrite %s%s; give it another name", w->option, w->path, what, input);
}

static int check_inputs(const cli_options *options, const written *w)
{
    int status = refuse(w, w->path, options->states, "the states, ");
    if (status == CLI_OK) status = refuse(w, w->path, options->state, "the state, ");
    if (status == CLI_OK) status = refuse(w, w->path, options->trajectory, "the motion, ");
    for (int i = 0; i < options->nmodels && status == CLI_OK; i++)
        status = refuse(w, w->path, options->models[i], "its input, ");
    return status;
}

/* where results of many states grow */
static int check_part(const cli_options *options, const written *w)
{
    const size_t room = strlen(w->path) + sizeof ".part";
    char *part = malloc(room);
    if (!part) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    snprintf(part, room, "%s.part", w->path);
    const int status = refuse(w, part, options->states, "the states, ");
    free(part);
    return status;
}

/* also of a file that is not there yet; /dev/null takes all that is written to it */
static int same_place(const char *a, const char *b)
{
    struct stat about;
    while (strncmp(a, "./", 2) == 0) a += 2;
    while (strncmp(b, "./", 2) == 0) b += 2;
    if (strcmp(a, b) != 0) return same_file(a, b);
    return stat(a, &about) != 0 || S_ISREG(about.st_mode);
}

int cli_check_overwrite(const cli_options *options)
{
    const written all[] = {
        {"--out", options->out}, {"--save", options->save}, {"--plot", options->plot}, {"--view", options->view}};
    enum { WRITTEN = sizeof all / sizeof *all };
    int status = CLI_OK;
    for (int i = 0; i < WRITTEN && status == CLI_OK; i++) {
        if (!all[i].path) continue;
        status = check_inputs(options, &all[i]);
        if (status == CLI_OK && i == 0 && options->states) status = check_part(options, &all[i]);
        for (int k = 0; k < i && status == CLI_OK; k++) {
            if (all[k].path && same_place(all[k].path, all[i].path))
                status = cli_fail(CLI_USAGE, "%s and %s are the same file, %s; give one another name", all[k].option,
                                  all[i].option, all[i].path);
        }
    }
    return status;
}
