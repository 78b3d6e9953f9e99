/*
 * The shortest vector of a polyhedron, exactly, on the caller's memory:
 *
 *   min ½|x|²   with   G_i·x = b_i   or   G_i·x >= b_i
 *
 * by the dual active-set method of Goldfarb and Idnani (1983): rows that are violated come in one by one, rows whose
 * multiplier would become negative go out, and the dual objective grows with every row that stays. It ends after
 * finitely many steps, needs no starting point, and finds out when there is no such x. x = Σ λ_i G_i with λ_i >= 0 for
 * an inequality: for contacts x is the push, λ the forces. The rows with λ_i ≠ 0 are linearly independent.
 */
#ifndef HML_SIM_SHORTEST_H
#define HML_SIM_SHORTEST_H

#include "base/layout.h"
#include "hamel/base.h"

typedef struct shortest {
    size_t n, m;       /* numbers in x, rows */
    double *G;         /* m × n, given */
    double *b;         /* m, given */
    double *one_sided; /* m, given: 0 where G_i·x = b_i */
    double scale;      /* given: the size of the numbers that b was made of, which decides what is round-off */
    double *x;         /* n */
    double *lambda;    /* m */
    size_t active;     /* rows in force: order[0 … active − 1] */
    double *Q;         /* active × n: an orthonormal basis of theirs, by rows */
    double *R;         /* columns of length most: G of row order[j] is Σ R_ij Q_i */
    double *u, *d, *r; /* multipliers of the active rows; room */
    double *z;         /* n: room */
    size_t *order;
    double *sign; /* of the active rows: an equality may push either way */
} shortest;

/* lays it out, or measures it (base/layout.h) */
void hmli_shortest_lay_out(size_t n, size_t m, layout_cursor *c, shortest *p);

/* HML_INCONSISTENT: there is no such x. HML_NOT_CONVERGED: round-off made it go in circles */
hml_status hmli_shortest(shortest *p);

#endif
