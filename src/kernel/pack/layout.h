/* The scratch of the linearization and of forward dynamics of packs. */
#ifndef HML_KERNEL_PACK_LAYOUT_H
#define HML_KERNEL_PACK_LAYOUT_H

#include "kernel/pack/articulated.h"

#include "kernel/pack/columns.h"
#include "kernel/scratch.h"

typedef struct kernel_scratch {
    kept_scratch kept;
    /* linearization, at the place of kept.bodies and kept.columns */
    link_state *links;
    composite *sums;
    branch_row *rows;
    branch_column *columns;
    twist *Sd;
    base_block *block;
    mass_factor f;
    block_inverse N;
    column_rhs e;
    /* forward dynamics, behind kept.solver */
    articulated_link *articulated;
} kernel_scratch;

/* from memory on; memory NULL: only measured. Returns the size in bytes */
static inline size_t kernel_scratch_lay(const hml_plan *plan, void *memory, kernel_scratch *k)
{
    const size_t nb = (size_t)plan->nbodies, nv = (size_t)plan->nv, rows = plan->depth ? nv : 0;
    layout_cursor other = kept_scratch_begin(plan, memory, &k->kept), forward = other, c = other;
    c.used = kept_scratch_end(plan, other, &k->kept);
    k->links = (link_state *)layout_take(&other, (size_t)plan->levels * sizeof(link_state));
    k->rows = (branch_row *)layout_take(&other, nv * sizeof(branch_row));
    k->columns = (branch_column *)layout_take(&other, nv * sizeof(branch_column));
    k->Sd = (twist *)layout_take(&other, nv * sizeof(twist));
    k->sums = (composite *)layout_take(&other, nb * sizeof(composite));
    k->block = (base_block *)layout_take(&other, sizeof(base_block));
    forward.used += layout_aligned(nv * sizeof(articulated_column)); /* kept.solver */
    k->articulated = (articulated_link *)layout_take(&forward, (size_t)plan->levels * sizeof(articulated_link));
    if (other.used > c.used) c = other;
    if (forward.used > c.used) c = forward;
    /* what grows with the depth comes last: a workspace without HML_USE_FACTOR ends here */
    k->f.ld = factor_ld(plan);
    k->f.diagonal = k->kept.pivots;
    k->f.rows = (num *)layout_take(&c, rows * (size_t)k->f.ld * sizeof(num));
    k->N.ld = plan->block;
    k->N.rows = (num *)layout_take(&c, rows * (size_t)plan->block * sizeof(num));
    k->e.b_ld = 2 * plan->nv;
    k->e.b = (num *)layout_take(&c, 2 * rows * COLREG_WIDTH * sizeof(num));
    k->e.dtau_domega = (num *)layout_take(&c, 3 * rows * sizeof(num));
    k->e.springs = k->kept.springs;
    const size_t size = rows ? staging_size(plan) : 0;
    k->e.store.packs = (num *)layout_take(&c, size * sizeof(num));
    k->e.store.rows = (tile_row *)layout_take(&c, rows * staging_panels(plan) * sizeof(tile_row));
    k->e.store.discard = (lane *)layout_take(&c, (rows + COLREG_WIDTH) * sizeof(lane));
    /* an odd number of cache lines, so that states do not share sets of the cache */
    k->e.store.stride = size / STAGING_LINE % 2 ? size : size + STAGING_LINE;
#if LANES > 1
    k->e.store.states = (entry *)layout_take(&c, LANES * (size ? k->e.store.stride : 0) * sizeof(entry));
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
    kernel_load_all(call->q, call->count, call->plan->nq, k->kept.q);
    kernel_load_all(call->v, call->count, call->plan->nv, k->kept.v);
}

#endif
