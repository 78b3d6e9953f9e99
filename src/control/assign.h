/* Who belongs to whom at the least sum of costs: the Hungarian method by shortest augmenting paths (Kuhn 1955; Jonker, Volgenant 1987). */
#ifndef HML_CONTROL_ASSIGN_H
#define HML_CONTROL_ASSIGN_H

#include <stddef.h>

/* cost: n × n, finite, or the answer is some assignment; room: 3 (n + 1) doubles, index_room: 3 (n + 1); column[i] belongs to row i */
void hmli_assign(size_t n, const double *cost, double *room, size_t *index_room, size_t *column);

#endif
