/*
 * How far a feedback u = −K x is from instability: what the gain, the phase and the delay of its inputs may do.
 *
 *   hml_margins_scratch_doubles   memory that the next function needs
 *   hml_margins_solve             margins of each input by itself, and of all inputs at once
 *
 * Margins of an input hold while the other inputs are as they should be. Those of all inputs at once allow each input a factor
 * of its own, a gain or a phase or both, which may change with the frequency. Part of libhamel-control. Matrices are row-major
 * and packed; nothing is allocated. docs/control.md says how it is done.
 */
#ifndef HAMEL_CONTROL_MARGINS_H
#define HAMEL_CONTROL_MARGINS_H

#include <stddef.h>

#include "hamel/base.h"

/* of one input. Frequencies are those of the oscillation at the border, in rad/s, and NaN where there is no border */
typedef struct hml_margin {
    double gain[2]; /* stable with every factor between them. The first is below 1; if negative, the input may fail */
    double gain_frequency[2]; /* of both borders */
    double phase;             /* rad: stable with every smaller lag or lead; infinite: with every one */
    double phase_frequency;
    double delay; /* s: stable with every smaller delay; infinite: with every one */
    double delay_frequency;
} hml_margin;

/*
 * Of all inputs at once, from the largest singular value of a transfer matrix over all frequencies. Stable with all gains
 * between gain[0] and gain[1], or with all phases smaller than `phase`, one for each input.
 */
typedef struct hml_disk {
    double peak;      /* the largest singular value: at most 1e-7 of itself too large, never too small */
    double frequency; /* rad/s, where it is; may be infinite */
    double gain[2];
    double phase;
} hml_disk;

/* what is given and, where not NULL, what is wanted. L = K (s − A)⁻¹ B, S = (1 + L)⁻¹ and T = 1 − S */
typedef struct hml_margins {
    size_t struct_size;
    size_t n, m;             /* states, inputs: at least one of each */
    const double *A;         /* n × n */
    const double *B;         /* n × m */
    const double *K;         /* m × n: A − B K is stable */
    double step;             /* seconds; 0: ẋ = A x + B u, otherwise x⁺ = A x + B u */
    const double *scale;     /* m, positive: what counts as much of one input as of another in the disks; or NULL: 1 */
    hml_margin *inputs;      /* m */
    hml_disk *sensitivity;   /* of S: an input becomes 1/(1 − δ) of itself, |δ| < 1/peak */
    hml_disk *complementary; /* of T: 1 + δ */
    hml_disk *balanced;      /* of (S − T)/2: (1 + δ/2)/(1 − δ/2), alike for more and for less */
} hml_margins;

HML_API size_t hml_margins_scratch_doubles(size_t n, size_t m);

/* HML_NOT_STABILIZABLE where A − B K is not stable; HML_INVALID_ARGUMENT for a negative step or a scale that is not positive. */
HML_API hml_status hml_margins_solve(const hml_margins *problem, double *scratch);

#endif
