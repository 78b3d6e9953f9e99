/*
 * Lyapunov equations by doubling (Smith 1968): X = Σ Aᵏ Q Aᵀᵏ, the number of terms doubling with each step. The
 * continuous equation becomes a discrete one by Cayley's transform with a shift γ.
 */
#ifndef HML_CONTROL_LYAPUNOV_H
#define HML_CONTROL_LYAPUNOV_H

#include <stddef.h>

#include "hamel/base.h"

enum { DOUBLINGS = 64 }; /* enough for modes that lose 2⁻⁶⁰ of themselves per step */

/* the room that the next function needs, in doubles */
size_t hmli_lyapunov_room(size_t n);

/*
 * A X Aᵀ − X + Q = 0, or A X + X Aᵀ + Q = 0 where not discrete; A is stable, Q symmetric. HML_NOT_CONVERGED where the
 * terms do not fade away.
 */
hml_status hmli_lyapunov(size_t n, int discrete, const double *A, const double *Q, double *room, double *X);

/* the geometric mean of the absolute eigenvalues, a good shift; A (n × n) is destroyed */
double hmli_geometric_shift(size_t n, double *A);

#endif
