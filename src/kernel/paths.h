/*
 * What algorithms over columns look up again and again, unrolled once a workspace is made.
 *
 * The list of a segment is the path of its first column followed by its own columns, so that for any column c of the
 * segment list[0 … depth(c) − 1] is the path of c and list[depth(c)] is c. This takes memory in proportion to segments
 * times depth.
 *
 * For kernels with a column in each lane: the slots of a tree's bodies, of which 0 is the world and 1 the root; and for
 * each row the set of its columns above and below, a bit each, counted from the tree's first column below a free root.
 */
#ifndef HML_KERNEL_PATHS_H
#define HML_KERNEL_PATHS_H

#include "model/plan.h"

typedef struct plan_paths {
    const int32_t *const *path_of; /* nv: the list of each column's segment */
    int32_t one_dof_joints;        /* 1: joints have one coordinate each, but for free roots and roots that are fixed */
    const int32_t *parent;         /* nbodies: slots */
    const int32_t *body_slot, *parent_slot; /* of each column's body and of the one before it: see topology_columns */
    const uint8_t *above;                   /* nv × bytes: columns that carry this one or are of its joint */
    const uint8_t *below;                   /* columns that it carries */
    size_t bytes;
} plan_paths;

enum { PATHS_PACK = 8 }; /* behind a tree's columns the slots of as many more are 0 */

/* where own and up of a tree begin */
static inline size_t paths_columns(const plan_tree *t, int32_t index)
{
    return (size_t)(t->begin + t->base + PATHS_PACK * index);
}

size_t hmli_paths_size(const hml_plan *plan);
void hmli_paths_fill(const hml_plan *plan, void *memory, plan_paths *t);

#endif
