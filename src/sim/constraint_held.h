/*
 * The fast way of constrained motion: the kernels of kernel/held.h. They decline where rows depend on each other, or
 * nearly so; with one-sided rows, frames of the world, mimic followers; and where a state is not good, or something
 * overflows. Then constraint.c and constraint_linearize.c do it, which also say what is wrong.
 */
#ifndef HML_SIM_CONSTRAINT_HELD_H
#define HML_SIM_CONSTRAINT_HELD_H

#include "algo/work.h"
#include "hamel/constraint.h"

/* many states and where their results go; outputs may be missing */
typedef struct held_states {
    hml_input q, v, tau, wrenches;
    kernel_output acceleration, lambda, Dq, Dv, Dtau, lambda_q, lambda_v, lambda_tau, A, B;
} held_states;

/* doubles; m: rows of the constraints */
size_t hmli_held_scratch(const hml_model *model, const hml_constraints *set, size_t m);

/*
 * ν̇ and λ and, if asked for, the derivatives; of A and B the lower halves, and only those blocks that x does not want
 * elsewhere. Workspace and constraints were checked (hmli_constraint_check). 0: the kernels decline.
 */
int hmli_held(const hml_work *work, const hml_constraints *set, double *scratch, const hml_constrained_linearization *x,
              int derivatives);

/* states that packs of this workspace hold; 0: these constraints are not for packs */
size_t hmli_held_lanes(const hml_work *work, const hml_constraints *set);

/*
 * The same for `count` states from `first` on, at most as many as a pack holds. Returns those that the kernel leaves to
 * single calls, one bit each: what stands in their outputs is meaningless.
 */
unsigned hmli_held_pack(const hml_work *work, const hml_constraints *set, double *scratch, const held_states *x,
                        size_t first, size_t count);

/* what they leave to do: the rest of A and B. The lower halves are there where nothing else was asked for */
void hmli_held_complete(const hml_model *model, const hml_constrained_linearization *x);

/* of what they have done: all rows count */
void hmli_held_report(const hml_constraints *set, hml_constraint_report *report);

#endif
