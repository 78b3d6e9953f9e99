/*
 * Factors of the mass matrix that keep the tree's zeros (Featherstone, chapter 8).
 *
 *   hml_coordinate_parents   λ: the coordinate before each one on the way to the root
 *   hml_ltl_factor           M = LᵀL
 *   hml_ltdl_factor          M = LᵀDL, L with a unit diagonal
 *   hml_factor_multiply      L x or Lᵀ x
 *   hml_factor_solve         L⁻¹ x or L⁻ᵀ x
 *   hml_tree_multiply        M x
 *
 * M_ij is zero unless one of the coordinates i, j carries the other, and elimination from the last coordinate to the
 * first makes no new entries. Everything here walks along λ: a chain of depth d costs n·d² for the factor and n·d for a
 * product or a solve. Matrices are nv × nv, row-major, packed; only entries on and below the diagonal are read or
 * written, and of those only the ones that a tree has. Nothing allocates.
 */
#ifndef HAMEL_FACTORIZATION_H
#define HAMEL_FACTORIZATION_H

#include "hamel/model.h"

/* parents: nv of them, −1 for the first coordinate of a tree. Models with mimic followers answer HML_UNSUPPORTED */
HML_API hml_status hml_coordinate_parents(const hml_model *model, int32_t *parents);

/* in place: the lower triangle of M becomes L. HML_SINGULAR if a pivot is not positive */
HML_API hml_status hml_ltl_factor(int32_t nv, const int32_t *parents, double *M);

/* in place: the lower triangle of M becomes L, the diagonal D */
HML_API hml_status hml_ltdl_factor(int32_t nv, const int32_t *parents, double *M);

typedef enum hml_factor_diagonal {
    HML_DIAGONAL_STORED = 0, /* LᵀL: L's diagonal is in the matrix */
    HML_DIAGONAL_UNIT = 1    /* LᵀDL: it is one, and D is there instead */
} hml_factor_diagonal;

/* x ← L x, or Lᵀ x */
HML_API hml_status hml_factor_multiply(int32_t nv, const int32_t *parents, const double *L,
                                       hml_factor_diagonal diagonal, int transposed, double *x);

/* x ← L⁻¹ x, or L⁻ᵀ x. M⁻¹ x is both: first transposed, then, for LᵀDL, divided by D, then not transposed */
HML_API hml_status hml_factor_solve(int32_t nv, const int32_t *parents, const double *L, hml_factor_diagonal diagonal,
                                    int transposed, double *x);

/* y = M x; y is not x */
HML_API hml_status hml_tree_multiply(int32_t nv, const int32_t *parents, const double *M, const double *x, double *y);

#endif
