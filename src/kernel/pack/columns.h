/*
 * The geometric linearization of forward dynamics, over num: D_q, D_ν, M⁻¹.
 *
 * For a column c of joint i, with U of pack/walk.h and ν̇ the forward dynamics:
 *
 *   rows d of the joint and of what it carries   ∂τ_d/∂q_c = g_d·Ψ̇_c + F_d·Ψ̈_c     ∂τ_d/∂ν_c = g_d·S_c + F_d·(Ψ̇ + Ṡ)_c
 *   rows k of its ancestors                      ∂τ_k/∂q_c = S_k·U_q               ∂τ_k/∂ν_c = S_k·U_ν
 *
 * and zero elsewhere (g_d meets the angular parts only). Then D_q = −M⁻¹ ∂τ/∂q and D_ν = −M⁻¹ ∂τ/∂ν.
 *
 * Of a block, with N and T of pack/block_inverse.h, everything is small and dense. The root acts on every row through
 * six numbers of a column:
 *
 *   M⁻¹ b = G s + N b_b      s = b_root + Tᵀ b_b      G = [1; T] S⁻¹
 *
 * with S the root's block of M after everything below is eliminated. Rows of other blocks have nothing but G s. Here
 * G, s and N b are made, in packs; pack/assemble.h puts them together.
 *
 * A free root itself: ∂ν̇/∂position = 0, ∂ν̇/∂rotation = [(Rᵀg)^; 0; 0], ∂ν̇/∂(linear velocity) = [−ω^; 0; 0]. These
 * nine columns need no computation.
 */
#ifndef HML_KERNEL_PACK_COLUMNS_H
#define HML_KERNEL_PACK_COLUMNS_H

#include "kernel/pack/assemble.h"
#include "kernel/pack/walk.h"
#include "kernel/passive.h"

struct tree_feet;

/* what right-hand sides and solutions need beside the tree_walk */
typedef struct column_rhs {
    staging store;
    num *b; /* COLREG_WIDTH × b_ld: ∂τ/∂q and ∂τ/∂ν of a column, interleaved, in the rows that have any */
    int32_t b_ld;                 /* 2 nv */
    num *dtau_domega;             /* 3 nv: ∂τ by the angular velocity of a free root */
    num *springs;                 /* nv × PASSIVE_LD: ∂h/∂q of the springs, see kernel/passive.h */
    const struct tree_feet *held; /* constraints (pack/held.h), or NULL */
} column_rhs;

/* s of D_q and D_ν */
typedef struct base_rhs_pair {
    base6 q, v;
} base_rhs_pair;

/* an entry of ∂τ joins Tᵀ b */
NUM_INLINE base_rhs_pair base_rhs_pair_axpy(const tree_walk *w, int32_t row, num bq, num bv, base_rhs_pair s)
{
    base6 T = base6_load(factor_row(&w->f, row));
    s.q = base6_axpy(bq, T, s.q);
    s.v = base6_axpy(bv, T, s.v);
    return s;
}

/* ∂τ/∂q_c and ∂τ/∂ν_c into b, in the rows that have any; returns s */
NUM_INLINE base_rhs_pair column_rhs_of(const tree_walk *w, const column_rhs *e, const int base, int passive,
                                       const block_rows *rows, int32_t c, num *b)
{
    const int32_t m = plan_bodies(w->plan)[plan_columns(w->plan)[c].body].nv, first = rows->first;
    const branch_column *col = &w->columns[c];
    base_rhs_pair s;
    if (base)
        s.q = base6_of(&col->Uq.f.x), s.v = base6_of(&col->Uv.f.x);
    else
        s.q = s.v = base6_zero();
    if (rows->above) {
        const wrench Uq = col->Uq, Uv = col->Uv;
        for (int32_t d = 0; d < rows->above; d++, b += 2) {
            const int32_t i = rows->path[d];
            const twist S = w->rows[i].S;
            const num q = wrench_dot(Uq, S), v = wrench_dot(Uv, S);
            b[0] = q, b[1] = v;
            if (base) s = base_rhs_pair_axpy(w, i, q, v, s);
        }
    }
    const vec3 Pd = col->Pd.w, S = w->rows[c].S.w;
    const twist Pdd = col->Pdd, PS = column_PS(w, c, m > 1);
    const branch_row *row = &w->rows[first], *end = row + rows->n;
    const num *T = factor_row(&w->f, first);
    const int32_t ld = w->f.ld;
    num *own = b;
    for (; row < end; row++, T += ld, b += 2) {
        const num q = vec3_dot(row->g, Pd) + wrench_dot(row->F, Pdd), v = vec3_dot(row->g, S) + wrench_dot(row->F, PS);
        b[0] = q, b[1] = v;
        if (base) s.q = base6_axpy(q, base6_load(T), s.q), s.v = base6_axpy(v, base6_load(T), s.v);
    }
    if (passive) { /* derivatives of springs and damping join them */
        const num damping = K(w->coordinates[c].damping);
        for (int32_t i = 0; i < m; i++) {
            const num q = e->springs[(first + i) * PASSIVE_LD + c - first], v = first + i == c ? damping : K(0);
            own[2 * i] += q, own[2 * i + 1] += v;
            if (base) s = base_rhs_pair_axpy(w, first + i, q, v, s);
        }
    }
    return s;
}

/* columns begin … end − 1 of a panel, which are of one block: their s, and their tile */
static inline void panel_block(const tree_walk *w, column_rhs *e, int passive, column_panel *p, int32_t block,
                               int32_t begin, int32_t end)
{
    const plan_tree *tree = w->tree;
    const int32_t stop = plan_block_end(w->plan, tree, block), n = end - begin, step = 3 * n, width = p->width;
    const int32_t first = begin - tree->begin - p->begin, tile = staging_reserve(&e->store, (stop - block) * step);
    num *packs = e->store.packs;
    tile_row *row = p->rows + (block - tree->begin);
    for (int32_t i = 0; i < stop - block; i++) {
        row[i].at = tile + i * step - first;
        row[i].n = n;
        row[i].part = ((1u << n) - 1) << first;
    }
    const int32_t base = tree->base, ld = w->N.ld, size = stop - block;
    block_rows rows[COLREG_WIDTH];
    for (int32_t c = begin; c < end; c++) {
        const plan_column *pc = &plan_columns(w->plan)[c];
        const block_rows of_column = {column_path(w->paths, c) + base, pc->depth - (c - pc->first) - base, pc->first,
                                      pc->subtree_end - pc->first, block};
        num *to = packs + p->s + first + (c - begin), *b = e->b + (int64_t)(c - begin) * e->b_ld;
        rows[c - begin] = of_column;
        if (base) {
            const base_rhs_pair s = column_rhs_of(w, e, 1, passive, &of_column, c, b);
            base6_scatter(s.q, to, 3 * width);
            base6_scatter(s.v, to + width, 3 * width);
            /* M⁻¹: s of the unit vector c is its column of Tᵀ */
            base6_scatter(base6_load(factor_row(&w->f, c)), to + 2 * width, 3 * width);
        } else {
            column_rhs_of(w, e, 0, passive, &of_column, c, b);
        }
    }
    /* N of a long chain is larger than the caches: a few of its rows at a time, for all columns of the panel */
    const num *N = block_row(&w->N, block);
    for (int32_t i = 0; i < size; i += PRODUCT, N += PRODUCT * (int64_t)ld) {
        const int32_t m = size - i < PRODUCT ? size - i : PRODUCT;
        num *to = packs + tile + i * step;
        for (int32_t j = 0; j < n; j++)
            block_product_two(m, &rows[j], N, ld, e->b + (int64_t)j * e->b_ld, to + j, step, n);
    }
    for (int32_t c = begin; c < end; c++) {
        const num *from = block_row(&w->N, c);
        num *to = packs + tile + 2 * n + (c - begin);
        for (int32_t i = 0; i < size; i++, to += step) *to = from[i];
    }
}

/* n columns from `begin` on */
NUM_INLINE void panel_columns(const tree_walk *w, column_rhs *e, int passive, int32_t begin, int32_t n)
{
    const plan_tree *tree = w->tree;
    const int32_t rows = tree->end - tree->begin, base = tree->base;
    staging *s = &e->store;
    column_panel *p = &s->panels[s->npanels];
    int32_t block = tree->begin;
    if (tree->base) block = plan_columns(w->plan)[begin].depth > 6 ? column_path(w->paths, begin)[6] : begin;
    p->begin = begin - tree->begin;
    p->n = n;
    p->width = tree->base && COLREG_HALVES && n <= COLREG_WIDTH / 2 ? COLREG_WIDTH / 2 : COLREG_WIDTH;
    p->rows = s->rows + s->npanels++ * w->plan->nv;
    s->used += (COLREG_WIDTH - s->used % COLREG_WIDTH) % COLREG_WIDTH; /* aligned to a register */
    p->s = base ? staging_reserve(s, 3 * base * p->width) : 0;
    p->first = block - tree->begin;
    for (int32_t i = 0; i < rows; i++) p->rows[i].at = p->rows[i].n = 0, p->rows[i].part = 0;
    for (int32_t k = 0; n < p->width && k < 3 * base * p->width; k++) s->packs[p->s + k] = K(0);
    for (int32_t stop; block < begin + n; block = stop) {
        stop = plan_block_end(w->plan, tree, block);
        panel_block(w, e, passive, p, block, block > begin ? block : begin, stop < begin + n ? stop : begin + n);
    }
    p->last = block - tree->begin;
}

#endif
