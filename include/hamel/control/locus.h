/*
 * The root locus: how the eigenvalues of A move with a parameter, such as a gain, a mass or a speed, and where they become unstable.
 *
 *   hml_locus_scratch_doubles   memory that the next function needs
 *   hml_locus_solve             eigenvalues as branches over the values of the parameter, and where branches cross the border
 *
 * Part of libhamel-control. Matrices are row-major and packed; nothing is allocated. docs/control.md says how it is done.
 */
#ifndef HAMEL_CONTROL_LOCUS_H
#define HAMEL_CONTROL_LOCUS_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/base.h"

/* fills A, n × n, for a value of the parameter between the first and the last one; its failure ends hml_locus_solve */
typedef hml_status hml_locus_matrix(void *context, double value, double *A);

/* where a branch leaves the stable side or comes back to it; a conjugate pair crosses once */
typedef struct hml_locus_crossing {
    double value;         /* of the parameter, to about 1e-12 of itself or of the distance between two values */
    double eigenvalue[2]; /* there; its imaginary part is not negative */
    int32_t branch;       /* column of eigenvalues */
    int32_t unstable;     /* 1: it is unstable behind the crossing; 0: before it */
} hml_locus_crossing;

/* what is given and, where not NULL, what is wanted */
typedef struct hml_locus {
    size_t struct_size;
    size_t n;                      /* states */
    hml_locus_matrix *matrix;      /* A of a value, or NULL: A + value D */
    void *context;                 /* of matrix */
    const double *A, *D;           /* n × n each, where matrix is NULL */
    int32_t discrete;              /* 0: stable is Re λ < 0; 1: |λ| < 1 */
    size_t points;                 /* at least 2 */
    const double *values;          /* points, rising or falling */
    double *eigenvalues;           /* points × n × 2: column j of all points is one branch */
    size_t room;                   /* of crossings */
    hml_locus_crossing *crossings; /* as the values go on; the first `room` of them */
} hml_locus;

HML_API size_t hml_locus_scratch_doubles(size_t n);

/*
 * count, which may be NULL: how many crossings there are, also beyond the room. Eigenvalues that are zero, or on the imaginary axis, up
 * to rounding count as stable, as hml_modes_solve tells them. A branch that crosses twice between two values is not seen to
 * cross. HML_INVALID_ARGUMENT for values that neither rise nor fall.
 */
HML_API hml_status hml_locus_solve(const hml_locus *problem, double *scratch, size_t *count);

#endif
