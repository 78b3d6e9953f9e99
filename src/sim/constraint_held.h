/*
 * The fast way of constrained motion: the kernels of kernel/held.h. They decline where rows depend on each other, or
 * nearly so; with one-sided rows, frames of the world, mimic followers; and where a state is not good, or something
 * overflows. Then constraint.c and constraint_linearize.c do it, which also say what is wrong.
 */
#ifndef HML_SIM_CONSTRAINT_HELD_H
#define HML_SIM_CONSTRAINT_HELD_H

#include "algo/work.h"
#include "hamel/constraint.h"

/* doubles; m: rows of the constraints */
size_t hmli_held_scratch(const hml_model *model, const hml_constraints *set, size_t m);

/*
 * ν̇ and λ and, if asked for, the derivatives; of A and B the lower halves, and only those blocks that x does not want
 * elsewhere. Workspace and constraints were checked (hmli_constraint_check). 0: the kernels decline.
 */
int hmli_held(const hml_work *work, const hml_constraints *set, double *scratch, const hml_constrained_linearization *x,
              int derivatives);

/* of what they have done: all rows count */
void hmli_held_report(const hml_constraints *set, hml_constraint_report *report);

#endif
