/* What every part of the command shares: exit statuses, the options, and what it says when something is wrong. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "hamel/base.h"
#include "hamel/dynamics.h"
#include "hamel/io.h"
#include "hamel/kinematics.h"
#include "hamel/se3.h"

#if defined __GNUC__
#if defined __MINGW32__ /* printf of C99, not that of Windows */
#define CLI_PRINTF(f, a) __attribute__((format(gnu_printf, f, a)))
#else
#define CLI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#endif
#else
#define CLI_PRINTF(f, a)
#endif

enum cli_status { CLI_OK = 0, CLI_INPUT = 1, CLI_USAGE = 2, CLI_COMPUTE = 3, CLI_OUTPUT = 4 };

/* the commands, as bits, so that an option can say where it belongs */
enum cli_command {
    CLI_INFO = 1,
    CLI_DYNAMICS = 2,
    CLI_JACOBIAN = 4,
    CLI_LINEARIZE = 8,
    CLI_VALIDATE = 16,
    CLI_BENCH = 32,
    CLI_SIMULATE = 64,
    CLI_VIEW = 128,
    CLI_TRIM = 256,
    CLI_LQR = 512,
    CLI_MODES = 1024,
    CLI_PLAN = 2048,
    CLI_STATE = CLI_DYNAMICS | CLI_JACOBIAN | CLI_LINEARIZE | CLI_SIMULATE | CLI_TRIM,
    CLI_GENERATE = 8192,
    CLI_ALL = 65535,                                          /* the bits of commands to come, too */
    CLI_STATES = CLI_DYNAMICS | CLI_LINEARIZE | CLI_SIMULATE, /* those that take many states */
    CLI_LOOPS = CLI_DYNAMICS | CLI_JACOBIAN | CLI_LINEARIZE | CLI_SIMULATE | CLI_TRIM | CLI_LQR |
                CLI_MODES,                             /* that keep loops */
    CLI_RESULTS = CLI_ALL & ~(CLI_VIEW | CLI_GENERATE) /* those whose --out is a file of results */
};

enum { CLI_HOLDS = 64, CLI_THREADS = 256 }; /* most holds on a command line, and most threads */

typedef struct cli_options {
    int nmodels;
    char **models; /* none: the built-in robot */
    hml_load_options load;
    double gravity[3];
    const char *state, *keyframe, *positions, *frame, *out, *picture, *study;
    hml_representation representation;
    hml_isa isa;
    int all_inputs, spy, full, memory, names, quiet;
    long samples, batch, mode; /* mode 0: not given */
    unsigned long long seed;
    int left_twist; /* 1: validate draws the base's velocity in its own axes */
    int random;     /* 1: validate draws placements and inertias of a given model */
    double seconds;
    double time, step, tolerance; /* of a simulation; 0: not given */
    long max_steps;
    int integrator; /* an hml_scheme; −1: not given */
    int hold, ground, lift, pairs;
    double stiffness, damping, friction, height; /* negative: not given */
    const char *contacts, *plot;
    const char *terrain;           /* a file of heights */
    double spacing[2];             /* of its heights; 0: not given */
    const char *trajectory, *view; /* of view; of simulate and modes */
    int open;                      /* the page in a browser: 0 no, 1 yes, −1: not given */
    const char *holds[CLI_HOLDS];  /* FRAME[:KIND] each */
    int nholds, ignore_limits;
    const char *lock;                                                /* names of joints with commas between them */
    const char *save;                                                /* a state file to write */
    double posture;                                                  /* 0: not given */
    const char *states, *select;                                     /* of many states: the file, names of results */
    int resume, float32;                                             /* of many states */
    long threads;                                                    /* 0: not given */
    double weight_position, weight_velocity, weight_input, discrete; /* of lqr; discrete 0: continuous time */
    double recovery;                                                 /* of lqr: seconds to simulate; 0: not given */
    double push[3], disturb[3];                                      /* NaN: not given */
    const char *integral;                                            /* of lqr: names of joints and frames */
    double weight_integral;
    const char *locus;  /* of modes: WHAT=FROM:TO */
    unsigned functions; /* of generate: a sum of HML_GENERATE_…; 0: all */
    const char *frames; /* of generate: names with commas between them */
    int single, test, force, realign, generate_batch;
    int vectors;         /* 1: of generate, limbs in the lanes of vectors */
    int no_loops, close; /* loops of the model are left open; are closed first */
} cli_options;

typedef struct cli_command_info {
    const char *name;
    enum cli_command bit;
    const char *operands; /* as in the usage line */
    const char *summary;  /* one line */
    const char *text;     /* the rest of its help */
    int (*run)(const cli_options *options);
} cli_command_info;

extern const cli_command_info cli_commands[];
extern const int cli_command_count;

int cli_info(const cli_options *options);
int cli_dynamics(const cli_options *options);
int cli_jacobian(const cli_options *options);
int cli_linearize(const cli_options *options);
int cli_trim(const cli_options *options);
int cli_lqr(const cli_options *options);
int cli_modes(const cli_options *options);
int cli_plan(const cli_options *options);
int cli_validate(const cli_options *options);
int cli_simulate(const cli_options *options);
int cli_bench(const cli_options *options);
int cli_view(const cli_options *options);
int cli_generate(const cli_options *options);

/* "hamel: …" on standard error; returns status, so that one can write return cli_fail(CLI_USAGE, …) */
int cli_fail(int status, const char *format, ...) CLI_PRINTF(2, 3);

/* the same for an error of the library, with its file and line */
int cli_fail_error(const hml_error *error);

/* CLI_OK, or a message and CLI_USAGE if --out is a file that the command reads */
int cli_check_overwrite(const cli_options *options);

/* something that was to be printed or written has no room in memory: what follows is not complete, so main fails */
void cli_lose_memory(void);

/* CLI_OK, or a message and CLI_COMPUTE if memory was lost */
int cli_check_memory(void);

/* the exit status that belongs to a status of the library */
int cli_status_of(hml_status status);

/* the word among n that is nearest to a mistyped one, or NULL if none is near */
const char *cli_nearest(const char *word, int n, const char *(*get)(const void *words, int i), const void *words);

#endif
