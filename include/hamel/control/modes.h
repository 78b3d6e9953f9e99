/*
 * The modes of ẋ = A x + B u, y = C x: eigenvalues, who moves in each, and which of them no input moves.
 *
 *   hml_modes_scratch_doubles   memory that the next function needs
 *   hml_modes_solve             eigenvalues, both kinds of eigenvectors, participation, controllability, observability
 *
 * Eigenvalues that rounding may have split are one mode, because their eigenvectors are not unique: all zeros of a robot
 * that floats, two equal swings, a chain t exp(λ t). Part of libhamel-control. Matrices are row-major and packed; nothing
 * is allocated. docs/control.md says how it is done.
 */
#ifndef HAMEL_CONTROL_MODES_H
#define HAMEL_CONTROL_MODES_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/base.h"

typedef enum hml_mode_kind {
    HML_MODE_INTEGRATOR = 0,  /* zero */
    HML_MODE_UNSTABLE = 1,    /* it grows */
    HML_MODE_UNDAMPED = 2,    /* on the imaginary axis, up to rounding */
    HML_MODE_OSCILLATION = 3, /* it dies out, and swings */
    HML_MODE_DECAY = 4        /* it dies out */
} hml_mode_kind;

/* an eigenvalue, with its conjugate where it is complex */
typedef struct hml_mode {
    double eigenvalue[2]; /* real part, imaginary part, which is not negative */
    double reach, sight;  /* margins of controllability and observability; 0: no input moves it, no output shows it */
    int32_t first;        /* index of its first entry in `eigenvalues` */
    int32_t multiplicity; /* how many eigenvalues are the same up to rounding, conjugates not counted */
    int32_t chain;        /* length of the longest Jordan chain; with 2 the mode contains t exp(λ t) */
    int32_t unreachable;  /* directions that no input moves; −1: there are no inputs to tell */
    int32_t unseen;       /* directions that no output shows; −1: there are no outputs to tell */
    hml_mode_kind kind;
} hml_mode;

/* what is given and, where not NULL, what is wanted */
typedef struct hml_modes {
    size_t struct_size;
    size_t n, m, p;   /* states, at least one; inputs; outputs */
    const double *A;  /* n × n */
    const double *B;  /* n × m, or NULL: no inputs */
    const double *C;  /* p × n, or NULL: no outputs */
    double tolerance; /* the margin below which no input moves a mode, no output shows it; 0: 1e-9 */
    const double
        *mass;   /* n/2 × n/2: the mass matrix of a robot, whose x is a perturbation of the configuration followed by
                            one of the velocity. Margins then do not depend on units and masses. Or NULL */
    size_t rows; /* with onto and back: rows of the shown states */
    const double
        *onto; /* rows × n: x = onto y, where A, B and C are those of y; or NULL: the states are shown as they are */
    const double *back;  /* n × rows: y = back x */
    double *eigenvalues; /* n × 2, real and imaginary part: from slow to fast, conjugate ones side by side */
    double *right; /* rows × n × 2: column j belongs to eigenvalue j; of a multiple one, a basis of its subspace */
    double *left;  /* n × rows × 2: left · right is the identity of the n states */
    double *participation; /* n × rows: the share of each state in the mode of eigenvalue j; each row sums to 1 */
    hml_mode *modes;       /* room for n: from slow to fast */
} hml_modes;

/* rows: n where onto is NULL */
HML_API size_t hml_modes_scratch_doubles(size_t n, size_t m, size_t p, size_t rows);

/*
 * count: how many modes there are; may be NULL. HML_INVALID_ARGUMENT for sizes that do not fit, a tolerance outside [0, 1),
 * a mass matrix that is not positive definite, or onto without back; HML_NOT_CONVERGED where the subspaces of the modes
 * cannot be told from each other.
 */
HML_API hml_status hml_modes_solve(const hml_modes *problem, double *scratch, size_t *count);

#endif
