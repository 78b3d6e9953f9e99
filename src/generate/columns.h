/* The columns of M, ∂τ/∂q and ∂τ/∂ν over expressions: see columns.c. */
#ifndef HML_GENERATE_COLUMNS_H
#define HML_GENERATE_COLUMNS_H

#include "generate/program.h"

/* where a tree column stands among the columns of its region */
int32_t hmli_column_place(const program *p, const region *r, int32_t column);

/* M of a region, and of its rows with the path; sums of inertia are known */
void hmli_columns_mass(program *p, region *r);

/* what a motion of each column does to velocities and accelerations: Ψ̇, Ψ̈, Ψ̇ + Ṡ */
void hmli_columns_motions(region *r);

/* −∂τ/∂q and −∂τ/∂ν of a region and of its path; all sums and the motions are known */
void hmli_columns_derivatives(program *p, region *r);

#endif
