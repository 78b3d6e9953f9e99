/* The linearization for other files of the library: with coordinates of the caller. */
#ifndef HML_ALGO_LINEARIZE_BLOCKS_H
#define HML_ALGO_LINEARIZE_BLOCKS_H

#include "algo/work.h"
#include "hamel/linearize.h"

/*
 * One state as hml_linearize, n states as hml_linearize_batch, of arguments that are known to be good. coordinates:
 * tree_nv, armature, damping and springs in the place of the model's; NULL: the model's.
 */
hml_status hmli_linearize(const hml_work *work, const model_coordinate *coordinates,
                          const hml_linearization *arguments);
hml_status hmli_linearize_batch(const hml_work *work, const model_coordinate *coordinates, size_t n,
                                const hml_linearization *arguments, hml_status *status);

/* has the model one tree on a free root, with limbs so small that single_step_limbs has less to do than without them? */
int hmli_limbs_pay(const hml_work *work);

/*
 * One state of such a model, with its limbs apart (limb_results in kernel/call.h) unless limbs is NULL, in the widest
 * registers, which the products of a step use as well. Returns 0 where the kernel did not take it, for instance a bad
 * state; what it has written is then invalid. Overflow is the caller's to find.
 */
int hmli_linearize_limbs(const hml_work *work, const hml_linearization *x, limb_results *limbs);

#endif
