/*
 * The schedule: which nodes are needed, in which step and chunk of its region each is computed, and which are kept in
 * memory because another chunk or region uses them. A chunk is as much straight-line code as one C function gets.
 */
#ifndef HML_GENERATE_SCHEDULE_H
#define HML_GENERATE_SCHEDULE_H

#include "generate/program.h"

/* nodes of a chunk: with vectors, one state is computed faster in small ones, several side by side in large ones */
enum { CHUNK_ONE = 400, CHUNK_MANY = 1500 };

typedef struct region_schedule {
    unsigned char *needed; /* of every node */
    int32_t *chunk;        /* where it is computed; −1: nowhere, it is a leaf that is read where it is used */
    int32_t *slot;         /* its place in memory; −1: none */
    int32_t nslots, nchunks;
    int32_t *chunk_step; /* of every chunk, ascending */
    int32_t *root_chunk; /* where every root is stored; −1: nowhere, or where it is computed */
} region_schedule;

typedef struct schedule {
    const program *program;
    region_schedule *regions;
    int64_t statements; /* that are computed */
} schedule;

/* chunks of this many nodes. 0: no memory; hmli_schedule_free in any case */
int hmli_schedule_make(schedule *s, const program *p, int32_t nodes);
void hmli_schedule_free(schedule *s);

/* is the node read where it is used, not computed? */
static inline int schedule_is_leaf(int32_t op)
{
    return op == GRAPH_CONSTANT || op == GRAPH_INPUT || op == GRAPH_IMPORT;
}

#endif
