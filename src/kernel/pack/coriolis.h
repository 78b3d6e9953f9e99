/*
 * The Coriolis matrix, over num: C with C ν the Coriolis forces and Ṁ = C + Cᵀ, by composite bodies.
 *
 *   C_jk = S_jᵀ ( I Ṡ_k + B S_k ),   I, B those of the subtree of the deeper of the two bodies
 *
 * 2B and its transpose are those of kernel/composite.h; the formula and its derivation are in reference/coriolis.c. The
 * columns of a free root are unit vectors, so that a column's six entries beside them are one wrench.
 */
#ifndef HML_KERNEL_PACK_CORIOLIS_H
#define HML_KERNEL_PACK_CORIOLIS_H

#include "kernel/pack/mass_matrix.h"
#include "kernel/pack/robot.h"

typedef struct coriolis_scratch {
    robot_scratch robot;
    num *rows, *columns; /* nv × ld: C from c to its ancestor at depth d, then c itself; and from that ancestor to c */
    num *x;              /* nv */
    size_t ld;
} coriolis_scratch;

static inline size_t coriolis_scratch_lay(const hml_plan *plan, void *memory, coriolis_scratch *k)
{
    layout_cursor at = layout_begin(memory);
    const size_t nv = (size_t)plan->nv;
    k->ld = whole_registers(plan->depth);
    robot_scratch_lay(plan, &at, &k->robot);
    k->rows = (num *)layout_take(&at, nv * k->ld * sizeof(num));
    k->columns = (num *)layout_take(&at, nv * k->ld * sizeof(num));
    k->x = (num *)layout_take(&at, nv * sizeof(num));
    return at.used;
}

/* row and column c, over its ancestors */
NUM_INLINE void coriolis_column(const robot_call *call, const coriolis_scratch *k, const plan_tree *tree,
                                const composite *b, int32_t c)
{
    const robot_column *columns = k->robot.columns;
    const int32_t *path = column_path(call->paths, c), depth = plan_columns(call->plan)[c].depth;
    const twist S = columns[c].S, Sd = columns[c].Sd;
    const wrench across = inertia_mul(b->I, S);
    const wrench down = wrench_add(inertia_mul(b->I, Sd), wrench_scale(K(0.5), composite_2B(b, S)));
    const vec3 turn = vec3_scale(K(0.5), composite_2B_transposed(b, S));
    num *row = k->rows + (size_t)c * k->ld, *column = k->columns + (size_t)c * k->ld;
    int32_t d = 0;
    if (tree->base && c >= tree->begin + tree->base) {
        const wrench moved = twist_cross_dual(k->robot.links[0].v, across);
        wrench_put(wrench_of(vec3_neg(moved.f), vec3_sub(turn, moved.t)), row);
        wrench_put(down, column);
        d = tree->base;
    }
    for (; d < depth; d++) {
        const robot_column *up = &columns[path[d]];
        row[d] = wrench_dot(across, up->Sd) + vec3_dot(turn, up->S.w);
        column[d] = wrench_dot(down, up->S);
    }
    row[depth] = wrench_dot(across, Sd) + vec3_dot(turn, S.w);
    column[depth] = row[depth];
}

/* all rows of C, or of C + Cᵀ */
static inline void coriolis_store(const robot_call *call, const coriolis_scratch *k, kernel_output out, int both)
{
    const plan_column *pc = plan_columns(call->plan);
    const int32_t nv = call->plan->nv;
    num *x = k->x;
    for (int32_t c = 0; c < nv; c++) x[c] = K(0);
    for (int32_t i = 0; i < nv; i++) {
        const int32_t *path = column_path(call->paths, i);
        const int32_t depth = pc[i].depth, end = pc[i].subtree_end;
        const num *row = k->rows + (size_t)i * k->ld, *column = k->columns + (size_t)i * k->ld;
        for (int32_t d = 0; d < depth; d++) x[path[d]] = both ? row[d] + column[d] : row[d];
        row += depth, column += depth;
        for (int32_t c = i; c < end; c++, row += k->ld, column += k->ld) x[c] = both ? *row + *column : *column;
        store_tree_row(call->plan, out, call->count, i, path, x);
    }
}

static inline unsigned pack_coriolis(const robot_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    coriolis_scratch k;
    coriolis_scratch_lay(plan, call->scratch, &k);
    robot_load(call, &k.robot);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
            robot_out(1, &k.robot, &pb[i], t, NULL);
            robot_own(1, &k.robot, &pb[i], i);
            for (int32_t j = i; j >= 0 && pb[j].end == i + 1; j = pb[j].parent) {
                for (int32_t c = pb[j].v; c < pb[j].v + pb[j].nv; c++)
                    coriolis_column(call, &k, tree, &k.robot.sums[j], c);
                robot_join(1, &k.robot, &pb[j], j);
            }
        }
    }
    if (call->coriolis.data) coriolis_store(call, &k, call->coriolis, 0);
    if (call->Mdot.data) coriolis_store(call, &k, call->Mdot, 1);
    return robot_bad(call, &k.robot);
}

#endif
