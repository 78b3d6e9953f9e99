/*
 * Which kernels a workspace runs. This is decided once, when the workspace is made; sizes of scratch and calls follow
 * from this struct alone.
 */
#ifndef HML_KERNEL_DISPATCH_H
#define HML_KERNEL_DISPATCH_H

#include "kernel/table.h"
#include "model/plan.h"

typedef struct kernel_choice {
    const kernel_table *batch;          /* packs of states */
    const kernel_table *batch_matrices; /* packs of states where matrices come out: linearization and M */
    const kernel_table *single;         /* one state, whose lanes are bodies and columns */
    const kernel_table *held;           /* one state with held feet, which has dense products */
    const kernel_table *fallback;       /* one state, a scalar object: what `single` does not have or declines */
    const kernel_table_f32 *batch_f32;  /* packs in single precision; NULL: long chains and followers go by doubles */
    int long_chain;                     /* single linearizations go by sweeps along the tree */
    int one_by_one; /* batches of linearizations and of M⁻¹ go through `single`, state by state */
} kernel_choice;

/* the table of an instruction set, NULL if this build or processor does not have it */
const kernel_table *hmli_kernels_get(hml_isa isa);

/* for a model with that plan; followers: with mimic joints. 0: the instruction set is not available */
int hmli_kernel_choose(const hml_plan *plan, int followers, hml_isa isa, kernel_choice *choice);

/* bytes of scratch for all kernels of a choice; factor: with those that need paths (HML_USE_FACTOR) */
size_t hmli_kernel_scratch_size(const hml_plan *plan, const kernel_choice *choice, int factor);

#endif
