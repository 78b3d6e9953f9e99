/*
 * Paths of a plan's segments, unrolled into lists once a workspace is made.
 *
 * The list of a segment is the path of its first column followed by its own columns, so that for any column c of the
 * segment list[0 … depth(c) − 1] is the path of c and list[depth(c)] is c. This takes memory in proportion to segments
 * times depth.
 */
#ifndef HML_ALGO_TOPOLOGY_H
#define HML_ALGO_TOPOLOGY_H

#include "model/plan.h"

typedef struct topology {
    const int32_t *const *of; /* nv: the list of each column's segment */
} topology;

size_t hml_topology_size(const hml_plan *plan);
void hml_topology_fill(const hml_plan *plan, void *memory, topology *t);

#endif
