/* The expression graph: see graph.h. */
#include "generate/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { FIRST_SIZE = 1024, CONSTANTS_SEEN = 1000 };

int hmli_graph_init(graph *g, int32_t lanes)
{
    const double zero[GRAPH_LANES] = {0}, one[GRAPH_LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
    memset(g, 0, sizeof *g);
    g->lanes = lanes;
    hmli_graph_constant(g, zero); /* EX_ZERO and EX_ONE: the first two nodes */
    hmli_graph_constant(g, one);
    return !g->failed;
}

void hmli_graph_free(graph *g)
{
    free(g->nodes);
    free(g->constants);
    free(g->table);
    memset(g, 0, sizeof *g);
}

/* ---- equal expressions are one node ---- */

static uint32_t hash_of(graph_node n)
{
    uint32_t h = (uint32_t)n.op * 0x9e3779b1u;
    h = (h ^ (uint32_t)n.a) * 0x85ebca6bu;
    h = (h ^ (h >> 13) ^ (uint32_t)n.b) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/* where the node is, or the free place where it belongs */
static int32_t place_of(const graph *g, graph_node n)
{
    int32_t at = (int32_t)(hash_of(n) & (uint32_t)(g->table_size - 1));
    while (g->table[at]) {
        const graph_node *other = &g->nodes[g->table[at] - 1];
        if (other->op == n.op && other->a == n.a && other->b == n.b) break;
        at = (at + 1) & (g->table_size - 1);
    }
    return at;
}

static int grow(graph *g)
{
    const int32_t capacity = g->capacity ? 2 * g->capacity : FIRST_SIZE;
    graph_node *nodes = capacity < INT32_MAX / 8 ? realloc(g->nodes, (size_t)capacity * sizeof *nodes) : NULL;
    if (nodes) g->nodes = nodes;
    int32_t *table = nodes ? calloc(2 * (size_t)capacity, sizeof *table) : NULL;
    if (!table) return 0;
    free(g->table);
    g->table = table;
    g->capacity = capacity;
    g->table_size = 2 * capacity;
    for (int32_t i = 0; i < g->count; i++) g->table[place_of(g, g->nodes[i])] = i + 1;
    return 1;
}

static ex node(graph *g, int32_t op, int32_t a, int32_t b)
{
    const graph_node n = {op, a, b};
    if (g->failed || (g->count == g->capacity && !grow(g))) {
        g->failed = 1;
        return EX_ZERO;
    }
    const int32_t at = place_of(g, n);
    if (!g->table[at]) {
        g->nodes[g->count] = n;
        g->table[at] = ++g->count;
    }
    return ex_of_node(g->table[at] - 1);
}

/* ---- constants ---- */

/* the row of the table with these values, bit by bit; −1: no memory */
static int32_t constant_row(graph *g, const double *values)
{
    const size_t row = (size_t)g->lanes;
    /* the first two, which are 0 and 1, and the latest: one that is missed costs a node, nothing else */
    for (int32_t i = g->nconstants - 1; i >= 0; i = i == g->nconstants - CONSTANTS_SEEN && i > 1 ? 1 : i - 1) {
        if (memcmp(g->constants + (size_t)i * row, values, row * sizeof *values) == 0) return i;
    }
    if (!array_grow(&g->constants, &g->constants_capacity, (size_t)g->nconstants + 1, row * sizeof *values)) return -1;
    memcpy(g->constants + (size_t)g->nconstants * row, values, row * sizeof *values);
    return g->nconstants++;
}

/* the first lane that is not zero is positive, so that c and −c are one constant */
ex hmli_graph_constant(graph *g, const double *values)
{
    double v[GRAPH_LANES];
    int negative = 0, decided = 0;
    for (int32_t l = 0; l < g->lanes; l++) {
        if (!decided && values[l] != 0) decided = 1, negative = values[l] < 0;
    }
    for (int32_t l = 0; l < g->lanes; l++) v[l] = values[l] == 0 ? 0 : negative ? -values[l] : values[l];
    const int32_t row = constant_row(g, v);
    if (row < 0) {
        g->failed = 1;
        return EX_ZERO;
    }
    const ex e = node(g, GRAPH_CONSTANT, row, 0);
    return negative ? ex_neg(e) : e;
}

ex hmli_graph_number(graph *g, double value)
{
    double values[GRAPH_LANES];
    for (int l = 0; l < GRAPH_LANES; l++) values[l] = value;
    return hmli_graph_constant(g, values);
}

int hmli_graph_values(const graph *g, ex e, double *values)
{
    if (g->failed || g->nodes[ex_node(e)].op != GRAPH_CONSTANT) return 0;
    const double *row = g->constants + (size_t)g->nodes[ex_node(e)].a * (size_t)g->lanes;
    for (int32_t l = 0; l < g->lanes; l++) values[l] = ex_negative(e) ? -row[l] : row[l];
    return 1;
}

/* ---- leaves ---- */

ex hmli_graph_input(graph *g, int32_t array, int32_t index) { return node(g, GRAPH_INPUT, array, index); }

static ex signed_leaf(graph *g, int32_t op, int32_t region, ex e)
{
    const ex leaf = node(g, op, region, ex_node(e));
    return ex_negative(e) ? ex_neg(leaf) : leaf;
}

ex hmli_graph_import(graph *g, int32_t region, ex e) { return signed_leaf(g, GRAPH_IMPORT, region, e); }
ex hmli_graph_sum(graph *g, int32_t region, ex e) { return signed_leaf(g, GRAPH_SUM, region, e); }

/* ---- operations ---- */

ex hmli_graph_add(graph *g, ex a, ex b)
{
    double x[GRAPH_LANES], y[GRAPH_LANES];
    if (a == EX_ZERO) return b;
    if (b == EX_ZERO) return a;
    if (a == ex_neg(b)) return EX_ZERO;
    if (hmli_graph_values(g, a, x) && hmli_graph_values(g, b, y)) {
        for (int32_t l = 0; l < g->lanes; l++) x[l] += y[l];
        return hmli_graph_constant(g, x);
    }
    if (ex_node(a) > ex_node(b)) {
        const ex other = a;
        a = b, b = other;
    }
    const int op = ex_negative(a) == ex_negative(b) ? GRAPH_ADD : GRAPH_SUB;
    const ex sum = node(g, op, ex_node(a), ex_node(b));
    return ex_negative(a) ? ex_neg(sum) : sum;
}

/* c·(d·x) is (c d)·x; 0 if this is not such a product */
static int fold_product(graph *g, ex a, ex b, ex *folded)
{
    double x[GRAPH_LANES], y[GRAPH_LANES];
    if (!hmli_graph_values(g, a, x)) return 0;
    if (hmli_graph_values(g, b, y)) {
        for (int32_t l = 0; l < g->lanes; l++) x[l] *= y[l];
        *folded = hmli_graph_constant(g, x);
        return 1;
    }
    const graph_node n = g->nodes[ex_node(b)];
    if (n.op != GRAPH_MUL || !hmli_graph_values(g, ex_of_node(n.a), y)) return 0;
    for (int32_t l = 0; l < g->lanes; l++) x[l] *= y[l];
    *folded = hmli_graph_mul(g, hmli_graph_constant(g, x), ex_of_node(n.b) | ex_negative(b));
    return 1;
}

/* constants come first in a product */
ex hmli_graph_mul(graph *g, ex a, ex b)
{
    ex folded;
    if (g->failed || a == EX_ZERO || b == EX_ZERO) return EX_ZERO;
    if (ex_node(a) == ex_node(EX_ONE)) return ex_negative(a) ? ex_neg(b) : b;
    if (ex_node(b) == ex_node(EX_ONE)) return ex_negative(b) ? ex_neg(a) : a;
    if (fold_product(g, a, b, &folded) || fold_product(g, b, a, &folded)) return folded;
    const int constant_b = g->nodes[ex_node(b)].op == GRAPH_CONSTANT;
    const int constant_a = g->nodes[ex_node(a)].op == GRAPH_CONSTANT;
    const int swap = constant_a || constant_b ? constant_b : ex_node(a) > ex_node(b);
    const ex first = swap ? b : a, second = swap ? a : b;
    const ex product = node(g, GRAPH_MUL, ex_node(first), ex_node(second));
    return ex_negative(a) != ex_negative(b) ? ex_neg(product) : product;
}

/* a quotient of constants that does not exist becomes a large number, by which the check of M sees that it is singular */
ex hmli_graph_div(graph *g, ex a, ex b)
{
    double x[GRAPH_LANES], y[GRAPH_LANES];
    if (a == EX_ZERO) return a;
    if (hmli_graph_values(g, a, x) && hmli_graph_values(g, b, y)) {
        for (int32_t l = 0; l < g->lanes; l++) x[l] = isfinite(x[l] / y[l]) ? x[l] / y[l] : 1e18;
        return hmli_graph_constant(g, x);
    }
    const ex quotient = node(g, GRAPH_DIV, ex_node(a), ex_node(b));
    return ex_negative(a) != ex_negative(b) ? ex_neg(quotient) : quotient;
}

ex hmli_graph_sqrt(graph *g, ex a) { return node(g, GRAPH_SQRT, ex_node(a), 0); }
