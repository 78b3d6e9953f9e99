/* Reading the command line. */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options_table.h"

void cli_options_help(FILE *out, unsigned commands)
{
    for (int i = 0; i < option_count; i++) {
        const option_row *row = &option_rows[i];
        int common = (row->commands & CLI_RESULTS) == CLI_RESULTS;
        if (commands == CLI_ALL ? !common : !(row->commands & commands)) continue;
        char letter[] = {'-', (char)row->letter, ',', 0}, words[48];
        snprintf(words, sizeof words, "%s %s", row->name, row->argument ? row->argument : "");
        fprintf(out, "  %-3s --%-22s %s\n", row->letter ? letter : "", words, row->help);
    }
}

static const char *option_name(const void *words, int i)
{
    (void)words;
    return option_rows[i].name;
}

static const char *command_name(const void *words, int i)
{
    (void)words;
    return cli_commands[i].name;
}

static const cli_command_info *find_command(const char *name)
{
    for (int i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *nearest = cli_nearest(name, cli_command_count, command_name, NULL);
    if (nearest) return cli_fail(CLI_USAGE, "there is no command '%s'; did you mean '%s'?", name, nearest);
    return cli_fail(CLI_USAGE, "there is no command '%s'; see hamel --help", name);
}

/* what getopt_long did not like; `code` is its answer, ? or : */
static int bad_option(int code, char **argv)
{
    const char *word = argv[optind - 1];
    if (optopt >= 1000 && optopt < 1000 + option_count) { /* a long option that we know */
        const option_row *row = &option_rows[optopt - 1000];
        if (code == ':') return cli_fail(CLI_USAGE, "--%s needs an argument: %s", row->name, row->argument);
        return cli_fail(CLI_USAGE, "--%s takes no argument", row->name);
    }
    if (optopt != 0) {
        if (code == ':') return cli_fail(CLI_USAGE, "-%c needs an argument", optopt);
        return cli_fail(CLI_USAGE, "there is no option -%c; see hamel --help", optopt);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest = cli_nearest(name, option_count, option_name, NULL);
    if (nearest) return cli_fail(CLI_USAGE, "there is no option --%s; did you mean --%s?", name, nearest);
    return cli_fail(CLI_USAGE, "there is no option --%s; see hamel --help", name);
}

static void set_defaults(cli_options *options)
{
    *options = (cli_options){.samples = 100, .seed = 1, .batch = 1024, .seconds = 0.2, .integrator = -1};
    options->stiffness = options->damping = options->friction = options->height = -1;
    options->open = -1;
    options->weight_position = options->weight_velocity = options->weight_input = 1;
    options->weight_integral = 1;
    options->push[0] = options->disturb[0] = NAN;
    hml_load_options_init(&options->load);
}

/* the row of an option for a command; NULL if the command does not have it */
static const option_row *row_for(const option_row *row, unsigned command)
{
    for (int i = 0; i < option_count; i++) {
        if ((option_rows[i].commands & command) && strcmp(option_rows[i].name, row->name) == 0) return &option_rows[i];
    }
    return NULL;
}

/* an option as it stands on the command line */
typedef struct given_option {
    const option_row *row;
    const char *argument;
} given_option;

static int apply(const given_option *given, int count, const cli_command_info *command, cli_options *options)
{
    for (int i = 0; i < count; i++) {
        const option_row *row = row_for(given[i].row, command->bit);
        const char *name = given[i].row->name;
        if (!row) {
            return cli_fail(CLI_USAGE, "hamel %s has no option --%s; see hamel %s --help", command->name, name,
                            command->name);
        }
        if (row->read && !row->read(given[i].argument, (char *)options + row->field)) {
            return cli_fail(CLI_USAGE, "--%s: '%s' is not %s", name, given[i].argument, row->wanted);
        }
    }
    return CLI_OK;
}

/* the first word that is a command: a few options have an argument in one command and none in another */
static unsigned command_in(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const cli_command_info *command = find_command(argv[i]);
        if (command) return command->bit;
    }
    return CLI_ALL;
}

/* what getopt_long knows: every name once, with the argument that it has in this command */
static void make_getopt_tables(struct option *longs, char *letters, unsigned command)
{
    *letters++ = ':';
    for (int i = 0, n = 0; i < option_count; i++) {
        const option_row *row = &option_rows[i];
        if (row_for(row, CLI_ALL) != row) continue;
        const option_row *own = row_for(row, command);
        const char *argument = own ? own->argument : row->argument;
        longs[n++] = (struct option){row->name, argument != NULL, NULL, 1000 + i};
        if (row->letter) *letters++ = (char)row->letter;
        if (row->letter && row->argument) *letters++ = ':';
    }
}

/* the command among the words that are no options; NULL when --help or --version has answered */
static int choose(int argc, char **argv, int help, int version, const cli_command_info **command)
{
    if (version) {
        printf("hamel %s\n", hml_version());
        return CLI_OK;
    }
    if (optind < argc && strcmp(argv[optind], "help") == 0) help = 1, optind++;
    const char *name = optind < argc ? argv[optind++] : NULL;
    const cli_command_info *found = name ? find_command(name) : NULL;
    if (name && !found) return unknown_command(name);
    if (help) {
        cli_help(found);
        return CLI_OK;
    }
    if (!found) return cli_fail(CLI_USAGE, "which command? see hamel --help");
    *command = found;
    return CLI_OK;
}

static int check_command(const cli_command_info *found, char **argv, const cli_options *options)
{
    if (options->nmodels > 1 && found->bit != CLI_BENCH) {
        return cli_fail(CLI_USAGE, "hamel %s takes one model, not %d: '%s'", found->name, options->nmodels,
                        argv[optind + 1]);
    }
    if (found->bit == CLI_SIMULATE && !(options->time > 0)) return cli_fail(CLI_USAGE, "how long? give --time T");
    if (found->bit == CLI_JACOBIAN && !options->frame) return cli_fail(CLI_USAGE, "which frame? give --frame NAME");
    return CLI_OK;
}

int cli_options_read(int argc, char **argv, const cli_command_info **command, cli_options *options)
{
    struct option longs[OPTIONS_MOST + 1] = {{0}};
    char letters[2 * OPTIONS_MOST + 2] = "";
    given_option *given = calloc((size_t)argc + 1, sizeof *given);
    int help = 0, version = 0, code, count = 0;
    if (!given) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    make_getopt_tables(longs, letters, command_in(argc, argv));
    set_defaults(options);
    *command = NULL;
    opterr = 0;
    while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (code == '?' || code == ':') {
            free(given);
            return bad_option(code, argv);
        }
        int i = code - 1000;
        for (int k = 0; code < 1000 && k < option_count; k++) {
            if (option_rows[k].letter == code) i = k;
        }
        help |= option_rows[i].letter == 'h';
        version |= option_rows[i].letter == 'V';
        given[count++] = (given_option){&option_rows[i], optarg};
    }
    int status = choose(argc, argv, help, version, command);
    if (status == CLI_OK && *command) {
        options->models = argv + optind;
        options->nmodels = argc - optind;
        status = apply(given, count, *command, options);
        if (status == CLI_OK) status = check_command(*command, argv, options);
    }
    free(given);
    return status;
}
