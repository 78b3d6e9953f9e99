/* What the options are called, where they belong, and how their arguments are read. */
#include "options_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/generate.h"
#include "hamel/motion.h"
#include "hamel/representation.h"

/* ---- readers of arguments into a field: 0 if the text does not fit ---- */

static int read_text(const char *text, void *field)
{
    *(const char **)field = text;
    return *text != 0;
}

static int read_flag(const char *text, void *field)
{
    (void)text;
    *(int *)field = 1;
    return 1;
}

static int read_no(const char *text, void *field)
{
    (void)text;
    *(int *)field = 0;
    return 1;
}

/* 0 or 1 */
static int one_of(const char *text, const char *first, const char *second, int *is_second)
{
    *is_second = strcmp(text, second) == 0;
    return *is_second || strcmp(text, first) == 0;
}

static int read_inputs(const char *text, void *field) { return one_of(text, "actuated", "all", field); }

/* 0, 1 or 2 */
static int read_linear_inputs(const char *text, void *field)
{
    *(int *)field = 2;
    return strcmp(text, "actuators") == 0 || read_inputs(text, field);
}
static int read_twist(const char *text, void *field) { return one_of(text, "right", "left", field); }
static int read_controller(const char *text, void *field)
{
    *(int *)field = 2;
    return strcmp(text, "actuators") == 0 || one_of(text, "none", "hold", field);
}

/* 1, 2 or 3: the order of cli/info.c */
static int read_names(const char *text, void *field)
{
    static const char *const kinds[] = {"frames", "joints", "keyframes"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, kinds[i]) == 0) return *(int *)field = i + 1;
    return 0;
}

static int read_precision(const char *text, void *field) { return one_of(text, "float64", "float32", field); }

/* from 1 to `most` */
static int read_whole(const char *text, long most, long *count)
{
    char *end;
    errno = 0;
    *count = strtol(text, &end, 10);
    return end != text && !*end && !errno && *count >= 1 && *count <= most;
}

static int read_count(const char *text, void *field) { return read_whole(text, 1000000, field); }
static int read_steps(const char *text, void *field) { return read_whole(text, 1000000000, field); }

static int read_threads(const char *text, void *field)
{
    const long *count = field;
    return read_count(text, field) && *count <= CLI_THREADS;
}

static int read_between(const char *text, double least, double most, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= least && *value <= most && isfinite(*value);
}

static int read_not_negative(const char *text, void *field) { return read_between(text, 0, HUGE_VAL, field); }
static int read_seconds(const char *text, void *field) { return read_between(text, 0.001, 60, field); }
static int read_tolerance(const char *text, void *field) { return read_between(text, 1e-15, 0.1, field); }

static int read_positive(const char *text, void *field)
{
    const double *value = field;
    return read_not_negative(text, field) && *value > 0;
}

/* "0.1" or "0.1,0.2" */
static int read_spacing(const char *text, void *options)
{
    double *spacing = ((cli_options *)options)->spacing;
    char first[64];
    const size_t length = strcspn(text, ",");
    if (length >= sizeof first) return 0;
    snprintf(first, sizeof first, "%.*s", (int)length, text);
    if (!read_positive(first, spacing)) return 0;
    spacing[1] = spacing[0];
    return !text[length] || read_positive(text + length + 1, spacing + 1);
}

static int ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), n = strlen(ending);
    return length > n && strcmp(text + length - n, ending) == 0;
}

static int read_result(const char *text, void *field)
{
    hml_result_format format;
    return read_text(text, field) && hml_result_format_of(text, &format) == HML_OK;
}

/* --states may also write a folder */
static int read_many_results(const char *text, void *field)
{
    return ends_in(text, ".zarr") ? read_text(text, field) : read_result(text, field);
}

static int read_page(const char *text, void *field)
{
    return read_text(text, field) &&
           (ends_in(text, ".html") || ends_in(text, ".htm") || strncmp(text, "/dev/", 5) == 0);
}

static int read_source(const char *text, void *field) { return read_text(text, field) && ends_in(text, ".c"); }
static int read_target(const char *text, void *field)
{
    int *vectors = field;
    static const char *const names[] = {"c", "native", "avx2", "avx512", "neon"};
    for (int i = 0; i < 5; i++) {
        *vectors = i > 0;
        if (strcmp(text, names[i]) == 0) return 1;
    }
    return 0;
}

static int read_functions(const char *text, void *field) { return hml_generate_functions(text, field) == HML_OK; }

static int read_picture(const char *text, void *field)
{
    return read_text(text, field) && (ends_in(text, ".svg") || strncmp(text, "/dev/", 5) == 0);
}

/* ---- readers that look at the whole ---- */

static int read_base(const char *text, void *options)
{
    cli_options *o = options;
    int fixed;
    if (!one_of(text, "free", "fixed", &fixed)) return 0;
    o->load.base = fixed ? HML_BASE_FIXED : HML_BASE_FREE;
    return 1;
}

static int read_mimic(const char *text, void *options)
{
    cli_options *o = options;
    int independent;
    if (!one_of(text, "follow", "independent", &independent)) return 0;
    o->load.build &= ~(unsigned)HML_BUILD_MIMIC_INDEPENDENT;
    if (independent) o->load.build |= HML_BUILD_MIMIC_INDEPENDENT;
    return 1;
}

static int read_passive(const char *text, void *options)
{
    cli_options *o = options;
    int off;
    if (!one_of(text, "on", "off", &off)) return 0;
    o->load.build &= ~(unsigned)HML_BUILD_NO_PASSIVE;
    if (off) o->load.build |= HML_BUILD_NO_PASSIVE;
    return 1;
}

static int read_loops(const char *text, void *flag) { return one_of(text, "on", "off", flag); }

static int read_vector(const char *text, double vector[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        vector[i] = strtod(text, &end);
        if (end == text || !isfinite(vector[i]) || *end != (i < 2 ? ',' : 0)) return 0;
        text = end + 1;
    }
    return 1;
}

static int read_gravity(const char *text, void *options)
{
    cli_options *o = options;
    o->load.gravity = o->gravity;
    return read_vector(text, o->gravity);
}

static int read_disturb(const char *text, void *options)
{
    return read_vector(text, ((cli_options *)options)->disturb);
}

static int read_push(const char *text, void *options) { return read_vector(text, ((cli_options *)options)->push); }

static int read_strict(const char *text, void *options)
{
    (void)text;
    ((cli_options *)options)->load.build |= HML_BUILD_STRICT;
    return 1;
}

static int read_keep_fixed(const char *text, void *options)
{
    (void)text;
    ((cli_options *)options)->load.build |= HML_BUILD_KEEP_FIXED;
    return 1;
}

static int read_representation(const char *text, void *options)
{
    return hml_representation_from_name(text, &((cli_options *)options)->representation) == HML_OK;
}

static int read_isa(const char *text, void *options)
{
    static const hml_isa all[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    cli_options *o = options;
    o->isa = HML_ISA_BEST;
    if (strcmp(text, "best") == 0) return 1;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(text, hml_isa_name(all[i])) == 0) o->isa = all[i];
    }
    return o->isa != HML_ISA_BEST && hml_isa_available(o->isa);
}

static int read_seed(const char *text, void *options)
{
    char *end;
    errno = 0;
    ((cli_options *)options)->seed = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int read_integrator(const char *text, void *options)
{
    hml_scheme scheme;
    if (hml_scheme_from_name(text, &scheme)) return 0;
    ((cli_options *)options)->integrator = (int)scheme;
    return 1;
}

static int read_hold(const char *text, void *options)
{
    cli_options *o = options;
    if (!*text || o->nholds == CLI_HOLDS) return 0;
    o->holds[o->nholds++] = text;
    return 1;
}

/* ---- the table ---- */

/* where a field of a type is; another type does not compile */
#define FIELD(type, name) (offsetof(cli_options, name) + 0 * sizeof(_Generic(((cli_options *)0)->name, type : 0)))
#define TEXT(name)        FIELD(const char *, name)
#define FLAG(name)        FIELD(int, name)
#define NUMBER(name)      FIELD(double, name)
#define COUNT(name)       FIELD(long, name)
#define WHOLE             0

const option_row option_rows[] = {
    {"state", 's', CLI_STATE | CLI_LQR | CLI_MODES | CLI_VIEW, "FILE",
     "the state (default: neutral, at rest, without force)", read_text, TEXT(state), "a file"},
    {"keyframe", 'k', CLI_STATE | CLI_LQR | CLI_MODES | CLI_VIEW, "NAME",
     "a keyframe of the model's file instead (hamel info lists them)", read_text, TEXT(keyframe),
     "the name of a keyframe"},
    {"states", 0, CLI_STATES, "FILE", "many states, an .npz file: position, velocity, force; one row per state",
     read_text, TEXT(states), "an .npz file"},
    {"select", 0, CLI_STATES, "NAMES", "with --states: only these results, with commas between them", read_text,
     TEXT(select), "names of results with commas between them"},
    {"precision", 0, CLI_STATES, "KIND", "with --states: results as float64 (default) or float32", read_precision,
     FLAG(float32), "float64 or float32"},
    {"resume", 0, CLI_STATES, NULL, "with --states: go on where an interrupted command stopped", read_flag,
     FLAG(resume), NULL},
    {"threads", 0, CLI_STATES, "N", "with --states: threads (default: HAMEL_THREADS, or one per core)", read_threads,
     COUNT(threads), "a number of threads from 1 to 256"},
    {"q", 0, CLI_STATE | CLI_LQR | CLI_MODES | CLI_VIEW, "NAME=VALUE,...",
     "positions of single joints, over the rest of the state; of a free base base.x, base.y, base.z", read_text,
     TEXT(positions), "names and values"},
    {"frame", 'f', CLI_JACOBIAN, "NAME", "the frame, body or link", read_text, TEXT(frame),
     "the name of a frame, body or link"},
    {"representation", 'r', CLI_STATE, "KIND", "velocities in the results: left (default), right, mixed, split",
     read_representation, WHOLE, "left, right, mixed or split"},
    {"inputs", 0, CLI_LINEARIZE, "WHICH",
     "columns of B: actuated joints (default), all coordinates, or the actuators of the file", read_linear_inputs,
     FLAG(all_inputs), "actuated, all or actuators"},
    {"hold", 0, CLI_TRIM, "FRAME:KIND", "held: point (default), frame, plane or touch (normal z); may be repeated",
     read_hold, WHOLE, "FRAME or FRAME:KIND, or there are more than 64 of them"},
    {"hold", 0, CLI_LQR | CLI_MODES, "FRAME:KIND", "held: point (default), frame or plane (normal z); may be repeated",
     read_hold, WHOLE, "FRAME or FRAME:KIND, or there are more than 64 of them"},
    {"inputs", 0, CLI_TRIM | CLI_LQR | CLI_MODES, "WHICH",
     "motors: actuated joints (default) or all coordinates, the base's too", read_inputs, FLAG(all_inputs),
     "actuated or all"},
    {"loops", 0, CLI_LOOPS, "HOW", "loops of the model: on (default) or off", read_loops, FLAG(no_loops), "on or off"},
    {"close", 0, CLI_LOOPS, NULL, "close them first, with the least change of the state", read_flag, FLAG(close), NULL},
    {"lock", 0, CLI_TRIM, "NAMES", "joints that stay, with commas between them, or all", read_text, TEXT(lock),
     "names of joints with commas between them"},
    {"friction", 0, CLI_TRIM, "MU", "held points push and do not slide (default: they are held both ways)",
     read_not_negative, NUMBER(friction), "a non-negative number"},
    {"posture", 0, CLI_TRIM, "W", "weight of the way from the guess against torques (default 0.01)", read_positive,
     NUMBER(posture), "a positive number"},
    {"ignore-limits", 0, CLI_TRIM, NULL, "positions and torques may leave their limits", read_flag, FLAG(ignore_limits),
     NULL},
    {"save", 0, CLI_TRIM, "FILE", "write what was found as a state file, for --state of the others", read_text,
     TEXT(save), "a file"},
    {"weight-position", 0, CLI_LQR, "W", "weight of every perturbation of the configuration (default 1)",
     read_not_negative, NUMBER(weight_position), "a non-negative number"},
    {"weight-velocity", 0, CLI_LQR, "W", "weight of every perturbation of the velocity (default 1)", read_not_negative,
     NUMBER(weight_velocity), "a non-negative number"},
    {"weight-input", 0, CLI_LQR, "W", "weight of every force (default 1)", read_positive, NUMBER(weight_input),
     "a positive number"},
    {"integral", 0, CLI_LQR, "NAMES",
     "feed back the integrals of these too: joints, or positions of frames, with commas between them", read_text,
     TEXT(integral), "names of joints or frames with commas between them"},
    {"weight-integral", 0, CLI_LQR, "W", "weight of every integral (default 1)", read_positive, NUMBER(weight_integral),
     "a positive number"},
    {"discrete", 0, CLI_LQR, "H", "discrete time: forces that are constant over steps of H seconds", read_positive,
     NUMBER(discrete), "a positive time in seconds"},
    {"simulate", 0, CLI_LQR, "T", "push the robot and simulate T seconds under the feedback", read_positive,
     NUMBER(recovery), "a positive time in seconds"},
    {"push", 0, CLI_LQR, "X,Y,Z", "the push, N s in the world, on the base (default: 0.1 m/s along x)", read_push,
     WHOLE, "three numbers with commas between them, such as 5,0,0"},
    {"disturb", 0, CLI_LQR, "X,Y,Z",
     "a constant force on the same body, N in the world, that the feedback does not know", read_disturb, WHOLE,
     "three numbers with commas between them, such as 5,0,0"},
    {"full", 0, CLI_LINEARIZE, NULL, "print the matrices instead of a summary", read_flag, FLAG(full), NULL},
    {"memory", 0, CLI_INFO, NULL, "show the memory that a thread needs for each instruction set", read_flag,
     FLAG(memory), NULL},
    {"names", 0, CLI_INFO, "WHICH", "only the names of frames, joints or keyframes, one per line", read_names,
     FLAG(names), "frames, joints or keyframes"},
    {"spy", 0, CLI_LINEARIZE, NULL, "show where A and B are not zero", read_flag, FLAG(spy), NULL},
    {"picture", 0, CLI_LINEARIZE, "FILE", "the same as a picture, an SVG file", read_picture, TEXT(picture),
     "a file that ends in .svg"},
    {"samples", 'n', CLI_VALIDATE, "N", "random states (default 100)", read_count, COUNT(samples),
     "a number of samples from 1 to 1000000"},
    {"seed", 0, CLI_VALIDATE, "N", "seed of the random numbers (default 1)", read_seed, WHOLE,
     "a non-negative whole number"},
    {"twist", 0, CLI_VALIDATE, "KIND", "draw the base's right (default, as in the paper) or left twist", read_twist,
     FLAG(left_twist), "right or left"},
    {"random", 0, CLI_VALIDATE, NULL, "draw placements and inertias of MODEL anew for each state, as in the paper",
     read_flag, FLAG(random), NULL},
    {"study", 0, CLI_VALIDATE, "PREFIX", "write the step-size study to PREFIX.csv and PREFIX.svg", read_text,
     TEXT(study), "the beginning of two file names"},
    {"time", 't', CLI_SIMULATE, "T", "how long, in seconds", read_positive, NUMBER(time), "a positive time in seconds"},
    {"integrator", 0, CLI_SIMULATE, "NAME", "dopri5 (default), euler, rk2, rk4, variational, alpha, momentum",
     read_integrator, WHOLE, "euler, rk2, rk4, dopri5, variational, alpha or momentum"},
    {"step", 0, CLI_SIMULATE, "H", "step in seconds (default 0.001); dopri5: time between rows (default 0.01)",
     read_positive, NUMBER(step), "a positive time in seconds"},
    {"tolerance", 0, CLI_SIMULATE, "E", "local error of dopri5 (default 1e-12)", read_tolerance, NUMBER(tolerance),
     "a number from 1e-15 to 0.1"},
    {"max-steps", 0, CLI_SIMULATE, "N", "stop after so many steps (dopri5: default 1000000; others: 100000000)",
     read_steps, COUNT(max_steps), "a number of steps from 1 to 1000000000"},
    {"controller", 0, CLI_SIMULATE, "WHICH",
     "none (default); hold: servos keep the actuated joints; actuators: those of the file", read_controller, FLAG(hold),
     "none, hold or actuators"},
    {"stiffness", 0, CLI_SIMULATE, "K", "stiffness of every servo, N m/rad or N/m (default: by weight and reach)",
     read_not_negative, NUMBER(stiffness), "a non-negative number"},
    {"damping", 0, CLI_SIMULATE, "D", "damping of every servo (default: 0.1 s times the stiffness)", read_not_negative,
     NUMBER(damping), "a non-negative number"},
    {"ground", 0, CLI_SIMULATE | CLI_LQR, NULL,
     "the plane z = 0 is solid; the robot starts on it, or where the state has it", read_flag, FLAG(ground), NULL},
    {"terrain", 0, CLI_SIMULATE | CLI_LQR, "FILE",
     "the ground is a grid of heights: .npy, .npz, .csv, .json, or .xml with an hfield", read_text, TEXT(terrain),
     "the name of a file"},
    {"spacing", 0, CLI_SIMULATE | CLI_LQR, "D[,E]",
     "metres between the columns of --terrain, and between its rows, if the file does not say", read_spacing, WHOLE,
     "one or two positive lengths with a comma between them"},
    {"height", 0, CLI_SIMULATE | CLI_LQR, "H", "start H metres over the ground, wherever the state has the base",
     read_not_negative, NUMBER(height), "a non-negative length in metres"},
    {"lift", 0, CLI_SIMULATE | CLI_LQR, NULL, "lift a robot whose state has it inside the ground", read_flag,
     FLAG(lift), NULL},
    {"pairs", 0, CLI_SIMULATE | CLI_LQR, NULL,
     "shapes of the robot touch each other, too, but for those its file excludes", read_flag, FLAG(pairs), NULL},
    {"friction", 0, CLI_SIMULATE | CLI_LQR, "MU", "friction of the ground (default 0.8, or that of a shape if larger)",
     read_not_negative, NUMBER(friction), "a non-negative number"},
    {"contact", 0, CLI_SIMULATE | CLI_LQR, "NAMES",
     "frames that may touch the ground (default: the shapes of the model)", read_text, TEXT(contacts),
     "names of frames with commas between them"},
    {"plot", 0, CLI_SIMULATE | CLI_LQR, "FILE", "energy, height, joints and forces over time, an SVG file",
     read_picture, TEXT(plot), "a file that ends in .svg"},
    {"plot", 0, CLI_PLAN, "FILE", "base, joints, inputs and forces over time, an SVG file", read_picture, TEXT(plot),
     "a file that ends in .svg"},
    {"view", 0, CLI_SIMULATE | CLI_LQR | CLI_PLAN, "FILE", "a page that replays the motion, an HTML file", read_page,
     TEXT(view), "a file that ends in .html"},
    {"view", 0, CLI_MODES, "FILE", "a page that shows the motion of one mode, an HTML file", read_page, TEXT(view),
     "a file that ends in .html"},
    {"locus", 0, CLI_MODES, "WHAT=FROM:TO",
     "eigenvalues while mass:BODY, stiffness:JOINT, damping:JOINT, speed or gravity changes", read_text, TEXT(locus),
     "WHAT=FROM:TO or WHAT=FROM:TO:POINTS"},
    {"plot", 0, CLI_MODES, "FILE", "with --locus: the branches in the complex plane, an SVG file", read_picture,
     TEXT(plot), "a file that ends in .svg"},
    {"mode", 0, CLI_MODES, "N",
     "which one, as numbered in the table (default: the slowest that swings, or 1 if none does)", read_count,
     COUNT(mode), "the number of a mode"},
    {"trajectory", 0, CLI_VIEW, "FILE", "a motion: .npz or .json, as hamel simulate writes it", read_text,
     TEXT(trajectory), "a file"},
    {"open", 0, CLI_VIEW, NULL, "open the page in a browser (default: if there is a display and no --out)", read_flag,
     FLAG(open), NULL},
    {"no-open", 0, CLI_VIEW, NULL, "do not", read_no, FLAG(open), NULL},
    {"out", 'o', CLI_VIEW, "FILE", "the page, an HTML file (default: a new one in the temporary folder)", read_page,
     TEXT(out), "a file that ends in .html"},
    {"functions", 0, CLI_GENERATE, "NAMES",
     "some of linearize,forward_dynamics,inverse_dynamics,mass_matrix,step_linearize,frames,held_linearize",
     read_functions, offsetof(cli_options, functions),
     "some of linearize, forward_dynamics, inverse_dynamics, mass_matrix, step_linearize, frames and held_linearize, "
     "with commas between them"},
    {"frames", 0, CLI_GENERATE, "NAMES", "frames of which poses and Jacobians are wanted", read_text, TEXT(frames),
     "names of frames with commas between them"},
    {"hold", 0, CLI_GENERATE, "FRAME:KIND", "held in held_linearize: point (default) or frame; may be repeated",
     read_hold, WHOLE, "FRAME or FRAME:KIND, or there are more than 64 of them"},
    {"target", 0, CLI_GENERATE, "NAME", "c (default): plain C11; native, avx2, avx512, neon: limbs in lanes of vectors",
     read_target, FLAG(vectors), "c, native, avx2, avx512 or neon"},
    {"float", 0, CLI_GENERATE, NULL, "single precision", read_flag, FLAG(single), NULL},
    {"test", 0, CLI_GENERATE, NULL, "also a program that compares with this command's results", read_flag, FLAG(test),
     NULL},
    {"realign", 0, CLI_GENERATE, NULL, "angles written with few digits become round: less code, another robot by 1e-9",
     read_flag, FLAG(realign), NULL},
    {"force", 0, CLI_GENERATE, NULL, "also code that is larger than compilers like", read_flag, FLAG(force), NULL},
    {"out", 'o', CLI_GENERATE, "FILE", "the source, which ends in .c; the header is beside it", read_source, TEXT(out),
     "a file that ends in .c"},
    {"batch", 0, CLI_BENCH, "N", "states in a batch (default 1024)", read_count, COUNT(batch),
     "a number of states from 1 to 1000000"},
    {"batch", 0, CLI_GENERATE, NULL, "also a function that linearizes many states", read_flag, FLAG(generate_batch),
     NULL},
    {"seconds", 0, CLI_BENCH, "T", "time for each measurement (default 0.2)", read_seconds, NUMBER(seconds),
     "a time in seconds, from 0.001 to 60"},
    {"isa", 0, CLI_STATE | CLI_LQR | CLI_MODES | CLI_PLAN | CLI_BENCH, "NAME",
     "instruction set: best (default), scalar, x2 (SSE2, NEON), x4 (AVX2), x8 (AVX-512)", read_isa, WHOLE,
     "best, or an instruction set that this processor has (hamel info lists them)"},
    {"out", 'o', CLI_LINEARIZE, "FILE",
     "write the results to a .json, .npz, .mat or .csv file, print a summary; with --states: .npz or .zarr",
     read_many_results, TEXT(out), "a file that ends in .json, .npz, .mat or .csv; with --states in .npz or .zarr"},
    {"out", 'o', CLI_STATES & ~CLI_LINEARIZE, "FILE",
     "write the results to a .json, .npz, .mat or .csv file, print nothing; with --states: .npz or .zarr",
     read_many_results, TEXT(out), "a file that ends in .json, .npz, .mat or .csv; with --states in .npz or .zarr"},
    {"out", 'o', CLI_RESULTS & ~CLI_STATES, "FILE",
     "write the results to a .json, .npz, .mat or .csv file, print nothing", read_result, TEXT(out),
     "a file that ends in .json, .npz, .mat or .csv"},
    {"base", 0, CLI_ALL, "KIND", "root of a URDF: free or fixed (default: free with legs or flight in its names)",
     read_base, WHOLE, "free or fixed"},
    {"base-name", 0, CLI_ALL, "NAME", "name of the free root joint (default base)", read_text, TEXT(load.base_name),
     "a name"},
    {"mimic", 0, CLI_ALL, "HOW", "mimic joints: follow (default) or independent", read_mimic, WHOLE,
     "follow or independent"},
    {"passive", 0, CLI_ALL, "HOW", "armature, damping, springs: on (default) or off", read_passive, WHOLE, "on or off"},
    {"gravity", 'g', CLI_ALL, "X,Y,Z", "gravity in the world frame instead of the file's", read_gravity, WHOLE,
     "three numbers with commas between them, such as 0,0,-9.81"},
    {"keep-fixed", 0, CLI_ALL, NULL, "keep bodies on fixed joints instead of merging them", read_keep_fixed, WHOLE,
     NULL},
    {"strict", 0, CLI_ALL, NULL, "treat warnings as errors", read_strict, WHOLE, NULL},
    {"quiet", 'q', CLI_ALL, NULL, "no warnings, no progress", read_flag, FLAG(quiet), NULL},
    {"help", 'h', CLI_ALL, NULL, "explain the command", NULL, WHOLE, NULL},
    {"version", 'V', CLI_ALL, NULL, "print the version", NULL, WHOLE, NULL},
};

_Static_assert(sizeof option_rows / sizeof *option_rows <= OPTIONS_MOST, "options_table.h");

const int option_count = sizeof option_rows / sizeof *option_rows;
