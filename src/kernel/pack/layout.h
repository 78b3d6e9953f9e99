/*
 * How the kernels of packs lay out their scratch.
 */
#ifndef HML_KERNEL_PACK_LAYOUT_H
#define HML_KERNEL_PACK_LAYOUT_H

#include "kernel/pack/articulated.h"

#include "kernel/pack/columns.h"
#include "kernel/scratch.h"

/* what inverse dynamics keeps of every body, and what other algorithms read of it afterwards */
typedef struct tree_scratch {
    body_state *bodies;
    column_state *columns;
    wrench *G;         /* nbodies */
    mass_factor f;     /* of the last linearization */
    num *b, *x;        /* nv each */
    base_motion *base; /* ntrees */
    num *springs;      /* nv × PASSIVE_LD: ∂h/∂q of the springs, see pack/passive.h */
} tree_scratch;

typedef struct kernel_scratch {
    tree_scratch s;
    num *q, *v, *tau;
    num *sine, *cosine; /* of q's numbers, where they are angles */
    /* linearization, in the place of bodies and columns */
    link_state *links;
    composite *sums;
    branch_row *rows;
    branch_column *columns;
    twist *Sd;
    base_block *block;
    block_inverse N;
    column_rhs e;
    /* forward dynamics alone, there too */
    articulated_link *articulated;
    articulated_column *solver;
} kernel_scratch;

/* lays the scratch out from memory, or only measures it when memory is NULL; returns its size in bytes */
static inline size_t kernel_scratch_lay(const hml_plan *plan, void *memory, kernel_scratch *k)
{
    scratch_cursor c, other, forward;
    size_t nb = (size_t)plan->nbodies, nv = (size_t)plan->nv, depth = (size_t)plan->depth, rows = depth ? nv : 0;
    c.at = (char *)memory;
    c.used = 0;
    k->s.base = (base_motion *)scratch_take(&c, (size_t)plan->ntrees * sizeof(base_motion));
    k->q = (num *)scratch_take(&c, (size_t)plan->nq * sizeof(num));
    k->v = (num *)scratch_take(&c, nv * sizeof(num));
    k->tau = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.b = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.x = (num *)scratch_take(&c, nv * sizeof(num));
    k->s.springs = (num *)scratch_take(&c, nv * PASSIVE_LD * sizeof(num));
    k->sine = (num *)scratch_take(&c, sincos_size(plan));
    k->cosine = (num *)scratch_take(&c, sincos_size(plan));
    other = forward = c;
    k->s.bodies = (body_state *)scratch_take(&c, nb * sizeof(body_state));
    k->s.columns = (column_state *)scratch_take(&c, nv * sizeof(column_state));
    k->s.G = (wrench *)scratch_take(&c, nb * sizeof(wrench));
    k->links = (link_state *)scratch_take(&other, (size_t)plan->levels * sizeof(link_state));
    k->rows = (branch_row *)scratch_take(&other, nv * sizeof(branch_row));
    k->columns = (branch_column *)scratch_take(&other, nv * sizeof(branch_column));
    k->Sd = (twist *)scratch_take(&other, nv * sizeof(twist));
    k->sums = (composite *)scratch_take(&other, nb * sizeof(composite));
    k->block = (base_block *)scratch_take(&other, sizeof(base_block));
    k->solver = (articulated_column *)scratch_take(&forward, nv * sizeof(articulated_column));
    k->articulated = (articulated_link *)scratch_take(&forward, (size_t)plan->levels * sizeof(articulated_link));
    if (other.used > c.used) c = other;
    if (forward.used > c.used) c = forward;
    /* what grows with the depth comes last: a workspace for the tree alone ends here */
    k->s.f.ld = factor_ld(plan);
    k->s.f.diagonal = (num *)scratch_take(&c, rows * sizeof(num));
    k->s.f.rows = (num *)scratch_take(&c, rows * (size_t)k->s.f.ld * sizeof(num));
    k->N.ld = plan->block;
    k->N.rows = (num *)scratch_take(&c, rows * (size_t)plan->block * sizeof(num));
    k->e.b_ld = 2 * plan->nv;
    k->e.b = (num *)scratch_take(&c, 2 * rows * COLREG_WIDTH * sizeof(num));
    k->e.dtau_domega = (num *)scratch_take(&c, 3 * rows * sizeof(num));
    k->e.springs = k->s.springs;
    const size_t size = rows ? staging_size(plan) : 0;
    k->e.store.packs = (num *)scratch_take(&c, size * sizeof(num));
    k->e.store.rows = (tile_row *)scratch_take(&c, rows * staging_panels(plan) * sizeof(tile_row));
    k->e.store.discard = (lane *)scratch_take(&c, (rows + COLREG_WIDTH) * sizeof(lane));
    k->e.store.stride = size / 8 % 2 ? size : size + 8; /* in an odd number of lines, states do not meet in the cache */
#if LANES > 1
    k->e.store.states = (entry *)scratch_take(&c, LANES * (size ? k->e.store.stride : 0) * sizeof(entry));
#else
    k->e.store.states = k->e.store.packs;
#endif
    return c.used;
}

static inline size_t kernel_scratch_size(const hml_plan *plan)
{
    kernel_scratch k;
    return kernel_scratch_lay(plan, NULL, &k);
}

static inline void kernel_load_state(const kernel_call *call, kernel_scratch *k)
{
    kernel_scratch_lay(call->plan, call->scratch, k);
    kernel_load_all(call->q, call->count, call->plan->nq, k->q);
    kernel_load_all(call->v, call->count, call->plan->nv, k->v);
}

#endif
