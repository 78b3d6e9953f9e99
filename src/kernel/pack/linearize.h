/*
 * The linearization of a pack of states: the stages in order. They are in pack/walk.h, pack/ltdl.h, kernel/passive.h,
 * pack/free_base.h, pack/columns.h and pack/assemble.h.
 */
#ifndef HML_KERNEL_PACK_LINEARIZE_H
#define HML_KERNEL_PACK_LINEARIZE_H

#include "kernel/pack/layout.h"

#include "kernel/pack/free_base.h"
#include "kernel/passes.h"

static inline tree_walk pack_walk(const kernel_call *call, const kernel_scratch *k, int32_t index)
{
    tree_walk w;
    w.plan = call->plan;
    w.paths = call->paths;
    w.tree = &plan_trees(call->plan)[index];
    w.gravity = call->gravity;
    w.coordinates = call->coordinates;
    w.q = k->kept.q;
    w.v = k->kept.v;
    w.sine = k->kept.sine, w.cosine = k->kept.cosine;
    w.links = k->links;
    w.sums = k->sums;
    w.rows = k->rows;
    w.columns = k->columns;
    w.Sd = k->Sd;
    w.f = k->f;
    w.block = k->block;
    w.b = k->kept.b;
    w.x = k->kept.x;
    w.base = &k->kept.base[index];
    w.N = k->N;
    return w;
}

/* zeros in the block of a free root, from which the columns below are eliminated */
static inline void walk_clear(const tree_walk *w)
{
    for (int32_t e = 0; e < w->tree->base; e++) {
        for (int32_t d = 0; d <= e; d++) w->block->m[e][d] = K(0);
    }
}

/* what constraints keep of a body that the first walk is at: pack/held.h */
typedef void held_visit(const struct tree_feet *held, const tree_walk *w, int32_t body);

/*
 * the first walk: poses to the factors of M and a half-solved right-hand side. Returns the lanes with a singular M.
 * visit NULL: without constraints
 */
NUM_INLINE mask walk_first_with(const kernel_call *call, const kernel_scratch *k, const tree_walk *w, held_visit *visit)
{
    const plan_body *pb = plan_bodies(w->plan);
    const plan_tree *tree = w->tree;
    mask failed = num_lt(K(1), K(0));
    for (int32_t c = tree->begin; c < tree->end; c++) w->b[c] = k->kept.tau[c];
    walk_clear(w);
    if (call->passive) passive_forces(w->plan, tree, w->coordinates, k->kept.q, k->kept.v, w->b, k->kept.springs);
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        if (i > tree->body_begin)
            first_out(w, &pb[i], i);
        else
            first_root_out(w, &pb[i]);
        if (visit) visit(k->e.held, w, i);
        if (call->wrenches.data) {
            wrench *f = &w->sums[i].f;
            *f = wrench_sub(*f, body_wrench(call, i, w->links[pb[i].level].H));
        }
        if (i == tree->body_begin && tree->base && call->passive) {
            add_vec3(&w->b[tree->begin],
                     base_armature(w->coordinates, tree, base_acceleration(w->base, &w->v[tree->begin])));
        }
        for (int32_t j = i; j >= tree->body_begin && pb[j].end == i + 1; j = pb[j].parent)
            first_back(w, &pb[j], j, &failed);
    }
    return failed;
}

static inline mask walk_first(const kernel_call *call, const kernel_scratch *k, const tree_walk *w)
{
    return walk_first_with(call, k, w, NULL);
}

/* the second walk: ν̇ and what the columns need */
static inline void walk_second(const tree_walk *w)
{
    const plan_body *pb = plan_bodies(w->plan);
    const plan_tree *tree = w->tree;
    int32_t block = tree_below(tree), stop = block < tree->end ? plan_block_end(w->plan, tree, block) : tree->end;
    for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
        /* blocks are ranges of columns; a fixed body on the root, which has no columns, may carry several of them */
        if (pb[i].v == stop && stop < tree->end) block = stop, stop = plan_block_end(w->plan, tree, block);
        second_out(w, &pb[i], block);
        for (int32_t j = i; j > tree->body_begin && pb[j].end == i + 1; j = pb[j].parent) second_back(w, &pb[j], j);
    }
}

/* the matrices of a tree; as many columns at a time as are staged at once */
static inline void tree_matrices(const kernel_call *call, const tree_walk *w, column_rhs *e)
{
    const plan_tree *tree = w->tree;
    staging *s = &e->store;
    int32_t c = tree_below(tree), fixed, begin = 0;
    s->used = 0;
    if (tree->base) base_columns(w, e, call->passive);
    fixed = s->used;
    do {
        s->used = fixed, s->npanels = 0;
        for (; s->npanels < STAGING_PANELS && c < tree->end; c += COLREG_WIDTH) {
            panel_columns(w, e, call->passive, c, tree->end - c < COLREG_WIDTH ? tree->end - c : COLREG_WIDTH);
        }
        staging_transpose(s, begin);
        assemble_tree(call, tree, s, begin == 0);
        begin = fixed;
    } while (c < tree->end);
}

static inline unsigned pack_linearize(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    kernel_scratch k;
    kernel_load_state(call, &k);
    kernel_load_all(call->tau, call->count, plan->nv, k.kept.tau);
    mask failed = kernel_bad_state(plan, k.kept.q, k.kept.v, call->tau.data ? k.kept.tau : NULL);
    sincos_all(plan, k.kept.q, k.kept.sine, k.kept.cosine);
    if (plan->ntrees > 1) {
        clear_between(call, call->Dq);
        clear_between(call, call->Dv);
        clear_between(call, call->Minv);
    }
    for (int32_t t = 0; t < plan->ntrees; t++) {
        tree_walk w = pack_walk(call, &k, t);
        failed |= walk_first(call, &k, &w);
        walk_second(&w);
        tree_matrices(call, &w, &k.e);
        if (w.tree->base) add_vec3(&k.kept.x[w.tree->begin], base_acceleration(w.base, &k.kept.v[w.tree->begin]));
    }
    if (call->acceleration.data) kernel_store_run(call->acceleration, call->count, 0, 0, plan->nv, k.kept.x);
    return num_lanes(failed);
}

#endif
