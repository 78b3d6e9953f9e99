/* Reading the command line. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/motion.h"
#include "hamel/representation.h"

/* ---- readers of arguments: 0 if the text does not fit, and *wanted says what would ---- */

typedef int reader(const char *text, cli_options *options, const char **wanted);

static int one_of(const char *text, const char *first, const char *second, const char **wanted, const char *both,
                  int *is_second)
{
    *wanted = both;
    *is_second = strcmp(text, second) == 0;
    return *is_second || strcmp(text, first) == 0;
}

static int read_base(const char *text, cli_options *o, const char **wanted)
{
    int fixed;
    if (!one_of(text, "free", "fixed", wanted, "free or fixed", &fixed)) return 0;
    o->load.base = fixed ? HML_BASE_FIXED : HML_BASE_FREE;
    return 1;
}

static int read_base_name(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a name";
    o->load.base_name = text;
    return *text != 0;
}

static int read_mimic(const char *text, cli_options *o, const char **wanted)
{
    int independent;
    if (!one_of(text, "follow", "independent", wanted, "follow or independent", &independent)) return 0;
    o->load.build &= ~(unsigned)HML_BUILD_MIMIC_INDEPENDENT;
    if (independent) o->load.build |= HML_BUILD_MIMIC_INDEPENDENT;
    return 1;
}

static int read_passive(const char *text, cli_options *o, const char **wanted)
{
    int off;
    if (!one_of(text, "on", "off", wanted, "on or off", &off)) return 0;
    o->load.build &= ~(unsigned)HML_BUILD_NO_PASSIVE;
    if (off) o->load.build |= HML_BUILD_NO_PASSIVE;
    return 1;
}

static int read_gravity(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "three numbers with commas between them, such as 0,0,-9.81";
    for (int i = 0; i < 3; i++) {
        char *end;
        o->gravity[i] = strtod(text, &end);
        if (end == text || !isfinite(o->gravity[i]) || *end != (i < 2 ? ',' : 0)) return 0;
        text = end + 1;
    }
    o->load.gravity = o->gravity;
    return 1;
}

static int read_strict(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->load.build |= HML_BUILD_STRICT;
    return 1;
}

static int read_keep_fixed(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->load.build |= HML_BUILD_KEEP_FIXED;
    return 1;
}

static int read_representation(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "left, right, mixed or split";
    return hml_representation_from_name(text, &o->representation) == HML_OK;
}

static int read_inputs(const char *text, cli_options *o, const char **wanted)
{
    return one_of(text, "actuated", "all", wanted, "actuated or all", &o->all_inputs);
}

static int read_isa(const char *text, cli_options *o, const char **wanted)
{
    static const hml_isa all[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    *wanted = "best, or an instruction set that this processor has (hamel info lists them)";
    o->isa = HML_ISA_BEST;
    if (strcmp(text, "best") == 0) return 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(text, hml_isa_name(all[i])) == 0) o->isa = all[i];
    }
    return o->isa != HML_ISA_BEST && hml_isa_available(o->isa);
}

static int read_count(const char *text, long *count)
{
    char *end;
    errno = 0;
    *count = strtol(text, &end, 10);
    return end != text && !*end && !errno && *count >= 1 && *count <= 1000000;
}

static int read_samples(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a number of samples from 1 to 1000000";
    return read_count(text, &o->samples);
}

static int read_batch(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a number of states from 1 to 1000000";
    return read_count(text, &o->batch);
}

static int read_seed(const char *text, cli_options *o, const char **wanted)
{
    char *end;
    *wanted = "a non-negative whole number";
    errno = 0;
    o->seed = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int read_twist(const char *text, cli_options *o, const char **wanted)
{
    return one_of(text, "right", "left", wanted, "right or left", &o->left_twist);
}

static int read_seconds(const char *text, cli_options *o, const char **wanted)
{
    char *end;
    *wanted = "a time in seconds, from 0.001 to 60";
    o->seconds = strtod(text, &end);
    return end != text && !*end && o->seconds >= 0.001 && o->seconds <= 60;
}

static int read_state(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a file";
    o->state = text;
    return *text != 0;
}

static int read_keyframe(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "the name of a keyframe";
    o->keyframe = text;
    return *text != 0;
}

static int read_frame(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "the name of a frame, body or link";
    o->frame = text;
    return *text != 0;
}

static int read_out(const char *text, cli_options *o, const char **wanted)
{
    hml_result_format format;
    *wanted = "a file that ends in .json, .npz, .mat or .csv";
    o->out = text;
    return hml_result_format_of(text, &format) == HML_OK;
}

static int read_picture(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a file";
    o->picture = text;
    return *text != 0;
}

static int read_study(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "the beginning of two file names";
    o->study = text;
    return *text != 0;
}

static int read_spy(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->spy = 1;
    return 1;
}

static int read_quiet(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->quiet = 1;
    return 1;
}

/* a number above `above` (or equal, if `equal`), and finite */
static int read_above(const char *text, double above, int equal, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value) && (*value > above || (equal && *value == above));
}

static int read_time(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a positive time in seconds";
    return read_above(text, 0, 0, &o->time);
}

static int read_step(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a positive time in seconds";
    return read_above(text, 0, 0, &o->step);
}

static int read_tolerance(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a number from 1e-15 to 0.1";
    return read_above(text, 1e-15, 1, &o->tolerance) && o->tolerance <= 0.1;
}

static int read_integrator(const char *text, cli_options *o, const char **wanted)
{
    hml_scheme scheme;
    *wanted = "euler, rk2, rk4, dopri5, variational, alpha or momentum";
    if (hml_scheme_from_name(text, &scheme)) return 0;
    o->integrator = (int)scheme;
    return 1;
}

static int read_controller(const char *text, cli_options *o, const char **wanted)
{
    return one_of(text, "none", "hold", wanted, "none or hold", &o->hold);
}

static int read_stiffness(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a non-negative number";
    return read_above(text, 0, 1, &o->stiffness);
}

static int read_damping(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a non-negative number";
    return read_above(text, 0, 1, &o->damping);
}

static int read_friction(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a non-negative number";
    return read_above(text, 0, 1, &o->friction);
}

static int read_ground(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->ground = 1;
    return 1;
}

static int read_height(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a non-negative length in metres";
    return read_above(text, 0, 1, &o->height);
}

static int read_lift(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->lift = 1;
    return 1;
}

static int read_contact(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "names of frames with commas between them";
    o->contacts = text;
    return *text != 0;
}

static int read_plot(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a file";
    o->plot = text;
    return *text != 0;
}

static int is_page(const char *text)
{
    size_t length = strlen(text);
    return (length > 5 && strcmp(text + length - 5, ".html") == 0) ||
           (length > 4 && strcmp(text + length - 4, ".htm") == 0) || strncmp(text, "/dev/", 5) == 0;
}

static int read_page(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a file that ends in .html";
    o->out = text;
    return is_page(text);
}

static int read_view(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a file that ends in .html";
    o->view = text;
    return is_page(text);
}

static int read_trajectory(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a file";
    o->trajectory = text;
    return *text != 0;
}

static int read_open(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->open = 1;
    return 1;
}

static int read_no_open(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->open = 0;
    return 1;
}

static int read_hold(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "FRAME or FRAME:KIND, or there are more than 64 of them";
    if (!*text || o->nholds == CLI_HOLDS) return 0;
    o->holds[o->nholds++] = text;
    return 1;
}

static int read_lock(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "names of joints with commas between them";
    o->lock = text;
    return *text != 0;
}

static int read_save(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a file";
    o->save = text;
    return *text != 0;
}

static int read_posture(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a positive number";
    return read_above(text, 0, 0, &o->posture);
}

static int read_ignore_limits(const char *text, cli_options *o, const char **wanted)
{
    (void)text, (void)wanted;
    o->ignore_limits = 1;
    return 1;
}

static int read_weight_position(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a non-negative number";
    return read_above(text, 0, 1, &o->weight_position);
}

static int read_weight_velocity(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a non-negative number";
    return read_above(text, 0, 1, &o->weight_velocity);
}

static int read_weight_input(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a positive number";
    return read_above(text, 0, 0, &o->weight_input);
}

static int read_discrete(const char *text, cli_options *o, const char **wanted)
{
    *wanted = "a positive time in seconds";
    return read_above(text, 0, 0, &o->discrete);
}

/* ---- the table ---- */

/* a name may stand in several rows, if no command has two of them */

static const struct option_row {
    const char *name;
    int letter; /* 0: none */
    unsigned commands;
    const char *argument; /* NULL: none */
    const char *help;
    reader *read; /* NULL: help and version */
} OPTIONS[] = {
    {"state", 's', CLI_STATE | CLI_LQR | CLI_VIEW, "FILE", "the state (default: neutral, at rest, without force)",
     read_state},
    {"keyframe", 'k', CLI_STATE | CLI_LQR | CLI_VIEW, "NAME",
     "a keyframe of the model's file instead (hamel info lists them)", read_keyframe},
    {"frame", 'f', CLI_JACOBIAN, "NAME", "the frame, body or link", read_frame},
    {"representation", 'r', CLI_STATE, "KIND", "velocities in the results: left (default), right, mixed, split",
     read_representation},
    {"inputs", 0, CLI_LINEARIZE, "WHICH", "columns of B: actuated (default) or all", read_inputs},
    {"hold", 0, CLI_TRIM | CLI_LQR, "FRAME:KIND",
     "held: point (default), frame, plane or touch (normal z); may be repeated", read_hold},
    {"inputs", 0, CLI_TRIM | CLI_LQR, "WHICH", "motors: actuated joints (default) or all coordinates, the base's too",
     read_inputs},
    {"lock", 0, CLI_TRIM, "NAMES", "joints that stay, with commas between them, or all", read_lock},
    {"friction", 0, CLI_TRIM, "MU", "held points push and do not slide (default: they are held both ways)",
     read_friction},
    {"posture", 0, CLI_TRIM, "W", "weight of the way from the guess against torques (default 0.01)", read_posture},
    {"ignore-limits", 0, CLI_TRIM, NULL, "positions and torques may leave their limits", read_ignore_limits},
    {"save", 0, CLI_TRIM, "FILE", "write what was found as a state file, for --state of the others", read_save},
    {"weight-position", 0, CLI_LQR, "W", "weight of every perturbation of the configuration (default 1)",
     read_weight_position},
    {"weight-velocity", 0, CLI_LQR, "W", "weight of every perturbation of the velocity (default 1)",
     read_weight_velocity},
    {"weight-input", 0, CLI_LQR, "W", "weight of every force (default 1)", read_weight_input},
    {"discrete", 0, CLI_LQR, "H", "discrete time: forces that are constant over steps of H seconds", read_discrete},
    {"spy", 0, CLI_LINEARIZE, NULL, "show where A and B are not zero", read_spy},
    {"picture", 0, CLI_LINEARIZE, "FILE", "the same as a picture, an SVG file", read_picture},
    {"samples", 'n', CLI_VALIDATE, "N", "random states and robots (default 100)", read_samples},
    {"seed", 0, CLI_VALIDATE, "N", "seed of the random numbers (default 1)", read_seed},
    {"twist", 0, CLI_VALIDATE, "KIND", "draw the base's right (default, as in the paper) or left twist", read_twist},
    {"study", 0, CLI_VALIDATE, "PREFIX", "write the step-size study to PREFIX.csv and PREFIX.svg", read_study},
    {"time", 't', CLI_SIMULATE, "T", "how long, in seconds", read_time},
    {"integrator", 0, CLI_SIMULATE, "NAME", "dopri5 (default), euler, rk2, rk4, variational, alpha, momentum",
     read_integrator},
    {"step", 0, CLI_SIMULATE, "H", "step in seconds (default 0.001); dopri5: time between rows (default 0.01)",
     read_step},
    {"tolerance", 0, CLI_SIMULATE, "E", "local error of dopri5 (default 1e-12)", read_tolerance},
    {"controller", 0, CLI_SIMULATE, "WHICH", "none (default), or hold: servos keep the actuated joints",
     read_controller},
    {"stiffness", 0, CLI_SIMULATE, "K", "stiffness of every servo, N m/rad or N/m (default: by weight and reach)",
     read_stiffness},
    {"damping", 0, CLI_SIMULATE, "D", "damping of every servo (default: 0.1 s times the stiffness)", read_damping},
    {"ground", 0, CLI_SIMULATE, NULL, "the plane z = 0 is solid; the robot starts on it, or where the state has it",
     read_ground},
    {"height", 0, CLI_SIMULATE, "H", "start H metres over the ground (default 0)", read_height},
    {"lift", 0, CLI_SIMULATE, NULL, "lift a robot whose state has it inside the ground", read_lift},
    {"friction", 0, CLI_SIMULATE, "MU", "friction of the ground (default 0.8, or that of a shape if larger)",
     read_friction},
    {"contact", 0, CLI_SIMULATE, "NAMES", "frames that may touch the ground (default: the shapes of the model)",
     read_contact},
    {"plot", 0, CLI_SIMULATE, "FILE", "energy and height over time, an SVG file", read_plot},
    {"view", 0, CLI_SIMULATE, "FILE", "a page that replays the motion, an HTML file", read_view},
    {"trajectory", 0, CLI_VIEW, "FILE", "a motion: .npz or .json, as hamel simulate writes it", read_trajectory},
    {"open", 0, CLI_VIEW, NULL, "open the page in a browser (default: if there is a display and no --out)", read_open},
    {"no-open", 0, CLI_VIEW, NULL, "do not", read_no_open},
    {"out", 'o', CLI_VIEW, "FILE", "the page, an HTML file (default: a new one in the temporary folder)", read_page},
    {"batch", 0, CLI_BENCH, "N", "states in a batch (default 1024)", read_batch},
    {"seconds", 0, CLI_BENCH, "T", "time for each measurement (default 0.2)", read_seconds},
    {"isa", 0, CLI_STATE | CLI_LQR | CLI_BENCH, "NAME", "instruction set: best (default), scalar, x2, x4, x8",
     read_isa},
    {"out", 'o', CLI_RESULTS, "FILE", "write the results to a .json, .npz, .mat or .csv file, print nothing", read_out},
    {"base", 0, CLI_ALL, "KIND", "root of a URDF: free or fixed (default: fixed if it is called world)", read_base},
    {"base-name", 0, CLI_ALL, "NAME", "name of the free root joint (default base)", read_base_name},
    {"mimic", 0, CLI_ALL, "HOW", "mimic joints: follow (default) or independent", read_mimic},
    {"passive", 0, CLI_ALL, "HOW", "armature, damping, springs: on (default) or off", read_passive},
    {"gravity", 'g', CLI_ALL, "X,Y,Z", "gravity in the world frame instead of the file's", read_gravity},
    {"keep-fixed", 0, CLI_ALL, NULL, "keep bodies on fixed joints instead of merging them", read_keep_fixed},
    {"strict", 0, CLI_ALL, NULL, "treat warnings as errors", read_strict},
    {"quiet", 'q', CLI_ALL, NULL, "no warnings, no progress", read_quiet},
    {"help", 'h', CLI_ALL, NULL, "explain the command", NULL},
    {"version", 'V', CLI_ALL, NULL, "print the version", NULL},
};

enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

void cli_options_help(FILE *out, unsigned commands)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &OPTIONS[i];
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
    return OPTIONS[i].name;
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
    if (optopt >= 1000 && optopt < 1000 + OPTION_COUNT) { /* a long option that we know */
        const struct option_row *row = &OPTIONS[optopt - 1000];
        if (code == ':') return cli_fail(CLI_USAGE, "--%s needs an argument: %s", row->name, row->argument);
        return cli_fail(CLI_USAGE, "--%s takes no argument", row->name);
    }
    if (optopt != 0) {
        if (code == ':') return cli_fail(CLI_USAGE, "-%c needs an argument", optopt);
        return cli_fail(CLI_USAGE, "there is no option -%c; see hamel --help", optopt);
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *nearest = cli_nearest(name, OPTION_COUNT, option_name, NULL);
    if (nearest) return cli_fail(CLI_USAGE, "there is no option --%s; did you mean --%s?", name, nearest);
    return cli_fail(CLI_USAGE, "there is no option --%s; see hamel --help", name);
}

static void set_defaults(cli_options *options)
{
    *options = (cli_options){.samples = 100, .seed = 1, .batch = 1024, .seconds = 0.2, .integrator = -1};
    options->stiffness = options->damping = options->friction = options->height = -1;
    options->open = -1;
    options->weight_position = options->weight_velocity = options->weight_input = 1;
    hml_load_options_init(&options->load);
}

/* the row of an option for a command; NULL if the command does not have it */
static const struct option_row *row_for(const struct option_row *row, unsigned command)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if ((OPTIONS[i].commands & command) && strcmp(OPTIONS[i].name, row->name) == 0) return &OPTIONS[i];
    }
    return NULL;
}

/* an option as it stands on the command line */
typedef struct given_option {
    const struct option_row *row;
    const char *argument;
} given_option;

static int apply(const given_option *given, int count, const cli_command_info *command, cli_options *options)
{
    for (int i = 0; i < count; i++) {
        const struct option_row *row = row_for(given[i].row, command->bit);
        const char *wanted = NULL, *name = given[i].row->name;
        if (!row) {
            return cli_fail(CLI_USAGE, "hamel %s has no option --%s; see hamel %s --help", command->name, name,
                            command->name);
        }
        if (row->read && !row->read(given[i].argument, options, &wanted)) {
            return cli_fail(CLI_USAGE, "--%s: '%s' is not %s", name, given[i].argument, wanted);
        }
    }
    return CLI_OK;
}

/* what getopt_long knows: every name once */
static void make_getopt_tables(struct option *longs, char *letters)
{
    *letters++ = ':';
    for (int i = 0, n = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &OPTIONS[i];
        if (row_for(row, CLI_ALL) != row) continue;
        longs[n++] = (struct option){row->name, row->argument != NULL, NULL, 1000 + i};
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
    struct option longs[OPTION_COUNT + 1] = {{0}};
    char letters[2 * OPTION_COUNT + 2] = "";
    given_option *given = calloc((size_t)argc + 1, sizeof *given);
    int help = 0, version = 0, code, count = 0;
    if (!given) return cli_fail(CLI_COMPUTE, "%s", hml_status_message(HML_OUT_OF_MEMORY));
    make_getopt_tables(longs, letters);
    set_defaults(options);
    *command = NULL;
    opterr = 0;
    while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        if (code == '?' || code == ':') {
            free(given);
            return bad_option(code, argv);
        }
        int i = code - 1000;
        for (int k = 0; code < 1000 && k < OPTION_COUNT; k++) {
            if (OPTIONS[k].letter == code) i = k;
        }
        help |= OPTIONS[i].letter == 'h';
        version |= OPTIONS[i].letter == 'V';
        given[count++] = (given_option){&OPTIONS[i], optarg};
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
