/*
 * C source for one robot: dynamics and their exact linearization without this library (libhamel-io).
 *
 *   hml_generate_options_init   the defaults
 *   hml_generate                writes ROBOT.c and ROBOT.h, and a program that tests them
 *   hml_generate_text           the same as text
 *   hml_generate_estimate       how large the code will be
 *   hml_generate_functions      the functions that a list of names stands for
 *   hml_model_compile           generates, compiles with the system's compiler and loads, once per robot and machine
 *   hml_compiled_linearize      hml_linearize_batch with that code
 *
 * The code is plain C11, needs libm only, and allocates nothing: it runs on a microcontroller, too. Everything that the
 * model decides is decided while it is generated: constants are folded, zeros disappear, and limbs of the same shape
 * share their code. The same model and options give the same bytes. docs/generated-code.md says more.
 */
#ifndef HAMEL_GENERATE_H
#define HAMEL_GENERATE_H

#include "hamel/constraint.h"
#include "hamel/linearize.h"

/* what is generated: a sum of these */
typedef enum hml_generate_function {
    HML_GENERATE_LINEARIZE = 1,        /* ν̇, D_q, D_ν, M⁻¹ */
    HML_GENERATE_FORWARD_DYNAMICS = 2, /* ν̇ */
    HML_GENERATE_INVERSE_DYNAMICS = 4, /* τ */
    HML_GENERATE_MASS_MATRIX = 8,      /* M */
    HML_GENERATE_STEP_LINEARIZE = 16,  /* hml_step of HML_SCHEME_EULER, with A_d and B_d */
    HML_GENERATE_FRAMES = 32,          /* poses and left Jacobians of frames */
    HML_GENERATE_HELD_LINEARIZE = 64,  /* hml_constrained_linearize under the holds of the options */
    HML_GENERATE_ALL = 127
} hml_generate_function;

/* how limbs of the same shape are computed; results differ by rounding only */
typedef enum hml_generate_target {
    HML_TARGET_C = 0,     /* one after the other, in loops: C11 */
    HML_TARGET_VECTOR = 1 /* side by side, in the lanes of vectors as gcc and clang have them for any processor */
} hml_generate_target;

typedef struct hml_generate_options {
    size_t struct_size;
    unsigned functions;  /* a sum of HML_GENERATE_…; 0 or all: frames and held_linearize only if listed below */
    int single;          /* 1: float instead of double */
    const char *prefix;  /* of all names in the header; NULL: the name of the file, or of the model */
    int force;           /* 1: generate robots beyond HML_GENERATE_LIMIT statements, too */
    int test;            /* 1: also a program that compares with results of this library, ROBOT_test.c */
    int32_t test_states; /* states in this program; 0: 16 */
    hml_generate_target target;
    int batch;             /* 1: also a function that linearizes many states */
    const int32_t *frames; /* of HML_GENERATE_FRAMES: indices of hml_model_find_frame; NULL: all frames */
    int32_t frame_count;
    const hml_constraint *holds; /* of HML_GENERATE_HELD_LINEARIZE: frames and points, without Baumgarte's terms */
    int32_t hold_count;
} hml_generate_options;

/* statements of straight-line code; a compiler takes about a minute for as many */
enum { HML_GENERATE_LIMIT = 300000 };

HML_API void hml_generate_options_init(hml_generate_options *options);

/*
 * About how many statements the functions of the options will have: known before anything is generated, and within a
 * factor of two. A statement becomes about six bytes of machine code.
 */
HML_API hml_status hml_generate_estimate(const hml_model *model, const hml_generate_options *options,
                                         int64_t *statements);

/*
 * Writes path, which ends in .c, and the header beside it. options NULL: the defaults. Each file appears whole or not
 * at all. HML_UNSUPPORTED with a sentence for models that cannot be generated, and beyond HML_GENERATE_LIMIT.
 */
HML_API hml_status hml_generate(const hml_model *model, const hml_generate_options *options, const char *path,
                                hml_error *error);

/* source and header as text, and test if the options ask for it; free each with hml_text_free. test may be NULL */
HML_API hml_status hml_generate_text(const hml_model *model, const hml_generate_options *options, char **source,
                                     char **header, char **test, hml_error *error);

/* names like "linearize,mass_matrix" as a sum of HML_GENERATE_…; HML_NOT_FOUND for a name that does not exist */
HML_API hml_status hml_generate_functions(const char *names, unsigned *functions);

/* ---- in this process ---- */

/* a robot whose linearization is compiled for it; may be shared between threads */
typedef struct hml_compiled hml_compiled;

typedef struct hml_compile_options {
    size_t struct_size;
    const char *compiler; /* NULL: the variable CC, or cc */
    const char *cache;    /* folder that keeps compiled robots; NULL: hamel in XDG_CACHE_HOME, or in ~/.cache */
    int always;           /* 1: the code also where the library is faster */
} hml_compile_options;

/*
 * Generates code for the model with vectors, compiles it with -O3 for the instruction set of this processor, and loads
 * it. Then a few milliseconds decide for which calls it is faster than the library, for single states and for batches of
 * eight or more; the others go to the library. The folder keeps the result, under a name with the model's hash, the
 * version, the instruction set and that choice. If there is no compiler, or the code is too large, does not agree with
 * the library or is not faster, the result is HML_OK nevertheless: the library's kernels then do the work, and
 * hml_compiled_note says why. options NULL: the defaults. The model must outlive *compiled.
 */
HML_API hml_status hml_model_compile(const hml_model *model, const hml_compile_options *options,
                                     hml_compiled **compiled, hml_error *error);

HML_API void hml_compiled_free(hml_compiled *compiled);

/* why the library's kernels do the work, as a sentence; NULL: compiled code does it */
HML_API const char *hml_compiled_note(const hml_compiled *compiled);

/*
 * hml_linearize_batch with the code of this robot: n states one after the other, if that is faster. The code writes packed results, either
 * acceleration, A and B, or acceleration, Dq, Dv and Minv; for others, and with wrenches, the library's kernels do the
 * work, in `work`.
 */
HML_API hml_status hml_compiled_linearize(const hml_compiled *compiled, hml_work *work, size_t n,
                                          const hml_linearization *arguments, hml_status *status);

#endif
