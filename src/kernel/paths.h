/*
 * The ancestors of every column, listed once when a workspace is made.
 *
 * The list of a segment is the path of its first column followed by its own columns: for any column c of the segment,
 * list[0 … depth(c) − 1] is the path of c and list[depth(c)] is c. The memory is proportional to segments times depth.
 *
 * For kernels with a column in each lane there are also the slots of a tree's bodies (0 is the world, 1 the root), and
 * for each row two sets of columns, those above it and those below it. A set has one bit per column, counted from the
 * tree's first column below a free root.
 */
#ifndef HML_KERNEL_PATHS_H
#define HML_KERNEL_PATHS_H

#include "model/plan.h"

typedef struct plan_paths {
    const int32_t *const *path_of;          /* nv: the list of each column's segment */
    int32_t one_dof_joints;                 /* 1: joints have one coordinate each, except free roots and fixed roots */
    const int32_t *parent;                  /* nbodies: slots */
    const int32_t *body_slot, *parent_slot; /* of each column's body and of its parent: see paths_columns */
    const uint8_t *above;                   /* nv × bytes: columns that carry this one, or belong to its joint */
    const uint8_t *below;                   /* columns that it carries */
    size_t bytes;
} plan_paths;

/* the path of a column, followed by the column itself */
static inline const int32_t *column_path(const plan_paths *t, int32_t column) { return t->path_of[column]; }

/* the first row below a free root, or of the tree */
static inline int32_t tree_below(const plan_tree *t) { return t->begin + t->base; }

enum { PATHS_PACK = 8 }; /* after a tree's columns come as many slots of 0 */

/* where body_slot and parent_slot of a tree begin */
static inline size_t paths_columns(const plan_tree *t, int32_t index)
{
    return (size_t)(t->begin + t->base + PATHS_PACK * index);
}

size_t hmli_paths_size(const hml_plan *plan);
void hmli_paths_fill(const hml_plan *plan, void *memory, plan_paths *t);

#endif
