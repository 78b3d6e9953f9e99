/*
 * Which modes of ẋ = A x + B u no input moves: the staircase form (Paige 1981, Varga 1981) by orthogonal transformations.
 * Step by step the range of B, then what A makes of it, is split off; what is left over when a step finds nothing more is
 * a block of A of its own, and its eigenvalues are the uncontrollable modes.
 */
#ifndef HML_CONTROL_STAIRCASE_H
#define HML_CONTROL_STAIRCASE_H

#include <stddef.h>

#include "hamel/base.h"

/*
 * A (n × n) and B (n × m) are destroyed; room: n · max(n, m) doubles. values: pairs of real and imaginary part, *count of
 * them. A step ends where all that is left is smaller than `tolerance` times the norm of A, in the first step of B.
 */
hml_status hmli_uncontrollable(size_t n, size_t m, double *A, double *B, double tolerance, double *room, double *values,
                               size_t *count);

#endif
