/*
 * What every header needs: the mark of public functions, the version, statuses and errors, instruction sets.
 */
#ifndef HAMEL_BASE_H
#define HAMEL_BASE_H

/* ---- what the library exports ---- */

/* HML_API marks what the library exports, with C linkage under C++. */

#if defined _WIN32
#define HML_VISIBLE __declspec(dllexport)
#elif defined __GNUC__
#define HML_VISIBLE __attribute__((visibility("default")))
#else
#define HML_VISIBLE
#endif

#ifdef __cplusplus
#define HML_API extern "C" HML_VISIBLE
#else
#define HML_API extern HML_VISIBLE
#endif

/* ---- structs that may grow ---- */

/*
 * A struct that begins with struct_size may have more fields in a later version. The caller sets struct_size to the
 * sizeof of its own header, and everything that it does not use to zero. Fields that only one of the two knows, caller
 * or library, count as zero; HML_INVALID_ARGUMENT if the caller sets one that the library does not know. HML_STRUCT makes
 * such a struct in C:
 *
 *   hml_step(model, work, scratch, &HML_STRUCT(hml_discrete_step, .h = 1e-3, .q = q, .v = v, …));
 */
#define HML_STRUCT(type, ...) ((type){.struct_size = sizeof(type), __VA_ARGS__})

/* ---- version ---- */

/* The version of the headers, and of the library at run time. */

#define HML_VERSION_MAJOR  0
#define HML_VERSION_MINOR  2
#define HML_VERSION_PATCH  0
#define HML_VERSION_STRING "0.2.0"

/* "major.minor.patch" of the library that is linked */
HML_API const char *hml_version(void);

/* ---- statuses and errors ---- */

/*
 * What can go wrong, and how Hamel reports it.
 *
 * Every public function that can fail returns an hml_status; 0 is success. Functions that read files or build models
 * also fill an hml_error: a sentence a user can act on, with the file and the line or the place in it.
 */

/* one list makes the enum and its messages: name, value, message. A value is never used again, and 6 is free */
#define HML_STATUS_LIST(X)                                                                                             \
    X(OK, 0, "success")                                                                                                \
    X(INVALID_ARGUMENT, 1, "an argument is missing, out of range or has the wrong size")                               \
    X(NOT_FINITE, 2, "an input holds NaN or infinity, or a result overflows")                                          \
    X(NOT_NORMALIZED, 3, "a quaternion is too far from unit, or a matrix from a rotation")                             \
    X(SINGULAR, 4, "the mass matrix or another matrix is singular, or there is no mass or no derivative")              \
    X(SINGULAR_PARAMETERIZATION, 5, "the rotation parameterization is singular here")                                  \
    X(OUT_OF_MEMORY, 7, "out of memory")                                                                               \
    X(NOT_FOUND, 8, "no body, joint, frame or choice has this name")                                                   \
    X(BAD_MODEL, 9, "the model is inconsistent")                                                                       \
    X(BAD_FILE, 10, "the file is malformed")                                                                           \
    X(UNSUPPORTED, 11, "not supported for this model or these arguments")                                              \
    X(CANNOT_READ, 12, "the file cannot be read")                                                                      \
    X(CANNOT_WRITE, 13, "the file cannot be written")                                                                  \
    X(NOT_CONVERGED, 14, "the iteration did not converge")                                                             \
    X(INCONSISTENT, 15, "the constraints contradict each other or the motion")                                         \
    X(NOT_STABILIZABLE, 16, "a mode is unstable, and no input moves it or no weight sees it")                          \
    X(TOO_MANY_STEPS, 17,                                                                                              \
      "a motion takes more steps than max_steps allows: implicit integrators with equal steps go over stiff parts")

typedef enum hml_status {
#define HML_STATUS_ENUM(name, value, message) HML_##name = value,
    HML_STATUS_LIST(HML_STATUS_ENUM)
#undef HML_STATUS_ENUM
} hml_status;

typedef struct hml_error {
    hml_status status;
    int line;          /* 1-based; 0 where a format has no lines */
    char file[256];    /* as given by the caller, shortened in front if it is longer; empty if no file */
    char message[512]; /* one sentence without a full stop, lower case, naming the item at fault */
} hml_error;

/* a message for a status; never NULL */
HML_API const char *hml_status_message(hml_status status);

/* ---- instruction sets ---- */

/*
 * Instruction sets. One binary carries every kernel its architecture can run; a workspace or a batch call says which
 * one to use. There is no global dispatcher and no hidden state.
 */

/* the value is the number of doubles in a register, the states of a pack */
typedef enum hml_isa {
    HML_ISA_BEST = 0,   /* the widest that this processor has */
    HML_ISA_SCALAR = 1, /* one double at a time */
    HML_ISA_128 = 2,    /* registers of 128 bits: SSE2, NEON */
    HML_ISA_AVX2 = 4,   /* registers of 256 bits: AVX2, FMA and BMI */
    HML_ISA_AVX512 = 8  /* registers of 512 bits: AVX-512 */
} hml_isa;

/* the widest instruction set that this processor and this build have */
HML_API hml_isa hml_isa_best(void);

/* 1 if this processor and this build can run it */
HML_API int hml_isa_available(hml_isa isa);

/* "scalar", "x2", "x4", "x8": the option --isa of the command, the same word on every processor */
HML_API const char *hml_isa_name(hml_isa isa);

#endif
