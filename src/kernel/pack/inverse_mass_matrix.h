/*
 * The inverse of the mass matrix, over num: M = Lᵀ D L by branches (Featherstone, chapter 8), W = L⁻¹, and
 *
 *   M⁻¹ = W D⁻¹ Wᵀ,   entry (i, j): Σ W_ik W_jk / D_k over the columns k that i and j have in common on their paths.
 *
 * Rows are those of pack/mass_matrix.h: entry d for the ancestor at depth d, followed by the diagonal. So a free root
 * needs no special case, and a row is eliminated from the row of an ancestor as a whole, in registers (row_chunk). What
 * is stored behind a row's diagonal is zero.
 *
 * The product goes panel by panel of PANEL_WIDTH columns. In packs only the rows from the panel on are computed; the
 * rest is their mirror image.
 */
#ifndef HML_KERNEL_PACK_INVERSE_MASS_MATRIX_H
#define HML_KERNEL_PACK_INVERSE_MASS_MATRIX_H

#include "kernel/pack/mass_matrix.h"
#include "kernel/simd/columns.h"

typedef struct inverse_scratch {
    mass_scratch m;
    /*
     * nv: D⁻¹ Wᵀ in the columns of a panel; rows that no column of the panel touches are undefined. In scalar objects
     * all panels: a register that is loaded right after its entries were stored one by one has to wait.
     */
    panel_row *panel;
    panel_row *out;   /* nv: M⁻¹ in these columns */
    num *pivot;       /* nv: D */
    int32_t *touched; /* nv: the last panel that touched the row, see inverse_panel and inverse_common */
    int32_t *common;  /* nv: how many entries of a row's path, from the root on, the panel touches */
} inverse_scratch;

static inline size_t inverse_scratch_lay(const hml_plan *plan, void *memory, inverse_scratch *k)
{
    layout_cursor at = layout_begin(memory);
    const size_t nv = (size_t)plan->nv;
    mass_scratch_lay(plan, &at, &k->m);
    k->panel =
        (panel_row *)layout_take(&at, nv * (LANES > 1 ? 1 : (nv + PANEL_WIDTH - 1) / PANEL_WIDTH) * sizeof(panel_row));
    k->out = (panel_row *)layout_take(&at, nv * sizeof(panel_row));
    k->pivot = (num *)layout_take(&at, nv * sizeof(num));
    k->touched = (int32_t *)layout_take(&at, nv * sizeof(int32_t));
    k->common = (int32_t *)layout_take(&at, nv * sizeof(int32_t));
    return at.used;
}

/* ---- factors ---- */

/* row c of M, less what the columns it carries take, becomes row c of L; D⁻¹ goes to the diagonal */
static inline void eliminate_row(const inverse_scratch *s, int32_t c, int32_t depth, int32_t end, mask *failed)
{
    const mass_scratch *k = &s->m;
    num *row = mass_row(k, c);
    for (int32_t d = 0; d <= depth; d += ROW_CHUNK) {
        row_chunk sum = row_chunk_load(row + d);
        const num *below = row + k->depth_ld;
        for (int32_t j = c + 1; j < end; j++, below += k->depth_ld) {
            sum = row_chunk_less(below[depth] * s->pivot[j], below + d, sum);
        }
        row_chunk_store(row + d, sum);
    }
    const num pivot = row[depth], inverse = pivot_inverse(pivot, k->diagonal[c], failed);
    for (int32_t d = 0; d < depth; d += ROW_CHUNK)
        row_chunk_store(row + d, row_chunk_scale(inverse, row_chunk_load(row + d)));
    s->pivot[c] = pivot;
    k->diagonal[c] = inverse;
}

/* row c of L → row c of W = −(row c of L) W, with the one on its diagonal */
static inline void invert_row(const mass_scratch *k, const int32_t *path, int32_t c, int32_t depth)
{
    num *row = mass_row(k, c);
    for (int32_t d = 0; d <= depth; d += ROW_CHUNK) { /* only rows above that are long enough */
        row_chunk sum = d + ROW_CHUNK > depth ? row_chunk_unit(depth - d) : row_chunk_zero();
        for (int32_t e = d; e < depth; e++) sum = row_chunk_less(row[e], mass_row(k, path[e]) + d, sum);
        row_chunk_store(row + d, sum);
    }
}

/* ---- panels ---- */

NUM_INLINE panel_row *panel_of(const kernel_call *call, const inverse_scratch *k, int32_t begin)
{
    return LANES > 1 ? k->panel : k->panel + (size_t)(begin / PANEL_WIDTH) * (size_t)call->plan->nv;
}

/* columns begin … begin + n − 1 of D⁻¹ Wᵀ */
static inline void inverse_panel(const kernel_call *call, const inverse_scratch *k, int32_t begin, int32_t n)
{
    const plan_column *pc = plan_columns(call->plan);
    const num *inverse = k->m.diagonal;
    panel_row *panel_rows = panel_of(call, k, begin);
    for (int32_t j = 0; j < n; j++) {
        const int32_t *path = column_path(call->paths, begin + j), depth = pc[begin + j].depth;
        const num *row = mass_row(&k->m, begin + j);
        num *to = (num *)(void *)panel_rows + j;
        for (int32_t d = depth; d >= 0 && k->touched[path[d]] != begin; d--) {
            k->touched[path[d]] = begin;
            panel_rows[path[d]] = panel_row_zero();
        }
        for (int32_t d = 0; d <= depth; d++) to[(int64_t)path[d] * PANEL_WIDTH] = row[d] * inverse[path[d]];
    }
}

/* how many entries of every row's path are on a path of columns begin … begin + n − 1 */
static inline void inverse_common(const kernel_call *call, const inverse_scratch *k, int32_t begin, int32_t n)
{
    const plan_column *pc = plan_columns(call->plan);
    for (int32_t j = begin; j < begin + n; j++) {
        const int32_t *path = column_path(call->paths, j);
        for (int32_t d = pc[j].depth; d >= 0 && k->touched[path[d]] != -2 - begin; d--) {
            k->touched[path[d]] = -2 - begin;
        }
    }
    for (int32_t i = 0; i < call->plan->nv; i++) {
        const int32_t depth = pc[i].depth;
        if (k->touched[i] == -2 - begin)
            k->common[i] = depth + 1;
        else
            k->common[i] = depth ? k->common[column_path(call->paths, i)[depth - 1]] : 0;
    }
}

/* row i of M⁻¹ in the columns of the panel */
NUM_INLINE panel_row inverse_product(const kernel_call *call, const inverse_scratch *k, const panel_row *panel_rows,
                                     int32_t i)
{
    const int32_t *path = column_path(call->paths, i), common = k->common[i];
    const num *row = mass_row(&k->m, i);
    panel_row sum = panel_row_zero();
    for (int32_t d = 0; d < common; d++) sum = panel_row_axpy(row[d], &panel_rows[path[d]], sum);
    return sum;
}

/* ---- out ---- */

#if LANES > 1
/* columns begin … begin + n − 1 of row i, one column every `step` packs */
NUM_INLINE void inverse_store(const kernel_call *call, int32_t i, int32_t begin, int32_t n, const num *x, int32_t step)
{
    const kernel_output out = call->Minv;
    lane *to = out.data + (size_t)i * out.ld + (size_t)begin;
    if (n < STORE_WIDTH || call->count < LANES) {
        for (int32_t c = 0; c < n; c++) kernel_store(out, call->count, i, begin + c, x[c * step]);
        return;
    }
    for (int32_t c = 0; c < n; c += STORE_WIDTH) {
        const int32_t from = c + STORE_WIDTH > n ? n - STORE_WIDTH : c; /* the last columns overlap those before */
        store_cols4(to + from, out.stride, x + from * step, step);
    }
}
#endif

/* all rows in the columns of the panel, and their mirror images */
static inline void inverse_columns(const kernel_call *call, const inverse_scratch *k, int32_t begin, int32_t n)
{
    const int32_t nv = call->plan->nv;
    const panel_row *panel_rows = panel_of(call, k, begin);
#if LANES > 1
    const num *x = (const num *)(const void *)k->out;
    for (int32_t i = begin; i < nv; i++) {
        k->out[i] = inverse_product(call, k, panel_rows, i);
        inverse_store(call, i, begin, n, x + (int64_t)i * PANEL_WIDTH, 1);
    }
    for (int32_t j = 0; j < n && begin + n < nv; j++) {
        inverse_store(call, begin + j, begin + n, nv - begin - n, x + (int64_t)(begin + n) * PANEL_WIDTH + j,
                      PANEL_WIDTH);
    }
#else
    for (int32_t i = 0; i < nv; i++) {
        panel_row row = inverse_product(call, k, panel_rows, i);
        lane *to = call->Minv.data + (size_t)i * call->Minv.ld + (size_t)begin;
        if (n == PANEL_WIDTH)
            memcpy(to, &row, sizeof row);
        else
            memcpy(to, &row, (size_t)n * sizeof *to);
    }
#endif
}

static inline unsigned pack_inverse_mass_matrix(const kernel_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_column *pc = plan_columns(plan);
    const int32_t nv = plan->nv;
    inverse_scratch k;
    inverse_scratch_lay(plan, call->scratch, &k);
    for (int32_t c = 0; c < nv; c++) {
        row_chunk_store(mass_row(&k.m, c) + pc[c].depth / ROW_CHUNK * ROW_CHUNK, row_chunk_zero());
        k.touched[c] = -1;
    }
    const mass_target rows = {NULL, 0};
    const num *q = mass_walk(call, &k.m, rows);
    mask failed = num_lt(K(1), K(0));
    for (int32_t c = nv - 1; c >= 0; c--) {
        eliminate_row(&k, c, pc[c].depth, pc[c].subtree_end, &failed);
    }
    for (int32_t c = 0; c < nv; c++) invert_row(&k.m, column_path(call->paths, c), c, pc[c].depth);
    for (int32_t c = 0; c < nv && LANES == 1; c += PANEL_WIDTH)
        inverse_panel(call, &k, c, nv - c < PANEL_WIDTH ? nv - c : PANEL_WIDTH);
    for (int32_t c = 0; c < nv; c += PANEL_WIDTH) {
        const int32_t n = nv - c < PANEL_WIDTH ? nv - c : PANEL_WIDTH;
        if (LANES > 1) inverse_panel(call, &k, c, n);
        inverse_common(call, &k, c, n);
        inverse_columns(call, &k, c, n);
    }
    return num_lanes(kernel_bad_state(plan, q, NULL, NULL)) | num_lanes(failed);
}

#endif
