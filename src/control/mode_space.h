/*
 * The invariant subspaces of a real matrix that belong to its distinct eigenvalues: a staircase of singular values for the
 * zeros, which rounding would split, and Schur's form for the others, joined where their condition numbers say that rounding
 * cannot tell them apart.
 */
#ifndef HML_CONTROL_MODE_SPACE_H
#define HML_CONTROL_MODE_SPACE_H

#include "base/layout.h"
#include "control/complex_matrix.h"

/* how many roundings of the largest entry are taken for nothing */
#define MODE_ROUNDING 50.0

typedef struct mode_space {
    cplx value;
    double error; /* how far rounding may have moved the value */
    size_t first; /* column of right, row of left */
    size_t count;
    size_t chain; /* 0: not known yet */
} mode_space;

typedef struct mode_spaces {
    size_t n, count;
    double norm;            /* of the matrix: its largest singular value */
    cplx *A;                /* n × n: the matrix, then divided by its norm */
    cplx *right, *left;     /* n × n each: all bases side by side, and their inverse */
    mode_space *found;      /* n: conjugates too */
    cplx *T, *Q, *T2, *Q2;  /* n × n each */
    cplx *rest;             /* n × n: a basis of what belongs to no zero */
    cplx *values;           /* n */
    double *radius, *sizes; /* n each */
    size_t *steps, *group;  /* n each */
} mode_spaces;

void hmli_mode_spaces_lay_out(size_t n, layout_cursor *c, mode_spaces *s);

/* of s->A; found and the bases belong to A divided by its norm */
hml_status hmli_mode_spaces_find(mode_spaces *s);

#endif
