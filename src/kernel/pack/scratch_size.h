/* Inverse dynamics, the mass matrix and its inverse alone: what they need together. */
#ifndef HML_KERNEL_PACK_SCRATCH_SIZE_H
#define HML_KERNEL_PACK_SCRATCH_SIZE_H

#include "kernel/pack/inverse_dynamics.h"
#include "kernel/pack/inverse_mass_matrix.h"
#if LANES > 1
#include "kernel/single/linearize.h"
#endif

/*
 * Bytes of scratch for any kernel, the linearization of packs only if it is wanted: it takes most of them. A workspace
 * for the tree alone has depth 0 and knows no mass matrix.
 */
static inline size_t pack_scratch_size(const hml_plan *plan, int linearizes)
{
    torque_scratch torque;
    inverse_scratch inverse;
    hml_plan tree = *plan;
    if (!linearizes) tree.depth = 0;
    size_t size = kernel_scratch_size(&tree), other = torque_scratch_lay(plan, NULL, &torque);
    if (other > size) size = other;
    if (plan->depth) other = inverse_scratch_lay(plan, NULL, &inverse);
    if (other > size) size = other;
#if LANES > 1
    if (plan->depth) other = single_scratch_size(plan);
    if (other > size) size = other;
#endif
    return size;
}

#endif
