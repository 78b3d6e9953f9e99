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

#endif
