/*
 * Models with mimic joints: a constraint outside the kernels. The tree is evaluated with its followers, then reduced,
 * M = Gᵀ M_tree G and so on, and solved densely. Correct, without a promise of speed. See model/mimic.h.
 */
#ifndef HML_ALGO_DYNAMICS_MIMIC_H
#define HML_ALGO_DYNAMICS_MIMIC_H

#include "hamel/work.h"
#include "kernel/call.h"

/* doubles a workspace needs for this; 0 for models without followers */
size_t hmli_mimic_scratch_size(const hml_model *model);

/* the kernels of the same names for one state, inputs and outputs in the user's numbering; 1: M is singular */
unsigned hmli_mimic_linearize(const hml_work *work, const kernel_call *call);
unsigned hmli_mimic_inverse_dynamics(const hml_work *work, const kernel_call *call);

/* torque and M alone, if wanted: nothing is left in the scratch to be read */
void hmli_mimic_torque_and_mass(const hml_work *work, const kernel_call *call);

/* marks the user's coordinates whose pivots vanish at call->q */
void hmli_mimic_singular(const hml_work *work, const kernel_call *call, int *marks);

#endif
