/*
 * The expression graph: what a generated function computes, node by node, before any text is written.
 *
 * An `ex` is a node and a sign, so that negation is free and x − y and −(y − x) are one node. Equal expressions are one
 * node, constants fold, and what is multiplied by 0 or 1 disappears. A constant has one value per lane: lanes are the
 * limbs of a robot that have the same shape but not the same dimensions. It is 0 or 1 only if it is so in all lanes.
 *
 * A failed allocation is remembered in `failed`; expressions are zero from then on.
 */
#ifndef HML_GENERATE_GRAPH_H
#define HML_GENERATE_GRAPH_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t ex; /* node << 1 | negated */

enum { EX_ZERO = 0, EX_ONE = 2, GRAPH_LANES = 8 };

typedef enum graph_op {
    GRAPH_CONSTANT, /* a: row of the table of constants */
    GRAPH_INPUT,    /* a: array, b: index; one entry per lane */
    GRAPH_IMPORT,   /* a: region, b: its node; the same value for all lanes */
    GRAPH_SUM,      /* a: region, b: its node; the sum over its lanes */
    GRAPH_ADD,      /* from here on a and b are nodes */
    GRAPH_SUB,
    GRAPH_MUL,
    GRAPH_DIV,
    GRAPH_SQRT
} graph_op;

typedef struct graph_node {
    int32_t op, a, b;
} graph_node;

typedef struct graph {
    graph_node *nodes;
    int32_t count, capacity;
    double *constants; /* lanes values each */
    int32_t nconstants;
    size_t constants_capacity;
    int32_t *table; /* of node + 1; 0: free */
    int32_t table_size;
    int32_t lanes;
    int failed;
} graph;

int hmli_graph_init(graph *g, int32_t lanes); /* 0: no memory; hmli_graph_free in any case */
void hmli_graph_free(graph *g);

ex hmli_graph_constant(graph *g, const double *values); /* one per lane */
ex hmli_graph_input(graph *g, int32_t array, int32_t index);
ex hmli_graph_import(graph *g, int32_t region, ex e);
ex hmli_graph_sum(graph *g, int32_t region, ex e);
ex hmli_graph_add(graph *g, ex a, ex b);
ex hmli_graph_mul(graph *g, ex a, ex b);
ex hmli_graph_div(graph *g, ex a, ex b);
ex hmli_graph_sqrt(graph *g, ex a);

static inline int32_t ex_node(ex e) { return e >> 1; }
static inline int ex_negative(ex e) { return e & 1; }
static inline ex ex_of_node(int32_t node) { return node << 1; }
static inline ex ex_neg(ex e) { return e == EX_ZERO ? e : e ^ 1; }
static inline ex ex_sub(graph *g, ex a, ex b) { return hmli_graph_add(g, a, ex_neg(b)); }

/* the same value in all lanes */
ex hmli_graph_number(graph *g, double value);

/* the values of a constant, one per lane, sign included; 0 if it is not a constant */
int hmli_graph_values(const graph *g, ex e, double *values);

/* has the node children a and b? 2: both, 1: only a */
static inline int graph_children(int32_t op) { return op < GRAPH_ADD ? 0 : op == GRAPH_SQRT ? 1 : 2; }

#endif
