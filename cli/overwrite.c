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

static int refuse(const char *out, const char *written, const char *input, const char *what)
{
    if (!input || !same_file(written, input)) return CLI_OK;
    return cli_fail(CLI_USAGE, "--out %s would overwrite %s%s; give it another name", out, what, input);
}

int cli_check_overwrite(const cli_options *options)
{
    const char *out = options->out;
    if (!out) return CLI_OK;
    int status = refuse(out, out, options->states, "the states, ");
    if (status == CLI_OK) status = refuse(out, out, options->state, "the state, ");
    if (status == CLI_OK) status = refuse(out, out, options->trajectory, "the motion, ");
    for (int i = 0; i < options->nmodels && status == CLI_OK; i++)
        status = refuse(out, out, options->models[i], "its input, ");
    if (status != CLI_OK || !options->states) return status;
    const size_t room = strlen(out) + sizeof ".part";
    char *part = malloc(room); /* where results of many states grow */
    if (!part) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    snprintf(part, room, "%s.part", out);
    status = refuse(out, part, options->states, "the states, ");
    free(part);
    return status;
}
