/* The tables of robots with a trunk: see call.h and trunk.h. */
#include <stdlib.h>
#include <string.h>

#include "cuda/tables_write.h"

/*
 * Columns of a free root's tree that become its core: those of the body that carries the largest limb, again and again,
 * until no limb has more than TRUNK_LIMB columns. core: per column its place in the core, or −1; returns their number, or
 * −1 if there are too many.
 */
static int32_t find_trunk(const hml_plan *plan, const plan_tree *tree, int32_t *core, int32_t columns[TRUNK_MOST])
{
    const plan_column *all = plan_columns(plan);
    int32_t n = 0;
    for (int32_t c = tree->begin + tree->base; c < tree->end; c++) core[c - tree->begin] = -1;
    for (int32_t c = tree->begin + tree->base; c < tree->end;) {
        const int32_t end = all[c].subtree_end;
        if (end - c <= TRUNK_LIMB) {
            c = end;
            continue;
        }
        for (const int32_t first = all[c].first; c < tree->end && all[c].first == first; c++) {
            if (n == TRUNK_MOST) return -1;
            columns[n] = c - tree->begin;
            core[c - tree->begin] = 6 + n++;
        }
    }
    return n;
}

/* which of the columns at `from`, n of them, come before column c and carry it, its own joint's included */
static int32_t carriers(const hml_plan *plan, const plan_tree *tree, const int32_t *from, int32_t n, int32_t c)
{
    uint32_t set = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t j = tree->begin + from[k];
        set |= (uint32_t)(j < c && c < plan_columns(plan)[j].subtree_end) << k;
    }
    return (int32_t)set;
}

/* the integers of trunk.h, of all columns, over those that put_columns has left empty */
static void put_trunk(writer *w, const hml_plan *plan, const plan_tree *tree, cuda_model *m, const int32_t *core)
{
    const cuda_tree *t = &m->tree[0];
    int32_t limb = 0, size = 0, limbs[TRUNK_LIMB];
    for (int32_t c = t->base; c < t->columns; c++) {
        int32_t *const at = w->integers ? w->integers + t->column + c : NULL;
        if (core[c] < 0 && c >= limb + size) {
            limb = c, size = plan_columns(plan)[tree->begin + c].subtree_end - tree->begin - c;
            for (int32_t k = 0; k < size; k++) limbs[k] = c + k;
            if (size > m->limb_most) m->limb_most = size;
        }
        if (!at) continue;
        at[COLUMN_CORE * t->columns] = core[c];
        at[COLUMN_LIMB * t->columns] = core[c] < 0 ? limb : 0;
        at[COLUMN_LIMB_SIZE * t->columns] = core[c] < 0 ? size : 0;
        at[COLUMN_LIMB_ABOVE * t->columns] = core[c] < 0 ? carriers(plan, tree, limbs, size, tree->begin + c) : 0;
        int32_t n = 0;
        while (n < TRUNK_MOST && m->trunk_columns[n] >= 0) n++;
        at[COLUMN_TRUNK_ABOVE * t->columns] = carriers(plan, tree, m->trunk_columns, n, tree->begin + c);
    }
}

/* the workspace of a state, behind `used` numbers: what is written late lies over what is no longer needed */
static int32_t lay_out_trunk(cuda_tree *t, int32_t width, int32_t used)
{
    cuda_layout *at = &t->at;
    const int32_t begin = used, bodies = t->bodies, below = t->columns - t->base;
    memset(at, 0, sizeof *at);
    at->sum_ld = bodies | 1;
    at->H = at->core = take(&used, 12 * bodies > TRUNK_CORE * TRUNK_WIDE ? 12 * bodies : TRUNK_CORE * TRUNK_WIDE);
    at->v = take(&used, 8 * bodies);
    at->a = take(&used, 8 * bodies);
    at->sum = take(&used, 28 * at->sum_ld);
    int32_t late = begin;
    at->scratch = take(&late, (2 * TRUNK_LIMB + 2) * width);
    at->y = take_rows(&late, t, 8);
    int32_t last = late;
    at->stage = take(&last, 3 * TRUNK_CHUNK * t->columns);
    at->below = take_rows(&late, t, 8);
    at->motion = take(&late, 20 * TRUNK_MOST);
    at->sums = take(&late, 2 * TRUNK_ROW * TRUNK_MOST);
    if (late > used) used = late;
    if (last > used) used = last;
    at->S = take_rows(&used, t, 8);
    at->row = take_rows(&used, t, 12);
    at->N = take_rows(&used, t, 8);
    at->Z = take_rows(&used, t, TRUNK_ROW);
    const int32_t R = TRUNK_WIDE * below, G = TRUNK_ROW * t->columns;
    at->G = take(&used, R > G ? R : G);
    at->R = at->G - TRUNK_WIDE * t->base;
    at->root = take(&used, 32);
    at->springs = take(&used, t->elastic ? 6 * t->columns : 0);
    return used;
}

hml_status hmli_cuda_plan_trunk(writer *w, const hml_plan *plan, const plan_tree *tree, cuda_model *m, int32_t used)
{
    const cuda_tree *t = &m->tree[0];
    for (int k = 0; k < TRUNK_MOST; k++) m->trunk_columns[k] = -1;
    m->trunk = 0;
    if (!m->one || m->width != CUDA_WARP || m->limb_joints || t->base != 6 || t->k0 != 3) return HML_OK;
    int32_t *core = calloc((size_t)t->columns, sizeof *core);
    if (!core) return HML_OUT_OF_MEMORY;
    const int32_t n = find_trunk(plan, tree, core, m->trunk_columns);
    for (int32_t k = n < 0 ? 0 : n; k < TRUNK_MOST; k++) m->trunk_columns[k] = -1;
    if (n > 0) { /* without a trunk the other kernel is the faster one */
        m->trunk = 1;
        put_trunk(w, plan, tree, m, core);
        m->tree[1] = *t;
        m->trunk_numbers = lay_out_trunk(&m->tree[1], m->width, used);
    }
    free(core);
    return HML_OK;
}
