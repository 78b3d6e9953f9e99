/* hamel generate: C source for one robot. */
#include "hamel/generate.h"

#include <string.h>
#include <sys/stat.h>

#include "holds.h"
#include "robot.h"

/* "robot.c (84 kB), robot.h" */
static void say(const cli_options *options, int64_t statements)
{
    struct stat about = {0};
    const int length = (int)strlen(options->out) - 2;
    if (options->quiet) return;
    if (stat(options->out, &about) != 0) about.st_size = 0;
    printf("%s (%.0f kB), %.*s.h", options->out, (double)about.st_size / 1e3, length, options->out);
    if (options->test) printf(", %.*s_test.c", length, options->out);
    printf(": about %lld statements\n", (long long)statements);
}

enum { FRAMES_MOST = 256 };

/* what --frames and --hold say; both arrays outlive the options */
static int read_lists(const cli_options *options, const robot *r, hml_constraint *holds, int32_t *frames,
                      hml_generate_options *generate)
{
    int status = holds_read(options, r, holds);
    if (options->nholds) generate->holds = holds, generate->hold_count = options->nholds;
    for (const char *names = options->frames; names && *names && status == CLI_OK;) {
        const size_t length = strcspn(names, ",");
        if (generate->frame_count == FRAMES_MOST)
            return cli_fail(CLI_USAGE, "--frames: more than %d frames", FRAMES_MOST);
        status = holds_frame(r, names, length, &frames[generate->frame_count++]);
        names += length + (names[length] == ',');
        generate->frames = frames;
    }
    return status;
}

static void set_options(const cli_options *options, hml_generate_options *generate)
{
    hml_generate_options_init(generate);
    generate->functions = options->functions;
    generate->single = options->single;
    generate->force = options->force;
    generate->target = options->vectors ? HML_TARGET_VECTOR : HML_TARGET_C;
    generate->test = options->test;
    generate->batch = options->generate_batch;
}

int cli_generate(const cli_options *options)
{
    robot r = {.file = NULL};
    hml_error error = {0};
    hml_generate_options generate;
    hml_constraint holds[CLI_HOLDS];
    int32_t frames[FRAMES_MOST];
    int64_t statements = 0;
    if (!options->out) return cli_fail(CLI_USAGE, "generate needs --out FILE.c");
    set_options(options, &generate);
    int status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = read_lists(options, &r, holds, frames, &generate);
    if (status == CLI_OK) {
        error.status = hml_generate_estimate(r.model, &generate, &statements);
        if (!error.status && statements > HML_GENERATE_LIMIT && generate.force && !options->quiet)
            fprintf(stderr, "hamel: about %lld statements: this takes a while, and longer to compile\n",
                    (long long)statements);
        if (!error.status) error.status = hml_generate(r.model, &generate, options->out, &error);
        if (error.status) status = cli_fail_error(&error);
    }
    if (status == CLI_OK && !options->quiet && hml_model_nloops(r.model) > 0)
        robot_warn(r.file, "the code is that of the tree: the loops of the model are not in it");
    if (status == CLI_OK) say(options, statements);
    robot_free(&r);
    return status;
}
