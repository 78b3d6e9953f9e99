/*
 * How the six numbers of a velocity are written. With the pose H = (R, o) of a moving frame B in A, and ω_A = R ω_B:
 *
 *   HML_LEFT     Rᵀ ȯ          ω_B     in B; Notation (20), Müller's body-fixed; the default everywhere
 *   HML_RIGHT    ȯ − ω_A × o   ω_A     in A; Notation (25), Müller's spatial
 *   HML_MIXED    ȯ             ω_A     origin of B, axes of A; Notation (35), Müller's hybrid
 *   HML_SPLIT    ȯ             ω_B     linear part in A's axes, angular part in B's; Müller's mixed, Kindr's u
 */
#ifndef HAMEL_REPRESENTATION_H
#define HAMEL_REPRESENTATION_H

typedef enum hml_representation { HML_LEFT = 0, HML_RIGHT = 1, HML_MIXED = 2, HML_SPLIT = 3 } hml_representation;

#endif
